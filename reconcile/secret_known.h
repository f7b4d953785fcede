#ifndef TRUEUP_RECONCILE_SECRET_KNOWN_H
#define TRUEUP_RECONCILE_SECRET_KNOWN_H

#include "base/json.h"
#include "base/value.h"
#include "reconcile/kind.h"

/*
 * A call that comes late may put a secret where neither spec nor record has one any more. live, the fields of an object
 * with the marks of secret_marks_put(), with one on every part of a text that is a form of a secret which is known
 * (style->known; style may be NULL). A text that is said there in clear is left so, though it may have one: a word that
 * is a secret elsewhere. said: MAPs of fields, of spec and record, or NULL. live itself where there is none.
 */
struct value secret_known_hide(struct arena *arena, const struct json_style *style, const struct fields *fields,
			       const struct value *live, const struct value *const *said, size_t said_count);
/* Whether any text within live has a form of one, however it is said. */
bool secret_known_is_in(const struct json_style *style, const struct value *live);

#endif
