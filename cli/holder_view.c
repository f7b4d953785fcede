#include "cli/holder_view.h"

#include "base/time_text.h"
#include "base/value_put.h"

struct slice holder_text(struct arena *arena, const struct lease_holder *holder)
{
	return arena_format(arena, "'%.*s', process %lld on host '%.*s', run %.*s, since %.*s",
			    SLICE_ARGUMENTS(holder->command), (long long)holder->process, SLICE_ARGUMENTS(holder->host),
			    SLICE_ARGUMENTS(holder->run), SLICE_ARGUMENTS(time_text(arena, holder->since_ms)));
}

struct value holder_value(struct arena *arena, const struct lease_holder *holder)
{
	static const char *const signs[] = {
		[PROCESS_UNKNOWN] = "unknown",
		[PROCESS_ALIVE] = "alive",
		[PROCESS_GONE] = "gone",
	};
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (!holder->held)
		return value_null();
	put(&builder, "run", value_string(holder->run));
	put(&builder, "command", value_string(holder->command));
	put(&builder, "host", value_string(holder->host));
	put(&builder, "process", value_integer(holder->process));
	put(&builder, "process_state", value_text(signs[holder->sign]));
	put(&builder, "since", time_value(arena, holder->since_ms));
	put(&builder, "heartbeat", time_value(arena, holder->beat_ms));
	put(&builder, "fencing", value_integer(holder->fencing));
	put(&builder, "expired", value_bool(holder->left_ms <= 0));
	put(&builder, "expires_in_ms", value_integer(holder->unwatched_ms));
	return value_builder_map(&builder, arena);
}
