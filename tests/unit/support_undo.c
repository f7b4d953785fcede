#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/undo.h"
#include "tests/unit/support_undo.h"

static const struct field text = {.name = "text", .type = FIELD_STRING};
static const struct field rule_fields[] = {
	{.name = "port", .type = FIELD_INTEGER, .flags = KEY},
	{.name = "note", .type = FIELD_STRING, .when_unset = UNSET_CLEAR},
};
static const struct field rule = {.name = "rule", .type = FIELD_OBJECT, .members = FIELDS(rule_fields)};
static const struct field net_fields[] = {
	{.name = "range", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_REPLACE},
	{.name = "dns", .type = FIELD_BOOL, .when_unset = UNSET_CONSTANT, .unset_value = "true"},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_RELEASE},
	{.name = "zone", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_RELEASE},
	{.name = "tags", .type = FIELD_MAP, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "list", .type = FIELD_LIST, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "set", .type = FIELD_SET, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "kept", .type = FIELD_SET, .item = &text, .when_unset = UNSET_RELEASE},
	{.name = "rules", .type = FIELD_SET, .item = &rule, .when_unset = UNSET_CONSTANT, .unset_value = "[]"},
	{.name = "key", .type = FIELD_STRING, .flags = SECRET | WRITE_ONLY, .when_unset = UNSET_CLEAR},
};
static const struct output id_output[] = {{.name = "id"}};
static const struct kind net = {
	.name = "t.net", .version = 1, .fields = FIELDS(net_fields), .outputs = FIELDS(id_output)};
static const struct field user_fields[] = {
	{.name = "net", .type = FIELD_REFERENCE, .target = "t.net", .when_unset = UNSET_CLEAR},
	{.name = "other", .type = FIELD_REFERENCE, .target = "t.net", .when_unset = UNSET_CLEAR},
	{.name = "home", .type = FIELD_REFERENCE, .target = "t.net", .flags = IMMUTABLE, .when_unset = UNSET_REPLACE},
	{.name = "place", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_REPLACE},
	{.name = "size", .type = FIELD_INTEGER, .when_unset = UNSET_RELEASE},
};
static const struct kind user = {
	.name = "t.user", .version = 1, .fields = FIELDS(user_fields), .outputs = FIELDS(id_output)};
static const struct kind *const kind_list[] = {&net, &user};
static const struct kinds kinds = {kind_list, 2};

static const struct {
	const char *address;
	const struct kind *kind;
	const char *id;
} things[UNDO_ADDRESSES] = {
	{"t.net.a", &net, "0000000000000000000000000000000a"},
	{"t.user.b", &user, "0000000000000000000000000000000b"},
	{"t.user.c", &user, "0000000000000000000000000000000c"},
	{"t.net.ab", &net, "000000000000000000000000000000ab"},
};

/* The fingerprint of a secret is its first letter, to be told apart by reading. */
static void fingerprint(void *context, struct slice secret, char ret[65])
{
	(void)context;
	memset(ret, secret.size > 0 ? secret.data[0] : '-', 64);
	ret[64] = 0;
}

static const struct dependency needs[] = {
	{.address = {"t.net.a", 7}, .output = {"id", 2}, .field = {"net", 3}, .binding = BINDS_MAKE},
	{.address = {"t.user.c", 8}, .output = {"id", 2}, .field = {"net", 3}, .binding = BINDS_MAKE},
	{.address = {"t.net.ab", 8}, .output = {"id", 2}, .field = {"net", 3}, .binding = BINDS_MAKE},
};
static const struct dependency lies_in = {
	.address = {"t.net.a", 7}, .output = {"id", 2}, .field = {"home", 4}, .binding = BINDS_MAKE, .immutable = true};

struct fixture {
	struct arena arena;
	struct diagnostics diagnostics;
	struct object *objects[UNDO_ADDRESSES + 2];
	const struct live *live[UNDO_ADDRESSES + 2];
	size_t object_count;
	struct past_object past[UNDO_ADDRESSES + 1];
	size_t past_count;
	struct past_object beside;
	size_t beside_count;
	bool stale;
	bool renames; /* see struct undo_row */
	struct undo_touched touched[UNDO_ADDRESSES];
	size_t touched_count;
	struct past_object steps[2]; /* of t.net.a */
	struct undo_since later[2];
	size_t later_count;
	struct resource written;
	struct value variable;
	struct stack spec;
};

