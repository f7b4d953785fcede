#ifndef TRUEUP_BASE_BASE64_H
#define TRUEUP_BASE_BASE64_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/slice.h"

/* RFC 4648 with padding. */
struct slice base64_encode(struct arena *arena, struct slice bytes);
/* False where text is no base64; white space within is skipped, as MIME allows. */
__attribute__((warn_unused_result)) bool base64_decode(struct arena *arena, struct slice text, struct slice *ret);

#endif
