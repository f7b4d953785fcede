#include "providers/aws/aws.h"

#include <stdlib.h>

#include "providers/aws/shape.h"
#include "reconcile/schema.h"

/* Reading: pages of a list, and what a list leaves out. */

enum {
	IDS_MOST = 200,
	/* Far more than an account can hold; nothing below it is skipped. */
	ITEMS_MOST = 1000000,
	/* So many come to an end also where each has next to nothing. */
	PAGES_MOST = 100000,
	/* A filtered listing may have some, which tell of no end. */
	EMPTY_PAGES_MOST = 1000,
	/* Of an account or a partition: far more than AWS has. */
	NAME_BYTES_MOST = 256,
};

/* reading->stage */
enum {
	STAGE_START,
	STAGE_JOINED, /* pages of the second listing */
	STAGE_LISTED, /* pages of the kind's own */
};

struct joined {
	struct slice key;
	const struct value *item;
};

/* What a listing has told so far; reading->detail. */
struct told {
	/* Of the second listing, sorted by key once it is complete. */
	struct joined *joined;
	size_t count, capacity;
	size_t pages, empty_pages; /* of this listing; the empty ones in a row */
	size_t items, all_items;   /* of this page, and of this listing */
	bool is_nameless;	   /* one of them has no id */
	struct slice landmark;	   /* the token of an earlier page */
	size_t landmark_until;	   /* the page that gives the next one */
	bool only_ours;
};

static const struct aws_listing *listing_of(const struct reading *reading, const struct aws_kind *kind)
{
	return reading->stage == STAGE_JOINED ? &kind->join->list : &kind->list;
}

static bool takes_ids(const struct aws_listing *listing)
{
	return listing->ids || listing->filter;
}

static void add_ids(const struct reading *reading, const struct aws_listing *listing, size_t count,
		    struct aws_parameters *parameters, struct arena *arena)
{
	struct value *ids = arena_new_array(arena, count, struct value);
	for (size_t i = 0; i < count; i++)
		ids[i] = value_string(reading->ids[reading->cursor + i]);
	if (listing->ids) {
		aws_parameter_add(parameters, listing->ids, value_list(ids, count));
		return;
	}
	aws_parameter_add(parameters, "Filters.0.Name", value_text(listing->filter));
	aws_parameter_add(parameters, "Filters.0.Values", value_list(ids, count));
}

static void add_owner(const struct reading *reading, struct aws_parameters *parameters, struct arena *arena)
{
	struct value *lineage = arena_new(arena, struct value);
	*lineage = value_string(reading->lineage);
	aws_parameter_add(parameters, "Filters.0.Name", value_text("tag:" AWS_LINEAGE_TAG));
	aws_parameter_add(parameters, "Filters.0.Values", value_list(lineage, 1));
}

static size_t chunk_of(const struct reading *reading, const struct aws_listing *listing)
{
	size_t most = listing->most_ids ? listing->most_ids : IDS_MOST;
	size_t left = reading->id_count - reading->cursor;
	return !takes_ids(listing) || left < most ? left : most;
}

/* token: of the next page, or empty. */
static enum step ask(struct reading *reading, int stage, struct slice token)
{
	const struct aws_kind *kind = aws_kind_of(reading->kind);
	struct aws_parameters parameters = {.count = 0};
	struct arena *arena = &reading->task.scratch;
	struct told *told = reading->detail;
	reading->stage = stage;
	if (token.size == 0) {
		told->pages = told->empty_pages = told->items = told->all_items = told->landmark_until = 0;
		told->landmark = (struct slice){0};
	}
	const struct aws_listing *listing = listing_of(reading, kind);
	const struct aws_pages *pages = &aws_operation_of(kind, listing->operation)->pages;
	aws_parameters_fixed(&parameters, kind, listing->operation, listing->fixed);
	if (reading->ids && takes_ids(listing))
		add_ids(reading, listing, chunk_of(reading, listing), &parameters, arena);
	else if (listing->page)
		aws_parameter_add(&parameters, arena_string(arena, pages->limit_key), value_integer(listing->page));
	if (told->only_ours)
		add_owner(reading, &parameters, arena);
	if (token.size)
		aws_parameter_add(&parameters, arena_string(arena, pages->input_token), value_string(token));
	aws_read_set(&reading->task, reading->session, kind, listing->operation, &parameters);
	return STEP_CALL;
}

