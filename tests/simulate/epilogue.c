#include "tests/simulate/story.h"

#include <stdio.h>
#include <string.h>

#include "cli/exit_status.h"
#include "state/sqlite_store.h"
#include "tests/simulate/judge.h"

/* What a stack that is well has before it yet: a change that is regretted, the loss of its state file, and an older one
 * in its place. */

enum {
	EDITS_MOST = 3,
	WORST_CHANGE_MOST = 8,
	WORST_REQUEST_MOST = 20,
	DISK_STEPS_MOST = 100,
	SETTLING_MS = 5 * 60 * 1000,
};

static struct misfortune draw_misfortune(struct chance *plot)
{
	struct misfortune misfortune = {.alone = true};

	switch (chance_between(plot, 0, 2)) {
	case 0:
		misfortune.sure_change = (uint64_t)chance_between(plot, 1, WORST_CHANGE_MOST);
		break;
	case 1:
		misfortune.sure_request = (uint64_t)chance_between(plot, 1, WORST_REQUEST_MOST);
		break;
	default:
		misfortune.disk_step = (uint64_t)chance_between(plot, 1, DISK_STEPS_MOST);
		misfortune.disk_mishap = mishap_draw_disk(plot);
		break;
	}
	return misfortune;
}

bool story_apply_edits(struct story *story, int64_t edits, const struct misfortune *misfortune,
		       char ret_run[AUDIT_RUN_BYTES])
{
	struct universe *universe = story->universe;
	char before[AUDIT_RUN_BYTES];
	int status;

	audit_last_run(&universe->audit, before);
	for (int64_t i = 0; i < edits; i++)
		blueprint_edit(&story->blueprint, &universe->plot);
	story_save_spec(story);
	status = story_run(story, "apply --yes", misfortune);
	if (!misfortune && status != 0)
		universe_fail(universe, "undo: the apply before it ends with status %d: %s", status, story->error);
	audit_last_run(&universe->audit, ret_run);
	return (misfortune || status == 0) && strcmp(before, ret_run) != 0;
}

/* A few changes to the spec, and an apply; as story_apply_edits(). */
static bool apply_edits(struct story *story, const struct misfortune *misfortune, char ret_run[AUDIT_RUN_BYTES])
{
	return story_apply_edits(story, chance_between(&story->universe->plot, 1, EDITS_MOST), misfortune, ret_run);
}

/* An undoing that was cut off is undone itself now and then, before its run is undone once more; each may be cut off.
 */
static void undo_on(struct story *story, const char *line, const char *run)
{
	struct universe *universe = story->universe;
	struct misfortune again = draw_misfortune(&universe->plot);
	char begun[AUDIT_RUN_BYTES], other[64];

	audit_last_run(&universe->audit, begun);
	universe_pass(universe, 2 * STATE_LEASE_TERM_MS);
	if (strcmp(begun, run) != 0 && chance_one_in(&universe->plot, 4)) {
		(void)snprintf(other, sizeof(other), "undo %s --yes", begun);
		(void)story_run(story, other, chance_one_in(&universe->plot, 2) ? &again : NULL);
		story->wavered = true;
	} else if (chance_one_in(&universe->plot, 3)) {
		(void)story_run(story, line, &again);
	}
}

bool story_falls_short(const struct story *story, int status)
{
	return status == STATUS_PARTLY && story->lost && !story->error[0];
}

/* The same command finishes what was cut off, with no apply between; what somebody else did it leaves alone, and what
 * came of a call of the run's when the undoing had looked. belated: universe->belated, before the run. */
static void undo_to_the_end(struct story *story, const char *line, uint64_t belated)
{
	struct universe *universe = story->universe;
	int status = -1;

	universe->wall_ahead_ms = 0;
	for (int i = 0; i < STORY_FINAL_RUNS && status != 0 && !story_falls_short(story, status); i++) {
		universe_pass(universe, STORY_PEACE_MS);
		status = story_run(story, line, NULL);
	}
	/* What it needs may be gone, too. */
	if (story->meddled || universe->belated > belated || story_falls_short(story, status))
		story_make_peace(story);
	else if (status != 0)
		universe_fail(universe, "undo: the third without a mishap still ends with status %d: %s", status,
			      story->error);
}

