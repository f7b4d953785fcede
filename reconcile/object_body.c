#include "base/hex.h"
#include "reconcile/resource.h"
#include "reconcile/unfinished.h"

/* What the store keeps of an object besides its head, as text and back. */

enum { BODY_LIMIT_BYTES = 64 * 1024 * 1024 };

/* Null where none was. */
static struct value token_write(const struct digest *token, struct arena *arena)
{
	static const struct digest none = {0};

	return digest_equal(token, &none) ? value_null() : value_string(digest_text(arena, token));
}

struct slice object_body_write(const struct object *object, struct arena *arena, const struct json_style *style)
{
	struct value_member members[] = {
		{value_text("applied"), object->applied},
		{value_text("dependencies"), dependencies_write(object->dependencies, object->dependency_count, arena)},
		{value_text("ignored"), object->ignored},
		{value_text("observed"), object->observed},
		{value_text("outputs"), object->outputs},
		{value_text("resolved"), object->resolved},
		{value_text("let_go"), object->let_go},
		{value_text("own"), object->own},
		{value_text("released"), object->released},
		{value_text("spent_token"), token_write(&object->spent_token, arena)},
		{value_text("unfinished"), object->unfinished},
	};
	/* The last ones mostly say nothing. */
	const size_t most = sizeof(members) / sizeof(members[0]);
	size_t count = most - 5;

	for (size_t i = count; i < most; i++)
		if (!value_is(&members[i].value, VALUE_NULL))
			members[count++] = members[i];
	const struct value body = value_map(members, count);

	return json_canonical(arena, &body, style);
}

/* Adds to what is told of a damaged record how to go on. */
static bool refused_body(const struct object *object, struct diagnostics *diagnostics)
{
	diag_address(diagnostics, object->address);
	diag_hint(diagnostics, "put back the newest backup of the state file; where there is none, 'trueup state "
			       "rebuild --force' records what is there");
	return false;
}

static bool refuse_body(const struct object *object, struct diagnostics *diagnostics, const char *what)
{
	diag_error(diagnostics, FAULT_USER, NOWHERE, "the record of '%.*s' is damaged: %s",
		   SLICE_ARGUMENTS(object->address), what);
	return refused_body(object, diagnostics);
}

/* A member that is a map, or null where it was never known. */
static bool map_read(const struct value *body, const char *key, struct value *ret)
{
	const struct value *member = value_get_named(body, key);

	if (!member || (!value_is(member, VALUE_MAP) && !value_is(member, VALUE_NULL)))
		return false;
	*ret = *member;
	return true;
}

/* A list of names, or null where an older program wrote none. */
static bool names_read(const struct value *body, const char *key, struct value *ret)
{
	const struct value *member = value_if_set(value_get_named(body, key));
	bool good = !member || value_is(member, VALUE_LIST);

	for (uint32_t i = 0; member && good && i < member->count; i++)
		good = value_is(&member->items[i], VALUE_STRING);
	*ret = member ? *member : value_null();
	return good;
}

static bool token_read(const struct value *body, struct digest *ret)
{
	const struct value *member = value_if_set(value_get_named(body, "spent_token"));

	*ret = (struct digest){0};
	return !member || digest_read(value_slice(member), ret);
}

bool object_body_read(struct object *object, struct slice text, struct arena *arena, struct diagnostics *diagnostics)
{
	struct object read = *object;
	struct dependency *dependencies;
	const struct value *list;
	struct value body;

	if (!json_read(arena, text, true, BODY_LIMIT_BYTES, "a record of the state", &body, diagnostics))
		return refused_body(object, diagnostics);
	list = value_get_named(&body, "dependencies");
	if (!map_read(&body, "applied", &read.applied) || !map_read(&body, "observed", &read.observed) ||
	    !map_read(&body, "outputs", &read.outputs) || !map_read(&body, "resolved", &read.resolved) ||
	    !names_read(&body, "ignored", &read.ignored) || !list || !value_is(list, VALUE_LIST))
		return refuse_body(object, diagnostics, "a part of it is missing, or is of a wrong type");
	if (!dependencies_read(list, arena, &dependencies))
		return refuse_body(object, diagnostics, "a dependency of it names no address or no binding");
	const struct value *unfinished = value_get_named(&body, "unfinished");
	if (!unfinished_is_sound(unfinished, arena))
		return refuse_body(object, diagnostics, "what it says of an unfinished change is of a wrong type");
	read.unfinished = unfinished ? *unfinished : value_null();
	read.let_go = read.own = value_null();
	if (value_get_named(&body, "let_go") && !map_read(&body, "let_go", &read.let_go))
		return refuse_body(object, diagnostics, "what it says of a deletion is of a wrong type");
	if (value_get_named(&body, "own") && !map_read(&body, "own", &read.own))
		return refuse_body(object, diagnostics, "what it says of its own items is of a wrong type");
	if (!names_read(&body, "released", &read.released))
		return refuse_body(object, diagnostics, "what it says of what the spec let go of is of a wrong type");
	if (!token_read(&body, &read.spent_token))
		return refuse_body(object, diagnostics, "what it says of a token is no digest");
	read.dependencies = dependencies;
	read.dependency_count = list->count;
	read.has_body = true;
	*object = read;
	return true;
}

bool object_check_id(const struct object *object, const struct kind *kind, struct arena *arena,
		     struct diagnostics *diagnostics)
{
	const struct output *output = kind ? kind_output(kind, NULL) : NULL;
	const struct value *told = output ? value_get_named(&object->outputs, output->name) : NULL;

	/* A machine is found by its address, whatever its controller calls it by now. */
	if (!told || kind->found || !value_is(told, VALUE_STRING) || object->provider_id.size == 0 ||
	    slice_equal(value_slice(told), object->provider_id))
		return true;
	return refuse_body(object, diagnostics,
			   arena_text(arena, "its id is '%.*s', and '%.*s' among its outputs",
				      SLICE_ARGUMENTS(object->provider_id), SLICE_ARGUMENTS(value_slice(told))));
}