static int compare_joined(const void *a, const void *b)
{
	return slice_compare(((const struct joined *)a)->key, ((const struct joined *)b)->key);
}

static void add_joined(struct reading *reading, struct slice key, const struct value *item)
{
	struct told *told = reading->detail;
	told->joined = arena_room(reading->arena, told->joined, told->count, &told->capacity, sizeof(*told->joined));
	struct value *copy = arena_new(reading->arena, struct value);
	*copy = value_copy(reading->arena, item);
	told->joined[told->count++] = (struct joined){arena_copy(reading->arena, key), copy};
}

/* The item with what belongs to it of the second listing; null where that is not there yet. */
static struct value complete(struct reading *reading, const struct aws_join *join, const struct value *item)
{
	const struct told *told = reading->detail;
	struct joined wanted = {value_slice(value_path(item, join->key)), NULL};
	const struct joined *found =
		told->count ? bsearch(&wanted, told->joined, told->count, sizeof(*told->joined), compare_joined) : NULL;
	if (!found)
		return value_null();
	return value_with(item, slice_of(join->as), *found->item, &reading->task.scratch);
}

static void take_item(struct reading *reading, const struct aws_kind *kind, const struct value *item)
{
	struct live live;
	struct value whole = *item;
	struct told *told = reading->detail;
	told->items++;
	if (kind->join) {
		struct slice key = value_slice(value_path(item, kind->join->key));
		told->is_nameless |= key.size == 0;
		if (reading->stage == STAGE_JOINED) {
			add_joined(reading, key, item);
			return;
		}
		whole = complete(reading, kind->join, item);
	}
	if (value_is(&whole, VALUE_NULL))
		return;
	aws_decode_live(kind, &whole, &reading->task.scratch, &live);
	if (live.provider_id.size)
		*live_add(reading) = live_copy(reading->arena, &live);
	else
		told->is_nameless = true;
}

/* An empty list is there all the same: an answer without its list does not tell that there is nothing. */
static const struct value *list_at(const struct value *body, const char *path)
{
	const struct value *list = value_path(body, path);
	return list && value_is(list, VALUE_LIST) ? list : NULL;
}

/* Walks "Subnets" or "Reservations.*.Instances" and takes in every item; false: a list is missing. */
static bool take(struct reading *reading, const struct aws_kind *kind, const struct value *body, const char *path)
{
	const char *star = strstr(path, ".*.");
	if (!star) {
		const struct value *items = list_at(body, path);
		for (uint32_t i = 0; items && i < items->count; i++)
			take_item(reading, kind, &items->items[i]);
		return items != NULL;
	}
	struct slice head = {path, (size_t)(star - path)};
	const struct value *outer = list_at(body, arena_string(&reading->task.scratch, head));
	bool whole = outer != NULL;
	for (uint32_t i = 0; whole && i < outer->count; i++)
		whole = take(reading, kind, &outer->items[i], star + 3);
	return whole;
}

static enum step begin_list(struct reading *reading, const struct aws_kind *kind)
{
	if (reading->ids && reading->id_count == 0)
		return STEP_DONE;
	reading->detail = arena_new(reading->arena, struct told);
	return ask(reading, kind->join ? STAGE_JOINED : STAGE_LISTED, (struct slice){0});
}

/* One of the two listings is complete, or one part of the ids. */
static enum step listed(struct reading *reading, const struct aws_kind *kind)
{
	if (reading->stage == STAGE_JOINED) {
		struct told *told = reading->detail;
		if (told->count)
			qsort(told->joined, told->count, sizeof(*told->joined), compare_joined);
		return ask(reading, STAGE_LISTED, (struct slice){0});
	}
	if (!reading->ids)
		return STEP_DONE;
	reading->cursor += chunk_of(reading, &kind->list);
	return reading->cursor < reading->id_count ? ask(reading, STAGE_LISTED, (struct slice){0}) : STEP_DONE;
}

/*
 * Whether a server goes on for ever. A token that comes again leads in a circle, which is found by
 * comparing each with one of an earlier page, taken ever further apart (Brent, "An improved Monte Carlo
 * factorization algorithm", BIT 20, 1980); tokens that never repeat are found by their number.
 */
