#ifndef TRUEUP_RECONCILE_PLAN_ITEMS_H
#define TRUEUP_RECONCILE_PLAN_ITEMS_H

#include "base/map.h"
#include "reconcile/plan.h"

/* What planning knows of one address while it decides; private to plan*.c. */
struct item {
	struct slice address;
	const struct resource *resource; /* NULL: not in the spec */
	struct object *object;		 /* current or incomplete; NULL: not recorded */
	const struct live *live;	 /* NULL: not read */
	const struct identity *identity; /* that the alias reaches, or is to reach; NULL: not known */
	struct value wanted;		 /* desired, resolved as far as known */
	const struct slice *ignored;	 /* fields that are left alone: see plan_item_settle() */
	size_t ignored_count;
	struct difference *fields; /* NULL until judged */
	struct difference *parts;
	struct difference *lifecycle;
	enum difference_class difference; /* that the operation was decided by */
	enum operation operation;
	const char *reason;
	const char *hint; /* what to do about a conflict, or NULL */
	bool unchanged;	  /* proven by digests: neither diff was needed */
	bool maybe;
	bool moved; /* the alias reaches another region now */
	bool create_before_destroy;
	bool goes_first;	      /* replaced: the old one has to be gone before the new one can be there */
	const struct item *runner;    /* what runs something by it, or itself; NULL: nothing does */
	const struct item *first_for; /* whose sake that is for; NULL: it was asked for */
	bool in_focus;		      /* with targets: chosen */
	bool marked;		      /* live has the marks of secrets */
	bool waits;		      /* what is to be done to it has to wait: plan_held.c */
	uint8_t visit;
	size_t left_behind; /* number of the first of input->objects that a replace left behind here + 1; 0: none */
	bool stood_for;	    /* by one of these, until what is to be here is made: planning.stands_in */
	const struct slice *beneath; /* see struct action; of an item without an action: what it hands on */
	size_t beneath_count;
	/* Of OPERATION_TAKE_BACK: what was the address's own, or NULL. */
	struct object *displaced;
	const struct live *displaced_live;
};

/* What is to be made as something was that is to go. */
struct renamed {
	struct slice address;
	struct position position; /* in the spec */
};

struct planning {
	const struct plan_input *input;
	struct diagnostics *diagnostics;
	struct arena *arena;
	struct plan *plan;
	struct item *items; /* those in the spec first, in the spec's order, then the rest */
	size_t item_count;
	struct map spare;	     /* the addresses, where the stack has no index */
	const struct map *addresses; /* of the spec, to struct resource; NULL where nothing is in it */
	struct slice last_address;   /* that plan_item_at() was asked for, and what it said */
	struct item *last_item;
	struct item **of_objects;	  /* parallel to input->objects: the item at its address, or NULL */
	const struct resource *inputs_of; /* whose inputs_digest() was made last, and what came of it */
	struct digest inputs;
	struct map named;	/* addresses of the targets */
	bool *leaves;		/* parallel to input->objects: goes where the spec does not have it */
	const char **held;	/* the same: why it stays for now although it is to go; NULL: nothing does */
	bool *stands_in;	/* the same: was left behind by a replace whose new object is still to be made */
	struct item **order;	/* of the spec's items: targets of references before their users */
	struct buffer symbolic; /* of resource_symbolic_in() */
	size_t order_count;
	struct action *actions; /* grows */
	size_t action_count, action_capacity;
	struct unread *unread;
	size_t unread_count, unread_capacity;
	struct running *running;
	size_t running_count, running_capacity;
	size_t launched_capacity;
	size_t *left; /* numbers of input->objects that go; for plan_tell_running() */
	size_t left_count;
	struct map *elsewhere; /* of which recorded place and alias it is told that they do not meet, once asked for */
	struct map *recorded;  /* addresses to numbers of input->objects, once asked for */
	struct map renamed;    /* addresses of what is to go to struct renamed */
	/* Ids to numbers of input->objects + 1, of kinds with fields that are MIRRORED, once asked for. */
	struct map *mirrors;
};

/* plan_items.c: */

/* The item of an address in the spec, or NULL. */
struct item *plan_item_at(struct planning *planning, struct slice address);
/* Orders the items in the spec along references that bind the make phase. */
void plan_items_order(struct planning *planning);
/* Nobody can tell whether what a silent alias is to have is there. */
void plan_items_silence(struct planning *planning);
/* Loads the body of an object that has none yet; NULL needs none. False after a diagnostic. */
bool plan_load_body(struct planning *planning, struct object *object);
/* The number in input->objects of the one that has the address, in the spec or not, as its own; of several any. NULL:
 * none. */
const size_t *plan_object_at(struct planning *planning, struct slice address);
/* What an object has to itself (unique.h): its fields as read, with what no read gives back as it was made. read: MAP,
 * or anything else, which is given back as it is. */
