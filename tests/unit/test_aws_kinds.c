#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/memory.h"
#include "providers/aws/parameters.h"
#include "providers/aws/shape.h"
#include "tests/unit/support_aws_kinds.h"

/*
 * Holds the tables of kinds against the API's own model: every name exists there and fits in type, and every member
 * of what makes and changes an object is in the table or left out for a reason. Paths here step through lists.
 */

enum { PATHS_MOST = 1024, PATH_BYTES = 256 };

/* Paths within one operation's input that the table fills. */
struct coverage {
	const struct aws_kind *kind;
	const char *operation;
	const struct aws_shape *input;
	char paths[PATHS_MOST][PATH_BYTES];
	size_t count;
};

static const struct aws_operation_shape *operation_of(const struct aws_kind *kind, const char *name)
{
	const struct aws_operation_shape *shape = aws_operation_of(kind, name);
	if (!shape)
		kind_report(kind, "there is no operation %s", name);
	return shape;
}

/* "A.0.B" as "A.B"; below: a path within what `above` is. */
static void join(char ret[PATH_BYTES], const char *above, const char *below)
{
	char whole[PATH_BYTES * 2];
	size_t size = 0;
	snprintf(whole, sizeof(whole), "%s%s%s", above, above[0] && below[0] ? "." : "", below);
	ret[0] = '\0';
	for (char *state = NULL, *part = strtok_r(whole, ".", &state); part; part = strtok_r(NULL, ".", &state)) {
		if (part[0] >= '0' && part[0] <= '9')
			continue;
		size += (size_t)snprintf(ret + size, PATH_BYTES - size, "%s%s", size ? "." : "", part);
		assert_true(size < PATH_BYTES);
	}
}

static const struct aws_shape *cover(struct coverage *coverage, const char *above, const char *below)
{
	char path[PATH_BYTES];
	join(path, above, below);
	const struct aws_shape *shape = aws_shape_at(coverage->input, path);
	if (!shape)
		kind_report(coverage->kind, "%s has no member %s", coverage->operation, path);
	assert_true(coverage->count < PATHS_MOST);
	memcpy(coverage->paths[coverage->count++], path, PATH_BYTES);
	return shape;
}

static void check_choices(const struct coverage *coverage, const struct field *field, const struct aws_shape *shape)
{
	bool creates = strcmp(coverage->operation, coverage->kind->create.operation) == 0;
	const char *const only[] = {field->in_place_to, NULL};
	const char *const *sent = field->in_place_to && !creates ? only : field->choices;
	for (const char *const *choice = sent; choice && *choice && shape->value_count; choice++)
		if (!aws_shape_has_value(shape, slice_of(*choice)))
			kind_report(coverage->kind, "%s: '%s' may be '%s', which the API does not know",
				    coverage->operation, field->name, *choice);
}

static void cover_members(struct coverage *coverage, const char *above, const struct fields *fields, bool changes);

/* What a field fills below a path. An encoder of its own fills all of it. */
static void cover_field(struct coverage *coverage, const char *above, const char *below, const struct aws_field *field,
			bool changes)
{
	char path[PATH_BYTES];
	const struct aws_shape *shape = cover(coverage, above, below);
	bool encodes = field->encode || (changes && field->encode_change);
	join(path, above, below);
	if (!shape || encodes)
		return;
	if (!kind_type_fits(&field->field, shape)) {
		kind_report(coverage->kind, "%s: '%s' is of another type than %s", coverage->operation,
			    field->field.name, path);
		return;
	}
	check_choices(coverage, &field->field, shape);
	if (field->field.type == FIELD_OBJECT)
		cover_members(coverage, path, &field->field.members, false);
	if (field->field.type == FIELD_MAP) {
		cover(coverage, path, "Key");
		cover(coverage, path, "Value");
	}
	if (field->field.type != FIELD_LIST && field->field.type != FIELD_SET)
		return;
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	if (item->field.type == FIELD_OBJECT && !item->encode)
		cover_members(coverage, path, &item->field.members, false);
	else if (item->member)
		cover_field(coverage, path, item->member, item, false);
	else if (!item->encode && !kind_type_fits(&item->field, shape->item))
		kind_report(coverage->kind, "%s: items of '%s' are of another type", coverage->operation,
			    field->field.name);
}

