#include "specs/references_walk.h"

/* Why a value is not kept. */
enum verdict { FITS, TOO_DEEP, TOO_LARGE };

static enum verdict take(size_t bytes, size_t *left)
{
	/* Never to the last byte: that nothing is left means that it was said. */
	if (bytes >= *left)
		return TOO_LARGE;
	*left -= bytes;
	return FITS;
}

/* Takes what a copy of all of it needs off *left. It may share parts so often that no copy ever ends: nor does this
 * walk, but for *left. */
static enum verdict weigh(const struct value *value, unsigned depth, size_t *left)
{
	bool is_map = value->type == VALUE_MAP;
	enum verdict verdict;

	if (value->type == VALUE_STRING)
		return take(value_slice(value).size, left);
	if (value->type == VALUE_DEFERRED)
		return take(value->deferred->text.size, left);
	if (value->type != VALUE_LIST && !is_map)
		return FITS;
	if (depth == EVALUATED_DEEPEST)
		return TOO_DEEP;
	verdict = take(value->count * (is_map ? sizeof(struct value_member) : sizeof(struct value)), left);
	for (uint32_t i = 0; verdict == FITS && i < value->count; i++) {
		if (is_map)
			verdict = take(value_slice(&value->members[i].key).size, left);
		if (verdict == FITS)
			verdict = weigh(is_map ? &value->members[i].value : &value->items[i], depth + 1, left);
	}
	return verdict;
}

bool references_afford(struct loading *loading, const struct value *value, size_t working_bytes,
		       struct position position)
{
	enum verdict verdict = take(working_bytes, &loading->evaluation_left);

	if (verdict == FITS)
		verdict = weigh(value, 0, &loading->evaluation_left);
	if (verdict == TOO_DEEP) {
		diag_error(loading->diagnostics, FAULT_USER, position,
			   "the value of the expression nests deeper than %d levels", EVALUATED_DEEPEST);
		diag_hint(loading->diagnostics, "each value that is put into the next makes that one deeper: refer to "
						"what is needed of it alone");
	} else if (verdict == TOO_LARGE) {
		diag_error(loading->diagnostics, FAULT_USER, position,
			   "with this one, what the expressions of the spec come to takes more than %d MB of memory",
			   EVALUATED_MOST_BYTES / 1000 / 1000);
		diag_hint(loading->diagnostics, "each value that is put into the next makes that one larger: refer to "
						"what is needed of it alone, or divide the stack");
		/* What follows is not evaluated any more, and nothing is said of it. */
		loading->evaluation_left = 0;
	}
	return verdict == FITS;
}
