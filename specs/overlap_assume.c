#include "specs/overlap_parts.h"

#include <string.h>

#include "base/buffer.h"
#include "specs/expression.h"

/*
 * Ranges that are parts of one which nobody knows yet (a VPC's from Amazon) can be compared all the same: each such
 * range is taken to be one that nobody has, and the expression worked out with that.
 */

enum {
	/* Of 0000::/8, which is nobody's (RFC 4291, 2.4): a byte of zeros, the length, and a number. */
	NUMBER_FROM_BIT = 16,
	NUMBER_LEAST_BITS = 32,
};

struct assuming {
	struct collection *collection;
	struct value value; /* of get_assumed() */
};

/* The length of what an output always is, where it is a range of such a kind; else 0. */
static uint8_t assumed_bits(const struct collection *collection, struct slice address, struct slice name)
{
	const struct resource *resource = (const struct resource *)map_get(collection->addresses, address);
	const struct output *output = resource ? output_named(&resource->kind->outputs, name) : NULL;

	return output && output->prefix6_bits >= NUMBER_FROM_BIT + NUMBER_LEAST_BITS ? output->prefix6_bits : 0;
}

static struct slice assumed_text(const struct collection *collection, struct slice address, uint8_t bits)
{
	const struct resource *resource = (const struct resource *)map_get(collection->addresses, address);
	uint64_t number = (uint64_t)(resource - collection->stack->resources);
	const struct cidr length = {.bytes = {0, bits}, .bits = NUMBER_FROM_BIT, .family = 6};
	struct cidr range;

	/* There is room for every number of a resource. */
	return cidr_subnet(&length, bits, number, &range) ? cidr_text(collection->arena, &range)
							  : (struct slice){NULL, 0};
}

static const struct value *get_assumed(void *context, struct slice address, struct slice name)
{
	struct assuming *assuming = context;
	uint8_t bits = assumed_bits(assuming->collection, address, name);

	if (bits == 0)
		return NULL;
	assuming->value = value_string(assumed_text(assuming->collection, address, bits));
	return &assuming->value;
}

/* text with name in place of what was assumed. */
static struct slice in_words(struct arena *arena, struct slice text, struct slice assumed, struct slice name)
{
	BUFFER_AUTO words;

	buffer_init(&words, SIZE_MAX);
	while (text.size > 0) {
		bool is_here = assumed.size > 0 && slice_starts_with(text, assumed);

		buffer_append(&words, is_here ? name : slice_first(text, 1));
		text = slice_from(text, is_here ? assumed.size : 1);
	}
	return arena_copy(arena, buffer_slice(&words));
}

/* What is wrong with every range that it may come to. */
static void report_impossible(struct collection *collection, uint32_t node, const struct diag *finding,
			      const struct expression_reference *base)
{
	uint8_t bits = assumed_bits(collection, base->address, base->attribute);
	struct slice assumed = assumed_text(collection, base->address, bits);
	struct slice name = arena_format(collection->arena, "%.*s.%.*s", SLICE_ARGUMENTS(base->address),
					 SLICE_ARGUMENTS(base->attribute));
	struct slice words = in_words(collection->arena, finding->message, assumed, name);
	const struct resource *resource = (const struct resource *)map_get(collection->addresses, base->address);

	diag_error(collection->diagnostics, FAULT_USER, finding->position, "%.*s", SLICE_ARGUMENTS(words));
	diag_related(collection->diagnostics, resource->position, "'%.*s'", SLICE_ARGUMENTS(base->address));
	diag_hint(collection->diagnostics, "%.*s is a /%u, whichever it will be", SLICE_ARGUMENTS(name), bits);
	diag_address(collection->diagnostics, collection->nodes[node].name);
	collection->reported++;
}

bool assume_range(struct collection *collection, uint32_t node, const struct field *field, const struct value *value,
		  struct cidr *ret)
{
	const struct expression *expression = (const struct expression *)value->deferred->program;
	const struct expression_reference *references;
	struct assuming assuming = {.collection = collection};
	struct output_source source = {&assuming, get_assumed};
	struct diagnostics findings;
	struct value range;
	size_t count;

	if (!expression || collection->reported >= DIAGNOSTICS_MOST)
		return false;
	expression_references(expression, &references, &count);
	for (size_t i = 0; i < count; i++)
		if (assumed_bits(collection, references[i].address, references[i].attribute) == 0)
			return false;
	if (count == 0)
		return false;
	diagnostics_init(&findings, collection->arena);
	bool good = expression_evaluate(expression, &source, collection->arena, &range, &findings) &&
		    value_is(&range, VALUE_STRING) && cidr_read(value_slice(&range), ret);
	range.position = value->position;
	if (good && field->check)
		good = field->check(field, &range, &findings);
	const struct diag *finding = diagnostics_first_error(&findings);
	if (finding)
		report_impossible(collection, node, finding, &references[0]);
	diagnostics_release(&findings);
	return good && ret->family == 6;
}
