#include <math.h>

#include "base/cidr.h"
#include "base/json.h"
#include "reconcile/schema_walk.h"

enum {
	FAMILY_4 = 4,
	FAMILY_6 = 6,
	DOCUMENT_LARGEST_BYTES = 1024 * 1024,
	NUMBER_LONGEST_BYTES = 64,
	/* A double holds every whole number up to here. */
	NUMBER_WHOLE_BITS = 53,
};

/* Takes a scalar in place of *ret, at the place where the given one stands. */
static enum fit becomes(struct value *ret, struct value value)
{
	*ret = value_at(value, ret->position);
	return FIT_CHANGED;
}

/* Digits in quotes are text a user meant; digits from an expression or a service's XML are a number. */
static bool may_be_read(const struct value *given)
{
	return given->type == VALUE_STRING && given->style != VALUE_STYLE_QUOTED;
}

static bool whole_number(double number, int64_t *ret)
{
	double most = (double)(INT64_C(1) << NUMBER_WHOLE_BITS);

	if (!(number >= -most && number <= most) || number != floor(number))
		return false;
	*ret = (int64_t)number;
	return true;
}

bool schema_can_be_sent(struct schema_walk *walk, const char *name, const struct value *text)
{
	struct slice bytes = value_slice(text);
	size_t bad = 0;

	if (slice_fits_xml(bytes, &bad))
		return true;
	diag_error(walk->diagnostics, FAULT_USER, text->position,
		   "'%s' has a character that no service takes, 0x%02x at byte %zu", name,
		   (unsigned)(unsigned char)bytes.data[bad], bad + 1);
	diag_hint(walk->diagnostics, "take it out; of the control characters only tab and line breaks can be sent");
	return false;
}

enum fit schema_fit_string(struct schema_walk *walk, const struct field *field, const char *name,
			   const struct value *given, struct value *ret)
{
	(void)ret;
	if (given->type != VALUE_STRING)
		return FIT_NOT;
	if (walk->diagnostics && !(field->flags & ENCODED) && !schema_can_be_sent(walk, name, given))
		return FIT_REFUSED;
	return FIT_SAME;
}

enum fit schema_fit_integer(struct schema_walk *walk, const struct field *field, const char *name,
			    const struct value *given, struct value *ret)
{
	int64_t integer;

	(void)walk;
	(void)field;
	(void)name;
	if (given->type == VALUE_INTEGER)
		return FIT_SAME;
	if (given->type == VALUE_NUMBER && whole_number(given->number, &integer))
		return becomes(ret, value_integer(integer));
	if (may_be_read(given) && slice_integer(value_slice(given), &integer))
		return becomes(ret, value_integer(integer));
	return FIT_NOT;
}

/* Decimal text as services write it, read as JSON has it: the same in every locale. */
static bool number_read(struct schema_walk *walk, struct slice text, double *ret)
{
	struct diagnostics unused;
	struct value value;
	bool good;

	diagnostics_init(&unused, walk->arena);
	good = json_read(walk->arena, text, false, NUMBER_LONGEST_BYTES, "the number", &value, &unused) &&
	       (value.type == VALUE_NUMBER || value.type == VALUE_INTEGER);
	diagnostics_release(&unused);
	if (good)
		*ret = value.type == VALUE_NUMBER ? value.number : (double)value.integer;
	return good;
}

enum fit schema_fit_number(struct schema_walk *walk, const struct field *field, const char *name,
			   const struct value *given, struct value *ret)
{
	double number = 0;
	int64_t integer;
	bool read = false;

	(void)field;
	(void)name;
	if (given->type == VALUE_INTEGER)
		return FIT_SAME;
	if (given->type == VALUE_NUMBER)
		number = given->number;
	else if (may_be_read(given))
		read = number_read(walk, value_slice(given), &number);
	if (given->type != VALUE_NUMBER && !read)
		return FIT_NOT;
	/* 2 and 2.0 are one number, so they have one form. */
	if (whole_number(number, &integer))
		return becomes(ret, value_integer(integer));
	return read ? becomes(ret, value_number(number)) : FIT_SAME;
}

enum fit schema_fit_bool(struct schema_walk *walk, const struct field *field, const char *name,
			 const struct value *given, struct value *ret)
{
	struct slice text = value_slice(given);

	(void)field;
	(void)name;
	if (given->type == VALUE_BOOL)
		return FIT_SAME;
	/* Only services write truth as text. */
	if (walk->diagnostics || !may_be_read(given) || !(slice_is(text, "true") || slice_is(text, "false")))
		return FIT_NOT;
	return becomes(ret, value_bool(slice_is(text, "true")));
}

static struct value text_value(struct slice text, const struct value *given)
{
	struct value value = value_string(text);

	value.secret = given->secret;
	return value;
}

