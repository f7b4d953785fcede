#ifndef TRUEUP_PROVIDERS_AWS_KINDS_FIELD_RULES_H
#define TRUEUP_PROVIDERS_AWS_KINDS_FIELD_RULES_H

#include "base/diag.h"
#include "base/value.h"

/*
 * What a service refuses of fields that do not go together, as a table. Only what the spec says literally counts: of
 * an expression that is not known yet nothing is held against anybody.
 */

/* A field, by its dotted path, that is said: as one of these words (true and false are words), or as anything. */
struct said {
	const char *path;
	const char *const *words; /* NULL-terminated; NULL: any. An empty text or list is as if it were not set */
	bool or_unset;		  /* or not set at all */
};

/* Where all hold, the first, which is set, is refused; the others are told where they are set. */
struct field_rule {
	struct said fields[3]; /* as many as have a path */
	const char *message, *hint;
};

/* Words of a field that is not set, beside or_unset. */
extern const char *const aws_never[];
extern const char *const aws_true[];

/* map: that of the paths, or NULL, of which nothing is refused. */
bool aws_check_rules(const struct field_rule *rules, size_t count, const struct value *map,
		     struct diagnostics *diagnostics);

#endif
