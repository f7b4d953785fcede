#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/undo.h"

/*
 * What becomes of what a run changed. A row gives, for each of t.net.a, t.user.b and t.user.c,
 * the fields that the run found, left, and that are recorded now, as JSON; NULL: nothing is recorded.
 */

static const struct field text = {.name = "text", .type = FIELD_STRING};
static const struct field net_fields[] = {
	{.name = "range", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_REPLACE},
	{.name = "dns", .type = FIELD_BOOL, .when_unset = UNSET_CONSTANT, .unset_value = "true"},
	{.name = "label", .type = FIELD_STRING, .when_unset = UNSET_RELEASE},
	{.name = "zone", .type = FIELD_STRING, .flags = IMMUTABLE, .when_unset = UNSET_RELEASE},
	{.name = "tags", .type = FIELD_MAP, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "list", .type = FIELD_LIST, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "set", .type = FIELD_SET, .item = &text, .when_unset = UNSET_CLEAR},
	{.name = "key", .type = FIELD_STRING, .flags = SECRET | WRITE_ONLY, .when_unset = UNSET_CLEAR},
};
static const struct output id_output[] = {{.name = "id"}};
static const struct kind net = {
	.name = "t.net", .version = 1, .fields = FIELDS(net_fields), .outputs = FIELDS(id_output)};
static const struct field user_fields[] = {
	{.name = "net", .type = FIELD_REFERENCE, .target = "t.net", .when_unset = UNSET_CLEAR},
	{.name = "size", .type = FIELD_INTEGER, .when_unset = UNSET_RELEASE},
};
static const struct kind user = {
	.name = "t.user", .version = 1, .fields = FIELDS(user_fields), .outputs = FIELDS(id_output)};
static const struct kind *const kind_list[] = {&net, &user};
static const struct kinds kinds = {kind_list, 2};

enum { ADDRESSES = 3 };

static const struct {
	const char *address;
	const struct kind *kind;
	const char *id;
} things[ADDRESSES] = {
	{"t.net.a", &net, "0000000000000000000000000000000a"},
	{"t.user.b", &user, "0000000000000000000000000000000b"},
	{"t.user.c", &user, "0000000000000000000000000000000c"},
};

/* The fingerprint of a secret is its first letter, to be told apart by reading. */
static void fingerprint(void *context, struct slice secret, char ret[65])
{
	(void)context;
	memset(ret, secret.size > 0 ? secret.data[0] : '-', 64);
	ret[64] = 0;
}

#define SECRET_OF(letter) "{\"$secret\":\"" LETTERS(letter) "\"}"
#define AROUND(text, letter) "{\"$segments\":[\"" text "\"," SECRET_OF(letter) "]}"
#define LETTERS(letter) FOUR(FOUR(FOUR(letter)))
#define FOUR(letter) letter letter letter letter

struct forms {
	const char *was, *left, *now;
};

struct row {
	const char *name;
	struct forms forms[ADDRESSES];
	const char *spec;     /* fields of t.net.a in the spec, secrets as {"$secret":...} of their letter */
	const char *variable; /* what the one secret variable of the spec holds, or NULL */
	const char *seen;     /* what t.net.a was like when the run found it */
	const char *wanted;   /* desired fields of the resources, by address */
	const char *planned;  /* addresses, separated by spaces */
	/* What an undoing of the run, which was the last to change it, found; "": nothing. NULL: there was none. */
	const char *found[ADDRESSES];
	bool stale;	     /* users are recorded as referring to t.net.a, whatever their fields say */
	bool begun;	     /* what is recorded of t.net.a now is not finished */
	const char *watched; /* fields of t.net.a that the plan is to look at, separated by spaces; NULL: not told */
	const char *said;    /* part of a note or, where it fails, of the error */
	bool fails;
};

