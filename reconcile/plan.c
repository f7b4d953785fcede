#include "reconcile/plan.h"

#include <stdlib.h>

#include "reconcile/plan_items.h"
#include "reconcile/secret_marks.h"

static struct action *add_action(struct planning *planning)
{
	planning->actions = arena_room(planning->arena, planning->actions, planning->action_count,
				       &planning->action_capacity, sizeof(*planning->actions));
	struct action *action = &planning->actions[planning->action_count++];
	*action = (struct action){.desired = value_map(NULL, 0),
				  .known = value_map(NULL, 0),
				  .released = value_map(NULL, 0),
				  .constants = value_map(NULL, 0)};
	return action;
}

static void add_unread(struct planning *planning, struct unread unread)
{
	planning->unread = arena_room(planning->arena, planning->unread, planning->unread_count,
				      &planning->unread_capacity, sizeof(*planning->unread));
	planning->unread[planning->unread_count++] = unread;
}

static struct position position_of(const struct item *item)
{
	return item->resource ? item->resource->position : NOWHERE;
}

/* The object as a whole; otherwise: why, where it waits for what could not be read. */
static void add_unread_object(struct planning *planning, const struct item *item, const char *otherwise)
{
	bool itself = item->live && item->live->presence == PRESENCE_UNREAD;
	add_unread(planning, (struct unread){.address = item->address,
					     .reason = itself ? item->live->unread_reason : slice_of(otherwise),
					     .hint = itself ? item->live->unread_hint : (struct slice){0},
					     .position = position_of(item)});
}

/* Every field that the read could not give and that matters: set in the spec, or recorded. */
static void note_unread_fields(struct planning *planning, const struct item *item)
{
	if (!item->live || item->live->presence != PRESENCE_PRESENT)
		return;
	for (uint32_t i = 0; i < item->live->fields.count; i++) {
		const struct value_member *member = &item->live->fields.members[i];
		if (value_has_unread(&member->value))
			add_unread(planning, (struct unread){.address = item->address,
							     .field = value_slice(&member->key),
							     .reason = item->live->unread_reason,
							     .hint = item->live->unread_hint,
							     .position = position_of(item)});
	}
}

static void describe_live(struct planning *planning, struct action *action, const struct live *live)
{
	action->live = live->fields;
	action->hidden = secret_marks_of(&live->fields, planning->arena);
	action->live_outputs = live->outputs;
	action->live_uses = live->uses;
}

static void describe_object(struct planning *planning, struct action *action, struct object *object,
			    const struct live *live)
{
	action->object_id = object->object_id;
	action->provider_id = object->provider_id;
	action->role = object->role;
	action->generation = object->generation;
	action->recorded = object->dependencies;
	action->recorded_count = object->dependency_count;
	if (live && (live->presence == PRESENCE_PRESENT || live->presence == PRESENCE_LEAVING)) {
		if (live->provider_id.size)
			action->provider_id = live->provider_id;
		describe_live(planning, action, live);
		action->had = *plan_had(planning, action->kind, object, &live->fields);
		action->running = live->running;
		action->is_busy = live->readiness != READY || live->presence == PRESENCE_LEAVING;
	}
}

