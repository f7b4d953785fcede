#include "providers/aws/kinds/field_rules.h"

#include <string.h>

const char *const aws_never[] = {NULL};
const char *const aws_true[] = {"true", NULL};

static bool is_set(const struct value *value)
{
	if (value_is(value, VALUE_LIST))
		return value->count > 0;
	return value_if_set(value) && !(value_is(value, VALUE_STRING) && value_slice(value).size == 0);
}

static bool holds(const struct said *said, const struct value *map)
{
	const struct value *value = value_path(map, said->path);

	if (!is_set(value))
		return said->or_unset;
	if (value_has_deferred(value))
		return false;
	if (!said->words)
		return true;
	if (value_is(value, VALUE_BOOL))
		return slice_is_one_of(slice_of(value_is_true(value) ? "true" : "false"), said->words);
	return value_is(value, VALUE_STRING) && slice_is_one_of(value_slice(value), said->words);
}

static bool check(const struct field_rule *rule, const struct value *map, struct diagnostics *diagnostics)
{
	const size_t most = sizeof(rule->fields) / sizeof(rule->fields[0]);
	size_t count = 0;

	for (; count < most && rule->fields[count].path; count++)
		if (!holds(&rule->fields[count], map))
			return true;
	diag_error(diagnostics, FAULT_USER, value_path(map, rule->fields[0].path)->position, "%s", rule->message);
	for (size_t i = 1; i < count; i++) {
		const char *path = rule->fields[i].path, *dot = strrchr(path, '.');
		const struct value *value = value_path(map, path);

		if (is_set(value))
			diag_related(diagnostics, value->position, "'%s' is set here", dot ? dot + 1 : path);
	}
	diag_hint(diagnostics, "%s", rule->hint);
	return false;
}

bool aws_check_rules(const struct field_rule *rules, size_t count, const struct value *map,
		     struct diagnostics *diagnostics)
{
	bool good = true;

	for (size_t i = 0; value_is(map, VALUE_MAP) && i < count; i++)
		good = check(&rules[i], map, diagnostics) && good;
	return good;
}
