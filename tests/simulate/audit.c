#include "tests/simulate/audit.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

const char audit_path[] = "/stack/.trueup/state.db";

static void no_random(struct disk_access *access, void *bytes, size_t size)
{
	(void)access;
	memset(bytes, 0, size);
}

static int64_t no_time(struct disk_access *access)
{
	(void)access;
	return 0;
}

static void no_sleep(struct disk_access *access, int64_t ms)
{
	(void)access;
	(void)ms;
}

static enum disk_outcome refuse(struct disk_access *access, enum disk_step step, const char *path)
{
	(void)access;
	(void)step;
	(void)path;
	return DISK_ERROR;
}

void audit_open(struct audit *audit, struct disk *disk)
{
	*audit = (struct audit){
		.access = {.disk = disk,
			   .name = "simulate-audit",
			   .ask = refuse,
			   .random = no_random,
			   .wall_ms = no_time,
			   .sleep = no_sleep,
			   .observer = true},
	};
	disk_vfs_register(&audit->access);
}

static void let_go(struct audit *audit)
{
	for (size_t i = 0; i < AUDIT_QUESTIONS; i++) {
		sqlite3_finalize(audit->asked[i]);
		audit->asked[i] = NULL;
	}
	sqlite3_close(audit->database);
	audit->database = NULL;
}

void audit_leave(struct audit *audit)
{
	if (audit->is_lasting)
		let_go(audit);
}

void audit_close(struct audit *audit)
{
	let_go(audit);
	disk_vfs_unregister(&audit->access);
}

static const struct disk_file *find(const struct audit *audit, const char *end)
{
	char path[sizeof(audit_path) + 4];

	(void)snprintf(path, sizeof(path), "%s%s", audit_path, end);
	return disk_find(audit->access.disk, slice_of(path));
}

/* Without a log SQLite takes what it has read for all that will ever be: that holds until somebody writes. */
static bool is_current(const struct audit *audit, const struct disk_file *file, const struct disk_file *log)
{
	return audit->database && audit->file == file && audit->log == log &&
	       (audit->is_lasting || audit->writes == file->writes);
}

static bool reach(struct audit *audit)
{
	char uri[sizeof(audit_path) + 32];
	const struct disk_file *file = find(audit, ""), *log = find(audit, "-wal");

	if (file && is_current(audit, file, log))
		return true;
	let_go(audit);
	if (!file)
		return false;
	/* Without a log SQLite would make one. */
	(void)snprintf(uri, sizeof(uri), "file://%s%s", audit_path, log ? "" : "?immutable=1");
	audit->is_lasting = log != NULL;
	audit->file = file;
	audit->log = log;
	audit->writes = file->writes;
	if (sqlite3_open_v2(uri, &audit->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
			    audit->access.name) == SQLITE_OK) {
		/* What is looked at must not be changed by the look. */
		sqlite3_db_config(audit->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		return true;
	}
	let_go(audit);
	return false;
}

static bool is_durable(const struct audit *audit)
{
	const struct disk_file *log = find(audit, "-wal");

	return !log || disk_is_synced(log);
}

/* To prepare a question takes longer than to answer it, so each is prepared once. */
static const char *const questions[AUDIT_QUESTIONS] = {
	[AUDIT_INTENTS] =
		"SELECT count(*), count(*) FILTER (WHERE id = ?2), count(*) FILTER (WHERE id = ?2 AND token = ?3),"
		" count(*) FILTER (WHERE id = ?2 AND parameters <> '{}'),"
		" max(max(wall_ms, sent_ms)) FILTER (WHERE id = ?2),"
		" lower(hex(max(object_id) FILTER (WHERE id = ?2 AND creates))) FROM intents WHERE operation = ?1",
	[AUDIT_IS_SETTLED] = "SELECT 1 FROM history WHERE intent = ?1 AND outcome = ?2 AND ended_ms <= ?3",
	[AUDIT_IS_LET_GO] = "SELECT 1 FROM watched JOIN formers ON object_id = watched.id JOIN runs"
			    " ON runs.number = run WHERE watched.provider_id = ?1 AND command = 'state rebuild'",
	/* The name of the other run stands at the end of the note, in brackets. */
	[AUDIT_SETTLED] = "SELECT lower(hex(intent)), operation, note, ended_ms FROM history"
			  " WHERE outcome = ?1 AND note LIKE '%)' ORDER BY number",
	[AUDIT_RECOVERING] = "SELECT 1 FROM lease WHERE run IS NOT NULL AND process = ?1 AND command = 'recover'",
	[AUDIT_LEASE] = "SELECT lease.fencing, iif(lease.run IS NULL, -1, lease.process), stack.serial,"
			" stack.sealing_key <> '', (SELECT count(*) FROM intents) FROM lease, stack",
	[AUDIT_LAST_RUN] = "SELECT lower(hex(id)) FROM runs ORDER BY number DESC LIMIT 1",
	[AUDIT_STACK] = "SELECT lower(hex(lineage)), (SELECT count(*) FROM objects), (SELECT count(*) FROM intents)"
			" FROM stack",
	[AUDIT_OBJECTS] = "SELECT address, kind, lower(hex(object_id)), provider_id, role, object_id IN"
			  " (SELECT object_id FROM intents) FROM objects ORDER BY address, role, object_id",
};

/* NULL where the question cannot be put to the file. To be reset by the caller. */
static sqlite3_stmt *ask(struct audit *audit, enum audit_question question)
{
	if (!reach(audit))
		return NULL;
	if (!audit->asked[question] &&
	    sqlite3_prepare_v3(audit->database, questions[question], -1, SQLITE_PREPARE_PERSISTENT,
			       &audit->asked[question], NULL) != SQLITE_OK)
		let_go(audit);
	return audit->asked[question];
}

static bool read_hex(struct slice hex, unsigned char *ret, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char digits[3] = "";
		char *end = digits;

		if (hex.size != size * 2)
			return false;
		memcpy(digits, hex.data + i * 2, 2);
		ret[i] = (unsigned char)strtoul(digits, &end, 16);
		if (end != digits + 2)
			return false;
	}
	return true;
}

