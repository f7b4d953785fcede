#include "state/stack_file.h"

#include <time.h>

#include "reconcile/lineage.h"
#include "state/migrations.h"

enum {
	FINGERPRINT_KEY_BYTES = 32,
	/* How often a read is done again because a run wrote meanwhile, and how long to wait before. */
	READ_TRIES = 20,
	READ_PAUSE_MS = 20,
};

struct making {
	struct stack_file *file;
	struct slice stack_name;
};

static bool insert_stack(const struct making *making, struct diagnostics *diagnostics)
{
	struct world *world = making->file->world;
	uint8_t lineage[ID_BYTES], key[FINGERPRINT_KEY_BYTES];
	QUERY_AUTO query = query_start(&making->file->database, STATEMENT_STACK_INSERT);

	lineage_new(world, making->stack_name, lineage);
	world->random(world, key, sizeof(key));
	query_blob(&query, lineage, sizeof(lineage));
	query_text(&query, making->stack_name);
	query_blob(&query, key, sizeof(key));
	query_integer(&query, world->wall_ms(world));
	return query_run(&query, diagnostics);
}

/* Brings a blank or older file up. */
static bool bring_up(void *context, struct diagnostics *diagnostics)
{
	const struct making *making = (const struct making *)context;
	struct stack_file *file = making->file;
	enum file_kind kind;

	/* Asked again within the transaction: another program may have been faster. */
	return migrations_check(&file->database, file->options.program, &kind, diagnostics) &&
	       migrations_run(&file->database, file->options.program, file->world->wall_ms(file->world), diagnostics) &&
	       (kind != FILE_BLANK || insert_stack(making, diagnostics));
}

static bool attempt(struct stack_file *file, const char *path, const char *doing, struct diagnostics *diagnostics)
{
	int code = database_open(&file->database, file->name, path, file->world->sqlite_vfs, file->mode,
				 file->options.busy_timeout_ms);

	return code == SQLITE_OK || database_fail(&file->database, doing, code, diagnostics);
}

static bool use_wal(struct stack_file *file, struct diagnostics *diagnostics)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(file->database.handle, "PRAGMA journal_mode = WAL", -1, &statement, NULL);
	bool is_wal = false;

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW) {
		is_wal = slice_is(slice_of((const char *)sqlite3_column_text(statement, 0)), "wal");
		/* The row comes before the change is committed. */
		code = sqlite3_step(statement);
	}
	sqlite3_finalize(statement);
	if (code != SQLITE_DONE)
		return database_fail(&file->database, "write", code, diagnostics);
	return is_wal ||
	       diag_error(diagnostics, FAULT_USER, NOWHERE,
			  "the state file '%s' cannot have a write-ahead log: its file system lacks shared memory",
			  file->name);
}

/*
 * A new file is finished under another name before it gets its own, so that a crash leaves
 * either none or a whole one. It is filled with a rollback journal, so that the commit
 * makes it complete in itself, and only then set to WAL mode, which needs it alone.
 */
static bool make_file(struct stack_file *file, struct arena *arena, struct slice stack_name,
		      struct diagnostics *diagnostics)
{
	struct making making = {file, stack_name};
	const char *temporary;
	bool made;

	if (!place_begin(file->world, "create the state file", file->name, arena, &temporary, diagnostics))
		return false;
	file->mode = DATABASE_WRITE;
	made = attempt(file, temporary, "create", diagnostics) &&
	       database_transact(&file->database, bring_up, &making, diagnostics) && use_wal(file, diagnostics);
	database_close(&file->database);
	if (!made) {
		place_abandon(temporary);
		return false;
	}
	return place_finish(temporary, file->name, diagnostics);
}

static bool prepare_place(struct stack_file *file, struct arena *arena, struct slice stack_name,
			  struct diagnostics *diagnostics)
{
	const char *log;
	bool there;

	if (!place_make_folder(file->world, file->name, diagnostics) ||
	    (!file->options.network_allowed && !place_refuse_network(file->name, diagnostics)))
		return false;
	log = place_find_log(file->name, arena);
	if (!place_look(file->name, &there, diagnostics) || !place_refuse_read_only(file->name, diagnostics) ||
	    !place_check_length(file->name, !there, diagnostics))
		return false;
	if (!there && ((log && !place_refuse_log(file->name, log, diagnostics)) ||
		       !make_file(file, arena, stack_name, diagnostics)))
		return false;
	file->real_path = place_real_path(file->name, arena);
	if (!place_refuse_names(file->real_path, diagnostics))
		return false;
	place_tell_open_file(file->real_path, true, diagnostics);
	return true;
}

static bool open_prepared(struct stack_file *file, struct slice stack_name, struct diagnostics *diagnostics)
{
	struct making making = {file, stack_name};
	enum file_kind kind;

	file->mode = file->local ? DATABASE_WRITE : DATABASE_CREATE;
	if (!attempt(file, file->real_path, "open", diagnostics) ||
	    !migrations_check(&file->database, file->options.program, &kind, diagnostics))
		return false;
	if (kind == FILE_BLANK && file->local)
		return database_damaged(&file->database, diagnostics, "it has no tables");
	return use_wal(file, diagnostics) &&
	       (kind == FILE_OURS || database_transact(&file->database, bring_up, &making, diagnostics));
}

