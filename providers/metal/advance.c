#include "providers/metal/address.h"
#include "providers/metal/metal.h"
#include "providers/metal/system.h"
#include "providers/metal/wire.h"

#include "base/json.h"
#include "reconcile/diff.h"

/*
 * The life of a machine here: to make it is to see that it is the one that the spec describes
 * and to bring its power to what was planned; to delete it is to forget it.
 *
 * Power is brought about by looking: ask for the change, look until it has landed, ask again
 * only where a look still shows the wrong state. So a lost answer needs no care of its own.
 */

enum {
	POLL_MS = 2000,
	ASK_AGAIN_MS = 60 * 1000,
	SHUTDOWN_PATIENCE_MS = 5 * 60 * 1000, /* for the operating system to end by itself */
	START_PATIENCE_MS = 2 * 60 * 1000,
};

enum stage {
	STAGE_START,
	STAGE_LOOKING,	 /* a look at the power is out */
	STAGE_READING,	 /* the whole machine is read: the look did not tell who it is */
	STAGE_INFORMING, /* the question what the action takes is out */
	STAGE_ASKING,	 /* the change is out */
	STAGE_WAITING,
};

/* How a state is reached: gently at first, and after a while firmly. */
static const struct power_way {
	const char *value;
	const char *gentle_type, *firm_type; /* ResetType of ComputerSystem.Reset */
	int64_t patience_ms;
} power_ways[] = {
	{"on", "On", "ForceOn", START_PATIENCE_MS},
	{"off", "GracefulShutdown", "ForceOff", SHUTDOWN_PATIENCE_MS},
};

/* A change of power under way; work->detail. */
struct power_change {
	const struct power_way *way;
	struct slice base;     /* of the controller */
	struct slice path;     /* of the system */
	struct live then;      /* the machine that it is about, as it was read before anything was asked of it */
	bool is_known;	       /* a read has just shown that it is that one */
	bool is_begun;	       /* by a run before: it is only waited for */
	int64_t first_ms;      /* when it was asked for; 0: not yet */
	int64_t last_ms;       /* likewise; 0 again where the request was called off */
	bool informed;	       /* what the action takes was asked for, where the system does not say it */
	struct value types;    /* the answer: LIST, or null */
	bool is_firm;	       /* what was asked for last is the firmest that it may take */
	struct slice reply;    /* what the controller said to the last request; empty: no more than that it took it */
	bool is_refused;       /* by that it did not take it, as far as anybody knows */
	bool refused_for_good; /* asking again would give the same answer */
};

/* Adds what the diagnostic added last lacks. */
static enum step failed(struct work *work, const char *hint)
{
	diag_address(work->task.diagnostics, work->task.object->address);
	if (hint)
		diag_hint(work->task.diagnostics, "%s", hint);
	return STEP_FAILED;
}

static enum step call_failed(struct work *work, const struct answer *answer)
{
	metal_call_failed(&work->task, answer, SEVERITY_ERROR);
	diag_address(work->task.diagnostics, work->task.object->address);
	return STEP_FAILED;
}

static bool is_planned(const struct work *work, const char *name)
{
	return changes_set(work->changes, work->change_count, slice_of(name));
}

/* Nothing is done to a machine that is not the one which the spec describes; live: its fields. */
static bool is_described(struct work *work, const struct value *live)
{
	struct difference difference;
	struct diff_input input = {
		.kind = work->kind,
		.wanted = work->desired,
		.live = live,
		.ignored = work->ignored,
		.ignored_count = work->ignored_count,
	};

	diff_resource(&input, &work->task.scratch, &difference);
	if (!difference.conflicts)
		return true;
	diff_report_conflicts(&difference, work->task.object->address, NOWHERE, work->task.diagnostics);
	/* It was never ours, so there is nothing to remember. */
	work->task.record_removed = work->creating;
	return false;
}

static enum step look(struct work *work)
{
	const struct power_change *change = work->detail;

	work->stage = STAGE_LOOKING;
	metal_call_get(&work->task, work->session, change->base, change->path);
	return STEP_CALL;
}

static enum step wait_a_little(struct work *work)
{
	work->stage = STAGE_WAITING;
	work->task.wake_ms = work->task.now_ms + POLL_MS;
	return STEP_SLEEP;
}

static const struct power_way *way_to(struct slice value)
{
	for (size_t i = 0; i < sizeof(power_ways) / sizeof(power_ways[0]); i++)
		if (slice_is(value, power_ways[i].value))
			return &power_ways[i];
	return NULL;
}

static enum step change_power(struct work *work, const struct value *wanted)
{
	struct power_change *change = arena_new(work->keep, struct power_change);
	struct slice controller = value_slice(value_get_named(work->desired, "controller"));
	struct slice path = value_slice(value_get_named(&work->now.outputs, "system"));
	struct metal_address address;
	const char *problem;

