#include "base/map.h"
#include "cli/carry_out.h"
#include "cli/command_list.h"
#include "cli/job_record.h"
#include "cli/job_run.h"
#include "cli/past_run.h"
#include "cli/providers.h"
#include "cli/record_secrets.h"
#include "cli/recovery.h"
#include "cli/saved_plan.h"
#include "cli/strays.h"
#include "cli/twins.h"
#include "cli/undone_before.h"
#include "cli/written.h"
#include "reconcile/undo.h"
#include "reconcile/unfinished.h"

/* A run that is being undone. */
struct undo {
	struct job *job;
	const struct run_record *runs, *run;
	size_t run_count;
	bool is_old; /* what it found may be kept no longer */
	struct stack spec;
	struct past_object *past;
	size_t past_count;
	struct call_record *calls; /* that the run sent */
	size_t call_count;
	struct past_object *beside;
	size_t beside_count;
	struct undo_touched *touched;
	size_t touched_count;
	struct undo_input input;
	struct undoing undoing;
};

/* Runs that bring plans about; the others change the record alone. */
static bool can_be_undone(struct undo *undo)
{
	struct slice recorded = undo->run->command;
	const struct command *command = command_of_run(recorded);

	if (command && command->undoable)
		return true;
	diag_error(undo->job->diagnostics, FAULT_USER, NOWHERE,
		   "the run %.8s was '%.*s', which changed nothing but the record", undo->run->id.data,
		   SLICE_ARGUMENTS(recorded));
	diag_hint(undo->job->diagnostics, "what an apply, a destroy or an undo did can be undone");
	return false;
}

static bool find_run(struct undo *undo)
{
	struct job *job = undo->job;
	struct run_record *runs;
	size_t count;

	if (!job->store->ops->runs(job->store, job->arena, &runs, &count, job->diagnostics))
		return false;
	undo->runs = runs;
	undo->run_count = count;
	undo->run = past_run_find(job, runs, count, job->invocation->arguments->operands[0]);
	if (!undo->run || !can_be_undone(undo))
		return false;
	int64_t age_ms = job->world->wall_ms(job->world) - undo->run->started_ms;
	undo->is_old = undo->run - runs >= FORMERS_KEPT_RUNS && age_ms > FORMERS_KEPT_MS;
	return true;
}

/* A call that is sent again is refused where it was carried out before. */
static bool has_left_anything(const struct undo *undo)
{
	for (size_t i = 0; i < undo->past_count; i++)
		if (!past_run_has_kept(&undo->past[i]))
			return true;
	return false;
}

/* Whether the run sent calls, and each was refused without anything done. */
static bool did_nothing(const struct undo *undo)
{
	size_t refused = 0;

	for (size_t i = 0; i < undo->call_count; i++)
		refused += slice_is(undo->calls[i].outcome, "failed");
	return undo->call_count > 0 && refused == undo->call_count && !has_left_anything(undo);
}

/*
 * Each call is sent with what was found kept; so is each change of the record. What is settled later is filed with the
 * run also where all the rest is gone: it alone tells nothing of that.
 */
static bool misses_any(const struct undo *undo)
{
	struct map kept; /* by object id */
	bool any = false;

	map_init(&kept);
	for (size_t i = 0; i < undo->past_count; i++)
		map_mark(&kept, undo->past[i].before.object_id);
	for (size_t i = 0; i < undo->call_count && !any; i++)
		any = slice_is(undo->calls[i].outcome, "done") && !map_has(&kept, undo->calls[i].object_id);
	map_release(&kept);
	return any;
}

static bool is_forgotten(const struct undo *undo)
{
	if (undo->past_count > 0)
		return misses_any(undo);
	return undo->is_old || (undo->call_count > 0 && !undo->job->undoes_refused);
}

static void refuse_forgotten(const struct undo *undo)
{
	struct diagnostics *diagnostics = undo->job->diagnostics;
	const char *id = undo->run->id.data;

	if (undo->is_old)
		diag_error(diagnostics, FAULT_ABSENT, NOWHERE,
			   "what the run %.8s found is not recorded any more: it is older than 90 days, and than the "
			   "last %d runs",
			   id, FORMERS_KEPT_RUNS);
	else
		diag_error(diagnostics, FAULT_ABSENT, NOWHERE,
			   "the run %.8s was made by an older version, which did not keep what it found", id);
	diag_hint(diagnostics, "'trueup state history %.8s' lists what it did", id);
}

