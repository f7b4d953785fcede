#include "specs/expression_function.h"

#include "specs/expression_operator.h"

/* The numbers of a call: its arguments, or the items of its only one. False after a diagnostic. */
static bool extreme(const struct call *call, int sign, struct value *ret)
{
	bool is_list = call->count == 1 && argument(call, 0)->type == VALUE_LIST;
	size_t count = is_list ? argument(call, 0)->count : call->count;
	const struct value *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct value *value = is_list ? &argument(call, 0)->items[i] : argument(call, i);

		if (((1U << value->type) & TAKES_NUMBER) == 0)
			return diag_error(call->diagnostics, FAULT_USER, argument_position(call, is_list ? 0 : i),
					  "'%s' needs numbers or one list of them, and there is %s among them",
					  call->function->name, value_type_name((enum value_type)value->type));
		if (!best || sign * numbers_compare(value, best) > 0)
			best = value;
	}
	if (!best)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0), "an empty list has no %s",
				  sign < 0 ? "smallest item" : "greatest item");
	*ret = *best;
	return true;
}

bool function_min(const struct call *call, struct value *ret)
{
	return extreme(call, -1, ret);
}

bool function_max(const struct call *call, struct value *ret)
{
	return extreme(call, 1, ret);
}

static bool no_whole_number(const struct call *call)
{
	return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0),
			  "the result of '%s' does not fit into a whole number of 64 bits", call->function->name);
}

bool function_abs(const struct call *call, struct value *ret)
{
	const struct value *value = argument(call, 0);

	if (value->type == VALUE_NUMBER) {
		*ret = value_number(value->number < 0 ? -value->number : value->number);
		return true;
	}
	if (value->integer == INT64_MIN)
		return no_whole_number(call);
	*ret = value_integer(value->integer < 0 ? -value->integer : value->integer);
	return true;
}

/* direction: -1 below, 1 above. */
static bool to_whole(const struct call *call, int direction, struct value *ret)
{
	const struct value *value = argument(call, 0);
	/* Exact: the least and one past the greatest whole number are powers of two. */
	const double least = -9223372036854775808.0, past = 9223372036854775808.0;
	int64_t whole;

	if (value->type == VALUE_INTEGER) {
		*ret = *value;
		return true;
	}
	if (!(value->number >= least && value->number < past))
		return no_whole_number(call);
	whole = (int64_t)value->number;
	if (direction < 0 && (double)whole > value->number)
		whole--;
	if (direction > 0 && (double)whole < value->number)
		whole++;
	*ret = value_integer(whole);
	return true;
}

bool function_floor(const struct call *call, struct value *ret)
{
	return to_whole(call, -1, ret);
}

bool function_ceil(const struct call *call, struct value *ret)
{
	return to_whole(call, 1, ret);
}
