#ifndef TRUEUP_RECONCILE_SECRET_MARKS_H
#define TRUEUP_RECONCILE_SECRET_MARKS_H

#include "base/json.h"
#include "base/value.h"

/*
 * A service gives a secret back in clear where the field that holds it is not secret by itself:
 * a tag, user data. live with the marks of the models put on every text that is, as a whole,
 * one of theirs; a model may hold secrets or their fingerprints. Where in live a text stands
 * does not matter: lists and sets come back in any order. live itself where no model has secrets.
 */
struct value secret_marks_put(struct arena *arena, const struct json_style *style, const struct value *live,
			      const struct value *const *models, size_t model_count);

#endif
