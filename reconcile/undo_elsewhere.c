#include "reconcile/undo_parts.h"

/*
 * What lies in something for good, as a subnet in its network, is made anew with it. A replace that was cut off may
 * leave it where it is, in what is left behind, and a later run makes it anew in the successor. To undo that run alone
 * would make it as it was where that cannot be: what it lay in is not what its address stands for any more. It goes
 * back with the run that began the replace, and with that run in any case: nothing of the later one's can be in what
 * comes back.
 */

/* What a replace has left behind, or what lay in that, however far within. */
struct home {
	const struct object *object;
	struct home *next; /* of the same address, or still to be looked through */
};

/* What can lie in nothing but what it lies in. */
struct lodger {
	const struct object *object;
	const struct dependency *dependency;
	struct lodger *next; /* that refers to the same address */
};

bool undo_refers_to(const struct object *object, const struct dependency *dependency, const struct object *target)
{
	const struct value *output = value_get(&target->outputs, dependency->output);
	const struct value *field = value_get(&object->resolved, dependency->field);

	return output && field && value_holds(field, output);
}

bool undo_lies_in(const struct object *object, const struct dependency *dependency, const struct object *home)
{
	return dependency->immutable && undo_refers_to(object, dependency, home);
}

static void add_home(struct undo_work *work, struct map *homes, const struct past_object *past)
{
	if (!past->was || past->before.role != OBJECT_DEPOSED)
		return;
	struct home *home = arena_new(work->arena, struct home);

	*home = (struct home){&past->before, map_get(homes, past->before.address)};
	map_set(homes, past->before.address, home);
}

static const struct object *home_of(const struct map *homes, const struct object *object)
{
	for (size_t i = 0; i < object->dependency_count; i++) {
		const struct dependency *dependency = &object->dependencies[i];

		for (const struct home *home = map_get(homes, dependency->address); home; home = home->next)
			if (undo_lies_in(object, dependency, home->object))
				return home->object;
	}
	return NULL;
}

void undo_find_homes(struct undo_work *work)
{
	const struct undo_input *input = work->input;
	struct map homes;

	map_init(&homes);
	for (size_t i = 0; i < input->past_count; i++)
		add_home(work, &homes, &input->past[i]);
	for (size_t i = 0; i < input->beside_count; i++)
		add_home(work, &homes, &input->beside[i]);
	for (size_t i = 0; i < work->case_count; i++)
		if (work->cases[i].was && !work->cases[i].lay_in)
			work->cases[i].lay_in = home_of(&homes, work->cases[i].was);
	map_release(&homes);
}

/* Whether the run replaced it, and was cut off before the old one went. */
static bool was_left_behind(const struct undo_work *work, const struct past_object *past)
{
	return past->was && past->before.role == OBJECT_CURRENT && past->is && past->after.role == OBJECT_DEPOSED &&
	       undo_is_target(work, past->before.address);
}

static bool leaves_behind(const struct undo_work *work)
{
	for (size_t i = 0; i < work->input->past_count; i++)
		if (was_left_behind(work, &work->input->past[i]))
			return true;
	return false;
}

size_t undo_count_followers(struct undo_work *work)
{
	size_t run_count, count = 0;

	if (!leaves_behind(work))
		return 0;
	const struct undo_since *runs = undo_since(work, &run_count);

	for (size_t i = 0; i < run_count; i++)
		count += runs[i].past_count;
	return count;
}

static void add_lodger(struct undo_work *work, struct map *lodgers, const struct object *object)
{
	for (size_t i = 0; i < object->dependency_count; i++) {
		struct slice address = object->dependencies[i].address;

		if (!object->dependencies[i].immutable)
			continue;
		struct lodger *lodger = arena_new(work->arena, struct lodger);

		*lodger = (struct lodger){object, &object->dependencies[i], map_get(lodgers, address)};
		map_set(lodgers, address, lodger);
	}
}

