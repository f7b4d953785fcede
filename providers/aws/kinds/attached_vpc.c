#include "providers/aws/kinds/attached_vpc.h"

/* The attachment that is there, coming or going; a detached one stays listed for a while. */
static const struct value *attachment_of(const struct value *item, const char *list)
{
	const struct value *all = value_path(item, list);
	for (uint32_t i = 0; all && value_is(all, VALUE_LIST) && i < all->count; i++)
		if (!slice_is(value_slice(value_get_named(&all->items[i], "State")), "detached"))
			return &all->items[i];
	return NULL;
}

static bool is_in_state(const struct value *attachment, const char *state)
{
	return attachment && slice_is(value_slice(value_get_named(attachment, "State")), state);
}

struct value aws_decode_attached_vpc(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *attachment = attachment_of(item, field->read);
	bool stays = attachment && !is_in_state(attachment, "detaching");
	const struct value *vpc = stays ? value_get_named(attachment, "VpcId") : NULL;
	(void)arena;
	return vpc ? *vpc : value_null();
}

enum readiness aws_attachment_readiness(const struct value *item, const char *list, enum readiness by_state)
{
	const struct value *attachment = attachment_of(item, list);
	bool moves = is_in_state(attachment, "attaching") || is_in_state(attachment, "detaching");
	return moves ? READY_PENDING : by_state;
}
