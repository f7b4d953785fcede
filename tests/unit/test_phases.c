#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_plan.h"

/* In which order the steps of a plan are carried out. */

#define GROUP(name, fields) "\"t.group." name "\":{\"name\":\"" name "\"" fields "}"
#define ADMITS(name) ",\"rules\":[{\"port\":1,\"group\":" REF("t.group." name ".id") "}]"
#define ADMITS_ID(id) ",\"rules\":[{\"port\":1,\"group\":\"" id "\"}]"
#define ABOUT ",\"about\":\"other\""
#define IN(net) ",\"net\":" REF("t.net." net ".id")
#define IN_ID(id) ",\"net\":\"" id "\""
#define FIELDS_OF(name, more) "{\"name\":\"" name "\"" more "}"
#define DEPOSED(address, id, applied, resolved)                                                                        \
	"\"" address "\":{\"id\":\"" id "\",\"role\":\"deposed\",\"applied\":" applied ",\"resolved\":" resolved       \
	",\"live\":" resolved "}"
#define KEPT(address, id, applied, resolved) REC(address, id, applied, resolved, resolved)

#define NETS "\"t.net.a\":{\"range\":\"10\"}"
#define NET_KEPT(range) KEPT("t.net.a", "n1", "{\"range\":\"" range "\"}", "{\"range\":\"" range "\"}")
#define GATE(name, number) "\"t.gate." name "\":{\"net\":" REF("t.net.a.id") ",\"number\":" number "}"
#define GATE_KEPT(name, id, number)                                                                                    \
	KEPT("t.gate." name, id, "{\"net\":" REF("t.net.a.id") ",\"number\":" number "}",                              \
	     "{\"net\":\"n1\",\"number\":" number "}")
#define POST(street, number, more) "{\"street\":\"" street "\",\"number\":" number more "}"
#define LINK(gate) "\"t.link.l\":{\"gate\":" REF("t.gate." gate ".id") "}"
#define LINK_KEPT(gate, id) KEPT("t.link.l", "l1", "{\"gate\":" REF("t.gate." gate ".id") "}", "{\"gate\":\"" id "\"}")
#define SUB(name, more) "\"t.sub." name "\":{\"net\":\"n1\",\"range\":\"10." name "\"" more "}"
#define SUB_KEPT(name, more)                                                                                           \
	KEPT("t.sub." name, "s" name, "{\"net\":\"n1\",\"range\":\"10." name "\"" more "}",                            \
	     "{\"net\":\"n1\",\"range\":\"10." name "\"" more "}")
#define SUB_FIELDS(name, more)                                                                                         \
	"\"applied\":{\"net\":\"n1\",\"range\":\"10." name "\"" more "},\"live\":{\"net\":\"n1\",\"range\":\"10." name \
	"\"" more "}"
#define LEAVING "\"id\":\"s9\",\"leaving\":true,"
#define SUB_LEAVING                                                                                                    \
	"\"t.sub.b\":{" LEAVING                                                                                        \
	"\"applied\":{\"net\":" REF("t.net.a.id") ",\"range\":\"10.1\"},\"resolved\":{\"net\":\"n1\",\"range\":\"10."  \
						  "1\"},\"live\":{\"net\":\"n1\",\"range\":\"10.1\"}}"
#define LINES(one, other) ",\"lines\":[{\"range\":\"" one "\"},{\"range\":\"" other "\"}]"
/* What it was made with, and no read gives back. */
#define PORTS(said) ",\"ports\":[{\"slot\":1" said "}]"
#define AT(address) ",\"address\":\"" address "\""
#define AND_AT(address) ",\"more\":[\"" address "\"]"
#define SUB_MADE(name, more)                                                                                           \
	REC("t.sub." name, "s" name, "{\"net\":\"n1\",\"range\":\"10." name "\"" more "}",                             \
	    "{\"net\":\"n1\",\"range\":\"10." name "\"" more "}", "{\"net\":\"n1\",\"range\":\"10." name "\"}")
#define ZONED(lines) "{\"zone\":\"z\"" lines "}"
#define MORE(range) ",\"more\":\"" range "\""
#define PART_FIELDS(range, more) "{\"net\":\"n1\",\"range\":\"" range "\"" more "}"
#define PART(name, range, more) "\"t.sub." name "\":" PART_FIELDS(range, more)
#define PART_KEPT(name, range, more) KEPT("t.sub." name, "s" name, PART_FIELDS(range, more), PART_FIELDS(range, more))
#define WIDTH_FIELDS(range) "{\"range\":\"10\",\"further\":[\"" range "\"]}"
#define WIDTH(range) "\"t.net.a\":" WIDTH_FIELDS(range)
#define HELD_BY(sub) KEPT("t.user.u", "u1", "{\"sub\":" REF("t.sub." sub ".id") "}", "{\"sub\":\"s" sub "\"}")
#define IN_SUB_NOW "{\"sub\":\"s1\"}"
#define GROUP_KEPT(name, id) KEPT("t.group." name, id, FIELDS_OF(name, ""), FIELDS_OF(name, ""))
#define ADMITTING(name, id, other)                                                                                     \
	REC("t.group." name, id, FIELDS_OF(name, ""), FIELDS_OF(name, ""), FIELDS_OF(name, ADMITS_ID(other)))
#define NO_RULES "\"rules\":[]"
#define IN_GROUP(name) "{\"group\":" REF("t.group." name ".id") "}"
#define TO_POST(name) "{\"post\":" REF("t.post." name ".id") "}"
#define RED ",\"color\":\"red\""
#define PUT_INTO(id) REC("t.keep.k", "k1", "{}", "{}", "{\"group\":\"" id "\"}")
/* What has jobs in a zone, and is recorded to be in another sub of it. */
#define ZONE(zone) ",\"zone\":\"" zone "\""
#define JOBS_NEAR(sub, jobs)                                                                                           \
	"\"t.user.u\":{\"id\":\"u1\",\"applied\":{\"places\":[" REF(                                                   \
		"t.sub." sub ".id") "]},\"resolved\":{\"places\":[\"s" sub "\"]},\"live\":{\"places\":[\"s" sub        \
				    "\"]},\"running\":[" jobs "]}"
