#ifndef TRUEUP_BASE_DIAG_H
#define TRUEUP_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/source.h"

/*
 * What went wrong: where, what, why, what to do. Collected, so that one run reports every
 * error; deduplicated and sorted by position before it is shown. Library code never prints.
 */
enum severity {
	SEVERITY_ERROR,
	SEVERITY_WARNING,
	SEVERITY_NOTE,
};

/* Decides what happens next, and the exit code. */
enum fault {
	FAULT_USER,	   /* the spec, the flags or a file are wrong */
	FAULT_USAGE,	   /* the command line is wrong: exit 64 */
	FAULT_AUTH,	   /* no or wrong credentials, or denied */
	FAULT_ABSENT,	   /* the thing named is not there */
	FAULT_CONFLICT,	   /* something else holds the name, range or state */
	FAULT_THROTTLED,   /* asked to slow down */
	FAULT_TRANSIENT,   /* not sent, or definitely not done; may be sent again */
	FAULT_AMBIGUOUS,   /* sent, no definite answer: the outcome is unknown */
	FAULT_UNSUPPORTED, /* this endpoint does not know the operation */
	FAULT_STALE,	   /* a plan no longer fits: exit 4 */
	FAULT_LEASE,	   /* another run holds the stack: exit 5 */
	FAULT_BUDGET,	   /* more deletions than allowed: exit 6 */
	FAULT_UNREAD,	   /* what had to be known first could not be read: exit 3 */
	FAULT_INTERNAL,	   /* a bug, or an answer that breaks its own protocol */
};

struct diag {
	enum severity severity;
	enum fault fault;
	struct position position; /* line 0: none */
	struct slice place;	  /* where the source is not at hand: "net.yaml:14", or empty */
	struct slice address;	  /* of the resource concerned, or empty */
	struct slice message;	  /* one sentence, no full stop, no position in it */
	struct slice hint;	  /* what to do, or empty */
	struct slice cause;	  /* what the layer below said, or empty */
	struct position related;  /* a second place, line 0: none */
	struct slice related_message;
};

struct diagnostics {
	struct arena *arena; /* borrowed; holds all texts */
	struct diag *items;  /* owned */
	size_t count;
	size_t capacity;
	size_t error_count; /* counts also what was dropped past DIAGNOSTICS_MOST */
	size_t dropped;
	bool last_dropped; /* the diagnostic added last was */
	struct diag spare; /* stands for every dropped one; nobody reads it */
};

enum { DIAGNOSTICS_MOST = 1000 };

void diagnostics_init(struct diagnostics *diagnostics, struct arena *arena);
void diagnostics_release(struct diagnostics *diagnostics);

/*
 * Adds one and returns it, so that the caller may fill in hint, address, cause and
 * related; all slices are copied on the way in by the diag_*() setters. Never NULL.
 * The pointer is good until the next diag_add().
 */
__attribute__((format(printf, 5, 6))) struct diag *diag_add(struct diagnostics *diagnostics, enum severity severity,
							    enum fault fault, struct position position,
							    const char *format, ...);
/* The common case: an error. Always returns false, so a caller may `return diag_error(...)`. */
__attribute__((format(printf, 4, 5))) bool diag_error(struct diagnostics *diagnostics, enum fault fault,
						      struct position position, const char *format, ...);
/* These complete the diagnostic added last; without one they do nothing. */
__attribute__((format(printf, 2, 3))) void diag_hint(struct diagnostics *diagnostics, const char *format, ...);
/* What to tell whoever writes a word that other tools have; behind the last stands one without a word. */
struct word_hint {
	const char *word;
	const char *hint;
};
/* Gives the hint of a word; false, and none, where it is not among them. */
bool diag_hint_for_word(struct diagnostics *diagnostics, struct slice word, const struct word_hint *hints);
/* Hints at the candidate that name was probably meant to be; false, without a hint, where none is like it. */
bool diag_suggest(struct diagnostics *diagnostics, struct slice name, const struct slice *candidates, size_t count);
__attribute__((format(printf, 3, 4))) void diag_related(struct diagnostics *diagnostics, struct position position,
							const char *format, ...);
void diag_address(struct diagnostics *diagnostics, struct slice address);
void diag_cause(struct diagnostics *diagnostics, struct slice cause);
/* Copies every diagnostic of from, texts too, behind those of to. */
void diagnostics_join(struct diagnostics *to, const struct diagnostics *from);
/* Sorts by position (stable; those without one last) and drops exact repeats. */
void diagnostics_sort(struct diagnostics *diagnostics);
/* The most telling error, for the exit code: the first error, or NULL. */
const struct diag *diagnostics_first_error(const struct diagnostics *diagnostics);

static const struct position NOWHERE = {0, 0, 0};

#endif
