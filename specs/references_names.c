#include "base/buffer.h"
#include "reconcile/schema.h"
#include "specs/references_walk.h"

enum { CANDIDATES_MOST = 256, SHOWN_BYTES = 80, LIST_LIMIT_BYTES = 4096 };

static struct slice shown(struct slice text)
{
	return slice_first(text, SHOWN_BYTES);
}

static enum name_state find_variable(struct resolution *resolution, const struct expression_reference *name,
				     bool report, const struct value **ret)
{
	struct loading *loading = resolution->loading;
	const struct variable *variable = (const struct variable *)map_get(&loading->variables, name->attribute);

	if (variable) {
		*ret = &variable->value;
		return variable->value.type == VALUE_UNREAD ? NAME_BAD : NAME_KNOWN;
	}
	if (report && !loading->cut) {
		diag_error(loading->diagnostics, FAULT_USER, name->position, "there is no variable '%.*s'",
			   SLICE_ARGUMENTS(shown(name->attribute)));
		diag_hint(loading->diagnostics, "declare it under 'vars:'");
		loading_suggest_key(loading, &loading->variables, name->attribute);
	}
	return NAME_BAD;
}

static void report_unset(struct loading *loading, const struct resource *resource,
			 const struct expression_reference *name)
{
	diag_error(loading->diagnostics, FAULT_USER, name->position, "'%.*s' does not set '%.*s'",
		   SLICE_ARGUMENTS(shown(name->address)), SLICE_ARGUMENTS(shown(name->attribute)));
	diag_related(loading->diagnostics, resource->position, "it is declared here");
	diag_hint(loading->diagnostics, "set it there; what a service chooses by itself cannot be referred to");
}

/* The member of a resource's block that sets a field, or -1. */
static int64_t find_member(const struct value *block, struct slice name)
{
	const struct value *value = value_get(block, name);

	for (uint32_t i = 0; value && i < block->count; i++) {
		if (&block->members[i].value == value)
			return value->type == VALUE_NULL ? -1 : (int64_t)i;
	}
	return -1;
}

/* Of what the resource has: an output, or else a field that it sets. */
static struct slice nearest_attribute(const struct kind *kind, const struct value *block, struct slice name)
{
	struct slice candidates[CANDIDATES_MOST];
	size_t count = 0;
	int nearest;

	for (size_t i = 0; i < kind->outputs.count && count < CANDIDATES_MOST; i++)
		candidates[count++] = slice_of(output_at(&kind->outputs, i)->name);
	nearest = slice_nearest(name, candidates, count);
	if (nearest >= 0)
		return candidates[nearest];
	count = 0;
	for (size_t i = 0; i < kind->fields.count && count < CANDIDATES_MOST; i++)
		if (find_member(block, slice_of(field_at(&kind->fields, i)->name)) >= 0)
			candidates[count++] = slice_of(field_at(&kind->fields, i)->name);
	nearest = slice_nearest(name, candidates, count);
	return nearest >= 0 ? candidates[nearest] : (struct slice){NULL, 0};
}

static void report_attribute(struct loading *loading, const struct resource *resource, const struct value *block,
			     const struct expression_reference *name)
{
	const struct kind *kind = resource->kind;
	struct slice nearest = nearest_attribute(kind, block, name->attribute);

	if (name->attribute.size == 0) {
		diag_error(loading->diagnostics, FAULT_USER, name->position,
			   "'%.*s' is a resource, which is no value by itself", SLICE_ARGUMENTS(shown(name->address)));
		diag_hint(loading->diagnostics, "name one of its attributes, such as '%.*s.%s'",
			  SLICE_ARGUMENTS(shown(name->address)),
			  kind->outputs.count > 0 ? output_at(&kind->outputs, 0)->name : "id");
		return;
	}
	/* What it is called is often nothing like what was looked for. */
	BUFFER_AUTO list;
	buffer_init(&list, LIST_LIMIT_BYTES);
	for (size_t i = 0; i < kind->outputs.count; i++)
		buffer_format(&list, "%s%s", i > 0 ? ", " : "", output_at(&kind->outputs, i)->name);
	diag_error(loading->diagnostics, FAULT_USER, name->position, "'%.*s' has no '%.*s'",
		   SLICE_ARGUMENTS(shown(name->address)), SLICE_ARGUMENTS(shown(name->attribute)));
	if (nearest.size > 0)
		diag_hint(loading->diagnostics, "did you mean '%.*s'? Its outputs are: %.*s", SLICE_ARGUMENTS(nearest),
			  SLICE_ARGUMENTS(buffer_slice(&list)));
	else
		diag_hint(loading->diagnostics, "its outputs are: %.*s", SLICE_ARGUMENTS(buffer_slice(&list)));
}

