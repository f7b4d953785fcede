#include "reconcile/undo_stack.h"

/* The stack that should be there: what goes back, and all that the run left alone. */

bool undo_goes_back(const struct entry *entry)
{
	return entry->one && (entry->one->verdict == UNDO_CHANGE || entry->one->verdict == UNDO_MAKE);
}

static void judge_entry(struct undo_work *work, struct entry *entry, const struct object *now)
{
	const struct kind *kind = now ? kinds_find(work->input->kinds, now->kind) : NULL;
	struct undo_case *one = entry->one;
	bool is_seen = now && kind && !object_was_never_seen(now);
	entry->is_there = undo_goes_back(entry) || (is_seen && !(one && one->verdict == UNDO_REMOVE));
	entry->is_gone = map_has(&work->gone, entry->address);
	/* An undoing that was cut off may have left something behind there, or what follows it undone. */
	entry->is_planned = one && (one->verdict != UNDO_NOTHING || (one->touched && !entry->is_gone));
	if (one && undo_goes_back(entry))
		entry->resource = one->resource;
	else if (now && kind)
		entry->resource = undo_resource_of(work, now, kind);
}

static void add_entry(struct entries *entries, struct slice address, struct undo_case *one, const struct object *now)
{
	struct entry *entry = &entries->items[entries->count];

	*entry = (struct entry){.address = address, .one = one};
	judge_entry(entries->work, entry, now);
	map_add(&entries->by_address, address, entry);
	entries->count++;
}

/* From each entry to those that refer to it. */
static void gather_users(struct entries *entries)
{
	graph_init(&entries->users, entries->count);
	for (size_t i = 0; i < entries->count; i++) {
		const struct resource *resource = &entries->items[i].resource;

		for (size_t k = 0; entries->items[i].is_there && k < resource->dependency_count; k++) {
			const struct entry *target = map_get(&entries->by_address, resource->dependencies[k].address);

			if (target)
				graph_add(&entries->users, (size_t)(target - entries->items), i);
		}
	}
	graph_close(&entries->users);
}

static void gather_entries(struct entries *entries)
{
	struct undo_work *work = entries->work;

	size_t most = work->now.count + work->case_count + work->awaited.count;

	entries->items = arena_new_array(work->arena, most + 1, struct entry);
	map_init(&entries->by_address);
	map_reserve(&entries->by_address, most);
	for (size_t i = 0; i < work->now.count; i++) {
		struct slice address = work->now.entries[i].key;

		add_entry(entries, address, map_get(&work->cases_by_address, address), work->now.entries[i].item);
	}
	for (size_t i = 0; i < work->case_count; i++)
		if (!work->cases[i].now)
			add_entry(entries, work->cases[i].address, &work->cases[i], NULL);
	for (size_t i = 0; i < work->awaited.count; i++)
		if (!map_get(&entries->by_address, work->awaited.entries[i].key))
			add_entry(entries, work->awaited.entries[i].key, NULL, NULL);
	gather_users(entries);
}

/* What a replace left behind, and nothing stands in for yet, is what its address has again. */
static void call_back(struct entries *entries, struct entry *entry, const struct object *behind)
{
	struct undo_work *work = entries->work;
	struct undo_case *one = arena_new(work->arena, struct undo_case);

	*one = (struct undo_case){
		.address = entry->address,
		.kind = kinds_find(work->input->kinds, behind->kind),
		.was = undo_as_whole(work, behind),
		.now = map_get(&work->now, entry->address),
		.verdict = UNDO_CHANGE,
	};
	one->resource = undo_resource_of(work, one->was, one->kind);
	entry->one = one;
	entry->resource = one->resource;
	entry->is_there = entry->is_planned = true;
}

/* That is so where what goes back needs it, or what may have to follow that. */
static void call_back_needed(struct entries *entries)
{
	const struct map *awaited = &entries->work->awaited;
	uint32_t *queue = arena_new_array(entries->work->arena, entries->count + 1, uint32_t);
	size_t count = 0;

	for (size_t i = 0; i < entries->count; i++) {
		entries->items[i].is_reached = entries->items[i].is_planned;
		if (entries->items[i].is_planned)
			queue[count++] = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries->items[queue[i]];

		for (size_t k = 0; entry->is_there && k < entry->resource.dependency_count; k++) {
			struct entry *target = map_get(&entries->by_address, entry->resource.dependencies[k].address);
			const struct object *behind = target ? map_get(awaited, target->address) : NULL;

			if (!behind || target->is_there)
				continue;
			call_back(entries, target, behind);
			if (!target->is_reached)
				queue[count++] = (uint32_t)(target - entries->items);
			target->is_reached = true;
		}
		for (uint32_t k = entries->users.first[queue[i]]; k < entries->users.first[queue[i] + 1]; k++) {
			struct entry *user = &entries->items[entries->users.successors[k]];

			if (user->is_reached || !user->is_there || user->is_gone)
				continue;
			user->is_reached = true;
			queue[count++] = entries->users.successors[k];
		}
	}
}