static const char *endless(struct reading *reading, struct slice token)
{
	struct told *told = reading->detail;
	told->pages++;
	told->empty_pages = told->items ? 0 : told->empty_pages + 1;
	told->all_items += told->items;
	told->items = 0;
	if (told->landmark.size && slice_equal(token, told->landmark))
		return "gave the token of an earlier page for a further one";
	if (told->empty_pages > EMPTY_PAGES_MOST)
		return "gave more than 1,000 empty pages in a row";
	if (told->pages > PAGES_MOST)
		return "gave more than 100,000 pages";
	if (told->all_items > ITEMS_MOST)
		return "gave more than 1,000,000 items";
	if (told->pages >= told->landmark_until) {
		told->landmark = token;
		told->landmark_until = told->pages * 2;
	}
	return NULL;
}

/*
 * A place that holds more than a page may hold many more than are ours: what has our tags is asked for
 * instead. What lost its tags is missing then, and is looked for by its id like everything that is missing.
 */
static bool is_too_much(const struct reading *reading, const struct aws_kind *kind)
{
	const struct told *told = reading->detail;
	return !reading->ids && reading->lineage.size > 0 && reading->stage == STAGE_LISTED && !told->only_ours &&
	       told->pages == 0 && kind->list.filter && kind->tags_member;
}

static enum step next_page(struct reading *reading, const struct aws_kind *kind, struct slice token)
{
	if (is_too_much(reading, kind)) {
		((struct told *)reading->detail)->only_ours = true;
		return ask(reading, STAGE_LISTED, (struct slice){0});
	}
	const char *fault = endless(reading, token);
	if (!fault)
		return ask(reading, reading->stage, token);
	diag_error(reading->task.diagnostics, FAULT_INTERNAL, NOWHERE, "could not read %s: %s %s", kind->kind.name,
		   listing_of(reading, kind)->operation, fault);
	diag_hint(reading->task.diagnostics, "the endpoint does not page as AWS does: its listing would never end");
	return STEP_FAILED;
}

static enum step unfit(struct reading *reading, const struct aws_kind *kind, const char *fault, const char *hint)
{
	const struct aws_listing *listing = listing_of(reading, kind);
	diag_error(reading->task.diagnostics, FAULT_INTERNAL, NOWHERE, "could not read %s: %s answered %s",
		   kind->kind.name, listing->operation, fault);
	diag_hint(reading->task.diagnostics,
		  "the endpoint does not answer as AWS does, which %s: what is there is not known", hint);
	return STEP_FAILED;
}

enum step aws_list(struct reading *reading, const struct answer *answer)
{
	const struct aws_kind *kind = aws_kind_of(reading->kind);
	struct slice token = {0};
	if (!answer)
		return begin_list(reading, kind);
	const struct aws_listing *listing = listing_of(reading, kind);
	if (!answer->ok && !(reading->ids && slice_is_one_of(answer->code, listing->absent))) {
		aws_call_failed(&reading->task, answer, "read", slice_of(kind->kind.name));
		return STEP_FAILED;
	}
	if (answer->ok) {
		if (!take(reading, kind, &answer->body, listing->items))
			return unfit(reading, kind, "without its list", "names an empty list too");
		/* Of what that is its record might count as gone, and be made anew beside it. */
		if (((struct told *)reading->detail)->is_nameless)
			return unfit(reading, kind, "with something that has no id", "names all that it lists");
		token = arena_copy(reading->arena, aws_next_page(kind, listing->operation, &answer->body));
	}
	arena_reset(&reading->task.scratch);
	return token.size ? next_page(reading, kind, token) : listed(reading, kind);
}

static const struct aws_field *field_of(const struct aws_kind *kind, size_t index)
{
	return aws_field_at(&kind->kind.fields, index);
}

/* The first field at or behind `from` that matters and is read by a call no earlier one made. */
static size_t next_detail(const struct aws_kind *kind, const struct value *matters, size_t from)
{
	for (size_t i = from; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = field_of(kind, i);
		bool made = false;
		if (!field->detail || (matters && !value_get_named(matters, field->field.name)))
			continue;
		for (size_t k = 0; k < i && !made; k++)
			made = field_of(kind, k)->detail == field->detail &&
			       (!matters || value_get_named(matters, field_of(kind, k)->field.name));
		if (!made)
			return i;
	}
	return SIZE_MAX;
}

