#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "reconcile/phases.h"
#include "tests/unit/support_plan.h"

static const struct field rule_fields[] = {
	{.name = "port", .type = FIELD_INTEGER, .flags = KEY},
	{.name = "group", .type = FIELD_REFERENCE, .target = "t.group", .flags = KEY | PINS},
	{.name = "note", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "leads", .type = FIELD_STRING, .flags = KEY, .apart_from = "net"},
};
static const struct field rule = {.name = "rule", .type = FIELD_OBJECT, .members = FIELDS(rule_fields)};
static const struct field text = {.name = "text", .type = FIELD_STRING};

static const struct field tunnel_fields[] = {
	{.name = "name", .type = FIELD_STRING, .flags = KEY},
	{.name = "life", .type = FIELD_INTEGER, .when_unset = UNSET_CONSTANT, .unset_value = "28800"},
	{.name = "wait", .type = FIELD_INTEGER, .when_unset = UNSET_RELEASE},
	{.name = "weight", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
	{.name = "types", .type = FIELD_LIST, .item = &text, .when_unset = UNSET_CLEAR},
};
static const struct field tunnel = {.name = "tunnel", .type = FIELD_OBJECT, .members = FIELDS(tunnel_fields)};

/* Of a disk it is read whether it ends with its net. */
static const struct field disk_fields[] = {
	{.name = "device", .type = FIELD_STRING, .flags = KEY},
	{.name = "size", .type = FIELD_INTEGER, .when_unset = UNSET_RELEASE},
	{.name = "ends", .type = FIELD_BOOL, .flags = SEEN, .when_unset = UNSET_RELEASE},
};
static const struct field disk = {.name = "disk", .type = FIELD_OBJECT, .members = FIELDS(disk_fields)};

static const struct field net_fields[] = {
	{.name = "range", .type = FIELD_STRING, .flags = REQUIRED | IMMUTABLE},
	{.name = "further",
	 .type = FIELD_SET,
	 .flags = COMPARED,
	 .item = &text,
	 .range = RANGE_DOMAIN,
	 .when_unset = UNSET_CONSTANT,
	 .unset_value = "[]"},
	{.name = "dns", .type = FIELD_BOOL, .when_unset = UNSET_CONSTANT, .unset_value = "true"},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_RELEASE},
	{.name = "pool", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_REPLACE},
	{.name = "size", .type = FIELD_INTEGER, .flags = OBSERVED, .when_unset = UNSET_RELEASE},
	{.name = "tags", .type = FIELD_MAP, .item = &text, .when_unset = UNSET_CONSTANT, .unset_value = "{}"},
	{.name = "list", .type = FIELD_LIST, .item = &tunnel, .when_unset = UNSET_RELEASE},
	{.name = "set", .type = FIELD_SET, .item = &tunnel, .when_unset = UNSET_RELEASE},
	{.name = "one", .type = FIELD_OBJECT, .members = FIELDS(tunnel_fields), .when_unset = UNSET_RELEASE},
	{.name = "disks",
	 .type = FIELD_SET,
	 .flags = IMMUTABLE | WRITE_ONLY,
	 .item = &disk,
	 .brought_back = "plug it in again",
	 .when_unset = UNSET_RELEASE},
};
static const char *const renewing[] = {"dns", NULL};
static const struct output net_outputs[] = {
	{.name = "id"}, {.name = "version", .counts = true, .renewed_by = renewing}, {.name = "zone", .needs = "dns"}};
static const struct kind net = {
	.name = "t.net", .version = 1, .fields = FIELDS(net_fields), .outputs = FIELDS(net_outputs)};

static const struct field line_fields[] = {
	{.name = "range",
	 .type = FIELD_STRING,
	 .range = RANGE_WITHIN,
	 .range_parent = "net",
	 .range_parent_id = "zone",
	 .when_unset = UNSET_RELEASE},
	{.name = "wait", .type = FIELD_INTEGER, .when_unset = UNSET_RELEASE},
};
static const struct field line = {.name = "line", .type = FIELD_OBJECT, .members = FIELDS(line_fields)};
/* What it is made with, and no read gives back. */
static const struct field port_address = {
	.name = "address", .type = FIELD_ADDRESS, .flags = IMMUTABLE | SOLE, .unique_in = "net"};