/* What SQLite says of a file that it cannot open in the mode at hand. */
static bool is_of_mode(int code)
{
	return (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
}

static void pause_reading(void)
{
	nanosleep(&(struct timespec){.tv_nsec = READ_PAUSE_MS * 1000000L}, NULL);
}

/* The mode that fits may change between the look and the opening, as runs start and end. */
static bool open_some_way(struct stack_file *file, struct diagnostics *diagnostics)
{
	int code = SQLITE_CANTOPEN;

	for (int tries = 0; tries < READ_TRIES; tries++) {
		database_close(&file->database);
		file->mode = file->local ? place_way_to_read(file->real_path, &file->stamp) : DATABASE_READ;
		code = database_open(&file->database, file->name, file->real_path, file->world->sqlite_vfs, file->mode,
				     file->options.busy_timeout_ms);
		if (code == SQLITE_OK)
			return true;
		if (!file->local || (!is_of_mode(code) && !place_moved(file->real_path, &file->stamp)))
			break;
		pause_reading();
	}
	return database_fail(&file->database, "open", code, diagnostics);
}

/* may_read: where the disk has no room for what SQLite puts beside the file, it is only read. */
static bool open_to_write(struct stack_file *file, struct arena *arena, struct slice stack_name, bool may_read,
			  struct diagnostics *diagnostics)
{
	struct diagnostics own;
	bool opened;

	if (file->local && !prepare_place(file, arena, stack_name, diagnostics))
		return false;
	diagnostics_init(&own, diagnostics->arena);
	opened = open_prepared(file, stack_name, &own);
	if (!opened && may_read && file->local && file->database.lacks_room) {
		file->options.access = STATE_READ;
		opened = open_some_way(file, diagnostics);
	} else {
		diagnostics_join(diagnostics, &own);
	}
	diagnostics_release(&own);
	return opened;
}

static bool check_to_read(struct stack_file *file, struct diagnostics *diagnostics)
{
	enum file_kind kind;

	if (!migrations_check(&file->database, file->options.program, &kind, diagnostics))
		return false;
	if (kind == FILE_BLANK)
		return database_damaged(&file->database, diagnostics, "it has no tables");
	return kind == FILE_OURS || migrations_refuse_older(&file->database, diagnostics);
}

struct checked {
	struct stack_file *file;
	database_body *body;
	void *context;
};

/* The format is looked at within the same snapshot: a newer program may bring it up at any time. */
static bool check_and_do(void *context, struct diagnostics *diagnostics)
{
	const struct checked *checked = (const struct checked *)context;

	return check_to_read(checked->file, diagnostics) && checked->body(checked->context, diagnostics);
}

/* One reading; *ret_again: it is to be done again, and its result, good or bad, is not to be believed. */
static bool read_once(struct stack_file *file, struct checked *checked, bool *ret_again,
		      struct diagnostics *diagnostics)
{
	bool done;

	*ret_again = false;
	if (!file->database.handle && !open_some_way(file, diagnostics))
		return false;
	file->database.failure = 0;
	done = database_snapshot(&file->database, check_and_do, checked, diagnostics);
	if (file->mode == DATABASE_READ_IMMUTABLE)
		*ret_again = place_moved(file->real_path, &file->stamp);
	else if (file->options.access == STATE_READ && file->local && is_of_mode(file->database.failure)) {
		/* A run that began or ended between the opening and this made its -shm file anew, which only
		 * who may write it can bring up. */
		*ret_again = true;
		pause_reading();
	}
	return done;
}

bool stack_file_read(struct stack_file *file, database_body *body, void *context, struct diagnostics *diagnostics)
{
	struct checked checked = {file, body, context};

	for (int tries = 1; tries <= READ_TRIES; tries++) {
		struct diagnostics own;
		bool done, again;

		diagnostics_init(&own, diagnostics->arena);
		done = read_once(file, &checked, &again, &own);
		if (!again || (!done && tries == READ_TRIES))
			diagnostics_join(diagnostics, &own);
		diagnostics_release(&own);
		if (!again || (!done && tries == READ_TRIES))
			return done;
		database_close(&file->database);
	}
	diag_error(diagnostics, FAULT_TRANSIENT, NOWHERE,
		   "the state file '%s' was written each of %d times that it was read", file->name, READ_TRIES);
	diag_hint(diagnostics, "run the command again when the other run has ended");
	return false;
}

static bool look_to_read(struct stack_file *file, struct arena *arena, struct diagnostics *diagnostics)
{
	bool there;

	if (!place_look(file->name, &there, diagnostics))
		return false;
	if (!there) {
		diag_error(diagnostics, FAULT_ABSENT, NOWHERE, "there is no state file '%s'", file->name);
		diag_hint(diagnostics,
			  "where a state was lost, 'trueup state rebuild' makes it anew; else run 'trueup plan' "
			  "first, or name the folder of the stack");
		return false;
	}
	if (!place_check_length(file->name, false, diagnostics))
		return false;
	file->real_path = place_real_path(file->name, arena);
	place_tell_open_file(file->real_path, false, diagnostics);
	return true;
}

/* As a new file has it, and nowhere. */
static bool open_blank(struct stack_file *file, struct slice stack_name, struct diagnostics *diagnostics)
{
	struct making making = {file, stack_name};

	file->mode = DATABASE_MEMORY;
	return attempt(file, file->name, "create", diagnostics) &&
	       database_transact(&file->database, bring_up, &making, diagnostics);
}

bool stack_file_open(struct stack_file *file, struct arena *arena, struct slice stack_name,
		     struct diagnostics *diagnostics)
{
	bool may_read = file->options.access == STATE_WRITE_OR_READ;

	file->real_path = file->name;
	if (may_read)
		file->options.access = file->local && place_is_read_only(file->name, arena) ? STATE_READ : STATE_WRITE;
	if (file->options.access == STATE_WRITE)
		return open_to_write(file, arena, stack_name, may_read, diagnostics);
	if (file->options.access == STATE_READ_OR_BLANK) {
		if (!state_is_there(file->world, file->name))
			return open_blank(file, stack_name, diagnostics);
		file->options.access = STATE_READ;
	}
	return (!file->local || look_to_read(file, arena, diagnostics)) && open_some_way(file, diagnostics);
}