static void cover_members(struct coverage *coverage, const char *above, const struct fields *fields, bool changes)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct aws_field *field = aws_field_at(fields, i);
		const char *path = changes && field->change ? field->change : field->member;
		if (!field->field.name)
			kind_report(coverage->kind, "%s: a table has an empty row", coverage->operation);
		else if (path)
			cover_field(coverage, above, path, field, changes);
	}
}

static void cover_fixed(struct coverage *coverage, const struct aws_call *call)
{
	for (const char *const *fixed = call->fixed; fixed && fixed[0]; fixed += 2)
		cover(coverage, "", fixed[0]);
}

static void begin(struct coverage *coverage, const struct aws_kind *kind, const struct aws_call *call)
{
	const struct aws_operation_shape *shape = operation_of(kind, call->operation);
	coverage->kind = kind;
	coverage->operation = call->operation;
	coverage->input = shape ? shape->input : NULL;
	coverage->count = 0;
	if (!shape)
		return;
	if (call->id)
		cover(coverage, "", call->id);
	if (call->id_output && !output_named(&kind->kind.outputs, slice_of(call->id_output)))
		kind_report(kind, "%s takes the output '%s', which there is not", call->operation, call->id_output);
	if (call->token)
		cover(coverage, "", call->token);
	cover_fixed(coverage, call);
	if (call->tagged)
		cover(coverage, "", "TagSpecifications");
	if (call->tagged &&
	    !aws_shape_has_value(aws_shape_at(shape->input, "TagSpecifications.ResourceType"), slice_of(call->tagged)))
		kind_report(kind, "%s: there is no type of resource '%s'", call->operation, call->tagged);
	if (call->result && !aws_shape_at(shape->output, call->result))
		kind_report(kind, "%s answers no %s", call->operation, call->result);
	if (call->failures && (!aws_shape_at(shape->output, call->failures) ||
			       !aws_shape_at(aws_shape_at(shape->output, call->failures), "Error.Code")))
		kind_report(kind, "%s answers no failures under %s", call->operation, call->failures);
}

static bool is_covered(const struct coverage *coverage, const char *path)
{
	size_t size = strlen(path);
	for (size_t i = 0; i < coverage->count; i++)
		if (strncmp(coverage->paths[i], path, size) == 0 &&
		    (coverage->paths[i][size] == '\0' || coverage->paths[i][size] == '.'))
			return true;
	return false;
}

/* Ends at a path that nothing lies below. */
static bool is_covered_whole(const struct coverage *coverage, const char *path)
{
	size_t size = strlen(path);
	bool exact = false, deeper = false;
	for (size_t i = 0; i < coverage->count; i++) {
		exact |= strcmp(coverage->paths[i], path) == 0;
		deeper |= strncmp(coverage->paths[i], path, size) == 0 && coverage->paths[i][size] == '.';
	}
	return exact && !deeper;
}

static bool omitted_used[512];

static bool is_omitted(const struct coverage *coverage, const char *path)
{
	for (size_t i = 0; i < coverage->kind->omitted_count; i++) {
		const struct aws_omission *omission = &coverage->kind->omitted[i];
		if (strcmp(omission->operation, coverage->operation) == 0 && omission->member &&
		    strcmp(omission->member, path) == 0) {
			omitted_used[i] = true;
			return true;
		}
	}
	return false;
}

/* DryRun is the engine's to use, tokens and paging are the driver's. */
static bool is_generic(const struct aws_member *member)
{
	return slice_is(member->name, "DryRun") || (member->flags & AWS_MEMBER_TOKEN) ||
	       slice_is(member->name, "ClientToken") || slice_is(member->name, "TagSpecifications");
}