/* Whether others look after the field that refers to something, so that it stays as it is, whatever becomes of that: no
 * apply asks for more. What is made anew has all its fields set. */
static bool is_left_alone(struct undo_work *work, const struct entry *entry, const struct dependency *dependency)
{
	return ignored_has(&entry->resource.left_to_others, dependency->field) &&
	       !(undo_goes_back(entry) && undo_is_made_anew(work, entry));
}

/* Whether only the order in which both were made hangs on it: the one that is there stays so without the other. */
static bool is_past(struct undo_work *work, const struct entry *entry, const struct dependency *dependency)
{
	return dependency_is_explicit(dependency) && !(undo_goes_back(entry) && undo_is_made_anew(work, entry));
}

/* Whether the entry would come to refer to something by an id that is no more: what is there does so already. */
static bool needs_gone(const struct entry *entry, const struct entry *target)
{
	const struct object *now = entry->is_gone ? NULL : entry->one->now;

	if (!target->is_gone || undo_goes_back(target))
		return false;
	for (size_t i = 0; now && i < now->dependency_count; i++)
		if (slice_equal(now->dependencies[i].address, target->address))
			return false;
	return true;
}

/* The first thing that an entry needs, and that will not be there. */
static const struct dependency *first_missing(const struct entries *entries, const struct entry *entry)
{
	for (size_t i = 0; entry->is_there && i < entry->resource.dependency_count; i++) {
		const struct dependency *dependency = &entry->resource.dependencies[i];
		const struct entry *target = map_get(&entries->by_address, dependency->address);
		bool is_missing = !target || !target->is_there || needs_gone(entry, target);

		if (is_missing && !is_left_alone(entries->work, entry, dependency) &&
		    !is_past(entries->work, entry, dependency))
			return dependency;
	}
	return NULL;
}

/* The first thing that an entry needs, and that goes because the run made it. */
static const struct dependency *first_removed(const struct entries *entries, const struct entry *entry)
{
	for (size_t i = 0; entry->is_there && i < entry->resource.dependency_count; i++) {
		const struct dependency *dependency = &entry->resource.dependencies[i];
		const struct entry *target = map_get(&entries->by_address, dependency->address);
		bool is_removed = target && !target->is_there && target->one && target->one->verdict == UNDO_REMOVE;

		if (is_removed && !is_left_alone(entries->work, entry, dependency))
			return dependency;
	}
	return NULL;
}

/* What an entry cannot have as it is to be. */
static const struct dependency *first_lacking(const struct entries *entries, const struct entry *entry)
{
	if (undo_goes_back(entry))
		return first_missing(entries, entry);
	return entry->one && entry->one->verdict == UNDO_NOTHING ? first_removed(entries, entry) : NULL;
}

/* Where that is so only of what an earlier run took out of it, it goes back without. */
static void do_without(struct entries *entries, struct entry *entry, bool *good)
{
	const struct dependency *lacking = first_lacking(entries, entry);

	while (lacking && undo_do_without(entries->work, entry->one, lacking->address, good)) {
		entry->resource = (struct resource){0};
		judge_entry(entries->work, entry, entry->one->now);
		lacking = first_lacking(entries, entry);
	}
}

/* Whether one can become the other in place. outputs: of the object, as it is recorded. */
static bool is_made_alike(const struct kind *kind, const struct value *outputs, const struct value *a,
			  const struct value *b)
{
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (field_is_immutable(field, outputs) && !undo_same_field(a, b, field))
			return false;
	}
	return true;
}

/* Whether an address will have what was left behind there, or what was made as that was. */
static bool has_again(const struct undo_work *work, const struct entry *entry, const struct object *home)
{
	const struct object *form = undo_goes_back(entry) ? entry->one->was : map_get(&work->now, entry->address);
	const struct kind *kind = kinds_find(work->input->kinds, home->kind);

	return form && kind && entry->is_there && !(entry->is_gone && !undo_goes_back(entry)) &&
	       identity_equal(&form->identity, &home->identity) &&
	       is_made_alike(kind, &home->outputs, &form->applied, &home->applied);
}

