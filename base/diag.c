#include "base/diag.h"

#include <stdlib.h>

#include "base/memory.h"

void diagnostics_init(struct diagnostics *diagnostics, struct arena *arena)
{
	*diagnostics = (struct diagnostics){.arena = arena};
}

void diagnostics_release(struct diagnostics *diagnostics)
{
	free(diagnostics->items);
	*diagnostics = (struct diagnostics){.arena = diagnostics->arena};
}

/*
 * Makes room for an error among DIAGNOSTICS_MOST by dropping the last that is none, so that
 * warnings never hide an error. False where all are errors.
 */
static bool make_room(struct diagnostics *diagnostics)
{
	size_t i = diagnostics->count;

	if (diagnostics->error_count >= DIAGNOSTICS_MOST)
		return false;
	while (i > 0 && diagnostics->items[i - 1].severity == SEVERITY_ERROR)
		i--;
	if (i == 0)
		return false;
	memmove(&diagnostics->items[i - 1], &diagnostics->items[i],
		(diagnostics->count - i) * sizeof(*diagnostics->items));
	diagnostics->count--;
	diagnostics->dropped++;
	return true;
}

/* An empty diagnostic, counted: the spare where it is dropped. */
static struct diag *diag_new(struct diagnostics *diagnostics, enum severity severity)
{
	bool is_error = severity == SEVERITY_ERROR;
	struct diag *diag = &diagnostics->spare;

	diagnostics->last_dropped = diagnostics->count >= DIAGNOSTICS_MOST && !(is_error && make_room(diagnostics));
	if (is_error)
		diagnostics->error_count++;
	if (diagnostics->last_dropped) {
		diagnostics->dropped++;
	} else {
		diagnostics->items = (struct diag *)memory_room(diagnostics->items, diagnostics->count,
								&diagnostics->capacity, sizeof(*diagnostics->items));
		diag = &diagnostics->items[diagnostics->count++];
	}
	*diag = (struct diag){.severity = severity};
	return diag;
}

/* A dropped one takes no memory for its texts, however many follow. */
__attribute__((format(printf, 5, 0))) static struct diag *diag_vadd(struct diagnostics *diagnostics,
								    enum severity severity, enum fault fault,
								    struct position position, const char *format,
								    va_list arguments)
{
	struct diag *diag = diag_new(diagnostics, severity);

	if (!diagnostics->last_dropped) {
		diag->fault = fault;
		diag->position = position;
		diag->message = arena_vformat(diagnostics->arena, format, arguments);
	}
	return diag;
}

struct diag *diag_add(struct diagnostics *diagnostics, enum severity severity, enum fault fault,
		      struct position position, const char *format, ...)
{
	va_list arguments;
	struct diag *diag;

	va_start(arguments, format);
	diag = diag_vadd(diagnostics, severity, fault, position, format, arguments);
	va_end(arguments);
	return diag;
}

bool diag_error(struct diagnostics *diagnostics, enum fault fault, struct position position, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	diag_vadd(diagnostics, SEVERITY_ERROR, fault, position, format, arguments);
	va_end(arguments);
	return false;
}

/* The one added last, or NULL where there is none or it was dropped. */
static struct diag *diag_last(struct diagnostics *diagnostics)
{
	bool is_there = diagnostics->count > 0 && !diagnostics->last_dropped;

	return is_there ? &diagnostics->items[diagnostics->count - 1] : NULL;
}

void diag_hint(struct diagnostics *diagnostics, const char *format, ...)
{
	struct diag *diag = diag_last(diagnostics);
	va_list arguments;

	if (!diag)
		return;
	va_start(arguments, format);
	diag->hint = arena_vformat(diagnostics->arena, format, arguments);
	va_end(arguments);
}

bool diag_hint_for_word(struct diagnostics *diagnostics, struct slice word, const struct word_hint *hints)
{
	while (hints->word && !slice_is(word, hints->word))
		hints++;
	if (hints->word)
		diag_hint(diagnostics, "%s", hints->hint);
	return hints->word != NULL;
}

