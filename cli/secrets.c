#include "cli/secrets.h"

#include "cli/progress.h"
#include "reconcile/recover_resend.h"
#include "reconcile/schema.h"

static const char PLAN_PLACE[] = "plan";

bool secrets_are_set(const struct action *action)
{
	return action_is_carried_out(action) && value_has_secret(&action->desired);
}

static struct slice lineage_of(const struct job *job)
{
	/* The store may be closed and opened again. */
	return arena_copy(job->arena, job->record->lineage);
}

static void use_key(struct job *job)
{
	job->vault = (struct vault){
		.world = job->world,
		.key = job->sealing.from ? &job->sealing.key : NULL,
		.lineage = lineage_of(job),
		.style = &job->style,
	};
}

/* Two first runs may meet: the key that was recorded first is the stack's. */
static bool adopt(struct job *job, struct sealing_key *key, struct diagnostics *diagnostics)
{
	if (!job->store->ops->adopt_key(job->store, sealing_key_record(job->arena, key), diagnostics))
		return false;
	if (slice_is(job->record->sealing_key, key->id))
		return true;
	diag_error(diagnostics, FAULT_STALE, NOWHERE,
		   "another run has just sealed secrets of the stack under the key %.*s, and %s gives the key %s",
		   SLICE_ARGUMENTS(job->record->sealing_key), key->from, key->id);
	diag_hint(diagnostics, "run the command again, with that key at hand");
	return false;
}

static bool make_key(struct job *job, struct sealing_key *ret, struct diagnostics *diagnostics)
{
	bool good;

	if (!sealing_key_make(job->world, job->arena, job->record->lineage, ret, diagnostics))
		return false;
	if (!ret->from)
		return true;
	good = adopt(job, ret, diagnostics);
	/* A commit that failed may come to stand all the same, once the disk works again: its key is kept. */
	if (!slice_is(job->record->sealing_key, ret->id) && ret->path && job->world->remove_file)
		(void)job->world->remove_file(job->world, ret->path, diagnostics);
	return good;
}

static bool look_for_key(struct job *job, struct diagnostics *diagnostics)
{
	struct slice recorded = job->record->sealing_key;
	struct sealing_key key = {0};
	struct waiting_view view;
	bool good;

	waiting_open(&view, job->invocation, WAITING_FOR_KEY, NULL);
	good = sealing_key_find(job->world, job->arena, job->record, &job->stack, &key, diagnostics);
	if (good && recorded.size == 0)
		good = key.from ? adopt(job, &key, diagnostics) : make_key(job, &key, diagnostics);
	waiting_close(&view);
	if (good)
		job->sealing = key;
	sealing_key_wipe(&key);
	use_key(job);
	return good;
}

/* Where it cannot be had, it is not looked for a second time: a wait, or a prompt, is enough once. */
static bool secrets_find_key(struct job *job)
{
	if (job->sealing.from || (!diagnostics_first_error(&job->unfound) && look_for_key(job, &job->unfound)))
		return true;
	diagnostics_join(job->diagnostics, &job->unfound);
	return false;
}

bool secrets_find_key_for_apply(struct job *job)
{
	for (size_t i = 0; i < job->plan.action_count; i++)
		if (secrets_are_set(&job->plan.actions[i]))
			return secrets_find_key(job);
	return true;
}

static bool intents_need_key(struct job *job)
{
	int64_t now_ms = job->world->wall_ms(job->world);

	/* Under no key nothing was sealed. */
	for (size_t i = 0; job->record->sealing_key.size > 0 && i < job->intent_count; i++)
		if (job->intents[i].sealed.size > 0 && recover_may_resend(&job->intents[i], now_ms, job_grace_ms(job)))
			return true;
	return false;
}

bool secrets_find_key_for_intents(struct job *job)
{
	if (!intents_need_key(job) || secrets_find_key(job))
		return true;
	if (job->world->interrupted(job->world) == 0)
		diag_add(job->diagnostics, SEVERITY_NOTE, FAULT_USER, NOWHERE,
			 "the key is wanted to send a call once more that is open; where nothing that is set gives the "
			 "key, what the call has made is looked for instead");
	return false;
}

static void warn_of_unfound(struct job *job)
{
	const struct diag *first = diagnostics_first_error(&job->unfound);

	diag_add(job->diagnostics, SEVERITY_WARNING, first->fault, NOWHERE,
		 "an apply does not begin without the stack's sealing key, as a call is open that it may have to send "
		 "once more: %.*s",
		 SLICE_ARGUMENTS(first->message));
	diag_hint(job->diagnostics, "%.*s", SLICE_ARGUMENTS(first->hint));
	diag_cause(job->diagnostics, first->cause);
}

bool secrets_seek_key_for_intents(struct job *job)
{
	if (!intents_need_key(job) || job->sealing.from || diagnostics_first_error(&job->unfound) ||
	    look_for_key(job, &job->unfound))
		return true;
	if (job->world->interrupted(job->world) > 0) {
		diagnostics_join(job->diagnostics, &job->unfound);
		return false;
	}
	warn_of_unfound(job);
	return true;
}

/* Calls `visit` with every value of a plan that an apply needs in clear; stops where it gives false. */
static bool visit_values(const struct plan *plan, bool (*visit)(void *context, const struct value *value),
			 void *context)
{
	bool good = true;

	for (size_t i = 0; good && i < plan->action_count; i++)
		if (secrets_are_set(&plan->actions[i]))
			good = visit(context, &plan->actions[i].desired);
	for (size_t i = 0; good && i < plan->provider_count; i++)
		if (value_has_secret(&plan->providers[i].settings))
			good = visit(context, &plan->providers[i].settings);
	for (size_t i = 0; good && i < plan->output_count; i++)
		if (value_has_secret(&plan->outputs[i].value))
			good = visit(context, &plan->outputs[i].value);
	return good;
}

