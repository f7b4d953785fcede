#include "reconcile/schema.h"
#include "specs/expression.h"
#include "specs/resources.h"

/* What an output will say that is a secret is known only once it is there; that it is one, from the tables. */

static bool is_secret_output(const struct kind *kind, struct slice name)
{
	const struct output *output = output_named(&kind->outputs, name);

	return output && output->secret;
}

/* Most resources refer to no such output: nothing is walked for them. */
static bool may_have_one(const struct loading *loading, uint32_t index)
{
	const struct kind *own = loading->resources[index].kind;
	bool found = false;

	/* A part may refer to its own object, which is no dependency. */
	for (size_t i = 0; !found && i < own->outputs.count; i++)
		found = output_at(&own->outputs, i)->secret;
	for (uint32_t i = loading->entries[index].first_meeting; !found && i > 0; i = loading->meetings[i - 1].next)
		found = is_secret_output(loading->resources[loading->meetings[i - 1].target].kind,
					 loading->meetings[i - 1].output);
	return found;
}

static bool refers_to_secret(const struct loading *loading, const struct value *value)
{
	const struct expression_reference *names;
	bool found = false;
	size_t count = 0;

	for (uint32_t i = 0; value->type == VALUE_LIST && !found && i < value->count; i++)
		found = refers_to_secret(loading, &value->items[i]);
	for (uint32_t i = 0; value->type == VALUE_MAP && !found && i < value->count; i++)
		found = refers_to_secret(loading, &value->members[i].value);
	if (value->type != VALUE_DEFERRED)
		return found;
	expression_references((const struct expression *)value->deferred->program, &names, &count);
	for (size_t i = 0; !found && i < count; i++) {
		const struct resource *target = loading_find(loading, names[i].address);

		found = target && is_secret_output(target->kind, names[i].attribute);
	}
	return found;
}

static void check_key(void *context, const char *name, const struct value *value)
{
	struct loading *loading = context;

	if (refers_to_secret(loading, value))
		schema_report_secret_key(name, value, loading->diagnostics);
}

void secret_keys_check(struct loading *loading, uint32_t index)
{
	const struct resource *resource = &loading->resources[index];

	if (may_have_one(loading, index))
		schema_keys(&resource->kind->fields, &resource->desired, check_key, loading);
}
