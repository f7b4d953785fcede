#include "state/statements.h"

/* Of a head, in the order of objects_read_head(). */
#define COLUMNS_OF(table)                                                                                              \
	"address, role, " table ".object_id, kind, kind_version, generation, provider_id, identity, provider,"         \
	" protect, symbolic, inputs, outputs, created_ms"
#define OBJECT_COLUMNS COLUMNS_OF("objects")
#define FORMER_COLUMNS COLUMNS_OF("formers")

/* found: object id, run and address. */
#define KEEP_FORMER(found)                                                                                             \
	"INSERT INTO formers (object_id, run, address, role, kind, kind_version, generation, provider_id,"             \
	" identity, provider, protect, symbolic, inputs, outputs, created_ms, body) SELECT " found                     \
	", objects.role, objects.kind, objects.kind_version, objects.generation, objects.provider_id,"                 \
	" objects.identity, objects.provider, objects.protect, objects.symbolic, objects.inputs, objects.outputs,"     \
	" objects.created_ms, body"
#define WITH_BODIES " LEFT JOIN bodies ON bodies.object_id = objects.object_id"

#define NUMBER_OF_RUN "(SELECT number FROM runs WHERE id = ?1)"
/* Addresses at which something was left behind since that run, or is. */
#define SOME_LEFT_BEHIND                                                                                               \
	"(SELECT address FROM formers WHERE role = 1 AND run >= " NUMBER_OF_RUN                                        \
	" UNION SELECT address FROM objects WHERE role = 1)"
/* Both by their ids. */
#define BETWEEN_RUNS "BETWEEN (SELECT number FROM runs WHERE id = ?1) AND (SELECT number FROM runs WHERE id = ?2)"

