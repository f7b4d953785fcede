#ifndef TRUEUP_RECONCILE_DIFF_BEFORE_H
#define TRUEUP_RECONCILE_DIFF_BEFORE_H

#include "reconcile/diff.h"

/* What becomes of a field that was moved by a deletion which came to nothing; private to diff.c. */

/* Whether the spec leaves the field to others. */
bool diff_ignores(const struct diff_input *input, const struct field *field);
/* Whether it is for the spec to bring back, as it is with everything that it says anew. wanted: the field in the spec,
 * or NULL; sealed: the same without secrets. */
bool diff_is_for_spec(const struct diff_input *input, const struct field *field, const struct value *wanted,
		      const struct value *sealed);
/* Whether a value goes with the rest, as far as that is set back too: the spec may have set new bounds since. */
bool diff_goes_with_rest(const struct diff_input *input, const struct field *field, const struct value *value,
			 struct arena *arena);

#endif