static void add_item_action(struct planning *planning, struct item *item)
{
	const struct resource *resource = item->resource;
	struct action *action = add_action(planning);
	action->operation = item->operation;
	action->reason = item->reason;
	action->address = item->address;
	action->kind = resource->kind;
	action->position = resource->position;
	action->provider = resource->provider;
	action->in_spec = true;
	action->protect = resource->protect;
	action->create_before_destroy = item->create_before_destroy;
	action->maybe = item->maybe;
	action->ignored = item->ignored;
	action->ignored_count = item->ignored_count;
	action->left_to_others = resource->left_to_others;
	action->desired = resource->desired;
	action->known = item->wanted;
	action->marks = plan_item_marks(planning, item);
	action->wanted = resource->dependencies;
	action->wanted_count = resource->dependency_count;
	action->beneath = item->beneath;
	action->beneath_count = item->beneath_count;
	action->runs_by = item->runner ? item->runner->resource->kind : NULL;
	action->symbolic = resource_symbolic(resource, planning->input->secrets.style, planning->arena);
	if (item->operation == OPERATION_TAKE_BACK && item->displaced)
		action->displaces = item->displaced->object_id;
	if (item->identity)
		action->identity = *item->identity;
	if (item->object) {
		describe_object(planning, action, item->object, item->live);
		action->awaits_gone =
			item->operation == OPERATION_CREATE && item->live && item->live->presence == PRESENCE_LEAVING;
		if (item->operation == OPERATION_TAKE_BACK)
			action->role = object_was_finished(item->object) ? OBJECT_CURRENT : OBJECT_INCOMPLETE;
		/* Where nobody was asked what the alias reaches, it is taken for what it reached. */
		if (item->operation != OPERATION_REPLACE || !item->identity)
			action->identity = item->object->identity;
	} else if (item->live && item->live->presence == PRESENCE_PRESENT) {
		action->provider_id = item->live->provider_id;
		describe_live(planning, action, item->live);
	}
	if (item->fields)
		action->makes = item->fields->makes;
	if (item->parts)
		action->settles = item->parts->settles;
	if (operation_keeps(item->operation) && action->role == OBJECT_INCOMPLETE)
		action->makes = true;
	plan_describe_changes(planning, action, item);
	if (item->operation == OPERATION_INCOMPLETE)
		add_unread_object(planning, item, item->reason);
}

/* The fields for which a new object would be needed: the plan, which has no action of it, does not show them. */
static void name_replacing(struct planning *planning, const struct item *item)
{
	BUFFER_AUTO names;

	buffer_init(&names, SIZE_MAX);
	for (size_t i = 0; item->fields && i < item->fields->count; i++) {
		const struct change *change = &item->fields->changes[i];

		if (change->effect == EFFECT_REPLACE || change->effect == EFFECT_REPLACE_UNLESS_EQUAL)
			buffer_format(&names, "%s'%.*s'", names.size > 0 ? ", " : "", SLICE_ARGUMENTS(change->path));
	}
	if (names.size > 0) {
		buffer_string(&names, " cannot change in place");
		diag_cause(planning->diagnostics, buffer_slice(&names));
	}
}

static void add_conflict(struct planning *planning, const struct item *item, const char *reason, const char *hint)
{
	diag_error(planning->diagnostics, FAULT_CONFLICT, position_of(item), "'%.*s' %s",
		   SLICE_ARGUMENTS(item->address), reason);
	diag_address(planning->diagnostics, item->address);
	name_replacing(planning, item);
	if (hint)
		diag_hint(planning->diagnostics, "%s", hint);
}

static enum going going_of(const struct planning *planning, const struct object *object)
{
	if (planning->input->scope.undoes.size > 0)
		return GOING_WITH_RUN;
	if (planning->input->scope.target_count == 0)
		return GOING_WITH_ALL;
	return plan_is_named(planning, object->address) ? GOING_BY_NAME : GOING_WITH_ANOTHER;
}

static void refuse_unknown_kind(struct planning *planning, const struct object *object)
{
	diag_error(planning->diagnostics, FAULT_USER, NOWHERE,
		   "'%.*s' is of kind '%.*s', which this version does not know", SLICE_ARGUMENTS(object->address),
		   SLICE_ARGUMENTS(object->kind));
	diag_hint(planning->diagnostics, "use the version of trueup that made it");
}

