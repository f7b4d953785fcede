#ifndef TRUEUP_TESTS_UNIT_SUPPORT_STATE_H
#define TRUEUP_TESTS_UNIT_SUPPORT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/world.h"

/* How long to wait for another process's lock, which lasts as long as the disk takes, and others use it as well. */
enum { LOCKED_AT_MOST_MS = 60 * 1000 };

/*
 * What the tests of the state share: a folder that goes away, and a world with real files
 * and processes, but with clocks, host and boot id that a test can set.
 */
struct state_fixture {
	struct world world; /* first, so that a world's functions find the rest */
	struct arena arena;
	struct diagnostics diagnostics;
	char folder[64];
	char path[256];		/* of the state file: FOLDER/.trueup/state.db */
	int64_t boot_offset_ms; /* ahead of the real clocks */
	int64_t wall_offset_ms;
	const char *boot_id;   /* instead of the real one; "": unreadable */
	bool processes_hidden; /* /proc/PID/stat cannot be read */
	bool is_child;
};

/* For cmocka: *state is the fixture. */
int state_fixture_set_up(void **state);
int state_fixture_tear_down(void **state);

#define STATE_TEST(name) cmocka_unit_test_setup_teardown(name, state_fixture_set_up, state_fixture_tear_down)

/* After fork(), in the child: it has a process id of its own. */
void state_fixture_fork(struct state_fixture *fixture);
/* Ends a child with status 99 after telling why; returns in the test's own process, which
 * then fails its test: a child must not run on into the tests that follow. */
void state_fixture_end_child(struct state_fixture *fixture);

/* Whether valgrind slows everything down by a factor of fifty; measurements then measure less. */
bool state_fixture_is_slow(void);

/* Forgets the diagnostics that were collected. */
void state_fixture_forget(struct state_fixture *fixture);
/* Whether there is an error of that fault with part in its message, hint or cause. */
bool state_fixture_said(const struct state_fixture *fixture, enum fault fault, const char *part);
/* All diagnostics as text, for failures. */
const char *state_fixture_told(struct state_fixture *fixture);

/* The whole of a file, in the fixture's arena; data NULL where it cannot be read. */
struct slice file_read(struct state_fixture *fixture, const char *path);
/* Replaces the contents, mode 0600. */
bool file_write(const char *path, struct slice text);

#endif
