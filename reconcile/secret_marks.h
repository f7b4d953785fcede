#ifndef TRUEUP_RECONCILE_SECRET_MARKS_H
#define TRUEUP_RECONCILE_SECRET_MARKS_H

#include "base/json.h"
#include "base/redaction.h"
#include "base/value.h"

/*
 * A service gives a secret back in clear where the field that holds it is not secret by itself:
 * a tag, user data. live with the marks of the models put on every text that is, as a whole,
 * one of theirs, also where the service's own model calls all of it sensitive; and on every part
 * of a text that is one of their secrets. A model may hold secrets or their fingerprints, of
 * which only whole texts are told. Where in live a text stands does not matter: lists and sets
 * come back in any order. live itself where no model has secrets.
 */
struct value secret_marks_put(struct arena *arena, const struct json_style *style, const struct value *live,
			      const struct value *const *models, size_t model_count);
/*
 * live with the mark put on every text that has a form of one of the secrets, as a whole: a service that echoes who
 * asks it. Items of lists stay as they are, for they are told apart by what they say. live itself where there is none.
 */
struct value secret_marks_echoed(struct arena *arena, const struct redaction *secrets, const struct value *live);

#endif
