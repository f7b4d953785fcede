#ifndef TRUEUP_RECONCILE_SECRET_MARKS_H
#define TRUEUP_RECONCILE_SECRET_MARKS_H

#include "base/json.h"
#include "base/redaction.h"
#include "base/value.h"
#include "reconcile/kind.h"
#include "reconcile/run_secrets.h"

/*
 * A service gives a secret back in clear where the field that holds it is not secret by itself: a tag, user data. And a
 * call that comes late, or somebody, may put one where neither spec nor record has any.
 *
 * live, the MAP of an object's fields, with the marks of the models put on every text that is, as a whole, one of
 * theirs, also where the service's own model calls all of it sensitive; and on every part of a text that is one of
 * their secrets, or a form of one that is known (secrets.known). A model may hold secrets or their fingerprints, of
 * which only whole texts are told. Where in live a text stands does not matter: lists come back in any order.
 *
 * A word that is a secret may be none elsewhere. So what tells the items of a set apart and what ids are made of, which
 * no spec may take from a secret, stay as they are. And a text that a model says in clear in the same field, if none
 * has a secret in that, is in clear, also where the service's own model calls it sensitive, or it was marked before.
 *
 * models: MAPs of fields, LISTs of what may stand anywhere, or NULL. secrets.style may be NULL where nothing is secret.
 * live itself where there is nothing to mark, and no mark that a model could take off.
 */
struct value secret_marks_put(struct arena *arena, struct run_secrets secrets, const struct fields *fields,
			      const struct value *live, const struct value *const *models, size_t model_count);
/* The same of an object's outputs, but for what is known of no model. The id stays as it is, as does a text that a
 * model says in clear. */
struct value secret_marks_put_outputs(struct arena *arena, const struct json_style *style, const struct kind *kind,
				      const struct value *live, const struct value *const *models, size_t model_count);
/* LIST of all that has marks within value, null where nothing has; borrows. */
struct value secret_marks_of(const struct value *value, struct arena *arena);
/*
 * live with the mark put on every text that has a form of one of the secrets, as a whole: a service that echoes who
 * asks it. Items of lists stay as they are, for they are told apart by what they say. live itself where there is none.
 */
struct value secret_marks_echoed(struct arena *arena, const struct redaction *secrets, const struct value *live);

#endif
