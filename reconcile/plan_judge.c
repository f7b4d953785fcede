#include "reconcile/lineage.h"
#include "reconcile/plan_items.h"
#include "reconcile/schema.h"
#include "reconcile/secret_marks.h"
#include "reconcile/secret_places.h"
#include "reconcile/unfinished.h"

static bool has_moved_outputs(const struct difference *fields)
{
	for (size_t i = 0; fields && i < fields->count; i++)
		if (!fields->changes[i].field && fields->changes[i].effect == EFFECT_RECORD)
			return true;
	return false;
}

/* Whether everything that a resource refers to keeps its outputs under this plan. */
static bool inputs_stand(struct planning *planning, const struct resource *resource, bool parts)
{
	for (size_t i = 0; i < resource->dependency_count; i++) {
		const struct dependency *dependency = &resource->dependencies[i];
		if ((dependency->binding == BINDS_SETTLE) != parts)
			continue;
		const struct item *target = plan_item_at(planning, dependency->address);
		if (!target || !target->resource)
			return false;
		if ((target->operation != OPERATION_NONE && target->operation != OPERATION_RECORD) ||
		    has_moved_outputs(target->fields))
			return false;
	}
	return true;
}

static const struct digest *recorded_outputs(void *context, struct slice address)
{
	const struct item *item = plan_item_at(context, address);
	return item && item->object ? &item->object->outputs_digest : NULL;
}

static bool refer_alike(const struct resource *a, const struct resource *b)
{
	if (a->dependency_count != b->dependency_count)
		return false;
	for (size_t i = 0; i < a->dependency_count; i++)
		if (!slice_equal(a->dependencies[i].address, b->dependencies[i].address) ||
		    a->dependencies[i].binding != b->dependencies[i].binding ||
		    a->dependencies[i].immutable != b->dependencies[i].immutable)
			return false;
	return true;
}

/* plan_inputs_digest() over what is recorded. Neighbours in a spec mostly refer to the same resources. */
static const struct digest *inputs_digest(struct planning *planning, const struct resource *resource)
{
	if (!planning->inputs_of || !refer_alike(planning->inputs_of, resource))
		planning->inputs = plan_inputs_digest(resource->dependencies, resource->dependency_count,
						      recorded_outputs, planning);
	planning->inputs_of = resource;
	return &planning->inputs;
}

