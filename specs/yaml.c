#include "specs/yaml.h"

#include <stdlib.h>
#include <yaml.h>

#include "base/map.h"
#include "base/memory.h"
#include "specs/yaml_dropped.h"
#include "specs/yaml_keys.h"
#include "specs/yaml_place.h"
#include "specs/yaml_scalar.h"
#include "specs/yaml_spans.h"

enum {
	STACK_FIRST = 256,
	/* A long map of short blocks has a member on the stack for about as many bytes. */
	STACK_BYTES_A_MEMBER = 96,
	ANCHORS_MOST = 100000,
	/* After an error, what is deeper than "kind: name:" may lack fields and is left out. */
	DEPTH_KEPT = 2,
};

/* What "&name" stands before. */
struct anchor {
	struct value value;
	size_t nodes; /* it and all below it, aliases counted as often as they stand */
	unsigned height;
	bool open; /* its end was not read yet */
};

/* A list or map whose end was not read yet. */
struct frame {
	struct position position;
	bool is_map;
	bool is_flow; /* it ends with a mark of its own */
	bool has_key; /* map: a key was read, its value comes next */
	bool discard; /* map: the key was refused, and the value will be dropped */
	bool merging; /* map: the key was "<<" */
	bool broken;  /* map: a key was none, so that more may be missing than was dropped */
	bool is_key;  /* it stands where a key should */
	bool has_merge;
	unsigned height;
	size_t base; /* of its members on the stack */
	size_t nodes;
	struct value key;
	struct value merge;    /* what stood behind "<<": a map, or a list of maps */
	struct anchor *anchor; /* or NULL */
	struct yaml_keys keys;
};

struct reader {
	yaml_parser_t parser;
	struct arena *arena;
	struct diagnostics *diagnostics;
	struct yaml_places places;
	size_t *expansion_left;
	struct map anchors;	    /* name to struct anchor */
	struct value_member *stack; /* owned: the members of all frames; items of lists have no key */
	size_t count, capacity;
	size_t depth;
	struct value root;
	bool has_root, ended, cut, shared;
	bool is_shut; /* what was read last had a mark of its own for its end: what comes next is no part of it */
	struct yaml_dropped dropped;
	struct yaml_spans spans;
	yaml_mark_t read_to;
	struct frame frames[YAML_DEEPEST];
};

static void reader_init(struct reader *reader, struct arena *arena, struct slice text, uint16_t file,
			size_t *expansion_left, struct diagnostics *diagnostics)
{
	/* The frames are set up one by one as they are opened. */
	memset(reader, 0, offsetof(struct reader, frames));
	reader->arena = reader->dropped.arena = reader->spans.arena = arena;
	reader->diagnostics = diagnostics;
	reader->expansion_left = expansion_left;
	reader->root = value_null();
	reader->capacity = text.size / STACK_BYTES_A_MEMBER + STACK_FIRST;
	reader->stack = (struct value_member *)memory_get(reader->capacity * sizeof(*reader->stack));
	map_init(&reader->anchors);
	yaml_places_init(&reader->places, text, file);
	if (!yaml_parser_initialize(&reader->parser))
		memory_exhausted("out of memory");
	yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader->parser, (const unsigned char *)text.data, text.size);
}

static void reader_release(struct reader *reader)
{
	for (size_t i = 0; i < reader->depth; i++)
		yaml_keys_release(&reader->frames[i].keys);
	map_release(&reader->anchors);
	free(reader->stack);
	yaml_parser_delete(&reader->parser);
}

/* Only where one is open. */
static struct frame *innermost(struct reader *reader)
{
	return &reader->frames[reader->depth - 1];
}

static inline void push(struct reader *reader, const struct value *key, const struct value *value)
{
	struct value_member *member;

	if (reader->count == reader->capacity) {
		reader->capacity *= 2;
		reader->stack =
			(struct value_member *)memory_resize(reader->stack, reader->capacity * sizeof(*reader->stack));
	}
	member = &reader->stack[reader->count++];
	member->key = *key;
	member->value = *value;
}

