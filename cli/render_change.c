#include "base/members.h"
#include "cli/line_diff.h"
#include "cli/render_change.h"

enum { TEXT_LIMIT_BYTES = 256 * 1024 * 1024, PATH_GAP = 2 };

/* What stands behind a change, by its effect. */
static const struct {
	const char *note;
	enum paint paint;
	const char *replaced; /* where a new object takes the place of this one */
} notes[] = {
	[EFFECT_SET] = {.paint = PAINT_PLAIN},
	[EFFECT_REPLACE] = {.note = "needs a new object", .paint = PAINT_LOUD},
	[EFFECT_REPLACE_UNLESS_EQUAL] = {.note = "not known yet, so it needs a new object", .paint = PAINT_LOUD},
	[EFFECT_RELEASE] = {.note = "kept as it is, no longer managed",
			    .paint = PAINT_FAINT,
			    .replaced = "no longer managed, goes with the old object"},
	[EFFECT_SHOW] = {.note = "not managed, left as it is",
			 .paint = PAINT_FAINT,
			 .replaced = "not managed, goes with the old object"},
	[EFFECT_RECORD] = {.note = "already so, will be recorded", .paint = PAINT_FAINT},
	[EFFECT_UNREAD] = {.note = "could not be read", .paint = PAINT_CHANGE},
	[EFFECT_CONFLICT] = {.note = "nothing can change that", .paint = PAINT_LOUD},
	[EFFECT_LEFT] = {.note = "left to its other owner", .paint = PAINT_FAINT},
	[EFFECT_BOUND] = {.note = "brought within its bounds", .paint = PAINT_CHANGE},
	[EFFECT_MOVED] = {.note = "changed outside", .paint = PAINT_CHANGE},
	[EFFECT_LOST] = {.note = "no call brings it back",
			 .paint = PAINT_LOUD,
			 .replaced = "comes back with the new object"},
	[EFFECT_DEAD] = {.note = "there, and of no effect", .paint = PAINT_LOUD},
	[EFFECT_LIFECYCLE] = {.paint = PAINT_PLAIN},
};

static bool is_unset(const struct value *value)
{
	return value_is(value, VALUE_NULL);
}

static void print_path(struct change_view *view, const struct change *change)
{
	size_t begin = view->buffer->size;

	buffer_string(view->buffer, "      ");
	print_safe(view->buffer, change->path);
	size_t used = view->buffer->size - begin - 6;
	/* A path too long for the column still stands apart from what follows. */
	buffer_format(view->buffer, "%*s", used + PATH_GAP < (size_t)view->width ? view->width - (int)used : PATH_GAP,
		      "");
}

/* What is there does not show, and may be so already. */
static bool is_set_again(const struct change *change)
{
	return change->unread && change->effect == EFFECT_SET && !is_unset(&change->after) &&
	       value_equal(&change->before, &change->after);
}

static void print_one_note(struct change_view *view, const char *between, enum paint color, const char *note)
{
	buffer_string(view->buffer, between);
	paint(view->buffer, view->palette, color, "%s", note);
}

static void print_note(struct change_view *view, const struct change *change)
{
	const char *replaced = view->replaced ? notes[change->effect].replaced : NULL;
	const char *note = replaced ? replaced : notes[change->effect].note;
	enum paint color = notes[change->effect].paint;

	if (is_set_again(change)) {
		note = "set again, as what is there does not show";
		color = PAINT_CHANGE;
	} else if (change->cause == CAUSE_DRIFT && change->effect == EFFECT_SET) {
		note = view->drift_only ? NULL : "will revert";
		color = PAINT_CHANGE;
	} else if (change->cause == CAUSE_DRIFT && change->effect == EFFECT_RECORD) {
		note = view->drift_only ? NULL : "will be recorded";
	} else if (change->effect == EFFECT_MOVED && view->drift_only) {
		note = NULL;
	}
	if (note && !view->listed)
		print_one_note(view, "   ", color, note);
	if (change->pauses && !view->drift_only)
		print_one_note(view, note ? ", " : "   ", PAINT_LOUD, "stops and starts the machine");
	if (change->unread && !is_set_again(change))
		print_one_note(view, note || change->pauses ? ", " : "   ", PAINT_CHANGE,
			       "from what is recorded: what is there could not be read");
	buffer_trim_end(view->buffer);
	buffer_byte(view->buffer, '\n');
}

static bool has_line_end(const struct value *value)
{
	struct slice text = value_slice(value);

	return value_is(value, VALUE_STRING) && !(value->secret && !value->segmented) && text.size > 1 &&
	       slice_contains(slice_first(text, text.size - 1), SLICE("\n"));
}

static bool is_long(const struct value *value, const struct json_style *style)
{
	return has_line_end(value) ||
	       ((value_is(value, VALUE_MAP) || value_is(value, VALUE_LIST)) && render_is_long(value, style));
}

