#include "base/members.h"
#include "cli/holder_view.h"
#include "cli/render.h"
#include "cli/render_outlook.h"
#include "reconcile/made.h"

/* One document for whoever reads by program; minor versions of the schema only add. */

static const char SCHEMA[] = "1.0";

static const char *const severity_names[] = {
	[SEVERITY_ERROR] = "error",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_NOTE] = "note",
};

static const char *const fault_names[] = {
	[FAULT_USER] = "user",		 [FAULT_USAGE] = "usage",	  [FAULT_AUTH] = "auth",
	[FAULT_ABSENT] = "absent",	 [FAULT_CONFLICT] = "conflict",	  [FAULT_THROTTLED] = "throttled",
	[FAULT_TRANSIENT] = "transient", [FAULT_AMBIGUOUS] = "ambiguous", [FAULT_UNSUPPORTED] = "unsupported",
	[FAULT_STALE] = "stale",	 [FAULT_LEASE] = "lease",	  [FAULT_BUDGET] = "budget",
	[FAULT_UNREAD] = "unread",	 [FAULT_INTERNAL] = "internal",
};

static void put(struct value_builder *builder, const char *name, struct value value)
{
	value_builder_set(builder, slice_of(name), value);
}

static void put_text(struct value_builder *builder, const char *name, struct slice text)
{
	if (text.size > 0)
		put(builder, name, value_string(text));
}

static void put_count(struct value_builder *builder, const char *name, size_t count)
{
	put(builder, name, value_integer((int64_t)count));
}

static void put_position(struct value_builder *builder, const struct report *report, struct position position)
{
	if (position.line == 0 || position.file >= report->sources->count)
		return;
	put_text(builder, "file", report->sources->items[position.file].name);
	put(builder, "line", value_integer(position.line));
	if (position.column > 0 && position.column != UINT16_MAX)
		put(builder, "column", value_integer(position.column));
}

static struct value diagnostic_value(const struct report *report, const struct diag *diag)
{
	VALUE_BUILDER_AUTO builder;
	VALUE_BUILDER_AUTO related;

	value_builder_init(&builder);
	value_builder_init(&related);
	put(&builder, "severity", value_text(severity_names[diag->severity]));
	put(&builder, "fault", value_text(fault_names[diag->fault]));
	put(&builder, "message", value_string(diag->message));
	put_text(&builder, "address", diag->address);
	put_position(&builder, report, diag->position);
	put_text(&builder, "place", diag->place);
	put_text(&builder, "hint", diag->hint);
	put_text(&builder, "cause", diag->cause);
	if (diag->related.line > 0) {
		put_position(&related, report, diag->related);
		put_text(&related, "message", diag->related_message);
		put(&builder, "related", value_builder_map(&related, report->arena));
	}
	return value_builder_map(&builder, report->arena);
}

static struct value diagnostics_value(const struct report *report)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	diagnostics_sort(report->diagnostics);
	for (size_t i = 0; i < report->diagnostics->count; i++)
		value_builder_item(&builder, diagnostic_value(report, &report->diagnostics->items[i]));
	return value_builder_list(&builder, report->arena);
}

/* With the members of maps sorted: a plan that was saved has them so, and says the same as when it was made. */
static struct value sorted(const struct value *value, struct arena *arena)
{
	struct value ret = *value;

	if (value->type == VALUE_LIST) {
		struct value *items = arena_new_array(arena, value->count + 1, struct value);

		for (uint32_t i = 0; i < value->count; i++)
			items[i] = sorted(&value->items[i], arena);
		ret.items = items;
	} else if (value->type == VALUE_MAP) {
		struct value_member *all = arena_new_array(arena, value->count + 1, struct value_member);
		MEMBERS_AUTO members;

		members_sort(&members, value);
		for (uint32_t i = 0; i < value->count; i++)
			all[i] =
				(struct value_member){members.sorted[i]->key, sorted(&members.sorted[i]->value, arena)};
		ret.members = all;
	}
	return ret;
}

static struct value change_value(const struct report *report, const struct change *change)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	put(&builder, "path", value_string(change->path));
	put(&builder, "cause", value_text(change_cause_names.words[change->cause]));
	put(&builder, "effect", value_text(change_effect_names.words[change->effect]));
	put(&builder, "before", sorted(&change->before, report->arena));
	put(&builder, "after", sorted(&change->after, report->arena));
	put(&builder, "pauses", value_bool(change->pauses));
	put(&builder, "unread", value_bool(change->unread));
	return value_builder_map(&builder, report->arena);
}

static struct value action_value(const struct report *report, const struct action *action)
{
	VALUE_BUILDER_AUTO builder;
	VALUE_BUILDER_AUTO changes;

