#ifndef TRUEUP_SPECS_OVERLAP_PARTS_H
#define TRUEUP_SPECS_OVERLAP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cidr.h"
#include "base/map.h"
#include "specs/overlap.h"

/* What the files of the check for overlaps share; nobody else includes this. */

/* An address of either family as a number. */
__extension__ typedef unsigned __int128 overlap_number;

#define NO_NODE UINT32_MAX

/* One range as the spec has it. */
struct range {
	struct cidr cidr;
	uint8_t role;	/* enum range_role; RANGE_NONE for what address_space names */
	bool is_beyond; /* what lies at the far end of a kind that joins others */
	bool is_meant;	/* is_beyond: address_space names just this range */
	bool is_apart;	/* RANGE_WITHIN: what it lies in has no ranges of its own */
	struct position position;
	uint32_t node;			 /* of the resource, or NO_NODE */
	uint32_t parent;		 /* RANGE_WITHIN: node of the parent, or NO_NODE */
	uint32_t by_id;			 /* RANGE_WITHIN: node of what it lies in where no spec has that, or NO_NODE */
	struct slice assumed;		 /* the expression that it is part of an unknown range by, or empty */
	const struct named_range *named; /* of address_space, or NULL */
};

/* A resource, or a thing that is not in the spec and is known by its id or its address alone. */
struct node {
	struct slice name; /* its address in the spec, its id, or its IP address */
	uint32_t above;	   /* union-find; itself at the root */
	uint32_t size;
	bool is_joined; /* at the root: some reference joins the domain */
	bool has_children;
	uint8_t known; /* families of which a range is known; bit 0 IPv4, bit 1 IPv6 */
	uint8_t open;  /* families of which a range is deferred */
	uint32_t first_range, range_count;
	uint32_t first_peering, peering_count;
};

/* A node that is one end of a peering, which is a node too. */
struct peering {
	uint32_t end, node;
};

struct collection {
	const struct stack *stack;
	struct map spare;	     /* the addresses, where the stack has no index */
	const struct map *addresses; /* to struct resource */
	struct map ids;		     /* of things that are not in the spec, and their IP addresses, to their nodes */
	struct slice last_name;	     /* that node_of() was asked for, and what it said */
	uint32_t last_node;
	struct arena *arena; /* that nodes, ranges and texts lie in */
	struct node *nodes;  /* one for each resource, then those known by id */
	size_t node_count, node_capacity;
	struct range *ranges;
	size_t range_count, range_capacity;
	struct peering *peerings; /* once all are collected, by end and each but once: see struct node */
	size_t peering_count, peering_capacity;
	struct diagnostics *diagnostics;
	size_t reported; /* of what can be no range at all */
};

static inline uint8_t family_bit(const struct cidr *cidr)
{
	return cidr->family == 4 ? 1 : 2;
}

void collection_init(struct collection *collection, const struct stack *stack, struct arena *arena,
		     struct diagnostics *diagnostics);
void collection_release(struct collection *collection);
/* All ranges of the resources, and which resources are joined. */
void collect_resources(struct collection *collection);
/*
 * What a deferred value of that field comes to where all that it names are ranges of which the length alone is known:
 * a part of one that nobody has, at the same place within it. False where it names something else, or, after a
 * diagnostic, where it cannot be anything.
 */
bool assume_range(struct collection *collection, uint32_t node, const struct field *field, const struct value *value,
		  struct cidr *ret);
/* All of a section's ranges; returns the index of the first. */
size_t collect_named(struct collection *collection, const struct named_ranges *named);
/* The root of a node's domain. */
uint32_t domain_of(struct collection *collection, uint32_t node);

/* What a range stands for in a group. */
enum range_class {
	CLASS_PARENT, /* what children must lie within */
	CLASS_CHILD,
	CLASS_CHILD_OPEN, /* a child of a parent of which not all ranges are known */
	CLASS_OWN,	  /* a range of a domain */
	CLASS_BEYOND,
	CLASS_RESERVED,
	CLASS_NETWORK,
	CLASS_JOINED, /* of a domain that something joins; against reserved ranges and networks */
	CLASS_ALONE,  /* of any other domain; likewise */
	CLASS_END,    /* of an end of a peering, against the other end */
	CLASS_FIXED,  /* reserved ranges and networks again, where a free range is looked for */
	CLASSES,
};

/* Ranges are compared within a group. */
enum {
	GROUP_SPACE,
	GROUP_FIXED,
	/* From here on two for each node: its domain, its children. Those of a peering are its ends. */
	GROUP_FIRST_NODE,
};

static inline uint64_t group_of_domain(uint32_t root)
{
	return GROUP_FIRST_NODE + 2 * (uint64_t)root;
}

static inline uint64_t group_of_children(uint32_t parent)
{
	return GROUP_FIRST_NODE + 2 * (uint64_t)parent + 1;
}

/* The node among whose ranges one counts where it does not lie within a parent's. */
static inline uint32_t owner_of(const struct range *range)
{
	return range->parent != NO_NODE ? range->parent : range->node;
}

/* A range in a group. */
struct record {
	overlap_number start;
	uint64_t key; /* group, family: 2 x group, plus 1 for IPv6 */
	uint32_t range;
	uint8_t bits;
	uint8_t class; /* enum range_class */
};

static inline overlap_number address_number(const struct cidr *cidr)
{
	overlap_number number = 0;

	for (size_t i = 0; i < (cidr->family == 4 ? 4 : 16); i++)
		number = number << 8 | cidr->bytes[i];
	return number;
}

static inline unsigned key_width(uint64_t key)
{
	return key % 2 == 0 ? 32 : 128;
}

/* The last address of a prefix of that length. */
static inline overlap_number last_address(overlap_number start, unsigned width, unsigned bits)
{
	return bits < width ? start | (~(overlap_number)0 >> (128 - (width - bits))) : start;
}

struct overlaps {
	struct collection *collection;
	struct record *records; /* in arena; sorted by key, start, bits */
	size_t count, capacity;
	/* Those that lie in no other of their group, in the same order: what is taken. NULL
	 * until overlaps_take(). */
	struct record *taken;
	size_t taken_count;
	struct arena *arena; /* for records and texts of messages */
	struct diagnostics *diagnostics;
	size_t reported;
};

/* Sorts, and finds and reports every pair that must not overlap. */
void overlaps_sweep(struct overlaps *overlaps);
/* Two ranges that overlap. */
void report_pair(struct overlaps *overlaps, const struct record *outer, const struct record *inner);
/* A range that lies in none of its parent's. */
void report_outside(struct overlaps *overlaps, const struct record *child);
/* Fills overlaps->taken; most stacks have nothing to report and never need it. */
void overlaps_take(struct overlaps *overlaps);
/* The node among whose children a range is, or NO_NODE where it counts among a domain's own. */
uint32_t parent_of(const struct collection *collection, const struct range *range);
/* The free range of that size nearest to a range of a resource; false where none is found soon. */
bool nearest_free(struct overlaps *overlaps, const struct range *range, struct cidr *ret);

#endif
