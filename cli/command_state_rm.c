#include "base/map.h"
#include "cli/command_list.h"
#include "cli/job_record.h"
#include "cli/job_run.h"
#include "cli/question.h"
#include "cli/recorded.h"
#include "reconcile/unfinished.h"

enum { ADDRESSES_MOST = 100000, CALLS_SHOWN = 5 };

/* What is to be forgotten. */
struct forgetting {
	struct recorded *recorded;
	struct job *job;
	struct map addresses; /* of the operands */
	struct object **objects;
	size_t count;
	struct intent_close *closes; /* of their open calls */
	size_t close_count;
};

static bool is_named(const struct forgetting *forgetting, struct slice address)
{
	return map_has(&forgetting->addresses, address);
}

static bool collect_objects(struct forgetting *forgetting)
{
	struct job *job = forgetting->job;
	const struct arguments *arguments = forgetting->recorded->arguments;
	struct slice *operands = arena_new_array(job->arena, arguments->operand_count, struct slice);
	bool good = true;

	for (size_t i = 0; i < arguments->operand_count; i++) {
		operands[i] = arguments->operands[i];
		good &= recorded_has(forgetting->recorded, operands[i]);
		map_mark(&forgetting->addresses, operands[i]);
	}
	forgetting->objects = arena_new_array(job->arena, job->object_count, struct object *);
	for (size_t i = 0; i < job->object_count; i++)
		if (is_named(forgetting, job->objects[i]->address))
			forgetting->objects[forgetting->count++] = job->objects[i];
	return good;
}

/* A call whose outcome nobody knows may have made something: only the record could find it. */
static bool collect_calls(struct forgetting *forgetting)
{
	struct job *job = forgetting->job;
	bool forced = arguments_has(forgetting->recorded->arguments, FLAG_FORCE);

	forgetting->closes = arena_new_array(job->arena, job->intent_count, struct intent_close);
	for (size_t i = 0; i < job->intent_count; i++) {
		const struct intent *intent = &job->intents[i];

		if (!is_named(forgetting, intent->address))
			continue;
		forgetting->closes[forgetting->close_count++] =
			(struct intent_close){intent->id, OUTCOME_FORGOTTEN, SLICE("by 'state rm --force'")};
		if (forced || forgetting->close_count > CALLS_SHOWN)
			continue;
		diag_error(job->diagnostics, FAULT_AMBIGUOUS, NOWHERE,
			   "it is not known what became of %.*s for '%.*s': what it made would be lost",
			   SLICE_ARGUMENTS(intent->operation), SLICE_ARGUMENTS(intent->address));
		diag_address(job->diagnostics, intent->address);
		diag_hint(job->diagnostics, "run 'trueup apply' first, which settles it, or say --force");
	}
	return forced || forgetting->close_count == 0;
}

/* The first of them that is to be forgotten, or NULL. */
static const struct dependency *find_named(const struct forgetting *forgetting, const struct dependency *dependencies,
					   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_named(forgetting, dependencies[i].address))
			return &dependencies[i];
	return NULL;
}

/* What an unfinished change refers to counts as well: recovery records it so. */
static const struct dependency *find_forgotten(const struct forgetting *forgetting, const struct object *object)
{
	const struct dependency *noted = NULL;
	const struct dependency *found = find_named(forgetting, object->dependencies, object->dependency_count);
	size_t count = unfinished_wanted(object, forgetting->job->arena, &noted);

	return found ? found : find_named(forgetting, noted, count);
}

static bool warn_of_dependents(struct forgetting *forgetting)
{
	struct job *job = forgetting->job;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	if (!job_load_bodies(job))
		return false;
	for (size_t i = 0; i < job->object_count; i++) {
		const struct object *object = job->objects[i];

		if (is_named(forgetting, object->address))
			continue;
		const struct dependency *forgotten = find_forgotten(forgetting, object);
		if (!forgotten)
			continue;
		diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE,
			 "'%.*s' depends on '%.*s', which is forgotten", SLICE_ARGUMENTS(object->address),
			 SLICE_ARGUMENTS(forgotten->address));
		value_builder_item(&list, value_string(object->address));
	}
	recorded_put(forgetting->recorded, "dependents", value_builder_list(&list, job->arena));
	return true;
}

