#include "base/id.h"
#include "reconcile/apply_parts.h"
#include "reconcile/departed.h"
#include "reconcile/diff_field.h"
#include "reconcile/made.h"
#include "reconcile/own_items.h"
#include "reconcile/recover_resend.h"
#include "reconcile/released.h"
#include "reconcile/secret_marks.h"
#include "reconcile/secret_places.h"
#include "reconcile/unfinished.h"
#include "reconcile/unset.h"

enum { PATIENCE_MS = 30 * 60 * 1000 };

static bool load_old(struct target *target, struct diagnostics *diagnostics)
{
	const struct apply *apply = target->applying->apply;
	return !target->old || target->old->has_body || apply->load_body(apply->load_context, target->old, diagnostics);
}

static struct slice new_id(struct target *target)
{
	return id_new(target->applying->apply->world, target->applying->apply->arena);
}

/* What the spec leaves to others, of which nobody may know where a run is undone. */
static struct value ignored_of(const struct target *target, struct value recorded)
{
	const struct apply *apply = target->applying->apply;
	const struct action *action = target->action;

	if (apply->plan->undoes.size == 0)
		return ignored_write(action->ignored, action->ignored_count, apply->arena);
	return value_is(&action->left_to_others, VALUE_LIST) ? action->left_to_others : recorded;
}

/* The create of an earlier run that is sent once more in the place of this action's, or NULL. */
static const struct resend *resend_of(const struct target *target)
{
	const struct map *resends = target->applying->apply->resends;
	return resends && target->old ? map_get(resends, target->old->object_id) : NULL;
}

/* The record of a new object: it is there before the call that makes it is sent. */
static void target_begin_object(struct target *target)
{
	const struct apply *apply = target->applying->apply;
	const struct action *action = target->action;
	struct object *object = arena_new(apply->arena, struct object);
	bool again = target->old && object_was_never_seen(target->old);
	*object = (struct object){
		.address = action->address,
		.object_id = again ? target->old->object_id : new_id(target),
		.role = OBJECT_INCOMPLETE,
		.kind = slice_of(action->kind->name),
		.kind_version = action->kind->version,
		/* What is sent once more has the tags of then. */
		.generation = resend_of(target) ? target->old->generation : action->generation + 1,
		.identity = target->session->identity,
		.provider = action->provider,
		.protect = action->protect,
		.created_ms = apply->world->wall_ms(apply->world),
		.has_body = true,
		.outputs = value_map(NULL, 0),
		/* What it is made with: should the run end here, some of that can be read nowhere else. */
		.applied = action->desired,
		.resolved = target->desired,
		.observed = value_map(NULL, 0),
		.ignored = ignored_of(target, value_null()),
		.dependencies = action->wanted,
		.dependency_count = action->wanted_count,
	};
	target->current = object;
	target->has_now = false;
}

static const struct digest *outputs_of(void *context, struct slice address)
{
	const struct object *object = applying_object_at(context, address);
	return object ? &object->outputs_digest : NULL;
}

void target_mark(const struct target *target, const struct kind *kind, struct live *live)
{
	const struct apply *apply = target->applying->apply;
	const struct object *object = target->current;
	const struct value *models[] = {&target->action->known, &target->action->hidden, &target->desired,
					object ? &object->resolved : NULL, object ? &object->observed : NULL};

	live->fields = secret_marks_put(apply->arena, apply->secrets, &kind->fields, &live->fields, models,
					sizeof(models) / sizeof(models[0]));
}

static struct value without_echoes(const struct target *target, const struct value *live)
{
	const struct redaction *secrets = target->session ? target->session->secrets : NULL;

	return secrets ? secret_marks_echoed(target->applying->apply->arena, secrets, live) : *live;
}

/* What was read, but for what could not be: of that the record keeps what it had. sets: MAP of the fields that are set,
 * of which nobody knows now whether they came about, or NULL. */
static struct value with_recorded(const struct target *target, const struct value *read, const struct value *former,
				  const struct value *sets)
{
	if (!value_is(read, VALUE_MAP))
		return *read;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < read->count; i++) {
		const struct value_member *member = &read->members[i];
		struct slice name = value_slice(&member->key);
		const struct value *kept =
			value_has_unread(&member->value) && !value_get(sets, name) ? value_get(former, name) : NULL;
		value_builder_member(&builder, name, kept ? *kept : member->value);
	}
	return value_builder_map(&builder, target->applying->apply->arena);
}

