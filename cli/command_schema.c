#include "cli/command_list.h"
#include "cli/invocation.h"
#include "cli/providers.h"
#include "cli/spec_schema.h"

enum { SCHEMA_LIMIT_BYTES = 64 * 1024 * 1024 };

static int run_schema(struct invocation *invocation)
{
	struct report report = invocation_report(invocation);
	struct kinds kinds = all_kinds(invocation->arena);
	/* The words of JSON Schema that begin with '$' are to stay as they are. */
	static const struct json_style plain = {.clear = true, .pretty = true};
	BUFFER_AUTO text;

	buffer_init(&text, SCHEMA_LIMIT_BYTES);
	struct value schema = spec_schema(&kinds, &all_providers, invocation->arena);
	render_as_json(&text, &schema, &plain);
	buffer_byte(&text, '\n');
	struct value_member member = {value_text("json_schema"), schema};
	report.text = buffer_slice(&text);
	report.style = &plain;
	report.data = value_map(&member, 1);
	return invocation_end(invocation, &report, STATUS_FINE);
}

const struct command command_schema = {
	.name = "schema",
	.about = "print the JSON Schema of specs, for editors that complete and check",
	.operands = "",
	.run = run_schema,
};
