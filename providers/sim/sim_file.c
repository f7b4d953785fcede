#include "providers/sim/sim_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "providers/sim/sim_convert.h"
#include "providers/sim/sim_state.h"

enum {
	LINE_MOST_BYTES = 64 << 20,
	COMPACT_FROM_BYTES = 1 << 20,
	FILE_MOST_BYTES = 1 << 30,
};

#define HEADER_NAME "{\"trueup_simulator\":"
static const char header[] = HEADER_NAME "1}\n";

struct sim_file {
	char path[PATH_MAX];
	int descriptor;
	off_t offset; /* all before it is known here */
	struct buffer line;
	char problem[PATH_MAX + 256];
	int error; /* of the system, behind that */
};

static bool fail(struct sim_file *file, const char *doing)
{
	int error = errno;

	if (file->problem[0] != '\0')
		return false;
	(void)snprintf(file->problem, sizeof(file->problem), "%s the simulator's file '%s' failed: %s", doing,
		       file->path, strerror(error));
	file->error = error;
	return false;
}

const char *sim_file_problem(const struct sim *sim)
{
	return sim->file && sim->file->problem[0] ? sim->file->problem : NULL;
}

static bool write_whole(struct sim_file *file, int descriptor, struct slice text)
{
	while (text.size > 0) {
		ssize_t size = write(descriptor, text.data, text.size);

		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return fail(file, "writing");
		text = slice_from(text, (size_t)size);
	}
	return true;
}

static void write_object(struct buffer *line, const struct sim_object *object)
{
	(void)buffer_string(line, "{\"region\":");
	(void)json_write_string(line, object->region->name);
	(void)buffer_format(line, ",\"type\":\"%s\",\"id\":", object->type->name);
	(void)json_write_string(line, object->id);
	if (!object->removed) {
		(void)buffer_format(line, ",\"sequence\":%llu,\"created\":%lld,\"due\":%lld,\"body\":",
				    (unsigned long long)object->sequence, (long long)object->created_ms,
				    (long long)object->due_ms);
		sim_node_json(line, &object->body);
	}
	(void)buffer_byte(line, '}');
}

static void write_objects(struct sim *sim, struct buffer *line, struct sim_object *const *objects, size_t count)
{
	buffer_clear(line);
	(void)buffer_format(line, "{\"now\":%lld,\"objects\":[", (long long)sim->now_ms);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			(void)buffer_byte(line, ',');
		write_object(line, objects[i]);
	}
	(void)buffer_string(line, "]}\n");
}

static void append(struct sim *sim, struct sim_object *const *objects, size_t count)
{
	struct sim_file *file = sim->file;

	if (!file || file->problem[0])
		return;
	write_objects(sim, &file->line, objects, count);
	if (file->line.full) {
		errno = EFBIG;
		(void)fail(file, "writing");
		return;
	}
	/* What follows offset is the torn line of a process that was killed. */
	if (ftruncate(file->descriptor, file->offset) != 0 || lseek(file->descriptor, file->offset, SEEK_SET) < 0) {
		(void)fail(file, "writing");
		return;
	}
	if (write_whole(file, file->descriptor, buffer_slice(&file->line)))
		file->offset += (off_t)file->line.size;
}

void sim_file_append(struct sim *sim)
{
	if (sim->dirty_count > 0)
		append(sim, sim->dirty, sim->dirty_count);
}

void sim_file_append_time(struct sim *sim)
{
	append(sim, NULL, 0);
}

static struct sim_object *apply_object(struct sim *sim, const struct value *value)
{
	const struct sim_type *type = sim_type_named(value_slice(value_get_named(value, "type")));
	const struct value *body = value_get_named(value, "body");
	const struct value *sequence = value_get_named(value, "sequence");
	const struct value *created = value_get_named(value, "created");
	const struct value *due = value_get_named(value, "due");
	struct slice id = value_slice(value_get_named(value, "id"));

	if (!type || id.size == 0)
		return NULL;
	struct sim_region *region = sim_region(sim, value_slice(value_get_named(value, "region")));
	struct sim_object *object = sim_find(region, type->number, id);
	if (!body) {
		if (object) {
			sim_forget(object);
			node_release(&object->body);
		}
		return NULL;
	}
	if (!value_is(sequence, VALUE_INTEGER) || !value_is(created, VALUE_INTEGER) || !value_is(due, VALUE_INTEGER))
		return NULL;
	if (!object)
		object = sim_restore(sim, region, type, id, (uint64_t)sequence->integer);
	sim_node_read(sim, &object->body, body);
	object->created_ms = created->integer;
	object->due_ms = due->integer;
	return object;
}

