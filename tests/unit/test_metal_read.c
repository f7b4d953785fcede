#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support_metal.h"

/* The reading of machines against controllers of canned pages: what is asked, in which order, and what is made of it.
 */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Pages that a controller has; a path that is none of them answers 404. */
struct page {
	const char *path;
	const char *body;
	int status; /* 0: 200 */
};

/* Sends a call as the loop does, to a controller of so many pages. */
static void answer_call(struct metal_fixture *fixture, const struct call *call, const struct page *pages, size_t count,
			struct answer *ret)
{
	struct http_request request;
	struct http_response response = {.answered = true, .status = 404, .body = SLICE("{}")};
	struct slice path;

	if (!metal_prepare(call, 0, &fixture->arena, &request, &fixture->diagnostics))
		fail_msg("no request: %s", metal_first_message(fixture));
	path = slice_from(request.url, sizeof("https://10.0.0.5") - 1);
	size_t used = strlen(fixture->asked);
	snprintf(fixture->asked + used, sizeof(fixture->asked) - used, "%.*s\n", SLICE_ARGUMENTS(path));
	for (size_t i = 0; i < count; i++) {
		if (!slice_is(path, pages[i].path))
			continue;
		response.status = pages[i].status ? pages[i].status : 200;
		response.body = slice_of(pages[i].body);
	}
	metal_interpret(call, &response, &fixture->arena, ret);
}

/* What the record of a machine tells. */
struct recorded {
	struct value observed, outputs;
};

/* recorded: NULL where there is none. */
static enum step read_recorded(struct metal_fixture *fixture, const char *found, const struct value *matters,
			       const struct recorded *recorded, const struct page *pages, size_t count,
			       struct live *ret)
{
	struct reading reading = {
		.session = &fixture->session.session,
		.kind = &metal_machine,
		.arena = &fixture->arena,
		.subject = ret,
		.matters = matters,
		.observed = recorded ? &recorded->observed : NULL,
		.outputs = recorded ? &recorded->outputs : NULL,
		.task = {.diagnostics = &fixture->diagnostics},
	};
	enum step step;

	*ret = (struct live){.presence = PRESENCE_PRESENT, .fields = metal_json(fixture, found)};
	arena_init(&reading.task.scratch);
	step = metal_detail(&reading, NULL);
	for (int i = 0; step == STEP_CALL && i < 200; i++) {
		struct answer answer;

		answer_call(fixture, &reading.task.call, pages, count, &answer);
		step = metal_detail(&reading, &answer);
	}
	arena_release(&reading.task.scratch);
	return step;
}

static enum step read_machine(struct metal_fixture *fixture, const char *found, const struct value *matters,
			      const struct page *pages, size_t count, struct live *ret)
{
	return read_recorded(fixture, found, matters, NULL, pages, count, ret);
}

#define ROOT                                                                                                           \
	{                                                                                                              \
		"/redfish/v1/", "{\"Systems\":{\"@odata.id\":\"/redfish/v1/Systems\"}}", 0                             \
	}
#define ONE_SYSTEM                                                                                                     \
	{                                                                                                              \
		"/redfish/v1/Systems", "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1\"}]}", 0                  \
	}
#define TWO_SYSTEMS                                                                                                    \
	{                                                                                                              \
		"/redfish/v1/Systems",                                                                                 \
			"{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1\"},{\"@odata.id\":\"/redfish/v1/"        \
			"Systems/2\"}]}",                                                                              \
			0                                                                                              \
	}
#define SYSTEM_TEXT(rest)                                                                                              \
	"{\"Id\":\"1\",\"UUID\":\"4C4C4544-0044\",\"SerialNumber\":\" SN1 "                                            \
	"\",\"Manufacturer\":\"Dell\",\"Model\":\"R750\","                                                             \
	"\"PowerState\":\"On\",\"MemorySummary\":{\"TotalSystemMemoryGiB\":384.0},"                                    \
	"\"ProcessorSummary\":{\"Count\":2,\"Model\":\"Xeon\"}" rest "}"
#define SYSTEM                                                                                                         \
	{                                                                                                              \
		"/redfish/v1/Systems/1",                                                                               \
			SYSTEM_TEXT(",\"EthernetInterfaces\":{\"@odata.id\":\"/redfish/v1/Systems/1/"                  \
				    "EthernetInterfaces\"}"),                                                          \
			0                                                                                              \
	}
