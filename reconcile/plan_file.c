#include "base/json.h"
#include "reconcile/plan.h"
#include "reconcile/plan_put.h"

/* A plan as a document. */

static const char PLAN_SCHEMA[] = "1.0";

static void put_map(struct value_builder *builder, const char *key, struct value map)
{
	if (value_is(&map, VALUE_MAP) && map.count)
		put(builder, key, map);
}

static void put_names(struct value_builder *builder, const char *key, const struct slice *names, size_t count,
		      struct arena *arena)
{
	if (count)
		put(builder, key, ignored_write(names, count, arena));
}

static struct value changes_value(const struct action *action, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;
	value_builder_init(&list);
	for (size_t i = 0; i < action->change_count; i++) {
		const struct change *change = &action->changes[i];
		VALUE_BUILDER_AUTO one;
		value_builder_init(&one);
		put(&one, "path", value_string(change->path));
		if (change->field)
			put(&one, "field", value_text(change->field->name));
		put(&one, "cause", value_text(change_cause_names.words[change->cause]));
		put(&one, "effect", value_text(change_effect_names.words[change->effect]));
		put(&one, "before", change->before);
		put(&one, "after", change->after);
		put_true(&one, "pauses", change->pauses);
		put_true(&one, "unread", change->unread);
		value_builder_item(&list, value_builder_map(&one, arena));
	}
	return value_builder_list(&list, arena);
}

static struct value action_value(const struct action *action, struct arena *arena)
{
	VALUE_BUILDER_AUTO one;
	value_builder_init(&one);
	put(&one, "address", value_string(action->address));
	put(&one, "operation", value_text(operation_name(action->operation)));
	put(&one, "reason", value_text(action->reason));
	put(&one, "kind", value_text(action->kind->name));
	put(&one, "kind_version", value_integer(action->kind->version));
	put_text(&one, "place", action->place);
	put_text(&one, "provider", action->provider);
	put(&one, "identity", value_string(identity_text(arena, &action->identity)));
	put_true(&one, "in_spec", action->in_spec);
	put_text(&one, "object_id", action->object_id);
	put_text(&one, "provider_id", action->provider_id);
	put_text(&one, "displaces", action->displaces);
	put(&one, "role", value_text(role_names.words[action->role]));
	put(&one, "generation", value_integer(action->generation));
	put_true(&one, "create_before_destroy", action->create_before_destroy);
	put_true(&one, "maybe", action->maybe);
	put_true(&one, "makes", action->makes);
	put_true(&one, "settles", action->settles);
	put_true(&one, "protect", action->protect);
	put_true(&one, "drifted", action->drifted);
	put_true(&one, "awaits_gone", action->awaits_gone);
	put_names(&one, "ignored", action->ignored, action->ignored_count, arena);
	put_names(&one, "beneath", action->beneath, action->beneath_count, arena);
	if (action->runs_by)
		put(&one, "runs_by", value_text(action->runs_by->name));
	if (value_is(&action->left_to_others, VALUE_LIST))
		put(&one, "left_to_others", action->left_to_others);
	put_map(&one, "desired", action->desired);
	put_map(&one, "known", action->known);
	put_map(&one, "released", action->released);
	put_map(&one, "constants", action->constants);
	if (action->hidden.count > 0)
		put(&one, "hidden", action->hidden);
	put_map(&one, "marks", action->marks);
	put(&one, "changes", changes_value(action, arena));
	put(&one, "wanted", dependencies_write(action->wanted, action->wanted_count, arena));
	put(&one, "recorded", dependencies_write(action->recorded, action->recorded_count, arena));
	put(&one, "symbolic", value_string(digest_text(arena, &action->symbolic)));
	if (action->takes_down)
		put(&one, "takes_down", value_integer((int64_t)action->takes_down));
	return value_builder_map(&one, arena);
}

static struct value unread_value(const struct plan *plan, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;
	value_builder_init(&list);
	for (size_t i = 0; i < plan->unread_count; i++) {
		VALUE_BUILDER_AUTO one;
		value_builder_init(&one);
		put(&one, "address", value_string(plan->unread[i].address));
		put_text(&one, "field", plan->unread[i].field);
		put_text(&one, "reason", plan->unread[i].reason);
		put_text(&one, "hint", plan->unread[i].hint);
		put_text(&one, "place", plan->unread[i].place);
		value_builder_item(&list, value_builder_map(&one, arena));
	}
	return value_builder_list(&list, arena);
}

