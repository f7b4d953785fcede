#ifndef TRUEUP_BASE_WORLD_H
#define TRUEUP_BASE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/http.h"
#include "base/slice.h"

/*
 * Everything outside the program. A command is a function of a world; there are no
 * mutable globals, so two commands run in one process in two worlds, and a test may stop
 * a world at any instant.
 */
enum { WORLD_INPUT_BYTES = 4096 };

struct redaction;

/* Asked again and again while something takes its time: false calls it off. */
struct watch {
	bool (*go_on)(void *context); /* NULL: nobody calls it off */
	void *context;
};

/* A program to be run. */
struct program {
	char *const *arguments; /* NULL-terminated; the first is looked for as execvp() does, without a shell */
	char *const *variables; /* "NAME=VALUE", NULL-terminated; NULL: it has ours */
	const char *folder;	/* that it runs in, and a first argument with '/' in it is relative to; NULL: ours */
	struct slice input;	/* of at most WORLD_INPUT_BYTES */
	size_t limit_bytes;	/* of its standard output */
	/* Gets its standard error, however it ends, once it has: as many whole lines as limit_bytes hold, in the arena
	 * of the output. NULL: that is ours. */
	struct slice *ret_errors;
	int64_t timeout_ms;
	/* What it has begun is lost where it is ended: the first interrupt lets it go on, and so does the terminal's,
	 * for it has a process group of its own. It can ask nothing at the terminal then. */
	bool survives_interrupt;
	struct watch watch;
};

struct world {
	void *context; /* the implementation's */

	/* Milliseconds since 1970 UTC; for signatures and records, never for waiting. */
	int64_t (*wall_ms)(struct world *world);
	/* CLOCK_BOOTTIME: counts while the machine sleeps; for waiting. */
	int64_t (*boot_ms)(struct world *world);
	/* The same where boot_ms runs ahead of it, in a simulation; NULL: boot_ms. See world_lease_ms(). */
	int64_t (*lease_ms)(struct world *world);
	/* Likewise of wall_ms. See world_lease_wall_ms(). */
	int64_t (*lease_wall_ms)(struct world *world);
	/* Fills from a cryptographic source. Cannot fail: ends the process if the source does. */
	void (*random)(struct world *world, void *bytes, size_t size);
	/* Borrowed for the world's life, or NULL. */
	const char *(*environment)(struct world *world, const char *name);
	/* All of it, "NAME=VALUE", NULL-terminated, borrowed as above; NULL: it cannot be listed. */
	char *const *variables;
	/* 1: interrupted once (start nothing new), 2: stop at once, 0: go on. */
	int (*interrupted)(struct world *world);
	/* The signal that interrupted first, for the exit status; 0: none. */
	int (*interrupting_signal)(struct world *world);

	/* Reads a whole file of at most limit_bytes into arena; diagnostics name the path. */
	bool (*read_file)(struct world *world, struct arena *arena, const char *path, size_t limit_bytes,
			  struct slice *ret, struct diagnostics *diagnostics);
	/* Writes beside the target with mode, syncs, and renames into place. */
	bool (*write_file)(struct world *world, const char *path, struct slice text, unsigned mode,
			   struct diagnostics *diagnostics);
	/* Names (not paths) in a folder, sorted by bytes, without "." and "..". */
	bool (*list_folder)(struct world *world, struct arena *arena, const char *path, struct slice **ret_names,
			    size_t *ret_count, struct diagnostics *diagnostics);
	/* Makes one folder with mode, which outlasts a power loss; no error where it is there. */
	bool (*make_folder)(struct world *world, const char *path, unsigned mode, struct diagnostics *diagnostics);
	/* False after a diagnostic where path belongs to another user, or its mode has any of the bits forbidden. NULL:
	 * this world has no users. */
	bool (*check_private)(struct world *world, const char *path, unsigned forbidden,
			      struct diagnostics *diagnostics);
	bool (*remove_file)(struct world *world, const char *path, struct diagnostics *diagnostics);
	/* Runs a program until it has ended; it does not outlive us. Its standard output goes into arena. NULL: this
	 * world has no programs. */
	bool (*run_program)(struct world *world, struct arena *arena, const struct program *program, struct slice *ret,
			    struct diagnostics *diagnostics);

