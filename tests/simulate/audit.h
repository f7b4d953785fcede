#ifndef TRUEUP_TESTS_SIMULATE_AUDIT_H
#define TRUEUP_TESTS_SIMULATE_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "tests/simulate/disk_vfs.h"

enum audit_question {
	AUDIT_INTENTS,
	AUDIT_IS_SETTLED,
	AUDIT_IS_LET_GO,
	AUDIT_SETTLED,
	AUDIT_RECOVERING,
	AUDIT_LEASE,
	AUDIT_LAST_RUN,
	AUDIT_STACK,
	AUDIT_OBJECTS,
	AUDIT_QUESTIONS,
};

/* Reads the state file as it is on the disk, unseen by those who write it. */
struct audit {
	struct disk_access access;
	sqlite3 *database; /* NULL: not open */
	bool is_lasting;   /* it sees what is written from now on */
	/* That were there when it was opened: a process that begins anew makes another log. */
	const struct disk_file *file, *log;
	uint64_t writes; /* of the file, until then */
	sqlite3_stmt *asked[AUDIT_QUESTIONS];
};

struct audit_object {
	struct slice address;
	struct slice kind;
	struct slice object_id; /* 32 hex digits */
	struct slice provider_id;
	int role;     /* enum object_role */
	bool is_open; /* it is not known what became of a call that is about it */
};

struct audit_record {
	struct slice lineage; /* 32 hex digits */
	struct audit_object *objects;
	size_t object_count;
	size_t intent_count;
};

struct audit_intents {
	int count;
	bool has_id;			/* one has the id that was asked for */
	bool has_token, has_parameters; /* and that one the token, and what is asked for at all */
	int64_t sent_ms;		/* when that one was sent last, as recorded; wall */
	char makes[33];			/* the object that it is to make; empty: none */
};

/* Who has the stack, and how often it was changed. */
struct audit_lease {
	int64_t fencing;
	int64_t process; /* -1: nobody has it */
	int64_t serial;
	bool has_key; /* it is known under which key secrets are sealed */
	size_t intent_count;
};

enum { AUDIT_RUN_BYTES = 33, AUDIT_OPERATION_BYTES = 64 };

extern const char audit_path[];

void audit_open(struct audit *audit, struct disk *disk);
void audit_close(struct audit *audit);
/* Lets go of a file that may be written; done whenever a process ends. */
void audit_leave(struct audit *audit);
/* What is recorded of an operation, and durable; id: 32 hex digits or none. False where the file cannot be read. */
bool audit_intents(struct audit *audit, const char *operation, struct slice id, struct slice token,
		   struct audit_intents *ret);
/* Whether a call is recorded with that outcome, and was settled until then (wall, ms); intent: 32 hex digits. */
bool audit_is_settled(struct audit *audit, struct slice intent, const char *outcome, int64_t until_ms);
/* Whether a record was made anew by force without it, though it had been recorded and was there. */
bool audit_is_let_go(struct audit *audit, struct slice provider_id);
/* A call that a run settled which had not sent it. */
struct audit_settled {
	struct slice intent; /* 32 hex digits */
	struct slice note;
	int64_t ended_ms; /* wall */
};
/* The first of these, the oldest of all, with that outcome, of which the question is answered with true: its operation,
 * in ret. False where there is none. */
bool audit_find_settled(struct audit *audit, const char *outcome,
			bool (*is_so)(const void *context, const struct audit_settled *settled), const void *context,
			char ret[AUDIT_OPERATION_BYTES]);
/* Whether that process holds the lease for a recovery. */
bool audit_is_recovering(struct audit *audit, int64_t process);
/* False where there is no file, or none that can be read. Lets go of the file. */
bool audit_lease(struct audit *audit, struct audit_lease *ret);
/* The id of the run that began last (32 hex digits and NUL), or "". Lets go of the file. */
void audit_last_run(struct audit *audit, char ret[AUDIT_RUN_BYTES]);
/* Everything that is recorded, in arena. False where the file cannot be read. */
bool audit_read(struct audit *audit, struct arena *arena, struct audit_record *ret);

#endif