const struct value *plan_had(struct planning *planning, const struct kind *kind, struct object *object,
			     const struct value *read);
/* A field as it is, or as it was when it was last looked at; NULL: not known. */
const struct value *plan_field_now(const struct object *object, const struct live *live, const char *name);
/* What was read of all that is recorded, whether the plan is about it or not; NULL: nothing was. */
static inline const struct live *const *plan_around(const struct planning *planning)
{
	return planning->input->around ? planning->input->around : planning->input->live;
}
/* Whether the service gave up on what is recorded. */
static inline bool plan_has_failed(const struct item *item)
{
	return item->object && item->live && item->live->presence == PRESENCE_PRESENT &&
	       item->live->readiness == READY_FAILED;
}
/* Whether something is to be done to it. */
bool plan_item_acts(const struct item *item);
/* Whether this plan makes a new object for it. */
bool plan_is_to_be_made(const struct item *item);
/* Whether it is made anew by this plan, however what is not known yet turns out; target may be NULL. */
bool plan_is_new_for_certain(const struct item *target);
/* Why an object that is not what its address stands for goes; with its body. */
const char *plan_reason_beside(const struct object *object);
/* Why that is decided of one that no resource stands for. */
const char *plan_reason_unwanted(const struct object *object, const struct decision *decision);
/* How to go on where the tags of what is recorded name another owner. */
const char *plan_hint_at_owner(const struct planning *planning, const struct object *object, const struct live *live);
/* Adds to the refusal that was reported last what is to end, and because of what. */
void plan_note_end(struct planning *planning, const struct action *action);

/* plan_output.c: */

/* The value that an output will have; NULL where this plan gives it one that is not known yet. context: struct
 * planning. */
const struct value *plan_item_output(void *context, struct slice address, struct slice name);
/* Whether what is referred to will be as it was, though it may be that of another object. */
bool plan_output_stays(struct planning *planning, const struct dependency *dependency);

/* plan_twins.c: */

/* Reports the items that are one and the same thing (output.tells_apart). */
void plan_items_tell_apart(struct planning *planning);
/* What tells who it is, see plan_marks(): of what stays and was not read, as recorded. */
struct value plan_item_marks(const struct planning *planning, const struct item *item);

/* plan_judge.c: */

/* Decides about every item: fields first along the order, then parts. */
void plan_items_judge(struct planning *planning);
/* Compares what is wanted with the item's object, as to the fields of the resource itself. */
enum difference_class plan_item_compare(struct planning *planning, struct item *item);
/* What is there of it, as the decision table asks; of an item without a resource too. */
enum live_state plan_live_state(const struct planning *planning, const struct item *item);
/* live, with marks on the secrets within that come back in fields that are not secret by themselves. wanted: MAP, what
 * the spec says, or NULL; object, with its body: the record, or NULL. live itself where nothing was read of it. */
const struct live *plan_marked(struct planning *planning, const struct kind *kind, const struct live *live,
			       const struct value *wanted, const struct object *object);

/* plan_uproot.c: */

/* field.stays_in: whether, for certain, all that the field is to refer to lies elsewhere than what it referred to. */
bool plan_is_uprooted(struct planning *planning, const struct item *item, const struct field *field);

/* plan_mirrored.c: */

/* The fields of an item without what the other end's spec says (MIRRORED); fields: a MAP, or NULL. live: the fields as
 * they are now, or NULL; of a field that was never set here nothing stays that is not among them. */
const struct value *plan_less_mirrored(struct planning *planning, const struct item *item, const struct value *fields,
				       const struct value *live);

/* plan_settled.c: */

/* Fills ignored: what the resource ignores, and what it has follow others and nothing makes follow. After resolving. */
void plan_item_settle(struct planning *planning, struct item *item);

/* plan_lifecycle.c: */

/* What becomes of the record of its protection, of what is left to others, and of what it comes after by depends_on;
 * NULL: nothing, or nothing is recorded. */
struct difference *plan_item_lifecycle(struct planning *planning, const struct item *item);
/* LIST of what is to be recorded as left to others. Of an undoing that is a member of its own, and null where the
 * record of an older program says nothing of it. */
struct value plan_left_to_others(const struct planning *planning, const struct resource *resource);
/* Whether the plan leaves the field as it is. action: what is done to the object, or NULL. Of what is in the spec that
 * tells; of what is not, or in a plan to destroy everything, the record. So it does in one that undoes a run, which
 * ignores whatever that did not set. */
bool plan_leaves_alone(const struct planning *planning, const struct action *action, const struct object *object,
		       const struct field *field);

/* plan_tags.c: */

/* Adds what the object's ownership tags are to become, where they say something else or were taken away. */
void plan_follow_tags(struct planning *planning, const struct item *item, struct difference *ret);
/* Why an update sets nothing but those; NULL: it sets something else. */
const char *plan_tags_reason(const struct item *item);

/* plan_take_back.c: */

