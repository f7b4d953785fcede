#include "cli/saved_plan.h"

#include "base/digest.h"
#include "base/map.h"
#include "cli/job_record.h"
#include "cli/lost_state.h"
#include "cli/providers.h"
#include "cli/record_secrets.h"
#include "cli/recovery.h"
#include "cli/saved_comparison.h"
#include "cli/saved_references.h"
#include "cli/secrets.h"
#include "cli/strays.h"
#include "cli/twins.h"

enum { PLAN_MODE = 0600 };

static bool write_plan(struct job *job, const struct written_file *file)
{
	struct slice text = plan_write(&job->plan, job->record->fingerprint_key, job->arena, &job->style);

	if (text.size > 0)
		return written_put(job->invocation->written, file, text, PLAN_MODE, job->diagnostics);
	diag_error(job->diagnostics, FAULT_UNSUPPORTED, NOWHERE,
		   "the plan is not saved: its file would be larger than %d MiB", (int)PLAN_FILE_MOST_MIB);
	diag_hint(job->diagnostics, "save plans of parts of it, with --target");
	return false;
}

/* Of a place the environment may say what the settings leave open, and whoever applies the plan may have another. */
static void keep_places(struct job *job)
{
	struct plan *plan = &job->plan;
	const struct stack stack = {.providers = plan->providers, .provider_count = plan->provider_count};
	const struct identity *places = sessions_expect(&all_providers, job->world, &stack, job->arena);
	struct provider_settings *providers =
		arena_new_array(job->arena, plan->provider_count + 1, struct provider_settings);

	for (size_t i = 0; i < plan->provider_count; i++) {
		const struct provider *provider = providers_find(&all_providers, places[i].provider);

		providers[i] = plan->providers[i];
		if (!provider)
			continue;
		struct value place = provider->settings_of(&places[i], job->arena);
		providers[i].settings = value_overlaid(&providers[i].settings, &place, job->arena);
	}
	plan->providers = providers;
}

bool saved_plan_write(struct job *job, struct report *report)
{
	const struct written_file file = written_plan(job->invocation);

	if (!arguments_has(job->invocation->arguments, FLAG_OUT))
		return true;
	if (!lost_state_permits_saving(job))
		return false;
	keep_places(job);
	if (!secrets_seal_plan(job))
		return false;
	saved_references_note(job);
	job->plan.spec = job->spec_digest;
	if (!write_plan(job, &file))
		return false;
	report->plan_path = file.path;
	report->folder = arguments_text(job->invocation->arguments, FLAG_DIRECTORY, NULL);
	return true;
}

bool saved_plan_read(struct job *job, struct slice path)
{
	struct slice text;

	if (!job->world->read_file(job->world, job->arena, arena_string(job->arena, path), PLAN_FILE_MOST_BYTES, &text,
				   job->diagnostics) ||
	    !plan_read(text, &job->kinds, job->arena, &job->plan, job->diagnostics))
		return false;
	/* The secrets of a plan file are fingerprints already: no key is needed for them. */
	struct digest digest = plan_approval(&job->plan, job->arena, &job->style);
	job->digest = digest_text(job->arena, &digest);
	return true;
}

/* What to do where the state that the plan was made with is gone. One that had nothing no rebuild can make. */
static const char *way_without(const struct job *job)
{
	return job->plan.managed_count == 0
		       ? "where it is lost, plan again: nothing was recorded in it when the plan was made"
		       : "where it is lost, 'trueup state rebuild' makes another, to plan again with";
}

/* A plan that is made here would go with a state that knows nothing of what is there. */
static bool has_state(struct job *job)
{
	if (job_has_store(job))
		return true;
	diag_error(job->diagnostics, FAULT_ABSENT, NOWHERE,
		   "the plan '%.*s' needs the state that it was made with, and there is no state file '%s'",
		   SLICE_ARGUMENTS(job->invocation->arguments->operands[0]), job_state_path(job));
	diag_hint(job->diagnostics, "apply it in the folder of that state (-C DIR), or move that state file here; %s",
		  way_without(job));
	return false;
}

static bool refuse_other_stack(struct job *job, struct slice path)
{
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "the plan '%.*s' was made for the stack '%.*s', and the state in '%s' is that of '%.*s'",
		   SLICE_ARGUMENTS(path), SLICE_ARGUMENTS(job->plan.stack), job->folder,
		   SLICE_ARGUMENTS(job->record->name));
	diag_hint(job->diagnostics, "name the folder of the plan's stack with -C DIR, or plan again");
	return false;
}

