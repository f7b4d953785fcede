#ifndef TRUEUP_PROVIDERS_SIM_CALL_H
#define TRUEUP_PROVIDERS_SIM_CALL_H

#include "base/arena.h"
#include "base/buffer.h"
#include "providers/sim/sim_state.h"

/* One call of an AWS action: its parameters, and the answer as it is written. */

enum sim_service {
	SIM_EC2,
	SIM_AUTOSCALING,
	SIM_STS,
	SIM_SERVICE_COUNT,
};

struct sim_call;

struct sim_action {
	const char *name;
	void (*run)(struct sim_call *call);
	/*
	 * The parameters, in their names on the wire, apart by spaces:
	 *   Name           a text         Name:i a whole number   Name:b a boolean   Name:t a time
	 *   Name!          required       Name[] a list           Name{...} members
	 *   Name=answer    how answers spell it, where that is not Name (EC2: with a small first letter)
	 * in this order: Name=answer:i![]{...}. EC2's DryRun is understood everywhere.
	 */
	const char *parameters;
	const void *data; /* the action's own, e.g. a struct sim_listing */
};

struct sim_family {
	enum sim_service service;
	const struct sim_action *actions;
	size_t count;
};

struct sim_shape {
	const char *name;
	const char *answer;
	char type; /* 's', 'i', 'b', 't', or 'm' with members */
	bool required, list;
	const struct sim_shape *members;
	size_t member_count;
};

struct sim_call {
	struct sim *sim;
	struct sim_region *region;
	enum sim_service service;
	const struct sim_action *action;
	const struct sim_shape *shape; /* of the whole request */
	struct arena *arena;	       /* the call's own */
	struct node request;	       /* names in arena: never copied into a thing's tree */
	struct buffer *out;
	bool failed;
	const char *code;
	char message[1024];
	bool stale;	    /* does not see what is new */
	bool fails_later;   /* what it makes is given up before it is ready */
	int64_t lingers_ms; /* it is ready so much later */
	char id[37];	    /* of the request */
};

/* Runs the action named in a form body. service and region: what the host or signature says. */
void sim_query(struct sim_call *call, struct slice form);
/* The answer's HTTP status; call->out is the body. */
int sim_query_status(const struct sim_call *call);
/* Writes the answer of a failed call. */
void sim_query_error(struct sim_call *call);

/* The first failure of a call is the one that is told. */
__attribute__((format(printf, 3, 4))) void sim_fail(struct sim_call *call, const char *code, const char *format, ...);

/* For messages that stand in tables: what stands in for the "%s" in it. */
void sim_fail_about(struct sim_call *call, const char *code, const char *message, struct slice what);

/* Parameters of the call. */
bool sim_given(const struct sim_call *call, const char *name);
struct slice sim_text(const struct sim_call *call, const char *name);
bool sim_flag(const struct sim_call *call, const char *name, bool otherwise);
int64_t sim_number(const struct sim_call *call, const char *name, int64_t otherwise);

/* The thing whose id a parameter gives, or a failed call and NULL. */
struct sim_object *sim_need(struct sim_call *call, enum sim_type_number type, const char *parameter);
struct sim_object *sim_need_id(struct sim_call *call, enum sim_type_number type, struct slice id);
/* Whether it is newer than what a stale call sees. */
bool sim_is_unseen(const struct sim_call *call, const struct sim_object *object);
/* Fails the call for an id of which there is none. */
void sim_absent(struct sim_call *call, const struct sim_type *type, struct slice id);
/* Fails, with code, where a region has that many things of type already. */
bool sim_within_quota(struct sim_call *call, enum sim_type_number type, enum sim_setting quota, const char *code,
		      const char *noun);

/* Copies what request holds, of the members of the parameter at path, into body under the answers' names. */
void sim_copy_parameter(struct sim_call *call, const char *path, struct node *body);
void sim_copy_members(const struct sim_shape *shape, const struct node *request, struct node *body);
const struct sim_shape *sim_shape_member(const struct sim_shape *shape, const char *path);
/* Reads a table of parameters. Lives in arena. */
struct sim_shape *sim_shape_read(struct arena *arena, const char *text, enum sim_service service);
/* Checks call->request against call->shape: unknown, missing and ill-typed parameters fail the call. */
void sim_shape_check(struct sim_call *call);
/* Reads a form body into call->request. */
void sim_form_read(struct sim_call *call, struct slice form);
/* Of a form: '+' is a space. False where a '%' is not followed by two hex digits. */
bool sim_url_decode(struct arena *arena, struct slice text, struct slice *ret);

/* Writing the answer. */
void sim_out_open(struct sim_call *call, const char *name);
void sim_out_close(struct sim_call *call, const char *name);
void sim_out_text(struct sim_call *call, const char *name, struct slice text);
void sim_out_string(struct sim_call *call, const char *name, const char *text);
void sim_out_node(struct sim_call *call, const char *name, const struct node *node);
/* The members of a map, without an element of its own. */
void sim_out_members(struct sim_call *call, const struct node *map);
void sim_out_return(struct sim_call *call);
const char *sim_item_name(const struct sim_call *call);

/* Listings. */
struct sim_filter {
	const char *name;
	const char *path; /* in the thing's tree */
	/* Or: whether the thing has a value that accepts; for what its tree does not say. */
	bool (*match)(struct sim_call *call, const struct sim_object *object, const struct node *body,
		      const struct node *values);
};

struct sim_listing {
	enum sim_type_number type;
	const char *set;  /* the element that holds the items */
	const char *ids;  /* the parameter that lists ids, or NULL */
	const char *keys; /* the parameter that lists names (second keys), or NULL */
	const struct sim_filter *filters;
	size_t filter_count;
	int64_t page_least, page_most; /* 0: no pages */
	const char *page_parameter;    /* NULL: MaxResults */
	bool ids_exclude_pages;
	bool (*keep)(struct sim_call *call, const struct sim_object *object, const struct node *body);
	/* The members of an item; NULL: the tree. */
	void (*write)(struct sim_call *call, const struct sim_object *object, const struct node *body);
	const char *absent_key_code;
	const char *absent_key_message; /* one %s */
};

/* The handler of every plain Describe: call->action->data is its struct sim_listing. */
void sim_describe(struct sim_call *call);
/* '*' any text, '?' any character, '\' takes the next literally. */
bool sim_wildcard(struct slice pattern, struct slice text);
bool sim_matches(const struct node *values, struct slice text);
/* For listings that are not of one table: an offset as an opaque token. */
void sim_token_write(struct sim_call *call, const char *name, uint64_t offset);
bool sim_token_read(struct sim_call *call, struct slice token, uint64_t *ret);
bool sim_page(struct sim_call *call, const struct sim_listing *listing, int64_t *ret);

/* Tags. */
/* Sets what the request's TagSpecification says for things of type; fails the call for bad ones.
 * Call it with object NULL first, before anything is made. */
void sim_tag_new(struct sim_call *call, const char *type, struct sim_object *object);
/* Sets a tag in a tree's tagSet. */
void sim_tag_set(struct node *body, struct slice key, struct slice value);

extern const struct sim_family *const sim_families[];

#endif
