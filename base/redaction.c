#include "base/redaction.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/printable.h"

enum { KEY_BYTES = 4, FORM_LIMIT_BYTES = 64 * 1024 * 1024 };

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

static void add_form(struct redaction *redaction, struct slice text)
{
	struct redaction_node **link, *node;

	if (text.size < REDACTION_LEAST_BYTES)
		return;
	link = &redaction->buckets[bucket_of(text.data)];
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
	char *other;

	memcpy(padded + before, secret.data, secret.size);
	text = base64_encode(&redaction->arena, (struct slice){padded, size});
	text = slice_first(slice_from(text, first), last - first);
	add_form(redaction, text);
	/* Within a form that was sent, or JSON. */
	add_escaped(redaction, text, escape_percent);
	add_escaped(redaction, text, escape_percent_lower);
	add_escaped(redaction, text, escape_json_slash);
	/* The alphabet for URLs and file names (RFC 4648, section 5). */
	other = (char *)arena_get(&redaction->arena, text.size);
	for (size_t i = 0; i < text.size; i++)
		other[i] = text.data[i] == '+' ? '-' : text.data[i] == '/' ? '_' : text.data[i];
	add_form(redaction, (struct slice){other, text.size});
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

void redaction_add(struct redaction *redaction, struct slice secret)
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

/* How long the longest form is that text begins with; 0: there is none. */
static size_t form_at(const struct redaction *redaction, struct slice text)
{
	const struct redaction_node *node = redaction->buckets[bucket_of(text.data)];
	size_t size = 0, longest = 0;

	while (node && size < text.size) {
		if (node->text.data[0] != text.data[size]) {
			node = node->next;
			continue;
		}
		if (!slice_starts_with(slice_from(text, size), node->text))
			break;
		size += node->text.size;
		if (node->ends)
			longest = size;
		node = node->first;
	}
	return longest;
}

bool redaction_finds(const struct redaction *redaction, struct slice text)
{
	for (size_t i = 0; redaction->count > 0 && i + REDACTION_LEAST_BYTES <= text.size; i++)
		if (form_at(redaction, slice_from(text, i)) > 0)
			return true;
	return false;
}

void redaction_apply(const struct redaction *redaction, struct slice text, struct buffer *ret)
{
	size_t start = 0, i = 0;

	while (redaction->count > 0 && i + REDACTION_LEAST_BYTES <= text.size) {
		size_t size = form_at(redaction, slice_from(text, i));

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
