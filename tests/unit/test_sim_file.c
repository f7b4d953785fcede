#include "tests/unit/test_sim.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "providers/sim/sim_state.h"

/* The simulator's world in a file: across processes, ends and damage. */

static void a_file_keeps_world_and_clock(void **state)
{
	struct fixture *fixture = *state;
	struct exchange exchange = {0};

	use_file(fixture);
	start(fixture, &exchange, MAKE);
	finish(fixture);
	sim_advance(fixture->sim, 3600 * 1000);
	int64_t left_ms = sim_wall_ms(fixture->sim);
	sim_close(fixture->sim);
	open_world(fixture);
	assert_in_range(sim_wall_ms(fixture->sim) - left_ms, 0, 1000);
	assert_int_equal(vpcs(fixture), 1);
	sim_close(fixture->sim);
	fixture->wall_ms += 7200 * 1000;
	open_world(fixture);
	assert_int_equal(sim_wall_ms(fixture->sim), fixture->wall_ms);
	/* What the file skipped is not in the boot clock of a process that came later. */
	assert_int_equal(sim_boot_ms(fixture->sim), fixture->boot_ms);
}

/* Time that is passed by hand, and that a full disk does not take. */
static void time_that_cannot_be_written(void **state)
{
	struct fixture *fixture = *state;
	struct exchange exchange = {0};
	struct diagnostics diagnostics;
	struct rlimit before;
	struct arena arena;

	use_file(fixture);
	start(fixture, &exchange, MAKE);
	finish(fixture);
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	assert_true(sim_pass(fixture->sim, 1000, &diagnostics));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	const struct rlimit tight = {1, before.rlim_max};
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	bool good = sim_pass(fixture->sim, 1000, &diagnostics);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, handler);
	assert_false(good);
	assert_int_equal(diagnostics.count, 1);
	assert_true(slice_contains(diagnostics.items[0].message, SLICE("failed: File too large")));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* A process that ends between a request's arrival and its answer. */
static void a_process_that_ends_in_between(void **state)
{
	struct fixture *fixture = *state;
	struct exchange first = {0}, second = {0};
	struct transport *transport;
	size_t done_unseen = 0;

	use_file(fixture);
	for (uint64_t seed = 0; seed < 20 && done_unseen == 0; seed++) {
		size_t before = vpcs(fixture);

		sim_seed(fixture->sim, seed);
		transport = sim_transport(fixture->sim);
		first.done = second.done = false;
		start(fixture, &first, MAKE);
		start(fixture, &second, MAKE);
		transport->wait(transport, INT64_MAX);
		assert_true(first.done || second.done);
		size_t seen = (size_t)first.done + (size_t)second.done;
		sim_close(fixture->sim);
		open_world(fixture);
		done_unseen += vpcs(fixture) - before - seen;
	}
	assert_true(done_unseen > 0);
}

/* Cut after every byte of its last transactions, the file holds a whole number of them. */
static void a_file_that_was_torn(void **state)
{
	struct fixture *fixture = *state;
	struct exchange exchange = {0};
	struct stat status;
	char path[128];

	use_file(fixture);
	(void)snprintf(path, sizeof(path), "%s/world", fixture->folder);
	assert_int_equal(stat(path, &status), 0);
	off_t first = status.st_size;
	start(fixture, &exchange, MAKE);
	finish(fixture);
	assert_int_equal(stat(path, &status), 0);
	off_t second = status.st_size;
	assert_true(second > first);
	sim_close(fixture->sim);
	for (off_t size = second - 1; size >= first; size -= size - first > 400 ? 97 : 13) {
		assert_int_equal(truncate(path, size), 0);
		assert_true(sim_open(fixture->endpoint, &fixture->world, &fixture->sim, &fixture->diagnostics));
		assert_int_equal(vpcs(fixture), 0);
		assert_int_equal(vpcs(fixture), 0);
		sim_close(fixture->sim);
	}
	open_world(fixture);
	exchange.done = false;
	start(fixture, &exchange, MAKE);
	finish(fixture);
	sim_close(fixture->sim);
	open_world(fixture);
	assert_int_equal(vpcs(fixture), 1);
}

