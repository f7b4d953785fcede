#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "state/database.h"

enum {
	/* Steps of SQLite's machine that finding the damage may take: some seconds. */
	CHECK_STEPS = 100 * 1000 * 1000,
};

static const char keep_it[] =
	"keep the file and put back its newest backup ('trueup help state backup' tells how); where "
	"there is none, move it away, with its -wal and -shm, and 'trueup state rebuild' makes the "
	"state anew";

/* What a result code means to the user. The first row that fits is taken. */
struct explanation {
	int code;
	int system_error; /* 0: any */
	enum fault fault;
	const char *words;
	const char *hint;
};

static const struct explanation explanations[] = {
	{SQLITE_NOTADB, 0, FAULT_USER, "it is no state file, or its beginning is damaged",
	 "check that the path is the one you mean; a damaged file is put back from its newest backup, or, where "
	 "there is none, moved away and made anew ('trueup state rebuild')"},
	{SQLITE_CORRUPT, 0, FAULT_USER, "it is damaged", keep_it},
	{SQLITE_BUSY, 0, FAULT_CONFLICT, "another program has locked it",
	 "end the program that has it open (fuser shows which) and run the command again"},
	{SQLITE_LOCKED, 0, FAULT_CONFLICT, "another program has locked it",
	 "end the program that has it open (fuser shows which) and run the command again"},
	{SQLITE_READONLY, 0, FAULT_USER, "it or its folder can only be read",
	 "look at owner and mode of both (ls -ld), or use another folder (-C DIR)"},
	{SQLITE_FULL, 0, FAULT_USER, "the disk is full", "free some space on that file system"},
	{SQLITE_IOERR, ENOSPC, FAULT_USER, "the disk is full", "free some space on that file system"},
	{SQLITE_IOERR, EDQUOT, FAULT_USER, "the disk quota is used up", "free some space"},
	{SQLITE_IOERR, EFBIG, FAULT_USER, "it would be larger than the limit for files", "raise the limit (ulimit -f)"},
	{SQLITE_IOERR, EROFS, FAULT_USER, "the file system is read-only",
	 "mount it so that it can be written, or use another folder (-C DIR)"},
	{SQLITE_IOERR, EACCES, FAULT_USER, "permission denied", "look at owner and mode of it and its folder (ls -ld)"},
	{SQLITE_IOERR, 0, FAULT_USER, "the disk does not work", "look at the system's log (dmesg)"},
	{SQLITE_CANTOPEN, EACCES, FAULT_USER, "permission denied, or its folder can only be read",
	 "look at owner and mode of it and its folder (ls -ld)"},
	{SQLITE_CANTOPEN, EPERM, FAULT_USER, "the system does not permit it",
	 "look at owner and attributes of it and its folder (ls -ld, lsattr)"},
	{SQLITE_CANTOPEN, EROFS, FAULT_USER, "the file system is read-only",
	 "mount it so that it can be written, or use another folder (-C DIR)"},
	{SQLITE_CANTOPEN, EMFILE, FAULT_USER, "too many files are open", "raise the limit (ulimit -n)"},
	{SQLITE_CANTOPEN, ENOSPC, FAULT_USER, "the disk is full", "free some space on that file system"},
	{SQLITE_CANTOPEN, 0, FAULT_USER, "it cannot be opened", "look at it and its folder (ls -ld)"},
	{SQLITE_PERM, 0, FAULT_USER, "permission denied", "look at owner and mode of it and its folder (ls -ld)"},
	{SQLITE_NOLFS, 0, FAULT_USER, "it is too large for this file system", "move it to another file system"},
	{SQLITE_PROTOCOL, 0, FAULT_CONFLICT,
	 "a run that died has left it unfinished, or one stands still as it opens it",
	 "run the command again as somebody who may write the file: that finishes it; one that is stopped (ps shows it "
	 "as T) has to go on, or to be ended, first"},
	{SQLITE_NOMEM, 0, FAULT_INTERNAL, "memory ran out", "free some memory and run the command again"},
};

static const struct explanation unexpected = {0, 0, FAULT_INTERNAL, "SQLite refuses",
					      "this is a bug: please report it with its cause"};

