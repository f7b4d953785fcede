#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "providers/metal/address.h"
#include "providers/metal/system.h"
#include "providers/metal/wire.h"
#include "reconcile/schema.h"
#include "tests/unit/support_metal.h"

/* The provider of machines: what a spec may say, what it sends, and what answers mean. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_addresses(void **state)
{
	static const struct {
		const char *text;
		const char *base, *system; /* NULL: refused */
		bool plain;
	} rows[] = {
		{"https://10.0.0.5", "https://10.0.0.5", "", false},
		{"https://bmc-7.rack2.example:8443", "https://bmc-7.rack2.example:8443", "", false},
		{"https://[fd00::5]", "https://[fd00::5]", "", false},
		{"https://[fd00::5]:443", "https://[fd00::5]:443", "", false},
		{"http://127.0.0.1:8000", "http://127.0.0.1:8000", "", true},
		{"https://10.0.0.5/redfish/v1/Systems/1", "https://10.0.0.5", "/redfish/v1/Systems/1", false},
		{"", NULL, NULL, false},
		{"https://", NULL, NULL, false},
		{"10.0.0.5", NULL, NULL, false},
		{"ftp://10.0.0.5", NULL, NULL, false},
		{"HTTPS://10.0.0.5", NULL, NULL, false},
		{"https://BMC", NULL, NULL, false},
		{"https://10.0.0.5/", NULL, NULL, false},
		{"https://10.0.0.5?x", NULL, NULL, false},
		{"https://10.0.0.5#x", NULL, NULL, false},
		{"https://user:word@10.0.0.5", NULL, NULL, false},
		{"https://10.0.0.5:", NULL, NULL, false},
		{"https://10.0.0.5:0", NULL, NULL, false},
		{"https://10.0.0.5:65536", NULL, NULL, false},
		{"https://10.0.0.5:80:80", NULL, NULL, false},
		{"https://[fd00::5", NULL, NULL, false},
		{"https://[fd00::5]x", NULL, NULL, false},
		{"https://10.0.0.5 ", NULL, NULL, false},
		{"https://10.0.0.5/redfish/v1", NULL, NULL, false},
		{"https://10.0.0.5/redfish/v1/Systems/", NULL, NULL, false},
		{"https://10.0.0.5/redfish/v1/Systems/..", NULL, NULL, false},
		{"https://10.0.0.5/redfish/v1/Systems/1/Bios", NULL, NULL, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct metal_address address = {0};
		const char *problem = NULL;
		bool good = metal_address_read(slice_of(rows[i].text), &address, &problem);

		if (good != (rows[i].base != NULL) || (!good && !problem))
			fail_msg("'%s' was %s", rows[i].text, good ? "accepted" : "refused");
		if (good && (!slice_is(address.base, rows[i].base) || !slice_is(address.system, rows[i].system) ||
			     address.plain != rows[i].plain))
			fail_msg("'%s' was taken apart wrongly", rows[i].text);
	}
}

