#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "tests/unit/support_record.h"

enum { ROW_BYTES_MOST = 4096 };

struct value read_json(struct arena *arena, const char *json)
{
	struct diagnostics diagnostics;
	struct value value;

	diagnostics_init(&diagnostics, arena);
	if (!json_read(arena, slice_of(json), true, ROW_BYTES_MOST, "a row", &value, &diagnostics))
		fail_msg("%s", json);
	return value;
}

struct object stored(struct arena *arena, const struct object *object)
{
	static const struct json_style style = {0};
	struct object read = {.address = SLICE("t.net.a"), .symbolic = object->symbolic};
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	assert_true(object_body_read(&read, object_body_write(object, arena, &style), arena, &diagnostics));
	return read;
}

bool needs_no_detail(const struct kind *kind, const struct value *matters)
{
	(void)kind;
	(void)matters;
	return false;
}
