#ifndef TRUEUP_BASE_VALUE_H
#define TRUEUP_BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/source.h"

/*
 * The immutable value tree: what a spec says, what a server answered, what is recorded.
 * A value and all below it live in an arena, are never changed and never freed one by
 * one, so a value may be copied by assignment and shared between trees.
 *
 * Two types are not values yet, and neither means unset:
 *   deferred  an expression over outputs of resources that are not made yet
 *   unread    the field exists, but could not be read (denied, timed out)
 */
enum value_type {
	VALUE_NULL,
	VALUE_BOOL,
	VALUE_INTEGER,
	VALUE_NUMBER,
	VALUE_STRING,
	VALUE_LIST,
	VALUE_MAP,
	VALUE_DEFERRED,
	VALUE_UNREAD,
};

/* How a scalar was written: quoted in a spec, by an expression, or, of a secret, as its fingerprint alone. */
enum value_style {
	VALUE_STYLE_ANY,
	VALUE_STYLE_QUOTED,
	VALUE_STYLE_SEALED,   /* the text of the secret, or of each secret segment, is its fingerprint */
	VALUE_STYLE_COMPUTED, /* no text: an expression came to it */
};

struct value_member;
struct deferred;
struct segmented;

/* 24 bytes: a spec of 100,000 resources holds more than a million of them. */
struct value {
	struct position position;
	uint8_t type;	/* enum value_type */
	bool secret;	/* this value, or any segment of this string, must not be shown or stored in clear */
	bool segmented; /* VALUE_STRING only: `segments` is used instead of `text` */
	uint8_t style;	/* enum value_style */
	uint32_t count; /* bytes of a string, items of a list, members of a map; 0 for the rest */
	union {
		bool boolean;
		int64_t integer;
		double number;
		const char *text;
		const struct segmented *segments;
		const struct value *items;
		const struct value_member *members;
		const struct deferred *deferred;
	};
};

struct value_member {
	struct value key; /* VALUE_STRING; its position is where the key stands */
	struct value value;
};

/* A string built from parts, each with its own mark, so that only the secret part is hidden. */
struct segment {
	struct slice text;
	bool secret;
};

struct segmented {
	struct slice whole;
	const struct segment *segments;
	size_t count;
};

struct deferred {
	/* Normalised source in the form a spec would use: "${aws.vpc.train.id}",
	 * "a-${aws.vpc.train.id}". Equal texts mean equal values; it is what is stored,
	 * digested and shown. */
	struct slice text;
	/* Compiled form, known only to the resolver that made it; NULL when read from a file. */
	const void *program;
	/* MAP from the names of secret variables within text ("var.password") to what they hold,
	 * which text does not tell; part of the value as text is. NULL: there are none. */
	const struct value *secrets;
};

struct value value_null(void);
struct value value_bool(bool boolean);
struct value value_integer(int64_t integer);
struct value value_number(double number);
/* text is borrowed: it must live as long as the value. */
struct value value_string(struct slice text);
struct value value_text(const char *text);
struct value value_unread(void);
struct value value_deferred(const struct deferred *deferred);
/* segments in arena or longer-lived; the whole is joined in arena; neighbours of one mark are merged. */
struct value value_segments(struct arena *arena, const struct segment *segments, size_t count);
/* items and members are borrowed. */
struct value value_list(const struct value *items, size_t count);
struct value value_map(const struct value_member *members, size_t count);
struct value value_at(struct value value, struct position position);

static inline bool value_is(const struct value *value, enum value_type type)
{
	return value && value->type == type;
}

/* NULL also for null: both mean that it is not set. */
static inline const struct value *value_if_set(const struct value *value)
{
	return value && !value_is(value, VALUE_NULL) ? value : NULL;
}

static inline bool value_is_true(const struct value *value)
{
	return value && value->type == VALUE_BOOL && value->boolean;
}

/* The bytes of a string; the empty slice for anything else. */
static inline struct slice value_slice(const struct value *value)
{
	if (!value || value->type != VALUE_STRING)
		return (struct slice){"", 0};
	return value->segmented ? value->segments->whole : (struct slice){value->text, value->count};
}

