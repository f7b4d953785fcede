#include "cli/sinks.h"

enum { OUTPUT_LIMIT_BYTES = 1024 * 1024 * 1024, OUTPUT_MODE = 0600, FORMAT_NAMES_MOST = 1024 };

/* Where no file can be put, and what is meant by their names all the same. */
static const struct stream {
	const char *path;
	int stream;
} streams[] = {
	{"/dev/stdout", 1},
	{"/dev/stderr", 2},
	{"/dev/null", 0},
};

/* A file, unless the path is that of a stream. */
static void place_sink(struct sink *sink, struct slice path, struct arena *arena)
{
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		if (!slice_is(path, streams[i].path))
			continue;
		sink->stream = streams[i].stream;
		return;
	}
	sink->path = arena_string(arena, path);
}

static void hint_at_formats(struct diagnostics *diagnostics)
{
	const struct renderer *renderer, *last = &render_text;
	BUFFER_AUTO names;

	buffer_init(&names, FORMAT_NAMES_MOST);
	for (size_t i = 0; (renderer = renderer_at(i)) != NULL; i++) {
		buffer_format(&names, "--output %s, ", renderer->name);
		last = renderer;
	}
	diag_hint(diagnostics, "write %.*sor --output %s=PATH", SLICE_ARGUMENTS(buffer_slice(&names)), last->name);
}

static bool open_sink(struct sink *sink, struct world *world, const struct arguments *arguments, struct slice wish,
		      struct arena *arena, struct diagnostics *diagnostics)
{
	struct slice path = wish;
	struct slice name = slice_cut(&path, '=');

	*sink = (struct sink){.renderer = renderer_named(name), .stream = 1};
	if (!sink->renderer || (path.data && path.size == 0)) {
		diag_error(diagnostics, FAULT_USAGE, NOWHERE, "there is no output format '%.*s'",
			   SLICE_ARGUMENTS(wish));
		hint_at_formats(diagnostics);
		return false;
	}
	sink->wish = arena_format(arena, "--output %.*s", SLICE_ARGUMENTS(wish));
	if (path.data)
		place_sink(sink, path, arena);
	/* A file is read by programs, whatever the terminal is. */
	sink->palette = path.data ? &palette_plain : palette_for(world, arguments, 1);
	buffer_init(&sink->buffer, OUTPUT_LIMIT_BYTES);
	return true;
}

bool sinks_open(struct sinks *sinks, struct world *world, const struct arguments *arguments, struct arena *arena,
		struct diagnostics *diagnostics)
{
	static const struct slice usual = {"text", 4};
	const struct option *wishes = &arguments->options[FLAG_OUTPUT];
	size_t count = wishes->count > 0 ? wishes->count : 1;
	size_t talkers = 0;

	*sinks = (struct sinks){
		.world = world,
		.items = arena_new_array(arena, count, struct sink),
		.changes = arguments_change(arguments),
	};
	for (size_t i = 0; i < count; i++) {
		if (!open_sink(&sinks->items[sinks->count], world, arguments, wishes->count ? wishes->values[i] : usual,
			       arena, diagnostics))
			return false;
		talkers += !sinks->items[sinks->count].path && sinks->items[sinks->count].stream == 1;
		sinks->count++;
	}
	if (talkers > 1)
		return diag_error(diagnostics, FAULT_USAGE, NOWHERE,
				  "only one --output can go to standard output; name a file for the others");
	return true;
}

bool sinks_only_talk(const struct sinks *sinks)
{
	return sinks->count == 1 && !sinks->items[0].path && sinks->items[0].stream == 1 &&
	       sinks->items[0].renderer->for_people;
}

void sinks_close(struct sinks *sinks)
{
	for (size_t i = 0; i < sinks->count; i++)
		buffer_release(&sinks->items[i].buffer);
	sinks->count = 0;
}

static void flush(struct sinks *sinks, struct sink *sink)
{
	if (sink->stream != 0 && !sinks->world->write(sinks->world, sink->stream, buffer_slice(&sink->buffer)))
		sink->failed = true;
	buffer_clear(&sink->buffer);
}

