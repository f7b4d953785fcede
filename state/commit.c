#include "state/commit.h"

#include "state/intents.h"
#include "state/objects.h"
#include "state/watched.h"

struct writing {
	struct database *database;
	const struct commit *commit;
	int64_t run_number;
	int64_t wall_ms;
	const struct formers *formers;
	struct arena *scratch;
};

/* What is settled was done by the runs that sent the calls: they found what is recorded until now. */
static bool settle_formers(const struct writing *writing, struct diagnostics *diagnostics)
{
	const struct commit *commit = writing->commit;

	for (size_t i = 0; commit->settles && i < commit->close_count; i++) {
		if (!formers_settle(writing->database, commit->closes[i].id, diagnostics))
			return false;
	}
	return true;
}

static bool keep_formers(const struct writing *writing, struct diagnostics *diagnostics)
{
	const struct commit *commit = writing->commit;
	static const struct slice unknown = {"", 0};

	for (size_t i = 0; !commit->settles && i < commit->upsert_count; i++) {
		if (!formers_keep(writing->formers, writing->database, writing->run_number,
				  commit->upserts[i]->object_id, commit->upserts[i]->address, diagnostics))
			return false;
	}
	for (size_t i = 0; !commit->settles && i < commit->removal_count; i++) {
		if (!formers_keep(writing->formers, writing->database, writing->run_number,
				  commit->removals[i].object_id, unknown, diagnostics))
			return false;
	}
	/* Killed before the answer, a run has changed what no record of its own tells of; but for what it makes. */
	for (size_t i = 0; i < commit->intent_count; i++) {
		if (!commit->intents[i].creates &&
		    !formers_keep(writing->formers, writing->database, writing->run_number,
				  commit->intents[i].object_id, commit->intents[i].address, diagnostics))
			return false;
	}
	return true;
}

static bool watch_removed(const struct writing *writing, const struct removal *removal, struct diagnostics *diagnostics)
{
	if (!removal->missed)
		return watched_drop(writing->database, removal->object_id, diagnostics);
	return watched_add_object(writing->database, removal->object_id, writing->wall_ms, diagnostics);
}

static bool write_objects(const struct writing *writing, struct diagnostics *diagnostics)
{
	const struct commit *commit = writing->commit;

	for (size_t i = 0; i < commit->upsert_count; i++) {
		struct slice body = commit->bodies ? commit->bodies[i] : (struct slice){NULL, 0};

		if (!objects_put(writing->database, commit->upserts[i], body, writing->scratch, diagnostics))
			return false;
	}
	for (size_t i = 0; i < commit->removal_count; i++) {
		const struct removal *removal = &commit->removals[i];

		if (!watch_removed(writing, removal, diagnostics) ||
		    !objects_remove(writing->database, removal->object_id, diagnostics))
			return false;
	}
	return true;
}

static bool write_intents(const struct writing *writing, struct diagnostics *diagnostics)
{
	const struct commit *commit = writing->commit;

	for (size_t i = 0; i < commit->close_count; i++) {
		if (!intents_close(writing->database, &commit->closes[i], writing->run_number, writing->wall_ms,
				   diagnostics))
			return false;
	}
	for (size_t i = 0; i < commit->correction_count; i++) {
		if (!intents_correct(writing->database, &commit->corrections[i], writing->wall_ms, diagnostics))
			return false;
	}
	for (size_t i = 0; i < commit->renaming_count; i++) {
		if (!intents_rename(writing->database, &commit->renamings[i], diagnostics))
			return false;
	}
	for (size_t i = 0; i < commit->intent_count; i++) {
		if (!intents_add(writing->database, &commit->intents[i], writing->run_number, diagnostics))
			return false;
	}
	return true;
}

static bool advance_serial(const struct writing *writing, int64_t *ret, struct diagnostics *diagnostics)
{
	QUERY_AUTO advance = query_start(writing->database, STATEMENT_STACK_ADVANCE);
	QUERY_AUTO query = query_start(writing->database, STATEMENT_STACK_SERIAL);
	bool row;

	if (!query_run(&advance, diagnostics) || !query_next(&query, &row, diagnostics))
		return false;
	if (!row)
		return database_damaged(writing->database, diagnostics, "the row of the stack is missing");
	*ret = query_column_integer(&query, 0);
	return true;
}

static bool write_lineage(const struct writing *writing, struct diagnostics *diagnostics)
{
	if (writing->commit->lineage.size == 0)
		return true;
	QUERY_AUTO query = query_start(writing->database, STATEMENT_STACK_LINEAGE);

	query_id(&query, writing->commit->lineage);
	return query_run(&query, diagnostics);
}

bool commit_write(struct database *database, const struct commit *commit, int64_t run_number, int64_t wall_ms,
		  const struct formers *formers, struct arena *scratch, int64_t *ret_serial,
		  struct diagnostics *diagnostics)
{
	const struct writing writing = {database, commit, run_number, wall_ms, formers, scratch};

	return settle_formers(&writing, diagnostics) && write_intents(&writing, diagnostics) &&
	       keep_formers(&writing, diagnostics) && write_lineage(&writing, diagnostics) &&
	       write_objects(&writing, diagnostics) && advance_serial(&writing, ret_serial, diagnostics);
}

void commit_note(const struct commit *commit, struct formers *formers)
{
	for (size_t i = 0; !commit->settles && i < commit->upsert_count; i++)
		formers_note(formers, commit->upserts[i]->object_id);
	for (size_t i = 0; !commit->settles && i < commit->removal_count; i++)
		formers_note(formers, commit->removals[i].object_id);
	for (size_t i = 0; i < commit->intent_count; i++)
		if (!commit->intents[i].creates)
			formers_note(formers, commit->intents[i].object_id);
}
