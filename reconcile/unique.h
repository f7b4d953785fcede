#ifndef TRUEUP_RECONCILE_UNIQUE_H
#define TRUEUP_RECONCILE_UNIQUE_H

#include "reconcile/kind.h"
#include "reconcile/resource.h"

/*
 * What can exist but once at a time: names, ranges within a parent, the one gateway that a
 * network takes. Each within a place, and often within what another field refers to.
 */

/* Whether no two objects may have the same value of this field. */
bool unique_field(const struct field *field);
/* Whether one object can let go of it for another and go on without: what it is attached to. Names, ranges and
 * addresses stay with their object until that is gone. */
bool unique_is_handed_on(const struct field *field);
/* Whether an object keeps it until it is gone: it takes no other value, nor goes over to another object. */
bool unique_is_kept(const struct field *field);
/* Whether an object that another one is to replace still has it beside that one: what it is attached to it leaves
 * before. */
bool unique_is_shared(const struct field *field);
/* Whether no two objects may have the same item in this set. */
bool unique_items(const struct field *field);
/* Whether an item of this field, at any depth, has a member of which no two objects may have the same value, or the
 * same item. */
bool unique_members(const struct field *field);
/* One of the values that no two objects may have. field: the top-level one, or a member within its items; fields: MAP
 * that has what it is unique in, of the nearest object around it or of the resource itself. */
typedef void unique_found(void *context, const struct field *field, const struct value *value,
			  const struct value *fields);
/* Calls found for each of those in a top-level field: its value, the items of its set, or members within its items.
 * fields: MAP of the resource, or NULL. */
void unique_each(const struct field *top, const struct value *fields, unique_found *found, void *context);
/* Whether the kind has such members in what no read gives back (made.h): unique_had() needs the object's body. */
bool unique_is_recorded(const struct kind *kind);
/* The fields of an object as read (MAP), with those: as it was made with them. In arena, or shared with either. */
struct value unique_had(const struct kind *kind, const struct value *read, const struct object *object,
			struct arena *arena);
/* How two that ask for the same are told of it: "the same target", "which takes only one of them". */
struct unique_words {
	const char *what, *why;
};
struct unique_words unique_words(const struct field *field);
/* The field within whose target that holds; NULL: within the whole place. Where a range has range_parent_id, and this
 * one is not given, it is within that. */
const char *unique_scope(const struct field *field);
/* A value of the field in the letters by which values are told apart, in arena where they are others. */
struct slice unique_letters(const struct field *field, struct slice text, struct arena *arena);
/*
 * What must not exist twice, as a text in arena; empty where the value, or what it is unique in, is not set or not
 * known yet. fields: MAP.
 */
struct slice unique_text(const struct kind *kind, const struct field *field, const struct value *fields,
			 const struct identity *place, struct arena *arena);
/* The same of one value of the field, or of one item of its set. fields: MAP that has what it is unique in. */
struct slice unique_value(const struct kind *kind, const struct field *field, const struct value *value,
			  const struct value *fields, const struct identity *place, struct arena *arena);
/* What that begins with, whatever the value: empty where what it is unique in is not known. */
struct slice unique_within(const struct kind *kind, const struct field *field, const struct value *fields,
			   const struct identity *place, struct arena *arena);
/* The same of a kind that is told apart by several fields together (told_apart_by); what is deferred equals nothing
 * that is known. Empty for what is only found. style: how secrets are written, so that those of a record, which are
 * fingerprints, equal what they are of. */
struct slice unique_whole(const struct kind *kind, const struct value *fields, const struct identity *place,
			  const struct json_style *style, struct arena *arena);
/* "'address', 'asn' (65000 where it is not given)": what two things that are told apart by nothing have in common. */
struct slice unique_names(const struct kind *kind, const struct value *one, const struct value *other,
			  struct arena *arena);
/* What a thing has in a field of told_apart_by that it does not give, as JSON text; empty: nothing. */
const char *unique_where_not_given(const struct kind *kind, const char *name);

#endif