static struct value notes_value(const struct plan *plan, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;
	value_builder_init(&list);
	for (size_t i = 0; i < plan->note_count; i++) {
		VALUE_BUILDER_AUTO one;
		value_builder_init(&one);
		put(&one, "address", value_string(plan->notes[i].address));
		put(&one, "what", value_string(plan->notes[i].what));
		put_true(&one, "stays", plan->notes[i].stays);
		value_builder_item(&list, value_builder_map(&one, arena));
	}
	return value_builder_list(&list, arena);
}

static struct value running_value(const struct plan *plan, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;
	value_builder_init(&list);
	for (size_t i = 0; i < plan->running_count; i++) {
		const struct running *running = &plan->running[i];
		VALUE_BUILDER_AUTO one;
		value_builder_init(&one);
		put(&one, "address", value_string(running->address));
		put(&one, "effect", value_text(running_effect_names.words[running->effect]));
		put(&one, "count", value_integer((int64_t)running->count));
		put(&one, "what", value_string(running->what));
		value_builder_item(&list, value_builder_map(&one, arena));
	}
	return value_builder_list(&list, arena);
}

/* [{name, value}] of providers' settings or of outputs. */
static struct value named_values(const struct plan *plan, bool outputs, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;
	size_t count = outputs ? plan->output_count : plan->provider_count;
	value_builder_init(&list);
	for (size_t i = 0; i < count; i++) {
		VALUE_BUILDER_AUTO one;
		value_builder_init(&one);
		put(&one, "name", value_string(outputs ? plan->outputs[i].name : plan->providers[i].name));
		put(&one, "value", outputs ? plan->outputs[i].value : plan->providers[i].settings);
		value_builder_item(&list, value_builder_map(&one, arena));
	}
	return value_builder_list(&list, arena);
}

static struct value plan_to_value(const struct plan *plan, struct arena *arena)
{
	VALUE_BUILDER_AUTO document;
	VALUE_BUILDER_AUTO actions;
	value_builder_init(&document);
	value_builder_init(&actions);
	for (size_t i = 0; i < plan->action_count; i++)
		value_builder_item(&actions, action_value(&plan->actions[i], arena));
	put(&document, "schema", value_text(PLAN_SCHEMA));
	put(&document, "document", value_text("trueup plan"));
	put(&document, "stack", value_string(plan->stack));
	put_text(&document, "spec", plan->spec);
	put(&document, "lineage", value_string(plan->lineage));
	put(&document, "serial", value_integer(plan->serial));
	put_true(&document, "destroy", plan->destroy);
	put_true(&document, "targeted", plan->targeted);
	put_true(&document, "refreshed", plan->refreshed);
	put(&document, "managed", value_integer((int64_t)plan->managed_count));
	put(&document, "read", value_integer((int64_t)plan->read_count));
	put(&document, "actions", value_builder_list(&actions, arena));
	put(&document, "unread", unread_value(plan, arena));
	put_text(&document, "undoes", plan->undoes);
	if (plan->note_count > 0)
		put(&document, "irreversible", notes_value(plan, arena));
	put_names(&document, "uses", plan->uses, plan->use_count, arena);
	if (plan->running_count > 0)
		put(&document, "running", running_value(plan, arena));
	put(&document, "providers", named_values(plan, false, arena));
	put(&document, "outputs", named_values(plan, true, arena));
	put_text(&document, "sealing_key", plan->sealing_key);
	put_map(&document, "sealed", plan->sealed);
	return value_builder_map(&document, arena);
}

/*
 * The document begins with the digest of all that follows both, and with a keyed one of that: whoever changes the file
 * can make the first anew, the second only with the key, which is in the stack's state alone. Their names sort before
 * all others: the form stays canonical.
 */
static const char SEAL[] = "{\"SHA256\":\"", MARK[] = "\",\"SHA256-HMAC\":\"", REST[] = "\",";

/* The key makes fingerprints of secrets, too; none of them begins like this. */
static struct digest mark_of(const struct digest *content, struct slice key)
{
	static const char purpose[] = "\0a plan file\0";
	char text[sizeof(purpose) - 1 + DIGEST_BYTES];
	memcpy(text, purpose, sizeof(purpose) - 1);
	memcpy(text + sizeof(purpose) - 1, content->bytes, DIGEST_BYTES);
	return digest_keyed(key, (struct slice){text, sizeof(text)});
}