/* Given in clear: what the API holds of it may be shown, though its model calls it sensitive. */
static bool is_given_in_clear(const struct aws_field *field, const struct value *matters)
{
	const struct value *given = matters ? value_get_named(matters, field->field.name) : NULL;
	return field->shown && given && !value_has_secret(given) && !value_has_deferred(given);
}

bool aws_needs_detail(const struct kind *kind, const struct value *matters)
{
	const struct aws_kind *own = aws_kind_of(kind);
	bool shows = false;
	for (size_t i = 0; i < own->kind.fields.count && !shows; i++)
		shows = matters ? is_given_in_clear(field_of(own, i), matters) : field_of(own, i)->shown;
	return shows || next_detail(own, matters, 0) != SIZE_MAX;
}

static void show_given(struct reading *reading, const struct aws_kind *kind)
{
	const struct value *fields = &reading->subject->fields;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < fields->count; i++) {
		const struct aws_field *field =
			(const struct aws_field *)field_named(&kind->kind.fields, value_slice(&fields->members[i].key));
		struct value value = fields->members[i].value;
		if (field && is_given_in_clear(field, reading->matters))
			value.secret = false;
		value_builder_member(&builder, value_slice(&fields->members[i].key), value);
	}
	reading->subject->fields = value_builder_map(&builder, reading->arena);
}

/* An answer that is about more than the object tells decode which one it is. */
static struct value with_own_id(struct reading *reading, const struct value *body)
{
	return value_with(body, SLICE(AWS_OWN_ID), value_string(reading->subject->provider_id), &reading->task.scratch);
}

/*
 * What the answer lacks of what it was asked for, or NULL; an empty list is there all the same. No pages were asked
 * for, without which AWS bounds no answer (https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-pagination.html):
 * what is on a further one is not followed, and nothing is claimed about it.
 */
static const char *lacks(const struct aws_kind *kind, const struct aws_detail *detail, const struct value *body)
{
	bool is_set = true;
	if (detail->list && !list_at(body, detail->list))
		return "its list";
	if (aws_next_page(kind, detail->operation, body).size > 0)
		return "the rest of its list";
	for (size_t i = 0; detail->is_always_set && i < kind->kind.fields.count; i++)
		if (field_of(kind, i)->detail == detail)
			is_set &= value_if_set(value_path(body, field_of(kind, i)->read)) != NULL;
	return is_set ? NULL : "what it was asked for";
}

/* lacked: of an answer that is no error, see lacks(). */
static void tell_untold(struct reading *reading, const struct aws_detail *detail, const struct answer *answer,
			const char *lacked)
{
	struct diagnostics *diagnostics = reading->task.diagnostics;
	if (answer->ok) {
		diag_add(diagnostics, SEVERITY_WARNING, FAULT_INTERNAL, NOWHERE, "%s answered without %s",
			 detail->operation, lacked);
		diag_hint(diagnostics, "the endpoint does not answer as AWS does: what is there is not known");
		return;
	}
	diag_add(diagnostics, SEVERITY_WARNING, answer->fault, NOWHERE, "%s%s%.*s: %.*s", detail->operation,
		 answer->code.size > 0 ? " answered " : "", SLICE_ARGUMENTS(answer->code),
		 SLICE_ARGUMENTS(answer->message));
	aws_hint_at(diagnostics, answer, detail->operation);
}

/* No read will tell these fields there. */
static void note_unsupported(struct reading *reading, const struct aws_kind *kind, const struct aws_detail *detail)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	value_builder_members(&builder, &reading->subject->unsupported);
	for (size_t i = 0; i < kind->kind.fields.count; i++)
		if (field_of(kind, i)->detail == detail)
			value_builder_set(&builder, slice_of(field_of(kind, i)->field.name), value_bool(true));
	reading->subject->unsupported = value_builder_map(&builder, reading->arena);
}

static void take_detail(struct reading *reading, const struct aws_kind *kind, const struct answer *answer)
{
	const struct aws_detail *detail = field_of(kind, reading->cursor)->detail;
	const char *lacked = answer->ok ? lacks(kind, detail, &answer->body) : NULL;
	bool told = answer->ok && !lacked;
	struct value body = answer->ok && detail->of ? with_own_id(reading, &answer->body) : answer->body;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < reading->subject->fields.count; i++)
		value_builder_member(&builder, value_slice(&reading->subject->fields.members[i].key),
				     reading->subject->fields.members[i].value);
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = field_of(kind, i);
		if (field->detail != detail)
			continue;
		struct value value = told ? aws_decode(field, &body, &reading->task.scratch) : value_unread();
		value = schema_canonical(&field->field, &value, &reading->task.scratch);
		if (!value_is(&value, VALUE_NULL))
			value_builder_set(&builder, slice_of(field->field.name), value);
	}
	struct value fields = value_builder_map(&builder, &reading->task.scratch);
	reading->subject->fields = value_copy(reading->arena, &fields);
	if (!told)
		tell_untold(reading, detail, answer, lacked);
	if (!answer->ok && answer->fault == FAULT_UNSUPPORTED)
		note_unsupported(reading, kind, detail);
}