	/* Whether run_program() would find an executable file under that name in such a folder, so far as that can be
	 * told without running it. NULL: it cannot. */
	bool (*has_program)(struct world *world, struct arena *arena, const char *folder, const char *name);

	/* Told of each secret that does not come with the spec, before it is used: no text that is written shows it.
	 * NULL: what is written is nobody's to see. */
	void (*keep_secret)(struct world *world, struct slice secret);
	/* These, and those of the spec: what is cut or escaped before it is written is to be without them. Borrowed for
	 * the world's life; NULL: as above. */
	const struct redaction *untold;
	/* 1 standard output, 2 standard error. Waits for a reader that does not read, so that a run at work must not
	 * ask for it. False where the reader is gone, the disk full, or an interrupt ended the wait. */
	bool (*write)(struct world *world, int stream, struct slice text);
	/* To standard error, without a wait: what is not taken follows before whatever is written or told next, or is
	 * dropped in the end, and that told, should it become too much. False while some of it, or of what was told
	 * before, is not out. NULL: write() waits for nobody. */
	bool (*tell)(struct world *world, struct slice text);
	/* After a write that failed: whether whoever read it wants no more of it. NULL: that is not known. */
	bool (*has_no_reader)(struct world *world, int stream);
	/* One line typed by the user, without its end, of at most 4096 bytes; false at the end of input. */
	bool (*read_line)(struct world *world, struct arena *arena, struct slice *ret);
	/* Drops what was typed until now: it answers no question that is asked from here on. NULL: nothing was. */
	void (*forget_typed)(struct world *world);
	bool (*is_terminal)(struct world *world, int stream);
	/* How many lines the terminal shows at once; 0, or NULL: that is not known. */
	size_t (*terminal_rows)(struct world *world, int stream);

	struct transport *transport;
	const char *folder; /* of the stack: what a spec names by a relative path lies there; NULL: the current one */
	const char *sqlite_vfs; /* NULL: SQLite's default */
	const char *host_name;	/* for the lease */
	int64_t process_id;	/* for the lease */
};

/* An endpoint by the name that it is recorded under. */
static inline struct slice world_endpoint(struct world *world, struct slice endpoint, struct arena *arena)
{
	struct transport *transport = world->transport;

	return endpoint.size > 0 && transport && transport->name ? transport->name(transport, endpoint, arena)
								 : endpoint;
}

/* A variable of the environment that holds a secret, or NULL: no text that is written shows what it holds, unless that
 * is shorter than such secrets are, and so none. */
static inline const char *world_secret(struct world *world, const char *name, size_t least_bytes)
{
	const char *secret = world->environment(world, name);

	if (secret && world->keep_secret && slice_of(secret).size >= least_bytes)
		world->keep_secret(world, slice_of(secret));
	return secret;
}

static inline bool world_tell(struct world *world, struct slice text)
{
	return world->tell ? world->tell(world, text) : world->write(world, 2, text);
}

/* Lets what was told go on its way; false where its reader takes none of it now. */
static inline bool world_has_told(struct world *world)
{
	return !world->tell || world->tell(world, (struct slice){NULL, 0});
}

/* The clock of leases: the machine's own, which every process on it agrees about, whatever world it simulates. */
static inline int64_t world_lease_ms(struct world *world)
{
	return world->lease_ms ? world->lease_ms(world) : world->boot_ms(world);
}

/* The same by the calendar, for who looks from another machine, and for people. */
static inline int64_t world_lease_wall_ms(struct world *world)
{
	return world->lease_wall_ms ? world->lease_wall_ms(world) : world->wall_ms(world);
}

#endif
