#include "reconcile/plan_items.h"

/*
 * What an object refers to that could not be read stays for now: whether it has let go cannot be told, and whatever it
 * runs would miss what is taken away under it. What stays so keeps what it refers to itself, and of what would follow a
 * replace that has to wait nothing is claimed.
 */

/* One that stays, and what it refers to with it. */
struct holder {
	struct object *object;
	const struct live *live;
	/* No more than what fields refer to that could not be read; of its item, or NULL. */
	bool in_part;
	const struct item *item;
};

struct holding {
	struct planning *planning;
	struct map leaving; /* addresses to the number of the first object there that goes */
	size_t *next;	    /* parallel to input->objects: the number of another one of the same address, or SIZE_MAX */
	struct holder *queue;
	size_t queued;
};

static const struct live *live_of(const struct planning *planning, size_t number)
{
	return planning->input->live[number];
}

static bool is_its_own(const struct planning *planning, size_t number)
{
	const struct item *item = planning->of_objects[number];
	return item && item->object == planning->input->objects[number];
}

/* Whether something goes that another one may use still. */
static bool any_goes(const struct planning *planning)
{
	for (size_t i = 0; i < planning->order_count; i++)
		if (planning->order[i]->operation == OPERATION_REPLACE)
			return true;
	for (size_t i = 0; i < planning->input->object_count; i++)
		if (planning->leaves[i] && !is_its_own(planning, i))
			return true;
	return false;
}

static bool is_unread(const struct live *live)
{
	return live && live->presence == PRESENCE_UNREAD;
}

/* What goes itself lets go of all. */
static bool goes(const struct planning *planning, size_t number)
{
	return is_its_own(planning, number) ? operation_ends(planning->of_objects[number]->operation)
					    : planning->leaves[number];
}

static void look_at(struct holding *holding, struct object *object, const struct live *live)
{
	holding->queue[holding->queued++] = (struct holder){.object = object, .live = live};
}

static void find_unread(struct holding *holding)
{
	const struct planning *planning = holding->planning;
	for (size_t i = 0; i < planning->input->object_count; i++) {
		struct object *object = planning->input->objects[i];
		const struct live *live = live_of(planning, i);
		bool undecided = is_its_own(planning, i) && planning->of_objects[i]->operation == OPERATION_INCOMPLETE;
		if (is_unread(live) || undecided)
			look_at(holding, object, live);
		else if (live && !goes(planning, i) && value_has_unread(&live->fields))
			holding->queue[holding->queued++] =
				(struct holder){object, live, true, planning->of_objects[i]};
	}
}

/* Why something stays for the sake of another. */
static const char *reason_of(const struct planning *planning, const struct holder *holder)
{
	bool unread = is_unread(holder->live) || holder->in_part;
	return arena_text(planning->arena, "'%.*s' refers to it and %s", SLICE_ARGUMENTS(holder->object->address),
			  unread ? "could not be read" : "stays for now");
}

static void keep_object(struct holding *holding, size_t number, const char *reason)
{
	struct planning *planning = holding->planning;
	planning->held[number] = reason;
	planning->leaves[number] = false;
	look_at(holding, planning->input->objects[number], live_of(planning, number));
}

/* Nothing is made there now: what stands in for that stays. */
static void keep_stand_ins(struct holding *holding, const struct item *item)
{
	const struct planning *planning = holding->planning;
	for (size_t k = map_number(&holding->leaving, item->address); k != SIZE_MAX; k = holding->next[k])
		if (plan_goes_last(planning, k, OPERATION_DELETE) && !planning->held[k])
			keep_object(holding, k, "what is to take its place is not made yet");
}

/* The item stays as it is, with the object that it has. */
static void keep_item(struct holding *holding, struct item *item, const char *reason)
{
	if (item->operation == OPERATION_TAKE_BACK)
		plan_item_cancel_take_back(item);
	item->operation = OPERATION_INCOMPLETE;
	item->reason = reason;
	item->waits = true;
	if (item->object)
		look_at(holding, item->object, item->live);
	keep_stand_ins(holding, item);
}

static void hold_address(struct holding *holding, struct slice address, const struct holder *holder)
{
	struct planning *planning = holding->planning;
	struct item *item = plan_item_at(planning, address);
	if (item && item->operation == OPERATION_REPLACE)
		keep_item(holding, item, reason_of(planning, holder));
	for (size_t k = map_number(&holding->leaving, address); k != SIZE_MAX; k = holding->next[k]) {
		struct object *object = planning->input->objects[k];
		if (object == holder->object || planning->held[k])
			continue;
		keep_object(holding, k, reason_of(planning, holder));
	}
}

/* Whether it uses what the reference names, for all that is known: what is sent as a whole lets go unseen. */
static bool may_use(const struct holder *holder, const struct dependency *dependency)
{
	const struct item *item = holder->item;
	if (!holder->in_part)
		return true;
	const struct value *field = value_get(&holder->live->fields, dependency->field);
	bool lets_go = item && (difference_sets(item->fields, dependency->field) ||
				difference_sets(item->parts, dependency->field));
	return field && value_has_unread(field) && !lets_go;
}

static void hold_targets(struct holding *holding, struct holder holder)
{
	if (!plan_load_body(holding->planning, holder.object))
		return;
	for (size_t i = 0; i < holder.object->dependency_count; i++)
		if (may_use(&holder, &holder.object->dependencies[i]))
			hold_address(holding, holder.object->dependencies[i].address, &holder);
}

static bool needs_what_waits(struct planning *planning, const struct item *item)
{
	for (size_t i = 0; i < item->resource->dependency_count; i++) {
		const struct item *target = plan_item_at(planning, item->resource->dependencies[i].address);
		if (target && target->waits)
			return true;
	}
	return false;
}

/* Whether anything more has to wait. */
static bool keep_users(struct holding *holding)
{
	struct planning *planning = holding->planning;
	bool any = false;
	for (size_t i = 0; i < planning->order_count; i++) {
		struct item *item = planning->order[i];
		if (!plan_item_acts(item) || !needs_what_waits(planning, item))
			continue;
		keep_item(holding, item, "what it needs is to be replaced first");
		any = true;
	}
	return any;
}

static void find_leaving(struct holding *holding)
{
	struct planning *planning = holding->planning;
	for (size_t i = 0; i < planning->input->object_count; i++) {
		struct slice address = planning->input->objects[i]->address;
		if (!planning->leaves[i] || is_its_own(planning, i))
			continue;
		holding->next[i] = map_number(&holding->leaving, address);
		map_set_number(&holding->leaving, address, i);
	}
}

void plan_hold(struct planning *planning)
{
	size_t count = planning->input->object_count;
	struct holding holding = {.planning = planning};
	if (!planning->input->live || !any_goes(planning))
		return;
	planning->held = arena_new_array(planning->arena, count, const char *);
	holding.next = arena_new_array(planning->arena, count, size_t);
	/* Once for what was not read, once for what stays because of that. */
	holding.queue = arena_new_array(planning->arena, 2 * count + planning->item_count, struct holder);
	map_init(&holding.leaving);
	find_leaving(&holding);
	find_unread(&holding);
	for (size_t i = 0; i < planning->order_count; i++)
		if (planning->order[i]->operation == OPERATION_INCOMPLETE)
			keep_stand_ins(&holding, planning->order[i]);
	size_t done = 0;
	do
		for (; done < holding.queued; done++)
			hold_targets(&holding, holding.queue[done]);
	while (keep_users(&holding));
	map_release(&holding.leaving);
}