/* The key of that text which the frame has already, or NULL; good until the next push. */
static inline const struct value *claim(const struct reader *reader, struct frame *frame, struct slice key)
{
	return yaml_keys_claim(&frame->keys, reader->stack + frame->base, reader->count - frame->base, key);
}

/* Hands a finished value to the list or map that it stands in. */
static inline void take(struct reader *reader, const struct value *value, size_t nodes, unsigned height)
{
	static const struct value no_key;
	struct frame *frame;

	if (reader->depth == 0) {
		reader->root = *value;
		reader->has_root = true;
		return;
	}
	frame = innermost(reader);
	frame->nodes += nodes;
	if (height > frame->height)
		frame->height = height;
	if (!frame->is_map) {
		push(reader, &no_key, value);
		return;
	}
	if (frame->merging)
		frame->merge = *value;
	else if (!frame->discard)
		push(reader, &frame->key, value);
	else
		yaml_dropped_add(&reader->dropped, reader->depth, &frame->key, value);
	frame->has_key = frame->discard = frame->merging = false;
}

/* Whether the next scalar or alias is a key. */
static bool wants_key(const struct reader *reader)
{
	return reader->depth > 0 && reader->frames[reader->depth - 1].is_map &&
	       !reader->frames[reader->depth - 1].has_key;
}

/* A key that cannot be one: what belongs to it is read, and dropped with it. */
static void refuse_key(struct reader *reader, const struct value *key)
{
	struct frame *frame = innermost(reader);

	frame->has_key = frame->discard = frame->broken = true;
	frame->key = value_at(value_text("?"), key->position);
	yaml_dropped_add(&reader->dropped, reader->depth, &frame->key, key);
}

static void take_key(struct reader *reader, const struct value *key, bool plain)
{
	struct frame *frame = innermost(reader);
	const struct value *earlier = NULL;

	frame->has_key = true;
	frame->key = *key;
	if (plain && key->count == 2 && memcmp(key->text, "<<", 2) == 0) {
		earlier = frame->has_merge ? &frame->merge : NULL;
		frame->merging = !earlier;
		frame->has_merge = true;
	} else if (key->count == 0) {
		frame->discard = frame->broken = true;
		diag_error(reader->diagnostics, FAULT_USER, key->position, "%s",
			   plain ? "a key is missing in front of this ':'" : "a key cannot be empty");
	} else {
		earlier = claim(reader, frame, (struct slice){key->text, key->count});
	}
	if (!earlier)
		return;
	frame->discard = true;
	yaml_dropped_report(reader->diagnostics, key, earlier);
}

/* Ends the reading of this text. */
static void cut(struct reader *reader)
{
	reader->cut = true;
	reader->ended = true;
}

/* Of a node that begins; NULL after a diagnostic. */
static struct anchor *anchor_register(struct reader *reader, const yaml_char_t *name)
{
	struct anchor *anchor;

	if (reader->anchors.count >= ANCHORS_MOST) {
		diag_error(reader->diagnostics, FAULT_USER, NOWHERE, "there are more than %d anchors", ANCHORS_MOST);
		cut(reader);
		return NULL;
	}
	anchor = arena_new(reader->arena, struct anchor);
	anchor->open = true;
	map_set(&reader->anchors, arena_copy(reader->arena, slice_of((const char *)name)), anchor);
	return anchor;
}

static inline struct anchor *anchor_open(struct reader *reader, const yaml_char_t *name)
{
	return name ? anchor_register(reader, name) : NULL;
}

static inline void anchor_close(struct anchor *anchor, const struct value *value, size_t nodes, unsigned height)
{
	if (anchor)
		*anchor = (struct anchor){*value, nodes, height, false};
}

/* False after a diagnostic, and then the reading ends: one who goes on would meet more of the same. */
static bool expand(struct reader *reader, size_t nodes, struct position position)
{
	if (nodes <= *reader->expansion_left) {
		*reader->expansion_left -= nodes;
		return true;
	}
	diag_error(reader->diagnostics, FAULT_USER, position, "aliases repeat more than %d values",
		   YAML_EXPANSION_MOST);
	diag_hint(reader->diagnostics, "aliases of lists of aliases grow without measure: write out what is needed");
	cut(reader);
	return false;
}

