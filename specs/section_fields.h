#ifndef TRUEUP_SPECS_SECTION_FIELDS_H
#define TRUEUP_SPECS_SECTION_FIELDS_H

#include "reconcile/kind.h"

/* What sections with members of their own may hold: specs are read by these tables, and the JSON Schema tells them. */

extern const struct fields settings_fields;
/* Each is a map from names of the user's choice to a range, or to a list of ranges. */
extern const struct fields address_space_fields;

#endif
