#ifndef TRUEUP_CLI_JOB_H
#define TRUEUP_CLI_JOB_H

#include "base/vault.h"
#include "cli/invocation.h"
#include "cli/render.h"
#include "cli/sealing.h"
#include "reconcile/apply.h"
#include "reconcile/plan.h"
#include "reconcile/recover.h"
#include "reconcile/refresh.h"
#include "reconcile/run_secrets.h"
#include "reconcile/sessions.h"
#include "state/sqlite_store.h"

/* What the record, and what is there, is looked at for. */
enum job_aim {
	AIM_MAKE,    /* what the spec has is to be there */
	AIM_DESTROY, /* all that is recorded is to go, or what --target names of it */
	AIM_LOOK,    /* nothing is to be made or to go */
	AIM_COUNT,
};

/* What carries the stack's tags, as an address of the stack where the record has nothing that is there, or what a later
 * replace has taken the place of. */
struct missed {
	struct slice address;
	struct slice provider_id;
	struct slice recorded_as; /* another address; empty: it is not recorded */
};

/*
 * A stack opened for work: what the commands share that deal with one. Each step needs
 * the ones before it; a step that fails has said why.
 */
struct job {
	struct invocation *invocation;
	struct world *world;
	struct arena *arena;
	struct diagnostics *diagnostics;
	const char *folder;
	struct kinds kinds;
	struct resolver resolver;
	size_t parallelism;

	struct stack stack;
	struct slice spec_digest; /* empty where no spec was loaded */

	struct store *store; /* NULL until opened */
	const struct stack_record *record;
	struct json_style style;    /* shows and stores secrets as fingerprints under the stack's key */
	struct run_secrets secrets; /* in that style, and those that are known; zero until the store is open */
	/* What spec or plan say of each address, of a struct resource the desired fields, and of which secrets the plan
	 * knows beside that: see record_secrets.h. NULL: nobody asks. */
	const struct map *said;
	bool said_in_part; /* of what is not in it nothing is known */
	const struct value *hidden;
	struct sealing_key sealing; /* empty until it was needed: see cli/secrets.h */
	struct vault vault;	    /* seals under it; vault.key is NULL while there is none */
	struct diagnostics unfound; /* why the key cannot be had that was looked for; without an error: it was not, or
				     * none is at hand */
	struct object **objects;
	size_t object_count;
	struct intent *intents; /* open ones */
	size_t intent_count;
	size_t unasked_count;	     /* of these, what was told because nobody could be asked */
	struct lease_holder at_work; /* another run that was seen at work, where this one does not wait for it */
	int64_t fencing_seen;	     /* of the lease when the record was read, where this one does not take it */
	bool was_stateless;	     /* there was no state file then */
	bool overtaken;		     /* runs came and went while the world was read, again and again */
	enum job_aim aim;
	bool moved; /* another run changed the stack before this one had it: begin again */

	struct loop loop;
	bool has_loop;
	struct sessions sessions;
	const struct identity *identities;	 /* parallel to stack.providers, or NULL */
	const struct identity *expected;	 /* the same of a run that asks nobody: sessions_expect() */
	struct refresh refresh;			 /* refresh.live is NULL until it was read */
	const struct live **around;		 /* all of that, where a plan is to see but some; or NULL */
	size_t stray_counts[STRAY_ORIGIN_COUNT]; /* of what carries the stack's tags and is not recorded */
	struct missed *missed;
	size_t missed_count;
	struct slice *twins; /* object ids under which some are recorded by this run, or would be: twins.h */
	size_t twin_count;
	struct unfinished_item *unfinished; /* what runs that did not end have done: see unfinished.h */
	size_t unfinished_count;
	bool recovered; /* what is still open now cannot be settled by this run */
	/* What is open is judged by what is recorded: of what was begun objects has copies, with what came of it taken
	 * over. The objects that these were made of, with what was read of each; NULL until that was. */
	struct object **seen;
	const struct live **seen_live;
	size_t seen_count;
	/* Ids of those whose calls the plan is to have sent once more: see recovery.h. */
	struct slice *resend_ids;
	size_t resend_count;
	int64_t recovered_ms; /* wall: when this run began to settle what was open; of a run that did */
	bool undoes_refused;  /* of the run that is being undone each call was refused */

