#include "tests/simulate/blueprint.h"

#include <stdio.h>
#include <string.h>

/* Made for these tests alone. */
static const char *const public_keys[] = {
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd first",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP5cVkGQxGnKx0xz7zZL9z0q1j2bG8wqv7nYV0T2mCkR second",
};

unsigned vpc_octet(const struct blueprint *blueprint)
{
	const struct thing *vpc = blueprint_find(blueprint, SPECIES_VPC, 0);

	return 10 + (vpc ? vpc->renewal % 8 : 0);
}

unsigned subnet_octet(const struct thing *thing)
{
	return thing->number + 16 * (thing->renewal % 8);
}

unsigned route_table_subnets(const struct thing *thing)
{
	/* A subnet has one table. */
	return thing->number == 0 ? thing->parts % 4 : 0;
}

unsigned customer_octet(const struct thing *thing)
{
	return 1 + thing->number * 100 + thing->renewal % 90;
}

const char *thing_tag(const struct thing *thing)
{
	return thing->in_place / 2 % 2 ? "turn" : "round";
}

unsigned instance_groups(const struct blueprint *blueprint, const struct thing *thing)
{
	if (!blueprint_find(blueprint, SPECIES_GROUP, 0))
		return 0;
	return thing->parts / 2 % 2 && blueprint_find(blueprint, SPECIES_GROUP, 1) ? 2 : 1;
}

bool instance_is_told_to_run(const struct thing *thing)
{
	return thing->number % 2;
}

bool route_leads_to_vpn(const struct thing *thing)
{
	return thing->in_place % 2;
}

unsigned blueprint_side(const struct blueprint *blueprint)
{
	return blueprint->featured % 2;
}

bool blueprint_features(const struct blueprint *blueprint, const struct thing *thing)
{
	const struct feature_piece *subject = feature_subject(blueprint->feature);

	return subject && subject->species == thing->species && thing->number == 0;
}

static bool is_about(const struct feature_piece *piece, const struct thing *thing)
{
	return piece->field && piece->species == thing->species && thing->number == 0;
}

/* A field as it usually is, unless the stack's feature is about it. */
static void write_usual(const struct blueprint *blueprint, const struct thing *thing, const char *field,
			const char *value, struct buffer *to)
{
	const struct feature_piece *pieces = feature_rows[blueprint->feature].pieces;

	for (size_t i = 0; i < FEATURE_PIECES; i++)
		if (is_about(&pieces[i], thing) && strcmp(pieces[i].field, field) == 0)
			return;
	buffer_format(to, ", %s: %s", field, value);
}

static void write_piece(const struct feature_piece *piece, const char *value, const struct thing *thing,
			struct buffer *to)
{
	struct slice rest = slice_of(value), first = slice_cut(&rest, '#');

	buffer_format(to, ", %s: %.*s", piece->field, SLICE_ARGUMENTS(first));
	if (rest.size > 0)
		buffer_format(to, "%u%.*s", thing->renewal % 8, SLICE_ARGUMENTS(rest));
}

static void write_feature(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	const struct feature_piece *pieces = feature_rows[blueprint->feature].pieces;

	for (size_t i = 0; i < FEATURE_PIECES; i++) {
		const char *value = pieces[i].values[blueprint_side(blueprint)];

		if (value && is_about(&pieces[i], thing))
			write_piece(&pieces[i], value, thing, to);
	}
}

static void write_tags(const struct thing *thing, struct buffer *to)
{
	buffer_format(to, ", tags: {%s: \"%u\"}", thing_tag(thing), thing->in_place);
}

static void write_vpc(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	buffer_format(to, "{cidr: 10.%u.0.0/16, dns_support: %s",
		      thing->number == 0 ? vpc_octet(blueprint) : 50 + thing->renewal % 8,
		      thing->parts % 2 ? "false" : "true");
	write_tags(thing, to);
}