static void test_spellings(void **state)
{
	static const struct {
		const char *text, *form;
	} rows[] = {
		{"https://bmc", "https://bmc"},
		{"https://bmc:443", "https://bmc"},
		{"https://bmc:0443", "https://bmc"},
		{"https://bmc:80", "https://bmc:80"},
		{"http://bmc:80/redfish/v1/Systems/1", "http://bmc/redfish/v1/Systems/1"},
		{"http://bmc:443", "http://bmc:443"},
		{"https://bmc:08443", "https://bmc:8443"},
		{"https://[fd00:0::5]:443/redfish/v1/Systems/1", "https://[fd00::5]/redfish/v1/Systems/1"},
		{"https://[fd00:0:0:0:0:0:0:5]:8443", "https://[fd00::5]:8443"},
		{"https://[::]", "https://[::]"},
		{"https://[fd00::5::]", "https://[fd00::5::]"},
		{"https://BMC", "https://BMC"},
		{"bmc:443", "bmc:443"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice form = metal_address_form(slice_of(rows[i].text), &arena);

		if (!slice_is(form, rows[i].form))
			fail_msg("'%s': '%.*s'", rows[i].text, SLICE_ARGUMENTS(form));
	}
	arena_release(&arena);
}

static void test_links(void **state)
{
	static const struct {
		const char *text;
		bool sound, sound_with_query;
		const char *name;
	} rows[] = {
		{"/redfish/v1/Systems/1", true, true, "1"},
		{"/redfish/v1/Systems/1/", true, true, "1"},
		{"/redfish/v1/Systems/System.Embedded.1", true, true, "System.Embedded.1"},
		{"/redfish/v1/Systems?$skip=50", false, true, NULL},
		{"/redfish/v1/Systems?$skiptoken=a/b?c", false, true, NULL},
		{"/redfish/v1/Systems?$skip=50#1", false, false, NULL},
		{"https://10.9.9.9/redfish/v1/Systems/1", false, false, NULL},
		{"//10.9.9.9/redfish/v1", false, false, NULL},
		{"/redfish//10.9.9.9", false, false, NULL},
		{"/redfish/v1/../../admin", false, false, NULL},
		{"/redfish/v1/./x", false, false, NULL},
		{"/admin", false, false, NULL},
		{"/redfish/v1/ Systems", false, false, NULL},
		{"/redfish/v1/Systems#1", false, false, NULL},
		{"/redfish/v1/Sys\r\nHost: x", false, false, NULL},
		{"/redfish/v1/\\10.9.9.9", false, false, NULL},
		{"@10.9.9.9/redfish/", false, false, NULL},
		{"", false, false, NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice link = slice_of(rows[i].text);

		if (metal_link_is_sound(link, false) != rows[i].sound ||
		    metal_link_is_sound(link, true) != rows[i].sound_with_query)
			fail_msg("'%s' was misjudged", rows[i].text);
		if (rows[i].name && !slice_is(metal_link_name(link), rows[i].name))
			fail_msg("'%s' has another name", rows[i].text);
	}
}

static void test_mac_addresses(void **state)
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{"00:5c:52:31:3a:9c", "00:5c:52:31:3a:9c"},
		{"00:5C:52:31:3A:9C", "00:5c:52:31:3a:9c"},
		{"00-5C-52-31-3A-9C", "00:5c:52:31:3a:9c"},
		{"005c.5231.3a9c", "00:5c:52:31:3a:9c"},
		{"005C52313A9C", "00:5c:52:31:3a:9c"},
		{"00:5c:52:31:3a", ""},
		{"00:00:00:00:00:00", ""},
		{"00:5c:52:31:3a:9c:11", ""},
		{"00:5c:52:31:3a:zz", ""},
		{"", ""},
	};
	struct metal_fixture *fixture = *state;

	for (size_t i = 0; i < COUNT(rows); i++)
		if (!slice_is(metal_mac(slice_of(rows[i].text), &fixture->arena), rows[i].canonical))
			fail_msg("'%s' is not '%s'", rows[i].text, rows[i].canonical);
}

