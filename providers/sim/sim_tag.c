#include "providers/sim/sim_call.h"

/* Tags: in create calls, and by CreateTags, DeleteTags, DescribeTags. */

enum {
	TAG_MOST = 50,
	TAG_KEY_MOST_CHARACTERS = 128,
	TAG_VALUE_MOST_CHARACTERS = 256,
};

static bool check_tag(struct sim_call *call, struct slice key, struct slice value)
{
	if (key.size == 0)
		sim_fail(call, "InvalidParameterValue", "Tag key cannot be null or empty");
	else if (slice_starts_with(key, SLICE("aws:")))
		sim_fail(call, "InvalidParameterValue",
			 "Value ( %.*s ) for parameter key is invalid. Tag keys starting with 'aws:' are reserved for "
			 "internal use",
			 SLICE_ARGUMENTS(key));
	else if (slice_characters(key) > TAG_KEY_MOST_CHARACTERS)
		sim_fail(call, "InvalidParameterValue", "Tag key exceeds the maximum length of %d characters",
			 TAG_KEY_MOST_CHARACTERS);
	else if (slice_characters(value) > TAG_VALUE_MOST_CHARACTERS)
		sim_fail(call, "InvalidParameterValue", "Tag value exceeds the maximum length of %d characters",
			 TAG_VALUE_MOST_CHARACTERS);
	return !call->failed;
}

static bool sim_tags_check(struct sim_call *call, const struct node *tags)
{
	size_t count = tags && tags->type == NODE_LIST ? tags->count : 0;

	if (count > TAG_MOST) {
		sim_fail(call, "TagLimitExceeded", "The maximum number of Tags for a resource has been reached.");
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		struct slice key = node_text(&tags->items[i], "Key");

		if (!check_tag(call, key, node_text(&tags->items[i], "Value")))
			return false;
		for (size_t other = 0; other < i; other++)
			if (slice_equal(node_text(&tags->items[other], "Key"), key))
				sim_fail(call, "InvalidParameterValue", "Duplicate tag key '%.*s' specified.",
					 SLICE_ARGUMENTS(key));
	}
	return !call->failed;
}

void sim_tag_set(struct node *body, struct slice key, struct slice value)
{
	struct node *tags = node_list(body, "tagSet");
	struct node *tag = node_item(tags, "key", key);

	if (!tag) {
		tag = node_append(tags, NODE_MAP);
		node_put(tag, "key", key);
	}
	node_put(tag, "value", value);
}

void sim_tag_new(struct sim_call *call, const char *type, struct sim_object *object)
{
	const struct node *specifications = node_get(&call->request, "TagSpecification");

	if (object)
		node_list(&object->body, "tagSet");
	for (uint32_t i = 0; specifications && i < specifications->count; i++) {
		const struct node *specification = &specifications->items[i];
		const struct node *tags = node_get(specification, "Tag");
		struct slice resource_type = node_text(specification, "ResourceType");

		if (!slice_is(resource_type, type)) {
			/* A call that makes several kinds of things asks once for each. */
			if (!object && !call->action->data)
				sim_fail(call, "InvalidParameterValue",
					 "'%.*s' is not a valid taggable resource type for this operation.",
					 SLICE_ARGUMENTS(resource_type));
			continue;
		}
		if (!object)
			(void)sim_tags_check(call, tags);
		for (uint32_t at = 0; object && tags && at < tags->count; at++)
			sim_tag_set(&object->body, node_text(&tags->items[at], "Key"),
				    node_text(&tags->items[at], "Value"));
	}
}

/* Any thing that takes tags; all of them are looked up before one is changed. */
static bool each_resource(struct sim_call *call, void (*visit)(struct sim_call *, struct sim_object *))
{
	const struct node *ids = node_get(&call->request, "ResourceId");

	if (ids->count > 1000)
		sim_fail(call, "InvalidParameterValue", "The request must contain at most 1000 resource ids");
	for (uint32_t i = 0; i < ids->count && !call->failed; i++) {
		struct slice id = node_slice(&ids->items[i]);
		struct sim_object *object = sim_find(call->region, SIM_TYPE_COUNT, id);

		if (object && !object->type->untagged && !sim_is_unseen(call, object)) {
			visit(call, object);
			continue;
		}
		for (size_t type = 0; type < SIM_TYPE_COUNT; type++)
			if (sim_types[type]->prefix && !sim_types[type]->untagged &&
			    slice_starts_with(id, slice_of(sim_types[type]->prefix)) &&
			    id.size > strlen(sim_types[type]->prefix) &&
			    id.data[strlen(sim_types[type]->prefix)] == '-')
				sim_absent(call, sim_types[type], id);
		sim_fail(call, "InvalidID", "The ID '%.*s' is not valid", SLICE_ARGUMENTS(id));
	}
	return !call->failed;
}