static struct value read(struct fixture *fixture, const char *json)
{
	struct value value = value_null();

	if (!json_read(&fixture->arena, slice_of(json), true, 65536, "the row", &value, &fixture->diagnostics))
		fail_msg("%s", json);
	return value;
}

static const struct provider_settings alias = {.name = {"t", 1}};
static const struct identity place = {.provider = {"t", 1}, .account = {"1", 1}};

static struct dependency need_of(const char *field, const struct value *reference)
{
	struct slice rest = slice_from(reference->deferred->text, sizeof("${") - 1);

	struct dependency need = {0};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (slice_starts_with(rest, needs[i].address) && rest.data[needs[i].address.size] == '.')
			need = needs[i];
	if (need.address.size == 0)
		fail_msg("%.*s", SLICE_ARGUMENTS(rest));
	need.field = slice_of(field);
	return need;
}

static void add_needs(struct fixture *fixture, struct object *object)
{
	static const char *const references[] = {"net", "other"};
	enum { REFERENCES = sizeof(references) / sizeof(references[0]) };
	struct dependency *all = arena_new_array(&fixture->arena, REFERENCES + 1, struct dependency);

	for (size_t i = 0; i < REFERENCES; i++) {
		const struct value *reference = value_get_named(&object->applied, references[i]);

		if (reference)
			all[object->dependency_count++] = need_of(references[i], reference);
	}
	if (value_get_named(&object->applied, "home"))
		all[object->dependency_count++] = lies_in;
	object->dependencies = all;
}

static void fill(struct fixture *fixture, size_t thing, const char *json, struct object *ret)
{
	*ret = (struct object){
		.address = slice_of(things[thing].address),
		.object_id = slice_of(things[thing].id),
		.kind = slice_of(things[thing].kind->name),
		.kind_version = 1,
		.provider_id = SLICE("id-1"),
		.provider = alias.name,
		.identity = place,
		.has_body = true,
		.applied = read(fixture, json),
		.observed = value_map(NULL, 0),
	};
	ret->outputs = read(fixture, "{\"id\":\"new\"}");
	ret->resolved = read(fixture, "{\"home\":\"new\"}");
	add_needs(fixture, ret);
	if (fixture->stale && things[thing].kind == &user && ret->dependency_count == 0) {
		ret->dependencies = needs;
		ret->dependency_count = 1;
	}
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void add_touched(struct fixture *fixture, size_t thing, const char *found)
{
	struct undo_touched *touched = &fixture->touched[fixture->touched_count];

	if (!found)
		return;
	fixture->touched_count++;
	*touched = (struct undo_touched){.address = slice_of(things[thing].address)};
	if (found[0]) {
		struct object *object = arena_new(&fixture->arena, struct object);

		fill(fixture, thing, found, object);
		touched->found = object;
	}
}

static void ignore(struct fixture *fixture, struct object *object, const char *names)
{
	if (names)
		object->ignored = read(fixture, names);
}

static const struct live present = {.presence = PRESENCE_PRESENT}, absent = {.presence = PRESENCE_ABSENT};

static bool is_named(const char *names, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = names ? strstr(names, name) : NULL; at; at = strstr(at + 1, name))
		if ((at == names || at[-1] == ' ') && (at[size] == ' ' || at[size] == 0))
			return true;
	return false;
}

#define OLD_ID "{\"id\":\"old\"}"
#define OLD_HOME "{\"home\":\"old\"}"
#define BEHIND SLICE("000000000000000000000000000000be")

static void add_deposed(struct fixture *fixture, const char *json, struct slice id, const struct live *live)
{
	struct object *object = arena_new(&fixture->arena, struct object);

	fill(fixture, 0, json, object);
	object->role = OBJECT_DEPOSED;
	object->object_id = id;
	fixture->live[fixture->object_count] = live;
	fixture->objects[fixture->object_count++] = object;
}

