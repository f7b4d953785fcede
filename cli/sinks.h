#ifndef TRUEUP_CLI_SINKS_H
#define TRUEUP_CLI_SINKS_H

#include "base/buffer.h"
#include "base/redaction.h"
#include "base/world.h"
#include "cli/render.h"

/* Where a report goes, and in which forms: --output FORMAT[=PATH], any number of times. */
struct sink {
	const struct renderer *renderer;
	const char *path; /* NULL: standard output */
	const struct palette *palette;
	struct buffer buffer;
	bool failed; /* a write to standard output went wrong, which sinks_end() tells */
};

struct sinks {
	struct world *world;
	const struct redaction *redaction; /* of files; the world sees to standard output. NULL: nothing */
	struct sink *items;
	size_t count;
};

__attribute__((warn_unused_result)) bool sinks_open(struct sinks *sinks, struct world *world,
						    const struct arguments *arguments, struct arena *arena,
						    struct diagnostics *diagnostics);
/* Whether the result goes to standard output and nowhere else, and not as a document. */
bool sinks_only_talk(const struct sinks *sinks);
void sinks_close(struct sinks *sinks);
/* Once there is a plan; once, if at all, before sinks_end(). */
void sinks_plan(struct sinks *sinks, const struct report *report);
/* False after a diagnostic where a file could not be written or the reader has gone. */
__attribute__((warn_unused_result)) bool sinks_end(struct sinks *sinks, const struct report *report,
						   struct diagnostics *diagnostics);

#endif
