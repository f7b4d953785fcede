#define _GNU_SOURCE 1 /* qsort_r() */
#include "reconcile/schema.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "reconcile/schema_walk.h"

enum { CANDIDATES_MOST = 256 };

static schema_fit fit_object;
static schema_fit fit_list;
static schema_fit fit_map;

/* What a field of each type takes, and how messages call that. */
static const struct {
	const char *expected;
	schema_fit *fit;
} types[] = {
	[FIELD_STRING] = {"a string", schema_fit_string},
	[FIELD_INTEGER] = {"a whole number", schema_fit_integer},
	[FIELD_NUMBER] = {"a number", schema_fit_number},
	[FIELD_BOOL] = {"true or false", schema_fit_bool},
	[FIELD_CIDR4] = {"an IPv4 range such as 10.0.0.0/16", schema_fit_cidr},
	[FIELD_CIDR6] = {"an IPv6 range such as fd00:1::/48", schema_fit_cidr},
	[FIELD_CIDR] = {"a range such as 10.0.0.0/16 or fd00:1::/48", schema_fit_cidr},
	[FIELD_ADDRESS] = {"an IP address such as 10.0.0.1 or fd00::1", schema_fit_address},
	[FIELD_JSON] = {"a JSON document, as text or as a map", schema_fit_json},
	[FIELD_REFERENCE] = {"a reference", schema_fit_reference},
	[FIELD_OBJECT] = {"a map", fit_object},
	[FIELD_LIST] = {"a list", fit_list},
	[FIELD_SET] = {"a list", fit_list},
	[FIELD_MAP] = {"a map", fit_map},
};

static void report_misfit(struct schema_walk *walk, const struct field *field, const char *name,
			  const struct value *given)
{
	struct diagnostics *diagnostics = walk->diagnostics;
	struct slice text = value_slice(given);

	/* Text in a field of text's own making (a range, an address) is wrong by content, not by type. */
	if (given->type == VALUE_STRING && !given->secret && field->type >= FIELD_CIDR4 && field->type <= FIELD_ADDRESS)
		diag_error(diagnostics, FAULT_USER, given->position, "'%s' expects %s, found '%.*s'", name,
			   types[field->type].expected, SLICE_ARGUMENTS(schema_shown(diagnostics->arena, text)));
	else if (field->type == FIELD_REFERENCE && field->target)
		diag_error(diagnostics, FAULT_USER, given->position, "'%s' expects a reference to '%s', found %s", name,
			   field->target, value_type_name(given->type));
	else
		diag_error(diagnostics, FAULT_USER, given->position, "'%s' expects %s, found %s", name,
			   types[field->type].expected, value_type_name(given->type));
	schema_hint_at_type(walk, field, given);
}

static void mark_secret(const struct field *field, struct value *value)
{
	/* A deferred text names outputs and says nothing of what they hold. */
	if (!(field->flags & SECRET) || value->type == VALUE_DEFERRED || value->type == VALUE_UNREAD ||
	    value->type == VALUE_NULL)
		return;
	/* What stands beside the secret that an expression put in is secret here, too. */
	if (value->segmented && value->style != VALUE_STYLE_SEALED)
		*value = value_at(value_string(value_slice(value)), value->position);
	value->secret = true;
}

static bool is_none(const struct field *field, const struct value *value)
{
	int64_t none;

	if (field->none && value->type == VALUE_BOOL)
		return strcmp(field->none, value->boolean ? "true" : "false") == 0;
	return field->none && value->type == VALUE_INTEGER && slice_integer(slice_of(field->none), &none) &&
	       value->integer == none;
}

/*
 * Services keep nothing for an empty text, list or object and show nothing of it, so that in a field that can be unset
 * it is the same as not to set it. A part of which nothing is wanted, what goes back to empty, and what is only
 * compared do mean empty.
 */
static bool counts_as_unset(const struct field *field, const struct value *value)
{
	bool list = field->type == FIELD_LIST || field->type == FIELD_SET;

	if (field->when_unset == UNSET_UNDECLARED || (field->flags & (REQUIRED | SETTLES | FIXED)))
		return false;
	if (list && field->when_unset == UNSET_CONSTANT && strcmp(field->unset_value, "[]") == 0)
		return false;
	return is_none(field, value) ||
	       (field->type == FIELD_STRING && value->type == VALUE_STRING && value_slice(value).size == 0) ||
	       (list && value->type == VALUE_LIST && value->count == 0) ||
	       (field->type == FIELD_OBJECT && value->type == VALUE_MAP && value->count == 0);
}