static void check_whole(const struct coverage *coverage, const struct aws_shape *shape, const char *above)
{
	if (shape && shape->type == AWS_LIST)
		shape = shape->item;
	for (size_t i = 0; shape && i < shape->member_count; i++) {
		const struct aws_member *member = &shape->members[i];
		char path[PATH_BYTES];
		join(path, above, member->name.data);
		bool omitted = is_omitted(coverage, path);
		if (omitted && !kind_may_omit(path, member->shape))
			kind_report(coverage->kind, "%s: one row leaves out all of %s", coverage->operation, path);
		if (omitted && is_covered(coverage, path))
			kind_report(coverage->kind, "%s: %s is in the table and left out", coverage->operation, path);
		if (omitted || (above[0] == '\0' && is_generic(member)) || is_covered_whole(coverage, path))
			continue;
		if (is_covered(coverage, path))
			check_whole(coverage, member->shape, path);
		else
			kind_report(coverage->kind, "%s: %s is neither in the table nor left out for a reason",
				    coverage->operation, path);
	}
}

static struct coverage *new_coverage(void)
{
	return (struct coverage *)memory_get(sizeof(struct coverage));
}

/* Whether the field is never set where what is shown once goes somewhere. */
static bool excludes_shown(const struct aws_kind *kind, const struct aws_field *field)
{
	bool field_named = false, shown_named = false;
	for (size_t i = 0; i < kind->kind.exclusive_count; i++) {
		const struct exclusive *exclusive = &kind->kind.exclusives[i];
		for (size_t k = 0; !exclusive->field && exclusive->members[k]; k++) {
			field_named |= strcmp(exclusive->members[k], field->field.name) == 0;
			shown_named |= strcmp(exclusive->members[k], SECRET_TO) == 0;
		}
		if (field_named && shown_named)
			return true;
		field_named = shown_named = false;
	}
	return false;
}

static void check_create(const struct aws_kind *kind, const struct aws_call *call)
{
	struct coverage *coverage = new_coverage();
	begin(coverage, kind, call);
	for (size_t i = 0; coverage->input && i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		if (call == &kind->create_shown && excludes_shown(kind, field))
			continue;
		if (field->member && (!field->part || field->part->inline_in_create))
			cover_field(coverage, "", field->member, field, false);
	}
	/* What `complete` adds is known to it alone: the ownership among the tags. */
	if (kind->complete && !call->tagged)
		cover(coverage, "", "Tags");
	check_whole(coverage, coverage->input, "");
	free(coverage);
}

static bool sends_value(const struct aws_field *field, const struct aws_call *call)
{
	return call != field->update_off && !(field->change && strcmp(field->change, "-") == 0);
}

static void cover_update(struct coverage *coverage, const struct aws_field *field)
{
	const char *path = field->change ? field->change : field->member;
	if (!path)
		kind_report(coverage->kind, "'%s' has no member in %s", field->field.name, coverage->operation);
	else if (strcmp(path, "*") == 0)
		cover_members(coverage, "", &field->field.members, true);
	else
		cover_field(coverage, "", path, field, true);
}

static void check_lookup(const struct aws_kind *kind, const struct aws_lookup *lookup, struct coverage *coverage)
{
	const struct aws_call call = {.operation = lookup->operation, .id = lookup->id, .fixed = lookup->fixed};
	struct coverage *own = new_coverage();
	begin(own, kind, &call);
	const struct aws_operation_shape *shape = operation_of(kind, lookup->operation);
	if (shape && !aws_shape_at(shape->output, lookup->result))
		kind_report(kind, "%s answers no %s", lookup->operation, lookup->result);
	cover(coverage, "", lookup->member);
	free(own);
}