static void check_room(struct sim_call *call, struct sim_object *object)
{
	struct node *own = node_find(&object->body, "tagSet");
	const struct node *tags = node_get(&call->request, "Tag");
	size_t fresh = 0, present = 0;

	for (uint32_t i = 0; own && i < own->count; i++)
		present += !slice_starts_with(node_text(&own->items[i], "key"), SLICE("aws:"));
	for (uint32_t i = 0; i < tags->count; i++)
		fresh += node_item(own, "key", node_text(&tags->items[i], "Key")) == NULL;
	if (present + fresh > TAG_MOST)
		sim_fail(call, "TagLimitExceeded", "The maximum number of Tags for a resource has been reached.");
}

static void add_tags(struct sim_call *call, struct sim_object *object)
{
	const struct node *tags = node_get(&call->request, "Tag");
	struct node *body = sim_edit(call->sim, object);

	for (uint32_t i = 0; i < tags->count; i++)
		sim_tag_set(body, node_text(&tags->items[i], "Key"), node_text(&tags->items[i], "Value"));
}

static void create_tags(struct sim_call *call)
{
	if (sim_tags_check(call, node_get(&call->request, "Tag")) && each_resource(call, check_room) &&
	    each_resource(call, add_tags))
		sim_out_return(call);
}

static bool is_asked_for(const struct node *asked, const struct node *tag)
{
	for (uint32_t i = 0; i < asked->count; i++) {
		const struct node *value = node_get(&asked->items[i], "Value");

		if (slice_equal(node_text(&asked->items[i], "Key"), node_text(tag, "key")) &&
		    (!value || slice_equal(node_slice(value), node_text(tag, "value"))))
			return true;
	}
	return false;
}

/* Without any tag given, all are meant but AWS's own. A value given must be the tag's. */
static void drop_tags(struct sim_call *call, struct sim_object *object)
{
	const struct node *asked = node_get(&call->request, "Tag");
	struct node *own = node_list(sim_edit(call->sim, object), "tagSet");

	for (uint32_t i = own->count; i-- > 0;) {
		bool aws = slice_starts_with(node_text(&own->items[i], "key"), SLICE("aws:"));

		if (asked ? is_asked_for(asked, &own->items[i]) : !aws)
			node_remove(own, i);
	}
}

static void nothing(struct sim_call *call, struct sim_object *object)
{
	(void)call;
	(void)object;
}

static void delete_tags(struct sim_call *call)
{
	const struct node *asked = node_get(&call->request, "Tag");

	for (uint32_t i = 0; asked && i < asked->count; i++)
		if (slice_starts_with(node_text(&asked->items[i], "Key"), SLICE("aws:")))
			sim_fail(call, "InvalidParameterValue",
				 "Tag keys starting with 'aws:' are reserved for internal use");
	if (!call->failed && each_resource(call, nothing) && each_resource(call, drop_tags))
		sim_out_return(call);
}

static bool tag_accepted(const struct sim_call *call, const struct sim_object *object, const struct node *tag)
{
	const struct node *filters = node_get(&call->request, "Filter");

	for (uint32_t i = 0; filters && i < filters->count; i++) {
		struct slice name = node_text(&filters->items[i], "Name");
		const struct node *values = node_get(&filters->items[i], "Value");
		struct slice text = slice_is(name, "key")	      ? node_text(tag, "key")
				    : slice_is(name, "value")	      ? node_text(tag, "value")
				    : slice_is(name, "resource-id")   ? object->id
				    : slice_is(name, "resource-type") ? slice_of(object->type->name)
								      : node_text(tag, "value");

		if (slice_starts_with(name, SLICE("tag:")) && !slice_equal(slice_from(name, 4), node_text(tag, "key")))
			return false;
		if (!sim_matches(values, text))
			return false;
	}
	return true;
}

static void check_tag_filters(struct sim_call *call)
{
	static const char *const names[] = {"key", "value", "resource-id", "resource-type"};
	const struct node *filters = node_get(&call->request, "Filter");

	for (uint32_t i = 0; filters && i < filters->count; i++) {
		struct slice name = node_text(&filters->items[i], "Name");
		bool known = slice_starts_with(name, SLICE("tag:"));

		for (size_t at = 0; at < sizeof(names) / sizeof(names[0]); at++)
			known = known || slice_is(name, names[at]);
		if (!known)
			sim_fail(call, "InvalidParameterValue", "The filter '%.*s' is invalid", SLICE_ARGUMENTS(name));
	}
}

