#include "base/buffer.h"
#include "base/json.h"
#include "reconcile/diff.h"

/* A NUL would end a message: it stands there as other control characters are shown. */
static struct slice without_nul(struct slice text, struct arena *arena)
{
	BUFFER_AUTO shown;

	buffer_init(&shown, SIZE_MAX);
	buffer_append(&shown, slice_cut(&text, '\0'));
	while (text.data) {
		buffer_string(&shown, "\\x00");
		buffer_append(&shown, slice_cut(&text, '\0'));
	}
	return arena_copy(arena, buffer_slice(&shown));
}

/* As messages show it: texts in quotes, lists and maps as JSON, secrets not at all. */
static struct slice shown(const struct value *value, struct arena *arena)
{
	static const struct json_style style = {.clear = false};
	struct slice text;

	if (value->secret)
		return SLICE("a secret");
	if (value_is(value, VALUE_STRING)) {
		text = without_nul(value_slice(value), arena);
		return arena_format(arena, "'%.*s'", SLICE_ARGUMENTS(text));
	}
	return json_canonical(arena, value, &style);
}

/* "has serial 'A', but the spec says 'B'". */
static struct slice contradiction(const struct change *change, struct arena *arena)
{
	struct slice before = shown(&change->before, arena), after = shown(&change->after, arena);

	/* The path of an item names it already: "macs[00:5c:52:31:3a:9c]". */
	if (value_is(&change->before, VALUE_NULL) && slice_ends_with(change->path, SLICE("]")))
		return arena_format(arena, "lacks %.*s, which the spec names", SLICE_ARGUMENTS(change->path));
	if (value_is(&change->before, VALUE_NULL))
		return arena_format(arena, "has no %.*s, but the spec says %.*s", SLICE_ARGUMENTS(change->path),
				    SLICE_ARGUMENTS(after));
	if (value_is(&change->after, VALUE_NULL))
		return arena_format(arena, "has %.*s, which the spec does not name", SLICE_ARGUMENTS(change->path));
	return arena_format(arena, "has %.*s %.*s, but the spec says %.*s", SLICE_ARGUMENTS(change->path),
			    SLICE_ARGUMENTS(before), SLICE_ARGUMENTS(after));
}

static void hint_at(const struct change *change, struct slice address, struct diagnostics *diagnostics)
{
	if (change->effect == EFFECT_LOST)
		diag_hint(
			diagnostics,
			"no call brings it back: %s; for a new one of all that the spec says, 'trueup destroy --target "
			"%.*s', then apply (what refers to it goes with it)",
			change->field->brought_back, SLICE_ARGUMENTS(address));
	else
		diag_hint(diagnostics, "no call changes that: correct the spec, or see whether this is what was meant");
}

void diff_report_conflicts(const struct difference *difference, struct slice address, struct position otherwise,
			   struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < difference->count; i++) {
		const struct change *change = &difference->changes[i];
		struct position position = change->after.position.line > 0 ? change->after.position : otherwise;
		struct slice text;

		if (change->effect != EFFECT_CONFLICT && change->effect != EFFECT_LOST)
			continue;
		text = contradiction(change, diagnostics->arena);
		diag_error(diagnostics, FAULT_CONFLICT, position, "'%.*s' %.*s", SLICE_ARGUMENTS(address),
			   SLICE_ARGUMENTS(text));
		hint_at(change, address, diagnostics);
		diag_address(diagnostics, address);
	}
}
