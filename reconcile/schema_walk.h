#ifndef TRUEUP_RECONCILE_SCHEMA_WALK_H
#define TRUEUP_RECONCILE_SCHEMA_WALK_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/value.h"
#include "reconcile/kind.h"

/* Between schema.c, schema_scalar.c and schema_rules.c alone. */

/* One walk over a value along the tables. */
struct schema_walk {
	struct arena *arena;
	/* NULL: the value is a service's answer, of which nothing is refused. */
	struct diagnostics *diagnostics;
};

/* How a value and its canonical form compare. */
enum fit {
	FIT_NOT,     /* the value is of another type: kept as it came */
	FIT_SAME,    /* it is canonical, and shared */
	FIT_CHANGED, /* the canonical form is another value */
	FIT_REFUSED, /* of the right type but not allowed; said so already */
};

/*
 * What a value becomes in a field of one type. *ret begins as a copy of *given; name is
 * what messages call the field (the items of a list have the list's name).
 */
typedef enum fit schema_fit(struct schema_walk *walk, const struct field *field, const char *name,
			    const struct value *given, struct value *ret);

/* Whether a service can be sent a text as it is: AWS's answers are XML 1.0, and one tag that XML cannot carry makes the
 * whole listing of its kind unreadable. False after a diagnostic. */
bool schema_can_be_sent(struct schema_walk *walk, const char *name, const struct value *text);

schema_fit schema_fit_string;
schema_fit schema_fit_integer;
schema_fit schema_fit_number;
schema_fit schema_fit_bool;
schema_fit schema_fit_cidr;
schema_fit schema_fit_address;
schema_fit schema_fit_json;
schema_fit schema_fit_reference;

/* Whether the field would say in clear what is secret, which is told; without walk->diagnostics nothing is. */
bool schema_refuses_secret(struct schema_walk *walk, const struct field *field, const char *name,
			   const struct value *given);

/* The same of the item of a set as a whole: what tells it from the others would be secret. */
bool schema_refuses_secret_item(struct schema_walk *walk, const struct field *set, const char *name,
				const struct value *item);

/* Whether the items of a set are told apart by some of their members alone. */
bool schema_has_keys(const struct field *item);

/* Whether what tells an item of a set from the others is secret in any part. */
bool schema_has_secret_key(const struct field *item, const struct value *value);

/* A text of the user's for a message: without control characters, which would end or change it, and cut. */
struct slice schema_shown(struct arena *arena, struct slice text);

/* What to do about a value of another type than the field's. */
void schema_hint_at_type(struct schema_walk *walk, const struct field *field, const struct value *given);

/* Which fields there are, where one is named that is like none of them. */
void schema_hint_at_fields(struct schema_walk *walk, const struct fields *fields);

/* Choices, pattern, bounds and the field's own check, for a known value in canonical form
 * that a user gave; walk->diagnostics is not NULL. */
void schema_rules(struct schema_walk *walk, const struct field *field, const char *name, const struct value *value);

#endif
