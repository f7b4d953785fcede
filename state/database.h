#ifndef TRUEUP_STATE_DATABASE_H
#define TRUEUP_STATE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/id.h"
#include "base/slice.h"
#include "state/statements.h"

/*
 * One connection to a file that may be hostile, with its prepared statements. Every SQLite
 * error becomes a diagnostic that says what to do.
 */

enum { DATABASE_TEXT_BYTES = 64 * 1024 * 1024 }; /* the longest text or blob taken in or out */

/* The year 9999: differences of times up to it cannot overflow. */
#define DATABASE_LATEST_MS INT64_C(253402300799999)

enum database_mode {
	DATABASE_CREATE, /* read and write; made where missing */
	DATABASE_WRITE,
	DATABASE_READ,		 /* may make -wal and -shm */
	DATABASE_READ_SHARED,	 /* with the -shm file that is there, which is only read */
	DATABASE_READ_IMMUTABLE, /* without locks and without the -wal file: sound only while nobody writes */
	DATABASE_MEMORY,	 /* new and empty, and gone when it is closed; no file is touched */
};

struct database {
	sqlite3 *handle;
	const char *name; /* as the user knows the file; borrowed */
	int failure;	  /* SQLite's code of the last failure told, or 0 */
	bool lacks_room;  /* of that: the disk is full, or the quota used up */
	sqlite3_stmt *statements[STATEMENT_COUNT];
};

/*
 * Opens path and reads its first page. Gives SQLite's code, for a caller that would rather
 * try another mode than fail; *ret is then still to be closed, and explains the code.
 * vfs: NULL for SQLite's default. name and path are borrowed; name must outlive *ret.
 */
__attribute__((warn_unused_result)) int database_open(struct database *ret, const char *name, const char *path,
						      const char *vfs, enum database_mode mode,
						      int64_t busy_timeout_ms);
/* Also a database that is all zero, or failed to open. */
void database_close(struct database *database);

/* Adds the diagnostic for the error that SQLite reported last. doing: "read", "write". Returns false. */
bool database_fail(struct database *database, const char *doing, int code, struct diagnostics *diagnostics);
/* The same for contents that SQLite took, and that no state file has. */
__attribute__((format(printf, 3, 4))) bool database_damaged(struct database *database, struct diagnostics *diagnostics,
							    const char *format, ...);
/* Takes the next line off a row of an integrity check, without the heading ("*** in database main ***") of each; empty
 * at the end. It lies in the row. */
struct slice database_damage(struct slice *rest);

/* Runs statements that give no rows. */
__attribute__((warn_unused_result)) bool database_script(struct database *database, const char *sql,
							 struct diagnostics *diagnostics);
/* The integer that a pragma gives. */
__attribute__((warn_unused_result)) bool database_pragma(struct database *database, const char *sql, int64_t *ret,
							 struct diagnostics *diagnostics);

/* Does body between BEGIN IMMEDIATE and COMMIT; rolled back where either fails. */
typedef bool database_body(void *context, struct diagnostics *diagnostics);
__attribute__((warn_unused_result)) bool database_transact(struct database *database, database_body *body,
							   void *context, struct diagnostics *diagnostics);
/* Does body within one snapshot of the file. */
__attribute__((warn_unused_result)) bool database_snapshot(struct database *database, database_body *body,
							   void *context, struct diagnostics *diagnostics);

/*
 * One use of a prepared statement: parameters in order, then run or rows. The first error
 * sticks, and query_run() or query_next() reports it. What is bound must live until
 * query_end().
 */
struct query {
	struct database *database;
	sqlite3_stmt *statement;
	int next; /* parameter, from 1 */
	int code;
};

struct query query_start(struct database *database, enum statement statement);
void query_end(struct query *query);
#define QUERY_AUTO __attribute__((cleanup(query_end))) struct query

void query_text(struct query *query, struct slice text);
void query_integer(struct query *query, int64_t integer);
void query_blob(struct query *query, const void *bytes, size_t size);
/* For a function of SQL, which asks for it by the same type: text that lives as long as the program. */
void query_pointer(struct query *query, void *pointer, const char *type);

/* An id of 32 hex digits, stored as 16 bytes; anything else is an error. ret: 16 bytes. */
__attribute__((warn_unused_result)) bool id_read(struct slice hex, uint8_t *ret);
/* ret: 32 characters, no NUL. */
void id_write(const uint8_t *bytes, char *ret);
void query_id(struct query *query, struct slice hex);

/* For a statement that gives no row. */
__attribute__((warn_unused_result)) bool query_run(struct query *query, struct diagnostics *diagnostics);
/* False after an error; *ret_row: there is a row, whose columns are good until the next call. */
__attribute__((warn_unused_result)) bool query_next(struct query *query, bool *ret_row,
						    struct diagnostics *diagnostics);
/* Rows that the statement run last changed. */
int query_changes(const struct query *query);

/* What a column holds, or what a function of SQL is called with; empty for NULL, good until the next row or call. */
struct slice cell_text(sqlite3_value *cell);
struct slice cell_blob(sqlite3_value *cell);
/* 32 hex digits in arena; a diagnostic where the blob is not of 16 bytes. */
__attribute__((warn_unused_result)) bool cell_id(struct database *database, sqlite3_value *cell, struct arena *arena,
						 struct slice *ret, struct diagnostics *diagnostics);

/* Columns, from 0; empty for NULL. */
sqlite3_value *query_cell(const struct query *query, int column);
struct slice query_column_text(const struct query *query, int column);
struct slice query_column_blob(const struct query *query, int column);
int64_t query_column_integer(const struct query *query, int column);
/* The text copied into arena. */
struct slice query_column_copy(const struct query *query, int column, struct arena *arena);
/* As cell_id(). */
__attribute__((warn_unused_result)) bool query_column_id(const struct query *query, int column, struct arena *arena,
							 struct slice *ret, struct diagnostics *diagnostics);

#endif