/* None of these is a secret, so the time it takes may tell of them. */
static bool is_same(const struct digest *a, const struct digest *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* The digest test: the same desired form (kind, its version and protection are of it) over the same outputs as when it
 * was applied, and in the same place. */
static bool is_proven_unchanged(struct planning *planning, const struct item *item)
{
	const struct object *object = item->object;
	if (!object || item->live || object->role != OBJECT_CURRENT || item->moved)
		return false;
	struct digest symbolic = resource_symbolic_in(&planning->symbolic, item->resource,
						      planning->input->secrets.style, planning->arena);
	static const struct digest never = {0};
	return !is_same(&symbolic, &never) && is_same(&symbolic, &object->symbolic) &&
	       inputs_stand(planning, item->resource, false) &&
	       is_same(inputs_digest(planning, item->resource), &object->inputs);
}

/* Whose partition is what tells two places apart. */
static struct slice with_partition(const struct planning *planning, struct slice told, const struct identity *identity)
{
	return arena_format(planning->arena, "%.*s, partition '%.*s'", SLICE_ARGUMENTS(told),
			    SLICE_ARGUMENTS(identity->partition));
}

/* Of all that is recorded in a place one error is enough: the one thing that is wrong is who is asked. */
static void report_elsewhere(struct planning *planning, const struct item *item)
{
	struct slice was = identity_told(planning->arena, &item->object->identity);
	struct slice is = identity_told(planning->arena, item->identity);
	if (slice_equal(was, is)) {
		was = with_partition(planning, was, &item->object->identity);
		is = with_partition(planning, is, item->identity);
	}
	struct slice pair = arena_format(planning->arena, "%.*s\n%.*s", SLICE_ARGUMENTS(was),
					 SLICE_ARGUMENTS(item->resource->provider));

	if (!planning->elsewhere)
		planning->elsewhere = map_new(planning->arena);
	if (!map_mark(planning->elsewhere, pair))
		return;
	diag_error(planning->diagnostics, FAULT_CONFLICT, item->resource->position,
		   "'%.*s' is recorded in %.*s, but provider '%.*s' reaches %.*s", SLICE_ARGUMENTS(item->address),
		   SLICE_ARGUMENTS(was), SLICE_ARGUMENTS(item->resource->provider), SLICE_ARGUMENTS(is));
	diag_hint(planning->diagnostics,
		  "use the credentials and endpoint that the stack was made with; whatever else is "
		  "recorded there waits for that, too");
	diag_address(planning->diagnostics, item->address);
}

/* False, after a diagnostic, where an alias reaches what must never be taken for the recorded place. */
static bool check_identity(struct planning *planning, struct item *item)
{
	if (!item->object || !item->identity || identity_equal(&item->object->identity, item->identity))
		return true;
	const struct identity *recorded = &item->object->identity;
	struct identity elsewhere = *item->identity;
	elsewhere.region = recorded->region;
	if (identity_equal(&elsewhere, recorded)) {
		item->moved = true;
		return true;
	}
	report_elsewhere(planning, item);
	item->operation = OPERATION_CONFLICT;
	return false;
}

/* What has the name of something that is recorded and gone, or NULL. Of what has moved it is told that it is gone,
 * whoever has its name. */
static const struct live *namesake_of(const struct planning *planning, const struct item *item)
{
	const struct plan_input *input = planning->input;
	bool may_be = item->object && item->resource && input->unrecorded && !input->scope.looks;
	const struct live *namesake = may_be ? input->unrecorded[item->resource - input->stack->resources] : NULL;

	return namesake && namesake->presence == PRESENCE_PRESENT ? namesake : NULL;
}

enum live_state plan_live_state(const struct planning *planning, const struct item *item)
{
	if (!item->live)
		return item->object && (item->object->provider_id.size > 0) ? LIVE_PRESENT : LIVE_ABSENT;
	const struct ownership *ownership = &item->live->ownership;
	switch (item->live->presence) {
	case PRESENCE_ABSENT:
		return namesake_of(planning, item) ? LIVE_TAKEN : LIVE_ABSENT;
	case PRESENCE_LEAVING:
		return LIVE_LEAVING;
	case PRESENCE_UNREAD:
		return LIVE_UNREAD;
	case PRESENCE_PRESENT:
		break;
	}
	bool tagged = ownership->lineage.size > 0;
	bool ours = tagged && slice_equal(ownership->lineage, planning->input->record->lineage);
	if (item->object)
		return tagged && !ours ? LIVE_NOT_OURS : LIVE_PRESENT;
	if (ours || item->resource->kind->found)
		return LIVE_PRESENT;
	return lineage_is_of(ownership->lineage, planning->input->record->name) ? LIVE_NAMESAKE : LIVE_NOT_OURS;
}

/* Its id may be the name alone. */
static struct slice id_of_taker(const struct item *item, const struct live *taker)
{
	const struct outputs *outputs = &item->resource->kind->outputs;
	for (size_t i = 0; i < outputs->count; i++) {
		const struct output *output = output_at(outputs, i);
		const struct value *mark = output->tells_apart ? value_get_named(&taker->outputs, output->name) : NULL;
		if (mark && value_is(mark, VALUE_STRING))
			return value_slice(mark);
	}
	return taker->provider_id;
}

/* What to do about what has the name, or is all that the resource can be, and is not recorded. */
static const char *hint_at_taken(const struct planning *planning, const struct item *item, const struct live *taker)
{
	struct slice id = id_of_taker(item, taker);
	return arena_text(planning->arena, "%sgive yours another name: this one is %.*s",
			  lineage_is_of(taker->ownership.lineage, planning->input->record->name)
				  ? "if the state was lost, 'trueup state rebuild' makes it anew; else "
				  : "",
			  SLICE_ARGUMENTS(id));
}

const struct live *plan_marked(struct planning *planning, const struct kind *kind, const struct live *live,
			       const struct value *wanted, const struct object *object)
{
	bool recorded = object && object->has_body;
	const struct value *models[] = {wanted, recorded ? &object->resolved : NULL,
					recorded ? &object->observed : NULL, planning->input->scope.hidden};
	const size_t count = sizeof(models) / sizeof(models[0]);
	const struct json_style *style = planning->input->secrets.style;
	struct arena *arena = planning->arena;
	struct live *marked;

	if (!kind || !live || live->presence != PRESENCE_PRESENT)
		return live;
	marked = arena_new(arena, struct live);
	*marked = *live;
	marked->fields =
		secret_marks_put(arena, planning->input->secrets, &kind->fields, &marked->fields, models, count);
	/* What others may hold, the last, says of no field that a secret is there. */
	marked->fields = secret_places_hide(arena, style, &kind->fields, &marked->fields, models, count - 1);
	marked->outputs = secret_marks_put_outputs(arena, style, kind, &marked->outputs, models, count);
	return marked;
}

/* As it is judged. What is only looked at is told as it was read. */
static void take_live(struct planning *planning, struct item *item)
{
	item->live = plan_marked(planning, item->resource->kind, item->live, &item->wanted, item->object);
	if (!planning->input->scope.looks)
		plan_count_begun(planning, item);
}

/* anew: by a record that tells nothing of what the item is to be about. */
static void diff_item(struct planning *planning, struct item *item, bool parts, bool anew)
{
	if (!item->marked)
		take_live(planning, item);
	item->marked = true;
	plan_item_settle(planning, item);
	bool complete = item->object && object_was_finished(item->object) && !anew;
	struct difference *difference = arena_new(planning->arena, struct difference);
	const struct value *live = item->live && item->live->presence == PRESENCE_PRESENT ? &item->live->fields : NULL;
	const struct value *observed = complete ? &item->object->observed : NULL;
	if (parts) {
		observed = plan_less_mirrored(planning, item, observed, live);
		live = plan_less_mirrored(planning, item, live, live);
	}
	struct diff_input input = {
		.kind = item->resource->kind,
		.style = planning->input->secrets.style,
		.wanted = &item->wanted,
		.applied = item->object ? &item->object->resolved : NULL,
		.observed = observed,
		.spec = &item->resource->desired,
		.spec_applied = complete ? &item->object->applied : NULL,
		.live = live,
		.outputs = live ? &item->live->outputs : NULL,
		.recorded_outputs = complete ? &item->object->outputs : NULL,
		.tells_secret = complete && item->object->tells_secret,
		.unfinished = item->object && unfinished_has_note(item->object),
		.owed = item->object ? unfinished_owed(item->object) : NULL,
		.before = item->object ? unfinished_before(item->object) : NULL,
		.restores = &item->resource->restores,
		.remakes = item->resource->remade,
		.ignored = item->ignored,
		.ignored_count = item->ignored_count,
		.parts_only = parts,
		.fields_only = !parts,
		.outputs_only = item->resource->stands,
	};
	diff_resource(&input, planning->arena, difference);
	/* What is only looked at is not started. */
	if (!parts && !planning->input->scope.looks)
		diff_still(&input, planning->arena, difference);
	if (!parts)
		plan_follow_tags(planning, item, difference);
	*(parts ? &item->parts : &item->fields) = difference;
}

static void uproot(struct planning *planning, const struct item *item)
{
	for (size_t i = 0; i < item->fields->count; i++) {
		struct change *change = &item->fields->changes[i];
		if (change->effect != EFFECT_SET || !change->field || !plan_is_uprooted(planning, item, change->field))
			continue;
		change->effect = EFFECT_REPLACE;
		item->fields->replaces = true;
	}
}

/* What failed before it was finished holds nothing yet, and is made anew; of anything else that is not ours to say. */
static bool failed_in_the_making(const struct item *item)
{
	return plan_has_failed(item) && !object_was_finished(item->object);
}

/* A deferred value that is certain to be another one makes the replace certain. */
static bool replace_is_certain(struct planning *planning, const struct item *item)
{
	if (item->moved || item->fields->replaces || failed_in_the_making(item))
		return true;
	for (size_t i = 0; i < item->resource->dependency_count; i++) {
		const struct dependency *dependency = &item->resource->dependencies[i];
		const struct item *target = plan_item_at(planning, dependency->address);
		if (dependency->immutable && plan_is_new_for_certain(target) &&
		    !plan_output_stays(planning, dependency))
			return true;
	}
	return false;
}

static enum difference_class class_of(const struct item *item)
{
	const struct difference *fields = item->fields;
	if (!fields)
		return DIFFERENCE_NONE;
	if (fields->conflicts)
		return DIFFERENCE_FIXED;
	/* What is adopted is recorded first, and changed with that. */
	if (!item->object)
		return DIFFERENCE_NONE;
	if (item->moved || fields->replaces || fields->maybe_replaces || failed_in_the_making(item))
		return DIFFERENCE_REPLACE;
	if (fields->lacks)
		return DIFFERENCE_LOST;
	return fields->makes || !object_was_finished(item->object) ? DIFFERENCE_IN_PLACE : DIFFERENCE_NONE;
}

/* Whether the service still carries out what a run began that did not end. */
static bool is_under_way(const struct item *item)
{
	return item->object && unfinished_has_note(item->object) && item->live &&
	       item->live->readiness == READY_PENDING;
}

/* What is only looked at is not changed. */
static void bring_within_bounds(struct planning *planning, const struct item *item)
{
	bool is_there = item->live && item->live->presence == PRESENCE_PRESENT;
	const struct value *now = is_there ? &item->live->fields : item->object ? &item->object->observed : NULL;
	if (!planning->input->scope.looks && !item->fields->replaces && !item->fields->maybe_replaces)
		diff_bounds(item->resource->kind, now, planning->arena, item->fields);
}

enum difference_class plan_item_compare(struct planning *planning, struct item *item)
{
	diff_item(planning, item, false, false);
	/* What is found elsewhere is another thing: that it is not like the one that is recorded is no drift. */
	if (item->resource->kind->found && item->fields->replaces)
		diff_item(planning, item, false, true);
	uproot(planning, item);
	bring_within_bounds(planning, item);
	/* Nothing may be left to set, and yet it is not done. */
	item->fields->makes |= is_under_way(item);
	return class_of(item);
}

/* Why that is done, where more is known of it than the decision table does. */
static const char *reason_of(const struct item *item, const struct situation *situation, const char *reason)
{
	const struct object *object = item->object;
	bool incomplete = object && object->role == OBJECT_INCOMPLETE;

	if (item->operation == OPERATION_CREATE && object && unfinished_is_deletion(object))
		return situation->live == LIVE_LEAVING
			       ? "is being deleted by a run that did not end, and is made anew after that"
			       : "was deleted by a run that did not end";
	/* Nobody deleted what was never there. */
	if (item->operation == OPERATION_CREATE && incomplete && object->provider_id.size == 0)
		return "its create has not completed";
	if (item->operation == OPERATION_REPLACE && failed_in_the_making(item))
		return "was given up by the service before it was finished";
	if (item->operation == OPERATION_UPDATE && incomplete)
		return "was not finished by the run that began it";
	if (item->operation == OPERATION_UPDATE && plan_tags_reason(item))
		return is_under_way(item) ? "is still at what a run began that did not end" : plan_tags_reason(item);
	return item->moved && item->operation == OPERATION_REPLACE ? "its provider now reaches another region" : reason;
}

/* Whether expressions came to more than the id of another thing. */
static bool is_worked_out(const struct resource *resource)
{
	for (uint32_t i = 0; i < resource->desired.count; i++) {
		const struct value_member *member = &resource->desired.members[i];
		if (!value_has_deferred(&member->value))
			continue;
		const struct field *field = field_named(&resource->kind->fields, value_slice(&member->key));
		if (!field || field->type != FIELD_REFERENCE)
			return true;
	}
	return false;
}

/* What the item is to be, in the form and with the marks that an apply gives it; what it would refuse is refused. */
static bool resolve(struct planning *planning, struct item *item)
{
	const struct resource *resource = item->resource;
	struct output_source source = {planning, plan_item_output};
	size_t told = planning->diagnostics->count;
	struct value resolved;
	if (!planning->input->resolver->resolve(planning->input->resolver, &resource->desired, &source, planning->arena,
						&resolved, planning->diagnostics))
		return false;
	if (!is_worked_out(resource)) {
		item->wanted = resolved;
		return true;
	}
	bool good = schema_check(resource->kind, &resolved, planning->arena, &item->wanted, planning->diagnostics);
	for (size_t i = told; i < planning->diagnostics->count; i++)
		planning->diagnostics->items[i].address = item->address;
	return good;
}

static bool judge_fields(struct planning *planning, struct item *item)
{
	if (!check_identity(planning, item))
		return false;
	if (is_proven_unchanged(planning, item)) {
		item->unchanged = true;
		return true;
	}
	if (!plan_load_body(planning, item->object) || !resolve(planning, item))
		return false;
	bool looks = planning->input->scope.looks;
	struct situation situation = {
		.in_spec = true,
		.in_record = item->object != NULL,
		.live = plan_live_state(planning, item),
		.protect = !looks && (item->resource->protect || (item->object && item->object->protect)),
		.found = item->resource->kind->found,
	};
	/* What goes by another owner's name may have been changed as well. */
	if ((situation.live == LIVE_PRESENT || (looks && situation.live == LIVE_NOT_OURS)) &&
	    (item->object || item->resource->kind->found))
		situation.difference = plan_item_compare(planning, item);
	struct decision decision = decide(&situation);
	item->difference = situation.difference;
	item->operation = decision.operation;
	item->reason = reason_of(item, &situation, decision.reason);
	item->hint = decide_hint(&situation, &decision);
	if (situation.live == LIVE_TAKEN)
		item->hint = hint_at_taken(planning, item, namesake_of(planning, item));
	else if ((situation.live == LIVE_NOT_OURS || situation.live == LIVE_NAMESAKE) && !item->object)
		item->hint = hint_at_taken(planning, item, item->live);
	else if (situation.live == LIVE_NOT_OURS)
		item->hint = plan_hint_at_owner(planning, item->object, item->live);
	item->maybe = item->operation == OPERATION_REPLACE && !replace_is_certain(planning, item);
	if (item->operation == OPERATION_NONE && item->fields && item->fields->records)
		item->operation = OPERATION_RECORD;
	if (looks) {
		if (item->operation == OPERATION_CONFLICT && situation.difference == DIFFERENCE_FIXED)
			item->reason = "is another thing than is recorded";
		return true;
	}
	situation.protect = false;
	decision = decide(&situation);
	plan_item_take_back(planning, item, &decision);
	return true;
}

/*
 * The new object is made whole, whatever the old one has: the difference is for whoever approves it. What could not be
 * read of the old one keeps nothing of the new one from being set.
 */
static void only_show(struct difference *parts)
{
	struct difference shown = {.changes = parts->changes, .drifted = parts->drifted};
	for (size_t i = 0; i < parts->count; i++)
		if (parts->changes[i].effect != EFFECT_UNREAD)
			shown.changes[shown.count++] = parts->changes[i];
	shown.constants = shown.released = value_map(NULL, 0);
	*parts = shown;
}

/* Whether what its parts refer to may have been judged after its fields. */
static bool has_backward_reference(const struct resource *resource)
{
	for (size_t i = 0; i < resource->dependency_count; i++)
		if (resource->dependencies[i].binding == BINDS_SETTLE)
			return true;
	return false;
}

/* Parts never replace anything, so they can be judged once all replaces are known. */
static bool judge_parts(struct planning *planning, struct item *item)
{
	if (item->resource->stands)
		return true;
	if (item->unchanged) {
		if (inputs_stand(planning, item->resource, true))
			return true;
		/* Something a part refers to changes: the short cut does not hold for parts. */
		item->unchanged = false;
		if (!plan_load_body(planning, item->object))
			return false;
		item->wanted = item->resource->desired;
	}
	bool stays = item->operation == OPERATION_NONE || item->operation == OPERATION_RECORD ||
		     operation_keeps(item->operation);
	/* Whatever would become of it: all that has moved is asked for. */
	bool looks = planning->input->scope.looks && item->fields;
	if (!stays && !looks && item->operation != OPERATION_REPLACE)
		return !has_backward_reference(item->resource) || resolve(planning, item);
	if (!resolve(planning, item))
		return false;
	diff_item(planning, item, true, false);
	item->lifecycle = plan_item_lifecycle(planning, item);
	if (!stays && !looks)
		only_show(item->parts);
	if (!stays)
		return true;
	if (item->parts->settles && !operation_keeps(item->operation)) {
		item->operation = OPERATION_UPDATE;
		item->reason = "can change in place";
	}
	if (item->operation == OPERATION_NONE && (item->parts->records || item->lifecycle))
		item->operation = OPERATION_RECORD;
	return true;
}

/* Whether the record has it: of what was never finished it has the id at most. */
static bool has_output(const struct object *object, struct slice output)
{
	return object && object->provider_id.size > 0 &&
	       (object->role != OBJECT_INCOMPLETE || (object->has_body && value_get(&object->outputs, output)));
}

/* Whether an output that the item needs cannot be had: its target could not be read. */
static bool is_blocked(struct planning *planning, const struct item *item)
{
	for (size_t i = 0; i < item->resource->dependency_count; i++) {
		const struct dependency *dependency = &item->resource->dependencies[i];
		const struct item *target = plan_item_at(planning, dependency->address);
		if (target && target->operation == OPERATION_INCOMPLETE &&
		    !has_output(target->object, dependency->output))
			return true;
	}
	return false;
}

/* Nothing is claimed about what would have to wait for something that could not be read. Parts may refer backwards. */
static void block(struct planning *planning)
{
	bool again = planning->order_count > 0;
	while (again) {
		again = false;
		for (size_t i = 0; i < planning->order_count; i++) {
			struct item *item = planning->order[i];
			if (!plan_item_acts(item) || !is_blocked(planning, item))
				continue;
			if (item->operation == OPERATION_TAKE_BACK)
				plan_item_cancel_take_back(item);
			item->operation = OPERATION_INCOMPLETE;
			item->reason = "what it needs could not be read";
			again |= !item->object || item->object->role == OBJECT_INCOMPLETE ||
				 item->object->provider_id.size == 0;
		}
	}
}

void plan_items_judge(struct planning *planning)
{
	for (size_t i = 0; i < planning->order_count; i++)
		if (!judge_fields(planning, planning->order[i]))
			planning->order[i]->operation = OPERATION_CONFLICT;
	for (size_t i = 0; i < planning->order_count; i++)
		if (!judge_parts(planning, planning->order[i]))
			planning->order[i]->operation = OPERATION_CONFLICT;
	block(planning);
}