/* Each statement fits the tables that a state of this format has. */
static bool lacks_a_table(int code, struct slice said)
{
	return (code & 0xff) == SQLITE_ERROR &&
	       (slice_starts_with(said, SLICE("no such table")) || slice_starts_with(said, SLICE("no such column")));
}

static const struct explanation *explanation_of(int code, int system_error)
{
	for (size_t i = 0; i < sizeof(explanations) / sizeof(explanations[0]); i++) {
		const struct explanation *row = &explanations[i];

		if (row->code == (code & 0xff) && (row->system_error == 0 || row->system_error == system_error))
			return row;
	}
	return &unexpected;
}

static int stop(void *context)
{
	(void)context;
	return 1;
}

struct slice database_damage(struct slice *rest)
{
	struct slice line = {NULL, 0};

	while (rest->size > 0 && line.size == 0) {
		line = slice_trim(slice_cut(rest, '\n'));
		if (slice_starts_with(line, SLICE("***")))
			line.size = 0;
	}
	return line;
}

/* What the first thing wrong in the file is, or an empty slice. Reads the whole file, within limits. */
static struct slice find_damage(struct database *database, struct arena *arena)
{
	sqlite3_stmt *statement = NULL;
	struct slice found = {NULL, 0}, rows;

	sqlite3_progress_handler(database->handle, CHECK_STEPS, stop, NULL);
	if (sqlite3_prepare_v2(database->handle, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW) {
		rows = slice_of((const char *)sqlite3_column_text(statement, 0));
		found = arena_copy(arena, database_damage(&rows));
	}
	sqlite3_finalize(statement);
	sqlite3_progress_handler(database->handle, 0, NULL, NULL);
	return slice_is(found, "ok") ? (struct slice){NULL, 0} : found;
}

/* The error number behind a failed read or write: SQLite often loses it on the way up, but the
 * files remember (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html). */
static int system_error_of(sqlite3 *handle)
{
	sqlite3_file *files[2] = {NULL, NULL};
	int error = sqlite3_system_errno(handle);

	sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &files[0]);
	sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &files[1]);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && error == 0; i++) {
		if (files[i] && files[i]->pMethods)
			files[i]->pMethods->xFileControl(files[i], SQLITE_FCNTL_LAST_ERRNO, &error);
	}
	return error;
}

bool database_fail(struct database *database, const char *doing, int code, struct diagnostics *diagnostics)
{
	bool may_have_number = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
	int system_error = database->handle && may_have_number ? system_error_of(database->handle) : 0;
	struct slice said = slice_of(database->handle ? sqlite3_errmsg(database->handle) : sqlite3_errstr(code));
	const struct explanation *row = explanation_of(lacks_a_table(code, said) ? SQLITE_CORRUPT : code, system_error);
	struct slice cause = arena_format(diagnostics->arena, "%.*s (SQLite code %d%s%s)", SLICE_ARGUMENTS(said), code,
					  system_error ? ", " : "", system_error ? strerror(system_error) : "");

	database->failure = code;
	database->lacks_room = (code & 0xff) == SQLITE_FULL || system_error == ENOSPC || system_error == EDQUOT;
	diag_error(diagnostics, row->fault, NOWHERE, "cannot %s the state file '%s': %s", doing, database->name,
		   row->words);
	diag_hint(diagnostics, "%s", row->hint);
	if ((code & 0xff) == SQLITE_CORRUPT && database->handle) {
		struct slice damage = find_damage(database, diagnostics->arena);

		if (damage.size > 0)
			cause = damage;
	}
	diag_cause(diagnostics, cause);
	return false;
}

bool database_damaged(struct database *database, struct diagnostics *diagnostics, const char *format, ...)
{
	va_list arguments;
	struct slice cause;

	va_start(arguments, format);
	cause = arena_vformat(diagnostics->arena, format, arguments);
	va_end(arguments);
	diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot read the state file '%s': it is damaged", database->name);
	diag_hint(diagnostics, "%s", keep_it);
	diag_cause(diagnostics, cause);
	return false;
}