bool audit_intents(struct audit *audit, const char *operation, struct slice id, struct slice token,
		   struct audit_intents *ret)
{
	unsigned char bytes[16] = {0};
	sqlite3_stmt *statement = is_durable(audit) ? ask(audit, AUDIT_INTENTS) : NULL;
	bool good;

	if (!statement)
		return false;
	sqlite3_bind_text(statement, 1, operation, -1, SQLITE_STATIC);
	sqlite3_bind_blob(statement, 2, bytes, read_hex(id, bytes, sizeof(bytes)) ? sizeof(bytes) : 0, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, token.data, (int)token.size, SQLITE_STATIC);
	good = sqlite3_step(statement) == SQLITE_ROW;
	if (good) {
		*ret = (struct audit_intents){
			.count = sqlite3_column_int(statement, 0),
			.has_id = sqlite3_column_int(statement, 1) == 1,
			.has_token = sqlite3_column_int(statement, 2) == 1,
			.has_parameters = sqlite3_column_int(statement, 3) == 1,
			.sent_ms = sqlite3_column_int64(statement, 4),
		};
		(void)snprintf(ret->makes, sizeof(ret->makes), "%s", (const char *)sqlite3_column_text(statement, 5));
	}
	sqlite3_reset(statement);
	return good;
}

bool audit_is_settled(struct audit *audit, struct slice intent, const char *outcome, int64_t until_ms)
{
	unsigned char bytes[16] = {0};
	sqlite3_stmt *statement = read_hex(intent, bytes, sizeof(bytes)) ? ask(audit, AUDIT_IS_SETTLED) : NULL;
	bool has;

	if (!statement)
		return false;
	sqlite3_bind_blob(statement, 1, bytes, sizeof(bytes), SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, outcome, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 3, until_ms);
	has = sqlite3_step(statement) == SQLITE_ROW;
	sqlite3_reset(statement);
	return has;
}

bool audit_is_let_go(struct audit *audit, struct slice provider_id)
{
	sqlite3_stmt *statement = ask(audit, AUDIT_IS_LET_GO);
	bool has;

	if (!statement)
		return false;
	sqlite3_bind_text(statement, 1, provider_id.data, (int)provider_id.size, SQLITE_STATIC);
	has = sqlite3_step(statement) == SQLITE_ROW;
	sqlite3_reset(statement);
	return has;
}

