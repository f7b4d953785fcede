#ifndef TRUEUP_SPECS_YAML_ORDER_H
#define TRUEUP_SPECS_YAML_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "base/value.h"

/* Orders that the keys of a map have kept so far. Keys that keep one cannot repeat. */
struct yaml_order {
	bool ascending;	  /* byte order */
	bool lengthening; /* by length, then in byte order, as numbered names come */
};

/* Whether key, of which the text is in next, comes later than last in the orders that all keys before it kept. */
static inline bool yaml_order_keeps(struct yaml_order *order, const struct value *last, struct slice next)
{
	int sign = slice_compare((struct slice){last->text, last->count}, next);

	order->ascending = order->ascending && sign < 0;
	order->lengthening = order->lengthening && (last->count < next.size || (last->count == next.size && sign < 0));
	return order->ascending || order->lengthening;
}

static inline struct yaml_order yaml_order_of(const struct value_member *members, size_t count)
{
	struct yaml_order order = {true, true};

	for (size_t i = 1; i < count; i++)
		if (!yaml_order_keeps(&order, &members[i - 1].key, value_slice(&members[i].key)))
			break;
	return order;
}

#endif