static void emit_line(void *context, enum line_kind kind, struct slice line)
{
	static const struct {
		const char *sign;
		enum paint paint;
	} signs[] = {
		[LINE_SAME] = {"  ", PAINT_FAINT},
		[LINE_GONE] = {"- ", PAINT_BAD},
		[LINE_NEW] = {"+ ", PAINT_GOOD},
		[LINE_CUT] = {"...", PAINT_FAINT},
	};
	struct change_view *view = context;

	buffer_string(view->buffer, "        ");
	buffer_string(view->buffer, view->palette->start[view->listed ? PAINT_PLAIN : signs[kind].paint]);
	/* Of what will be made every line is new: no need to say so. */
	buffer_string(view->buffer, view->listed ? "" : signs[kind].sign);
	if (line.size == 0)
		buffer_trim_end(view->buffer);
	print_safe(view->buffer, line);
	buffer_string(view->buffer, view->palette->end);
	buffer_byte(view->buffer, '\n');
}

static struct value only_claimed(struct arena *arena, const struct field *field, const struct value *live,
				 const struct value *wanted);

static struct value claimed_members(struct arena *arena, const struct field *object, const struct value *live,
				    const struct value *wanted)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < live->count; i++) {
		struct slice name = value_slice(&live->members[i].key);
		const struct value *claim = value_get(wanted, name);
		const struct field *field = field_named(&object->members, name);

		/* Null is a claim too: the member is to be cleared. */
		if (claim)
			value_builder_member(&builder, name,
					     field ? only_claimed(arena, field, &live->members[i].value, claim)
						   : live->members[i].value);
	}
	return value_builder_map(&builder, arena);
}

/* Members of an object that the spec does not set are no part of a difference, so they are
 * not shown as one. */
static struct value only_claimed(struct arena *arena, const struct field *field, const struct value *live,
				 const struct value *wanted)
{
	if (field->type == FIELD_OBJECT && value_is(live, VALUE_MAP) && value_is(wanted, VALUE_MAP))
		return claimed_members(arena, field, live, wanted);
	if (field->type != FIELD_LIST || !value_is(live, VALUE_LIST) || !value_is(wanted, VALUE_LIST))
		return *live;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < live->count; i++)
		value_builder_item(&builder, i < wanted->count ? only_claimed(arena, field->item, &live->items[i],
									      &wanted->items[i])
							       : live->items[i]);
	return value_builder_list(&builder, arena);
}

static struct value in_order(struct arena *arena, const struct field *field, const struct value *value);

static struct value members_in_order(struct arena *arena, const struct field *field, const struct value *map)
{
	bool object = field && field->type == FIELD_OBJECT;
	VALUE_BUILDER_AUTO builder;
	MEMBERS_AUTO members;

	value_builder_init(&builder);
	for (size_t i = 0; object && i < field->members.count; i++) {
		const struct field *member = field_at(&field->members, i);
		const struct value *value = value_get_named(map, member->name);

		if (value)
			value_builder_member(&builder, slice_of(member->name), in_order(arena, member, value));
	}
	members_sort(&members, map);
	for (uint32_t i = 0; i < map->count; i++) {
		struct slice key = value_slice(&members.sorted[i]->key);

		if (!object || !field_named(&field->members, key))
			value_builder_member(&builder, key,
					     in_order(arena, field ? field->item : NULL, &members.sorted[i]->value));
	}
	return value_builder_map(&builder, arena);
}

/*
 * A spec, a service and a file have members in orders of their own, which say nothing: here an object has
 * them as its kind's table does, and any other map by their names.
 */
static struct value in_order(struct arena *arena, const struct field *field, const struct value *value)
{
	if (value_is(value, VALUE_MAP))
		return members_in_order(arena, field, value);
	if (!value_is(value, VALUE_LIST))
		return *value;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < value->count; i++)
		value_builder_item(&builder, in_order(arena, field ? field->item : NULL, &value->items[i]));
	return value_builder_list(&builder, arena);
}

/* What is left as it is has no difference to show. */
static void print_lines(struct change_view *view, struct slice text)
{
	while (text.size > 0)
		emit_line(view, LINE_SAME, slice_cut(&text, '\n'));
}

/* A secret of several lines is found in what is written only while these stand together. */
static struct slice text_of(const struct change_view *view, const struct value *value)
{
	BUFFER_AUTO text;

	buffer_init(&text, TEXT_LIMIT_BYTES);
	render_lines(&text, value, view->style);
	return redaction_shown(view->redaction, arena_copy(view->arena, buffer_slice(&text)), view->arena);
}

static void print_long(struct change_view *view, const struct change *change)
{
	struct slice before = text_of(view, &change->before), after = text_of(view, &change->after);

	/* Drift is told from the side of the record: what was, and what is there now. */
	bool turned = change->cause == CAUSE_DRIFT && change->effect == EFFECT_SET;
	if (change->effect == EFFECT_RELEASE)
		print_lines(view, before);
	else
		line_diff(turned ? after : before, turned ? before : after, emit_line, view);
}

