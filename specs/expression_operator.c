#include "specs/expression_operator.h"

#include <math.h>

static const struct value *operand(const struct operation *operation, size_t index)
{
	return &operation->operands[index]->literal.value;
}

static bool is_numeric(const struct value *value)
{
	return value->type == VALUE_INTEGER || value->type == VALUE_NUMBER;
}

static double as_number(const struct value *value)
{
	return value->type == VALUE_INTEGER ? (double)value->integer : value->number;
}

/* That each operand is a number; a diagnostic at the first that is not. */
static bool take_numbers(const struct operation *operation)
{
	for (uint32_t i = 0; i < operation->node->child_count; i++) {
		const struct value *value = operand(operation, i);

		if (is_numeric(value))
			continue;
		diag_error(operation->diagnostics, FAULT_USER, operation->operands[i]->position,
			   "'%s' needs a number here, not %s", operation->node->operator->text,
			   value_type_name((enum value_type)value->type));
		if (value->type == VALUE_STRING)
			diag_hint(
				operation->diagnostics,
				"turn a string of digits into a number with tonumber(); join strings as \"${a}${b}\"");
		return false;
	}
	return true;
}

static bool overflow(const struct operation *operation)
{
	diag_error(operation->diagnostics, FAULT_USER, operation->node->position,
		   "the result of '%s' does not fit into a whole number of 64 bits", operation->node->operator->text);
	return false;
}

static bool finite_result(const struct operation *operation, double number, struct value *ret)
{
	if (!isfinite(number))
		return diag_error(operation->diagnostics, FAULT_USER, operation->node->position,
				  "the result of '%s' is too large for a number", operation->node->operator->text);
	*ret = value_number(number);
	return true;
}

/* Both operands are integers. */
static bool both_whole(const struct operation *operation)
{
	return operand(operation, 0)->type == VALUE_INTEGER && operand(operation, 1)->type == VALUE_INTEGER;
}

static bool add_whole(int64_t left, int64_t right, int64_t *ret)
{
	return __builtin_add_overflow(left, right, ret);
}

static double add_number(double left, double right)
{
	return left + right;
}

static bool subtract_whole(int64_t left, int64_t right, int64_t *ret)
{
	return __builtin_sub_overflow(left, right, ret);
}

static double subtract_number(double left, double right)
{
	return left - right;
}

static bool multiply_whole(int64_t left, int64_t right, int64_t *ret)
{
	return __builtin_mul_overflow(left, right, ret);
}

static double multiply_number(double left, double right)
{
	return left * right;
}

static bool calculate(const struct operation *operation, struct value *ret)
{
	const struct operator* operator= operation->node->operator;
	int64_t whole;

	if (!take_numbers(operation))
		return false;
	if (!both_whole(operation))
		return finite_result(
			operation, operator->number(as_number(operand(operation, 0)), as_number(operand(operation, 1))),
			ret);
	if (operator->whole(operand(operation, 0)->integer, operand(operation, 1)->integer, &whole))
		return overflow(operation);
	*ret = value_integer(whole);
	return true;
}

static bool take_divisor(const struct operation *operation)
{
	if (as_number(operand(operation, 1)) != 0)
		return true;
	return diag_error(operation->diagnostics, FAULT_USER, operation->operands[1]->position, "division by zero");
}

/* Whole numbers that divide without a rest stay whole; otherwise nothing is cut off silently. */
static bool divide(const struct operation *operation, struct value *ret)
{
	int64_t dividend, divisor;

	if (!take_numbers(operation) || !take_divisor(operation))
		return false;
	if (!both_whole(operation))
		return finite_result(operation, as_number(operand(operation, 0)) / as_number(operand(operation, 1)),
				     ret);
	dividend = operand(operation, 0)->integer;
	divisor = operand(operation, 1)->integer;
	if (dividend == INT64_MIN && divisor == -1)
		return overflow(operation);
	*ret = dividend % divisor == 0 ? value_integer(dividend / divisor)
				       : value_number((double)dividend / (double)divisor);
	return true;
}

static bool remainder_of(const struct operation *operation, struct value *ret)
{
	int64_t divisor;

	if (!take_numbers(operation))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		if (operand(operation, i)->type != VALUE_INTEGER)
			return diag_error(operation->diagnostics, FAULT_USER, operation->operands[i]->position,
					  "'%%' needs whole numbers");
	}
	if (!take_divisor(operation))
		return false;
	divisor = operand(operation, 1)->integer;
	/* INT64_MIN % -1 traps on some machines although its value is 0. */
	*ret = value_integer(divisor == -1 ? 0 : operand(operation, 0)->integer % divisor);
	return true;
}

static bool negate(const struct operation *operation, struct value *ret)
{
	const struct value *value = operand(operation, 0);

	if (!take_numbers(operation))
		return false;
	if (value->type == VALUE_NUMBER) {
		*ret = value_number(-value->number);
		return true;
	}
	if (value->integer == INT64_MIN)
		return overflow(operation);
	*ret = value_integer(-value->integer);
	return true;
}

static bool invert(const struct operation *operation, struct value *ret)
{
	const struct value *value = operand(operation, 0);

	if (value->type != VALUE_BOOL)
		return diag_error(operation->diagnostics, FAULT_USER, operation->operands[0]->position,
				  "'!' needs true or false here, not %s",
				  value_type_name((enum value_type)value->type));
	*ret = value_bool(!value->boolean);
	return true;
}

