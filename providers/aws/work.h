#ifndef TRUEUP_PROVIDERS_AWS_WORK_H
#define TRUEUP_PROVIDERS_AWS_WORK_H

#include "providers/aws/aws.h"

/*
 * Carrying out one phase of one object, by looking: compare what is desired with what is
 * known to be there, send the call that makes the first difference smaller, and so on until
 * there is none; then read again to see that it is so. What a run that was cut short left
 * half done is just a larger difference.
 */

/* Where a work stands; work->stage. */
enum {
	STAGE_START,
	STAGE_CREATED, /* the create call is out */
	STAGE_READY,   /* waits until the object is ready */
	STAGE_CONVERGE,
	STAGE_CHANGED, /* a change is out */
	STAGE_LOOKED,  /* what a change needs first is asked for */
	STAGE_PAUSED,  /* the call that stops or starts the object is out */
	STAGE_MOVED,   /* half of a move is out: what detaches the object, or attaches it */
	STAGE_DELETED, /* the delete call is out */
	STAGE_HELD,    /* it was refused, and what holds the object is asked for */
	STAGE_DOUBTED, /* it knows of no such object, which was listed: is it gone? */
	STAGE_LEAVING, /* waits until the object is gone */
};

/* What the create of this work answered with; stranger.c. */
enum aws_origin {
	ORIGIN_NEW,
	ORIGIN_REPEATED, /* new, or made by a call that said the same: that is handed back */
	ORIGIN_TAKEN,	 /* there was one of its name */
};

/* Whether the object stands still for a change; pause.c. */
enum aws_pausing {
	PAUSE_NONE,
	PAUSE_STOPPED,	/* by this work: to be started again */
	PAUSE_GIVEN_UP, /* what it was stopped for was refused: it is only started again */
	PAUSE_STARTED,	/* again, which is to be seen */
	PAUSE_OVER,	/* it runs again, or is to stay as it is */
};

/* What a call said that was waited for, as text. */
struct aws_waited {
	struct slice text;
	const struct aws_waited *before;
};

/* The change that is out, and below it how the work stands; work->detail. */
struct aws_change {
	const struct aws_call *call;
	struct aws_parameters parameters;
	const struct aws_field **fields; /* that it changes; there is room for all of the kind's */
	size_t field_count;
	bool has_after;	    /* fields[0] has `after` once it succeeded; else each of the fields has what is wanted */
	struct value after; /* of a part: the items as they are then; of an attachment: the other side, or null */
	const struct value *added; /* of a part: the item that comes, where a call takes one; else NULL */
	bool renames;		   /* it changes the tag of the address, and no field */

	const struct value *reclaimed; /* the last one that was taken back from another; NULL: none was */
	/* MAP: of parts that had an item already when it was to be added, the items seen before; null: none. */
	struct value met;
	bool sent_any;
	struct digest spent_token; /* that was recorded before this work sent anything */
	int64_t created_ms;	   /* when the create was answered; 0: not by this work */
	enum aws_origin origin;
	bool verified;
	enum aws_pausing pause;
	int stops;			     /* calls of this work that stop it for a change */
	bool aligning;			     /* the outputs' call was sent */
	int absences;			     /* reads since then that did not show the object at all */
	int looks;			     /* reads since the last call, without seeing it yet */
	int rounds;			     /* calls sent again because no look showed their effect */
	int doubts;			     /* deletions that knew of no such object */
	const char *refusal;		     /* why the difference found cannot be made smaller; NULL: it can */
	const struct aws_field *unread_part; /* planned, and nobody knows what there is of it; NULL: none */
	const struct aws_field *moved;	     /* the attachment of which a half was sent last; NULL: of none */
	/* The last call that `waits`, and those before it; NULL: there was none. */
	const struct aws_waited *waited;
};

struct aws_change *aws_change_of(struct work *work);
/* The next call for the fields of the resource itself, as the change; false: nothing differs. */
bool aws_next_field_call(struct work *work);
/* The same of a value that is exchanged, and that another object waits for. */
bool aws_next_yielding_call(struct work *work);
/* The next call for those of its parts that belong to the phase. In PHASE_UNSETTLE: takes away what
 * stands in the way of deletions. */
bool aws_next_part_call(struct work *work);
/* Whether the object is to be detached, and has a part that is taken off first: no read shows it afterwards.
 * Also where nobody could read yet whether it has. */
