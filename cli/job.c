#include "cli/job.h"

#include "base/digest.h"
#include "base/map.h"
#include "cli/fingerprint.h"
#include "cli/job_record.h"
#include "cli/job_run.h"
#include "cli/lost_state.h"
#include "cli/past_run.h"
#include "cli/progress.h"
#include "cli/providers.h"
#include "cli/refresh_some.h"
#include "cli/secrets.h"
#include "cli/recovery.h"
#include "cli/unfinished.h"
#include "cli/version.h"
#include "reconcile/phases.h"
#include "reconcile/recover.h"
#include "specs/expression.h"
#include "specs/load.h"

enum { PARALLELISM = 32 };

void job_init(struct job *job, struct invocation *invocation)
{
	struct slice folder = arguments_text(invocation->arguments, FLAG_DIRECTORY, ".");

	*job = (struct job){
		.invocation = invocation,
		.world = invocation->world,
		.arena = invocation->arena,
		.diagnostics = invocation->diagnostics,
		.folder = arena_string(invocation->arena, folder),
		.kinds = all_kinds(invocation->arena),
		.resolver = expression_resolver(&invocation->simulated->redaction),
		.parallelism = (size_t)arguments_integer(invocation->arguments, FLAG_PARALLELISM, PARALLELISM),
	};
	diagnostics_init(&job->unfound, job->arena);
}

static void close_store(struct job *job)
{
	if (job->store)
		job->store->ops->close(job->store);
	job->store = NULL;
}

void job_close_sessions(struct job *job)
{
	sessions_close(&job->sessions);
	if (job->has_loop)
		loop_release(&job->loop);
	job->has_loop = false;
}

void job_release(struct job *job)
{
	job_close_sessions(job);
	close_store(job);
	sealing_key_wipe(&job->sealing);
	diagnostics_release(&job->unfound);
}

int job_attempts(struct invocation *invocation, job_attempt *attempt, const void *about)
{
	struct job job;
	bool again;
	int status;

	do {
		job_init(&job, invocation);
		status = attempt(&job, about);
		again = job.moved;
		job_release(&job);
	} while (again);
	return status;
}

/* --var NAME=VALUE, as often as it was given. */
static struct load_options read_variables(struct job *job)
{
	const struct option *option = &job->invocation->arguments->options[FLAG_VAR];
	struct load_variable *variables = arena_new_array(job->arena, option->count + 1, struct load_variable);

	for (size_t i = 0; i < option->count; i++) {
		struct slice value = option->values[i];
		struct slice name = slice_cut(&value, '=');

		variables[i] = (struct load_variable){name, value};
	}
	return (struct load_options){variables, option->count, &job->invocation->simulated->redaction};
}

/* Of the files from the first on: those before it were read for a plan that is made again. */
static struct slice digest_sources(const struct sources *sources, size_t first, struct arena *arena)
{
	BUFFER_AUTO all;

	buffer_init(&all, SIZE_MAX);
	for (size_t i = first; i < sources->count; i++) {
		struct digest digest = digest_of(sources->items[i].text);

		buffer_append(&all, (struct slice){(const char *)digest.bytes, sizeof(digest.bytes)});
	}
	struct digest digest = digest_of(buffer_slice(&all));
	return digest_text(arena, &digest);
}

bool job_load_spec(struct job *job)
{
	struct load_options options = read_variables(job);
	size_t first = job->invocation->sources->count;

	if (!stack_load(job->world, job->folder, &job->kinds, &options, job->arena, job->invocation->sources,
			all_provider_schemas(job->arena), all_providers.count, &job->stack, job->diagnostics))
		return false;
	job->spec_digest = digest_sources(job->invocation->sources, first, job->arena);
	return written_check_stack(job->invocation->written, &job->stack, job->diagnostics);
}

bool job_open_store(struct job *job, enum state_access access, struct slice stack_name)
{
	struct state_options options = {
		.access = access,
		.network_allowed = arguments_has(job->invocation->arguments, FLAG_FORCE_NETWORK_STATE),
		.sight = &job->invocation->lease_sight,
		.program = SLICE(TRUEUP_PROGRAM),
	};
	const char *path = job_state_path(job);
	bool waited = false;

	do {
		close_store(job);
		if (!state_open(job->world, path, &options, stack_name, &job->store, job->diagnostics))
			return false;
		job->record = job->store->ops->record(job->store);
		job->style = fingerprint_style(job->record);
		job->secrets = (struct run_secrets){&job->style, &job->invocation->simulated->redaction};
		if (access == STATE_WRITE && !job_await_lease(job, &waited))
			return false;
	} while (waited);
	return true;
}

