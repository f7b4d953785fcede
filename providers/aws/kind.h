#ifndef TRUEUP_PROVIDERS_AWS_KIND_H
#define TRUEUP_PROVIDERS_AWS_KIND_H

#include "base/value.h"
#include "reconcile/kind.h"
#include "reconcile/provider.h"

/*
 * What the AWS provider knows of a kind, as tables: which operations make, list, change and
 * delete it, and under which member of the API's model each field travels. Names are those
 * of botocore's models; the shapes give their spelling on the wire. A path ("A.B.0.C")
 * steps through structures by name and through lists by number.
 */

struct aws_parameters;

/* A read that a call needs first: the id of an association, say, which no listing of the object tells. */
struct aws_lookup {
	const char *operation;
	const char *id; /* path that takes the object's id, or with `find` the item's */
	const char *const *fixed;
	const char *result; /* path in the answer; nothing there: what is to be taken away is gone already */
	/* The same of an item, where a path cannot say it; NULL: nothing there. */
	const struct value *(*find)(const struct value *answer, const struct value *item);
	const char *member; /* of the call that takes it */
};

/* An operation as a kind uses it. */
struct aws_call {
	const char *operation;	  /* "CreateSubnet" */
	const char *id;		  /* member that takes the object's id; as a list of one where it ends in ".0" */
	const char *id_output;	  /* the output that it takes instead: the id of an association, say */
	const char *const *fixed; /* NULL-terminated pairs of path and text, always sent */
	enum recipe recipe;
	const char *tagged;	     /* type in TagSpecifications: the call tags what it makes */
	const char *token;	     /* member of the idempotency token */
	const char *result;	     /* path of the object's id in the answer */
	const char *const *absent;   /* codes that mean: there is none (any more) */
	const char *const *present;  /* codes that mean: it is so already */
	const char *const *settling; /* codes that pass while what is named is young */
	bool one_field;		     /* takes one field a call */
	bool whole;		     /* takes all of its fields at once, changed or not */
	bool waits;		     /* the object is busy after it: the next call comes once it is ready again */
	bool hands_back;	     /* of a create: one that repeats another answers with what that one made */
	const struct aws_lookup *lookup;
	const char *failures;	  /* path of the failures within an answer that succeeded: [{Error: {Code, Message}}] */
	const char *const *hints; /* NULL-terminated pairs of an error's code and what a user can do */
};

/* A read that gives what the list leaves out, one call an object. */
struct aws_detail {
	const char *operation;
	const char *id; /* path that takes the object's id, or the value of field `of` */
	const char *const *fixed;
	const char *list;   /* path of the list that the answer is; NULL: it is none */
	bool is_always_set; /* what it reads has a value at any time: an answer without one does not tell it */
	/* A field of the list's answer; where it is not set there is nothing to read. The answer then is not of
	 * this object alone, and decode finds the object's id in it as AWS_OWN_ID. A part that is read so is taken off
	 * as the plan has it before the attachment of that field changes, while it still shows. */
	const char *of;
};
#define AWS_OWN_ID "trueup:id"
/* Key of the tag that tells the stack. */
#define AWS_LINEAGE_TAG "trueup:stack"

/* A part that is attached to one other thing at a time (a gateway to its VPC). */
struct aws_attachment {
	struct aws_call attach;
	struct aws_call detach;
	const char *member; /* of both calls: the other side */
};

/* A list, or a set, whose items change by a call each; the items themselves are there as long as the object. */
struct aws_each {
	struct aws_call change;
	/* Path of what is changed of an item: only members that differ are sent. NULL: they travel at the top, by the
	 * path that is their `change`. */
	const char *item;
	const char *name; /* path of what tells which item it is */
	/* The member of the item as it is listed, no SEEN one, that holds it. NULL: as names_output says. */
	const char *name_member;
	/* The output, a list in the order of the items, that holds it. NULL: it is the item's KEY. */
	const char *names_output;
	/* Members that no two items share; NULL-terminated. By these, and else by the recorded names, items that the
	 * service lists in whatever order are known again. */
	const char *const *told_by;
};

/* A number of things that the service chooses: more are asked for in addition, fewer are named. */
struct aws_amount {
	struct aws_call more, fewer;
	const char *number; /* of `more`: how many */
	const char *named;  /* of `fewer`: which */
	/* The output, a list, that tells which there are. What is not recorded there goes first, and then the last. */
	const char *names_output;
};

