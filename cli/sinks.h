#ifndef TRUEUP_CLI_SINKS_H
#define TRUEUP_CLI_SINKS_H

#include "base/buffer.h"
#include "base/redaction.h"
#include "base/world.h"
#include "cli/render.h"
#include "cli/written.h"

/* Where a report goes, and in which forms: --output FORMAT[=PATH], any number of times. */
struct sink {
	struct slice wish; /* as it was given, for messages */
	const struct renderer *renderer;
	const char *path; /* NULL: the stream */
	int stream;	  /* as in world->write(); 0: nobody wants it */
	const struct palette *palette;
	struct buffer buffer;
	bool failed; /* a write to the stream went wrong, which sinks_end() tells */
};

struct sinks {
	struct world *world;
	const struct redaction *redaction; /* of files; the world sees to standard output. NULL: nothing */
	struct written *written;
	struct sink *items;
	size_t count;
	bool changes; /* the command changes something, and whoever does not see what it did must be told so */
	bool unread;  /* else: a reader left before the end, and wants to hear no more */
	bool lost;    /* what sinks_plan_at_terminal() wrote */
};

__attribute__((warn_unused_result)) bool sinks_open(struct sinks *sinks, struct world *world,
						    const struct arguments *arguments, struct arena *arena,
						    struct diagnostics *diagnostics);
/* Whether the result goes to standard output and nowhere else, and not as a document. */
bool sinks_only_talk(const struct sinks *sinks);
/* Whether its files can and may be written. Where not, none of them will be. */
__attribute__((warn_unused_result)) bool sinks_check(struct sinks *sinks, struct diagnostics *diagnostics);
/* Nothing goes to a file any more. */
void sinks_forget_files(struct sinks *sinks);
void sinks_close(struct sinks *sinks);
/* Once there is a plan; once, if at all, before sinks_end(). */
void sinks_plan(struct sinks *sinks, const struct report *report);
/* The same plan on standard error, which is a terminal, unless it was shown on one: it may have gone into a file or a
 * document alone, and nobody can be asked about what they did not see. */
void sinks_plan_at_terminal(struct sinks *sinks, const struct report *report, const struct palette *palette);
/* Whether all that was to be shown so far could be, as far as it is shown at once. */
bool sinks_have_shown(const struct sinks *sinks);
/* False after a diagnostic where something could not be written; a reader may leave a command that changes nothing. */
__attribute__((warn_unused_result)) bool sinks_end(struct sinks *sinks, const struct report *report,
						   struct diagnostics *diagnostics);
/* What sinks_end() says of a stream that could not be written, if anything; false after a diagnostic. */
__attribute__((warn_unused_result)) bool sinks_forgive(struct sinks *sinks, int stream,
						       struct diagnostics *diagnostics);

#endif