/* Returns whether *ret differs from *given; null: it counts as unset. Depth is that of the tables, which is finite. */
static bool fit_value(struct schema_walk *walk, const struct field *field, const char *name, const struct value *given,
		      struct value *ret)
{
	size_t errors_before = walk->diagnostics ? walk->diagnostics->error_count : 0;
	enum fit fit = FIT_SAME;
	bool secret = given->secret;

	*ret = *given;
	if (schema_refuses_secret(walk, field, name, given))
		return false;
	/* Of what a fingerprint stands for nobody can tell whether it fits. */
	if (given->type == VALUE_DEFERRED || given->type == VALUE_UNREAD || value_is_sealed(given))
		return false;
	fit = types[field->type].fit(walk, field, name, given, ret);
	if (fit == FIT_NOT && walk->diagnostics)
		report_misfit(walk, field, name, given);
	mark_secret(field, ret);
	/* What is wrong within an object would be told a second time by what it lacks for it. */
	if (walk->diagnostics && (fit == FIT_SAME || fit == FIT_CHANGED) &&
	    (field->type != FIELD_OBJECT || walk->diagnostics->error_count == errors_before))
		schema_rules(walk, field, name, ret);
	if (field->form && ret->type == (field->type == FIELD_STRING ? VALUE_STRING : VALUE_MAP)) {
		*ret = value_at(field->form(ret, walk->arena), given->position);
		fit = FIT_CHANGED;
	}
	if (counts_as_unset(field, ret) && (!walk->diagnostics || walk->diagnostics->error_count == errors_before)) {
		*ret = value_at(value_null(), given->position);
		return true;
	}
	return fit == FIT_CHANGED || ret->secret != secret || ret->segmented != given->segmented;
}

/*
 * An array that is shared until something in it changes: `copy` is made then, of as many
 * as the whole may come to.
 */
struct members_sharing {
	const struct value *given;
	struct value_member *copy; /* in the arena; NULL while nothing changed */
	size_t count;
};

static void members_diverge(struct members_sharing *sharing, struct arena *arena)
{
	if (sharing->copy)
		return;
	sharing->copy = arena_new_array(arena, sharing->given->count, struct value_member);
	if (sharing->count > 0)
		memcpy(sharing->copy, sharing->given->members, sharing->count * sizeof(*sharing->copy));
}

static void members_take(struct members_sharing *sharing, const struct value_member *member, struct value value)
{
	if (sharing->copy)
		sharing->copy[sharing->count] = (struct value_member){member->key, value};
	sharing->count++;
}

static enum fit members_finish(const struct members_sharing *sharing, struct value *ret)
{
	if (!sharing->copy)
		return FIT_SAME;
	ret->members = sharing->copy;
	ret->count = (uint32_t)sharing->count;
	return FIT_CHANGED;
}

/* What messages call the map that fields stand in: a field in quotes, a kind without. */
struct owner {
	const char *name;
	bool quoted;
};

/* For "%s%s%s". */
#define OWNER_ARGUMENTS(owner) (owner).quoted ? "'" : "", (owner).name, (owner).quoted ? "'" : ""

/* The field that a name which is none was probably meant to be; -1: nothing is like it. */
static int nearest_field(const struct fields *fields, struct slice name)
{
	struct slice candidates[CANDIDATES_MOST];
	size_t count = fields->count < CANDIDATES_MOST ? fields->count : CANDIDATES_MOST;

	for (size_t i = 0; i < count; i++)
		candidates[i] = slice_of(field_at(fields, i)->name);
	return slice_nearest(name, candidates, count);
}

bool schema_is_misspelt(const struct fields *fields, const struct field *field, const struct value *given)
{
	for (size_t i = 0; i < given->count; i++) {
		struct slice name = value_slice(&given->members[i].key);
		int nearest = field_named(fields, name) ? -1 : nearest_field(fields, name);

		if (nearest >= 0 && field_at(fields, (size_t)nearest) == field)
			return true;
	}
	return false;
}

