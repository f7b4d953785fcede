#include "reconcile/undo_parts.h"

#include "reconcile/diff_field.h"
#include "reconcile/schema.h"
#include "reconcile/unfinished.h"
#include "reconcile/unset.h"

/* What one address goes back to: the three forms of it, field by field. */

struct merging {
	struct undo_work *work;
	struct undo_case *one;
	struct value_builder fields;
	struct value_builder restores; /* what was seen of fields that the spec did not set */
	struct slice *ignored;	       /* fields that the plan is not to look at */
	size_t ignored_count;
	struct slice *follows; /* and those that it is to look at only where they follow others */
	size_t follows_count;
	size_t reverted_count;
	bool conflicts;
};

static bool is_same(const struct value *a, const struct value *b)
{
	return a == b || (a && b && value_equal(a, b));
}

bool undo_same_field(const struct value *a, const struct value *b, const struct field *field)
{
	struct slice name = slice_of(field->name);

	return is_same(value_get_given(a, name), value_get_given(b, name));
}

bool undo_same_form(const struct object *a, const struct object *b)
{
	if (!a || !b)
		return a == b;
	return a->protect == b->protect && value_equal(&a->applied, &b->applied) &&
	       identity_equal(&a->identity, &b->identity);
}

/* Whether a field differs in nothing but what it calls what it refers to, as after `state mv`. */
static bool is_called_otherwise(const struct undo_case *one, const struct field *field)
{
	const struct value *left = value_get_named(&one->left->applied, field->name);
	const struct value *base = value_get_named(&one->base->applied, field->name);

	return left && base && value_has_deferred(left) && value_has_deferred(base) &&
	       value_get_named(&one->left->resolved, field->name) &&
	       undo_same_field(&one->left->resolved, &one->base->resolved, field);
}

/* A deletion needs no names. */
static bool has_fields_as_left(const struct undo_case *one)
{
	for (size_t i = 0; i < one->kind->fields.count; i++) {
		const struct field *field = field_at(&one->kind->fields, i);

		if (!undo_same_field(&one->left->applied, &one->base->applied, field) &&
		    !is_called_otherwise(one, field))
			return false;
	}
	return true;
}

/* Whoever has let go of its protection since has made way for this, as the refusal asked for. */
bool undo_is_as_left(const struct undo_case *one)
{
	return one->base && (one->left->protect || !one->base->protect) &&
	       identity_equal(&one->left->identity, &one->base->identity) && has_fields_as_left(one);
}

static bool is_within_name(struct slice text, size_t offset)
{
	char byte = offset < text.size ? text.data[offset] : ' ';

	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       byte == '_' || byte == '-';
}

/* A name may begin or end as another one does: 'web2' is not 'web'. */
static bool names(struct slice text, struct slice address)
{
	for (size_t i = 0; i + address.size <= text.size; i++)
		if (slice_starts_with(slice_from(text, i), address) && (i == 0 || !is_within_name(text, i - 1)) &&
		    !is_within_name(text, i + address.size))
			return true;
	return false;
}

bool undo_mentions(const struct value *value, struct slice address)
{
	if (value_is(value, VALUE_DEFERRED))
		return names(value->deferred->text, address);
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		if (undo_mentions(&value->items[i], address))
			return true;
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++)
		if (undo_mentions(&value->members[i].value, address))
			return true;
	return false;
}

struct resource undo_resource_of(struct undo_work *work, const struct object *object, const struct kind *kind)
{
	const struct resource *spec = map_get(work->spec, object->address);
	struct resource resource = {
		.address = object->address,
		.name = address_name(object->address, object->kind),
		.kind = kind,
		.position = spec ? spec->position : NOWHERE,
		.desired = value_is(&object->applied, VALUE_MAP) ? undo_opened(work, &object->applied)
								 : value_map(NULL, 0),
		.provider = object->provider,
		.protect = object->protect,
		.create_before_destroy = spec ? spec->create_before_destroy : CHOICE_UNSET,
		.left_to_others = object->ignored,
	};
	undo_take_dependencies(work, object, &resource);
	return resource;
}

