#include "base/redaction.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/printable.h"

enum {
	KEY_BYTES = 4,
	FORM_LIMIT_BYTES = 64 * 1024 * 1024,
	/* Between two digits of base64: an end of a line, and what the next is indented by. */
	BREAK_MOST_BYTES = 64,
	/* A shorter line of a secret of several may well be an ordinary one: "set -eu". */
	LINE_LEAST_BYTES = 16,
};

/* Forms share what they begin with: where any number of secrets begin alike, a text is still read once. */
struct redaction_node {
	struct redaction_node *next;  /* begins otherwise */
	struct redaction_node *first; /* of those that go on from here */
	struct slice text;	      /* never empty */
	bool ends;		      /* a form ends here */
};

void redaction_init(struct redaction *redaction)
{
	*redaction = (struct redaction){0};
	arena_init(&redaction->arena);
}

void redaction_release(struct redaction *redaction)
{
	arena_wipe(&redaction->arena);
	redaction_init(redaction);
}

/* text has at least KEY_BYTES. */
static size_t bucket_of(const char *text)
{
	uint32_t key;

	memcpy(&key, text, KEY_BYTES);
	/* Fibonacci hashing: the high bits of a product with 2^32 over the golden ratio. */
	return (size_t)((key * 2654435769u) >> 20) % REDACTION_BUCKETS;
}

static struct redaction_node *new_node(struct redaction *redaction, struct redaction_node node)
{
	struct redaction_node *made = arena_new(&redaction->arena, struct redaction_node);

	*made = node;
	return made;
}

/* Leaves node the first `size` bytes of its text. */
static void split(struct redaction *redaction, struct redaction_node *node, size_t size)
{
	node->first = new_node(redaction, (struct redaction_node){
						  .first = node->first,
						  .text = slice_from(node->text, size),
						  .ends = node->ends,
					  });
	node->text = slice_first(node->text, size);
	node->ends = false;
}

static size_t count_shared(struct slice one, struct slice other)
{
	size_t count = 0;

	while (count < one.size && count < other.size && one.data[count] == other.data[count])
		count++;
	return count;
}

static void add_to(struct redaction *redaction, struct redaction_node **buckets, struct slice text)
{
	struct redaction_node **link, *node;

	if (text.size < REDACTION_LEAST_BYTES)
		return;
	link = &buckets[bucket_of(text.data)];
	do {
		size_t shared;

		while (*link && (*link)->text.data[0] != text.data[0])
			link = &(*link)->next;
		if (!*link)
			*link = new_node(redaction,
					 (struct redaction_node){.text = arena_copy(&redaction->arena, text)});
		node = *link;
		shared = count_shared(node->text, text);
		if (shared < node->text.size)
			split(redaction, node, shared);
		text = slice_from(text, shared);
		link = &node->first;
	} while (text.size > 0);
	redaction->count += !node->ends;
	node->ends = true;
}

static void add_form(struct redaction *redaction, struct slice text)
{
	add_to(redaction, redaction->buckets, text);
}

/* As an escape of one byte; NULL: it stands for itself. */
typedef const char *escape(unsigned char byte, char ret[8]);

static const char *escape_xml(unsigned char byte, char ret[8])
{
	static const struct {
		char byte;
		const char *escaped;
	} escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};

	(void)ret;
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (byte == (unsigned char)escapes[i].byte)
			return escapes[i].escaped;
	return NULL;
}

/* Quotes stand for themselves in XML's text, and some number them. */
static const char *escape_xml_text(unsigned char byte, char ret[8])
{
	return byte == '"' || byte == '\'' ? NULL : escape_xml(byte, ret);
}

static const char *escape_xml_numbered(unsigned char byte, char ret[8])
{
	if (byte == '"')
		return "&#34;";
	return byte == '\'' ? "&#39;" : escape_xml(byte, ret);
}

