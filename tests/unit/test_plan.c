#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_plan.h"

#define GROUP_X_REC                                                                                                    \
	REC("t.group.x", "g1", "{\"name\":\"x\",\"net\":" REF("t.net.a.id") "}", "{\"name\":\"x\",\"net\":\"n1\"}",    \
	    "{\"name\":\"x\",\"net\":\"n1\"}")
#define KEEP_REC                                                                                                       \
	REC("t.keep.k", "k1", "{\"group\":" REF("t.group.x.id") "}", "{\"group\":\"g1\"}", "{\"group\":\"g1\"}")
/* A group with this name, and one that refers to it by that. */
#define GROUP_Y(name) "\"t.group.x\":{\"name\":\"" name "\",\"about\":\"y\"}"
#define GROUP_Y_REC(name)                                                                                              \
	"\"t.group.x\":{\"id\":\"g1\",\"applied\":{\"name\":\"" name "\"},\"live\":{\"name\":\"" name                  \
	"\"},\"had\":{\"name\":\"" name "\"},\"outputs\":{\"name\":\"" name "\"}}"
#define KEEP_CALLED "\"t.keep.k\":{\"called\":" REF("t.group.x.name") "}"
#define KEEP_CALLED_REC                                                                                                \
	REC("t.keep.k", "k1", "{\"called\":" REF("t.group.x.name") "}", "{\"called\":\"x\"}", "{\"called\":\"x\"}")
/* Two in one net each, or both in one, and a user that has its place in them. */
#define SUB_D(net) "\"t.sub.d\":{\"net\":" REF("t.net." net ".id") ",\"range\":\"10.2\"}"
#define PLACED "\"t.user.c\":{\"places\":[" REF("t.sub.b.id") "," REF("t.sub.d.id") "]}"
#define PLACED_REC                                                                                                     \
	REC("t.sub.d", "s2", "{\"net\":" REF("t.net.a.id") ",\"range\":\"10.2\"}",                                     \
	    "{\"net\":\"n1\",\"range\":\"10.2\"}", "{\"net\":\"n1\",\"range\":\"10.2\"}")                              \
	"," REC("t.user.c", "u1", "{\"places\":[" REF("t.sub.b.id") "," REF("t.sub.d.id") "]}",                        \
		"{\"places\":[\"s1\",\"s2\"]}", "{\"places\":[\"s1\",\"s2\"]}")
#define SUB_F "\"t.sub.f\":{\"net\":" REF("t.net.e.id") ",\"range\":\"20.1\"}"
#define SUB_F_REC                                                                                                      \
	REC("t.sub.f", "s3", "{\"net\":" REF("t.net.e.id") ",\"range\":\"20.1\"}",                                     \
	    "{\"net\":\"n2\",\"range\":\"20.1\"}", "{\"net\":\"n2\",\"range\":\"20.1\"}")
#define NET_E_REC REC("t.net.e", "n2", "{\"range\":\"20\"}", "{\"range\":\"20\"}", "{\"range\":\"20\"}")

/* A net that shows these outputs now; recorded is version 1. And a user that refers to that. */
#define SHOWN(outputs)                                                                                                 \
	"\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"},\"live\":{\"range\":\"10\"},\"outputs\":" outputs "}"
#define VERSION "\"t.user.c\":{\"version\":" REF("t.net.a.version") "}"
#define VERSION_REC                                                                                                    \
	REC("t.user.c", "u1", "{\"version\":" REF("t.net.a.version") "}", "{\"version\":1}", "{\"version\":1}")

#define SUB_UNREAD                                                                                                     \
	REC("t.sub.b", "s1", "{\"net\":" REF("t.net.a.id") ",\"range\":\"10.1\"}",                                     \
	    "{\"net\":\"n1\",\"range\":\"10.1\"}", "{\"$unread\":true}")
#define USER_LIVE(live) REC("t.user.c", "u1", "{\"places\":[" REF("t.sub.b.id") "]}", "{\"places\":[\"s1\"]}", live)

#define RULES_UNREAD                                                                                                   \
	"{" REC("t.group.a", "g1", "{\"rules\":[{\"port\":1}]}", "{\"rules\":[{\"port\":1}]}",                         \
		"{\"rules\":{\"$unread\":true}}") "}"

#define FURTHER(range) "\"t.net.a\":{\"range\":\"10\",\"further\":[\"" range "\"]}"
#define FURTHER_WAS(range) "{\"range\":\"10\",\"further\":[\"" range "\"]}"
#define FURTHER_REC(range) REC("t.net.a", "n1", FURTHER_WAS(range), FURTHER_WAS(range), FURTHER_WAS(range))
#define TABLED "{\"nets\":[\"n1\"]}"
#define GATES_LEFT "{\"t.gate.x\":{\"net\":\"n1\",\"lifecycle\":{\"ignore\":[\"net\"]}},\"t.gate.y\":{\"net\":\"n1\"}}"
#define GATE_REC(live) "{" REC("t.gate.x", "g1", "{\"net\":\"n1\"}", "{\"net\":\"n1\"}", "{\"net\":\"" live "\"}") "}"
#define TAKE_OUT(field, address) "take '" field "' out of 'lifecycle.ignore' of '" address "', or take that out by hand"
#define LEFT(fields) "{" fields "\"lifecycle\":{\"ignore\":[\"net\",\"nets\"]}}"
#define GATE_KEEPS "'t.gate.y' cannot have 'n1' as its 'net': 't.gate.x' has it, and keeps it under this plan "
#define TABLE_KEEPS "'t.table.y' cannot have 'n1' as its 'nets': 't.table.x' has it, and keeps it under this plan "
#define GATED "{\"net\":\"n1\"}"
#define NET_GATED "'t.net.a' cannot be deleted: 'net' of 't.gate.x' names it, and stays as it is "
#define THEIRS "(take out what others have put there, or have the spec name it and apply that once; then it can go)"
#define KEPT_GROUP                                                                                                     \
	"'t.group.x' cannot be deleted: 'group' of 't.keep.k' names it, and stays as it is (what a spec does not "     \
	"set, or ignores, is left alone: have 't.keep.k' set 'group' without that)"
