#ifndef TRUEUP_TESTS_UNIT_SUPPORT_STATE_STORE_H
#define TRUEUP_TESTS_UNIT_SUPPORT_STATE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reconcile/store.h"
#include "tests/unit/support_state.h"

/* What the tests of the state do with a store. What fails fails the test, or ends the child that did it. */

void fixture_give_up(struct state_fixture *fixture);
/* Begins a run 'apply' with a random id. The try_ forms leave a failure to the caller. */
void fixture_begin(struct state_fixture *fixture, struct store *store);
bool fixture_try_begin(struct state_fixture *fixture, struct store *store);
/* Numbered things, in the fixture's arena. */
struct slice fixture_id(struct state_fixture *fixture, size_t number);
struct object *fixture_object(struct state_fixture *fixture, size_t number);
struct intent fixture_intent(struct state_fixture *fixture, size_t number);
/* Commits objects first .. first + count - 1 with bodies {"n":NUMBER}. */
void fixture_put(struct state_fixture *fixture, struct store *store, size_t first, size_t count);
enum commit_state fixture_try_put(struct state_fixture *fixture, struct store *store, size_t first, size_t count);
struct object *fixture_heads(struct state_fixture *fixture, struct store *store, size_t expected);
struct intent *fixture_intents(struct state_fixture *fixture, struct store *store, size_t expected);
struct slice fixture_body(struct state_fixture *fixture, struct store *store, size_t number);
/* The first column of the first row that SQL over the file gives, as an integer; 0 without a row. */
int64_t fixture_ask(const struct state_fixture *fixture, const char *sql);
/* Runs SQL on the file behind the store's back, without the checks that foreign keys are. */
void fixture_script(const struct state_fixture *fixture, const char *sql);
/* The names in the state's folder, each followed by a space. */
const char *fixture_names(struct state_fixture *fixture);

#endif
