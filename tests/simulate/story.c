#include "tests/simulate/story.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/exit_status.h"

enum {
	SPEC_MOST_BYTES = 64 * 1024,
	OUTPUT_MOST_BYTES = 16 * 1024 * 1024,
	LEASE_MS = 40 * 1000,
	MOMENT_MS = 5 * 1000,
	HOUR_MS = 61 * 60 * 1000,
	CHAPTERS_LIMIT = 12,
	SURE_CHANGE_MOST = 14,
	SURE_REQUEST_MOST = 14,
	DISK_STEPS_MOST = 400,
	NIGHT_ONE_IN = 6,
	LONG_ONE_IN = 8,
};

const char *const universe_environment[][2] = {
	{"AWS_ENDPOINT_URL", "https://cloud.example"},
	{"AWS_REGION", "us-west-2"},
	{"AWS_ACCESS_KEY_ID", "sim"},
	{"AWS_SECRET_ACCESS_KEY", "sim"},
	{"TRUEUP_VAR_key", oracle_secret},
	{"TRUEUP_VAR_start", oracle_start},
	{NULL, NULL},
};

/* As an editor does it; not a part of what is tried here. */
void story_save_spec(struct story *story)
{
	struct disk *disk = &story->universe->disk;
	struct disk_file *file;
	BUFFER_AUTO text;

	buffer_init(&text, SPEC_MOST_BYTES);
	blueprint_write(&story->blueprint, &text);
	trace_text(&story->universe->trace, buffer_slice(&text));
	file = disk_create(disk, SLICE("/stack/spec.yaml"));
	disk_write(file, 0, text.data, text.size);
	disk_sync(file);
	disk_sync_folder_of(disk, SLICE("/stack/spec.yaml"));
}

/* The first error of a command's output, so that broken seeds can be told apart. */
static void note_error(struct story *story, struct slice output)
{
	struct slice rest = output;

	story->error[0] = '\0';
	while (rest.size > 0 && !story->error[0]) {
		struct slice line = slice_cut(&rest, '\n');

		if (slice_starts_with(line, SLICE("error: ")))
			(void)snprintf(story->error, sizeof(story->error), "%.*s", SLICE_ARGUMENTS(line));
	}
}

static void note_left(struct story *story, struct slice output)
{
	struct slice rest = output;

	story->left[0] = '\0';
	while (rest.size > 0 && !story->left[0]) {
		struct slice line = slice_cut(&rest, '\n');

		/* Where the spec has something at its address, that is not made beside it. */
		if (slice_starts_with(line, SLICE("warning: ")) &&
		    (slice_contains(line, SLICE(" and is not recorded: it is left alone")) ||
		     slice_contains(line,
				    SLICE(" and is not recorded: what the spec has there would be made twice")))) {
			line = slice_from(line, SLICE("warning: ").size);
			struct slice id = slice_cut(&line, ' ');
			(void)snprintf(story->left, sizeof(story->left), "%.*s", SLICE_ARGUMENTS(id));
		}
	}
}

int story_run(struct story *story, const char *line, const struct misfortune *misfortune)
{
	BUFFER_AUTO output;
	uint64_t changes = story->universe->changes;
	int status;

	buffer_init(&output, OUTPUT_MOST_BYTES);
	status = universe_run(story->universe, line, misfortune, &output);
	story->idle =
		status == 0 && changes == story->universe->changes &&
		slice_contains(buffer_slice(&output), SLICE("nothing to do: what is there is as the spec says")) &&
		!slice_contains(buffer_slice(&output), SLICE("warning: "));
	story->lost = slice_contains(buffer_slice(&output), SLICE("'tunnels' keeps its value: ")) ||
		      slice_contains(buffer_slice(&output), SLICE("its 'tunnels' is a secret, "));
	story->lacks = slice_contains(buffer_slice(&output), SLICE("', which is not there any more"));
	oracle_output(story->universe, line, buffer_slice(&output));
	/* What rests only until a call is settled: a command that is done leaves no such thing. */
	if (status != 0)
		oracle_secrets(story->universe);
	note_error(story, buffer_slice(&output));
	note_left(story, buffer_slice(&output));
	return status;
}

