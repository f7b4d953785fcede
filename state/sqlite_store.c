#include "state/sqlite_store.h"

#include <stdlib.h>

#include "base/memory.h"
#include "state/commit.h"
#include "state/hidden.h"
#include "state/intents.h"
#include "state/stack_file.h"
#include "state/stack_key.h"
#include "state/step_times.h"
#include "state/store_parts.h"
#include "state/watched.h"

static void store_close(struct store *store)
{
	struct sqlite_store *self = sqlite_store_of(store);

	/* First, for only until the file is closed can a test see whether it is. */
	memory_wipe(self->fingerprint_key, sizeof(self->fingerprint_key));
	database_close(&self->file.database);
	formers_release(&self->formers);
	arena_release(&self->scratch);
	arena_release(&self->arena);
	free(self);
}

static const struct stack_record *store_record(const struct store *store)
{
	return &sqlite_store_of_const(store)->record;
}

/* Reads the row of the stack into the store; within a transaction or snapshot. */
static bool record_read(void *context, struct diagnostics *diagnostics)
{
	struct sqlite_store *self = (struct sqlite_store *)context;
	struct database *database = &self->file.database;
	QUERY_AUTO query = query_start(database, STATEMENT_STACK_READ);
	struct stack_record record;
	struct slice key;
	bool row;

	if (!query_next(&query, &row, diagnostics))
		return false;
	if (!row)
		return database_damaged(database, diagnostics, "the row of the stack is missing");
	key = query_column_blob(&query, 3);
	if (key.size != FINGERPRINT_KEY_BYTES)
		return database_damaged(database, diagnostics, "the stack's key has %zu bytes instead of %d", key.size,
					FINGERPRINT_KEY_BYTES);
	if (!query_column_id(&query, 0, &self->arena, &record.lineage, diagnostics))
		return false;
	record.name = query_column_copy(&query, 1, &self->arena);
	record.serial = query_column_integer(&query, 2);
	memcpy(self->fingerprint_key, key.data, sizeof(self->fingerprint_key));
	record.wrapped_key = query_column_copy(&query, 4, &self->arena);
	record.sealing_key = slice_cut(&record.wrapped_key, ' ');
	record.fingerprint_key = (struct slice){self->fingerprint_key, sizeof(self->fingerprint_key)};
	self->record = record;
	return true;
}

/* What a write operation works on. */
struct writing {
	struct sqlite_store *self;
	const struct run *run;
	struct slice outcome;
	const struct commit *commit;
	const struct rekey *rekey;
	const struct hidden *hidden;
	struct slice key_id;
	int64_t serial; /* after the commit */
};