static void write_subnet(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	buffer_format(to, "{vpc: v0, cidr: 10.%u.%u.0/24, zone: us-west-2%c", vpc_octet(blueprint), subnet_octet(thing),
		      thing->number % 2 ? 'b' : 'a');
	write_tags(thing, to);
}

static void write_group(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	unsigned friend = thing->number % 2 ? thing->number - 1 : thing->number + 1;

	buffer_format(to, "{name: g%u-%u, description: group %u, vpc: v0, ingress: [", thing->number, thing->renewal,
		      thing->number);
	buffer_format(to, "{protocol: tcp, from_port: %u, to_port: %u, cidr: 10.0.0.0/8, description: rule %u}",
		      100 + thing->parts, 100 + thing->parts, thing->in_place);
	if (blueprint_find(blueprint, SPECIES_GROUP, friend))
		buffer_format(to, ", {protocol: tcp, from_port: 22, to_port: 22, group: g%u}", friend);
	buffer_string(to, "]");
	write_tags(thing, to);
}

static void write_internet_gateway(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	(void)blueprint;
	buffer_string(to, "{vpc: v0");
	write_tags(thing, to);
}

static void write_route_table(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	const char *comma = "";

	buffer_string(to, "{vpc: v0, routes: [");
	if (blueprint_find(blueprint, SPECIES_INTERNET_GATEWAY, 0)) {
		buffer_string(to, "{destination: 0.0.0.0/0, internet_gateway: i0}");
		comma = ", ";
	}
	if (blueprint_find(blueprint, SPECIES_VPN_GATEWAY, 0)) {
		buffer_format(to, "%s{destination: 172.%u.0.0/16, vpn_gateway: w0}", comma, 16 + thing->parts % 8);
		if (*comma)
			buffer_format(to, ", {destination: 192.0.2.0/24, %s}",
				      route_leads_to_vpn(thing) ? "vpn_gateway: w0" : "internet_gateway: i0");
	}
	buffer_string(to, "], subnets: [");
	comma = "";
	for (unsigned i = 0; i < route_table_subnets(thing); i++) {
		if (!blueprint_find(blueprint, SPECIES_SUBNET, i))
			continue;
		buffer_format(to, "%ss%u", comma, i);
		comma = ", ";
	}
	buffer_string(to, "]");
	write_tags(thing, to);
}

static void write_vpn_gateway(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	bool announces = thing->parts % 2 && blueprint_find(blueprint, SPECIES_ROUTE_TABLE, 0);

	buffer_format(to, "{vpc: v0, asn: %u, propagate_to: [%s]", 64600 + thing->renewal % 8, announces ? "r0" : "");
	write_tags(thing, to);
}

static void write_customer_gateway(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	(void)blueprint;
	buffer_format(to, "{address: 198.51.100.%u, asn: 65001", customer_octet(thing));
	write_tags(thing, to);
}

static void write_vpn_connection(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	buffer_format(to, "{vpn_gateway: w0, customer_gateway: c0, static_routes_only: true, routes: [192.168.%u.0/24]",
		      10 + thing->parts % 200);
	write_usual(blueprint, thing, "tunnels", "[{pre_shared_key: \"${var.key}\"}, {pre_shared_key: \"${var.key}\"}]",
		    to);
	write_tags(thing, to);
}

static void write_key_pair(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	(void)blueprint;
	/* A key that a template refers to is made anew before it is deleted, so the name changes too. */
	buffer_format(to, "{name: k%u-%u, public_key: %s", thing->number, thing->renewal,
		      public_keys[thing->renewal % 2]);
	write_tags(thing, to);
}

/* One in four changes of its parts is another place, the others go to a program or a file of the same name. */
void shown_key_path(const struct thing *thing, char ret[SHOWN_KEY_PATH_BYTES])
{
	(void)snprintf(ret, SHOWN_KEY_PATH_BYTES, "/stack/keys/x%u-%u.pem", thing->number, thing->parts / 4 % 4);
}