	change->way = way_to(value_slice(wanted));
	if (!change->way || !metal_address_read(controller, &address, &problem) || !metal_link_is_sound(path, false)) {
		diag_error(work->task.diagnostics, FAULT_INTERNAL, NOWHERE,
			   "'%.*s' cannot be asked to change its power", SLICE_ARGUMENTS(work->task.object->address));
		return failed(work, NULL);
	}
	change->base = address.base;
	change->path = path;
	change->then = work->now;
	change->is_known = true;
	change->is_begun = !is_planned(work, "power");
	work->detail = change;
	return look(work);
}

/* What a run that was cut off asked for counts as read, and yet it may never come to be. */
static bool is_on_its_way(const struct work *work, const struct value *wanted)
{
	const struct value *power = value_get_named(&work->now.fields, "power");

	return work->now.readiness == READY_PENDING && power && value_equal(power, wanted);
}

static enum step start(struct work *work)
{
	const struct value *wanted = value_get_named(work->desired, "power");
	struct object *object = work->task.object;

	if (!work->has_now) {
		work->task.wake_ms = work->task.now_ms;
		return STEP_READ;
	}
	if (work->now.presence != PRESENCE_PRESENT) {
		diag_error(work->task.diagnostics, FAULT_TRANSIENT, NOWHERE, "'%.*s' could not be read: %.*s",
			   SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(work->now.unread_reason));
		return failed(work, NULL);
	}
	if (!is_described(work, &work->now.fields))
		return STEP_FAILED;
	if (!slice_equal(object->provider_id, work->now.provider_id)) {
		object->provider_id = arena_copy(work->keep, work->now.provider_id);
		work->task.record_changed = true;
	}
	return wanted && (is_planned(work, "power") || is_on_its_way(work, wanted)) ? change_power(work, wanted)
										    : STEP_DONE;
}

static enum step landed(struct work *work)
{
	const struct power_change *change = work->detail;
	struct slice value = slice_of(change->way->value);

	work->now.fields = value_with(&work->now.fields, SLICE("power"), value_string(value), work->keep);
	work->now.outputs = value_with(&work->now.outputs, SLICE("power"), value_string(value), work->keep);
	work->now.readiness = READY;
	return STEP_DONE;
}

/* What to ask for now, or NULL: the controller takes neither. */
static const char *reset_type(const struct work *work, const struct value *system, bool *ret_firm)
{
	const struct power_change *change = work->detail;
	const struct power_way *way = change->way;
	bool patient = change->first_ms == 0 || work->task.now_ms - change->first_ms < way->patience_ms;
	const struct value *types = metal_reset_types(system);

	if (!types && value_is(&change->types, VALUE_LIST))
		types = &change->types;
	bool firm = metal_reset_allows(types, way->firm_type);
	bool gentle = metal_reset_allows(types, way->gentle_type) && (patient || !firm);

	*ret_firm = !gentle || !firm;
	if (gentle)
		return way->gentle_type;
	return firm ? way->firm_type : NULL;
}

/* Whether what the action takes stands on a page of its own that was not read yet. */
static bool has_to_be_told(const struct work *work, const struct value *system)
{
	const struct power_change *change = work->detail;

	return !change->informed && !metal_reset_types(system) &&
	       metal_link_is_sound(metal_link_path(change->base, metal_reset_info(system)), false);
}

static enum step ask_what_it_takes(struct work *work, const struct value *system)
{
	struct power_change *change = work->detail;
	struct slice info = metal_link_path(change->base, metal_reset_info(system));

	change->informed = true;
	work->stage = STAGE_INFORMING;
	metal_call_get(&work->task, work->session, change->base, arena_copy(&work->task.scratch, info));
	return STEP_CALL;
}

/* Where there is no answer, it may take anything; and a look is due, for that took its time. */
static enum step took_types(struct work *work, const struct answer *answer)
{
	struct power_change *change = work->detail;
	const struct value *types = answer->ok ? metal_info_types(&answer->body) : NULL;

	if (types)
		change->types = value_copy(work->keep, types);
	return look(work);
}

static enum step ask_for_change(struct work *work, const struct value *system)
{
	struct power_change *change = work->detail;
	struct slice target = metal_link_path(change->base, metal_reset_target(system));
	const char *type = reset_type(work, system, &change->is_firm);
	int64_t now_ms = work->task.now_ms;

