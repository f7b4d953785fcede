#include "reconcile/apply_parts.h"
#include "reconcile/departed.h"

/* One of those whose records name an object that may be deleted. */
struct namer {
	struct object *object;
	const struct namer *next;
};

struct naming {
	struct applying *applying;
	struct object *object;
};

static void note(void *context, struct slice provider_id)
{
	const struct naming *naming = context;
	struct map *namers = &naming->applying->namers;
	struct namer *added = arena_new(naming->applying->apply->arena, struct namer);

	*added = (struct namer){naming->object, map_get(namers, provider_id)};
	map_set(namers, provider_id, added);
}

/* Whether its record will be there in the end, as that of the same object. */
static bool stays(const struct applying *applying, const struct object *object)
{
	const struct target *target = map_get(&applying->by_address, object->address);

	if (object->role != OBJECT_CURRENT || !target)
		return object->role == OBJECT_CURRENT;
	return target->old == object &&
	       (target->action->operation == OPERATION_UPDATE || target->action->operation == OPERATION_RECORD ||
		target->action->operation == OPERATION_NONE);
}

static bool is_read(const struct apply *apply, size_t number)
{
	return apply->live && apply->live[number] && apply->live[number]->presence == PRESENCE_PRESENT;
}

/* By what the plan has read, where it has: what is only recorded there others had taken away before. */
static void find_namers(struct applying *applying, struct diagnostics *diagnostics)
{
	const struct apply *apply = applying->apply;

	applying->has_namers = true;
	for (size_t i = 0; i < apply->object_count; i++) {
		struct naming naming = {applying, apply->objects[i]};
		const struct kind *kind = kinds_find(apply->kinds, naming.object->kind);

		if (!kind || !departed_has(kind, NULL) || !stays(applying, naming.object) ||
		    (!naming.object->has_body && !apply->load_body(apply->load_context, naming.object, diagnostics)))
			continue;
		departed_each(kind, is_read(apply, i) ? &apply->live[i]->fields : &naming.object->observed, note,
			      &naming);
	}
}

static bool may_be_named(const struct kinds *kinds, const struct kind *kind)
{
	for (size_t i = 0; i < kinds->count; i++)
		if (departed_has(kinds->items[i], kind->name))
			return true;
	return false;
}

/* kind: of those who lose it, or NULL: any. Adds to what changes with the node's own record. */
static void take_from_others(struct node *node, struct slice provider_id, const struct kind *kind)
{
	struct applying *applying = node->target->applying;
	const struct apply *apply = applying->apply;
	struct task *task = &node->work.task;
	struct map only;

	if (!applying->has_namers)
		find_namers(applying, task->diagnostics);
	map_init(&only);
	map_mark(&only, provider_id);
	for (const struct namer *namer = map_get(&applying->namers, provider_id); namer; namer = namer->next) {
		const struct kind *of_namer = kinds_find(apply->kinds, namer->object->kind);

		if (namer->object == task->object || (kind && of_namer != kind) ||
		    !departed_take_out(namer->object, of_namer, &only, apply->secrets.style, apply->arena))
			continue;
		task->others = arena_room(apply->arena, task->others, task->other_count, &task->other_capacity,
					  sizeof(struct object *));
		task->others[task->other_count++] = namer->object;
	}
	map_release(&only);
}

void node_take_departed(struct node *node)
{
	struct applying *applying = node->target->applying;
	struct object *old = node->target->old;

	if (old->provider_id.size == 0 || !may_be_named(applying->apply->kinds, node->work.kind))
		return;
	map_mark(&applying->gone, old->provider_id);
	take_from_others(node, old->provider_id, NULL);
}

void node_take_over(struct node *node)
{
	const struct action *action = node->target->action;

	for (size_t i = 0; i < action->change_count; i++) {
		const struct change *change = &action->changes[i];
		const struct field *item = change->field ? change->field->item : NULL;

		if (item && (item->flags & DEPARTS) && (item->flags & SOLE) && change->effect == EFFECT_SET &&
		    value_is(&change->after, VALUE_STRING))
			take_from_others(node, value_slice(&change->after), action->kind);
	}
}