static void report_depth(struct reader *reader, struct position position)
{
	diag_error(reader->diagnostics, FAULT_USER, position, "lists and maps are nested more than %d levels deep",
		   YAML_DEEPEST);
	diag_hint(reader->diagnostics, "make them less deep");
	cut(reader);
}

static void on_alias(struct reader *reader, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	const struct anchor *anchor = (const struct anchor *)map_get(&reader->anchors, slice_of(name));
	size_t byte;
	struct position position = yaml_place(&reader->places, &event->start_mark, &byte);
	struct value value = value_at(value_unread(), position);
	bool key = wants_key(reader);

	reader->shared = true;
	if (!anchor || anchor->open) {
		diag_error(reader->diagnostics, FAULT_USER, position,
			   anchor ? "the alias '*%.60s' stands within what it repeats"
				  : "there is no anchor '&%.60s' before this alias",
			   name);
		if (!anchor)
			diag_hint(reader->diagnostics, "put text that begins with '*' in quotes");
		yaml_spans_add(&reader->spans, &reader->places, &event->end_mark, position, byte);
	} else if (reader->depth + anchor->height > YAML_DEEPEST) {
		report_depth(reader, position);
		return;
	} else if (!expand(reader, anchor->nodes, position)) {
		return;
	} else {
		value = anchor->value;
	}
	if (!key) {
		take(reader, &value, anchor ? anchor->nodes : 1, anchor ? anchor->height : 0);
		return;
	}
	if (value.type != VALUE_STRING && value.type != VALUE_UNREAD)
		diag_error(reader->diagnostics, FAULT_USER, position, "a key must be text");
	if (value.type != VALUE_STRING)
		refuse_key(reader, &value);
	else
		take_key(reader, &value, false);
}

static inline bool is_quoted(const yaml_event_t *event)
{
	return event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
	       event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
}

/* Points into the source where the text stands there unchanged, which spares a copy. */
static inline struct slice scalar_text(struct reader *reader, const yaml_event_t *event, size_t byte, bool *ret_same)
{
	const char *data = (const char *)event->data.scalar.value;
	size_t size = event->data.scalar.length;
	struct slice source = reader->places.text;

	if (is_quoted(event))
		byte++;
	*ret_same = byte <= source.size && size <= source.size - byte && memcmp(source.data + byte, data, size) == 0;
	if (*ret_same)
		return (struct slice){source.data + byte, size};
	return arena_copy(reader->arena, (struct slice){data, size});
}

/* Makes something else of a text than a string where its tag or its own form says so. */
static void scalar_resolve(struct reader *reader, const char *tag, struct value *value)
{
	struct slice text = {value->text, value->count};
	bool good = tag ? yaml_scalar_tagged(tag, text, value->position, value, reader->diagnostics)
			: yaml_scalar_plain(text, value->position, value, reader->diagnostics);

	if (!good)
		*value = value_at(value_unread(), value->position);
}