void story_take_back(struct story *story, const char *run, bool whole, uint64_t belated)
{
	struct universe *universe = story->universe;
	struct misfortune misfortune = draw_misfortune(&universe->plot);
	bool calm = chance_one_in(&universe->plot, 3);
	char line[64];

	if (!whole)
		universe_pass(universe, 2 * STATE_LEASE_TERM_MS);
	(void)snprintf(line, sizeof(line), "undo %s --yes", run);
	int status = story_run(story, line, calm ? NULL : &misfortune);
	if (calm && whole && story_falls_short(story, status))
		story_make_peace(story);
	else if (calm && whole && status != 0)
		universe_fail(universe, "undo: it ends with status %d: %s", status, story->error);
	if (!calm)
		undo_on(story, line, run);
	if (!calm || !whole)
		undo_to_the_end(story, line, belated);
}

/* The world is as before then, and with the spec of before a plan is empty, whatever befell the run or its undoing. */
void story_undo(struct story *story)
{
	struct universe *universe = story->universe;
	struct blueprint before = story->blueprint;
	char run[AUDIT_RUN_BYTES];
	struct misfortune before_it = {.alone = true,
				       .sure_change = (uint64_t)chance_between(&universe->plot, 1, WORST_CHANGE_MOST)};
	bool whole = chance_one_in(&universe->plot, 2);
	uint64_t belated = universe->belated;
	bool changed;

	story->meddled = false;
	changed = apply_edits(story, whole ? NULL : &before_it, run);
	story->blueprint = before;
	/* A secret that only the history knows is a fingerprint there: the spec has to have it. */
	story_save_spec(story);
	if (!changed) {
		if (!whole)
			story_make_peace(story);
		return;
	}
	story_take_back(story, run, whole, belated);
	oracle_world(universe, &story->blueprint, &story->foreign);
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
}

static bool has_records(struct universe *universe)
{
	struct audit_record record;
	struct arena arena;
	bool has;

	arena_init(&arena);
	has = audit_read(&universe->audit, &arena, &record) && record.object_count > 0;
	audit_leave(&universe->audit);
	arena_release(&arena);
	return has;
}

/* A state file is these together. */
static const char *const ends[] = {"", "-wal", "-shm"};
enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

static void lose_state(struct universe *universe)
{
	for (size_t i = 0; i < ENDS; i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "%s%s", audit_path, ends[i]);
		disk_remove(&universe->disk, slice_of(path));
	}
	disk_sync_folder_of(&universe->disk, slice_of(audit_path));
}

/* What was in the state file at some time, nobody having it open. */
struct copy {
	struct slice bytes[ENDS]; /* .data NULL: there was no such file */
};

static struct copy copy_state(struct universe *universe, struct arena *arena)
{
	struct copy copy = {0};

	for (size_t i = 0; i < ENDS; i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "%s%s", audit_path, ends[i]);
		const struct disk_file *file = disk_find(&universe->disk, slice_of(path));

		if (file)
			copy.bytes[i] = arena_copy(arena, (struct slice){file->bytes, file->size});
	}
	return copy;
}

static void put_back(struct universe *universe, const struct copy *copy)
{
	lose_state(universe);
	for (size_t i = 0; i < ENDS; i++) {
		char path[64];

		if (!copy->bytes[i].data)
			continue;
		(void)snprintf(path, sizeof(path), "%s%s", audit_path, ends[i]);
		struct disk_file *file = disk_create(&universe->disk, slice_of(path));

		disk_write(file, 0, copy->bytes[i].data, copy->bytes[i].size);
		disk_sync(file);
	}
	disk_sync_folder_of(&universe->disk, slice_of(audit_path));
}

static bool is_there(const struct value *region, struct slice id)
{
	for (uint32_t i = 0; value_is(region, VALUE_MAP) && i < region->count; i++) {
		const struct value *body = value_get(&region->members[i].value, id);

		if (body && !body_is_gone(body))
			return true;
	}
	return false;
}

/* How many objects of one record the other has not; of what has no id nobody knows whether it was made. region: NULL,
 * or those alone that are there: the cloud gives up by itself what it cannot make. */
static size_t count_missing(const struct audit_record *record, const struct audit_record *from,
			    const struct value *region)
{
	size_t count = 0;

	for (size_t i = 0; i < record->object_count; i++) {
		struct slice id = record->objects[i].provider_id;
		bool found = id.size == 0 || (region && !is_there(region, id));

		for (size_t k = 0; k < from->object_count && !found; k++)
			found = slice_equal(id, from->objects[k].provider_id);
		count += !found;
	}
	return count;
}

static size_t count_made(struct universe *universe, const struct audit_record *newer, const struct audit_record *older)
{
	struct value world;
	struct arena arena;

	arena_init(&arena);
	size_t count = oracle_look(universe, &arena, &world)
			       ? count_missing(newer, older, value_get_named(&world, region_name))
			       : 0;
	arena_release(&arena);
	return count;
}

