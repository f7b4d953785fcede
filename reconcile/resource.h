#ifndef TRUEUP_RECONCILE_RESOURCE_H
#define TRUEUP_RECONCILE_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/map.h"
#include "base/names.h"
#include "base/slice.h"
#include "base/source.h"
#include "base/value.h"
#include "reconcile/kind.h"

/* Which phase of the referring resource waits for the target. */
enum binding {
	BINDS_MAKE,   /* the reference stands in a field of the resource itself */
	BINDS_SETTLE, /* it stands in a part that has calls of its own */
	BINDS_WHOLE,  /* depends_on: waits until the target is made and settled */
};
extern const struct names binding_names;

/* One reference from a resource to another; several between the same two are merged into
 * one for each (binding, mutable, field, output). */
struct dependency {
	struct slice address; /* of the target */
	struct slice output;  /* referred to; empty for depends_on */
	struct slice field;   /* top-level field it stands in; empty for depends_on */
	enum binding binding;
	bool immutable; /* a new target needs a new referrer */
	struct position position;
};

/* The order of an object's dependencies, by address first; 0: they are one. */
int dependency_compare(const struct dependency *a, const struct dependency *b);

/* Whether one before it in a list of that order has the same target. */
static inline bool dependency_repeats(const struct dependency *dependencies, size_t index)
{
	return index > 0 && slice_equal(dependencies[index - 1].address, dependencies[index].address);
}

/* Whether depends_on says so, and no field. */
static inline bool dependency_is_explicit(const struct dependency *dependency)
{
	return dependency->output.size == 0 && dependency->field.size == 0;
}

enum choice {
	CHOICE_UNSET,
	CHOICE_NO,
	CHOICE_YES,
};

/* What the spec says should exist. */
struct resource {
	struct slice address; /* "aws.vpc.train" */
	struct slice name;    /* "train" */
	const struct kind *kind;
	struct position position;
	/* MAP of the fields given, canonical: references are deferred (or literal ids), CIDRs
	 * in canonical form, sets in canonical order, defaults not filled in. Null is unset. */
	struct value desired;
	struct slice provider; /* "aws", or an alias "aws.east" */
	const struct dependency *dependencies;
	size_t dependency_count;
	bool protect;			   /* lifecycle.protect */
	enum choice create_before_destroy; /* lifecycle.create_before_destroy */
	const struct slice *ignored;	   /* lifecycle.ignore: top-level fields left to others */
	size_t ignored_count;
	/* Of an undoing: fields that its run did not change and that refer to others. They are left alone, too, but
	 * where what they refer to becomes another one. */
	const struct slice *follows;
	size_t follows_count;
	/* Of an undoing, whose plan leaves alone all that the run did not change, too: LIST of the fields that the spec
	 * left to others, to be recorded so; else null. */
	struct value left_to_others;
	/* Of an undoing: MAP of what fields that are not set go back to, whatever their rule; else null. */
	struct value restores;
	/* Of an undoing: the run made it in the place of another, which had none of what is not set here. */
	bool remade;
	/* Of an undoing: the run deleted the old one before it made that. Where create_before_destroy cannot be had, so
	 * does the undoing. */
	bool ended_first;
	bool stands; /* nothing is done to it, whatever has moved: it is there for what refers to it */
};

/* A provider block: an alias and its settings. */
struct provider_settings {
	struct slice name; /* "aws" or "aws.east" */
	struct position position;
	struct value settings; /* MAP, known values only: settings may use vars, never resources */
};

struct stack_output {
	struct slice name;
	struct value value; /* possibly deferred */
	struct position position;
};

/* A whole stack as the spec has it, in order of files and lines; wherever order shows, it
 * is sorted by address. Everything lives in the arena that it was loaded into. */