/* Links only after all lines are read: a thing may refer to one that comes later. */
struct touched {
	struct sim_object **objects;
	size_t count, capacity;
};

static void touch(struct touched *touched, struct sim_object *object)
{
	if (!object)
		return;
	touched->objects = memory_room(touched->objects, touched->count, &touched->capacity, sizeof(*touched->objects));
	touched->objects[touched->count++] = object;
}

static bool apply_line(struct sim *sim, struct slice line, struct touched *touched, struct arena *scratch,
		       struct diagnostics *diagnostics)
{
	struct value value;

	if (!json_read(scratch, line, false, LINE_MOST_BYTES, "the simulator's file", &value, diagnostics))
		return false;
	const struct value *now = value_get_named(&value, "now");
	const struct value *objects = value_get_named(&value, "objects");
	if (value_is(now, VALUE_INTEGER) && now->integer > sim->now_ms)
		sim->now_ms = now->integer;
	if (objects && value_is(objects, VALUE_LIST))
		for (uint32_t i = 0; i < objects->count; i++)
			touch(touched, apply_object(sim, &objects->items[i]));
	return true;
}

static bool apply_text(struct sim *sim, struct slice text, struct diagnostics *diagnostics)
{
	struct touched touched = {0};
	struct arena scratch;
	bool good = true;

	arena_init(&scratch);
	while (good && text.size > 0) {
		const char *end = memchr(text.data, '\n', text.size);

		if (!end)
			break;
		size_t size = (size_t)(end - text.data);
		if (size > 0)
			good = apply_line(sim, (struct slice){text.data, size}, &touched, &scratch, diagnostics);
		arena_reset(&scratch);
		sim->file->offset += (off_t)size + 1;
		text = slice_from(text, size + 1);
	}
	for (size_t i = 0; i < touched.count; i++) {
		if (touched.objects[i]->removed)
			continue;
		sim_relink(sim, touched.objects[i]);
		sim_queue(sim, touched.objects[i]);
	}
	free(touched.objects);
	arena_release(&scratch);
	return good;
}

