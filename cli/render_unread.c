#include "cli/render_unread.h"

#include <stdlib.h>

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

static void print_name(struct buffer *buffer, const struct report *report, const struct unread *unread,
		       const struct palette *palette)
{
	struct slice name = unread->address;

	if (unread->field.size > 0)
		name = arena_format(report->arena, "%.*s.%.*s", SLICE_ARGUMENTS(name), SLICE_ARGUMENTS(unread->field));
	buffer_string(buffer, "      ");
	size_t used = paint_safe(buffer, palette, PAINT_BOLD, name);
	buffer_format(buffer, "%*s ", used < NAME_COLUMN ? NAME_COLUMN - (int)used : 0, "");
	print_safe(buffer, unread->place);
	buffer_trim_end(buffer);
	buffer_byte(buffer, '\n');
}

void render_unread(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	const struct plan *plan = report->plan;
	const struct unread **sorted = arena_new_array(report->arena, plan->unread_count + 1, const struct unread *);
	size_t shown = 0;

	if (plan->unread_count == 0)
		return;
	for (size_t i = 0; i < plan->unread_count; i++)
		sorted[i] = &plan->unread[i];
	qsort(sorted, plan->unread_count, sizeof(struct unread *), compare);
	paint(buffer, palette, PAINT_BOLD, "%-7s", "UNREAD");
	buffer_string(buffer, " could not be read, or waits for what could not: nothing is claimed or done about it\n");
	for (size_t i = 0; i < plan->unread_count; i++) {
		bool ends = i + 1 == plan->unread_count || compare_reasons(sorted[i], sorted[i + 1]) != 0;

		if (shown == 0)
			print_reason(buffer, sorted[i], palette);
		if (shown++ < SHOWN_MOST)
			print_name(buffer, report, sorted[i], palette);
		if (!ends)
			continue;
		if (shown > SHOWN_MOST)
			buffer_format(buffer, "      and %zu more (--output json has them all)\n", shown - SHOWN_MOST);
		shown = 0;
	}
}
