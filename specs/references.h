#ifndef TRUEUP_SPECS_REFERENCES_H
#define TRUEUP_SPECS_REFERENCES_H

#include "specs/loading.h"

/*
 * What values refer to: names in reference fields, and names in expressions. What the spec
 * itself knows takes the place of the reference; what only a made resource can tell becomes
 * a deferred value, and is noted as a meeting of the two resources.
 */

/* Evaluates one member of the resource's block, which stands for field (NULL: the kind has
 * none of that name), and first the fields of others that it needs. */
void references_resolve(struct loading *loading, uint32_t entry, uint32_t member, const struct field *field);
/* What a member of its block came to; only after references_resolve(). */
const struct value *references_member(const struct loading *loading, uint32_t entry, uint32_t member);

/* Whether any reference field of the kind follows another one. */
bool references_any_follow(const struct kind *kind);
/* Fills in the reference fields that follow another one and are not given. given: the
 * resource's fields, evaluated. */
void references_follow(struct loading *loading, uint32_t entry, struct value *given);

/* A value outside resources. vars_only: what may not refer to resources, and what messages
 * call it ("a provider's settings"); NULL: anything may be referred to. Problems are
 * reported; what has one is VALUE_UNREAD in *ret. */
void references_resolve_value(struct loading *loading, const char *vars_only, const struct value *value,
			      struct value *ret);

/* Notes that the resource refers to the one of index target. */
void references_meet(struct loading *loading, uint32_t entry, const struct meeting *meeting);

#endif
