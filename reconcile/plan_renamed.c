#include "reconcile/plan_items.h"

/*
 * What is to be made and what is to go may be one thing under another name: the spec has of the one what it had of the
 * other when that was last applied. To make it anew is what the spec says; whoever only renamed it learns here how to
 * keep it. Most alike are two that the spec has the same fields of; what is left then may differ in its tags.
 */

/* One end of a renaming. */
struct namesake {
	const struct kind *kind;
	const struct value *fields; /* MAP, symbolic: as the spec has them, or had them */
	struct slice address, provider;
	struct position position;
	bool is_paired;
};

/* Of one form. */
struct namesakes {
	struct namesake *ends, *made;
	size_t end_count, made_count;
};

struct pairing {
	struct planning *planning;
	struct namesake *ends, *made;
	size_t end_count, made_count;
	bool with_tags;
};

static bool write_form(struct buffer *text, const struct pairing *pairing, const struct namesake *one)
{
	const struct json_style *style = pairing->planning->input->secrets.style;
	bool good = json_write_string(text, slice_of(one->kind->name)) && json_write_string(text, one->provider);

	for (size_t i = 0; good && i < one->kind->fields.count; i++) {
		const char *name = field_at(&one->kind->fields, i)->name;
		const struct value *value = value_get_named(one->fields, name);

		if (value && (pairing->with_tags || strcmp(name, "tags") != 0))
			good = json_write_string(text, slice_of(name)) && json_write(text, value, style);
	}
	return good && !text->full;
}

/* NULL where it is too long for anybody to tell. */
static struct namesakes *namesakes_of(struct pairing *pairing, struct map *forms, const struct namesake *one)
{
	struct buffer *text = &pairing->planning->symbolic;
	struct arena *arena = pairing->planning->arena;

	buffer_clear(text);
	if (!write_form(text, pairing, one))
		return NULL;
	const struct digest form = digest_of(buffer_slice(text));
	struct slice key = {(const char *)form.bytes, DIGEST_BYTES};
	struct namesakes *found = map_get(forms, key);
	if (!found) {
		found = arena_new(arena, struct namesakes);
		*found = (struct namesakes){0};
		map_set(forms, arena_copy(arena, key), found);
	}
	return found;
}

/* Of several that are alike nobody can tell which is which. */
static void note_pair(struct pairing *pairing, const struct namesakes *form)
{
	struct planning *planning = pairing->planning;
	struct renamed *renamed;

	if (form->end_count != 1 || form->made_count != 1 || form->made->is_paired)
		return;
	renamed = arena_new(planning->arena, struct renamed);
	*renamed = (struct renamed){form->made->address, form->made->position};
	map_set(&planning->renamed, form->ends->address, renamed);
	form->made->is_paired = form->ends->is_paired = true;
}

static void pair(struct pairing *pairing, bool with_tags)
{
	struct map forms; /* to struct namesakes */
	struct namesakes *form;

	pairing->with_tags = with_tags;
	map_init(&forms);
	for (size_t i = 0; i < pairing->end_count; i++) {
		form = pairing->ends[i].is_paired ? NULL : namesakes_of(pairing, &forms, &pairing->ends[i]);
		if (form) {
			form->ends = &pairing->ends[i];
			form->end_count++;
		}
	}
	struct namesakes **found =
		arena_new_array(pairing->planning->arena, pairing->made_count + 1, struct namesakes *);
	for (size_t i = 0; i < pairing->made_count; i++) {
		found[i] = pairing->made[i].is_paired ? NULL : namesakes_of(pairing, &forms, &pairing->made[i]);
		if (found[i]) {
			found[i]->made = &pairing->made[i];
			found[i]->made_count++;
		}
	}
	for (size_t i = 0; i < pairing->made_count; i++)
		if (found[i])
			note_pair(pairing, found[i]);
	map_release(&forms);
}

static void add_made(struct pairing *pairing, const struct action *action)
{
	if (action->operation == OPERATION_CREATE && action->object_id.size == 0)
		pairing->made[pairing->made_count++] = (struct namesake){
			action->kind, &action->desired, action->address, action->provider, action->position, false};
}

static void add_end(struct pairing *pairing, size_t number)
{
	const struct planning *planning = pairing->planning;
	const struct object *object = planning->input->objects[number];
	const struct kind *kind = kinds_find(planning->input->kinds, object->kind);

	if (planning->leaves[number] && !planning->of_objects[number] && object->role == OBJECT_CURRENT && kind &&
	    object->has_body && value_is(&object->applied, VALUE_MAP))
		pairing->ends[pairing->end_count++] =
			(struct namesake){kind, &object->applied, object->address, object->provider, NOWHERE, false};
}

void plan_find_renamed(struct planning *planning)
{
	const struct plan_input *input = planning->input;
	struct pairing pairing = {.planning = planning};

	if (input->scope.looks || input->scope.undoes.size > 0 || input->destroy)
		return;
	pairing.made = arena_new_array(planning->arena, planning->action_count + 1, struct namesake);
	for (size_t i = 0; i < planning->action_count; i++)
		add_made(&pairing, &planning->actions[i]);
	if (pairing.made_count == 0)
		return;
	pairing.ends = arena_new_array(planning->arena, input->object_count + 1, struct namesake);
	for (size_t i = 0; i < input->object_count; i++)
		add_end(&pairing, i);
	if (pairing.end_count == 0)
		return;
	pair(&pairing, true);
	pair(&pairing, false);
}

const char *plan_hint_at_renamed(const struct planning *planning, const struct object *object, const char *hint)
{
	const struct renamed *renamed = hint ? map_get(&planning->renamed, object->address) : NULL;

	return renamed ? arena_text(planning->arena,
				    "if it was only renamed, 'trueup state mv %.*s %.*s' keeps it; else %s",
				    SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(renamed->address), hint)
		       : hint;
}

static void warn(struct planning *planning, struct slice from, const struct renamed *renamed)
{
	diag_add(planning->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, renamed->position,
		 "'%.*s' is to be made as '%.*s' was, which is to go", SLICE_ARGUMENTS(renamed->address),
		 SLICE_ARGUMENTS(from));
	diag_address(planning->diagnostics, renamed->address);
	diag_hint(planning->diagnostics, "if it was only renamed, 'trueup state mv %.*s %.*s' keeps it",
		  SLICE_ARGUMENTS(from), SLICE_ARGUMENTS(renamed->address));
}

void plan_tell_renamed(struct planning *planning)
{
	for (size_t i = 0; planning->renamed.count > 0 && i < planning->action_count; i++) {
		const struct action *action = &planning->actions[i];
		bool ends = action->operation == OPERATION_DELETE && action->role == OBJECT_CURRENT && !action->in_spec;
		const struct renamed *renamed = ends ? map_get(&planning->renamed, action->address) : NULL;

		if (renamed)
			warn(planning, action->address, renamed);
	}
}
