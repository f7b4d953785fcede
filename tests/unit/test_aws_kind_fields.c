#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/parameters.h"
#include "providers/aws/shape.h"
#include "reconcile/made.h"
#include "tests/unit/support_aws_kinds.h"

/* Holds the tables of kinds against each other and against themselves: what one names is there. */

/* Every spec that gave it would be refused: what tells items apart is no secret. */
static bool is_told_apart_by_secret(const struct field *set)
{
	bool keyed = false, secret = (set->item->flags & SECRET) != 0, secret_key = false;
	for (size_t i = 0; i < set->item->members.count; i++) {
		unsigned flags = field_at(&set->item->members, i)->flags;
		keyed |= (flags & KEY) != 0;
		secret |= (flags & SECRET) != 0;
		secret_key |= (flags & KEY) && (flags & SECRET);
	}
	return keyed ? secret_key : secret;
}

static const struct field *item_member(const struct field *field, const char *name)
{
	const struct fields *members = field && field->item ? &field->item->members : NULL;
	return members && members->count > 0 ? field_named(members, slice_of(name)) : NULL;
}

static void check_field(const struct aws_kind *kind, const struct fields *siblings, const struct field *field)
{
	const struct aws_field *own = (const struct aws_field *)field;
	if (field->type == FIELD_REFERENCE) {
		const struct aws_kind *target = kinds_named(field->target);
		if (!target || !kind_output(&target->kind, field->output))
			kind_report(kind, "'%s' refers to nothing", field->name);
		if (field->follows && !field_named(siblings, slice_of(field->follows)))
			kind_report(kind, "'%s' follows nothing", field->name);
	}
	const struct field *reference = field->item ? field->item : field;
	const char *const wholes[] = {reference->stays_in, reference->beside, reference->beside_or_joined};
	for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
		const struct aws_kind *among = wholes[i] ? kinds_named(reference->target) : NULL;
		if (wholes[i] && (!among || !field_named(&among->kind.fields, slice_of(wholes[i]))))
			kind_report(kind, "'%s' is of a target that lies in nothing", field->name);
	}
	if (field->when_unset == UNSET_CONSTANT && !field->unset_value)
		kind_report(kind, "'%s' has no value to go back to", field->name);
	for (const char *const *choice = field->choices; choice && *choice; choice++)
		for (const char *const *other = choice + 1; *other; other++)
			if (strcmp(*choice, *other) == 0)
				kind_report(kind, "'%s' may be '%s' twice", field->name, *choice);
	if (!field->about)
		kind_report(kind, "'%s' is not explained", field->name);
	if (own->update && (field->flags & IMMUTABLE) && !field->in_place_to)
		kind_report(kind, "'%s' cannot change, but has a call for it", field->name);
	if (own->rests_on && (!field_named(siblings, slice_of(own->rests_on)) || !own->update || !own->change))
		kind_report(kind, "'%s' rests on '%s', and is nothing that can be turned off for it", field->name,
			    own->rests_on);
	const struct field *lies_by = field->lies_by ? item_member(field, field->lies_by) : NULL;
	if ((field->lies_by && (!lies_by || !lies_by->beside)) || (field->own_item && !field->lies_by))
		kind_report(kind, "items of '%s' lie nowhere by themselves", field->name);
	const struct aws_kind *among = reference->launches_of ? kinds_named(reference->target) : NULL;
	if (reference->launches_of && (!among || !field_named(&among->kind.fields, slice_of(reference->launches_of))))
		kind_report(kind, "'%s' has no range of its target that anything takes addresses of", field->name);
	const struct field *number_of = field->number_of ? field_named(siblings, slice_of(field->number_of)) : NULL;
	if (field->number_of && (!number_of || !field_lies_within(number_of->item ? number_of->item : number_of)))
		kind_report(kind, "'%s' is a number of nothing", field->name);
	if (made_has_seen(field) != (field->brought_back != NULL))
		kind_report(kind, "'%s' is told of item by item, and what to do about one that is gone, or neither",
			    field->name);
	if (field->type == FIELD_SET && is_told_apart_by_secret(field))
		kind_report(kind, "the items of '%s' are told apart by a secret", field->name);
	if ((field->flags & EXCHANGED) && (!own->update || !own->update_off))
		kind_report(kind, "'%s' cannot be exchanged", field->name);
	for (size_t i = 0; i < field->members.count; i++)
		check_field(kind, &field->members, field_at(&field->members, i));
	if (field->item && field->item->type == FIELD_OBJECT)
		for (size_t i = 0; i < field->item->members.count; i++)
			check_field(kind, &field->item->members, field_at(&field->item->members, i));
}