static bool read_bodies(struct undo *undo)
{
	struct job *job = undo->job;

	for (size_t i = 0; i < undo->past_count; i++)
		if (!past_run_read_bodies(job, &undo->past[i]))
			return false;
	for (size_t i = 0; i < undo->beside_count; i++)
		if (!past_run_read_body(job, &undo->beside[i].before, undo->beside[i].before_body))
			return false;
	return true;
}

static bool read_past(struct undo *undo)
{
	struct job *job = undo->job;

	if (!job->store->ops->changed(job->store, job->arena, undo->run->id, &undo->past, &undo->past_count,
				      job->diagnostics) ||
	    !job->store->ops->beside(job->store, job->arena, undo->run->id, &undo->beside, &undo->beside_count,
				     job->diagnostics) ||
	    !job->store->ops->calls(job->store, job->arena, undo->run->id, undo->run->id, &undo->calls,
				    &undo->call_count, job->diagnostics))
		return false;
	job->undoes_refused = did_nothing(undo);
	if (is_forgotten(undo)) {
		refuse_forgotten(undo);
		return false;
	}
	return read_bodies(undo) && undone_before(job, undo->runs, undo->run, &undo->touched, &undo->touched_count);
}

static bool is_known_alias(const struct provider_settings *settings, size_t count, struct slice alias)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(settings[i].name, alias))
			return true;
	return false;
}

static void add_provider(struct job *job, struct provider_settings *settings, const struct object *before)
{
	const struct provider *provider = providers_find(&all_providers, before->identity.provider);

	if (!provider || is_known_alias(settings, job->stack.provider_count, before->provider))
		return;
	settings[job->stack.provider_count++] = (struct provider_settings){
		.name = before->provider,
		.settings = provider->settings_of(&before->identity, job->arena),
	};
}

/* Of what stood left behind where the run changed something: what it made there gives way to that. */
static void add_providers_beside(struct undo *undo, struct provider_settings *settings)
{
	struct map changed;

	map_init(&changed);
	for (size_t i = 0; i < undo->past_count; i++)
		if (undo->past[i].is)
			map_mark(&changed, undo->past[i].after.address);
	for (size_t i = 0; i < undo->beside_count; i++)
		if (map_has(&changed, undo->beside[i].before.address))
			add_provider(undo->job, settings, &undo->beside[i].before);
	map_release(&changed);
}

/* The aliases of then: what the spec no longer names is reached where it was. */
static void add_providers(struct undo *undo)
{
	struct job *job = undo->job;
	size_t count = job->stack.provider_count;
	size_t most = count + undo->past_count + undo->beside_count + undo->touched_count + 1;
	struct provider_settings *settings = arena_new_array(job->arena, most, struct provider_settings);

	if (count > 0)
		memcpy(settings, job->stack.providers, count * sizeof(*settings));
	job->stack.providers = settings;
	for (size_t i = 0; i < undo->past_count; i++)
		if (undo->past[i].was)
			add_provider(job, settings, &undo->past[i].before);
	for (size_t i = 0; i < undo->touched_count; i++)
		if (undo->touched[i].found)
			add_provider(job, settings, undo->touched[i].found);
	add_providers_beside(undo, settings);
}

/* Only shows: what a run that was cut off left open stays so. */
static bool only_shows(const struct invocation *invocation)
{
	return arguments_has(invocation->arguments, FLAG_OUT) ||
	       arguments_has(invocation->arguments, FLAG_DETAILED_EXITCODE);
}

