#ifndef TRUEUP_PROVIDERS_AWS_KMS_H
#define TRUEUP_PROVIDERS_AWS_KMS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/world.h"

/*
 * Data keys of AWS KMS (https://docs.aws.amazon.com/kms/latest/APIReference/), asked for with the
 * credentials of the environment; AWS's JSON protocol 1.1. Calls wait for their answers.
 */
struct kms_key {
	struct slice name; /* ARN, id or alias; an ARN says the region too */
	struct slice id;   /* of what kms_open() is to open, for messages */
	/* The encryption context: what the key is for, without which it is not decrypted. */
	struct slice purpose;
	struct slice context;
};

/*
 * A new key of 256 bits: ret in clear, ret_wrapped as base64 of what kms_open() takes. Both live in
 * clear, which the caller wipes.
 */
__attribute__((warn_unused_result)) bool kms_make(struct world *world, struct arena *clear, const struct kms_key *key,
						  struct slice *ret, struct slice *ret_wrapped,
						  struct diagnostics *diagnostics);
__attribute__((warn_unused_result)) bool kms_open(struct world *world, struct arena *clear, const struct kms_key *key,
						  struct slice wrapped, struct slice *ret,
						  struct diagnostics *diagnostics);

#endif
