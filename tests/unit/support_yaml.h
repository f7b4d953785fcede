#ifndef TRUEUP_TESTS_UNIT_SUPPORT_YAML_H
#define TRUEUP_TESTS_UNIT_SUPPORT_YAML_H

#include "specs/yaml.h"

/* What the tests of the YAML reader share: one text as it was read. */

enum { READING_FILE = 3 };

struct reading {
	struct arena arena;
	struct diagnostics diagnostics;
	struct yaml_tree tree;
	bool good;
};

/* Fails the test where the result and the diagnostics contradict each other. */
void reading_start(struct reading *reading, struct slice text);
void reading_end(struct reading *reading);
/* Canonical JSON, which lives as long as reading. */
const char *reading_json(struct reading *reading);

#endif