static const struct dependency needs[] = {
	{.address = {"t.net.a", 7}, .output = {"id", 2}, .field = {"net", 3}, .binding = BINDS_MAKE},
	{.address = {"t.user.c", 8}, .output = {"id", 2}, .field = {"net", 3}, .binding = BINDS_MAKE},
};

#define OTHER "{\"$deferred\":\"${t.user.c.id}\"}"
#define NET "{\"$deferred\":\"${t.net.a.id}\"}"

static const struct row rows[] = {
	{"nothing was changed",
	 {{"{\"dns\":true}", "{\"dns\":true}", "{\"dns\":true}"}},
	 .wanted = "{\"t.net.a\":{\"dns\":true}}"},
	{"a field",
	 {{"{\"dns\":true,\"label\":\"x\"}", "{\"dns\":false,\"label\":\"x\"}", "{\"dns\":false,\"label\":\"y\"}"}},
	 .wanted = "{\"t.net.a\":{\"dns\":true,\"label\":\"y\"}}",
	 .planned = "t.net.a"},
	{"a field that is as it was again",
	 {{"{\"dns\":true}", "{\"dns\":false}", "{\"dns\":true}"}},
	 .wanted = "{\"t.net.a\":{\"dns\":true}}"},
	{"a field that was changed since",
	 {{"{\"label\":\"x\"}", "{\"label\":\"y\"}", "{\"label\":\"z\"}"}},
	 .said = "'t.net.a' has changed again since: 'label' (apply, run 22222222)",
	 .fails = true},
	{"a field that was not set, and goes by its rule",
	 {{"{}", "{\"dns\":false}", "{\"dns\":false}"}},
	 .wanted = "{\"t.net.a\":{}}",
	 .planned = "t.net.a"},
	{"a field that was not set, and was seen",
	 {{"{}", "{\"label\":\"y\"}", "{\"label\":\"y\"}"}},
	 .seen = "{\"label\":\"x\"}",
	 .wanted = "{\"t.net.a\":{\"label\":\"x\"}}",
	 .planned = "t.net.a"},
	{"a field that was not set, and cannot change in place",
	 {{"{}", "{\"zone\":\"y\"}", "{\"zone\":\"y\"}"}},
	 .seen = "{\"zone\":\"x\"}",
	 .wanted = "{\"t.net.a\":{}}",
	 .planned = "t.net.a"},
	{"a field that could not be read then",
	 {{"{}", "{\"label\":\"y\"}", "{\"label\":\"y\"}"}},
	 .seen = "{\"label\":{\"$unread\":true}}",
	 .wanted = "{\"t.net.a\":{}}",
	 .planned = "t.net.a"},
	{"keys of a map",
	 {{"{\"tags\":{\"a\":\"1\",\"b\":\"1\",\"gone\":\"1\"}}", "{\"tags\":{\"a\":\"2\",\"b\":\"1\",\"new\":\"2\"}}",
	   "{\"tags\":{\"a\":\"2\",\"b\":\"3\",\"new\":\"2\",\"later\":\"3\"}}"}},
	 .wanted = "{\"t.net.a\":{\"tags\":{\"a\":\"1\",\"b\":\"3\",\"gone\":\"1\",\"later\":\"3\"}}}",
	 .planned = "t.net.a"},
	{"a key that was changed since",
	 {{"{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":\"2\"}}", "{\"tags\":{\"a\":\"3\"}}"}},
	 .said = "'tags.a'",
	 .fails = true},
	{"a key that was taken out since",
	 {{"{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{\"a\":\"2\"}}", "{\"tags\":{}}"}},
	 .said = "'tags.a'",
	 .fails = true},
	{"a key that the run took out, and that is another since",
	 {{"{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{}}", "{\"tags\":{\"a\":\"3\"}}"}},
	 .said = "'tags.a'",
	 .fails = true},
	{"items of a set",
	 {{"{\"set\":[\"a\",\"b\"]}", "{\"set\":[\"b\",\"c\"]}", "{\"set\":[\"c\",\"d\"]}"}},
	 .wanted = "{\"t.net.a\":{\"set\":[\"d\",\"a\"]}}",
	 .planned = "t.net.a"},
	{"a list is one thing",
	 {{"{\"list\":[\"a\"]}", "{\"list\":[\"b\"]}", "{\"list\":[\"b\",\"c\"]}"}},
	 .said = "'list'",
	 .fails = true},

	{"made", {{NULL, "{\"dns\":true}", "{\"dns\":true}"}}, .wanted = "{}", .planned = "t.net.a"},
	{"made, and gone", {{NULL, "{\"dns\":true}", NULL}}, .wanted = "{}"},
	{"made, and changed since",
	 {{NULL, "{\"dns\":true}", "{\"dns\":false}"}},
	 .said = "'t.net.a' has changed again since (apply, run 22222222)",
	 .fails = true},
	{"made, and needed",
	 {{NULL, "{}", "{}"}, {"{\"size\":1}", "{\"size\":1}", "{\"net\":" NET ",\"size\":1}"}},
	 .said = "'t.user.b' needs 't.net.a', which the run made",
	 .fails = true},
	{"both made",
	 {{NULL, "{}", "{}"}, {NULL, "{\"net\":" NET "}", "{\"net\":" NET "}"}},
	 .wanted = "{}",
	 .planned = "t.net.a t.user.b"},
	{"made, and referred to by the run alone",
	 {{NULL, "{}", "{}"}, {"{\"size\":1}", "{\"net\":" NET ",\"size\":1}", "{\"net\":" NET ",\"size\":1}"}},
	 .wanted = "{\"t.user.b\":{\"size\":1}}",
	 .planned = "t.net.a t.user.b"},
	{"removed", {{"{\"dns\":true}", NULL, NULL}}, .wanted = "{\"t.net.a\":{\"dns\":true}}", .planned = "t.net.a"},
	{"removed, and there again alike",
	 {{"{\"dns\":true}", NULL, "{\"dns\":true}"}},
	 .wanted = "{\"t.net.a\":{\"dns\":true}}"},
	{"removed, and there again otherwise",
	 {{"{\"dns\":true}", NULL, "{\"dns\":false}"}},
	 .said = "'t.net.a' is there again, and otherwise",
	 .fails = true},
	{"removed with what refers to it",
	 {{"{}", NULL, NULL}, {"{\"net\":" NET "}", NULL, NULL}},
	 .wanted = "{\"t.net.a\":{},\"t.user.b\":{\"net\":" NET "}}",
	 .planned = "t.net.a t.user.b"},
	{"removed, and what it needs is gone since",
	 {{"{}", "{}", NULL}, {"{\"net\":" NET "}", NULL, NULL}},
	 .wanted = "{}",
	 .said = "is not made again: it needs 't.net.a', which is not there any more"},
	{"removed, and what it needs cannot be made again",
	 {{"{}", "{}", NULL}, {"{\"net\":" OTHER "}", NULL, NULL}, {"{\"net\":" NET "}", NULL, NULL}},
	 .wanted = "{}",
	 .said = "is not made again: it needs 't.user.c', which is not there any more"},
	{"a reference to what is gone since",
	 {{"{}", "{}", NULL}, {"{\"net\":" NET "}", "{}", "{}"}},
	 .wanted = "{\"t.user.b\":{}}",
	 .said = "stays as it is: it needs 't.net.a'"},
	{"changed, and gone since",
	 {{"{\"dns\":true}", "{\"dns\":false}", NULL}},
	 .said = "'t.net.a' is gone since (apply, run 22222222)",
	 .fails = true},
	{"what refers to what goes back is planned, too",
	 {{"{\"range\":\"1\"}", "{\"range\":\"2\"}", "{\"range\":\"2\"}"},
	  {"{\"net\":" NET "}", "{\"net\":" NET "}", "{\"net\":" NET "}"}},
	 .wanted = "{\"t.net.a\":{\"range\":\"1\"},\"t.user.b\":{\"net\":" NET "}}",
	 .planned = "t.net.a t.user.b"},

	{"a field that was seen, and an undoing has set",
	 {{"{}", "{\"label\":\"y\"}", "{\"label\":\"x\"}"}},
	 .seen = "{\"label\":\"x\"}",
	 .wanted = "{\"t.net.a\":{\"label\":\"x\"}}"},
	{"removed, and there again half made",
	 {{"{\"dns\":true}", NULL, "{\"dns\":true}"}},
	 .begun = true,
	 .wanted = "{\"t.net.a\":{\"dns\":true}}",
	 .planned = "t.net.a"},
	{"changed, and there again half made",
	 {{"{\"range\":\"1\"}", "{\"range\":\"2\"}", "{\"range\":\"1\"}"}},
	 .begun = true,
	 .wanted = "{\"t.net.a\":{\"range\":\"1\"}}",
	 .planned = "t.net.a"},
	{"deleted by an undoing that was to replace it",
	 {{"{\"range\":\"1\"}", "{\"range\":\"2\"}", NULL}},
	 .found = {"{\"range\":\"2\"}"},
	 .wanted = "{\"t.net.a\":{\"range\":\"1\"}}",
	 .planned = "t.net.a"},
	{"deleted by an undoing, and others had changed it before",
	 {{"{\"range\":\"1\"}", "{\"range\":\"2\"}", NULL}},
	 .found = {"{\"label\":\"y\",\"range\":\"2\"}"},
	 .wanted = "{\"t.net.a\":{\"label\":\"y\",\"range\":\"1\"}}",
	 .planned = "t.net.a"},
	{"deleted by an undoing, and others had changed the same before",
	 {{"{\"range\":\"1\"}", "{\"range\":\"2\"}", NULL}},
	 .found = {"{\"range\":\"3\"}"},
	 .said = "'t.net.a' has changed again since: 'range'",
	 .fails = true},
	{"deleted by an undoing with a secret",
	 {{"{\"key\":" SECRET_OF("a") ",\"range\":\"1\"}", "{\"key\":" SECRET_OF("a") ",\"range\":\"2\"}", NULL}},
	 .found = {"{\"key\":" SECRET_OF("a") ",\"range\":\"2\"}"},
	 .wanted = "{}",
	 .planned = "t.net.a",
	 .said = "is not made again: its 'key' is a secret"},
	{"made, and deleted by an undoing",
	 {{NULL, "{\"dns\":true}", NULL}},
	 .found = {"{\"dns\":true}"},
	 .wanted = "{}",
	 .planned = "t.net.a"},
	{"replaced by an undoing, and what refers to it may not have followed",
	 {{"{\"range\":\"1\"}", "{\"range\":\"2\"}", "{\"range\":\"1\"}"},
	  {"{\"net\":" NET "}", "{\"net\":" NET "}", "{\"net\":" NET "}"}},
	 .found = {"{\"range\":\"2\"}"},
	 .wanted = "{\"t.net.a\":{\"range\":\"1\"},\"t.user.b\":{\"net\":" NET "}}",
	 .planned = "t.net.a t.user.b"},
	{"half changed by an undoing",
	 {{"{\"set\":[\"a\",\"b\"]}", "{\"set\":[\"b\",\"c\"]}", "{\"set\":[\"b\"]}"}},
	 .found = {"{\"set\":[\"b\",\"c\"]}"},
	 .wanted = "{\"t.net.a\":{\"set\":[\"a\",\"b\"]}}",
	 .planned = "t.net.a"},
	{"made, and half taken down by an undoing",
	 {{NULL, "{\"set\":[\"a\",\"b\"]}", "{\"set\":[\"b\"]}"}},
	 .found = {"{\"set\":[\"a\",\"b\"]}"},
	 .wanted = "{}",
	 .planned = "t.net.a"},
	{"removed, and half made by an undoing",
	 {{"{\"set\":[\"a\",\"b\"]}", NULL, "{\"set\":[\"b\"]}"}},
	 .found = {""},
	 .wanted = "{\"t.net.a\":{\"set\":[\"a\",\"b\"]}}",
	 .planned = "t.net.a"},
	{"what refers to what goes back has let go of it, and an undoing was cut off then",
	 {{"{\"range\":\"1\"}", "{\"range\":\"2\"}", "{\"range\":\"1\"}"},
	  {"{\"net\":" NET "}", "{\"net\":" NET "}", "{}"}},
	 .found = {"{\"range\":\"2\"}", "{\"net\":" NET "}"},
	 .wanted = "{\"t.net.a\":{\"range\":\"1\"},\"t.user.b\":{\"net\":" NET "}}",
	 .planned = "t.net.a t.user.b"},
	{"changed by an undoing for a deletion that was cut off",
	 {{"{\"label\":\"x\",\"range\":\"1\"}", "{\"label\":\"x\",\"range\":\"2\"}",
	   "{\"label\":\"y\",\"range\":\"1\"}"}},
	 .found = {"{\"label\":\"x\",\"range\":\"2\"}"},
	 .wanted = "{\"t.net.a\":{\"label\":\"x\",\"range\":\"1\"}}",
	 .planned = "t.net.a",
	 .watched = "range label"},
	{"removed, and once referred to what is gone since",
	 {{"{}", "{}", NULL}, {"{\"size\":1}", NULL, NULL}},
	 .stale = true,
	 .wanted = "{\"t.user.b\":{\"size\":1}}",
	 .planned = "t.user.b"},
	{"what the run did not change, and an undoing deleted",
	 {{"{\"range\":\"1\"}", "{\"range\":\"2\"}", "{\"range\":\"1\"}"}},
	 .found = {"{\"range\":\"2\"}", "{\"net\":" NET "}"},
	 .wanted = "{\"t.net.a\":{\"range\":\"1\"},\"t.user.b\":{\"net\":" NET "}}",
	 .planned = "t.net.a t.user.b"},
	{"what the run did not change, and an undoing did not find",
	 {{NULL, NULL, "{\"dns\":true}"}},
	 .found = {""},
	 .wanted = "{\"t.net.a\":{\"dns\":true}}"},

	{"a secret that nobody has any more",
	 {{"{\"dns\":true,\"key\":" SECRET_OF("a") "}", "{\"dns\":false,\"key\":" SECRET_OF("b") "}",
	   "{\"dns\":false,\"key\":" SECRET_OF("b") "}"}},
	 .wanted = "{\"t.net.a\":{\"dns\":true,\"key\":" SECRET_OF("b") "}}",
	 .planned = "t.net.a",
	 .said = "'key' keeps its value: what it was is a secret"},
	{"a secret that the spec has",
	 {{"{\"key\":" SECRET_OF("a") "}", "{\"key\":" SECRET_OF("b") "}", "{\"key\":" SECRET_OF("b") "}"}},
	 .spec = "{\"key\":\"abc\"}",
	 .wanted = "{\"t.net.a\":{\"key\":" SECRET_OF("a") "}}",
	 .planned = "t.net.a"},
	{"a secret that the spec has otherwise",
	 {{"{\"key\":" SECRET_OF("a") "}", "{\"key\":" SECRET_OF("b") "}", "{\"key\":" SECRET_OF("b") "}"}},
	 .spec = "{\"key\":\"xyz\"}",
	 .wanted = "{\"t.net.a\":{\"key\":" SECRET_OF("b") "}}",
	 .said = "'key' keeps its value: what it was is a secret"},
	{"a secret that a variable has and nothing uses",
	 {{"{\"key\":" SECRET_OF("a") "}", NULL, NULL}},
	 .variable = "abc",
	 .wanted = "{\"t.net.a\":{\"key\":" SECRET_OF("a") "}}",
	 .planned = "t.net.a"},
	{"a text around a secret that the spec has within another text",
	 {{"{\"label\":" AROUND("x-", "a") "}", "{\"label\":" AROUND("y-", "a") "}",
	   "{\"label\":" AROUND("y-", "a") "}"}},
	 .variable = "abc",
	 .wanted = "{\"t.net.a\":{\"label\":" AROUND("x-", "a") "}}",
	 .planned = "t.net.a"},
	{"keys beside one with a secret that the spec has",
	 {{"{\"tags\":{\"a\":\"1\",\"s\":" AROUND("x-", "a") "}}",
	   "{\"tags\":{\"a\":\"2\",\"new\":\"2\",\"s\":" AROUND("x-", "a") "}}",
	   "{\"tags\":{\"a\":\"2\",\"new\":\"2\",\"s\":" AROUND("x-", "a") "}}"}},
	 .variable = "abc",
	 .wanted = "{\"t.net.a\":{\"tags\":{\"a\":\"1\",\"s\":" AROUND("x-", "a") "}}}",
	 .planned = "t.net.a"},
	{"keys beside one whose secret nobody has any more",
	 {{"{\"tags\":{\"a\":\"1\",\"s\":" SECRET_OF("a") "}}",
	   "{\"tags\":{\"a\":\"2\",\"new\":\"2\",\"s\":" SECRET_OF("b") "}}",
	   "{\"tags\":{\"a\":\"2\",\"new\":\"2\",\"s\":" SECRET_OF("b") "}}"}},
	 .variable = "bcd",
	 .wanted = "{\"t.net.a\":{\"tags\":{\"a\":\"1\",\"s\":" SECRET_OF("b") "}}}",
	 .planned = "t.net.a",
	 .said = "'tags.s' keeps its value: what it was is a secret"},
	{"keys beside one that was taken out with its secret",
	 {{"{\"tags\":{\"a\":\"1\",\"s\":" SECRET_OF("a") "}}", "{\"tags\":{\"a\":\"2\"}}",
	   "{\"tags\":{\"a\":\"2\"}}"}},
	 .wanted = "{\"t.net.a\":{\"tags\":{\"a\":\"1\"}}}",
	 .planned = "t.net.a",
	 .said = "'tags.s' is not set again: what it was is a secret"},
	{"nothing but a key whose secret nobody has any more",
	 {{"{\"tags\":{\"a\":\"1\",\"s\":" SECRET_OF("a") "}}", "{\"tags\":{\"a\":\"1\",\"s\":" SECRET_OF("b") "}}",
	   "{\"tags\":{\"a\":\"1\",\"s\":" SECRET_OF("b") "}}"}},
	 .variable = "bcd",
	 .wanted = "{\"t.net.a\":{\"tags\":{\"a\":\"1\",\"s\":" SECRET_OF("b") "}}}",
	 .said = "'tags.s' keeps its value: what it was is a secret"},
	{"keys where neither what one was nor what it is is known",
	 {{"{\"tags\":{\"a\":\"1\",\"s\":" SECRET_OF("a") "}}", "{\"tags\":{\"a\":\"2\",\"s\":" SECRET_OF("b") "}}",
	   "{\"tags\":{\"a\":\"2\",\"s\":" SECRET_OF("b") "}}"}},
	 .wanted = "{\"t.net.a\":{\"tags\":{\"a\":\"2\",\"s\":" SECRET_OF("b") "}}}",
	 .said = "'tags' keeps its value: what it was is a secret"},
	{"a secret that the run did not touch",
	 {{"{\"dns\":true,\"key\":" SECRET_OF("a") "}", "{\"dns\":false,\"key\":" SECRET_OF("a") "}",
	   "{\"dns\":false,\"key\":" SECRET_OF("a") "}"}},
	 .wanted = "{\"t.net.a\":{\"dns\":true,\"key\":" SECRET_OF("a") "}}",
	 .planned = "t.net.a"},
	{"removed with a secret",
	 {{"{\"key\":" SECRET_OF("a") "}", NULL, NULL}},
	 .wanted = "{}",
	 .said = "is not made again: its 'key' is a secret"},
	{"removed with a secret that the spec has",
	 {{"{\"key\":" SECRET_OF("a") "}", NULL, NULL}},
	 .spec = "{\"key\":\"abc\"}",
	 .wanted = "{\"t.net.a\":{\"key\":" SECRET_OF("a") "}}",
	 .planned = "t.net.a"},
};