static void add_behind(struct fixture *fixture, const struct undo_row *row)
{
	struct past_object *past = &fixture->past[fixture->past_count];
	enum undo_behind is = row->behind_is;

	if (row->left_over)
		add_deposed(fixture, "{\"range\":\"0\"}", SLICE("000000000000000000000000000000ee"), &present);
	if (!row->behind)
		return;
	fill(fixture, 0, row->behind, &past->before);
	past->was = true;
	past->before.role = OBJECT_DEPOSED;
	past->before.object_id = BEHIND;
	past->before.outputs = read(fixture, OLD_ID);
	if (is == BEHIND_BY_RUN) {
		past->is = true;
		past->after = past->before;
		past->before.role = OBJECT_CURRENT;
		fixture->past_count++;
		return;
	}
	if (is == BEHIND_STILL || is == BEHIND_TRIED || is == BEHIND_LOST)
		add_deposed(fixture, row->behind, BEHIND, is == BEHIND_LOST ? &absent : &present);
	if (is == BEHIND_TRIED || is == BEHIND_DELETED) {
		past->is = is == BEHIND_TRIED;
		past->after = past->before;
		fixture->past_count++;
	} else if (is != BEHIND_BACK) {
		fixture->beside = *past;
		fixture->beside_count = 1;
	}
	if (is == BEHIND_BACK_LATER)
		fixture->objects[0]->object_id = BEHIND;
	if (is != BEHIND_BACK)
		return;
	fixture->objects[0]->object_id = BEHIND;
	fixture->past[0].was = true;
	fixture->past[0].before = past->before;
	fixture->past[0].after.object_id = BEHIND;
}

static void forget_id(const struct undo_row *row, const char *form, struct object *object)
{
	if (!is_named(row->unseen, form))
		return;
	object->role = OBJECT_INCOMPLETE;
	object->provider_id = SLICE("");
}

/* Recorded with what it is to be, of which it has what needs nothing else. */
static void begin(const struct undo_row *row, const char *form, struct object *object)
{
	if (!is_named(row->unfinished, form))
		return;
	object->role = OBJECT_INCOMPLETE;
	object->resolved = object->applied;
}

static void add_step(struct fixture *fixture, size_t run, const char *id, const char *found, const char *left)
{
	struct past_object *past = &fixture->steps[run];

	past->was = found != NULL;
	past->is = left != NULL;
	if (found)
		fill(fixture, 0, found, &past->before);
	if (left)
		fill(fixture, 0, left, &past->after);
	fixture->later[run] = (struct undo_since){
		.run = slice_of(id),
		.command = fixture->renames && run == 1 ? SLICE("state mv") : SLICE("apply"),
		.records_only = fixture->renames && run == 1,
		.renames = fixture->renames && run == 1,
		.past = past,
		.past_count = 1,
	};
}

/* What a later run made anew in another place: t.user.b as it found that. */
static void add_moved(struct fixture *fixture, const char *lodger)
{
	struct past_object *past = &fixture->steps[0];

	past->was = true;
	fill(fixture, 1, lodger, &past->before);
	past->before.object_id = SLICE("0000000000000000000000000000001b");
	past->before.resolved = read(fixture, OLD_HOME);
	fixture->later[0] = (struct undo_since){
		.run = SLICE("22222222222222222222222222222222"),
		.command = SLICE("apply"),
		.past = past,
		.past_count = 1,
	};
	fixture->later_count = 1;
}

static bool tell_later(void *context, const struct undo_since **ret, size_t *ret_count)
{
	const struct fixture *fixture = context;

	*ret = fixture->later;
	*ret_count = fixture->later_count;
	return true;
}

static void add_written(struct fixture *fixture, const char *json)
{
	struct value given = read(fixture, json);
	struct value_member *members = arena_new_array(&fixture->arena, given.count, struct value_member);

	for (uint32_t i = 0; i < given.count; i++)
		members[i] = (struct value_member){given.members[i].key,
						   value_secret(&fixture->arena, given.members[i].value)};
	fixture->written = (struct resource){
		.address = slice_of(things[0].address), .kind = &net, .desired = value_map(members, given.count)};
	fixture->spec.resources = &fixture->written;
	fixture->spec.resource_count = 1;
}

static void add_now(struct fixture *fixture, const struct undo_row *row, size_t thing)
{
	struct object *now = arena_new(&fixture->arena, struct object);

	fill(fixture, thing, row->forms[thing].now, now);
	now->generation = 1;
	if (thing == 0 && row->begun)
		now->role = OBJECT_INCOMPLETE;
	if (thing == 0) {
		ignore(fixture, now, row->ignored.now);
		forget_id(row, "now", now);
	}
	fixture->live[fixture->object_count] = is_named(row->gone, things[thing].address) ? &absent : &present;
	fixture->objects[fixture->object_count++] = now;
}

