#ifndef TRUEUP_RECONCILE_OBJECT_SECRETS_H
#define TRUEUP_RECONCILE_OBJECT_SECRETS_H

#include "base/value.h"
#include "reconcile/kind.h"
#include "reconcile/resource.h"
#include "reconcile/run_secrets.h"

/*
 * A record may have in clear what is a secret by now: a variable was none when it was written. What is known of
 * secrets is put into it, as fingerprints, by the rules for what is read (secret_marks.h): the spec, which alone can
 * tell, decides what stays in clear.
 */

/* What a record is held against. */
struct secrets_said {
	const struct value *spec;   /* MAP: what the spec says of the object; NULL: nothing */
	const struct value *hidden; /* LIST of secrets that stand anywhere, or NULL */
	struct run_secrets secrets;
};

/* Whether a record, by its text, may have something to hide. */
bool object_may_tell_secrets(const struct secrets_said *said, struct slice body);
/* Hides it in the object, whose body is loaded; in `applied`, it is noted there (tells_secret). False: there was
 * nothing. */
bool object_hide_secrets(struct object *object, const struct kind *kind, const struct secrets_said *said,
			 struct arena *arena);
/* The same of a body as it is stored, of an object of that kind, for the text that is to take its place; body itself
 * where there is nothing to hide, or where it cannot be read. */
struct slice object_body_hidden(struct slice body, const struct kind *kind, const struct secrets_said *said,
				struct arena *arena);

#endif