static void write_shown_key(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	char path[SHOWN_KEY_PATH_BYTES];

	(void)blueprint;
	shown_key_path(thing, path);
	buffer_format(to, "{name: x%u-%u, secret_to: ", thing->number, thing->renewal);
	buffer_format(to, thing->parts % 2 ? "{command: [keep, %s]}" : "{file: %s}", path);
	write_tags(thing, to);
}

static void write_template(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	buffer_format(to, "{name: template-%u, image: ami-0123456789abcdef0, instance_type: t3.micro, description: v%u",
		      thing->renewal, thing->parts);
	buffer_string(to, ", user_data: \"key ${var.start}\"");
	if (blueprint_find(blueprint, SPECIES_KEY_PAIR, 0))
		buffer_string(to, ", key: k0");
	if (blueprint_find(blueprint, SPECIES_GROUP, 0))
		buffer_string(to, ", security_groups: [g0]");
	write_tags(thing, to);
}

static void write_scaling_group(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	(void)blueprint;
	/* Without instances: those launched earlier would hold what the template and the group have left. */
	buffer_format(to, "{name: fleet-%u, launch_template: t0, subnets: [s0], min: 0, max: %u, desired: 0",
		      thing->renewal, 2 + thing->in_place % 5);
}

static void write_instance(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to)
{
	unsigned groups = instance_groups(blueprint, thing);

	buffer_format(to, "{image: %s, subnet: s0, monitoring: %s",
		      thing->renewal % 2 ? "ami-0a1b2c3d4e5f60718" : "ami-0123456789abcdef0",
		      thing->parts % 2 ? "true" : "false");
	write_usual(blueprint, thing, "instance_type", "t3.large", to);
	if (instance_is_told_to_run(thing))
		buffer_string(to, ", running: true");
	if (groups > 0)
		buffer_string(to, groups > 1 ? ", security_groups: [g0, g1]" : ", security_groups: [g0]");
	write_tags(thing, to);
}

/* One kind of thing. */
struct species_row {
	const char *kind;   /* "aws.vpc" */
	const char *letter; /* things are named by it and their number */
	unsigned least, most;
	unsigned one_in;	   /* is there at all in one of so many seeds */
	bool is_leaf;		   /* nothing in the spec names it */
	const enum species *needs; /* cannot be without the first of each; ends with SPECIES_COUNT */
	void (*write)(const struct blueprint *blueprint, const struct thing *thing, struct buffer *to);
};

#define NEEDS(...) ((const enum species[]){__VA_ARGS__, SPECIES_COUNT})

static const struct species_row species_rows[SPECIES_COUNT] = {
	[SPECIES_VPC] = {"aws.vpc", "v", 1, 2, 1, false, NEEDS(SPECIES_COUNT), write_vpc},
	[SPECIES_SUBNET] = {"aws.subnet", "s", 1, 3, 1, false, NEEDS(SPECIES_VPC), write_subnet},
	[SPECIES_GROUP] = {"aws.security_group", "g", 2, 4, 1, false, NEEDS(SPECIES_VPC), write_group},
	[SPECIES_INTERNET_GATEWAY] = {"aws.internet_gateway", "i", 1, 1, 2, false, NEEDS(SPECIES_VPC),
				      write_internet_gateway},
	[SPECIES_ROUTE_TABLE] = {"aws.route_table", "r", 1, 2, 2, false, NEEDS(SPECIES_VPC), write_route_table},
	[SPECIES_VPN_GATEWAY] = {"aws.vpn_gateway", "w", 1, 1, 2, false, NEEDS(SPECIES_VPC), write_vpn_gateway},
	[SPECIES_CUSTOMER_GATEWAY] = {"aws.customer_gateway", "c", 1, 2, 2, false, NEEDS(SPECIES_COUNT),
				      write_customer_gateway},
	[SPECIES_VPN_CONNECTION] = {"aws.vpn_connection", "n", 1, 1, 2, true,
				    NEEDS(SPECIES_VPN_GATEWAY, SPECIES_CUSTOMER_GATEWAY), write_vpn_connection},
	[SPECIES_KEY_PAIR] = {"aws.key_pair", "k", 1, 2, 2, false, NEEDS(SPECIES_COUNT), write_key_pair},
	[SPECIES_SHOWN_KEY] = {"aws.key_pair", "x", 1, 2, 2, true, NEEDS(SPECIES_COUNT), write_shown_key},
	[SPECIES_TEMPLATE] = {"aws.launch_template", "t", 1, 1, 2, false, NEEDS(SPECIES_COUNT), write_template},
	[SPECIES_SCALING_GROUP] = {"aws.autoscaling_group", "a", 1, 1, 2, true, NEEDS(SPECIES_TEMPLATE, SPECIES_SUBNET),
				   write_scaling_group},
	[SPECIES_INSTANCE] = {"aws.instance", "m", 1, 2, 2, true, NEEDS(SPECIES_SUBNET), write_instance},
};

