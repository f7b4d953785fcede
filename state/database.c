#include "state/database.h"

#include <stdio.h>

#include "base/buffer.h"
#include "state/objects.h"

/* Parameters of a URI file name; https://sqlite.org/uri.html, and https://sqlite.org/wal.html for readonly_shm. */
struct opening {
	int flags;
	const char *parameters;
};

static const struct opening openings[] = {
	[DATABASE_CREATE] = {SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, ""},
	[DATABASE_WRITE] = {SQLITE_OPEN_READWRITE, ""},
	[DATABASE_READ] = {SQLITE_OPEN_READONLY, ""},
	[DATABASE_READ_SHARED] = {SQLITE_OPEN_READONLY, "?readonly_shm=1"},
	[DATABASE_READ_IMMUTABLE] = {SQLITE_OPEN_READONLY, "?immutable=1"},
	[DATABASE_MEMORY] = {SQLITE_OPEN_READWRITE, "?mode=memory"},
};

/* Set before the first byte of the file is read: its schema may be hostile. */
static const struct {
	int option;
	int value;
} defences[] = {
	{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_DEFENSIVE, 1},
	{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
	{SQLITE_DBCONFIG_ENABLE_FKEY, 1},    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
};

/* FULL: in WAL mode NORMAL loses commits at power loss. The journal's limit is in bytes. */
static const char settings[] = "PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL;"
			       "PRAGMA journal_size_limit = 16777216;";

/* "file:" and the path, with every byte escaped that means something in a URI. */
static void uri_write(struct buffer *buffer, const char *path, const char *parameters)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";

	/* Without an empty authority a path that begins with two slashes would be taken for one. */
	buffer_string(buffer, path[0] == '/' ? "file://" : "file:");
	for (; *path; path++) {
		if (strchr(plain, *path))
			buffer_byte(buffer, *path);
		else
			buffer_format(buffer, "%%%02X", (unsigned)(unsigned char)*path);
	}
	buffer_string(buffer, parameters);
}

static void defend(sqlite3 *handle)
{
	sqlite3_extended_result_codes(handle, 1);
	sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, DATABASE_TEXT_BYTES);
	sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
	for (size_t i = 0; i < sizeof(defences) / sizeof(defences[0]); i++)
		sqlite3_db_config(handle, defences[i].option, defences[i].value, NULL);
}

int database_open(struct database *ret, const char *name, const char *path, const char *vfs, enum database_mode mode,
		  int64_t busy_timeout_ms)
{
	int timeout_ms = busy_timeout_ms > INT32_MAX ? INT32_MAX : (int)busy_timeout_ms;
	BUFFER_AUTO uri;
	int code;

	*ret = (struct database){.name = name};
	buffer_init(&uri, 64 * 1024);
	uri_write(&uri, path, openings[mode].parameters);
	if (uri.full)
		return SQLITE_CANTOPEN;
	code = sqlite3_open_v2(uri.data, &ret->handle, openings[mode].flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
			       vfs);
	if (code != SQLITE_OK)
		return code;
	defend(ret->handle);
	sqlite3_busy_timeout(ret->handle, timeout_ms);
	code = objects_add_functions(ret->handle);
	if (code == SQLITE_OK)
		code = sqlite3_exec(ret->handle, settings, NULL, NULL, NULL);
	/* SQLite opens what it may not write for reading, and would say so at the first write. */
	if (code == SQLITE_OK && (openings[mode].flags & SQLITE_OPEN_READWRITE) &&
	    sqlite3_db_readonly(ret->handle, "main") == 1)
		code = SQLITE_READONLY;
	return code;
}

void database_close(struct database *database)
{
	for (size_t i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_finalize(database->statements[i]);
	sqlite3_close(database->handle);
	*database = (struct database){.name = database->name};
}

bool database_script(struct database *database, const char *sql, struct diagnostics *diagnostics)
{
	int code = sqlite3_exec(database->handle, sql, NULL, NULL, NULL);

	return code == SQLITE_OK || database_fail(database, "write", code, diagnostics);
}

bool database_pragma(struct database *database, const char *sql, int64_t *ret, struct diagnostics *diagnostics)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*ret = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW || database_fail(database, "read", code, diagnostics);
}

static bool run_plain(struct database *database, enum statement statement, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, statement);

	return query_run(&query, diagnostics);
}

static bool bracket(struct database *database, enum statement begin, database_body *body, void *context,
		    struct diagnostics *diagnostics)
{
	if (!run_plain(database, begin, diagnostics))
		return false;
	if (body(context, diagnostics) && run_plain(database, STATEMENT_COMMIT, diagnostics))
		return true;
	/* Some errors have rolled back already. */
	if (!sqlite3_get_autocommit(database->handle)) {
		QUERY_AUTO rollback = query_start(database, STATEMENT_ROLLBACK);

		if (rollback.code == SQLITE_OK)
			sqlite3_step(rollback.statement);
	}
	return false;
}

bool database_transact(struct database *database, database_body *body, void *context, struct diagnostics *diagnostics)
{
	return bracket(database, STATEMENT_BEGIN_WRITE, body, context, diagnostics);
}

bool database_snapshot(struct database *database, database_body *body, void *context, struct diagnostics *diagnostics)
{
	return bracket(database, STATEMENT_BEGIN_READ, body, context, diagnostics);
}