static void cover_part(struct coverage *coverage, const struct aws_field *field, bool removes)
{
	const struct aws_part *part = field->part;
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	const char *above = part->items ? part->items : "";
	if (removes && part->removal_member) {
		cover(coverage, "", part->removal_member);
	} else if (item->field.type == FIELD_OBJECT && !item->encode) {
		for (size_t i = 0; i < item->field.members.count; i++) {
			const struct aws_field *member = aws_field_at(&item->field.members, i);
			if (member->member && (!removes || (member->field.flags & KEY)))
				cover_field(coverage, above, member->member, member, false);
		}
		if (part->item_id)
			cover(coverage, above, part->item_id);
		for (const char *const *fixed = part->item_fixed; fixed && fixed[0]; fixed += 2)
			cover(coverage, above, fixed[0]);
	} else {
		cover(coverage, above, !part->items && item->member ? item->member : "");
	}
}

/* What is changed of an item: all of it, or what is SEEN of one that is read no further. */
static void cover_each(struct coverage *coverage, const struct aws_field *field)
{
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	cover(coverage, "", field->each->name);
	if (!(field->field.flags & WRITE_ONLY)) {
		cover_field(coverage, "", field->each->item, item, false);
		return;
	}
	for (size_t i = 0; i < item->field.members.count; i++) {
		const struct aws_field *member = aws_field_at(&item->field.members, i);
		if (!(member->field.flags & SEEN))
			continue;
		if (field->each->item)
			cover_field(coverage, field->each->item, member->member, member, false);
		else
			cover_update(coverage, member);
	}
}

/* One operation may be several calls (with the object stopped or not): they are held against it together. */
static void check_change(const struct aws_kind *kind, const struct aws_call *call)
{
	struct coverage *coverage = new_coverage();
	begin(coverage, kind, call);
	for (size_t i = 0; coverage->input && i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		const struct aws_call *calls[] = {field->update, field->update_first, field->update_several,
						  field->update_off};
		for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
			if (!calls[k] || strcmp(calls[k]->operation, call->operation) != 0)
				continue;
			if (calls[k]->lookup)
				check_lookup(kind, calls[k]->lookup, coverage);
			if (sends_value(field, calls[k]))
				cover_update(coverage, field);
		}
		const struct aws_call *parts[] = {field->part ? &field->part->add : NULL,
						  field->part ? &field->part->change : NULL};
		for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
			if (parts[k] && parts[k]->operation && strcmp(parts[k]->operation, call->operation) == 0)
				cover_part(coverage, field, false);
		const struct aws_call *set_back = field->part ? &field->part->set_back : NULL;
		if (set_back && set_back->operation && strcmp(set_back->operation, call->operation) == 0)
			cover_fixed(coverage, set_back);
		if (field->amount && strcmp(field->amount->more.operation, call->operation) == 0)
			cover(coverage, "", field->amount->number);
		if (field->each && strcmp(field->each->change.operation, call->operation) == 0)
			cover_each(coverage, field);
	}
	check_whole(coverage, coverage->input, "");
	free(coverage);
}

static bool is_first_use(const struct aws_kind *kind, size_t index, const struct aws_call *call)
{
	for (size_t i = 0; i < index; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		const struct aws_call *calls[] = {field->update, field->update_first, field->update_several,
						  field->update_off};
		for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++)
			if (calls[k] && strcmp(calls[k]->operation, call->operation) == 0)
				return false;
	}
	return true;
}

static void check_part(const struct aws_kind *kind, const struct aws_field *field)
{
	struct coverage *coverage = new_coverage();
	check_change(kind, &field->part->add);
	/* What takes something away needs no more than its name. */
	begin(coverage, kind, &field->part->remove);
	if (coverage->input)
		cover_part(coverage, field, true);
	if (field->part->change.operation)
		check_change(kind, &field->part->change);
	free(coverage);
}

static void check_attachment(const struct aws_kind *kind, const struct aws_field *field)
{
	const struct aws_call *const calls[] = {&field->attachment->attach, &field->attachment->detach};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct coverage *coverage = new_coverage();
		begin(coverage, kind, calls[i]);
		cover(coverage, "", field->attachment->member);
		check_whole(coverage, coverage->input, "");
		free(coverage);
	}
}