#define LINES(first, second) "{\"net\":\"n1\",\"lines\":[{" first "},{" second "}]}"
#define PORT(range, address)                                                                                           \
	"{\"net\":\"n1\",\"range\":\"" range "\",\"ports\":[{\"slot\":1,\"address\":\"" address "\"}]}"
#define LINE(range) "\"range\":\"" range "\""
#define PART(range) "{\"net\":\"n1\",\"range\":\"" range "\"}"
/* A net made with disks, as it saw them, and as it sees them now. */
#define DISK(device) "{\"device\":\"" device "\",\"size\":5}"
#define SAW(device) "{\"device\":\"" device "\",\"size\":5,\"ends\":true}"
#define SEES(device) "{\"device\":\"" device "\",\"ends\":true}"
#define HAD_DISKS(applied, observed, live)                                                                             \
	"{\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"" applied                                            \
	"},\"observed\":{\"range\":\"10\",\"disks\":[" observed "]},\"live\":{\"range\":\"10\",\"disks\":[" live       \
	"]}}}"
#define DISKS(list) ",\"disks\":[" list "]"

static const struct row {
	const char *name;
	const char *spec;
	const char *record;
	const char *expected;
} rows[] = {
	{"nothing", "{}", "{}", ""},
	{"create", "{" SUB_B "," NET_A "}", "{}", "create t.net.a; create t.sub.b"},
	{"same", "{" NET_A "," SUB_B "}", "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "}", ""},
	{"gone", "{" NET_A "}", "{\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"}}," SUB_REC "}",
	 "create t.net.a; delete t.sub.b"},
	{"removed", "{}", "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "}", "delete t.net.a; delete t.sub.b"},
	{"unread is not absent", "{" NET_A "}", "{" NET_REC("{\"$unread\":true}") "}", "unread t.net.a"},
	{"what an unread one refers to stays", "{}", "{" NET_REC("{\"range\":\"10\"}") "," SUB_UNREAD "}",
	 "unread t.net.a; unread t.sub.b"},
	{"and what that refers to", "{}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," USER_LIVE("{\"$unread\":true}") "}",
	 "unread t.net.a; unread t.sub.b; unread t.user.c"},
	{"what an unread field refers to stays", "{\"t.group.a\":{\"rules\":[]}}",
	 "{" REC("t.group.b", "g2", "{\"name\":\"b\"}", "{\"name\":\"b\"}", "{\"name\":\"b\"}") "," REC(
		 "t.group.a", "g1", "{\"rules\":[{\"port\":1,\"group\":" REF("t.group.b.id") "}]}",
		 "{\"rules\":[{\"port\":1,\"group\":\"g2\"}]}", "{\"rules\":{\"$unread\":true}}") "}",
	 "unread t.group.b"},
	{"but for what is let go of unseen", "{\"t.user.c\":{}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," USER_LIVE("{\"places\":{\"$unread\":true}}") "}",
	 "delete t.net.a; delete t.sub.b; update t.user.c:places[s1]"},
	{"and but for what goes itself", "{}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," USER_LIVE("{\"places\":{\"$unread\":true}}") "}",
	 "delete t.net.a; delete t.sub.b; delete t.user.c"},
	{"a field that was read has let go", "{\"t.user.c\":{}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC
					   "," USER_LIVE("{\"version\":{\"$unread\":true},\"places\":[]}") "}",
	 "delete t.net.a; delete t.sub.b; record t.user.c:places"},
	{"what an unread one refers to is not replaced, nor what would follow",
	 "{\"t.net.a\":{\"range\":\"11\"}," SUB_B ",\"t.sub.d\":{\"net\":" REF("t.net.a.id") ",\"range\":\"10.2\"}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_UNREAD "," REC(
		 "t.sub.d", "s2", "{\"net\":" REF("t.net.a.id") ",\"range\":\"10.2\"}",
		 "{\"net\":\"n1\",\"range\":\"10.2\"}", "{\"net\":\"n1\",\"range\":\"10.2\"}") "}",
	 "unread t.net.a; unread t.sub.b; unread t.sub.d"},
	{"what is sent as a whole is changed unseen", "{\"t.net.a\":{\"range\":\"10\",\"label\":\"y\"}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"label\":\"x\",\"dns\":false}",
		 "{\"range\":\"10\",\"label\":\"x\",\"dns\":false}",
		 "{\"range\":\"10\",\"label\":{\"$unread\":true},\"dns\":{\"$unread\":true}}") "}",
	 "update t.net.a:dns,label"},
	{"what is changed item by item is not", "{\"t.group.a\":{\"rules\":[{\"port\":2}]}}", RULES_UNREAD, ""},
	{"nor is it emptied unseen", "{\"t.group.a\":{}}", RULES_UNREAD, ""},
	{"drift is reverted", "{\"t.net.a\":{\"range\":\"10\",\"dns\":false}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"dns\":false}", "{\"range\":\"10\",\"dns\":false}",
		 "{\"range\":\"10\",\"dns\":true}") "}",
	 "update t.net.a:~dns"},
	{"drift of what was never set is shown", "{" NET_A "}", "{" NET_REC("{\"range\":\"10\",\"label\":\"x\"}") "}",
	 "record t.net.a:~label"},
	{"changed", "{\"t.net.a\":{\"range\":\"10\",\"label\":\"y\"}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"label\":\"x\"}", "{\"range\":\"10\",\"label\":\"x\"}",
		 "{\"range\":\"10\",\"label\":\"x\"}") "}",
	 "update t.net.a:label"},
	{"changed, and live is so already", "{\"t.net.a\":{\"range\":\"10\",\"label\":\"y\"}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"label\":\"x\"}", "{\"range\":\"10\",\"label\":\"x\"}",
		 "{\"range\":\"10\",\"label\":\"y\"}") "}",
	 "record t.net.a:label"},
	{"the spec changed and reality moved", "{\"t.net.a\":{\"range\":\"10\",\"label\":\"z\"}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"label\":\"x\"}", "{\"range\":\"10\",\"label\":\"x\"}",
		 "{\"range\":\"10\",\"label\":\"y\"}") "}",
	 "update t.net.a:~label,label"},
	{"the spec has another rule, and so has reality", WITH("set", "[{\"name\":\"b\"}]"),
	 WAS("set", "[{\"name\":\"a\"}]", "[{\"name\":\"a\"},{\"name\":\"c\"}]"),
	 "update t.net.a:~set[c],set[a],set[c],set[b]"},
	{"released", "{" NET_A "}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"label\":\"x\"}", "{\"range\":\"10\",\"label\":\"x\"}",
		 "{\"range\":\"10\",\"label\":\"x\"}") "}",
	 "record t.net.a:label"},
	{"unset goes back to its constant", "{" NET_A "}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"dns\":false}", "{\"range\":\"10\",\"dns\":false}",
		 "{\"range\":\"10\",\"dns\":false}") "}",
	 "update t.net.a:dns"},
	{"unset goes back to its constant from what it moved to", "{" NET_A "}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"tags\":{\"a\":\"1\"}}",
		 "{\"range\":\"10\",\"tags\":{\"a\":\"1\"}}", "{\"range\":\"10\",\"tags\":{\"a\":\"2\"}}") "}",
	 "update t.net.a:~tags.a,tags.a"},
	{"unset needs another object", "{" NET_A "}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"pool\":\"p\"}", "{\"range\":\"10\",\"pool\":\"p\"}",
		 "{\"range\":\"10\",\"pool\":\"p\"}") "}",
	 "replace t.net.a:pool"},
	{"observed is left to its owner", "{\"t.net.a\":{\"range\":\"10\",\"size\":3}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"size\":3}", "{\"range\":\"10\",\"size\":3}",
		 "{\"range\":\"10\",\"size\":9}") "}",
	 ""},
	{"observed is shown beside what changes", "{\"t.net.a\":{\"range\":\"10\",\"size\":3,\"dns\":true}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"size\":3,\"dns\":false}",
		 "{\"range\":\"10\",\"size\":3,\"dns\":false}", "{\"range\":\"10\",\"size\":9,\"dns\":false}") "}",
	 "update t.net.a:dns,~size"},
	{"observed follows the spec when that changes", "{\"t.net.a\":{\"range\":\"10\",\"size\":4}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"size\":3}", "{\"range\":\"10\",\"size\":3}",
		 "{\"range\":\"10\",\"size\":9}") "}",
	 "update t.net.a:size"},
	{"tags by key", "{\"t.net.a\":{\"range\":\"10\",\"tags\":{\"a\":\"1\",\"b\":\"2\"}}}",
	 "{" REC("t.net.a", "n1", "{\"range\":\"10\",\"tags\":{\"a\":\"1\",\"c\":\"3\"}}",
		 "{\"range\":\"10\",\"tags\":{\"a\":\"1\",\"c\":\"3\"}}",
		 "{\"range\":\"10\",\"tags\":{\"a\":\"1\",\"c\":\"3\"}}") "}",
	 "update t.net.a:tags.c,tags.b"},
	{"replace takes its immutable users along", "{\"t.net.a\":{\"range\":\"11\"}," SUB_B "}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "}", "replace t.net.a:range; replace t.sub.b:net"},
	{"a user that stays is moved over: the new one first",
	 "{" NET_A ",\"t.sub.b\":{\"net\":" REF("t.net.a.id") ",\"range\":\"10.2\"},\"t.user.c\":{\"sub\":" REF(
		 "t.sub.b.id") "}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," USER_REC "}",
	 "replace-first t.sub.b:range; update t.user.c:sub"},
	{"what has its place in a net goes with it",
	 "{\"t.net.a\":{\"range\":\"11\"}," SUB_B "," SUB_D("a") "," PLACED "}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," PLACED_REC "}",
	 "replace t.net.a:range; replace t.sub.b:net; replace t.sub.d:net; "
	 "replace t.user.c:places[s1],places[s2],places[${t.sub.b.id}],places[${t.sub.d.id}]"},
	{"it stays where the net stays",
	 "{" NET_A ",\"t.sub.b\":{\"net\":" REF("t.net.a.id") ",\"range\":\"10.3\"},\"t.sub.d\":{\"net\":" REF(
		 "t.net.a.id") ",\"range\":\"10.4\"}," PLACED "}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," PLACED_REC "}",
	 "replace-first t.sub.b:range; replace-first t.sub.d:range; "
	 "update t.user.c:places[s1],places[s2],places[${t.sub.b.id}],places[${t.sub.d.id}]"},
	{"it stays where one of its places does",
	 "{" NET_A ",\"t.net.e\":{\"range\":\"20\"}," SUB_B "," SUB_D("e") "," PLACED "}",
	 "{" NET_REC("{\"range\":\"10\"}") "," NET_E_REC "," SUB_REC "," PLACED_REC "}",
	 "replace-first t.sub.d:net; update t.user.c:places[s2],places[${t.sub.d.id}]"},
	{"it goes along into a net that was there before",
	 "{" NET_A ",\"t.net.e\":{\"range\":\"20\"},\"t.sub.b\":{\"net\":" REF(
		 "t.net.e.id") ",\"range\":\"10.1\"}," SUB_D("e") "," PLACED "}",
	 "{" NET_REC("{\"range\":\"10\"}") "," NET_E_REC "," SUB_REC "," PLACED_REC "}",
	 "replace t.sub.b:net; replace t.sub.d:net; "
	 "replace t.user.c:places[s1],places[s2],places[${t.sub.b.id}],places[${t.sub.d.id}]"},
	{"it goes along where all that it had goes, and all that it is to have is new",
	 "{\"t.net.e\":{\"range\":\"20\"},\"t.sub.f\":{\"net\":" REF(
		 "t.net.e.id") ",\"range\":\"10.1\"},\"t.user.c\":{\"places\":[" REF("t.sub.f.id") "]}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," PLACED_REC "}",
	 "delete t.net.a; create t.net.e; delete t.sub.b; delete t.sub.d; create t.sub.f; "
	 "replace t.user.c:places[s1],places[s2],places[${t.sub.f.id}]"},
	{"it goes along into places that were there before, in another net",
	 "{" NET_A "," SUB_B ",\"t.net.e\":{\"range\":\"20\"}," SUB_F
	 ",\"t.user.c\":{\"places\":[" REF("t.sub.f.id") "]}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," NET_E_REC "," SUB_REC "," SUB_F_REC "," PLACED_REC "}",
	 "delete t.sub.d; replace t.user.c:places[s1],places[s2],places[s3]"},
	{"it goes along into a place that is made in another net that was there before",
	 "{" NET_A ",\"t.net.e\":{\"range\":\"20\"}," SUB_F ",\"t.user.c\":{\"places\":[" REF("t.sub.f.id") "]}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," NET_E_REC "," SUB_REC "," PLACED_REC "}",
	 "delete t.sub.b; delete t.sub.d; create t.sub.f; "
	 "replace t.user.c:places[s1],places[s2],places[${t.sub.f.id}]"},
	{"it stays where it comes into one place more, in another net",
	 "{" NET_A "," SUB_B ",\"t.net.e\":{\"range\":\"20\"}," SUB_F
	 ",\"t.user.c\":{\"places\":[" REF("t.sub.b.id") "," REF("t.sub.f.id") "]}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," NET_E_REC "," SUB_REC "," SUB_F_REC "," PLACED_REC "}",
	 "delete t.sub.d; update t.user.c:places[s2],places[s3]"},
	{"it stays where the other place is in the same net",
	 "{" NET_A ",\"t.sub.f\":{\"net\":" REF("t.net.a.id") ",\"range\":\"10.3\"},\"t.user.c\":{\"places\":[" REF(
		 "t.sub.f.id") "]}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," PLACED_REC "}",
	 "delete t.sub.b; delete t.sub.d; create t.sub.f; "
	 "update t.user.c:places[s1],places[s2],places[${t.sub.f.id}]"},
	{"it stays where what it had stays",
	 "{" NET_A "," SUB_B ",\"t.net.e\":{\"range\":\"20\"},\"t.sub.f\":{\"net\":" REF(
		 "t.net.e.id") ",\"range\":\"10.1\"},\"t.user.c\":{\"places\":[" REF("t.sub.f.id") "]}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," PLACED_REC "}",
	 "create t.net.e; delete t.sub.d; create t.sub.f; update t.user.c:places[s1],places[s2],places[${t.sub.f.id}]"},
	{"the new one first needs another range",
	 "{" NET_A ",\"t.sub.b\":{\"net\":" REF(
		 "t.net.a.id") ",\"range\":\"10.1\",\"zone\":\"z\"},\"t.user.c\":{\"sub\":" REF("t.sub.b.id") "}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," USER_REC "}",
	 "replace-first t.sub.b:zone; update t.user.c:sub; refused"},
	{"what only mentions it lets the old one go first",
	 "{" NET_A ",\"t.sub.b\":{\"net\":" REF(
		 "t.net.a.id") ",\"range\":\"10.1\",\"zone\":\"z\"},\"t.user.c\":{\"places\":[" REF("t.sub.b.id") "]}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "," REC("t.user.c", "u1", "{\"places\":[" REF("t.sub.b.id") "]}",
							       "{\"places\":[\"s1\"]}", "{\"places\":[\"s1\"]}") "}",
	 "replace t.sub.b:zone; update t.user.c:places[s1],places[${t.sub.b.id}]"},
	{"the new one first has the old name in another net",
	 "{\"t.net.a\":{\"range\":\"11\"},\"t.group.x\":{\"name\":\"x\",\"net\":" REF(
		 "t.net.a.id") "},\"t.keep.k\":{\"group\":" REF("t.group.x.id") "}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," GROUP_X_REC "," KEEP_REC "}",
	 "replace-first t.group.x:net; update t.keep.k:group; replace-first t.net.a:range"},
	{"the new one first has the old name in a net that was there before",
	 "{" NET_A ",\"t.group.x\":{\"name\":\"x\",\"net\":\"n2\"},\"t.keep.k\":{\"group\":" REF("t.group.x.id") "}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," GROUP_X_REC "," KEEP_REC "}",
	 "replace-first t.group.x:net; update t.keep.k:group"},
	{"the new one first needs another name",
	 "{" NET_A ",\"t.group.x\":{\"name\":\"x\",\"about\":\"y\",\"net\":" REF(
		 "t.net.a.id") "},\"t.keep.k\":{\"group\":" REF("t.group.x.id") "}}",
	 "{" NET_REC("{\"range\":\"10\"}") "," GROUP_X_REC "," KEEP_REC "}",
	 "replace-first t.group.x:about; update t.keep.k:group; refused"},
	{"a name is known before what has it is made anew, and stays with it", "{" GROUP_Y("x") "," KEEP_CALLED "}",
	 "{" GROUP_Y_REC("x") "," KEEP_CALLED_REC "}", "replace t.group.x:about"},
	{"so it does where that was deleted", "{" GROUP_Y("x") "," KEEP_CALLED "}",
	 "{\"t.group.x\":{\"id\":\"g1\",\"applied\":{\"name\":\"x\"}}," KEEP_CALLED_REC "}", "create t.group.x"},
	{"another name is another value", "{" GROUP_Y("y") "," KEEP_CALLED "}",
	 "{" GROUP_Y_REC("x") "," KEEP_CALLED_REC "}", "replace-first t.group.x:name,about; update t.keep.k:called"},
	{"a name that is not known yet may be another one",
	 "{" NET_A ",\"t.group.x\":{\"name\":" REF("t.net.a.id") "}," KEEP_CALLED "}",
	 "{" GROUP_Y_REC("x") "," KEEP_CALLED_REC "}",
	 "replace-first t.group.x:name; update t.keep.k:called; create t.net.a"},
	{"an update renews what its users refer to",
	 "{\"t.net.a\":{\"range\":\"10\",\"dns\":false},\"t.user.c\":{\"version\":" REF("t.net.a.version") "}}",
	 "{" NET_REC("{\"range\":\"10\",\"dns\":true}") "," REC("t.user.c", "u1",
								"{\"version\":" REF("t.net.a.version") "}",
								"{\"version\":1}", "{\"version\":1}") "}",
	 "update t.net.a:dns; update t.user.c:version"},
	{"an output that moved is drift, and what refers to it follows", "{" NET_A "," VERSION "}",
	 "{" SHOWN("{\"version\":2}") "," VERSION_REC "}", "record t.net.a:~version; update t.user.c:version"},
	{"an output that moved beside a change of the spec", "{\"t.net.a\":{\"range\":\"10\",\"label\":\"y\"}}",
	 "{" SHOWN("{\"version\":2}") "}", "update t.net.a:label,~version"},
	{"an output that a change of the spec renews was not moved", "{\"t.net.a\":{\"range\":\"10\",\"dns\":true}}",
	 "{" SHOWN("{\"version\":2}") "}", "update t.net.a:dns"},
	{"an output that went is drift", "{" NET_A "}", "{" SHOWN("{}") "}", "record t.net.a:~version"},
	{"an output that came is drift", "{" NET_A "}", "{" SHOWN("{\"version\":1,\"zone\":\"z\"}") "}",
	 "record t.net.a:~zone"},
	{"an output that could not be read has not moved", "{" NET_A "," VERSION "}",
	 "{" SHOWN("{\"version\":{\"$unread\":true}}") "," VERSION_REC "}", ""},
	{"a member goes back to its constant", WITH("list", "[{}]"),
	 WAS("list", "[{\"life\":7200}]", "[{\"life\":7200}]"), "update t.net.a:list"},
	{"a member is at its constant already", WITH("list", "[{}]"),
	 WAS("list", "[{\"life\":28800}]", "[{\"life\":28800}]"), "record t.net.a:list"},
	{"a member of an item in a set", WITH("set", "[{\"name\":\"a\"},{\"name\":\"b\"}]"),
	 WAS("set", "[{\"name\":\"a\",\"life\":60},{\"name\":\"b\"}]",
	     "[{\"name\":\"a\",\"life\":60},{\"name\":\"b\"}]"),
	 "update t.net.a:set[a]"},
	{"an item that has something new is told once",
	 "{" NET_A
	 ",\"t.group.x\":{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\",\"note\":" REF("t.net.a.id") "}]}}",
	 "{" REC("t.group.x", "g1", "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\",\"note\":\"n\"}]}",
		 "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\",\"note\":\"n\"}]}",
		 "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\",\"note\":\"n\"}]}") "}",
	 "update t.group.x:rules[1 g2]; create t.net.a"},
	{"an item whose key is not known yet",
	 "{" NET_A ",\"t.group.x\":{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":" REF("t.net.a.id") "}]}}",
	 "{" REC("t.group.x", "g1", "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\"}]}",
		 "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\"}]}",
		 "{\"name\":\"x\",\"rules\":[{\"port\":1,\"group\":\"g2\"}]}") "}",
	 "update t.group.x:rules[1 g2],rules[1 ${t.net.a.id}]; create t.net.a"},
	{"a released member of a list", WITH("list", "[{}]"), WAS("list", "[{\"wait\":5}]", "[{\"wait\":5}]"),
	 "record t.net.a:list[0].wait"},
	{"a released member of a set", WITH("set", "[{\"name\":\"a\"}]"),
	 WAS("set", "[{\"name\":\"a\",\"wait\":5}]", "[{\"name\":\"a\",\"wait\":5}]"), "record t.net.a:set[a].wait"},
	{"a released member of an object, and one with a constant", WITH("one", "{\"name\":\"a\"}"),
	 WAS("one", "{\"name\":\"a\",\"life\":60,\"wait\":5}", "{\"name\":\"a\",\"life\":60,\"wait\":5}"),
	 "update t.net.a:one.wait,one"},
	{"a member is cleared", WITH("one", "{}"), WAS("one", "{\"weight\":\"2\"}", "{\"weight\":\"2\"}"),
	 "update t.net.a:one"},
	{"a member is cleared already", WITH("one", "{}"), WAS("one", "{\"weight\":\"2\"}", "{}"),
	 "record t.net.a:one"},
	{"an empty list that was never set", WITH("one", "{\"name\":\"a\"}"),
	 WAS("one", "{\"name\":\"a\"}", "{\"name\":\"a\",\"types\":[]}"), ""},
	{"a member that was never set moved", WITH("set", "[{\"name\":\"a\"}]"),
	 WAS("set", "[{\"name\":\"a\"}]", "[{\"name\":\"a\",\"weight\":\"3\"}]"), "record t.net.a:~set[a].weight"},
	{"disks as they were seen", WITH("disks", "[" DISK("a") "," DISK("b") "]"),
	 HAD_DISKS(DISKS(DISK("a") "," DISK("b")), SAW("a") "," SAW("b"), SEES("a") "," SEES("b") "," SEES("c")), ""},
	{"a disk that is gone", WITH("disks", "[" DISK("a") "," DISK("b") "]"),
	 HAD_DISKS(DISKS(DISK("a") "," DISK("b")), SAW("a") "," SAW("b"), SEES("b")), "refused"},
	{"a disk that was never seen", WITH("disks", "[" DISK("a") "," DISK("b") "]"),
	 HAD_DISKS(DISKS(DISK("a") "," DISK("b")), DISK("a") "," SAW("b"), SEES("b")), ""},
	{"a disk that is gone, and the spec lets go of it", WITH("disks", "[" DISK("b") "]"),
	 HAD_DISKS(DISKS(DISK("a") "," DISK("b")), SAW("a") "," SAW("b"), SEES("b")), "record t.net.a:~disks,disks"},
	{"a disk that is there, and the spec lets go of it", WITH("disks", "[" DISK("b") "]"),
	 HAD_DISKS(DISKS(DISK("a") "," DISK("b")), SAW("a") "," SAW("b"), SEES("a") "," SEES("b")),
	 "replace t.net.a:disks[a]"},
	{"a disk that is gone, and the spec lets go of all", "{" NET_A "}", HAD_DISKS(DISKS(DISK("a")), SAW("a"), ""),
	 "record t.net.a:~disks,disks"},
	{"a disk that is gone, and was let go of before", "{" NET_A "}", HAD_DISKS("", SAW("a"), ""),
	 "record t.net.a:~disks"},
	{"a disk that is gone, in what is replaced anyway", "{\"t.net.a\":{\"range\":\"11\"" DISKS(DISK("a")) "}}",
	 HAD_DISKS(DISKS(DISK("a")), SAW("a"), ""), "replace t.net.a:range,~disks[a]"},
	{"two that name each other", "{" MUTUAL "}", "{}", "create t.group.x; create t.group.y"},
	{"two that name each other, the same", "{" MUTUAL "}", "{" MUTUAL_REC "}", ""},
	{"two that name each other, destroyed", "{}", "{" MUTUAL_REC "}", "delete t.group.x; delete t.group.y"},
	{"a rule behind our back", "{\"t.group.x\":{\"name\":\"x\",\"rules\":[]}}",
	 "{" REC("t.group.x", "g1", "{\"name\":\"x\",\"rules\":[]}", "{\"name\":\"x\",\"rules\":[]}",
		 "{\"name\":\"x\",\"rules\":[{\"port\":22}]}") "}",
	 "update t.group.x:~rules[22]"},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct plan_fixture fixture;
		plan_from_texts(&fixture, rows[i].spec, rows[i].record, false);
		if (strcmp(plan_summary(&fixture), rows[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].name, plan_summary(&fixture), rows[i].expected);
		plan_fixture_release(&fixture);
	}
}

