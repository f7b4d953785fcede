#ifndef TRUEUP_TESTS_UNIT_SUPPORT_AWS_H
#define TRUEUP_TESTS_UNIT_SUPPORT_AWS_H

#include "providers/aws/aws.h"

/*
 * Drives the AWS driver without a loop: what it asks for is held against a script, which gives the
 * answer. No request is made; the clock stands where a step told it to wait for.
 */

struct exchange {
	const char *operation;
	/* JSON in any order; a ClientToken may be written "<token>", whatever it is. NULL: not looked at. */
	const char *parameters;
	const char *answer; /* JSON by the members of the model; NULL: refused */
	/* Why refused; behind a '?': it was sent before, and that was not answered. */
	const char *code;
	int repeat; /* so many times more; -1: as often as it is asked */
};

struct scenario {
	const char *name;
	const struct aws_kind *kind;
	enum phase phase;
	const char *provider_id; /* NULL: the object is to be made */
	bool unfinished;	 /* it was made by a run that did not finish it */
	const char *applied;	 /* JSON of what was set before, or NULL */
	const char *spent;	 /* a token by which a change was done before, or NULL */
	const char *observed;	 /* JSON of what was seen with it, or NULL */
	const char *outputs;	 /* JSON of what is recorded of them, or NULL */
	const char *wanted;	 /* JSON of the fields, canonical but for sets; NULL: none (delete, unsettle) */
	const char *ignored;	 /* a field that is left to others, or NULL */
	const char *leaving;	 /* an id that is about to be deleted: unsettle */
	const char *yields;	 /* JSON of what another object waits for: unsettle; or NULL */
	bool unsettle_all;
	bool force;
	struct exchange script[24];
	/* Of each change, what it is said to bring and to take away, as canonical JSON ("{\"label\":\"x\"} {}"), or
	 * "nothing"; none: it is not looked at. */
	const char *effects[6];
	enum step ends;	     /* STEP_DONE or STEP_FAILED */
	const char *message; /* part of the first error, or of its hint */
	const char *fields;  /* JSON: members that work->now must hold in the end */
	bool record_removed;
	bool disowned; /* of record_removed: what the create made is yet to be found */
	bool in_doubt; /* what the create answered with: nobody has seen whose it is */
	bool waits;    /* the clock must have moved by a minute or more */
};

/* Fails the running test where anything is otherwise. */
void scenario_run(const struct scenario *scenario);
/* The same where something else is recorded; NULL: nothing is. */
void scenario_run_beside(const struct scenario *scenario, const struct object *recorded);

#endif