static void rival(struct universe *universe)
{
	struct story *story = universe->story;
	struct misfortune misfortune = {.alone = true, .gentle = true};

	if (chance_one_in(&universe->fate, 2)) {
		misfortune.odds = 30;
		misfortune.budget = 1;
		misfortune.gentle = false;
	}
	story_run(story, "apply --yes", &misfortune);
}

/* Which command a chapter is about. */
enum chapter {
	CHAPTER_ANY,
	CHAPTER_SURE, /* an apply that has a mishap for sure */
	CHAPTER_LATE, /* the same once chapters enough were told without one */
	CHAPTER_APPLY,
	CHAPTER_CALM, /* an apply that nothing befalls */
	CHAPTER_DESTROY,
};

static struct misfortune draw_misfortune(struct story *story, enum chapter chapter)
{
	struct chance *plot = &story->universe->plot;
	struct misfortune misfortune = {.aimed = true};

	if (chapter == CHAPTER_CALM)
		return (struct misfortune){0};
	/* Whatever came earlier kept it from changing anything: now it comes with one of the first changes. */
	if (chapter == CHAPTER_LATE && story->universe->changes == 0)
		return (struct misfortune){.aimed = true, .sure_change = (uint64_t)chance_between(plot, 2, 4)};
	if (chapter == CHAPTER_SURE || chapter == CHAPTER_LATE || chance_one_in(plot, 3))
		misfortune.sure_change = (uint64_t)chance_between(plot, 1, SURE_CHANGE_MOST);
	/* Nothing else came of all the chapters: every command makes some requests. */
	if (chapter == CHAPTER_LATE)
		misfortune.sure_request = (uint64_t)chance_between(plot, 2, 6);
	/* Where an earlier command left something open, these are the requests that settle it. */
	if (story->universe->mishaps_after_change > 0 && chance_one_in(plot, 3))
		misfortune.sure_request = (uint64_t)chance_between(plot, 1, SURE_REQUEST_MOST);
	if (!chance_one_in(plot, 3)) {
		misfortune.odds = (unsigned)chance_between(plot, 8, 60);
		misfortune.budget = (unsigned)chance_between(plot, 1, 3);
	}
	if (story->universe->storm) {
		misfortune.odds = (unsigned)chance_between(plot, 3, 20);
		misfortune.budget = (unsigned)chance_between(plot, 3, 8);
	}
	if (chance_one_in(plot, 3)) {
		misfortune.disk_step = (uint64_t)chance_between(plot, 1, DISK_STEPS_MOST);
		misfortune.disk_mishap = mishap_draw_disk(plot);
	}
	return misfortune;
}

/* A saved plan, and another command before it is applied now and then. */
static int apply_saved(struct story *story, const struct misfortune *misfortune)
{
	struct chance *plot = &story->universe->plot;

	story_run(story, "plan --out /stack/saved.plan", NULL);
	if (chance_one_in(plot, 4))
		story_run(story, "apply --yes", NULL);
	universe_pass(story->universe, chance_between(plot, 0, LEASE_MS));
	return story_run(story, "apply /stack/saved.plan", misfortune);
}

static void tell_chapter(struct story *story, enum chapter chapter)
{
	static const int64_t fixed[] = {[CHAPTER_SURE] = 0,
					[CHAPTER_LATE] = 0,
					[CHAPTER_APPLY] = 0,
					[CHAPTER_CALM] = 0,
					[CHAPTER_DESTROY] = 19};
	struct chance *plot = &story->universe->plot;
	struct misfortune misfortune = draw_misfortune(story, chapter);

	/* Nobody who died holds the stack by then. */
	if (chapter == CHAPTER_LATE)
		universe_pass(story->universe, STORY_PEACE_MS);
	int64_t what = chapter == CHAPTER_ANY ? chance_between(plot, 0, 19) : fixed[chapter];
	int status;

	if (what < 14)
		status = story_run(story, "apply --yes", &misfortune);
	else if (what < 17)
		status = apply_saved(story, &misfortune);
	else if (what < 18)
		status = story_run(story, "plan", &misfortune);
	else
		status = story_run(story, "destroy --yes", &misfortune);
	int64_t pause_ms = chance_one_in(plot, 4) ? chance_between(plot, 0, LEASE_MS) : LEASE_MS;
	/* It goes on being listed for a while. */
	if (chance_one_in(plot, 2) && story_end_changing(story->universe))
		pause_ms = chance_between(plot, 0, MOMENT_MS);
	universe_pass(story->universe, pause_ms);
	if (!story->is_long)
		return;
	if (status != STATUS_FINE && chance_one_in(plot, NIGHT_ONE_IN))
		story_look_at_night(story);
	story_settle(story);
}

