#include "reconcile/plan_items.h"
#include "reconcile/unfinished.h"

/* What a plan shows of an action: which fields become what, whether somebody else is why, and what that interrupts. */

/* The field becomes another one though nobody knows what it is: the spec says so. */
static bool sets_unread(const struct item *item, const struct change *change)
{
	bool sets = change->effect == EFFECT_SET || change->effect == EFFECT_REPLACE ||
		    change->effect == EFFECT_REPLACE_UNLESS_EQUAL;
	const struct value *now =
		sets && change->field && item->live ? value_get_named(&item->live->fields, change->field->name) : NULL;
	return now && value_has_unread(now);
}

static void copy_changes(struct action *action, const struct item *item, struct arena *arena)
{
	const struct difference *all[] = {item->fields, item->parts, item->lifecycle};
	size_t count = 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		count += all[i] ? all[i]->count : 0;
	action->changes = arena_new_array(arena, count + 1, struct change);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t k = 0; all[i] && k < all[i]->count; k++)
			action->changes[action->change_count++] = all[i]->changes[k];
		action->drifted |= all[i] && all[i]->drifted;
	}
	for (size_t i = 0; i < action->change_count; i++)
		action->changes[i].unread |= sets_unread(item, &action->changes[i]);
}

/* Whether what is to be changed runs, as far as anybody knows, and is to run on. */
static bool runs_on(const struct item *item)
{
	const char *name = item->resource->kind->running;
	const struct value *now = name ? plan_field_now(item->object, item->live, name) : NULL;
	const struct value *wanted = name ? value_if_set(value_get_named(&item->wanted, name)) : NULL;
	if (name && slice_is_among(name, item->ignored, item->ignored_count))
		wanted = NULL;
	return name && (!now || !value_is(now, VALUE_BOOL) || now->boolean) &&
	       (!wanted || !value_is(wanted, VALUE_BOOL) || wanted->boolean);
}

/* Whoever approves the plan is told what it interrupts. */
static void note_pauses(struct action *action, const struct item *item)
{
	if (!operation_keeps(action->operation) || !runs_on(item))
		return;
	for (size_t i = 0; i < action->change_count; i++) {
		struct change *change = &action->changes[i];
		change->pauses = change->effect == EFFECT_SET && change->field && (change->field->flags & PAUSES);
	}
}

/* Recorded as whole, and not there any more: what is to be made again went behind our back. */
static bool is_missing(const struct action *action)
{
	return action->operation == OPERATION_CREATE && action->object_id.size > 0 && action->role == OBJECT_CURRENT;
}

/* A create has no difference to show; its fields are what will be set. */
static void list_fields(struct action *action, const struct item *item, struct arena *arena)
{
	const struct kind *kind = item->resource->kind;
	const struct value fields = value_overlaid(&action->known, &action->constants, arena);

	action->drifted = is_missing(action) && !unfinished_is_deletion(item->object);
	action->changes = arena_new_array(arena, fields.count + 1, struct change);
	for (uint32_t i = 0; i < fields.count; i++) {
		const struct value_member *member = &fields.members[i];
		action->changes[action->change_count++] = (struct change){
			.path = value_slice(&member->key),
			.field = field_named(&kind->fields, value_slice(&member->key)),
			.cause = action->drifted ? CAUSE_DRIFT : CAUSE_INTENT,
			.effect = EFFECT_SET,
			.before = value_null(),
			.after = member->value,
		};
	}
}

/* What becomes of fields no longer set, from both halves of the difference. */
static void join_unset(struct action *action, const struct item *item, struct arena *arena)
{
	const struct difference *halves[] = {item->fields, item->parts};
	for (size_t i = 0; i < 2; i++) {
		if (!halves[i])
			continue;
		action->released = value_overlaid(&action->released, &halves[i]->released, arena);
		action->constants = value_overlaid(&action->constants, &halves[i]->constants, arena);
	}
	/* What is made has nothing yet that could go back: it is made with that. */
	if (operation_makes(item->operation))
		action->constants = value_overlaid(&action->constants, &item->resource->restores, arena);
}

void plan_describe_changes(const struct planning *planning, struct action *action, const struct item *item)
{
	join_unset(action, item, planning->arena);
	if (item->operation == OPERATION_CREATE || (item->operation == OPERATION_ADOPT && !item->fields))
		list_fields(action, item, planning->arena);
	else
		copy_changes(action, item, planning->arena);
	action->drifted |= planning->input->scope.looks &&
			   (plan_has_failed(item) || plan_live_state(planning, item) == LIVE_NOT_OURS);
	note_pauses(action, item);
}