/* Whether the state at hand is the one that the plan was made on. */
static bool is_at_home(struct job *job)
{
	struct slice path = job->invocation->arguments->operands[0];
	const struct stack_record *record = job->record;

	if (slice_equal(record->lineage, job->plan.lineage))
		return true;
	if (!slice_equal(record->name, job->plan.stack))
		return refuse_other_stack(job, path);
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "the plan '%.*s' was made for another state of stack '%.*s' than the one in '%s'",
		   SLICE_ARGUMENTS(path), SLICE_ARGUMENTS(job->plan.stack), job->folder);
	if (job->object_count == 0)
		diag_hint(job->diagnostics,
			  "apply it in the folder of that state (-C DIR), or move its file here, where nothing is "
			  "recorded; %s",
			  way_without(job));
	else
		diag_hint(job->diagnostics,
			  "apply it in the folder of that state (-C DIR); plan again only where the state here is the "
			  "right one");
	return false;
}

/* Whether it says what it said when it was written: somebody may have changed it, and its digest with it. */
static bool is_genuine(struct job *job)
{
	if (plan_bears_mark(&job->plan, job->record->fingerprint_key))
		return true;
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "the plan '%.*s' is not as it was written with the state in '%s'",
		   SLICE_ARGUMENTS(job->invocation->arguments->operands[0]), job->folder);
	diag_hint(job->diagnostics, "somebody has changed it, or the state was made anew since: plan again");
	return false;
}

/* Looks before it opens: a plan of elsewhere must not leave a new state behind. */
static bool open_state(struct job *job)
{
	if (!has_state(job) || !job_open_state(job, STATE_READ, (struct slice){NULL, 0}) || !is_at_home(job) ||
	    !is_genuine(job))
		return false;
	job->store->ops->close(job->store);
	job->store = NULL;
	return job_open_state(job, STATE_WRITE, job->plan.stack);
}

static struct resource resource_of_action(const struct action *action)
{
	return (struct resource){
		.address = action->address,
		.name = address_name(action->address, slice_of(action->kind->name)),
		.kind = action->kind,
		.desired = action->desired,
		.provider = action->provider,
		.dependencies = action->wanted,
		.dependency_count = action->wanted_count,
		.protect = action->protect,
		.ignored = action->ignored,
		.ignored_count = action->ignored_count,
		.left_to_others = action->left_to_others,
		.create_before_destroy = action->create_before_destroy ? CHOICE_YES : CHOICE_NO,
	};
}

/* What no action touches stands as it was last applied, so that references to it resolve. */
static bool resource_of_object(struct job *job, struct object *object, struct resource *ret)
{
	const struct kind *kind = kinds_find(&job->kinds, object->kind);

	if (!kind || object->role != OBJECT_CURRENT)
		return false;
	*ret = (struct resource){
		.address = object->address,
		.name = address_name(object->address, object->kind),
		.kind = kind,
		.desired = object->applied,
		.provider = object->provider,
		.dependencies = object->dependencies,
		.dependency_count = object->dependency_count,
		.protect = object->protect,
		.stands = true,
	};
	return true;
}

/* Whether an undoing makes it anew for what is not set any more: else that is let go of, whatever it is replaced for.
 */
static bool is_remade(const struct action *action)
{
	bool releases = false;

	for (size_t i = 0; i < action->change_count; i++) {
		const struct change *change = &action->changes[i];

		releases |= change->effect == EFFECT_RELEASE && change->field && (change->field->flags & IMMUTABLE) &&
			    slice_is(change->path, change->field->name);
	}
	return action->operation == OPERATION_REPLACE && !releases;
}

