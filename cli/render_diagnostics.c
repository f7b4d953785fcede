#include "cli/render.h"

enum {
	/* So much of a long source line is shown, with the place in the middle. */
	LINE_SHOWN_BYTES = 120,
	/* Of a longer one nothing is: it is searched for secrets as a whole, and a whole file may be one line. */
	LINE_SEARCHED_BYTES = 64 * 1024,
};

static const struct {
	const char *name;
	enum paint paint;
} severities[] = {
	[SEVERITY_ERROR] = {"error", PAINT_LOUD},
	[SEVERITY_WARNING] = {"warning", PAINT_CHANGE},
	[SEVERITY_NOTE] = {"note", PAINT_BOLD},
};

struct showing {
	struct buffer *buffer;
	const struct sources *sources;
	struct arena *scratch;
	const struct palette *palette;
	const struct redaction *redaction; /* or NULL */
};

/* Tabs keep their width under the line, everything else the columns that it takes as it is shown. */
static void print_caret(struct showing *showing, struct slice before)
{
	buffer_format(showing->buffer, "%8s ", "|");
	while (before.data) {
		buffer_format(showing->buffer, "%*s", (int)print_safe_columns(slice_cut(&before, '\t')), "");
		if (before.data)
			buffer_byte(showing->buffer, '\t');
	}
	paint(showing->buffer, showing->palette, PAINT_LOUD, "^");
	buffer_byte(showing->buffer, '\n');
}

/* Not in the middle of a UTF-8 sequence. */
static size_t sequence_start(struct slice text, size_t offset)
{
	while (offset > 0 && offset < text.size && ((unsigned char)text.data[offset] & 0xc0) == 0x80)
		offset--;
	return offset;
}

/* Here, and not only when all is written, so that places behind a secret and cuts through it are right. */
static struct slice without_secrets(const struct showing *showing, struct slice text)
{
	return redaction_shown(showing->redaction, text, showing->scratch);
}

/* The part of a span that is in the line. */
static bool hides(const struct span *span, struct slice line, size_t *ret_begin, size_t *ret_end)
{
	const char *begin = span->text.data, *end = begin + span->text.size;
	const char *line_end = line.data + line.size;

	if (!span->hidden || begin >= line_end || end <= line.data)
		return false;
	*ret_begin = begin > line.data ? (size_t)(begin - line.data) : 0;
	*ret_end = end < line_end ? (size_t)(end - line.data) : line.size;
	return true;
}

/* What is shown for the first bytes of a source line; of what is hidden only once it is there as a whole. */
static struct slice shown_line(const struct showing *showing, uint16_t file, struct slice line, size_t size)
{
	const struct source *source = &showing->sources->items[file];
	size_t begin, end, done = 0;
	BUFFER_AUTO shown;

	buffer_init(&shown, SIZE_MAX);
	for (size_t i = 0; i < source->span_count; i++) {
		if (!hides(&source->spans[i], line, &begin, &end) || begin >= size || end <= done)
			continue;
		begin = begin > done ? begin : done;
		buffer_append(&shown, without_secrets(showing, slice_from(slice_first(line, begin), done)));
		done = end;
		if (end <= size)
			buffer_string(&shown, REDACTION_MARK);
	}
	if (done < size)
		buffer_append(&shown, without_secrets(showing, slice_from(slice_first(line, size), done)));
	return arena_copy(showing->scratch, buffer_slice(&shown));
}

static void print_source_line(struct showing *showing, struct position position)
{
	struct slice source = sources_line(showing->sources, position);
	size_t column = position.column > 0 ? (size_t)position.column - 1 : 0;
	size_t begin = 0;

	if (slice_trim(source).size == 0 || source.size > LINE_SEARCHED_BYTES)
		return;
	column = column < source.size ? column : source.size;
	struct slice line = shown_line(showing, position.file, source, source.size);
	column = shown_line(showing, position.file, source, column).size;
	if (column > line.size)
		column = line.size;
	if (line.size > LINE_SHOWN_BYTES && column > LINE_SHOWN_BYTES / 2)
		begin = sequence_start(line, column - LINE_SHOWN_BYTES / 2);
	struct slice shown = slice_from(line, begin);
	if (shown.size > LINE_SHOWN_BYTES)
		shown = slice_first(shown, sequence_start(shown, LINE_SHOWN_BYTES));
	buffer_format(showing->buffer, "%6u | ", position.line);
	/* A tab is harmless here and keeps the caret under its place. */
	for (size_t i = 0; i < shown.size;) {
		size_t size = 0;

		if (shown.data[i] == '\t') {
			buffer_byte(showing->buffer, '\t');
			i++;
			continue;
		}
		while (i + size < shown.size && shown.data[i + size] != '\t')
			size++;
		print_safe(showing->buffer, slice_first(slice_from(shown, i), size));
		i += size;
	}
	buffer_byte(showing->buffer, '\n');
	if (position.column > 0 && column - begin <= shown.size)
		print_caret(showing, slice_first(shown, column - begin));
}

static void print_place(struct showing *showing, struct position position)
{
	struct slice place = sources_place(showing->sources, position, showing->scratch);
	struct showing within = *showing;
	struct arena line;

	if (place.size == 0)
		return;
	buffer_string(showing->buffer, "  --> ");
	print_safe(showing->buffer, place);
	buffer_byte(showing->buffer, '\n');
	/* A thousand errors of one long line would keep it a thousand times. */
	arena_init(&line);
	within.scratch = &line;
	print_source_line(&within, position);
	arena_release(&line);
}

static void print_note(struct showing *showing, const char *name, struct slice text)
{
	if (text.size == 0)
		return;
	buffer_string(showing->buffer, "  ");
	paint(showing->buffer, showing->palette, PAINT_BOLD, "%s", name);
	buffer_string(showing->buffer, " ");
	print_safe(showing->buffer, text);
	buffer_byte(showing->buffer, '\n');
}

static void print_diagnostic(struct showing *showing, const struct diag *diag)
{
	struct buffer *buffer = showing->buffer;

	paint(buffer, showing->palette, severities[diag->severity].paint, "%s:", severities[diag->severity].name);
	buffer_byte(buffer, ' ');
	if (diag->address.size > 0 && !slice_contains(diag->message, diag->address)) {
		print_safe(buffer, diag->address);
		buffer_string(buffer, ": ");
	}
	print_safe(buffer, diag->message);
	buffer_byte(buffer, '\n');
	print_place(showing, diag->position);
	print_note(showing, "-->", diag->place);
	if (diag->related.line > 0 || diag->related_message.size > 0) {
		print_note(showing, "note:", diag->related_message);
		print_place(showing, diag->related);
	}
	print_note(showing, "cause:", diag->cause);
	print_note(showing, "hint:", diag->hint);
}

void render_diagnostics(struct buffer *buffer, const struct sources *sources, struct diagnostics *diagnostics,
			struct arena *scratch, const struct palette *palette, const struct redaction *redaction)
{
	struct showing showing = {buffer, sources, scratch, palette, redaction};

	diagnostics_sort(diagnostics);
	for (size_t i = 0; i < diagnostics->count; i++)
		print_diagnostic(&showing, &diagnostics->items[i]);
	if (diagnostics->dropped > 0)
		buffer_format(buffer, "and %zu more\n", diagnostics->dropped);
}
