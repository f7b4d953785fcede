#ifndef TRUEUP_TESTS_UNIT_SUPPORT_CLOUD_H
#define TRUEUP_TESTS_UNIT_SUPPORT_CLOUD_H

#include "base/buffer.h"
#include "providers/sim/sim.h"
#include "tests/unit/support_world.h"

/*
 * The whole program in one process, on a simulated cloud whose clock is the world's: files are real, waiting
 * is not. A test may have something happen before a call is sent, or while the user is asked.
 */
struct cloud {
	struct world world;
	struct transport transport;
	struct sim *sim;
	struct arena arena;
	char folder[96];      /* of the stack */
	struct buffer output; /* of the last run, both streams */
	int interrupts;	      /* that the program has got */
	bool at_aws;	      /* it has no endpoint of its own, so that AWS's rate limits are kept */
	/* Called once, before the first call of that action is sent, or, where it is "question", before the user
	 * says yes; NULL: nothing happens. */
	const char *moment;
	void (*happening)(struct cloud *cloud, const void *what);
	const void *what;
};

/* The stack gets a folder of its own. */
void cloud_open(struct cloud *cloud, const struct world_fixture *fixture);
void cloud_close(struct cloud *cloud);
void cloud_write(struct cloud *cloud, const char *name, const char *text);
/* "trueup -C FOLDER" and the words of line; its exit status. */
int cloud_run(struct cloud *cloud, const char *line);
/* Fails the test where the status is another. */
void cloud_expect(struct cloud *cloud, const char *line, int status);
bool cloud_says(const struct cloud *cloud, const char *text);
/* The id of the thing of a type whose attribute has that value; fails the test where there is none. */
struct slice cloud_find(struct cloud *cloud, const char *type, const char *attribute, const char *value);
bool cloud_has(struct cloud *cloud, const char *type, const char *attribute, const char *value);
/* Sets an attribute behind the API's back; value as JSON. */
void cloud_change(struct cloud *cloud, const char *type, struct slice id, const char *attribute, const char *value);

#endif