#define INTERFACES                                                                                                     \
	{                                                                                                              \
		"/redfish/v1/Systems/1/EthernetInterfaces",                                                            \
			"{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/b\"},"                \
			"{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/a\"}]}",                            \
			0                                                                                              \
	}
#define INTERFACE_A                                                                                                    \
	{                                                                                                              \
		"/redfish/v1/Systems/1/EthernetInterfaces/a",                                                          \
			"{\"PermanentMACAddress\":\"00:00:00:00:00:0A\",\"MACAddress\":\"02:00:00:00:00:0A\"}", 0      \
	}
#define INTERFACE_B                                                                                                    \
	{                                                                                                              \
		"/redfish/v1/Systems/1/EthernetInterfaces/b", "{\"MACAddress\":\"00-00-00-00-00-0B\"}", 0              \
	}

static const struct page whole[] = {ROOT, ONE_SYSTEM, SYSTEM, INTERFACES, INTERFACE_A, INTERFACE_B};

static void test_a_machine_is_read(void **state)
{
	struct metal_fixture *fixture = *state;
	struct value matters = value_map(NULL, 0);
	struct live live;

	assert_int_equal(
		read_machine(fixture, "{\"controller\":\"https://10.0.0.5\"}", &matters, whole, COUNT(whole), &live),
		STEP_DONE);
	assert_int_equal(fixture->diagnostics.count, 0);
	assert_string_equal(fixture->asked,
			    "/redfish/v1/\n/redfish/v1/Systems\n/redfish/v1/Systems/1\n"
			    "/redfish/v1/Systems/1/EthernetInterfaces\n/redfish/v1/Systems/1/EthernetInterfaces/b\n"
			    "/redfish/v1/Systems/1/EthernetInterfaces/a\n");
	assert_string_equal(
		metal_canonical(fixture, &live.fields),
		"{\"controller\":\"https://10.0.0.5\",\"macs\":[\"00:00:00:00:00:0a\",\"00:00:00:00:00:0b\"],"
		"\"manufacturer\":\"Dell\",\"memory_gib\":384,\"model\":\"R750\",\"power\":\"on\","
		"\"processors\":{\"count\":2,\"model\":\"Xeon\"},\"serial\":\"SN1\"}");
	assert_string_equal(
		metal_canonical(fixture, &live.outputs),
		"{\"id\":\"https://10.0.0.5/redfish/v1/Systems/1\","
		"\"macs\":[\"00:00:00:00:00:0a\",\"00:00:00:00:00:0b\"],\"manufacturer\":\"Dell\","
		"\"model\":\"R750\",\"power\":\"on\",\"serial\":\"SN1\",\"system\":\"/redfish/v1/Systems/1\","
		"\"uuid\":\"4C4C4544-0044\"}");
	assert_true(slice_is(live.provider_id, "https://10.0.0.5/redfish/v1/Systems/1"));
	assert_int_equal(live.readiness, READY);
}

/* What comes of controllers that are not as they should be. */
static const struct page no_systems[] = {{"/redfish/v1/", "{\"RedfishVersion\":\"1.5.0\"}", 0}};
static const struct page elsewhere[] = {
	{"/redfish/v1/", "{\"Systems\":{\"@odata.id\":\"https://169.254.169.254/redfish/v1/Systems\"}}", 0}};
static const struct page outside[] = {{"/redfish/v1/", "{\"Systems\":{\"@odata.id\":\"/cgi-bin/x\"}}", 0}};
static const struct page empty[] = {ROOT, {"/redfish/v1/Systems", "{\"Members\":[]}", 0}};
static const struct page two[] = {
	ROOT, TWO_SYSTEMS, SYSTEM, {"/redfish/v1/Systems/2", "{\"SerialNumber\":\"SN2\"}", 0}};
static const struct page paged[] = {
	ROOT,
	{"/redfish/v1/Systems",
	 "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1\"}],"
	 "\"Members@odata.nextLink\":\"/redfish/v1/Systems?$skip=1\"}",
	 0},
	{"/redfish/v1/Systems?$skip=1", "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/2\"}]}", 0},
	{"/redfish/v1/Systems/2", "{\"SerialNumber\":\"SN2\"}", 0}};
