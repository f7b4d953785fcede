#ifndef TRUEUP_RECONCILE_KIND_H
#define TRUEUP_RECONCILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/value.h"

/*
 * What can be known of a kind of resource without asking anyone: its fields, outputs and
 * rules, as tables. Validation, references, diffing, planning, documentation and the JSON
 * Schema come from here. Providers embed these structs as the first member of their own
 * (struct aws_field), so arrays carry their stride.
 */

enum field_type {
	FIELD_STRING,
	FIELD_INTEGER,
	FIELD_NUMBER,
	FIELD_BOOL,
	FIELD_CIDR4, /* canonicalised; host bits are an error */
	FIELD_CIDR6,
	FIELD_CIDR,	 /* either family */
	FIELD_ADDRESS,	 /* an IP address of either family */
	FIELD_JSON,	 /* a document, as text or as a tree; compared by meaning */
	FIELD_REFERENCE, /* another resource's output, id where not said otherwise */
	FIELD_OBJECT,	 /* .members */
	FIELD_LIST,	 /* .item, order counts */
	FIELD_SET,	 /* .item, order does not count; objects are matched by their KEY members */
	FIELD_MAP,	 /* text keys of the user's choice to .item */
};

enum field_flag {
	REQUIRED = 1 << 0,
	IMMUTABLE = 1 << 1, /* another value needs another object */
	SECRET = 1 << 2,
	OBSERVED = 1 << 3, /* set at creation, shown, then left to its other owner */
	/* Within the item of a set: part of what tells two items apart. Where it is left out, a number that has an
	 * unset_value means that. */
	KEY = 1 << 4,
	/* A part with calls of its own, made after the resource itself exists: references
	 * within bind the settle phase, so two resources may name each other. */
	SETTLES = 1 << 5,
	JOINS = 1 << 6, /* puts into one routing domain: a reference both ends, an address all that have it */
	NAMES = 1 << 7, /* the unique name under which the service knows the object */
	/* No read gives it back for sure; compared against the record alone, or where it changes in place against what
	 * a read does tell. */
	WRITE_ONLY = 1 << 8,
	/* A fact about the thing that nothing can change (a serial number): another value is told as a
	 * conflict, and never acted on. */
	FIXED = 1 << 9,
	/* A field of another kind says the same of the same thing: where this one was never set, what that end
	 * was given is told there alone. A set of references; no spec says it on both sides. */
	MIRRORED = 1 << 10,
	/* Encoded on its way to the service, so that a string may hold any character. */
	ENCODED = 1 << 11,
	/* A reference whose target takes but one object of this kind at a time (a VPC and its gateway), or an address
	 * or a range, which one at a time has; items of a set too. So are members of items, which are IMMUTABLE as
	 * well: what is in them goes with their object.
	 */
	SOLE = 1 << 12,
	/* The name of something in the region that the resource is in, which it begins with ("us-west-2a"). */
	REGIONAL = 1 << 13,
	/* Changes in two steps: the value that is there is taken away before another one is given. Where another object
	 * waits for it, the first step is taken ahead of the rest. */
	EXCHANGED = 1 << 14,
	/* Another field of the kind says the same of the same thing (addresses, and their number): where this one was
	 * never set, a move is that one's doing and no drift. */
	RESTATED = 1 << 15,
	/* A change in place stops the thing where it runs, and then starts it again: see kind.running. */
	PAUSES = 1 << 16,
	/* Changed item by item, by what is there and what is not: while it cannot be read it is left as it is. */
	COMPARED = 1 << 17,
	/* The object's id, or the place that a provider reaches, is this value or made of it. Both are recorded and
	   shown as they are, so no secret can be in it. */
	IDENTIFIES = 1 << 18,
	/* A range of which the service keeps the first four addresses and the last for itself. */
	KEEPS_ENDS = 1 << 19,
	/* A member of the items of a set that is both IMMUTABLE and WRITE_ONLY: this of them is read all the same, and
	 * changes in place. */
	SEEN = 1 << 20,
	/* A set of which each item keeps the object from being deleted: its own are taken off before that, and what
	 * others have put there refuses it. */
	HOLDS = 1 << 21,
	/* A reference, be it a field, a set's item or a member of one, that keeps its target from being deleted: of
	 * what stays as it is, whoever has put it there, that refuses it, and what goes too lets go of such an item
	 * first. */
	PINS = 1 << 22,
	/* A reference that is the item of a set, and goes by itself with its target: a subnet that is deleted takes its
	 * association with its table along. */
	DEPARTS = 1 << 23,
};