struct slice plan_write(const struct plan *plan, struct slice key, struct arena *arena, const struct json_style *style)
{
	struct value document = plan_to_value(plan, arena);
	struct slice members = slice_from(json_canonical(arena, &document, style), 1);
	struct digest content = digest_of(members), mark = mark_of(&content, key);
	struct buffer sealed;
	buffer_init(&sealed, PLAN_FILE_MOST_BYTES);
	buffer_string(&sealed, SEAL);
	buffer_append(&sealed, digest_text(arena, &content));
	buffer_string(&sealed, MARK);
	buffer_append(&sealed, digest_text(arena, &mark));
	buffer_string(&sealed, REST);
	buffer_append(&sealed, members);
	struct slice result = sealed.full ? (struct slice){NULL, 0} : arena_copy(arena, buffer_slice(&sealed));
	buffer_release(&sealed);
	return result;
}

/* Takes `name` and the digest behind it off the front of *rest. */
static bool read_digest(struct slice *rest, const char *name, struct digest *ret)
{
	size_t head = strlen(name);
	bool good = slice_starts_with(*rest, slice_of(name)) &&
		    digest_read(slice_first(slice_from(*rest, head), DIGEST_HEX), ret);
	*rest = slice_from(*rest, head + DIGEST_HEX);
	return good;
}

/* Whether what follows the digests is what they were made of, as far as that can be told without the key. */
static bool read_seal(struct slice text, struct plan *plan)
{
	struct slice rest = text;
	if (!read_digest(&rest, SEAL, &plan->content) || !read_digest(&rest, MARK, &plan->mark) ||
	    !slice_starts_with(rest, slice_of(REST)))
		return false;
	struct digest found = digest_of(slice_from(rest, sizeof(REST) - 1));
	return digest_equal(&plan->content, &found);
}

bool plan_is_file(struct slice first)
{
	return slice_starts_with(first, slice_of(SEAL));
}

bool plan_bears_mark(const struct plan *plan, struct slice key)
{
	struct digest mark = mark_of(&plan->content, key);
	return digest_equal(&plan->mark, &mark);
}

static const char AGAIN[] = "make it again with 'trueup plan --out FILE'";

/* Reading back. Every member is checked: the file may have been edited. */
struct loading {
	const struct kinds *kinds;
	struct arena *arena;
	struct diagnostics *diagnostics;
};

static bool broken(struct loading *loading, const char *what)
{
	diag_error(loading->diagnostics, FAULT_STALE, NOWHERE, "the plan file is not one that this version wrote: %s",
		   what);
	diag_hint(loading->diagnostics, AGAIN);
	return false;
}

static struct slice text_of(const struct value *map, const char *key)
{
	return value_slice(value_get_named(map, key));
}

static bool truth_of(const struct value *map, const char *key)
{
	return value_is_true(value_get_named(map, key));
}

static int64_t number_of(const struct value *map, const char *key)
{
	const struct value *value = value_get_named(map, key);
	return value && value_is(value, VALUE_INTEGER) ? value->integer : 0;
}

static struct value map_of(const struct value *map, const char *key)
{
	const struct value *value = value_get_named(map, key);
	return value && value_is(value, VALUE_MAP) ? *value : value_map(NULL, 0);
}

static const struct value *list_of(const struct value *map, const char *key)
{
	static const struct value empty = {.type = VALUE_LIST};
	const struct value *value = value_get_named(map, key);
	return value && value_is(value, VALUE_LIST) ? value : &empty;
}

static bool read_changes(struct loading *loading, const struct value *list, struct action *action)
{
	action->changes = arena_new_array(loading->arena, list->count + 1, struct change);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct value *one = &list->items[i];
		int cause = names_find(&change_cause_names, text_of(one, "cause"));
		int effect = names_find(&change_effect_names, text_of(one, "effect"));
		struct slice name = text_of(one, "field");
		const struct field *field = field_named(&action->kind->fields, name);
		const struct value *before = value_get_named(one, "before");
		const struct value *after = value_get_named(one, "after");
		if (cause < 0 || effect < 0 || (name.size > 0 && !field) || !before || !after)
			return broken(loading, "a change in it is not one");
		action->changes[action->change_count++] = (struct change){
			.path = text_of(one, "path"),
			.field = field,
			.cause = (enum change_cause)cause,
			.effect = (enum change_effect)effect,
			.before = *before,
			.after = *after,
			.pauses = truth_of(one, "pauses"),
			.unread = truth_of(one, "unread"),
		};
	}
	return true;
}

