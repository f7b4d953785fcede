#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_sign.h"

void bench_open(struct bench *bench)
{
	arena_init(&bench->arena);
	diagnostics_init(&bench->diagnostics, &bench->arena);
}

void bench_close(struct bench *bench)
{
	diagnostics_release(&bench->diagnostics);
	arena_release(&bench->arena);
}

void expect(const char *row, const char *what, struct slice found, const char *wanted)
{
	if (!slice_is(found, wanted))
		fail_msg("%s: %s\nfound:  %.*s\nwanted: %s", row, what, SLICE_ARGUMENTS(found), wanted);
}
