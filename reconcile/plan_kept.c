#include "reconcile/named.h"
#include "reconcile/own_items.h"
#include "reconcile/plan_items.h"
#include "reconcile/unique.h"

/*
 * What stays has after the plan what was read of it, unless a change takes that away. None does where the spec leaves
 * it to others, where it lets go of what is kept as it is, or where it never said anything: as of the groups of a
 * machine, the VPC that others have attached a gateway to, a rule that somebody has put into a group. Where that PINS
 * what is to go, the plan is refused before anything is done: the service would say so only after a long wait for
 * whatever else might hold it. So it is where what it uses is told by no field (live.uses): as of an interface that an
 * instance was launched with, or that others have attached. And so it is where something is to be made that launches
 * things from what names it.
 */

bool plan_item_keeps(const struct item *item, const struct field *field, const struct value *value)
{
	const struct difference *halves[] = {item->fields, item->parts};
	bool changes = item->in_focus && operation_keeps(item->operation), ends = false;

	for (size_t i = 0; changes && i < sizeof(halves) / sizeof(halves[0]); i++)
		ends |= halves[i] && changes_end(halves[i]->changes, halves[i]->count, field, value);
	return !ends;
}

void plan_hint_at_kept(struct planning *planning, const struct item *item, const struct object *object,
		       const struct field *field)
{
	const struct value left = item ? plan_left_to_others(planning, item->resource) : object->ignored;

	if (field->when_unset == UNSET_RELEASE)
		diag_hint(planning->diagnostics,
			  "what a spec does not set, or ignores, is left alone: have '%.*s' set '%s' without that",
			  SLICE_ARGUMENTS(object->address), field->name);
	else if (ignored_has(&left, slice_of(field->name)))
		diag_hint(planning->diagnostics,
			  "take '%s' out of 'lifecycle.ignore' of '%.*s', or take that out by hand", field->name,
			  SLICE_ARGUMENTS(object->address));
	else
		diag_hint(planning->diagnostics, OTHERS_ITEMS_HINT);
}

/* All that is to end: what stays may name it. */
struct endings {
	struct map by_id;   /* at the service, to const struct action */
	struct map by_name; /* see name_text(), likewise */
	struct map coming;  /* names that something has after the plan, which is what is named then */
};

/* An object that stays. */
struct kept {
	struct planning *planning;
	const struct endings *endings;
	const struct object *object;
	const struct item *item;   /* whose object it is; NULL: nothing is done to it */
	const struct field *field; /* that is looked at */
};

static void report(const struct kept *kept, const struct value *part, const struct action *target)
{
	struct planning *planning = kept->planning;
	const struct field *field = kept->field;
	struct slice name = value_is(part, VALUE_MAP)
				    ? diff_item_path(field, slice_of(field->name), part, planning->arena)
				    : arena_format(planning->arena, "'%s'", field->name);

	diag_error(planning->diagnostics, FAULT_CONFLICT, target->position,
		   "'%.*s' cannot be deleted: %.*s of '%.*s' names it, and stays as it is",
		   SLICE_ARGUMENTS(target->address), SLICE_ARGUMENTS(name), SLICE_ARGUMENTS(kept->object->address));
	plan_note_end(planning, target);
	const struct value left = kept->item ? plan_left_to_others(planning, kept->item->resource) : value_null();
	if ((field->flags & IMMUTABLE) && ignored_has(&left, slice_of(field->name)))
		diag_hint(planning->diagnostics,
			  "take '%s' out of 'lifecycle.ignore' of '%.*s', which is made anew then, or keep '%.*s'",
			  field->name, SLICE_ARGUMENTS(kept->object->address), SLICE_ARGUMENTS(target->address));
	else if (field->flags & IMMUTABLE)
		diag_hint(planning->diagnostics,
			  "only with '%.*s' it lets go of that: have that go too, or keep '%.*s'",
			  SLICE_ARGUMENTS(kept->object->address), SLICE_ARGUMENTS(target->address));
	else
		plan_hint_at_kept(planning, kept->item, kept->object, field);
}

static struct value left_to_others(const struct kept *kept)
{
	return kept->item ? plan_left_to_others(kept->planning, kept->item->resource) : kept->object->ignored;
}

static bool is_left_to_others(const struct kept *kept)
{
	const struct value left = left_to_others(kept);

	return ignored_has(&left, slice_of(kept->field->name));
}