/* What is found by its address may get another id where it stands, as by new firmware of a controller. */
static void follow_id(struct object *object, const struct kind *kind)
{
	const struct output *id = kind->found ? kind_output(kind, NULL) : NULL;
	const struct value *told = id ? value_get_named(&object->outputs, id->name) : NULL;

	if (told && value_is(told, VALUE_STRING))
		object->provider_id = value_slice(told);
}

static void note_outputs(struct target *target)
{
	struct object *object = target->current;
	struct arena scratch;
	if (!target->has_now || !value_is(&target->now.outputs, VALUE_MAP))
		return;
	target->noted = true;
	arena_init(&scratch);
	const struct apply *apply = target->applying->apply;
	const struct value *models[] = {&target->desired};
	const struct value put = secret_marks_put_outputs(apply->arena, apply->secrets.style, target->action->kind,
							  &target->now.outputs, models, 1);
	const struct value read = without_echoes(target, &put);
	object->outputs = with_recorded(target, &read, &object->outputs, NULL);
	follow_id(object, target->action->kind);
	applying_note_parts(target->applying, target);
	object->outputs_digest =
		digest_of(json_canonical(&scratch, &object->outputs, target->applying->apply->secrets.style));
	arena_release(&scratch);
}

/*
 * What was read, less the fields that take a call of their own and are not set any more: they
 * are not read again, and would seem to have gone.
 */
static struct value observed_of(const struct target *target)
{
	const struct provider *provider = target->session ? target->session->provider : NULL;
	const struct kind *kind = target->action->kind;
	const struct apply *apply = target->applying->apply;
	const struct value *models[] = {&target->desired};
	const struct value put =
		secret_marks_put(apply->arena, apply->secrets, &kind->fields, &target->now.fields, models, 1);
	const struct value known = without_echoes(target, &put);
	const struct value read =
		secret_places_hide(apply->arena, apply->secrets.style, &kind->fields, &known, models, 1);
	const struct value *fields = &read;
	if (!provider || !value_is(fields, VALUE_MAP) || !provider->needs_detail(kind, NULL))
		return *fields;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < fields->count; i++) {
		struct value one = value_map(&fields->members[i], 1);
		struct slice name = value_slice(&fields->members[i].key);
		if (value_get(&target->desired, name) || !provider->needs_detail(kind, &one))
			value_builder_member(&builder, name, fields->members[i].value);
	}
	return value_builder_map(&builder, apply->arena);
}

/* Whether the spec asks for something that was not done, for the field could not be read. */
static bool is_left(const struct change *change)
{
	return change->effect == EFFECT_UNREAD && change->cause != CAUSE_DRIFT && change->field;
}

static bool is_any_left(const struct action *action)
{
	for (size_t i = 0; i < action->change_count; i++)
		if (is_left(&action->changes[i]))
			return true;
	return false;
}

static bool is_field_left(const struct action *action, struct slice name)
{
	for (size_t i = 0; i < action->change_count; i++)
		if (is_left(&action->changes[i]) && slice_is(name, action->changes[i].field->name))
			return true;
	return false;
}

/* Of the fields that are left as they are the record keeps what it had. */
static struct value without_left(const struct target *target, const struct value *fields, const struct value *former)
{
	const struct action *action = target->action;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < fields->count; i++)
		if (!is_field_left(action, value_slice(&fields->members[i].key)))
			value_builder_member(&builder, value_slice(&fields->members[i].key), fields->members[i].value);
	for (uint32_t i = 0; value_is(former, VALUE_MAP) && i < former->count; i++)
		if (is_field_left(action, value_slice(&former->members[i].key)))
			value_builder_member(&builder, value_slice(&former->members[i].key), former->members[i].value);
	return value_builder_map(&builder, target->applying->apply->arena);
}