static void report_conflict(struct merging *merging, const struct undo_place *place, struct slice path)
{
	const struct undo_case *one = merging->one;
	const struct undo_since *run = undo_blamed(merging->work, one, place);

	merging->conflicts = true;
	diag_error(merging->work->diagnostics, FAULT_CONFLICT, NOWHERE, "'%.*s' has changed again since: '%.*s'%.*s",
		   SLICE_ARGUMENTS(one->address), SLICE_ARGUMENTS(path),
		   SLICE_ARGUMENTS(undo_since_text(merging->work, run)));
	diag_address(merging->work->diagnostics, one->address);
	undo_hint(merging->work, run, "undo the later run first");
}

/* A field, or what it has under one key. */
struct forms {
	const struct value *was, *left, *now; /* NULL: not set */
};

/* What becomes of one key; false where a later run has changed the same. */
static bool merge_key(const struct forms *forms, const struct value **ret)
{
	*ret = is_same(forms->was, forms->left) || is_same(forms->was, forms->now) ? forms->now : forms->was;
	return *ret == forms->now || is_same(forms->left, forms->now);
}

static void merge_member(struct merging *merging, const struct field *field, const struct forms *whole,
			 struct slice key, struct value_builder *merged)
{
	const struct forms forms = {value_get(whole->was, key), value_get(whole->left, key),
				    value_get(whole->now, key)};
	const struct value *value;

	if (!merge_key(&forms, &value))
		report_conflict(merging, &(struct undo_place){.field = field, .key = key},
				arena_format(merging->work->arena, "%s.%.*s", field->name, SLICE_ARGUMENTS(key)));
	else if (value)
		value_builder_member(merged, key, *value);
}

/* A map goes back key by key: others may have changed other keys since. */
static struct value merge_map(struct merging *merging, const struct field *field, const struct forms *forms)
{
	VALUE_BUILDER_AUTO merged;

	value_builder_init(&merged);
	for (uint32_t i = 0; i < forms->now->count; i++)
		merge_member(merging, field, forms, value_slice(&forms->now->members[i].key), &merged);
	for (uint32_t i = 0; i < forms->was->count; i++) {
		struct slice key = value_slice(&forms->was->members[i].key);

		if (!value_get(forms->now, key))
			merge_member(merging, field, forms, key, &merged);
	}
	return value_builder_map(&merged, merging->work->arena);
}

struct set_forms {
	struct diff_index was, left, now;
};

static void merge_item(struct merging *merging, const struct field *field, const struct set_forms *sets,
		       const struct value *either, struct value_builder *merged)
{
	const struct forms forms = {diff_index_find(&sets->was, either), diff_index_find(&sets->left, either),
				    diff_index_find(&sets->now, either)};
	const struct value *item;

	if (!merge_key(&forms, &item))
		report_conflict(merging, &(struct undo_place){.field = field, .item = either},
				diff_item_path(field, slice_of(field->name), either, merging->work->arena));
	else if (item)
		value_builder_item(merged, *item);
}

/* So does a set, by what tells its items apart. What a later run took out or put in by itself is left so. */
static struct value merge_set(struct merging *merging, const struct field *field, const struct forms *forms)
{
	struct arena *arena = merging->work->arena;
	struct set_forms sets;
	VALUE_BUILDER_AUTO merged;

	diff_index_init(&sets.was, field, forms->was, arena);
	diff_index_init(&sets.left, field, forms->left, arena);
	diff_index_init(&sets.now, field, forms->now, arena);
	value_builder_init(&merged);
	for (uint32_t i = 0; i < forms->now->count; i++)
		merge_item(merging, field, &sets, &forms->now->items[i], &merged);
	for (uint32_t i = 0; i < forms->was->count; i++)
		if (!diff_index_find(&sets.now, &forms->was->items[i]))
			merge_item(merging, field, &sets, &forms->was->items[i], &merged);
	diff_index_release(&sets.was);
	diff_index_release(&sets.left);
	diff_index_release(&sets.now);
	const struct value list = value_builder_list(&merged, arena);