static void check_calls(const struct aws_kind *kind)
{
	check_create(kind, &kind->create);
	if (kind->create_shown.operation)
		check_create(kind, &kind->create_shown);
	if (kind->shows && !aws_shape_at(operation_of(kind, kind->create_shown.operation)->output, kind->shows))
		kind_report(kind, "%s answers no %s", kind->create_shown.operation, kind->shows);
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		const struct aws_call *calls[] = {field->update, field->update_first, field->update_several,
						  field->update_off};
		for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++)
			if (calls[k] && is_first_use(kind, i, calls[k]))
				check_change(kind, calls[k]);
		if (field->part)
			check_part(kind, field);
		if (field->each)
			check_change(kind, &field->each->change);
		if (field->amount)
			check_change(kind, &field->amount->more);
		if (field->attachment)
			check_attachment(kind, field);
	}
}

static void check_other_calls(const struct aws_kind *kind)
{
	const struct aws_holders none = {0}, *holders = kind->holders ? kind->holders : &none;
	const struct aws_call *const calls[] = {
		&kind->delete,
		&kind->delete_forced,
		&(struct aws_call){.operation = holders->operation, .id = holders->id, .fixed = holders->fixed},
		&kind->tag,
		&kind->untag,
		kind->pause ? &kind->pause->stop : &kind->delete,
		kind->pause ? &kind->pause->start : &kind->delete,
	};
	struct coverage *coverage = new_coverage();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i]->operation)
			begin(coverage, kind, calls[i]);
	if (!kind->delete.operation || !kind->delete.id)
		kind_report(kind, "it cannot be deleted");
	if (kind->alignment) {
		begin(coverage, kind, &kind->alignment->call);
		cover(coverage, "", kind->alignment->member);
		check_whole(coverage, coverage->input, "");
	}
	free(coverage);
}

/* Reading */

static const struct aws_shape *items_of(const struct aws_kind *kind, const struct aws_listing *listing)
{
	char path[PATH_BYTES];
	const struct aws_call call = {.operation = listing->operation, .fixed = listing->fixed, .id = listing->ids};
	const struct aws_operation_shape *shape = operation_of(kind, listing->operation);
	struct coverage *coverage = new_coverage();
	begin(coverage, kind, &call);
	free(coverage);
	if (!shape)
		return NULL;
	/* "A.*.B" is "A.B" here. */
	const char *star = strstr(listing->items, ".*.");
	snprintf(path, sizeof(path), "%.*s%s", star ? (int)(star - listing->items) : (int)strlen(listing->items),
		 listing->items, star ? star + 2 : "");
	const struct aws_shape *items = aws_shape_at(shape->output, path);
	if (!items || items->type != AWS_LIST)
		kind_report(kind, "%s lists no %s", listing->operation, listing->items);
	if (listing->page && (shape->pages.limit_key.size == 0 || !aws_member(shape->input, shape->pages.limit_key)))
		kind_report(kind, "%s has no pages", listing->operation);
	if (listing->filter && !aws_shape_at(shape->input, "Filters.Values"))
		kind_report(kind, "%s has no filters", listing->operation);
	return items && items->type == AWS_LIST ? items->item : NULL;
}

/* Where a path of an item leads: into the second listing where there is one. */
static const struct aws_shape *item_at(const struct aws_kind *kind, const struct aws_shape *item,
				       const struct aws_shape *joined, const char *path)
{
	size_t size = kind->join ? strlen(kind->join->as) : 0;
	if (size && strncmp(path, kind->join->as, size) == 0 && path[size] == '.')
		return aws_shape_at(joined, path + size + 1);
	return aws_shape_at(item, path);
}

static void check_read(const struct aws_kind *kind, const struct aws_field *field, const struct aws_shape *shape,
		       const char *where);

static void check_read_members(const struct aws_kind *kind, const struct fields *fields, const struct aws_shape *shape,
			       const char *where)
{
	for (size_t i = 0; i < fields->count; i++)
		check_read(kind, aws_field_at(fields, i), shape, where);
}

