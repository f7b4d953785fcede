#define _GNU_SOURCE 1 /* memrchr() */
#include "specs/yaml_place.h"

#include "base/memory.h"

/* Of a file, so that one of another encoding is not told byte by byte. */
enum { BAD_BYTES_TOLD = 5 };

static size_t character_length(struct slice text, size_t byte)
{
	size_t length = 1;

	while (byte + length < text.size && ((unsigned char)text.data[byte + length] & 0xc0) == 0x80)
		length++;
	return length;
}

static bool word_has(uint64_t word, uint64_t byte_everywhere)
{
	uint64_t difference = word ^ byte_everywhere;

	return ((difference - UINT64_C(0x0101010101010101)) & ~difference & UINT64_C(0x8080808080808080)) != 0;
}

/* The first place from byte on where characters and bytes differ, or a CR without LF. */
static size_t find_special(struct slice text, size_t byte)
{
	uint64_t word;

	while (byte < text.size) {
		if (text.size - byte >= sizeof(word)) {
			memcpy(&word, text.data + byte, sizeof(word));
			if ((word & UINT64_C(0x8080808080808080)) == 0 &&
			    !word_has(word, UINT64_C(0x0d0d0d0d0d0d0d0d))) {
				byte += sizeof(word);
				continue;
			}
		}
		if ((unsigned char)text.data[byte] >= 0x80)
			return byte;
		if (text.data[byte] == '\r' && (byte + 1 == text.size || text.data[byte + 1] != '\n'))
			return byte;
		byte++;
	}
	return text.size;
}

void yaml_places_init(struct yaml_places *places, struct slice text, uint16_t file)
{
	*places = (struct yaml_places){.text = text, .file = file};
	places->special_byte = find_special(text, 0);
	places->plain = places->special_byte == text.size;
}

static struct position position_at(const struct yaml_places *places, size_t line, size_t column)
{
	return (struct position){
		.line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX,
		.column = column < UINT16_MAX ? (uint16_t)column : UINT16_MAX,
		.file = places->file,
	};
}

/* What ends a line for libyaml alone: a lone CR, NEL, LS, PS (as YAML 1.1 had it). */
static bool is_false_break(struct slice text, size_t byte, size_t length)
{
	if (length == 1)
		return text.data[byte] == '\r';
	if (length == 2)
		return memcmp(text.data + byte, "\xc2\x85", 2) == 0;
	return length == 3 &&
	       (memcmp(text.data + byte, "\xe2\x80\xa8", 3) == 0 || memcmp(text.data + byte, "\xe2\x80\xa9", 3) == 0);
}

/* Past every special place before the mark. */
static void advance(struct yaml_places *places, const yaml_mark_t *mark)
{
	size_t line_character = mark->index - mark->column;

	places->character = mark->index;
	if (places->line_character != line_character) {
		places->line_character = line_character;
		places->line_extra = places->extra;
	}
	while (places->special_byte < places->text.size && places->special_byte - places->extra < mark->index) {
		size_t character = places->special_byte - places->extra;
		size_t length = character_length(places->text, places->special_byte);

		places->false_breaks += is_false_break(places->text, places->special_byte, length) ? 1 : 0;
		places->extra += length - 1;
		if (character < line_character)
			places->line_extra = places->extra;
		places->special_byte = find_special(places->text, places->special_byte + length);
	}
}

/* Where the line of byte begins; bytes come in order. */
static size_t find_line(struct yaml_places *places, size_t byte)
{
	const char *start = places->text.data + places->seen_byte;
	const char *end =
		byte > places->seen_byte ? (const char *)memrchr(start, '\n', byte - places->seen_byte) : NULL;

	if (end)
		places->line_byte = (size_t)(end - places->text.data) + 1;
	if (byte > places->seen_byte)
		places->seen_byte = byte;
	return places->line_byte;
}

struct position yaml_place_slow(struct yaml_places *places, const yaml_mark_t *mark, size_t *ret_byte)
{
	size_t byte;

