#ifndef TRUEUP_CLI_WRITTEN_H
#define TRUEUP_CLI_WRITTEN_H

#include "base/map.h"
#include "base/world.h"
#include "cli/command.h"
#include "reconcile/resource.h"

/*
 * What a run writes at its user's word, and over what it may: never over a file of the spec, a state, a simulated world
 * or another output of the same run. Asked before anything is read or sent, and once more before it is written.
 *
 * A world with a VFS of its own has files that nothing here can see, and none of them is looked at.
 */
enum written_as {
	WRITTEN_PLAN,	/* --out */
	WRITTEN_REPORT, /* --output FORMAT=PATH */
	WRITTEN_SECRET, /* secret_to: {file: PATH} */
	WRITTEN_BACKUP, /* state backup FILE, which has rules of its own beside */
};

struct written_file {
	enum written_as as;
	const char *path;
	struct slice name; /* who writes it: "--out", or an address */
	struct position position;
};

struct written {
	struct world *world;
	struct arena *arena;
	const char *folder;
	const char *home;  /* the folder without links, or NULL: it cannot be told */
	struct map files;  /* of this run, by path without links */
	struct map kept;   /* what is recorded as put there, likewise, to struct kept_secret */
	struct map worlds; /* simulated ones, by name */
	struct map specs;  /* by device and inode */
	bool has_specs;	   /* the folder was looked through for them */
};

/* folder: of the stack, borrowed. Needs written_close(). */
void written_open(struct written *written, struct world *world, const char *folder, struct arena *arena);
void written_close(struct written *written);
/* One more file of this run; false after a diagnostic where it must not be written, or, but for a secret, cannot. */
__attribute__((warn_unused_result)) bool written_add(struct written *written, const struct written_file *file,
						     struct diagnostics *diagnostics);
/* What else is known once the spec is: its simulated worlds, and where its secrets go. */
__attribute__((warn_unused_result)) bool written_check_stack(struct written *written, const struct stack *stack,
							     struct diagnostics *diagnostics);
/* Where the secret of one resource goes, once its fields are known; false after a diagnostic where it must not. */
__attribute__((warn_unused_result)) bool written_add_secret(struct written *written, struct slice address,
							    const struct value *desired,
							    struct diagnostics *diagnostics);
/* What a stack was to write of secrets it does not: another one is planned in its place. */
void written_forget_secrets(struct written *written);
/* Nothing is kept any more: what is recorded is told anew. */
void written_forget_kept(struct written *written);
/* Where what is there at that address has its secret, which nobody shows again: no other may write there. */
void written_keep_secret(struct written *written, struct slice address, const struct value *resolved);
/* Writes it, unless something has come into its way. */
__attribute__((warn_unused_result)) bool written_put(struct written *written, const struct written_file *file,
						     struct slice text, unsigned mode, struct diagnostics *diagnostics);
/* Where a secret goes: as the spec's other files beside it, wherever the program was started. */
const char *written_secret_path(const char *folder, struct slice path, struct arena *arena);

#endif
