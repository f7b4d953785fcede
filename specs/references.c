#include "specs/references.h"

#include "reconcile/schema.h"
#include "specs/references_walk.h"

enum {
	/* Kind, dot and name; what is longer is no address. */
	ADDRESS_LONGEST_BYTES = 192,
	SHOWN_BYTES = 80,
};

static struct slice shown(struct slice text)
{
	return slice_first(text, SHOWN_BYTES);
}

void references_meet(struct loading *loading, uint32_t entry, const struct meeting *meeting)
{
	struct entry *referrer = &loading->entries[entry];
	uint32_t number;

	loading->meetings = (struct meeting *)arena_room(&loading->working, loading->meetings, loading->meeting_count,
							 &loading->meeting_capacity, sizeof(*loading->meetings));
	loading->meetings[loading->meeting_count++] = *meeting;
	number = (uint32_t)loading->meeting_count;
	loading->meetings[number - 1].next = 0;
	if (referrer->last_meeting > 0)
		loading->meetings[referrer->last_meeting - 1].next = number;
	else
		referrer->first_meeting = number;
	referrer->last_meeting = number;
}

/* Notes a reference found in a value; false after a diagnostic, where a resource would wait for itself. */
static bool meet(struct resolution *resolution, const struct resource *target, struct slice output, unsigned flags,
		 bool names, struct position position)
{
	struct loading *loading = resolution->loading;
	struct meeting meeting = {.output = output, .position = position, .names = names};

	/* Outputs of the stack and the like bind nothing. */
	if (resolution->entry == NO_ENTRY || !resolution->top)
		return true;
	meeting.target = loading_index(loading, target);
	meeting.field = resolution->top->name;
	meeting.binding = resolution->top->flags & SETTLES ? BINDS_SETTLE : BINDS_MAKE;
	meeting.immutable =
		(resolution->top->flags & IMMUTABLE) || ((flags & IMMUTABLE) && meeting.binding == BINDS_MAKE);
	if (meeting.target != resolution->entry) {
		references_meet(loading, resolution->entry, &meeting);
		return true;
	}
	if (meeting.binding == BINDS_SETTLE)
		return true;
	diag_error(loading->diagnostics, FAULT_USER, position, "'%.*s' refers to itself in '%s'",
		   SLICE_ARGUMENTS(target->address), meeting.field);
	diag_hint(loading->diagnostics, "what it refers to is only known once it is made: refer to another resource");
	return false;
}

static const struct kind *own_kind(const struct resolution *resolution)
{
	return resolution->entry == NO_ENTRY ? NULL : resolution->loading->resources[resolution->entry].kind;
}

static struct resource *find_named(const struct loading *loading, const char *kind, struct slice name)
{
	char address[ADDRESS_LONGEST_BYTES];
	size_t size = strlen(kind);

	if (size + 1 + name.size > sizeof(address))
		return NULL;
	memcpy(address, kind, size);
	address[size++] = '.';
	memcpy(address + size, name.data, name.size);
	return loading_find(loading, (struct slice){address, size + name.size});
}

/* Neighbours in a spec mostly refer to the same resource. */
static struct resource *find_neighbour(struct loading *loading, const char *kind, struct slice name)
{
	struct resource *last = loading->last_target;

	if (!last || strcmp(last->kind->name, kind) != 0 || !slice_equal(last->name, name))
		loading->last_target = last = find_named(loading, kind, name);
	return last;
}

/* What text names in a reference field: by name, as "self", or by address; NULL where nothing. */
static struct resource *find_target(const struct resolution *resolution, const struct field *field, struct slice text)
{
	struct loading *loading = resolution->loading;
	const struct kind *own = own_kind(resolution);
	struct resource *target;

	if (own && slice_is(text, "self") && strcmp(own->name, field->target) == 0)
		return &loading->resources[resolution->entry];
	if (text.size == 0)
		return NULL;
	target = find_neighbour(loading, field->target, text);
	if (target || !memchr(text.data, '.', text.size))
		return target;
	target = loading_find(loading, text);
	return target && strcmp(target->kind->name, field->target) == 0 ? target : NULL;
}

/* A resource of another kind that has the name. */
static const struct resource *find_namesake(const struct loading *loading, struct slice name)
{
	const struct resource *namesake = NULL;

	for (size_t i = 0; !namesake && i < loading->kinds->count; i++)
		namesake = find_named(loading, loading->kinds->items[i]->name, name);
	return namesake;
}

/* What messages call a reference field; the items of lists have no names that anybody writes. */
static const char *label(const struct resolution *resolution, const struct field *field)
{
	if (field->name && !(resolution->top && resolution->top->item == field))
		return field->name;
	return resolution->top ? resolution->top->name : "it";
}

