#include "reconcile/recover_again.h"

#include "base/json.h"
#include "reconcile/fresh.h"
#include "reconcile/unfinished.h"

struct again {
	struct task task;
	struct session *session;
	const struct kind *kind;
	const struct intent *intent;
	struct value parameters;
	int64_t now_ms; /* wall */
	struct arena *keep;
};

static bool may_be_there(const struct recovery *recovery, size_t index)
{
	const struct object *object = recovery->objects[index];
	const struct live *live = recovery->live[index];

	return !unfinished_leaves(object) &&
	       (!live || (live->presence != PRESENCE_ABSENT && live->presence != PRESENCE_LEAVING));
}

void recover_fresh_init(struct recover_fresh *fresh, const struct recovery *recovery, struct world *world)
{
	*fresh = (struct recover_fresh){.world = world};
	map_init(&fresh->since);
	for (size_t i = 0; i < recovery->object_count; i++) {
		const struct object *object = recovery->objects[i];
		int64_t age_ms = recovery->now_ms - object->created_ms;

		if (age_ms < 0 || age_ms >= LOOP_SETTLING_MS || !may_be_there(recovery, i))
			continue;
		fresh_note(&fresh->since, object->provider_id, object->created_ms, recovery->arena);
		/* Some calls name what has an id by its name. */
		fresh_note(&fresh->since, value_slice(value_get_named(&object->resolved, "name")), object->created_ms,
			   recovery->arena);
	}
}

void recover_fresh_release(struct recover_fresh *fresh)
{
	map_release(&fresh->since);
}

int64_t recover_fresh_age_ms(void *context, const struct call *call)
{
	const struct recover_fresh *fresh = context;

	return fresh_age_ms(&fresh->since, call->parameters, fresh->world->wall_ms(fresh->world));
}

static enum step step(struct task *task, const struct answer *answer)
{
	struct again *again = (struct again *)task;
	enum step wanted = again->session->provider->create_again(task, again->session, again->kind, &again->parameters,
								  again->keep, answer);

	if (wanted == STEP_CALL) {
		task->call.intent = again->intent->id;
		task->call.token = again->intent->token;
		task->call.is_recorded = true;
		task->call.intent_ms = again->intent->wall_ms;
	}
	task->record_changed = wanted == STEP_DONE;
	/* It may have been made only now: the next listing may still lack it. */
	if (wanted == STEP_DONE)
		task->object->created_ms = again->now_ms;
	return wanted;
}

static bool is_same(const struct value *a, const struct value *b, const struct json_style *style, struct arena *scratch)
{
	return slice_equal(json_canonical(scratch, a, style), json_canonical(scratch, b, style));
}

bool recover_is_wanted(const struct object *object, const struct resource *resource, const struct json_style *style,
		       struct arena *scratch)
{
	return slice_is(object->kind, resource->kind->name) && slice_equal(object->provider, resource->provider) &&
	       is_same(&object->applied, &resource->desired, style, scratch);
}

/* But for what is set by calls of its own, once the object is there: that may be of any other value by now. */
static bool is_made_of(const struct object *object, const struct action *action, const struct json_style *style,
		       struct arena *scratch)
{
	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		const struct value *sent = value_get_named(&object->resolved, field->name);
		const struct value *planned = value_get_named(&action->known, field->name);

		if (!(field->flags & SETTLES) &&
		    (!sent != !planned || (sent && !is_same(sent, planned, style, scratch))))
			return false;
	}
	return true;
}

bool recover_is_planned(const struct object *object, const struct action *action, const struct json_style *style,
			struct arena *scratch)
{
	return action->operation == OPERATION_CREATE && slice_equal(action->object_id, object->object_id) &&
	       slice_equal(object->provider, action->provider) && is_made_of(object, action, style, scratch);
}

bool recover_can_send_again(const struct recovery *recovery, size_t index)
{
	const struct intent *intent = &recovery->intents[index];
	enum settlement settlement = recovery->verdicts[index].settlement;

	/* Without a record there is nothing that what is made could be recorded as. */
	return (settlement == SETTLEMENT_WAIT || settlement == SETTLEMENT_ABSENT) && recovery->subjects[index] &&
	       intent->recipe == RECIPE_TOKEN && recovery->now_ms >= intent->wall_ms &&
	       recovery->now_ms - intent->wall_ms < LOOP_TOKEN_LIFE_MS && recovery->is_wanted &&
	       recovery->is_wanted(recovery->context, recovery->subjects[index]);
}

/*
 * NULL where nothing can be sent: of a secret only the fingerprint is left. Kind and way to the place are known: its
 * object has just been looked for, and not found.
 */
static struct again *prepare(const struct recovery *recovery, size_t index, const struct sessions *sessions,
			     const struct kinds *kinds)
{
	const struct object *object = recovery->subjects[index];
	struct again *again = arena_new(recovery->arena, struct again);
	struct diagnostics unsaid;
	struct slice reason;

	diagnostics_init(&unsaid, recovery->arena);
	again->intent = &recovery->intents[index];
	again->now_ms = recovery->now_ms;
	again->keep = recovery->arena;
	again->kind = kinds_find(kinds, object->kind);
	again->session = sessions_of_identity(sessions, &object->identity, object->provider, &reason);
	again->task.object = recovery->subjects[index];
	bool fine = intent_parameters(again->intent, recovery->vault, recovery->arena, &again->parameters, &unsaid) &&
		    !value_has_fingerprint(&again->parameters);
	diagnostics_release(&unsaid);
	return fine ? again : NULL;
}

bool recover_send_again(const struct recovery *recovery, struct loop *loop, const struct sessions *sessions,
			const struct kinds *kinds)
{
	struct diagnostics unsaid; /* a refusal settles nothing and is no error: the object is looked for */

	diagnostics_init(&unsaid, recovery->arena);
	for (size_t i = 0; i < recovery->intent_count; i++) {
		struct again *again = recovery->verdicts[i].settlement == SETTLEMENT_AGAIN
					      ? prepare(recovery, i, sessions, kinds)
					      : NULL;

		if (!again)
			continue;
		again->task.step = step;
		again->task.diagnostics = &unsaid;
		loop_add(loop, &again->task);
	}
	bool finished = loop_run(loop);
	diagnostics_release(&unsaid);
	return finished;
}