#define JOB "{\"zone\":\"x\"}"
#define TABLE(name, nets) "\"t.table." name "\":{\"nets\":[" nets "]}"
#define TABLE_KEPT(name, nets) KEPT("t.table." name, "t" name, "{\"nets\":[" nets "]}", "{\"nets\":[" nets "]}")
#define TABLE_LIVE(name, live) REC("t.table." name, "t" name, "{\"nets\":[]}", "{\"nets\":[]}", "{\"nets\":[" live "]}")

#define NET_LEFT DEPOSED("t.net.a/1", "n1", "{\"range\":\"10\"}", "{\"range\":\"10\"}")
#define NET_NEVER_MADE "\"t.net.a\":{\"applied\":{\"range\":\"11\"},\"incomplete\":true}"
#define NET_HALF_MADE                                                                                                  \
	"\"t.net.a\":{\"id\":\"n2\",\"applied\":{\"range\":\"11\"},\"incomplete\":true,\"live\":{\"range\":\"11\"}}"
#define NET_WANTED(range) "\"t.net.a\":{\"range\":\"" range "\"}"
#define SUB_IN(range, more) "{\"net\":" REF("t.net.a.id") ",\"range\":\"" range "\"" more "}"
#define SUB_LEFT(range)                                                                                                \
	DEPOSED("t.sub.b/1", "s1", SUB_IN(range, ""), "{\"net\":\"n1\",\"range\":\"" range "\"}")                      \
	",\"t.sub.b\":{\"applied\":" SUB_IN("10.2", ",\"zone\":\"y\"") ",\"incomplete\":true}"

#define FIRST ",\"lifecycle\":{\"create_before_destroy\":true}"
#define NET_OFF(more) "{\"range\":\"10\",\"dns\":false" more "}"
#define NET_ON KEPT("t.net.a", "n1", "{\"range\":\"10\",\"dns\":true}", "{\"range\":\"10\",\"dns\":true}")
#define IN_ZONE SUB_IN("10.1", ",\"more\":" REF("t.net.a.zone"))
#define IN_ZONE_NOW "{\"net\":\"n1\",\"range\":\"10.1\",\"more\":\"fd00::/64\"}"