	/* As a spec would have it, or the next plan took the order for a change. */
	return list.count > 0 ? schema_canonical(field, &list, arena) : list;
}

static bool all_are(enum value_type type, const struct forms *forms)
{
	return forms->was && forms->left && forms->now && value_is(forms->was, type) && value_is(forms->left, type) &&
	       value_is(forms->now, type);
}

/* An undoing that was cut off may have changed it for a deletion, or let go of it for a replace. */
static bool has_moved(const struct undo_case *one, struct slice name, const struct value *kept)
{
	return one->now && !is_same(value_get_given(&one->now->applied, name), kept);
}

static void keep(struct merging *merging, const struct field *field, const struct value *now)
{
	struct slice name = slice_of(field->name);

	if (now)
		value_builder_member(&merging->fields, name, undo_opened(merging->work, now));
	if (has_moved(merging->one, name, now))
		return;
	/* What refers to others follows them; the rest is none of the undoing's business. */
	if (now && value_has_deferred(now))
		merging->follows[merging->follows_count++] = name;
	else
		merging->ignored[merging->ignored_count++] = name;
}

bool undo_was_left_alone(const struct undo_work *work, const struct undo_case *one, struct slice name)
{
	return one->was && one->left && slice_equal(one->was->object_id, one->left->object_id) &&
	       ignored_has(&one->left->ignored, name) &&
	       (!work->input->is_undoing || ignored_has(&one->was->ignored, name));
}

/* What the spec said of it goes back in the record alone, unless a later run has taken it up. */
static void leave_to_others(struct merging *merging, struct slice name, const struct forms *forms)
{
	bool goes_back = is_same(forms->left, forms->now) && ignored_has(&merging->one->base->ignored, name);
	const struct value *said = goes_back ? forms->was : forms->now;

	if (said)
		value_builder_member(&merging->fields, name, undo_opened(merging->work, said));
	merging->ignored[merging->ignored_count++] = name;
}

/*
 * The spec did not set the field before the run. Where nothing would bring it back once it is
 * released, what was seen then is set; not beside what the spec set then in its stead (addresses, or their number), for
 * no service takes both.
 */
static const struct value *seen_before(const struct undo_case *one, const struct field *field)
{
	const struct value *seen = value_get_given(&one->was->observed, slice_of(field->name));

	if (field->when_unset != UNSET_RELEASE || (field->flags & (IMMUTABLE | WRITE_ONLY | OBSERVED)) || !seen ||
	    value_has_unread(seen) || kind_excludes(one->kind, field, &one->was->applied))
		return NULL;
	return seen;
}

static const char only_fingerprint[] = "what it was is a secret, of which only the fingerprint is recorded";

/* Of a map the keys whose secret nobody has stay as they are now, and the others go back. */
static struct value open_keys(struct undo_work *work, const struct value *old, const struct value *now)
{
	VALUE_BUILDER_AUTO opened;

	value_builder_init(&opened);
	for (uint32_t i = 0; i < old->count; i++) {
		struct slice key = value_slice(&old->members[i].key);
		struct value value = undo_opened(work, &old->members[i].value);
		const struct value *mine = value_get(now, key);

		if (!value_has_fingerprint(&value))
			value_builder_member(&opened, key, value);
		else if (mine)
			value_builder_member(&opened, key, undo_opened(work, mine));
	}
	return value_builder_map(&opened, work->arena);
}

static void note_keys(struct merging *merging, const struct field *field, const struct value *old,
		      const struct value *now)
{
	for (uint32_t i = 0; i < old->count; i++) {
		struct slice key = value_slice(&old->members[i].key);
		struct value value = undo_opened(merging->work, &old->members[i].value);

		if (value_has_fingerprint(&value))
			undo_stays(merging->work, merging->one->address, "'%s.%.*s' %s: %s", field->name,
				   SLICE_ARGUMENTS(key), value_get(now, key) ? "keeps its value" : "is not set again",
				   only_fingerprint);
	}
}