static void on_scalar(struct reader *reader, const yaml_event_t *event)
{
	struct anchor *anchor = anchor_open(reader, event->data.scalar.anchor);
	const char *tag = (const char *)event->data.scalar.tag;
	struct value value = {.type = VALUE_STRING};
	bool same;
	struct slice text;
	size_t byte;

	value.position = yaml_place(&reader->places, &event->start_mark, &byte);
	text = scalar_text(reader, event, byte, &same);
	value.text = text.data;
	value.count = (uint32_t)text.size;
	if (wants_key(reader)) {
		anchor_close(anchor, &value, 1, 0);
		take_key(reader, &value, event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
		return;
	}
	if (is_quoted(event))
		value.style = VALUE_STYLE_QUOTED;
	if (tag || (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && yaml_scalar_may_be_other(text)))
		scalar_resolve(reader, tag, &value);
	if (!same || !yaml_reads_as_written(&value, text))
		yaml_spans_add(&reader->spans, &reader->places, &event->end_mark, value.position, byte);
	anchor_close(anchor, &value, 1, 0);
	take(reader, &value, 1, 0);
}

static void on_start(struct reader *reader, const yaml_event_t *event, bool is_map)
{
	const yaml_char_t *tag = is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
	const yaml_char_t *name = is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
	size_t byte;
	struct position position = yaml_place(&reader->places, &event->start_mark, &byte);
	struct frame *frame;
	bool is_key = wants_key(reader);

	if (reader->depth == YAML_DEEPEST) {
		report_depth(reader, position);
		return;
	}
	/* '{{name}}: x' is one mistake. */
	if (is_key && !innermost(reader)->is_key) {
		diag_error(reader->diagnostics, FAULT_USER, position, "a key must be text, not %s",
			   is_map ? "a map" : "a list");
		diag_hint(reader->diagnostics, "put text that begins with '{' or '[' in quotes");
	}
	/* The node keeps its place in the tree whatever its tag. */
	if (!yaml_collection_tag((const char *)tag, is_map ? VALUE_MAP : VALUE_LIST, position, reader->diagnostics))
		tag = NULL;
	frame = &reader->frames[reader->depth];
	*frame = (struct frame){.position = position, .is_map = is_map, .is_key = is_key, .base = reader->count};
	frame->is_flow = is_map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
				: event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	frame->anchor = anchor_open(reader, name);
	reader->depth++;
}

/* What "<<" brings: members whose keys are not there yet. False after a diagnostic. */
static bool merge_map(struct reader *reader, struct frame *frame, const struct value *source)
{
	if (source->type != VALUE_MAP) {
		if (source->type == VALUE_UNREAD)
			return true;
		diag_error(reader->diagnostics, FAULT_USER, source->position,
			   "'<<' takes a map or a list of maps, found %s", value_type_name(source->type));
		diag_hint(reader->diagnostics, "write '<<: *name', where '&name' stands before a map");
		return false;
	}
	if (!expand(reader, source->count, frame->position))
		return false;
	for (size_t i = 0; i < source->count; i++) {
		const struct value_member *member = &source->members[i];

		if (!claim(reader, frame, value_slice(&member->key)))
			push(reader, &member->key, &member->value);
	}
	return true;
}

static void merge(struct reader *reader, struct frame *frame)
{
	const struct value *source = &frame->merge;

	if (source->type != VALUE_LIST) {
		if (!merge_map(reader, frame, source))
			return;
	}
	for (size_t i = 0; source->type == VALUE_LIST && i < source->count; i++) {
		if (!merge_map(reader, frame, &source->items[i]))
			return;
	}
}

static struct value frame_value(struct reader *reader, const struct frame *frame)
{
	const struct value_member *members = reader->stack + frame->base;
	size_t count = reader->count - frame->base;
	struct value value = {.position = frame->position, .count = (uint32_t)count};
	struct value_member *map;
	struct value *list;

	if (frame->is_map) {
		value.type = VALUE_MAP;
		map = arena_new_array(reader->arena, count, struct value_member);
		if (count > 0)
			memcpy(map, members, count * sizeof(*map));
		value.members = map;
		return value;
	}
	value.type = VALUE_LIST;
	list = arena_new_array(reader->arena, count, struct value);
	for (size_t i = 0; i < count; i++)
		list[i] = members[i].value;
	value.items = list;
	return value;
}

static void on_end(struct reader *reader)
{
	struct frame *frame = innermost(reader);
	struct value value;

	if (frame->has_merge)
		merge(reader, frame);
	value = frame_value(reader, frame);
	if (reader->dropped.waiting_count > 0)
		yaml_dropped_close(&reader->dropped, reader->depth, &value);
	/* What is left of it is no empty map that anybody wrote. */
	if (frame->broken && value.count == 0)
		value = value_at(value_unread(), value.position);
	/* A section ends with its last resource; that, where it is a block, may only seem to end. */
	reader->is_shut = frame->is_flow || (reader->is_shut && reader->depth <= DEPTH_KEPT);
	reader->count = frame->base;
	if (frame->keys.found)
		yaml_keys_release(&frame->keys);
	anchor_close(frame->anchor, &value, frame->nodes + 1, frame->height + 1);
	reader->depth--;
	if (frame->is_key)
		refuse_key(reader, &value);
	else
		take(reader, &value, frame->nodes + 1, frame->height + 1);
}

static void on_document(struct reader *reader, const yaml_event_t *event)
{
	size_t byte;

	if (!reader->has_root)
		return;
	diag_error(reader->diagnostics, FAULT_USER, yaml_place(&reader->places, &event->start_mark, &byte),
		   "a second document begins here");
	diag_hint(reader->diagnostics, "put it into a file of its own, or remove the '---'");
	reader->ended = true;
}

static void on_event(struct reader *reader, const yaml_event_t *event)
{
	reader->is_shut &= event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT;
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		on_scalar(reader, event);
		break;
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		on_start(reader, event, event->type == YAML_MAPPING_START_EVENT);
		break;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		on_end(reader);
		break;
	case YAML_ALIAS_EVENT:
		on_alias(reader, event);
		break;
	case YAML_DOCUMENT_START_EVENT:
		on_document(reader, event);
		break;
	case YAML_STREAM_END_EVENT:
		reader->ended = true;
		break;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
}

/* Also what salvage() keeps, which leaves out more than the innermost. */
static void drop_open(struct reader *reader)
{
	size_t count = reader->count;

	for (size_t depth = reader->depth; depth > 0; depth--) {
		struct value begun = frame_value(reader, &reader->frames[depth - 1]);

		yaml_dropped_cut(&reader->dropped, depth, &begun);
		reader->count = reader->frames[depth - 1].base;
	}
	reader->count = count;
}

/*
 * Brings what was complete before an error to its end. A mistake in indentation shows only
 * behind what it damaged, so the last thing before the error is not trusted either, unless it had a mark for
 * its end, or another key stands behind it.
 */
static void salvage(struct reader *reader)
{
	bool trusted = reader->depth > DEPTH_KEPT || reader->is_shut;

	while (reader->depth > DEPTH_KEPT) {
		struct frame *frame = innermost(reader);

		reader->count = frame->base;
		yaml_keys_release(&frame->keys);
		reader->depth--;
		innermost(reader)->has_key = false;
	}
	if (reader->depth == DEPTH_KEPT && !trusted && reader->count > innermost(reader)->base &&
	    !innermost(reader)->has_key)
		reader->count--;
	trusted |= reader->depth > 0 && innermost(reader)->has_key;
	if (reader->depth == 1 && !trusted && reader->count > innermost(reader)->base) {
		struct value *last = &reader->stack[reader->count - 1].value;

		if (last->count > 0 && (last->type == VALUE_MAP || last->type == VALUE_LIST))
			last->count--;
	}
	while (reader->depth > 0)
		on_end(reader);
}

static void read_events(struct reader *reader)
{
	while (!reader->ended) {
		yaml_event_t event;

		if (!yaml_parser_parse(&reader->parser, &event)) {
			yaml_report_syntax(&reader->places, &reader->parser, reader->diagnostics);
			cut(reader);
			break;
		}
		on_event(reader, &event);
		if (!reader->cut)
			reader->read_to = event.end_mark;
		yaml_event_delete(&event);
	}
	if (reader->cut) {
		drop_open(reader);
		salvage(reader);
	}
}

bool yaml_read(struct arena *arena, struct slice text, uint16_t file, size_t *expansion_left, struct yaml_tree *ret,
	       struct diagnostics *diagnostics)
{
	struct slice mark = SLICE("\xef\xbb\xbf");
	size_t errors_before = diagnostics->error_count;
	struct reader reader;

	/* The byte order mark is no part of the text. */
	if (slice_starts_with(text, mark))
		text = slice_from(text, mark.size);
	reader_init(&reader, arena, text, file, expansion_left, diagnostics);
	if (yaml_text_check(&reader.places, diagnostics))
		read_events(&reader);
	else
		reader.cut = true;
	*ret = (struct yaml_tree){
		.root = reader.root,
		.cut = reader.cut,
		.shared = reader.shared,
		.dropped = reader.dropped.values,
		.dropped_count = reader.dropped.count,
		.spans = reader.spans.items,
		.span_count = reader.spans.count,
		.rest = reader.cut ? yaml_rest(text, &reader.read_to) : (struct slice){NULL, 0},
	};
	reader_release(&reader);
	return diagnostics->error_count == errors_before;
}