/* What recovery would record of the run is what it left, where nothing changed that since. */
static void take_left(struct undo *undo, const struct map *unfinished)
{
	struct job *job = undo->job;
	size_t kept = 0;

	for (size_t i = 0; i < job->object_count; i++) {
		const struct live *live = job->refresh.live[i];
		bool gone = live && live->presence == PRESENCE_ABSENT && unfinished_is_deletion(job->objects[i]);

		if (!gone)
			job->objects[kept++] = job->objects[i];
		for (size_t k = 0; map_has(unfinished, job->objects[i]->object_id) && k < undo->past_count; k++) {
			struct past_object *past = &undo->past[k];

			if (past->next_run.size > 0 || !slice_equal(past->before.object_id, job->objects[i]->object_id))
				continue;
			past->is = !gone;
			past->after = *job->objects[i];
		}
	}
	job->object_count = kept;
}

/* Without recovery: what the run did and nobody has recorded yet. What a create made is looked for, too: its record has
 * no id before. */
static bool read_unfinished(struct undo *undo)
{
	struct job *job = undo->job;
	struct map unfinished;
	bool good = true;

	map_init(&unfinished);
	for (size_t i = 0; i < job->intent_count; i++)
		map_mark(&unfinished, job->intents[i].object_id);
	for (size_t i = 0; i < job->object_count; i++)
		if (unfinished_has_note(job->objects[i]))
			map_mark(&unfinished, job->objects[i]->object_id);
	if (unfinished.count > 0) {
		good = job_refresh_some(job, &unfinished, NULL, NULL);
		if (good)
			take_left(undo, &unfinished);
	}
	map_release(&unfinished);
	return good;
}

static bool prepare(struct undo *undo)
{
	struct job *job = undo->job;
	/* Where there is none, none is made. */
	enum state_access access = job_has_store(job) ? STATE_WRITE : STATE_READ;

	if (!job_load_spec(job))
		return false;
	record_secrets_of_spec(job);
	if (!job_open_state(job, access, job->stack.name) || !find_run(undo) || !read_past(undo))
		return false;
	undo->spec = job->stack;
	add_providers(undo);
	if (!job_load_bodies(job) || !job_open_sessions(job) || !job_all_answer(job, "undone"))
		return false;
	if (only_shows(job->invocation))
		return read_unfinished(undo);
	return job_recover(job) && job_load_bodies(job) && read_past(undo);
}

static void plan_nothing(struct job *job, struct slice undone)
{
	job->plan = (struct plan){
		.stack = job->record->name,
		.lineage = job->record->lineage,
		.serial = job->record->serial,
		.undoes = undone,
		.managed_count = job->object_count,
		.refreshed = true,
	};
	struct digest digest = plan_approval(&job->plan, job->arena, &job->style);

	job->digest = digest_text(job->arena, &digest);
}

static bool tell_later(void *context, const struct undo_since **ret, size_t *ret_count)
{
	struct undo *undo = context;

	return changed_since(undo->job, undo->runs, undo->run, ret, ret_count);
}

static const struct undo_since *tell_earlier(void *context, struct slice address, const char *field)
{
	struct undo *undo = context;

	return changed_before(undo->job, undo->runs, undo->run_count, undo->run, address, field);
}

/* The stack as it should be; false where that cannot be told, and there is nothing to show. live: of all that is
 * recorded, or NULL, before that is read. */
static bool make(struct undo *undo, const struct live *const *live)
{
	struct job *job = undo->job;
	const struct option *targets = &job->invocation->arguments->options[FLAG_TARGET];

	undo->input = (struct undo_input){
		.run = undo->run->id,
		.is_undoing = command_of_run(undo->run->command) == &command_undo,
		.later = tell_later,
		.earlier = tell_earlier,
		.context = undo,
		.past = undo->past,
		.past_count = undo->past_count,
		.calls = undo->calls,
		.call_count = undo->call_count,
		.beside = undo->beside,
		.beside_count = undo->beside_count,
		.touched = undo->touched,
		.touched_count = undo->touched_count,
		.objects = job->objects,
		.object_count = job->object_count,
		.live = live,
		.kinds = &job->kinds,
		.resolver = &job->resolver,
		.spec = &undo->spec,
		.providers = job->stack.providers,
		.provider_count = job->stack.provider_count,
		.identities = job->identities,
		.style = &job->style,
		.targets = targets->values,
		.target_count = targets->count,
		.arena = job->arena,
	};
	if (!undo_make(&undo->input, &undo->undoing, job->diagnostics))
		return false;
	refresh_renumber(&job->refresh, &undo->undoing.stack);
	job->stack = undo->undoing.stack;
	written_forget_secrets(job->invocation->written);
	/* What is planned is not what the spec says. */
	job->spec_digest = (struct slice){NULL, 0};
	return true;
}