static const struct page absolute[] = {
	{"/redfish/v1/", "{\"Systems\":{\"@odata.id\":\"https://10.0.0.5/redfish/v1/Systems\"}}", 0},
	{"/redfish/v1/Systems",
	 "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1\"}],"
	 "\"Members@odata.nextLink\":\"https://10.0.0.5/redfish/v1/Systems?$skip=1\"}",
	 0},
	{"/redfish/v1/Systems?$skip=1", "{\"Members\":[]}", 0},
	{"/redfish/v1/Systems/1", "{\"SerialNumber\":\"SN1\"}", 0}};
static const struct page nearly[] = {
	{"/redfish/v1/", "{\"Systems\":{\"@odata.id\":\"https://10.0.0.5.169.254/redfish/v1/Systems\"}}", 0}};
static const struct page paged_interfaces[] = {
	ROOT,
	ONE_SYSTEM,
	SYSTEM,
	{"/redfish/v1/Systems/1/EthernetInterfaces",
	 "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/b\"}],"
	 "\"Members@odata.nextLink\":\"/redfish/v1/Systems/1/EthernetInterfaces?$skip=1\"}",
	 0},
	{"/redfish/v1/Systems/1/EthernetInterfaces?$skip=1",
	 "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/a\"}]}", 0},
	INTERFACE_A,
	INTERFACE_B};
static const struct page empty_slot[] = {
	ROOT,
	ONE_SYSTEM,
	{"/redfish/v1/Systems/1",
	 "{\"EthernetInterfaces\":{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces\"}}", 0},
	{"/redfish/v1/Systems/1/EthernetInterfaces",
	 "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/a\"},"
	 "{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/c\"}]}",
	 0},
	INTERFACE_A,
	{"/redfish/v1/Systems/1/EthernetInterfaces/c", "{\"MACAddress\":\"00:00:00:00:00:00\"}", 0}};
static const struct page endless_interfaces[] = {
	ROOT,
	ONE_SYSTEM,
	SYSTEM,
	{"/redfish/v1/Systems/1/EthernetInterfaces",
	 "{\"Members\":[],\"Members@odata.nextLink\":\"/redfish/v1/Systems/1/EthernetInterfaces\"}", 0}};
/* Two a page: more than there is room for, long before there are too many pages. */
static const struct page many_interfaces[] = {
	ROOT,
	ONE_SYSTEM,
	{"/redfish/v1/Systems/1",
	 "{\"EthernetInterfaces\":{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces\"}}", 0},
	{"/redfish/v1/Systems/1/EthernetInterfaces",
	 "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/a\"},"
	 "{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/b\"}],"
	 "\"Members@odata.nextLink\":\"/redfish/v1/Systems/1/EthernetInterfaces\"}",
	 0},
	INTERFACE_A,
	INTERFACE_B};
static const struct page foreign_page[] = {
	ROOT,
	ONE_SYSTEM,
	{"/redfish/v1/Systems/1",
	 "{\"EthernetInterfaces\":{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces\"}}", 0},
	{"/redfish/v1/Systems/1/EthernetInterfaces",
	 "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1/EthernetInterfaces/a\"}],"
	 "\"Members@odata.nextLink\":\"https://10.9.9.9/redfish/v1/x\"}",
	 0},
	INTERFACE_A};
static const struct page endless[] = {
	ROOT, {"/redfish/v1/Systems", "{\"Members\":[],\"Members@odata.nextLink\":\"/redfish/v1/Systems\"}", 0}};
static const struct page endless_behind_one[] = {
	ROOT,
	{"/redfish/v1/Systems",
	 "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1\"}],"
	 "\"Members@odata.nextLink\":\"/redfish/v1/Systems?$skip=1\"}",
	 0},
	{"/redfish/v1/Systems?$skip=1", "{\"Members\":[],\"Members@odata.nextLink\":\"/redfish/v1/Systems?$skip=1\"}",
	 0},
	SYSTEM};
/* What a collection counts is all that it has, on whichever pages. */
static const struct page fewer_systems[] = {
	ROOT,
	{"/redfish/v1/Systems", "{\"Members@odata.count\":2,\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1\"}]}",
	 0},
	SYSTEM};
