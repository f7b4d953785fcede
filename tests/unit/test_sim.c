#include "tests/unit/test_sim.h"
#include "tests/unit/support_rounds.h"

/* The simulator as a transport, on its virtual clock, with its faults. Answers are judged by boto3 in
 * tests/e2e/test_simulator*.py. */

static void time_passes_without_waiting(void **state)
{
	struct fixture *fixture = *state;
	struct transport *transport = sim_transport(fixture->sim);
	struct exchange exchange = {0};

	assert_int_equal(sim_boot_ms(fixture->sim), 5000);
	assert_int_equal(sim_wall_ms(fixture->sim), START_MS * (int64_t)1000);
	start(fixture, &exchange, MAKE);
	assert_int_equal(transport->pending(transport), 1);
	transport->wait(transport, 5001);
	assert_false(exchange.done);
	assert_int_equal(sim_boot_ms(fixture->sim), 5001);
	finish(fixture);
	assert_int_equal(exchange.status, 200);
	assert_in_range(exchange.done_ms, 5020, 5080);
	/* Nothing in flight: the clock goes where it is asked to. */
	transport->wait(transport, 5000 + 3600 * 1000);
	assert_int_equal(sim_boot_ms(fixture->sim), 5000 + 3600 * 1000);
	assert_int_equal(sim_wall_ms(fixture->sim), START_MS * (int64_t)1000 + 3600 * 1000);
	transport->wait(transport, 5000);
	assert_int_equal(sim_boot_ms(fixture->sim), 5000 + 3600 * 1000);
	assert_in_range(real_us() - fixture->started_us, 0, 5 * 1000000);
}

static void the_same_seed_gives_the_same_world(void **state)
{
	struct fixture *fixture = *state;
	struct slice bodies[2];
	int64_t ends_ms[2];

	for (int round = 0; round < 2; round++) {
		struct exchange exchanges[8] = {0};
		int order = 0;

		sim_close(fixture->sim);
		open_world(fixture);
		sim_seed(fixture->sim, 42);
		for (size_t i = 0; i < 8; i++) {
			exchanges[i].order = &order;
			start(fixture, &exchanges[i], MAKE);
		}
		finish(fixture);
		bodies[round] = exchanges[3].body;
		ends_ms[round] = sim_boot_ms(fixture->sim);
		/* Answers come by their latency, not in the order of the requests. */
		bool same_order = true;
		for (int i = 0; i < 8; i++)
			same_order = same_order && exchanges[i].place == i + 1;
		assert_false(same_order);
	}
	assert_true(slice_equal(bodies[0], bodies[1]));
	assert_int_equal(ends_ms[0], ends_ms[1]);
	assert_int_equal(vpcs(fixture), 8);
}

static void a_request_that_is_cancelled(void **state)
{
	struct fixture *fixture = *state;
	struct transport *transport = sim_transport(fixture->sim);
	struct exchange kept = {0}, dropped = {0};

	start(fixture, &dropped, MAKE);
	start(fixture, &kept, MAKE);
	transport->cancel(transport, &dropped);
	assert_int_equal(transport->pending(transport), 1);
	finish(fixture);
	assert_true(kept.done);
	assert_false(dropped.done);
}

static void many_in_flight(void **state)
{
	struct fixture *fixture = *state;
	struct transport *transport = sim_transport(fixture->sim);
	struct exchange *exchanges = memory_get(500 * sizeof(*exchanges));

	for (size_t i = 0; i < 500; i++)
		start(fixture, &exchanges[i], MAKE);
	for (size_t i = 0; i < 500; i += 5)
		transport->cancel(transport, &exchanges[i]);
	finish(fixture);
	int64_t last_ms = 0;
	for (size_t i = 0; i < 500; i++) {
		assert_int_equal(exchanges[i].done, i % 5 != 0);
		last_ms = exchanges[i].done_ms > last_ms ? exchanges[i].done_ms : last_ms;
	}
	assert_int_equal(vpcs(fixture), 400);
	/* Side by side, not one after another. */
	assert_in_range(last_ms, 5000, 5100);
	free(exchanges);
}

static const struct http_request changing = {.mutating = true, .intent = {"1", 1}};

