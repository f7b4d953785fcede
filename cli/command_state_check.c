#include "base/value_put.h"
#include "cli/command_list.h"
#include "cli/record_check.h"
#include "cli/recorded.h"

/* What was found so far. */
struct findings {
	struct recorded *recorded;
	struct value_builder list;
};

static void add(void *context, struct slice address, struct slice what, bool is_unreadable)
{
	struct findings *findings = context;
	struct job *job = findings->recorded->job;
	VALUE_BUILDER_AUTO one;

	(void)is_unreadable;
	value_builder_init(&one);
	put(&one, "address", address.size > 0 ? value_string(address) : value_null());
	put(&one, "finding", value_string(what));
	value_builder_item(&findings->list, value_builder_map(&one, job->arena));
	if (address.size > 0) {
		print_safe(&findings->recorded->text, address);
		buffer_string(&findings->recorded->text, ": ");
	}
	print_safe(&findings->recorded->text, what);
	buffer_byte(&findings->recorded->text, '\n');
}

static int check(struct recorded *recorded)
{
	struct job *job = recorded->job;
	struct findings findings = {.recorded = recorded};
	struct slice *damages;
	size_t damage_count;

	value_builder_init(&findings.list);
	if (!job->store->ops->check(job->store, job->arena, &damages, &damage_count, job->diagnostics))
		return STATUS_ERROR;
	for (size_t i = 0; i < damage_count; i++)
		add(&findings, (struct slice){NULL, 0}, damages[i], true);
	record_check(job, add, &findings);
	size_t count = findings.list.count;
	if (count == 0)
		buffer_format(&recorded->text, "sound: %zu object%s, %zu open call%s, serial %lld\n", job->object_count,
			      job->object_count == 1 ? "" : "s", job->intent_count, job->intent_count == 1 ? "" : "s",
			      (long long)job->record->serial);
	recorded_put(recorded, "sound", value_bool(count == 0));
	recorded_put(recorded, "findings", value_builder_list(&findings.list, job->arena));
	value_builder_release(&findings.list);
	return count == 0 ? STATUS_FINE : STATUS_ERROR;
}

static int run_state_check(struct invocation *invocation)
{
	return recorded_run(invocation, STATE_READ, check);
}

const struct command command_state_check = {
	.name = "state check",
	.about = "tell whether the state file is sound, and all that it records",
	.operands = "",
	.details =
		"Looks at every page and index, at what refers to what, and decodes every record. Ends with 0 where\n"
		"all is sound, with 1 after a list of what is not. Changes nothing.\n",
	.run = run_state_check,
};