void thing_address(const struct thing *thing, char ret[THING_ADDRESS_BYTES])
{
	(void)snprintf(ret, THING_ADDRESS_BYTES, "%s.%s%u%s", species_rows[thing->species].kind,
		       species_rows[thing->species].letter, thing->number, thing->renamed ? "_renamed" : "");
}

bool blueprint_has(const struct blueprint *blueprint, const struct thing *thing)
{
	if (!thing->wanted)
		return false;
	for (const enum species *need = species_rows[thing->species].needs; *need != SPECIES_COUNT; need++)
		if (!blueprint_find(blueprint, *need, 0))
			return false;
	return true;
}

struct thing *blueprint_thing(struct blueprint *blueprint, enum species species, unsigned number)
{
	for (size_t i = 0; i < blueprint->count; i++)
		if (blueprint->things[i].species == species && blueprint->things[i].number == number)
			return &blueprint->things[i];
	return NULL;
}

const struct thing *blueprint_find(const struct blueprint *blueprint, enum species species, unsigned number)
{
	for (size_t i = 0; i < blueprint->count; i++) {
		const struct thing *thing = &blueprint->things[i];

		if (thing->species == species && thing->number == number)
			return blueprint_has(blueprint, thing) ? thing : NULL;
	}
	return NULL;
}

size_t blueprint_size(const struct blueprint *blueprint)
{
	size_t count = 0;

	for (size_t i = 0; i < blueprint->count; i++)
		count += blueprint_has(blueprint, &blueprint->things[i]);
	return count;
}

/* Species of one kind stand one after the other. */
static size_t count_kinds(const struct blueprint *blueprint)
{
	size_t count = 0;
	const char *last = "";

	for (enum species species = 0; species < SPECIES_COUNT; species++) {
		const char *kind = species_rows[species].kind;

		if (!blueprint_find(blueprint, species, 0) || strcmp(kind, last) == 0)
			continue;
		last = kind;
		count++;
	}
	return count;
}

static void draw_once(struct blueprint *blueprint, struct chance *plot)
{
	blueprint->count = 0;
	for (enum species species = 0; species < SPECIES_COUNT; species++) {
		const struct species_row *row = &species_rows[species];
		unsigned count = (unsigned)chance_between(plot, row->least, row->most);

		if (!chance_one_in(plot, row->one_in))
			continue;
		for (unsigned i = 0; i < count && blueprint->count < THINGS_MOST; i++)
			blueprint->things[blueprint->count++] = (struct thing){
				.species = species,
				.number = i,
				.wanted = true,
				.in_place = (unsigned)chance_between(plot, 0, 1),
				.parts = (unsigned)chance_between(plot, 0, 3),
			};
	}
}

bool blueprint_is_large_enough(const struct blueprint *blueprint)
{
	return blueprint_size(blueprint) >= THINGS_LEAST && count_kinds(blueprint) >= SPECIES_LEAST;
}