/* Without rounding the whole number, which a double may not hold. */
static int whole_compare(int64_t whole, double number)
{
	/* One past the greatest, and the least: both powers of two, so exact. */
	const double past = 9223372036854775808.0, least = -9223372036854775808.0;
	int64_t cut;

	if (number >= past || number < least)
		return number < 0 ? 1 : -1;
	cut = (int64_t)number;
	if (whole != cut)
		return whole < cut ? -1 : 1;
	return (number < (double)cut) - (number > (double)cut);
}

int numbers_compare(const struct value *a, const struct value *b)
{
	if (a->type == VALUE_INTEGER && b->type == VALUE_INTEGER)
		return (a->integer > b->integer) - (a->integer < b->integer);
	if (a->type == VALUE_INTEGER)
		return whole_compare(a->integer, b->number);
	if (b->type == VALUE_INTEGER)
		return -whole_compare(b->integer, a->number);
	return (a->number > b->number) - (a->number < b->number);
}

bool operands_equal(const struct value *a, const struct value *b)
{
	if (is_numeric(a) && is_numeric(b))
		return numbers_compare(a, b) == 0;
	return value_equal(a, b);
}

/* Values of two types are never equal, so to compare them is a mistake; null may be asked for. */
static bool compare_equal(const struct operation *operation, struct value *ret)
{
	const struct value *left = operand(operation, 0), *right = operand(operation, 1);
	bool comparable = left->type == right->type || left->type == VALUE_NULL || right->type == VALUE_NULL ||
			  (is_numeric(left) && is_numeric(right));

	if (!comparable) {
		diag_error(operation->diagnostics, FAULT_USER, operation->node->position,
			   "'%s' compares %s with %s, which are never equal", operation->node->operator->text,
			   value_type_name((enum value_type)left->type), value_type_name((enum value_type)right->type));
		diag_hint(operation->diagnostics, "convert one side with tostring() or tonumber()");
		return false;
	}
	*ret = value_bool(operands_equal(left, right) == (operation->node->operator->accepts == IS_EQUAL));
	return true;
}

static unsigned outcome_of(int order)
{
	if (order == 0)
		return IS_EQUAL;
	return order < 0 ? IS_LESS : IS_MORE;
}

static bool compare_order(const struct operation *operation, struct value *ret)
{
	const struct value *left = operand(operation, 0), *right = operand(operation, 1);
	int order;

	if (left->type == VALUE_STRING && right->type == VALUE_STRING)
		order = slice_compare(value_slice(left), value_slice(right));
	else if (take_numbers(operation))
		order = numbers_compare(left, right);
	else
		return false;
	*ret = value_bool((operation->node->operator->accepts & outcome_of(order)) != 0);
	return true;
}

#define LOGIC(sign, token, precedence, decides)                                                                        \
	{                                                                                                              \
		sign, token, precedence, true, true, decides, 0, NULL, NULL, NULL                                      \
	}
#define COMPARISON(sign, token, precedence, accepts, body)                                                             \
	{                                                                                                              \
		sign, token, precedence, true, false, false, accepts, body, NULL, NULL                                 \
	}
#define ARITHMETIC(sign, token, precedence, body, whole, number)                                                       \
	{                                                                                                              \
		sign, token, precedence, false, false, false, 0, body, whole, number                                   \
	}

static const struct operator binaries[] = {
	LOGIC("||", TOKEN_OR, PRECEDENCE_OR, true),
	LOGIC("&&", TOKEN_AND, PRECEDENCE_AND, false),
	COMPARISON("==", TOKEN_EQUAL, PRECEDENCE_EQUAL, IS_EQUAL, compare_equal),
	COMPARISON("!=", TOKEN_UNEQUAL, PRECEDENCE_EQUAL, IS_LESS | IS_MORE, compare_equal),
	COMPARISON("<", TOKEN_LESS, PRECEDENCE_ORDER, IS_LESS, compare_order),
	COMPARISON("<=", TOKEN_LESS_OR_EQUAL, PRECEDENCE_ORDER, IS_LESS | IS_EQUAL, compare_order),
	COMPARISON(">", TOKEN_MORE, PRECEDENCE_ORDER, IS_MORE, compare_order),
	COMPARISON(">=", TOKEN_MORE_OR_EQUAL, PRECEDENCE_ORDER, IS_MORE | IS_EQUAL, compare_order),
	ARITHMETIC("+", TOKEN_PLUS, PRECEDENCE_SUM, calculate, add_whole, add_number),
	ARITHMETIC("-", TOKEN_MINUS, PRECEDENCE_SUM, calculate, subtract_whole, subtract_number),
	ARITHMETIC("*", TOKEN_STAR, PRECEDENCE_PRODUCT, calculate, multiply_whole, multiply_number),
	ARITHMETIC("/", TOKEN_SLASH, PRECEDENCE_PRODUCT, divide, NULL, NULL),
	ARITHMETIC("%", TOKEN_PERCENT, PRECEDENCE_PRODUCT, remainder_of, NULL, NULL),
};

static const struct operator unaries[] = {
	ARITHMETIC("-", TOKEN_MINUS, PRECEDENCE_UNARY, negate, NULL, NULL),
	COMPARISON("!", TOKEN_NOT, PRECEDENCE_UNARY, 0, invert),
};

const struct operator* operator_unary(enum token_type token)
{
	for (size_t i = 0; i < sizeof(unaries) / sizeof(unaries[0]); i++) {
		if (unaries[i].token == token)
			return &unaries[i];
	}
	return NULL;
}

const struct operator* operator_binary(enum token_type token)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
		if (binaries[i].token == token)
			return &binaries[i];
	}
	return NULL;
}
