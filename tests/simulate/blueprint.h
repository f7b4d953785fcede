#ifndef TRUEUP_TESTS_SIMULATE_BLUEPRINT_H
#define TRUEUP_TESTS_SIMULATE_BLUEPRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "tests/simulate/chance.h"
#include "tests/simulate/feature.h"

/* What the stack of a seed is to be: things of some kinds, each with a few dials that are
 * turned from one command to the next. It is written as a spec, and judged against the cloud. */

enum {
	THINGS_MOST = 24,
	THINGS_LEAST = 10,
	THINGS_USUAL = 10,
	SPECIES_LEAST = 5,
	SHOWN_KEY_PATH_BYTES = 64,
	THING_ADDRESS_BYTES = 64,
};

struct thing {
	enum species species;
	unsigned number; /* within its species */
	bool wanted;
	unsigned in_place; /* turned: a change in place */
	unsigned renewal;  /* turned: a replacement, where the kind has one */
	unsigned parts;	   /* turned: other parts */
	bool renamed;	   /* stands at another address */
	const char *more;  /* further fields, as the spec has them (", monitoring: true"), or NULL */
};

/* What a stack is to have at least. */
struct blueprint_wish {
	enum species species, others[2]; /* SPECIES_COUNT: none */
	int parts, in_place;		 /* of the first of species; -1: as it comes */
	enum feature feature;
	unsigned featured; /* how often that was turned */
};

struct blueprint {
	struct thing things[THINGS_MOST];
	size_t count;
	enum feature feature;
	unsigned featured;
	const char *places; /* further lines of the spec: the providers that it has beside the usual one; NULL: none */
};

void blueprint_draw(struct blueprint *blueprint, struct chance *plot, const struct blueprint_wish *wish);
/* Changes, takes away or brings back something. */
void blueprint_edit(struct blueprint *blueprint, struct chance *plot);
/* As a spec. */
void blueprint_write(const struct blueprint *blueprint, struct buffer *to);
/* Whether it stands in the spec: wanted, and everything that it needs is. */
bool blueprint_has(const struct blueprint *blueprint, const struct thing *thing);
/* "aws.vpc.v0" */
void thing_address(const struct thing *thing, char ret[THING_ADDRESS_BYTES]);
/* Has a thing that nothing else names stand at another address; NULL: there is none. */
const struct thing *blueprint_rename(struct blueprint *blueprint);
/* One that it has not got yet, and that is not wanted yet; NULL: there is no room. */
struct thing *blueprint_add(struct blueprint *blueprint, enum species species, unsigned number);
/* Also where it does not stand in the spec; NULL: there is none. */
struct thing *blueprint_thing(struct blueprint *blueprint, enum species species, unsigned number);
/* NULL where there is none in the spec. */
const struct thing *blueprint_find(const struct blueprint *blueprint, enum species species, unsigned number);
/* At least THINGS_LEAST resources of SPECIES_LEAST kinds. */
bool blueprint_is_large_enough(const struct blueprint *blueprint);
size_t blueprint_size(const struct blueprint *blueprint);

/* What both the spec and the judgement say of a thing. */
unsigned vpc_octet(const struct blueprint *blueprint);
unsigned subnet_octet(const struct thing *thing);
/* Of a customer gateway's address: there is one for each address. */
unsigned customer_octet(const struct thing *thing);
/* Where the key of a pair that the cloud makes is to go: a file, which is written, or which a program keeps. */
void shown_key_path(const struct thing *thing, char ret[SHOWN_KEY_PATH_BYTES]);
/* Which of the two values of its feature a stack has. */
unsigned blueprint_side(const struct blueprint *blueprint);
/* Whether the stack's feature is about that thing. */
bool blueprint_features(const struct blueprint *blueprint, const struct thing *thing);
/* The tag that a change in place takes away in favour of another now and then. */
const char *thing_tag(const struct thing *thing);
/* Of an instance: two where there are two. */
unsigned instance_groups(const struct blueprint *blueprint, const struct thing *thing);
/* The spec says so: whoever stops it is corrected. */
bool instance_is_told_to_run(const struct thing *thing);
/* Whether a route, of those that go elsewhere from time to time, leads to the VPN gateway. */
bool route_leads_to_vpn(const struct thing *thing);
/* The subnets that the route table is for: those of a number below it. */
unsigned route_table_subnets(const struct thing *thing);

#endif