/* What becomes of a field that was set and no longer is. A field that was never set has no
 * desired value. */
enum unset_rule {
	/* Said nothing: only for what is required, and for KEY members, without which an item is another one. A test
	 * refuses a table that leaves it so. */
	UNSET_UNDECLARED,
	UNSET_RELEASE,	/* kept as it is and no longer managed; said so in the plan */
	UNSET_CONSTANT, /* goes back to .unset_value */
	UNSET_CLEAR,	/* emptied, by the call the provider's table names */
	UNSET_REPLACE,	/* only a new object is without it; not for members of objects */
};

/* How the ranges in a field take part in the check for overlaps. */
enum range_role {
	RANGE_NONE,
	RANGE_DOMAIN, /* must meet no other range of its routing domain (see JOINS) */
	/* Lies within the ranges of the resource that .range_parent refers to, apart from its siblings. Also of a
	 * member of the items of a list. */
	RANGE_WITHIN,
};

struct field;

/* An array of structs that each begin with a struct field. */
struct fields {
	const void *first;
	size_t count;
	size_t stride;
};

/* Checks a known value beyond its type; the value is canonical, and members of an object or map may be deferred. False
 * after a diagnostic at value->position. */
typedef bool field_check(const struct field *field, const struct value *value, struct diagnostics *diagnostics);

/* Whether two texts that are not equal mean the same; neither is secret. */
typedef bool field_same(struct slice a, struct slice b);

/*
 * The one form of values that mean the same, of a MAP whose members are canonical and may be deferred, or of a text
 * that the check may have refused. Both what a spec says and what a service answers go through it, so that they meet;
 * its result is its own form.
 */
typedef struct value field_form(const struct value *value, struct arena *arena);

