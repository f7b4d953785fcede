#ifndef TRUEUP_TESTS_UNIT_SUPPORT_OVERLAP_H
#define TRUEUP_TESTS_UNIT_SUPPORT_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "reconcile/resource.h"
#include "specs/overlap.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* A stack under way; resource n stands on line n from 1, address_space behind the resources. */
struct plan {
	struct arena arena;
	struct diagnostics diagnostics;
	struct resource resources[64];
	size_t count;
	struct named_range reserved[8], networks[8];
	size_t reserved_count, network_count;
};

void plan_init(struct plan *plan);
void plan_release(struct plan *plan);
/* One of the test's own kinds: test.net, test.subnet, test.gateway, test.peering, test.connection, test.customer,
 * test.table. */
const struct kind *plan_kind(const char *name);
/* desired: JSON, symbolic. */
void plan_add(struct plan *plan, const char *kind_name, const char *name, const char *desired);
/* overlap_check(); reserved ranges stand on lines from 101, networks from 201. */
bool plan_check(struct plan *plan);

#endif