/* What stands in the file from offset on. */
static bool catch_up(struct sim *sim, off_t size, struct diagnostics *diagnostics)
{
	struct sim_file *file = sim->file;
	size_t wanted = (size_t)(size - file->offset);

	if (size > FILE_MOST_BYTES) {
		errno = EFBIG;
		return fail(file, "reading");
	}
	char *text = memory_get(wanted);
	size_t have = 0;

	while (have < wanted) {
		ssize_t got = pread(file->descriptor, text + have, wanted - have, file->offset + (off_t)have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	bool good = have == wanted ? apply_text(sim, (struct slice){text, have}, diagnostics) : fail(file, "reading");
	free(text);
	return good;
}

/* Opens the file anew where another process put a compacted one in its place. */
static bool lock_current(struct sim *sim, struct stat *status)
{
	struct sim_file *file = sim->file;
	struct stat named;

	for (;;) {
		if (file->descriptor < 0) {
			file->descriptor = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
			file->offset = 0;
			if (file->descriptor < 0)
				return fail(file, "opening");
			sim_store_release(sim);
		}
		while (flock(file->descriptor, LOCK_EX) != 0)
			if (errno != EINTR)
				return fail(file, "locking");
		if (fstat(file->descriptor, status) != 0)
			return fail(file, "reading");
		if (stat(file->path, &named) == 0 && named.st_ino == status->st_ino && named.st_dev == status->st_dev)
			return true;
		(void)close(file->descriptor);
		file->descriptor = -1;
	}
}

static bool begin(struct sim *sim, struct diagnostics *diagnostics)
{
	struct sim_file *file = sim->file;
	struct stat status;

	if (file->problem[0] || !lock_current(sim, &status))
		return false;
	if (!S_ISREG(status.st_mode)) {
		errno = EINVAL;
		return fail(file, "reading");
	}
	if (status.st_size == 0 && file->offset == 0) {
		if (!write_whole(file, file->descriptor, slice_of(header)))
			return false;
		file->offset = (off_t)sizeof(header) - 1;
		return true;
	}
	if (file->offset == 0) {
		char first[sizeof(header)] = {0};

		if (pread(file->descriptor, first, sizeof(header) - 1, 0) < 0 || strcmp(first, header) != 0) {
			(void)snprintf(file->problem, sizeof(file->problem),
				       "the file '%s' holds no simulated world of this version", file->path);
			return false;
		}
		file->offset = (off_t)sizeof(header) - 1;
	}
	return status.st_size <= file->offset || catch_up(sim, status.st_size, diagnostics);
}

bool sim_file_begin(struct sim *sim)
{
	struct diagnostics diagnostics;
	struct arena arena;

	if (!sim->file)
		return true;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	bool good = begin(sim, &diagnostics);
	if (!good && sim->file->problem[0] == '\0')
		(void)snprintf(sim->file->problem, sizeof(sim->file->problem),
			       "the simulator's file '%s' is damaged near byte %lld", sim->file->path,
			       (long long)sim->file->offset);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
	return good;
}

void sim_file_end(struct sim *sim)
{
	if (sim->file && sim->file->descriptor >= 0)
		(void)flock(sim->file->descriptor, LOCK_UN);
}

static bool write_compact(struct sim *sim, int descriptor)
{
	struct sim_file *file = sim->file;

	if (!write_whole(file, descriptor, slice_of(header)))
		return false;
	for (size_t i = 0; i < sim->regions.count; i++) {
		const struct sim_region *region = sim->regions.entries[i].item;

		for (size_t type = 0; type < SIM_TYPE_COUNT; type++) {
			const struct sim_table *table = &region->tables[type];

			for (size_t at = 0; at < table->count; at++) {
				if (table->objects[at]->removed)
					continue;
				write_objects(sim, &file->line, &table->objects[at], 1);
				if (!write_whole(file, descriptor, buffer_slice(&file->line)))
					return false;
			}
		}
	}
	return true;
}

static size_t object_count(const struct sim *sim)
{
	size_t count = 0;

	for (size_t i = 0; i < sim->regions.count; i++)
		for (enum sim_type_number type = 0; type < SIM_TYPE_COUNT; type++)
			count += sim_table_count(sim->regions.entries[i].item, type);
	return count;
}

/* A thing takes a line of about 1 KiB: a file much larger than its things holds mostly their past. */
static bool compact(struct sim *sim)
{
	struct sim_file *file = sim->file;
	char path[PATH_MAX + 16];

	if (file->offset < COMPACT_FROM_BYTES || (size_t)file->offset / 4096 < object_count(sim))
		return true;
	(void)snprintf(path, sizeof(path), "%s.compact", file->path);
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (descriptor < 0)
		return fail(file, "compacting");
	bool good = write_compact(sim, descriptor);
	if (close(descriptor) != 0 || !good || rename(path, file->path) != 0)
		return fail(file, "compacting");
	(void)close(file->descriptor);
	file->descriptor = -1;
	return sim_file_begin(sim);
}

bool sim_is_world(struct slice first)
{
	return slice_starts_with(first, SLICE(HEADER_NAME));
}

bool sim_file_is_there(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 || errno != ENOENT;
}

bool sim_file_open(struct sim *sim, const char *path, struct diagnostics *diagnostics)
{
	struct sim_file *file;

	if (strlen(path) >= PATH_MAX)
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "the name of the simulator's file is too long");
	file = sim->file = memory_get(sizeof(*file));
	(void)snprintf(file->path, sizeof(file->path), "%s", path);
	file->descriptor = -1;
	buffer_init(&file->line, LINE_MOST_BYTES);
	bool good = sim_file_begin(sim) && compact(sim);
	sim_file_end(sim);
	if (good)
		return true;
	diag_error(diagnostics, FAULT_USER, NOWHERE, "%s", file->problem);
	if (file->error == ENOENT)
		diag_hint(diagnostics, "make the folder first: the simulator makes no more than the file in it");
	return false;
}

void sim_file_close(struct sim *sim)
{
	struct sim_file *file = sim->file;

	if (!file)
		return;
	if (file->descriptor >= 0) {
		/* Time that was skipped without a change is remembered too. */
		if (file->problem[0] == '\0' && sim_file_begin(sim)) {
			sim_file_append_time(sim);
			sim_file_end(sim);
		}
		(void)close(file->descriptor);
	}
	buffer_release(&file->line);
	free(file);
	sim->file = NULL;
}
