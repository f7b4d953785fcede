#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_metal.h"

#include "base/json.h"

static const char *environment(struct world *world, const char *name)
{
	const struct metal_fixture *fixture = world->context;

	if (strcmp(name, "TRUEUP_METAL_ENDPOINT") == 0)
		return fixture->own_endpoint;
	if (strcmp(name, "AWS_ENDPOINT_URL") == 0)
		return fixture->common_endpoint;
	return strcmp(name, "BMC_PASSWORD") == 0 ? "s3cret" : NULL;
}

static bool read_file(struct world *world, struct arena *arena, const char *path, size_t limit_bytes, struct slice *ret,
		      struct diagnostics *diagnostics)
{
	(void)world;
	(void)arena;
	(void)limit_bytes;
	*ret = SLICE("pem");
	return strcmp(path, "ca.pem") == 0 || strcmp(path, "stack/ca.pem") == 0 || strcmp(path, "/etc/ca.pem") == 0 ||
	       diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot open '%s'", path);
}

int metal_set_up(void **state)
{
	struct metal_fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	fixture->world.context = fixture;
	fixture->world.environment = environment;
	fixture->world.read_file = read_file;
	fixture->session.session = (struct session){.provider = &metal_provider, .name = SLICE("metal")};
	*state = fixture;
	return 0;
}

int metal_tear_down(void **state)
{
	struct metal_fixture *fixture = *state;

	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
	free(fixture);
	return 0;
}

struct value metal_json(struct metal_fixture *fixture, const char *text)
{
	struct value value = value_null();

	if (!json_read(&fixture->arena, slice_of(text), true, 1 << 20, "the test", &value, &fixture->diagnostics))
		fail_msg("bad JSON in the test: %s", text);
	return value;
}

const char *metal_canonical(struct metal_fixture *fixture, const struct value *value)
{
	static const struct json_style style = {.clear = false};

	return json_canonical(&fixture->arena, value, &style).data;
}

const char *metal_first_message(struct metal_fixture *fixture)
{
	return fixture->diagnostics.count > 0 ? arena_string(&fixture->arena, fixture->diagnostics.items[0].message)
					      : "";
}

void metal_forget(struct metal_fixture *fixture)
{
	diagnostics_release(&fixture->diagnostics);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	fixture->asked[0] = '\0';
}
