#include "tests/simulate/mishap.h"

#include <stddef.h>

#include "tests/simulate/operation.h"

enum scope {
	ON_ALL,
	ON_CHANGES,
	ON_READS,
	ON_CREATES,
	ON_NAMED, /* changes of what is there, or something made beside it */
	ON_SLOW,  /* what is made and is not ready at once */
	ON_DISK,
};

enum trait {
	TRAIT_NONE,
	TRAIT_ENDS,    /* the process */
	TRAIT_COMPANY, /* takes a second process */
	TRAIT_EARLY,   /* comes before the request */
};

static const struct {
	const char *name;
	unsigned weight;
	enum scope scope;
	enum trait trait;
} mishaps[MISHAP_COUNT] = {
	[MISHAP_NONE] = {"none", 0, ON_ALL, TRAIT_NONE},
	[MISHAP_REFUSED] = {"refused", 4, ON_ALL, TRAIT_NONE},
	[MISHAP_LOST_REQUEST] = {"lost-request", 6, ON_ALL, TRAIT_NONE},
	[MISHAP_LOST_ANSWER] = {"lost-answer", 10, ON_ALL, TRAIT_NONE},
	[MISHAP_LATE_ANSWER] = {"late-answer", 6, ON_ALL, TRAIT_NONE},
	[MISHAP_LATE_REQUEST] = {"late-request", 6, ON_CHANGES, TRAIT_NONE},
	[MISHAP_DELAYED] = {"delayed", 6, ON_CREATES, TRAIT_NONE},
	[MISHAP_DUPLICATE] = {"duplicate", 6, ON_CHANGES, TRAIT_NONE},
	[MISHAP_THROTTLED] = {"throttled", 5, ON_ALL, TRAIT_NONE},
	[MISHAP_ERROR] = {"error", 4, ON_ALL, TRAIT_NONE},
	[MISHAP_ERROR_DONE] = {"error-done", 6, ON_CHANGES, TRAIT_NONE},
	[MISHAP_UNAVAILABLE] = {"unavailable", 3, ON_ALL, TRAIT_NONE},
	[MISHAP_HALF_ANSWER] = {"half-answer", 6, ON_ALL, TRAIT_NONE},
	[MISHAP_SLOW] = {"slow", 4, ON_ALL, TRAIT_NONE},
	[MISHAP_STALE] = {"stale", 6, ON_READS, TRAIT_NONE},
	[MISHAP_UNSEEN] = {"unseen", 4, ON_NAMED, TRAIT_NONE},
	[MISHAP_DENIED] = {"denied", 3, ON_ALL, TRAIT_NONE},
	[MISHAP_CRASH_BEFORE] = {"crash-before", 6, ON_ALL, TRAIT_ENDS},
	[MISHAP_CRASH_SENT] = {"crash-sent", 9, ON_ALL, TRAIT_ENDS},
	[MISHAP_CRASH_ANSWER] = {"crash-answer", 9, ON_ALL, TRAIT_ENDS},
	[MISHAP_INTERRUPT] = {"interrupt", 3, ON_ALL, TRAIT_ENDS},
	[MISHAP_INTERRUPT_TWO] = {"interrupt-twice", 3, ON_ALL, TRAIT_ENDS},
	[MISHAP_SUSPEND] = {"suspend", 2, ON_ALL, TRAIT_NONE},
	[MISHAP_RIVAL] = {"rival", 2, ON_ALL, TRAIT_COMPANY},
	[MISHAP_RIVAL_LATER] = {"rival-later", 2, ON_ALL, TRAIT_COMPANY},
	[MISHAP_OPERATOR] = {"operator", 4, ON_ALL, TRAIT_NONE},
	[MISHAP_CLOCK] = {"clock", 2, ON_ALL, TRAIT_NONE},
	[MISHAP_FAILED_CREATE] = {"failed-create", 4, ON_CREATES, TRAIT_NONE},
	[MISHAP_FAILS_LATER] = {"fails-later", 8, ON_SLOW, TRAIT_NONE},
	[MISHAP_LINGERS] = {"lingers", 2, ON_SLOW, TRAIT_NONE},
	[MISHAP_UNNAMED] = {"unnamed", 2, ON_CHANGES, TRAIT_NONE},
	[MISHAP_FORGOTTEN] = {"forgotten", 1, ON_CHANGES, TRAIT_EARLY},
	[MISHAP_DISK_FULL] = {"disk-full", 3, ON_DISK, TRAIT_NONE},
	[MISHAP_DISK_ERROR] = {"disk-error", 3, ON_DISK, TRAIT_NONE},
	[MISHAP_DISK_SHORT] = {"disk-short", 2, ON_DISK, TRAIT_NONE},
	[MISHAP_DISK_CRASH] = {"disk-crash", 6, ON_DISK, TRAIT_ENDS},
	[MISHAP_POWER] = {"power-loss", 6, ON_DISK, TRAIT_ENDS},
};