static const struct field port_fields[] = {
	{.name = "slot", .type = FIELD_INTEGER, .flags = KEY},
	{.name = "net", .type = FIELD_REFERENCE, .target = "t.net", .when_unset = UNSET_RELEASE},
	{.name = "address",
	 .type = FIELD_ADDRESS,
	 .flags = IMMUTABLE | SOLE,
	 .unique_in = "net",
	 .when_unset = UNSET_RELEASE},
	{.name = "more", .type = FIELD_SET, .item = &port_address, .when_unset = UNSET_RELEASE},
};
static const struct field port = {.name = "port", .type = FIELD_OBJECT, .members = FIELDS(port_fields)};
static const struct field sub_fields[] = {
	{.name = "net", .type = FIELD_REFERENCE, .target = "t.net", .flags = REQUIRED | IMMUTABLE},
	{.name = "range", .type = FIELD_STRING, .flags = IMMUTABLE, .range = RANGE_WITHIN, .range_parent = "net"},
	{.name = "zone", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_RELEASE},
	{.name = "more",
	 .type = FIELD_STRING,
	 .flags = EXCHANGED,
	 .range = RANGE_WITHIN,
	 .range_parent = "net",
	 .when_unset = UNSET_CLEAR},
	{.name = "lines", .type = FIELD_LIST, .item = &line, .when_unset = UNSET_RELEASE},
	{.name = "ports",
	 .type = FIELD_SET,
	 .flags = IMMUTABLE | WRITE_ONLY,
	 .item = &port,
	 .when_unset = UNSET_RELEASE},
};
static const struct output id_output[] = {{.name = "id"}};
static const struct kind sub = {
	.name = "t.sub", .version = 1, .fields = FIELDS(sub_fields), .outputs = FIELDS(id_output)};

static const struct field placed = {.name = "sub", .type = FIELD_REFERENCE, .target = "t.sub", .stays_in = "net"};
static const struct field user_fields[] = {
	{.name = "sub", .type = FIELD_REFERENCE, .target = "t.sub", .flags = PINS},
	{.name = "version", .type = FIELD_INTEGER},
	{.name = "zone", .type = FIELD_REFERENCE, .target = "t.net", .output = "zone", .when_unset = UNSET_CLEAR},
	{.name = "places", .type = FIELD_SET, .item = &placed, .when_unset = UNSET_CLEAR},
	{.name = "base", .type = FIELD_REFERENCE, .target = "t.net", .when_unset = UNSET_CLEAR},
	{.name = "base_version",
	 .type = FIELD_REFERENCE,
	 .target = "t.net",
	 .output = "version",
	 .follows = "base",
	 .when_unset = UNSET_CLEAR},
	{.name = "least", .type = FIELD_INTEGER, .when_unset = UNSET_RELEASE},
	{.name = "most", .type = FIELD_INTEGER, .when_unset = UNSET_RELEASE},
	{.name = "count",
	 .type = FIELD_INTEGER,
	 .flags = OBSERVED,
	 .at_least = "least",
	 .at_most = "most",
	 .when_unset = UNSET_RELEASE},
	{.name = "name", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_RELEASE},
};
/* What a user runs is of a version. */
static struct slice keeps(const struct value *thing, const struct value *fields, struct arena *arena)
{
	const struct value *old = value_get_named(thing, "version"), *new = value_get_named(fields, "version");
	const struct value *source = value_get_named(fields, "t.net");
	struct slice none = {0};
	if (!new &&source)
		new = value_get_named(source, "version");
	return !old || !new || value_equal(old, new) ? none
						     : arena_format(arena, "version %lld", (long long)old->integer);
}