	if (!type || target.size == 0) {
		diag_error(work->task.diagnostics, FAULT_UNSUPPORTED, NOWHERE,
			   "the controller of '%.*s' offers no way to turn it %s",
			   SLICE_ARGUMENTS(work->task.object->address), change->way->value);
		return failed(work, "leave out 'power', and turn it by hand");
	}
	if (!metal_link_is_sound(target, false)) {
		struct slice shown = metal_excerpt(&work->task.scratch, work->session, target);

		diag_error(work->task.diagnostics, FAULT_INTERNAL, NOWHERE,
			   "the controller of '%.*s' has an action that does not stay on it: '%.*s'",
			   SLICE_ARGUMENTS(work->task.object->address), SLICE_ARGUMENTS(shown));
		return failed(work, NULL);
	}
	if (change->first_ms == 0)
		change->first_ms = now_ms;
	change->last_ms = now_ms;
	change->reply = (struct slice){NULL, 0};
	change->is_refused = change->is_known = false;
	work->stage = STAGE_ASKING;
	metal_call_reset(&work->task, work->session, change->base, arena_copy(&work->task.scratch, target), type);
	return STEP_CALL;
}

static enum step not_changed(struct work *work, const char *why, struct slice detail, const char *hint)
{
	const struct power_change *change = work->detail;

	diag_error(work->task.diagnostics, FAULT_TRANSIENT, NOWHERE, "'%.*s' was not turned %s: %s%.*s",
		   SLICE_ARGUMENTS(work->task.object->address), change->way->value, why, SLICE_ARGUMENTS(detail));
	return failed(work, hint);
}

/* What a look at the system's own page shows: its interfaces, which it does not ask, stay unread. */
static struct live seen_at(const struct work *work, const struct value *system, struct arena *arena)
{
	const struct power_change *change = work->detail;
	const struct metal_findings findings = {
		.base = change->base,
		.path = change->path,
		.fixed = &change->then.fields,
		.system = system,
		.outputs = &change->then.outputs,
	};
	struct live seen = {0};
	struct slice untold;

	metal_live_fill(&findings, work->desired, arena, &seen, &untold);
	return seen;
}

/* What tells that it is not the machine of before, or NULL. *ret_same: whether anything tells that it is, where
 * anything ever did. */
static const struct output *moved_mark(const struct live *then, const struct live *now, bool *ret_same)
{
	bool was_told = false, is_told = false;

	for (size_t i = 0; i < metal_machine.outputs.count; i++) {
		const struct output *output = output_at(&metal_machine.outputs, i);
		const struct value *was = value_get_named(&then->outputs, output->name);
		const struct value *is = value_get_named(&now->outputs, output->name);

		/* Of a secret that it repeats a saved plan has no more than the fingerprint. */
		if (!output->tells_apart || !mark_tells(was) || value_has_secret(was))
			continue;
		was_told = true;
		if (!mark_tells(is))
			continue;
		if (!value_equal(was, is))
			return output;
		is_told = true;
	}
	*ret_same = is_told || !was_told;
	return NULL;
}

static enum step another_stands_there(struct work *work, const struct output *mark, const struct live *now)
{
	const struct power_change *change = work->detail;
	struct arena *scratch = &work->task.scratch;
	const struct value *was = value_get_named(&change->then.outputs, mark->name);
	const struct value *is = value_get_named(&now->outputs, mark->name);
	struct slice shown = metal_excerpt(scratch, work->session, json_canonical(scratch, is, work->style));
	struct slice before = metal_excerpt(scratch, work->session, json_canonical(scratch, was, work->style));

	diag_error(work->task.diagnostics, FAULT_STALE, NOWHERE,
		   "'%.*s' was not turned %s: another machine is in its place by now, whose '%s' is %.*s, not %.*s",
		   SLICE_ARGUMENTS(work->task.object->address), change->way->value, mark->name, SLICE_ARGUMENTS(shown),
		   SLICE_ARGUMENTS(before));
	work->task.record_removed = work->creating && !work->task.changed;
	return failed(work, "nothing is asked of it: plan again, and review that");
}

static enum step read_again(struct work *work)
{
	work->stage = STAGE_READING;
	work->task.wake_ms = work->task.now_ms;
	return STEP_READ;
}

/* It is recorded as it was read before the change. */
static enum step has_read(struct work *work)
{
	struct power_change *change = work->detail;
	const struct live now = work->now;
	const struct output *mark = NULL;

	work->now = change->then;
	if (now.presence == PRESENCE_PRESENT)
		mark = moved_mark(&change->then, &now, &change->is_known);
	if (mark)
		return another_stands_there(work, mark, &now);
	return change->is_known ? look(work) : wait_a_little(work);
}

/* The state that it tells, and what came of the last request, where it was more than that it was taken. */
static struct slice said_at_last(struct work *work, struct slice state)
{
	const struct power_change *change = work->detail;
	struct slice shown = metal_excerpt(&work->task.scratch, work->session, state);

	return change->reply.size > 0 ? arena_format(&work->task.scratch, "%.*s; the last request came to: %.*s",
						     SLICE_ARGUMENTS(shown), SLICE_ARGUMENTS(change->reply))
				      : shown;
}

