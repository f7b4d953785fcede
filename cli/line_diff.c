#include "cli/line_diff.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
	AROUND = 2,
	/* Cells of the table of common lengths: beyond, the middle is shown as replaced. */
	CELLS_MOST = 4 * 1000 * 1000,
};

struct lines {
	struct slice *items; /* owned */
	size_t count;
};

struct piece {
	enum line_kind kind;
	struct slice line;
};

struct pieces {
	struct piece *items; /* owned */
	size_t count;
};

static struct lines lines_of(struct slice text)
{
	size_t count = 1;

	for (size_t i = 0; i < text.size; i++)
		count += text.data[i] == '\n';
	struct lines lines = {.items = memory_get(count * sizeof(struct slice))};
	while (text.data && text.size > 0)
		lines.items[lines.count++] = slice_cut(&text, '\n');
	return lines;
}

static void add(struct pieces *pieces, enum line_kind kind, struct slice line)
{
	pieces->items[pieces->count++] = (struct piece){kind, line};
}

/* The longest common subsequence of the middles, or nothing in common where they are too long. */
static void add_middle(struct pieces *pieces, const struct slice *a, size_t a_count, const struct slice *b,
		       size_t b_count)
{
	size_t width = b_count + 1;
	uint32_t *common = NULL;
	size_t i = 0, k = 0;

	if (a_count > 0 && b_count > 0 && a_count < CELLS_MOST / width) {
		common = memory_get((a_count + 1) * width * sizeof(*common));
		for (size_t row = a_count; row-- > 0;)
			for (size_t column = b_count; column-- > 0;) {
				uint32_t below = common[(row + 1) * width + column];
				uint32_t beside = common[row * width + column + 1];

				common[row * width + column] = slice_equal(a[row], b[column])
								       ? common[(row + 1) * width + column + 1] + 1
							       : below > beside ? below
										: beside;
			}
	}
	while (common && i < a_count && k < b_count) {
		if (slice_equal(a[i], b[k])) {
			add(pieces, LINE_SAME, a[i++]);
			k++;
		} else if (common[(i + 1) * width + k] >= common[i * width + k + 1]) {
			add(pieces, LINE_GONE, a[i++]);
		} else {
			add(pieces, LINE_NEW, b[k++]);
		}
	}
	while (i < a_count)
		add(pieces, LINE_GONE, a[i++]);
	while (k < b_count)
		add(pieces, LINE_NEW, b[k++]);
	free(common);
}

static struct pieces compare(const struct lines *a, const struct lines *b)
{
	struct pieces pieces = {.items = memory_get((a->count + b->count + 1) * sizeof(struct piece))};
	size_t least = a->count < b->count ? a->count : b->count;
	size_t head = 0, tail = 0;

	while (head < least && slice_equal(a->items[head], b->items[head]))
		head++;
	while (tail < least - head && slice_equal(a->items[a->count - 1 - tail], b->items[b->count - 1 - tail]))
		tail++;
	for (size_t i = 0; i < head; i++)
		add(&pieces, LINE_SAME, a->items[i]);
	add_middle(&pieces, a->items + head, a->count - head - tail, b->items + head, b->count - head - tail);
	for (size_t i = a->count - tail; i < a->count; i++)
		add(&pieces, LINE_SAME, a->items[i]);
	return pieces;
}

/* A same line is kept where a change stands within reach. */
static void emit_near(const struct pieces *pieces, void (*emit)(void *context, enum line_kind kind, struct slice line),
		      void *context)
{
	bool *kept = memory_get(pieces->count + 1);
	bool cut = false;

	for (size_t i = 0; i < pieces->count; i++) {
		if (pieces->items[i].kind == LINE_SAME)
			continue;
		size_t first = i > AROUND ? i - AROUND : 0;
		for (size_t k = first; k <= i + AROUND && k < pieces->count; k++)
			kept[k] = true;
	}
	for (size_t i = 0; i < pieces->count; i++) {
		if (kept[i])
			emit(context, pieces->items[i].kind, pieces->items[i].line);
		else if (!cut)
			emit(context, LINE_CUT, (struct slice){NULL, 0});
		cut = !kept[i];
	}
	free(kept);
}

void line_diff(struct slice before, struct slice after,
	       void (*emit)(void *context, enum line_kind kind, struct slice line), void *context)
{
	struct lines a = lines_of(before);
	struct lines b = lines_of(after);
	struct pieces pieces = compare(&a, &b);

	emit_near(&pieces, emit, context);
	free(pieces.items);
	free(a.items);
	free(b.items);
}
