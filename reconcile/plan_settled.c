#include "reconcile/diff_field.h"
#include "reconcile/plan_items.h"
#include "reconcile/unfinished.h"

/*
 * An undoing leaves alone what its run did not change. Of a field that refers to others the plan alone can tell whether
 * that leaves anything to do: it follows where what it refers to becomes another one. Where that stays what it is, so
 * does the field, whatever people have made of it since. Nor can the undoing tell which object it will be about, where
 * a replace has left one behind.
 */

/* Whether the field is to be what was last made of it. */
static bool is_to_stay(const struct planning *planning, const struct item *item, struct slice name)
{
	const struct field *field = field_named(&item->resource->kind->fields, name);
	const struct value *wanted = value_get_given(&item->wanted, name);
	const struct json_style *style = planning->input->secrets.style;
	struct value sealed = wanted ? *wanted : value_null();

	if (style && value_has_secret(&sealed))
		sealed = json_seal(planning->arena, &sealed, style);
	return field && diff_field(field, &sealed, value_get_given(&item->object->resolved, name)) == LIKE;
}

/* What a run did not bring to its end is no word for how it is to be. */
static bool is_settled(const struct object *object)
{
	return object && object_was_finished(object) && !unfinished_has_note(object);
}

/* Whether a deletion that came to nothing has taken it off, and it is to be there again: of what a replace had left
 * behind, and is taken back. */
static bool is_to_come_back(const struct planning *planning, const struct item *item, struct slice name)
{
	return item->object && value_get_given(&item->object->let_go, name) &&
	       !ignored_has(&item->resource->left_to_others, name) && !is_to_stay(planning, item, name);
}

void plan_item_settle(struct planning *planning, struct item *item)
{
	const struct resource *resource = item->resource;
	size_t most = resource->ignored_count + resource->follows_count;
	struct slice *ignored;

	item->ignored = resource->ignored;
	item->ignored_count = resource->ignored_count;
	if (planning->input->scope.undoes.size == 0 || most == 0)
		return;
	ignored = arena_new_array(planning->arena, most, struct slice);
	item->ignored_count = 0;
	for (size_t i = 0; i < resource->ignored_count; i++)
		if (!is_to_come_back(planning, item, resource->ignored[i]))
			ignored[item->ignored_count++] = resource->ignored[i];
	for (size_t i = 0; i < resource->follows_count; i++)
		if (is_settled(item->object) && is_to_stay(planning, item, resource->follows[i]))
			ignored[item->ignored_count++] = resource->follows[i];
	item->ignored = ignored;
}