/* The stack that the plan was made of, as far as the plan and the record can tell. */
static bool rebuild_stack(struct job *job, const struct plan *saved)
{
	struct resource *resources =
		arena_new_array(job->arena, saved->action_count + job->object_count + 1, struct resource);
	struct map addresses;
	size_t count = 0;

	map_init(&addresses);
	for (size_t i = 0; i < saved->action_count; i++) {
		if (!action_is_carried_out(&saved->actions[i]))
			continue;
		/* What goes of what a replace left behind says nothing of what the address stands for. */
		if (saved->actions[i].role != OBJECT_DEPOSED)
			map_mark(&addresses, saved->actions[i].address);
		if (!saved->actions[i].in_spec)
			continue;
		resources[count] = resource_of_action(&saved->actions[i]);
		if (saved->undoes.size > 0) {
			resources[count].restores = saved->actions[i].constants;
			resources[count].remade = is_remade(&saved->actions[i]);
		}
		count++;
	}
	bool good = job_load_bodies(job);
	for (size_t i = 0; good && i < job->object_count; i++)
		if (!map_has(&addresses, job->objects[i]->address) &&
		    resource_of_object(job, job->objects[i], &resources[count]))
			count++;
	map_release(&addresses);
	job->stack = (struct stack){
		.name = saved->stack,
		.resources = resources,
		.resource_count = count,
		.providers = saved->providers,
		.provider_count = saved->provider_count,
		.outputs = saved->outputs,
		.output_count = saved->output_count,
		.max_delete = -1,
	};
	return good;
}

/* Whether the field stays as it is there. What waits for an output is worked out all the same. */
static bool is_left_alone(const struct action *action, const struct field *field, const struct value *value)
{
	return !operation_makes(action->operation) && !value_has_deferred(value) &&
	       slice_is_among(field->name, action->ignored, action->ignored_count);
}

/* Sets a secret that is not here, only its fingerprint. */
static bool lacks_secret(const struct action *action)
{
	for (size_t i = 0; secrets_are_set(action) && i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		const struct value *value = value_get_named(&action->desired, field->name);

		if (value && value_has_fingerprint(value) && !is_left_alone(action, field, value))
			return true;
	}
	return false;
}

/* The spec, where it is at hand: its secrets are those of the plan if all else is, too. */
static const struct stack *load_spec(struct job *job)
{
	struct diagnostics *shown = job->diagnostics;
	struct slice spec_digest = job->spec_digest;
	struct stack none = {0};
	struct stack *spec = arena_new(job->arena, struct stack);
	struct diagnostics findings;

	diagnostics_init(&findings, job->arena);
	job->diagnostics = &findings;
	*spec = job_load_spec(job) ? job->stack : none;
	job->diagnostics = shown;
	job->stack = none;
	job->spec_digest = spec_digest;
	diagnostics_release(&findings);
	return spec;
}

static void hint_at_key(struct job *job)
{
	if (job->plan.sealing_key.size > 0)
		diag_hint(job->diagnostics,
			  "give the key %.*s that it is sealed under, in TRUEUP_SEALING_KEY or by "
			  "TRUEUP_SEALING_KEY_COMMAND",
			  SLICE_ARGUMENTS(job->plan.sealing_key));
	else
		diag_hint(job->diagnostics,
			  "apply it where the spec is, with the same variables, as it was when the plan was made");
}

/* What was approved is taken from the spec, which must say the same still. */
static bool take_from_spec(struct job *job, const struct map *resources, struct action *action)
{
	const struct resource *resource = map_get(resources, action->address);

	if (resource) {
		struct digest digest = resource_symbolic(resource, &job->style, job->arena);

		if (digest_equal(&digest, &action->symbolic)) {
			action->desired = resource->desired;
			return true;
		}
	}
	diag_error(job->diagnostics, FAULT_USER, NOWHERE,
		   "the plan sets a secret of '%.*s', and only its fingerprint is at hand",
		   SLICE_ARGUMENTS(action->address));
	diag_address(job->diagnostics, action->address);
	hint_at_key(job);
	return false;
}

/* A password in a provider's settings; nothing tells whether it is the one that was used. */
static bool take_settings(struct job *job, const struct stack *spec, struct provider_settings *provider)
{
	for (size_t i = 0; i < spec->provider_count; i++) {
		if (!slice_equal(spec->providers[i].name, provider->name))
			continue;
		provider->settings = value_overlaid(&provider->settings, &spec->providers[i].settings, job->arena);
		return true;
	}
	diag_error(job->diagnostics, FAULT_USER, NOWHERE,
		   "provider '%.*s' has a secret setting, and only its fingerprint is at hand",
		   SLICE_ARGUMENTS(provider->name));
	hint_at_key(job);
	return false;
}

/* Whether it is worked out of a secret that is not here. */
static bool lacks_value(const struct stack_output *output)
{
	return value_has_deferred(&output->value) && value_has_fingerprint(&output->value);
}