/* Why the only action is there, or what was said against it and what to do. */
static void test_reasons(void **state)
{
	static const struct {
		const char *name, *spec, *record;
		bool destroy;
		const char *reason;
	} reasons[] = {
		{"never made", "{" NET_A "}", "{\"t.net.a\":{\"applied\":{\"range\":\"10\"},\"incomplete\":true}}",
		 false, "its create has not completed"},
		{"never made, and wanted no more", "{}",
		 "{\"t.net.a\":{\"applied\":{\"range\":\"10\"},\"incomplete\":true}}", false,
		 "is wanted no more, and nothing was seen of what its create may have made"},
		{"never made, and all is to go", "{}",
		 "{\"t.net.a\":{\"applied\":{\"range\":\"10\"},\"incomplete\":true}}", true,
		 "is wanted no more, and nothing was seen of what its create may have made"},
		{"begun", "{" NET_A "}",
		 "{\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"},\"incomplete\":true,"
		 "\"live\":{\"range\":\"10\"}}}",
		 false, "was not finished by the run that began it"},
		{"begun, and deleted by somebody", "{" NET_A ",\"t.net.b\":{\"range\":\"11\"}}",
		 "{\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"},\"incomplete\":true}," REC(
			 "t.net.b", "n2", "{\"range\":\"11\"}", "{\"range\":\"11\"}", "{\"range\":\"11\"}") "}",
		 false, "was deleted outside of this stack"},
		{"destroyed", "{}", "{" NET_REC("{\"range\":\"10\"}") "}", true, "everything is to go"},
		{"removed", "{}", "{" NET_REC("{\"range\":\"10\"}") "}", false, "no longer in the spec"},
		{"protected", "{}",
		 "{\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"},\"protect\":true,"
		 "\"live\":{\"range\":\"10\"}}}",
		 true,
		 "'t.net.a' is protected, so it is not destroyed (apply it once without 'protect' in its 'lifecycle'; "
		 "then it can go)"},
		{"a disk is gone", WITH("disks", "[" DISK("a") "]"), HAD_DISKS(DISKS(DISK("a")), SAW("a"), ""), false,
		 "'t.net.a' lacks disks[a], which the spec names (no call brings it back: plug it in again; for a new "
		 "one of all that the spec says, 'trueup destroy --target t.net.a', then apply (what refers to it goes "
		 "with it))"},
		{"two are to be made, and the name exists once",
		 "{\"t.group.x\":{\"name\":\"n\",\"net\":\"n1\"},\"t.group.y\":{\"name\":\"n\",\"net\":\"n1\"}}", "{}",
		 false,
		 "'t.group.x' and 't.group.y' have the same 'name', which exists once in a net (give one of them "
		 "another 'name')"},
		{"two are to be attached to one", "{\"t.gate.x\":{\"net\":\"n1\"},\"t.gate.y\":{\"net\":\"n1\"}}", "{}",
		 false,
		 "'t.gate.x' and 't.gate.y' have the same target in 'net', which takes only one of them (leave it to "
		 "one of them)"},
		{"one is to lead to what another leads to", "{\"t.table.x\":" TABLED ",\"t.table.y\":" TABLED "}",
		 "{" REC("t.table.x", "t1", TABLED, TABLED, TABLED) "}", false,
		 "'t.table.x' and 't.table.y' have the same target in 'nets', which takes only one of them (leave it "
		 "to one of them)"},
		{"one that is to be attached where the net is left to others", GATES_LEFT, "{}", false,
		 "'t.gate.x' and 't.gate.y' have the same target in 'net', which takes only one of them (leave it to "
		 "one of them)"},
		{"one is attached there, and its net is left to others", GATES_LEFT, GATE_REC("n1"), false,
		 GATE_KEEPS "(" TAKE_OUT("net", "t.gate.x") ")"},
		{"others took it from there", GATES_LEFT, GATE_REC("n2"), false, "new in the spec"},
		{"it is not known whether others took it from there", GATES_LEFT,
		 "{" REC("t.gate.x", "g1", "{\"net\":\"n1\"}", "{\"net\":\"n1\"}", "null") "}", false,
		 "new in the spec"},
		{"others took a net out of a set that is left to them",
		 "{\"t.table.x\":{\"nets\":[\"n1\"],\"lifecycle\":{\"ignore\":[\"nets\"]}},\"t.table.y\":" TABLED "}",
		 "{" REC("t.table.x", "t1", TABLED, TABLED, "{\"nets\":[\"n2\"]}") "}", false, "new in the spec"},
		{"its spec says no more of that net", "{\"t.gate.x\":" LEFT("") ",\"t.gate.y\":" GATED "}",
		 GATE_REC("n1"), false, GATE_KEEPS "(" TAKE_OUT("net", "t.gate.x") ")"},
		{"others have attached one there of which the spec says nothing",
		 "{\"t.gate.x\":{},\"t.gate.y\":" GATED "}", "{" REC("t.gate.x", "g1", "{}", "{}", GATED) "}", false,
		 GATE_KEEPS THEIRS},
		{"one lets go of it by the same plan", "{\"t.gate.x\":{},\"t.gate.y\":" GATED "}", GATE_REC("n1"),
		 false, "can change in place"},
		{"one is led to by what leaves that to others",
		 "{\"t.table.x\":" LEFT("\"nets\":[],") ",\"t.table.y\":" TABLED "}",
		 "{" REC("t.table.x", "t1", TABLED, TABLED, TABLED) "}", false,
		 TABLE_KEEPS "(" TAKE_OUT("nets", "t.table.x") ")"},
		{"others have moved there what another one takes back", "{\"t.table.x\":{},\"t.table.y\":" TABLED "}",
		 "{" REC("t.table.x", "t1", "{}", "{}", TABLED) "," REC("t.table.y", "t2", TABLED, TABLED,
									"{\"nets\":[]}") "}",
		 false, "as the spec says"},
		{"what is let go of as it is names what goes", "{\"t.keep.k\":{}}",
		 "{" GROUP_Y_REC("x") "," KEEP_REC "}", false, KEPT_GROUP},
		{"what never was the spec's names what goes", "{\"t.keep.k\":{}}",
		 "{" GROUP_Y_REC("x") "," REC("t.keep.k", "k1", "{}", "{}", "{\"group\":\"g1\"}") "}", false,
		 KEPT_GROUP},
		{"it names another one by now", "{\"t.keep.k\":{}}",
		 "{" GROUP_Y_REC("x") "," REC("t.keep.k", "k1", "{}", "{}", "{\"group\":\"g2\"}") "}", false,
		 "no longer in the spec"},
		{"what it is attached to goes, and its spec leaves that to others", "{\"t.gate.x\":" LEFT("") "}",
		 "{" NET_REC("{\"range\":\"10\"}") "," REC("t.gate.x", "g1", GATED, GATED, GATED) "}", false,
		 NET_GATED "(" TAKE_OUT("net", "t.gate.x") ")"},
		{"what others have attached it to goes", "{\"t.gate.x\":{}}",
		 "{" NET_REC("{\"range\":\"10\"}") "," REC("t.gate.x", "g1", "{}", "{}", GATED) "}", false,
		 NET_GATED THEIRS},
		{"it goes too", "{}", "{" GROUP_Y_REC("x") "," KEEP_REC "}", false, "no longer in the spec"},
		{"two are to be made, and their ranges overlap",
		 "{\"t.sub.x\":" PART("10.0.0.0/24") ",\"t.sub.y\":" PART("10.0.0.128/25") "}", "{}", false,
		 "'t.sub.x' and 't.sub.y' overlap in their 'range', of which any part exists once in a net (give one "
		 "of "
		 "them another 'range')"},
		{"one that stays has more than what is to be had",
		 "{\"t.sub.x\":{\"net\":\"n1\"},\"t.sub.y\":" PART("10.0.0.128/25") "}",
		 "{" REC("t.sub.x", "s1", "{\"net\":\"n1\"}", "{\"net\":\"n1\"}", PART("10.0.0.0/24")) "}", false,
		 "'t.sub.y' cannot have '10.0.0.128/25' as its 'range': 't.sub.x' has 10.0.0.0/24, and keeps it under "
		 "this plan (take another one, or give 't.sub.x' another 'range', with which it is made anew)"},
		{"one that changes in place leaves the range of an item as it is",
		 "{\"t.sub.x\":" LINES("\"wait\":2", LINE("3.0.0.0/30")) ",\"t.sub.y\":" LINES(LINE("1.0.0.0/30"),
											       LINE("2.0.0.0/30")) "}",
		 "{" REC("t.sub.x", "s1", LINES("\"wait\":1", LINE("2.0.0.0/30")),
			 LINES("\"wait\":1", LINE("2.0.0.0/30")),
			 LINES(LINE("1.0.0.0/30") ",\"wait\":1", LINE("2.0.0.0/30"))) "}",
		 false,
		 "'t.sub.y' cannot have '1.0.0.0/30' as its 'range': 't.sub.x' has it, and keeps it under this plan "
		 "(what a spec does not set, or ignores, is left alone: have 't.sub.x' set 'lines' without that)"},
		{"what no read gives back is kept as it was made",
		 "{\"t.sub.x\":" PART("10.0.0.0/24") ",\"t.sub.y\":" PORT("10.0.1.0/24", "10.0.0.5") "}",
		 "{" REC("t.sub.x", "s1", PORT("10.0.0.0/24", "10.0.0.5"), PORT("10.0.0.0/24", "10.0.0.5"),
			 PART("10.0.0.0/24")) "}",
		 false,
		 "'t.sub.y' cannot have '10.0.0.5' as its 'address': 't.sub.x' has it, and keeps it under this plan "
		 "(take another one, or give 't.sub.x' another 'address' in its 'ports', with which it is made anew)"},
		{"the new one would have the address that the old one was made with",
		 "{\"t.sub.b\":" PORT("10.0.1.0/24", "10.0.0.5") ",\"t.user.c\":{\"sub\":" REF("t.sub.b.id") "}}",
		 "{" REC("t.sub.b", "s1", PORT("10.0.0.0/24", "10.0.0.5"), PORT("10.0.0.0/24", "10.0.0.5"),
			 PART("10.0.0.0/24")) "," USER_REC "}",
		 false,
		 "'t.sub.b' must be replaced by a new object before the old one is deleted, but both would have the "
		 "same 'address' (change 'address' too, or have 't.user.c' do without it and apply that first)"},
		{"two are told otherwise what they lie in, and it is the same",
		 "{" NET_A ",\"t.sub.x\":{\"net\":" REF("t.net.a.id") ",\"lines\":[{" LINE(
			 "1.0.0.0/30") "}]},\"t.sub.y\":{"
				       "\"net\":\"n1\",\"lines\":[{" LINE("1.0.0.0/30") "}]}}",
		 "{" NET_REC("{\"range\":\"10\"}") "}", false,
		 "'t.sub.x' and 't.sub.y' have the same 'range', which exists once in a net (give one of them another "
		 "'range')"},
		{"the new one would have a part of what the old one has",
		 "{\"t.sub.b\":" PART("10.0.0.128/25") ",\"t.user.c\":{\"sub\":" REF("t.sub.b.id") "}}",
		 "{" REC("t.sub.b", "s1", PART("10.0.0.0/24"), PART("10.0.0.0/24"), PART("10.0.0.0/24")) "," USER_REC
													 "}",
		 false,
		 "'t.sub.b' must be replaced by a new object before the old one is deleted, but its new 'range' "
		 "overlaps 10.0.0.0/24, which that one has (take a range apart from that, or have 't.user.c' do "
		 "without "
		 "it and apply that first)"},
		{"a wider range comes under what stays in the narrower one",
		 "{" FURTHER("10.0.0.0/16") ",\"t.sub.x\":" PART("10.0.0.0/24") "}",
		 "{" FURTHER_REC("10.0.0.0/17") "," REC("t.sub.x", "s1", PART("10.0.0.0/24"), PART("10.0.0.0/24"),
							PART("10.0.0.0/24")) "}",
		 false,
		 "'t.net.a' cannot let go of 10.0.0.0/17: 't.sub.x' lies in it, with the 'range' 10.0.0.0/24, and "
		 "stays "
		 "under this plan (keep 10.0.0.0/17, or give 't.sub.x' another 'range' in the same edit: then it goes "
		 "first, and comes anew)"},
		{"it stays as it could not be read", "{" FURTHER("10.0.0.0/16") "}",
		 "{" FURTHER_REC("10.0.0.0/17") "," REC(
			 "t.sub.b", "s1", PART("10.0.0.0/24"), PART("10.0.0.0/24"),
			 PART("10.0.0.0/24")) ",\"t.user.c\":{\"id\":\"u1\","
					      "\"applied\":{\"sub\":" REF(
						      "t.sub.b.id") "},\"live\":{\"$unread\":true}}}",
		 false,
		 "'t.net.a' cannot let go of 10.0.0.0/17: 't.sub.b' lies in it, with the 'range' 10.0.0.0/24, and "
		 "stays "
		 "under this plan (keep 10.0.0.0/17 until that is gone)"},
		{"it would go, and is protected", "{" FURTHER("10.0.0.0/16") ",\"t.sub.b\":" PART("10.0.1.0/24") "}",
		 "{" FURTHER_REC("10.0.0.0/17") ",\"t.sub.b\":{\"id\":\"s1\",\"protect\":true,\"applied\":" PART(
			 "10.0.0.0/24") ",\"resolved\":" PART("10.0.0.0/24") ",\"live\":" PART("10.0.0.0/24") "}}",
		 false,
		 "'t.sub.b' is protected, and the change needs a new object (take 'protect' out of its 'lifecycle', "
		 "apply "
		 "that first, and then the change)"},
		{"a range is taken away once what lies in it is gone", "{" FURTHER("10.0.0.0/16") "}",
		 "{" FURTHER_REC("10.0.0.0/17") "," REC("t.sub.b", "s1", PART("10.0.0.0/24"), PART("10.0.0.0/24"),
							PART("10.0.0.0/24")) "}",
		 false, "can change in place"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		struct plan_fixture fixture;
		plan_from_texts(&fixture, reasons[i].spec, reasons[i].record, reasons[i].destroy);
		const struct diag *said = fixture.diagnostics.items;
		struct slice got =
			fixture.diagnostics.count
				? arena_format(&fixture.arena, "%.*s (%.*s)", SLICE_ARGUMENTS(said->message),
					       SLICE_ARGUMENTS(said->hint))
				: slice_of(fixture.plan.action_count ? fixture.plan.actions[0].reason : "no action");
		if (!slice_is(got, reasons[i].reason))
			fail_msg("%s: '%.*s', not '%s'", reasons[i].name, SLICE_ARGUMENTS(got), reasons[i].reason);
		plan_fixture_release(&fixture);
	}
}