static void test_what_a_spec_may_say(void **state)
{
	static const struct {
		const char *name, *spec, *complaint; /* complaint: part of the first message, or "" */
	} rows[] = {
		{"the least", "{\"controller\":\"https://10.0.0.5\"}", ""},
		{"everything",
		 "{\"controller\":\"https://"
		 "10.0.0.5\",\"system\":\"1\",\"power\":\"on\",\"serial\":\"A\",\"manufacturer\":\"M\","
		 "\"model\":\"X\",\"memory_gib\":384,\"processors\":{\"count\":2,\"model\":\"P\"},"
		 "\"macs\":[\"00:5c:52:31:3a:9c\"]}",
		 ""},
		{"no controller", "{\"serial\":\"A\"}", "needs the field 'controller'"},
		{"an address without scheme", "{\"controller\":\"10.0.0.5\"}", "must begin with https://"},
		{"an address with a password", "{\"controller\":\"https://a:b@10.0.0.5\"}", "must not hold a user"},
		{"a slash at the end", "{\"controller\":\"https://10.0.0.5/\"}", "must not end with a slash"},
		{"another power", "{\"controller\":\"https://10.0.0.5\",\"power\":\"reset\"}",
		 "'power' cannot be 'reset'"},
		{"a MAC address in capitals", "{\"controller\":\"https://10.0.0.5\",\"macs\":[\"00:5C:52:31:3A:9C\"]}",
		 "is not a MAC address as it is written here"},
		{"a count in quotes", "{\"controller\":\"https://10.0.0.5\",\"processors\":{\"count\":\"two\"}}",
		 "'count' expects a whole number"},
		{"the system twice", "{\"controller\":\"https://10.0.0.5/redfish/v1/Systems/1\",\"system\":\"1\"}",
		 "'controller' names the system already"},
		{"a controller that is not known yet", "{\"controller\":{\"$deferred\":\"${aws.instance.a.id}\"}}",
		 "'controller' cannot depend on what another resource gives"},
		{"a system that is not known yet",
		 "{\"controller\":\"https://10.0.0.5\",\"system\":{\"$deferred\":\"${aws.instance.a.id}\"}}",
		 "'system' cannot depend on what another resource gives"},
	};
	struct metal_fixture *fixture = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value given = metal_json(fixture, rows[i].spec), desired = value_null();
		bool good = schema_check(&metal_machine, &given, &fixture->arena, &desired, &fixture->diagnostics) &&
			    metal_machine.check(&metal_machine, &desired, &fixture->diagnostics);

		if (good != (rows[i].complaint[0] == '\0') || !strstr(metal_first_message(fixture), rows[i].complaint))
			fail_msg("%s: %s, '%s'", rows[i].name, good ? "accepted" : "refused",
				 metal_first_message(fixture));
		metal_forget(fixture);
	}
}

static void test_settings(void **state)
{
	static const struct {
		const char *name, *settings;
		const char *complaint; /* part of the first error, or NULL: it opens */
		const char *authorization;
		size_t warnings;
	} rows[] = {
		{"none", "{}", NULL, "", 0},
		{"a password", "{\"user\":\"ops\",\"password\":\"geheim\"}", NULL, "Basic b3BzOmdlaGVpbQ==", 0},
		{"a variable", "{\"user\":\"ops\",\"password_env\":\"BMC_PASSWORD\"}", NULL,
		 "Basic b3BzOnMzY3JldA==", 0},
		{"an unset variable", "{\"user\":\"ops\",\"password_env\":\"NOT_SET\"}", "NOT_SET, which is not set",
		 "", 0},
		{"both", "{\"user\":\"ops\",\"password\":\"a\",\"password_env\":\"BMC_PASSWORD\"}", "has both", "", 0},
		{"no user", "{\"password\":\"a\"}", "has a password but no user", "", 0},
		{"no password", "{\"user\":\"ops\"}", "has a user but no password", "", 0},
		{"a user with a colon", "{\"user\":\"a:b\",\"password\":\"a\"}", "basic authentication forbids", "", 0},
		{"a user with a line break", "{\"user\":\"a\\nb\",\"password\":\"a\"}", "basic authentication forbids",
		 "", 0},
		{"insecure", "{\"insecure\":true}", NULL, "", 1},
		{"a bundle", "{\"ca_file\":\"ca.pem\"}", NULL, "", 0},
		{"a missing bundle", "{\"ca_file\":\"other.pem\"}", "cannot open 'other.pem'", "", 0},
		{"insecure with a bundle", "{\"insecure\":true,\"ca_file\":\"ca.pem\"}",
		 "both 'ca_file' and 'insecure'", "", 0},
		{"the simulator", "{\"endpoint\":\"sim:\"}", NULL, "", 0},
		{"another endpoint", "{\"endpoint\":\"https://10.0.0.5\"}", "cannot have the endpoint", "", 0},
	};
	struct metal_fixture *fixture = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value given = metal_json(fixture, rows[i].settings), settings = value_null();
		struct session *session = NULL;

		assert_true(schema_check_fields(&metal_provider.settings, "the provider", &given, &fixture->arena,
						&settings, &fixture->diagnostics));
		bool good = metal_open(&metal_provider, &fixture->world, SLICE("metal"), &settings, &fixture->arena,
				       &session, &fixture->diagnostics);
		if (good != !rows[i].complaint)
			fail_msg("%s: %s, '%s'", rows[i].name, good ? "opens" : "refused",
				 metal_first_message(fixture));
		if (!strstr(metal_first_message(fixture), rows[i].complaint ? rows[i].complaint : ""))
			fail_msg("%s: '%s'", rows[i].name, metal_first_message(fixture));
		if (good) {
			struct slice authorization = ((struct metal_session *)session)->authorization;
			struct reading reading = {.session = session};

			if (!slice_is(authorization, rows[i].authorization) ||
			    fixture->diagnostics.count != rows[i].warnings)
				fail_msg("%s: '%.*s'", rows[i].name, SLICE_ARGUMENTS(authorization));
			assert_int_equal(metal_identify(&reading, NULL), STEP_DONE);
			assert_true(session->identified);
			metal_close(session);
			assert_int_equal(((struct metal_session *)session)->authorization.size, 0);
			/* Nor does the password stay in memory. */
			for (size_t k = 0; k < authorization.size; k++)
				assert_int_equal(authorization.data[k], 0);
		}
		metal_forget(fixture);
	}
}