static const struct page counted_systems[] = {
	ROOT,
	{"/redfish/v1/Systems",
	 "{\"Members@odata.count\":1,\"Members\":[],\"Members@odata.nextLink\":\"/redfish/v1/Systems?$skip=0\"}", 0},
	{"/redfish/v1/Systems?$skip=0",
	 "{\"Members@odata.count\":1,\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/2\"}]}", 0},
	{"/redfish/v1/Systems/2", "{\"SerialNumber\":\"SN2\"}", 0}};
#define COUNTED_INTERFACES(count)                                                                                      \
	{"/redfish/v1/Systems/1/EthernetInterfaces",                                                                   \
	 "{\"Members@odata.count\":" count ",\"Members\":[{\"@odata.id\":"                                             \
	 "\"/redfish/v1/Systems/1/EthernetInterfaces/b\"}],"                                                           \
	 "\"Members@odata.nextLink\":\"/redfish/v1/Systems/1/EthernetInterfaces?$skip=1\"}",                           \
	 0},                                                                                                           \
	{                                                                                                              \
		"/redfish/v1/Systems/1/EthernetInterfaces?$skip=1",                                                    \
			"{\"Members@odata.count\":" count ",\"Members\":[{\"@odata.id\":"                              \
			"\"/redfish/v1/Systems/1/EthernetInterfaces/a\"}]}",                                           \
			0                                                                                              \
	}
static const struct page fewer_interfaces[] = {ROOT,	    ONE_SYSTEM, SYSTEM, COUNTED_INTERFACES("3"),
					       INTERFACE_A, INTERFACE_B};
static const struct page counted_interfaces[] = {ROOT,	      ONE_SYSTEM, SYSTEM, COUNTED_INTERFACES("2"),
						 INTERFACE_A, INTERFACE_B};
static const struct page same_page_again[] = {ROOT,
					      {"/redfish/v1/Systems",
					       "{\"Members\":[{\"@odata.id\":\"/redfish/v1/Systems/1\"}],"
					       "\"Members@odata.nextLink\":\"/redfish/v1/Systems\"}",
					       0},
					      SYSTEM};
static const struct page denied[] = {
	ROOT,
	{"/redfish/v1/Systems",
	 "{\"error\":{\"code\":\"Base.1.8.GeneralError\",\"message\":\"See @Message.ExtendedInfo\","
	 "\"@Message.ExtendedInfo\":[{\"MessageId\":\"Base.1.8.NoValidSession\",\"Message\":\"There is no valid "
	 "session\"},"
	 "{\"Message\":\"Log\\u001b[2Jin\"}]}}",
	 401}};
static const struct page moved[] = {{"/redfish/v1/", "", 308}};
static const struct page slashed[] = {{"/redfish/v1/Systems/2", "", 308},
				      {"/redfish/v1/Systems/2/", "{\"SerialNumber\":\"SN2\"}", 0}};
static const struct page moved_on[] = {{"/redfish/v1/Systems/2", "", 308}, {"/redfish/v1/Systems/2/", "", 301}};
static const struct page html[] = {{"/redfish/v1/", "<html>It works</html>", 0}};
static const struct page list_for_map[] = {{"/redfish/v1/", "[]", 0}};
static const struct page deep[] = {{"/redfish/v1/",
				    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]"
				    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
				    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
				    0}};
static const struct page strange_types[] = {
	ROOT,
	ONE_SYSTEM,
	{"/redfish/v1/Systems/1",
	 "{\"SerialNumber\":7,\"Model\":null,\"PowerState\":[],\"MemorySummary\":{\"TotalSystemMemoryGiB\":\"x\"},"
	 "\"ProcessorSummary\":[],\"EthernetInterfaces\":{\"@odata.id\":5}}",
	 0}};
static const struct page numbers_as_text[] = {
	ROOT,
	ONE_SYSTEM,
	{"/redfish/v1/Systems/1",
	 "{\"MemorySummary\":{\"TotalSystemMemoryGiB\":\"384\"},\"ProcessorSummary\":{\"Count\":\" 2\"}}", 0}};
static const struct page no_interfaces[] = {
	ROOT, ONE_SYSTEM, SYSTEM, {"/redfish/v1/Systems/1/EthernetInterfaces", "{}", 403}};