/* An object that the spec does not have, or one that a replace has left behind. */
static void add_leaving(struct planning *planning, size_t number, bool deposed)
{
	struct object *object = planning->input->objects[number];
	const char *held = planning->held ? planning->held[number] : NULL;
	struct item item = {.address = object->address,
			    .object = object,
			    .live = planning->input->live ? planning->input->live[number] : NULL};
	if (!plan_load_body(planning, object))
		return;
	const struct kind *kind = kinds_find(planning->input->kinds, object->kind);
	struct situation situation = {.in_spec = false,
				      .in_record = true,
				      .live = plan_live_state(planning, &item),
				      .protect = object->protect && !deposed,
				      .found = kind && kind->found};
	struct decision decision = decide(&situation);
	if ((planning->input->destroy || planning->input->scope.undoes.size > 0) && !deposed)
		decision.reason = decide_destroying(&situation, &decision, going_of(planning, object));
	if (decision.operation == OPERATION_CONFLICT && !planning->input->scope.looks)
		add_conflict(planning, &item, decision.reason,
			     situation.live == LIVE_NOT_OURS
				     ? plan_hint_at_owner(planning, object, item.live)
				     : plan_hint_at_renamed(planning, object, decide_hint(&situation, &decision)));
	bool waits = held && decision.operation == OPERATION_DELETE;
	if (waits)
		decision = (struct decision){OPERATION_INCOMPLETE, held};
	struct action *action = add_action(planning);
	action->operation = decision.operation;
	action->reason = deposed && !waits ? plan_reason_beside(object) : plan_reason_unwanted(object, &decision);
	action->address = object->address;
	action->kind = kind;
	action->provider = object->provider;
	action->identity = object->identity;
	describe_object(planning, action, object, plan_marked(planning, kind, item.live, NULL, object));
	action->drifted = planning->input->scope.looks && situation.live == LIVE_NOT_OURS;
	if (deposed)
		action->role = OBJECT_DEPOSED;
	action->create_before_destroy = plan_goes_last(planning, number, decision.operation);
	if (decision.operation == OPERATION_INCOMPLETE)
		add_unread_object(planning, &item, decision.reason);
	if (!kind)
		refuse_unknown_kind(planning, object);
}

/* identities: parallel to the stack's providers, or NULL. */
static const struct identity *identity_of_alias(const struct stack *stack, const struct identity *identities,
						struct slice alias)
{
	for (size_t i = 0; identities && i < stack->provider_count; i++)
		if (slice_equal(stack->providers[i].name, alias))
			return identities[i].provider.size ? &identities[i] : NULL;
	return NULL;
}

/* Where nobody was asked who answers: in the account and region of settings and environment, and as recorded in the
 * rest. Another endpoint tells nothing then: it may lead to the same place. */
static const struct identity *expected_identity(struct planning *planning, const struct item *item)
{
	const struct plan_input *input = planning->input;
	const struct identity *recorded = &item->object->identity;
	const struct identity *named = identity_of_alias(input->stack, input->expected, item->resource->provider);
	if (!named)
		return NULL;
	struct identity place = *recorded;
	if (named->account.size > 0)
		place.account = named->account;
	if (named->region.size > 0)
		place.region = named->region;
	if (identity_equal(&place, recorded))
		return recorded;
	struct identity *ret = arena_new(planning->arena, struct identity);
	*ret = place;
	return ret;
}

/* Joins spec and record by address. Of several objects at one address the current one, or
 * else the incomplete one, is the address's own; the others stand alone. */
static void join_items(struct planning *planning)
{
	const struct plan_input *input = planning->input;
	size_t spec_count = input->destroy ? 0 : input->stack->resource_count;
	planning->items = arena_new_array(planning->arena, spec_count + 1, struct item);
	planning->of_objects = arena_new_array(planning->arena, input->object_count + 1, struct item *);
	if (spec_count > 0)
		planning->addresses = stack_addresses(input->stack, &planning->spare);
	struct slice alias = {0};
	const struct identity *identity = NULL;
	for (size_t i = 0; i < spec_count; i++) {
		const struct resource *resource = &input->stack->resources[i];
		struct item *item = &planning->items[planning->item_count++];
		if (i == 0 || !slice_equal(alias, resource->provider)) {
			alias = resource->provider;
			identity = identity_of_alias(input->stack, input->identities, alias);
		}
		*item = (struct item){
			.address = resource->address,
			.resource = resource,
			.live = input->unrecorded ? input->unrecorded[i] : NULL,
			.identity = identity,
			.wanted = resource->desired,
			.ignored = resource->ignored,
			.ignored_count = resource->ignored_count,
		};
	}
	for (size_t i = 0; i < input->object_count; i++) {
		struct object *object = input->objects[i];
		struct item *item = plan_item_at(planning, object->address);
		planning->of_objects[i] = item;
		if (item && object->role == OBJECT_DEPOSED && item->left_behind == 0)
			item->left_behind = i + 1;
		if (!item || object->role == OBJECT_DEPOSED || (item->object && item->object->role == OBJECT_CURRENT))
			continue;
		item->object = object;
		item->live = input->live ? input->live[i] : NULL;
	}
	for (size_t i = 0; input->expected && i < spec_count; i++)
		if (planning->items[i].object && !planning->items[i].identity)
			planning->items[i].identity = expected_identity(planning, &planning->items[i]);
}