/* Somebody reads what the last command left alone, and takes it away; false where that was none of the program's. */
static bool heed(struct story *story)
{
	struct universe *universe = story->universe;
	struct slice id = slice_of(story->left);
	const char *type = id.size > 0 ? oracle_find_late(universe, &story->foreign, id) : NULL;
	struct diagnostics diagnostics;
	struct arena arena;

	if (!type)
		return false;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	bool done = sim_remove(universe->sim, SLICE("us-west-2"), slice_of(type), id, &diagnostics);
	trace_line(&universe->trace, "somebody removes %s, which was left", story->left);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
	return done;
}

/* The same of what came late of a call that was given up: a table is for a subnet, and no tag tells whose that is. */
static bool heed_item(struct story *story)
{
	if (story->universe->belated == 0 ||
	    !slice_contains(slice_of(story->error), SLICE("cannot be deleted: others have put subnets[")))
		return false;
	story_set(story->universe, "aws.route_table", "route-table", "associationSet.0", NULL);
	return true;
}

void story_make_peace(struct story *story)
{
	struct universe *universe = story->universe;
	int status = -1;

	universe->wall_ahead_ms = 0;
	for (int i = 0; i < STORY_FINAL_RUNS && status != 0; i++) {
		universe_pass(universe, STORY_PEACE_MS);
		status = story_run(story, "apply --yes", NULL);
		while (heed(story))
			status = story_run(story, "apply --yes", NULL);
		if (heed_item(story))
			status = story_run(story, "apply --yes", NULL);
	}
	if (status != 0) {
		universe_fail(universe, "peace: the third apply without a mishap still ends with status %d: %s", status,
			      story->error);
		return;
	}
	oracle_world(universe, &story->blueprint, &story->foreign);
}

void story_expect_nothing_planned(struct story *story)
{
	int status = story->idle ? 0 : story_run(story, "plan --detailed-exitcode", NULL);

	if (status != 0)
		universe_fail(story->universe, "second plan: it is not empty, status %d", status);
}

/* No more mishaps: within three runs everything is as it should be. */
static void come_to_peace(struct story *story)
{
	struct universe *universe = story->universe;

	if (story->is_long)
		story_settle_late(story);
	story_make_peace(story);
	/* What our tags were copied to is not ours, as no call of ours makes the like: nor once none can be under way
	 * any more. */
	story->copied = story->is_long && chance_one_in(&universe->plot, 8);
	if (story->copied) {
		if (chance_one_in(&universe->plot, 2))
			universe_pass(universe, HOUR_MS);
		story->idle = false;
		(void)foreign_copy_tags(universe, &story->foreign, "vpc", "aws.vpc.v0",
					chance_one_in(&universe->plot, 2) ? FOREIGN_VPC : FOREIGN_SUBNET,
					chance_one_in(&universe->plot, 2));
	}
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
}

static void come_to_nothing(struct story *story)
{
	struct universe *universe = story->universe;
	int status = story_run(story, "destroy --yes", NULL);

	if (status != 0)
		universe_fail(universe, "destroy: it ends with status %d: %s", status, story->error);
	oracle_nothing(universe, &story->foreign);
	/* What bears our tags is not ours, though the spec has its address. */
	if (story->copied && chance_one_in(&universe->plot, 4))
		story_run(story, "plan", NULL);
}

/* Whoever changed the spec has second thoughts, after a run that something befell. */
static void set_back(struct story *story, const struct blueprint *former, uint64_t mishaps_before)
{
	struct universe *universe = story->universe;

	if (universe->mishaps_after_change == mishaps_before || chance_one_in(&universe->plot, 2))
		return;
	story->blueprint = *former;
	story_save_spec(story);
	tell_chapter(story, CHAPTER_APPLY);
}

/* A change of what is not whole yet is mostly no call of its own: what a turn brings about comes after a whole apply
 * more often than not. */
static enum chapter draw_first(struct universe *universe)
{
	if (universe->target.row->turn == TURN_NONE)
		return CHAPTER_SURE;
	return chance_one_in(&universe->plot, 3) ? CHAPTER_APPLY : CHAPTER_CALM;
}