/* Whoever sends AWS elsewhere means no controller by it, but the simulator is meant for all. */
static void test_endpoints(void **state)
{
	static const struct {
		const char *name, *settings;
		const char *own, *common; /* of the environment; NULL: not set */
		bool opens, simulated;
	} rows[] = {
		{"none", "{}", NULL, NULL, true, false},
		{"the simulator", "{}", "sim:", NULL, true, true},
		{"the simulator for AWS", "{}", NULL, "sim:", true, true},
		{"another one for AWS", "{}", NULL, "https://10.9.9.9", true, false},
		{"another one", "{}", "https://10.9.9.9", NULL, false, false},
		{"a setting before all", "{\"endpoint\":\"sim:\"}", "https://10.9.9.9", NULL, true, true},
		{"a bundle beside the spec", "{\"ca_file\":\"ca.pem\"}", NULL, NULL, true, false},
		{"a bundle elsewhere", "{\"ca_file\":\"/etc/ca.pem\"}", NULL, NULL, true, false},
	};
	struct metal_fixture *fixture = *state;

	fixture->world.folder = "stack";
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct value settings = metal_json(fixture, rows[i].settings);
		struct session *session = NULL;

		fixture->own_endpoint = rows[i].own;
		fixture->common_endpoint = rows[i].common;
		bool good = metal_open(&metal_provider, &fixture->world, SLICE("metal"), &settings, &fixture->arena,
				       &session, &fixture->diagnostics);
		if (good != rows[i].opens)
			fail_msg("%s: '%s'", rows[i].name, metal_first_message(fixture));
		if (good && (((struct metal_session *)session)->endpoint.size > 0) != rows[i].simulated)
			fail_msg("%s: the endpoint", rows[i].name);
		metal_forget(fixture);
	}
}