struct field {
	const char *name;
	enum field_type type;
	unsigned flags;	    /* of enum field_flag */
	const char *about;  /* one line for documentation and schema */
	const char *target; /* FIELD_REFERENCE: name of the kind referred to */
	const char *output; /* FIELD_REFERENCE: its output; NULL: the kind's id */
	/* FIELD_REFERENCE: where it is not given, it refers to what this other reference field
	 * refers to (a group's template version follows its template). */
	const char *follows;
	/* FIELD_REFERENCE, also as the item of a set: the reference of its targets that says what they lie in, and this
	 * object with them. Where every target goes over to another one, a new object is needed there. */
	const char *stays_in;
	/* FIELD_REFERENCE: the reference of its target that says what that lies in. All that an object refers to by
	 * such fields lies in the same, and the object too where it has a field of that name; what lies in none cannot
	 * be referred to so. NULL: it may lie anywhere
	 */
	const char *beside;
	/* FIELD_REFERENCE: the same, where people can join two of these, of which no spec tells: there too a service
	 * may let it be referred to. An undoing asks, of what has moved since, for what was so before was joined; and a
	 * plan, of what it only makes, which nobody can have joined. NULL: as beside says */
	const char *beside_or_joined;
	/* A set: the reference by which an item lies somewhere by itself where it gives it (an interface of a machine:
	 * its subnet). What such an item refers to by fields with `beside` lies in the same as that, and not as the
	 * rest of the object. NULL: all of it does */
	const char *lies_by;
	/* Beside lies_by: the name of the one item that is the object's own, which all of it lies beside. NULL: none is
	 */
	const char *own_item;
	/* FIELD_REFERENCE: what its target refers to by fields with `beside` lies in the same as what this object
	 * refers to so, unless another field that follows this one says that the target counts as it was once. */
	bool beside_through;
	/* FIELD_STRING, which may be an output of another resource: likewise, and in what the object lies in by its
	 * reference of that name. NULL: it may lie anywhere */
	const char *through;
	/* FIELD_REFERENCE: the field of its target with the range of which what the object runs takes addresses of the
	 * service's choice. NULL: it takes none */
	const char *launches_of;
	/* FIELD_REFERENCE: a field of its target. All that an object refers to by such fields has the same there, and
	 * so has the object in a field of that name. NULL: none */
	const char *alike;
	struct fields members;	    /* FIELD_OBJECT */
	const struct field *item;   /* FIELD_LIST, FIELD_SET, FIELD_MAP */
	const char *pattern;	    /* PCRE2, anchored at both ends, or NULL */
	const char *in_words;	    /* of a pattern: what it asks for, as it goes on behind "write" */
	const char *const *choices; /* NULL-terminated, or NULL: the values allowed */
	int64_t least,
		most; /* integers: bounds; strings: characters, ENCODED ones: bytes; lists: items. Both 0: none */
	field_check *check;
	/* FIELD_OBJECT, FIELD_STRING; after the check, which sees what the user wrote. NULL: as it is */
	field_form *form;
	field_same *same; /* FIELD_STRING; NULL: only equal texts do */
	/* IMMUTABLE: the one value, as text, that it can be changed to in place all the same, or NULL. */
	const char *in_place_to;
	/* An output of the kind: what has it needs another object for another value, as if this were IMMUTABLE. NULL:
	 * there is none. */
	const char *immutable_with;
	/* Where items have a member that is SEEN: what people can do where one that the spec names is gone. */
	const char *brought_back;
	/* A set with calls of its own: the reference field of the kind by which alone it is read. While others have had
	 * the object leave what that is to be, no read tells the items that are there again once it is back. NULL: it
	 * is read whatever that is. */
	const char *read_by;
	/* A set of whose items a service may say that they are there and do nothing (live.dead): what such an item
	 * does, as it goes on behind its path, and what people can do about that. NULL: of none. */
	const char *dead, *revived_by;
	/* The path of such an item, whose SEEN member of this field's name says the same of the same thing: where that
	 * changes, this does. NULL: none. */
	const char *seen_within;
	/* A set: the member of its items by which a read tells the id of each, a part that goes with the object, and
	 * that others may name (an interface of a machine). In a spec it is the id of one that is there already. NULL:
	 * no read does */
	const char *part_id;
	/* FIELD_STRING, FIELD_BOOL: the value, as text, with which the service refuses to delete the object;
	 * .unset_value lets it go. NULL: there is none */
	const char *bars_deletion;
	/* FIELD_BOOL: while it is true the service does not stop the object, for what PAUSES or for good; .unset_value
	 * lets it. It becomes true after all that stops the object, and false before */
	bool bars_stop;
	/* WRITE_ONLY: a read tells it only while the thing runs (kind.running). What is to be started is given it with
	 * that, whatever it has, unless an output that it renews is there */
	bool shown_running;
	/* IMMUTABLE and WRITE_ONLY: where a read shows a value, it is what the thing has. Else such a one is compared
	 * with the record alone, as the address that a machine is reached by. Also of a member, IMMUTABLE and not SEEN,
	 * of the items of a set that is both: nothing is told of it where it was never said */
	bool read_where_shown;
	/* FIELD_INTEGER: other fields that bound it. A change of one of these in place brings it within, by the
	 * service, whatever the spec says or leaves to others; NULL: none */
	const char *at_least, *at_most;
	enum unset_rule when_unset;
	const char *unset_value; /* UNSET_CONSTANT: JSON text */
	/* UNSET_CONSTANT: a true or false field of the kind; where it is true, the service refuses that value, and what
	 * is no longer set is kept as it is. NULL: there is none */
	const char *kept_where;
	/* Of told_apart_by: what a new thing gets where it is not given, as JSON text. NULL: nothing */
	const char *where_not_given;
	/* FIELD_INTEGER, FIELD_BOOL: the value by which the service's API says that there is none (0: no limit), or
	 * NULL. In a spec it counts as unset. */
	const char *none;
	enum range_role range;
	/* RANGE_WITHIN: name of the reference field. FIELD_ADDRESS, or a range that is RANGE_NONE (what is set apart
	 * for a thing): likewise, in the nearest object around it that has one; it lies within a range of what that
	 * refers to */
	const char *range_parent;
	/* FIELD_ADDRESS, a range that is RANGE_NONE, or FIELD_INTEGER that is a number of either: without which range
	 * there are none, as the name of the reference field, in the nearest object around it that has one, a dot, and
	 * the field of what that refers to: "subnet.ipv6_cidr". NULL: they need none */
	const char *taken_of;
	/* FIELD_ADDRESS: a set beside it, or beside what says the same, a dot, and the true or false member by which an
	 * item of that tells which address this one is. NULL: it is told by itself alone */
	const char *first_of;
	/* FIELD_INTEGER: the field beside it, of addresses or ranges, so many (more) of which the service chooses.
	 * NULL: it is no such number */
	const char *number_of;
	/* RANGE_WITHIN: name of the field that gives, in place of that reference, the id of a thing that no spec has.
	 * No two ranges within one such thing overlap, and neither has ranges of its own. NULL: there is no such field
	 */
	const char *range_parent_id;
	/* A range: the resource's reference field, none of whose target's own ranges this can be, or lie within: it
	 * goes before such a range comes. NULL: any range may do */
	const char *apart_from;
	/* Beside apart_from: fields beside this one, of which one that is set lets it lie within such a range. NULL:
	 * there are none. NULL-terminated */
	const char *const *within_by;
	/* FIELD_STRING, the id of a peering: the resource's reference field whose target is an end of it. The ranges of
	 * two ends must not overlap; what an end meets by other ways, the other end does not. NULL: it is none */
	const char *end_is;
	/* NAMES, SOLE, or SOLE items: the reference field within whose target it exists once, of a member in the
	 * nearest object around it that has one; NULL: within an account's region */
	const char *unique_in;
	bool any_case; /* likewise: texts that differ in upper and lower case alone are one */
};

