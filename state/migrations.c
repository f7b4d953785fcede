#define _GNU_SOURCE 1 /* strverscmp() */

#include "state/migrations.h"

#include <stdio.h>
#include <string.h>

/* "trup"; no number of SQLite's own list (magic.txt in its sources). */
#define APPLICATION_ID "1953658224"
enum { APPLICATION_NUMBER = 1953658224 };

/* What later formats have more than the first. */
#define SEALING_KEY "sealing_key TEXT NOT NULL DEFAULT ''"
#define SEALED "sealed TEXT NOT NULL DEFAULT ''"
#define SENT "sent_ms INTEGER NOT NULL DEFAULT 0"

/* What a run found of each object that it was the first time to change; without a role: nothing. */
#define FORMERS                                                                                                        \
	"CREATE TABLE formers (number INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (number),"             \
	" object_id BLOB NOT NULL, address TEXT NOT NULL, role INTEGER, kind TEXT, kind_version INTEGER,"              \
	" generation INTEGER, provider_id TEXT, identity TEXT, provider TEXT, protect INTEGER, symbolic BLOB,"         \
	" inputs BLOB, outputs BLOB, created_ms INTEGER, body TEXT, UNIQUE (object_id, run)) STRICT;"                  \
	"CREATE INDEX formers_by_run ON formers (run);"

/*
 * What may be there without being recorded, by the id of the object that was not found any more, or of the call that
 * was given up and may have made it; without a place: it may lie in any. The few are asked for by each run.
 */
#define WATCHED                                                                                                        \
	"CREATE TABLE watched (id BLOB PRIMARY KEY, kind TEXT NOT NULL, identity TEXT NOT NULL,"                       \
	" address TEXT NOT NULL, provider_id TEXT NOT NULL, since_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;"

/* How long the last steps of each sort took: a few rows a kind, which are read together. */
#define STEP_TIMES                                                                                                     \
	"CREATE TABLE step_times (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, operation TEXT NOT NULL,"            \
	" phase TEXT NOT NULL, took_ms INTEGER NOT NULL) STRICT;"

/* Step n makes format n + 2 of format n + 1. A step that was released is never changed. */
static const char *const steps[] = {
	/* Which key secrets are sealed under, empty where none was ever needed, and what rests so. */
	"ALTER TABLE stack ADD COLUMN " SEALING_KEY "; ALTER TABLE intents ADD COLUMN " SEALED ";",
	FORMERS,
	/* Of the calls that were given up. */
	"CREATE INDEX history_given_up ON history (kind) WHERE outcome = 'absent';",
	STEP_TIMES,
	/* When a call was sent once more, the last time. */
	"ALTER TABLE intents ADD COLUMN " SENT ";",
	/* Where a call that was given up went is known no more, nor whether it was to make anything. */
	WATCHED
	" INSERT INTO watched SELECT intent, kind, '', address, '', ended_ms FROM history WHERE outcome = 'absent';"
	" INSERT INTO watched SELECT formers.object_id, kind, identity, address, provider_id, started_ms FROM formers"
	" JOIN runs ON runs.number = run LEFT JOIN (SELECT object_id, max(ended_ms) AS last_ms FROM history"
	" WHERE outcome = 'done' GROUP BY object_id) AS called ON called.object_id = formers.object_id"
	" WHERE provider_id <> '' AND command <> 'state rm' AND coalesce(last_ms < started_ms, true)"
	" AND formers.object_id NOT IN (SELECT object_id FROM objects)"
	" AND run = (SELECT max(run) FROM formers AS later WHERE later.object_id = formers.object_id);"
	" DROP INDEX history_given_up;",
};

enum { NEWEST_FORMAT = 1 + sizeof(steps) / sizeof(steps[0]) };

/*
 * The newest format at once, for a file that is new: to add a column SQLite reads the whole schema again, twice.
 *
 * Heads lie apart from bodies, which are large: a plan reads all of the ones and few of the
 * others. Heads are kept in the order in which they are read. The table migrations is read
 * by older programs and keeps its columns for ever.
 */
