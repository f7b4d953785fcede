#ifndef TRUEUP_RECONCILE_NAMED_H
#define TRUEUP_RECONCILE_NAMED_H

#include "base/value.h"
#include "reconcile/kind.h"

/* What the value of a field names, at any depth. reference: the field, item or member that has it. */
typedef void named_found(void *context, const struct field *reference, struct slice text);
/* value: of the field, or NULL. */
void named_each(const struct field *field, const struct value *value, named_found *found, void *context);
/* The same of a top-level field, but of none of which a part is SEEN: what that names of others live.uses tells. part:
 * what a change of the field takes out by itself, an item of a list, or else the whole value. */
typedef void named_in_part(void *context, const struct value *part, const struct field *reference, struct slice text);
void named_each_part(const struct field *top, const struct value *value, named_in_part *found, void *context);

/* Whether what a top-level field refers to by its id cannot be deleted while it stands there. Of a part PINS says so.
 */
bool named_is_held(const struct field *top, const struct field *reference);
/* Whether any reference in a top-level field of that name PINS what it refers to of the kind of that name. What has no
 * such reference but mentions the other one, in a text or a tag, say, keeps nothing from being deleted. */
bool named_pins(const struct kind *kind, struct slice field, const char *target);

#endif