static const struct page foreign_interface[] = {
	ROOT,
	ONE_SYSTEM,
	SYSTEM,
	{"/redfish/v1/Systems/1/EthernetInterfaces", "{\"Members\":[{\"@odata.id\":\"//10.9.9.9/redfish/v1/x\"}]}", 0}};
static const struct page starting[] = {
	ROOT, ONE_SYSTEM, {"/redfish/v1/Systems/1", "{\"PowerState\":\"PoweringOff\"}", 0}};

#define PAGES(array) (array), COUNT(array)

static const struct reading_row {
	const char *name, *found, *matters;
	const struct page *pages;
	size_t page_count;
	const char *message; /* part of the first finding, or "" */
	const char *fields;  /* NULL: the machine is unread */
} reading_rows[] = {
	{"no systems", METAL_AT, "{}", PAGES(no_systems), "offers no systems", NULL},
	{"a link to another host", METAL_AT, "{}", PAGES(elsewhere), "has a link that does not stay on it", NULL},
	{"a link outside", METAL_AT, "{}", PAGES(outside), "has a link that does not stay on it", NULL},
	{"an empty list", METAL_AT, "{}", PAGES(empty), "has no system", NULL},
	{"two systems", METAL_AT, "{}", PAGES(two), "'system' does not say which is meant: 1, 2", NULL},
	{"two systems, one chosen", "{\"controller\":\"https://10.0.0.5\",\"system\":\"2\"}", "{\"system\":\"2\"}",
	 PAGES(two), "", "{\"controller\":\"https://10.0.0.5\",\"serial\":\"SN2\",\"system\":\"2\"}"},
	{"two systems, a third chosen", "{\"controller\":\"https://10.0.0.5\",\"system\":\"3\"}", "{}", PAGES(two),
	 "has no system of that id: '3'", NULL},
	{"one system a page", METAL_AT, "{}", PAGES(paged), "has several systems", NULL},
	{"one system a page, the second chosen", "{\"controller\":\"https://10.0.0.5\",\"system\":\"2\"}", "{}",
	 PAGES(paged), "", "{\"controller\":\"https://10.0.0.5\",\"serial\":\"SN2\",\"system\":\"2\"}"},
	{"pages without end", METAL_AT, "{}", PAGES(endless), "does not end its list of systems", NULL},
	{"one system, and pages without end", METAL_AT, "{}", PAGES(endless_behind_one),
	 "does not end its list of systems", NULL},
	{"one system, on the same page again", METAL_AT, "{}", PAGES(same_page_again),
	 "does not end its list of systems", NULL},
	{"fewer systems than it counts", METAL_AT, "{}", PAGES(fewer_systems), "lists fewer systems than it counts",
	 NULL},
	{"fewer systems than it counts, and the one chosen", "{\"controller\":\"https://10.0.0.5\",\"system\":\"1\"}",
	 "{}", PAGES(fewer_systems), "",
	 "{\"controller\":\"https://"
	 "10.0.0.5\",\"manufacturer\":\"Dell\",\"memory_gib\":384,\"model\":\"R750\",\"power\":\"on\",\"processors\":{"
	 "\"count\":2,\"model\":\"Xeon\"},\"serial\":\"SN1\",\"system\":\"1\"}"},
	{"as many systems as it counts, on the second page", METAL_AT, "{}", PAGES(counted_systems), "",
	 "{\"controller\":\"https://10.0.0.5\",\"serial\":\"SN2\"}"},
	{"the system in the address", "{\"controller\":\"https://10.0.0.5/redfish/v1/Systems/2\"}", "{}", PAGES(two),
	 "", "{\"controller\":\"https://10.0.0.5/redfish/v1/Systems/2\",\"serial\":\"SN2\"}"},
	{"the system in the address, with a slash", "{\"controller\":\"https://10.0.0.5/redfish/v1/Systems/2\"}", "{}",
	 PAGES(slashed), "", "{\"controller\":\"https://10.0.0.5/redfish/v1/Systems/2\",\"serial\":\"SN2\"}"},
	{"the system in the address, moved on", "{\"controller\":\"https://10.0.0.5/redfish/v1/Systems/2\"}", "{}",
	 PAGES(moved_on), "Systems/2/: HTTP 301, it points elsewhere, which is never followed", NULL},
	{"a system that is not there", "{\"controller\":\"https://10.0.0.5/redfish/v1/Systems/9\"}", "{}", PAGES(two),
	 "HTTP 404, there is nothing at this address", NULL},
	{"denied", METAL_AT, "{}", PAGES(denied), "is not accepted: There is no valid session; Log [2Jin", NULL},
	{"a redirect", METAL_AT, "{}", PAGES(moved), "HTTP 308, it points elsewhere, which is never followed", NULL},
	{"HTML", METAL_AT, "{}", PAGES(html),
	 "could not read https://10.0.0.5/redfish/v1/: the answer is not valid JSON", NULL},
	{"a list", METAL_AT, "{}", PAGES(list_for_map), "the answer is no JSON object", NULL},
	{"a deep nest", METAL_AT, "{}", PAGES(deep), "nested more than 64 levels deep", NULL},
	{"types that are none of theirs", METAL_AT, "{}", PAGES(strange_types), "",
	 "{\"controller\":\"https://10.0.0.5\"}"},
	{"numbers as text", METAL_AT, "{\"memory_gib\":384}", PAGES(numbers_as_text), "",
	 "{\"controller\":\"https://10.0.0.5\",\"memory_gib\":384,\"processors\":{\"count\":2}}"},
	{"a field by which it is not found any more", METAL_AT, "{\"system\":\"1\"}", PAGES(strange_types), "",
	 "{\"controller\":\"https://10.0.0.5\"}"},
	{"what matters is not told", METAL_AT,
	 "{\"serial\":\"A\",\"power\":\"on\",\"processors\":{\"count\":2},\"macs\":[]}", PAGES(strange_types),
	 "does not tell 'power', 'serial', 'processors', 'macs'",
	 "{\"controller\":\"https://10.0.0.5\",\"macs\":{\"$unread\":true},\"power\":{\"$unread\":true},"
	 "\"processors\":{\"$unread\":true},\"serial\":{\"$unread\":true}}"},
	{"a member that matters is not told", METAL_AT, "{\"processors\":{\"count\":2,\"model\":\"X\"}}",
	 (const struct page[]){ROOT, ONE_SYSTEM, {"/redfish/v1/Systems/1", "{\"ProcessorSummary\":{\"Count\":2}}", 0}},
	 3, "does not tell 'processors'",
	 "{\"controller\":\"https://10.0.0.5\",\"processors\":{\"count\":2,\"model\":{\"$unread\":true}}}"},
	{"interfaces denied, of no matter", METAL_AT, "{}", PAGES(no_interfaces), "",
	 "{\"controller\":\"https://10.0.0.5\",\"manufacturer\":\"Dell\",\"memory_gib\":384,\"model\":\"R750\","
	 "\"power\":\"on\",\"processors\":{\"count\":2,\"model\":\"Xeon\"},\"serial\":\"SN1\"}"},
	{"interfaces denied", METAL_AT, "{\"macs\":[\"00:00:00:00:00:0a\"]}", PAGES(no_interfaces),
	 "EthernetInterfaces: HTTP 403",
	 "{\"controller\":\"https://10.0.0.5\",\"macs\":{\"$unread\":true},\"manufacturer\":\"Dell\","
	 "\"memory_gib\":384,\"model\":\"R750\",\"power\":\"on\",\"processors\":{\"count\":2,\"model\":\"Xeon\"},"
	 "\"serial\":\"SN1\"}"},
	{"an interface on another host", METAL_AT, "{\"macs\":[\"00:00:00:00:00:0a\"],\"serial\":\"A\"}",
	 PAGES(foreign_interface), "does not tell 'macs'",
	 "{\"controller\":\"https://10.0.0.5\",\"macs\":{\"$unread\":true},\"manufacturer\":\"Dell\","
	 "\"memory_gib\":384,\"model\":\"R750\",\"power\":\"on\",\"processors\":{\"count\":2,\"model\":\"Xeon\"},"
	 "\"serial\":\"SN1\"}"},
	{"links with its own address", METAL_AT, "{}", PAGES(absolute), "",
	 "{\"controller\":\"https://10.0.0.5\",\"serial\":\"SN1\"}"},
	{"a link to a host of nearly its name", METAL_AT, "{}", PAGES(nearly), "has a link that does not stay on it",
	 NULL},
	{"one interface a page", METAL_AT, "{\"macs\":[]}", PAGES(paged_interfaces), "",
	 "{\"controller\":\"https://"
	 "10.0.0.5\",\"macs\":[\"00:00:00:00:00:0a\",\"00:00:00:00:00:0b\"],\"manufacturer\":\"Dell\","
	 "\"memory_gib\":384,\"model\":\"R750\",\"power\":\"on\",\"processors\":{\"count\":2,\"model\":\"Xeon\"},"
	 "\"serial\":\"SN1\"}"},
	{"fewer interfaces than it counts, none of which is missed", METAL_AT, "{\"macs\":[\"00:00:00:00:00:0a\"]}",
	 PAGES(fewer_interfaces), "",
	 "{\"controller\":\"https://"
	 "10.0.0.5\",\"macs\":[\"00:00:00:00:00:0a\",\"00:00:00:00:00:0b\"],\"manufacturer\":\"Dell\",\"memory_gib\":"
	 "384,\"model\":\"R750\",\"power\":\"on\",\"processors\":{\"count\":2,\"model\":\"Xeon\"},\"serial\":\"SN1\"}"},
	{"fewer interfaces than it counts", METAL_AT, "{\"macs\":[\"00:00:00:00:00:0c\"]}", PAGES(fewer_interfaces),
	 "does not tell 'macs'",
	 "{\"controller\":\"https://"
	 "10.0.0.5\",\"macs\":{\"$unread\":true},\"manufacturer\":\"Dell\",\"memory_gib\":384,\"model\":\"R750\","
	 "\"power\":\"on\",\"processors\":{\"count\":2,\"model\":\"Xeon\"},\"serial\":\"SN1\"}"},
	{"as many interfaces as it counts", METAL_AT, "{\"macs\":[\"00:00:00:00:00:0c\"]}", PAGES(counted_interfaces),
	 "",
	 "{\"controller\":\"https://"
	 "10.0.0.5\",\"macs\":[\"00:00:00:00:00:0a\",\"00:00:00:00:00:0b\"],\"manufacturer\":\"Dell\",\"memory_gib\":"
	 "384,\"model\":\"R750\",\"power\":\"on\",\"processors\":{\"count\":2,\"model\":\"Xeon\"},\"serial\":\"SN1\"}"},
	{"a slot without a card, which counted as an address once", METAL_AT,
	 "{\"macs\":[\"00:00:00:00:00:00\",\"00:00:00:00:00:0a\"]}", PAGES(empty_slot), "",
	 "{\"controller\":\"https://10.0.0.5\",\"macs\":[\"00:00:00:00:00:0a\"]}"},
	{"pages of interfaces without end", METAL_AT, "{\"macs\":[]}", PAGES(endless_interfaces),
	 "does not tell 'macs'",
	 "{\"controller\":\"https://10.0.0.5\",\"macs\":{\"$unread\":true},\"manufacturer\":\"Dell\","
	 "\"memory_gib\":384,\"model\":\"R750\",\"power\":\"on\",\"processors\":{\"count\":2,\"model\":\"Xeon\"},"
	 "\"serial\":\"SN1\"}"},
	{"too many interfaces on pages of a few", METAL_AT, "{\"macs\":[]}", PAGES(many_interfaces),
	 "does not tell 'macs'", "{\"controller\":\"https://10.0.0.5\",\"macs\":{\"$unread\":true}}"},
	{"a page of interfaces on another host", METAL_AT, "{\"macs\":[]}", PAGES(foreign_page), "does not tell 'macs'",
	 "{\"controller\":\"https://10.0.0.5\",\"macs\":{\"$unread\":true}}"},
	{"on its way", METAL_AT, "{}", PAGES(starting), "", "{\"controller\":\"https://10.0.0.5\",\"power\":\"off\"}"},
};

