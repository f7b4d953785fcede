#ifndef TRUEUP_RECONCILE_SECRET_PLACES_H
#define TRUEUP_RECONCILE_SECRET_PLACES_H

#include "base/json.h"
#include "base/value.h"
#include "reconcile/kind.h"

enum { SECRET_PLACES_MODELS_MOST = 3 };

/*
 * What stands in live where a model has a secret, and is none that is known, may be one all the same: somebody has put
 * another password there, or a former one. live, the fields of an object with the marks of secret_marks_put(), with
 * such a text marked too: what stands between those texts of the model that are no secret, or all of it. Where every
 * secret of the models is still there, what was written around it is none; nor is what a model has in clear. Items of a
 * set are held against the model's by their keys, which tell them apart and stay as they are. models: MAPs, or NULL.
 */
struct value secret_places_hide(struct arena *arena, const struct json_style *style, const struct fields *fields,
				const struct value *live, const struct value *const *models, size_t model_count);

#endif
