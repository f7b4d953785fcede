#ifndef TRUEUP_TESTS_UNIT_SUPPORT_STATE_FILE_H
#define TRUEUP_TESTS_UNIT_SUPPORT_STATE_FILE_H

#include "state/sqlite_store.h"
#include "tests/unit/support_state_store.h"

/* Whole state files of the stack "lab" at the fixture's path: made, opened, used, removed. */

enum { OBJECTS = 200, FORMAT_STEPS = 6 /* since the first */ };
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What was said before is forgotten. */
bool state_file_open(struct state_fixture *fixture, enum state_access access, struct store **ret);
/* A file with OBJECTS objects and a run that has ended. */
void state_file_make(struct state_fixture *fixture);
/* All that a program does with a file; gives what failed first, or NULL. */
const char *state_file_use(struct state_fixture *fixture, enum state_access access);
void state_file_remove(struct state_fixture *fixture);
/* Everything that has a text in the schema. */
struct slice state_file_schema(struct state_fixture *fixture);
/* Takes the last so many steps of the format back. */
void state_file_make_older(struct state_fixture *fixture, size_t steps);

#endif