/* What rows say of t.net.a alone, and of t.user.b. */
static void shape_net(struct fixture *fixture, const struct undo_row *row, struct past_object *past)
{
	ignore(fixture, &past->before, row->ignored.was);
	ignore(fixture, &past->after, row->ignored.left);
	forget_id(row, "was", &past->before);
	forget_id(row, "left", &past->after);
	if (row->replaced)
		past->before.object_id = SLICE("000000000000000000000000000000ff");
	if (past->was && row->let_go)
		past->before.let_go = read(fixture, row->let_go);
}

static void shape_user(struct fixture *fixture, const struct undo_row *row, struct past_object *past)
{
	begin(row, "was", &past->before);
	begin(row, "left", &past->after);
	if (past->was && row->behind)
		past->before.resolved = read(fixture, OLD_HOME);
	if (past->was && row->user_let_go)
		past->before.let_go = read(fixture, row->user_let_go);
}

static void add_past(struct fixture *fixture, const struct undo_row *row, size_t thing)
{
	const struct undo_forms *forms = &row->forms[thing];
	struct past_object *past = &fixture->past[fixture->past_count];

	past->was = forms->was != NULL;
	past->is = forms->left != NULL;
	if (past->was)
		fill(fixture, thing, forms->was, &past->before);
	if (past->is)
		fill(fixture, thing, forms->left, &past->after);
	if (past->was && row->seen)
		past->before.observed = read(fixture, row->seen);
	if (thing == 0)
		shape_net(fixture, row, past);
	if (thing == 1)
		shape_user(fixture, row, past);
	if (!same(forms->left, forms->now)) {
		past->next_run = SLICE("22222222222222222222222222222222");
		past->next_command = SLICE("apply");
	}
	fixture->past_count += past->was || past->is;
}

static void set_up(struct fixture *fixture, const struct undo_row *row)
{
	*fixture = (struct fixture){.spec = {.name = SLICE("lab")}, .stale = row->stale, .renames = row->renames};
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	for (size_t i = 0; i < UNDO_ADDRESSES; i++) {
		if (row->forms[i].now)
			add_now(fixture, row, i);
		add_past(fixture, row, i);
		add_touched(fixture, i, row->found[i]);
	}
	add_behind(fixture, row);
	if (row->between) {
		fixture->later_count = 2;
		add_step(fixture, 0, "22222222222222222222222222222222", row->forms[0].left, row->between);
		add_step(fixture, 1, "33333333333333333333333333333333", row->between, row->forms[0].now);
	}
	if (row->lodger)
		add_moved(fixture, row->lodger);
	if (row->spec)
		add_written(fixture, row->spec);
	if (row->variable) {
		fixture->variable = value_secret(&fixture->arena, value_text(row->variable));
		fixture->spec.variables = value_list(&fixture->variable, 1);
	}
}

static void tear_down(struct fixture *fixture)
{
	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
}

static bool is_said(const struct fixture *fixture, const struct undoing *undoing, const char *part)
{
	for (size_t i = 0; i < undoing->note_count; i++)
		if (slice_contains(undoing->notes[i].what, slice_of(part)))
			return true;
	for (size_t i = 0; i < fixture->diagnostics.count; i++)
		if (slice_contains(fixture->diagnostics.items[i].message, slice_of(part)))
			return true;
	return false;
}

static void expect_world(struct fixture *fixture, const struct undo_row *row, const struct undoing *undoing,
			 const struct json_style *style)
{
	struct value wanted = read(fixture, row->wanted);
	BUFFER_AUTO planned;

	buffer_init(&planned, 1024);
	if (wanted.count != undoing->stack.resource_count)
		fail_msg("%s: %zu resources", row->name, undoing->stack.resource_count);
	for (size_t i = 0; i < undoing->stack.resource_count; i++) {
		const struct resource *resource = &undoing->stack.resources[i];
		const struct value *fields = value_get(&wanted, resource->address);
		struct slice text_wanted = fields ? json_canonical(&fixture->arena, fields, style) : (struct slice){0};
		struct slice text_got = json_canonical(&fixture->arena, &resource->desired, style);

		if (!slice_equal(text_wanted, text_got))
			fail_msg("%s: %.*s", row->name, SLICE_ARGUMENTS(text_got));
		bool refers = value_get_named(&resource->desired, "net") || value_get_named(&resource->desired, "home");
		if (refers != (resource->dependency_count > 0))
			fail_msg("%s: %zu dependencies", row->name, resource->dependency_count);
	}
	for (size_t i = 0; i < undoing->address_count; i++) {
		buffer_string(&planned, i > 0 ? " " : "");
		buffer_append(&planned, undoing->addresses[i]);
	}
	if (!slice_equal(buffer_slice(&planned), slice_of(row->planned)))
		fail_msg("%s: planned %.*s", row->name, SLICE_ARGUMENTS(buffer_slice(&planned)));
}

