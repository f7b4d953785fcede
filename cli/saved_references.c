#include "cli/saved_references.h"

#include "base/cidr.h"
#include "cli/saved_beside.h"
#include "cli/saved_refusal.h"
#include "reconcile/unique.h"

typedef void reference_visit(void *context, const struct action *action, size_t object);

static void index_objects(const struct job *job, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->role == OBJECT_CURRENT)
			map_set(ret, job->objects[i]->address, &job->objects[i]);
}

/*
 * What the plan does: by address to what that stands for, and by id to each object. What a replace has left behind is
 * told by its id alone, for nobody refers to that.
 */
static void index_actions(const struct plan *saved, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < saved->action_count; i++) {
		struct action *action = &saved->actions[i];

		if (!action_is_carried_out(action))
			continue;
		if (action->role != OBJECT_DEPOSED)
			map_set(ret, action->address, action);
		if (action->object_id.size > 0)
			map_set(ret, action->object_id, action);
	}
}

/* Whether the plan does something to the object itself. */
static bool is_touched(const struct map *touched, const struct object *object)
{
	return map_get(touched, object->role == OBJECT_DEPOSED ? object->object_id : object->address);
}

/* Calls visit for each object that an action refers to, as often as one does. */
static void visit_references(struct job *job, const struct plan *saved, reference_visit *visit, void *context)
{
	struct map current, touched;

	index_objects(job, &current);
	index_actions(saved, &touched);
	for (size_t i = 0; i < saved->action_count; i++) {
		const struct action *action = &saved->actions[i];

		for (size_t k = 0; action_is_carried_out(action) && k < action->wanted_count; k++) {
			struct slice address = action->wanted[k].address;
			struct object *const *place = map_get(&current, address);

			if (place && !map_get(&touched, address) && !dependency_repeats(action->wanted, k))
				visit(context, action, (size_t)(place - job->objects));
		}
	}
	map_release(&current);
	map_release(&touched);
}

struct adding {
	struct job *job;
	struct map *ids;
};

static void add_reference(void *context, const struct action *action, size_t object)
{
	struct adding *adding = (struct adding *)context;

	(void)action;
	map_mark(adding->ids, adding->job->objects[object]->object_id);
}

void saved_references_add(struct job *job, const struct plan *saved, struct map *ids)
{
	struct adding adding = {job, ids};

	visit_references(job, saved, add_reference, &adding);
}

struct checking {
	struct job *job;
	bool good;
};

static void check_reference(void *context, const struct action *action, size_t object)
{
	struct checking *checking = (struct checking *)context;
	struct job *job = checking->job;
	const struct live *live = job->refresh.live[object];
	struct slice address = job->objects[object]->address;

	if (!live || (live->presence != PRESENCE_ABSENT && live->presence != PRESENCE_LEAVING))
		return;
	checking->good = saved_plan_refuse(
		job, address,
		arena_format(job->arena, "it is %s, and '%.*s' refers to it",
			     live->presence == PRESENCE_ABSENT ? "not there any more" : "being deleted",
			     SLICE_ARGUMENTS(action->address)));
}

/* What was renamed or forgotten since, or went with its record, has nothing any more that an action could name. */
static bool check_recorded(struct job *job, const struct plan *saved, const struct map *touched)
{
	struct map recorded;
	bool good = true;

	map_init(&recorded);
	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->role != OBJECT_DEPOSED)
			map_mark(&recorded, job->objects[i]->address);
	for (size_t i = 0; i < saved->action_count; i++) {
		const struct action *action = &saved->actions[i];

		for (size_t k = 0; action_is_carried_out(action) && k < action->wanted_count; k++) {
			struct slice address = action->wanted[k].address;

			if (!map_has(&recorded, address) && !map_get(touched, address) &&
			    !dependency_repeats(action->wanted, k))
				good = saved_plan_refuse(
					job, address,
					arena_format(job->arena, "it is not recorded any more, and '%.*s' refers to it",
						     SLICE_ARGUMENTS(action->address)));
		}
	}
	map_release(&recorded);
	return good;
}

/*
 * Whether the plan takes away what is referred to. Of what is replaced the id alone is sure to be another: whoever only
 * comes after it, or names what the new one has too, may well be left as it is.
 */
static bool ends(const struct action *action, const struct dependency *dependency)
{
	const struct output *id = kind_output(action->kind, NULL);

	if (action->operation == OPERATION_REPLACE)
		return id && slice_is(dependency->output, id->name);
	if (action->operation != OPERATION_UPDATE)
		return action->operation == OPERATION_DELETE;
	const struct output *output = output_named(&action->kind->outputs, dependency->output);

	return output && changes_take_away(action->changes, action->change_count, output);
}