/* What has a name counts otherwise. */
static bool is_number(const struct value *fields)
{
	return !value_get_named(fields, "name");
}

static bool may_end(const struct value *thing)
{
	return !value_get_named(thing, "stays");
}

static bool moves(const struct value *thing, const struct value *fields)
{
	return may_end(thing) && !value_get_named(fields, "name");
}

static const char *const held[] = {"t.sub", NULL};
static const struct runs runs = {.one = "job",
				 .many = "jobs",
				 .keeps = keeps,
				 .number = "count",
				 .is_number = is_number,
				 .may_end = may_end,
				 .moves = moves,
				 .holds = held,
				 .lies_in = "zone",
				 .source = "t.net"};
static const struct kind user = {
	.name = "t.user", .version = 1, .fields = FIELDS(user_fields), .outputs = FIELDS(id_output), .runs = &runs};

static const struct field group_fields[] = {
	{.name = "name", .type = FIELD_STRING, .flags = IMMUTABLE | NAMES, .unique_in = "net"},
	{.name = "net", .type = FIELD_REFERENCE, .target = "t.net", .flags = IMMUTABLE},
	{.name = "about", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_RELEASE},
	{.name = "rules",
	 .type = FIELD_SET,
	 .flags = SETTLES | COMPARED,
	 .item = &rule,
	 .when_unset = UNSET_CONSTANT,
	 .unset_value = "[]"},
};
static const struct output group_outputs[] = {{.name = "id"}, {.name = "name", .repeats = true}};
static const struct kind group = {
	.name = "t.group", .version = 1, .fields = FIELDS(group_fields), .outputs = FIELDS(group_outputs)};

/* A net has but one gate, and a link moves from one gate to another. */
static const struct field gate_fields[] = {
	{.name = "net", .type = FIELD_REFERENCE, .target = "t.net", .flags = SOLE | PINS, .when_unset = UNSET_CLEAR},
	{.name = "number", .type = FIELD_INTEGER, .flags = IMMUTABLE, .when_unset = UNSET_RELEASE},
};
static const struct kind gate = {
	.name = "t.gate", .version = 1, .fields = FIELDS(gate_fields), .outputs = FIELDS(id_output)};

/* A net is led to by but one table. */
static const struct field led_net = {.name = "net", .type = FIELD_REFERENCE, .target = "t.net", .flags = SOLE};
static const struct field table_fields[] = {
	{.name = "nets",
	 .type = FIELD_SET,
	 .flags = SETTLES,
	 .item = &led_net,
	 .when_unset = UNSET_CONSTANT,
	 .unset_value = "[]"},
	{.name = "number", .type = FIELD_INTEGER, .flags = IMMUTABLE, .when_unset = UNSET_RELEASE},
};
static const struct kind table = {
	.name = "t.table", .version = 1, .fields = FIELDS(table_fields), .outputs = FIELDS(id_output)};

static const struct field link_fields[] = {
	{.name = "gate", .type = FIELD_REFERENCE, .target = "t.gate", .flags = REQUIRED},
};
static const struct kind link_kind = {
	.name = "t.link", .version = 1, .fields = FIELDS(link_fields), .outputs = FIELDS(id_output)};

static const struct field keep_fields[] = {
	{.name = "group", .type = FIELD_REFERENCE, .target = "t.group", .flags = PINS, .when_unset = UNSET_RELEASE},
	{.name = "called", .type = FIELD_REFERENCE, .target = "t.group", .output = "name"},
};
static const char *const keep_renewing[] = {"group", NULL};
static const struct output keep_outputs[] = {{.name = "id"}, {.name = "version", .renewed_by = keep_renewing}};
static const struct kind keep = {
	.name = "t.keep", .version = 1, .fields = FIELDS(keep_fields), .outputs = FIELDS(keep_outputs)};