static void test_list_answers_in_order(void **state)
{
	struct metal_fixture *fixture = *state;
	static const char *const specs[] = {
		"{\"controller\":\"https://10.0.0.5\",\"serial\":\"A\"}",
		"{\"controller\":\"http://10.0.0.6\"}",
		"{\"controller\":{\"$deferred\":\"${a.b.c.id}\"}}",
		"{\"controller\":\"https://10.0.0.7\",\"system\":\"2\"}",
	};
	struct slice ids[COUNT(specs) + 1];
	struct value values[COUNT(specs)];
	const struct value *wanted[COUNT(specs) + 1] = {NULL};

	for (size_t i = 0; i < COUNT(specs) + 1; i++)
		ids[i] = arena_format(&fixture->arena, "metal.machine.m%zu", i);
	for (size_t i = 0; i < COUNT(specs); i++) {
		values[i] = metal_json(fixture, specs[i]);
		wanted[i] = &values[i];
	}
	struct reading reading = {
		.session = &fixture->session.session,
		.kind = &metal_machine,
		.ids = ids,
		.id_count = COUNT(ids),
		.wanted = wanted,
		.arena = &fixture->arena,
	};
	assert_int_equal(metal_list(&reading, NULL), STEP_DONE);
	assert_int_equal(reading.found_count, COUNT(ids));
	assert_int_equal(reading.found[0].presence, PRESENCE_PRESENT);
	assert_true(slice_is(reading.found[0].provider_id, "https://10.0.0.5"));
	assert_string_equal(metal_canonical(fixture, &reading.found[0].fields),
			    "{\"controller\":\"https://10.0.0.5\"}");
	assert_int_equal(reading.found[1].presence, PRESENCE_UNREAD);
	assert_true(slice_contains(reading.found[1].unread_reason, SLICE("allow_plain")));
	assert_int_equal(reading.found[2].presence, PRESENCE_UNREAD);
	assert_string_equal(metal_canonical(fixture, &reading.found[3].fields),
			    "{\"controller\":\"https://10.0.0.7\",\"system\":\"2\"}");
	assert_int_equal(reading.found[4].presence, PRESENCE_UNREAD);
	assert_true(metal_needs_detail(&metal_machine, NULL));
	assert_true(metal_needs_detail(&metal_machine, &values[0]));
	/* Fields of which this is true by themselves are not kept where no spec sets them. */
	values[1] = metal_json(fixture, "{\"serial\":\"A\"}");
	assert_false(metal_needs_detail(&metal_machine, &values[1]));
	values[1] = metal_json(fixture, specs[1]);

	fixture->session.allow_plain = true;
	reading.found_count = 0;
	assert_int_equal(metal_list(&reading, NULL), STEP_DONE);
	assert_int_equal(reading.found[1].presence, PRESENCE_PRESENT);
}