/* What those who come from Terraform look for. */
static const struct word_hint elsewhere[] = {
	{"count", "nothing is repeated: write each one out"},
	{"prevent_destroy", "a resource is protected by 'lifecycle: {protect: true}'"},
	{"ignore_changes", "a resource leaves fields to others by 'lifecycle: {ignore: [FIELD]}'"},
	{NULL, NULL},
};

static void report_unknown(struct schema_walk *walk, const struct fields *fields, struct owner owner,
			   const struct value *given, const struct value_member *member)
{
	struct slice name = value_slice(&member->key);
	int nearest = nearest_field(fields, name);

	/* The keys of a secret map are secret too. */
	if (given->secret) {
		diag_error(walk->diagnostics, FAULT_USER, given->position,
			   "%s%s%s is given a field that it does not have; its name is a secret and not shown",
			   OWNER_ARGUMENTS(owner));
		return;
	}
	diag_error(walk->diagnostics, FAULT_USER, member->key.position, "%s%s%s has no field '%.*s'",
		   OWNER_ARGUMENTS(owner), (int)(name.size < 80 ? name.size : 80), name.data);
	if (nearest >= 0)
		diag_hint(walk->diagnostics, "did you mean '%s'?", field_at(fields, (size_t)nearest)->name);
	else if (!diag_hint_for_word(walk->diagnostics, name, elsewhere))
		schema_hint_at_fields(walk, fields);
}

static void report_missing(struct schema_walk *walk, const struct fields *fields, struct owner owner,
			   const struct value *given)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *value;

		if (!(field->flags & REQUIRED))
			continue;
		value = value_get_named(given, field->name);
		if ((value && value->type != VALUE_NULL) || schema_is_misspelt(fields, field, given))
			continue;
		diag_error(walk->diagnostics, FAULT_USER, given->position, "%s%s%s needs the field '%s'",
			   OWNER_ARGUMENTS(owner), field->name);
		if (field->about)
			diag_hint(walk->diagnostics, "add '%s': %s", field->name, field->about);
	}
}

static enum fit fit_fields(struct schema_walk *walk, const struct fields *fields, struct owner owner,
			   const struct value *given, struct value *ret)
{
	struct members_sharing sharing = {.given = given};

	for (size_t i = 0; i < given->count; i++) {
		const struct value_member *member = &given->members[i];
		const struct field *field = field_named(fields, value_slice(&member->key));
		struct value value;

		if (!field || member->value.type == VALUE_NULL) {
			if (!field && walk->diagnostics)
				report_unknown(walk, fields, owner, given, member);
			members_diverge(&sharing, walk->arena);
			continue;
		}
		if (fit_value(walk, field, field->name, &member->value, &value))
			members_diverge(&sharing, walk->arena);
		if (value.type == VALUE_NULL)
			continue;
		members_take(&sharing, member, value);
	}
	if (walk->diagnostics)
		report_missing(walk, fields, owner, given);
	return members_finish(&sharing, ret);
}

static enum fit fit_object(struct schema_walk *walk, const struct field *field, const char *name,
			   const struct value *given, struct value *ret)
{
	if (given->type != VALUE_MAP)
		return FIT_NOT;
	return fit_fields(walk, &field->members, (struct owner){name, true}, given, ret);
}

static enum fit fit_map(struct schema_walk *walk, const struct field *field, const char *name,
			const struct value *given, struct value *ret)
{
	struct members_sharing sharing = {.given = given};

	if (given->type != VALUE_MAP)
		return FIT_NOT;
	for (size_t i = 0; i < given->count; i++) {
		const struct value_member *member = &given->members[i];
		struct value value;

		if (member->value.type == VALUE_NULL) {
			members_diverge(&sharing, walk->arena);
			continue;
		}
		if (walk->diagnostics)
			(void)schema_can_be_sent(walk, name, &member->key);
		if (fit_value(walk, field->item, name, &member->value, &value))
			members_diverge(&sharing, walk->arena);
		members_take(&sharing, member, value);
	}
	return members_finish(&sharing, ret);
}

static int compare_items(const void *a, const void *b)
{
	return value_compare((const struct value *)a, (const struct value *)b);
}

static bool in_order(const struct value *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (value_compare(&items[i - 1], &items[i]) >= 0)
			return false;
	}
	return true;
}