const char *mishap_name(enum mishap mishap)
{
	return mishaps[mishap].name;
}

bool mishap_doubles(enum mishap mishap, const char *operation)
{
	static const enum mishap doubling[] = {MISHAP_DUPLICATE, MISHAP_LATE_REQUEST, MISHAP_RIVAL, MISHAP_RIVAL_LATER,
					       MISHAP_CLOCK};

	for (size_t i = 0; i < sizeof(doubling) / sizeof(doubling[0]); i++)
		if (doubling[i] == mishap)
			return true;
	/* What makes something is looked for as long as it may come; a tag is set once more at once. */
	return mishap == MISHAP_DELAYED && operation_sets_tags(operation);
}

bool mishap_is_early(enum mishap mishap)
{
	return mishaps[mishap].trait == TRAIT_EARLY;
}

bool mishap_is_of_disk(enum mishap mishap)
{
	return mishaps[mishap].scope == ON_DISK;
}

/* Whether it can befall such a request. */
static bool mishap_fits(enum mishap mishap, const char *operation)
{
	bool changes = operation_changes(operation);

	if (mishaps[mishap].weight == 0)
		return false;
	switch (mishaps[mishap].scope) {
	case ON_ALL:
		return true;
	case ON_CHANGES:
		return changes;
	case ON_READS:
		return !changes;
	case ON_CREATES:
		return operation_creates(operation);
	case ON_NAMED:
		return changes && operation_refers(operation);
	case ON_SLOW:
		return operation_is_slow(operation);
	case ON_DISK:
		return false;
	}
	return false;
}

const char *mishap_absence(enum mishap mishap, const char *operation)
{
	static const char *const reasons[] = {
		[ON_ALL] = "it is no mishap",
		[ON_CHANGES] = "a read has no effect, however late or often it comes",
		[ON_READS] = "only a read can be behind",
		[ON_CREATES] = "it makes nothing that there may be no room for, or that is looked for later",
		[ON_NAMED] = "only a change that names something can be behind that",
		[ON_SLOW] = "it makes nothing that is waited for so long",
		[ON_DISK] = "a request is no step of the disk",
	};

	return mishap_fits(mishap, operation) ? NULL : reasons[mishaps[mishap].scope];
}

enum mishap mishap_draw(struct chance *chance, const struct misfortune *misfortune, const char *operation)
{
	unsigned weights[MISHAP_COUNT] = {0}, sum = 0;
	int64_t at;

	for (size_t i = 0; i < MISHAP_COUNT; i++) {
		if (!mishap_fits((enum mishap)i, operation) || (misfortune->gentle && mishaps[i].trait == TRAIT_ENDS) ||
		    (misfortune->alone && mishaps[i].trait == TRAIT_COMPANY) || mishaps[i].trait == TRAIT_EARLY)
			continue;
		weights[i] = mishaps[i].weight;
		sum += weights[i];
	}
	at = chance_between(chance, 0, (int64_t)sum - 1);
	for (size_t i = 0; i < MISHAP_COUNT; i++) {
		at -= weights[i];
		if (at < 0)
			return (enum mishap)i;
	}
	return MISHAP_NONE;
}

enum mishap mishap_draw_disk(struct chance *chance)
{
	unsigned sum = 0;
	int64_t at;

	for (size_t i = 0; i < MISHAP_COUNT; i++)
		sum += mishaps[i].scope == ON_DISK ? mishaps[i].weight : 0;
	at = chance_between(chance, 0, (int64_t)sum - 1);
	for (size_t i = 0; i < MISHAP_COUNT; i++) {
		at -= mishaps[i].scope == ON_DISK ? mishaps[i].weight : 0;
		if (at < 0)
			return (enum mishap)i;
	}
	return MISHAP_NONE;
}
