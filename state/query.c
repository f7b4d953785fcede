#include "state/database.h"

#include "base/hex.h"

struct query query_start(struct database *database, enum statement statement)
{
	struct query query = {.database = database, .next = 1};

	if (!database->statements[statement])
		query.code = sqlite3_prepare_v3(database->handle, statement_text(statement), -1,
						SQLITE_PREPARE_PERSISTENT, &database->statements[statement], NULL);
	query.statement = database->statements[statement];
	return query;
}

void query_end(struct query *query)
{
	if (!query->statement)
		return;
	sqlite3_reset(query->statement);
	sqlite3_clear_bindings(query->statement);
}

static void note(struct query *query, int code)
{
	query->next++;
	if (query->code == SQLITE_OK)
		query->code = code;
}

void query_text(struct query *query, struct slice text)
{
	note(query, sqlite3_bind_text64(query->statement, query->next, text.size > 0 ? text.data : "", text.size,
					SQLITE_STATIC, SQLITE_UTF8));
}

void query_integer(struct query *query, int64_t integer)
{
	note(query, sqlite3_bind_int64(query->statement, query->next, integer));
}

void query_blob(struct query *query, const void *bytes, size_t size)
{
	note(query, sqlite3_bind_blob64(query->statement, query->next, size > 0 ? bytes : "", size, SQLITE_STATIC));
}

bool id_read(struct slice hex, uint8_t *ret)
{
	return hex_read(hex, ret, ID_BYTES);
}

void id_write(const uint8_t *bytes, char *ret)
{
	hex_write(bytes, ID_BYTES, ret);
}

void query_id(struct query *query, struct slice hex)
{
	uint8_t bytes[ID_BYTES];

	if (!id_read(hex, bytes)) {
		note(query, SQLITE_MISMATCH);
		return;
	}
	note(query, sqlite3_bind_blob64(query->statement, query->next, bytes, sizeof(bytes), SQLITE_TRANSIENT));
}

void query_pointer(struct query *query, void *pointer, const char *type)
{
	note(query, sqlite3_bind_pointer(query->statement, query->next, pointer, type, NULL));
}

bool query_next(struct query *query, bool *ret_row, struct diagnostics *diagnostics)
{
	/* BEGIN and COMMIT count as reading for SQLite, though they take locks and write. Of a statement that could not
	 * be prepared only the schema was looked at. */
	bool reads = !query->statement ||
		     (sqlite3_stmt_readonly(query->statement) && sqlite3_column_count(query->statement) > 0);
	int code = query->code;

	if (code == SQLITE_OK)
		code = sqlite3_step(query->statement);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return database_fail(query->database, reads ? "read" : "write", code, diagnostics);
	*ret_row = code == SQLITE_ROW;
	return true;
}

bool query_run(struct query *query, struct diagnostics *diagnostics)
{
	bool row;

	return query_next(query, &row, diagnostics);
}

int query_changes(const struct query *query)
{
	return sqlite3_changes(query->database->handle);
}

/*
 * A column is asked for once and its value for bytes and size: each sqlite3_column_ function finds the column anew. The
 * value is as good as one that is protected, because a database is opened without a mutex of its own
 * (https://www.sqlite.org/c3ref/value.html).
 */
sqlite3_value *query_cell(const struct query *query, int column)
{
	return sqlite3_column_value(query->statement, column);
}

struct slice cell_text(sqlite3_value *cell)
{
	const char *text = (const char *)sqlite3_value_text(cell);

	return (struct slice){text, text ? (size_t)sqlite3_value_bytes(cell) : 0};
}

struct slice cell_blob(sqlite3_value *cell)
{
	const char *bytes = (const char *)sqlite3_value_blob(cell);

	return (struct slice){bytes, bytes ? (size_t)sqlite3_value_bytes(cell) : 0};
}

bool cell_id(struct database *database, sqlite3_value *cell, struct arena *arena, struct slice *ret,
	     struct diagnostics *diagnostics)
{
	struct slice blob = cell_blob(cell);
	char hex[ID_HEX];

	if (blob.size != ID_BYTES)
		return database_damaged(database, diagnostics, "an id of %zu bytes instead of %d", blob.size, ID_BYTES);
	id_write((const uint8_t *)blob.data, hex);
	*ret = arena_copy(arena, (struct slice){hex, sizeof(hex)});
	return true;
}

struct slice query_column_text(const struct query *query, int column)
{
	return cell_text(query_cell(query, column));
}

struct slice query_column_blob(const struct query *query, int column)
{
	return cell_blob(query_cell(query, column));
}

int64_t query_column_integer(const struct query *query, int column)
{
	return sqlite3_column_int64(query->statement, column);
}

struct slice query_column_copy(const struct query *query, int column, struct arena *arena)
{
	return arena_copy(arena, query_column_text(query, column));
}

bool query_column_id(const struct query *query, int column, struct arena *arena, struct slice *ret,
		     struct diagnostics *diagnostics)
{
	return cell_id(query->database, query_cell(query, column), arena, ret, diagnostics);
}