/* Nobody could tell whether a call was carried out of which no output shows the work. */
static void check_work_shows(const struct aws_kind *kind, const struct aws_call *call)
{
	if (!call || !call->operation || call->recipe != RECIPE_SNAPSHOT)
		return;
	for (size_t i = 0; i < kind->kind.outputs.count; i++) {
		const char *operation = output_at(&kind->kind.outputs, i)->shows_work_of;
		if (operation && strcmp(operation, call->operation) == 0)
			return;
	}
	kind_report(kind, "no output shows the work of %s", call->operation);
}

/* One of several of which one has to be set, all by one call: it goes when another takes its place. */
static bool is_displaced(const struct aws_kind *kind, const struct aws_field *field)
{
	for (size_t i = 0; i < kind->kind.exclusive_count; i++) {
		const struct exclusive *exclusive = &kind->kind.exclusives[i];
		size_t alike = 0, count = 0, own = 0;
		for (; !exclusive->field && exclusive->members[count]; count++) {
			const struct aws_field *other = (const struct aws_field *)field_named(
				&kind->kind.fields, slice_of(exclusive->members[count]));
			if (!other)
				continue;
			alike += other->update == field->update;
			own += other == field;
		}
		if (own && exclusive->needs_one && alike == count)
			return true;
	}
	return false;
}

/* A field of the resource itself that differs must have a way to become as wanted. */
static void check_way(const struct aws_kind *kind, const struct aws_field *field)
{
	bool changes = field->update || field->part || field->attachment || field->each || field->amount ||
		       (strcmp(field->field.name, "tags") == 0 && kind->tags_member);
	if (!changes && !(field->field.flags & IMMUTABLE))
		kind_report(kind, "'%s' neither changes in place nor is immutable", field->field.name);
	check_work_shows(kind, field->update);
	check_work_shows(kind, field->part ? &field->part->add : NULL);
	check_work_shows(kind, field->amount ? &field->amount->more : NULL);
	if ((field->part != NULL) != ((field->field.flags & COMPARED) != 0))
		kind_report(kind, "'%s' is changed item by item, and COMPARED, or neither", field->field.name);
	if (field->field.when_unset == UNSET_CLEAR && field->update && !field->cleared && !field->update_off &&
	    !field->update->whole && !is_displaced(kind, field) && !strstr(kind->kind.name, "autoscaling_group"))
		kind_report(kind, "'%s' is to be cleared, but nothing clears it", field->field.name);
}

/* Whatever is a field's value and the id too holds no secret. */
static void check_identifies(const struct aws_kind *kind, const struct aws_field *field)
{
	const struct aws_output *id = (const struct aws_output *)output_at(&kind->kind.outputs, 0);
	const char *path = field->read ? field->read : field->member;
	bool is_id = path && id->read && strcmp(path, id->read) == 0;
	if (is_id != ((field->field.flags & IDENTIFIES) != 0))
		kind_report(kind, "'%s' is the id, and IDENTIFIES, or neither", field->field.name);
}

static void check_named_output(const struct aws_kind *kind, const struct aws_field *field, const char *name)
{
	if (name && !output_named(&kind->kind.outputs, slice_of(name)))
		kind_report(kind, "'%s': there is no output '%s'", field->field.name, name);
}

/* What names an item is read with it, and not kept; and what stands within an item too is SEEN there. */
static void check_seen(const struct aws_kind *kind, const struct aws_field *field)
{
	const char *name = field->each ? field->each->name_member : NULL, *within = field->field.seen_within;
	const struct field *named = name ? item_member(&field->field, name) : NULL;
	if (name && (!named || (named->flags & SEEN)))
		kind_report(kind, "'%s': '%s' is no member of its items, or is kept", field->field.name, name);
	if (field->field.part_id && (!name || strcmp(name, field->field.part_id) != 0))
		kind_report(kind, "'%s': '%s' names none of its items", field->field.name, field->field.part_id);
	if (!within)
		return;
	const struct field *other = field_named(&kind->kind.fields, (struct slice){within, strcspn(within, "[")});
	const struct field *same = item_member(other, field->field.name);
	if (!same || !(same->flags & SEEN))
		kind_report(kind, "'%s': nothing in '%s' says the same", field->field.name, within);
}

/* What a call takes by a name of its own is known to the API. */
static void check_amount(const struct aws_kind *kind, const struct aws_field *field)
{
	const struct aws_amount *amount = field->amount;
	const struct aws_operation_shape *more = aws_operation_of(kind, amount->more.operation);
	const struct aws_operation_shape *fewer = aws_operation_of(kind, amount->fewer.operation);
	if (!more || !aws_shape_at(more->input, amount->number) || !fewer || !aws_shape_at(fewer->input, amount->named))
		kind_report(kind, "'%s' is a number that no call changes", field->field.name);
}

