#include "reconcile/diff_field.h"
#include "reconcile/plan_items.h"

/*
 * What will do nothing once the plan is carried out (field.dead): an item that names by its text, and not by a
 * reference, what this plan deletes or makes anew. The service lets that go, and no reference says that anything
 * waits for it; whoever approves the plan is told.
 */

/* What ends, and by what of it is named. */
struct named {
	const struct action *action;
	struct slice by; /* "interface", or of what no output tells "interfaces[1]" */
	bool is_output;
};

struct dying {
	struct planning *planning;
	struct map ending; /* by object id, to struct action */
	struct map texts;  /* of their outputs, and the ids of their parts, to struct named */
};

/* Whether the next one is made of that part too: then it has it in its place. */
static bool takes_along(const struct action *action, struct slice id)
{
	for (size_t i = 0; operation_makes(action->operation) && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		const struct value *set = field->part_id ? value_get_named(&action->known, field->name) : NULL;

		for (uint32_t k = 0; set && value_is(set, VALUE_LIST) && k < set->count; k++)
			if (slice_equal(value_slice(value_get_named(&set->items[k], field->part_id)), id))
				return true;
	}
	return false;
}

static void note(struct dying *dying, const struct value *text, const struct named *by)
{
	struct named *named;

	if (!text || !value_is(text, VALUE_STRING) || takes_along(by->action, value_slice(text)))
		return;
	named = arena_new(dying->planning->arena, struct named);
	*named = *by;
	map_add(&dying->texts, value_slice(text), named);
}

static void note_outputs(struct dying *dying, const struct action *action, const struct object *object)
{
	for (size_t i = 0; i < action->kind->outputs.count; i++) {
		const struct output *output = output_at(&action->kind->outputs, i);
		const struct named named = {action, slice_of(output->name), true};

		/* Of what repeats a field others may have the same, and the next one has it too. */
		if (!output->repeats && !output->secret)
			note(dying, value_get_named(&object->outputs, output->name), &named);
	}
}

static void note_parts(struct dying *dying, const struct action *action, const struct live *live)
{
	for (size_t i = 0; live && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		const struct value *set = field->part_id ? value_get_named(&live->fields, field->name) : NULL;

		for (uint32_t k = 0; set && value_is(set, VALUE_LIST) && k < set->count; k++) {
			struct slice path =
				diff_item_path(field, slice_of(field->name), &set->items[k], dying->planning->arena);
			const struct named named = {action, path, false};

			note(dying, value_get_named(&set->items[k], field->part_id), &named);
		}
	}
}

static void note_endings(struct dying *dying)
{
	struct planning *planning = dying->planning;
	const struct live *const *around = plan_around(planning);

	for (size_t i = 0; i < planning->action_count; i++) {
		struct action *action = &planning->actions[i];

		if (action->kind && operation_ends(action->operation) && action->role != OBJECT_DEPOSED)
			map_set(&dying->ending, action->object_id, action);
	}
	for (size_t i = 0; dying->ending.count > 0 && i < planning->input->object_count; i++) {
		struct object *object = planning->input->objects[i];
		const struct action *action = map_get(&dying->ending, object->object_id);

		if (!action || !plan_load_body(planning, object))
			continue;
		note_outputs(dying, action, object);
		note_parts(dying, action, around ? around[i] : NULL);
	}
}

static void warn(const struct dying *dying, const struct item *item, const struct field *field,
		 const struct value *mine, const struct value *text, const struct named *named)
{
	struct planning *planning = dying->planning;
	struct slice path = diff_item_path(field, slice_of(field->name), mine, planning->arena);
	struct slice target = named->action->address;

	diag_add(planning->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, text->position,
		 "'%.*s': %.*s goes on naming %.*s, the '%.*s' of the '%.*s' that goes", SLICE_ARGUMENTS(item->address),
		 SLICE_ARGUMENTS(path), SLICE_ARGUMENTS(value_shown(text, SIZE_MAX)), SLICE_ARGUMENTS(named->by),
		 SLICE_ARGUMENTS(target));
	diag_address(planning->diagnostics, item->address);
	if (operation_makes(named->action->operation) && named->is_output)
		diag_hint(planning->diagnostics,
			  "write '${%.*s.%.*s}' there: that becomes what the new one has, and says what waits for it",
			  SLICE_ARGUMENTS(target), SLICE_ARGUMENTS(named->by));
	else if (operation_makes(named->action->operation))
		diag_hint(planning->diagnostics,
			  "have it name another one, or that of the new '%.*s' once it is made: no output tells that",
			  SLICE_ARGUMENTS(target));
	else
		diag_hint(planning->diagnostics, "have it name another one, or take it out");
}

static void look_at(const struct dying *dying, const struct item *item, const struct field *field)
{
	/* There a reference is none, whatever it comes to. */
	const struct value *wanted = value_get_named(&item->resource->desired, field->name);

	for (uint32_t i = 0; wanted && value_is(wanted, VALUE_LIST) && i < wanted->count; i++) {
		const struct value *mine = &wanted->items[i];

		for (uint32_t k = 0; value_is(mine, VALUE_MAP) && k < mine->count; k++) {
			const struct value *text = &mine->members[k].value;
			const struct named *named = value_is(text, VALUE_STRING) && !value_has_secret(text)
							    ? map_get(&dying->texts, value_slice(text))
							    : NULL;

			if (named && identity_same_place(&named->action->identity, item->identity))
				warn(dying, item, field, mine, text, named);
		}
	}
}

/* Whether it is there after the plan, and as its spec says. */
static bool stays(const struct item *item)
{
	bool ends = operation_ends(item->operation) && !operation_makes(item->operation);

	return item->resource && item->identity && !item->resource->stands && !ends && (item->in_focus || item->object);
}

void plan_tell_dying(struct planning *planning)
{
	struct dying dying = {.planning = planning};

	map_init(&dying.ending);
	map_init(&dying.texts);
	note_endings(&dying);
	for (size_t i = 0; dying.texts.count > 0 && i < planning->item_count; i++) {
		const struct item *item = &planning->items[i];

		for (size_t k = 0; stays(item) && k < item->resource->kind->fields.count; k++) {
			const struct field *field = field_at(&item->resource->kind->fields, k);

			if (field->dead && !slice_is_among(field->name, item->ignored, item->ignored_count))
				look_at(&dying, item, field);
		}
	}
	map_release(&dying.ending);
	map_release(&dying.texts);
}