static const struct row {
	const char *name;
	const char *spec;
	const char *record;
	const char *expected;
} rows[] = {
	{"what a replace left behind waits for what could not be made", "{" NET_WANTED("12") "}",
	 "{" NET_LEFT "," NET_NEVER_MADE "}", "make t.net.a, unsettle t.net.a (deposed), delete t.net.a (deposed)"},
	{"and for what was made halfway", "{" NET_WANTED("11") "}", "{" NET_LEFT "," NET_HALF_MADE "}",
	 "make t.net.a, unsettle t.net.a (deposed), delete t.net.a (deposed)"},
	{"also where that makes way for another one", "{" NET_WANTED("12") "}", "{" NET_LEFT "," NET_HALF_MADE "}",
	 "unsettle t.net.a, delete t.net.a, make t.net.a, unsettle t.net.a (deposed), delete t.net.a (deposed)"},
	{"and for what is made anew as it is gone", "{" NETS ",\"t.group.y\":" FIELDS_OF("y", IN("a")) "}",
	 "{\"t.group.y\":{\"id\":\"g2\",\"applied\":" FIELDS_OF("y", "") "}," DEPOSED(
		 "t.group.y/1", "g1", FIELDS_OF("x", ""), FIELDS_OF("x", "")) "}",
	 "make t.net.a, make t.group.y, unsettle t.group.y (deposed), delete t.group.y (deposed)"},
	{"what came late and was never this address's waits for nothing", "{" NET_WANTED("12") "}",
	 "{" DEPOSED("t.net.a/1", "n1", "{}", "{}") "," NET_NEVER_MADE "}",
	 "unsettle t.net.a (deposed), delete t.net.a (deposed), make t.net.a"},
	{"what was left behind goes where nothing is to be made", "{}", "{" NET_LEFT "," NET_HALF_MADE "}",
	 "unsettle t.net.a (deposed), delete t.net.a (deposed), unsettle t.net.a, delete t.net.a"},
	{"what it lies in is replaced in the same order", "{" NET_WANTED("11") ",\"t.sub.b\":" SUB_IN("10.2", "") "}",
	 "{" NET_KEPT("10") "," SUB_LEFT("10.1") "}",
	 "make t.net.a, unsettle t.net.a, make t.sub.b, unsettle t.sub.b (deposed), delete t.sub.b (deposed), "
	 "delete t.net.a"},
	{"it goes first where it has the range that is wanted",
	 "{" NET_WANTED("11") ",\"t.sub.b\":" SUB_IN("10.1", ",\"zone\":\"y\"") "}",
	 "{" KEPT("t.net.a", "n1", "{\"range\":\"11\"}", "{\"range\":\"11\"}") "," SUB_LEFT("10.1") "}",
	 "unsettle t.sub.b (deposed), delete t.sub.b (deposed), make t.sub.b"},
	{"or was given the name since", "{\"t.group.y\":" FIELDS_OF("y", ABOUT IN_ID("n1")) "}",
	 "{\"t.group.y/1\":{\"id\":\"g1\",\"role\":\"deposed\",\"applied\":" FIELDS_OF(
		 "x",
		 IN_ID("n1")) ",\"live\":" FIELDS_OF("y",
						     IN_ID("n1")) "},\"t.group.y\":{\"applied\":" FIELDS_OF("z",
													    "") ",\"inc"
														"omplet"
														"e\":"
														"true}"
														"}",
	 "unsettle t.group.y (deposed), delete t.group.y (deposed), make t.group.y"},
	{"and what it refers to is replaced as ever then",
	 "{" NET_WANTED("11") ",\"t.post.a\":" POST("s", "1", ",\"color\":" REF("t.net.a.id")) "}",
	 "{" NET_KEPT("10") "," DEPOSED(
		 "t.post.a/1", "p1", POST("s", "1", ",\"color\":" REF("t.net.a.id")),
		 POST("s", "1", ",\"color\":\"n1\"")) ",\"t.post.a\":{\"applied\":" POST("s", "2",
											 "") ",\"incomplete\":true}}",
	 "unsettle t.net.a, unsettle t.post.a (deposed), delete t.post.a (deposed), delete t.net.a, make t.net.a, "
	 "make t.post.a"},
	{"but not where that range is to be in another one, which is made first",
	 "{" NET_WANTED("11") ",\"t.sub.b\":" SUB_IN("10.1", ",\"zone\":\"y\"") "}",
	 "{" NET_KEPT("10") "," SUB_LEFT("10.1") "}",
	 "make t.net.a, unsettle t.net.a, make t.sub.b, unsettle t.sub.b (deposed), delete t.sub.b (deposed), "
	 "delete t.net.a"},
	{"two that name each other",
	 "{" GROUP("x", ADMITS("y") IN("a")) "," GROUP("y", ADMITS("x") IN("a")) "," NETS "}", "{}",
	 "make t.net.a, make t.group.x, make t.group.y, settle t.group.x, settle t.group.y"},
	{"one left behind holds the name that the new one needs, and another one admits it",
	 "{" GROUP("x", ADMITS("y") IN("a")) "," GROUP("y", ABOUT ADMITS("x") IN("a")) "," NETS "}",
	 "{" NET_KEPT("10") "," KEPT(
		 "t.group.x", "g1", FIELDS_OF("x", ADMITS("y") IN("a")),
		 FIELDS_OF("x", ADMITS_ID("g2") IN_ID(
					"n1"))) "," DEPOSED("t.group.y", "g2", FIELDS_OF("y", ADMITS("x") IN("a")),
							    FIELDS_OF("y", ADMITS_ID("g1") IN_ID("n1"))) "}",
	 "unsettle t.group.x, unsettle t.group.y (deposed), delete t.group.y (deposed), make t.group.y, "
	 "settle t.group.x, settle t.group.y"},
	{"a name goes over to another address", "{" NETS ",\"t.group.y\":" FIELDS_OF("x", IN("a")) "}",
	 "{" NET_KEPT("10") "," KEPT("t.group.x", "g1", FIELDS_OF("x", IN("a")), FIELDS_OF("x", IN_ID("n1"))) "}",
	 "unsettle t.group.x, delete t.group.x, make t.group.y"},
	{"a name goes over by a replace", "{" NETS ",\"t.group.y\":" FIELDS_OF("x", IN("a")) "}",
	 "{" NET_KEPT("10") "," KEPT("t.group.x", "g1", FIELDS_OF("x", IN("a")), FIELDS_OF("x", IN_ID("n1"))) "," KEPT(
		 "t.group.y", "g2", FIELDS_OF("y", IN("a")), FIELDS_OF("y", IN_ID("n1"))) "}",
	 "unsettle t.group.x, delete t.group.x, unsettle t.group.y, delete t.group.y, make t.group.y"},
	{"the same name elsewhere is free", "{" NETS ",\"t.group.y\":" FIELDS_OF("x", IN_ID("n2")) "}",
	 "{" NET_KEPT("10") "," KEPT("t.group.z", "g1", FIELDS_OF("x", IN("a")), FIELDS_OF("x", IN_ID("n1"))) "}",
	 "make t.group.y, unsettle t.group.z, delete t.group.z"},
	{"the new gate comes in once the old one has left", "{" NETS "," GATE("g", "2") "," LINK("g") "}",
	 "{" NET_KEPT("10") "," GATE_KEPT("g", "g1", "1") "," LINK_KEPT("g", "g1") "}",
	 "unsettle t.gate.g, make t.gate.g, make t.link.l, delete t.gate.g"},
	{"a link moves to a gate of another name", "{" NETS "," GATE("f", "1") "," LINK("f") "}",
	 "{" NET_KEPT("10") "," GATE_KEPT("g", "g1", "1") "," LINK_KEPT("g", "g1") "}",
	 "unsettle t.gate.g, make t.gate.f, make t.link.l, delete t.gate.g"},
	{"a gate that was left behind leaves first", "{" NETS "," GATE("g", "1") "," LINK("g") "}",
	 "{" NET_KEPT("10") "," DEPOSED("t.gate.g", "g1", "{\"net\":" REF("t.net.a.id") "}",
					"{\"net\":\"n1\"}") "," LINK_KEPT("g", "g1") "}",
	 "unsettle t.gate.g (deposed), make t.gate.g, make t.link.l, delete t.gate.g (deposed)"},
	{"what is told apart by two fields is free before another one has both",
	 "{\"t.post.a\":" POST("s", "1", "") "}",
	 "{" KEPT("t.post.b", "p1", POST("s", "1", ""), POST("s", "1", "")) "}",
	 "unsettle t.post.b, delete t.post.b, make t.post.a"},
	{"one of the two is another one", "{\"t.post.a\":" POST("s", "2", "") "}",
	 "{" KEPT("t.post.b", "p1", POST("s", "1", ""), POST("s", "1", "")) "}",
	 "make t.post.a, unsettle t.post.b, delete t.post.b"},
	{"one of the two is known only later",
	 "{" NETS ",\"t.post.a\":{\"street\":" REF("t.net.a.id") ",\"number\":1}}",
	 "{" KEPT("t.post.b", "p1", POST("s", "1", ""), POST("s", "1", "")) "}",
	 "make t.net.a, make t.post.a, unsettle t.post.b, delete t.post.b"},
	{"one left behind has both, and is of another color", "{\"t.post.a\":" POST("s", "1", ",\"color\":\"red\"") "}",
	 "{" KEPT("t.post.a", "p2", POST("s", "2", ""),
		  POST("s", "2", "")) "," DEPOSED("t.post.a/1", "p1", POST("s", "1", ""), POST("s", "1", "")) "}",
	 "unsettle t.post.a, delete t.post.a, unsettle t.post.a (deposed), delete t.post.a (deposed), make t.post.a"},
	{"one gate lets the other one in", "{" NETS ",\"t.gate.z\":{}," GATE("a", "1") "}",
	 "{" NET_KEPT("10") "," KEPT("t.gate.a", "g2", "{\"number\":1}", "{\"number\":1}") "," KEPT(
		 "t.gate.z", "g1", "{\"net\":" REF("t.net.a.id") "}", "{\"net\":\"n1\"}") "}",
	 "make t.gate.z, make t.gate.a"},
	{"an item goes over from one set to another", "{" TABLE("a", "\"n1\"") "," TABLE("z", "\"n3\"") "}",
	 "{" TABLE_KEPT("a", "") "," TABLE_KEPT("z", "\"n1\",\"n2\",\"n3\"") "}",
	 "unsettle t.table.z, settle t.table.a, settle t.table.z"},
	{"two sets exchange their items", "{" TABLE("a", "\"n2\"") "," TABLE("z", "\"n1\"") "}",
	 "{" TABLE_KEPT("a", "\"n1\"") "," TABLE_KEPT("z", "\"n2\"") "}",
	 "unsettle t.table.a, unsettle t.table.z, settle t.table.a, settle t.table.z"},
	{"a new set waits for the item of one that goes", "{" TABLE("a", "\"n1\"") "}",
	 "{" TABLE_KEPT("z", "\"n1\"") "}", "make t.table.a, unsettle t.table.z, settle t.table.a, delete t.table.z"},
	{"nobody waits for an item that was free, or for one that only goes",
	 "{" TABLE("a", "\"n1\"") "," TABLE("z", "") "}", "{" TABLE_KEPT("a", "") "," TABLE_KEPT("z", "\"n2\"") "}",
	 "settle t.table.a, settle t.table.z"},
	{"what somebody else put into a set leaves it for another one", "{" TABLE("a", "\"n1\"") "," TABLE("z", "") "}",
	 "{" TABLE_KEPT("a", "") "," TABLE_LIVE("z", "\"n1\"") "}",
	 "unsettle t.table.z, settle t.table.a, settle t.table.z"},
	{"a range goes over from one to another", "{" SUB("1", MORE("x")) "," SUB("2", "") "}",
	 "{" SUB_KEPT("1", "") "," SUB_KEPT("2", MORE("x")) "}", "unsettle t.sub.2, make t.sub.1, make t.sub.2"},
	{"two exchange their ranges", "{" SUB("1", MORE("y")) "," SUB("2", MORE("x")) "}",
	 "{" SUB_KEPT("1", MORE("x")) "," SUB_KEPT("2", MORE("y")) "}",
	 "unsettle t.sub.1, unsettle t.sub.2, make t.sub.1, make t.sub.2"},
	{"a range in an item goes over from one to another",
	 "{" SUB("1", LINES("1.0.0.0/30", "2.0.0.0/30")) "," SUB("2", LINES("3.0.0.0/30", "4.0.0.0/30")) "}",
	 "{" SUB_KEPT("1", LINES("5.0.0.0/30", "2.0.0.0/30")) "," SUB_KEPT("2", LINES("1.0.0.0/30", "4.0.0.0/30")) "}",
	 "make t.sub.2, make t.sub.1"},
	{"from one that goes", "{" SUB("1", LINES("1.0.0.0/30", "2.0.0.0/30")) "}",
	 "{" SUB_KEPT("1", LINES("5.0.0.0/30", "2.0.0.0/30")) "," SUB_KEPT("2", LINES("1.0.0.0/30", "4.0.0.0/30")) "}",
	 "unsettle t.sub.2, delete t.sub.2, make t.sub.1"},
	{"within what no spec has, too",
	 "{\"t.sub.1\":" ZONED(LINES("1.0.0.0/30", "2.0.0.0/30")) ",\"t.sub.2\":" ZONED(
		 LINES("3.0.0.0/30", "4.0.0.0/30")) "}",
	 "{" KEPT("t.sub.1", "s1", ZONED(LINES("5.0.0.0/30", "2.0.0.0/30")),
		  ZONED(LINES("5.0.0.0/30", "2.0.0.0/30"))) "," KEPT("t.sub.2", "s2",
								     ZONED(LINES("1.0.0.0/30", "4.0.0.0/30")),
								     ZONED(LINES("1.0.0.0/30", "4.0.0.0/30"))) "}",
	 "make t.sub.2, make t.sub.1"},
	{"but not from one that had it elsewhere",
	 "{" SUB("1", LINES("1.0.0.0/30", "2.0.0.0/30")) ",\"t.sub.2\":{\"net\":\"n2\"" LINES("3.0.0.0/30",
											      "4.0.0.0/30") "}}",
	 "{" SUB_KEPT("1", LINES("5.0.0.0/30", "2.0.0.0/30")) "," KEPT(
		 "t.sub.2", "s2", "{\"net\":\"n2\"" LINES("1.0.0.0/30", "4.0.0.0/30") "}",
		 "{\"net\":\"n2\"" LINES("1.0.0.0/30", "4.0.0.0/30") "}") "}",
	 "make t.sub.1, make t.sub.2"},
	{"an address in an item goes with its object", "{" SUB("1", PORTS(AT("10.0.0.5"))) "}",
	 "{" SUB_MADE("2", PORTS(AT("10.0.0.5"))) "}", "unsettle t.sub.2, delete t.sub.2, make t.sub.1"},
	{"one in an item of that, too, by whichever field", "{" SUB("1", PORTS(AT("10.0.0.5"))) "}",
	 "{" SUB_MADE("2", PORTS(AND_AT("10.0.0.5"))) "}", "unsettle t.sub.2, delete t.sub.2, make t.sub.1"},
	{"what is nearest around it tells what it lies in", "{" SUB("1", PORTS(AT("10.0.0.5"))) "}",
	 "{" SUB_MADE("2", PORTS(AT("10.0.0.5") ",\"net\":\"n2\"")) "}",
	 "make t.sub.1, unsettle t.sub.2, delete t.sub.2"},
	{"also of two that are replaced", "{" SUB("1", PORTS(AT("10.0.0.6"))) "," SUB("2", PORTS(AT("10.0.0.5"))) "}",
	 "{" SUB_MADE("1", PORTS(AT("10.0.0.5"))) "," SUB_MADE("2", PORTS(AT("10.0.0.6"))) "}",
	 "unsettle t.sub.1, delete t.sub.1, unsettle t.sub.2, delete t.sub.2, make t.sub.1, make t.sub.2"},
	{"what others delete is waited for", "{" NETS "," SUB_B "}", "{" NET_KEPT("10") "," SUB_LEAVING "}",
	 "delete t.sub.b, make t.sub.b"},
	{"what others delete holds what it refers to until it is gone", "{\"t.net.a\":{\"range\":\"11\"}," SUB_B "}",
	 "{" NET_KEPT("10") "," SUB_LEAVING "}",
	 "unsettle t.net.a, delete t.sub.b, delete t.net.a, make t.net.a, make t.sub.b"},
	{"a range is taken over from what others delete", "{" SUB("1", MORE("x")) "," SUB("2", "") "}",
	 "{" SUB_KEPT("1", "") ",\"t.sub.2\":{" LEAVING SUB_FIELDS("2", MORE("x")) "}}",
	 "delete t.sub.2, make t.sub.1, make t.sub.2"},
	{"both halves of what goes", "{" PART("1", "10.0.0.0/25", "") "," PART("2", "10.0.0.128/25", "") "}",
	 "{" PART_KEPT("3", "10.0.0.0/24", "") "}", "unsettle t.sub.3, delete t.sub.3, make t.sub.1, make t.sub.2"},
	{"the half that another one leaves", "{" PART("1", "10.0.0.128/25", "") "," PART("2", "10.0.0.0/25", "") "}",
	 "{" PART_KEPT("2", "10.0.0.0/24", "") "}", "unsettle t.sub.2, delete t.sub.2, make t.sub.1, make t.sub.2"},
	{"all that two had", "{" PART("1", "10.0.0.0/24", "") "}",
	 "{" PART_KEPT("2", "10.0.0.0/25", "") "," PART_KEPT("3", "10.0.0.128/25", "") "}",
	 "unsettle t.sub.2, delete t.sub.2, unsettle t.sub.3, delete t.sub.3, make t.sub.1"},
	{"each a half of what the other one had", "{" PART("1", "10.0.1.0/25", "") "," PART("2", "10.0.0.0/25", "") "}",
	 "{" PART_KEPT("1", "10.0.0.0/24", "") "," PART_KEPT("2", "10.0.1.0/24", "") "}",
	 "unsettle t.sub.1, delete t.sub.1, unsettle t.sub.2, delete t.sub.2, make t.sub.1, make t.sub.2"},
	{"no part of what goes, and none of the same net",
	 "{" PART("1", "10.0.1.0/24", "") ",\"t.sub.2\":{\"net\":"
					  "\"n2\",\"range\":\"10.0.0.0/25\"}}",
	 "{" PART_KEPT("3", "10.0.0.0/24", "") "}", "make t.sub.1, make t.sub.2, unsettle t.sub.3, delete t.sub.3"},
	{"a part of a range that moves in place",
	 "{" PART("1", "10.0.0.0/24", MORE("fd00::/64")) "," PART("2", "10.0.1.0/24", "") "}",
	 "{" PART_KEPT("1", "10.0.0.0/24", "") "," PART_KEPT("2", "10.0.1.0/24", MORE("fd00::/60")) "}",
	 "unsettle t.sub.2, make t.sub.1, make t.sub.2"},
	{"a network gets another range once what lies in the one that it loses is gone",
	 "{" WIDTH("10.0.0.0/17") "," PART("1", "10.0.1.0/24", "") "," PART("2", "11.0.0.0/24", "") "}",
	 "{" KEPT("t.net.a", "n1", WIDTH_FIELDS("10.0.0.0/16"), WIDTH_FIELDS("10.0.0.0/16")) "," PART_KEPT(
		 "1", "10.0.0.0/24", "") "," PART_KEPT("2", "11.0.0.0/24", "") "}",
	 "unsettle t.sub.1, delete t.sub.1, make t.net.a, make t.sub.1"},
	{"a range that is an output goes once nothing lies in it",
	 "{\"t.net.a\":" NET_OFF("") ",\"t.sub.b\":" SUB_IN("10.2", "") "}",
	 "{" NET_ON "," KEPT("t.sub.b", "s1", IN_ZONE, IN_ZONE_NOW) "}",
	 "unsettle t.sub.b, delete t.sub.b, make t.net.a, make t.sub.b"},
	{"also where the new one is made first", "{\"t.net.a\":" NET_OFF("") ",\"t.sub.b\":" SUB_IN("10.2", FIRST) "}",
	 "{" NET_ON "," KEPT("t.sub.b", "s1", IN_ZONE, IN_ZONE_NOW) "}",
	 "make t.sub.b, unsettle t.sub.b, delete t.sub.b, make t.net.a"},
	{"and is half made, and the old one left behind",
	 "{\"t.net.a\":" NET_OFF("") ",\"t.sub.b\":" SUB_IN("10.2", FIRST) "}",
	 "{" NET_ON "," DEPOSED("t.sub.b/1", "s1", IN_ZONE,
				IN_ZONE_NOW) ",\"t.sub.b\":{\"applied\":" SUB_IN("10.2", "") ",\"incomplete\":true}}",
	 "make t.sub.b, unsettle t.sub.b (deposed), delete t.sub.b (deposed), make t.net.a"},
	{"what goes and still names what goes is deleted first, recorded or not", "{}",
	 "{" SUB_KEPT("1", "") "," REC("t.user.u", "u1", "{}", "{}", IN_SUB_NOW) "}",
	 "unsettle t.sub.1, unsettle t.user.u, delete t.user.u, delete t.sub.1"},
	{"and what stays is changed first", "{" SUB("2", "") ",\"t.user.u\":{\"sub\":" REF("t.sub.2.id") "}}",
	 "{" SUB_KEPT("1", "") "," SUB_KEPT("2", "") "," REC("t.user.u", "u1", "{}", "{}", IN_SUB_NOW) "}",
	 "unsettle t.sub.1, make t.user.u, delete t.sub.1"},
	{"but not what is made anew ahead of that, in what takes the place of what goes",
	 "{" PART("2", "10.1", "") ",\"t.user.u\":{\"name\":\"y\",\"sub\":" REF("t.sub.2.id") FIRST "}}",
	 "{" SUB_KEPT("1", "") "," REC("t.user.u", "u1", "{\"name\":\"x\"}", "{\"name\":\"x\"}",
				       "{\"name\":\"x\",\"sub\":\"s1\"}") "}",
	 "unsettle t.sub.1, delete t.sub.1, make t.sub.2, make t.user.u, unsettle t.user.u, delete t.user.u"},
	{"two that others let name each other let go of that", "{}",
	 "{" REC("t.group.x", "g1", FIELDS_OF("x", ""), FIELDS_OF("x", ""), FIELDS_OF("x", ADMITS_ID("g2"))) "," REC(
		 "t.group.y", "g2", FIELDS_OF("y", ""), FIELDS_OF("y", ""), FIELDS_OF("y", ADMITS_ID("g1"))) "}",
	 "unsettle t.group.x, unsettle t.group.y, delete t.group.x, delete t.group.y"},
	{"an update takes out of a part what others have put there ahead of a replace",
	 "{" GROUP("x", ABOUT) "," GROUP("y", ADMITS("x")) "}",
	 "{" GROUP_KEPT("x", "g1") "," ADMITTING("y", "g2", "g1") "}",
	 "unsettle t.group.x, unsettle t.group.y, delete t.group.x, make t.group.x, settle t.group.y"},
	{"and ahead of what another one waits for",
	 "{\"t.group.z\":" FIELDS_OF("x", IN_ID("n1")) "," GROUP("y", ADMITS("z") IN_ID("n1")) "}",
	 "{" KEPT("t.group.x", "g1", FIELDS_OF("x", IN_ID("n1")), FIELDS_OF("x", IN_ID("n1"))) "," REC(
		 "t.group.y", "g2", FIELDS_OF("y", IN_ID("n1")), FIELDS_OF("y", IN_ID("n1")),
		 FIELDS_OF("y", ADMITS_ID("g1") IN_ID("n1"))) "}",
	 "unsettle t.group.x, unsettle t.group.y, delete t.group.x, make t.group.z, settle t.group.y"},
	{"but not where a deletion can come last", "{" GROUP("y", "," NO_RULES) "}",
	 "{" GROUP_KEPT("x", "g1") "," ADMITTING("y", "g2", "g1") "}",
	 "unsettle t.group.x, settle t.group.y, delete t.group.x"},
	{"what others have put into what is replaced goes over to the new one",
	 "{\"t.group.x\":" FIELDS_OF("n", "") ",\"t.keep.k\":{\"group\":" REF("t.group.x.id") "}}",
	 "{" GROUP_KEPT("x", "g1") "," PUT_INTO("g1") "}",
	 "make t.group.x, unsettle t.group.x, make t.keep.k, delete t.group.x"},
	{"and where it is to leave that, does so first",
	 "{\"t.group.x\":" FIELDS_OF("n", "") "," GROUP("y", "") ",\"t.keep.k\":{\"group\":" REF("t.group.y.id") "}}",
	 "{" GROUP_KEPT("x", "g1") "," GROUP_KEPT("y", "g2") "," PUT_INTO("g1") "}",
	 "unsettle t.group.x, make t.keep.k, delete t.group.x, make t.group.x"},
	{"what refers to it leaves it first where both cannot be there at once",
	 "{" GROUP("x", ABOUT) "," GROUP("y", "") ",\"t.keep.k\":" IN_GROUP("y") "}",
	 "{" GROUP_KEPT("x", "g1") "," GROUP_KEPT("y", "g2") "," KEPT("t.keep.k", "k1", IN_GROUP("x"),
								      "{\"group\":\"g1\"}") "}",
	 "unsettle t.group.x, make t.keep.k, delete t.group.x, make t.group.x"},
	{"also by a reference that the service does not look at",
	 "{\"t.post.a\":" POST("s", "1", RED) ",\"t.post.b\":" POST("s", "2", "") ",\"t.wire.w\":" TO_POST("b") "}",
	 "{" KEPT("t.post.a", "p1", POST("s", "1", ""), POST("s", "1", "")) "," KEPT(
		 "t.post.b", "p2", POST("s", "2", ""), POST("s", "2", "")) "," KEPT("t.wire.w", "w1", TO_POST("a"),
										    "{\"post\":\"p1\"}") "}",
	 "unsettle t.post.a, make t.wire.w, delete t.post.a, make t.post.a"},
	{"what may have a job of what goes is deleted after that", "{}",
	 "{" SUB_KEPT("1", ZONE("x")) "," SUB_KEPT("2", ZONE("x")) "," JOBS_NEAR("2", JOB "," JOB) "}",
	 "unsettle t.sub.1, unsettle t.sub.2, unsettle t.user.u, delete t.user.u, delete t.sub.1, delete t.sub.2"},
	{"also where what that is in stays", "{" SUB("2", ZONE("x")) "}",
	 "{" SUB_KEPT("1", ZONE("x")) "," SUB_KEPT("2", ZONE("x")) "," JOBS_NEAR("2", JOB) "}",
	 "unsettle t.sub.1, unsettle t.user.u, delete t.user.u, delete t.sub.1"},
	{"but not where none of them is in its zone", "{}",
	 "{" SUB_KEPT("1", ZONE("y")) "," SUB_KEPT("2", ZONE("x")) "," JOBS_NEAR("2", JOB) "}",
	 "unsettle t.sub.1, delete t.sub.1, unsettle t.sub.2, unsettle t.user.u, delete t.user.u, delete t.sub.2"},
	{"or it lies in another net", "{}",
	 "{" KEPT("t.sub.1", "s1", "{\"net\":\"n2\"" ZONE("x") "}",
		  "{\"net\":\"n2\"" ZONE("x") "}") "," SUB_KEPT("2", ZONE("x")) "," JOBS_NEAR("2", JOB) "}",
	 "unsettle t.sub.1, delete t.sub.1, unsettle t.sub.2, unsettle t.user.u, delete t.user.u, delete t.sub.2"},
	{"or there are none", "{}",
	 "{" SUB_KEPT("1", ZONE("x")) "," SUB_KEPT("2", ZONE("x")) "," JOBS_NEAR("2", "") "}",
	 "unsettle t.sub.1, delete t.sub.1, unsettle t.sub.2, unsettle t.user.u, delete t.user.u, delete t.sub.2"},
	{"a range is taken over from what goes", "{" SUB("1", MORE("x")) "}",
	 "{" SUB_KEPT("1", "") "," SUB_KEPT("2", MORE("x")) "}", "unsettle t.sub.2, delete t.sub.2, make t.sub.1"},
};

