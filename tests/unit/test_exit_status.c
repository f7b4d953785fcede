#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/exit_status.h"

/* What a run ends with, of all that was said in it. */

enum { SAID_MOST = 3 };

static const struct {
	const char *name;
	struct {
		enum severity severity;
		enum fault fault;
	} said[SAID_MOST];
	size_t count;
	int otherwise, wanted;
} rows[] = {
	{"nothing was said", {{0}}, 0, STATUS_CHANGES, STATUS_CHANGES},
	{"a warning is no error", {{SEVERITY_WARNING, FAULT_STALE}}, 1, STATUS_FINE, STATUS_FINE},
	{"a warning tells nothing of an error",
	 {{SEVERITY_WARNING, FAULT_STALE}, {SEVERITY_ERROR, FAULT_USER}},
	 2,
	 STATUS_FINE,
	 STATUS_ERROR},
	{"an error outranks changes", {{SEVERITY_ERROR, FAULT_USER}}, 1, STATUS_CHANGES, STATUS_ERROR},
	{"what was applied in part is run again", {{SEVERITY_ERROR, FAULT_AUTH}}, 1, STATUS_PARTLY, STATUS_PARTLY},
	{"a stale plan", {{SEVERITY_ERROR, FAULT_STALE}}, 1, STATUS_FINE, STATUS_REFUSED},
	{"a plan that went stale when a part was applied",
	 {{SEVERITY_ERROR, FAULT_STALE}},
	 1,
	 STATUS_PARTLY,
	 STATUS_PARTLY},
	{"a lease that was lost when a part was applied",
	 {{SEVERITY_ERROR, FAULT_LEASE}},
	 1,
	 STATUS_PARTLY,
	 STATUS_LEASE},
	{"whoever holds the stack made the plan stale",
	 {{SEVERITY_ERROR, FAULT_STALE}, {SEVERITY_ERROR, FAULT_LEASE}},
	 2,
	 STATUS_ERROR,
	 STATUS_LEASE},
	{"too many deletions", {{SEVERITY_ERROR, FAULT_BUDGET}}, 1, STATUS_FINE, STATUS_BUDGET},
	{"a stale plan of too many deletions",
	 {{SEVERITY_ERROR, FAULT_BUDGET}, {SEVERITY_ERROR, FAULT_STALE}},
	 2,
	 STATUS_FINE,
	 STATUS_REFUSED},
	{"something is unread", {{SEVERITY_ERROR, FAULT_UNREAD}}, 1, STATUS_CHANGES, STATUS_INCOMPLETE},
	{"a wrong line, of what is unread",
	 {{SEVERITY_ERROR, FAULT_UNREAD}, {SEVERITY_ERROR, FAULT_USAGE}},
	 2,
	 STATUS_FINE,
	 STATUS_USAGE},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct diagnostics diagnostics;
		struct arena arena;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		for (size_t k = 0; k < rows[i].count; k++)
			diag_add(&diagnostics, rows[i].said[k].severity, rows[i].said[k].fault, NOWHERE, "said");
		int status = exit_status_of(&diagnostics, rows[i].otherwise);
		if (status != rows[i].wanted)
			fail_msg("%s: %d", rows[i].name, status);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests_name("exit status", tests, NULL, NULL);
}
