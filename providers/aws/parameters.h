#ifndef TRUEUP_PROVIDERS_AWS_PARAMETERS_H
#define TRUEUP_PROVIDERS_AWS_PARAMETERS_H

#include "providers/aws/kind.h"

/* Between a resource's fields and the members of the API's model. */

struct aws_operation_shape;

/* A value at its path in a call's parameters. */
struct aws_parameter {
	const char *path;
	struct value value;
};

struct aws_parameters {
	struct aws_parameter items[128];
	size_t count;
};

void aws_parameter_add(struct aws_parameters *parameters, const char *path, struct value value);
/* Texts become what the operation's shape takes: {"MaxCount", "1"} is a number there. */
void aws_parameters_fixed(struct aws_parameters *parameters, const struct aws_kind *kind, const char *operation,
			  const char *const *fixed);
const struct aws_operation_shape *aws_operation_of(const struct aws_kind *kind, const char *operation);
/* The token of the page behind this one, in its answer; empty: there is none. */
struct slice aws_next_page(const struct aws_kind *kind, const char *operation, const struct value *answer);
/* The nested MAP; lists hold their numbered items in order. */
struct value aws_parameters_value(const struct aws_parameters *parameters, struct arena *arena);

/* The API's value for a field's value. */
struct value aws_encode(const struct aws_field *field, const struct value *value, struct arena *arena);
struct value aws_encode_change(const struct aws_field *field, const struct value *value, struct arena *arena);

enum aws_members {
	AWS_MEMBERS_ALL,
	AWS_MEMBERS_KEYS,   /* those that tell two items apart */
	AWS_MEMBERS_CHANGE, /* all, where the update call has them */
};
/* Adds each member of an item or object at its own path. */
void aws_encode_members(const struct fields *fields, const struct value *item, enum aws_members which,
			struct aws_parameters *parameters, struct arena *arena);
/* The value that a table gives as JSON text; null where it is none. */
struct value aws_constant(const char *text, struct arena *arena);

/* A field's value out of an answer's item; null where it is not there. */
struct value aws_decode(const struct aws_field *field, const struct value *item, struct arena *arena);
/* Tags as our map, without those that are AWS's or the engine's own. */
struct value aws_decode_tags(const struct value *tags, struct arena *arena);
/* What the tag says that names the address. */
struct slice aws_address_tag(const struct tagging *tagging);
/* Whether something is missing of what tells whose a thing is. */
bool aws_is_stripped(const struct ownership *ownership);
/* [{Key, Value}...] of tags and, where tagging is not NULL, of the ownership; of the call that made it where that is
 * known. */
struct value aws_encode_tags(const struct value *tags, const struct tagging *tagging, struct arena *arena);

/* Everything known of one listed thing. */
void aws_decode_live(const struct aws_kind *kind, const struct value *item, struct arena *arena, struct live *ret);

#endif