/* By the KEY members of item, the field table that context is. Both are maps or neither is looked into. */
static int compare_keys(const void *a, const void *b, void *context)
{
	const struct field *item = (const struct field *)context;
	const struct value *first = *(const struct value *const *)a;
	const struct value *second = *(const struct value *const *)b;

	for (size_t i = 0; i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		const struct value *one, *other;
		int order;

		if (!(member->flags & KEY))
			continue;
		one = value_get_named(first, member->name);
		other = value_get_named(second, member->name);
		order = one && other ? value_compare(one, other) : (one != NULL) - (other != NULL);
		if (order != 0)
			return order;
	}
	return 0;
}

/* Two different items that say they are the same one. */
static void report_same_keys(struct schema_walk *walk, const struct field *field, const char *name,
			     const struct value *set)
{
	struct field item = *field->item;
	const struct value **sorted = (const struct value **)memory_get(set->count * sizeof(const struct value *));

	for (size_t i = 0; i < set->count; i++)
		sorted[i] = &set->items[i];
	qsort_r(sorted, set->count, sizeof(const struct value *), compare_keys, &item);
	for (size_t i = 1; i < set->count; i++) {
		struct slice key;

		if (sorted[i]->type != VALUE_MAP || compare_keys(&sorted[i - 1], &sorted[i], &item) != 0 ||
		    value_has_unread(sorted[i]) || schema_has_secret_key(field->item, sorted[i]))
			continue;
		key = schema_item_name(field->item, sorted[i], walk->diagnostics->arena);
		diag_error(walk->diagnostics, FAULT_USER, sorted[i]->position,
			   "'%s' has two different entries for '%.*s'", name, SLICE_ARGUMENTS(key));
		diag_related(walk->diagnostics, sorted[i - 1]->position, "the other one is here");
		diag_hint(walk->diagnostics, "keep one of them, or bring them into one");
	}
	free(sorted);
}

/* Sorts the items of a list that is fitted already, and drops repeats. */
static bool sort_set(struct schema_walk *walk, struct value *list)
{
	struct value *items;
	size_t kept = 0;

	if (in_order(list->items, list->count))
		return false;
	items = arena_new_array(walk->arena, list->count, struct value);
	memcpy(items, list->items, list->count * sizeof(*items));
	qsort(items, list->count, sizeof(*items), compare_items);
	for (size_t i = 0; i < list->count; i++) {
		if (kept == 0 || value_compare(&items[kept - 1], &items[i]) != 0)
			items[kept++] = items[i];
	}
	list->items = items;
	list->count = (uint32_t)kept;
	return true;
}

/* As fit_value(), of an item of list. */
static bool fit_item(struct schema_walk *walk, const struct field *list, const char *name, const struct value *given,
		     struct value *ret)
{
	*ret = *given;
	return !schema_refuses_secret_item(walk, list, name, given) && fit_value(walk, list->item, name, given, ret);
}

static enum fit fit_list(struct schema_walk *walk, const struct field *field, const char *name,
			 const struct value *given, struct value *ret)
{
	struct value *copy = NULL;
	bool changed;

	if (given->type != VALUE_LIST)
		return FIT_NOT;
	for (size_t i = 0; i < given->count; i++) {
		struct value value;

		if (fit_item(walk, field, name, &given->items[i], &value) && !copy) {
			copy = arena_new_array(walk->arena, given->count, struct value);
			memcpy(copy, given->items, i * sizeof(*copy));
		}
		if (copy)
			copy[i] = value;
	}
	if (copy)
		ret->items = copy;
	changed = copy != NULL;
	if (field->type != FIELD_SET)
		return changed ? FIT_CHANGED : FIT_SAME;
	changed = sort_set(walk, ret) || changed;
	if (walk->diagnostics && ret->count > 1 && schema_has_keys(field->item))
		report_same_keys(walk, field, name, ret);
	return changed ? FIT_CHANGED : FIT_SAME;
}

static void needs_one(const struct exclusive *exclusive, const struct fields *fields, const char *what,
		      const struct value *map, struct diagnostics *diagnostics)
{
	BUFFER_AUTO names;

	buffer_init(&names, CANDIDATES_MOST);
	for (size_t i = 0; exclusive->members[i]; i++)
		if (schema_is_misspelt(fields, field_named(fields, slice_of(exclusive->members[i])), map))
			return;
	for (size_t i = 0; exclusive->members[i]; i++)
		buffer_format(&names, "%s'%s'", i > 0 ? ", " : "", exclusive->members[i]);
	diag_error(diagnostics, FAULT_USER, map->position, "%s needs one of %.*s", what,
		   SLICE_ARGUMENTS(buffer_slice(&names)));
}