typedef void user_visit(void *context, const struct object *user, const struct dependency *dependency);

/* Calls visit for what refers to something that the plan takes away, and is no part of it. */
static void visit_users(struct job *job, const struct map *touched, user_visit *visit, void *context)
{
	for (size_t i = 0; i < job->object_count; i++) {
		const struct object *object = job->objects[i];

		for (size_t k = 0; !is_touched(touched, object) && k < object->dependency_count; k++) {
			const struct dependency *dependency = &object->dependencies[k];
			const struct action *action = map_get(touched, dependency->address);

			if (action && ends(action, dependency))
				visit(context, object, dependency);
		}
	}
}

/* Who refers to what: the same one may refer to something else by then. */
static struct slice use_text(const struct object *user, const struct dependency *dependency, struct arena *arena)
{
	return arena_format(arena, "%.*s %.*s.%.*s", SLICE_ARGUMENTS(user->address),
			    SLICE_ARGUMENTS(dependency->address), SLICE_ARGUMENTS(dependency->output));
}

typedef bool unique_visit(void *context, const struct field *field, struct slice text);

struct visiting {
	const struct kind *kind;
	const struct identity *place;
	struct arena *arena;
	unique_visit *visit;
	void *context;
	bool good;
};

static void visit_one(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	struct visiting *visiting = (struct visiting *)context;
	struct slice text = unique_value(visiting->kind, field, value, fields, visiting->place, visiting->arena);

	if (text.size > 0)
		visiting->good &= visiting->visit(visiting->context, field, text);
}

/* Calls visit for all that an object of the kind has for itself alone: names, ranges, addresses, and what it is
 * attached to, also by an item of a set. What is no part of the plan keeps that, though it could hand it on. */
static bool visit_unique(const struct kind *kind, const struct value *fields, const struct identity *place,
			 struct arena *arena, unique_visit *visit, void *context)
{
	struct visiting visiting = {kind, place, arena, visit, context, true};

	for (size_t i = 0; value_is(fields, VALUE_MAP) && i < kind->fields.count; i++)
		unique_each(field_at(&kind->fields, i), fields, visit_one, &visiting);
	return visiting.good;
}

/* One of those who have the same, or a range within the same. */
struct held {
	struct cidr range; /* of those */
	const struct object *holder;
	const struct held *next;
};

struct taking;
/* By the record the holder has what the plan gives to taking->taker. */
typedef bool taken_visit(struct taking *taking, const struct object *holder, const struct field *field,
			 struct slice text);

struct taking {
	struct job *job;
	struct map held; /* struct held, the first of each thing, or of the ranges within it */
	const struct object *holder;
	struct slice taker;
	taken_visit *visit;
	void *context;
};

/* Of the text of a range: all before its last line tells within what. */
static bool read_range(struct slice text, struct slice *scope, struct cidr *range)
{
	size_t size = text.size;

	while (size > 0 && text.data[size - 1] != '\n')
		size--;
	*scope = slice_first(text, size);
	return cidr_read(slice_from(text, size), range);
}

static bool note_holder(void *context, const struct field *field, struct slice text)
{
	struct taking *taking = (struct taking *)context;
	struct held *held = arena_new(taking->job->arena, struct held);
	struct slice what = text;

	*held = (struct held){.holder = taking->holder};
	if (field->range == RANGE_WITHIN && !read_range(text, &what, &held->range))
		what = text;
	held->next = map_get(&taking->held, what);
	map_set(&taking->held, what, held);
	return true;
}

/* Told of the first who has it, or a part of the same range, and is not known to be in nobody's way. */
static bool look_for_holder(void *context, const struct field *field, struct slice text)
{
	struct taking *taking = (struct taking *)context;
	struct slice what = text;
	struct cidr range;
	bool in_range = field->range == RANGE_WITHIN && read_range(text, &what, &range), good = true;

	for (const struct held *held = map_get(&taking->held, in_range ? what : text); good && held; held = held->next)
		good = (in_range && !cidr_overlap(&held->range, &range)) ||
		       taking->visit(taking, held->holder, field, text);
	return good;
}

static bool takes(const struct action *action)
{
	return action_is_carried_out(action) &&
	       (operation_makes(action->operation) || action->operation == OPERATION_UPDATE);
}

/* Of what has something to itself. */
enum having {
	HAVING_BESIDE,	 /* by the record, and no part of the plan */
	HAVING_RECORDED, /* the same of its parts, where they are there */
	HAVING_SEEN,	 /* as those were read */
};