/* At least one mishap comes after something was changed, and what the seed is about has its chance. */
static void tell_chapters(struct story *story)
{
	struct universe *universe = story->universe;
	enum turn turn = universe->target.row->turn;
	int64_t chapters = turn == TURN_NONE ? 1 : 2;

	/* Rather more seeds than longer ones. */
	if (story->is_long)
		chapters += chance_one_in(&universe->plot, turn == TURN_NONE ? 4 : 8);
	enum chapter first = draw_first(universe);

	for (int64_t i = 0; i < chapters || (universe->mishaps_after_change == 0 && i < CHAPTERS_LIMIT); i++) {
		int64_t edits = i > 0 && story->is_long ? chance_between(&universe->plot, 0, 3) : 0;
		enum chapter chapter = i >= chapters ? CHAPTER_LATE : CHAPTER_ANY;
		struct blueprint former = story->blueprint;
		uint64_t mishaps = universe->mishaps_after_change;

		for (int64_t at = 0; at < edits; at++)
			blueprint_edit(&story->blueprint, &universe->plot);
		if (i == 0)
			chapter = first;
		if (i == 1 && turn != TURN_NONE) {
			target_turn(&universe->target, &story->blueprint);
			chapter = turn == TURN_DESTROY ? CHAPTER_DESTROY : CHAPTER_APPLY;
		}
		story_save_spec(story);
		tell_chapter(story, chapter);
		if (i > 0 && story->is_long)
			set_back(story, &former, mishaps);
	}
}

/* What the stack of a long life has before it yet, each in one of so many. What bears our tags keeps an undoing from
 * making ours anew, so most of it is for stacks that nobody has copied. */
static const struct act {
	void (*tell)(struct story *story);
	unsigned one_in;
	bool beside_copies;
} acts[] = {
	{story_undo, 16, false},       {story_undo_behind, 64, false}, {story_undo_earlier, 64, false},
	{story_look_back, 16, true},   {story_rebuild, 16, false},     {story_mistake, 128, false},
	{story_claim, 24, false},      {story_send_again, 32, false},  {story_come_late, 32, false},
	{story_elsewhere, 128, false}, {story_vanish, 96, false},      {story_go_on, 8, false},
	{story_nightly, 24, false},    {story_stay, 192, false},       {story_pause, 192, false},
};

static void go_on_living(struct story *story)
{
	struct universe *universe = story->universe;

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]) && !universe->failure[0]; i++)
		if ((acts[i].beside_copies || !story->copied) && chance_one_in(&universe->plot, acts[i].one_in))
			acts[i].tell(story);
}

void story_tell(struct universe *universe)
{
	struct story story = {.universe = universe};

	/* cppcheck-suppress autoVariables ; taken back at the end */
	universe->story = &story;
	universe->rival = rival;
	universe->operator= story_meddle;
	disk_make_folder(&universe->disk, SLICE("/stack"));
	disk_make_folder(&universe->disk, SLICE("/stack/.trueup"));
	disk_sync_folder_of(&universe->disk, SLICE("/stack"));
	disk_make_folder(&universe->disk, slice_of(shown_folder));
	disk_sync_folder_of(&universe->disk, SLICE("/stack/.trueup"));
	universe->sealing_key = chance_one_in(&universe->plot, 4) ? NULL : story_keys[0];
	foreign_make(universe, &story.foreign);
	story.is_long = universe->all_long || chance_one_in(&universe->plot, LONG_ONE_IN);
	blueprint_draw(&story.blueprint, &universe->plot, &universe->target.row->wish);
	if (!blueprint_is_large_enough(&story.blueprint))
		universe_fail(universe, "schedule: the stack has %zu resources only", blueprint_size(&story.blueprint));
	tell_chapters(&story);
	oracle_outcomes(universe);
	if (universe->mishaps_after_change == 0)
		universe_fail(universe, "schedule: no mishap came after the first change");
	if (!universe->failure[0])
		come_to_peace(&story);
	oracle_settled(universe);
	if (story.is_long)
		go_on_living(&story);
	if (!universe->failure[0])
		come_to_nothing(&story);
	oracle_secrets(universe);
	universe->story = NULL;
}
