#include "base/redaction.h"

#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/unescape.h"

enum {
	KEY_BYTES = 4,
	PAGE_BUCKETS = 64,
	BUCKETS = REDACTION_PAGES * PAGE_BUCKETS,
	FORM_LIMIT_BYTES = 64 * 1024 * 1024,
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

struct redaction_page {
	struct redaction_node *buckets[PAGE_BUCKETS];
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
	return (size_t)((key * 2654435769u) >> 20) % BUCKETS;
}

/* Of the texts that may begin as key does; NULL: there is none. */
static const struct redaction_node *first_in(const struct redaction_table *table, const char key[KEY_BYTES])
{
	size_t bucket = bucket_of(key);
	const struct redaction_page *page = table->pages[bucket / PAGE_BUCKETS];

	return page ? page->buckets[bucket % PAGE_BUCKETS] : NULL;
}

static struct redaction_node **bucket_for(struct redaction *redaction, struct redaction_table *table, const char *text)
{
	size_t bucket = bucket_of(text);
	struct redaction_page **page = &table->pages[bucket / PAGE_BUCKETS];

	if (!*page)
		*page = arena_new(&redaction->arena, struct redaction_page);
	return &(*page)->buckets[bucket % PAGE_BUCKETS];
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

/* That texts of the table begin with that byte, however it is written. */
static void note_start(struct redaction *redaction, const struct redaction_table *table, char first)
{
	static const char anywhere[] = {'\\', '%', '&', '+', '\n', '\r'};

	for (size_t i = 0; i < sizeof(anywhere); i++)
		redaction->starts[(unsigned char)anywhere[i]] = true;
	redaction->starts[(unsigned char)first] = true;
	for (int byte = 0; table == &redaction->base64 && byte <= UCHAR_MAX; byte++)
		redaction->starts[byte] |= unescape_base64_digit((char)byte) == first;
}

static void add_to(struct redaction *redaction, struct redaction_table *table, struct slice text)
{
	struct redaction_node **link, *node;

	if (text.size < REDACTION_LEAST_BYTES)
		return;
	note_start(redaction, table, text.data[0]);
	link = bucket_for(redaction, table, text.data);
	do {
		size_t shared;

		/* cppcheck-suppress uninitvar ; a page is made all zero */
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
	add_to(redaction, &redaction->forms, text);
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
	add_to(redaction, &redaction->base64, slice_first(slice_from(text, first), last - first));
}

/* As it is shown at a terminal; quoted: between quotes, as a value may be. */
static void add_printed(struct redaction *redaction, struct slice secret, bool quoted)
{
	BUFFER_AUTO text;

	buffer_init_wiped(&text, FORM_LIMIT_BYTES);
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
	size_t before = redaction->count;

	if (secret.size < REDACTION_LEAST_BYTES)
		return;
	add_form(redaction, secret);
	/* Known already, and its other forms with it. */
	if (redaction->count == before)
		return;
	add_printed(redaction, secret, false);
	add_printed(redaction, secret, true);
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

	buffer_init_wiped(&text, FORM_LIMIT_BYTES);
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

/* A text, read as what its characters stand for. */
struct reader {
	unescape *read;
	struct slice text;
	size_t at;		    /* what is behind the character that `character` has */
	struct unescaped character; /* the last that was read, */
	size_t taken;		    /* and how many bytes of it */
};

/* The next byte; false: there is none. */
static bool next_byte(struct reader *reader, char *ret)
{
	if (reader->taken == reader->character.count) {
		size_t size = reader->read(slice_from(reader->text, reader->at), &reader->character);

		if (size == 0)
			return false;
		reader->at += size;
		reader->taken = 0;
	}
	*ret = reader->character.bytes[reader->taken++];
	return true;
}

/* How long the longest of the forms below node is that text begins with; 0: there is none. */
static size_t walk(const struct redaction_node *node, struct slice text, unescape *read)
{
	struct reader reader = {.read = read, .text = text};
	size_t longest = 0;
	char next;

	while (node && next_byte(&reader, &next)) {
		bool same = true;

		while (node && node->text.data[0] != next)
			node = node->next;
		for (size_t i = 1; node && same && i < node->text.size; i++)
			same = next_byte(&reader, &next) && next == node->text.data[i];
		if (!node || !same)
			break;
		/* A form ends where a character does. */
		if (node->ends && reader.taken == reader.character.count)
			longest = reader.at;
		node = node->first;
	}
	return longest;
}

/* How the forms begin that a text may begin with; false: it is too short. */
static bool read_key(struct slice text, unescape *read, char ret[KEY_BYTES])
{
	struct reader reader = {.read = read, .text = text};

	for (size_t i = 0; i < KEY_BYTES; i++)
		if (!next_byte(&reader, &ret[i]))
			return false;
	return true;
}

static bool begins_escape(char byte)
{
	return byte == '\\' || byte == '%' || byte == '&' || byte == '+';
}

/* The first digits of base64 at the start of text, however they are written and broken. */
static bool read_base64_key(struct slice text, char ret[KEY_BYTES])
{
	size_t at = 0;

	while (at < KEY_BYTES && (ret[at] = unescape_base64_digit(text.data[at])) != '\0')
		at++;
	if (at == KEY_BYTES)
		return true;
	if (text.data[at] != '\n' && text.data[at] != '\r' && !begins_escape(text.data[at]))
		return false;
	/* What ends the line before it is no part of it. */
	return (at > 0 || !unescape_base64_breaks(text)) && read_key(text, unescape_base64, ret);
}

static size_t longer(size_t one, size_t other)
{
	return one > other ? one : other;
}

/* The same of forms that are written with the escapes of something, of which one kind at a time is looked for. */
static size_t escaped_form_at(const struct redaction *redaction, struct slice text)
{
	static unescape *const kinds[] = {unescape_xml, unescape_json, unescape_url, unescape_form};
	size_t longest = 0;
	char key[KEY_BYTES];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct redaction_node *node =
			read_key(text, kinds[i], key) ? first_in(&redaction->forms, key) : NULL;

		longest = node ? longer(longest, walk(node, text, kinds[i])) : longest;
	}
	return longest;
}

/* How long the longest form is that text, of at least KEY_BYTES, begins with; 0: there is none. */
static size_t form_at(const struct redaction *redaction, struct slice text)
{
	const struct redaction_node *plain = first_in(&redaction->forms, text.data);
	bool may_be_escaped = plain != NULL;
	size_t longest = plain ? walk(plain, text, unescape_none) : 0;
	char key[KEY_BYTES];

	for (size_t i = 0; i < KEY_BYTES; i++)
		may_be_escaped |= begins_escape(text.data[i]);
	if (may_be_escaped)
		longest = longer(longest, escaped_form_at(redaction, text));
	if (!read_base64_key(text, key))
		return longest;
	const struct redaction_node *base64 = first_in(&redaction->base64, key);
	return base64 ? longer(longest, walk(base64, text, unescape_base64)) : longest;
}

struct slice redaction_find(const struct redaction *redaction, struct slice text)
{
	for (size_t i = 0; redaction->count > 0 && i + REDACTION_LEAST_BYTES <= text.size; i++) {
		size_t size = 0;

		if (redaction->starts[(unsigned char)text.data[i]])
			size = form_at(redaction, (struct slice){text.data + i, text.size - i});
		if (size > 0)
			return (struct slice){text.data + i, size};
	}
	return (struct slice){NULL, 0};
}

bool redaction_finds(const struct redaction *redaction, struct slice text)
{
	return redaction_find(redaction, text).size > 0;
}

void redaction_apply(const struct redaction *redaction, struct slice text, struct buffer *ret)
{
	struct slice form;

	while ((form = redaction_find(redaction, text)).size > 0) {
		size_t before = (size_t)(form.data - text.data);

		buffer_append(ret, slice_first(text, before));
		buffer_string(ret, REDACTION_MARK);
		text = slice_from(text, before + form.size);
	}
	buffer_append(ret, text);
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