struct stack {
	struct slice name;
	const struct resource *resources;
	size_t resource_count;
	const struct provider_settings *providers; /* one for each alias in use, also without a block */
	size_t provider_count;
	const struct stack_output *outputs;
	size_t output_count;
	int64_t max_delete;	/* settings.max_delete, or -1 */
	struct value variables; /* LIST of what its variables hold, also of those that nothing uses */
	/* From each address to its struct resource, as the loader made it; else NULL. Read by stack_addresses() alone.
	 */
	const struct map *addresses;
};

/* From each address to its struct resource: the stack's own index, or *spare, which is filled for a stack that has
 * none, or that took one over from another with other resources. */
const struct map *stack_addresses(const struct stack *stack, struct map *spare);

/* Who answers for an object: never the alias. */
struct identity {
	struct slice provider;	/* "aws" */
	struct slice partition; /* "aws", "aws-cn"; empty where there is none */
	struct slice account;
	struct slice region;
	struct slice endpoint; /* what tells a simulator or a private endpoint from the real one; empty: the real one */
};

/* Whether an address is one of a kind: "aws.vpc.main", of "aws.vpc". */
bool address_is_of(struct slice address, struct slice kind);
/* "main", of such an address. */
struct slice address_name(struct slice address, struct slice kind);

bool identity_equal(const struct identity *a, const struct identity *b);
/* The same for all that may be one place, reached by other ways: an endpoint is but the name of one where it is known
 * whose the place is. A simulated world is a place of its own. Borrowed from identity. */
struct identity identity_any_way(const struct identity *identity);
bool identity_same_place(const struct identity *a, const struct identity *b);
/* "aws:123456789012:us-west-2", with "@endpoint" behind where there is one. */
struct slice identity_text(struct arena *arena, const struct identity *identity);
/* For people: "aws account 123456789012, region us-west-2, endpoint sim:". */
struct slice identity_told(struct arena *arena, const struct identity *identity);
/* The one spelling under which an endpoint is known, however a setting or an older record spells it: a URL, or several,
 * "ec2=http://a sts=http://b"; a simulator stays as it is. In arena, or borrowed. */
struct slice identity_endpoint(struct arena *arena, struct slice endpoint);
__attribute__((warn_unused_result)) bool identity_read(struct arena *arena, struct slice text, struct identity *ret);

enum object_role {
	OBJECT_CURRENT,
	OBJECT_DEPOSED,	   /* replaced, its delete not recorded yet */
	OBJECT_INCOMPLETE, /* its create was sent; id or settling may lack */
};
extern const struct names role_names;

/* More replaces than any object lives through: what claims more was not counted. */
enum { GENERATION_MOST = INT32_MAX };

/* What is recorded of something that was made. The head is always loaded; the body (from
 * outputs on) only where it is needed. */
struct object {
	struct slice address;
	struct slice object_id; /* 32 hex digits, random (but a twin's), ours; also in the ownership tags */
	struct slice kind;
	unsigned kind_version;
	enum object_role role;
	int64_t generation;
	struct slice provider_id; /* "vpc-0abc"; empty until known */
	struct identity identity;
	struct slice provider; /* the alias it was made through, only for messages */
	/* Digest of the desired form when last applied without a difference left, and of what
	 * it referred to: both equal prove "unchanged" without decoding the body. All zero: never. */
	struct digest symbolic;
	struct digest inputs;
	struct digest outputs_digest;
	/* Of the token of the last change that is known to be done, in the body: the next one has another, though it be
	 * the same change. All zero: none was. */
	struct digest spent_token;
	int64_t created_ms; /* wall */
	bool protect;

