#ifndef TRUEUP_CLI_FINGERPRINT_H
#define TRUEUP_CLI_FINGERPRINT_H

#include "base/json.h"
#include "reconcile/store.h"

/* How secrets are written: as their keyed hash under the stack's key, so that a change shows
 * and the value does not. record is borrowed for as long as the style is used. */
struct json_style fingerprint_style(const struct stack_record *record);

#endif