static void a_file_of_much_past_is_compacted(void **state)
{
	struct fixture *fixture = *state;
	struct exchange exchange = {0};
	struct stat before, after;
	char path[128];

	use_file(fixture);
	(void)snprintf(path, sizeof(path), "%s/world", fixture->folder);
	/* Another process has it open all the while, and goes on with the new one. */
	struct sim *other;
	assert_true(sim_open(fixture->endpoint, &fixture->world, &other, &fixture->diagnostics));
	start(fixture, &exchange, MAKE);
	finish(fixture);
	struct slice id = element(fixture, exchange.body, "vpcId");
	for (int i = 0; i < 2000; i++) {
		struct exchange change = {0};

		start(fixture, &change, ACTION("CreateTags") "&ResourceId.1=%.*s&Tag.1.Key=k&Tag.1.Value=%d",
		      SLICE_ARGUMENTS(id), i);
		finish(fixture);
	}
	assert_int_equal(stat(path, &before), 0);
	sim_close(fixture->sim);
	open_world(fixture);
	assert_int_equal(stat(path, &after), 0);
	assert_true(after.st_size * 10 < before.st_size);
	assert_int_equal(vpcs(fixture), 1);
	struct exchange second = {0};
	start(fixture, &second, MAKE);
	finish(fixture);
	sim_close(fixture->sim);
	fixture->sim = other;
	assert_int_equal(vpcs(fixture), 2);
}

static void files_that_are_none(void **state)
{
	static const char *const texts[] = {"",
					    "\n",
					    "{}\n",
					    "{\"trueup_simulator\":1}\nnonsense\n",
					    "SQLite format 3",
					    "{\"trueup_simulator\":2}\n"};
	static const bool good[] = {true, false, false, false, false, false};
	struct fixture *fixture = *state;
	char path[128];

	use_file(fixture);
	sim_close(fixture->sim);
	fixture->sim = NULL;
	(void)snprintf(path, sizeof(path), "%s/world", fixture->folder);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		FILE *file = fopen(path, "w");
		struct sim *sim = NULL;

		assert_non_null(file);
		assert_true(fputs(texts[i], file) >= 0);
		assert_int_equal(fclose(file), 0);
		bool opened = sim_open(fixture->endpoint, &fixture->world, &sim, &fixture->diagnostics);
		if (opened != good[i])
			fail_msg("'%s'", texts[i]);
		if (opened)
			sim_close(sim);
	}
	struct sim *sim = NULL;
	assert_false(sim_open("sim:/nowhere/at/all", &fixture->world, &sim, &fixture->diagnostics));
	assert_false(sim_open("https://example", &fixture->world, &sim, &fixture->diagnostics));
}

/* What is shown lasts as long as the caller's arena: commands show it when the simulator is closed already. */
static void what_is_shown_outlives_the_simulator(void **state)
{
	struct fixture *fixture = *state;
	struct exchange exchange = {0};
	struct value shown;

	use_file(fixture);
	start(fixture, &exchange, MAKE);
	finish(fixture);
	/* Names that no literal of the simulator holds: they come from the file. */
	sim_close(fixture->sim);
	open_world(fixture);
	assert_true(sim_show(fixture->sim, &fixture->arena, &shown, &fixture->diagnostics));
	assert_true(shown.count > 0);
	const struct value *vpcs_shown = value_get_named(&shown.members[shown.count - 1].value, "vpc");
	assert_non_null(vpcs_shown);
	assert_true(value_is(vpcs_shown, VALUE_MAP) && vpcs_shown->count == 1);
	const struct value body = vpcs_shown->members[0].value;
	struct sim *sim = fixture->sim;
	for (uint32_t i = 0; i < body.count; i++) {
		const char *name = value_slice(&body.members[i].key).data;

		/* Borrowed names would be the simulator's one copy. */
		assert_ptr_not_equal(name, sim_intern(sim, value_slice(&body.members[i].key)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIM_TEST(a_file_keeps_world_and_clock), SIM_TEST(a_process_that_ends_in_between),
		SIM_TEST(a_file_that_was_torn),		SIM_TEST(a_file_of_much_past_is_compacted),
		SIM_TEST(files_that_are_none),		SIM_TEST(what_is_shown_outlives_the_simulator),
		SIM_TEST(time_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
