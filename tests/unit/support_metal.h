#ifndef TRUEUP_TESTS_UNIT_SUPPORT_METAL_H
#define TRUEUP_TESTS_UNIT_SUPPORT_METAL_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/value.h"
#include "base/world.h"
#include "providers/metal/metal.h"

/* What the tests of the provider of machines share: a session, a world without a network, and JSON. */
struct metal_fixture {
	struct arena arena;
	struct diagnostics diagnostics;
	struct world world; /* BMC_PASSWORD is "s3cret", ca.pem can be read */
	struct metal_session session;
	char asked[2048]; /* paths that were asked for, one a line; kept by the test */
	/* TRUEUP_METAL_ENDPOINT and AWS_ENDPOINT_URL; NULL: not set. */
	const char *own_endpoint, *common_endpoint;
};

/* For cmocka: *state is the fixture. */
int metal_set_up(void **state);
int metal_tear_down(void **state);

/* Symbolic JSON, which must be good, and back; in the fixture's arena. */
struct value metal_json(struct metal_fixture *fixture, const char *text);
const char *metal_canonical(struct metal_fixture *fixture, const struct value *value);
/* Of the findings so far, or "". */
const char *metal_first_message(struct metal_fixture *fixture);
/* Forgets the findings and what was asked. */
void metal_forget(struct metal_fixture *fixture);

#define METAL_AT "{\"controller\":\"https://10.0.0.5\"}"
#define METAL_TEST(name) cmocka_unit_test_setup_teardown(name, metal_set_up, metal_tear_down)

#endif
