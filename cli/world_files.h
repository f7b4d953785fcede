#ifndef TRUEUP_CLI_WORLD_FILES_H
#define TRUEUP_CLI_WORLD_FILES_H

#include <sys/types.h>

#include "base/world.h"

/* The part of the real world that is files; see struct world for the contracts. */

/* Only a regular file: "-" is a name like any other, and what could block or has no end
 * (folder, device, pipe) is refused. */
bool world_read_file(struct world *world, struct arena *arena, const char *path, size_t limit_bytes, struct slice *ret,
		     struct diagnostics *diagnostics);
/* The mode is exact, whatever the umask. Where path exists it must be a regular file; a
 * link is refused, as it would be replaced and not followed. */
bool world_write_file(struct world *world, const char *path, struct slice text, unsigned mode,
		      struct diagnostics *diagnostics);
/* Whether a file can be put at path, as far as its folder and its name tell; false after a diagnostic. */
__attribute__((warn_unused_result)) bool world_can_write(const char *path, struct diagnostics *diagnostics);
/* What a thing that is not a regular file is, or NULL where it is one. */
const char *world_file_type(mode_t mode);
/* At most 1,000,000 names. */
bool world_list_folder(struct world *world, struct arena *arena, const char *path, struct slice **ret_names,
		       size_t *ret_count, struct diagnostics *diagnostics);
/* The umask may take away from mode. */
bool world_make_folder(struct world *world, const char *path, unsigned mode, struct diagnostics *diagnostics);
bool world_check_private(struct world *world, const char *path, unsigned forbidden, struct diagnostics *diagnostics);
bool world_remove_file(struct world *world, const char *path, struct diagnostics *diagnostics);

#endif
