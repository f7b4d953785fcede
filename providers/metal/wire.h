#ifndef TRUEUP_PROVIDERS_METAL_WIRE_H
#define TRUEUP_PROVIDERS_METAL_WIRE_H

#include "providers/metal/metal.h"

/* Requests to controllers, and what their answers mean. */

/* The call of a read: GET base + path. The texts live as long as the call. */
void metal_call_get(struct task *task, struct session *session, struct slice base, struct slice path);
/* POST of an action with one parameter, "ResetType". */
void metal_call_reset(struct task *task, struct session *session, struct slice base, struct slice target,
		      const char *reset_type);

/* "could not read https://10.0.0.5/redfish/v1/: HTTP 401, ..." of a call that was not ok. */
void metal_call_failed(struct task *task, const struct answer *answer, enum severity severity);

/* Whether the answer is that what was asked for is to be found elsewhere. */
bool metal_points_elsewhere(const struct answer *answer);

/* Text of an outsider for a message: one line of at most so many bytes that says what may be shown, and nothing that is
 * untold in the session. */
struct slice metal_excerpt(struct arena *arena, const struct session *session, struct slice text);

#endif