/* An output does nothing: one of which the spec says something else by now stays as it was, and is not known. */
static void take_outputs(struct job *job, const struct stack *spec, struct plan *saved)
{
	struct stack_output *outputs = arena_new_array(job->arena, saved->output_count + 1, struct stack_output);

	for (size_t i = 0; i < saved->output_count; i++) {
		outputs[i] = saved->outputs[i];
		struct slice then = json_canonical(job->arena, &outputs[i].value, &job->style);

		for (size_t k = 0; lacks_value(&outputs[i]) && k < spec->output_count; k++)
			if (slice_equal(spec->outputs[k].name, outputs[i].name) &&
			    slice_equal(json_canonical(job->arena, &spec->outputs[k].value, &job->style), then))
				outputs[i].value = spec->outputs[k].value;
	}
	saved->outputs = outputs;
}

static bool needs_spec(const struct plan *saved)
{
	bool needed = false;

	for (size_t i = 0; i < saved->action_count && !needed; i++)
		needed = lacks_secret(&saved->actions[i]);
	for (size_t i = 0; i < saved->provider_count && !needed; i++)
		needed = value_has_fingerprint(&saved->providers[i].settings);
	for (size_t i = 0; i < saved->output_count && !needed; i++)
		needed = lacks_value(&saved->outputs[i]);
	return needed;
}

/* Puts secrets back in place of their fingerprints: as they were sealed, or from the spec. */
static bool find_secrets(struct job *job, struct plan *saved)
{
	struct provider_settings *providers;
	const struct stack *spec;
	const struct map *resources;
	struct map spare;
	bool good = true;

	if (!secrets_open_plan(job, saved))
		return false;
	if (!needs_spec(saved))
		return true;
	spec = load_spec(job);
	map_init(&spare);
	resources = stack_addresses(spec, &spare);
	for (size_t i = 0; i < saved->action_count; i++)
		if (lacks_secret(&saved->actions[i]))
			good &= take_from_spec(job, resources, &saved->actions[i]);
	map_release(&spare);
	take_outputs(job, spec, saved);
	providers = arena_new_array(job->arena, saved->provider_count + 1, struct provider_settings);
	for (size_t i = 0; i < saved->provider_count; i++) {
		providers[i] = saved->providers[i];
		if (value_has_fingerprint(&providers[i].settings))
			good &= take_settings(job, spec, &providers[i]);
	}
	saved->providers = providers;
	return good;
}

/* Reads just the objects that the actions touch or refer to. What they make, also in the place of another, may be there
 * already, or another one where they let go of a record: the plan may have read nothing, or the state may have been
 * lost, or an older one put back since. */
static bool read_touched(struct job *job, const struct plan *saved, const struct stack *expected)
{
	struct map ids, sought;

	map_init(&ids);
	map_init(&sought);
	for (size_t i = 0; i < saved->action_count; i++) {
		struct action *action = &saved->actions[i];

		if (action->object_id.size > 0 && action_is_carried_out(action))
			map_mark(&ids, action->object_id);
		if (operation_makes(action->operation) || action->operation == OPERATION_FORGET)
			map_mark(&sought, action->address);
	}
	saved_references_add(job, saved, &ids);
	twins_of_saved(job, saved, &ids);
	bool good = job_refresh_some(job, &ids, expected, &sought) && twins_judge(job);
	map_release(&ids);
	map_release(&sought);
	return good;
}

/*
 * Where everything is to go, the plan knows only what was recorded when it was made: what is to be there beside that
 * only the spec tells, where it is at hand. It is looked for in the places that the plan reaches.
 */
static const struct stack *expected_by(struct job *job, const struct plan *saved)
{
	struct stack stack = job->stack;
	struct stack *expected;

	if (!saved->destroy || saved->targeted)
		return &job->stack;
	expected = arena_new(job->arena, struct stack);
	*expected = *load_spec(job);
	if (!slice_equal(expected->name, stack.name))
		*expected = (struct stack){.name = stack.name};
	expected->providers = stack.providers;
	expected->provider_count = stack.provider_count;
	job->stack = stack;
	return expected;
}

/* What the plan could not read and does not touch is not read again: nothing is claimed about it still. What is unread
 * as a whole no action touches, whatever else is done at its address. */