	value_builder_init(&builder);
	value_builder_init(&changes);
	for (size_t i = 0; i < action->change_count; i++)
		value_builder_item(&changes, change_value(report, &action->changes[i]));
	put(&builder, "address", value_string(action->address));
	put(&builder, "operation", value_text(operation_name(action->operation)));
	put_text(&builder, "reason", slice_of(action->reason));
	put_text(&builder, "kind", slice_of(action->kind ? action->kind->name : NULL));
	put_text(&builder, "provider_id", action->provider_id);
	put_text(&builder, "place", action->place);
	put(&builder, "drifted", value_bool(action->drifted));
	if (action->operation == OPERATION_REPLACE) {
		put(&builder, "create_before_destroy", value_bool(action->create_before_destroy));
		put(&builder, "maybe", value_bool(action->maybe));
	}
	if (action->operation == OPERATION_CREATE)
		put(&builder, "awaits_gone", value_bool(action->awaits_gone));
	put_count(&builder, "takes_down", action->takes_down);
	put(&builder, "changes", value_builder_list(&changes, report->arena));
	return value_builder_map(&builder, report->arena);
}

static struct value unread_value(const struct report *report)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < report->plan->unread_count; i++) {
		const struct unread *unread = &report->plan->unread[i];
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		put(&builder, "address", value_string(unread->address));
		put_text(&builder, "field", unread->field);
		put_text(&builder, "reason", unread->reason);
		put_text(&builder, "hint", unread->hint);
		put_text(&builder, "place", unread->place);
		value_builder_item(&list, value_builder_map(&builder, report->arena));
	}
	return value_builder_list(&list, report->arena);
}

static struct value running_value(const struct report *report)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < report->plan->running_count; i++) {
		const struct running *running = &report->plan->running[i];
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		put(&builder, "address", value_string(running->address));
		put(&builder, "effect", value_text(running_effect_names.words[running->effect]));
		put_count(&builder, "count", running->count);
		put(&builder, "what", value_string(running->what));
		value_builder_item(&list, value_builder_map(&builder, report->arena));
	}
	return value_builder_list(&list, report->arena);
}

static struct value notes_value(const struct report *report)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < report->plan->note_count; i++) {
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		put(&builder, "address", value_string(report->plan->notes[i].address));
		put(&builder, "what", value_string(report->plan->notes[i].what));
		put(&builder, "stays", value_bool(report->plan->notes[i].stays));
		value_builder_item(&list, value_builder_map(&builder, report->arena));
	}
	return value_builder_list(&list, report->arena);
}

static void put_plan(struct value_builder *builder, const struct report *report)
{
	const struct plan *plan = report->plan;
	VALUE_BUILDER_AUTO list;
	VALUE_BUILDER_AUTO counts;

	value_builder_init(&list);
	value_builder_init(&counts);
	for (int operation = OPERATION_CREATE; operation < OPERATION_COUNT; operation++)
		put_count(&counts, operation_name((enum operation)operation), plan->counts[operation]);
	for (size_t i = 0; i < plan->action_count; i++)
		value_builder_item(&list, action_value(report, &plan->actions[i]));
	put(builder, "stack", value_string(plan->stack));
	put(builder, "lineage", value_string(plan->lineage));
	put(builder, "serial", value_integer(plan->serial));
	put_text(builder, "digest", report->digest);
	put_text(builder, "spec", report->spec);
	put_text(builder, "simulated_providers", report->simulated);
	put_text(builder, "real_providers", report->real);
	put(builder, "refreshed", value_bool(plan->refreshed));
	put(builder, "destroy", value_bool(plan->destroy));
	put_count(builder, "managed", plan->managed_count);
	put_count(builder, "read", plan->read_count);
	put_count(builder, "drift", plan->drift_count);
	put_count(builder, "calls", report->call_count);
	put(builder, "counts", value_builder_map(&counts, report->arena));
	put(builder, "actions", value_builder_list(&list, report->arena));
	put(builder, "unread", unread_value(report));
	put(builder, "running", running_value(report));
	put_text(builder, "undoes", plan->undoes);
	if (plan->undoes.size > 0)
		put(builder, "irreversible", notes_value(report));
}

/* What was to be done and was not, with how that ended. */
static struct value left_value(const struct report *report)
{
	static const char *const names[] = {[ENDING_NONE] = NULL,
					    [ENDING_DONE] = NULL,
					    [ENDING_FAILED] = "failed",
					    [ENDING_SKIPPED] = "skipped",
					    [ENDING_UNFINISHED] = "unfinished"};
	const struct apply *apply = report->applied;
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < apply->plan->action_count; i++) {
		const char *name = names[apply->endings[i]];
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		if (!name)
			continue;
		put_text(&builder, "address", apply->plan->actions[i].address);
		put_text(&builder, "ending", slice_of(name));
		value_builder_item(&list, value_builder_map(&builder, report->arena));
	}
	return value_builder_list(&list, report->arena);
}