bool undo_is_made_anew(struct undo_work *work, const struct entry *entry)
{
	const struct object *now = entry->one->now;

	if (entry->one->verdict == UNDO_MAKE || !now)
		return true;
	const struct value opened = undo_opened(work, &now->applied);

	return !is_made_alike(entry->one->kind, &now->outputs, &entry->resource.desired, &opened);
}

/* What an entry would have to be made in once more, and cannot; NULL: there is no such thing. */
static const struct object *lost_home(const struct entries *entries, const struct entry *entry)
{
	const struct undo_case *one = entry->one;
	const struct object *home = one->lay_in;
	const struct entry *target = home ? map_get(&entries->by_address, home->address) : NULL;

	if (!undo_is_made_anew(entries->work, entry))
		return NULL;
	if (home && !(target && has_again(entries->work, target, home)))
		return home;
	for (size_t i = 0; i < entry->resource.dependency_count; i++) {
		const struct dependency *dependency = &entry->resource.dependencies[i];

		target = map_get(&entries->by_address, dependency->address);
		if (dependency->immutable && target && target->one && target->one->is_elsewhere)
			return target->one->was;
	}
	return NULL;
}

/* What cannot go back because of what it needs; then neither can what needs that. */
static void drop(struct entries *entries, struct entry *entry, struct slice why)
{
	struct undo_work *work = entries->work;
	bool made = entry->one->verdict == UNDO_MAKE;
	/* What was called back has nothing there now, or a mere record. */
	bool is_there = !made && entry->one->now && !object_was_never_seen(entry->one->now);

	undo_stays(work, entry->address, "%s: %.*s", made ? "is not made again" : "stays as it is",
		   SLICE_ARGUMENTS(why));
	entry->one->verdict = UNDO_NOTHING;
	entry->is_planned = false;
	entry->is_there = is_there;
	if (is_there)
		entry->resource = undo_resource_of(work, entry->one->now, entry->one->kind);
}

/* The later run that took away what is missing, and gives it back where it is undone; NULL: none is known. */
static const struct undo_since *taken_by(struct undo_work *work, const struct dependency *missing)
{
	const struct undo_case absent = {.address = missing->address};
	const struct undo_since *run = undo_blamed(work, &absent, NULL);

	return run && !run->undoes && !run->records_only ? run : NULL;
}

/* Why an entry cannot go back; empty: it can. */
static struct slice find_obstacle(struct entries *entries, struct entry *entry)
{
	struct arena *arena = entries->work->arena;
	const struct dependency *missing = undo_goes_back(entry) ? first_missing(entries, entry) : NULL;
	const struct object *home = undo_goes_back(entry) && !missing ? lost_home(entries, entry) : NULL;

	if (missing) {
		const struct undo_since *run = taken_by(entries->work, missing);

		return arena_format(
			arena, "it needs '%.*s', which is not there any more%.*s%s", SLICE_ARGUMENTS(missing->address),
			SLICE_ARGUMENTS(undo_since_text(entries->work, run)), run ? "; first undo that run" : "");
	}
	if (!home)
		return (struct slice){NULL, 0};
	entry->one->is_elsewhere = true;
	return arena_format(arena,
			    "it lay in '%.*s', and '%.*s' is another one by now; first undo the run that replaced that",
			    SLICE_ARGUMENTS(home->provider_id), SLICE_ARGUMENTS(home->address));
}

/* Whether what needs an entry that was dropped has to be judged anew. */
static bool fails_users(const struct entry *entry)
{
	return !entry->is_there || entry->is_gone || entry->one->is_elsewhere;
}

static bool drop_impossible(struct entries *entries)
{
	size_t most = entries->count + entries->users.edge_count;
	uint32_t *queue = arena_new_array(entries->work->arena, most + 1, uint32_t);
	size_t count = entries->count;
	bool good = true;

	for (size_t i = 0; i < count; i++)
		queue[i] = (uint32_t)i;
	for (size_t i = 0; i < count; i++) {
		struct entry *entry = &entries->items[queue[i]];

		do_without(entries, entry, &good);
		struct slice why = find_obstacle(entries, entry);

		if (why.size == 0)
			continue;
		drop(entries, entry, why);
		for (uint32_t k = entries->users.first[queue[i]];
		     fails_users(entry) && k < entries->users.first[queue[i] + 1]; k++)
			queue[count++] = entries->users.successors[k];
	}
	undo_drop_void_notes(entries->work->undoing);
	return good;
}