bool audit_find_settled(struct audit *audit, const char *outcome,
			bool (*is_so)(const void *context, const struct audit_settled *settled), const void *context,
			char ret[AUDIT_OPERATION_BYTES])
{
	sqlite3_stmt *statement = ask(audit, AUDIT_SETTLED);
	bool found = false;

	if (!statement)
		return false;
	sqlite3_bind_text(statement, 1, outcome, -1, SQLITE_STATIC);
	while (!found && sqlite3_step(statement) == SQLITE_ROW) {
		const struct audit_settled settled = {
			.intent = slice_of((const char *)sqlite3_column_text(statement, 0)),
			.note = slice_of((const char *)sqlite3_column_text(statement, 2)),
			.ended_ms = sqlite3_column_int64(statement, 3),
		};

		found = is_so(context, &settled);
		(void)snprintf(ret, AUDIT_OPERATION_BYTES, "%s", (const char *)sqlite3_column_text(statement, 1));
	}
	sqlite3_reset(statement);
	return found;
}

static struct slice column_text(sqlite3_stmt *statement, int column, struct arena *arena)
{
	const void *bytes = sqlite3_column_blob(statement, column);

	return arena_copy(arena, (struct slice){bytes, (size_t)sqlite3_column_bytes(statement, column)});
}

static void read_objects(struct audit *audit, size_t capacity, struct arena *arena, struct audit_record *record)
{
	sqlite3_stmt *statement = ask(audit, AUDIT_OBJECTS);

	record->objects = arena_new_array(arena, capacity + 1, struct audit_object);
	if (!statement)
		return;
	while (record->object_count < capacity && sqlite3_step(statement) == SQLITE_ROW)
		record->objects[record->object_count++] = (struct audit_object){
			.address = column_text(statement, 0, arena),
			.kind = column_text(statement, 1, arena),
			.object_id = column_text(statement, 2, arena),
			.provider_id = column_text(statement, 3, arena),
			.role = sqlite3_column_int(statement, 4),
			.is_open = sqlite3_column_int(statement, 5) != 0,
		};
	sqlite3_reset(statement);
}

bool audit_is_recovering(struct audit *audit, int64_t process)
{
	sqlite3_stmt *statement = ask(audit, AUDIT_RECOVERING);
	bool is_so;

	if (!statement)
		return false;
	sqlite3_bind_int64(statement, 1, process);
	is_so = sqlite3_step(statement) == SQLITE_ROW;
	sqlite3_reset(statement);
	return is_so;
}

bool audit_lease(struct audit *audit, struct audit_lease *ret)
{
	sqlite3_stmt *statement = ask(audit, AUDIT_LEASE);
	bool good = statement && sqlite3_step(statement) == SQLITE_ROW;

	if (good)
		*ret = (struct audit_lease){
			.fencing = sqlite3_column_int64(statement, 0),
			.process = sqlite3_column_int64(statement, 1),
			.serial = sqlite3_column_int64(statement, 2),
			.has_key = sqlite3_column_int(statement, 3) != 0,
			.intent_count = (size_t)sqlite3_column_int64(statement, 4),
		};
	sqlite3_reset(statement);
	audit_leave(audit);
	return good;
}

void audit_last_run(struct audit *audit, char ret[AUDIT_RUN_BYTES])
{
	sqlite3_stmt *statement = ask(audit, AUDIT_LAST_RUN);

	ret[0] = '\0';
	if (statement && sqlite3_step(statement) == SQLITE_ROW)
		(void)snprintf(ret, AUDIT_RUN_BYTES, "%s", (const char *)sqlite3_column_text(statement, 0));
	sqlite3_reset(statement);
	audit_leave(audit);
}

bool audit_read(struct audit *audit, struct arena *arena, struct audit_record *ret)
{
	sqlite3_stmt *statement = ask(audit, AUDIT_STACK);
	size_t object_count = 0;

	*ret = (struct audit_record){0};
	if (statement && sqlite3_step(statement) == SQLITE_ROW) {
		ret->lineage = column_text(statement, 0, arena);
		object_count = (size_t)sqlite3_column_int64(statement, 1);
		ret->intent_count = (size_t)sqlite3_column_int64(statement, 2);
	}
	sqlite3_reset(statement);
	read_objects(audit, object_count, arena, ret);
	return ret->lineage.size > 0;
}
