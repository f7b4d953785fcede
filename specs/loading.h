#ifndef TRUEUP_SPECS_LOADING_H
#define TRUEUP_SPECS_LOADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "specs/load.h"
#include "specs/overlap.h"

/* What the parts of the loader share while one stack is loaded; seen by them alone. */

enum {
	/* As deep as YAML and JSON may nest. */
	EVALUATED_DEEPEST = 64,
	/* What the expressions of a spec may come to, all together: 20 KB for each of 100,000 resources. */
	EVALUATED_MOST_BYTES = 2000 * 1000 * 1000,
};

/* How far a field of a resource is evaluated. */
enum field_state {
	FIELD_NEW,
	FIELD_ACTIVE, /* under way: whoever asks for it now closes a circle */
	FIELD_DONE,
	FIELD_META, /* no field of the kind: depends_on, lifecycle and the like */
};

/* A reference from one resource to another that was met, in the order of meeting. */
struct meeting {
	uint32_t target;
	uint32_t next;	     /* of the same resource: index + 1 in meetings, 0 at the end */
	const char *field;   /* the top-level field it stands in; NULL for depends_on */
	struct slice output; /* empty for depends_on */
	struct position position;
	uint8_t binding; /* enum binding */
	bool immutable;
	bool names; /* a reference field holds it: the target is looked for where the referrer lives */
};

/* A resource while it is loaded; the one of the same index in resources is what becomes of it. */
struct entry {
	const struct value *block; /* the MAP as written, or an empty one; meta fields too */
	/* The block's members with what they came to, once that is more than what was written. */
	struct value_member *fields;
	const struct deferred *reference;     /* what a reference to its id becomes; NULL until the first */
	uint32_t first_state;		      /* of its members in states */
	uint32_t first_meeting, last_meeting; /* index + 1, 0: none */
	bool shared;			      /* parts of the block may stand elsewhere in the spec as well */
	bool refused;			      /* what was written is no MAP, which was said already */
};

struct variable {
	struct slice name;
	struct value value; /* unread where it has none, which was said already */
	struct position position;
	bool shared; /* its value is that of a name in the environment which other variables may be given by, too */
};

/* A field that waits until it is evaluated. */
struct waiting {
	uint32_t entry;
	uint32_t member;
	struct position position; /* of the reference that asked for it */
	bool active;
};

/* What the table of a kind comes to for each resource of it; those of one kind mostly stand together. */
struct kind_facts {
	const struct kind *kind;
	struct slice provider; /* kind_provider() */
	bool has_secrets;      /* schema_has_secrets() */
	bool follows;	       /* some reference field follows another one */
	const struct field *tags;
};

/* What one file holds. */
struct root {
	const struct value *map;
	bool shared; /* an alias makes parts of it stand in several places */
};

struct loading {
	struct world *world;
	const struct kinds *kinds;
	const struct load_options *options;
	const struct provider_schema *schemas;
	size_t schema_count;
	struct arena *arena;  /* for what outlives the load */
	struct arena scratch; /* for one expression */
	struct arena working; /* for what ends with the load */
	struct sources *sources;
	struct diagnostics *diagnostics;

	struct root *roots; /* owned */
	size_t root_count;
	/* A file was not read to its end: what seems to be missing may stand there. */
	bool cut;

	struct value stack_name; /* null until given */
	struct value max_delete; /* likewise */
	struct map variables;	 /* name to struct variable */
	struct map exported;	 /* name in the environment, as a shell can export it, to the first such variable */
	struct map providers;	 /* name to struct provider_settings */
	struct map ranges;	 /* names in the address space, with their part, to the key's struct value */
	struct address_space space;

	/* A set of the names beneath top-level keys that are no kinds: they are not missing, only misplaced. */
	struct map strays;

	struct map *addresses; /* to struct resource; lives on with the stack */
	struct resource *resources;
	struct entry *entries; /* in working */
	size_t resource_count;
	struct resource *last_target; /* that a reference field named; NULL: it was nothing */
	struct kind_facts facts;      /* of the kind that was asked for last */
	struct slice tags_of;	      /* the provider whose default_tags were asked for last, and those, or NULL */
	const struct value *default_tags;
	uint8_t *states;	  /* in working; enum field_state of every member of every block */
	struct meeting *meetings; /* in working */
	size_t meeting_count, meeting_capacity;
	struct waiting *waiting; /* owned; a stack */
	size_t waiting_count, waiting_capacity;
	struct map outputs; /* name to struct stack_output, its value as written */

	/* How many names may still be compared in search of the nearest: a spec of a hundred
	 * thousand slips must not take a hundred thousand times a hundred thousand comparisons. */
	size_t suggestions_left;
	size_t evaluation_left; /* of EVALUATED_MOST_BYTES; 0: what is left is not evaluated any more, which was said */
};

/* A secret as it was given, though nothing marks it yet: also as it is written, which may be otherwise. */
void loading_hide(struct loading *loading, const struct value *given);
/* Secrets as they come up, so that no message about them, and no line shown with it, tells them. */
void loading_redact(struct loading *loading, const struct value *value);
void loading_redact_fields(struct loading *loading, const struct fields *fields, const struct value *given);
/* The part of it that is left where no field is secret: what was made of secrets. */
void loading_redact_made(struct loading *loading, const struct value *given);
/* The diagnostics from that index on are about the resource, unless they name one already. */
void loading_name_resource(struct loading *loading, size_t from, const struct resource *resource);
#define LOADING_NAME_RULE "a name begins with a letter or '_' and has up to 63 letters, digits, '_' and '-'"
/* [A-Za-z_][A-Za-z0-9_-]{0,62} */
bool loading_is_name(struct slice name);
/* The map that a section or block holds: null counts as an empty one. NULL after a diagnostic;
 * what: "'vars'" in the message. */
const struct value *loading_map(struct loading *loading, const char *what, const struct value *value);
/* Hints at the nearest of the keys of map, if one is near. */
void loading_suggest_key(struct loading *loading, const struct map *map, struct slice name);
/* Hints at the nearest name of a resource of that kind, if one is near. */
void loading_suggest_name(struct loading *loading, const char *kind, struct slice name);
/* The resource at an address, or NULL. */
struct resource *loading_find(const struct loading *loading, struct slice address);
uint32_t loading_index(const struct loading *loading, const struct resource *resource);
/* Whether a name, or that in an address, stands under a key that was refused. */
bool loading_is_stray(const struct loading *loading, struct slice text);
/* Says that nothing has this address, with the nearest one as a hint; false where it stands in what was refused or not
 * read. */
bool loading_report_absent(struct loading *loading, struct slice address, struct position position);

#endif