bool diag_suggest(struct diagnostics *diagnostics, struct slice name, const struct slice *candidates, size_t count)
{
	int nearest = slice_nearest(name, candidates, count);

	if (nearest >= 0)
		diag_hint(diagnostics, "did you mean '%.*s'?", SLICE_ARGUMENTS(candidates[nearest]));
	return nearest >= 0;
}

void diag_related(struct diagnostics *diagnostics, struct position position, const char *format, ...)
{
	struct diag *diag = diag_last(diagnostics);
	va_list arguments;

	if (!diag)
		return;
	diag->related = position;
	va_start(arguments, format);
	diag->related_message = arena_vformat(diagnostics->arena, format, arguments);
	va_end(arguments);
}

void diag_address(struct diagnostics *diagnostics, struct slice address)
{
	struct diag *diag = diag_last(diagnostics);

	if (diag)
		diag->address = arena_copy(diagnostics->arena, address);
}

void diag_cause(struct diagnostics *diagnostics, struct slice cause)
{
	struct diag *diag = diag_last(diagnostics);

	if (diag)
		diag->cause = arena_copy(diagnostics->arena, cause);
}

void diagnostics_join(struct diagnostics *to, const struct diagnostics *from)
{
	size_t dropped_errors = from->error_count;

	for (size_t i = 0; i < from->count; i++) {
		const struct diag *item = &from->items[i];
		struct diag *copy = diag_new(to, item->severity);

		if (item->severity == SEVERITY_ERROR)
			dropped_errors--;
		if (to->last_dropped)
			continue;
		*copy = *item;
		copy->place = arena_copy(to->arena, item->place);
		copy->address = arena_copy(to->arena, item->address);
		copy->message = arena_copy(to->arena, item->message);
		copy->hint = arena_copy(to->arena, item->hint);
		copy->cause = arena_copy(to->arena, item->cause);
		copy->related_message = arena_copy(to->arena, item->related_message);
	}
	to->error_count += dropped_errors;
	to->dropped += from->dropped;
}

/* By position; where that is the same, in the order in which they lie. */
static int compare_places(const void *a, const void *b)
{
	const struct diag *const *first = (const struct diag *const *)a;
	const struct diag *const *second = (const struct diag *const *)b;
	int order = position_compare((*first)->position, (*second)->position);

	return order != 0 ? order : (*first > *second) - (*first < *second);
}

static bool diag_same(const struct diag *a, const struct diag *b)
{
	return a->severity == b->severity && a->fault == b->fault && slice_equal(a->message, b->message) &&
	       slice_equal(a->place, b->place) && slice_equal(a->address, b->address) &&
	       slice_equal(a->hint, b->hint) && slice_equal(a->cause, b->cause) &&
	       position_compare(a->related, b->related) == 0 && slice_equal(a->related_message, b->related_message);
}

/* Whether diag repeats one of the count kept ones, of which those at its own position stand last. */
static bool is_repeat(const struct diag *kept, size_t count, const struct diag *diag)
{
	for (size_t i = count; i > 0 && position_compare(kept[i - 1].position, diag->position) == 0; i--) {
		if (diag_same(&kept[i - 1], diag))
			return true;
	}
	return false;
}

void diagnostics_sort(struct diagnostics *diagnostics)
{
	size_t count = diagnostics->count, kept_count = 0;
	const struct diag **order;
	struct diag *kept;

	if (count < 2)
		return;
	order = (const struct diag **)memory_get(count * sizeof(const struct diag *));
	kept = (struct diag *)memory_get(diagnostics->capacity * sizeof(*kept));
	for (size_t i = 0; i < count; i++)
		order[i] = &diagnostics->items[i];
	qsort(order, count, sizeof(const struct diag *), compare_places);
	for (size_t i = 0; i < count; i++) {
		if (!is_repeat(kept, kept_count, order[i]))
			kept[kept_count++] = *order[i];
		else if (order[i]->severity == SEVERITY_ERROR)
			diagnostics->error_count--;
	}
	free(order);
	free(diagnostics->items);
	diagnostics->items = kept;
	diagnostics->count = kept_count;
}

const struct diag *diagnostics_first_error(const struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < diagnostics->count; i++) {
		if (diagnostics->items[i].severity == SEVERITY_ERROR)
			return &diagnostics->items[i];
	}
	return NULL;
}
