#ifndef TRUEUP_TESTS_UNIT_SUPPORT_PLAN_H
#define TRUEUP_TESTS_UNIT_SUPPORT_PLAN_H

#include "reconcile/phases.h"

/*
 * Plans made from texts. A case says what the spec has, what the record has and what is
 * live, as JSON by short kinds; a deferred value is written {"$deferred":"${t.a.b.id}"}.
 */
struct plan_fixture {
	struct arena arena;
	struct diagnostics diagnostics;
	struct resource resources[8];
	size_t resource_count;
	struct object objects[8];
	struct object *object_list[8];
	size_t object_count;
	struct live lives[8];
	const struct live *live_list[8];
	bool read;
	struct plan_scope scope;	 /* everything, unless it is set before the plan is made */
	const struct identity *expected; /* of the one provider; NULL: it was asked, and is where the record is */
	const char *silence;		 /* why nobody answers for the one provider; NULL: somebody does */
	bool (*load_body)(void *context, struct object *object, struct diagnostics *diagnostics); /* context: this */
	struct plan plan;
	struct phases phases;
	bool sound;
};

void plan_fixture_load(struct plan_fixture *fixture, const char *spec, const char *record);
void plan_fixture_plan(struct plan_fixture *fixture, bool destroy);
/* Both. */
void plan_from_texts(struct plan_fixture *fixture, const char *spec, const char *record, bool destroy);
const struct kind *plan_kind_of(struct slice address);
void plan_fixture_release(struct plan_fixture *fixture);
/* "create t.net.a; update t.sub.b: zone" in the plan's order, with the paths of what is set. */
const char *plan_summary(struct plan_fixture *fixture);
/* "make t.net.a, settle t.group.b": one order of its phases, always the same; a cycle's are left out. */
const char *plan_order(struct plan_fixture *fixture);

#define NET_A "\"t.net.a\":{\"range\":\"10\"}"
#define REF(address) "{\"$deferred\":\"${" address "}\"}"
#define REC(address, id, applied, resolved, live)                                                                      \
	"\"" address "\":{\"id\":\"" id "\",\"applied\":" applied ",\"resolved\":" resolved ",\"live\":" live "}"
#define NET_REC(live) REC("t.net.a", "n1", "{\"range\":\"10\"}", "{\"range\":\"10\"}", live)
#define SUB_B "\"t.sub.b\":{\"net\":" REF("t.net.a.id") ",\"range\":\"10.1\"}"
#define SUB_REC                                                                                                        \
	REC("t.sub.b", "s1", "{\"net\":" REF("t.net.a.id") ",\"range\":\"10.1\"}",                                     \
	    "{\"net\":\"n1\",\"range\":\"10.1\"}", "{\"net\":\"n1\",\"range\":\"10.1\"}")
#define USER_REC REC("t.user.c", "u1", "{\"sub\":" REF("t.sub.b.id") "}", "{\"sub\":\"s1\"}", "{\"sub\":\"s1\"}")
#define MUTUAL                                                                                                         \
	"\"t.group.x\":{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":" REF(                                         \
		"t.group.y.id") "}]},"                                                                                 \
				"\"t.group.y\":{\"name\":\"y\",\"rules\":[{\"port\":2,\"group\":" REF(                 \
					"t.group.x.id") "}]}"
#define MUTUAL_REC                                                                                                     \
	REC("t.group.x", "g1", "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":" REF("t.group.y.id") "}]}",          \
	    "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\"}]}",                                              \
	    "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\"}]}")                                              \
	"," REC("t.group.y", "g2", "{\"name\":\"y\",\"rules\":[{\"port\":2,\"group\":" REF("t.group.x.id") "}]}",      \
		"{\"name\":\"y\",\"rules\":[{\"port\":2,\"group\":\"g1\"}]}",                                          \
		"{\"name\":\"y\",\"rules\":[{\"port\":2,\"group\":\"g1\"}]}")

#define WITH(field, value) "{\"t.net.a\":{\"range\":\"10\",\"" field "\":" value "}}"
#define WAS(field, value, live)                                                                                        \
	"{" REC("t.net.a", "n1", "{\"range\":\"10\",\"" field "\":" value "}",                                         \
		"{\"range\":\"10\",\"" field "\":" value "}", "{\"range\":\"10\",\"" field "\":" live "}") "}"

#endif