/* A set whose items have calls of their own. */
struct aws_part {
	struct aws_call add;
	struct aws_call remove;
	struct aws_call change; /* operation NULL: an item that differs is removed and added */
	const char
		*items; /* member that takes several items as a list; NULL: one item a call, its members at the top */
	size_t batch;	/* items a call; 0: one */
	/* The remove call names an item by an id of its own, which the output of that name
	 * (a map by the item's key) holds. */
	const char *removal_member;
	const char *removal_output;
	/* Each item of the list also holds the object's id under this member, and what is fixed. */
	const char *item_id;
	const char *const *item_fixed;
	/* Codes by which `add` says that something else has the item, which takes but one, and the call that takes it
	 * away from there, by what its lookup finds. Only an item that is recorded as this object's own is taken back.
	 */
	const char *const *taken;
	struct aws_call reclaim;
	/* Codes by which `remove` says that the item is the service's own, which people have but changed, and the call
	 * that has it be as it was: with what `remove` names it by, and what is fixed. */
	const char *const *not_ours;
	struct aws_call set_back;
	bool inline_in_create; /* items travel in the create call as the field's own member */
};

struct aws_field {
	struct field field;
	const char *member; /* path in the create call (in items: in the item); NULL: not in the create call */
	const char *read;   /* path in the list's item where that is another; "-": not in the list */
	/* Changes it in place. What shares the first part of its path travels with it: the API
	 * takes a structure as a whole. */
	const struct aws_call *update;
	const struct aws_call *update_first; /* in its place where nothing is set yet; NULL: the same */
	/* In its place where the object has several of the parts that it is of (live.uses tells of the further ones),
	 * and `update` would be refused; NULL: the same. */
	const struct aws_call *update_several;
	const struct aws_call *update_off; /* in its place, without a value, where it becomes false or is cleared, or
					      before it is EXCHANGED */
	/* The field without which this one cannot be true: it becomes false before a value of that one is taken
	 * away, and true again once another is there, though the plan shows no change of it. */
	const char *rests_on;
	/* Path in the update call where that is another than member; "-": the call says it all; "*":
	 * the members of the object travel at the top. */
	const char *change;
	const char *cleared; /* UNSET_CLEAR: JSON text that the update sends instead; NULL: it leaves the member out */
	const char *missing; /* JSON text: what it means that an answer leaves it out; NULL: not set */
	bool shown;	     /* the model calls it sensitive; shown all the same where the spec gives it in clear */
	const struct aws_detail *detail; /* gives it, under `read` in that answer */
	const struct aws_attachment *attachment;
	const struct aws_part *part;
	const struct aws_each *each;
	const struct aws_amount *amount;
	/* Of a set: those of its items of which a list's item says that they do nothing (live.dead); null: of none. */
	struct value (*dead)(const struct value *item, struct arena *arena);
	/* Where paths cannot say it: the value from a list's item (null: not set), and the
	 * API's value for one of ours. */
	struct value (*decode)(const struct aws_field *field, const struct value *item, struct arena *arena);
	struct value (*encode)(const struct aws_field *field, const struct value *value, struct arena *arena);
	/* The same for the update call, where that differs. */
	struct value (*encode_change)(const struct aws_field *field, const struct value *value, struct arena *arena);
};

/* The field of that index, of a kind or of an object's members. */
static inline const struct aws_field *aws_field_at(const struct fields *fields, size_t index)
{
	return (const struct aws_field *)field_at(fields, index);
}

struct aws_output {
	struct output output;
	const char *read; /* path in the list's item */
	struct value (*decode)(const struct value *item, struct arena *arena);
};

struct aws_listing {
	const char *operation;
	const char *items; /* path of the list in the answer; "A.*.B" joins the Bs of all As */
	const char *const *fixed;
	int64_t page;	    /* largest page, 0: not paged */
	const char *filter; /* Filters' name for the id; NULL: `ids` */
	/* Member that takes ids and leaves out those that are missing; both NULL: the API can only
	 * list everything. */
	const char *ids;
	const char *const *absent; /* codes that mean none of them is there */
	size_t most_ids;	   /* ids a call; 0: 200 */
};

