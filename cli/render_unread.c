#include "cli/render_unread.h"

#include <stdlib.h>

#include "base/map.h"

/* One refused call may be why a hundred thousand things are unread. The documents have them all. */
enum { SHOWN_MOST = 20, NAME_COLUMN = 34 };

static int compare_reasons(const struct unread *left, const struct unread *right)
{
	int order = slice_compare(left->reason, right->reason);

	return order ? order : slice_compare(left->hint, right->hint);
}

/* By reason, and within one in the order of the plan. */
static int compare(const void *a, const void *b)
{
	const struct unread *left = *(const struct unread *const *)a, *right = *(const struct unread *const *)b;
	int order = compare_reasons(left, right);

	return order ? order : (left > right) - (left < right);
}

static void print_reason(struct buffer *buffer, const struct unread *unread, const struct palette *palette)
{
	buffer_string(buffer, "  ");
	paint(buffer, palette, PAINT_CHANGE, "?");
	buffer_byte(buffer, ' ');
	print_safe(buffer, unread->reason.size > 0 ? unread->reason : SLICE("could not be read"));
	buffer_byte(buffer, '\n');
	if (unread->hint.size == 0)
		return;
	buffer_string(buffer, "    ");
	paint(buffer, palette, PAINT_BOLD, "hint:");
	buffer_byte(buffer, ' ');
	print_safe(buffer, unread->hint);
	buffer_byte(buffer, '\n');
}

static struct slice name_of(struct slice address, struct slice field, struct arena *arena)
{
	if (field.size == 0)
		return address;
	return arena_format(arena, "%.*s.%.*s", SLICE_ARGUMENTS(address), SLICE_ARGUMENTS(field));
}

/* What is set all the same is claimed, and done: the spec changed. */
static void find_changed(const struct plan *plan, struct arena *arena, struct map *ret)
{
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];

		for (size_t k = 0; action_is_carried_out(action) && k < action->change_count; k++)
			if (action->changes[k].unread)
				map_mark(ret,
					 name_of(action->address, slice_of(action->changes[k].field->name), arena));
	}
}

static void print_name(struct buffer *buffer, struct slice name, const struct unread *unread, bool changes,
		       const struct palette *palette)
{
	buffer_string(buffer, "      ");
	size_t used = paint_safe(buffer, palette, PAINT_BOLD, name);
	buffer_format(buffer, "%*s ", used < NAME_COLUMN ? NAME_COLUMN - (int)used : 0, "");
	print_safe(buffer, unread->place);
	if (changes)
		paint(buffer, palette, PAINT_CHANGE, "  set all the same, because the spec changed");
	buffer_trim_end(buffer);
	buffer_byte(buffer, '\n');
}

static void print_all(struct buffer *buffer, const struct report *report, const struct unread **sorted,
		      const struct map *changed, const struct palette *palette)
{
	size_t count = report->plan->unread_count, shown = 0;

	for (size_t i = 0; i < count; i++) {
		bool ends = i + 1 == count || compare_reasons(sorted[i], sorted[i + 1]) != 0;
		struct slice name = name_of(sorted[i]->address, sorted[i]->field, report->arena);

		if (shown == 0)
			print_reason(buffer, sorted[i], palette);
		if (shown++ < SHOWN_MOST)
			print_name(buffer, name, sorted[i], map_has(changed, name), palette);
		if (!ends)
			continue;
		if (shown > SHOWN_MOST)
			buffer_format(buffer, "      and %zu more (--output json has them all)\n", shown - SHOWN_MOST);
		shown = 0;
	}
}

void render_unread(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	const struct plan *plan = report->plan;
	const struct unread **sorted = arena_new_array(report->arena, plan->unread_count + 1, const struct unread *);
	struct map changed;

	if (plan->unread_count == 0)
		return;
	for (size_t i = 0; i < plan->unread_count; i++)
		sorted[i] = &plan->unread[i];
	qsort(sorted, plan->unread_count, sizeof(struct unread *), compare);
	map_init(&changed);
	find_changed(plan, report->arena, &changed);
	paint(buffer, palette, PAINT_BOLD, "%-7s", "UNREAD");
	buffer_format(buffer,
		      " could not be read, or waits for what could not: nothing is claimed or done about it%s\n",
		      changed.count > 0 ? ", unless it says so" : "");
	print_all(buffer, report, sorted, &changed, palette);
	map_release(&changed);
}