static const struct value *fields_by(const struct job *job, enum having having, const struct map *touched,
				     size_t number)
{
	const struct live *live = job->refresh.live ? job->refresh.live[number] : NULL;
	const struct object *object = job->objects[number];

	if (is_touched(touched, object) != (having != HAVING_BESIDE))
		return NULL;
	if (having != HAVING_BESIDE && (!live || live->presence != PRESENCE_PRESENT))
		return NULL;
	return having == HAVING_SEEN ? &live->fields : &object->resolved;
}

/* Calls visit for what the plan gives to something, and something else has. */
static bool visit_taken(struct job *job, const struct plan *plan, const struct map *touched, enum having having,
			taken_visit *visit, void *context)
{
	struct taking taking = {.job = job, .visit = visit, .context = context};
	bool good = true;

	map_init(&taking.held);
	for (size_t i = 0; i < job->object_count; i++) {
		const struct kind *kind = kinds_find(&job->kinds, job->objects[i]->kind);
		const struct value *fields = fields_by(job, having, touched, i);

		taking.holder = job->objects[i];
		if (kind && fields)
			good &= visit_unique(kind, fields, &taking.holder->identity, job->arena, note_holder, &taking);
	}
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];

		taking.taker = action->address;
		if (takes(action))
			good &= visit_unique(action->kind, &action->known, &action->identity, job->arena,
					     look_for_holder, &taking);
	}
	map_release(&taking.held);
	return good;
}

/* Who has what somebody is to have: by the record alone, as where others took away what the spec leaves to them. */
static struct slice had_text(const struct object *holder, struct slice text, struct arena *arena)
{
	return arena_format(arena, "%.*s has %.*s", SLICE_ARGUMENTS(holder->object_id), SLICE_ARGUMENTS(text));
}

/* Who was seen to have what the same plan takes from it and gives to something else. */
static struct slice given_text(const struct object *holder, struct slice text, struct arena *arena)
{
	return arena_format(arena, "%.*s gives %.*s", SLICE_ARGUMENTS(holder->object_id), SLICE_ARGUMENTS(text));
}

struct noting {
	struct arena *arena;
	struct slice *uses;
	size_t count, capacity;
};

static void note(struct noting *noting, struct slice text)
{
	if (noting->count < noting->capacity)
		noting->uses[noting->count] = text;
	noting->count++;
}

static void note_use(void *context, const struct object *user, const struct dependency *dependency)
{
	struct noting *noting = (struct noting *)context;

	note(noting, use_text(user, dependency, noting->arena));
}

static bool note_had(struct taking *taking, const struct object *holder, const struct field *field, struct slice text)
{
	(void)field;
	note(taking->context, had_text(holder, text, taking->job->arena));
	return true;
}

static bool note_given(struct taking *taking, const struct object *holder, const struct field *field, struct slice text)
{
	(void)field;
	if (!slice_equal(holder->address, taking->taker))
		note(taking->context, given_text(holder, text, taking->job->arena));
	return true;
}

static void note_all(struct job *job, const struct map *touched, struct noting *noting)
{
	visit_users(job, touched, note_use, noting);
	(void)visit_taken(job, &job->plan, touched, HAVING_BESIDE, note_had, noting);
	(void)visit_taken(job, &job->plan, touched, HAVING_SEEN, note_given, noting);
}

void saved_references_note(struct job *job)
{
	struct noting noting = {.arena = job->arena};
	struct map touched;

	map_init(&touched);
	index_actions(&job->plan, &touched);
	note_all(job, &touched, &noting);
	noting = (struct noting){job->arena, arena_new_array(job->arena, noting.count + 1, struct slice), 0,
				 noting.count};
	note_all(job, &touched, &noting);
	map_release(&touched);
	job->plan.uses = noting.uses;
	job->plan.use_count = noting.count;
}

struct use_check {
	struct checking checking;
	struct map known;	   /* texts of what referred to it when the plan was made, too */
	const struct object *told; /* the last user that was told of, and what it refers to */
	struct slice told_of;
};

static void check_use(void *context, const struct object *user, const struct dependency *dependency)
{
	struct use_check *check = (struct use_check *)context;
	struct job *job = check->checking.job;

	bool is_told = check->told == user && slice_equal(check->told_of, dependency->address);

	if (is_told || map_has(&check->known, use_text(user, dependency, job->arena)))
		return;
	check->told = user;
	check->told_of = dependency->address;
	check->checking.good =
		saved_plan_refuse(job, dependency->address,
				  arena_format(job->arena, "'%.*s' refers to it by now, and is no part of the plan",
					       SLICE_ARGUMENTS(user->address)));
}

