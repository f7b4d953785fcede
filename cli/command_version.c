#include "cli/command_list.h"
#include "cli/invocation.h"
#include "cli/version.h"

static int run_version(struct invocation *invocation)
{
	struct report report = invocation_report(invocation);
	struct value_member version = {value_text("version"), value_text(TRUEUP_VERSION)};

	report.text = SLICE(TRUEUP_PROGRAM "\n");
	report.data = value_map(&version, 1);
	return invocation_end(invocation, &report, STATUS_FINE);
}

const struct command command_version = {
	.name = "version",
	.about = "tell which version this is",
	.operands = "",
	.run = run_version,
};