/* As the field's table has it: spelled one way, and marked where it is secret. An empty text stays one. */
static const struct value *canonical(struct arena *arena, const struct field *field, const struct value *value)
{
	struct value *copy = arena_new(arena, struct value);

	*copy = schema_canonical(field, value, arena);
	return copy->type == VALUE_NULL ? value : copy;
}

static enum name_state find_field(struct resolution *resolution, const struct resource *resource,
				  const struct field *field, uint32_t member, bool has_output,
				  const struct expression_reference *name, bool report, const struct value **ret)
{
	struct loading *loading = resolution->loading;
	uint32_t index = loading_index(loading, resource);
	const struct value *value;

	if (loading->states[loading->entries[index].first_state + member] != FIELD_DONE) {
		if (!report || !references_await(loading, index, member, name->position))
			return NAME_BAD;
		return NAME_WAITS;
	}
	value = references_member(loading, index, member);
	if (value_has_unread(value))
		return NAME_BAD;
	/* What the resource says of itself once it is made is worth more than what it was made from. */
	if (has_output && value_has_deferred(value))
		return NAME_LATER;
	*ret = canonical(resolution->arena, field, value);
	return NAME_KNOWN;
}

/* Whether the expression stands where the resource itself could be named, and means the same: it is waited for then,
 * also where the spec says what that comes to. */
static bool refers(const struct resolution *resolution, const struct resource *resource, const struct output *output)
{
	const struct field *field = resolution->reference;

	return field && output && field->output && strcmp(field->target, resource->kind->name) == 0 &&
	       strcmp(field->output, output->name) == 0;
}

static enum name_state find_attribute(struct resolution *resolution, const struct resource *resource,
				      const struct expression_reference *name, bool report, const struct value **ret)
{
	struct loading *loading = resolution->loading;
	const struct field *field = field_named(&resource->kind->fields, name->attribute);
	const struct output *output = output_named(&resource->kind->outputs, name->attribute);
	const struct value *block = loading->entries[loading_index(loading, resource)].block;
	int64_t member = field ? find_member(block, name->attribute) : -1;

	if (refers(resolution, resource, output))
		return NAME_LATER;
	if (member >= 0)
		return find_field(resolution, resource, field, (uint32_t)member, output != NULL, name, report, ret);
	if (output)
		return NAME_LATER;
	if (report && field)
		report_unset(loading, resource, name);
	else if (report)
		report_attribute(loading, resource, block, name);
	return NAME_BAD;
}

enum name_state name_find(struct resolution *resolution, const struct expression_reference *name, bool report,
			  const struct value **ret)
{
	struct loading *loading = resolution->loading;
	const struct resource *resource;

	if (slice_is(name->address, "var"))
		return find_variable(resolution, name, report, ret);
	if (resolution->vars_only) {
		if (report) {
			diag_error(loading->diagnostics, FAULT_USER, name->position,
				   "'%s' may use variables only, not '%.*s'", resolution->vars_only,
				   SLICE_ARGUMENTS(shown(name->address)));
			diag_hint(loading->diagnostics, "write the value itself, or declare a variable for it");
		}
		return NAME_BAD;
	}
	resource = loading_find(loading, name->address);
	if (resource)
		return find_attribute(resolution, resource, name, report, ret);
	if (report)
		(void)loading_report_absent(loading, name->address, name->position);
	return NAME_BAD;
}