static bool is_address_of(const char *kind, struct slice text)
{
	size_t size = strlen(kind);

	return slice_starts_with(text, slice_of(kind)) && text.size > size && text.data[size] == '.';
}

/* The name in what may be an address. */
static struct slice name_within(const char *kind, struct slice text)
{
	return is_address_of(kind, text) ? slice_from(text, strlen(kind) + 1) : text;
}

static void report_target(const struct resolution *resolution, const struct field *field, const struct value *given)
{
	struct loading *loading = resolution->loading;
	struct slice text = value_slice(given);
	const struct resource *stranger = loading_find(loading, text);

	/* A bare name may mean what stands where it was refused or not read; a whole address means what has it. */
	if (loading->cut || (!stranger && loading_is_stray(loading, text)))
		return;
	if (!stranger && text.size > 0)
		stranger = find_namesake(loading, text);
	if (stranger) {
		diag_error(loading->diagnostics, FAULT_USER, given->position,
			   "'%s' expects a reference to '%s', but '%.*s' is of kind '%s'", label(resolution, field),
			   field->target, SLICE_ARGUMENTS(value_shown(given, SHOWN_BYTES)), stranger->kind->name);
		diag_related(loading->diagnostics, stranger->position, "it is declared here");
		return;
	}
	diag_error(loading->diagnostics, FAULT_USER, given->position, "there is no %s '%.*s'", field->target,
		   SLICE_ARGUMENTS(value_shown(given, SHOWN_BYTES)));
	if (!given->secret)
		loading_suggest_name(loading, field->target, name_within(field->target, text));
}

static struct value refused(const struct value *given)
{
	return value_at(value_unread(), given->position);
}

/* The deferred value that a reference to target becomes. Nearly all are to ids, and share one. */
static struct value reference_value(struct resolution *resolution, const struct resource *target,
				    const struct field *field, const struct output *output, struct position position)
{
	struct loading *loading = resolution->loading;
	struct entry *entry = &loading->entries[loading_index(loading, target)];
	struct value value;

	if (!field->output && entry->reference)
		return (struct value){.position = position, .type = VALUE_DEFERRED, .deferred = entry->reference};
	value = expression_of_reference(loading->arena, target->address, slice_of(output->name), position);
	if (!field->output)
		entry->reference = value.deferred;
	return value;
}

/* A name, an address, "self" or a literal id in a reference field. */
static bool resolve_name(struct resolution *resolution, const struct field *field, unsigned flags,
			 const struct value *given, struct value *ret)
{
	struct loading *loading = resolution->loading;
	const struct resource *target = find_target(resolution, field, value_slice(given));
	const struct kind *kind = target ? target->kind : kinds_find(loading->kinds, slice_of(field->target));
	const struct output *output = kind ? kind_output(kind, field->output) : NULL;

	if (target && output) {
		*ret = meet(resolution, target, slice_of(output->name), flags, true, given->position)
			       ? reference_value(resolution, target, field, output, given->position)
			       : refused(given);
		return true;
	}
	/* Where an id may be any name (a key pair's), an address is still meant as one. */
	if (!target && output && value_slice(given).size > 0 && !is_address_of(field->target, value_slice(given)) &&
	    output_pattern_matches(output, value_slice(given)))
		return false;
	report_target(resolution, field, given);
	*ret = refused(given);
	return true;
}