static void write_tag(struct sim_call *call, const struct sim_object *object, const struct node *tag)
{
	sim_out_open(call, "item");
	sim_out_text(call, "resourceId", object->id);
	sim_out_string(call, "resourceType", object->type->name);
	sim_out_text(call, "key", node_text(tag, "key"));
	sim_out_text(call, "value", node_text(tag, "value"));
	sim_out_close(call, "item");
}

/* A listing of tags as it is written. A token is a type, a place in the order of creation, and a tag's number. */
struct tag_page {
	struct sim_call *call;
	int64_t left;
	uint64_t from, next;
};

enum {
	TYPE_SHIFT = 56,
	SEQUENCE_SHIFT = 8,
};

static uint64_t tag_place(const struct sim_object *object, uint64_t number)
{
	return (uint64_t)object->type->number << TYPE_SHIFT | object->sequence << SEQUENCE_SHIFT | number;
}

static void show_tags(struct tag_page *page, const struct sim_object *object)
{
	const struct node *tags = node_get(sim_listed(page->call->sim, object), "tagSet");

	for (uint32_t i = 0; tags && i < tags->count; i++) {
		uint64_t place = tag_place(object, i);

		if (place < page->from || !tag_accepted(page->call, object, &tags->items[i]))
			continue;
		if (page->left-- == 0) {
			page->next = place;
			return;
		}
		write_tag(page->call, object, &tags->items[i]);
	}
}

static void show_table_tags(struct tag_page *page, enum sim_type_number type)
{
	const struct sim_table *table = &page->call->region->tables[type];
	bool first = page->from >> TYPE_SHIFT == type;
	uint64_t sequence = first ? (page->from & (((uint64_t)1 << TYPE_SHIFT) - 1)) >> SEQUENCE_SHIFT : 0;

	for (size_t at = sim_table_seek(table, sequence); at < table->count && page->next == 0; at++)
		show_tags(page, table->objects[at]);
}

/* Where plain ids are asked for, only those things are looked at. */
static bool show_named_tags(struct tag_page *page)
{
	const struct node *filters = node_get(&page->call->request, "Filter");
	const struct node *ids = NULL;

	for (uint32_t i = 0; filters && i < filters->count; i++)
		if (node_is(&filters->items[i], "Name", "resource-id"))
			ids = node_get(&filters->items[i], "Value");
	for (uint32_t i = 0; ids && i < ids->count; i++)
		if (strpbrk(node_slice(&ids->items[i]).data, "*?\\"))
			return false;
	/* In the order of places, as a token needs it: the next thing is the least that is not yet shown. */
	for (uint64_t shown = 0; ids && page->next == 0;) {
		const struct sim_object *least = NULL;

		for (uint32_t i = 0; i < ids->count; i++) {
			const struct sim_object *object = map_get(&page->call->region->ids, node_slice(&ids->items[i]));

			if (object && !object->type->untagged && tag_place(object, 0) >= shown &&
			    (!least || tag_place(object, 0) < tag_place(least, 0)))
				least = object;
		}
		if (!least)
			break;
		show_tags(page, least);
		shown = tag_place(least, 0) + 1;
	}
	return ids != NULL;
}

static void describe_tags(struct sim_call *call)
{
	static const struct sim_listing pages = {.page_least = 5, .page_most = 1000};
	struct tag_page page = {.call = call};

	check_tag_filters(call);
	if (sim_given(call, "NextToken") && !sim_token_read(call, sim_text(call, "NextToken"), &page.from))
		return;
	if (!sim_page(call, &pages, &page.left) || call->failed)
		return;
	sim_out_open(call, "tagSet");
	if (!show_named_tags(&page))
		for (enum sim_type_number type = (enum sim_type_number)(page.from >> TYPE_SHIFT);
		     type < SIM_TYPE_COUNT && page.next == 0; type++)
			if (!sim_types[type]->untagged)
				show_table_tags(&page, type);
	sim_out_close(call, "tagSet");
	if (page.next > 0)
		sim_token_write(call, "nextToken", page.next);
}

static const struct sim_action actions[] = {
	{"CreateTags", create_tags, "ResourceId![] Tag![]{Key Value}", NULL},
	{"DeleteTags", delete_tags, "ResourceId![] Tag[]{Key Value}", NULL},
	{"DescribeTags", describe_tags, "Filter[]{Name Value[]} MaxResults:i NextToken", NULL},
};

const struct sim_family sim_tag_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