struct output {
	const char *name;
	const char *pattern; /* PCRE2, anchored: what a literal of this output looks like; NULL: anything */
	const char *about;
	bool secret;
	/* It is what the field of its name says: where a spec gives that, it is known before the object is made. */
	bool repeats;
	/* Of an id that is a name, which people choose: any text may look like one. */
	bool is_chosen;
	/* What the thing itself says of who it is: two of a kind that are found and agree in all of these are one. Of a
	 * kind that is made: what has another one under the same id is another object. Where all of
	 * these that are recorded are unread, so is the object (live_untold). */
	bool tells_apart;
	/* Fields whose update in place gives the output a new value; NULL-terminated, or NULL:
	 * stable for the object's life. */
	const char *const *renewed_by;
	/* Fields by which a spec can say that there is none: as false, as 0, or without items; NULL-terminated, or
	 * NULL. */
	const char *const *ended_by;
	/* The true or false field without which there is no such output; NULL: it is always there. */
	const char *needs;
	/* The kind whose attachment brings it about, and the reference of this kind that says, by its `beside`, what is
	 * attached to: as long as anything there has the output, that is not given up. NULL: nothing hangs on it. */
	const char *through, *through_by;
	/* The one of ended_by that asks for it where it is true. What has a `through` has one. */
	const char *asked_by;
	/* A number of 1 at first, which only grows; a reference to it may also be one of those that it has been. */
	bool counts;
	/* It is an IPv6 range of that length, whichever it will be; 0: it is none, or of any length. */
	uint8_t prefix6_bits;
	/* Another output, which this one is made equal to wherever they differ; NULL: it is as it is. */
	const char *follows;
	/* It is a map, and its keys are the items of this set; NULL: it is something else. */
	const char *keyed_by;
	/* The operation of the recipe snapshot whose work it shows; NULL: of none. */
	const char *shows_work_of;
	/* Why the service deletes no object that has it, and what people can do about that; NULL: it keeps it from
	 * nothing. */
	const char *bars_deletion, *unbarred_by;
};

