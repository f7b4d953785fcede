#ifndef TRUEUP_RECONCILE_APPLY_PARTS_H
#define TRUEUP_RECONCILE_APPLY_PARTS_H

#include "base/map.h"
#include "reconcile/apply.h"
#include "reconcile/forecast.h"
#include "reconcile/phases.h"

/* What apply*.c share; private to apply. */

struct applying;

enum node_state {
	NODE_WAITING,
	NODE_RUNNING,
	NODE_DONE,
	NODE_FAILED,
	NODE_SKIPPED,
	NODE_CUT, /* the run ended before it did, or it has a call of which nobody knows what became */
};

/* What stands recorded at an address when the apply begins. */
struct recorded {
	struct object *object;
	const struct live *live; /* as the plan has read it, or NULL */
};

/* The objects of one action while it is carried out. */
struct target {
	struct applying *applying;
	const struct action *action;
	struct object *old;	  /* recorded, or NULL */
	struct object *current;	  /* what the address stands for: old, or the new one */
	struct object *displaced; /* of a take-back: what the address stood for before, or NULL */
	struct session *session;
	struct session *old_session; /* of what is deleted, which may be elsewhere */
	struct value desired;	     /* resolved and canonical */
	bool resolved;
	bool noted;	 /* its record has the outputs of this run */
	struct live now; /* of current; texts in arena */
	bool has_now;
	int64_t read_ms;     /* how old `now` is at most, by the boot clock */
	int64_t compared_ms; /* the same of what was last compared of old with the plan */
	struct value sent;   /* MAP: what its nodes have made of fields of old since the plan; null: nothing */
	bool begun;	     /* one of its nodes has changed something, and is done */
};

/* One phase of one action. The work comes first: the loop hands back its task. */
struct node {
	struct work work;
	struct target *target;
	enum node_state state;
	uint32_t waits;
	bool stepped; /* it has had its first turn */
	bool begun;
	bool looking;		 /* its object is read once more before it is changed */
	bool is_first_to_change; /* no call was sent about its object before */
	bool may_look_again;	 /* nothing is done to its object yet that another look would take for somebody's */
	int64_t started_ms;
};

struct applying {
	struct apply *apply;
	struct loop loop;
	struct phases phases;
	struct node *nodes;
	struct target *targets;
	uint32_t *given_up; /* numbers of nodes: what failed, and what waited for that; each comes in but once */
	size_t given_up_count;
	struct map by_address; /* to struct target: the address's own */
	struct map deposed;    /* to struct target: the first left behind there, which any others follow */
	struct map objects;    /* to struct recorded: current ones */
	struct map fresh;      /* by id or name: what was made or changed of late */
	struct map ids;	       /* by provider id: the struct object that had it first */
	struct map gone;       /* provider ids of what this run has deleted, where others show it */
	struct map namers;     /* by provider id: struct namer, whose records have it as an item that DEPARTS */
	bool has_namers;       /* these were looked for */
	struct map holders; /* by unique_value(): the struct object for which the service has chosen that in this run */
	struct diagnostics *diagnostics;
};

/* What the address stands for now, or NULL. */
struct object *applying_object_at(const struct applying *applying, struct slice address);
/* Gives the target its resolved fields; with_parts: those too that have a phase of their own. */
bool target_resolve(struct target *target, bool with_parts, struct diagnostics *diagnostics);
/* Puts marks on the secrets within what was read, whoever sent them: it may come to rest in a record or an intent. */
void target_mark(const struct target *target, const struct kind *kind, struct live *live);
/* Whether what is known of the target is too old to act on. */
bool target_is_stale(const struct target *target);
/* Whether the node's object is to be read again before it begins. */
bool node_must_look(const struct node *node);
/* The step that reads it; STEP_FAILED, after a diagnostic, where its record cannot be loaded. */
enum step node_look(struct node *node);
/* MAP of the fields that this read is for; NULL: none. */
const struct value *node_look_fields(const struct node *node, struct arena *arena);
/* With the answer in work.now: whether the object is as planned, but for what other nodes of its action have made of
 * it. Else a diagnostic says what is not. */
bool node_has_looked(struct node *node);
/* Whether it changes an object that the plan has read, and that is to be as the plan shows it. */
bool node_changes_planned(const struct node *node);
/* The node is done: what it has made of the object that the plan has read is no change by others. */
void node_note_sent(const struct node *node);
/* Until when the call that it asks for may be sent: see struct task. */
int64_t node_good_until_ms(const struct node *node);
/* Nothing was sent, and what was read is too old: it starts anew with another look. */
void node_begin_again(struct node *node);
/* What was recorded before this run, what a node has made or changed, and the age of the newest that a call may be told
 * of that it is not there: struct loop_settings. */
void applying_note_recorded(struct applying *applying, struct object *object);
void applying_note_fresh(struct applying *applying, const struct node *node);
/* What came with a thing that is made has no node: the interface of a machine is as new as that. */
void applying_note_parts(struct applying *applying, const struct target *target);
int64_t applying_age_ms(void *context, const struct call *call, struct slice message);
/* The way to the object that the node's phase is about. */
struct session *node_session(const struct node *node);
/* Ids of all that is about to be deleted, which what leaves lets go of. */
void node_list_leaving(struct node *node);
/* The node's object is deleted: what goes by itself with it leaves the records of others with its own. */
void node_take_departed(struct node *node);
/* The node's object has what it is to have: what only one has leaves the records of those whom it was taken from. */
void node_take_over(struct node *node);
/* The node's object is made: what the service has chosen for it no other can be given. Its create was refused: tells
 * of whom this run has made with what it asks for. */
void node_note_holder(struct node *node);
void node_tell_holder(struct node *node, const struct answer *answer);
/* Before a call is sent: records that its object is being changed. And that it was not, where each call was refused. */
void node_note_unfinished(struct node *node);
void node_withdraw_note(struct node *node);
/* The first and following steps of a node's task. */
enum step node_step(struct task *task, const struct answer *answer);
/* Of loop_settings.read: objects that running work waits for. */
void applying_read(struct loop *loop, struct task *const *tasks, size_t count);

#endif