struct fixture {
	struct arena arena;
	struct diagnostics diagnostics;
	struct object *objects[ADDRESSES];
	size_t object_count;
	struct past_object past[ADDRESSES];
	size_t past_count;
	bool stale;
	struct undo_touched touched[ADDRESSES];
	size_t touched_count;
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
	const struct value *reference = value_get_named(&ret->applied, "net");
	if (fixture->stale && things[thing].kind == &user) {
		ret->dependencies = needs;
		ret->dependency_count = 1;
	}
	if (reference) {
		ret->dependencies = &needs[slice_contains(reference->deferred->text, SLICE("t.user.c")) ? 1 : 0];
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

static void set_up(struct fixture *fixture, const struct row *row)
{
	*fixture = (struct fixture){.spec = {.name = SLICE("lab")}, .stale = row->stale};
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	for (size_t i = 0; i < ADDRESSES; i++) {
		const struct forms *forms = &row->forms[i];
		struct past_object *past = &fixture->past[fixture->past_count];

		if (forms->now) {
			struct object *now = arena_new(&fixture->arena, struct object);

			fill(fixture, i, forms->now, now);
			if (i == 0 && row->begun)
				now->role = OBJECT_INCOMPLETE;
			fixture->objects[fixture->object_count++] = now;
		}
		past->was = forms->was != NULL;
		past->is = forms->left != NULL;
		if (past->was)
			fill(fixture, i, forms->was, &past->before);
		if (past->is)
			fill(fixture, i, forms->left, &past->after);
		if (past->was && row->seen)
			past->before.observed = read(fixture, row->seen);
		if (!same(forms->left, forms->now)) {
			past->next_run = SLICE("22222222222222222222222222222222");
			past->next_command = SLICE("apply");
		}
		fixture->past_count += past->was || past->is;
		add_touched(fixture, i, row->found[i]);
	}
	if (row->spec) {
		struct value given = read(fixture, row->spec);
		struct value_member *members = arena_new_array(&fixture->arena, given.count, struct value_member);

		for (uint32_t i = 0; i < given.count; i++)
			members[i] = (struct value_member){given.members[i].key,
							   value_secret(&fixture->arena, given.members[i].value)};
		fixture->written = (struct resource){.address = slice_of(things[0].address),
						     .kind = &net,
						     .desired = value_map(members, given.count)};
		fixture->spec.resources = &fixture->written;
		fixture->spec.resource_count = 1;
	}
	if (row->variable) {
		fixture->variable = value_secret(&fixture->arena, value_text(row->variable));
		fixture->spec.secrets = value_list(&fixture->variable, 1);
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

static void expect_world(struct fixture *fixture, const struct row *row, const struct undoing *undoing,
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
		bool refers = value_get_named(&resource->desired, "net") != NULL;
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

static void expect_watched(const struct row *row, const struct undoing *undoing)
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

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct json_style style = {.fingerprint = fingerprint};
		const struct row *row = &rows[i];
		struct fixture fixture;
		struct undoing undoing;

		set_up(&fixture, row);
		struct undo_input input = {
			.run = SLICE("11111111111111111111111111111111"),
			.past = fixture.past,
			.past_count = fixture.past_count,
			.touched = fixture.touched,
			.touched_count = fixture.touched_count,
			.objects = fixture.objects,
			.object_count = fixture.object_count,
			.kinds = &kinds,
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
		if (good && row->watched)
			expect_watched(row, &undoing);
		undo_release(&undoing);
		tear_down(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
