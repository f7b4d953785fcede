#ifndef TRUEUP_BASE_CIDR_H
#define TRUEUP_BASE_CIDR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

/* An address prefix of either family. */
struct cidr {
	uint8_t bytes[16]; /* network order; IPv4 uses the first 4 */
	uint8_t bits;	   /* length of the prefix, 0-32 or 0-128 */
	uint8_t family;	   /* 4 or 6 */
	bool host_bits;	   /* bits beyond the prefix were set in the text */
};

/* "10.0.0.0/16", "fd00::/48" (RFC 4632, RFC 4291). No leading zeros in IPv4 octets, the
 * length is required. *ret keeps the host bits as written. False where text is none. */
__attribute__((warn_unused_result)) bool cidr_read(struct slice text, struct cidr *ret);
/* An address without a length, as a prefix of full length. */
__attribute__((warn_unused_result)) bool cidr_read_address(struct slice text, struct cidr *ret);
/* Without host bits. */
struct cidr cidr_network(struct cidr cidr);
/* Canonical text (RFC 5952 for IPv6), with /length. */
struct slice cidr_text(struct arena *arena, const struct cidr *cidr);
/* The address part only. */
struct slice cidr_address_text(struct arena *arena, const struct cidr *cidr);
/* Every address of inner lies in outer. Host bits are ignored. */
bool cidr_contains(const struct cidr *outer, const struct cidr *inner);
bool cidr_overlap(const struct cidr *a, const struct cidr *b);
/* The number-th prefix of length bits within network; false where there is none. */
__attribute__((warn_unused_result)) bool cidr_subnet(const struct cidr *network, uint8_t bits, uint64_t number,
						     struct cidr *ret);

#endif