/* Puts the secrets back into what a field was; false where it keeps its value, because nobody has them. */
static bool open_old(struct merging *merging, const struct field *field, const struct value *old,
		     const struct value *now, struct value *ret)
{
	struct undo_work *work = merging->work;

	*ret = undo_opened(work, old);
	if (!value_has_fingerprint(ret))
		return true;
	/* An earlier undoing, which had the secret, has put it back. */
	if (is_same(old, now))
		return false;
	if (field->type == FIELD_MAP && value_is(old, VALUE_MAP))
		*ret = open_keys(work, old, now);
	if (value_has_fingerprint(ret)) {
		undo_stays(work, merging->one->address, "'%s' keeps its value: %s", field->name, only_fingerprint);
		return false;
	}
	note_keys(merging, field, old, now);
	struct value mine = now ? undo_opened(work, now) : value_map(NULL, 0);
	return !value_equal(ret, &mine);
}

/* What keeps its value keeps the one that an earlier undoing has left: what that has done is not taken back. */
static const struct value *as_it_stands(const struct undo_case *one, const struct field *field,
					const struct value *base)
{
	const struct value *now = one->now ? value_get_given(&one->now->applied, slice_of(field->name)) : NULL;

	return now ? now : base;
}

/* A secret that the spec did not set and that is seen as it was: letting go of it is all, and nobody needs to have it.
 */
static bool is_secret_seen_still(const struct merging *merging, const struct field *field, const struct value *seen)
{
	const struct object *now = merging->one->now;
	const struct value *sees = now ? value_get_given(&now->observed, slice_of(field->name)) : NULL;
	const struct value opened = undo_opened(merging->work, seen);

	return value_has_fingerprint(&opened) && sees && diff_field(field, seen, sees) == LIKE;
}

static void revert(struct merging *merging, const struct field *field, const struct value *was,
		   const struct value *base)
{
	const struct value *old = was ? was : seen_before(merging->one, field);
	const struct value *now = as_it_stands(merging->one, field, base);
	struct value opened;

	if (!was && old && is_secret_seen_still(merging, field, old))
		old = NULL;
	if (old && !open_old(merging, field, old, now, &opened)) {
		keep(merging, field, now);
		return;
	}
	merging->reverted_count++;
	/* A secret is set as the spec's own: a saved plan seals those alone. */
	if (old)
		value_builder_member(was || value_has_secret(&opened) ? &merging->fields : &merging->restores,
				     slice_of(field->name), opened);
}

/* Left unset it is switched on again; a record that has it off only follows the run that did not end. */
static void keep_owed(struct merging *merging, struct slice name, const struct value *owed, const struct value *now)
{
	merging->reverted_count++;
	if (now)
		value_builder_member(&merging->fields, name, *owed);
}

/* Where its rule says what a field is while it is not set, it can be compared key by key then, too. */
static const struct value *while_unset(const struct merging *merging, const struct field *field,
				       const struct value *value)
{
	struct arena *arena = merging->work->arena;
	struct value *unset;

	if (value || (field->when_unset != UNSET_CONSTANT && field->when_unset != UNSET_CLEAR))
		return value;
	unset = arena_new(arena, struct value);
	if (field->when_unset == UNSET_CONSTANT)
		*unset = unset_constant(field, arena);
	else
		*unset = field->type == FIELD_MAP ? value_map(NULL, 0) : value_list(NULL, 0);
	return unset;
}

/* A map or a set that a later run has changed as well. */
static void merge_within(struct merging *merging, const struct field *field, const struct forms *given)
{
	const struct forms forms = {
		while_unset(merging, field, given->was),
		while_unset(merging, field, given->left),
		while_unset(merging, field, given->now),
	};
	struct value *merged = arena_new(merging->work->arena, struct value);

	if (field->type == FIELD_MAP && all_are(VALUE_MAP, &forms)) {
		*merged = merge_map(merging, field, &forms);
	} else if (field->type == FIELD_SET && all_are(VALUE_LIST, &forms)) {
		*merged = merge_set(merging, field, &forms);
	} else {
		report_conflict(merging, &(struct undo_place){.field = field}, slice_of(field->name));
		return;
	}
	if (value_equal(merged, forms.now))
		keep(merging, field, given->now);
	else if (!given->was && value_equal(merged, forms.was))
		revert(merging, field, NULL, given->now);
	else
		revert(merging, field, merged, given->now);
}