static void expect_leaving(const struct undo_row *row, const struct undoing *undoing)
{
	enum { DIGITS = 2 };
	const char *wanted = row->leaving ? row->leaving : "";
	BUFFER_AUTO leaving;

	buffer_init(&leaving, 1024);
	for (size_t i = 0; i < undoing->leaving_count; i++)
		buffer_append(&leaving, slice_from(undoing->leaving[i], undoing->leaving[i].size - DIGITS));
	if (!slice_is(buffer_slice(&leaving), wanted))
		fail_msg("%s: leaving %.*s", row->name, SLICE_ARGUMENTS(buffer_slice(&leaving)));
}

static void expect_watched(const struct undo_row *row, const struct undoing *undoing)
{
	const struct resource *resource = &undoing->stack.resources[0];
	BUFFER_AUTO watched;

	buffer_init(&watched, 1024);
	for (uint32_t i = 0; i < resource->desired.count; i++) {
		struct slice name = value_slice(&resource->desired.members[i].key);

		if (!slice_is_among(name.data, resource->ignored, resource->ignored_count))
			buffer_format(&watched, "%s%.*s", watched.size > 0 ? " " : "", SLICE_ARGUMENTS(name));
	}
	if (!slice_equal(buffer_slice(&watched), slice_of(row->watched)))
		fail_msg("%s: watched %.*s", row->name, SLICE_ARGUMENTS(buffer_slice(&watched)));
}

static void expect_member(struct fixture *fixture, const struct undo_row *row, const struct value *is,
			  const char *expected, const struct json_style *style)
{
	struct slice json = json_canonical(&fixture->arena, is, style);

	if (expected && !slice_is(json, expected))
		fail_msg("%s: %.*s", row->name, SLICE_ARGUMENTS(json));
}

/* No row here tells what a reference comes to. */
static bool leave_deferred(const struct resolver *resolver, const struct value *value,
			   const struct output_source *source, struct arena *arena, struct value *ret,
			   struct diagnostics *diagnostics)
{
	(void)resolver;
	(void)source;
	(void)arena;
	(void)diagnostics;
	*ret = *value;
	return true;
}

static const struct resolver resolver = {.resolve = leave_deferred};

void undo_check_row(const struct undo_row *row)
{
	const struct json_style style = {.fingerprint = fingerprint};
	struct fixture fixture;
	struct undoing undoing;

	set_up(&fixture, row);
	struct undo_input input = {
		.run = SLICE("11111111111111111111111111111111"),
		.later = tell_later,
		.context = &fixture,
		.past = fixture.past,
		.past_count = fixture.past_count,
		.beside = &fixture.beside,
		.beside_count = fixture.beside_count,
		.touched = fixture.touched,
		.touched_count = fixture.touched_count,
		.objects = fixture.objects,
		.object_count = fixture.object_count,
		.live = row->gone ? fixture.live : NULL,
		.kinds = &kinds,
		.resolver = &resolver,
		.spec = &fixture.spec,
		.providers = &alias,
		.provider_count = 1,
		.identities = &place,
		.style = &style,
		.arena = &fixture.arena,
	};
	bool good = undo_make(&input, &undoing, &fixture.diagnostics);

	if (good == row->fails)
		fail_msg("%s: %s", row->name, good ? "was not refused" : "was refused");
	if (row->said ? !is_said(&fixture, &undoing, row->said) : undoing.note_count > 0)
		fail_msg("%s: said %s", row->name, row->said ? "otherwise" : "something");
	if (good)
		expect_world(&fixture, row, &undoing, &style);
	if (good)
		expect_leaving(row, &undoing);
	if (good && row->watched)
		expect_watched(row, &undoing);
	if (good && undoing.stack.resource_count > 0) {
		const struct resource *first = &undoing.stack.resources[0];

		expect_member(&fixture, row, &first->left_to_others, row->left_to_others, &style);
		expect_member(&fixture, row, &first->restores, row->restores, &style);
	}
	tear_down(&fixture);
}
