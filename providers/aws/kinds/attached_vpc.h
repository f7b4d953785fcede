#ifndef TRUEUP_PROVIDERS_AWS_KINDS_ATTACHED_VPC_H
#define TRUEUP_PROVIDERS_AWS_KINDS_ATTACHED_VPC_H

#include "providers/aws/kind.h"

/* The VPC that a gateway is attached to, out of the list of its attachments. */

/* field->read: path of the list. One that goes is as good as gone: whoever wants it back must attach it again. */
struct value aws_decode_attached_vpc(const struct aws_field *field, const struct value *item, struct arena *arena);
/* Pending while an attachment of that list comes or goes. */
enum readiness aws_attachment_readiness(const struct value *item, const char *list, enum readiness by_state);

#endif