/* Of a secret output nothing but what was read tells: what goes back may be made of it. */
static bool tells_secret(const struct live *live)
{
	return live && live->presence == PRESENCE_PRESENT && value_has_secret(&live->outputs);
}

/* What goes back is looked at, and what refers to it; what else has drifted is none of the undoing's business. */
static void keep_touched(struct undo *undo)
{
	struct job *job = undo->job;
	struct map touched;

	job->around = arena_new_array(job->arena, job->object_count + 1, const struct live *);
	memcpy(job->around, job->refresh.live, job->object_count * sizeof(*job->around));
	map_init(&touched);
	for (size_t i = 0; i < undo->undoing.address_count; i++)
		map_mark(&touched, undo->undoing.addresses[i]);
	for (size_t i = 0; i < job->twin_count; i++)
		map_mark(&touched, job->twins[i]);
	for (size_t i = 0; i < job->object_count; i++)
		if (!map_has(&touched, job->objects[i]->address) && !map_has(&touched, job->objects[i]->object_id) &&
		    !tells_secret(job->refresh.live[i]))
			job->refresh.live[i] = NULL;
	map_release(&touched);
}

/* Everything is read, because the undoing may take the last of a kind, and nobody lists that kind afterwards. */
static bool read_all(struct undo *undo)
{
	struct job *job = undo->job;
	int64_t serial = job->record->serial;

	if (!job_refresh(job) ||
	    !(only_shows(job->invocation) ? job_tell_strays(job) && twins_foresee(job) : job_sweep(job)))
		return false;
	/* Twins, and what was found, are recorded now. */
	if (job->record->serial != serial && (!read_past(undo) || !make(undo, NULL) || !job_refresh(job)))
		return false;
	/* Only now is it known what somebody has deleted. */
	if (!make(undo, job->refresh.live))
		return false;
	keep_touched(undo);
	return true;
}

/* What is left behind at the addresses that are planned, and twins wherever theirs is. */
static size_t leaving_of(const struct undo *undo, struct slice **ret)
{
	const struct job *job = undo->job;
	bool chosen = arguments_has(job->invocation->arguments, FLAG_TARGET);
	size_t count = undo->undoing.leaving_count;

	*ret = arena_new_array(job->arena, count + job->twin_count + 1, struct slice);
	if (count > 0)
		memcpy(*ret, undo->undoing.leaving, count * sizeof(**ret));
	for (size_t i = 0; !chosen && i < job->twin_count; i++)
		(*ret)[count++] = job->twins[i];
	return count;
}

static bool plan(struct undo *undo)
{
	struct slice *leaving;
	size_t leaving_count = leaving_of(undo, &leaving);
	struct job *job = undo->job;
	struct plan_scope scope = {
		.targets = undo->undoing.addresses,
		.target_count = undo->undoing.address_count,
		.exact = true,
		.leaving = leaving,
		.leaving_count = leaving_count,
		.left_behind_by_id = true,
		.keeps_tags = true,
		.undoes = undo->input.run,
		.blamer = undo_blamer(&undo->input),
	};
	bool good = true;

	if (scope.target_count + scope.leaving_count == 0)
		plan_nothing(job, undo->input.run);
	else
		good = job_plan(job, &job->stack, false, &scope);
	job->plan.targeted = arguments_has(job->invocation->arguments, FLAG_TARGET);
	return undo_finish(&undo->undoing, &undo->input, &job->plan, job->diagnostics) && good;
}

static int status_of(const struct job *job)
{
	if (job->plan.unread_count > 0)
		return STATUS_INCOMPLETE;
	if (arguments_has(job->invocation->arguments, FLAG_DETAILED_EXITCODE) && !plan_is_empty(&job->plan))
		return STATUS_CHANGES;
	return plan_is_empty(&job->plan) && undo_leaves(&job->plan) ? STATUS_PARTLY : STATUS_FINE;
}