/* Whatever was read elsewhere of what it is to have. */
static void test_silence(void **state)
{
	static const struct {
		const char *name, *spec, *record, *expected;
	} silent[] = {
		{"new", "{" NET_A "}", "{}", "unread t.net.a"},
		{"as the spec says", "{" NET_A "}", "{" NET_REC("{\"range\":\"10\"}") "}", "unread t.net.a"},
		{"gone", "{" NET_A "}", "{\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\"}}}",
		 "unread t.net.a"},
		{"no longer in the spec, and read", "{}", "{" NET_REC("{\"range\":\"10\"}") "}", "delete t.net.a"},
		{"no longer in the spec, and what stays refers to it", "{" SUB_B "}",
		 "{" NET_REC("{\"range\":\"10\"}") "," SUB_REC "}", "unread t.net.a; unread t.sub.b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
		struct plan_fixture fixture;
		plan_fixture_load(&fixture, silent[i].spec, silent[i].record);
		fixture.silence = "nobody answers";
		plan_fixture_plan(&fixture, false);
		const char *got = plan_summary(&fixture);
		if (strcmp(got, silent[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", silent[i].name, got, silent[i].expected);
		for (size_t k = 0; k < fixture.resource_count; k++)
			assert_true(
				slice_is(fixture.plan.unread[fixture.plan.unread_count - 1].reason, "nobody answers"));
		plan_fixture_release(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_silence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
