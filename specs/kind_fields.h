#ifndef TRUEUP_SPECS_KIND_FIELDS_H
#define TRUEUP_SPECS_KIND_FIELDS_H

#include "reconcile/kind.h"
#include "reconcile/resource.h"
#include "reconcile/visit.h"

enum {
	/* Fields of one kind that matter to a check. */
	KIND_MOST_FIELDS = 64,
};

/* What of a kind's table matters to a check: found once for resources of one kind, which mostly stand together. */
struct kind_fields {
	bool (*wanted)(const struct field *field); /* whether a field at the top matters */
	const struct kind *kind;		   /* NULL at first */
	size_t count;
	const struct field *fields[KIND_MOST_FIELDS];
};

/* Brings it to that kind. */
void kind_fields_turn(struct kind_fields *fields, const struct kind *kind);
/* Brings it to the resource's kind, and visits what the resource has in those. */
void kind_fields_visit(struct kind_fields *fields, const struct resource *resource, visit_found *found, void *context);

#endif
