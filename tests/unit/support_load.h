#ifndef TRUEUP_TESTS_UNIT_SUPPORT_LOAD_H
#define TRUEUP_TESTS_UNIT_SUPPORT_LOAD_H

#include "base/buffer.h"
#include "specs/load.h"

/* What the tests of the loader share: a folder in memory, and a load of it as text. */

enum { FOLDER_FILES_MOST = 8 };

struct folder {
	struct world world;
	struct slice names[FOLDER_FILES_MOST];
	struct slice texts[FOLDER_FILES_MOST];
	size_t count;
	const char *const *environment; /* name, value, name, value, NULL; or NULL */
	const char *unreadable;		/* the file that cannot be read, or NULL */
};

/* files: one behind the other, each after a line "=== name". */
void folder_init(struct folder *folder, const char *files);

struct loaded {
	struct arena arena;
	struct diagnostics diagnostics;
	struct sources sources;
	struct stack stack;
	struct buffer text;
	bool good;
};

void loaded_start(struct loaded *loaded, struct folder *folder, const struct load_options *options);
void loaded_end(struct loaded *loaded);
/*
 * The stack in a form that says nothing of files and lines, or its diagnostics, one a line:
 * "file:line:column: message (hint) <related> [address]".
 */
const char *loaded_text(struct loaded *loaded);

/* One load and what is expected of it. */
struct load_row {
	const char *name;
	const char *files;
	const char *expected; /* loaded_text() */
};

/* Loads each row and says which come out differently. Returns how many. */
size_t load_rows_check(const struct load_row *rows, size_t count);

#endif