bool job_open_state(struct job *job, enum state_access access, struct slice stack_name)
{
	return job_open_store(job, access, stack_name) && job_look_for_run(job) && job_reload(job);
}

/* Who reads says nothing else until all is read. */
static void tell_silence(void *context, int64_t lasted_ms)
{
	const struct job *job = context;

	talk(job->invocation, "nothing could be read for %lld s: still trying", (long long)(lasted_ms / 1000));
}

bool job_open_sessions(struct job *job)
{
	struct loop_settings settings = {
		.world = job->world,
		.lineage = job->record ? job->record->lineage : (struct slice){0},
		.parallelism = job->parallelism,
		.style = &job->style,
		.silence = tell_silence,
		.silence_context = job,
		.diagnostics = job->diagnostics,
	};
	struct identity *identities = arena_new_array(job->arena, job->stack.provider_count + 1, struct identity);

	loop_init(&job->loop, &settings);
	job->has_loop = true;
	if (!sessions_open(&job->sessions, &all_providers, &job->loop, &job->stack, job->objects, job->object_count,
			   job->arena, job->diagnostics)) {
		job_tell_unasked(job);
		return false;
	}
	for (size_t i = 0; i < job->stack.provider_count; i++)
		if (job->sessions.items[i] && job->sessions.items[i]->identified)
			identities[i] = job->sessions.items[i]->identity;
	job->identities = identities;
	return true;
}

struct slice job_name_place(const struct job *job, const struct identity *place)
{
	struct slice address = {NULL, 0}, others = {NULL, 0};
	size_t count = 0;

	for (size_t i = 0; i < job->object_count; i++)
		if (identity_equal(&job->objects[i]->identity, place) && count++ == 0)
			address = job->objects[i]->address;
	if (count > 1)
		others = arena_format(job->arena, " and %zu more", count - 1);
	return arena_format(job->arena, "the place of '%.*s'%.*s (%.*s)", SLICE_ARGUMENTS(address),
			    SLICE_ARGUMENTS(others), SLICE_ARGUMENTS(identity_told(job->arena, place)));
}

bool job_all_answer(struct job *job, const char *what)
{
	const struct sessions *sessions = &job->sessions;
	size_t silent = sessions_silent(sessions, 0);

	if (silent == sessions->count)
		return true;
	if (silent < sessions->alias_count) {
		diag_error(job->diagnostics, FAULT_AUTH, sessions->aliases[silent].position,
			   "nothing is %s while nobody answers for provider '%.*s'", what,
			   SLICE_ARGUMENTS(sessions->aliases[silent].name));
		diag_hint(job->diagnostics, "the warning says why");
		return false;
	}
	diag_error(job->diagnostics, FAULT_AUTH, NOWHERE, "nothing is %s while nobody answers for %.*s: %s", what,
		   SLICE_ARGUMENTS(job_name_place(job, &sessions->places[silent])), sessions->reasons[silent]);
	diag_hint(job->diagnostics, "use credentials and endpoints that reach it; 'trueup state rm' lets go of what is "
				    "recorded there");
	return false;
}

bool job_refresh(struct job *job)
{
	return job_refresh_expecting(job, &job->stack);
}

struct output_search {
	struct job *job;
	struct map by_address; /* to struct object */
	struct value id;
};

static const struct value *find_output(void *context, struct slice address, struct slice name)
{
	struct output_search *search = context;
	struct object *object = map_get(&search->by_address, address);
	const struct kind *kind = object ? kinds_find(&search->job->kinds, object->kind) : NULL;

	if (!kind || !job_load_body(search->job, object, search->job->diagnostics))
		return NULL;
	const struct value *value = object->has_body ? value_get(&object->outputs, name) : NULL;
	if (value || !slice_is(name, kind_output(kind, NULL)->name))
		return value;
	search->id = value_string(object->provider_id);
	return object->provider_id.size > 0 ? &search->id : NULL;
}

static void search_open(struct output_search *search, struct job *job)
{
	*search = (struct output_search){.job = job};
	map_init(&search->by_address);
	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->role == OBJECT_CURRENT)
			map_set(&search->by_address, job->objects[i]->address, job->objects[i]);
}

/* Registers every secret that the resources resolve to by recorded outputs, so that nothing shown or quoted has it. */
static void work_out(struct job *job, const struct stack *stack)
{
	struct output_search search = {0};
	struct output_source source = {&search, find_output};
	struct diagnostics unheard;
	struct arena scratch;

	arena_init(&scratch);
	diagnostics_init(&unheard, &scratch);
	for (size_t i = 0; i < stack->resource_count; i++) {
		const struct value *desired = &stack->resources[i].desired;
		struct value worked_out;

		if (!value_has_deferred(desired) || !value_has_secret(desired))
			continue;
		if (!search.job)
			search_open(&search, job);
		/* The resolver tells of the secrets; what else is wrong is told where the value is needed. */
		(void)job->resolver.resolve(&job->resolver, desired, &source, &scratch, &worked_out, &unheard);
	}
	if (search.job)
		map_release(&search.by_address);
	diagnostics_release(&unheard);
	arena_wipe(&scratch);
}