static bool check_had(struct taking *taking, const struct object *holder, const struct field *field, struct slice text)
{
	const struct use_check *check = taking->context;
	struct arena *arena = taking->job->arena;

	return map_has(&check->known, had_text(holder, text, arena)) ||
	       saved_plan_refuse(taking->job, taking->taker,
				 arena_format(arena, "'%.*s' has by now what it would have %s its '%s'",
					      SLICE_ARGUMENTS(holder->address), field->item ? "in" : "as",
					      field->name));
}

/* What refers by now to what is to go would have to go before, or let go of it. And what exists but once, and another
 * run has given to something else since, is not to be had any more. */
static bool check_since(struct job *job, const struct plan *saved, const struct map *touched)
{
	struct use_check check = {.checking = {job, true}};

	map_init(&check.known);
	for (size_t i = 0; i < saved->use_count; i++)
		map_mark(&check.known, saved->uses[i]);
	visit_users(job, touched, check_use, &check);
	bool good = visit_taken(job, saved, touched, HAVING_BESIDE, check_had, &check);
	map_release(&check.known);
	return check.checking.good && good;
}

struct giving_check {
	struct map then, now; /* given_text() of what the plan takes from one and gives to another */
};

static bool mark_given(struct taking *taking, const struct object *holder, const struct field *field, struct slice text)
{
	struct giving_check *check = taking->context;

	(void)field;
	map_mark(&check->now, given_text(holder, text, taking->job->arena));
	return true;
}

static bool check_given(struct taking *taking, const struct object *holder, const struct field *field,
			struct slice text)
{
	const struct giving_check *check = taking->context;
	struct arena *arena = taking->job->arena;
	struct slice given = given_text(holder, text, arena);

	if (!map_has(&check->then, given) || map_has(&check->now, given))
		return true;
	return saved_plan_refuse(taking->job, holder->address,
				 arena_format(arena, "it has no more what '%.*s' was to have %s its '%s' after it",
					      SLICE_ARGUMENTS(taking->taker), field->item ? "in" : "as", field->name));
}

/* What was taken from one of the plan's own is somebody else's now, or free for anybody: another one of them would ask
 * for it in vain when the first one is gone. */
static bool check_handed_on(struct job *job, const struct plan *saved, const struct map *touched)
{
	struct giving_check check;

	map_init(&check.then);
	map_init(&check.now);
	for (size_t i = 0; i < saved->use_count; i++)
		map_mark(&check.then, saved->uses[i]);
	(void)visit_taken(job, saved, touched, HAVING_SEEN, mark_given, &check);
	bool good = visit_taken(job, saved, touched, HAVING_RECORDED, check_given, &check);
	map_release(&check.then);
	map_release(&check.now);
	return good;
}

bool saved_references_check(struct job *job, const struct plan *saved)
{
	struct checking checking = {job, true};

	struct map touched;

	visit_references(job, saved, check_reference, &checking);
	index_actions(saved, &touched);
	bool good = saved_beside_check(job, saved, &touched);

	good &= check_handed_on(job, saved, &touched);
	/* Else nobody else has recorded anything: all refers to what it did when the plan was made. */
	if (saved->serial != job->plan.serial) {
		good &= check_recorded(job, saved, &touched);
		good &= check_since(job, saved, &touched);
	}
	map_release(&touched);
	return checking.good && good;
}

static bool sets(const struct change *change)
{
	return change->effect == EFFECT_SET || change->effect == EFFECT_REPLACE;
}

static bool is_same(struct job *job, const struct value *a, const struct value *b)
{
	return slice_equal(json_canonical(job->arena, a, &job->style), json_canonical(job->arena, b, &job->style));
}

bool saved_references_moved(struct job *job, const struct action *then, const struct action *now)
{
	struct map paths;
	bool moved = false;

	map_init(&paths);
	for (size_t i = 0; i < now->change_count; i++)
		if (sets(&now->changes[i]))
			map_set(&paths, now->changes[i].path, &now->changes[i]);
	for (size_t i = 0; i < then->change_count && !moved; i++) {
		bool is_known = sets(&then->changes[i]) && !value_has_deferred(&then->changes[i].after);
		const struct change *change = is_known ? map_get(&paths, then->changes[i].path) : NULL;

		moved = change && !is_same(job, &then->changes[i].after, &change->after);
	}
	map_release(&paths);
	return moved;
}