static enum fit refuse_host_bits(struct schema_walk *walk, const char *name, const struct cidr *cidr,
				 const struct value *given)
{
	struct cidr network = cidr_network(*cidr);
	struct slice text = cidr_text(walk->diagnostics->arena, &network);

	if (given->secret) {
		diag_error(walk->diagnostics, FAULT_USER, given->position, "'%s' has bits set beyond its length", name);
		diag_hint(walk->diagnostics, "write the network that it lies in; it is a secret and not shown");
		return FIT_REFUSED;
	}
	diag_error(walk->diagnostics, FAULT_USER, given->position, "'%s' has bits set beyond its length: '%.*s'", name,
		   SLICE_ARGUMENTS(value_slice(given)));
	diag_hint(walk->diagnostics, "write %.*s, the network it lies in", SLICE_ARGUMENTS(text));
	return FIT_REFUSED;
}

enum fit schema_fit_cidr(struct schema_walk *walk, const struct field *field, const char *name,
			 const struct value *given, struct value *ret)
{
	struct slice text = value_slice(given), canonical;
	struct cidr cidr;

	if (given->type != VALUE_STRING)
		return FIT_NOT;
	if (walk->diagnostics && slice_starts_with(text, SLICE("auto/"))) {
		diag_error(walk->diagnostics, FAULT_USER, given->position,
			   "'%s' asks for a range to be chosen, which is not supported yet", name);
		diag_hint(walk->diagnostics, "write the range itself, such as 10.0.0.0/16");
		return FIT_REFUSED;
	}
	if (!cidr_read(text, &cidr) || (field->type == FIELD_CIDR4 && cidr.family != FAMILY_4) ||
	    (field->type == FIELD_CIDR6 && cidr.family != FAMILY_6))
		return FIT_NOT;
	if (cidr.host_bits && walk->diagnostics)
		return refuse_host_bits(walk, name, &cidr, given);
	/* An IPv4 range has one spelling. */
	if (cidr.family == FAMILY_4 && !cidr.host_bits)
		return FIT_SAME;
	cidr = cidr_network(cidr);
	canonical = cidr_text(walk->arena, &cidr);
	return slice_equal(canonical, text) ? FIT_SAME : becomes(ret, text_value(canonical, given));
}

enum fit schema_fit_address(struct schema_walk *walk, const struct field *field, const char *name,
			    const struct value *given, struct value *ret)
{
	struct slice text = value_slice(given), canonical;
	struct cidr address;

	(void)field;
	(void)name;
	if (given->type != VALUE_STRING || !cidr_read_address(text, &address))
		return FIT_NOT;
	if (address.family == FAMILY_4)
		return FIT_SAME;
	canonical = cidr_address_text(walk->arena, &address);
	return slice_equal(canonical, text) ? FIT_SAME : becomes(ret, text_value(canonical, given));
}

/* Reads a document that came as text; what is wrong with it becomes the cause of our own message. */
static bool document_read(struct schema_walk *walk, const char *name, const struct value *given, struct value *ret)
{
	struct diagnostics problems;
	bool good;

	diagnostics_init(&problems, walk->arena);
	good = json_read(walk->arena, value_slice(given), false, DOCUMENT_LARGEST_BYTES, "the document", ret,
			 &problems);
	if (!good && walk->diagnostics) {
		diag_error(walk->diagnostics, FAULT_USER, given->position, "'%s' is not a JSON document", name);
		diag_hint(walk->diagnostics,
			  "correct the text, or write the document as YAML, without quotes around it");
		if (problems.count > 0)
			diag_cause(walk->diagnostics, problems.items[0].message);
	}
	diagnostics_release(&problems);
	return good;
}

enum fit schema_fit_json(struct schema_walk *walk, const struct field *field, const char *name,
			 const struct value *given, struct value *ret)
{
	static const struct json_style clear = {.clear = true};
	struct value document = *given;
	struct slice text;
	bool secret;

	(void)field;
	if (given->type != VALUE_STRING && given->type != VALUE_MAP && given->type != VALUE_LIST)
		return FIT_NOT;
	/* It has no text before all of it is known. */
	if (value_has_deferred(given) || value_has_unread(given))
		return FIT_SAME;
	if (given->type == VALUE_STRING && !document_read(walk, name, given, &document))
		return FIT_REFUSED;
	secret = value_has_secret(given);
	text = json_canonical(walk->arena, &document, &clear);
	if (given->type == VALUE_STRING && slice_equal(text, value_slice(given)))
		return FIT_SAME;
	becomes(ret, value_string(text));
	ret->secret = secret;
	return FIT_CHANGED;
}

/* That a literal looks like an id of the kind referred to is for those to check who know the kinds. */
enum fit schema_fit_reference(struct schema_walk *walk, const struct field *field, const char *name,
			      const struct value *given, struct value *ret)
{
	return schema_fit_string(walk, field, name, given, ret);
}