/* A group of another description takes back the name that it had before the last one, which was left behind. */
#define KEEPS(id)                                                                                                      \
	"\"t.keep.k\":{\"id\":\"k1\",\"applied\":{\"group\":" REF("t.group.x.id") "},\"resolved\":{\"group\":\"" id    \
										  "\"},\"live\":{\"group\":\"" id      \
										  "\"}}"
#define NAME_GOES_BACK(id)                                                                                             \
	"{" KEPT("t.group.x", "g2", FIELDS_OF("y", ""),                                                                \
		 FIELDS_OF("y", "")) "," DEPOSED("t.group.x/1", "g1", FIELDS_OF("x", ",\"net\":\"n1\""),               \
						 FIELDS_OF("x", ",\"net\":\"n1\"")) "," KEEPS(id) "}"
#define NAME_WANTED                                                                                                    \
	"{\"t.group.x\":{\"name\":\"x\",\"net\":\"n1\",\"about\":\"new\"},\"t.keep.k\":{\"group\":" REF(               \
		"t.group.x.id") "}}"

#define CALLED "{\"called\":" REF("t.group.x.name") "}"
#define NAMED "{\"name\":\"x\",\"net\":\"n1\"}"
#define TWIN_OF_WHAT_IS_GONE                                                                                           \
	"{\"t.group.x\":{\"id\":\"g2\",\"applied\":" NAMED "},\"t.group.x/1\":{\"id\":\"g1\",\"role\":\"deposed\","    \
	"\"applied\":{},\"live\":" NAMED ",\"outputs\":{\"name\":\"x\"}},"                                             \
	"\"t.keep.k\":{\"id\":\"k1\",\"applied\":" CALLED ",\"live\":{\"called\":\"x\"}}}"