static void test_controllers_of_all_sorts(void **state)
{
	struct metal_fixture *fixture = *state;

	for (size_t i = 0; i < COUNT(reading_rows); i++) {
		const struct reading_row *row = &reading_rows[i];
		struct value matters = metal_json(fixture, row->matters);
		struct live live;
		enum step step = read_machine(fixture, row->found, &matters, row->pages, row->page_count, &live);

		if (step != (row->fields ? STEP_DONE : STEP_FAILED) ||
		    !strstr(metal_first_message(fixture), row->message) ||
		    (row->message[0] == '\0') != (fixture->diagnostics.count == 0))
			fail_msg("%s: step %d, '%s'", row->name, (int)step, metal_first_message(fixture));
		if (row->fields && strcmp(metal_canonical(fixture, &live.fields), row->fields) != 0)
			fail_msg("%s: %s", row->name, metal_canonical(fixture, &live.fields));
		if (strstr(fixture->asked, "169.254") || strstr(fixture->asked, "10.9.9.9"))
			fail_msg("%s: another host was asked: %s", row->name, fixture->asked);
		metal_forget(fixture);
	}
}

static const struct page little[] = {
	ROOT, ONE_SYSTEM, {"/redfish/v1/Systems/1", "{\"ProcessorSummary\":{\"Count\":2}}", 0}};

