#include "providers/aws/kinds/security_rule.h"

#include <inttypes.h>

enum {
	PORT_MOST = 65535,
	ICMP_MOST = 255,
	ICMP_EVERY = -1,
};

/* What the two numbers of a rule are. */
enum numbers {
	NUMBERS_NONE, /* every port, whatever they say */
	NUMBERS_PORTS,
	NUMBERS_ICMP, /* type and code */
};

/* The protocols that have names, and go by them in answers; "-1" is every protocol. */
static const struct protocol {
	const char *number;
	const char *name;
	enum numbers numbers;
} protocols[] = {
	{"6", "tcp", NUMBERS_PORTS},	{"17", "udp", NUMBERS_PORTS}, {"1", "icmp", NUMBERS_ICMP},
	{"58", "icmpv6", NUMBERS_ICMP}, {"-1", "all", NUMBERS_NONE},
};

/* NULL: it goes by its number. */
static const struct protocol *protocol_of(const struct value *rule)
{
	struct slice text = value_slice(value_get_named(rule, "protocol"));

	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		if (slice_is(text, protocols[i].number) || slice_is(text, protocols[i].name))
			return &protocols[i];
	return NULL;
}

static enum numbers numbers_of(const struct value *rule)
{
	const struct protocol *protocol = protocol_of(rule);

	return protocol ? protocol->numbers : NUMBERS_NONE;
}

/* Ports that say no less than the protocol does. */
static bool says_every_port(int64_t from, int64_t to)
{
	return (from == 0 && (to == 0 || to == PORT_MOST)) || (from == ICMP_EVERY && to == ICMP_EVERY);
}

static bool check_none(const struct value *rule, const struct value *from, const struct value *to,
		       struct diagnostics *diagnostics)
{
	struct slice protocol = value_slice(value_get_named(rule, "protocol"));
	const struct value *first = from ? from : to;

	if (!first || (from && to && says_every_port(from->integer, to->integer)))
		return true;
	diag_error(diagnostics, FAULT_USER, first->position,
		   "a rule for protocol '%.*s' lets every port through, whatever ports it names",
		   SLICE_ARGUMENTS(protocol));
	diag_hint(diagnostics, "leave the ports out, or name the protocol that they are ports of: tcp or udp");
	return false;
}

static bool check_ports(const struct value *rule, const struct value *from, const struct value *to,
			struct diagnostics *diagnostics)
{
	struct slice protocol = value_slice(value_get_named(rule, "protocol"));

	if (!from) {
		diag_error(diagnostics, FAULT_USER, rule->position, "a rule for protocol '%.*s' needs 'from_port'",
			   SLICE_ARGUMENTS(protocol));
		diag_hint(diagnostics, "every port is from_port: 0 and to_port: %d", PORT_MOST);
		return false;
	}
	if (from->integer < 0 || (to && to->integer < 0)) {
		diag_error(diagnostics, FAULT_USER, from->integer < 0 ? from->position : to->position,
			   "a port is from 0 to %d", PORT_MOST);
		diag_hint(diagnostics, "-1 is for ICMP; every port is from_port: 0 and to_port: %d", PORT_MOST);
		return false;
	}
	if (!to || from->integer <= to->integer)
		return true;
	diag_error(diagnostics, FAULT_USER, to->position, "'from_port' %" PRId64 " is greater than 'to_port' %" PRId64,
		   from->integer, to->integer);
	diag_hint(diagnostics, "write the lower one first");
	return false;
}

static bool check_icmp(const struct value *from, const struct value *to, struct diagnostics *diagnostics)
{
	const struct value *large = from && from->integer > ICMP_MOST ? from : to;

	if (large && large->integer > ICMP_MOST)
		return diag_error(diagnostics, FAULT_USER, large->position,
				  "an ICMP type or code is from 0 to %d, or -1 for every one", ICMP_MOST);
	if (!to || to->integer == ICMP_EVERY || (from && from->integer != ICMP_EVERY))
		return true;
	diag_error(diagnostics, FAULT_USER, to->position, "an ICMP code, 'to_port', needs a type, 'from_port'");
	diag_hint(diagnostics, "with every type goes every code: leave both out");
	return false;
}

static bool waits(const struct value *value)
{
	return value && value_is(value, VALUE_DEFERRED);
}

bool aws_check_rule(const struct field *field, const struct value *rule, struct diagnostics *diagnostics)
{
	const struct value *from = value_get_named(rule, "from_port");
	const struct value *to = value_get_named(rule, "to_port");

	(void)field;
	/* They are looked at again once they are known. */
	if (waits(value_get_named(rule, "protocol")) || waits(from) || waits(to))
		return true;
	switch (numbers_of(rule)) {
	case NUMBERS_NONE:
		return check_none(rule, from, to, diagnostics);
	case NUMBERS_PORTS:
		return check_ports(rule, from, to, diagnostics);
	case NUMBERS_ICMP:
		break;
	}
	return check_icmp(from, to, diagnostics);
}

struct value aws_rule_form(const struct value *rule, struct arena *arena)
{
	const struct value *given = value_get_named(rule, "protocol");
	const struct value *from = value_get_named(rule, "from_port");
	const struct value *to = value_get_named(rule, "to_port");
	const struct value every = value_integer(ICMP_EVERY);
	const struct protocol *protocol = protocol_of(rule);
	enum numbers numbers = numbers_of(rule);

	if (!given || !value_is(given, VALUE_STRING))
		return *rule;
	if (numbers == NUMBERS_ICMP && !from)
		from = &every;
	if (!to)
		to = numbers == NUMBERS_ICMP ? &every : from;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < rule->count; i++) {
		struct slice name = value_slice(&rule->members[i].key);

		if (!slice_is(name, "protocol") && !slice_is(name, "from_port") && !slice_is(name, "to_port"))
			value_builder_member(&builder, name, rule->members[i].value);
	}
	value_builder_member(&builder, SLICE("protocol"),
			     protocol ? value_at(value_text(protocol->name), given->position) : *given);
	if (numbers != NUMBERS_NONE && from)
		value_builder_member(&builder, SLICE("from_port"), *from);
	if (numbers != NUMBERS_NONE && to)
		value_builder_member(&builder, SLICE("to_port"), *to);
	return value_builder_map(&builder, arena);
}