/* What runs, and is stopped for another type unless it is held. */
static const struct field box_fields[] = {
	{.name = "type", .type = FIELD_STRING, .flags = PAUSES},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_RELEASE},
	{.name = "held",
	 .type = FIELD_BOOL,
	 .when_unset = UNSET_CONSTANT,
	 .unset_value = "false",
	 .bars_deletion = "true",
	 .bars_stop = true},
	{.name = "running", .type = FIELD_BOOL, .when_unset = UNSET_RELEASE},
};
static const struct kind box = {.name = "t.box",
				.version = 1,
				.fields = FIELDS(box_fields),
				.outputs = FIELDS(id_output),
				.running = "running"};

/* Told apart by two fields together; a wire leads to one. */
static const struct field post_fields[] = {
	{.name = "street", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_REPLACE},
	{.name = "number", .type = FIELD_INTEGER, .flags = IMMUTABLE, .when_unset = UNSET_RELEASE},
	{.name = "color", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_REPLACE},
};
static const char *const which_post[] = {"street", "number", NULL};
static const struct kind post = {.name = "t.post",
				 .version = 1,
				 .fields = FIELDS(post_fields),
				 .outputs = FIELDS(id_output),
				 .told_apart_by = which_post};

static const struct field wire_fields[] = {
	{.name = "post", .type = FIELD_REFERENCE, .target = "t.post", .flags = REQUIRED | PINS},
};
static const struct kind wire = {
	.name = "t.wire", .version = 1, .fields = FIELDS(wire_fields), .outputs = FIELDS(id_output)};

static const struct kind *const all_kinds[] = {&box,  &gate, &group, &keep, &link_kind, &net,
					       &post, &sub,  &table, &user, &wire};
static const struct kinds kinds = {all_kinds, sizeof(all_kinds) / sizeof(all_kinds[0])};

static struct value json(struct plan_fixture *fixture, const char *text_)
{
	struct value value;
	struct arena *arena = &fixture->arena;
	if (!json_read(arena, slice_of(text_), true, 1 << 20, "test", &value, &fixture->diagnostics))
		fail_msg("bad JSON in the test: %s", text_);
	return value;
}

/* "${t.net.a.id}" -> address and output. */
static bool split_reference(struct slice deferred, struct slice *ret_address, struct slice *ret_output)
{
	if (!slice_starts_with(deferred, SLICE("${")) || !slice_ends_with(deferred, SLICE("}")))
		return false;
	struct slice inner = {deferred.data + 2, deferred.size - 3};
	size_t dot = inner.size;
	while (dot > 0 && inner.data[dot - 1] != '.')
		dot--;
	*ret_address = slice_first(inner, dot - 1);
	*ret_output = slice_from(inner, dot);
	return true;
}

static struct value resolved(const struct value *value, const struct output_source *source, struct arena *arena)
{
	struct slice address, output;
	if (value_is(value, VALUE_DEFERRED) && split_reference(value->deferred->text, &address, &output)) {
		const struct value *found = source->get(source->context, address, output);
		return found ? *found : *value;
	}
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	if (value_is(value, VALUE_LIST)) {
		for (uint32_t i = 0; i < value->count; i++)
			value_builder_item(&builder, resolved(&value->items[i], source, arena));
		return value_builder_list(&builder, arena);
	}
	if (value_is(value, VALUE_MAP)) {
		for (uint32_t i = 0; i < value->count; i++)
			value_builder_member(&builder, value_slice(&value->members[i].key),
					     resolved(&value->members[i].value, source, arena));
		return value_builder_map(&builder, arena);
	}
	return *value;
}

static bool resolve(const struct resolver *resolver, const struct value *value, const struct output_source *source,
		    struct arena *arena, struct value *ret, struct diagnostics *diagnostics)
{
	(void)resolver;
	(void)diagnostics;
	*ret = resolved(value, source, arena);
	return true;
}

static const struct resolver resolver = {.resolve = resolve};

