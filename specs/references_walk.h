#ifndef TRUEUP_SPECS_REFERENCES_WALK_H
#define TRUEUP_SPECS_REFERENCES_WALK_H

#include "specs/expression.h"
#include "specs/references.h"

/* Between specs/references*.c alone. */

static const uint32_t NO_ENTRY = UINT32_MAX;

/* The evaluation of one value: a field of a resource, or something outside resources. */
struct resolution {
	struct loading *loading;
	uint32_t entry;		       /* NO_ENTRY outside resources */
	const struct field *top;       /* the field of the resource; NULL where the kind has none of that name */
	const char *vars_only;	       /* see references_resolve_value() */
	const struct field *reference; /* the reference field that an expression stands in, or NULL */
	struct arena *arena;	       /* for what comes up while an expression is evaluated */
	bool waits;		       /* something it needs is not evaluated yet, and was asked for */
};

/* What a name in an expression stands for at this time; from the worst to the best. */
enum name_state {
	NAME_BAD,   /* nothing, and that was said */
	NAME_WAITS, /* a field that is to be evaluated first */
	NAME_LATER, /* an output, known once the resource is made */
	NAME_KNOWN,
};

/* report: say what is wrong, and ask for what is to be evaluated first. *ret: for NAME_KNOWN. */
enum name_state name_find(struct resolution *resolution, const struct expression_reference *name, bool report,
			  const struct value **ret);

/* Evaluates what stands in a value's strings, with field's table (NULL: it has none). flags:
 * those of the fields around it. Returns whether *ret differs from *given. */
bool resolve_value(struct resolution *resolution, const struct field *field, unsigned flags, const struct value *given,
		   struct value *ret);

/*
 * Takes what an expression came to, and working_bytes that are kept beside it, off what a load may use. False after a
 * diagnostic where that is too much: values may be made of each other along a chain as long as the spec.
 */
bool references_afford(struct loading *loading, const struct value *value, size_t working_bytes,
		       struct position position);

/* Puts a field in front of the one under way, for the reference at position; says so where
 * that closes a circle, and returns false then. */
bool references_await(struct loading *loading, uint32_t entry, uint32_t member, struct position position);

#endif