static void faults(void **state)
{
	static const struct {
		const char *name;
		enum sim_fault_kind kind;
		bool answered;
		int status;
		enum fault fault;
		size_t made;
		int64_t least_ms;
	} rows[] = {
		{"denied", SIM_FAULT_DENY, true, 403, FAULT_USER, 0, 0},
		{"throttled", SIM_FAULT_THROTTLE, true, 503, FAULT_USER, 0, 0},
		{"HTTP 500", SIM_FAULT_ERROR, true, 500, FAULT_USER, 0, 0},
		{"HTTP 503", SIM_FAULT_UNAVAILABLE, true, 503, FAULT_USER, 0, 0},
		{"refused", SIM_FAULT_REFUSED, false, 0, FAULT_TRANSIENT, 0, 0},
		{"a lost request", SIM_FAULT_LOST_REQUEST, false, 0, FAULT_AMBIGUOUS, 0, 30000},
		{"a lost answer", SIM_FAULT_LOST_ANSWER, false, 0, FAULT_AMBIGUOUS, 1, 0},
		{"half an answer", SIM_FAULT_HALF_ANSWER, true, 200, FAULT_USER, 1, 0},
		{"HTML", SIM_FAULT_HTML, true, 200, FAULT_USER, 0, 0},
		{"too large", SIM_FAULT_HUGE, false, 0, FAULT_AMBIGUOUS, 1, 0},
		{"unsupported", SIM_FAULT_UNSUPPORTED, true, 400, FAULT_USER, 0, 0},
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct exchange before = {0}, hit = {.request = changing}, after = {0};
		struct sim_fault fault = {SLICE("CreateVpc"), rows[i].kind, 2, 1};

		sim_close(fixture->sim);
		open_world(fixture);
		sim_fault(fixture->sim, fault);
		start(fixture, &before, MAKE);
		finish(fixture);
		int64_t began_ms = sim_boot_ms(fixture->sim);
		start(fixture, &hit, MAKE);
		finish(fixture);
		start(fixture, &after, MAKE);
		finish(fixture);
		if (before.status != 200 || after.status != 200 || hit.answered != rows[i].answered ||
		    hit.status != rows[i].status || (!hit.answered && hit.fault != rows[i].fault) ||
		    vpcs(fixture) != 2 + rows[i].made || hit.done_ms - began_ms < rows[i].least_ms)
			fail_msg("%s: status %d, fault %d, after %lld ms", rows[i].name, hit.status, (int)hit.fault,
				 (long long)(hit.done_ms - began_ms));
		assert_int_equal(sim_requests(fixture->sim, SLICE("CreateVpc")), 3);
	}
}

static void an_answer_past_the_limit(void **state)
{
	struct fixture *fixture = *state;
	struct exchange exchange = {.request = changing}, reading = {.request.response_limit_bytes = 100};

	exchange.request.response_limit_bytes = 100;
	start(fixture, &exchange, MAKE);
	start(fixture, &reading, ACTION("DescribeVpcs"));
	finish(fixture);
	assert_false(exchange.answered || reading.answered);
	assert_int_equal(exchange.fault, FAULT_AMBIGUOUS);
	/* Whatever became of a read, it leaves nothing open. */
	assert_int_equal(reading.fault, FAULT_TRANSIENT);
}

static void hosts(void **state)
{
	static const struct {
		const char *url;
		bool answered;
		enum fault fault;
	} rows[] = {
		{"https://ec2.eu-central-1.amazonaws.com/", true, FAULT_USER},
		{"https://ec2.us-east-1.amazonaws.com:443/", true, FAULT_USER},
		{"https://ec2-fips.us-east-1.amazonaws.com/", true, FAULT_USER},
		{"https://s3.us-east-1.amazonaws.com/", false, FAULT_USER},
		{"https://ec2.nowhere.amazonaws.com/", false, FAULT_USER},
		{"https://bmc.example/redfish/v1/", false, FAULT_TRANSIENT},
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct transport *transport = sim_transport(fixture->sim);
		struct exchange exchange = {.sim = fixture->sim, .arena = &fixture->arena};

		exchange.request.method = SLICE("POST");
		exchange.request.url = slice_of(rows[i].url);
		exchange.request.body = SLICE(ACTION("DescribeVpcs"));
		transport->start(transport, &exchange.request, done, &exchange);
		finish(fixture);
		if (exchange.answered != rows[i].answered || (!exchange.answered && exchange.fault != rows[i].fault))
			fail_msg("%s", rows[i].url);
	}
}

static void states_come_at_their_own_time(void **state)
{
	struct fixture *fixture = *state;
	struct exchange gateway = {0}, vpc = {0}, attach = {0}, list = {0};

	start(fixture, &vpc, MAKE);
	start(fixture, &gateway, ACTION("CreateVpnGateway") "&Type=ipsec.1");
	finish(fixture);
	struct slice vpc_id = element(fixture, vpc.body, "vpcId");
	start(fixture, &attach, ACTION("AttachVpnGateway") "&VpcId=%.*s&VpnGatewayId=%.*s", SLICE_ARGUMENTS(vpc_id),
	      SLICE_ARGUMENTS(element(fixture, gateway.body, "vpnGatewayId")));
	finish(fixture);
	assert_int_equal(count(attach.body, "<state>attaching</state>"), 1);
	start(fixture, &list, ACTION("DescribeVpnGateways"));
	finish(fixture);
	assert_int_equal(count(list.body, "<state>attaching</state>"), 1);
	sim_advance(fixture->sim, 60 * 1000);
	list.done = false;
	start(fixture, &list, ACTION("DescribeVpnGateways"));
	finish(fixture);
	assert_int_equal(count(list.body, "<state>attached</state>"), 1);
}