	struct plan plan;
	struct slice digest;	     /* approval digest of plan, hex */
	const uint8_t *phase_counts; /* phases of each of its actions */
};

void job_init(struct job *job, struct invocation *invocation);
void job_release(struct job *job);
/* One attempt at a command, with what it is about; gives the exit status, which counts unless job->moved. */
typedef int job_attempt(struct job *job, const void *about);
/* Makes attempts, each with a job of its own, as long as other runs come between; gives the status of the last. */
int job_attempts(struct invocation *invocation, job_attempt *attempt, const void *about);

/* The spec in the folder, and its sources. */
__attribute__((warn_unused_result)) bool job_load_spec(struct job *job);
/* The state beside it. stack_name: as in state_open(). A command that takes the lease waits
 * here for another run to end, so that it plans on what that leaves. */
__attribute__((warn_unused_result)) bool job_open_store(struct job *job, enum state_access access,
							struct slice stack_name);
/* And its heads and its open intents. */
__attribute__((warn_unused_result)) bool job_open_state(struct job *job, enum state_access access,
							struct slice stack_name);
/* Opens the ways to every place and asks who answers there. Without a state yet: those of the spec alone. */
__attribute__((warn_unused_result)) bool job_open_sessions(struct job *job);
/* For who cannot do with a part of them: false, after saying so, where nobody answers for an alias, or where something
 * is recorded. what: is not to be done then. */
__attribute__((warn_unused_result)) bool job_all_answer(struct job *job, const char *what);
/* A recorded place, and what is recorded there. */
struct slice job_name_place(const struct job *job, const struct identity *place);
void job_close_sessions(struct job *job);
/* Reads what is there of everything recorded, in bulk, and looks for what the stack has beside it. */
__attribute__((warn_unused_result)) bool job_refresh(struct job *job);
/* The same where the stack is not the one that has what is looked for. */
__attribute__((warn_unused_result)) bool job_refresh_expecting(struct job *job, const struct stack *expected);
/* Reads, by id, the objects whose object ids are in the map alone; job->refresh.live is NULL for all others.
 * expected, sought: as in struct refresh. */
__attribute__((warn_unused_result)) bool job_refresh_some(struct job *job, const struct map *object_ids,
							  const struct stack *expected, const struct map *sought);
/* plan, digest, and a check of the order that it would be carried out in. The plan is there,
 * too, where this fails, so that the rest of it can be shown. */
__attribute__((warn_unused_result)) bool job_plan(struct job *job, const struct stack *stack, bool destroy,
						  const struct plan_scope *scope);
/* A line of the spec for people, without the column: a place to go to, not a mistake. */
struct slice job_place_to_go(const struct job *job, struct position line);
/* Whether the plan deletes no more than --max-delete or the stack's settings allow. */
__attribute__((warn_unused_result)) bool job_within_budget(struct job *job);
/* Whether --digest, where it was given, is the plan's. */
__attribute__((warn_unused_result)) bool job_is_approved(struct job *job);
/* Values of the stack's outputs by what is recorded now; those not known are left out. */
struct value job_outputs(struct job *job, const struct stack_output *outputs, size_t count);
/* The report with what the job knows: plan, digests, style. */
struct report job_report(struct job *job);
/* How long what an unanswered call may still do is looked for: --grace. */
static inline int64_t job_grace_ms(const struct job *job)
{
	return arguments_integer(job->invocation->arguments, FLAG_GRACE, RECOVER_GRACE_MS / 1000) * 1000;
}

#endif
