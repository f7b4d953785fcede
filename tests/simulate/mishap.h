#ifndef TRUEUP_TESTS_SIMULATE_MISHAP_H
#define TRUEUP_TESTS_SIMULATE_MISHAP_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/simulate/chance.h"
#include "tests/simulate/disk_vfs.h"

/* What may go wrong at a request or a step of the disk. */
enum mishap {
	MISHAP_NONE,
	MISHAP_REFUSED,	      /* never sent: the connection is refused */
	MISHAP_LOST_REQUEST,  /* sent, never arrives */
	MISHAP_LOST_ANSWER,   /* executed; the connection is reset */
	MISHAP_LATE_ANSWER,   /* executed; the answer comes after the client gave up */
	MISHAP_LATE_REQUEST,  /* arrives after the client gave up */
	MISHAP_DELAYED,	      /* the same while it is still waited for, or looked for */
	MISHAP_DUPLICATE,     /* arrives twice */
	MISHAP_THROTTLED,     /* refused: too many requests */
	MISHAP_ERROR,	      /* 500, not executed */
	MISHAP_ERROR_DONE,    /* 500, executed */
	MISHAP_UNAVAILABLE,   /* 503, not executed */
	MISHAP_HALF_ANSWER,   /* executed; the answer breaks off */
	MISHAP_SLOW,	      /* the answer takes seconds */
	MISHAP_STALE,	      /* a read does not see what was made a moment ago */
	MISHAP_UNSEEN,	      /* the same of what changes something, and names that */
	MISHAP_DENIED,	      /* this operation is denied for the rest of the run */
	MISHAP_CRASH_BEFORE,  /* killed before the request is sent */
	MISHAP_CRASH_SENT,    /* killed after it was sent */
	MISHAP_CRASH_ANSWER,  /* killed when its answer arrives */
	MISHAP_INTERRUPT,     /* SIGINT */
	MISHAP_INTERRUPT_TWO, /* and another one */
	MISHAP_SUSPEND,	      /* the process stands still for a minute or so, or for hours */
	MISHAP_RIVAL,	      /* another run of the same stack meanwhile */
	MISHAP_RIVAL_LATER,   /* the same after the process stood still for longer than its lease */
	MISHAP_OPERATOR,      /* somebody else changes or deletes something */
	MISHAP_CLOCK,	      /* the wall clock jumps */
	MISHAP_FAILED_CREATE, /* refused for good: no capacity */
	MISHAP_FAILS_LATER,   /* accepted, and given up before it is ready */
	MISHAP_LINGERS,	      /* accepted, and ready only when nobody waits any more */
	MISHAP_UNNAMED,	      /* names no intent when it comes to the cloud's door */
	MISHAP_FORGOTTEN,     /* made up as if it changed nothing, so that it has no intent: slip.h */
	/* At steps of the disk. */
	MISHAP_DISK_FULL,
	MISHAP_DISK_ERROR,
	MISHAP_DISK_SHORT,
	MISHAP_DISK_CRASH,
	MISHAP_POWER,
	MISHAP_COUNT,
};

/* What one run has to expect. All zero: nothing. */
struct misfortune {
	unsigned odds;		 /* one request in so many has a mishap; 0: none has */
	unsigned budget;	 /* at most so many, the sure one aside */
	uint64_t sure_change;	 /* the changing request, counted from 1, that has one in any case; 0: none */
	uint64_t sure_request;	 /* the same for requests of any kind */
	uint64_t sure_look;	 /* the same, counted from the first changing one on */
	const char *sure_first;	 /* the first request of that operation, or NULL */
	enum mishap sure_mishap; /* that these have; MISHAP_NONE: any that fits */
	enum mishap look_mishap; /* that sure_look has instead; MISHAP_NONE: the same */
	uint64_t disk_step;	 /* the step of the disk, counted from 1, at which it has a mishap; 0: none */
	enum mishap disk_mishap; /* and which */
	bool locks_alone;	 /* only locks are counted as steps then, anew from each request on */
	uint64_t disk_after; /* steps of the disk are counted when so many requests were sent, or after_change so many
				more */
	uint64_t sure_wait;  /* the wait with nothing in flight, counted from 1, that a signal ends; 0: none */
	int64_t think_ms;    /* so long somebody at a terminal thinks, and says yes then; 0: there is no terminal */
	const char *denied;  /* an operation that may not be called, or NULL */
	bool after_change;   /* it may until a changing request is sent, and steps of the disk are counted from there */
	bool gentle;	     /* nothing that ends the process */
	bool alone;	     /* no second process */
	bool aimed;	     /* what the seed is about may strike */
};

const char *mishap_name(enum mishap mishap);
/* Whether what is asked for may come about twice through no fault of the program: sent twice, or come late. */
bool mishap_doubles(enum mishap mishap, const char *operation);
/* Whether it befalls a call before there is a request. */
bool mishap_is_early(enum mishap mishap);
bool mishap_is_of_disk(enum mishap mishap);
/* Why it cannot befall such a request; NULL: it can. */
const char *mishap_absence(enum mishap mishap, const char *operation);
/* For a request. */
enum mishap mishap_draw(struct chance *chance, const struct misfortune *misfortune, const char *operation);
enum mishap mishap_draw_disk(struct chance *chance);

#endif