static void find_references(struct plan_fixture *fixture, const struct value *value, const struct field *top,
			    struct dependency *list, size_t *count)
{
	struct slice address, output;
	if (value_is(value, VALUE_DEFERRED) && split_reference(value->deferred->text, &address, &output)) {
		list[(*count)++] = (struct dependency){
			.address = address,
			.output = output,
			.field = slice_of(top->name),
			.binding = top->flags & SETTLES ? BINDS_SETTLE : BINDS_MAKE,
			.immutable = (top->flags & IMMUTABLE) != 0,
		};
		return;
	}
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		find_references(fixture, &value->items[i], top, list, count);
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++)
		find_references(fixture, &value->members[i].value, top, list, count);
}

static size_t references_of(struct plan_fixture *fixture, const struct kind *kind, const struct value *fields,
			    const struct dependency **ret)
{
	struct dependency *list = arena_new_array(&fixture->arena, 16, struct dependency);
	size_t count = 0;
	for (uint32_t i = 0; i < fields->count; i++) {
		const struct field *top = field_named(&kind->fields, value_slice(&fields->members[i].key));
		assert_non_null(top);
		find_references(fixture, &fields->members[i].value, top, list, &count);
	}
	*ret = list;
	return count;
}

const struct kind *plan_kind_of(struct slice address)
{
	struct slice rest = address;
	struct slice provider = slice_cut(&rest, '.');
	struct slice noun = slice_cut(&rest, '.');
	const struct kind *kind = kinds_find(&kinds, (struct slice){provider.data, provider.size + 1 + noun.size});
	assert_non_null(kind);
	return kind;
}

/* The fields alone. */
static struct value take_lifecycle(struct plan_fixture *fixture, const struct value *said, struct resource *ret)
{
	const struct value *lifecycle = value_get_named(said, "lifecycle");
	const struct value *ignore = lifecycle ? value_get_named(lifecycle, "ignore") : NULL;
	if (!lifecycle)
		return *said;
	VALUE_BUILDER_AUTO fields;
	ret->protect = value_is_true(value_get_named(lifecycle, "protect"));
	if (value_is_true(value_get_named(lifecycle, "create_before_destroy")))
		ret->create_before_destroy = CHOICE_YES;
	ret->ignored = ignore ? ignored_read(ignore, &fixture->arena) : NULL;
	ret->ignored_count = ignore ? ignore->count : 0;
	value_builder_init(&fields);
	for (uint32_t i = 0; i < said->count; i++)
		if (&said->members[i].value != lifecycle)
			value_builder_member(&fields, value_slice(&said->members[i].key), said->members[i].value);
	return value_builder_map(&fields, &fixture->arena);
}

/* {"t.net.a": {fields}} for the spec; among them may be a "lifecycle". */
static void add_spec(struct plan_fixture *fixture, const char *spec)
{
	struct value map = json(fixture, spec);
	for (uint32_t i = 0; i < map.count; i++) {
		struct resource *resource = &fixture->resources[fixture->resource_count++];
		struct slice address = value_slice(&map.members[i].key);
		*resource = (struct resource){
			.address = address,
			.kind = plan_kind_of(address),
			.provider = SLICE("t"),
			.position = {i + 1, 1, 0},
		};
		resource->desired = take_lifecycle(fixture, &map.members[i].value, resource);
		resource->dependency_count =
			references_of(fixture, resource->kind, &resource->desired, &resource->dependencies);
	}
}

static const struct identity here = {.provider = {"t", 1}, .account = {"1", 1}, .region = {"west", 4}};

/* What is there of one of the record. */
static struct live live_of(struct plan_fixture *fixture, const struct value *one, struct slice id)
{
	const struct value *now = value_get_named(one, "live");
	const struct value *running = value_get_named(one, "running");
	const struct value *outputs = value_get_named(one, "outputs");
	struct live live = {.presence = PRESENCE_ABSENT};