/* No call puts that right, and what lies in it would go with it: somebody has to look. */
static void tell_failed(struct planning *planning, struct item *item)
{
	struct slice id = item->object->provider_id, state = item->live->state;
	if (planning->input->scope.looks) {
		item->operation = OPERATION_CONFLICT;
		item->reason = arena_text(planning->arena, "has failed: the service says '%.*s' of it",
					  SLICE_ARGUMENTS(state));
		return;
	}
	if (operation_ends(item->operation))
		return;
	diag_add(planning->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, item->resource->position,
		 "'%.*s' has failed: the service says '%.*s' of %.*s", SLICE_ARGUMENTS(item->address),
		 SLICE_ARGUMENTS(state), SLICE_ARGUMENTS(id));
	diag_address(planning->diagnostics, item->address);
	diag_hint(planning->diagnostics, "see what befell it: once it is deleted, the next run makes it anew");
}

static void collect_items(struct planning *planning)
{
	for (size_t i = 0; i < planning->item_count; i++) {
		struct item *item = &planning->items[i];
		if (!item->in_focus)
			continue;
		note_unread_fields(planning, item);
		if (plan_has_failed(item))
			tell_failed(planning, item);
		bool conflicts = item->operation == OPERATION_CONFLICT && !planning->input->scope.looks;
		if (!conflicts && item->operation != OPERATION_NONE)
			add_item_action(planning, item);
		else if (conflicts && (item->difference == DIFFERENCE_FIXED || item->difference == DIFFERENCE_LOST))
			diff_report_conflicts(item->fields, item->address, item->resource->position,
					      planning->diagnostics);
		else if (conflicts && item->reason)
			add_conflict(planning, item, item->reason, item->hint);
	}
}

/* Of what could not be taken back now, and of what would have been displaced by it, neither goes. */
static bool is_spared(const struct item *item, const struct object *object)
{
	return item && item->displaced == object && item->operation != OPERATION_TAKE_BACK;
}

static void collect_leaving(struct planning *planning)
{
	for (size_t i = 0; i < planning->input->object_count; i++) {
		struct object *object = planning->input->objects[i];
		const struct item *item = planning->of_objects[i];
		bool goes = planning->leaves[i] || (planning->held && planning->held[i]);
		if ((item && item->object == object) || !goes || is_spared(item, object))
			continue;
		add_leaving(planning, i, item != NULL || object->role == OBJECT_DEPOSED);
	}
}

static int compare_actions(const void *a, const void *b)
{
	const struct action *left = a, *right = b;
	int order = slice_compare(left->address, right->address);
	if (order == 0)
		order = (int)left->role - (int)right->role;
	return order ? order : slice_compare(left->object_id, right->object_id);
}

/* How many objects fall because another one does, counted at that one. */
static void count_falls(struct planning *planning)
{
	/* Parallel to the actions: the number of the last one that falls with it, from 1. */
	size_t *counted = arena_new_array(planning->arena, planning->action_count + 1, size_t);
	struct map ending;
	map_init(&ending);
	for (size_t i = 0; i < planning->action_count; i++)
		if (operation_ends(planning->actions[i].operation))
			map_set(&ending, planning->actions[i].address, &planning->actions[i]);
	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];
		for (size_t k = 0; operation_ends(action->operation) && k < action->recorded_count; k++) {
			struct action *target = map_get(&ending, action->recorded[k].address);
			size_t number = target ? (size_t)(target - planning->actions) : i;
			if (number == i || !action->recorded[k].immutable || counted[number] == i + 1 ||
			    plan_output_stays(planning, &action->recorded[k]))
				continue;
			counted[number] = i + 1;
			target->takes_down++;
		}
	}
	map_release(&ending);
}

