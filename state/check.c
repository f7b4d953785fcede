#include "state/check.h"

/* More than anybody reads; each of the three parts is cut there. */
enum { FINDINGS_MOST = 1000 };

struct findings {
	struct database *database;
	struct arena *arena;
	struct slice *items;
	size_t count;
	size_t capacity;
};

static void add(struct findings *findings, struct slice text)
{
	if (findings->count < findings->capacity)
		findings->items[findings->count++] = text;
}

/* Each row of a pragma as text, made by write(). */
static bool pragma_rows(struct findings *findings, const char *sql,
			void (*write)(struct findings *findings, sqlite3_stmt *statement),
			struct diagnostics *diagnostics)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(findings->database->handle, sql, -1, &statement, NULL);

	if (code == SQLITE_OK)
		while ((code = sqlite3_step(statement)) == SQLITE_ROW)
			write(findings, statement);
	sqlite3_finalize(statement);
	/* The schema itself is not as it should be: an index that a reference needs is missing. */
	if (code == SQLITE_ERROR)
		add(findings, arena_format(findings->arena, "the file is damaged: %s",
					   sqlite3_errmsg(findings->database->handle)));
	return code == SQLITE_DONE || code == SQLITE_ERROR ||
	       database_fail(findings->database, "read", code, diagnostics);
}

static struct slice column(sqlite3_stmt *statement, int place)
{
	return slice_of((const char *)sqlite3_column_text(statement, place));
}

static void write_integrity(struct findings *findings, sqlite3_stmt *statement)
{
	struct slice text = column(statement, 0);

	if (slice_is(text, "ok"))
		return;
	for (struct slice line = database_damage(&text); line.size > 0; line = database_damage(&text))
		add(findings, arena_format(findings->arena, "the file is damaged: %.*s", SLICE_ARGUMENTS(line)));
}

static void write_reference(struct findings *findings, sqlite3_stmt *statement)
{
	struct slice table = column(statement, 0), parent = column(statement, 2);

	add(findings, arena_format(findings->arena, "a row of the table %.*s refers to a row of %.*s that is missing",
				   SLICE_ARGUMENTS(table), SLICE_ARGUMENTS(parent)));
}

static bool rules(struct findings *findings, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(findings->database, STATEMENT_FINDINGS);
	bool row;

	while (query_next(&query, &row, diagnostics)) {
		if (!row)
			return true;
		add(findings, query_column_copy(&query, 0, findings->arena));
	}
	return false;
}

/* That no statement could be carried out says nothing of pages: a column whose name is another one is sound there. */
static bool statements_fit(struct findings *findings, struct diagnostics *diagnostics)
{
	sqlite3 *handle = findings->database->handle;
	int code = SQLITE_OK;

	for (int i = 0; i < STATEMENT_COUNT && code == SQLITE_OK; i++) {
		sqlite3_stmt *statement = NULL;

		code = sqlite3_prepare_v2(handle, statement_text((enum statement)i), -1, &statement, NULL);
		sqlite3_finalize(statement);
		if (code == SQLITE_ERROR) {
			add(findings, arena_format(findings->arena, "the file is damaged: %s", sqlite3_errmsg(handle)));
			return true;
		}
	}
	return code == SQLITE_OK || database_fail(findings->database, "read", code, diagnostics);
}

bool check_file(struct database *database, struct arena *arena, struct slice **ret, size_t *ret_count,
		struct diagnostics *diagnostics)
{
	struct findings findings = {
		.database = database,
		.arena = arena,
		.items = arena_new_array(arena, 3 * FINDINGS_MOST, struct slice),
		.capacity = 3 * FINDINGS_MOST,
	};

	if (!pragma_rows(&findings, "PRAGMA integrity_check(1000)", write_integrity, diagnostics))
		return false;
	/* What the rest would say of pages that are damaged says nothing new, and may not even end. */
	if (findings.count == 0 && (!rules(&findings, diagnostics) ||
				    !pragma_rows(&findings, "PRAGMA foreign_key_check", write_reference, diagnostics)))
		return false;
	if (findings.count == 0 && !statements_fit(&findings, diagnostics))
		return false;
	*ret = findings.items;
	*ret_count = findings.count;
	return true;
}
