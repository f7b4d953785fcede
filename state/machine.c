#include "state/machine.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/diag.h"

enum { SMALL_FILE_BYTES = 4096 };

/* Whether the world's process is this one, so that system calls speak of its machine. */
static bool is_real(const struct world *world)
{
	return world->process_id == (int64_t)getpid();
}

/* Empty where it cannot be read; that is no error. */
static struct slice read_small(struct world *world, struct arena *arena, const char *path)
{
	struct diagnostics unused;
	struct slice text = {NULL, 0};

	diagnostics_init(&unused, arena);
	if (!world->read_file(world, arena, path, SMALL_FILE_BYTES, &text, &unused))
		text = (struct slice){NULL, 0};
	diagnostics_release(&unused);
	return text;
}

static unsigned long long namespace_number(const struct world *world, const char *path)
{
	struct stat status;

	return is_real(world) && stat(path, &status) == 0 ? (unsigned long long)status.st_ino : 0;
}

struct slice machine_instance(struct world *world, struct arena *arena)
{
	struct slice boot = slice_trim(read_small(world, arena, "/proc/sys/kernel/random/boot_id"));

	if (boot.size == 0)
		return boot;
	return arena_format(arena, "%.*s/%llu/%llu", SLICE_ARGUMENTS(boot),
			    namespace_number(world, "/proc/self/ns/pid"),
			    namespace_number(world, "/proc/self/ns/time"));
}

struct slice machine_process_start(struct world *world, int64_t process, struct arena *arena)
{
	enum { START_FIELD = 22, STATE_FIELD = 3 };
	struct slice rest = read_small(world, arena, arena_text(arena, "/proc/%lld/stat", (long long)process));
	struct slice field = {NULL, 0};

	/* The program's name stands in brackets and may hold any byte, brackets and spaces too. */
	while (rest.size > 0 && slice_contains(rest, SLICE(")")))
		slice_cut(&rest, ')');
	slice_cut(&rest, ' ');
	for (int i = STATE_FIELD; i <= START_FIELD; i++) {
		field = slice_cut(&rest, ' ');
		if (i == STATE_FIELD && (slice_is(field, "Z") || slice_is(field, "X")))
			return SLICE("ended");
	}
	return arena_copy(arena, field);
}

bool machine_process_gone(struct world *world, int64_t process, struct slice start, struct arena *scratch)
{
	struct slice now;

	if (process <= 0 || process > INT32_MAX || start.size == 0)
		return false;
	now = machine_process_start(world, process, scratch);
	if (now.size > 0)
		return !slice_equal(now, start);
	/* Unreadable is not gone: /proc may hide the processes of others (hidepid, proc(5)). */
	return is_real(world) && kill((pid_t)process, 0) < 0 && errno == ESRCH;
}
