#ifndef TRUEUP_CLI_PLAN_SECTION_H
#define TRUEUP_CLI_PLAN_SECTION_H

#include "cli/render.h"

/* Under which heading of the plan an action stands. */
enum section {
	SECTION_DRIFT,	/* reality moved, or what it refers to did */
	SECTION_INTENT, /* the spec changed */
	SECTION_RECORD,
	SECTION_COUNT, /* under none: it is told elsewhere */
};

/* One for each action of the report's plan, in the report's arena. */
const enum section *plan_sections(const struct report *report);

#endif