static void print_two(struct change_view *view, const struct value *first, const char *between,
		      const struct value *second)
{
	render_value(view->buffer, first, view->style);
	buffer_string(view->buffer, between);
	render_value(view->buffer, second, view->style);
}

/* From what was to what is there now; nothing of it is work. */
static bool tells_a_move(const struct change *change)
{
	return change->effect == EFFECT_SHOW || change->effect == EFFECT_LEFT || change->effect == EFFECT_MOVED ||
	       (change->effect == EFFECT_RECORD && change->cause == CAUSE_DRIFT);
}

/* An item of a set, or a member of a map, comes or goes as a whole. */
static bool is_part_of_field(const struct change *change)
{
	return change->field && change->path.size > strlen(change->field->name) &&
	       (change->field->type == FIELD_MAP || slice_ends_with(change->path, SLICE("]")));
}

static void print_item(struct change_view *view, const struct change *change)
{
	bool comes = is_unset(&change->before);
	bool drift = change->cause == CAUSE_DRIFT;
	/* Drift that is reverted: what comes back was taken away outside. */
	bool shown_as_new = tells_a_move(change) || !drift ? comes : !comes;

	buffer_string(view->buffer, shown_as_new ? "added" : "removed");
	buffer_string(view->buffer, drift ? " outside" : "");
	/* The path of a set's item holds its key already, and that is all of one that is no object. */
	const struct value *item = comes ? &change->after : &change->before;
	if (change->field->type == FIELD_SET && value_is(item, VALUE_DEFERRED)) {
		buffer_string(view->buffer, ", known after apply");
	} else if (change->field->type != FIELD_SET || value_is(item, VALUE_MAP)) {
		buffer_string(view->buffer, ": ");
		render_value(view->buffer, item, view->style);
	}
}

/* The field of what a change is about: an item where it is about one. */
static const struct field *subject_of(const struct change *change)
{
	const struct field *field = change->field;

	return field && field->item && field->type != FIELD_LIST && is_part_of_field(change) ? field->item : field;
}

/* The change as it is shown: with nothing that the spec does not claim, and in an order that depends on nothing. */
static struct change as_shown(struct change_view *view, const struct change *change)
{
	const struct field *field = subject_of(change);
	struct change shown = *change;

	if (field && (change->effect == EFFECT_SET || change->effect == EFFECT_REPLACE))
		shown.before = only_claimed(view->arena, field, &change->before, &change->after);
	shown.before = in_order(view->arena, field, &shown.before);
	shown.after = in_order(view->arena, field, &change->after);
	return shown;
}

/* The value stays what it is: the spec says it no longer, or for the first time. */
static bool is_said_otherwise(const struct change *change)
{
	return change->effect == EFFECT_RECORD && value_equal(&change->before, &change->after);
}

static void print_shown(struct change_view *view, const struct change *change)
{
	print_path(view, change);
	if (is_long(&change->before, view->style) || is_long(&change->after, view->style)) {
		print_note(view, change);
		print_long(view, change);
		return;
	}
	if (view->listed || change->effect == EFFECT_UNREAD || is_set_again(change))
		render_value(view->buffer, &change->after, view->style);
	else if (change->effect == EFFECT_RELEASE || change->effect == EFFECT_DEAD || is_said_otherwise(change))
		render_value(view->buffer, &change->before, view->style);
	else if (is_part_of_field(change) && (is_unset(&change->before) || is_unset(&change->after)))
		print_item(view, change);
	else if (tells_a_move(change))
		print_two(view, &change->before, ", now ", &change->after);
	else if (change->cause == CAUSE_DRIFT)
		print_two(view, &change->after, ", now ", &change->before);
	else
		print_two(view, &change->before, " -> ", &change->after);
	print_note(view, change);
}

/*
 * Of an item of a set that stays the item it is, each member that becomes another one: that tells which of them needs a
 * new object. False: there is none, or it is no such item.
 */
static bool print_members(struct change_view *view, const struct change *change)
{
	const struct field *item = subject_of(change);
	bool any = false;

	if (view->listed || tells_a_move(change) || !item || item == change->field || item->type != FIELD_OBJECT ||
	    !value_is(&change->before, VALUE_MAP) || !value_is(&change->after, VALUE_MAP))
		return false;
	for (size_t i = 0; i < item->members.count; i++) {
		const char *name = field_at(&item->members, i)->name;
		const struct value *before = value_get_named(&change->before, name);
		const struct value *after = value_get_named(&change->after, name);
		struct change member = *change;

		if (before == after || (before && after && value_equal(before, after)))
			continue;
		member.path = arena_format(view->arena, "%.*s.%s", SLICE_ARGUMENTS(change->path), name);
		member.before = before ? *before : value_null();
		member.after = after ? *after : value_null();
		print_shown(view, &member);
		any = true;
	}
	return any;
}

void render_change(struct change_view *view, const struct change *as_planned)
{
	const struct change shown = as_shown(view, as_planned);

	if (!print_members(view, &shown))
		print_shown(view, &shown);
}
