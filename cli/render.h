#ifndef TRUEUP_CLI_RENDER_H
#define TRUEUP_CLI_RENDER_H

#include "base/buffer.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/redaction.h"
#include "base/source.h"
#include "base/value.h"
#include "cli/palette.h"
#include "reconcile/apply.h"
#include "reconcile/plan.h"
#include "reconcile/recover.h"

/* What a run that did not end has done to an object. */
struct unfinished_item {
	struct slice address;
	struct slice fields;	  /* that it was setting, joined by ", "; empty: all that it did is recorded */
	struct slice owed;	  /* that it switched off meanwhile, likewise; empty: none is off still */
	struct slice moved;	  /* that its deletion has moved and that go back, likewise */
	bool leaves;		  /* it was deleting it */
	bool makes;		  /* it was making it */
	const char *why;	  /* what is left of it instead, in words of its own, or NULL */
	struct slice provider_id; /* of what it has left behind; else empty */
	struct slice run;	  /* its id, where a call of it is open; else empty */
};

/* A field that no read gives back, or that was not asked for: a drift that finds nothing has not looked at it. */
struct uncompared {
	const struct kind *kind;
	const struct field *field;
	size_t count; /* of the objects that were made with it; of those that it was not asked of */
};

/* What a command found and did, for renderers to show. What a command does not fill in is
 * left out. Everything is borrowed. */
struct report {
	const char *command;
	struct arena *arena;
	const struct sources *sources;
	struct diagnostics *diagnostics;
	const struct json_style *style;
	const struct redaction *redaction; /* of what is split into lines before it is written; or NULL */

	const struct plan *plan;
	bool is_drift;	       /* the plan is what the record says against what is there */
	struct slice digest;   /* approval digest of the plan */
	struct slice spec;     /* digest of the spec's files, or empty */
	const char *plan_path; /* where the plan was saved, or NULL */
	struct slice folder;   /* of the stack, where the plan was saved and -C named it; else empty */
	/* Names of the providers asked, "aws, metal.b", where some are simulated and others are not; else empty. */
	struct slice simulated;
	struct slice real;

	size_t call_count;		/* sent while what the plan says was found out */
	const struct recovery *outlook; /* calls whose outcome is not known, or NULL */
	const struct unfinished_item *unfinished;
	size_t unfinished_count;
	const struct lease_holder *at_work; /* another run, which may have sent some of those calls, or NULL */
	size_t unrecorded_count;	    /* of a drift, or a destroy: what is this stack's and in no record */
	const struct unwatched *unlisted;   /* what could not be looked for without being recorded */
	size_t unlisted_count;
	size_t unlooked_count; /* of a drift: these, and what was expected and could not be looked for either */
	const struct uncompared *uncompared; /* of a drift: fields that it says nothing of */
	size_t uncompared_count;
	const struct uncompared *unasked; /* likewise: those that take a call of their own and that no spec sets */
	size_t unasked_count;
	bool undoes_refused; /* each call of the run that the plan undoes was refused */

	const struct apply *applied;
	bool applied_saved;   /* what was applied is a plan file: where it was done in part it is refused from now on */
	int64_t elapsed_ms;   /* of the apply */
	struct value outputs; /* MAP of those that are known, or null */
	const struct stack_output *all_outputs; /* that the spec has */
	size_t all_output_count;

	struct slice text; /* of a command with a form of its own, ready for the terminal */
	struct value data; /* the same as a MAP: its members go to the top of the document */
	int status;
};

enum { RENDER_INLINE_BYTES = 110 };

/* Renderers write; where it goes is the matter of sinks.h. */
struct renderer {
	const char *name;
	bool for_people; /* not a document */
	/* As soon as there is a plan, before anybody is asked; NULL: nothing until the end. */
	void (*plan)(struct buffer *buffer, const struct report *report, const struct palette *palette);
	void (*end)(struct buffer *buffer, const struct report *report, const struct palette *palette);
};

extern const struct renderer render_text, render_json;

/* In order of the table; NULL past the end. */
const struct renderer *renderer_at(size_t index);
/* NULL where there is none of that name. */
const struct renderer *renderer_named(struct slice name);

/* Diagnostics for people, with their source lines: sorted and without repeats. redaction: what source lines must not
 * show, or NULL. */
void render_diagnostics(struct buffer *buffer, const struct sources *sources, struct diagnostics *diagnostics,
			struct arena *scratch, const struct palette *palette, const struct redaction *redaction);
/* Of outputs that are known, a MAP in the order of the spec's: the one of that name, or NULL. Asked for those of the
 * spec in turn; *next: 0 at first. */
const struct value *render_next_output(const struct value *outputs, struct slice name, uint32_t *next);
/* On one line, as a spec would have it; secrets as "secret~9c1e77aa". */
void render_value(struct buffer *buffer, const struct value *value, const struct json_style *style);
/* What an output of the spec comes to; value: NULL where that is not known, of which it says why. */
void render_output(struct buffer *buffer, const struct stack_output *output, const struct value *value,
		   const struct json_style *style);
/* The value with such a text, in arena, for each secret; what has none is shared. */
struct value render_hidden(const struct value *value, const struct json_style *style, struct arena *arena);
/* Whether that is more than a line takes. */
bool render_is_long(const struct value *value, const struct json_style *style);
/* On lines: a text as it is, a list or a map with a line for each item that fits on one. Not
 * safe for a terminal yet: see print_safe(). */
void render_lines(struct buffer *buffer, const struct value *value, const struct json_style *style);
/* As json_write(); a cap that is passed shows in the buffer. */
void render_as_json(struct buffer *buffer, const struct value *value, const struct json_style *style);

#endif
