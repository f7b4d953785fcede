#ifndef TRUEUP_RECONCILE_PROVIDER_H
#define TRUEUP_RECONCILE_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/http.h"
#include "base/names.h"
#include "base/redaction.h"
#include "base/value.h"
#include "base/world.h"
#include "reconcile/diff.h"
#include "reconcile/kind.h"
#include "reconcile/resource.h"
#include "reconcile/task.h"

/*
 * What reconcile asks of those who know a cloud or a machine. A provider does no I/O of
 * its own: it says which call comes next, and makes sense of the answer.
 */
struct provider;

/* A provider's setting that names the variable of the environment in which a password stands. */
#define PASSWORD_VARIABLE "password_env"

/* What is really there, of one object. */
enum presence {
	PRESENCE_ABSENT,
	PRESENCE_PRESENT,
	PRESENCE_LEAVING, /* being deleted */
	PRESENCE_UNREAD,  /* could not be read: not the same as absent */
};

enum readiness {
	READY,
	READY_PENDING, /* still being made or changed */
	READY_FAILED,  /* the service gave up on it */
};

#define OWNERSHIP_PREFIX "trueup:"
/* The change of an object by which its ownership tags follow its address. */
#define ADDRESS_TAG OWNERSHIP_PREFIX "address"
enum { ADDRESS_TAG_MOST = 256 };

/* Whether the change is that of an ownership tag. */
static inline bool change_is_of_tags(const struct change *change)
{
	return !change->field && slice_starts_with(change->path, SLICE(OWNERSHIP_PREFIX));
}

/* Taken from the ownership tags; the texts are empty where there are none. */
struct ownership {
	struct slice lineage;
	struct slice object_id;
	struct slice intent;
	struct slice generation; /* digits */
	struct slice address;	 /* as it was when the tags were written, cut after ADDRESS_TAG_MOST */
	bool is_stripped; /* the thing can bear them, its tags were read, and what tells whose it is was missing */
};

struct live {
	enum presence presence;
	bool is_displaced; /* absent: what has its id by now is another object (output.tells_apart) */
	enum readiness readiness;
	struct slice state; /* the service's own word, for messages */
	struct slice provider_id;
	struct value fields;  /* MAP by field name, canonical; UNREAD where a field could not be read; null or missing:
				 not set */
	struct value outputs; /* MAP by output name */
	struct value
		running; /* kind.runs: LIST of MAPs, one for each thing that will stay; null: nothing. Not recorded */
	/* What keeps other objects from being deleted and is told by no field: LIST of MAPs of "id", that of the object
	 * at the service, "by", what of this one uses it ("network interface 'eni-1'"), and where a change in place
	 * can let go of it "path" and "member", the item's and its own that does ("interfaces[1]", "security_groups");
	 * null: nothing. Not recorded */
	struct value uses;
	/* MAP by field name (field.dead) of LISTs of those of its items of which the service says that they do nothing,
	 * as what they need is not there; null: it says so of none. Not recorded */
	struct value dead;
	struct ownership ownership;
	/* MAP by the names of those fields that are UNREAD because the endpoint does not know what tells them at all:
	 * none will ever be read there. null: none are. */
	struct value unsupported;
	struct slice unread_reason; /* why it, or a field of it, could not be read */
	struct slice unread_hint;   /* what to do about that, or empty */
};

/* One configured way to a provider: credentials, region, endpoint. */
struct session {
	const struct provider *provider;
	struct slice name;	  /* of the alias: "aws.east" */
	size_t number;		  /* its place among those that were opened with it */
	struct identity identity; /* complete once identify succeeded */
	bool identified;
	const struct redaction *secrets; /* of who asks there; NULL: none are known */
	const struct redaction *untold;	 /* as in struct world: for what a message quotes of an answer */
};

/* What the engine wants tagged onto an object that it makes. */
struct tagging {
	struct slice lineage;
	struct slice object_id;
	struct slice intent;
	struct slice address;
	int64_t generation;
};

enum phase {
	PHASE_MAKE,	/* bring into being, or change in place what is the resource's own */
	PHASE_SETTLE,	/* bring its parts to what is desired */
	PHASE_UNSETTLE, /* take away parts that stand in the way of deletions */
	PHASE_DELETE,
};