bool job_refresh_expecting(struct job *job, const struct stack *expected)
{
	struct waiting_view view;
	struct watched *watched = NULL;
	size_t watched_count = 0;

	if (!job->store->ops->watched(job->store, job->arena, &watched, &watched_count, job->diagnostics))
		return false;
	job_put_back_unfinished(job);
	job->refresh = (struct refresh){
		.loop = &job->loop,
		.sessions = &job->sessions,
		.kinds = &job->kinds,
		.stack = &job->stack,
		.objects = job->objects,
		.object_count = job->object_count,
		.arena = job->arena,
		.expected = expected,
		.is_first = job_is_first(job),
		.destroys = job->aim == AIM_DESTROY,
		.watched = watched,
		.watched_count = watched_count,
	};
	waiting_open(&view, job->invocation, "reading what is there", &job->loop);
	bool good = refresh_run(&job->refresh, job->diagnostics);
	waiting_close(&view);
	if (!good)
		return false;
	/* Whoever names what is to go means that, whatever else is there. */
	if (job->aim == AIM_DESTROY && arguments_has(job->invocation->arguments, FLAG_TARGET))
		job->refresh.unlisted_count = 0;
	secrets_redact_live(job);
	work_out(job, expected);
	if (!job_note_open(job))
		return false;
	job_take_unfinished(job);
	return job_look_again(job);
}

bool job_refresh_some(struct job *job, const struct map *object_ids, const struct stack *expected,
		      const struct map *sought)
{
	const struct live **live;

	job_put_back_unfinished(job);
	job->refresh = (struct refresh){
		.recorded = job->objects,
		.recorded_count = job->object_count,
		.expected = expected,
		.sought = sought,
		.is_first = expected && job_is_first(job),
	};
	if (!job_refresh_subset(job, object_ids, &job->refresh, &live))
		return false;
	job->refresh.live = live;
	secrets_redact_live(job);
	if (!job_note_open(job))
		return false;
	job_take_unfinished(job);
	return true;
}

/* The order of the apply, made to see that there is one, and how many steps each action takes. */
static bool check_order(struct job *job)
{
	uint8_t *counts = arena_new_array(job->arena, job->plan.action_count + 1, uint8_t);
	struct phases phases = {0};
	bool good = phases_build(&phases, &job->plan, job->arena, job->diagnostics);

	for (size_t i = 0; good && i < job->plan.action_count; i++)
		for (int phase = 0; phase < PHASE_COUNT; phase++)
			counts[i] = (uint8_t)(counts[i] + (phases_node(&phases, i, (enum phase)phase) != NO_NODE));
	job->phase_counts = counts;
	phases_release(&phases);
	return good;
}

struct slice job_place_to_go(const struct job *job, struct position line)
{
	line.column = 0;
	return sources_place(job->invocation->sources, line, job->arena);
}

/* What stands where, for a reader of the plan who does not have the files. */
static void note_places(struct job *job)
{
	for (size_t i = 0; i < job->plan.action_count; i++)
		job->plan.actions[i].place = job_place_to_go(job, job->plan.actions[i].position);
	for (size_t i = 0; i < job->plan.unread_count; i++)
		job->plan.unread[i].place = job_place_to_go(job, job->plan.unread[i].position);
}

static bool is_there(const struct job *job, size_t index)
{
	const struct live *live = job->refresh.live ? job->refresh.live[index] : NULL;

	return job->objects[index]->provider_id.size > 0 && (!live || live->presence != PRESENCE_ABSENT);
}

/* What is to be shown once is put over nothing that was, of what is there. */
static bool check_secrets(struct job *job)
{
	struct written *written = job->invocation->written;
	bool good = true;

	written_forget_kept(written);
	for (size_t i = 0; i < job->object_count; i++) {
		const struct kind *kind = kinds_find(&job->kinds, job->objects[i]->kind);

		if (!kind || !field_named(&kind->fields, SLICE(SECRET_TO)) || !is_there(job, i))
			continue;
		if (!job_load_body(job, job->objects[i], job->diagnostics))
			return false;
		written_keep_secret(written, job->objects[i]->address, &job->objects[i]->resolved);
	}
	for (size_t i = 0; i < job->plan.action_count; i++) {
		const struct action *action = &job->plan.actions[i];

		if (operation_makes(action->operation))
			good &= written_add_secret(written, action->address, &action->known, job->diagnostics);
	}
	return good;
}