/* Whether the run took up what had been left to others. */
static bool took_up(const struct undo_case *one, struct slice name)
{
	return slice_equal(one->was->object_id, one->left->object_id) && ignored_has(&one->was->ignored, name) &&
	       value_is(&one->left->ignored, VALUE_LIST) && !ignored_has(&one->left->ignored, name);
}

/*
 * What the run found in a field. Of what was left to others the spec had no say: that is what was seen there. Of what
 * refers to others that names ids of then, so what the spec said counts.
 */
static const struct value *was_found(const struct undo_case *one, const struct field *field)
{
	struct slice name = slice_of(field->name);
	const struct value *said = value_get_given(&one->was->applied, name);
	const struct value *left = value_get_given(&one->left->applied, name);
	const struct value *seen = value_get_given(&one->was->observed, name);
	bool refers = (said && value_has_deferred(said)) || (left && value_has_deferred(left));

	if (!took_up(one, name) || refers || (field->flags & (IMMUTABLE | WRITE_ONLY)) || !seen ||
	    value_has_unread(seen) || diff_field(field, said, seen) == LIKE)
		return said;
	return diff_field(field, NULL, seen) == LIKE ? NULL : seen;
}

static void merge_field(struct merging *merging, const struct field *field)
{
	const struct undo_case *one = merging->one;
	struct slice name = slice_of(field->name);
	const struct value *was = was_found(one, field);
	const struct value *left = value_get_given(&one->left->applied, name);
	const struct value *now = value_get_given(&one->base->applied, name);
	/* Where an earlier undoing has set what was seen then, it is as before, too; not where the run itself did. */
	const struct value *seen = was || is_same(left, now) ? NULL : seen_before(one, field);
	const struct value *owes = one->now ? unfinished_owed(one->now) : NULL;
	const struct value *owed = owes ? value_get_given(owes, name) : NULL;

	if (owed && (is_same(was, left) || is_same(was, now))) {
		keep_owed(merging, name, owed, now);
		return;
	}
	if (undo_was_left_alone(merging->work, one, name)) {
		leave_to_others(merging, name, &(struct forms){was, left, now});
		return;
	}
	if (is_same(was, left) || is_same(was, now) || (seen && is_same(seen, now))) {
		keep(merging, field, now);
		return;
	}
	if (is_same(left, now)) {
		revert(merging, field, was, now);
		return;
	}
	if (field->type == FIELD_MAP || field->type == FIELD_SET)
		merge_within(merging, field, &(struct forms){was, left, now});
	else
		report_conflict(merging, &(struct undo_place){.field = field}, name);
}

/* An object that was begun and not finished is compared as a whole, but for what its deletion has moved. */
static void look_at_all(struct merging *merging)
{
	const struct value *before = unfinished_before(merging->one->now);

	merging->ignored_count = merging->follows_count = 0;
	for (uint32_t i = 0; before && i < before->count; i++)
		if (field_named(&merging->one->kind->fields, value_slice(&before->members[i].key)))
			merging->ignored[merging->ignored_count++] = value_slice(&before->members[i].key);
}

struct value undo_left_to_others(const struct undo_work *work, const struct undo_case *one, bool *ret_moves)
{
	const struct value *was = &one->was->ignored, *left = &one->left->ignored, *base = &one->base->ignored;
	VALUE_BUILDER_AUTO merged;

