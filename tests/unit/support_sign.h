#ifndef TRUEUP_TESTS_UNIT_SUPPORT_SIGN_H
#define TRUEUP_TESTS_UNIT_SUPPORT_SIGN_H

#include "providers/aws/sign.h"

/* Those of the published test vectors. */
#define ACCESS_KEY "AKIDEXAMPLE"
#define SECRET_KEY "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define VECTOR_TIME_MS INT64_C(1440938160000) /* 2015-08-30T12:36:00Z */

/* What a signature needs to be made in. */
struct bench {
	struct arena arena;
	struct diagnostics diagnostics;
};

void bench_open(struct bench *bench);
void bench_close(struct bench *bench);
/* Fails the running test, with the row's name, where `found` is not as wanted. */
void expect(const char *row, const char *what, struct slice found, const char *wanted);

#endif
