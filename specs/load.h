#ifndef TRUEUP_SPECS_LOAD_H
#define TRUEUP_SPECS_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/redaction.h"
#include "base/slice.h"
#include "base/source.h"
#include "base/world.h"
#include "reconcile/kind.h"
#include "reconcile/resource.h"

/*
 * A folder of YAML files becomes a stack: read, checked against the tables of the kinds,
 * references and expressions resolved as far as the spec alone can tell.
 */

enum {
	LOAD_FILE_LARGEST_BYTES = 64 * 1024 * 1024,
	LOAD_STACK_LARGEST_BYTES = 256 * 1024 * 1024,
};

/* A value for a variable, as the command line gives it: --var region=eu-west-1. */
struct load_variable {
	struct slice name;
	struct slice value;
};

struct load_options {
	/* They win over TRUEUP_VAR_<name> in the environment (a '-' of the name may be a '_' there), which wins over
	 * the default. */
	const struct load_variable *variables;
	size_t variable_count;
	/* Gets every secret that the spec has in clear, also of what is refused; or NULL. */
	struct redaction *redaction;
};

/* What a provider's block may set, and where that leads. */
struct provider_schema {
	const char *name; /* "aws" */
	struct fields settings;
	/* As in struct provider. */
	bool (*check)(struct slice name, const struct value *settings, struct diagnostics *diagnostics);
	/* As in struct provider; NULL: places of this provider are not told apart. */
	bool (*expect)(struct world *world, const struct value *settings, struct arena *arena, struct identity *ret);
};

/* Whether a file of that name in the folder is one of the spec: hidden ones, which editors leave behind, are not. */
bool stack_is_file_name(struct slice name);
/* Whether a file of a spec lies in the folder; true also where nobody can tell. */
__attribute__((warn_unused_result)) bool stack_has_files(struct world *world, const char *folder, struct arena *arena);
/*
 * Reads *.yaml and *.yml in folder in the order of their names, and warns of *.YAML and the
 * like. Everything returned lives in arena and in sources, which gets each file's name and
 * text. Resources stand in the order of files and lines, the dependencies of each sorted by
 * address, providers by name; the content of each does not depend on which file it stood in.
 * options may be NULL. False after diagnostics, as many as can be found in one go.
 */
__attribute__((warn_unused_result)) bool stack_load(struct world *world, const char *folder, const struct kinds *kinds,
						    const struct load_options *options, struct arena *arena,
						    struct sources *sources, const struct provider_schema *schemas,
						    size_t schema_count, struct stack *ret,
						    struct diagnostics *diagnostics);

#endif