	value_builder_init(&merged);
	*ret_moves = false;
	if (!value_is(was, VALUE_LIST) || !value_is(left, VALUE_LIST) || !value_is(base, VALUE_LIST))
		return *base;
	for (uint32_t i = 0; i < base->count; i++)
		if (ignored_has(was, value_slice(&base->items[i])) || !ignored_has(left, value_slice(&base->items[i])))
			value_builder_item(&merged, base->items[i]);
	for (uint32_t i = 0; i < was->count; i++)
		if (!ignored_has(base, value_slice(&was->items[i])) && !ignored_has(left, value_slice(&was->items[i])))
			value_builder_item(&merged, was->items[i]);
	struct value ret = value_builder_list(&merged, work->arena);
	*ret_moves = one->now && !ignored_equal(&ret, &one->now->ignored);
	return ret;
}

static bool says(const struct value *value, const struct value *text)
{
	if (value_is(value, VALUE_STRING))
		return value_equal(value, text);
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		if (says(&value->items[i], text))
			return true;
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++)
		if (says(&value->members[i].value, text))
			return true;
	return false;
}

/* What the service gave, and takes back with the field that asks for it, is another one when that asks again. */
static void note_given_anew(struct undo_work *work, const struct undo_case *one)
{
	for (size_t i = 0; i < one->kind->outputs.count; i++) {
		const struct output *output = output_at(&one->kind->outputs, i);
		const struct value *was = value_if_set(value_get_named(&one->was->outputs, output->name));
		bool is_gone = !value_if_set(value_get_named(&one->left->outputs, output->name)) &&
			       !value_if_set(value_get_named(&one->base->outputs, output->name));

		if ((output->ended_by || output->prefix6_bits > 0) && value_is(was, VALUE_STRING) && is_gone &&
		    !says(&one->resource.desired, was))
			undo_note(work, one->address, "its '%s' is another one than '%.*s' then", output->name,
				  SLICE_ARGUMENTS(value_slice(was)));
	}
}

bool undo_merge(struct undo_work *work, struct undo_case *one)
{
	struct merging merging = {
		.work = work,
		.one = one,
		.ignored = arena_new_array(work->arena, one->kind->fields.count + 1, struct slice),
		.follows = arena_new_array(work->arena, one->kind->fields.count + 1, struct slice),
	};
	bool protect = one->was->protect != one->left->protect && one->base->protect == one->left->protect;
	bool moved = !identity_equal(&one->was->identity, &one->left->identity);
	bool begun = one->now && (one->now->role == OBJECT_INCOMPLETE || unfinished_is_deletion(one->now));
	bool emptied = one->now && unfinished_before(one->now);
	bool follows = undo_names_others(work, one);
	bool others;

	value_builder_init(&merging.fields);
	value_builder_init(&merging.restores);
	for (size_t i = 0; i < one->kind->fields.count; i++)
		merge_field(&merging, field_at(&one->kind->fields, i));
	one->resource = undo_resource_of(work, one->base, one->kind);
	one->resource.desired = value_builder_map(&merging.fields, work->arena);
	one->resource.restores = value_builder_map(&merging.restores, work->arena);
	one->resource.protect = protect ? one->was->protect : one->base->protect;
	one->resource.left_to_others = undo_left_to_others(work, one, &others);
	one->resource.remade = !slice_equal(one->was->object_id, one->left->object_id) &&
			       slice_equal(one->base->object_id, one->left->object_id);
	one->resource.ended_first = undo_ended_first(work, one);
	if (moved)
		one->resource.provider = one->was->provider;
	if (begun)
		look_at_all(&merging);
	one->resource.ignored = merging.ignored;
	one->resource.ignored_count = merging.ignored_count;
	one->resource.follows = merging.follows;
	one->resource.follows_count = merging.follows_count;
	undo_join_dependencies(work, one, &one->resource);
	value_builder_release(&merging.fields);
	value_builder_release(&merging.restores);
	bool any = merging.reverted_count > 0 || protect || others || follows || moved || begun || emptied;
	one->verdict = any ? UNDO_CHANGE : UNDO_NOTHING;
	if (any && slice_equal(one->was->object_id, one->left->object_id))
		note_given_anew(work, one);
	return !merging.conflicts;
}