/* Notes what a value waits for. False after a diagnostic. */
static bool meet_all(struct resolution *resolution, unsigned flags, bool names, const struct value *value)
{
	const struct expression_reference *found;
	bool good = true;
	size_t count;

	for (size_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		good = meet_all(resolution, flags, names, &value->items[i]) && good;
	for (size_t i = 0; value->type == VALUE_MAP && i < value->count; i++)
		good = meet_all(resolution, flags, names, &value->members[i].value) && good;
	if (value->type != VALUE_DEFERRED)
		return good;
	/* Every deferred value met while loading was made by this wing. */
	expression_references((const struct expression *)value->deferred->program, &found, &count);
	for (size_t i = 0; i < count; i++) {
		const struct resource *target = loading_find(resolution->loading, found[i].address);

		if (target)
			good = meet(resolution, target, found[i].attribute, flags, names, value->position) && good;
	}
	return good;
}

/* An expression that is one plain reference to the id of a resource of another kind. */
static bool refers_to_stranger(const struct resolution *resolution, const struct field *field,
			       const struct value *value)
{
	const struct loading *loading = resolution->loading;
	const struct expression_reference *names;
	const struct resource *target;
	const struct output *id;
	size_t count;

	expression_references((const struct expression *)value->deferred->program, &names, &count);
	if (count != 1 || value->deferred->text.size != names[0].address.size + names[0].attribute.size + 4)
		return false;
	target = loading_find(loading, names[0].address);
	id = target ? kind_output(target->kind, NULL) : NULL;
	if (!id || strcmp(target->kind->name, field->target) == 0 || !slice_is(names[0].attribute, id->name))
		return false;
	diag_error(loading->diagnostics, FAULT_USER, value->position,
		   "'%s' expects a reference to '%s', but '%.*s' is of kind '%s'", label(resolution, field),
		   field->target, SLICE_ARGUMENTS(shown(names[0].address)), target->kind->name);
	diag_related(loading->diagnostics, target->position, "it is declared here");
	return true;
}

/* The source that expressions ask while a spec is loaded; context is the resolution. */
static const struct value *source_get(void *context, struct slice address, struct slice output)
{
	const struct expression_reference name = {.address = address, .attribute = output};
	const struct value *value = NULL;

	return name_find((struct resolution *)context, &name, false, &value) == NAME_KNOWN ? value : NULL;
}

static bool is_kind(void *context, struct slice name)
{
	const struct loading *loading = (const struct loading *)context;

	return kinds_find(loading->kinds, name) != NULL;
}

/* What the names of an expression allow, taken together. */
static enum name_state names_state(struct resolution *resolution, const struct expression *expression)
{
	const struct expression_reference *names;
	enum name_state all = NAME_KNOWN;
	size_t count;

	expression_references(expression, &names, &count);
	for (size_t i = 0; i < count; i++) {
		const struct value *value = NULL;
		enum name_state state = name_find(resolution, &names[i], true, &value);

		if (state == NAME_KNOWN && value_has_deferred(value))
			state = NAME_LATER;
		/* They are declared worst first. */
		if (state < all)
			all = state;
		resolution->waits = resolution->waits || state == NAME_WAITS;
	}
	return all;
}

static bool compile(struct resolution *resolution, struct arena *arena, const struct value *given,
		    const struct expression **ret)
{
	struct loading *loading = resolution->loading;
	struct position position = given->position;

	/* The text begins behind the quote. */
	if (given->style == VALUE_STYLE_QUOTED && position.column < UINT16_MAX)
		position.column++;
	resolution->arena = arena;
	return expression_compile(arena, value_slice(given), position, is_kind, loading, ret, loading->diagnostics);
}

/*
 * *ret: what the expressions in a string come to; unread after a diagnostic. False where it
 * has to wait. Most are known at once, and then nothing but the result is kept of them.
 */
static bool evaluate(struct resolution *resolution, const struct value *given, struct value *ret)
{
	struct loading *loading = resolution->loading;
	const struct output_source source = {resolution, source_get};
	size_t used_bytes = loading->arena->used_bytes;
	const struct expression *expression;
	enum name_state state;
	bool good;

	*ret = refused(given);
	arena_reset(&loading->scratch);
	if (loading->evaluation_left == 0)
		return true;
	if (!compile(resolution, &loading->scratch, given, &expression))
		return true;
	state = names_state(resolution, expression);
	if (state == NAME_BAD || state == NAME_WAITS)
		return state == NAME_BAD;
	if (state == NAME_LATER && !compile(resolution, loading->arena, given, &expression))
		return true;
	good = expression_evaluate(expression, &source, resolution->arena, ret, loading->diagnostics) &&
	       references_afford(loading, ret, loading->arena->used_bytes - used_bytes, given->position);
	if (!good)
		*ret = refused(given);
	else if (state == NAME_KNOWN)
		*ret = value_copy(loading->arena, ret);
	ret->position = given->position;
	if (ret->type == VALUE_BOOL || ret->type == VALUE_INTEGER || ret->type == VALUE_NUMBER)
		ret->style = VALUE_STYLE_COMPUTED;
	return true;
}

static bool resolve_expression(struct resolution *resolution, const struct field *field, unsigned flags,
			       const struct value *given, struct value *ret)
{
	bool is_reference = field && field->type == FIELD_REFERENCE;
	struct value value;

	resolution->reference = is_reference ? field : NULL;
	if (!evaluate(resolution, given, &value))
		return false;
	if ((flags & SECRET) && !expression_hide(resolution->loading->arena, &value, resolution->loading->diagnostics))
		value = refused(given);
	*ret = value;
	/* A variable may hold the name of a resource. */
	if (is_reference && value.type == VALUE_STRING) {
		resolve_name(resolution, field, flags, &value, ret);
		return true;
	}
	if (is_reference && value.type == VALUE_DEFERRED && refers_to_stranger(resolution, field, &value)) {
		*ret = refused(given);
		return true;
	}
	if (!meet_all(resolution, flags, is_reference, &value))
		*ret = refused(given);
	return true;
}

static bool has_expression(struct slice text)
{
	for (size_t i = 0; i + 1 < text.size; i++) {
		const char *dollar = (const char *)memchr(text.data + i, '$', text.size - i - 1);

		if (!dollar)
			return false;
		if (dollar[1] == '{')
			return true;
		i = (size_t)(dollar - text.data);
	}
	return false;
}

/* A key of a map of whatever names; false after a diagnostic. *ret differs from *given where it was escaped. */
static bool read_key(struct resolution *resolution, const struct value *given, struct value *ret)
{
	struct loading *loading = resolution->loading;
	struct slice text = value_slice(given);
	char *to, *plain;

	*ret = *given;
	if (!has_expression(text))
		return true;
	to = plain = (char *)arena_get(loading->arena, text.size);
	for (size_t i = 0; i < text.size; i++) {
		bool escaped = slice_starts_with(slice_from(text, i), SLICE("$${"));

		if (!escaped && slice_starts_with(slice_from(text, i), SLICE("${"))) {
			diag_error(loading->diagnostics, FAULT_USER, given->position,
				   "'%.*s' is a key, in which nothing is evaluated", SLICE_ARGUMENTS(shown(text)));
			diag_hint(loading->diagnostics, "have an expression make the whole map, as in '${ "
							"{\"${var.key}\": \"value\"} }', or write "
							"'$${' where the characters themselves are meant");
			return false;
		}
		i += escaped ? 1 : 0;
		*to++ = text.data[i];
		if (escaped)
			*to++ = text.data[++i];
	}
	*ret = value_at(value_string((struct slice){plain, (size_t)(to - plain)}), given->position);
	return true;
}

static const struct field *member_field(const struct field *field, const struct value *key)
{
	if (!field)
		return NULL;
	if (field->type == FIELD_OBJECT)
		return field_named(&field->members, value_slice(key));
	return field->type == FIELD_MAP ? field->item : NULL;
}

static bool resolve_map(struct resolution *resolution, const struct field *field, unsigned flags,
			const struct value *given, struct value *ret)
{
	bool is_free = !field || field->type == FIELD_MAP;
	struct value_member *copy = NULL;

	for (size_t i = 0; i < given->count; i++) {
		const struct value_member *member = &given->members[i];
		struct value_member own = *member;
		bool good = !is_free || read_key(resolution, &member->key, &own.key);
		bool differs =
			resolve_value(resolution, member_field(field, &member->key), flags, &member->value, &own.value);

		if (!good)
			own.value = refused(&member->value);
		if (good && !differs && own.key.text == member->key.text)
			continue;
		if (!copy) {
			copy = arena_new_array(resolution->loading->arena, given->count, struct value_member);
			memcpy(copy, given->members, given->count * sizeof(*copy));
		}
		copy[i] = own;
	}
	if (copy)
		ret->members = copy;
	return copy != NULL;
}

static bool resolve_list(struct resolution *resolution, const struct field *field, unsigned flags,
			 const struct value *given, struct value *ret)
{
	const struct field *item =
		field && (field->type == FIELD_LIST || field->type == FIELD_SET) ? field->item : NULL;
	struct value *copy = NULL;

	for (size_t i = 0; i < given->count; i++) {
		struct value value;

		if (!resolve_value(resolution, item, flags, &given->items[i], &value))
			continue;
		if (!copy) {
			copy = arena_new_array(resolution->loading->arena, given->count, struct value);
			memcpy(copy, given->items, given->count * sizeof(*copy));
		}
		copy[i] = value;
	}
	if (copy)
		ret->items = copy;
	return copy != NULL;
}

bool resolve_value(struct resolution *resolution, const struct field *field, unsigned flags, const struct value *given,
		   struct value *ret)
{
	*ret = *given;
	if (field)
		flags |= field->flags;
	if (given->type == VALUE_MAP)
		return resolve_map(resolution, field, flags, given, ret);
	if (given->type == VALUE_LIST)
		return resolve_list(resolution, field, flags, given, ret);
	if (given->type != VALUE_STRING)
		return false;
	if (has_expression(value_slice(given)))
		return resolve_expression(resolution, field, flags, given, ret);
	return field && field->type == FIELD_REFERENCE && resolve_name(resolution, field, flags, given, ret);
}

void references_resolve_value(struct loading *loading, const char *vars_only, const struct value *value,
			      struct value *ret)
{
	struct resolution resolution = {.loading = loading, .entry = NO_ENTRY, .vars_only = vars_only};

	resolve_value(&resolution, NULL, 0, value, ret);
}