	/* A mark behind the last one is not seen in practice: then it is taken as it is. */
	if (!places->plain && mark->index >= places->character)
		advance(places, mark);
	byte = mark->index + places->extra;
	*ret_byte = byte < places->text.size ? byte : places->text.size;
	if (places->false_breaks > 0)
		return position_at(places, mark->line + 1 - places->false_breaks,
				   *ret_byte - find_line(places, *ret_byte) + 1);
	return position_at(places, mark->line + 1, mark->column + places->extra - places->line_extra + 1);
}

/* For an offset in bytes; O(offset). */
static struct position yaml_place_of_byte(const struct yaml_places *places, size_t byte)
{
	size_t line = 1, line_byte = 0;

	for (size_t i = 0; i < byte && i < places->text.size; i++) {
		if (places->text.data[i] != '\n')
			continue;
		line++;
		line_byte = i + 1;
	}
	return position_at(places, line, byte - line_byte + 1);
}

struct slice yaml_rest(struct slice text, const yaml_mark_t *mark)
{
	struct yaml_places places;
	size_t byte;

	yaml_places_init(&places, text, 0);
	(void)yaml_place(&places, mark, &byte);
	return slice_from(text, byte);
}

enum { CHARACTER_BYTES_MOST = 4 };

/* From byte on the first place that is no text, or the end. */
static size_t find_bad(struct slice text, size_t byte)
{
	struct slice rest = slice_from(text, byte);
	size_t good = rest.size;
	const char *nul;

	if (slice_is_utf8(rest, &good))
		good = rest.size;
	nul = good > 0 ? (const char *)memchr(rest.data, '\0', good) : NULL;
	return byte + (nul ? (size_t)(nul - rest.data) : good);
}

/* Behind the bad bytes that stand together there: they are one mistake. */
static size_t skip_bad(struct slice text, size_t byte)
{
	while (byte < text.size && find_bad(slice_first(text, byte + CHARACTER_BYTES_MOST), byte) == byte)
		byte++;
	return byte;
}

static void report_bad(const struct yaml_places *places, size_t byte, struct diagnostics *diagnostics)
{
	unsigned char bad = (unsigned char)places->text.data[byte];
	struct position position = yaml_place_of_byte(places, byte);

	if (bad == '\0') {
		diag_error(diagnostics, FAULT_USER, position, "there is a NUL byte in the text");
		diag_hint(diagnostics, "remove it; if there are many, the file is damaged or saved as UTF-16: save it "
				       "as UTF-8");
	} else {
		diag_error(diagnostics, FAULT_USER, position, "the byte 0x%02x is not UTF-8 text", (unsigned)bad);
		diag_hint(diagnostics, "save the file as UTF-8");
	}
}

bool yaml_text_check(const struct yaml_places *places, struct diagnostics *diagnostics)
{
	struct slice text = places->text;
	/* Each character of such a text has a bad byte, all of one cause. */
	bool is_utf16 = slice_starts_with(text, SLICE("\xff\xfe")) || slice_starts_with(text, SLICE("\xfe\xff"));
	size_t most = is_utf16 ? 1 : BAD_BYTES_TOLD, told = 0;

	if (places->plain && (text.size == 0 || !memchr(text.data, '\0', text.size)))
		return true;
	for (size_t bad = find_bad(text, 0); bad < text.size && told < most; told++) {
		report_bad(places, bad, diagnostics);
		bad = find_bad(text, skip_bad(text, bad));
	}
	return told == 0;
}

static const char expression_hint[] = "put all of an expression in single quotes: '${...}'";

