#include "cli/render_outlook.h"

#include "base/value_put.h"

static const struct {
	const char *name;
	const char *plan; /* what recovery would do */
} settlements[] = {
	[SETTLEMENT_NONE] = {"unknown", "it stays open until that can be read"},
	[SETTLEMENT_WAIT] = {"waiting", "recovery goes on looking, and closes it where nothing comes"},
	[SETTLEMENT_RESEND] = {"again", "it is sent once more with its token, which makes it where it is not there"},
	[SETTLEMENT_DONE] = {"done", "recovery records it"},
	[SETTLEMENT_ABSENT] = {"absent", "recovery closes it"},
};

static bool is_under_way(const struct report *report, const struct intent *intent)
{
	return report->at_work && slice_equal(intent->run, report->at_work->run);
}

static void render_heading(struct buffer *buffer, const struct report *report, bool under_way,
			   const struct palette *palette)
{
	paint(buffer, palette, PAINT_BOLD, "%-7s", under_way ? "AT WORK" : "OPEN");
	if (under_way)
		buffer_format(buffer, " calls of run %.*s, which is at work and records what comes of them\n",
			      SLICE_ARGUMENTS(slice_first(report->at_work->run, RUN_ID_SHORT)));
	else
		buffer_string(buffer, " calls of an earlier run whose answer nobody saw\n");
}

static void render_calls(struct buffer *buffer, const struct report *report, bool under_way,
			 const struct palette *palette)
{
	const struct recovery *outlook = report->outlook;
	bool begun = false;

	for (size_t i = 0; i < outlook->intent_count; i++) {
		const struct verdict *verdict = &outlook->verdicts[i];

		if (is_under_way(report, &outlook->intents[i]) != under_way)
			continue;
		if (!begun)
			render_heading(buffer, report, under_way, palette);
		begun = true;
		buffer_string(buffer, "  ");
		paint(buffer, palette, PAINT_CHANGE, "?");
		buffer_byte(buffer, ' ');
		print_safe(buffer, outlook->intents[i].address);
		buffer_string(buffer, "   ");
		print_safe(buffer, outlook->intents[i].operation);
		if (!under_way)
			buffer_format(buffer, ": %s; %s", verdict->why, settlements[verdict->settlement].plan);
		buffer_byte(buffer, '\n');
	}
}

void render_outlook(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	if (!report->outlook)
		return;
	render_calls(buffer, report, false, palette);
	render_calls(buffer, report, true, palette);
}

static void render_mark(struct buffer *buffer, const struct palette *palette, const struct unfinished_item *item)
{
	buffer_string(buffer, "  ");
	paint(buffer, palette, PAINT_CHANGE, "?");
	buffer_byte(buffer, ' ');
	print_safe(buffer, item->address);
	buffer_string(buffer, "   ");
}

/* What a replace has left, after that run ended. */
static void render_left(struct buffer *buffer, const struct palette *palette, const struct unfinished_item *item)
{
	render_mark(buffer, palette, item);
	buffer_string(buffer, item->why);
	if (item->provider_id.size > 0) {
		buffer_string(buffer, ": ");
		print_safe(buffer, item->provider_id);
	}
	if (item->run.size > 0)
		buffer_format(buffer, " (run %.*s)", SLICE_ARGUMENTS(slice_first(item->run, RUN_ID_SHORT)));
	buffer_byte(buffer, '\n');
}

static void render_begun(struct buffer *buffer, const struct palette *palette, const struct unfinished_item *item,
			 struct slice fields, const char *what, const char *whose)
{
	render_mark(buffer, palette, item);
	print_safe(buffer, fields);
	buffer_format(buffer, "%s by %s", what, whose);
	if (item->run.size > 0)
		buffer_format(buffer, "run %.*s\n", SLICE_ARGUMENTS(slice_first(item->run, RUN_ID_SHORT)));
	else
		buffer_string(buffer, "a run\n");
}

void render_unfinished(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	if (report->unfinished_count == 0)
		return;
	paint(buffer, palette, PAINT_BOLD, "%-7s", "BEGUN");
	buffer_string(buffer,
		      report->at_work
			      ? " what a run did that has not ended: not drift\n"
			      : " what a run did that did not end: not drift, and the next apply goes on with it\n");
	for (size_t i = 0; i < report->unfinished_count; i++) {
		const struct unfinished_item *item = &report->unfinished[i];
		bool is_open = item->run.size > 0;

		if (item->why)
			render_left(buffer, palette, item);
		else if (item->owed.size + item->moved.size == 0 || item->fields.size > 0 || item->leaves)
			render_begun(buffer, palette, item, item->fields,
				     item->leaves  ? "begun to be deleted"
				     : item->makes ? "begun, and not finished,"
				     : is_open	   ? ": set"
						   : ": begun to be set",
				     item->leaves || item->makes || !is_open ? "" : "an unfinished call of ");
		if (item->owed.size > 0)
			render_begun(buffer, palette, item, item->owed, ": to be switched on again, switched off",
				     is_open ? "an unfinished call of " : "an unfinished change of ");
		if (item->moved.size > 0)
			render_begun(buffer, palette, item, item->moved, ": to be set back, should it stay, moved",
				     "an unfinished deletion of ");
	}
}

static void put_outlook(struct value_builder *builder, const struct verdict *verdict, bool under_way)
{
	put(builder, "outlook", value_text(under_way ? "under way" : settlements[verdict->settlement].name));
	put(builder, "reason", value_text(under_way ? "the run that sent it is at work" : verdict->why));
}

struct value outlook_value(const struct report *report)
{
	const struct recovery *outlook = report->outlook;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; outlook && i < outlook->intent_count; i++) {
		const struct intent *intent = &outlook->intents[i];
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		put(&builder, "address", value_string(intent->address));
		put(&builder, "operation", value_string(intent->operation));
		put(&builder, "recipe", value_text(recipe_name(intent->recipe)));
		put(&builder, "intent", value_string(intent->id));
		put(&builder, "run", value_string(intent->run));
		put_outlook(&builder, &outlook->verdicts[i], is_under_way(report, intent));
		value_builder_item(&list, value_builder_map(&builder, report->arena));
	}
	return value_builder_list(&list, report->arena);
}

struct value unfinished_value(const struct report *report)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < report->unfinished_count; i++) {
		const struct unfinished_item *item = &report->unfinished[i];
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		put(&builder, "address", value_string(item->address));
		put(&builder, "deletes", value_bool(item->leaves));
		put(&builder, "makes", value_bool(item->makes));
		put(&builder, "fields", value_string(item->fields));
		put(&builder, "owed", value_string(item->owed));
		put(&builder, "moved", value_string(item->moved));
		put(&builder, "run", item->run.size > 0 ? value_string(item->run) : value_null());
		if (item->why)
			put(&builder, "reason", value_text(item->why));
		if (item->provider_id.size > 0)
			put(&builder, "provider_id", value_string(item->provider_id));
		value_builder_item(&list, value_builder_map(&builder, report->arena));
	}
	return value_builder_list(&list, report->arena);
}