static void copy_unread(struct job *job, const struct plan *saved)
{
	struct plan *plan = &job->plan;
	struct unread *all = arena_new_array(job->arena, plan->unread_count + saved->unread_count + 1, struct unread);
	size_t count = 0;

	for (size_t i = 0; i < saved->unread_count; i++)
		if (saved->unread[i].field.size == 0 || !saved_plan_touches_own(saved, saved->unread[i].address))
			all[count++] = saved->unread[i];
	for (size_t i = 0; i < plan->unread_count; i++)
		all[count++] = plan->unread[i];
	plan->unread = all;
	plan->unread_count = count;
}

/* What the plan that was made again does not know: where the spec has what, and what it is all about. */
static void copy_words(struct job *job, const struct plan *saved)
{
	copy_unread(job, saved);
	job->plan.targeted = saved->targeted;
	job->plan.older = saved->serial != job->plan.serial;
	job->plan.notes = saved->notes;
	job->plan.note_count = saved->note_count;
	for (size_t i = 0; i < job->plan.action_count; i++) {
		const struct action *then = saved_plan_action(saved, &job->plan.actions[i]);

		if (!then)
			continue;
		job->plan.actions[i].place = then->place;
		job->plan.actions[i].reason = then->reason;
	}
}

/* What the plan took for secret in what it had read: whoever applies it may not have the spec that tells. */
static const struct value *hidden_by(struct job *job, const struct plan *saved)
{
	struct value *hidden = arena_new(job->arena, struct value);
	VALUE_BUILDER_AUTO all;

	value_builder_init(&all);
	for (size_t i = 0; i < saved->action_count; i++)
		for (uint32_t k = 0; k < saved->actions[i].hidden.count; k++)
			value_builder_item(&all, saved->actions[i].hidden.items[k]);
	*hidden = value_builder_list(&all, job->arena);
	return hidden;
}

/* What the plan carries out, and nothing else: what goes with that it has already. Whoever read nothing saw no tags. */
static struct plan_scope scope_of(struct job *job, const struct plan *saved)
{
	struct slice *addresses = arena_new_array(job->arena, saved->action_count + 1, struct slice);
	struct slice *leaving = arena_new_array(job->arena, saved->action_count + 1, struct slice);
	size_t count = 0, leaving_count = 0;

	for (size_t i = 0; i < saved->action_count; i++) {
		if (!action_is_carried_out(&saved->actions[i]))
			continue;
		if (saved->actions[i].role == OBJECT_DEPOSED)
			leaving[leaving_count++] = saved->actions[i].object_id;
		else
			addresses[count++] = saved->actions[i].address;
	}
	return (struct plan_scope){
		.targets = addresses,
		.target_count = count,
		.exact = true,
		.leaving = leaving,
		.leaving_count = leaving_count,
		.left_behind_by_id = true,
		.keeps_tags = !saved->refreshed || saved->undoes.size > 0,
		.undoes = saved->undoes,
		.hidden = hidden_by(job, saved),
	};
}

/* Whoever does nothing looks at nothing: what the plan had read is of the time when it was made. */
static void note_unlooked(struct job *job)
{
	struct plan *plan = &job->plan;

	plan->older = plan->serial != job->record->serial;
	plan->serial = job->record->serial;
	plan->refreshed = false;
	plan->read_count = 0;
}

bool saved_plan_prepare(struct job *job)
{
	struct plan saved = job->plan;
	struct slice digest = job->digest;
	struct plan_scope scope = scope_of(job, &saved);
	size_t errors = job->diagnostics->error_count;

	job->aim = saved.destroy ? AIM_DESTROY : AIM_MAKE;
	if (!open_state(job) || !find_secrets(job, &saved))
		return false;
	record_secrets_of_plan(job, &saved, scope.hidden);
	if (!rebuild_stack(job, &saved) ||
	    !written_check_stack(job->invocation->written, &job->stack, job->diagnostics))
		return false;
	if (scope.target_count + scope.leaving_count == 0) {
		note_unlooked(job);
		return true;
	}
	if (!job_open_sessions(job) || !job_recover(job) || !job_load_bodies(job) ||
	    !read_touched(job, &saved, expected_by(job, &saved)) || !job_tell_strays(job))
		return false;
	bool planned = job_plan(job, &job->stack, saved.destroy, &scope);
	if (planned && !job_plan_has_resends(job))
		return false;
	bool grounded = saved_references_check(job, &saved);
	if (!saved_plan_compare(job, &saved, digest) || !grounded || !planned || job->diagnostics->error_count > errors)
		return false;
	copy_words(job, &saved);
	job->digest = digest;
	return twins_record(job);
}