/* What is attached to what an object lies in is a kind, and says so by a field of the name that `beside` has. */
static void check_through(const struct aws_kind *kind, const struct output *output)
{
	const struct field *by =
		output->through_by ? field_named(&kind->kind.fields, slice_of(output->through_by)) : NULL;
	const struct aws_kind *through = output->through ? kinds_named(output->through) : NULL;

	if (output->through &&
	    (!by || !by->beside || !through || !field_named(&through->kind.fields, slice_of(by->beside))))
		kind_report(kind, "output '%s' hangs on no attachment of '%s'", output->name, output->through);
	if (output->through && !(output->asked_by && slice_is_one_of(slice_of(output->asked_by), output->ended_by)))
		kind_report(kind, "output '%s' is asked for by none of what ends it", output->name);
}

/* What a stop or a start renews, every change renews that needs one. */
static void check_pause(const struct aws_kind *kind, const struct output *output)
{
	if (!kind->pause || !output_renewed_by(output, kind->kind.running))
		return;
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct field *field = field_at(&kind->kind.fields, i);
		if ((field->flags & PAUSES) && !output_renewed_by(output, field->name))
			kind_report(kind, "output '%s' is not renewed by '%s'", output->name, field->name);
	}
}

/* What a plan says of a stop, the provider carries out, and the other way round. */
static void check_running(const struct aws_kind *kind)
{
	const char *name = kind->kind.running;
	const struct field *running = name ? field_named(&kind->kind.fields, slice_of(name)) : NULL;
	size_t pausing = 0;

	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		bool pauses = (field->field.flags & PAUSES) != 0;
		pausing += pauses;
		if (pauses && !field->update)
			kind_report(kind, "'%s' stops it for no change", field->field.name);
	}
	if (name && (!running || running->type != FIELD_BOOL))
		kind_report(kind, "there is no true or false field '%s'", name);
	if ((kind->pause != NULL) != (pausing > 0) || (pausing > 0 && !name))
		kind_report(kind, "%zu fields stop it, and it can%s be stopped", pausing, kind->pause ? "" : "not");
}

static const char *read_path(const struct aws_field *field)
{
	return field->read ? field->read : field->member;
}

/* What is read from where the field of its name is, and as it stands there, is what that field says. */
static void check_repeats(const struct aws_kind *kind, const struct aws_output *output)
{
	const struct aws_field *field =
		(const struct aws_field *)field_named(&kind->kind.fields, slice_of(output->output.name));
	const char *path = field ? read_path(field) : NULL;
	bool is_same = path && output->read && strcmp(path, output->read) == 0 && !output->decode && !field->decode &&
		       !field->detail;
	if (is_same != output->output.repeats)
		kind_report(kind, "output '%s' %s", output->output.name,
			    is_same ? "repeats its field, and does not say so" : "repeats no field");
	if (is_same && !(field->field.flags & IMMUTABLE) && !output_renewed_by(&output->output, field->field.name))
		kind_report(kind, "output '%s' is not renewed by its field", output->output.name);
}

/* Whatever is joined to another object by calls of its own goes with it; and so does what an output tells of that. */
static void check_departs(const struct aws_kind *kind, const struct aws_field *field)
{
	const struct field *item = field->field.item;
	const char *name = field->part ? field->part->removal_output : NULL;
	const struct output *output = name ? output_named(&kind->kind.outputs, slice_of(name)) : NULL;
	bool joins = field->part && item && item->type == FIELD_REFERENCE;
	if (joins != (item && (item->flags & DEPARTS)))
		kind_report(kind, "the items of '%s' are references with calls of their own, and DEPARTS, or neither",
			    field->field.name);
	if (joins && output && (!output->keyed_by || strcmp(output->keyed_by, field->field.name) != 0))
		kind_report(kind, "output '%s' does not tell that it is of '%s'", output->name, field->field.name);
}

/* What is read by way of another field alone says so to whoever compares it. */
static void check_read_by(const struct aws_kind *kind, const struct aws_field *field)
{
	const char *of = field->part && field->detail ? field->detail->of : NULL;
	const char *said = field->field.read_by;
	if ((of != NULL) != (said != NULL) || (of && strcmp(of, said) != 0))
		kind_report(kind, "'%s' is read by '%s', and says '%s'", field->field.name, of ? of : "",
			    said ? said : "");
}

