#ifndef TRUEUP_TESTS_SIMULATE_OPERATION_H
#define TRUEUP_TESTS_SIMULATE_OPERATION_H

#include <stdbool.h>

#include "base/slice.h"

/* What an operation is by its name. */
bool operation_changes(const char *operation);
bool operation_creates(const char *operation);
bool operation_sets_tags(const char *operation);
/* Whether a request with that body does as much again each time, and nothing but its work tells whether it came. */
bool operation_adds(const char *operation, struct slice body);
/* Whether it makes what takes a while to become ready. */
bool operation_is_slow(const char *operation);
/* Whether it names things that are there: it may come before they are known everywhere. */
bool operation_refers(const char *operation);

#endif