/* What libyaml says (0.2.5; context may be NULL for any), and what a user is told. */
static const struct {
	const char *context;
	const char *problem;
	const char *message;
	const char *hint;
	bool structure; /* an expression without quotes may be why */
} problems[] = {
	{"while scanning a quoted scalar", "found unexpected end of stream",
	 "the quoted text that begins here has no end", "close the quotes", false},
	{"while scanning a quoted scalar", "found unexpected document indicator",
	 "the quoted text that begins here has no end", "close the quotes", false},
	{"while parsing a quoted scalar", "found unknown escape character", "this escape after '\\' is not known",
	 "write '\\\\' for a backslash, or use single quotes, in which nothing is escaped", false},
	{NULL, "did not find expected hexdecimal number", "this escape lacks hexadecimal digits",
	 "write \\xNN, \\uNNNN or \\UNNNNNNNN", false},
	{NULL, "found invalid Unicode character escape code", "this escape names no character", NULL, false},
	{NULL, "did not find expected ',' or ']'", "a ',' or the closing ']' of this list is missing", NULL, true},
	{NULL, "did not find expected ',' or '}'", "a ',' or the closing '}' of this map is missing", NULL, true},
	{NULL, "could not find expected ':'", "there is no ':' behind this key",
	 "write 'key: value'; text that goes on over lines needs quotes or '|'", true},
	{NULL, "mapping values are not allowed in this context", "a ':' is not expected here",
	 "put text that contains ': ' in quotes; look at the indentation of this line and the one before", true},
	{NULL, "mapping keys are not allowed in this context", "a '?' is not expected here", "put the text in quotes",
	 false},
	{NULL, "block sequence entries are not allowed in this context", "a '- ' is not expected here",
	 "begin the list on a line of its own", false},
	{NULL, "did not find expected key", "this line fits no map or list that is open here",
	 "indent it like its neighbours; text with special characters needs quotes", true},
	{NULL, "did not find expected '-' indicator", "this line is no item of the list that is open here",
	 "begin it with '- ', or indent it differently", false},
	{NULL, "did not find expected node content", "a value is missing here", NULL, false},
	{NULL, "did not find expected <document start>", "the text goes on where it should have ended",
	 "begin the file with 'key:' lines that are indented alike", false},
	{NULL, "did not find expected alphabetic or numeric character", "an anchor or alias has no usable name here",
	 "give it letters and digits; put text that begins with '*' or '&' in quotes", false},
	{NULL, "found undefined tag handle", "this tag means nothing here", "put text that begins with '!' in quotes",
	 false},
	{NULL, "found incompatible YAML document", "this version of YAML is not supported", "remove the %YAML line",
	 false},
	{NULL, "found unexpected ':'", "a ':' is not expected within this text", "put it in quotes", true},
	{NULL, "control characters are not allowed", "there is a control character in the text",
	 "remove it, or write it as \\xNN within double quotes", false},
};

/* Whether a tab stands among the white space that the line of byte begins with. */
static bool tab_in_indentation(struct slice text, size_t byte)
{
	size_t start = byte < text.size ? byte : text.size;
	bool tab = false;

	while (start > 0 && text.data[start - 1] != '\n')
		start--;
	for (; start < text.size && (text.data[start] == ' ' || text.data[start] == '\t'); start++)
		tab = tab || text.data[start] == '\t';
	return tab;
}

static bool begins_text(struct slice text, size_t byte)
{
	return byte == 0 || strchr("\n \t[{,:", text.data[byte - 1]);
}

/* Whether what stands at byte within quotes and the character behind it are one: \" and '' are no ends. */
static bool skips_next(struct slice text, size_t byte, char quote)
{
	return text.data[byte] == (quote == '"' ? '\\' : quote) &&
	       (quote == '"' || (byte + 1 < text.size && text.data[byte + 1] == quote));
}

/* Whether an expression that begins before byte, on its line, is taken apart by YAML: it stands in no quotes, or in
 * double ones, which its own quotes end. */