static bool read_dependencies(struct loading *loading, const struct value *list, const struct dependency **ret,
			      size_t *ret_count)
{
	struct dependency *dependencies;
	if (!dependencies_read(list, loading->arena, &dependencies))
		return broken(loading, "a dependency in it is not one");
	*ret = dependencies;
	*ret_count = list->count;
	return true;
}

static void read_names(struct loading *loading, const struct value *list, const struct slice **ret, size_t *ret_count)
{
	*ret = ignored_read(list, loading->arena);
	*ret_count = list->count;
}

static bool read_action(struct loading *loading, const struct value *one, struct action *action)
{
	int operation = names_find(&operation_names, text_of(one, "operation"));
	int role = names_find(&role_names, text_of(one, "role"));
	int64_t generation = number_of(one, "generation");
	const struct kind *kind = kinds_find(loading->kinds, text_of(one, "kind"));
	if (operation < 0 || role < 0 || text_of(one, "address").size == 0 || generation < 0 ||
	    generation > GENERATION_MOST)
		return broken(loading, "an action in it is not one");
	if (!kind || number_of(one, "kind_version") != kind->version)
		return broken(loading, "it was made with other versions of its kinds");
	*action = (struct action){
		.operation = (enum operation)operation,
		.reason = arena_string(loading->arena, text_of(one, "reason")),
		.address = text_of(one, "address"),
		.kind = kind,
		.place = text_of(one, "place"),
		.provider = text_of(one, "provider"),
		.in_spec = truth_of(one, "in_spec"),
		.object_id = text_of(one, "object_id"),
		.provider_id = text_of(one, "provider_id"),
		.displaces = text_of(one, "displaces"),
		.role = (enum object_role)role,
		.generation = generation,
		.create_before_destroy = truth_of(one, "create_before_destroy"),
		.maybe = truth_of(one, "maybe"),
		.makes = truth_of(one, "makes"),
		.settles = truth_of(one, "settles"),
		.protect = truth_of(one, "protect"),
		.drifted = truth_of(one, "drifted"),
		.awaits_gone = truth_of(one, "awaits_gone"),
		.desired = map_of(one, "desired"),
		.known = map_of(one, "known"),
		.released = map_of(one, "released"),
		.constants = map_of(one, "constants"),
		.live = value_null(),
		.had = value_null(),
		.hidden = *list_of(one, "hidden"),
		.live_outputs = value_null(),
		.marks = map_of(one, "marks"),
		.takes_down = (size_t)number_of(one, "takes_down"),
	};
	if (!identity_read(loading->arena, text_of(one, "identity"), &action->identity) ||
	    !digest_read(text_of(one, "symbolic"), &action->symbolic))
		return broken(loading, "an action in it lacks its identity or digest");
	read_names(loading, list_of(one, "ignored"), &action->ignored, &action->ignored_count);
	read_names(loading, list_of(one, "beneath"), &action->beneath, &action->beneath_count);
	const struct kind *runs_by = kinds_find(loading->kinds, text_of(one, "runs_by"));
	action->runs_by = runs_by && runs_by->runs ? runs_by : NULL;
	if (value_get_named(one, "left_to_others"))
		action->left_to_others = *list_of(one, "left_to_others");
	return read_changes(loading, list_of(one, "changes"), action) &&
	       read_dependencies(loading, list_of(one, "wanted"), &action->wanted, &action->wanted_count) &&
	       read_dependencies(loading, list_of(one, "recorded"), &action->recorded, &action->recorded_count);
}

static void read_notes(struct loading *loading, const struct value *list, struct plan *plan)
{
	struct plan_note *notes = arena_new_array(loading->arena, list->count + 1, struct plan_note);
	for (uint32_t i = 0; i < list->count; i++)
		notes[i] = (struct plan_note){
			.address = text_of(&list->items[i], "address"),
			.what = text_of(&list->items[i], "what"),
			.stays = truth_of(&list->items[i], "stays"),
		};
	plan->notes = notes;
	plan->note_count = list->count;
}

