#include "specs/expression.h"

#include "base/map.h"
#include "specs/expression_evaluate.h"

enum {
	/* Levels of lists and maps; what comes from files is capped below. */
	RESOLVE_DEEPEST = 256,
};

/* One call of the resolver. */
struct resolving {
	const struct output_source *source;
	struct arena *arena;
	struct diagnostics *diagnostics;
	struct redaction *secrets; /* or NULL */
	/* From a text that came without a program to its result: a plan holds many of the same. */
	struct map results;
};

#define RESOLVING_AUTO __attribute__((cleanup(resolving_release))) struct resolving

static void resolving_release(struct resolving *resolving)
{
	map_release(&resolving->results);
}

static bool resolve_value(struct resolving *resolving, const struct value *value, unsigned depth, struct value *ret);

/* The value of a text that came without a program, and with what its secret variables hold, if that is here. */
static bool resolve_alone(struct resolving *resolving, const struct value *value, struct value *ret)
{
	const struct value *secrets = value->deferred->secrets;
	struct secret_source held = {secrets, resolving->source};
	struct output_source source = {&held, evaluate_secret_get};
	const struct expression *expression;

	/* A fingerprint is not what it stands for. */
	if (!secrets || value_has_fingerprint(secrets))
		source = (struct output_source){0};
	return expression_compile(resolving->arena, value->deferred->text, value->position, NULL, NULL, &expression,
				  resolving->diagnostics) &&
	       expression_evaluate(expression, source.get ? &source : resolving->source, resolving->arena, ret,
				   resolving->diagnostics);
}

/* What text came to before in this call, or comes to now; NULL after a diagnostic. */
static const struct value *resolve_text(struct resolving *resolving, const struct value *value)
{
	struct value *result =
		value->deferred->secrets ? NULL : (struct value *)map_get(&resolving->results, value->deferred->text);

	if (result)
		return result;
	result = arena_new(resolving->arena, struct value);
	if (!resolve_alone(resolving, value, result))
		return NULL;
	/* The same text may stand for another value elsewhere. */
	if (value->deferred->secrets)
		return result;
	map_add(&resolving->results, value->deferred->text, result);
	return result;
}

static bool resolve_deferred(struct resolving *resolving, const struct value *value, struct value *ret)
{
	const struct expression *expression = (const struct expression *)value->deferred->program;
	const struct value *known;
	struct value result;

	if (!expression) {
		known = resolve_text(resolving, value);
		if (!known)
			return false;
		result = *known;
	} else if (!expression_evaluate(expression, resolving->source, resolving->arena, &result,
					resolving->diagnostics)) {
		return false;
	}
	if (result.type == VALUE_DEFERRED && slice_equal(result.deferred->text, value->deferred->text)) {
		*ret = *value;
		return true;
	}
	*ret = value_at(value->secret ? value_secret_if_unset(resolving->arena, result) : result, value->position);
	if (resolving->secrets)
		redaction_add_value(resolving->secrets, ret);
	return true;
}

/* Whether result is what value was: only deferred values change, and what holds them. */
static bool is_same(const struct value *result, const struct value *value)
{
	if (result->type != value->type)
		return false;
	if (value->type == VALUE_LIST)
		return result->items == value->items;
	if (value->type == VALUE_MAP)
		return result->members == value->members;
	return value->type != VALUE_DEFERRED || result->deferred == value->deferred;
}

static bool resolve_list(struct resolving *resolving, const struct value *value, unsigned depth, struct value *ret)
{
	struct value *items = NULL;
	struct value item;
	bool done = true;

	for (uint32_t i = 0; i < value->count; i++) {
		if (!resolve_value(resolving, &value->items[i], depth, &item)) {
			done = false;
			continue;
		}
		if (!items && is_same(&item, &value->items[i]))
			continue;
		if (!items) {
			items = arena_new_array(resolving->arena, value->count, struct value);
			memcpy(items, value->items, value->count * sizeof(*items));
		}
		items[i] = item;
	}
	*ret = *value;
	if (items)
		ret->items = items;
	return done;
}

static bool resolve_map(struct resolving *resolving, const struct value *value, unsigned depth, struct value *ret)
{
	struct value_member *members = NULL;
	struct value item;
	bool done = true;

	for (uint32_t i = 0; i < value->count; i++) {
		if (!resolve_value(resolving, &value->members[i].value, depth, &item)) {
			done = false;
			continue;
		}
		if (!members && is_same(&item, &value->members[i].value))
			continue;
		if (!members) {
			members = arena_new_array(resolving->arena, value->count, struct value_member);
			memcpy(members, value->members, value->count * sizeof(*members));
		}
		members[i].value = item;
	}
	*ret = *value;
	if (members)
		ret->members = members;
	return done;
}

static bool resolve_value(struct resolving *resolving, const struct value *value, unsigned depth, struct value *ret)
{
	if (depth == RESOLVE_DEEPEST)
		return diag_error(resolving->diagnostics, FAULT_USER, value->position,
				  "the value nests deeper than %d levels", RESOLVE_DEEPEST);
	switch ((enum value_type)value->type) {
	case VALUE_DEFERRED:
		return resolve_deferred(resolving, value, ret);
	case VALUE_LIST:
		return resolve_list(resolving, value, depth + 1, ret);
	case VALUE_MAP:
		return resolve_map(resolving, value, depth + 1, ret);
	case VALUE_NULL:
	case VALUE_BOOL:
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_STRING:
	case VALUE_UNREAD:
		break;
	}
	*ret = *value;
	return true;
}

static bool resolve(const struct resolver *resolver, const struct value *value, const struct output_source *source,
		    struct arena *arena, struct value *ret, struct diagnostics *diagnostics)
{
	RESOLVING_AUTO resolving = {
		.source = source, .arena = arena, .diagnostics = diagnostics, .secrets = resolver->context};
	struct value result;

	map_init(&resolving.results);
	if (!resolve_value(&resolving, value, 0, &result))
		return false;
	*ret = result;
	return true;
}

static struct value refer(struct arena *arena, struct slice address, struct slice output)
{
	return expression_of_reference(arena, address, output, NOWHERE);
}

struct resolver expression_resolver(struct redaction *secrets)
{
	return (struct resolver){.context = secrets, .resolve = resolve, .refer = refer};
}