/* The service lets that go, and what names it is broken, or left without. */
static void warn(const struct kept *kept, const struct action *target)
{
	struct diagnostics *diagnostics = kept->planning->diagnostics;

	diag_add(diagnostics, SEVERITY_WARNING, FAULT_CONFLICT,
		 kept->item ? kept->item->resource->position : target->position,
		 "'%.*s' goes on naming the '%.*s' that goes: its '%s' is left to others",
		 SLICE_ARGUMENTS(kept->object->address), SLICE_ARGUMENTS(target->address), kept->field->name);
	diag_address(diagnostics, kept->object->address);
	diag_hint(diagnostics,
		  "have whoever looks after '%s' name another one there, or take it out of 'lifecycle.ignore'",
		  kept->field->name);
}

/* Whether the action makes something that launches things from that. */
static bool launches_from(const struct action *action, const struct object *source)
{
	const struct runs *runs = action->kind ? action->kind->runs : NULL;

	if (!runs || !runs->source || !slice_is(source->kind, runs->source) || !operation_makes(action->operation))
		return false;
	for (size_t i = 0; i < action->wanted_count; i++)
		if (slice_equal(action->wanted[i].address, source->address))
			return true;
	return false;
}

/* The service makes nothing that is to launch things from that: it tries whether it could. */
static bool refuse_launches(const struct kept *kept, const struct action *target)
{
	struct planning *planning = kept->planning;
	const struct object *object = kept->object;
	bool any = false;

	for (size_t i = 0; i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];

		if (!launches_from(action, object))
			continue;
		diag_error(
			planning->diagnostics, FAULT_CONFLICT, action->position,
			"'%.*s' cannot be made: '%.*s', which it launches from, goes on naming the '%.*s' that goes, "
			"for its '%s' is left to others",
			SLICE_ARGUMENTS(action->address), SLICE_ARGUMENTS(object->address),
			SLICE_ARGUMENTS(target->address), kept->field->name);
		diag_address(planning->diagnostics, action->address);
		diag_hint(planning->diagnostics,
			  "take '%s' out of 'lifecycle.ignore' of '%.*s', have whoever looks after it name another "
			  "one there first, or keep '%.*s'",
			  kept->field->name, SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(target->address));
		any = true;
	}
	return any;
}

/* The name by which the service knows a thing of the kind, within its place; empty where that field is none, or NULL,
 * or the value is not known yet. */
static struct slice name_text(struct planning *planning, const struct kind *kind, const struct field *field,
			      const struct value *value, const struct identity *identity)
{
	const struct identity place = identity_any_way(identity);

	return field && (field->flags & NAMES) ? unique_value(kind, field, value, NULL, &place, planning->arena)
					       : (struct slice){0};
}

/* What is to end, and is named by its id or, where the reference is to that, by its name. What only a new object has
 * otherwise was told by that name what it is, and needs no more. */
static const struct action *ending_at(const struct kept *kept, const struct field *reference, struct slice text)
{
	if (!reference->output)
		return map_get(&kept->endings->by_id, text);
	const struct kind *kind = kinds_find(kept->planning->input->kinds, slice_of(reference->target));
	const struct field *field = kind ? field_named(&kind->fields, slice_of(reference->output)) : NULL;
	const struct value value = value_string(text);
	struct slice name = name_text(kept->planning, kind, field, &value, &kept->object->identity);

	return (kept->field->flags & IMMUTABLE) || map_has(&kept->endings->coming, name)
		       ? NULL
		       : map_get(&kept->endings->by_name, name);
}

static void look_at(void *context, const struct value *part, const struct field *reference, struct slice text)
{
	const struct kept *kept = context;
	const struct action *target = ending_at(kept, reference, text);

	/* An id may be a name, of which each kind and each place has its own. */
	if (!target || !slice_is(slice_of(target->kind->name), reference->target) ||
	    !identity_same_place(&target->identity, &kept->object->identity))
		return;
	if (!(reference->flags & PINS)) {
		if (is_left_to_others(kept) && !refuse_launches(kept, target))
			warn(kept, target);
		return;
	}
	if (!kept->item || plan_item_keeps(kept->item, kept->field, part))
		report(kept, part, target);
}

/* Whether a change of the object that stays lets go of what it uses. */
static bool is_let_go(const struct kept *kept, const struct value *use)
{
	const struct item *item = kept->item;

	return item && item->in_focus && operation_keeps(item->operation) && item->fields &&
	       changes_end_use(item->fields->changes, item->fields->count, use);
}

