#ifndef TRUEUP_CLI_COMMAND_H
#define TRUEUP_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/world.h"

/*
 * The command line as one table of commands and one of flags. Parsing, help and what
 * else is made from them need nothing beside.
 */
enum flag_id {
	FLAG_DIRECTORY,
	FLAG_OUTPUT,
	FLAG_COLOR,
	FLAG_HELP,
	FLAG_VERSION,
	FLAG_OUT,
	FLAG_DETAILED_EXITCODE,
	FLAG_REFRESH,
	FLAG_DESTROY,
	FLAG_TARGET,
	FLAG_VAR,
	FLAG_MAX_DELETE,
	FLAG_PARALLELISM,
	FLAG_YES,
	FLAG_DIGEST,
	FLAG_FORCE,
	FLAG_GRACE,
	FLAG_REGION,
	FLAG_LEASE_TIMEOUT,
	FLAG_FORCE_NETWORK_STATE,
	FLAG_LINEAGE,
	FLAG_COUNT,
};

struct flag {
	const char *name;  /* "max-delete": --max-delete, TRUEUP_MAX_DELETE */
	char letter;	   /* 'C', or 0 */
	const char *value; /* what stands for its value in help: "N"; NULL: it takes none */
	const char *about;
	bool repeatable;
	bool integer;
	bool duration;	   /* as duration_read() has it; kept in milliseconds */
	int digits;	   /* of one digest or id as it is shown: its value is the first of them, or all */
	const char *shown; /* how to come by them */
	bool assignment;   /* NAME=VALUE */
	bool narrows;	   /* what may be done: without a value in the environment nothing is meant, rather than all */
	const char *const *choices; /* NULL-terminated, or NULL */
	int64_t least, most;	    /* of an integer */
};

struct option {
	const struct slice *values; /* of a flag that takes values; a later one goes before an earlier */
	size_t count;		    /* 0: not given */
	bool from_environment;
	int64_t integer; /* also of a duration */
};

struct arguments {
	const struct command *command;
	struct option options[FLAG_COUNT];
	const struct slice *operands;
	size_t operand_count;
};

struct invocation;

struct command {
	/* One word, or two: those with the same first word are a group, and that alone is none of them. */
	const char *name;
	const char *about;    /* one line */
	const char *operands; /* "[PLANFILE]", or "" */
	const char *details;  /* lines of text for its help, or NULL */
	size_t least_operands, most_operands;
	const enum flag_id *flags; /* beside the global ones */
	size_t flag_count;
	/* Of them, those that make something else of the command, which only plans then: the environment, where they
	 * mean another command, does not set them. */
	const enum flag_id *line_flags;
	size_t line_flag_count;
	const char *force;  /* what --force does here, where that is not what its row says */
	const char *target; /* likewise --target */
	bool undoable;	    /* its runs carry out plans, which 'undo' takes back */
	bool forgets;	    /* its runs take what they are asked to out of the record */
	bool renames;	    /* its runs give what is recorded another address */
	bool remakes;	    /* its runs make the record anew: nobody has to read what they found */
	/* Gives the exit status for the case that no error was found. */
	int (*run)(struct invocation *invocation);
};

struct commands {
	const struct command *const *items;
	size_t count;
};

/* In the order of help. */
extern const struct commands commands;
extern const struct flag flags[FLAG_COUNT];

const struct command *command_named(struct slice name);
/* The command that a run was recorded as, "undo 5f3a9c21", or NULL. */
const struct command *command_of_run(struct slice recorded);
/* Whether a command's name begins with that word and goes on. */
bool command_is_in_group(const struct command *command, struct slice group);
/* The names of a group's commands behind the first word, "list, show"; empty: there is no such group. */
struct slice command_group_names(struct arena *arena, struct slice group);
/* Whether a flag is global or one of the command's. */
bool command_takes(const struct command *command, enum flag_id flag);
/* Whether the environment sets that flag of the command too. */
bool command_takes_variable(const struct command *command, enum flag_id flag);
/* Every mistake on the line is reported; false then. arguments[0] is the program. Under
 * --help, ret->command is that of help. */
__attribute__((warn_unused_result)) bool arguments_parse(struct world *world, int count, char *const *texts,
							 struct arena *arena, struct arguments *ret,
							 struct diagnostics *diagnostics);
bool arguments_has(const struct arguments *arguments, enum flag_id flag);
/* Whether the command changes a stack, or what is recorded of one: under the lease, or once it has asked. */
bool arguments_change(const struct arguments *arguments);
/* The last value given, or otherwise. */
struct slice arguments_text(const struct arguments *arguments, enum flag_id flag, const char *otherwise);
int64_t arguments_integer(const struct arguments *arguments, enum flag_id flag, int64_t otherwise);
/* TRUEUP_MAX_DELETE of --max-delete, in arena. */
const char *flag_variable(const struct flag *flag, struct arena *arena);

#endif
