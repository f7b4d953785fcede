#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "providers/sim/sim_call.h"

/*
 * Listings: ids, filters, pages. A page token is the place in the order of creation where
 * the next page starts, so that a page costs what it shows and not what precedes it.
 */

enum {
	FILTER_MOST_VALUES = 200,
	PAGE_DEFAULT = 1000,
};

static const uint64_t token_mask = 0x9e3779b97f4a7c15u;

bool sim_wildcard(struct slice pattern, struct slice text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, star_text = 0;

	while (t < text.size) {
		bool literal = p + 1 < pattern.size && pattern.data[p] == '\\';

		if (p < pattern.size && pattern.data[p] == '*') {
			star = ++p;
			star_text = t;
		} else if (p < pattern.size && (literal ? pattern.data[p + 1] == text.data[t]
							: pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
			p += literal ? 2 : 1;
			t++;
		} else if (star != SIZE_MAX) {
			p = star;
			t = ++star_text;
		} else {
			return false;
		}
	}
	while (p < pattern.size && pattern.data[p] == '*')
		p++;
	return p == pattern.size;
}

bool sim_matches(const struct node *values, struct slice text)
{
	for (uint32_t i = 0; values && values->type == NODE_LIST && i < values->count; i++)
		if (sim_wildcard(node_slice(&values->items[i]), text))
			return true;
	return false;
}

static bool visit_match(void *context, struct slice text)
{
	return sim_matches(context, text);
}

static bool walk_matches(const struct node *body, const char *path, const struct node *values)
{
	union {
		const struct node *constant;
		void *context;
	} pass = {.constant = values};

	return node_walk(body, path, visit_match, pass.context);
}

static bool tag_matches(const struct node *body, struct slice key, const struct node *values)
{
	const struct node *tags = node_get(body, "tagSet");

	for (uint32_t i = 0; tags && i < tags->count; i++)
		if (slice_equal(node_text(&tags->items[i], "key"), key) &&
		    sim_matches(values, node_text(&tags->items[i], "value")))
			return true;
	return false;
}

static const struct sim_filter *find_filter(const struct sim_listing *listing, struct slice name)
{
	for (size_t i = 0; i < listing->filter_count; i++)
		if (slice_is(name, listing->filters[i].name))
			return &listing->filters[i];
	return NULL;
}

static bool filter_accepts(struct sim_call *call, const struct sim_listing *listing, const struct node *filter,
			   const struct sim_object *object, const struct node *body)
{
	struct slice name = node_text(filter, "Name");
	const struct node *values = node_get(filter, "Value");

	if (slice_starts_with(name, SLICE("tag:")))
		return tag_matches(body, slice_from(name, 4), values);
	if (slice_is(name, "tag-key"))
		return walk_matches(body, "tagSet.key", values);
	const struct sim_filter *known = find_filter(listing, name);
	if (!known)
		return false;
	return known->match ? known->match(call, object, body, values) : walk_matches(body, known->path, values);
}

static bool accepts(struct sim_call *call, const struct sim_listing *listing, const struct sim_object *object,
		    const struct node *body)
{
	const struct node *filters = node_get(&call->request, "Filter");

	if (listing->keep && !listing->keep(call, object, body))
		return false;
	for (uint32_t i = 0; filters && i < filters->count; i++)
		if (!filter_accepts(call, listing, &filters->items[i], object, body))
			return false;
	return true;
}

static void check_filters(struct sim_call *call, const struct sim_listing *listing)
{
	const struct node *filters = node_get(&call->request, "Filter");
	bool tagged = !sim_types[listing->type]->untagged;
	size_t values = 0;

	for (uint32_t i = 0; filters && i < filters->count; i++) {
		struct slice name = node_text(&filters->items[i], "Name");
		bool tag = tagged && (slice_is(name, "tag-key") || slice_starts_with(name, SLICE("tag:")));

		values += node_count(&filters->items[i], "Value");
		if (!tag && !find_filter(listing, name))
			sim_fail(call, "InvalidParameterValue", "The filter '%.*s' is invalid", SLICE_ARGUMENTS(name));
		else if (node_count(&filters->items[i], "Value") == 0)
			sim_fail(call, "MissingParameter", "The filter '%.*s' must contain the parameter Value",
				 SLICE_ARGUMENTS(name));
	}
	if (values > FILTER_MOST_VALUES)
		sim_fail(call, "FilterLimitExceeded",
			 "The maximum number of filter values specified on a single call is %d", FILTER_MOST_VALUES);
}

void sim_token_write(struct sim_call *call, const char *name, uint64_t offset)
{
	char text[48];
	uint64_t check = (offset + 1) * token_mask;

	(void)snprintf(text, sizeof(text), "e%016llx%016llx", (unsigned long long)(offset ^ token_mask),
		       (unsigned long long)check);
	sim_out_string(call, name, text);
}

bool sim_token_read(struct sim_call *call, struct slice token, uint64_t *ret)
{
	char digits[40] = "", *end;

	if (token.size == 33 && token.data[0] == 'e')
		memcpy(digits, token.data + 1, 32);
	uint64_t check = strtoull(digits + 16, &end, 16);
	digits[16] = '\0';
	uint64_t offset = strtoull(digits, &end, 16) ^ token_mask;
	if (token.size != 33 || (offset + 1) * token_mask != check) {
		sim_fail(call, "InvalidNextToken", "The specified nextToken is invalid");
		return false;
	}
	*ret = offset;
	return true;
}

bool sim_page(struct sim_call *call, const struct sim_listing *listing, int64_t *ret)
{
	const char *name = listing->page_parameter ? listing->page_parameter : "MaxResults";
	int64_t size = sim_number(call, name, 0);

	*ret = listing->page_most > 0 && listing->page_most < PAGE_DEFAULT ? listing->page_most : PAGE_DEFAULT;
	if (!sim_given(call, name))
		return true;
	if (size < listing->page_least || size > listing->page_most) {
		sim_fail(call, "InvalidParameterValue",
			 "Value ( %lld ) for parameter %s is invalid. Expecting a value between %lld and %lld",
			 (long long)size, name, (long long)listing->page_least, (long long)listing->page_most);
		return false;
	}
	*ret = size;
	return true;
}

/* What a listing looks through: its whole table, or the things that were named. */
struct candidates {
	struct sim_object **objects; /* owned where named */
	size_t count, capacity;
	bool named;
};

static void add_candidate(struct candidates *candidates, struct sim_object *object)
{
	candidates->objects = memory_room(candidates->objects, candidates->count, &candidates->capacity,
					  sizeof(*candidates->objects));
	candidates->objects[candidates->count++] = object;
}

static bool is_visible(const struct sim_call *call, const struct sim_object *object)
{
	return !sim_is_unseen(call, object) && sim_listed(call->sim, object);
}

/* One missing id fails the whole call. */
static void name_candidates(struct sim_call *call, const struct sim_listing *listing, const char *parameter, bool keys,
			    struct candidates *candidates)
{
	const struct node *names = parameter ? node_get(&call->request, parameter) : NULL;

	for (uint32_t i = 0; names && names->type == NODE_LIST && i < names->count; i++) {
		struct slice name = node_slice(&names->items[i]);
		struct sim_object *object = keys ? sim_find_key(call->region, listing->type, name)
						 : sim_find_listed(call->sim, call->region, listing->type, name);

		candidates->named = true;
		if (object && is_visible(call, object))
			add_candidate(candidates, object);
		else if (keys)
			sim_fail_about(call, listing->absent_key_code, listing->absent_key_message, name);
		else
			sim_absent(call, sim_types[listing->type], name);
	}
}

static bool is_plain(const struct node *values)
{
	for (uint32_t i = 0; i < values->count; i++)
		if (strpbrk(node_slice(&values->items[i]).data, "*?\\"))
			return false;
	return true;
}

static bool is_reference(const struct sim_type *type, const char *path)
{
	for (const char *const *reference = type->references; reference && *reference; reference++)
		if (strcmp(*reference, path) == 0)
			return true;
	return false;
}

static void add_referrers(struct sim_call *call, const struct sim_listing *listing, struct slice id,
			  struct candidates *candidates)
{
	const struct sim_object *target = sim_find(call->region, SIM_TYPE_COUNT, id);
	struct sim_object *object;
	size_t cursor = 0;

	while (target && (object = sim_referrer(target, listing->type, &cursor)) != NULL)
		add_candidate(candidates, object);
}

/*
 * A filter by plain ids, of the things or of what they refer to, names its candidates
 * too, but a missing one is no failure. References know nothing of lag, so they serve
 * only where nothing lags.
 */
static void filter_candidates(struct sim_call *call, const struct sim_listing *listing, struct candidates *candidates)
{
	const struct node *filters = node_get(&call->request, "Filter");
	const struct sim_type *type = sim_types[listing->type];

	for (uint32_t i = 0; filters && i < filters->count && !candidates->named; i++) {
		const struct sim_filter *filter = find_filter(listing, node_text(&filters->items[i], "Name"));
		const struct node *values = node_get(&filters->items[i], "Value");
		bool by_id = filter && filter->path && type->id_name && strcmp(filter->path, type->id_name) == 0;
		bool by_reference = filter && filter->path && is_reference(type, filter->path) &&
				    call->sim->lagging_until_ms <= call->sim->now_ms;

		if ((!by_id && !by_reference) || !is_plain(values))
			continue;
		candidates->named = true;
		for (uint32_t at = 0; at < values->count; at++) {
			struct slice id = node_slice(&values->items[at]);
			struct sim_object *object = by_id ? map_get(&call->region->ids, id) : NULL;

			if (object && object->type == type)
				add_candidate(candidates, object);
			if (by_reference)
				add_referrers(call, listing, id, candidates);
		}
	}
}

static int by_sequence(const void *left, const void *right)
{
	const struct sim_object *a = *(struct sim_object *const *)left;
	const struct sim_object *b = *(struct sim_object *const *)right;

	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static void sort_candidates(struct candidates *candidates)
{
	size_t kept = 0;

	if (candidates->count > 1)
		qsort(candidates->objects, candidates->count, sizeof(struct sim_object *), by_sequence);
	for (size_t i = 0; i < candidates->count; i++)
		if (i == 0 || candidates->objects[i] != candidates->objects[i - 1])
			candidates->objects[kept++] = candidates->objects[i];
	candidates->count = kept;
}

static void write_item(struct sim_call *call, const struct sim_listing *listing, const struct sim_object *object,
		       const struct node *body)
{
	sim_out_open(call, sim_item_name(call));
	if (listing->write)
		listing->write(call, object, body);
	else
		sim_out_members(call, body);
	sim_out_close(call, sim_item_name(call));
}

static void write_page(struct sim_call *call, const struct sim_listing *listing, const struct candidates *candidates,
		       uint64_t from)
{
	bool paged = listing->page_most > 0;
	uint64_t next = 0;
	int64_t left;

	if (!sim_page(call, listing, &left))
		return;
	sim_out_open(call, listing->set);
	for (size_t i = 0; i < candidates->count; i++) {
		const struct sim_object *object = candidates->objects[i];
		const struct node *body = is_visible(call, object) ? sim_listed(call->sim, object) : NULL;

		if (object->sequence < from || !body || !accepts(call, listing, object, body))
			continue;
		if (paged && left-- == 0) {
			next = object->sequence;
			break;
		}
		write_item(call, listing, object, body);
	}
	sim_out_close(call, listing->set);
	if (next > 0)
		sim_token_write(call, call->service == SIM_EC2 ? "nextToken" : "NextToken", next);
}

void sim_describe(struct sim_call *call)
{
	const struct sim_listing *listing = call->action->data;
	const struct sim_table *table = &call->region->tables[listing->type];
	struct candidates candidates = {0};
	uint64_t from = 0;

	check_filters(call, listing);
	if (sim_given(call, "NextToken") && sim_text(call, "NextToken").size > 0 &&
	    !sim_token_read(call, sim_text(call, "NextToken"), &from))
		return;
	name_candidates(call, listing, listing->ids, false, &candidates);
	name_candidates(call, listing, listing->keys, true, &candidates);
	if (listing->ids_exclude_pages && candidates.named && sim_given(call, "MaxResults"))
		sim_fail(call, "InvalidParameterCombination",
			 "The parameter %s cannot be used with the parameter maxResults", listing->ids);
	if (!candidates.named && !call->failed)
		filter_candidates(call, listing, &candidates);
	if (!call->failed && candidates.named) {
		sort_candidates(&candidates);
		write_page(call, listing, &candidates, from);
	} else if (!call->failed) {
		size_t at = sim_table_seek(table, from);
		struct candidates rest = {0};

		if (at < table->count)
			rest = (struct candidates){.objects = table->objects + at, .count = table->count - at};
		write_page(call, listing, &rest, from);
	}
	free(candidates.objects);
}