static bool is_wanted(struct forgetting *forgetting)
{
	struct job *job = forgetting->job;
	BUFFER_AUTO question;

	buffer_init(&question, SIZE_MAX);
	if (arguments_has(forgetting->recorded->arguments, FLAG_YES))
		return true;
	for (size_t i = 0; i < forgetting->count; i++) {
		buffer_string(&question, "  ");
		print_safe(&question, forgetting->objects[i]->address);
		buffer_string(&question, "  ");
		print_safe(&question, forgetting->objects[i]->provider_id);
		buffer_byte(&question, '\n');
	}
	buffer_string(&question, "Forget this? What it stands for goes on existing, and nothing looks after it.");
	return question_ask(job->invocation, arena_string(job->arena, buffer_slice(&question)), "forget this",
			    "say --yes", NULL);
}

static bool commit(const struct forgetting *forgetting)
{
	struct job *job = forgetting->job;
	struct removal *removals = arena_new_array(job->arena, forgetting->count, struct removal);
	struct commit all = {
		.removals = removals,
		.removal_count = forgetting->count,
		.closes = forgetting->closes,
		.close_count = forgetting->close_count,
	};

	for (size_t i = 0; i < forgetting->count; i++)
		removals[i] = (struct removal){.object_id = forgetting->objects[i]->object_id};
	return job_begin_run(job, SLICE("state rm"), (struct slice){NULL, 0}, &job->record->serial) &&
	       job_commit_and_end(job, &all);
}

static const char what_follows[] =
	"what exists of that stays, with its tags: 'trueup state rebuild --force', before any apply, records it again\n"
	"where the spec still has it the next plan makes another, and changes or replaces what refers to the old one\n"
	"(a machine is only recorded again); where it does not, take the 'trueup:' tags off, too: what a rebuild "
	"records\n"
	"and no spec has, the next apply deletes\n";

static void tell(struct forgetting *forgetting)
{
	struct buffer *text = &forgetting->recorded->text;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < forgetting->count; i++) {
		const struct object *object = forgetting->objects[i];
		VALUE_BUILDER_AUTO head;

		value_builder_init(&head);
		put_head(&head, object, forgetting->job->arena);
		value_builder_item(&list, value_builder_map(&head, forgetting->job->arena));
		buffer_string(text, "forgot ");
		print_safe(text, object->address);
		buffer_string(text, "  ");
		print_safe(text, object->provider_id.size > 0 ? object->provider_id : SLICE("(no id yet)"));
		buffer_byte(text, '\n');
	}
	buffer_string(text, what_follows);
	recorded_put(forgetting->recorded, "forgotten", value_builder_list(&list, forgetting->job->arena));
}

static int forget(struct recorded *recorded)
{
	struct forgetting forgetting = {.recorded = recorded, .job = recorded->job};

	map_init(&forgetting.addresses);
	bool done = collect_objects(&forgetting) && collect_calls(&forgetting) && warn_of_dependents(&forgetting) &&
		    is_wanted(&forgetting) && commit(&forgetting);
	map_release(&forgetting.addresses);
	if (!done)
		return STATUS_ERROR;
	tell(&forgetting);
	return STATUS_FINE;
}

static int run_state_rm(struct invocation *invocation)
{
	return recorded_run_read(invocation, STATE_WRITE, forget);
}

static const enum flag_id rm_flags[] = {FLAG_YES, FLAG_FORCE, FLAG_LEASE_TIMEOUT, FLAG_FORCE_NETWORK_STATE};

const struct command command_state_rm = {
	.name = "state rm",
	.about = "forget recorded objects without destroying them",
	.operands = "ADDRESS...",
	.details = "They go on existing, with their ownership tags: 'trueup state rebuild --force', before any apply,\n"
		   "records them again. Where the spec still has them the next plan makes others, and changes or\n"
		   "replaces what refers to the old ones; a machine is only recorded again. What has a call whose\n"
		   "outcome is unknown is forgotten only with --force.\n",
	.least_operands = 1,
	.most_operands = ADDRESSES_MOST,
	.flags = rm_flags,
	.flag_count = sizeof(rm_flags) / sizeof(rm_flags[0]),
	.force = "forget calls, too, of which it is not known what they did",
	.forgets = true,
	.run = run_state_rm,
};