const struct thing *blueprint_rename(struct blueprint *blueprint)
{
	for (size_t i = 0; i < blueprint->count; i++) {
		struct thing *thing = &blueprint->things[i];

		if (!species_rows[thing->species].is_leaf || !blueprint_has(blueprint, thing))
			continue;
		thing->renamed = !thing->renamed;
		return thing;
	}
	return NULL;
}

struct thing *blueprint_add(struct blueprint *blueprint, enum species species, unsigned number)
{
	struct thing *thing = &blueprint->things[blueprint->count];

	if (blueprint->count == THINGS_MOST)
		return NULL;
	blueprint->count++;
	*thing = (struct thing){.species = species, .number = number};
	return thing;
}

static bool is_wanted_there(const struct blueprint *blueprint, enum species species)
{
	return species == SPECIES_COUNT || blueprint_find(blueprint, species, 0);
}

void blueprint_draw(struct blueprint *blueprint, struct chance *plot, const struct blueprint_wish *wish)
{
	struct thing *thing;

	do
		draw_once(blueprint, plot);
	while (!blueprint_is_large_enough(blueprint) || !is_wanted_there(blueprint, wish->species) ||
	       (feature_rows[wish->feature].is_public && blueprint_find(blueprint, SPECIES_INTERNET_GATEWAY, 0)) ||
	       !is_wanted_there(blueprint, wish->others[0]) || !is_wanted_there(blueprint, wish->others[1]) ||
	       /* Small ones have nearly all that large ones have, and more of them are told in the same time. */
	       (blueprint_size(blueprint) > THINGS_USUAL && !chance_one_in(plot, 16)));
	blueprint->feature = wish->feature;
	blueprint->featured = wish->featured;
	thing = blueprint_thing(blueprint, wish->species, 0);
	if (thing && wish->parts >= 0)
		thing->parts = (unsigned)wish->parts;
	if (thing && wish->in_place >= 0)
		thing->in_place = (unsigned)wish->in_place;
}

void blueprint_edit(struct blueprint *blueprint, struct chance *plot)
{
	struct thing *thing = &blueprint->things[chance_between(plot, 0, (int64_t)blueprint->count - 1)];

	if (!thing->wanted) {
		thing->wanted = true;
		return;
	}
	if (blueprint_features(blueprint, thing) && chance_one_in(plot, 2)) {
		blueprint->featured++;
		return;
	}
	switch (chance_between(plot, 0, 9)) {
	case 0:
	case 1:
	case 2:
		thing->in_place++;
		break;
	case 3:
	case 4:
	case 5:
		thing->parts++;
		break;
	case 6:
	case 7:
		/* Replacing the network replaces nearly everything. */
		if (thing->species != SPECIES_VPC || chance_one_in(plot, 4))
			thing->renewal++;
		break;
	default:
		/* The network, and the group that instances keep when their spec no longer names any, stay. */
		if (thing->number > 0 || (thing->species != SPECIES_VPC && thing->species != SPECIES_GROUP))
			thing->wanted = false;
		break;
	}
}

void blueprint_write(const struct blueprint *blueprint, struct buffer *to)
{
	const char *last = "";

	buffer_string(to, "stack: simulated\nvars: {key: {type: string}, start: {type: string, secret: true}}\n");
	buffer_string(to, blueprint->places ? blueprint->places : "");
	for (enum species species = 0; species < SPECIES_COUNT; species++) {
		const char *kind = species_rows[species].kind;

		for (size_t i = 0; i < blueprint->count; i++) {
			const struct thing *thing = &blueprint->things[i];
			char address[THING_ADDRESS_BYTES];

			if (thing->species != species || !blueprint_has(blueprint, thing))
				continue;
			if (strcmp(kind, last) != 0)
				buffer_format(to, "%s:\n", kind);
			last = kind;
			thing_address(thing, address);
			buffer_format(to, "  %s: ", strrchr(address, '.') + 1);
			species_rows[species].write(blueprint, thing, to);
			write_feature(blueprint, thing, to);
			buffer_string(to, thing->more ? thing->more : "");
			buffer_string(to, "}\n");
		}
	}
}