struct outputs {
	const void *first;
	size_t count;
	size_t stride;
};

/* At most one member of each group is set: {"cidr", "cidr6", NULL}. needs_one: and at least one. */
struct exclusive {
	const char *field;	    /* within this field's items, or NULL: at the top */
	const char *const *members; /* NULL-terminated */
	bool needs_one;
};

/*
 * What objects of a kind run: things that no spec has, that outlast a change of the object and end with it. They are
 * in live.running (provider.h).
 */
struct runs {
	const char *one, *many; /* "instance", "instances" */
	/* What one of them keeps that the object will have no more, given the fields that it is to have (MAP; values
	 * that are not known yet are deferred, and other ones than now): "version 1". Empty: nothing, or nobody knows.
	 */
	struct slice (*keeps)(const struct value *thing, const struct value *fields, struct arena *arena);
	/* Kind of what they are launched from, or NULL. Where the object refers to one, `fields` has a MAP of its
	 * outputs under this name, without those that will be others. */
	const char *source;
	/* The field that says how many there are to be, where that is what it counts and the service sees to it, given
	 * the fields that the object is to have; NULL: no field does. */
	const char *number;
	bool (*is_number)(const struct value *fields);
	/* Whether the service ends it when there are to be fewer; NULL: any. */
	bool (*may_end)(const struct value *thing);
	/* Why the service will not end them, given what is there (MAP of fields, LIST as live.running), so that a
	 * deletion is refused that forces nothing; *ret_hint: what to do. NULL: it ends them, or the member is NULL. */
	const char *(*stay)(const struct value *fields, const struct value *running, const char **ret_hint);
	/* Kinds of what each needs to its end, referred to by the object or by what it refers to; NULL-terminated. */
	const char *const *holds;
	/* A field of those kinds and a member of each thing: one holds only what has the same there. And where the
	 * object goes over to others of the kind, all of which differ, the service moves its things there. */
	const char *lies_in;
	/* Whether it does so with that one, by itself and before long, given the fields that the object is to have.
	 * NULL: it does. */
	bool (*moves)(const struct value *thing, const struct value *fields);
};

struct kind {
	const char *name; /* "aws.vpc": provider, dot, noun */
	const char *about;
	unsigned version; /* of the table, recorded with each object; from 1 */
	struct fields fields;
	struct outputs outputs; /* the first is the id that references resolve to */
	const struct exclusive *exclusives;
	size_t exclusive_count;
	bool create_before_destroy; /* unless the spec says otherwise */
	/* Nothing is made or destroyed: the thing exists and is found by the fields that the
	 * spec gives (a machine by its controller). Create then means adopt, delete forget. */
	bool found;
	/* Fields that together say which thing is meant, NULL-terminated: two resources of one place that agree in all
	 * of them, one of which may be unset in both, would be one thing. NULL: each resource is a thing of its own. */
	const char *const *told_apart_by;
	/* Things of which not all of these are given are things of their own. */
	bool told_apart_by_all;
	const struct runs *runs; /* NULL: nothing */
	/* The true or false field that says whether the thing runs; NULL: no field PAUSES. */
	const char *running;
	/* A field that it is made with (made.h), and why what was made so is never stopped; NULL: it can be. */
	const char *launched_as;
	const char *(*unstoppable)(const struct value *made);
	/* Rules across fields; desired is the canonical MAP, deferred values possible. */
	bool (*check)(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics);
};

/*
 * The field that says where to put what a service shows once: a MAP with `file` or `command`.
 * Another place takes another object, as there is nothing left to put there.
 */
#define SECRET_TO "secret_to"

/* Builds the .members, .fields and .outputs of a table from an array. */
#define FIELDS(array)                                                                                                  \
	{                                                                                                              \
		(array), sizeof(array) / sizeof((array)[0]), sizeof((array)[0])                                        \
	}

static inline const struct field *field_at(const struct fields *fields, size_t index)
{
	return (const struct field *)(const void *)((const char *)fields->first + index * fields->stride);
}