static bool is_unreserved(unsigned char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
	       byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

static const char *percent(unsigned char byte, const char *digits, char ret[8])
{
	ret[0] = '%';
	ret[1] = digits[byte >> 4];
	ret[2] = digits[byte & 15];
	ret[3] = '\0';
	return ret;
}

static const char *escape_percent(unsigned char byte, char ret[8])
{
	return is_unreserved(byte) ? NULL : percent(byte, "0123456789ABCDEF", ret);
}

static const char *escape_percent_lower(unsigned char byte, char ret[8])
{
	return is_unreserved(byte) ? NULL : percent(byte, "0123456789abcdef", ret);
}

/* As forms of the web send it (WHATWG URL, application/x-www-form-urlencoded). */
static const char *escape_form(unsigned char byte, char ret[8])
{
	if (byte == '~')
		return "%7E";
	return byte == ' ' ? "+" : byte == '*' ? NULL : escape_percent(byte, ret);
}

/* JSON as some write it, with "/" escaped too. */
static const char *escape_json_slash(unsigned char byte, char ret[8])
{
	static const char plain[] = "\"\\/\b\f\n\r\t", letters[] = "\"\\/bfnrt";
	const char *found = byte ? (const char *)memchr(plain, byte, sizeof(plain) - 1) : NULL;

	if (found)
		snprintf(ret, 8, "\\%c", letters[found - plain]);
	else if (byte < 0x20)
		snprintf(ret, 8, "\\u%04x", (unsigned)byte);
	else
		return NULL;
	return ret;
}

static void add_escaped(struct redaction *redaction, struct slice secret, escape *how)
{
	char escaped[8];
	size_t plain = 0;

	while (plain < secret.size && !how((unsigned char)secret.data[plain], escaped))
		plain++;
	/* The same as it is. */
	if (plain == secret.size)
		return;
	BUFFER_AUTO text;
	buffer_init(&text, FORM_LIMIT_BYTES);
	buffer_append(&text, slice_first(secret, plain));
	for (size_t i = plain; i < secret.size; i++) {
		const char *form = how((unsigned char)secret.data[i], escaped);

		if (form)
			buffer_string(&text, form);
		else
			buffer_byte(&text, secret.data[i]);
	}
	if (!text.full)
		add_form(redaction, buffer_slice(&text));
}

/*
 * What stands for the secret in the base64 of any text that holds it at an offset of `before`
 * beyond a multiple of three: the digits that no neighbour has a share in.
 */
static void add_base64(struct redaction *redaction, struct slice secret, size_t before)
{
	size_t size = before + secret.size;
	char *padded = (char *)arena_get(&redaction->arena, size);
	size_t first = (before * 8 + 5) / 6, last = size * 8 / 6;
	struct slice text;

	memcpy(padded + before, secret.data, secret.size);
	text = base64_encode(&redaction->arena, (struct slice){padded, size});
	add_to(redaction, redaction->base64_buckets, slice_first(slice_from(text, first), last - first));
}

static void add_json(struct redaction *redaction, struct slice secret)
{
	BUFFER_AUTO text;

	buffer_init(&text, FORM_LIMIT_BYTES);
	if (json_write_string(&text, secret))
		add_form(redaction, slice_first(slice_from(buffer_slice(&text), 1), text.size - 2));
}

/* As it is shown at a terminal; quoted: between quotes, as a value may be. */
static void add_printed(struct redaction *redaction, struct slice secret, bool quoted)
{
	BUFFER_AUTO text;

	buffer_init(&text, FORM_LIMIT_BYTES);
	while (secret.size > 0) {
		if (quoted && (secret.data[0] == '"' || secret.data[0] == '\\'))
			buffer_byte(&text, '\\');
		print_character(&text, &secret, false);
	}
	if (!text.full)
		add_form(redaction, buffer_slice(&text));
}

static void add_secret(struct redaction *redaction, struct slice secret)
{
	static escape *const escapes[] = {
		escape_xml,	      escape_xml_text, escape_xml_numbered, escape_percent,
		escape_percent_lower, escape_form,     escape_json_slash,
	};
	size_t before = redaction->count;

	if (secret.size < REDACTION_LEAST_BYTES)
		return;
	add_form(redaction, secret);
	/* Known already, and its other forms with it. */
	if (redaction->count == before)
		return;
	add_json(redaction, secret);
	add_printed(redaction, secret, false);
	add_printed(redaction, secret, true);
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		add_escaped(redaction, secret, escapes[i]);
	for (size_t i = 0; i < 3; i++)
		add_base64(redaction, secret, i);
}

/* The first and last line of a key: each has the same. */
static bool is_border(struct slice line)
{
	for (size_t i = 0; i < line.size; i++)
		if (line.data[i] != '-' && line.data[i] != ' ' && (line.data[i] < 'A' || line.data[i] > 'Z'))
			return false;
	return slice_starts_with(line, SLICE("-----"));
}

void redaction_add_lines(struct redaction *redaction, struct slice secret, size_t least_bytes)
{
	while (secret.size > 0) {
		struct slice line = slice_trim(slice_cut(&secret, '\n'));

		/* What is JSON or XML has lines that others have too, and within its quotes ids and addresses. */
		if (line.size >= least_bytes && !memchr(line.data, '"', line.size) && !is_border(line))
			add_secret(redaction, line);
	}
}

void redaction_add(struct redaction *redaction, struct slice secret)
{
	size_t before = redaction->count;

	add_secret(redaction, secret);
	if (redaction->count > before && memchr(secret.data, '\n', secret.size))
		redaction_add_lines(redaction, secret, LINE_LEAST_BYTES);
}

static void add_whole(struct redaction *redaction, const struct value *value)
{
	static const struct json_style clear = {.clear = true};
	BUFFER_AUTO text;

	buffer_init(&text, FORM_LIMIT_BYTES);
	if (json_write(&text, value, &clear))
		redaction_add(redaction, buffer_slice(&text));
}

void redaction_add_value(struct redaction *redaction, const struct value *value)
{
	if (value->type == VALUE_DEFERRED) {
		if (value->deferred->secrets)
			redaction_add_value(redaction, value->deferred->secrets);
	} else if (value->type == VALUE_STRING && value->secret && value->style != VALUE_STYLE_SEALED) {
		if (!value->segmented)
			redaction_add(redaction, value_slice(value));
		for (size_t i = 0; value->segmented && i < value->segments->count; i++)
			if (value->segments->segments[i].secret)
				redaction_add(redaction, value->segments->segments[i].text);
	} else if (value->secret && (value->type == VALUE_INTEGER || value->type == VALUE_NUMBER)) {
		add_whole(redaction, value);
	}
	for (uint32_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		redaction_add_value(redaction, &value->items[i]);
	for (uint32_t i = 0; value->type == VALUE_MAP && i < value->count; i++)
		redaction_add_value(redaction, &value->members[i].value);
}

/* How many bytes the next character of a form takes at the start of text; 0: there is none. */
typedef size_t read_character(struct slice text, char *ret);

static size_t read_byte(struct slice text, char *ret)
{
	if (text.size > 0)
		*ret = text.data[0];
	return text.size > 0;
}

/* '\0': it is none. Of the alphabet for URLs and file names (RFC 4648, section 5) it is the usual one's in its place.
 * Every byte of a text is asked for: a look into a table costs least. */
static char digit_of(char byte)
{
	static const char digits['z' - '+' + 1] = {
		"+\0+\0/0123456789\0\0\0\0\0\0\0ABCDEFGHIJKLMNOPQRSTUVWXYZ\0\0\0\0/\0abcdefghijklmnopqrstuvwxyz"};

	return byte < '+' || byte > 'z' ? '\0' : digits[byte - '+'];
}

/* What stands within base64 where it was broken over lines, or sent in a form, JSON or XML. */
static const struct escape_of_base64 {
	const char *text;
	char digit; /* '\0': it ends a line */
} escapes_of_base64[] = {
	{"\n", '\0'},  {"\r", '\0'},  {"\\n", '\0'},   {"\\r", '\0'},	{"%0A", '\0'},	 {"%0a", '\0'},
	{"%0D", '\0'}, {"%0d", '\0'}, {"&#10;", '\0'}, {"&#13;", '\0'}, {"&#xA;", '\0'}, {"&#xD;", '\0'},
	{"%2B", '+'},  {"%2b", '+'},  {"&#43;", '+'},  {"%2F", '/'},	{"%2f", '/'},	 {"\\/", '/'},
};

/* NULL: text begins with none. */
static const struct escape_of_base64 *escape_at(struct slice text)
{
	const size_t count = sizeof(escapes_of_base64) / sizeof(escapes_of_base64[0]);

	for (size_t i = 0; i < count; i++)
		if (slice_starts_with(text, slice_of(escapes_of_base64[i].text)))
			return &escapes_of_base64[i];
	return NULL;
}

/* A digit of base64, behind any ends of lines, and what the next lines are indented by. */
static size_t read_digit(struct slice text, char *ret)
{
	bool broken = false;
	size_t at = 0;

	while (at < text.size) {
		const struct escape_of_base64 *found;

		*ret = digit_of(text.data[at]);
		if (*ret != '\0')
			return at + 1;
		if (at >= BREAK_MOST_BYTES)
			return 0;
		if (broken && (text.data[at] == ' ' || text.data[at] == '\t')) {
			at++;
			continue;
		}
		found = escape_at(slice_from(text, at));
		if (!found)
			return 0;
		at += strlen(found->text);
		*ret = found->digit;
		if (*ret != '\0')
			return at;
		broken = true;
	}
	return 0;
}

/* How long the longest of the forms below node is that text begins with; 0: there is none. */
static size_t walk(const struct redaction_node *node, struct slice text, read_character *read)
{
	size_t at = 0, longest = 0;

	while (node) {
		char next = '\0';
		size_t size = read(slice_from(text, at), &next);

		while (node && size > 0 && node->text.data[0] != next)
			node = node->next;
		for (size_t i = 1; node && size > 0 && i < node->text.size; i++) {
			at += size;
			size = read(slice_from(text, at), &next);
			if (size > 0 && next != node->text.data[i])
				size = 0;
		}
		if (!node || size == 0)
			break;
		at += size;
		if (node->ends)
			longest = at;
		node = node->first;
	}
	return longest;
}

static bool may_escape(char byte)
{
	return byte == '\n' || byte == '\r' || byte == '\\' || byte == '%' || byte == '&';
}

/* The first digits of base64 at the start of text, however they are written and broken. */
static bool read_key(struct slice text, char ret[KEY_BYTES])
{
	const struct escape_of_base64 *found;
	size_t at = 0;

	while (at < KEY_BYTES && (ret[at] = digit_of(text.data[at])) != '\0')
		at++;
	if (at == KEY_BYTES || !may_escape(text.data[at]))
		return at == KEY_BYTES;
	/* What ends the line before it is no part of it. */
	found = at == 0 ? escape_at(text) : NULL;
	if (found && found->digit == '\0')
		return false;
	for (size_t count = at; count < KEY_BYTES; count++) {
		size_t size = read_digit(slice_from(text, at), &ret[count]);

		if (size == 0)
			return false;
		at += size;
	}
	return true;
}

/* How long the longest form is that text, of at least KEY_BYTES, begins with; 0: there is none. */
static size_t form_at(const struct redaction *redaction, struct slice text)
{
	const struct redaction_node *plain = redaction->buckets[bucket_of(text.data)], *encoded = NULL;
	size_t plain_size = 0, encoded_size = 0;
	char key[KEY_BYTES];

	if (plain)
		plain_size = walk(plain, text, read_byte);
	if (read_key(text, key))
		encoded = redaction->base64_buckets[bucket_of(key)];
	if (encoded)
		encoded_size = walk(encoded, text, read_digit);
	return plain_size > encoded_size ? plain_size : encoded_size;
}

bool redaction_finds(const struct redaction *redaction, struct slice text)
{
	for (size_t i = 0; redaction->count > 0 && i + REDACTION_LEAST_BYTES <= text.size; i++)
		if (form_at(redaction, (struct slice){text.data + i, text.size - i}) > 0)
			return true;
	return false;
}

void redaction_apply(const struct redaction *redaction, struct slice text, struct buffer *ret)
{
	size_t start = 0, i = 0;

	while (redaction->count > 0 && i + REDACTION_LEAST_BYTES <= text.size) {
		size_t size = form_at(redaction, (struct slice){text.data + i, text.size - i});

		if (size == 0) {
			i++;
			continue;
		}
		buffer_append(ret, (struct slice){text.data + start, i - start});
		buffer_string(ret, REDACTION_MARK);
		i += size;
		start = i;
	}
	buffer_append(ret, slice_from(text, start));
}

struct slice redaction_shown(const struct redaction *redaction, struct slice text, struct arena *arena)
{
	BUFFER_AUTO shown;

	buffer_init(&shown, SIZE_MAX);
	if (!redaction || !redaction_finds(redaction, text))
		return text;
	redaction_apply(redaction, text, &shown);
	return arena_copy(arena, buffer_slice(&shown));
}