static void put_applied(struct value_builder *builder, const struct report *report)
{
	VALUE_BUILDER_AUTO applied;

	value_builder_init(&applied);
	put_count(&applied, "done", report->applied->done_count);
	put_count(&applied, "failed", report->applied->failed_count);
	put_count(&applied, "skipped", report->applied->skipped_count);
	put_count(&applied, "unfinished", report->applied->unfinished_count);
	put_count(&applied, "halfway", report->applied->begun_count);
	put_count(&applied, "calls", report->applied->request_count);
	put(&applied, "interrupted", value_bool(report->applied->interrupted));
	put(&applied, "recorded", value_bool(!report->applied->unrecorded));
	put(&applied, "left", left_value(report));
	put(&applied, "elapsed_ms", value_integer(report->elapsed_ms));
	put(builder, "applied", value_builder_map(&applied, report->arena));
}

/* Null where it is not known. */
static struct value outputs_value(const struct report *report)
{
	VALUE_BUILDER_AUTO builder;
	uint32_t next = 0;

	value_builder_init(&builder);
	for (size_t i = 0; i < report->all_output_count; i++) {
		struct slice name = report->all_outputs[i].name;
		const struct value *value = render_next_output(&report->outputs, name, &next);

		value_builder_member(&builder, name, value ? *value : value_null());
	}
	return value_builder_map(&builder, report->arena);
}

/* The members of its items that are compared all the same, with which items there are. */
static struct value seen_value(const struct report *report, const struct field *field)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; made_has_seen(field) && i < field->item->members.count; i++)
		if (field_is_compared(field_at(&field->item->members, i)))
			value_builder_item(&list, value_text(field_at(&field->item->members, i)->name));
	return value_builder_list(&list, report->arena);
}

/* excepts: whether something of their items may be compared all the same. */
static struct value uncompared_value(const struct report *report, const struct uncompared *items, size_t count,
				     bool excepts)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < count; i++) {
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		put(&builder, "kind", value_text(items[i].kind->name));
		put(&builder, "field", value_text(items[i].field->name));
		put_count(&builder, "count", items[i].count);
		if (excepts)
			put(&builder, "except", seen_value(report, items[i].field));
		value_builder_item(&list, value_builder_map(&builder, report->arena));
	}
	return value_builder_list(&list, report->arena);
}

static struct value unlisted_value(const struct report *report)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < report->unlisted_count; i++) {
		const struct unwatched *unlisted = &report->unlisted[i];
		const struct watched *watched = unlisted->watched;
		VALUE_BUILDER_AUTO builder;

		value_builder_init(&builder);
		put_text(&builder, "address", watched->address);
		put_text(&builder, "id", watched->provider_id);
		put_text(&builder, "kind", watched->kind);
		put_text(&builder, "account", watched->identity.account);
		put_text(&builder, "region", watched->identity.region);
		put_text(&builder, "reason", unlisted->reason);
		value_builder_item(&list, value_builder_map(&builder, report->arena));
	}
	return value_builder_list(&list, report->arena);
}

static void render(struct buffer *buffer, const struct report *report, const struct palette *palette)
{
	struct json_style style = report->style ? *report->style : (struct json_style){0};
	VALUE_BUILDER_AUTO builder;

	(void)palette;
	value_builder_init(&builder);
	put(&builder, "schema", value_text(SCHEMA));
	put(&builder, "command", value_text(report->command));
	put(&builder, "status", value_integer(report->status));
	if (report->plan)
		put_plan(&builder, report);
	else
		put_text(&builder, "spec", report->spec);
	if (report->at_work)
		put(&builder, "holder", holder_value(report->arena, report->at_work));
	if (report->plan || report->outlook)
		put(&builder, "open", outlook_value(report));
	if (report->plan)
		put(&builder, "unfinished", unfinished_value(report));
	if (report->plan)
		put(&builder, "unlisted", unlisted_value(report));
	if (report->is_drift)
		put(&builder, "uncompared",
		    uncompared_value(report, report->uncompared, report->uncompared_count, true));
	if (report->is_drift)
		put(&builder, "unasked", uncompared_value(report, report->unasked, report->unasked_count, false));
	if (report->applied)
		put_applied(&builder, report);
	if (value_is(&report->outputs, VALUE_MAP))
		put(&builder, "outputs", outputs_value(report));
	value_builder_overlay(&builder, &report->data);
	put(&builder, "diagnostics", diagnostics_value(report));
	if (report->diagnostics->dropped > 0)
		put(&builder, "diagnostics_left_out", value_integer((int64_t)report->diagnostics->dropped));
	struct value whole = value_builder_map(&builder, report->arena);
	struct value document = render_hidden(&whole, &style, report->arena);
	style.pretty = true;
	render_as_json(buffer, &document, &style);
	buffer_byte(buffer, '\n');
}

const struct renderer render_json = {
	.name = "json",
	.end = render,
};
