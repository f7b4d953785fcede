#include "specs/resources.h"

/* An output that a resource does not have would be waited for in vain once all else is made. */

/* A field that is not known yet may be true. */
static bool may_be_true(const struct resource *resource, const char *name)
{
	const struct value *value = value_get_named(&resource->desired, name);

	return value && (value_is(value, VALUE_BOOL) ? value->boolean : !value_is(value, VALUE_NULL));
}

static void check(struct loading *loading, const struct resource *referrer, const struct meeting *meeting)
{
	const struct resource *target = &loading->resources[meeting->target];
	const struct outputs *outputs = &target->kind->outputs;
	const struct output *output;

	/* Nearly all refer to the id. */
	if (outputs->count == 0 || slice_is(meeting->output, output_at(outputs, 0)->name))
		return;
	output = output_named(outputs, meeting->output);
	if (!output || !output->needs || may_be_true(target, output->needs))
		return;
	diag_error(loading->diagnostics, FAULT_USER, meeting->position,
		   "'%.*s' has no '%s' as long as its '%s' is not true", SLICE_ARGUMENTS(target->address), output->name,
		   output->needs);
	diag_address(loading->diagnostics, referrer->address);
	diag_related(loading->diagnostics, target->position, "it is declared here");
	diag_hint(loading->diagnostics, "set '%s: true' there", output->needs);
}

void needs_check(struct loading *loading)
{
	for (size_t i = 0; i < loading->resource_count; i++)
		for (uint32_t at = loading->entries[i].first_meeting; at > 0; at = loading->meetings[at - 1].next)
			check(loading, &loading->resources[i], &loading->meetings[at - 1]);
}