static void test_what_answers_mean(void **state)
{
	static const struct {
		int status; /* 0: no answer */
		bool mutating;
		const char *body;
		enum fault fault; /* where not ok */
		bool ok;
		const char *message; /* part of it */
	} rows[] = {
		{200, false, "{}", FAULT_USER, true, ""},
		{200, false, "{\"error\":{\"code\":\"Base.1.0.X\",\"message\":\"not yet\"}}", FAULT_TRANSIENT, false,
		 "HTTP 200, and yet an error: not yet"},
		{200, false, "{\"error\":null}", FAULT_USER, true, ""},
		{200, false, "{\"error\":{\"message\":\"no fans\"},\"@odata.id\":\"/redfish/v1/Systems/1\"}",
		 FAULT_USER, true, ""},
		{200, true, "{\"error\":{\"code\":\"Base.1.0.Success\",\"message\":\"done\"}}", FAULT_USER, true, ""},
		{200, true,
		 "{\"error\":{\"code\":\"iLO.0.10.ExtendedInfo\",\"message\":\"See there\","
		 "\"@Message.ExtendedInfo\":[{\"MessageId\":\"Base.1.4.Success\"}]}}",
		 FAULT_USER, true, ""},
		{200, true, "{\"error\":{\"code\":\"Base.1.0.X\",\"message\":\"no\"}}", FAULT_USER, true,
		 "HTTP 200, and yet an error: no"},
		{200, false, "{\"a\":", FAULT_TRANSIENT, false, "not valid JSON"},
		{204, true, "", FAULT_USER, true, ""},
		{202, true, "<accepted>", FAULT_USER, true, ""},
		{400, true, "{\"error\":{\"code\":\"Base.1.0.X\",\"message\":\"no\"}}", FAULT_USER, false,
		 "HTTP 400, the controller refuses that: no"},
		{401, false, "", FAULT_AUTH, false, "HTTP 401"},
		{403, false, "", FAULT_AUTH, false, "HTTP 403"},
		{404, false, "{}", FAULT_ABSENT, false, "HTTP 404"},
		{405, true, "", FAULT_UNSUPPORTED, false, "HTTP 405"},
		{409, true, "", FAULT_CONFLICT, false, "HTTP 409"},
		{418, true, "", FAULT_USER, false, "HTTP 418"},
		{429, false, "", FAULT_THROTTLED, false, "HTTP 429"},
		{451, false, "", FAULT_USER, false, "HTTP 451"},
		{500, false, "", FAULT_TRANSIENT, false, "HTTP 500"},
		{500, true, "", FAULT_AMBIGUOUS, false, "HTTP 500"},
		{501, false, "", FAULT_UNSUPPORTED, false, "HTTP 501"},
		{503, false, "", FAULT_THROTTLED, false, "HTTP 503"},
		{503, true, "", FAULT_THROTTLED, false, "HTTP 503"},
		{599, true, "", FAULT_AMBIGUOUS, false, "HTTP 599"},
		{302, false, "", FAULT_USER, false, "never followed"},
		{100, false, "", FAULT_INTERNAL, false, "HTTP 100"},
		{0, true, "", FAULT_AMBIGUOUS, false, "cut off"},
	};
	const struct http_header headers[] = {{SLICE("retry-AFTER"), SLICE("7")}};
	struct metal_fixture *fixture = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct call call = {.session = &fixture->session.session, .mutating = rows[i].mutating};
		struct answer answer;
		struct http_response response = {
			.answered = rows[i].status != 0,
			.status = rows[i].status,
			.body = slice_of(rows[i].body),
			.headers = headers,
			.header_count = 1,
			.fault = FAULT_AMBIGUOUS,
			.message = SLICE("cut off"),
		};

		metal_interpret(&call, &response, &fixture->arena, &answer);
		if (answer.ok != rows[i].ok || (!answer.ok && answer.fault != rows[i].fault) ||
		    !strstr(arena_string(&fixture->arena, answer.message), rows[i].message) ||
		    (answer.message.size > 0) != (rows[i].message[0] != '\0'))
			fail_msg("%d%s: ok %d, fault %d, '%.*s'", rows[i].status, rows[i].mutating ? ", changing" : "",
				 answer.ok, (int)answer.fault, SLICE_ARGUMENTS(answer.message));
		if (rows[i].status == 429)
			assert_int_equal(answer.retry_after_ms, 7000);
	}
}

/* Whole, where the end of one would be cut off. */
static void test_excerpt_without_secrets(void **state)
{
	struct metal_fixture *fixture = *state;
	struct redaction untold;

	redaction_init(&untold);
	redaction_add(&untold, SLICE("correct-horse-battery-staple"));
	fixture->session.session.untold = &untold;
	for (int before = 0; before < 300; before++) {
		struct slice text = arena_format(&fixture->arena, "%*scorrect-horse-battery-staple", before, "#");
		struct slice shown = metal_excerpt(&fixture->arena, &fixture->session.session, text);

		if (slice_contains(shown, SLICE("co")))
			fail_msg("%d before: %.*s", before, SLICE_ARGUMENTS(shown));
	}
	redaction_release(&untold);
}