/* Writes into the record what the finished phase made true. */
static void target_complete(struct target *target, bool last)
{
	static const struct digest never;
	struct object *object = target->current;
	const struct action *action = target->action;
	struct arena *arena = target->applying->apply->arena;
	note_outputs(target);
	if (!last)
		return;
	const struct object before = *object;
	const struct value former =
		made_observed(action->kind, &object->observed, &object->resolved, &object->observed, arena);
	/* What is being made is sent unread fields too: there is nothing of them yet that a call could miss. */
	bool owes = object->role == OBJECT_CURRENT && object == target->old && is_any_left(action);
	object->role = OBJECT_CURRENT;
	unfinished_end(object);
	object->let_go = value_null();
	object->kind_version = action->kind->version;
	object->protect = action->protect;
	object->applied = owes ? without_left(target, &action->desired, &object->applied) : action->desired;
	object->resolved = owes ? without_left(target, &target->desired, &object->resolved) : target->desired;
	const struct value read = target->has_now ? observed_of(target) : object->observed;
	const struct value seen = with_recorded(target, &read, &object->observed, &target->desired);
	object->observed = made_observed(action->kind, &seen, &object->resolved, &former, arena);
	object->ignored = ignored_of(target, object->ignored);
	/* What is being made has its record from the spec. */
	object->own = before.role == OBJECT_INCOMPLETE ? value_null()
						       : own_beside(target->session ? target->session->provider : NULL,
								    action->kind, &before, object, arena);
	object->released = before.role == OBJECT_INCOMPLETE
				   ? value_null()
				   : released_after(&before.released, action->changes, action->change_count,
						    &object->resolved, arena);
	object->dependencies = action->wanted;
	object->dependency_count = action->wanted_count;
	object->symbolic = owes ? never : action->symbolic;
	object->inputs = plan_inputs_digest(action->wanted, action->wanted_count, outputs_of, target->applying);
	/* What was read may be older than what has been deleted since. */
	(void)departed_take_out(object, action->kind, &target->applying->gone, target->applying->apply->secrets.style,
				arena);
}

static bool is_last(const struct node *node)
{
	const struct applying *applying = node->target->applying;
	size_t action = (size_t)(node->target - applying->targets);
	return node->work.phase == PHASE_SETTLE || phases_node(&applying->phases, action, PHASE_SETTLE) == NO_NODE;
}

/* Desired fields with what becomes of those, and of members of them, that are no longer set. */
static const struct value *with_unset(struct target *target)
{
	struct arena *arena = target->applying->apply->arena;
	const struct value *constants = &target->action->constants;
	struct value desired = target->desired;
	if (target->old && target->current == target->old && value_is(&target->old->resolved, VALUE_MAP))
		desired = unset_complete_fields(&target->action->kind->fields, &desired, &target->old->resolved, arena);
	struct value *all = arena_new(arena, struct value);
	*all = value_overlaid(&desired, constants, arena);
	return all;
}

struct session *node_session(const struct node *node)
{
	const struct target *target = node->target;
	return phase_leaves(node->work.phase) && target->old_session ? target->old_session : target->session;
}

static void begin_leaving(struct node *node)
{
	struct target *target = node->target;
	const struct applying *applying = target->applying;
	node->work.task.object = target->old;
	node->work.unsettle_all = !operation_keeps(target->action->operation);
	node->work.awaits_gone = target->action->awaits_gone;
	node_list_leaving(node);
	if (node->work.phase == PHASE_UNSETTLE) {
		node->work.vacates = applying->phases.vacates[target - applying->targets];
		node->work.yields = &applying->phases.yields[target - applying->targets];
		node->work.changes = target->action->changes;
		node->work.change_count = target->action->change_count;
	}
	/* Once another stands at its address, what is known of it is what a look has just shown, if there was one. */
	if (target->current != target->old)
		return;
	node->work.has_now = target->has_now;
	if (target->has_now)
		node->work.now = target->now;
}

static bool begins_new_object(const struct target *target)
{
	enum operation operation = target->action->operation;
	return operation_makes(operation) || operation == OPERATION_ADOPT;
}

/* The intent that what a new object is made by is tagged with. */
static struct slice new_intent(struct target *target)
{
	const struct resend *resend = resend_of(target);
	return resend ? resend->intent->id : new_id(target);
}

static void use_resend(struct node *node)
{
	struct call *call = &node->work.task.call;
	const struct resend *resend = call->creates ? resend_of(node->target) : NULL;
	call->is_recorded = resend != NULL;
	if (!resend)
		return;
	call->parameters = resend->parameters;
	call->intent = resend->intent->id;
	call->token = resend->intent->token;
	call->intent_ms = resend->intent->wall_ms;
}

/* Both in one commit: at no time are there two that the address stands for. */
static void take_back(struct target *target, struct task *task)
{
	target->old->role = target->action->role;
	if (target->displaced) {
		target->displaced->role = OBJECT_DEPOSED;
		task->deposed = target->displaced;
	}
	task->record_changed = true;
}

