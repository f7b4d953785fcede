#ifndef TRUEUP_CLI_RECORDED_H
#define TRUEUP_CLI_RECORDED_H

#include <stdbool.h>

#include "cli/job.h"

/* A command on what is recorded: its state, opened, and what it has to say as text and as a document. */
struct recorded {
	struct job *job;
	const struct arguments *arguments;
	struct buffer text;
	struct value_builder members; /* of the document, behind stack, lineage and serial */
	struct slice *addresses;      /* of all that is recorded; NULL until one was asked for that is not */
	size_t compared;	      /* of them, in search of the nearest */
};

/* Gives the exit status for the case that there is no error among the diagnostics. */
typedef int recorded_body(struct recorded *recorded);

/* Opens the state of the stack in the folder (not yet its heads), does body, shows what came of it. */
int recorded_run(struct invocation *invocation, enum state_access access, recorded_body *body);
/* The same with heads and open intents read. */
int recorded_run_read(struct invocation *invocation, enum state_access access, recorded_body *body);

/* Adds a member to the document. */
void recorded_put(struct recorded *recorded, const char *name, struct value value);
/* address, role, kind, ... of an object, for a document. */
void put_head(struct value_builder *builder, const struct object *object, struct arena *arena);

/* Whether anything is recorded at the address; a diagnostic with the nearest one where not. */
__attribute__((warn_unused_result)) bool recorded_has(struct recorded *recorded, struct slice address);

#endif
