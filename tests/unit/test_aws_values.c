#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

#include "providers/aws/parameters.h"
#include "providers/aws/shape.h"
#include "tests/unit/support_aws_kinds.h"

/*
 * Holds the tables of kinds against each word that the API's model lists, so that a word that AWS adds is noticed when
 * the shapes are made anew: what a state means, and what a field takes. And against its bounds of numbers, and those of
 * 32 bits.
 */

enum { PATH_BYTES = 256 };

/* States in which an object is there and nothing is waited for. */
static const char *const ready[] = {"available", "running", "stopped", NULL};

static bool is_word(const char *const *words, struct slice text)
{
	for (; words && *words; words++)
		if (slice_is(text, *words))
			return true;
	return false;
}

static void check_states(const struct aws_kind *kind)
{
	const struct aws_states *states = &kind->states;
	const struct aws_operation_shape *operation = aws_operation_of(kind, kind->list.operation);
	const char *const *const lists[] = {states->pending, states->leaving, states->gone, states->failed, ready};
	char path[PATH_BYTES];

	if (!states->member || !operation)
		return;
	/* "A.*.B" joins lists: a path steps through them without the star. */
	const char *star = strstr(kind->list.items, ".*.");
	int joined = star ? (int)(star - kind->list.items) : (int)strlen(kind->list.items);
	snprintf(path, sizeof(path), "%.*s%s.%s", joined, kind->list.items, star ? star + 2 : "", states->member);
	const struct aws_shape *shape = aws_shape_at(operation->output, path);
	for (size_t i = 0; shape && i < shape->value_count; i++) {
		size_t found = 0;
		for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
			found += is_word(lists[k], shape->values[i]);
		if (found != 1)
			kind_report(kind, "the state '%s' means %zu things", shape->values[i].data, found);
	}
}

/* Words of the model that a field refuses, or takes without a list, and why. */
static const struct {
	const char *kind, *field; /* NULL: of each kind; the end of a path */
	const char *word;	  /* NULL: each */
	const char *reason;
} exceptions[] = {
	{NULL, "instance_type", NULL, "AWS adds types each month: one that is not known here is its to refuse"},
	{NULL, "accelerator_names", NULL, "AWS adds accelerators with the types that have them"},
	{"aws.launch_template", "launch_tags.resource", NULL, "of all types of resources a launch tags four"},
	{"aws.vpc", "tenancy", "host", "the API's own page: it must not be used with this parameter"},
};
enum { EXCEPTIONS = sizeof(exceptions) / sizeof(exceptions[0]) };
static bool exception_used[EXCEPTIONS];

static bool is_excepted(const struct aws_kind *kind, const char *path, struct slice word)
{
	for (size_t i = 0; i < EXCEPTIONS; i++) {
		bool of_kind = !exceptions[i].kind || strcmp(exceptions[i].kind, kind->kind.name) == 0;
		bool of_word = !exceptions[i].word || slice_is(word, exceptions[i].word);
		if (of_kind && of_word && slice_ends_with(slice_of(path), slice_of(exceptions[i].field))) {
			exception_used[i] = true;
			return true;
		}
	}
	return false;
}

static void check_words(const struct aws_kind *kind, const char *path, const struct field *field,
			const struct aws_shape *shape)
{
	for (size_t i = 0; shape && i < shape->value_count; i++)
		if (!is_word(field->choices, shape->values[i]) && !is_excepted(kind, path, shape->values[i]))
			kind_report(kind, "'%s' %s '%s' of %s", path, field->choices ? "refuses" : "lists no",
				    shape->values[i].data, shape->name.data);
}

static void check_number(const struct aws_kind *kind, const char *path, const struct field *field,
			 const struct aws_shape *shape)
{
	bool bounded = field->least != 0 || field->most != 0, open = field->most < field->least;
	if (shape->has_minimum && (!bounded || field->least < shape->minimum))
		kind_report(kind, "'%s' may be less than %lld of %s", path, (long long)shape->minimum,
			    shape->name.data);
	if (shape->has_maximum && (!bounded || open || field->most > shape->maximum))
		kind_report(kind, "'%s' may be more than %lld of %s", path, (long long)shape->maximum,
			    shape->name.data);
	if (shape->type == AWS_INTEGER && (!bounded || open || field->most > INT32_MAX))
		kind_report(kind, "'%s' may be more than fits into %s", path, shape->name.data);
}

static void check_members(const struct aws_kind *kind, const char *above, const struct fields *fields,
			  const struct aws_shape *shape);

static void check_field(const struct aws_kind *kind, const char *above, const struct aws_field *field,
			const struct aws_shape *shape)
{
	char path[PATH_BYTES];

	if (!shape)
		return;
	snprintf(path, sizeof(path), "%s%s%s", above, above[0] ? "." : "", field->field.name);
	if (field->field.type == FIELD_STRING)
		check_words(kind, path, &field->field, shape);
	/* What has an encoder of its own finds another member for what does not fit. */
	if ((field->field.type == FIELD_INTEGER || field->field.type == FIELD_NUMBER) && !field->encode)
		check_number(kind, path, &field->field, shape);
	if (field->field.type == FIELD_OBJECT)
		check_members(kind, path, &field->field.members, shape);
	if ((field->field.type != FIELD_LIST && field->field.type != FIELD_SET) || shape->type != AWS_LIST)
		return;
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	if (item->field.type == FIELD_OBJECT)
		check_members(kind, path, &item->field.members, shape->item);
	else if (item->field.type == FIELD_STRING)
		check_words(kind, path, &item->field,
			    item->member ? aws_shape_at(shape->item, item->member) : shape->item);
}

static void check_members(const struct aws_kind *kind, const char *above, const struct fields *fields,
			  const struct aws_shape *shape)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct aws_field *field = aws_field_at(fields, i);
		if (field->member)
			check_field(kind, above, field, aws_shape_at(shape, field->member));
	}
}

/* What only a later call takes. */
static void check_changes(const struct aws_kind *kind)
{
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		const struct aws_operation_shape *update =
			field->update ? aws_operation_of(kind, field->update->operation) : NULL;
		const char *path = field->change ? field->change : field->member;
		if (update && path && strcmp(path, "-") != 0 && strcmp(path, "*") != 0 && !field->field.in_place_to)
			check_field(kind, "", field, aws_shape_at(update->input, path));
		const struct aws_operation_shape *add =
			field->part ? aws_operation_of(kind, field->part->add.operation) : NULL;
		const struct aws_field *item = (const struct aws_field *)field->field.item;
		if (!add)
			continue;
		const struct aws_shape *above =
			field->part->items ? aws_shape_at(add->input, field->part->items) : add->input;
		if (above && above->type == AWS_LIST)
			above = above->item;
		if (item->field.type == FIELD_OBJECT)
			check_members(kind, field->field.name, &item->field.members, above);
	}
}

static void check_kind(const struct aws_kind *kind)
{
	const struct aws_operation_shape *create = aws_operation_of(kind, kind->create.operation);

	check_states(kind);
	if (create)
		check_members(kind, "", &kind->kind.fields, create->input);
	check_changes(kind);
}

int main(void)
{
	int failed = kinds_try(check_kind);
	for (size_t i = 0; i < EXCEPTIONS; i++)
		if (!exception_used[i]) {
			print_error("'%s' needs no exception\n", exceptions[i].field);
			failed++;
		}
	return failed;
}
