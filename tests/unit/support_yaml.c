#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "tests/unit/support_yaml.h"

void reading_start(struct reading *reading, struct slice text)
{
	size_t expansion_left = YAML_EXPANSION_MOST;

	*reading = (struct reading){.good = false};
	arena_init(&reading->arena);
	diagnostics_init(&reading->diagnostics, &reading->arena);
	reading->good =
		yaml_read(&reading->arena, text, READING_FILE, &expansion_left, &reading->tree, &reading->diagnostics);
	assert_int_equal(reading->good, reading->diagnostics.error_count == 0);
}

void reading_end(struct reading *reading)
{
	diagnostics_release(&reading->diagnostics);
	arena_release(&reading->arena);
}

const char *reading_json(struct reading *reading)
{
	static const struct json_style style = {.clear = false};

	return arena_string(&reading->arena, json_canonical(&reading->arena, &reading->tree.root, &style));
}