static bool stop(void *context, const struct value *value)
{
	(void)context;
	(void)value;
	return false;
}

static bool seal_value(void *context, const struct value *value)
{
	vault_add(context, value);
	return true;
}

static bool redact_value(void *context, const struct value *value)
{
	redaction_add_value(context, value);
	return true;
}

static bool kind_has_secrets(const struct kind *kind)
{
	bool found = schema_has_secrets(&kind->fields);

	for (size_t i = 0; !found && i < kind->outputs.count; i++)
		found = output_at(&kind->outputs, i)->secret;
	return found;
}

void secrets_redact_live(struct job *job)
{
	struct redaction *redaction = &job->invocation->simulated->redaction;
	const struct kind *last = NULL;
	bool has_secrets = false;

	for (size_t i = 0; i < job->object_count; i++) {
		const struct kind *kind = kinds_find(&job->kinds, job->objects[i]->kind);

		if (!kind || !job->refresh.live[i])
			continue;
		/* Objects stand in the order of their addresses, which begin with the kind. */
		if (kind != last)
			has_secrets = kind_has_secrets(kind);
		last = kind;
		if (!has_secrets)
			continue;
		redaction_add_value(redaction, &job->refresh.live[i]->fields);
		redaction_add_value(redaction, &job->refresh.live[i]->outputs);
	}
}

/* Why something could not be read is told by a service. */
static void redact_reasons(struct job *job)
{
	const struct redaction *redaction = &job->invocation->simulated->redaction;

	for (size_t i = 0; i < job->plan.unread_count; i++) {
		struct unread *unread = &job->plan.unread[i];

		unread->reason = redaction_shown(redaction, unread->reason, job->arena);
		unread->hint = redaction_shown(redaction, unread->hint, job->arena);
	}
}

static void warn_of_fingerprints(struct job *job)
{
	struct slice id = job->record->sealing_key;

	diag_add(job->diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE,
		 "the plan is saved without its secrets: no key is at hand to seal them under");
	if (job->record->wrapped_key.size > 0)
		diag_hint(job->diagnostics, "apply it where the spec is, or name in TRUEUP_SEALING_KEY the key of KMS "
					    "that the stack's key was made with, as kms:NAME");
	else if (id.size > 0)
		diag_hint(job->diagnostics,
			  "apply it where the spec is, or give the stack's key %.*s in TRUEUP_SEALING_KEY",
			  SLICE_ARGUMENTS(id));
	else
		diag_hint(job->diagnostics, "apply it where the spec is, or give a key in TRUEUP_SEALING_KEY");
	diag_cause(job->diagnostics, job->sealing.unmade);
}

bool secrets_seal_plan(struct job *job)
{
	struct vault_filling filling;

	redact_reasons(job);
	if (visit_values(&job->plan, stop, NULL))
		return true;
	if (!secrets_find_key(job))
		return false;
	if (!job->vault.key) {
		warn_of_fingerprints(job);
		return true;
	}
	vault_fill(&filling, &job->vault, slice_of(PLAN_PLACE), job->arena);
	(void)visit_values(&job->plan, seal_value, &filling);
	job->plan.sealed = vault_filled(&filling);
	job->plan.sealing_key = arena_copy(job->arena, slice_of(job->sealing.id));
	return true;
}

/* The plan's key must be the stack's still, and the one at hand. */
static bool check_key(struct job *job, const struct plan *plan)
{
	if (slice_equal(job->record->sealing_key, plan->sealing_key))
		return secrets_find_key(job);
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "the secrets of the plan are sealed under the key %.*s, and the stack's key is %.*s now",
		   SLICE_ARGUMENTS(plan->sealing_key),
		   SLICE_ARGUMENTS(job->record->sealing_key.size > 0 ? job->record->sealing_key : SLICE("none")));
	diag_hint(job->diagnostics, "plan again");
	return false;
}

static bool open_values(struct vault_reading *reading, struct plan *plan, struct arena *arena)
{
	struct provider_settings *providers =
		arena_new_array(arena, plan->provider_count + 1, struct provider_settings);
	bool good = true;

	for (size_t i = 0; good && i < plan->action_count; i++)
		if (secrets_are_set(&plan->actions[i]))
			good = vault_open(reading, &plan->actions[i].desired, &plan->actions[i].desired);
	for (size_t i = 0; good && i < plan->provider_count; i++) {
		providers[i] = plan->providers[i];
		good = vault_open(reading, &plan->providers[i].settings, &providers[i].settings);
	}
	for (size_t i = 0; good && i < plan->output_count; i++)
		good = vault_open(reading, &plan->outputs[i].value, &plan->outputs[i].value);
	if (good)
		plan->providers = providers;
	return good;
}

bool secrets_open_plan(struct job *job, struct plan *plan)
{
	struct vault_reading reading;
	bool good;

	if (plan->sealing_key.size == 0)
		return true;
	/* All that is known yet of the stack that the plan was made of. */
	job->stack.providers = plan->providers;
	job->stack.provider_count = plan->provider_count;
	if (!check_key(job, plan))
		return false;
	if (!job->vault.key)
		return true;
	vault_read(&reading, &job->vault, slice_of(PLAN_PLACE), job->arena, &plan->sealed, job->diagnostics);
	good = open_values(&reading, plan, job->arena);
	vault_read_end(&reading);
	(void)visit_values(plan, redact_value, &job->invocation->simulated->redaction);
	return good;
}
