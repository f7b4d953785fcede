#ifndef TRUEUP_BASE_REDACTION_H
#define TRUEUP_BASE_REDACTION_H

#include <limits.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/value.h"

/*
 * The secrets that are known, and the forms in which a text may repeat them: as they are, with
 * the escapes of JSON, XML, URLs and terminals, and within base64 at any of its three alignments, also
 * where that is broken over lines. For every text that leaves the program, whoever wrote it: a service's
 * error may echo what it was sent.
 */
/* Stands where a secret was. */
#define REDACTION_MARK "(secret)"

enum {
	/* What is shorter is found everywhere, and struck out would tell where. */
	REDACTION_LEAST_BYTES = 6,
	REDACTION_PAGES = 64,
};

struct redaction_page; /* of the texts that are struck out */

/* By how a text begins. Most runs know a handful of secrets: a page is made for what falls on it; NULL: nothing does.
 */
struct redaction_table {
	struct redaction_page *pages[REDACTION_PAGES];
};

struct redaction {
	struct arena arena; /* of all that is in the tables */
	size_t count;	    /* of forms; 0: nothing is struck out */
	struct redaction_table forms;
	struct redaction_table base64; /* of the forms that may be broken over lines */
	bool starts[UCHAR_MAX + 1];    /* whether any may begin with that byte, as it is or as an escape */
};

void redaction_init(struct redaction *redaction);
/* Wipes what it knew. */
void redaction_release(struct redaction *redaction);
/* Also line by line where it has several: a text may quote one of them, or indent each. */
void redaction_add(struct redaction *redaction, struct slice secret);
/* Each line that has at least so many bytes; borders of keys, and what has quotes, aside. */
void redaction_add_lines(struct redaction *redaction, struct slice secret, size_t least_bytes);
/* Every secret within value that is here in clear. */
void redaction_add_value(struct redaction *redaction, const struct value *value);
/* The first form of a secret within text, the longest that begins there; empty: it has none. */
struct slice redaction_find(const struct redaction *redaction, struct slice text);
/* Whether text has a form of a secret. */
bool redaction_finds(const struct redaction *redaction, struct slice text);
/* Appends text with "(secret)" in place of each form of a secret. O(text) for any number of secrets: where it begins
 * as some do, it is followed as far as one of them goes. */
void redaction_apply(const struct redaction *redaction, struct slice text, struct buffer *ret);
/* The same of a text that is shown within another; redaction may be NULL: nothing is struck out. The result lies in
 * arena where it is not text itself. */
struct slice redaction_shown(const struct redaction *redaction, struct slice text, struct arena *arena);

#endif