static void begin_making(struct node *node)
{
	struct target *target = node->target;
	const struct action *action = target->action;
	struct task *task = &node->work.task;
	bool fresh = begins_new_object(target);
	if (fresh && node->work.phase == PHASE_MAKE) {
		if (action->operation == OPERATION_REPLACE && action->create_before_destroy) {
			target->old->role = OBJECT_DEPOSED;
			task->deposed = target->old;
		}
		target_begin_object(target);
		/* What is made anew was seen to be gone; what was waited for has no record any more. */
		if (action->operation == OPERATION_CREATE && !action->awaits_gone && target->old &&
		    !slice_equal(target->old->object_id, target->current->object_id))
			task->gone = target->old;
		if (action->operation == OPERATION_ADOPT)
			target->current->provider_id = action->provider_id;
		task->record_changed = true;
	}
	if (action->operation == OPERATION_TAKE_BACK && node->work.phase == PHASE_MAKE)
		take_back(target, task);
	task->object = target->current;
	node->work.creating = fresh || action->role == OBJECT_INCOMPLETE;
	/* Those of a replace, or of what is made once more, tell how the next one differs from the last; of what is
	 * found, as of what is adopted, what is done to it. */
	if (!fresh || action->operation == OPERATION_ADOPT || action->kind->found) {
		node->work.changes = action->changes;
		node->work.change_count = action->change_count;
	}
	node->work.ignored = action->ignored;
	node->work.ignored_count = action->ignored_count;
	node->work.desired = with_unset(target);
	node->work.released = fresh ? NULL : &action->released;
	node->work.sent = fresh ? value_null() : target->sent;
	node->work.has_now = target->has_now;
	if (target->has_now)
		node->work.now = target->now;
	node->work.tagging = (struct tagging){
		.lineage = target->applying->apply->plan->lineage,
		.object_id = target->current->object_id,
		.intent = fresh ? new_intent(target) : (struct slice){0},
		.address = action->address,
		.generation = target->current->generation,
	};
}

/* What the action waited for may have taken long. */
static bool is_young(const struct node *node)
{
	const struct resend *resend = resend_of(node->target);
	const struct apply *apply = node->target->applying->apply;
	if (!resend || recover_is_young(resend->intent, apply->world->wall_ms(apply->world), apply->grace_ms))
		return true;
	struct diagnostics *diagnostics = node->work.task.diagnostics;
	diag_error(diagnostics, FAULT_STALE, node->target->action->position,
		   "'%.*s' was not made: %.*s of an earlier run, which nobody saw answered, is too old by now to be "
		   "sent once more",
		   SLICE_ARGUMENTS(resend->intent->address), SLICE_ARGUMENTS(resend->intent->operation));
	diag_hint(diagnostics, "run again: what it may have made is looked for");
	diag_address(diagnostics, resend->intent->address);
	return false;
}

static bool may_make(const struct node *node)
{
	const struct target *target = node->target;
	const struct apply *apply = target->applying->apply;
	bool makes = begins_new_object(target) && node->work.phase == PHASE_MAKE;
	if (makes && !is_young(node))
		return false;
	return !makes || !apply->may_make ||
	       apply->may_make(apply->give_context, target->action, &target->desired, node->work.task.diagnostics);
}

static bool begin(struct node *node)
{
	struct target *target = node->target;
	struct task *task = &node->work.task;
	node->begun = true;
	node->work.session = node_session(node);
	/* What is too old is read by the work itself. */
	if (target_is_stale(target))
		target->has_now = false;
	/* What is taken on, or back, is recorded as such before anything is sent. */
	bool takes = begins_new_object(target) || target->action->operation == OPERATION_TAKE_BACK;
	node->may_look_again = node_changes_planned(node) && (!takes || node->work.phase != PHASE_MAKE);
	node->work.patience_ms = PATIENCE_MS;
	node->work.deadline_ms = task->now_ms + PATIENCE_MS;
	if (!node->work.session)
		return diag_error(task->diagnostics, FAULT_AUTH, target->action->position,
				  "'%.*s' cannot be reached with the credentials at hand",
				  SLICE_ARGUMENTS(target->action->address));
	if (!load_old(target, task->diagnostics))
		return false;
	if (phase_leaves(node->work.phase)) {
		begin_leaving(node);
		return true;
	}
	if (!target_resolve(target, is_last(node), task->diagnostics) || !may_make(node))
		return false;
	begin_making(node);
	return true;
}

/* What needs no call: dropping the record of what is gone, or letting it follow what is live. */
static enum step step_record(struct node *node)
{
	struct target *target = node->target;
	struct task *task = &node->work.task;
	task->object = target->old;
	if (!load_old(target, task->diagnostics))
		return STEP_FAILED;
	if (target->action->operation == OPERATION_FORGET) {
		task->record_removed = task->record_missed = true;
		return STEP_DONE;
	}
	if (!target_resolve(target, true, task->diagnostics))
		return STEP_FAILED;
	target_complete(target, true);
	task->record_changed = true;
	return STEP_DONE;
}

