#ifndef TRUEUP_SPECS_SECTIONS_H
#define TRUEUP_SPECS_SECTIONS_H

#include "specs/loading.h"

/* The top-level keys that are not kinds: stack, vars, settings, providers, address_space, outputs. */

/* Reads every section of every file, and reports top-level keys that are neither section nor
 * kind. Outputs are only gathered: they are evaluated once the resources are known. */
void sections_read(struct loading *loading);
/* Evaluates the outputs that sections_read() gathered. */
void sections_outputs(struct loading *loading, const struct stack_output **ret, size_t *ret_count);
/* Whether a top-level key is a section's. */
bool sections_have(struct slice name);

/* The handlers that have files of their own. value: what stands behind the key, in one file. */
void variables_read(struct loading *loading, const struct value *value);
/* Once all files' variables are read: values from the command line and the environment. */
void variables_finish(struct loading *loading);
void provider_blocks_read(struct loading *loading, const struct value *value);
void address_space_read(struct loading *loading, const struct value *value);

#endif
