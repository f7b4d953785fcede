#include "reconcile/diff_field.h"
#include "reconcile/undo_parts.h"

/*
 * Which later run stands in the way: not the first that changed the object, which may have had to do with another
 * field, but the first after which what is at stake was as it is now. Once that one is undone, it is no longer so.
 */

/* What a later run found at an address, and left there. */
struct undo_step {
	const struct undo_since *run;
	const struct object *found, *left; /* NULL: nothing */
	struct undo_step *earlier;
	/* Where `state mv` has given it this address: what it was at the one before, and what later runs did there
	 * until then; else NULL. */
	const struct object *moved;
	const struct undo_step *elsewhere;
};

static struct undo_step *step_at(struct undo_work *work, const struct undo_since *run, struct slice address)
{
	struct undo_step *last = map_get(work->steps, address), *step;

	if (last && last->run == run)
		return last;
	step = arena_new(work->arena, struct undo_step);
	*step = (struct undo_step){.run = run, .earlier = last};
	map_set(work->steps, address, step);
	return step;
}

/* Of several objects the current one is what was there. */
static void take_form(const struct object **slot, const struct object *form)
{
	if (!*slot || form->role == OBJECT_CURRENT)
		*slot = form;
}

static void add_move(struct undo_work *work, const struct undo_since *run, const struct past_object *past)
{
	struct undo_step *here = step_at(work, run, past->after.address);
	const struct undo_step *there = map_get(work->steps, past->before.address);

	here->moved = &past->before;
	here->elsewhere = there && there->run == run ? there->earlier : there;
}

static void add_past(struct undo_work *work, const struct undo_since *run, const struct past_object *past)
{
	const struct object *forms[] = {&past->before, &past->after};
	const bool is_there[] = {past->was, past->is};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!undo_speaks(is_there[i], forms[i]))
			continue;
		struct undo_step *step = step_at(work, run, forms[i]->address);

		take_form(i == 0 ? &step->found : &step->left, forms[i]);
	}
	if (undo_is_move(past))
		add_move(work, run, past);
}

static const struct object *found_by(const struct undo_step *step)
{
	return step->moved ? step->moved : step->found;
}

static const struct undo_step *step_before(const struct undo_step *step)
{
	return step->moved ? step->elsewhere : step->earlier;
}

const struct undo_since *undo_since(struct undo_work *work, size_t *ret_count)
{
	const struct undo_input *input = work->input;

	if (!work->has_since && (!input->later || !input->later(input->context, &work->since, &work->since_count)))
		work->since_count = 0;
	work->has_since = true;
	*ret_count = work->since_count;
	return work->since;
}

static void gather_steps(struct undo_work *work)
{
	size_t count;
	const struct undo_since *runs = undo_since(work, &count);

	work->steps = map_new(work->arena);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < runs[i].past_count; k++)
			add_past(work, &runs[i], &runs[i].past[k]);
}

static const struct value *item_of(const struct undo_place *place, const struct value *list, struct arena *arena)
{
	const struct value *found;
	struct diff_index index;

	diff_index_init(&index, place->field, list, arena);
	found = diff_index_find(&index, place->item);
	diff_index_release(&index);
	return found;
}

static const struct value *part_of(const struct undo_place *place, const struct object *form, struct arena *arena)
{
	const struct value *value = value_if_set(value_get_named(&form->applied, place->field->name));

	if (place->key.size > 0)
		return value ? value_get(value, place->key) : NULL;
	return place->item && value ? item_of(place, value, arena) : value;
}

static bool is_alike(const struct undo_work *work, const struct undo_place *place, const struct object *a,
		     const struct object *b)
{
	if (!place || !a || !b)
		return undo_same_form(a, b);
	const struct value *left = part_of(place, a, work->arena), *right = part_of(place, b, work->arena);

	return left && right ? value_equal(left, right) : left == right;
}

const struct undo_since *undo_blamed(struct undo_work *work, const struct undo_case *one,
				     const struct undo_place *place)
{
	const struct undo_since *blamed = NULL, *recorded = NULL;
	const struct object *form = one->base;

	if (!work->steps)
		gather_steps(work);
	for (const struct undo_step *step = map_get(work->steps, one->address); step; step = step_before(step)) {
		const struct object *found = found_by(step);

		if (!is_alike(work, place, step->left, form) || is_alike(work, place, found, step->left))
			continue;
		/* What only the record says otherwise is another run's doing, unless there is none. */
		if (step->run->records_only && found && step->left) {
			recorded = step->run;
			form = found;
		} else {
			blamed = step->run;
		}
	}
	blamed = blamed ? blamed : recorded;
	if (blamed || !one->next)
		return blamed;
	struct undo_since *next = arena_new(work->arena, struct undo_since);

	*next = (struct undo_since){.run = one->next->next_run, .command = one->next->next_command};
	return next;
}

static bool needs(const struct object *form, struct slice needed)
{
	for (size_t i = 0; form && i < form->dependency_count; i++) {
		const struct dependency *dependency = &form->dependencies[i];
		if (slice_equal(dependency->address, needed) &&
		    (dependency_is_explicit(dependency) || undo_mentions(&form->applied, needed)))
			return true;
	}
	return false;
}

const struct undo_since *undo_blamed_for_need(struct undo_work *work, struct slice address, struct slice needed)
{
	if (!work->steps)
		gather_steps(work);
	for (const struct undo_step *step = map_get(work->steps, address); step; step = step_before(step))
		if (!step->run->records_only && needs(step->left, needed) && !needs(found_by(step), needed))
			return step->run;
	return NULL;
}