/* Whether it is that text, or true or false, which reads so. */
static inline bool value_reads(const struct value *value, const char *text)
{
	if (value->type == VALUE_BOOL)
		return strcmp(text, value->boolean ? "true" : "false") == 0;
	return slice_is(value_slice(value), text);
}

/* Whether only its fingerprint is here; for what lies deeper see value_has_fingerprint(). */
static inline bool value_is_sealed(const struct value *value)
{
	return value && value->secret && value->style == VALUE_STYLE_SEALED;
}

/* "a string", "a list", ... for messages. */
const char *value_type_name(enum value_type type);

/* Member by key, or NULL; also NULL where map is NULL or no map. Linear: maps are small. */
const struct value *value_get(const struct value *map, struct slice key);

/* The same, NULL also where that is null. */
static inline const struct value *value_get_given(const struct value *map, struct slice key)
{
	return value_if_set(value_get(map, key));
}

const struct value *value_get_named(const struct value *map, const char *key);
/* Follows a dotted path; a part that is all digits indexes a list: "TunnelOptions.0.PreSharedKey". NULL where any step
 * is missing. */
const struct value *value_path(const struct value *value, const char *path);
/* Any deferred anywhere within; NULL has none. */
bool value_has_deferred(const struct value *value);
/* Any unread anywhere within. */
bool value_has_unread(const struct value *value);
bool value_has_secret(const struct value *value);
/* The first bytes of a string, for a message; of one that is secret in any part nothing: what is left of it by the cut
 * nobody would find. */
struct slice value_shown(const struct value *value, size_t most_bytes);
/* Same type and content; maps without regard to order of members; deferred by text and secrets;
 * unread equals nothing but unread. Positions, styles and marks do not count. */
bool value_equal(const struct value *a, const struct value *b);
/* Whether value is the other, or has it as an item or a member, however deep. */
bool value_holds(const struct value *value, const struct value *other);
/* A total order on the same terms: 0 exactly where value_equal() holds. */
int value_compare(const struct value *a, const struct value *b);
/* Whether of any secret within only the fingerprint is here. */
bool value_has_fingerprint(const struct value *value);
/* The same, all of it marked secret, so that whatever is taken from it is secret too. Null and unread stay as they are.
 */
struct value value_secret(struct arena *arena, struct value value);
/* The same, null and unread too: of what comes out of a secret it may not be told that it is unset. */
struct value value_secret_if_unset(struct arena *arena, struct value value);
/* Copies all of it, strings too, into arena. */
struct value value_copy(struct arena *arena, const struct value *value);
/* The members of both maps, of those that both have the ones of `over`, in arena. NULL, and what is no map, has none.
 */
struct value value_overlaid(const struct value *map, const struct value *over, struct arena *arena);
/* The map with one member set, in arena; the same. */
struct value value_with(const struct value *map, struct slice key, struct value value, struct arena *arena);

/* Builds a list or a map whose size is not known before; the items move into the arena at the end. */
struct value_builder {
	struct value_member *members; /* owned until finished; for a list only .value is used */
	size_t count;
	size_t capacity;
};
void value_builder_init(struct value_builder *builder);
void value_builder_release(struct value_builder *builder);
void value_builder_item(struct value_builder *builder, struct value item);
void value_builder_member(struct value_builder *builder, struct slice key, struct value value);
/* The same with the key of another map, which keeps its position. */
void value_builder_keyed(struct value_builder *builder, struct value key, struct value value);
/* Replaces the member of that key, or adds it. */
void value_builder_set(struct value_builder *builder, struct slice key, struct value value);
/* Adds every member of a map, none of which is there yet. NULL, and what is no map, has none. */
void value_builder_members(struct value_builder *builder, const struct value *map);
/* Replaces or adds every member of a map; the same. */
void value_builder_overlay(struct value_builder *builder, const struct value *map);
/* Moves the items into arena and empties the builder, which may be used again. */
struct value value_builder_list(struct value_builder *builder, struct arena *arena);
struct value value_builder_map(struct value_builder *builder, struct arena *arena);

#define VALUE_BUILDER_AUTO __attribute__((cleanup(value_builder_release))) struct value_builder

#endif