/* A second listing that completes the items of the first. */
struct aws_join {
	struct aws_listing list;
	const char *key; /* path in the items of both: equal in what belongs together */
	const char *as;	 /* name under which the item of the second stands in that of the first */
};

/* What PAUSES needs the object stopped; it is started again when nothing is left to change. */
struct aws_pause {
	struct aws_call stop, start;
};

/* The call that makes an output equal to the one that it follows. */
struct aws_alignment {
	struct aws_call call;
	const char *member; /* of the call: the value that `output` should have */
	const char *output;
};

struct aws_states {
	const char *member; /* path in the list's item; NULL: present is ready */
	const char *const *pending;
	const char *const *leaving;
	const char *const *gone; /* still listed, but counted as absent */
	const char *const *failed;
	const char *reason; /* path of the service's own words for why it is gone or has failed; NULL: it has none */
};

/* A member of the API's model that the table leaves out, or a whole operation that would change an object
 * (member NULL), and why a user would accept that. */
struct aws_omission {
	const char *operation;
	const char *member;
	const char *reason;
};

/* A read that tells what may keep an object from being deleted. */
struct aws_holders {
	const char *one, *many; /* "instance", "instances" */
	const char *operation;
	const char *const *fixed;
	const char *id; /* path that takes the object's id */
	/* The ids of those in the answer: a LIST of texts. */
	struct value (*ids)(const struct value *answer, struct arena *arena);
};

struct aws_kind {
	struct kind kind;
	const char *service; /* "ec2", "autoscaling" */
	struct aws_call create;
	/* In its place where SECRET_TO is set: `shows` is the path in its answer of what is shown once. */
	struct aws_call create_shown; /* operation NULL: no such thing */
	const char *shows;
	struct aws_call delete;
	struct aws_call delete_forced; /* operation NULL: no such thing */
	/* Listed where the delete call is refused because something still uses it; NULL: nothing is. */
	const struct aws_holders *holders;
	struct aws_listing list;
	const struct aws_join *join;
	const struct aws_pause *pause;
	const struct aws_alignment *alignment;
	struct aws_states states;
	const char *tags_member;    /* path of the tags in the list's item; NULL: carries none */
	struct aws_call tag, untag; /* operation NULL: EC2's CreateTags and DeleteTags */
	/* What `tag` takes of our own tags, [{Key, Value}...]; NULL: just that. */
	struct value (*own_tags)(const struct work *work, const struct value *tags, struct arena *arena);
	const struct aws_omission *omitted;
	size_t omitted_count;
	int64_t poll_ms; /* between the first looks while the service works on it; 0: closely, see wait.c */
	/* Where states alone do not tell: an attachment under way, say. */
	enum readiness (*readiness)(const struct value *item, enum readiness by_state);
	/* live.running of a list's item, for kinds that run something. */
	struct value (*running)(const struct value *item, struct arena *arena);
	/* live.uses of a list's item; NULL: fields tell all that it uses. */
	struct value (*uses)(const struct value *item, struct arena *arena);
	/* More to be done before the delete call; returns STEP_DONE when there is nothing left. */
	enum step (*before_delete)(struct work *work, const struct answer *answer);
	/* Completes the parameters of the create call. */
	void (*complete)(struct work *work, struct aws_parameters *parameters);
};

/* EC2's own: several kinds share them. */
extern const struct aws_call aws_create_tags;
extern const struct aws_call aws_delete_tags;

/* The row that every kind with tags has. */
#define AWS_TAGS_FIELD                                                                                                 \
	{                                                                                                              \
		.field = {.name = "tags",                                                                              \
			  .type = FIELD_MAP,                                                                           \
			  .item = &aws_tag_value,                                                                      \
			  .check = aws_check_tags,                                                                     \
			  .when_unset = UNSET_CONSTANT,                                                                \
			  .unset_value = "{}",                                                                         \
			  .about = "names and values of the user's choice"},                                           \
		.read = "-"                                                                                            \
	}
extern const struct field aws_tag_value;
/* A resource's tags: as many as AWS takes beside our own, none of a name that is not the user's to give. */
field_check aws_check_tags;
/* The name of one. */
field_check aws_check_tag_key;
/* Their number alone, of a list or map. */
field_check aws_check_tag_count;

/* Every aws_kind begins with its kind. */
static inline const struct aws_kind *aws_kind_of(const struct kind *kind)
{
	return (const struct aws_kind *)kind;
}

#endif