/* As the run left it: what the first later run found that changed something at its address. */
static void gather_lodgers(struct undo_work *work, struct map *lodgers)
{
	size_t run_count;
	const struct undo_since *runs = undo_since(work, &run_count);
	struct map seen, known;

	map_init(&seen);
	map_init(&known);
	for (size_t i = 0; i < run_count; i++) {
		for (size_t k = 0; k < runs[i].past_count; k++) {
			const struct past_object *past = &runs[i].past[k];

			if (!past->was || past->before.role == OBJECT_DEPOSED)
				continue;
			bool known_by_another = !map_mark(&known, past->before.object_id);

			if (map_mark(&seen, past->before.address) && !known_by_another)
				add_lodger(work, lodgers, &past->before);
		}
	}
	map_release(&seen);
	map_release(&known);
}

/* What the run would have left, had it gone on and done no more than make it anew, as it was made since. */
static const struct object *made_anew(const struct undo_work *work, const struct object *object,
				      const struct object *base)
{
	const struct kind *kind = kinds_find(work->input->kinds, object->kind);
	struct object *left = arena_new(work->arena, struct object);
	VALUE_BUILDER_AUTO applied;

	value_builder_init(&applied);
	for (size_t i = 0; kind && i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const struct object *from = field_is_immutable(field, &base->outputs) ? base : object;
		const struct value *value = value_if_set(value_get_named(&from->applied, field->name));

		if (value)
			value_builder_member(&applied, slice_of(field->name), *value);
	}
	*left = *object;
	left->object_id = base->object_id;
	left->identity = base->identity;
	left->applied = value_builder_map(&applied, work->arena);
	return left;
}

/* What refers to it, and what it refers to, knows it by the address that it had then. */
static bool refuse_renamed(struct undo_work *work, const struct object *object, const struct object *home,
			   struct slice name)
{
	diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
		   "'%.*s' lay in '%.*s', which goes back, and is called '%.*s' since",
		   SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(home->address), SLICE_ARGUMENTS(name));
	diag_address(work->diagnostics, object->address);
	diag_hint(work->diagnostics, "give it back its name with 'trueup state mv'");
	return false;
}

/* Whether a later run has made it anew, and it goes back with what it lay in. *good is cleared after diagnostics. */
static bool follow(struct undo_work *work, const struct object *object, const struct object *home, bool *good)
{
	struct undo_case *one = map_get(&work->cases_by_address, object->address);
	struct slice name = undo_name_now(work, object->address);
	bool renamed = !slice_equal(name, object->address);
	const struct object *base = one && !renamed ? one->base : map_get(&work->now, name);

	if (!base || object_was_never_seen(base) || base->generation <= object->generation ||
	    (one && one->left && !one->was))
		return false;
	if (renamed)
		return *good = refuse_renamed(work, object, home, name);
	if (!one)
		one = undo_case_at(work, object->address);
	/* What the run did not change, an undoing may have found as the later run had made it. */
	if (!one->was || one->touched_alone)
		one->was = undo_as_whole(work, object);
	one->left = made_anew(work, object, base);
	one->lay_in = home;
	return true;
}

static struct home *add_first(struct undo_work *work, const struct object *object, struct home *next)
{
	struct home *home = arena_new(work->arena, struct home);

	*home = (struct home){object, next};
	return home;
}

bool undo_find_followers(struct undo_work *work)
{
	const struct undo_input *input = work->input;
	struct home *left = NULL;
	struct map lodgers;
	bool good = true;

	if (!leaves_behind(work))
		return true;
	map_init(&lodgers);
	gather_lodgers(work, &lodgers);
	for (size_t i = 0; i < input->past_count; i++)
		if (was_left_behind(work, &input->past[i]))
			left = add_first(work, &input->past[i].before, left);
	while (left) {
		const struct object *home = left->object;
		const struct lodger *lodger = map_get(&lodgers, home->address);

		for (left = left->next; lodger; lodger = lodger->next)
			if (undo_lies_in(lodger->object, lodger->dependency, home) &&
			    follow(work, lodger->object, home, &good))
				left = add_first(work, lodger->object, left);
	}
	map_release(&lodgers);
	return good;
}