	if (now && value_is(now, VALUE_UNREAD))
		live = (struct live){.presence = PRESENCE_UNREAD, .unread_reason = SLICE("denied")};
	else if (now)
		live = (struct live){.presence = PRESENCE_PRESENT,
				     .provider_id = id,
				     .fields = *now,
				     .running = running ? *running : value_null(),
				     .outputs = outputs ? *outputs : json(fixture, "{\"version\": 1}"),
				     .ownership.lineage = value_slice(value_get_named(one, "owner"))};
	if (value_get_named(one, "leaving"))
		live.presence = PRESENCE_LEAVING;
	return live;
}

/*
 * {"t.net.a": {"applied": symbolic, "resolved": ..., "live": ... or absent, "id": ...}} for the record, in its order;
 * "t.net.a/2" is another object of the same address. "observed" is what was seen last, if that was not as resolved.
 * "outputs" are those of the live one, if it has others; "leaving": that one is being deleted. "ignored": fields that
 * it is recorded to leave to others.
 */
static void add_record(struct plan_fixture *fixture, const char *record)
{
	struct value map = json(fixture, record);
	for (uint32_t i = 0; i < map.count; i++) {
		const struct value *one = &map.members[i].value;
		struct object *object = &fixture->objects[fixture->object_count];
		struct live *live = &fixture->lives[fixture->object_count];
		const struct value *applied = value_get_named(one, "applied");
		const struct value *was = value_get_named(one, "resolved");
		const struct value *observed = value_get_named(one, "observed");
		const struct value *now = value_get_named(one, "live");
		const struct value *id = value_get_named(one, "id");
		const struct value *protect = value_get_named(one, "protect");
		const struct value *ignored = value_get_named(one, "ignored");
		const struct value *had = value_get_named(one, "had");
		struct slice rest = value_slice(&map.members[i].key);
		*object = (struct object){
			.address = slice_cut(&rest, '/'),
			.object_id = arena_format(&fixture->arena, "object-%u", i),
			.kind_version = 1,
			.generation = 1,
			.identity = here,
			.protect = protect && protect->boolean,
			.ignored = ignored ? *ignored : value_null(),
			.provider_id = id ? value_slice(id) : (struct slice){0},
			.has_body = true,
			.applied = *applied,
			.resolved = was ? *was : *applied,
			.observed = observed ? *observed
				    : was    ? *was
					     : *applied,
		};
		object->kind = slice_of(plan_kind_of(object->address)->name);
		object->outputs =
			had ? *had : json(fixture, value_get_named(one, "incomplete") ? "{}" : "{\"version\": 1}");
		if (value_get_named(one, "incomplete")) {
			object->role = OBJECT_INCOMPLETE;
			object->observed = value_map(NULL, 0);
		}
		if (value_get_named(one, "region"))
			object->identity.region = value_slice(value_get_named(one, "region"));
		if (value_get_named(one, "role"))
			object->role = OBJECT_DEPOSED;
		object->dependency_count =
			references_of(fixture, plan_kind_of(object->address), applied, &object->dependencies);
		*live = live_of(fixture, one, object->provider_id);
		fixture->read |= now && !value_is(now, VALUE_NULL);
		/* What is live as null was not looked at. */
		fixture->live_list[fixture->object_count] = now && value_is(now, VALUE_NULL) ? NULL : live;
		fixture->object_list[fixture->object_count++] = object;
	}
}

/* The first node, by number, that waits for nothing any more. */
static size_t next_node(const struct phases *phases, const uint32_t *waits, const bool *done)
{
	size_t node = 0;
	while (node < phases->node_count && (done[node] || waits[node] > 0))
		node++;
	return node;
}