/* A controller may ask for time, but not for so much that it holds up a run. */
static void test_retry_after(void **state)
{
	static const struct {
		const char *asked;
		int64_t wait_ms;
	} rows[] = {
		{"0", 0},      {"20", 20000},
		{"21", 20000}, {"9223372036854775807", 20000},
		{"-1", 0},     {"Wed, 21 Oct 2026 07:28:00 GMT", 0},
		{"", 0},
	};
	struct metal_fixture *fixture = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct http_header header = {SLICE("Retry-After"), slice_of(rows[i].asked)};
		const struct http_response response = {
			.answered = true, .status = 503, .headers = &header, .header_count = 1};
		const struct call call = {.mutating = false};
		struct answer answer;

		metal_interpret(&call, &response, &fixture->arena, &answer);
		if (answer.retry_after_ms != rows[i].wait_ms)
			fail_msg("%s: %lld ms", rows[i].asked, (long long)answer.retry_after_ms);
	}
}

static void test_a_request_is_safe(void **state)
{
	static const struct {
		const char *name, *controller, *path;
		bool allow_plain;
		const char *complaint; /* NULL: it is sent */
	} rows[] = {
		{"as it should be", "https://10.0.0.5", "/redfish/v1/", false, NULL},
		{"without TLS", "http://10.0.0.5", "/redfish/v1/", false, "has no TLS"},
		{"without TLS, allowed", "http://10.0.0.5", "/redfish/v1/", true, NULL},
		{"no controller", "", "/redfish/v1/", true, "must begin with https://"},
		{"another host behind it", "https://10.0.0.5", "@10.9.9.9/redfish/v1/", true, "has no path to follow"},
	};
	struct metal_fixture *fixture = *state;

	fixture->session.authorization = SLICE("Basic eDp5");
	fixture->session.endpoint = SLICE("sim:");
	fixture->session.ca_file = SLICE("ca.pem");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct reading reading = {.session = &fixture->session.session,
					  .task = {.diagnostics = &fixture->diagnostics}};
		struct value_member members[] = {
			{value_text("controller"), value_text(rows[i].controller)},
			{value_text("path"), value_text(rows[i].path)},
		};
		struct value parameters = value_map(members, 2);
		struct live live = {.fields = metal_json(fixture, METAL_AT)};
		struct http_request request = {0};

		/* Some call of its own, for the row of the operation. */
		arena_init(&reading.task.scratch);
		reading.arena = &fixture->arena;
		reading.subject = &live;
		assert_int_equal(metal_detail(&reading, NULL), STEP_CALL);
		reading.task.call.parameters = &parameters;
		fixture->session.allow_plain = rows[i].allow_plain;
		bool good = metal_prepare(&reading.task.call, 0, &fixture->arena, &request, &fixture->diagnostics);
		if (good != !rows[i].complaint || (!good && !strstr(metal_first_message(fixture), rows[i].complaint)))
			fail_msg("%s: %s, '%s'", rows[i].name, good ? "sent" : "refused", metal_first_message(fixture));
		if (good) {
			bool authorized = false;

			assert_true(slice_is(request.endpoint, "sim:"));
			assert_true(slice_is(request.ca_file, "ca.pem"));
			assert_false(request.insecure);
			assert_true(slice_is(request.method, "GET"));
			assert_int_equal(request.response_limit_bytes, 1024 * 1024);
			assert_true(request.total_timeout_ms > 0);
			for (size_t k = 0; k < request.header_count; k++)
				authorized |= slice_is(request.headers[k].name, "Authorization") &&
					      slice_is(request.headers[k].value, "Basic eDp5");
			assert_true(authorized);
		}
		arena_release(&reading.task.scratch);
		metal_forget(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		METAL_TEST(test_addresses),
		METAL_TEST(test_spellings),
		METAL_TEST(test_links),
		METAL_TEST(test_mac_addresses),
		METAL_TEST(test_what_a_spec_may_say),
		METAL_TEST(test_settings),
		METAL_TEST(test_list_answers_in_order),
		METAL_TEST(test_what_answers_mean),
		METAL_TEST(test_excerpt_without_secrets),
		METAL_TEST(test_retry_after),
		METAL_TEST(test_a_request_is_safe),
		METAL_TEST(test_endpoints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