bool aws_would_hide_part(struct work *work);
/* The next call that takes such a part off, as the plan has it. */
bool aws_next_hidden_part_call(struct work *work);
/* The attachment that is not what is desired, or, in a phase in which the object leaves, is not nothing; NULL: none. */
const struct aws_field *aws_wrong_attachment(const struct work *work);
/* Whether a value is, or has in it, the id of something that is about to be deleted. */
bool aws_names_leaving(const struct work *work, const struct value *value);
/* What others have put there that the object's deletion has to wait for, as others_items() says it. */
struct slice aws_others_items(struct work *work);
/* The next call that makes an output equal to the one it follows. */
bool aws_next_alignment_call(struct work *work);
/* The next call that makes the ownership tags say what is recorded: the address, or all where they were taken away. */
bool aws_next_renaming_call(struct work *work);
void aws_note_renaming(struct work *work);
/* Whether the field may be changed: planned, or the object is new. */
bool aws_is_planned(const struct work *work, const struct aws_field *field);
/* Whether the field was set and no longer is, and its former value is to go. */
bool aws_is_released(const struct work *work, const struct aws_field *field);
/* What is known to be there now gets another value in one field. */
void aws_note_field(struct work *work, const struct field *field, const struct value *value);
/* A call of this work has given the field that value. */
void aws_note_sent(struct work *work, const struct field *field, const struct value *value);
/* Whether a call of this work has set the field: not all show it when read. */
bool aws_was_sent(const struct work *work, const struct field *field);
/* Parameters that every call on the object has: its id and what is fixed. */
void aws_call_begin(const struct work *work, const struct aws_call *call, struct aws_parameters *parameters);
/* The call becomes the change. It is not sent yet. */
void aws_choose(struct work *work, const struct aws_call *call, const struct aws_parameters *parameters);
/* The same of a change to one field, which then has this value. */
void aws_choose_value(struct work *work, const struct aws_call *call, const struct aws_parameters *parameters,
		      const struct aws_field *field, struct value after);
/* Sends the next of the calls above, after what must come before it; done where nothing differs. */
enum step aws_converge(struct work *work);
/* The change was answered; */
enum step aws_changed(struct work *work, const struct answer *answer);
/* what it needs first was; */
enum step aws_looked_up(struct work *work, const struct answer *answer);
/* the stop before it, or the start after it, was. */
enum step aws_paused(struct work *work, const struct answer *answer);
bool aws_is_running(const struct work *work);
/* Whether what is to be made runs until it is stopped. */
bool aws_stops_once_made(const struct work *work);
/* Whether the change can be made only once the object stands still, */
bool aws_must_stop(const struct work *work, const struct aws_change *change);
/* which it does after this. */
enum step aws_stop(struct work *work);
/* Starts what was stopped for a change; done where nothing is left to do about that. */
enum step aws_start_again(struct work *work);
/* The change was refused: says so, and starts what was stopped for it. */
enum step aws_give_up(struct work *work, const struct answer *answer);
/* Whether the answer says that it is so, be it by this call or from before. */
bool aws_is_done(const struct aws_call *call, const struct answer *answer);
/* Whether it was refused, maybe because an attempt before, which was not answered, has done it: a read tells. */
bool aws_may_be_done(const struct answer *answer);
/* Has the call say what the change does to fields, as far as that can be told. */
void aws_tell_effect(struct work *work, const struct aws_change *change);
/* Sends the change as it stands, and stays in `stage` until it is answered. */
enum step aws_send(struct work *work, int stage);
/* Reads the object again, and goes on from there once it is ready. */
enum step aws_read_again(struct work *work, int64_t delay_ms);
/* Reads it again, to go on with the same: after so long, */
enum step aws_read_after(struct work *work, int64_t delay_ms);
/* soon, where a listing may lag behind what was answered last, */
enum step aws_look_later(struct work *work);
/* or later, where the service works on the object. */
enum step aws_poll_later(struct work *work);
/* How long from now until the next look of aws_poll_later(). */
int64_t aws_poll_ms(const struct work *work);
/* Counts a look that shows the object as it was before; false: no listing can lag any more. */
bool aws_count_look(struct work *work);
/* The same of one that misses what was just made or changed. */
bool aws_count_absence(struct work *work);
/* The same as aws_count_look() where the call must not be sent once more: for as long as recovery would look. */
bool aws_count_long_look(struct work *work);
/* Counts a call that is sent once more because no look showed its effect; false: it was often enough. */
bool aws_count_round(struct work *work);
/* It may not: says which field is as it was. */
enum step aws_shows_old(struct work *work, const char *name, const char *hint);
/* Whether the object has taken longer than it is waited for, */
bool aws_is_late(const struct work *work);
/* which is said so. */
enum step aws_too_late(struct work *work);
/* Says "'ADDRESS' WHAT", with the object's state; hint: NULL for none. */
enum step aws_fail(struct work *work, enum fault fault, const char *what, const char *hint);
/* A call was refused: says so, and what is to be done about it, as the call's table has it; */
enum step aws_refused(struct work *work, const struct aws_call *call, const struct answer *answer, const char *doing);
/* the change was. */
enum step aws_change_refused(struct work *work, const struct answer *answer, const char *doing);
const struct value *aws_now(const struct work *work, const struct aws_field *field);
/* What the field is to be, or NULL: as desired, or as others had it before a call of this work. */
const struct value *aws_wanted(const struct work *work, const struct aws_field *field);
/* The create of this work was answered, with an id that its object has now. Where there may have been what has it, that
 * is in doubt until it shows whose it is. */
void aws_note_created(struct work *work, enum aws_origin origin);
/* Whether what the create of this work answered with is its own, which takes it out of doubt. Where that cannot be told
 * yet, or it is not, there is a step to take in place of the next one. */
bool aws_is_ours(struct work *work, enum step *ret_step);

#endif