const char *plan_order(struct plan_fixture *fixture)
{
	const struct phases *phases = &fixture->phases;
	uint32_t *waits = arena_new_array(&fixture->arena, phases->node_count + 1, uint32_t);
	bool *done = arena_new_array(&fixture->arena, phases->node_count + 1, bool);
	struct buffer out;
	buffer_init(&out, 1 << 16);
	for (size_t i = 0; i < phases->node_count; i++)
		waits[i] = phases->graph.waits[i];
	for (size_t node; (node = next_node(phases, waits, done)) < phases->node_count;) {
		const struct action *action = &fixture->plan.actions[phases->actions[node]];
		done[node] = true;
		buffer_format(&out, "%s%s %.*s%s", out.size ? ", " : "", phase_name((enum phase)phases->kinds[node]),
			      SLICE_ARGUMENTS(action->address), action->role == OBJECT_DEPOSED ? " (deposed)" : "");
		for (uint32_t k = phases->graph.first[node]; k < phases->graph.first[node + 1]; k++)
			waits[phases->graph.successors[k]]--;
	}
	if (!fixture->sound)
		buffer_string(&out, out.size ? ", refused" : "refused");
	const char *text_ = arena_string(&fixture->arena, buffer_slice(&out));
	buffer_release(&out);
	return text_;
}

static bool load_body(void *context, struct object *object, struct diagnostics *diagnostics)
{
	(void)context;
	(void)diagnostics;
	return object->has_body;
}

void plan_fixture_load(struct plan_fixture *fixture, const char *spec, const char *record)
{
	*fixture = (struct plan_fixture){.load_body = load_body};
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	add_spec(fixture, spec);
	add_record(fixture, record);
}

void plan_fixture_plan(struct plan_fixture *fixture, bool destroy)
{
	static const struct stack_record stack_record = {.lineage = {"lineage", 7}, .name = {"s", 1}};
	static const struct provider_settings providers[] = {{.name = {"t", 1}}};
	struct stack stack = {
		.name = SLICE("s"),
		.resources = fixture->resources,
		.resource_count = fixture->resource_count,
		.providers = providers,
		.provider_count = 1,
	};
	struct plan_input input = {
		.stack = &stack,
		.kinds = &kinds,
		.record = &stack_record,
		.objects = fixture->object_list,
		.object_count = fixture->object_count,
		.live = fixture->read ? fixture->live_list : NULL,
		.resolver = &resolver,
		.identities = fixture->expected ? NULL : &here,
		.silences = fixture->silence ? &fixture->silence : NULL,
		.expected = fixture->expected,
		.load_body = fixture->load_body,
		.context = fixture,
		.destroy = destroy,
		.scope = fixture->scope,
		.arena = &fixture->arena,
	};
	fixture->sound = plan_make(&input, &fixture->plan, &fixture->diagnostics);
	fixture->sound &= phases_build(&fixture->phases, &fixture->plan, &fixture->arena, &fixture->diagnostics);
}

void plan_from_texts(struct plan_fixture *fixture, const char *spec, const char *record, bool destroy)
{
	plan_fixture_load(fixture, spec, record);
	plan_fixture_plan(fixture, destroy);
}

void plan_fixture_release(struct plan_fixture *fixture)
{
	phases_release(&fixture->phases);
	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
}

const char *plan_summary(struct plan_fixture *fixture)
{
	struct buffer out;
	buffer_init(&out, 1 << 16);
	for (size_t i = 0; i < fixture->plan.action_count; i++) {
		const struct action *action = &fixture->plan.actions[i];
		buffer_format(&out, "%s%s%s%s %.*s", i ? "; " : "", operation_name(action->operation),
			      action->create_before_destroy && action->operation == OPERATION_REPLACE ? "-first" : "",
			      action->maybe ? "?" : "", SLICE_ARGUMENTS(action->address));
		bool listed = action->operation == OPERATION_UPDATE || action->operation == OPERATION_REPLACE ||
			      action->operation == OPERATION_RECORD;
		for (size_t k = 0; listed && k < action->change_count; k++)
			buffer_format(&out, "%s%s%.*s", k ? "," : ":",
				      action->changes[k].cause == CAUSE_DRIFT ? "~" : "",
				      SLICE_ARGUMENTS(action->changes[k].path));
	}
	if (!fixture->sound)
		buffer_string(&out, out.size ? "; refused" : "refused");
	const char *text_ = arena_string(&fixture->arena, buffer_slice(&out));
	buffer_release(&out);
	return text_;
}