#define NOTHING_MORE "{\"controller\":\"https://10.0.0.5\",\"processors\":{\"count\":2}}"
#define ONLY_FOUND "{\"id\":\"https://10.0.0.5/redfish/v1/Systems/1\",\"system\":\"/redfish/v1/Systems/1\"}"
#define TOLD_BEFORE "{\"model\":\"R\",\"processors\":{\"count\":2,\"model\":\"X\"}}"

/* What its record has and it tells no more is unread; the record of another machine says nothing of this one. */
static void test_what_is_recorded(void **state)
{
	static const struct {
		const char *name, *id, *observed;
		const struct page *pages;
		size_t page_count;
		const char *fields, *outputs;
	} recorded_rows[] = {
		{"of this one", "https://10.0.0.5/redfish/v1/Systems/1", TOLD_BEFORE, PAGES(little),
		 "{\"controller\":\"https://10.0.0.5\",\"model\":{\"$unread\":true},"
		 "\"processors\":{\"count\":2,\"model\":{\"$unread\":true}}}",
		 "{\"id\":\"https://10.0.0.5/redfish/v1/Systems/1\",\"model\":{\"$unread\":true},"
		 "\"system\":\"/redfish/v1/Systems/1\"}"},
		{"of another system", "https://10.0.0.5/redfish/v1/Systems/2", TOLD_BEFORE, PAGES(little), NOTHING_MORE,
		 ONLY_FOUND},
		{"of another controller", "https://10.0.0.6/redfish/v1/Systems/1", TOLD_BEFORE, PAGES(little),
		 NOTHING_MORE, ONLY_FOUND},
		{"addresses of another system", "https://10.0.0.5/redfish/v1/Systems/2",
		 "{\"macs\":[\"00:00:00:00:00:0c\"]}", PAGES(empty_slot),
		 "{\"controller\":\"https://10.0.0.5\",\"macs\":[\"00:00:00:00:00:0a\"]}",
		 "{\"id\":\"https://10.0.0.5/redfish/v1/Systems/1\",\"macs\":[\"00:00:00:00:00:0a\"],"
		 "\"system\":\"/redfish/v1/Systems/1\"}"},
	};
	struct metal_fixture *fixture = *state;

	for (size_t i = 0; i < COUNT(recorded_rows); i++) {
		struct slice outputs =
			arena_format(&fixture->arena, "{\"id\":\"%s\",\"model\":\"R\"}", recorded_rows[i].id);
		struct recorded recorded = {metal_json(fixture, recorded_rows[i].observed),
					    metal_json(fixture, outputs.data)};
		struct value matters = value_map(NULL, 0);
		struct live live;

		assert_int_equal(read_recorded(fixture, METAL_AT, &matters, &recorded, recorded_rows[i].pages,
					       recorded_rows[i].page_count, &live),
				 STEP_DONE);
		if (strcmp(metal_canonical(fixture, &live.fields), recorded_rows[i].fields) != 0)
			fail_msg("%s: %s", recorded_rows[i].name, metal_canonical(fixture, &live.fields));
		if (strcmp(metal_canonical(fixture, &live.outputs), recorded_rows[i].outputs) != 0)
			fail_msg("%s: %s", recorded_rows[i].name, metal_canonical(fixture, &live.outputs));
		metal_forget(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		METAL_TEST(test_a_machine_is_read),
		METAL_TEST(test_controllers_of_all_sorts),
		METAL_TEST(test_what_is_recorded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
