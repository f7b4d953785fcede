#include "state/backup.h"

#include "state/check.h"

/* Copies every page of the snapshot that the caller has open: its transaction is the one read through. */
static bool copy_pages(struct stack_file *file, struct database *copy, struct diagnostics *diagnostics)
{
	sqlite3_backup *backup = sqlite3_backup_init(copy->handle, "main", file->database.handle, "main");
	int code;

	if (!backup)
		return database_fail(copy, "write", sqlite3_errcode(copy->handle), diagnostics);
	sqlite3_backup_step(backup, -1);
	/* Gives what went wrong in the step, too. */
	code = sqlite3_backup_finish(backup);
	return code == SQLITE_OK || database_fail(copy, "write", code, diagnostics);
}

static bool make_copy(struct stack_file *file, const char *name, const char *temporary, struct diagnostics *diagnostics)
{
	struct database copy = {0};
	int code = database_open(&copy, name, temporary, NULL, DATABASE_WRITE, file->options.busy_timeout_ms);
	bool made = (code == SQLITE_OK || database_fail(&copy, "create", code, diagnostics)) &&
		    copy_pages(file, &copy, diagnostics);

	database_close(&copy);
	return made;
}

static bool number_of(struct database *database, int64_t *ret, struct diagnostics *diagnostics)
{
	return database_pragma(database, "SELECT serial FROM stack WHERE id = 1", ret, diagnostics);
}

static bool report_unsound(const struct database *copy, struct slice what, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, NOWHERE, "the copy '%s' is not sound: %.*s", copy->name,
		   SLICE_ARGUMENTS(what));
	diag_hint(diagnostics, "the state file itself is sound: copy it to another disk, or run this again");
	return false;
}

/* Opens the copy as whoever puts it back would, and compares. */
static bool verify(struct stack_file *file, struct database *copy, struct arena *scratch,
		   struct diagnostics *diagnostics)
{
	struct slice *findings;
	size_t count;
	int64_t there, here;

	if (!check_file(copy, scratch, &findings, &count, diagnostics) ||
	    !number_of(&file->database, &here, diagnostics) || !number_of(copy, &there, diagnostics))
		return false;
	if (count == 0 && here == there)
		return true;
	return report_unsound(copy, count > 0 ? findings[0] : SLICE("it is another moment of the state"), diagnostics);
}

/* What is said of a state file that cannot be read for its damage would have one moved away that is sound. */
static bool is_damaged(const struct database *copy)
{
	return (copy->failure & 0xff) == SQLITE_CORRUPT || (copy->failure & 0xff) == SQLITE_NOTADB;
}

static bool check_copy(struct stack_file *file, const char *name, const char *temporary, struct arena *scratch,
		       struct diagnostics *diagnostics)
{
	struct database copy = {0};
	struct diagnostics of_reading;

	diagnostics_init(&of_reading, diagnostics->arena);
	int code = database_open(&copy, name, temporary, NULL, DATABASE_READ_IMMUTABLE, file->options.busy_timeout_ms);
	bool good = (code == SQLITE_OK || database_fail(&copy, "read", code, &of_reading)) &&
		    verify(file, &copy, scratch, &of_reading);

	if (!good && is_damaged(&copy))
		report_unsound(&copy, of_reading.items[0].cause, diagnostics);
	else
		diagnostics_join(diagnostics, &of_reading);
	diagnostics_release(&of_reading);
	database_close(&copy);
	return good;
}

static bool check_original(struct stack_file *file, struct arena *scratch, struct diagnostics *diagnostics)
{
	struct slice *findings;
	size_t count;

	if (!check_file(&file->database, scratch, &findings, &count, diagnostics))
		return false;
	if (count == 0)
		return true;
	diag_error(diagnostics, FAULT_USER, NOWHERE, "the state file '%s' is not sound: %.*s", file->name,
		   SLICE_ARGUMENTS(findings[0]));
	diag_hint(diagnostics,
		  "'trueup state check' lists it all; put back its newest backup, or, where there is none, "
		  "move it away, with its -wal and -shm, and 'trueup state rebuild' makes the state anew");
	return false;
}

/* A copy has each fault of its original, which is what is to be mended: that is named where it is at fault. */
static bool prove_copy(struct stack_file *file, const char *name, const char *temporary, struct arena *scratch,
		       struct diagnostics *diagnostics)
{
	struct diagnostics of_copy;

	diagnostics_init(&of_copy, diagnostics->arena);
	bool good = check_copy(file, name, temporary, scratch, &of_copy);
	if (!good && check_original(file, scratch, diagnostics))
		diagnostics_join(diagnostics, &of_copy);
	diagnostics_release(&of_copy);
	return good;
}

bool backup_check_place(const struct stack_file *file, const char *path, bool replaces, struct diagnostics *diagnostics)
{
	if (!file->local)
		return diag_error(diagnostics, FAULT_UNSUPPORTED, NOWHERE,
				  "the state file '%s' lies where no copy can be made of it", file->name);
	return place_check_target(path, file->real_path, replaces, diagnostics);
}

bool backup_copy(struct stack_file *file, const char *path, struct arena *arena, const char **ret_temporary,
		 struct diagnostics *diagnostics)
{
	const char *temporary;

	if (*ret_temporary)
		place_abandon(*ret_temporary);
	*ret_temporary = NULL;
	if (!place_begin(file->world, "create the copy", path, arena, &temporary, diagnostics))
		return false;
	if (make_copy(file, path, temporary, diagnostics) && prove_copy(file, path, temporary, arena, diagnostics)) {
		*ret_temporary = temporary;
		return true;
	}
	place_abandon(temporary);
	return false;
}