static void report_use(const struct kept *kept, const struct value *use, const struct action *target)
{
	struct planning *planning = kept->planning;
	struct slice by = value_slice(value_get_named(use, "by"));
	const struct value *path = value_get_named(use, "path"), *member = value_get_named(use, "member");
	struct slice rest = value_slice(path), top = slice_cut(&rest, '[');
	const struct value left = left_to_others(kept);

	diag_error(planning->diagnostics, FAULT_CONFLICT, target->position,
		   "'%.*s' cannot be deleted: %.*s of '%.*s' uses it, and stays as it is",
		   SLICE_ARGUMENTS(target->address), SLICE_ARGUMENTS(by), SLICE_ARGUMENTS(kept->object->address));
	plan_note_end(planning, target);
	if (path && member && ignored_has(&left, top))
		diag_hint(planning->diagnostics,
			  "take '%.*s' out of 'lifecycle.ignore' of '%.*s' and set '%.*s' of '%.*s' without that, take "
			  "it out there by hand, or keep '%.*s'",
			  SLICE_ARGUMENTS(top), SLICE_ARGUMENTS(kept->object->address),
			  SLICE_ARGUMENTS(value_slice(member)), SLICE_ARGUMENTS(value_slice(path)),
			  SLICE_ARGUMENTS(target->address));
	else if (path && member)
		diag_hint(planning->diagnostics, "have '%.*s' set '%.*s' of '%.*s' without that, or keep '%.*s'",
			  SLICE_ARGUMENTS(kept->object->address), SLICE_ARGUMENTS(value_slice(member)),
			  SLICE_ARGUMENTS(value_slice(path)), SLICE_ARGUMENTS(target->address));
	else
		diag_hint(planning->diagnostics, "have '%.*s' go too, take that off by hand, or keep '%.*s'",
			  SLICE_ARGUMENTS(kept->object->address), SLICE_ARGUMENTS(target->address));
}

static void look_at_uses(const struct kept *kept, const struct value *uses)
{
	for (uint32_t i = 0; value_is(uses, VALUE_LIST) && i < uses->count; i++) {
		const struct action *target =
			map_get(&kept->endings->by_id, value_slice(value_get_named(&uses->items[i], "id")));

		if (target && !is_let_go(kept, &uses->items[i]))
			report_use(kept, &uses->items[i], target);
	}
}

static void look_within(struct kept *kept, const struct live *live)
{
	const struct kind *kind = kinds_find(kept->planning->input->kinds, kept->object->kind);

	if (!kind || !live || live->presence != PRESENCE_PRESENT)
		return;
	look_at_uses(kept, &live->uses);
	for (size_t i = 0; i < kind->fields.count; i++) {
		kept->field = field_at(&kind->fields, i);
		named_each_part(kept->field, value_get_named(&live->fields, kept->field->name), look_at, kept);
	}
}

static void note_names(struct planning *planning, struct endings *endings, struct action *action, bool ends)
{
	for (size_t i = 0; action->kind && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		struct slice had = name_text(planning, action->kind, field, value_get_named(&action->live, field->name),
					     &action->identity);
		struct slice wanted = name_text(planning, action->kind, field,
						value_get_named(&action->known, field->name), &action->identity);

		if (ends && had.size > 0)
			map_set(&endings->by_name, had, action);
		if (operation_makes(action->operation) && wanted.size > 0)
			map_mark(&endings->coming, wanted);
	}
}

static void note_endings(struct planning *planning, struct endings *endings, struct map *told)
{
	for (size_t i = 0; i < planning->action_count; i++) {
		struct action *action = &planning->actions[i];
		/* What a replace has left behind goes as soon as it can. */
		bool ends = operation_ends(action->operation) && action->role != OBJECT_DEPOSED &&
			    action->provider_id.size > 0;

		/* It names nothing any more, or why it stays is told already. */
		if (action_ends_old(action) || action->operation == OPERATION_CONFLICT)
			map_mark(told, action->object_id);
		if (ends)
			map_set(&endings->by_id, action->provider_id, action);
		note_names(planning, endings, action, ends);
	}
}

void plan_tell_kept(struct planning *planning)
{
	const struct plan_input *input = planning->input;
	const struct live *const *around = plan_around(planning);
	struct endings endings;
	struct map told;

	map_init(&told);
	map_init(&endings.by_id);
	map_init(&endings.by_name);
	map_init(&endings.coming);
	note_endings(planning, &endings, &told);
	for (size_t i = 0; endings.by_id.count > 0 && around && !input->scope.looks && i < input->object_count; i++) {
		const struct object *object = input->objects[i];
		const struct item *item = planning->of_objects[i];
		bool is_its = item && item->object == object;
		struct kept kept = {planning, &endings, object, is_its ? item : NULL, NULL};

		if (!map_has(&told, object->object_id) && !(is_its && item->operation == OPERATION_CONFLICT))
			look_within(&kept, is_its && item->live ? item->live : around[i]);
	}
	map_release(&told);
	map_release(&endings.by_id);
	map_release(&endings.by_name);
	map_release(&endings.coming);
}