/* What a detail is asked by; NULL: there is nothing to ask for. */
static const struct value *detail_key(const struct reading *reading, const struct aws_detail *detail, struct value *id)
{
	*id = value_string(reading->subject->provider_id);
	return detail->of ? value_get_named(&reading->subject->fields, detail->of) : id;
}

enum step aws_detail(struct reading *reading, const struct answer *answer)
{
	const struct aws_kind *kind = aws_kind_of(reading->kind);
	const struct value *key = NULL;
	struct value id;
	size_t next = next_detail(kind, reading->matters, 0);
	if (answer) {
		take_detail(reading, kind, answer);
		next = next_detail(kind, reading->matters, reading->cursor + 1);
	}
	while (next != SIZE_MAX && !(key = detail_key(reading, field_of(kind, next)->detail, &id)))
		next = next_detail(kind, reading->matters, next + 1);
	if (next == SIZE_MAX) {
		show_given(reading, kind);
		return STEP_DONE;
	}
	reading->cursor = next;
	const struct aws_detail *detail = field_of(kind, next)->detail;
	struct aws_parameters parameters = {.count = 0};
	aws_parameter_add(&parameters, detail->id, *key);
	aws_parameters_fixed(&parameters, kind, detail->operation, detail->fixed);
	aws_read_set(&reading->task, reading->session, kind, detail->operation, &parameters);
	return STEP_CALL;
}

/* Both come to rest in the record of each object: whoever answers by another name later is taken for somebody else, and
 * a name that was cut off could not be read back. */
static bool is_recordable(const struct reading *reading, const char *what, struct slice name)
{
	if (name.size > 0 && name.size <= NAME_BYTES_MOST)
		return true;
	struct slice size = name.size > 0 ? arena_format(reading->arena, " of %zu bytes", name.size) : name;
	diag_error(reading->task.diagnostics, FAULT_INTERNAL, NOWHERE,
		   "could not tell who answers for provider '%.*s': GetCallerIdentity answered %s %s%.*s",
		   SLICE_ARGUMENTS(reading->session->name), name.size > 0 ? "with" : "without", what,
		   SLICE_ARGUMENTS(size));
	diag_hint(reading->task.diagnostics,
		  "check that the endpoint is an AWS API, where an account is a number of 12 digits and an ARN begins "
		  "with arn:PARTITION:");
	return false;
}

/* arn:PARTITION:sts::ACCOUNT:...; empty: there is none. */
static struct slice partition_of(struct slice arn)
{
	bool is_arn = slice_is(slice_cut(&arn, ':'), "arn");
	struct slice partition = slice_cut(&arn, ':');
	return is_arn ? partition : (struct slice){0};
}

static const struct aws_kind identity_kind = {.service = "sts"};

enum step aws_identify(struct reading *reading, const struct answer *answer)
{
	struct aws_session *session = (struct aws_session *)reading->session;
	if (!answer) {
		struct aws_parameters parameters = {.count = 0};
		aws_read_set(&reading->task, reading->session, &identity_kind, "GetCallerIdentity", &parameters);
		return STEP_CALL;
	}
	if (!answer->ok) {
		aws_call_failed(&reading->task, answer, "ask who answers for provider", session->session.name);
		return STEP_FAILED;
	}
	struct slice partition = partition_of(value_slice(value_get_named(&answer->body, "Arn")));
	struct slice account = value_slice(value_get_named(&answer->body, "Account"));
	if (!is_recordable(reading, "a partition", partition) || !is_recordable(reading, "an account", account))
		return STEP_FAILED;
	session->session.identity.partition = arena_copy(reading->arena, partition);
	session->session.identity.account = arena_copy(reading->arena, account);
	session->session.identified = true;
	return STEP_DONE;
}
