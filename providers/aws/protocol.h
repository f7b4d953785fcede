#ifndef TRUEUP_PROVIDERS_AWS_PROTOCOL_H
#define TRUEUP_PROVIDERS_AWS_PROTOCOL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/value.h"
#include "providers/aws/shape.h"

/*
 * The EC2 and query protocols: a form goes out, XML comes back. Both sides speak in maps by
 * the members' names in the API's model; the shapes give the names on the wire.
 */

/*
 * Appends the form body of a call: Action and Version, then the parameters in the order of
 * the shape's members. Strings, timestamps and blobs (bytes, sent as base64) are strings,
 * numbers are integers or numbers. What does not fit the shape (an unknown or missing
 * member, another type, a value still deferred) is a bug of the caller: FAULT_INTERNAL,
 * with operation and member. On failure body is as before.
 */
__attribute__((warn_unused_result)) bool aws_request_body(const struct aws_operation_shape *operation,
							  const struct value *parameters, struct buffer *body,
							  struct diagnostics *diagnostics);

/*
 * Reads the answer of a call that succeeded. Elements that the shape does not know are left
 * out; a list whose element is there is a list, if an empty one; a number or boolean that is
 * none is unread; what the model calls sensitive is marked secret. An answer that is cut
 * short, that is not XML or that answers something else is FAULT_INTERNAL: where the call
 * changes the world its outcome is unknown. xml must not pass 1 GiB; all of *ret lies in arena.
 */
__attribute__((warn_unused_result)) bool aws_response_read(const struct aws_operation_shape *operation,
							   struct slice xml, struct arena *arena, struct value *ret,
							   struct diagnostics *diagnostics);

#endif