static bool cuts_expression(struct slice text, size_t byte)
{
	const char *end = byte > 0 ? (const char *)memrchr(text.data, '\n', byte) : NULL;
	bool inside = false, cut = false;
	char quote = '\0';

	for (size_t at = end ? (size_t)(end - text.data) + 1 : 0; at < byte; at++) {
		char here = text.data[at];
		bool begins = here == '$' && at + 1 < text.size && text.data[at + 1] == '{';

		if (quote == '\0') {
			if (here == '#' && begins_text(text, at))
				break;
			cut = cut || begins;
			inside = false;
			if ((here == '"' || here == '\'') && begins_text(text, at))
				quote = here;
		} else if (skips_next(text, at, quote)) {
			at++;
		} else if (here == quote) {
			cut = cut || (inside && quote == '"');
			quote = '\0';
		} else {
			inside = begins || (inside && here != '}');
		}
	}
	return cut;
}

static void report_problem(const yaml_parser_t *parser, struct slice text, size_t byte, struct position position,
			   struct diagnostics *diagnostics)
{
	const char *problem = parser->problem;
	const char *context = parser->context ? parser->context : "";
	char next = '\0';

	/* What libyaml has no words for is that it got no memory. */
	if (!problem)
		memory_exhausted("out of memory");
	if (byte < text.size)
		next = text.data[byte];
	if (next == '\t' || strstr(problem, "tab character") || tab_in_indentation(text, byte)) {
		diag_error(diagnostics, FAULT_USER, position, "a tab cannot be used as indentation");
		diag_hint(diagnostics, "indent with spaces");
		return;
	}
	for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
		if (strcmp(problem, problems[i].problem) != 0 ||
		    (problems[i].context && strcmp(context, problems[i].context) != 0))
			continue;
		diag_error(diagnostics, FAULT_USER, position, "%s", problems[i].message);
		if (problems[i].structure && cuts_expression(text, byte))
			diag_hint(diagnostics, "%s", expression_hint);
		else if (problems[i].hint)
			diag_hint(diagnostics, "%s", problems[i].hint);
		return;
	}
	if (strcmp(problem, "found character that cannot start any token") == 0 && next != '\0') {
		diag_error(diagnostics, FAULT_USER, position, "text cannot begin with '%c'", next);
		diag_hint(diagnostics, "%s", cuts_expression(text, byte) ? expression_hint : "put it in quotes");
		return;
	}
	diag_error(diagnostics, FAULT_USER, position, "this is not YAML: %s", problem);
}

static struct slice trim_end(struct slice text)
{
	while (text.size > 0 && strchr(" \t\r\n", text.data[text.size - 1]))
		text.size--;
	return text;
}

/* Where a text without an end began matters more than where the file ends. */
static bool is_about_beginning(const yaml_parser_t *parser)
{
	return parser->context && strcmp(parser->context, "while scanning a quoted scalar") == 0;
}

void yaml_report_syntax(struct yaml_places *places, const yaml_parser_t *parser, struct diagnostics *diagnostics)
{
	bool beginning = is_about_beginning(parser);
	const yaml_mark_t *mark = beginning ? &parser->context_mark : &parser->problem_mark;
	struct yaml_places again;
	struct position position, other;
	size_t byte;

	/* The reader knows no marks, only bytes. */
	if (parser->error == YAML_READER_ERROR) {
		position = yaml_place_of_byte(places, parser->problem_offset);
		report_problem(parser, places->text, places->text.size, position, diagnostics);
		return;
	}
	position = yaml_place(places, mark, &byte);
	/* libyaml counts the end as a line of its own; a user looks at the last one there is. */
	if (byte >= places->text.size)
		position = yaml_place_of_byte(places, trim_end(places->text).size);
	report_problem(parser, places->text, byte, position, diagnostics);
	if (beginning || !parser->context || parser->context_mark.line >= parser->problem_mark.line)
		return;
	/* From the start again: this mark lies before the one just taken. */
	yaml_places_init(&again, places->text, places->file);
	other = yaml_place(&again, &parser->context_mark, &byte);
	if (other.line != position.line)
		diag_related(diagnostics, other, "the list, map or text it belongs to begins here");
}