void sinks_plan(struct sinks *sinks, const struct report *report)
{
	for (size_t i = 0; i < sinks->count; i++) {
		struct sink *sink = &sinks->items[i];

		if (!sink->renderer->plan)
			continue;
		sink->renderer->plan(&sink->buffer, report, sink->palette);
		/* A reader that has gone is noticed at the end; an apply is not given up for it. */
		if (!sink->path)
			flush(sinks, sink);
	}
}

static bool is_on_terminal(struct world *world, const struct sink *sink)
{
	return sink->renderer->plan && !sink->path && sink->stream != 0 && world->is_terminal(world, sink->stream);
}

void sinks_plan_at_terminal(struct sinks *sinks, const struct report *report, const struct palette *palette)
{
	BUFFER_AUTO shown;

	buffer_init(&shown, OUTPUT_LIMIT_BYTES);
	for (size_t i = 0; i < sinks->count; i++)
		if (is_on_terminal(sinks->world, &sinks->items[i]))
			return;
	render_text.plan(&shown, report, palette);
	if (!sinks->world->write(sinks->world, 2, buffer_slice(&shown)))
		sinks->lost = true;
}

static struct written_file file_of(const struct sink *sink)
{
	return (struct written_file){.as = WRITTEN_REPORT, .path = sink->path, .name = sink->wish};
}

bool sinks_check(struct sinks *sinks, struct diagnostics *diagnostics)
{
	bool good = true;

	for (size_t i = 0; i < sinks->count; i++) {
		const struct written_file file = file_of(&sinks->items[i]);

		if (file.path)
			good &= written_add(sinks->written, &file, diagnostics);
	}
	return good;
}

void sinks_forget_files(struct sinks *sinks)
{
	size_t kept = 0;

	for (size_t i = 0; i < sinks->count; i++)
		if (sinks->items[i].path)
			buffer_release(&sinks->items[i].buffer);
		else
			sinks->items[kept++] = sinks->items[i];
	sinks->count = kept;
}

static bool write_file(const struct sinks *sinks, const struct sink *sink, struct diagnostics *diagnostics)
{
	struct slice text = buffer_slice(&sink->buffer);
	BUFFER_AUTO shown;

	buffer_init(&shown, SIZE_MAX);
	if (sinks->redaction && sinks->redaction->count > 0) {
		redaction_apply(sinks->redaction, text, &shown);
		text = buffer_slice(&shown);
	}
	const struct written_file file = file_of(sink);

	return written_put(sinks->written, &file, text, OUTPUT_MODE, diagnostics);
}

bool sinks_have_shown(const struct sinks *sinks)
{
	for (size_t i = 0; i < sinks->count; i++)
		if (sinks->items[i].failed)
			return false;
	return !sinks->lost;
}

bool sinks_forgive(struct sinks *sinks, int stream, struct diagnostics *diagnostics)
{
	struct world *world = sinks->world;

	if (!sinks->changes && world->has_no_reader && world->has_no_reader(world, stream)) {
		sinks->unread = true;
		return true;
	}
	return diag_error(diagnostics, FAULT_USER, NOWHERE, "%s could not be written",
			  stream == 2 ? "standard error" : "standard output");
}

bool sinks_end(struct sinks *sinks, const struct report *report, struct diagnostics *diagnostics)
{
	bool good = true;

	for (size_t i = 0; i < sinks->count; i++) {
		struct sink *sink = &sinks->items[i];

		sink->renderer->end(&sink->buffer, report, sink->palette);
		if (sink->buffer.full)
			good = diag_error(diagnostics, FAULT_INTERNAL, NOWHERE, "the output is larger than 1 GiB");
		else if (sink->path)
			good &= write_file(sinks, sink, diagnostics);
		else
			flush(sinks, sink);
		if (sink->failed)
			good &= sinks_forgive(sinks, sink->stream, diagnostics);
	}
	return good;
}
