#include "providers/aws/kinds/ipv6_range.h"

#define SET "Ipv6CidrBlockAssociationSet"
#define STATE "Ipv6CidrBlockState.State"

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VpcCidrBlockState.html */
static const char *const left[] = {"disassociating", "disassociated", "failing", "failed", NULL};

const struct value *aws_ipv6_association(const struct value *item)
{
	const struct value *set = value_get_named(item, SET);
	for (uint32_t i = 0; set && value_is(set, VALUE_LIST) && i < set->count; i++) {
		const struct value *pool = value_get_named(&set->items[i], "Ipv6Pool");
		/* Ranges of a user's own pools stand beside Amazon's; a subnet's tells of no pool. */
		bool is_amazons = !pool || slice_is(value_slice(pool), "Amazon");
		if (is_amazons && !slice_is_one_of(value_slice(value_path(&set->items[i], STATE)), left))
			return &set->items[i];
	}
	return NULL;
}

static struct value member_of(const struct value *item, const char *name)
{
	const struct value *association = aws_ipv6_association(item);
	const struct value *member = association ? value_get_named(association, name) : NULL;
	return member && value_slice(member).size ? *member : value_null();
}

struct value aws_ipv6_range(const struct value *item, struct arena *arena)
{
	(void)arena;
	return member_of(item, "Ipv6CidrBlock");
}

struct value aws_ipv6_association_id(const struct value *item, struct arena *arena)
{
	(void)arena;
	return member_of(item, "AssociationId");
}

bool aws_ranges_move(const struct value *item, const char *set, const char *state)
{
	const struct value *sets = value_get_named(item, set);
	for (uint32_t i = 0; sets && value_is(sets, VALUE_LIST) && i < sets->count; i++) {
		struct slice now = value_slice(value_path(&sets->items[i], state));
		if (slice_is(now, "associating") || slice_is(now, "disassociating"))
			return true;
	}
	return false;
}

enum readiness aws_ipv6_readiness(const struct value *item, enum readiness by_state)
{
	/* Of what has failed nothing is waited for. */
	return by_state != READY_FAILED && aws_ranges_move(item, SET, STATE) ? READY_PENDING : by_state;
}