static int show(struct job *job, bool good)
{
	struct report report = job_report(job);

	good = good && job_is_approved(job) && job_within_budget(job) && saved_plan_write(job, &report);
	sinks_plan(job->invocation->sinks, &report);
	return invocation_end(job->invocation, &report, good ? status_of(job) : STATUS_ERROR);
}

/* Whether an undoing of the run did not come to its end, and none about all of it has since. */
static bool was_cut_off(const struct undo *undo, struct slice name)
{
	for (size_t i = 0; i < undo->run_count; i++) {
		const struct run_record *run = &undo->runs[i];
		bool is_done = slice_is(run->outcome, "done");

		if (slice_equal(past_run_undoing_of(run->command), name) &&
		    (!is_done || slice_equal(run->command, name)))
			return !is_done;
	}
	return false;
}

/* Recovery has done the last of it: the history tells that nothing was left, or drift would go on saying otherwise. */
static bool conclude(struct undo *undo)
{
	struct job *job = undo->job;
	struct slice name = past_run_undoing(job->arena, undo->run->id);

	if (!plan_is_empty(&job->plan) || job->plan.unread_count > 0 || undo_leaves(&job->plan) ||
	    arguments_has(job->invocation->arguments, FLAG_TARGET) || !was_cut_off(undo, name))
		return true;
	return job_begin_run(job, name, job->digest, &job->plan.serial) && job_end_run(job, SLICE("done"));
}

static int act(struct undo *undo)
{
	struct job *job = undo->job;
	bool good = plan(undo);

	if (!good || only_shows(job->invocation))
		return show(job, good);
	if (!job_plan_has_resends(job))
		return STATUS_ERROR;
	if (!conclude(undo))
		return job->moved ? STATUS_ERROR : invocation_fail(job->invocation, STATUS_ERROR);
	return job_carry_out(job, false);
}

static int undo_once(struct job *job, const void *about)
{
	struct undo undo = {.job = job};
	int status = STATUS_ERROR;

	(void)about;
	map_init(&undo.undoing.made);
	if (prepare(&undo) && make(&undo, NULL) && read_all(&undo))
		status = act(&undo);
	else if (!job->moved)
		status = invocation_fail(job->invocation, status);
	return status;
}

static int run_undo(struct invocation *invocation)
{
	return job_attempts(invocation, undo_once, NULL);
}

static const enum flag_id undo_flags[] = {
	FLAG_YES,   FLAG_OUT,	      FLAG_DETAILED_EXITCODE, FLAG_DIGEST, FLAG_TARGET,	       FLAG_VAR,
	FLAG_FORCE, FLAG_PARALLELISM, FLAG_MAX_DELETE,	      FLAG_GRACE,  FLAG_LEASE_TIMEOUT, FLAG_FORCE_NETWORK_STATE,
};

/* Set for a 'plan', they would have an undoing do nothing. */
static const enum flag_id undo_line_flags[] = {FLAG_OUT, FLAG_DETAILED_EXITCODE};

const struct command command_undo = {
	.name = "undo",
	.about = "take back what a past run changed: plan that, ask, and carry it out",
	.operands = "RUN",
	.details =
		"RUN is a run's id, or at least 4 of its first digits: see 'trueup state history'. Fields that the\n"
		"run changed go back to what it found, what it made is deleted, what it removed is made anew; what\n"
		"later runs changed elsewhere stays, and where they changed the same the undoing is refused. The\n"
		"spec is not edited: the next plan shows how it differs. An undoing that was cut off is finished by\n"
		"the same command. --out and --detailed-exitcode only plan; TRUEUP_OUT and TRUEUP_DETAILED_EXITCODE\n"
		"are ignored here.\n",
	.least_operands = 1,
	.most_operands = 1,
	.target = "only what the run did to this resource (may be repeated)",
	.undoable = true,
	.flags = undo_flags,
	.flag_count = sizeof(undo_flags) / sizeof(undo_flags[0]),
	.line_flags = undo_line_flags,
	.line_flag_count = sizeof(undo_line_flags) / sizeof(undo_line_flags[0]),
	.run = run_undo,
};