/* The same token makes nothing twice, for as long as it is known. */
static void a_token_is_forgotten(void **state)
{
	static const struct {
		int64_t later_ms; /* than the request before */
		size_t tables;
	} rows[] = {{0, 1}, {59 * 60 * 1000, 1}, {2 * 60 * 1000, 2}, {59 * 60 * 1000, 2}};
	struct fixture *fixture = *state;
	struct exchange vpc = {0};

	start(fixture, &vpc, MAKE);
	finish(fixture);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct exchange table = {0}, list = {0};

		sim_advance(fixture->sim, rows[i].later_ms);
		start(fixture, &table, ACTION("CreateRouteTable") "&VpcId=%.*s&ClientToken=t",
		      SLICE_ARGUMENTS(element(fixture, vpc.body, "vpcId")));
		finish(fixture);
		start(fixture, &list, ACTION("DescribeRouteTables"));
		finish(fixture);
		/* The VPC has one of its own. */
		if (count(list.body, "<propagatingVgwSet") != rows[i].tables + 1)
			fail_msg("row %zu: %.*s", i, SLICE_ARGUMENTS(list.body));
	}
}

/* Two steps of seconds each, within one leap of the clock. */
static void a_restart_in_one_leap(void **state)
{
	struct fixture *fixture = *state;
	struct transport *transport = sim_transport(fixture->sim);
	struct value_member members[] = {{value_text("power"), value_text("On")}};
	struct value attributes = value_map(members, 1), shown;
	struct http_header header = {SLICE("Authorization"), SLICE("Basic Og==")};
	struct exchange reset = {.sim = fixture->sim, .arena = &fixture->arena};

	assert_true(sim_add(fixture->sim, &fixture->arena, SLICE(""), SLICE("machine"), SLICE("bmc.example"),
			    &attributes, NULL, &fixture->diagnostics));
	reset.request.method = SLICE("POST");
	reset.request.url = SLICE("https://bmc.example/redfish/v1/Systems/1/Actions/ComputerSystem.Reset");
	reset.request.headers = &header;
	reset.request.header_count = 1;
	reset.request.body = SLICE("{\"ResetType\":\"ForceRestart\"}");
	transport->start(transport, &reset.request, done, &reset);
	finish(fixture);
	assert_int_equal(reset.status, 204);
	sim_advance(fixture->sim, 22 * 1000);
	assert_true(sim_show(fixture->sim, &fixture->arena, &shown, &fixture->diagnostics));
	const struct value *machine =
		value_get_named(value_get_named(value_get_named(&shown, ""), "machine"), "bmc.example");
	assert_true(slice_is(value_slice(value_get_named(machine, "power")), "On"));
	assert_null(value_get_named(machine, "powerNext"));
}

static void calls_that_lag_too(void **state)
{
	struct fixture *fixture = *state;
	struct exchange vpc = {0}, early = {0}, late = {0};

	set(fixture, "lag_ms", 2000);
	set(fixture, "lag_calls", 1);
	set(fixture, "latency_ms", 0);
	set(fixture, "latency_spread_ms", 0);
	start(fixture, &vpc, MAKE);
	finish(fixture);
	struct slice id = element(fixture, vpc.body, "vpcId");
	start(fixture, &early, ACTION("CreateSubnet") "&VpcId=%.*s&CidrBlock=10.0.0.0/24", SLICE_ARGUMENTS(id));
	finish(fixture);
	assert_int_equal(count(early.body, "<Code>InvalidVpcID.NotFound</Code>"), 1);
	sim_advance(fixture->sim, 2000);
	start(fixture, &late, ACTION("CreateSubnet") "&VpcId=%.*s&CidrBlock=10.0.0.0/24", SLICE_ARGUMENTS(id));
	finish(fixture);
	assert_int_equal(late.status, 200);
}