/* The field of a new object that the service keeps otherwise than it was told, though only another object could have
 * another value; NULL: none. */
static const struct field *kept_otherwise(const struct node *node)
{
	const struct work *work = &node->work;
	if (work->phase != PHASE_MAKE || !work->creating || !work->has_now || work->now.presence != PRESENCE_PRESENT)
		return NULL;
	for (size_t i = 0; i < work->kind->fields.count; i++) {
		const struct field *field = field_at(&work->kind->fields, i);
		const struct value *wanted = value_if_set(value_get_named(work->desired, field->name));
		bool is_for_good = field_is_immutable(field, &work->now.outputs) &&
				   !(field->flags & (WRITE_ONLY | OBSERVED | FIXED | SETTLES));
		if (is_for_good && wanted && !slice_is_among(field->name, work->ignored, work->ignored_count) &&
		    diff_field(field, wanted, value_get_named(&work->now.fields, field->name)) == UNLIKE)
			return field;
	}
	return NULL;
}

/* Without a word each run would make another one, and say that all is well. */
static enum step refuse_kept_otherwise(struct node *node, const struct field *field)
{
	const struct action *action = node->target->action;
	struct diagnostics *diagnostics = node->work.task.diagnostics;
	diag_error(diagnostics, FAULT_CONFLICT, action->position,
		   "'%.*s' was made, but the service keeps another '%s' than it was told",
		   SLICE_ARGUMENTS(action->address), field->name);
	diag_hint(diagnostics,
		  "'trueup plan' shows both: have the spec say what the service keeps, or leave '%s' to it "
		  "(lifecycle.ignore); as it stands each run makes another one",
		  field->name);
	diag_address(diagnostics, action->address);
	return STEP_FAILED;
}

static enum step finish(struct node *node)
{
	struct target *target = node->target;
	struct task *task = &node->work.task;
	node_note_sent(node);
	target->begun |= task->changed;
	if (node->work.phase == PHASE_DELETE) {
		task->record_removed = true;
		task->record_missed = !task->answered;
		node_take_departed(node);
		return STEP_DONE;
	}
	if (node->work.phase == PHASE_UNSETTLE) {
		/* As read last: before it by the plan, or after what it sent. */
		if (target->current == target->old) {
			target->now = node->work.now;
			target->has_now = node->work.has_now;
		}
		return STEP_DONE;
	}
	const struct field *otherwise = kept_otherwise(node);
	if (otherwise)
		return refuse_kept_otherwise(node, otherwise);
	target->now = node->work.now;
	target->has_now = node->work.has_now;
	target->read_ms = task->now_ms;
	target_complete(target, is_last(node));
	node_note_holder(node);
	if (is_last(node))
		node_take_over(node);
	task->record_changed = true;
	return STEP_DONE;
}

/* Its first turn has come. */
static void begin_forecast(struct node *node)
{
	const struct applying *applying = node->target->applying;

	node->stepped = true;
	if (applying->apply->forecast)
		forecast_begin(applying->apply->forecast, (size_t)(node - applying->nodes), node->work.task.now_ms);
}

enum step node_step(struct task *task, const struct answer *answer)
{
	struct node *node = (struct node *)task;
	enum operation operation = node->target->action->operation;
	/* Its call waited for a rate limit until what was read before was too old. */
	bool expired = task->good_until_ms > 0 && !answer;
	task->good_until_ms = 0;
	if (expired)
		node_begin_again(node);
	if (!node->stepped)
		begin_forecast(node);
	if (operation == OPERATION_FORGET || operation == OPERATION_RECORD)
		return step_record(node);
	if (node->looking && !node_has_looked(node)) {
		node_withdraw_note(node);
		return STEP_FAILED;
	}
	if (!node->begun && node_must_look(node))
		return node_look(node);
	if (!node->begun && !begin(node))
		return STEP_FAILED;
	enum step step = node->work.session->provider->advance(&node->work, answer);
	task->call.session = node->work.session;
	/* An answer may have made or changed it. */
	if (answer)
		applying_note_fresh(node->target->applying, node);
	if (step == STEP_CALL) {
		use_resend(node);
		task->good_until_ms = node_good_until_ms(node);
		node_note_unfinished(node);
	}
	if (step == STEP_FAILED) {
		node_withdraw_note(node);
		node_tell_holder(node, answer);
	}
	if (step == STEP_DONE)
		step = finish(node);
	/* A phase is done once a read shows it. */
	task->settles = step == STEP_DONE;
	return step;
}