	bool is_found; /* its tags told its id, which is not recorded yet */
	bool has_body;
	bool tells_secret;	 /* `applied` is recorded in clear where it has a secret by now: object_secrets.h */
	struct value outputs;	 /* MAP */
	struct value applied;	 /* MAP, symbolic: what the spec set, deferred values as such */
	struct value resolved;	 /* MAP: the same with values in place */
	struct value observed;	 /* MAP: live fields after the last apply */
	struct value unfinished; /* what a run began to do to it: unfinished.h; or null */
	struct value let_go;	 /* MAP, symbolic: what a deletion that did not end took out of `applied`; or null */
	/* MAP: what it has of its own in sets and attachments though `resolved` does not say so: the spec left it to
	 * others since, or a rebuild found it; or null. See own_items.h. */
	struct value own;
	struct value released; /* LIST of paths: what the spec has let go of; or null. See released.h. */
	struct value ignored;  /* LIST of fields it was left to others; null: an older program's */
	const struct dependency *dependencies; /* as recorded; positions are lost */
	size_t dependency_count;
};

/* <0, 0, >0: by address, role and object id, the order in which the store gives them. */
int object_compare(const struct object *left, const struct object *right);
/* Whether it was once all that it was to be, whatever came of it since. The body is loaded. */
bool object_was_finished(const struct object *object);
/* Whether a call was to make it, and nothing was seen yet of what came of that. */
bool object_was_never_seen(const struct object *object);
/* Whether recovery swept it up (recover_twin()): it was never what its address stands for. The body is loaded. */
bool object_is_twin(const struct object *object);
/* The digest of a resource's desired form: kind, version, fields, lifecycle; not positions. */
struct digest resource_symbolic(const struct resource *resource, const struct json_style *style, struct arena *scratch);
/* The same for who asks for many: the text that is digested is written into a buffer that serves them all, set up by
 * resource_symbolic_init(). */
void resource_symbolic_init(struct buffer *text);
struct digest resource_symbolic_in(struct buffer *text, const struct resource *resource, const struct json_style *style,
				   struct arena *scratch);
/* Where what was shown once may not have come to its place: as if it had been made without, so that the plan makes
 * another instead. */
void object_discard_shown(struct object *object, struct arena *arena);
/* Whether a LIST of fields that are left to others has the name; false where it is none. O(count). */
bool ignored_has(const struct value *list, struct slice name);
/* Whether the spec leaves the field to others: of an undoing, the spec of then. */
bool resource_leaves(const struct resource *resource, struct slice name);
/* Whether both have the same names, or one of them is an older program's. */
bool ignored_equal(const struct value *a, const struct value *b);
/* The names of such a LIST, or of any other, in order, each once: however they were written, they mean the same. */
struct value ignored_in_order(const struct value *list, struct arena *arena);
/* Names of fields as a body keeps them, a LIST, and back. */
struct value ignored_write(const struct slice *names, size_t count, struct arena *arena);
const struct slice *ignored_read(const struct value *list, struct arena *arena);

/* dependencies.c */
/* Whether one of them is of the same field, output and address. */
bool dependencies_have(const struct dependency *dependencies, size_t count, const struct dependency *wanted);
/* LIST of the addresses that depends_on names among them, in order, each once. */
struct value dependencies_explicit(const struct dependency *dependencies, size_t count, struct arena *arena);
/* Dependencies as a body keeps them, a LIST, and back, but for their positions. False where one names no address or no
 * binding. */
struct value dependencies_write(const struct dependency *dependencies, size_t count, struct arena *arena);
__attribute__((warn_unused_result)) bool dependencies_read(const struct value *list, struct arena *arena,
							   struct dependency **ret);

/* object_body.c */
/* Body to and from the text that the store keeps (canonical JSON). */
struct slice object_body_write(const struct object *object, struct arena *arena, const struct json_style *style);
__attribute__((warn_unused_result)) bool object_body_read(struct object *object, struct slice text, struct arena *arena,
							  struct diagnostics *diagnostics);
/*
 * With its body. False after a diagnostic where head and outputs name two things: by a wrong id what is there counts as
 * gone and is made once more, and is taken for left over itself. kind: its own, or NULL where it is not known.
 */
__attribute__((warn_unused_result)) bool object_check_id(const struct object *object, const struct kind *kind,
							 struct arena *arena, struct diagnostics *diagnostics);

#endif