/* fields: of the map */
static void check_exclusive(const struct exclusive *exclusive, const struct fields *fields, const char *what,
			    const struct value *map, struct diagnostics *diagnostics)
{
	const struct value *first = NULL;
	const char *first_name = NULL;

	for (size_t i = 0; map->type == VALUE_MAP && exclusive->members[i]; i++) {
		const char *name = exclusive->members[i];
		const struct value *value = value_get_named(map, name);

		if (!value || value->type == VALUE_NULL)
			continue;
		if (first) {
			diag_error(diagnostics, FAULT_USER, value->position, "%s cannot have both '%s' and '%s'", what,
				   first_name, name);
			diag_related(diagnostics, first->position, "'%s' is set here", first_name);
			diag_hint(diagnostics, "keep one of them");
			return;
		}
		first = value;
		first_name = name;
	}
	if (map->type == VALUE_MAP && !first && exclusive->needs_one)
		needs_one(exclusive, fields, what, map, diagnostics);
}

/* The rule holds for the map that the field is, or for each of its items. */
static void check_exclusive_within(const struct exclusive *exclusive, const struct field *field,
				   const struct value *value, struct diagnostics *diagnostics)
{
	const struct fields *fields = field->type == FIELD_OBJECT ? &field->members : &field->item->members;
	char what[CANDIDATES_MOST];

	snprintf(what, sizeof(what), "'%s'", exclusive->field);
	if (field->type == FIELD_OBJECT)
		check_exclusive(exclusive, fields, what, value, diagnostics);
	for (size_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		check_exclusive(exclusive, fields, what, &value->items[i], diagnostics);
	for (size_t i = 0; field->type == FIELD_MAP && value->type == VALUE_MAP && i < value->count; i++)
		check_exclusive(exclusive, fields, what, &value->members[i].value, diagnostics);
}

bool schema_check_fields(const struct fields *fields, const char *what, const struct value *given, struct arena *arena,
			 struct value *ret, struct diagnostics *diagnostics)
{
	struct schema_walk walk = {arena, diagnostics};
	size_t errors_before = diagnostics->error_count;
	struct value canonical = *given;

	if (given->type != VALUE_MAP)
		return diag_error(diagnostics, FAULT_USER, given->position, "%s expects a map of fields, found %s",
				  what, value_type_name(given->type));
	fit_fields(&walk, fields, (struct owner){what, false}, given, &canonical);
	if (diagnostics->error_count != errors_before)
		return false;
	*ret = canonical;
	return true;
}

static void check_exclusives(const struct kind *kind, const struct value *given, struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < kind->exclusive_count; i++) {
		const struct exclusive *exclusive = &kind->exclusives[i];
		const struct field *field;
		const struct value *value;

		if (!exclusive->field) {
			check_exclusive(exclusive, &kind->fields, kind->name, given, diagnostics);
			continue;
		}
		field = field_named(&kind->fields, slice_of(exclusive->field));
		value = value_get_named(given, exclusive->field);
		if (field && value)
			check_exclusive_within(exclusive, field, value, diagnostics);
	}
}

bool schema_check(const struct kind *kind, const struct value *given, struct arena *arena, struct value *ret,
		  struct diagnostics *diagnostics)
{
	struct value canonical;
	bool good = schema_check_fields(&kind->fields, kind->name, given, arena, &canonical, diagnostics);
	size_t errors_before = diagnostics->error_count;

	if (given->type == VALUE_MAP)
		check_exclusives(kind, good ? &canonical : given, diagnostics);
	if (!good || diagnostics->error_count != errors_before)
		return false;
	*ret = canonical;
	return true;
}

struct value schema_canonical(const struct field *field, const struct value *value, struct arena *arena)
{
	struct schema_walk walk = {arena, NULL};
	struct value canonical;

	fit_value(&walk, field, field->name, value, &canonical);
	return canonical;
}

struct value schema_canonical_fields(const struct fields *fields, const struct value *value, struct arena *arena)
{
	struct schema_walk walk = {arena, NULL};
	struct value canonical = *value;

	if (value->type == VALUE_MAP)
		fit_fields(&walk, fields, (struct owner){"", false}, value, &canonical);
	return canonical;
}