static const char newest[] =
	"PRAGMA application_id = " APPLICATION_ID ";"
	"CREATE TABLE migrations (version INTEGER PRIMARY KEY, program TEXT NOT NULL, wall_ms INTEGER NOT NULL) "
	"STRICT;"
	"CREATE TABLE stack (id INTEGER PRIMARY KEY CHECK (id = 1), lineage BLOB NOT NULL, name TEXT NOT NULL,"
	" serial INTEGER NOT NULL, fingerprint_key BLOB NOT NULL, created_ms INTEGER NOT NULL, " SEALING_KEY ") STRICT;"
	"CREATE TABLE runs (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, command TEXT NOT NULL,"
	" plan_digest TEXT NOT NULL, host TEXT NOT NULL, process INTEGER NOT NULL, started_ms INTEGER NOT NULL,"
	" ended_ms INTEGER, outcome TEXT) STRICT;"
	"CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), fencing INTEGER NOT NULL, run BLOB,"
	" command TEXT NOT NULL, host TEXT NOT NULL, machine TEXT NOT NULL, process INTEGER NOT NULL,"
	" process_start TEXT NOT NULL, since_ms INTEGER NOT NULL, beat_boot_ms INTEGER NOT NULL,"
	" beat_wall_ms INTEGER NOT NULL, beats INTEGER NOT NULL, term_ms INTEGER NOT NULL) STRICT;"
	"INSERT INTO lease VALUES (1, 0, NULL, '', '', '', 0, '', 0, 0, 0, 0, 0);"
	"CREATE TABLE objects (address TEXT NOT NULL, role INTEGER NOT NULL, object_id BLOB NOT NULL,"
	" kind TEXT NOT NULL, kind_version INTEGER NOT NULL, generation INTEGER NOT NULL, provider_id TEXT NOT NULL,"
	" identity TEXT NOT NULL, provider TEXT NOT NULL, protect INTEGER NOT NULL, symbolic BLOB NOT NULL,"
	" inputs BLOB NOT NULL, outputs BLOB NOT NULL, created_ms INTEGER NOT NULL,"
	" PRIMARY KEY (address, role, object_id)) STRICT, WITHOUT ROWID;"
	"CREATE UNIQUE INDEX objects_by_id ON objects (object_id);"
	"CREATE TABLE bodies (number INTEGER PRIMARY KEY, object_id BLOB NOT NULL UNIQUE"
	" REFERENCES objects (object_id) ON DELETE CASCADE, body TEXT NOT NULL) STRICT;"
	"CREATE TABLE intents (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,"
	" run INTEGER NOT NULL REFERENCES runs (number), object_id BLOB NOT NULL, address TEXT NOT NULL,"
	" kind TEXT NOT NULL, operation TEXT NOT NULL, recipe TEXT NOT NULL, parameters TEXT NOT NULL,"
	" identity TEXT NOT NULL, token TEXT NOT NULL, wall_ms INTEGER NOT NULL, creates INTEGER NOT NULL, " SEALED
	", " SENT ") STRICT;"
	"CREATE TABLE history (number INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (number),"
	" intent BLOB NOT NULL, object_id BLOB NOT NULL, address TEXT NOT NULL, kind TEXT NOT NULL,"
	" operation TEXT NOT NULL, outcome TEXT NOT NULL, note TEXT NOT NULL, sent_ms INTEGER NOT NULL,"
	" ended_ms INTEGER NOT NULL) STRICT;" FORMERS STEP_TIMES WATCHED;

/* The program that brought the file to its format, or an empty slice; of a newer file
 * nothing else may be relied on. */
static struct slice program_of(struct database *database, struct arena *arena)
{
	sqlite3_stmt *statement = NULL;
	struct slice program = {NULL, 0};

	if (sqlite3_prepare_v2(database->handle, "SELECT program FROM migrations ORDER BY version DESC LIMIT 1", -1,
			       &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		program = arena_copy(arena, slice_of((const char *)sqlite3_column_text(statement, 0)));
	sqlite3_finalize(statement);
	return program;
}

/* A file that claims to be newer may claim anything. */
static bool is_printable(struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] < ' ' || text.data[i] > '~')
			return false;
	}
	return text.size > 0 && text.size < 100;
}