/* SQLite writes on into a file that was removed or replaced under it, where nobody will ever find that again. */
static bool check_place(const struct sqlite_store *self, struct diagnostics *diagnostics)
{
	int moved = 0;

	/* Not every VFS knows; https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html */
	if (sqlite3_file_control(self->file.database.handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
	    !moved)
		return true;
	diag_error(diagnostics, FAULT_CONFLICT, NOWHERE,
		   "the state file '%s' was removed or replaced while this run was at work", self->file.name);
	diag_hint(diagnostics, "what this run did since is not recorded there: put back the file if it was moved; else "
			       "'trueup state rebuild' finds what was made");
	return false;
}

/* One transaction; what it changed in memory is taken back where it fails. */
static bool write_all(struct writing *writing, database_body *body, struct diagnostics *diagnostics)
{
	struct sqlite_store *self = writing->self;
	struct lease before = self->lease;

	arena_reset(&self->scratch);
	if (check_place(self, diagnostics) && database_transact(&self->file.database, body, writing, diagnostics))
		return true;
	before.lost = self->lease.lost;
	self->lease = before;
	return false;
}

static bool require_writing(const struct sqlite_store *self, struct diagnostics *diagnostics)
{
	return self->file.options.access == STATE_WRITE ||
	       diag_error(diagnostics, FAULT_INTERNAL, NOWHERE, "the state file '%s' was opened for reading only",
			  self->file.name);
}

static bool require(bool held, const struct sqlite_store *self, struct diagnostics *diagnostics)
{
	if (!require_writing(self, diagnostics))
		return false;
	if (self->lease.held != held)
		return diag_error(diagnostics, FAULT_INTERNAL, NOWHERE,
				  held ? "no run was begun on the state file '%s'"
				       : "a run was begun twice on the state file '%s'",
				  self->file.name);
	return true;
}

/* What another run has done since the one was planned, or since what it is about was read; NULL: nothing. */
static const char *moved_since(const struct run *run, const struct stack_record *record)
{
	if (run->is_planned && run->serial != record->serial)
		return "changed the stack";
	/* Whoever replaced the key has thrown the old one away: nobody could open what this run seals. */
	if (run->sealing_key.size > 0 && !slice_equal(run->sealing_key, record->sealing_key))
		return "replaced the sealing key of the stack";
	return NULL;
}

static bool check_moved(const struct run *run, const struct stack_record *record, struct diagnostics *diagnostics)
{
	const char *moved = moved_since(run, record);
	bool has_plan = run->plan_digest.size > 0;

	if (!moved)
		return true;
	diag_error(diagnostics, FAULT_STALE, NOWHERE, "another run has %s since %s", moved,
		   has_plan ? "this plan was made" : "this command read it");
	diag_hint(diagnostics, "%s", has_plan ? "plan again" : "run the command again");
	return false;
}

static bool write_begin(void *context, struct diagnostics *diagnostics)
{
	const struct writing *writing = (const struct writing *)context;
	struct sqlite_store *self = writing->self;
	int64_t wall_ms = self->file.world->wall_ms(self->file.world);

	/* The runs that went before have moved the serial. */
	if (!record_read(self, diagnostics) ||
	    !lease_take(&self->lease, &self->file.database, self->file.world, self->record.name, writing->run,
			&self->arena, diagnostics) ||
	    !formers_prune(&self->file.database, self->lease.run_number, wall_ms, diagnostics) ||
	    !watched_prune(&self->file.database, wall_ms, diagnostics))
		return false;
	return check_moved(writing->run, &self->record, diagnostics);
}

static bool store_begin(struct store *store, const struct run *run, struct diagnostics *diagnostics)
{
	struct writing writing = {.self = sqlite_store_of(store), .run = run};

	formers_release(&writing.self->formers);
	writing.self->time_count = 0;
	return require(false, writing.self, diagnostics) && write_all(&writing, write_begin, diagnostics);
}

static bool write_end(void *context, struct diagnostics *diagnostics)
{
	const struct writing *writing = (const struct writing *)context;
	struct sqlite_store *self = writing->self;

	return lease_end(&self->lease, &self->file.database, self->file.world, self->record.name, writing->outcome,
			 diagnostics) &&
	       step_times_write(&self->file.database, self->times, self->time_count, diagnostics);
}

static void store_note_times(struct store *store, const struct step_time *times, size_t count)
{
	struct sqlite_store *self = sqlite_store_of(store);

	self->times = times;
	self->time_count = count;
}

static bool store_end(struct store *store, struct slice outcome, struct diagnostics *diagnostics)
{
	struct writing writing = {.self = sqlite_store_of(store), .outcome = outcome};

	if (!require(true, writing.self, diagnostics) || !write_all(&writing, write_end, diagnostics))
		return false;
	writing.self->lease.held = false;
	return true;
}

static bool write_break(void *context, struct diagnostics *diagnostics)
{
	const struct writing *writing = (const struct writing *)context;

	return lease_break(&writing->self->file.database, writing->self->record.name, writing->run->id, diagnostics);
}

static bool store_take_away(struct store *store, struct slice run, struct diagnostics *diagnostics)
{
	struct run named = {.id = run};
	struct writing writing = {.self = sqlite_store_of(store), .run = &named};

	return require(false, writing.self, diagnostics) && write_all(&writing, write_break, diagnostics);
}

static bool write_key(void *context, struct diagnostics *diagnostics)
{
	const struct writing *writing = (const struct writing *)context;
	bool set;

	return stack_key_set(&writing->self->file.database, SLICE(""), writing->key_id, &set, diagnostics) &&
	       record_read(writing->self, diagnostics);
}

static bool store_adopt_key(struct store *store, struct slice id, struct diagnostics *diagnostics)
{
	struct writing writing = {.self = sqlite_store_of(store), .key_id = id};

	return require_writing(writing.self, diagnostics) && write_all(&writing, write_key, diagnostics);
}

static bool write_rekey(void *context, struct diagnostics *diagnostics)
{
	const struct writing *writing = (const struct writing *)context;
	struct sqlite_store *self = writing->self;
	const struct rekey *rekey = writing->rekey;
	bool set;

	if (!lease_beat(&self->lease, &self->file.database, self->file.world, self->record.name, diagnostics) ||
	    !stack_key_set(&self->file.database, rekey->old_id, rekey->new_id, &set, diagnostics))
		return false;
	if (!set)
		return diag_error(diagnostics, FAULT_STALE, NOWHERE,
				  "another run has replaced the sealing key of the stack meanwhile");
	for (size_t i = 0; i < rekey->intent_count; i++) {
		if (!intents_reseal(&self->file.database, &rekey->intents[i], diagnostics))
			return false;
	}
	return record_read(self, diagnostics);
}

static bool store_rekey(struct store *store, const struct rekey *rekey, struct diagnostics *diagnostics)
{
	struct writing writing = {.self = sqlite_store_of(store), .rekey = rekey};

	return require(true, writing.self, diagnostics) && write_all(&writing, write_rekey, diagnostics);
}

static bool write_beat(void *context, struct diagnostics *diagnostics)
{
	const struct writing *writing = (const struct writing *)context;
	struct sqlite_store *self = writing->self;

	return lease_beat(&self->lease, &self->file.database, self->file.world, self->record.name, diagnostics);
}

static bool store_heartbeat(struct store *store, struct diagnostics *diagnostics)
{
	struct writing writing = {.self = sqlite_store_of(store)};

	return require(true, writing.self, diagnostics) && write_all(&writing, write_beat, diagnostics);
}

static int64_t store_lease_left_ms(const struct store *store)
{
	const struct sqlite_store *self = sqlite_store_of_const(store);

	return lease_left_ms(&self->lease, self->file.world);
}

static bool write_commit(void *context, struct diagnostics *diagnostics)
{
	struct writing *writing = (struct writing *)context;
	struct sqlite_store *self = writing->self;

	return write_beat(writing, diagnostics) &&
	       commit_write(&self->file.database, writing->commit, self->lease.run_number,
			    self->file.world->wall_ms(self->file.world), &self->formers, &self->scratch,
			    &writing->serial, diagnostics);
}

/* As the commit has written it. */
static void take_lineage(struct sqlite_store *self, struct slice lineage)
{
	if (lineage.size == 0 || slice_equal(lineage, self->record.lineage))
		return;
	self->record.lineage = arena_copy(&self->arena, lineage);
	self->record.sealing_key = self->record.wrapped_key = SLICE("");
}

static enum commit_state store_commit(struct store *store, const struct commit *commit, struct diagnostics *diagnostics)
{
	struct writing writing = {.self = sqlite_store_of(store), .commit = commit};

	if (!require(true, writing.self, diagnostics) || !write_all(&writing, write_commit, diagnostics))
		return COMMIT_FAILED;
	writing.self->record.serial = writing.serial;
	take_lineage(writing.self, commit->lineage);
	commit_note(commit, &writing.self->formers);
	return COMMIT_DONE;
}

/* A commit is done when it returns: there is never one to wait for. */
static enum commit_state store_poll(struct store *store, int64_t deadline_ms, struct diagnostics *diagnostics)
{
	(void)store;
	(void)deadline_ms;
	(void)diagnostics;
	return COMMIT_DONE;
}

static bool write_hidden(void *context, struct diagnostics *diagnostics)
{
	const struct writing *writing = (const struct writing *)context;
	struct sqlite_store *self = writing->self;

	return (!self->lease.held || write_beat(context, diagnostics)) &&
	       hidden_write(writing->hidden, &self->file.database, diagnostics);
}

static bool store_hide(struct store *store, const struct store_hider *hider, struct diagnostics *diagnostics)
{
	struct sqlite_store *self = sqlite_store_of(store);
	struct hidden hidden;

	hidden_init(&hidden, &self->file.database, hider);
	struct writing writing = {.self = self, .hidden = &hidden};
	bool good = require_writing(self, diagnostics) &&
		    stack_file_read(&self->file, hidden_find, &hidden, diagnostics) &&
		    (hidden.count == 0 || write_all(&writing, write_hidden, diagnostics));
	hidden_release(&hidden);
	return good;
}

static const struct store_ops sqlite_ops = {
	.close = store_close,
	.record = store_record,
	.heads = store_heads,
	.bodies = store_bodies,
	.intents = store_intents,
	.past = store_past,
	.watched = store_watched,
	.begin = store_begin,
	.note_times = store_note_times,
	.end = store_end,
	.adopt_key = store_adopt_key,
	.rekey = store_rekey,
	.heartbeat = store_heartbeat,
	.lease_left_ms = store_lease_left_ms,
	.commit = store_commit,
	.poll = store_poll,
	.hide = store_hide,
	.holder = store_holder,
	.take_away = store_take_away,
	.runs = store_runs,
	.calls = store_calls,
	.changed = store_changed,
	.beside = store_beside,
	.times = store_times,
	.check = store_check,
	.backup = store_backup,
};

static bool is_right_stack(const struct sqlite_store *self, struct slice stack_name, struct diagnostics *diagnostics)
{
	if (stack_name.size == 0 || slice_equal(stack_name, self->record.name))
		return true;
	diag_error(diagnostics, FAULT_USER, NOWHERE, "the state file '%s' belongs to the stack '%.*s', not to '%.*s'",
		   self->file.name, SLICE_ARGUMENTS(self->record.name), SLICE_ARGUMENTS(stack_name));
	diag_hint(diagnostics, "name the stack '%.*s' again, or give this one a folder of its own (-C DIR)",
		  SLICE_ARGUMENTS(self->record.name));
	return false;
}

static struct sqlite_store *store_new(struct world *world, const char *path, const struct state_options *options)
{
	struct sqlite_store *self = (struct sqlite_store *)memory_get(sizeof(*self));

	self->store.ops = &sqlite_ops;
	arena_init(&self->arena);
	arena_init(&self->scratch);
	formers_init(&self->formers);
	self->file.world = world;
	self->file.local = !world->sqlite_vfs;
	self->file.name = arena_string(&self->arena, slice_of(path));
	self->file.options = *options;
	self->file.options.program = arena_copy(&self->arena, options->program);
	if (options->busy_timeout_ms == 0)
		self->file.options.busy_timeout_ms = STATE_BUSY_TIMEOUT_MS;
	self->lease.term_ms = options->lease_term_ms > 0 ? options->lease_term_ms : STATE_LEASE_TERM_MS;
	self->lease.sight = options->sight ? options->sight : &self->sight;
	return self;
}

bool state_is_file(struct slice first)
{
	return slice_starts_with(first, SLICE("SQLite format 3"));
}

bool state_is_there(struct world *world, const char *path)
{
	sqlite3_vfs *vfs = world->sqlite_vfs ? sqlite3_vfs_find(world->sqlite_vfs) : NULL;
	int there = 1;

	if (!world->sqlite_vfs)
		return place_has_name(path);
	return !vfs || vfs->xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &there) != SQLITE_OK || there != 0;
}

bool state_open(struct world *world, const char *path, const struct state_options *options, struct slice stack_name,
		struct store **ret, struct diagnostics *diagnostics)
{
	struct sqlite_store *self = store_new(world, path, options);

	if (!stack_file_open(&self->file, &self->arena, stack_name, diagnostics) ||
	    !stack_file_read(&self->file, record_read, self, diagnostics) ||
	    !is_right_stack(self, stack_name, diagnostics)) {
		store_close(&self->store);
		return false;
	}
	*ret = &self->store;
	return true;
}