bool job_plan(struct job *job, const struct stack *stack, bool destroy, const struct plan_scope *scope)
{
	struct plan_input input = {
		.stack = stack,
		.kinds = &job->kinds,
		.record = job->record,
		.objects = job->objects,
		.object_count = job->object_count,
		.live = job->refresh.live,
		.around = job->around,
		.unrecorded = stack == job->refresh.stack ? job->refresh.unrecorded : NULL,
		.resolver = &job->resolver,
		.secrets = job->secrets,
		.identities = job->identities,
		/* What is only looked at is looked for where it is recorded, as above. */
		.silences = job->identities ? job->sessions.reasons : NULL,
		.expected = job->expected,
		.load_body = job_load_body,
		.context = job,
		.destroy = destroy,
		.scope = *scope,
		.arena = job->arena,
	};
	bool good = plan_make(&input, &job->plan, job->diagnostics) && past_run_explain(job);
	note_places(job);
	struct digest digest = plan_approval(&job->plan, job->arena, &job->style);

	job->digest = digest_text(job->arena, &digest);
	return good && (scope->looks || (check_secrets(job) && check_order(job)));
}

bool job_within_budget(struct job *job)
{
	int64_t most = arguments_integer(job->invocation->arguments, FLAG_MAX_DELETE, job->stack.max_delete);
	size_t count = plan_deletions(&job->plan);

	if (most < 0 || (uint64_t)most >= count)
		return true;
	diag_error(job->diagnostics, FAULT_BUDGET, NOWHERE, "the plan deletes or replaces %zu, and %lld are allowed",
		   count, (long long)most);
	diag_hint(job->diagnostics, "where that is meant, say --max-delete %zu", count);
	return false;
}

bool job_is_approved(struct job *job)
{
	struct slice wanted = arguments_text(job->invocation->arguments, FLAG_DIGEST, NULL);

	if (!arguments_has(job->invocation->arguments, FLAG_DIGEST) || slice_starts_with(job->digest, wanted))
		return true;
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE, "the plan's approval digest is %.*s, not %.*s",
		   SLICE_ARGUMENTS(slice_first(job->digest, wanted.size)), SLICE_ARGUMENTS(wanted));
	diag_hint(job->diagnostics, "this is not the plan that was approved: review it again");
	return false;
}

struct value job_outputs(struct job *job, const struct stack_output *outputs, size_t count)
{
	struct output_search search;
	struct output_source source = {&search, find_output};
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (count == 0 || !job_read_heads(job))
		return value_map(NULL, 0);
	search_open(&search, job);
	for (size_t i = 0; i < count; i++) {
		struct value value;

		if (job->resolver.resolve(&job->resolver, &outputs[i].value, &source, job->arena, &value,
					  job->diagnostics) &&
		    !value_has_deferred(&value))
			value_builder_member(&builder, outputs[i].name, value);
	}
	map_release(&search.by_address);
	return value_builder_map(&builder, job->arena);
}

static struct slice names_of_sessions(const struct job *job, bool simulated)
{
	struct slice names = {NULL, 0};

	for (size_t i = 0; i < job->sessions.count; i++) {
		const struct session *session = job->sessions.items[i];

		if (session && endpoint_is_simulated(session->identity.endpoint) == simulated)
			names = arena_format(job->arena, "%.*s%s%.*s", SLICE_ARGUMENTS(names),
					     names.size > 0 ? ", " : "", SLICE_ARGUMENTS(session->name));
	}
	return names;
}

/* A plan that is half a rehearsal and half not must not be taken for either. */
static void note_mixture(const struct job *job, struct report *report)
{
	struct slice simulated = names_of_sessions(job, true);
	struct slice real = names_of_sessions(job, false);

	if (simulated.size > 0 && real.size > 0) {
		report->simulated = simulated;
		report->real = real;
	}
}

struct report job_report(struct job *job)
{
	struct report report = invocation_report(job->invocation);

	report.style = &job->style;
	report.plan = &job->plan;
	report.digest = job->digest;
	report.spec = job->spec_digest;
	report.call_count = job->has_loop ? job->loop.request_count : 0;
	report.outlook = job_outlook(job);
	report.unfinished = job->unfinished;
	report.unfinished_count = job->unfinished_count;
	report.at_work = job->at_work.held ? &job->at_work : NULL;
	report.undoes_refused = job->undoes_refused;
	report.unlisted = job->refresh.unwatched;
	report.unlisted_count = job->refresh.unwatched_count;
	report.unrecorded_count = job->plan.destroy ? lost_state_count(job) : 0;
	note_mixture(job, &report);
	return report;
}
