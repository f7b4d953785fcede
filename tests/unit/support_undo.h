#ifndef TRUEUP_TESTS_UNIT_SUPPORT_UNDO_H
#define TRUEUP_TESTS_UNIT_SUPPORT_UNDO_H

#include <stdbool.h>

/*
 * Undoings as rows. A row gives, for each of t.net.a, t.user.b, t.user.c and t.net.ab,
 * the fields that the run found, left, and that are recorded now, as JSON; NULL: nothing is recorded.
 */
enum { UNDO_ADDRESSES = 4 };

#define SECRET_OF(letter) "{\"$secret\":\"" LETTERS(letter) "\"}"
#define AROUND(text, letter) "{\"$segments\":[\"" text "\"," SECRET_OF(letter) "]}"
#define LETTERS(letter) FOUR(FOUR(FOUR(letter)))
#define FOUR(letter) letter letter letter letter

enum undo_behind {
	BEHIND_STILL,	      /* the run did not touch it */
	BEHIND_TRIED,	      /* the run was to delete it */
	BEHIND_DELETED,	      /* by the run */
	BEHIND_DELETED_LATER, /* by another */
	BEHIND_LOST,	      /* somebody has deleted it */
	BEHIND_BACK,	      /* the run took it back: it is what it left, and what is recorded now */
	BEHIND_BACK_LATER,    /* another did: it is what is recorded now */
	BEHIND_BY_RUN,	      /* the run left it so, and a later one deleted it */
};

struct undo_forms {
	const char *was, *left, *now;
};

struct undo_row {
	const char *name;
	struct undo_forms forms[UNDO_ADDRESSES];
	struct undo_forms ignored;  /* of t.net.a, LISTs of fields; NULL: an older program's */
	const char *left_to_others; /* what is to be recorded of that then; NULL: not told */
	const char *restores;	    /* what fields of t.net.a that are not set go back to; NULL: not told */
	const char *spec;	    /* fields of t.net.a in the spec, secrets as {"$secret":...} of their letter */
	const char *variable;	    /* what the one secret variable of the spec holds, or NULL */
	const char *seen;	    /* what t.net.a was like when the run found it */
	const char *let_go;	    /* what a deletion that did not end had taken out of t.net.a then, or NULL */
	const char *user_let_go;    /* likewise out of t.user.b */
	const char *wanted;	    /* desired fields of the resources, by address */
	const char *planned;	    /* addresses, separated by spaces */
	/* What an undoing of the run, which was the last to change it, found; "": nothing. NULL: there was none. */
	const char *found[UNDO_ADDRESSES];
	const char *between;	/* what t.net.a was between two later runs; NULL: one at most has changed it since */
	bool renames;		/* the second of these changed nothing but the record */
	bool stale;		/* users are recorded as referring to t.net.a, whatever their fields say */
	bool begun;		/* what is recorded of t.net.a now is not finished */
	const char *unfinished; /* forms of t.user.b that were only begun: "was", "left" */
	const char *unseen;	/* forms of t.net.a that are but a call of which nothing came: "was", "left", "now" */
	bool replaced;		/* what the run found at t.net.a was another object */
	/* What a replace had left behind at t.net.a when the run began, as fields; NULL: nothing. And what became of
	 * it. What the run found at t.user.b lay in that. */
	const char *behind;
	enum undo_behind behind_is;
	const char *lodger;  /* what a later run found at t.user.b, and lay in that, before it made it anew */
	bool left_over;	     /* another is left behind there, that was not so when the run began */
	const char *leaving; /* last digits of the ids of what goes of these; NULL: nothing */
	const char *gone; /* addresses of what is recorded and not there, separated by spaces; NULL: nothing was read */
	const char *watched; /* fields of t.net.a that the plan is to look at, separated by spaces; NULL: not told */
	const char *said;    /* part of a note or, where it fails, of the error */
	bool fails;
};

/* Fails under the row's name where something else comes out. */
void undo_check_row(const struct undo_row *row);

#define OTHER "{\"$deferred\":\"${t.user.c.id}\"}"
#define NET "{\"$deferred\":\"${t.net.a.id}\"}"
#define NET_AB "{\"$deferred\":\"${t.net.ab.id}\"}"

#endif