enum { PHASE_COUNT = 4 };
extern const struct names phase_names;
const char *phase_name(enum phase phase);
/* Whether it is one of those by which an object goes. */
static inline bool phase_leaves(enum phase phase)
{
	return phase == PHASE_UNSETTLE || phase == PHASE_DELETE;
}

/* One phase of one object. The task comes first: loop and provider see the same thing. */
struct work {
	struct task task;
	struct session *session;
	const struct kind *kind;
	enum phase phase;
	bool creating;		      /* PHASE_MAKE, PHASE_SETTLE: the object is new in this run */
	const struct value *desired;  /* MAP, resolved and canonical; NULL for unsettle and delete */
	const struct value *released; /* MAP: fields that were set and no longer are, with their former value */
	/* Provider ids of objects that are about to be deleted, or that others have attached this one to and another
	 * is to have: it may leave them. Unsettle removes the part items that hold one of them, of an object that stays
	 * those alone that are its own or that the plan changes; with all: those of its own, too, that would block this
	 * object's delete. */
	const struct slice *leaving_ids;
	size_t leaving_count;
	bool unsettle_all;
	bool vacates; /* PHASE_UNSETTLE: it leaves what it is attached to, for another of its kind */
	/* PHASE_UNSETTLE: what other objects wait for: MAP from a set's name to a LIST of its items, or from the name
	 * of a field that is EXCHANGED to its value; NULL or null: nothing. */
	const struct value *yields;
	/* The changes that were planned: an update sends nothing else. None where the object is made by this run. */
	const struct change *changes;
	size_t change_count;
	const struct slice *ignored; /* fields that the spec leaves to others */
	size_t ignored_count;
	struct tagging tagging;
	bool force; /* deletion by force was asked for */
	/* PHASE_DELETE: others delete it, or a run that ended did; until it is gone it is waited for, and nothing is
	 * sent. */
	bool awaits_gone;
	/* How long to wait for the object after the last answer, and until when that is (the
	 * provider keeps it); then the object stays incomplete and is resumed by the next run. */
	int64_t patience_ms;
	int64_t deadline_ms;
	int64_t grace_ms; /* how long after its answer a call's work may still appear */

	struct arena *keep; /* for texts that go into the object */
	/* Gives the fingerprints of secrets, which are the same in the next run. */
	const struct json_style *style;
	/* What else of this stack has an id of the same kind and place, or NULL. NULL: nobody knows. */
	const struct object *(*find_recorded)(const struct work *work, struct slice provider_id);

	/* MAP: what calls of this work have made of fields, as long as it runs; null: nothing. Kept by the provider
	 * where an object's phases may be far apart. */
	struct value sent;

	/* The provider's own. */
	struct live now; /* what the provider knows of the object; read by READ, kept current */
	bool has_now;
	int stage;
	size_t cursor;
	void *detail;
};

/* Reading in bulk. One reading lists a kind through a session, by pages; another reads
 * what the list leaves out of one object. */
struct reading {
	struct task task;
	struct session *session;
	const struct kind *kind;
	/* NULL: everything of the kind; otherwise just these ids (by filters, never failing
	 * for one that is missing). */
	const struct slice *ids;
	size_t id_count;
	/* With ids NULL: where there is more than a page, what carries the tags of this stack is enough. */
	struct slice lineage;
	/* For kinds that are found: what the specs say of each, in the order of `ids`, which then are addresses. */
	const struct value *const *wanted;
	/* What was found goes to arena, in the order of the answers. */
	struct arena *arena;
	struct live *found; /* grows in arena */
	size_t found_count;
	size_t found_capacity;
	/* For detail: the object, and the fields that matter (set or recorded), as a MAP. */
	struct live *subject;
	const struct value *matters;
	/* For detail: the fields as they were seen last, and the outputs, as recorded (MAPs, or NULL). */
	const struct value *observed, *outputs;

	int stage;
	size_t cursor;
	void *detail;
};

struct provider_limits {
	double burst;
	double per_second;
};

struct provider {
	const char *name;
	const char *about;
	const struct kind *const *kinds;
	size_t kind_count;
	struct fields settings; /* of a provider block */
	/* Variables of the environment that hold a secret, beside the one that PASSWORD_VARIABLE names;
	 * NULL-terminated, or NULL: none. Whoever opens a session makes them known before anything is sent. */
	const char *const *secret_variables;
	size_t secret_least_bytes; /* shorter ones are none: words that emulators take in their place */