static void a_call_that_is_behind(void **state)
{
	struct fixture *fixture = *state;
	struct exchange vpc = {0}, behind = {0}, next = {0};

	start(fixture, &vpc, MAKE);
	finish(fixture);
	struct slice id = element(fixture, vpc.body, "vpcId");
	sim_fault(fixture->sim, (struct sim_fault){SLICE("CreateSubnet"), SIM_FAULT_STALE, 1, 1});
	start(fixture, &behind, ACTION("CreateSubnet") "&VpcId=%.*s&CidrBlock=10.0.0.0/24", SLICE_ARGUMENTS(id));
	finish(fixture);
	assert_int_equal(count(behind.body, "<Code>InvalidVpcID.NotFound</Code>"), 1);
	start(fixture, &next, ACTION("CreateSubnet") "&VpcId=%.*s&CidrBlock=10.0.0.0/24", SLICE_ARGUMENTS(id));
	finish(fixture);
	assert_int_equal(next.status, 200);
}

/* Time taken by 20,000 things; generous, for a busy machine and for valgrind. */
static void many_things(void **state)
{
	enum { VPCS = 200, SUBNETS = 60 };
	const int vpcs = rounds_of(VPCS);
	struct fixture *fixture = *state;
	struct slice token = {NULL, 0};
	size_t listed = 0, pages = 0;

	for (int i = 0; i < vpcs; i++) {
		struct exchange vpc = {0};

		start(fixture, &vpc, MAKE);
		finish(fixture);
		struct slice id = element(fixture, vpc.body, "vpcId");
		struct exchange subnets[SUBNETS] = {0};
		for (int at = 0; at < SUBNETS; at++)
			start(fixture, &subnets[at], ACTION("CreateSubnet") "&VpcId=%.*s&CidrBlock=10.0.%d.0/24",
			      SLICE_ARGUMENTS(id), at);
		finish(fixture);
		for (int at = 0; at < SUBNETS; at++)
			assert_int_equal(subnets[at].status, 200);
	}
	int64_t began_us = real_us();
	do {
		struct exchange list = {0};

		start(fixture, &list, ACTION("DescribeSubnets") "&MaxResults=1000%s%.*s",
		      token.size ? "&NextToken=" : "", SLICE_ARGUMENTS(token));
		finish(fixture);
		assert_int_equal(list.status, 200);
		listed += count(list.body, "<subnetId>");
		pages++;
		token = count(list.body, "<nextToken>") ? element(fixture, list.body, "nextToken")
							: (struct slice){NULL, 0};
	} while (token.size > 0);
	int64_t took_us = real_us() - began_us;
	assert_int_equal(listed, vpcs * SUBNETS);
	assert_int_equal(pages, vpcs * SUBNETS / 1000);
	print_message("%zu pages of 1000, %lld us each\n", pages, (long long)(took_us / (int64_t)pages));
}

/* Changed three times, the second time before the first shows: a listing lags, but never further back than it was. */
static void a_listing_goes_forward_only(void **state)
{
	enum { ROUNDS = 20 };
	struct fixture *fixture = *state;
	struct transport *transport = sim_transport(fixture->sim);
	struct exchange made = {0};

	start(fixture, &made, MAKE);
	finish(fixture);
	set(fixture, "lag_ms", 2000);
	struct slice id = element(fixture, made.body, "vpcId");
	for (int i = 0; i < ROUNDS; i++) {
		struct exchange changes[3] = {0}, list = {0};

		for (int at = 0; at < 3; at++) {
			if (at == 2)
				transport->wait(transport, sim_boot_ms(fixture->sim) + 10000);
			start(fixture, &changes[at],
			      ACTION("CreateTags") "&ResourceId.1=%.*s&Tag.1.Key=round&Tag.1.Value=%d-%d",
			      SLICE_ARGUMENTS(id), i, at);
			finish(fixture);
			assert_int_equal(changes[at].status, 200);
		}
		start(fixture, &list, ACTION("DescribeVpcs"));
		finish(fixture);
		struct slice value = element(fixture, list.body, "value");
		char text[2][32];

		for (int at = 0; at < 2; at++)
			(void)snprintf(text[at], sizeof(text[at]), "%d-%d", i, at + 1);
		if (!slice_is(value, text[0]) && !slice_is(value, text[1]))
			fail_msg("round %d shows '%.*s'", i, SLICE_ARGUMENTS(value));
		transport->wait(transport, sim_boot_ms(fixture->sim) + 10000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIM_TEST(time_passes_without_waiting),
		SIM_TEST(the_same_seed_gives_the_same_world),
		SIM_TEST(a_request_that_is_cancelled),
		SIM_TEST(many_in_flight),
		SIM_TEST(faults),
		SIM_TEST(an_answer_past_the_limit),
		SIM_TEST(hosts),
		SIM_TEST(states_come_at_their_own_time),
		SIM_TEST(a_token_is_forgotten),
		SIM_TEST(a_restart_in_one_leap),
		SIM_TEST(calls_that_lag_too),
		SIM_TEST(a_call_that_is_behind),
		SIM_TEST(a_listing_goes_forward_only),
		SIM_TEST(many_things),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