const struct output *output_at(const struct outputs *outputs, size_t index);
/* NULL where there is none of that name. O(count). */
const struct field *field_named(const struct fields *fields, struct slice name);
/* Whether the field, or any below it, satisfies test; the same of any of the fields. Tables are finite. */
bool field_any(const struct field *field, bool (*test)(const struct field *field));
bool fields_any(const struct fields *fields, bool (*test)(const struct field *field));
/* field.stays_in, of it or of its items. */
static inline const char *field_stays_in(const struct field *field)
{
	return field->item ? field->item->stays_in : field->stays_in;
}

/* Whether what runs needs one of that kind to its end. */
bool runs_hold(const struct runs *runs, const struct kind *kind);
/* Whether an update in place of that field gives it a new value. */
bool output_renewed_by(const struct output *output, const char *field);
const struct output *output_named(const struct outputs *outputs, struct slice name);
/* Whether text matches an anchored PCRE2 pattern, NULL matching everything. */
bool pattern_matches(const char *pattern, struct slice text);
bool output_pattern_matches(const struct output *output, struct slice text);
/* The field, of the kind's own, that is set in a MAP of them and beside which this one cannot stand, be it itself;
 * NULL: none is. */
const char *kind_excludes(const struct kind *kind, const struct field *field, const struct value *given);
/* Whether what has these outputs, a MAP or NULL, needs another object for another value of it. */
static inline bool field_is_immutable(const struct field *field, const struct value *outputs)
{
	return (field->flags & IMMUTABLE) ||
	       (field->immutable_with && value_if_set(value_get_named(outputs, field->immutable_with)));
}
static inline bool field_is_range(const struct field *field)
{
	return field->type == FIELD_CIDR4 || field->type == FIELD_CIDR6 || field->type == FIELD_CIDR;
}
/* Whether it is an address, or a range set apart for a thing, within what its range_parent refers to. */
static inline bool field_lies_within(const struct field *field)
{
	return field->range_parent &&
	       (field->type == FIELD_ADDRESS || (field_is_range(field) && field->range == RANGE_NONE));
}
/* Whether the thing has that itself: what others are launched from only names it, and may before there is a range
 * around it. */
static inline bool field_is_share(const struct field *field)
{
	return field_lies_within(field) && (field->flags & SOLE);
}
/* Whether its items have calls of their own, which send one that changes as a whole. */
static inline bool field_sends_items(const struct field *field)
{
	return field->type == FIELD_SET && (field->flags & SETTLES);
}
/* Of a field that is WRITE_ONLY: whether that value, as it was read, tells it all the same. */
static inline bool field_is_told(const struct field *field, const struct value *live)
{
	return (field->flags & WRITE_ONLY) && (!(field->flags & IMMUTABLE) || field->read_where_shown) &&
	       value_if_set(live) && !value_is(live, VALUE_UNREAD);
}
/* Whether it can be changed to that value in place though it is IMMUTABLE; value: NULL where it is not set. */
static inline bool field_comes_in_place(const struct field *field, const struct value *value)
{
	return field->in_place_to && value && value_reads(value, field->in_place_to);
}
/* Whether a member of the items of a set that is IMMUTABLE and WRITE_ONLY is compared all the same. */
static inline bool field_is_compared(const struct field *member)
{
	return (member->flags & SEEN) || member->read_where_shown;
}
/* Whether it is the mere number of what another field of the kind tells one by one. */
static inline bool field_counts(const struct field *field)
{
	return (field->flags & RESTATED) && field->type == FIELD_INTEGER;
}

/* The output a reference field means: its own, or the id of target. */
const struct output *kind_output(const struct kind *kind, const char *name);
/* "aws" of "aws.vpc". */
struct slice kind_provider(const struct kind *kind);

/* Every kind of every provider, found by name. */
struct kinds {
	const struct kind *const *items;
	size_t count;
};
/* NULL where there is none. O(log n) where items are sorted by name, else O(n). */
const struct kind *kinds_find(const struct kinds *kinds, struct slice name);

#endif
