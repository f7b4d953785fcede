#include "cli/command_list.h"
#include "cli/job_run.h"
#include "cli/progress.h"
#include "cli/recorded.h"
#include "cli/secrets.h"

enum { SEALED_LIMIT_BYTES = 64 * 1024 * 1024 };

/* One replacement under way. */
struct rekeying {
	struct job *job;
	struct sealing_key old, next;
	struct slice old_id;	    /* when the old one was looked for */
	struct diagnostics unfound; /* why the old one is not at hand */
	struct intent *intents;	    /* with what was sealed, sealed anew */
	size_t count;
	bool committed;
	bool in_doubt; /* the commit has failed, and may come to stand all the same */
};

/* Only what is sealed in the state needs the old key; false where nobody may look any longer. */
static bool find_old(struct rekeying *rekeying)
{
	struct job *job = rekeying->job;

	if (sealing_key_find(job->world, job->arena, job->record, NULL, &rekeying->old, &rekeying->unfound) ||
	    job->world->interrupted(job->world) == 0)
		return true;
	diagnostics_join(job->diagnostics, &rekeying->unfound);
	return false;
}

static bool find_next(struct rekeying *rekeying)
{
	struct job *job = rekeying->job;

	if (!sealing_key_new(job->world, job->arena, job->record->lineage, &rekeying->next, job->diagnostics) ||
	    (!rekeying->next.from &&
	     !sealing_key_make(job->world, job->arena, job->record->lineage, &rekeying->next, job->diagnostics)))
		return false;
	if (!rekeying->next.from) {
		diag_error(job->diagnostics, FAULT_USER, NOWHERE, "there is no place for a file with the new key");
		diag_hint(job->diagnostics, "give the new key in TRUEUP_NEW_SEALING_KEY, or set HOME");
		diag_cause(job->diagnostics, rekeying->next.unmade);
		return false;
	}
	if (!slice_is(job->record->sealing_key, rekeying->next.id))
		return true;
	return diag_error(job->diagnostics, FAULT_USER, NOWHERE, "%s gives the key %s, which the stack has already",
			  rekeying->next.from, rekeying->next.id);
}

static bool find_both(struct rekeying *rekeying)
{
	struct waiting_view view;

	waiting_open(&view, rekeying->job->invocation, WAITING_FOR_KEY, NULL);
	bool good = find_old(rekeying) && find_next(rekeying);
	waiting_close(&view);
	return good;
}

static bool reseal(struct rekeying *rekeying, const struct vault *from, const struct vault *to, struct intent *intent)
{
	struct job *job = rekeying->job;
	struct value sealed, again;

	if (!json_read(job->arena, intent->sealed, false, SEALED_LIMIT_BYTES, "an open intent", &sealed,
		       job->diagnostics) ||
	    !vault_reseal(from, to, intent_place(job->arena, intent->id), job->arena, &sealed, &again,
			  job->diagnostics))
		return false;
	intent->sealed = json_canonical(job->arena, &again, NULL);
	rekeying->intents[rekeying->count++] = *intent;
	return true;
}

/* The reason alone would send them here. */
static void tell_unfound(struct job *job, const struct diagnostics *unfound)
{
	const char *variable = sealing_key_variable(job->world);

	diagnostics_join(job->diagnostics, unfound);
	diag_add(
		job->diagnostics, SEVERITY_NOTE, FAULT_USER, NOWHERE,
		"the old key is wanted for a call that is open; where it is lost, %s%s%slet an apply settle that call, "
		"and run this again",
		variable ? "unset " : "", variable ? variable : "", variable ? ", " : "");
}

/* What rests sealed in the state: only open intents. Read with the lease held. */
static bool reseal_all(struct rekeying *rekeying)
{
	struct job *job = rekeying->job;
	struct vault from = {job->world, &rekeying->old.key, job->record->lineage, &job->style};
	struct vault to = {job->world, &rekeying->next.key, job->record->lineage, &job->style};
	struct intent *intents;
	size_t count;

	if (!job->store->ops->intents(job->store, job->arena, &intents, &count, job->diagnostics))
		return false;
	rekeying->intents = arena_new_array(job->arena, count + 1, struct intent);
	for (size_t i = 0; i < count; i++) {
		if (intents[i].sealed.size == 0)
			continue;
		if (diagnostics_first_error(&rekeying->unfound)) {
			tell_unfound(job, &rekeying->unfound);
			return false;
		}
		if (!rekeying->old.from) {
			diag_error(job->diagnostics, FAULT_USER, NOWHERE,
				   "secrets are sealed under the key %.*s, and it is not at hand",
				   SLICE_ARGUMENTS(job->record->sealing_key));
			diag_hint(job->diagnostics,
				  "give it in TRUEUP_SEALING_KEY, or let an apply settle what is open");
			return false;
		}
		if (!reseal(rekeying, &from, &to, &intents[i]))
			return false;
	}
	return true;
}

/* The old key was found before the lease was had. */
static bool is_key_still(const struct rekeying *rekeying)
{
	struct job *job = rekeying->job;

	if (slice_equal(job->record->sealing_key, rekeying->old_id))
		return true;
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "another run has just replaced the sealing key %.*s of the stack: it is %.*s now",
		   SLICE_ARGUMENTS(rekeying->old_id), SLICE_ARGUMENTS(job->record->sealing_key));
	diag_hint(job->diagnostics, "where that one is to be replaced as well, run the command again");
	return false;
}