static bool read_running(struct loading *loading, const struct value *list, struct plan *plan)
{
	plan->running = arena_new_array(loading->arena, list->count + 1, struct running);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct value *one = &list->items[i];
		int effect = names_find(&running_effect_names, text_of(one, "effect"));
		if (effect < 0 || text_of(one, "address").size == 0)
			return broken(loading, "what runs in it is not told");
		plan->running[plan->running_count++] =
			(struct running){text_of(one, "address"), (enum running_effect)effect,
					 (size_t)number_of(one, "count"), text_of(one, "what")};
	}
	return true;
}

static void read_rest(struct loading *loading, const struct value *document, struct plan *plan)
{
	const struct value *unread = list_of(document, "unread");
	const struct value *providers = list_of(document, "providers");
	const struct value *outputs = list_of(document, "outputs");
	plan->undoes = text_of(document, "undoes");
	read_notes(loading, list_of(document, "irreversible"), plan);
	read_names(loading, list_of(document, "uses"), &plan->uses, &plan->use_count);
	plan->unread = arena_new_array(loading->arena, unread->count + 1, struct unread);
	for (uint32_t i = 0; i < unread->count; i++)
		plan->unread[plan->unread_count++] = (struct unread){.address = text_of(&unread->items[i], "address"),
								     .field = text_of(&unread->items[i], "field"),
								     .reason = text_of(&unread->items[i], "reason"),
								     .hint = text_of(&unread->items[i], "hint"),
								     .place = text_of(&unread->items[i], "place")};
	struct provider_settings *settings =
		arena_new_array(loading->arena, providers->count + 1, struct provider_settings);
	for (uint32_t i = 0; i < providers->count; i++)
		settings[plan->provider_count++] =
			(struct provider_settings){.name = text_of(&providers->items[i], "name"),
						   .settings = map_of(&providers->items[i], "value")};
	plan->providers = settings;
	plan->outputs = arena_new_array(loading->arena, outputs->count + 1, struct stack_output);
	for (uint32_t i = 0; i < outputs->count; i++) {
		const struct value *value = value_get_named(&outputs->items[i], "value");
		plan->outputs[plan->output_count++] = (struct stack_output){.name = text_of(&outputs->items[i], "name"),
									    .value = value ? *value : value_null()};
	}
}

bool plan_read(struct slice text, const struct kinds *kinds, struct arena *arena, struct plan *ret,
	       struct diagnostics *diagnostics)
{
	struct loading loading = {kinds, arena, diagnostics};
	struct value document;
	if (!json_read(arena, text, true, PLAN_FILE_MOST_BYTES, "the plan file", &document, diagnostics)) {
		diag_hint(diagnostics, AGAIN);
		return false;
	}
	if (!slice_is(text_of(&document, "document"), "trueup plan"))
		return broken(&loading, "it is no plan");
	if (!slice_is(text_of(&document, "schema"), PLAN_SCHEMA))
		return broken(&loading, "it has another version");
	struct plan sealed;
	if (!read_seal(text, &sealed))
		return broken(&loading, "it was changed since");
	const struct value *actions = list_of(&document, "actions");
	struct plan plan = {
		.content = sealed.content,
		.mark = sealed.mark,
		.stack = text_of(&document, "stack"),
		.spec = text_of(&document, "spec"),
		.lineage = text_of(&document, "lineage"),
		.serial = number_of(&document, "serial"),
		.destroy = truth_of(&document, "destroy"),
		.targeted = truth_of(&document, "targeted"),
		.refreshed = truth_of(&document, "refreshed"),
		.managed_count = (size_t)number_of(&document, "managed"),
		.read_count = (size_t)number_of(&document, "read"),
		.sealing_key = text_of(&document, "sealing_key"),
		.sealed = map_of(&document, "sealed"),
	};
	plan.actions = arena_new_array(arena, actions->count + 1, struct action);
	for (uint32_t i = 0; i < actions->count; i++) {
		if (!read_action(&loading, &actions->items[i], &plan.actions[i]))
			return false;
		plan.counts[plan.actions[i].operation]++;
		plan.drift_count += plan.actions[i].drifted;
	}
	plan.action_count = actions->count;
	read_rest(&loading, &document, &plan);
	if (!read_running(&loading, list_of(&document, "running"), &plan))
		return false;
	*ret = plan;
	return true;
}