/* Whether what a replace left behind is taken back, instead of making another; unprotected: what would be decided
 * otherwise, were nothing protected. */
void plan_item_take_back(struct planning *planning, struct item *item, const struct decision *unprotected);
/* Undoes plan_item_take_back(): the item has again what it had, and what was to be taken back stays left behind. */
void plan_item_cancel_take_back(struct item *item);

/* plan_replace.c: */

/* Which replaces make the new object first, and what that forbids. */
void plan_items_order_replaces(struct planning *planning);
/* Whether one of input->objects was left behind by a replace whose new object is still to be made; with its body. */
bool plan_awaits_successor(struct planning *planning, size_t number);
/* Whether one of input->objects, to which that is done, goes after something new, as the old one in such a replace. */
bool plan_goes_last(const struct planning *planning, size_t number, enum operation operation);
/* What becomes of fields that the spec ignores, where their object is replaced. */
void plan_tell_reset(struct planning *planning);

/* plan_focus.c: */

/* Says of each item whether it is in focus, and of each object that is to go whether it goes now. */
void plan_focus(struct planning *planning);
/* Whether the address itself is a target. */
bool plan_is_named(const struct planning *planning, struct slice address);

/* plan_held.c: */

/* Keeps what something refers to that could not be read. */
void plan_hold(struct planning *planning);

/* plan_shed.c: */

/* A range that an item takes away from its object in place, and what lies in it now. */
struct plan_shed {
	const struct item *owner;
	const struct change *loss;
	size_t number; /* of input->objects */
	const struct field *field;
	const struct value *range; /* or an address, of those in the field */
	int64_t before;		   /* how many of these lie in it ahead of that one */
};
typedef void plan_shed_visit(void *context, const struct plan_shed *shed);
void plan_each_shed(struct planning *planning, plan_shed_visit *visit, void *context);
/* Reports what stays where a range is to be taken away. */
void plan_tell_shed(struct planning *planning);

/* plan_kept.c: */

/* Of an action that is described otherwise: its changes, what becomes of fields no longer set, and whether it drifted.
 */
void plan_describe_changes(const struct planning *planning, struct action *action, const struct item *item);
/* Whether the item's object, which stays, has something after the plan as it was read: no change takes it away. value:
 * of the field, or one of its items. */
bool plan_item_keeps(const struct item *item, const struct field *field, const struct value *value);
/* Adds to the refusal that was reported last how the object lets go of it. item: whose object it is, or NULL. */
void plan_hint_at_kept(struct planning *planning, const struct item *item, const struct object *object,
		       const struct field *field);
/* Reports what is to end though something that stays names it (PINS), and keeps doing so. */
void plan_tell_kept(struct planning *planning);

/* plan_beneath.c: */

/* Fills beneath of the items. */
void plan_find_beneath(struct planning *planning);

/* Each in the file of its name: */

/* Says of what objects run what the plan means for it. */
void plan_tell_running(struct planning *planning);
/* Pairs what runs something and goes with what that may need to its end, and that goes too. */
void plan_note_launched(struct planning *planning);
/* Reports what is to be made with a name, a range or an address that another one keeps. */
void plan_tell_taken(struct planning *planning);
/* Reports what is to end though the service keeps it from being deleted (field.bars_deletion), or is to be stopped
 * though it keeps it from that (field.bars_stop). */
void plan_tell_barred(struct planning *planning);
/* Reports what is to end though others have put something there that holds it (HOLDS), or have attached it. */
void plan_tell_others(struct planning *planning);
/* Reports what is to be given up though something that stays has an output by it (output.through). */
void plan_tell_through(struct planning *planning);
/* Reports what is to refer to something though one of both lies nowhere, or they lie in different things (beside). */
void plan_tell_beside(struct planning *planning);
/* Reports what is to be made in a range that its network does not have, and that the spec leaves to others. */
void plan_tell_outside(struct planning *planning);
/* Warns of what will be of no effect (field.dead) as what it names by its text goes. */
void plan_tell_dying(struct planning *planning);
/* Warns of what is as it is wanted, and of no effect (live.dead); where the plan only looks, that is drift. */
void plan_tell_dead(struct planning *planning);
/* Has what the last call of a run that was cut off brings, and the spec sets no more, count as there. */
void plan_count_begun(struct planning *planning, struct item *item);
/* Finds what may have been renamed only, once it is known what is to be made and what goes. */
void plan_find_renamed(struct planning *planning);
/* Of what goes, though it may not: how to keep it where it was only renamed, before that hint; NULL: there is none. */
const char *plan_hint_at_renamed(const struct planning *planning, const struct object *object, const char *hint);
/* Warns of what may have been renamed only. */
void plan_tell_renamed(struct planning *planning);
/* Reports references to outputs that will not be there. */
void plan_tell_lacking(struct planning *planning);
/* Reports numbers that an output will not have come to (output.counts). */
void plan_tell_pinned(struct planning *planning);

#endif