/* Whether it is time to ask: never asked, or nobody took it, or nothing came of it for long enough. */
static bool is_due(const struct work *work)
{
	const struct power_change *change = work->detail;
	int64_t firm_ms = change->first_ms + change->way->patience_ms;

	if (change->last_ms == 0)
		return true;
	/* A shutdown that is under way is not asked for again: only for one that was never taken. */
	return work->task.now_ms - change->last_ms >= ASK_AGAIN_MS &&
	       (change->is_refused || work->task.now_ms >= firm_ms);
}

/* What is asked for now that it is due; is_same: the look has told that it is the same machine. */
static enum step ask(struct work *work, const struct value *system, const struct live *seen, bool is_same)
{
	const struct power_change *change = work->detail;

	if (has_to_be_told(work, system))
		return ask_what_it_takes(work, system);
	if (!is_same && !change->is_known)
		return read_again(work);
	return is_described(work, &seen->fields) ? ask_for_change(work, system) : STEP_FAILED;
}

static enum step judged(struct work *work, const struct value *system, const struct live *seen)
{
	const struct power_change *change = work->detail;
	struct metal_power power = metal_power_read(system);
	bool late = work->task.now_ms >= work->deadline_ms, is_same;
	const struct output *mark = moved_mark(&change->then, seen, &is_same);

	if (mark)
		return another_stands_there(work, mark, seen);
	if (slice_is(power.value, change->way->value) && !power.moving)
		return landed(work);
	if (late && !is_same && !change->is_known)
		return not_changed(work, "nothing tells now that it is the same machine", (struct slice){NULL, 0},
				   "run again: it is looked at first");
	if (late || (change->is_begun && !power.moving))
		return not_changed(work, "its controller still says ", said_at_last(work, power.name),
				   "run again: it is looked at first");
	if (change->refused_for_good && !power.moving)
		return not_changed(work, "", change->reply, "see what its controller says about it");
	return power.moving || !is_due(work) ? wait_a_little(work) : ask(work, system, seen, is_same);
}

static enum step looked(struct work *work, const struct answer *answer)
{
	const struct power_change *change = work->detail;
	bool late = work->task.now_ms >= work->deadline_ms;
	struct arena arena;

	if (!answer->ok) {
		/* A controller may be deaf for a while when its machine starts, or know nothing of it yet. */
		bool passes = answer->fault == FAULT_TRANSIENT || answer->fault == FAULT_AMBIGUOUS ||
			      answer->fault == FAULT_THROTTLED || answer->fault == FAULT_ABSENT;
		bool is_asked = change->is_begun || change->first_ms > 0;
		return passes && is_asked && !late ? wait_a_little(work) : call_failed(work, answer);
	}
	arena_init(&arena);
	const struct live seen = seen_at(work, &answer->body, &arena);
	enum step step = judged(work, &answer->body, &seen);
	arena_release(&arena);
	return step;
}

static enum step asked(struct work *work, const struct answer *answer)
{
	struct power_change *change = work->detail;

	change->reply = arena_copy(work->keep, answer->message);
	if (answer->ok)
		return wait_a_little(work);
	if (answer->fault == FAULT_AUTH)
		return call_failed(work, answer);
	/* Refused, or nobody knows: a look tells. It may be in that state already, or on its way. */
	change->is_refused = true;
	/* The gentle way may be refused as no system hears it, or as it is not known: the firm one is left. */
	bool refused =
		answer->fault == FAULT_USER || answer->fault == FAULT_ABSENT || answer->fault == FAULT_UNSUPPORTED;
	change->refused_for_good =
		(refused && change->is_firm) || answer->fault == FAULT_INTERNAL || answer->fault == FAULT_LEASE;
	return wait_a_little(work);
}

/* Nobody took the request, and what is there may be another machine by now. */
static enum step called_off(struct work *work)
{
	struct power_change *change = work->detail;

	change->last_ms = 0;
	return look(work);
}

static enum step make(struct work *work, const struct answer *answer)
{
	switch ((enum stage)work->stage) {
	case STAGE_START:
		return start(work);
	case STAGE_LOOKING:
		return answer ? looked(work, answer) : look(work);
	case STAGE_READING:
		return has_read(work);
	case STAGE_INFORMING:
		return answer ? took_types(work, answer) : look(work);
	case STAGE_ASKING:
		return answer ? asked(work, answer) : called_off(work);
	case STAGE_WAITING:
		return look(work);
	}
	return STEP_FAILED;
}

enum step metal_advance(struct work *work, const struct answer *answer)
{
	switch (work->phase) {
	case PHASE_MAKE:
		return make(work, answer);
	case PHASE_SETTLE:
	case PHASE_UNSETTLE:
	case PHASE_DELETE:
		/* It has no parts, and stays where it is. */
		return STEP_DONE;
	}
	return STEP_FAILED;
}