static bool refuse_newer(struct database *database, struct slice ours, int64_t format, struct diagnostics *diagnostics)
{
	struct slice program = program_of(database, diagnostics->arena);
	bool is_newer =
		strverscmp(arena_string(diagnostics->arena, program), arena_string(diagnostics->arena, ours)) > 0;

	diag_error(diagnostics, FAULT_USER, NOWHERE,
		   "the state file '%s' is of format %lld, and this program knows formats up to %d", database->name,
		   (long long)format, (int)NEWEST_FORMAT);
	/* The format may change without the version, as long as that is not released. */
	if (is_printable(program) && is_newer)
		diag_hint(diagnostics, "use %.*s or newer", SLICE_ARGUMENTS(program));
	else if (is_printable(program))
		diag_hint(diagnostics, "use a newer build: %.*s wrote it, and this is an earlier build of %.*s",
			  SLICE_ARGUMENTS(program), SLICE_ARGUMENTS(ours));
	else
		diag_hint(diagnostics, "use the newer program that wrote it");
	return false;
}

static bool refuse_foreign(struct database *database, int64_t application, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, NOWHERE,
		   "the file '%s' is an SQLite database of another program (application_id %lld), no state file",
		   database->name, (long long)application);
	diag_hint(diagnostics, "move that file away, or use the folder of another stack (-C DIR)");
	return false;
}

bool migrations_refuse_older(struct database *database, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, NOWHERE,
		   "the state file '%s' is of an older format that this program can read only after it was brought up",
		   database->name);
	diag_hint(diagnostics, "run 'trueup plan' once where the file can be written");
	return false;
}

/* The one number that a statement gives. */
static bool look(struct database *database, enum statement statement, int64_t *ret, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, statement);
	bool row;

	if (!query_next(&query, &row, diagnostics))
		return false;
	*ret = row ? query_column_integer(&query, 0) : 0;
	return true;
}

bool migrations_check(struct database *database, struct slice program, enum file_kind *ret,
		      struct diagnostics *diagnostics)
{
	int64_t application = 0, format = 0, tables = 0;

	if (!look(database, STATEMENT_APPLICATION_ID, &application, diagnostics) ||
	    !look(database, STATEMENT_USER_VERSION, &format, diagnostics))
		return false;
	if (application == 0 && format == 0 && !look(database, STATEMENT_TABLE_COUNT, &tables, diagnostics))
		return false;
	if (application == 0 && format == 0 && tables == 0) {
		*ret = FILE_BLANK;
		return true;
	}
	if (application != APPLICATION_NUMBER)
		return refuse_foreign(database, application, diagnostics);
	if (format > NEWEST_FORMAT)
		return refuse_newer(database, program, format, diagnostics);
	if (format < 1)
		return database_damaged(database, diagnostics, "its format is %lld", (long long)format);
	*ret = format < NEWEST_FORMAT ? FILE_OLDER : FILE_OURS;
	return true;
}

/* What is noted in the file with each step. */
struct bringing {
	struct slice program;
	int64_t wall_ms;
};

static bool step_to(struct database *database, int64_t format, const char *script, const struct bringing *bringing,
		    struct diagnostics *diagnostics)
{
	char advance[64];

	snprintf(advance, sizeof(advance), "PRAGMA user_version = %lld", (long long)format);
	if (!database_script(database, script, diagnostics) || !database_script(database, advance, diagnostics))
		return false;
	QUERY_AUTO query = query_start(database, STATEMENT_MIGRATION_INSERT);
	query_integer(&query, format);
	query_text(&query, bringing->program);
	query_integer(&query, bringing->wall_ms);
	return query_run(&query, diagnostics);
}

bool migrations_run(struct database *database, struct slice program, int64_t wall_ms, struct diagnostics *diagnostics)
{
	const struct bringing bringing = {program, wall_ms};
	int64_t format = 0;

	/* Within the transaction: another program may have been faster. */
	if (!look(database, STATEMENT_USER_VERSION, &format, diagnostics))
		return false;
	if (format == 0)
		return step_to(database, NEWEST_FORMAT, newest, &bringing, diagnostics);
	for (; format < NEWEST_FORMAT; format++)
		if (!step_to(database, format + 1, steps[format - 1], &bringing, diagnostics))
			return false;
	return true;
}