#define ON(net) "{\"net\":\"" net "\"}"

/* What was left behind goes first where that is possible; else it is told who still uses it. */
static void test_left_behind(void **state)
{
	static const struct {
		const char *name, *record;
		const char *order, *message, *hint;
		const char *spec; /* NULL: NAME_WANTED */
	} lefts[] = {
		{"nobody uses it any more", NAME_GOES_BACK("g2"),
		 "unsettle t.group.x (deposed), delete t.group.x (deposed), make t.group.x, unsettle t.group.x, "
		 "make t.keep.k, delete t.group.x",
		 NULL, NULL, NULL},
		{"somebody uses it still", NAME_GOES_BACK("g1"), NULL,
		 "'t.group.x' cannot be made while g1 is there, which a replace of 't.group.x' left behind, and "
		 "'t.keep.k' still uses that",
		 "apply it once with another name or range: then the one left behind goes", NULL},
		{"it is called otherwise, and in use",
		 "{" KEPT("t.post.a", "p1", POST("s", "1", ""), POST("s", "1", "")) "," KEPT(
			 "t.wire.w", "w1", "{\"post\":" REF("t.post.a.id") "}", "{\"post\":\"p1\"}") "}",
		 NULL,
		 "these steps wait for each other: change t.wire.w, then delete t.post.a, then make t.post.b, then "
		 "change t.wire.w",
		 "where it is the same object under another address, say so with 'trueup state mv t.post.a t.post.b'",
		 "{\"t.post.b\":" POST("s", "1", "") ",\"t.wire.w\":{\"post\":" REF("t.post.b.id") "}}"},
		{"two exchange their names",
		 "{" KEPT("t.post.a", "p1", POST("s", "1", ""), POST("s", "1", "")) "," KEPT(
			 "t.post.b", "p2", POST("u", "1", ""),
			 POST("u", "1", "")) "," KEPT("t.wire.w", "w1", "{\"post\":" REF("t.post.a.id") "}",
						      "{\"post\":\"p1\"}") "," KEPT("t.wire.x", "w2",
										    "{\"post\":" REF("t.post.b.id") "}",
										    "{\"post\":\"p2\"}") "}",
		 NULL,
		 "these steps wait for each other: change t.wire.x, then delete t.post.b, then make t.post.a, then "
		 "change t.wire.w, then delete t.post.a, then make t.post.b, then change t.wire.x",
		 "give 't.post.a' another 'street', 'number', leave the rest as it was, and apply that; then have the "
		 "rest as it is now, and apply again; then 't.post.a', too",
		 "{\"t.post.a\":" POST("u", "1", "") ",\"t.post.b\":" POST("s", "1", "") ",\"t.wire.w\":{\"post\":" REF(
			 "t.post.a.id") "},\"t.wire.x\":{\"post\":" REF("t.post.b.id") "}}"},
		{"two exchange what they are attached to",
		 "{" KEPT("t.gate.a", "g1", ON("n1"), ON("n1")) "," KEPT("t.gate.b", "g2", ON("n2"), ON("n2")) "}",
		 NULL, "these steps wait for each other: change t.gate.a, then change t.gate.b, then change t.gate.a",
		 "take 'net' out of 't.gate.a' and apply that; then put it in and apply again",
		 "{\"t.gate.a\":" ON("n2") ",\"t.gate.b\":" ON("n1") "}"},
		{"two exchange the ranges of an item",
		 "{" SUB_KEPT("1", LINES("1.0.0.0/30", "2.0.0.0/30")) "," SUB_KEPT(
			 "2", LINES("3.0.0.0/30", "4.0.0.0/30")) "}",
		 NULL, "these steps wait for each other: change t.sub.1, then change t.sub.2, then change t.sub.1",
		 "give 't.sub.1' another 'range', leave the rest as it was, and apply that; then have the rest as it "
		 "is "
		 "now, and apply again; then 't.sub.1', too",
		 "{" SUB("1", LINES("3.0.0.0/30", "2.0.0.0/30")) "," SUB("2", LINES("1.0.0.0/30", "4.0.0.0/30")) "}"},
		{"a group would have to leave it for its halves first",
		 "{" PART_KEPT("3", "10.0.0.0/24", "") "," HELD_BY("3") "}", NULL,
		 "these steps wait for each other: change t.user.u, then delete t.sub.3, then make t.sub.1, then "
		 "change t.user.u",
		 "apply it once with another 'range' of 't.sub.1', and then as it is now",
		 "{" PART("1", "10.0.0.0/25", "") ",\"t.user.u\":{\"sub\":" REF("t.sub.1.id") "}}"},
		{"it bears the name of one that is gone, by which another is known", TWIN_OF_WHAT_IS_GONE,
		 "unsettle t.group.x (deposed), delete t.group.x (deposed), make t.group.x, make t.keep.k", NULL, NULL,
		 "{\"t.group.x\":" NAMED ",\"t.keep.k\":" CALLED "}"},
		{"others have put into it what is to be in the one that takes its name",
		 "{" KEPT("t.group.x", "g1", NAMED, NAMED) "," PUT_INTO("g1") "}", NULL,
		 "these steps wait for each other: change t.keep.k, then delete t.group.x, then make t.group.z, then "
		 "change t.keep.k",
		 "where it is the same object under another address, say so with 'trueup state mv t.group.x "
		 "t.group.z'",
		 "{\"t.group.z\":" NAMED ",\"t.keep.k\":{\"group\":" REF("t.group.z.id") "}}"},
		{"or that bears it itself, and is replaced", "{" GROUP_KEPT("x", "g1") "," PUT_INTO("g1") "}", NULL,
		 "'t.group.x' must be replaced by a new object before the old one is deleted, but both would have the "
		 "same 'name'",
		 "change 'name' too, or have 't.keep.k' do without it and apply that first",
		 "{" GROUP("x", ABOUT) ",\"t.keep.k\":{\"group\":" REF("t.group.x.id") "}}"},
		{"a new one would be taken for the one that is used",
		 "{" KEPT("t.post.a", "p1", POST("s", "1", ""), POST("s", "1", "")) "," KEPT(
			 "t.wire.w", "w1", "{\"post\":" REF("t.post.a.id") "}", "{\"post\":\"p1\"}") "}",
		 NULL,
		 "'t.post.a' must be replaced by a new object before the old one is deleted, but the service would "
		 "take both for one: they have the same 'street', 'number'",
		 "change one of these too, or have 't.wire.w' do without it and apply that first",
		 "{\"t.post.a\":" POST("s", "1",
				       ",\"color\":\"red\"") ",\"t.wire.w\":{\"post\":" REF("t.post.a.id") "}}"},
		{"what would leave it first waits for another one, which may wait for it",
		 "{" GROUP_KEPT("x", "g1") "," KEPT("t.keep.k", "k1", IN_GROUP("x"), "{\"group\":\"g1\"}") "}", NULL,
		 "'t.group.x' must be replaced by a new object before the old one is deleted, but both would have the "
		 "same 'name'",
		 "change 'name' too, or have 't.keep.k' do without it and apply that first",
		 "{" GROUP("x", ABOUT) "," GROUP("y", "") ",\"t.keep.k\":" IN_GROUP("y") "}"},
		{"nobody knows", NAME_GOES_BACK("g2\",\"more\":{\"$unread\":true},\"last\":\""), NULL,
		 "'t.group.x' cannot be made while g1 is there, which a replace of 't.group.x' left behind, and "
		 "'t.keep.k' still uses that",
		 "apply it once with another name or range: then the one left behind goes", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lefts) / sizeof(lefts[0]); i++) {
		struct plan_fixture fixture;
		plan_from_texts(&fixture, lefts[i].spec ? lefts[i].spec : NAME_WANTED, lefts[i].record, false);
		struct slice said = fixture.diagnostics.count ? fixture.diagnostics.items[0].message : SLICE("");
		if (lefts[i].order && strcmp(plan_order(&fixture), lefts[i].order) != 0)
			fail_msg("%s: '%s', not '%s'", lefts[i].name, plan_order(&fixture), lefts[i].order);
		if (!slice_is(said, lefts[i].message ? lefts[i].message : ""))
			fail_msg("%s: '%.*s'", lefts[i].name, SLICE_ARGUMENTS(said));
		if (lefts[i].hint && !slice_is(fixture.diagnostics.items[0].hint, lefts[i].hint))
			fail_msg("%s: '%.*s'", lefts[i].name, SLICE_ARGUMENTS(fixture.diagnostics.items[0].hint));
		plan_fixture_release(&fixture);
	}
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan_fixture fixture;
		plan_from_texts(&fixture, rows[i].spec, rows[i].record, false);
		if (strcmp(plan_order(&fixture), rows[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, plan_order(&fixture), rows[i].expected);
		plan_fixture_release(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_left_behind),
	};
	return cmocka_run_group_tests_name("phases", tests, NULL, NULL);
}
