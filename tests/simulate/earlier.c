#include <stdio.h>

#include "cli/exit_status.h"
#include "tests/simulate/story.h"

/*
 * A run is undone that a later one came after. What that changed stays: the undoing has room beside it, or is refused
 * before anything is changed.
 */

enum { EDITS_MOST = 3 };

/* What two runs in a row made of a number, without the first of them. */
static unsigned without_first(unsigned before, unsigned between, unsigned now)
{
	return now == between ? before : now;
}

static bool is_turned(const struct thing *before, const struct thing *now)
{
	return before->wanted != now->wanted || before->in_place != now->in_place || before->renewal != now->renewal ||
	       before->parts != now->parts;
}

/*
 * The stack as it is without what was done from `before` to `between`. False where the later run touched the same
 * thing, or where something came or went: then more than what was turned may have followed.
 */
static bool take_out(const struct blueprint *before, const struct blueprint *between, struct blueprint *now)
{
	now->featured = without_first(before->featured, between->featured, now->featured);
	for (size_t i = 0; i < now->count; i++) {
		const struct thing *then = &before->things[i], *since = &between->things[i];
		struct thing *thing = &now->things[i];

		if (then->wanted != since->wanted || since->wanted != thing->wanted ||
		    (is_turned(then, since) && is_turned(since, thing)))
			return false;
		thing->in_place = without_first(then->in_place, since->in_place, thing->in_place);
		thing->renewal = without_first(then->renewal, since->renewal, thing->renewal);
		thing->parts = without_first(then->parts, since->parts, thing->parts);
	}
	return true;
}

void story_undo_earlier(struct story *story)
{
	struct universe *universe = story->universe;
	struct blueprint before = story->blueprint, between, now;
	char run[AUDIT_RUN_BYTES], later[AUDIT_RUN_BYTES], line[64];

	bool changed = story_apply_edits(story, chance_between(&universe->plot, 1, EDITS_MOST), NULL, run);
	between = story->blueprint;
	changed = changed && story_apply_edits(story, chance_between(&universe->plot, 1, EDITS_MOST), NULL, later);
	if (!changed || universe->failure[0])
		return;
	now = story->blueprint;
	uint64_t changes = universe->changes;
	(void)snprintf(line, sizeof(line), "undo %s --yes", run);
	int status = story_run(story, line, NULL);
	/* It has told so beforehand. */
	bool lacks = status == STATUS_PARTLY && story->lacks && !story->error[0];

	if (status != STATUS_FINE && !story_falls_short(story, status) && !lacks && universe->changes > changes)
		universe_fail(universe, "undo: of an earlier run, it has begun when it ends with status %d: %s", status,
			      story->error);
	bool is_known = before.featured == between.featured || between.featured == now.featured;
	if (status == STATUS_FINE && is_known && take_out(&before, &between, &now)) {
		story->blueprint = now;
		story_save_spec(story);
		oracle_world(universe, &story->blueprint, &story->foreign);
		if (!universe->failure[0])
			story_expect_nothing_planned(story);
	} else if (!universe->failure[0]) {
		story_make_peace(story);
	}
}
