#ifndef TRUEUP_RECONCILE_SCHEMA_H
#define TRUEUP_RECONCILE_SCHEMA_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/value.h"
#include "reconcile/kind.h"

/*
 * Holds values against the field tables: what a user gave, and what a service answered.
 */

/*
 * Checks a MAP that a user gave and brings it into canonical form: CIDRs without spelling
 * differences, addresses likewise, sets sorted and without repeats, JSON documents as
 * canonical text, integers where they were quoted digits only if the style says plain.
 * Null members are dropped (unset), and so are what counts as unset: the empty text, list or object in a field
 * that may be unset, and field.none. Deferred values pass, their type unchecked. Unknown
 * names suggest the nearest; missing required fields, wrong types, patterns, choices and
 * bounds, and exclusives each give a diagnostic; all of them in one call.
 * given->position is where a missing field is reported.
 */
__attribute__((warn_unused_result)) bool schema_check(const struct kind *kind, const struct value *given,
						      struct arena *arena, struct value *ret,
						      struct diagnostics *diagnostics);
/* The same for any table of fields (provider settings); what: "provider 'aws'" in messages. */
__attribute__((warn_unused_result)) bool schema_check_fields(const struct fields *fields, const char *what,
							     const struct value *given, struct arena *arena,
							     struct value *ret, struct diagnostics *diagnostics);

/* Whether one of the names in given, a MAP, is that field, misspelt: that is told once. */
bool schema_is_misspelt(const struct fields *fields, const struct field *field, const struct value *given);

/* Canonical form of a value that a service gave for a field, null where it counts as unset; never fails: what does not
 * fit is kept as it came. Unread and deferred pass. */
struct value schema_canonical(const struct field *field, const struct value *value, struct arena *arena);
/* The same for a MAP of fields; members without a field are dropped. */
struct value schema_canonical_fields(const struct fields *fields, const struct value *value, struct arena *arena);

/* The value of a KEY member of an item, or of anything else; NULL where it is not set, or says what that means. */
const struct value *schema_key_part(const struct field *member, const struct value *item);
/* The key of a set's item as one text, for matching: the KEY members' values joined by a space, '-' where one is not
 * set, or the scalar itself. */
struct slice schema_item_key(const struct field *item, const struct value *value, struct arena *arena);
/* The same for people, without what is not set. */
struct slice schema_item_name(const struct field *item, const struct value *value, struct arena *arena);
/* Whether that item of the set lies somewhere by itself (field.lies_by), and not where its object does. */
bool schema_item_is_apart(const struct field *set, const struct value *item, struct arena *arena);
/* A whole number for a message, which does not tell a secret one: it may be too short to be struck out of a text. */
struct slice schema_number_shown(const struct value *number, struct arena *arena);
/* Whether any field, at any depth, is secret. */
bool schema_has_secrets(const struct fields *fields);
/* Calls found with every value of a secret field within a MAP that a user gave, checked or not. */
void schema_secrets(const struct fields *fields, const struct value *given,
		    void (*found)(void *context, const struct value *value), void *context);

/* Calls found with every value by which items of sets are told apart, and with what messages call it. */
void schema_keys(const struct fields *fields, const struct value *given,
		 void (*found)(void *context, const char *name, const struct value *value), void *context);
/* Such a value cannot be secret: says so. */
void schema_report_secret_key(const char *name, const struct value *given, struct diagnostics *diagnostics);

#endif