static void check_read(const struct aws_kind *kind, const struct aws_field *field, const struct aws_shape *shape,
		       const char *where)
{
	const char *path = field->read ? field->read : field->member;
	if (field->decode || !path || strcmp(path, "-") == 0)
		return;
	const struct aws_shape *found = aws_shape_at(shape, path);
	if (!found) {
		kind_report(kind, "'%s': %s answers no %s", field->field.name, where, path);
		return;
	}
	if (!kind_type_fits(&field->field, found)) {
		kind_report(kind, "'%s': %s answers %s with another type", field->field.name, where, path);
		return;
	}
	if (field->field.type == FIELD_OBJECT)
		check_read_members(kind, &field->field.members, found, where);
	if (field->field.type != FIELD_LIST && field->field.type != FIELD_SET)
		return;
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	if (item->field.type == FIELD_OBJECT && !item->decode)
		check_read_members(kind, &item->field.members, found->item, where);
	else if (item->read || item->member)
		check_read(kind, item, found->item, where);
	else if (!item->decode && !kind_type_fits(&item->field, found->item))
		kind_report(kind, "'%s': %s answers items of another type", field->field.name, where);
}

static void check_detail(const struct aws_kind *kind, const struct aws_field *field)
{
	const struct aws_detail *detail = field->detail;
	const struct aws_call call = {.operation = detail->operation, .id = detail->id, .fixed = detail->fixed};
	struct coverage *coverage = new_coverage();
	begin(coverage, kind, &call);
	free(coverage);
	const struct aws_operation_shape *shape = operation_of(kind, detail->operation);
	if (shape)
		check_read(kind, field, shape->output, detail->operation);
	if (detail->of && !field_named(&kind->kind.fields, slice_of(detail->of)))
		kind_report(kind, "'%s': there is no field '%s'", field->field.name, detail->of);
}

static void check_reads(const struct aws_kind *kind)
{
	const struct aws_shape *item = items_of(kind, &kind->list);
	const struct aws_shape *joined = kind->join ? items_of(kind, &kind->join->list) : NULL;
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		bool tags = strcmp(field->field.name, "tags") == 0;
		if (field->detail)
			check_detail(kind, field);
		else
			check_read(kind, field, item, kind->list.operation);
		if (!tags && !field->detail && !field->decode && !field->read && !field->member)
			kind_report(kind, "'%s' is never read", field->field.name);
	}
	for (size_t i = 0; i < kind->kind.outputs.count; i++) {
		const struct aws_output *output = (const struct aws_output *)output_at(&kind->kind.outputs, i);
		if (!output->decode && !item_at(kind, item, joined, output->read))
			kind_report(kind, "output '%s': there is no %s", output->output.name, output->read);
	}
	if (kind->tags_member && !item_at(kind, item, joined, kind->tags_member))
		kind_report(kind, "there are no tags under %s", kind->tags_member);
	if (kind->states.member && !item_at(kind, item, joined, kind->states.member))
		kind_report(kind, "there is no state under %s", kind->states.member);
	if (kind->join && (!aws_shape_at(item, kind->join->key) || !aws_shape_at(joined, kind->join->key)))
		kind_report(kind, "the listings do not meet in %s", kind->join->key);
}

static void check_omissions(const struct aws_kind *kind)
{
	assert_in_range(kind->omitted_count, 0, sizeof(omitted_used) / sizeof(omitted_used[0]));
	for (size_t i = 0; i < kind->omitted_count; i++) {
		if (!omitted_used[i] && kind->omitted[i].member)
			kind_report(kind, "%s: %s is left out, but is not there or not asked for",
				    kind->omitted[i].operation, kind->omitted[i].member);
		if (!kind->omitted[i].reason || strlen(kind->omitted[i].reason) < 10)
			kind_report(kind, "%s is left out without a reason", kind->omitted[i].operation);
	}
}

static void check_kind(const struct aws_kind *kind)
{
	memset(omitted_used, 0, sizeof(omitted_used));
	assert_non_null(aws_service(slice_of(kind->service)));
	check_calls(kind);
	check_other_calls(kind);
	check_omissions(kind);
	check_reads(kind);
}

int main(void)
{
	return kinds_try(check_kind);
}