	/* Whether settings that fit their fields can work together, wherever the command runs; NULL: they always can.
	 * name: of the block, for messages. */
	bool (*check)(struct slice name, const struct value *settings, struct diagnostics *diagnostics);
	/* Opens a way; settings are checked. No call is made. The session lives in arena. */
	bool (*open)(const struct provider *provider, struct world *world, struct slice name,
		     const struct value *settings, struct arena *arena, struct session **ret,
		     struct diagnostics *diagnostics);
	void (*close)(struct session *session);
	/* The settings that reach a recorded identity: for objects whose alias is gone. */
	struct value (*settings_of)(const struct identity *identity, struct arena *arena);
	/* The place that settings and environment name, without asking anybody: what they leave open is empty, as it is
	 * for the service's own endpoint. False where they name none, which open() tells of. */
	bool (*expect)(struct world *world, const struct value *settings, struct arena *arena, struct identity *ret);

	/* Steps of reading->task: who answers here; sets session->identity. */
	enum step (*identify)(struct reading *reading, const struct answer *answer);
	/* Lists, or reads by id; appends to reading->found with live_add(). */
	enum step (*list)(struct reading *reading, const struct answer *answer);
	/* Whether fields of `matters` are not in the list's answer, so that detail is needed;
	 * matters NULL: whether that can be so at all for the kind. */
	bool (*needs_detail)(const struct kind *kind, const struct value *matters);
	/* Completes reading->subject; a field that is denied becomes unread. */
	enum step (*detail)(struct reading *reading, const struct answer *answer);

	/*
	 * Brings what was read into the order of what is wanted (MAP, symbolic, or NULL) and of the recorded outputs
	 * (MAP, or NULL), where the service's order says nothing. NULL: there is no such thing.
	 */
	void (*arrange)(const struct kind *kind, struct live *live, const struct value *wanted,
			const struct value *outputs, struct arena *arena);

	/*
	 * Whether an update that sets the fields of `changed` (MAP) takes this field, which may be another one, to what
	 * is wanted by several calls. In between a value is off (not set, or false), a set lacks the item that becomes
	 * another one, and a list has some items as they were and others as they are to be. NULL: none does.
	 */
	bool (*takes_steps)(const struct kind *kind, const struct field *field, const struct value *changed);

	/* Whether what makes a thing of the kind is sent with a token, by which the service makes one however often
	 * that comes. NULL: nothing is. */
	bool (*has_token)(const struct kind *kind);

	/* Steps of work->task. */
	enum step (*advance)(struct work *work, const struct answer *answer);

	/* Makes a signed request of a call. The request and its parts live in arena. */
	bool (*prepare)(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
			struct diagnostics *diagnostics);
	void (*interpret)(const struct call *call, const struct http_response *response, struct arena *arena,
			  struct answer *ret);
	/* The documented request rate of the call's operation. */
	struct provider_limits (*limits)(const struct call *call);
};

struct providers {
	const struct provider *const *items;
	size_t count;
};

const struct provider *providers_find(const struct providers *providers, struct slice name);
/* A zeroed live at the end of reading->found. */
struct live *live_add(struct reading *reading);
/* How many replaces led to it. 1 for what was made before it was tagged with that, and where somebody has tagged it
 * with what is none. */
int64_t ownership_generation(const struct ownership *ownership);
/* Whether what has an id is another object than the one with these outputs (MAP, or NULL), which is gone then: names
 * are given again. What has the tags of this lineage is the stack's own whichever it is, as where an older record was
 * put back. */
bool live_is_another(const struct live *live, const struct kind *kind, const struct value *outputs,
		     struct slice lineage);
/* Whether what an output of a thing is, or NULL, tells who it is (output.tells_apart): an empty list tells nothing. */
bool mark_tells(const struct value *mark);
/* Likewise, an output that tells it apart and could not be read, where that goes for all that are recorded: whether it
 * is the one of the record is not known. NULL: one was read, and is as it was or shows that it is not; or it told
 * nothing of the kind before. */
const struct output *live_untold(const struct live *live, const struct kind *kind, const struct value *outputs,
				 struct slice lineage);
/* All of it, texts too, in arena. */
struct live live_copy(struct arena *arena, const struct live *live);

#endif