static bool replace(struct rekeying *rekeying)
{
	struct job *job = rekeying->job;

	if (!job_begin_run(job, SLICE("state rekey"), (struct slice){NULL, 0}, NULL))
		return false;
	struct rekey rekey = {
		.old_id = rekeying->old_id,
		.new_id = sealing_key_record(job->arena, &rekeying->next),
	};
	if (is_key_still(rekeying) && reseal_all(rekeying)) {
		rekey.intents = rekeying->intents;
		rekey.intent_count = rekeying->count;
		rekeying->committed = job->store->ops->rekey(job->store, &rekey, job->diagnostics);
		rekeying->in_doubt = !rekeying->committed && slice_is(job->record->sealing_key, rekeying->next.id);
	}
	return job_end_after(job, rekeying->committed);
}

/* The file of the key that is not in use: of the old one, or of a new one that did not become the stack's. */
static void remove_unused(struct rekeying *rekeying)
{
	struct world *world = rekeying->job->world;
	const char *path = rekeying->committed ? rekeying->old.path : rekeying->next.path;

	if (!rekeying->in_doubt && path && world->remove_file)
		(void)world->remove_file(world, path, rekeying->job->diagnostics);
}

/* What a disk has of a commit that failed on it may be played back once it works again. */
static void warn_of_doubt(const struct rekeying *rekeying)
{
	struct diagnostics *diagnostics = rekeying->job->diagnostics;

	if (!rekeying->in_doubt)
		return;
	diag_add(diagnostics, SEVERITY_WARNING, FAULT_AMBIGUOUS, NOWHERE,
		 "it is not known whether the sealing key is %.*s still, or already %s, from %s",
		 SLICE_ARGUMENTS(rekeying->old_id), rekeying->next.id, rekeying->next.from);
	diag_hint(diagnostics, "keep both until 'trueup state rekey' has given the stack another one");
}

static void warn_of_unfound(const struct rekeying *rekeying)
{
	const struct diag *first = diagnostics_first_error(&rekeying->unfound);

	if (first)
		diag_add(rekeying->job->diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE,
			 "the key %.*s is not at hand, and was not needed: %.*s", SLICE_ARGUMENTS(rekeying->old_id),
			 SLICE_ARGUMENTS(first->message));
}

/* What is set counts before a file: every command from then on would find the wrong key, here and wherever else it is
 * set. */
static void warn_of_variable(const struct rekeying *rekeying)
{
	struct diagnostics *diagnostics = rekeying->job->diagnostics;
	const char *variable = rekeying->next.path ? sealing_key_variable(rekeying->job->world) : NULL;

	if (!variable)
		return;
	diag_add(diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE,
		 "%s is still set, and counts before the file: it gives another key than the stack's", variable);
	diag_hint(diagnostics, "unset it, or have it give the key in the file '%s'", rekeying->next.path);
}

static void describe(const struct rekeying *rekeying, struct recorded *recorded)
{
	struct arena *arena = rekeying->job->arena;
	const struct sealing_key *next = &rekeying->next;

	recorded_put(recorded, "old_key", value_string(rekeying->old_id));
	recorded_put(recorded, "new_key", value_string(arena_copy(arena, slice_of(next->id))));
	recorded_put(recorded, "from", value_text(next->from));
	recorded_put(recorded, "sealed_anew", value_integer((int64_t)rekeying->count));
	buffer_format(&recorded->text, "the sealing key is %s now, from %s; it was ", next->id, next->from);
	print_safe(&recorded->text, rekeying->old_id);
	buffer_format(&recorded->text, "\n%s",
		      next->path	       ? ""
		      : next->wrapped.size > 0 ? "name that key of KMS as TRUEUP_SEALING_KEY from now on\n"
					       : "give it as TRUEUP_SEALING_KEY from now on\n");
}

static bool rekey(struct rekeying *rekeying, struct recorded *recorded)
{
	struct job *job = rekeying->job;

	rekeying->old_id = arena_copy(job->arena, job->record->sealing_key);
	if (rekeying->old_id.size == 0) {
		buffer_string(&recorded->text, "the stack has no sealing key yet: nothing was ever sealed\n");
		return true;
	}
	if (!find_both(rekeying))
		return false;
	bool good = replace(rekeying);
	remove_unused(rekeying);
	warn_of_doubt(rekeying);
	/* Also where the run has no end: whoever is not told of the new key may throw it away. */
	if (rekeying->committed) {
		warn_of_unfound(rekeying);
		warn_of_variable(rekeying);
		describe(rekeying, recorded);
	}
	return good;
}

static int give_new_key(struct recorded *recorded)
{
	struct rekeying rekeying = {.job = recorded->job};

	diagnostics_init(&rekeying.unfound, recorded->job->arena);
	bool good = rekey(&rekeying, recorded);
	diagnostics_release(&rekeying.unfound);
	sealing_key_wipe(&rekeying.old);
	sealing_key_wipe(&rekeying.next);
	return good ? STATUS_FINE : STATUS_ERROR;
}

static int run_state_rekey(struct invocation *invocation)
{
	return recorded_run(invocation, STATE_WRITE, give_new_key);
}

static const enum flag_id rekey_flags[] = {FLAG_LEASE_TIMEOUT, FLAG_FORCE_NETWORK_STATE};

const struct command command_state_rekey = {
	.name = "state rekey",
	.about = "seal secrets under another key",
	.operands = "",
	.details = "The new key is that of TRUEUP_NEW_SEALING_KEY, or one made in a file as the first was; the old one "
		   "is\n"
		   "needed only while a call is open whose outcome is unknown. Plans saved before are refused after\n"
		   "that: their secrets are sealed under the old key.\n",
	.flags = rekey_flags,
	.flag_count = sizeof(rekey_flags) / sizeof(rekey_flags[0]),
	.run = run_state_rekey,
};