bool story_rename(struct story *story, const struct misfortune *misfortune)
{
	char from[THING_ADDRESS_BYTES], to[THING_ADDRESS_BYTES], line[2 * THING_ADDRESS_BYTES + 16];
	const struct thing *thing = blueprint_rename(&story->blueprint);
	struct thing before;
	int status;

	if (!thing)
		return false;
	before = *thing;
	before.renamed = !thing->renamed;
	thing_address(&before, from);
	thing_address(thing, to);
	(void)snprintf(line, sizeof(line), "state mv %s %s", from, to);
	status = story_run(story, line, NULL);
	story_save_spec(story);
	if (status == 0)
		status = story_run(story, "apply --yes", misfortune);
	if (status != 0 && !misfortune)
		universe_fail(story->universe, "%s, and an apply: they end with status %d: %s", line, status,
			      story->error);
	return misfortune || status == 0;
}

/*
 * With the older of two records in place nothing looks well, and what the newer one has more, or elsewhere, is not made
 * again.
 */
static void look_at_older(struct story *story, const struct audit_record *older, const struct audit_record *newer,
			  bool renamed)
{
	struct universe *universe = story->universe;
	uint64_t changes = universe->changes;
	size_t made = count_made(universe, newer, older), gone = count_missing(older, newer, NULL);
	int status = story_run(story, "drift", NULL);

	if (made + gone > 0 && status == 0)
		universe_fail(universe, "older state: drift says that all is well");
	(void)story_run(story, "plan", NULL);
	status = made > 0 ? story_run(story, "destroy --yes", NULL) : STATUS_REFUSED;
	if (status != STATUS_REFUSED)
		universe_fail(universe, "older state: destroy ends with status %d: %s", status, story->error);
	if (gone == 0 && made + renamed > 0)
		status = story_run(story, "apply --yes", NULL);
	if (status != STATUS_REFUSED)
		universe_fail(universe, "older state: apply ends with status %d: %s", status, story->error);
	if (universe->changes != changes)
		universe_fail(universe, "older state: something was changed");
}

/* Somebody puts an older state file back, sees what that is, and then the newer one again, maybe of a run cut off. */
void story_look_back(struct story *story)
{
	struct universe *universe = story->universe;
	struct misfortune misfortune = draw_misfortune(&universe->plot);
	struct audit_record older, newer;
	char run[AUDIT_RUN_BYTES];
	struct copy then, now;
	struct arena arena;
	bool renames, whole;

	arena_init(&arena);
	universe->wall_ahead_ms = 0;
	then = copy_state(universe, &arena);
	renames = chance_one_in(&universe->plot, 3);
	whole = renames || chance_one_in(&universe->plot, 2);
	if (audit_read(&universe->audit, &arena, &older) &&
	    (renames ? story_rename(story, NULL) : apply_edits(story, whole ? NULL : &misfortune, run)) &&
	    audit_read(&universe->audit, &arena, &newer)) {
		audit_leave(&universe->audit);
		/* What was deleted a moment ago may still be listed, and what was made not yet. */
		universe_pass(universe, SETTLING_MS);
		now = copy_state(universe, &arena);
		put_back(universe, &then);
		look_at_older(story, &older, &newer, renames);
		put_back(universe, &now);
		story->idle = false;
	}
	audit_leave(&universe->audit);
	arena_release(&arena);
	if (!universe->failure[0] && !whole)
		story_make_peace(story);
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
}

void story_rebuild(struct story *story)
{
	struct universe *universe = story->universe;
	struct misfortune misfortune = draw_misfortune(&universe->plot);
	int status = -1;

	universe->wall_ahead_ms = 0;

	/* What was deleted a moment ago may still be listed. */
	universe_pass(universe, SETTLING_MS);
	lose_state(universe);
	if (chance_one_in(&universe->plot, 2))
		status = story_run(story, "state rebuild --yes", &misfortune);
	if (status != 0 && has_records(universe)) {
		/* It ended with the record made and nobody told, or could not read all: an apply finds the rest. */
		story_make_peace(story);
	} else if (status != 0) {
		universe_pass(universe, 2 * STATE_LEASE_TERM_MS);
		status = story_run(story, "state rebuild --yes", NULL);
		if (status != 0)
			universe_fail(universe, "rebuild: it ends with status %d: %s", status, story->error);
	}
	oracle_world(universe, &story->blueprint, &story->foreign);
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
}