/* The way back from what an address has now to what the run left there. */
struct descent {
	struct undo_fate fate;
	const struct undo_step *step;	/* the next one to be looked at */
	const struct undo_since *sent;	/* brought about what an earlier one had merely sent for; or NULL */
	const struct undo_since *moved; /* the first one that gave it another address; or NULL */
	struct slice address;		/* that it had before */
	struct slice retaken;		/* id of what was put back into the record */
	bool is_known;			/* it is the run's */
};

static bool stands(const struct object *form)
{
	return form && !object_was_never_seen(form);
}

static const struct undo_step *step_of(const struct undo_step *last, const struct undo_since *run)
{
	while (last && last->run != run)
		last = step_before(last);
	return last;
}

/* What an undoing makes anew stands for what the run that is undone had found. */
static void pass_made(struct descent *descent, const struct undo_step *step)
{
	const struct undo_since *maker = descent->sent ? descent->sent : step->run;
	const struct undo_step *undone = maker->undone ? step_of(descent->step, maker->undone) : NULL;

	if (maker->undoes) {
		descent->is_known = true;
	} else if (undone) {
		descent->step = undone;
	} else {
		if (!descent->fate.another)
			descent->fate.another = maker;
		descent->fate.forgot = NULL;
	}
	descent->sent = NULL;
}

static void pass(struct descent *descent, const struct undo_step *step)
{
	const struct object *found = found_by(step), *left = step->left;

	descent->step = step_before(step);
	if (step->moved) {
		descent->moved = step->run;
		descent->address = step->moved->address;
	}
	if (!found && left && step->run->records_only)
		descent->retaken = left->object_id;
	else if (!found && left)
		pass_made(descent, step);
	else if (found && !stands(found) && stands(left))
		descent->sent = step->run;
	else if (stands(found))
		descent->sent = NULL;
	if (stands(found) && !left && step->run->forgets && !slice_equal(found->object_id, descent->retaken))
		descent->fate.forgot = step->run;
}

/*
 * What a later run found there and replaced, or made anew because somebody had deleted it, is the run's still: it
 * stands for that, and no other undoing would take it away. What a later run made where nothing was recorded is not.
 */
struct undo_fate undo_fate_at(struct undo_work *work, struct slice address)
{
	struct descent descent = {.address = address};

	if (!work->steps)
		gather_steps(work);
	descent.step = map_get(work->steps, address);
	while (descent.step && !descent.is_known)
		pass(&descent, descent.step);
	/* It stood at another address when the run had ended. */
	if (!descent.is_known && !slice_equal(descent.address, address)) {
		descent.fate.forgot = NULL;
		if (!descent.fate.another)
			descent.fate.another = descent.moved;
	}
	return descent.fate;
}

static const char *first_step(const struct undo_since *run, const char *first)
{
	if (!run || !run->records_only)
		return first;
	return run->renames ? "that run changed nothing but the record, and cannot be undone: give back the names "
			      "that it took with 'trueup state mv'"
			    : "that run changed nothing but the record, and cannot be undone: change the spec "
			      "instead";
}

void undo_hint(struct undo_work *work, const struct undo_since *run, const char *first)
{
	diag_hint(work->diagnostics, "%s, or name what is to go back with --target", first_step(run, first));
}

static struct plan_blamed blame(void *context, struct slice address, const char *field)
{
	struct undo_work *work = context;
	const struct object *now = map_get(&work->now, address);
	const struct kind *kind = now ? kinds_find(work->input->kinds, now->kind) : NULL;
	const struct undo_case recorded = {.address = address, .base = now};
	const struct undo_place place = {.field = kind ? field_named(&kind->fields, slice_of(field)) : NULL};
	const struct undo_since *run = undo_blamed(work, &recorded, place.field ? &place : NULL);

	if (!run)
		return (struct plan_blamed){0};
	return (struct plan_blamed){undo_since_text(work, run),
				    arena_format(work->arena, "%s, or name what is to go back with --target",
						 first_step(run, "undo that run first"))};
}

const struct plan_blamer *undo_blamer(const struct undo_input *input)
{
	struct plan_blamer *blamer = arena_new(input->arena, struct plan_blamer);
	struct undo_work *work = arena_new(input->arena, struct undo_work);

	*work = (struct undo_work){.input = input, .arena = input->arena};
	map_init_in(&work->now, input->arena);
	for (size_t i = 0; i < input->object_count; i++)
		if (input->objects[i]->role == OBJECT_CURRENT)
			map_set(&work->now, input->objects[i]->address, input->objects[i]);
	*blamer = (struct plan_blamer){blame, work};
	return blamer;
}

bool undo_found_since(struct undo_work *work, struct slice address, const struct object **ret)
{
	if (!work->steps)
		gather_steps(work);
	const struct undo_step *first = map_get(work->steps, address);

	while (first && first->earlier)
		first = first->earlier;
	if (first)
		*ret = first->found;
	return first != NULL;
}

struct slice undo_since_text(struct undo_work *work, const struct undo_since *run)
{
	enum { DIGITS = 8 };

	if (!run)
		return (struct slice){NULL, 0};
	return arena_format(work->arena, " (%.*s, run %.*s)", SLICE_ARGUMENTS(run->command),
			    SLICE_ARGUMENTS(slice_first(run->run, DIGITS)));
}