/* Whose id is no name is told by it: a word or a number that is part of a message is none. */
static void check_chosen(const struct aws_kind *kind)
{
	const struct output *id = output_at(&kind->kind.outputs, 0);
	if (id->is_chosen != (output_pattern_matches(id, SLICE("1")) || output_pattern_matches(id, SLICE("office"))))
		kind_report(kind, "its id is%s said to be a name", id->is_chosen ? "" : " not");
}

static bool is_same_list(const char *const *a, const char *const *b)
{
	while (a && b && *a && *b && strcmp(*a, *b) == 0)
		a++, b++;
	return (!a || !*a) && (!b || !*b);
}

/* Which codes pass, and which say that it is done, is a fact of the operation, whichever kind's part it changes. */
static void check_operation(const struct aws_kind *kind, const struct aws_call *call)
{
	static const struct aws_call *seen[64];
	static size_t count;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(seen[i]->operation, call->operation) != 0)
			continue;
		if (!is_same_list(seen[i]->settling, call->settling) || !is_same_list(seen[i]->absent, call->absent))
			kind_report(kind, "%s takes other codes for passing, or for done, than another kind's does",
				    call->operation);
		return;
	}
	assert_in_range(count, 0, sizeof(seen) / sizeof(seen[0]) - 1);
	seen[count++] = call;
}

static void check_output(const struct aws_kind *kind, const struct output *output)
{
	check_repeats(kind, (const struct aws_output *)output);
	for (const char *const *name = output->renewed_by; name && *name; name++)
		if (!field_named(&kind->kind.fields, slice_of(*name)))
			kind_report(kind, "output '%s' is renewed by no field '%s'", output->name, *name);
	for (const char *const *name = output->ended_by; name && *name; name++)
		if (!output_renewed_by(output, *name))
			kind_report(kind, "output '%s' is ended and not renewed by '%s'", output->name, *name);
	check_through(kind, output);
	check_pause(kind, output);
	const struct field *needed = output->needs ? field_named(&kind->kind.fields, slice_of(output->needs)) : NULL;
	if (output->needs && (!needed || needed->type != FIELD_BOOL))
		kind_report(kind, "output '%s' needs no field '%s'", output->name, output->needs);
	if (!output->follows)
		return;
	if (!output_named(&kind->kind.outputs, slice_of(output->follows)))
		kind_report(kind, "output '%s' follows no output '%s'", output->name, output->follows);
	if (!kind->alignment || strcmp(kind->alignment->output, output->name) != 0)
		kind_report(kind, "no call makes output '%s' equal to '%s'", output->name, output->follows);
}

static void check_exclusives(const struct aws_kind *kind)
{
	for (size_t i = 0; i < kind->kind.exclusive_count; i++) {
		const struct exclusive *exclusive = &kind->kind.exclusives[i];
		const struct field *within =
			exclusive->field ? field_named(&kind->kind.fields, slice_of(exclusive->field)) : NULL;
		const struct fields *fields = !exclusive->field ? &kind->kind.fields
					      : within->item	? &within->item->members
								: &within->members;
		for (const char *const *name = exclusive->members; *name; name++)
			if (!field_named(fields, slice_of(*name)))
				kind_report(kind, "there is no field '%s' to exclude", *name);
	}
}

static void check_names(const struct aws_kind *kind)
{
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		check_field(kind, &kind->kind.fields, &field->field);
		check_way(kind, field);
		check_identifies(kind, field);
		check_departs(kind, field);
		check_read_by(kind, field);
		if (field->part && field->part->add.operation)
			check_operation(kind, &field->part->add);
		if (field->part && field->part->remove.operation)
			check_operation(kind, &field->part->remove);
		check_named_output(kind, field, field->part ? field->part->removal_output : NULL);
		check_named_output(kind, field, field->each ? field->each->names_output : NULL);
		check_named_output(kind, field, field->amount ? field->amount->names_output : NULL);
		check_named_output(kind, field, field->field.immutable_with);
		const char *where = field->field.kept_where;
		const struct field *keeps = where ? field_named(&kind->kind.fields, slice_of(where)) : NULL;
		if (where && (!keeps || keeps->type != FIELD_BOOL))
			kind_report(kind, "'%s' is kept by no field '%s'", field->field.name, where);
		check_seen(kind, field);
		if (field->amount)
			check_amount(kind, field);
	}
	for (size_t i = 0; i < kind->kind.outputs.count; i++)
		check_output(kind, output_at(&kind->kind.outputs, i));
	check_exclusives(kind);
	check_running(kind);
	check_chosen(kind);
	const struct output *aligned =
		kind->alignment ? output_named(&kind->kind.outputs, slice_of(kind->alignment->output)) : NULL;
	if (kind->alignment && (!aligned || !aligned->follows))
		kind_report(kind, "the output to align follows none");
}

int main(void)
{
	return kinds_try(check_names);
}
