#ifndef TRUEUP_BASE_SOURCE_H
#define TRUEUP_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

/* A place in a text a user wrote. line 0 means: no position known. */
struct position {
	uint32_t line;	 /* from 1 */
	uint16_t column; /* from 1, in bytes; UINT16_MAX for all beyond */
	uint16_t file;	 /* index into struct sources */
};

/* A value that a search for what it reads as does not find: it is written with escapes, over several lines, or with
 * expressions. */
struct span {
	struct position from;
	struct slice text; /* within that of the source */
	bool hidden;	   /* it is not to be shown */
};

struct source {
	struct slice name;  /* as the user would type it: relative to where the command runs */
	struct slice text;  /* empty where the text was not kept */
	struct span *spans; /* borrowed like the texts, in their order */
	size_t span_count;
};

struct sources {
	struct source *items; /* owned */
	size_t count;
	size_t capacity;
};

void sources_init(struct sources *sources);
void sources_release(struct sources *sources);
/* name and text are borrowed and must outlive sources. Returns the file's index. At most UINT16_MAX - 1 files. */
uint16_t sources_add(struct sources *sources, struct slice name, struct slice text);
/* "net/web.yaml:14:3" in arena, or an empty slice for no position. */
struct slice sources_place(const struct sources *sources, struct position position, struct arena *arena);
/* The text of the line without its end, or an empty slice. O(bytes before it). */
struct slice sources_line(const struct sources *sources, struct position position);
/* Hides the span that begins there, if one does; gives its text, or an empty slice. */
struct slice sources_hide(struct sources *sources, struct position position);
/* <0, 0, >0: by file, line, column; no position last. */
int position_compare(struct position a, struct position b);

#endif