/* The order of parameters and columns is known to the function that runs the statement. */
static const char *const texts[STATEMENT_COUNT] = {
	[STATEMENT_BEGIN_WRITE] = "BEGIN IMMEDIATE",
	[STATEMENT_BEGIN_READ] = "BEGIN",
	[STATEMENT_COMMIT] = "COMMIT",
	[STATEMENT_ROLLBACK] = "ROLLBACK",

	[STATEMENT_APPLICATION_ID] = "PRAGMA application_id",
	[STATEMENT_USER_VERSION] = "PRAGMA user_version",
	[STATEMENT_TABLE_COUNT] = "SELECT count(*) FROM sqlite_schema",

	[STATEMENT_STACK_INSERT] = "INSERT INTO stack (id, lineage, name, serial, fingerprint_key, created_ms)"
				   " VALUES (1, ?, ?, 0, ?, ?)",
	[STATEMENT_STACK_READ] = "SELECT lineage, name, serial, fingerprint_key, sealing_key FROM stack WHERE id = 1",
	/* With RETURNING it would take a table of its own, made and dropped in each commit. */
	[STATEMENT_STACK_ADVANCE] = "UPDATE stack SET serial = serial + 1 WHERE id = 1",
	[STATEMENT_STACK_SERIAL] = "SELECT serial FROM stack WHERE id = 1",
	/* The key was made for the lineage that goes, and is found or opened by that alone. */
	[STATEMENT_STACK_LINEAGE] = "UPDATE stack SET sealing_key = iif(lineage = ?1, sealing_key, ''), lineage = ?1"
				    " WHERE id = 1",

	[STATEMENT_KEY_SET] = "UPDATE stack SET sealing_key = ?2 WHERE id = 1"
			      " AND (sealing_key = ?1 OR sealing_key LIKE ?1 || ' %')",

	[STATEMENT_LEASE_READ] = "SELECT fencing, run, command, host, machine, process, process_start, since_ms,"
				 " beat_boot_ms, beat_wall_ms, beats, term_ms FROM lease WHERE id = 1",
	[STATEMENT_LEASE_TAKE] = "UPDATE lease SET fencing = ?, run = ?, command = ?, host = ?, machine = ?,"
				 " process = ?, process_start = ?, since_ms = ?, beat_boot_ms = ?, beat_wall_ms = ?,"
				 " beats = 0, term_ms = ? WHERE id = 1",
	[STATEMENT_LEASE_BEAT] = "UPDATE lease SET beat_boot_ms = ?, beat_wall_ms = ?, beats = beats + 1"
				 " WHERE id = 1 AND fencing = ? AND run = ?",
	/* The number that the broken run proves with each commit is nobody's from then on. */
	[STATEMENT_LEASE_BREAK] = "UPDATE lease SET run = NULL, fencing = fencing + 1 WHERE id = 1 AND run = ?",
	[STATEMENT_LEASE_RELEASE] = "UPDATE lease SET run = NULL WHERE id = 1 AND fencing = ? AND run = ?",

	[STATEMENT_RUN_INSERT] = "INSERT INTO runs (id, command, plan_digest, host, process, started_ms)"
				 " VALUES (?, ?, ?, ?, ?, ?)",
	[STATEMENT_RUN_END] = "UPDATE runs SET ended_ms = ?, outcome = ? WHERE number = ?",
	[STATEMENT_RUN_LOST] = "UPDATE runs SET ended_ms = ?, outcome = 'lost' WHERE id = ? AND outcome IS NULL",
	[STATEMENT_RUN_COUNT] = "SELECT count(*) FROM runs",
	[STATEMENT_RUNS] = "SELECT runs.id, command, plan_digest, host, process, started_ms, ended_ms, runs.outcome,"
			   " done.calls, open.calls FROM runs"
			   " LEFT JOIN (SELECT run, count(*) AS calls FROM history GROUP BY run) AS done"
			   " ON done.run = runs.number"
			   " LEFT JOIN (SELECT run, count(*) AS calls FROM intents GROUP BY run) AS open"
			   " ON open.run = runs.number ORDER BY runs.number DESC",
	[STATEMENT_CALL_COUNT] = "SELECT (SELECT count(*) FROM history WHERE run " BETWEEN_RUNS ")"
				 " + (SELECT count(*) FROM intents WHERE run " BETWEEN_RUNS ")",
	[STATEMENT_CALLS] = "SELECT address, object_id, kind, operation, history.outcome, note, sent_ms,"
			    " history.ended_ms, runs.id, run, 0 AS is_open, history.number AS place FROM history"
			    " JOIN runs ON runs.number = history.run WHERE run " BETWEEN_RUNS
			    " UNION ALL SELECT address, object_id, kind, operation, 'unknown', '', wall_ms, 0,"
			    " runs.id, run, 1, intents.number FROM intents JOIN runs ON runs.number = intents.run"
			    " WHERE run " BETWEEN_RUNS " ORDER BY run DESC, is_open, place",

	[STATEMENT_OBJECT_COUNT] = "SELECT count(*) FROM objects",
	/* Each head goes to objects.c as it is met; one that it refuses is a row, and the last. */
	[STATEMENT_HEADS] = "SELECT 1 FROM objects WHERE NOT take_head(?1, " OBJECT_COLUMNS ")"
			    " ORDER BY address, role, objects.object_id",
	/* Where neither address nor role is set, no index has to be written. */
	[STATEMENT_OBJECT_UPDATE_HERE] = "UPDATE objects SET kind = ?4, kind_version = ?5, generation = ?6,"
					 " provider_id = ?7, identity = ?8, provider = ?9, protect = ?10,"
					 " symbolic = ?11, inputs = ?12, outputs = ?13, created_ms = ?14"
					 " WHERE object_id = ?1 AND address = ?2 AND role = ?3",
	[STATEMENT_OBJECT_PUT] = "INSERT INTO objects (object_id, address, role, kind, kind_version, generation,"
				 " provider_id, identity, provider, protect, symbolic, inputs, outputs, created_ms)"
				 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
				 " ON CONFLICT (object_id) DO UPDATE SET address = ?2, role = ?3, kind = ?4,"
				 " kind_version = ?5, generation = ?6, provider_id = ?7, identity = ?8, provider = ?9,"
				 " protect = ?10, symbolic = ?11, inputs = ?12, outputs = ?13, created_ms = ?14",
	[STATEMENT_OBJECT_DELETE] = "DELETE FROM objects WHERE object_id = ?",
	[STATEMENT_BODY_PUT] = "INSERT INTO bodies (object_id, body) VALUES (?, ?)"
			       " ON CONFLICT (object_id) DO UPDATE SET body = excluded.body",
	[STATEMENT_BODY] = "SELECT body FROM bodies WHERE object_id = ?",
	[STATEMENT_BODIES] = "SELECT object_id, body FROM bodies",
	[STATEMENT_OBJECT_CURRENT] = "SELECT address FROM objects WHERE object_id = ? AND role = 0",

	/* The first change that a run makes to an object is the only one that finds what was before. */
	[STATEMENT_FORMER_KEEP] = KEEP_FORMER(
		"?1, ?2, coalesce(objects.address, ?3)") " FROM (SELECT 1) LEFT JOIN objects ON objects.object_id = "
							 "?1" WITH_BODIES " WHERE true ON CONFLICT DO NOTHING",
	/* Formats before the fifth kept nothing with the intent of a change. */
	[STATEMENT_FORMER_SETTLE] = KEEP_FORMER(
		"intents.object_id, run, coalesce(objects.address, intents.address)") " FROM intents LEFT JOIN objects "
										      "ON objects.object_id = "
										      "intents.object_id" WITH_BODIES
										      " WHERE intents.id = ? ON "
										      "CONFLICT DO NOTHING",
	/* Whether the run let go of it though neither a call was answered that may have ended it nor anybody asked for
	 * that; and when such a call was. */
	[STATEMENT_FORMER_IDS] = "SELECT provider_id, formers.object_id, command <> 'state rm'"
				 " AND coalesce(called.last_ms < started_ms, true),"
				 " iif(command = 'state rm', 0, coalesce(called.last_ms, 0)) FROM formers"
				 " JOIN runs ON runs.number = formers.run LEFT JOIN (SELECT object_id,"
				 " max(ended_ms) AS last_ms FROM history WHERE outcome = 'done' GROUP BY object_id)"
				 " AS called ON called.object_id = formers.object_id WHERE role IS NOT NULL"
				 " ORDER BY formers.number",
	[STATEMENT_FORMER_LAST] = "SELECT provider_id, body FROM formers WHERE object_id = ? AND role IS NOT NULL"
				  " ORDER BY run DESC LIMIT 1",
	/* Old and not among the newest: what is left has no gaps. */
	[STATEMENT_FORMERS_PRUNE] = "DELETE FROM formers WHERE run < (SELECT min(number) FROM runs"
				    " WHERE number >= ?1 OR started_ms >= ?2)",
	[STATEMENT_FORMER_COUNT] = "SELECT count(*) FROM formers JOIN runs ON runs.number = formers.run"
				   " WHERE runs.id = ?",
	[STATEMENT_FORMERS] = "SELECT " FORMER_COLUMNS ", role IS NOT NULL, body, run FROM formers"
			      " JOIN runs ON runs.number = formers.run WHERE runs.id = ?"
			      " ORDER BY address, formers.number",
	[STATEMENT_FORMER_NEXT] = "SELECT " FORMER_COLUMNS ", role IS NOT NULL, body, runs.id, command FROM formers"
				  " JOIN runs ON runs.number = formers.run WHERE object_id = ? AND run > ?"
				  " ORDER BY run LIMIT 1",
	[STATEMENT_BODIES_TOLD] = "SELECT bodies.number, address, kind, body FROM bodies JOIN objects"
				  " ON objects.object_id = bodies.object_id",
	[STATEMENT_FORMERS_TOLD] = "SELECT number, address, kind, body FROM formers WHERE body IS NOT NULL",
	[STATEMENT_BODY_HIDE] = "UPDATE bodies SET body = ?3 WHERE number = ?1 AND body = ?2",
	[STATEMENT_FORMER_HIDE] = "UPDATE formers SET body = ?3 WHERE number = ?1 AND body = ?2",
	/* As the next run to change it found it, or as it is recorded now. */
	[STATEMENT_BESIDE] =
		"SELECT " FORMER_COLUMNS ", 1, body FROM formers WHERE role IN (0, 1) AND run > " NUMBER_OF_RUN
		" AND address IN " SOME_LEFT_BEHIND
		" AND NOT EXISTS (SELECT 1 FROM formers AS earlier WHERE earlier.object_id = formers.object_id"
		" AND earlier.run >= " NUMBER_OF_RUN " AND earlier.run < formers.run)"
		" UNION ALL SELECT " OBJECT_COLUMNS ", 1, body FROM objects"
		" LEFT JOIN bodies ON bodies.object_id = objects.object_id WHERE role IN (0, 1)"
		" AND address IN " SOME_LEFT_BEHIND " AND NOT EXISTS"
		" (SELECT 1 FROM formers WHERE formers.object_id = objects.object_id AND run >= " NUMBER_OF_RUN ")"
		" ORDER BY 1, 3",
	[STATEMENT_OBJECT] = "SELECT " OBJECT_COLUMNS ", 1, body FROM objects"
			     " LEFT JOIN bodies ON bodies.object_id = objects.object_id WHERE objects.object_id = ?",

	[STATEMENT_INTENT_INSERT] = "INSERT INTO intents (id, run, object_id, address, kind, operation, recipe,"
				    " parameters, identity, token, wall_ms, creates, sealed, sent_ms)"
				    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	/* With the run that sent the call, whichever learned the outcome. */
	[STATEMENT_INTENT_RECORD] =
		"INSERT INTO history (run, intent, object_id, address, kind, operation, outcome, note, sent_ms, "
		"ended_ms)"
		" SELECT run, id, object_id, address, kind, operation, ?2, CASE run WHEN ?1 THEN ?3"
		" ELSE ?3 || ' (' || (SELECT command || ' ' || substr(lower(hex(runs.id)), 1, 8) FROM runs"
		" WHERE runs.number = ?1) || ')' END, wall_ms, ?4 FROM intents WHERE id = ?5",
	[STATEMENT_INTENT_CORRECT] = "UPDATE history SET outcome = ?, note = ?, ended_ms = ? WHERE intent = ?",
	[STATEMENT_INTENT_DELETE] = "DELETE FROM intents WHERE id = ?",
	[STATEMENT_INTENT_RENEW] = "UPDATE intents SET wall_ms = ?, sent_ms = ?, recipe = ? WHERE id = ?",
	[STATEMENT_INTENT_RESEAL] = "UPDATE intents SET sealed = ? WHERE id = ?",
	[STATEMENT_INTENT_COUNT] = "SELECT count(*) FROM intents",
	[STATEMENT_INTENTS] = "SELECT intents.id, object_id, address, kind, operation, recipe, parameters, identity,"
			      " token, wall_ms, creates, sealed, lower(hex(runs.id)), intents.sent_ms FROM intents"
			      " LEFT JOIN runs ON runs.number = intents.run ORDER BY intents.number",
	[STATEMENT_INTENT_ADDRESSES] = "SELECT id, address FROM intents",
	[STATEMENT_HISTORY] = "SELECT intent, outcome, ended_ms, address, object_id, kind FROM history",

	[STATEMENT_WATCH_INTENT] = "INSERT OR REPLACE INTO watched SELECT id, kind, identity, address, '', ?"
				   " FROM intents WHERE id = ? AND creates",
	/* Where it was sent is known by what is recorded of what it seemed to have made. */
	[STATEMENT_WATCH_CALL] = "INSERT OR REPLACE INTO watched SELECT intent, history.kind,"
				 " coalesce(objects.identity, ''), history.address, '', ended_ms FROM history"
				 " LEFT JOIN objects ON objects.object_id = history.object_id WHERE intent = ?",
	/* What nobody has seen yet is not missed. */
	[STATEMENT_WATCH_OBJECT] = "INSERT OR REPLACE INTO watched SELECT object_id, kind, identity, address,"
				   " provider_id, ? FROM objects WHERE object_id = ? AND provider_id <> ''",
	[STATEMENT_WATCH_NO_MORE] = "DELETE FROM watched WHERE id = ?",
	[STATEMENT_WATCHED_PRUNE] = "DELETE FROM watched WHERE since_ms < ?",
	/* For each kind and place one that was missed, and one that may have come. What was missed may have been
	 * recorded again since. */
	[STATEMENT_WATCHED] = "SELECT kind, identity, min(address), provider_id FROM watched WHERE since_ms >= ?"
			      " AND id NOT IN (SELECT object_id FROM objects)"
			      " GROUP BY kind, identity, provider_id = ''",

	/* What would be sent once more says in its tags where it belonged: it is looked for instead. */
	[STATEMENT_INTENTS_RENAME] = "UPDATE intents SET address = ?, recipe = iif(recipe = 'token', 'tag', recipe)"
				     " WHERE address = ?",

	[STATEMENT_STEP_TIMES] = "SELECT kind, operation, phase, took_ms FROM step_times ORDER BY number DESC",
	[STATEMENT_STEP_TIME_INSERT] = "INSERT INTO step_times (kind, operation, phase, took_ms) VALUES (?, ?, ?, ?)",
	/* To compile what prunes takes longer than this. */
	[STATEMENT_STEP_TIMES_FULL] = "SELECT 1 FROM step_times GROUP BY kind, operation, phase HAVING count(*) > ?"
				      " LIMIT 1",
	[STATEMENT_STEP_TIMES_PRUNE] =
		"DELETE FROM step_times WHERE number IN (SELECT number FROM (SELECT number, row_number()"
		" OVER (PARTITION BY kind, operation, phase ORDER BY number DESC) AS place FROM step_times)"
		" WHERE place > ?)",

	/* What no index or constraint of the schema forbids, or what would show that one was lost. */
	[STATEMENT_FINDINGS] =
		"SELECT 'the id ' || lower(hex(object_id)) || ' is that of ' || count(*) || ' objects' FROM objects"
		" GROUP BY object_id HAVING count(*) > 1"
		" UNION ALL SELECT 'two current objects are recorded at ''' || address || '''' FROM objects"
		" WHERE role = 0 GROUP BY address HAVING count(*) > 1"
		" UNION ALL SELECT 'the object at ''' || address || ''' has no body' FROM objects"
		" WHERE role = 0 AND object_id NOT IN (SELECT object_id FROM bodies)"
		" UNION ALL SELECT 'the intent ' || lower(hex(id)) || ' has an outcome and is open too' FROM intents"
		" WHERE id IN (SELECT intent FROM history)"
		" UNION ALL SELECT 'the lease is held by a run that is not recorded' FROM lease"
		" WHERE run IS NOT NULL AND run NOT IN (SELECT id FROM runs)"
		" UNION ALL SELECT 'the row of the lease is missing' WHERE NOT EXISTS (SELECT 1 FROM lease WHERE id = "
		"1)"
		" UNION ALL SELECT 'the lease''s fencing number is ' || fencing FROM lease"
		" WHERE fencing < 0 OR fencing = 9223372036854775807"
		" UNION ALL SELECT 'the serial is ' || serial FROM stack WHERE serial < 0"
		" UNION ALL SELECT 'the run ' || number || ' has an id of ' || length(id) || ' bytes' FROM runs"
		" WHERE length(id) <> 16"
		" UNION ALL SELECT 'a call about ''' || address || ''' has an id of other than 16 bytes' FROM history"
		" WHERE length(intent) <> 16 OR length(object_id) <> 16"
		" UNION ALL SELECT 'a former record of ''' || address || ''' has an id of other than 16 bytes' FROM "
		"formers"
		" WHERE length(object_id) <> 16"
		" UNION ALL SELECT 'the object at ''' || address || ''' has an empty body' FROM objects"
		" WHERE role = 0 AND object_id IN (SELECT object_id FROM bodies WHERE body = '')"
		" UNION ALL SELECT 'the object at ''' || address || ''' has no id of its service' FROM objects"
		" WHERE role = 0 AND provider_id = ''"
		" LIMIT 1000",

	[STATEMENT_MIGRATION_INSERT] = "INSERT INTO migrations (version, program, wall_ms) VALUES (?, ?, ?)",
};

const char *statement_text(enum statement statement)
{
	return texts[statement];
}
