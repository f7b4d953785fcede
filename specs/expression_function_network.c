#include "specs/expression_function.h"

#include "base/cidr.h"

static uint8_t family_bits(const struct cidr *cidr)
{
	return cidr->family == 4 ? 32 : 128;
}

/* A prefix without host bits. What a secret says is not repeated. */
static bool take_prefix(const struct call *call, size_t index, struct cidr *ret)
{
	struct slice text = value_slice(argument(call, index));
	bool secret = call->arguments[index]->secret;
	struct cidr cidr, network;

	if (!cidr_read(text, &cidr)) {
		diag_error(call->diagnostics, FAULT_USER, argument_position(call, index), "%s%.*s%s is no prefix",
			   secret ? "the text" : "'", SLICE_ARGUMENTS(slice_first(text, secret ? 0 : 64)),
			   secret ? "" : "'");
		diag_hint(call->diagnostics, "prefixes look like 10.0.0.0/16 or fd00::/48");
		return false;
	}
	network = cidr_network(cidr);
	if (cidr.host_bits && secret)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, index),
				  "the prefix has bits set behind its length");
	if (cidr.host_bits) {
		struct slice right = cidr_text(call->arena, &network);

		diag_error(call->diagnostics, FAULT_USER, argument_position(call, index),
			   "'%.*s' has bits set behind its length", SLICE_ARGUMENTS(slice_first(text, 64)));
		diag_hint(call->diagnostics, "the network is %.*s", SLICE_ARGUMENTS(right));
		return false;
	}
	*ret = cidr;
	return true;
}

static bool out_of_range(const struct call *call, size_t index, const struct cidr *prefix, const char *what)
{
	if (call->arguments[0]->secret || call->arguments[index]->secret)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, index),
				  "the prefix has no such %s", what);
	return diag_error(call->diagnostics, FAULT_USER, argument_position(call, index), "'%.*s' has no %s %lld",
			  SLICE_ARGUMENTS(cidr_text(call->arena, prefix)), what,
			  (long long)argument(call, index)->integer);
}

static bool too_long(const struct call *call, const struct cidr *prefix)
{
	if (call->arguments[0]->secret || call->arguments[1]->secret)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 1),
				  "the prefix cannot become longer by so many bits");
	return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 1),
			  "a /%u prefix can become longer by 0 to %d bits, not by %lld", prefix->bits,
			  family_bits(prefix) - prefix->bits, (long long)argument(call, 1)->integer);
}

static bool no_such_subnet(const struct call *call, const struct cidr *prefix, int64_t new_bits)
{
	bool good = out_of_range(call, 2, prefix, "subnet of that length with the number");

	/* Of more bits each number that an expression can have is one, unless it is below 0. */
	if (!call->arguments[1]->secret && new_bits < 63)
		diag_hint(call->diagnostics, "the number may be from 0 to %lld", (1LL << new_bits) - 1);
	return good;
}

bool function_cidr_subnet(const struct call *call, struct value *ret)
{
	int64_t new_bits = argument(call, 1)->integer, number = argument(call, 2)->integer;
	struct cidr prefix = {0}, subnet = {0};

	if (!take_prefix(call, 0, &prefix))
		return false;
	if (new_bits < 0 || new_bits > family_bits(&prefix) - prefix.bits)
		return too_long(call, &prefix);
	if (number < 0 || !cidr_subnet(&prefix, (uint8_t)(prefix.bits + new_bits), (uint64_t)number, &subnet))
		return no_such_subnet(call, &prefix, new_bits);
	*ret = value_string(cidr_text(call->arena, &subnet));
	return true;
}

/* The last address of prefix less the given number; false where that lies before the first. */
static bool host_from_end(const struct cidr *prefix, uint64_t less, struct cidr *ret)
{
	unsigned host_bits = (unsigned)family_bits(prefix) - prefix->bits;
	struct cidr host = *prefix;

	if (host_bits < 64) {
		uint64_t last = (UINT64_C(1) << host_bits) - 1;

		return less <= last && cidr_subnet(prefix, family_bits(prefix), last - less, ret);
	}
	for (unsigned bit = prefix->bits; bit < 128; bit++)
		host.bytes[bit / 8] |= (uint8_t)(0x80 >> (bit % 8));
	/* The last 64 bits are all set, so nothing is borrowed from those in front. */
	for (unsigned i = 0; i < 8; i++)
		host.bytes[15 - i] = (uint8_t)((UINT64_MAX - less) >> (8 * i));
	host.bits = 128;
	*ret = host;
	return true;
}

bool function_cidr_host(const struct call *call, struct value *ret)
{
	int64_t number = argument(call, 1)->integer;
	struct cidr prefix = {0}, host = {0};
	bool found;

	if (!take_prefix(call, 0, &prefix))
		return false;
	found = number >= 0 ? cidr_subnet(&prefix, family_bits(&prefix), (uint64_t)number, &host)
			    : host_from_end(&prefix, (uint64_t) - (number + 1), &host);
	if (!found)
		return out_of_range(call, 1, &prefix, "address with the number");
	*ret = value_string(cidr_address_text(call->arena, &host));
	return true;
}

bool function_cidr_netmask(const struct call *call, struct value *ret)
{
	struct cidr prefix = {0}, mask = {.family = 4, .bits = 32};

	if (!take_prefix(call, 0, &prefix))
		return false;
	if (prefix.family != 4)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0),
				  "only an IPv4 prefix has a netmask");
	for (unsigned bit = 0; bit < prefix.bits; bit++)
		mask.bytes[bit / 8] |= (uint8_t)(0x80 >> (bit % 8));
	*ret = value_string(cidr_address_text(call->arena, &mask));
	return true;
}

bool function_cidr_contains(const struct call *call, struct value *ret)
{
	struct cidr prefix = {0}, of = {0};

	if (!take_prefix(call, 0, &prefix))
		return false;
	if (!cidr_read_address(value_slice(argument(call, 1)), &of) && !take_prefix(call, 1, &of))
		return false;
	*ret = value_bool(cidr_contains(&prefix, &of));
	return true;
}