/* Provider settings of every alias, so that a saved plan needs no spec. */
static void finish(struct planning *planning)
{
	struct plan *plan = planning->plan;
	const struct plan_input *input = planning->input;
	if (planning->action_count)
		qsort(planning->actions, planning->action_count, sizeof(struct action), compare_actions);
	if (planning->unread_count)
		qsort(planning->unread, planning->unread_count, sizeof(struct unread), unread_compare);
	count_falls(planning);
	plan_tell_barred(planning);
	plan_tell_others(planning);
	plan_tell_kept(planning);
	plan_tell_dying(planning);
	plan_tell_through(planning);
	plan_tell_beside(planning);
	plan_tell_outside(planning);
	plan_tell_renamed(planning);
	plan_tell_running(planning);
	plan_note_launched(planning);
	plan->running = planning->running;
	plan->running_count = planning->running_count;
	plan->actions = planning->actions;
	plan->action_count = planning->action_count;
	plan->unread = planning->unread;
	plan->unread_count = planning->unread_count;
	for (size_t i = 0; i < plan->action_count; i++) {
		plan->counts[plan->actions[i].operation]++;
		plan->drift_count += plan->actions[i].drifted;
	}
	plan->providers = input->stack->providers;
	plan->provider_count = input->stack->provider_count;
	plan->managed_count = input->object_count;
	for (size_t i = 0; input->live && i < input->object_count; i++)
		plan->read_count += input->live[i] && input->live[i]->presence != PRESENCE_UNREAD;
}

bool plan_make(const struct plan_input *input, struct plan *ret, struct diagnostics *diagnostics)
{
	size_t errors = diagnostics->error_count;
	struct planning planning = {.input = input, .diagnostics = diagnostics, .arena = input->arena, .plan = ret};
	*ret = (struct plan){
		.stack = input->stack->name,
		.lineage = input->record->lineage,
		.serial = input->record->serial,
		.undoes = input->scope.undoes,
		.refreshed = input->live != NULL,
		.destroy = input->destroy,
		.targeted = input->scope.target_count > 0 && !input->scope.exact,
	};
	map_init(&planning.spare);
	map_init(&planning.named);
	map_init(&planning.renamed);
	resource_symbolic_init(&planning.symbolic);
	join_items(&planning);
	plan_items_silence(&planning);
	if (!input->scope.looks)
		plan_items_tell_apart(&planning);
	plan_items_order(&planning);
	plan_items_judge(&planning);
	if (!input->scope.looks)
		plan_items_order_replaces(&planning);
	plan_focus(&planning);
	if (!input->scope.looks) {
		plan_hold(&planning);
		plan_tell_taken(&planning);
		plan_tell_shed(&planning);
		plan_tell_lacking(&planning);
		plan_tell_pinned(&planning);
		plan_tell_reset(&planning);
		plan_find_beneath(&planning);
	}
	plan_tell_dead(&planning);
	collect_items(&planning);
	plan_find_renamed(&planning);
	collect_leaving(&planning);
	if (!input->destroy) {
		ret->outputs = arena_new_array(input->arena, input->stack->output_count + 1, struct stack_output);
		if (input->stack->output_count)
			memcpy(ret->outputs, input->stack->outputs,
			       input->stack->output_count * sizeof(struct stack_output));
		ret->output_count = input->stack->output_count;
	}
	finish(&planning);
	map_release(&planning.spare);
	map_release(&planning.named);
	map_release(&planning.renamed);
	buffer_release(&planning.symbolic);
	return diagnostics->error_count == errors;
}

bool action_is_carried_out(const struct action *action)
{
	return action->operation != OPERATION_INCOMPLETE && action->operation != OPERATION_NONE &&
	       action->operation != OPERATION_CONFLICT;
}

bool plan_is_empty(const struct plan *plan)
{
	return plan->action_count == plan->counts[OPERATION_INCOMPLETE];
}

bool plan_changes_reality(const struct plan *plan)
{
	return plan->action_count >
	       plan->counts[OPERATION_INCOMPLETE] + plan->counts[OPERATION_RECORD] + plan->counts[OPERATION_FORGET];
}

size_t plan_deletions(const struct plan *plan)
{
	return plan->counts[OPERATION_DELETE] + plan->counts[OPERATION_REPLACE];
}