static void tell_lacking(const struct entries *entries)
{
	struct undo_work *work = entries->work;

	for (size_t i = 0; i < work->case_count; i++)
		if (work->cases[i].verdict == UNDO_MAKE && work->cases[i].lacks.size > 0)
			undo_note(work, work->cases[i].address,
				  "is made as the run found it: what an earlier run took out of it needs '%.*s', "
				  "which is not there",
				  SLICE_ARGUMENTS(work->cases[i].lacks));
}

/* Nobody may be left without what goes. */
static bool check_removals(const struct entries *entries)
{
	struct undo_work *work = entries->work;
	bool good = true;

	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->items[i];
		const struct dependency *target = first_removed(entries, entry);

		if (!target)
			continue;
		const struct undo_since *run = undo_blamed_for_need(work, entry->address, target->address);

		good = diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE,
				  "'%.*s' needs '%.*s', which the run made and which would go%.*s",
				  SLICE_ARGUMENTS(entry->address), SLICE_ARGUMENTS(target->address),
				  SLICE_ARGUMENTS(undo_since_text(work, run)));
		diag_address(work->diagnostics, entry->address);
		undo_hint(work, run, run ? "undo that run first" : "change the spec instead, and apply that");
	}
	return good;
}

/* What refers to what goes back, however far away, may have to follow it: in that alone. What cannot go back refers to
 * what it did before the undoing. */
static void plan_users(struct entries *entries)
{
	struct undo_work *work = entries->work;

	graph_release(&entries->users);
	gather_users(entries);
	uint32_t *queue = arena_new_array(work->arena, entries->count + 1, uint32_t);
	size_t count = 0;

	for (size_t i = 0; i < entries->count; i++)
		if (entries->items[i].is_planned)
			queue[count++] = (uint32_t)i;
	for (size_t i = 0; i < count; i++) {
		for (uint32_t k = entries->users.first[queue[i]]; k < entries->users.first[queue[i] + 1]; k++) {
			struct entry *user = &entries->items[entries->users.successors[k]];

			if (user->is_planned || !user->is_there || user->is_gone)
				continue;
			user->is_planned = true;
			queue[count++] = entries->users.successors[k];
		}
	}
}

/* Whether others look after a field of what does not go back, and did so when the run left it. */
static bool is_for_others(const struct undo_work *work, const struct entry *entry, struct slice field)
{
	return entry->one && entry->one->left ? undo_was_left_alone(work, entry->one, field)
					      : ignored_has(&entry->resource.left_to_others, field);
}

static void ignore_settled(const struct undo_work *work, struct entry *entry)
{
	struct resource *resource = &entry->resource;
	struct slice *ignored = arena_new_array(work->arena, resource->kind->fields.count + 1, struct slice);
	struct slice *follows = arena_new_array(work->arena, resource->kind->fields.count + 1, struct slice);

	for (size_t i = 0; i < resource->kind->fields.count; i++) {
		const struct field *field = field_at(&resource->kind->fields, i);
		const struct value *value = value_get_named(&resource->desired, field->name);

		if (value && value_has_deferred(value) && !is_for_others(work, entry, slice_of(field->name)))
			follows[resource->follows_count++] = slice_of(field->name);
		else
			ignored[resource->ignored_count++] = slice_of(field->name);
	}
	resource->ignored = ignored;
	resource->follows = follows;
}

/* What a replace had left behind, and is there no more, is made anew in the place of another. */
static bool goes_back_to_what_is_gone(const struct undo_work *work, const struct undo_case *one)
{
	return one->behind && slice_equal(one->was->object_id, one->behind->object_id) &&
	       !map_get(&work->now_id, one->behind->object_id);
}

/* Whether a field refers to something that will not be there. */
static bool refers_to_nothing(const struct entries *entries, const struct resource *resource, struct slice field)
{
	for (size_t i = 0; i < resource->dependency_count; i++) {
		const struct dependency *dependency = &resource->dependencies[i];
		const struct entry *target = map_get(&entries->by_address, dependency->address);

		if (slice_equal(dependency->field, field) && !(target && target->is_there))
			return true;
	}
	return false;
}

