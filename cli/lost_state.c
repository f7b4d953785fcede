#include "cli/lost_state.h"

#include "base/map.h"
#include "cli/job_record.h"

/* What would come of going on, how what is refused is done all the same, and what would come of a saved plan. */
struct aim {
	const char *lost, *maybe_lost, *unlisted, *all_the_same, *whatever, *unsaved, *maybe_unsaved;
};

/* Where nothing is to be done nothing is refused, and no plan saved. */
static const struct aim aims[AIM_COUNT] = {
	[AIM_MAKE] =
		{
			"an apply is refused, for it would make everything twice",
			"an apply is refused, for where the state was lost it would make everything twice",
			"what an apply would make of that waits",
			"to make everything once more all the same",
			"to make everything all the same",
			"the plan is not saved: it would make what is there a second time",
			"the plan is not saved: it may make what is there a second time",
		},
	[AIM_DESTROY] =
		{
			"a destroy would leave it all where it is",
			"where the state was lost a destroy would leave everything where it is",
			"a destroy would leave what is there of that where it is",
			"to leave what is not recorded where it is",
			"to leave what is not recorded where it is",
			"the plan is not saved: it would leave what is there and is not recorded",
			"the plan is not saved: it may leave what is there and is not recorded",
		},
	[AIM_LOOK] =
		{
			.lost = "until then nothing is known of all that is there",
			.maybe_lost = "where the state was lost nothing is known of all that is there",
			.unlisted = "nothing is known of what is there of that and not recorded",
		},
};

static const struct aim *aim_of(const struct job *job)
{
	return &aims[job->aim];
}

static const char *more(const struct job *job, size_t others)
{
	return others > 0 ? arena_text(job->arena, ", and %zu more of the spec", others) : "";
}

static const char *by_force(const struct job *job, const char *what)
{
	if (arguments_has(job->invocation->arguments, FLAG_FORCE))
		return "--force goes on all the same";
	return arena_text(job->arena, "%s, %s with --force", what, job->invocation->arguments->command->name);
}

static void tell_lost(struct job *job, enum severity severity, const char *hint)
{
	const struct refresh *refresh = &job->refresh;

	diag_add(job->diagnostics, severity, FAULT_STALE, NOWHERE,
		 "nothing is recorded, and yet '%.*s' is there as %.*s, made under this stack's name%s",
		 SLICE_ARGUMENTS(refresh->lost_address), SLICE_ARGUMENTS(refresh->lost_id),
		 more(job, refresh->lost_count - 1));
	diag_hint(job->diagnostics,
		  "where another stack of the account has this name, give this one another ('stack'); where the state "
		  "of this stack is elsewhere (another clone, a CI runner) use that; where it is lost, 'trueup state "
		  "rebuild' makes it anew; %s",
		  hint);
}

static void tell_unlisted(struct job *job, enum severity severity, const char *hint)
{
	const struct refresh *refresh = &job->refresh;
	size_t others = refresh->unlisted_count - 1;
	const char *unsure = job_is_first(job) ? "nothing is recorded, and whether a state was lost"
					       : "whether things of the stack are there that are not recorded";

	diag_add(job->diagnostics, severity, FAULT_UNREAD, NOWHERE,
		 "%s cannot be told: '%s'%s could not be listed: %.*s", unsure, refresh->unlisted_kind->name,
		 others > 0 ? arena_text(job->arena, " and %zu more", others) : "",
		 SLICE_ARGUMENTS(refresh->unlisted_reason));
	diag_hint(job->diagnostics, "see that it can be listed, and run this again; %s", hint);
}

/* That nothing of it is there is certain, and that an apply will get no further. */
static void tell_unknown(struct job *job)
{
	const struct refresh *refresh = &job->refresh;

	diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_UNSUPPORTED, NOWHERE,
		 "the endpoint knows nothing of '%s': %.*s", refresh->unknown_kind->name,
		 SLICE_ARGUMENTS(refresh->unknown_reason));
	diag_hint(job->diagnostics, "an apply can make nothing of that there: check the endpoint");
}

/* Each was named before as a warning, with what to do about it. */
static void tell_missed(struct job *job, enum severity severity, const struct missed *first, size_t count)
{
	bool recorded = first->recorded_as.size > 0;

	diag_add(job->diagnostics, severity, FAULT_STALE, NOWHERE,
		 "'%.*s' is there as %.*s, made by this stack and %s%.*s%s%s", SLICE_ARGUMENTS(first->address),
		 SLICE_ARGUMENTS(first->provider_id), recorded ? "recorded as '" : "not recorded",
		 SLICE_ARGUMENTS(first->recorded_as), recorded ? "'" : "", more(job, count - 1));
	diag_hint(job->diagnostics, "if an older state was put back, %s; %s",
		  recorded ? "'trueup state mv' renames once more what was renamed since"
			   : "'trueup state rebuild --force' records what is there",
		  by_force(job, aim_of(job)->all_the_same));
}

/* The first of those that the plan makes once more or forgets, or that stay where everything is to go; NULL: there are
 * none. */
static const struct missed *find_missed(const struct job *job, size_t *ret_count)
{
	const struct missed *first = NULL;
	struct map lost;

	*ret_count = 0;
	map_init(&lost);
	for (size_t i = 0; job->missed_count > 0 && i < job->plan.action_count; i++)
		if (operation_makes(job->plan.actions[i].operation) ||
		    job->plan.actions[i].operation == OPERATION_FORGET)
			map_mark(&lost, job->plan.actions[i].address);
	for (size_t i = job->missed_count; i-- > 0;) {
		bool counts = job->plan.destroy ? !job->plan.targeted : map_has(&lost, job->missed[i].address);

		if (counts)
			first = &job->missed[i];
		*ret_count += counts;
	}
	map_release(&lost);
	return first;
}

void lost_state_warn(struct job *job)
{
	if (job->refresh.lost_count > 0)
		tell_lost(job, SEVERITY_WARNING, aim_of(job)->lost);
	if (job->refresh.unknown_kind)
		tell_unknown(job);
	if (job->refresh.unlisted_count > 0)
		tell_unlisted(job, SEVERITY_WARNING,
			      job_is_first(job) ? aim_of(job)->maybe_lost : aim_of(job)->unlisted);
}

size_t lost_state_count(const struct job *job)
{
	size_t missed_count;

	(void)find_missed(job, &missed_count);
	return job->refresh.lost_count + missed_count;
}

bool lost_state_permits(struct job *job)
{
	bool forced = arguments_has(job->invocation->arguments, FLAG_FORCE);
	enum severity severity = forced ? SEVERITY_WARNING : SEVERITY_ERROR;
	size_t missed_count;
	const struct missed *missed = find_missed(job, &missed_count);

	if (job->refresh.lost_count > 0)
		tell_lost(job, severity, by_force(job, aim_of(job)->all_the_same));
	if (job->refresh.unlisted_count > 0)
		tell_unlisted(job, severity, by_force(job, aim_of(job)->whatever));
	if (missed)
		tell_missed(job, severity, missed, missed_count);
	return forced || job->refresh.lost_count + job->refresh.unlisted_count + missed_count == 0;
}

bool lost_state_permits_saving(struct job *job)
{
	size_t missed_count;

	if (find_missed(job, &missed_count) || job->refresh.lost_count > 0)
		return diag_error(job->diagnostics, FAULT_STALE, NOWHERE, "%s", aim_of(job)->unsaved);
	return job->refresh.unlisted_count == 0 ||
	       diag_error(job->diagnostics, FAULT_UNREAD, NOWHERE, "%s", aim_of(job)->maybe_unsaved);
}