/* What others look after, and could not be resolved any more, is not looked at. */
static void leave_alone(const struct entries *entries, struct resource *resource)
{
	struct arena *arena = entries->work->arena;
	size_t most = resource->ignored_count + resource->desired.count, count = 0;
	struct dependency *kept = arena_new_array(arena, resource->dependency_count + 1, struct dependency);
	struct slice *ignored = arena_new_array(arena, most + 1, struct slice);
	VALUE_BUILDER_AUTO desired;

	value_builder_init(&desired);
	for (size_t i = 0; i < resource->ignored_count; i++)
		ignored[i] = resource->ignored[i];
	for (uint32_t i = 0; i < resource->desired.count; i++) {
		const struct value_member *member = &resource->desired.members[i];
		struct slice field = value_slice(&member->key);

		if (ignored_has(&resource->left_to_others, field) && refers_to_nothing(entries, resource, field))
			ignored[resource->ignored_count++] = field;
		else
			value_builder_member(&desired, field, member->value);
	}
	const struct value left = value_builder_map(&desired, arena);

	for (size_t i = 0; i < resource->dependency_count; i++)
		if (resource->dependencies[i].field.size == 0 || value_get(&left, resource->dependencies[i].field))
			kept[count++] = resource->dependencies[i];
	resource->desired = left;
	resource->ignored = ignored;
	resource->dependencies = kept;
	resource->dependency_count = count;
}

/* What stands where it stood before is found there as others have made it meanwhile, when it was none of this stack's:
 * it is to be as it was, but for what was left to them. */
static void ask_for_all(struct undo_work *work, const struct entry *entry, struct resource *resource)
{
	const struct value *left = &resource->left_to_others;

	if (!entry->one->kind->found || !undo_is_made_anew(work, entry))
		return;
	resource->ignored = value_is(left, VALUE_LIST) ? ignored_read(left, work->arena) : NULL;
	resource->ignored_count = value_is(left, VALUE_LIST) ? left->count : 0;
	resource->follows_count = 0;
}

/* What goes back cannot come after what will not be there. */
static void leave_out_past(const struct entries *entries, struct resource *resource)
{
	struct arena *arena = entries->work->arena;
	struct dependency *kept = arena_new_array(arena, resource->dependency_count + 1, struct dependency);
	size_t count = 0;

	for (size_t i = 0; i < resource->dependency_count; i++) {
		const struct dependency *dependency = &resource->dependencies[i];
		const struct entry *target = map_get(&entries->by_address, dependency->address);

		if (!dependency_is_explicit(dependency) || (target && target->is_there))
			kept[count++] = *dependency;
	}
	resource->dependencies = kept;
	resource->dependency_count = count;
}

static void write_stack(struct entries *entries)
{
	struct undo_work *work = entries->work;
	struct undoing *undoing = work->undoing;
	struct resource *resources = arena_new_array(work->arena, entries->count + 1, struct resource);

	undoing->addresses = arena_new_array(work->arena, entries->count + 1, struct slice);
	undoing->stack = *work->input->spec;
	undoing->stack.providers = work->input->providers;
	undoing->stack.provider_count = work->input->provider_count;
	undoing->stack.resources = resources;
	undoing->stack.resource_count = 0;
	for (size_t i = 0; i < entries->count; i++) {
		struct entry *entry = &entries->items[i];

		if (entry->is_planned)
			undoing->addresses[undoing->address_count++] = entry->address;
		if (!entry->is_there)
			continue;
		if (undo_goes_back(entry)) {
			ask_for_all(work, entry, &entry->resource);
			leave_out_past(entries, &entry->resource);
		}
		if (!entry->one || entry->one->verdict == UNDO_NOTHING || entry->one->verdict == UNDO_UNKNOWN)
			ignore_settled(work, entry);
		else if (entry->one->verdict == UNDO_MAKE || goes_back_to_what_is_gone(work, entry->one))
			map_set(&undoing->made, entry->address, entry->one);
		if (value_is(&entry->resource.left_to_others, VALUE_LIST))
			leave_alone(entries, &entry->resource);
		resources[undoing->stack.resource_count++] = entry->resource;
	}
}

bool undo_build(struct undo_work *work)
{
	struct entries entries = {.work = work};

	gather_entries(&entries);
	call_back_needed(&entries);
	bool good = drop_impossible(&entries);
	tell_lacking(&entries);
	good &= check_removals(&entries);
	plan_users(&entries);
	good &= undo_check_room(&entries);
	write_stack(&entries);
	graph_release(&entries.users);
	map_release(&entries.by_address);
	return good;
}
