#include "cli/written.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/sealing.h"
#include "cli/simulated_place.h"
#include "cli/world_files.h"
#include "providers/sim/sim.h"
#include "reconcile/plan.h"
#include "specs/load.h"
#include "state/sqlite_store.h"

/* A key may stand behind the certificates that go with it. */
enum { FIRST_BYTES = 16 * 1024 };

/* One path, and what is there. */
struct sight {
	const struct written_file *file;
	struct slice place; /* without links */
	struct stat status;
	bool is_there;
	char first[FIRST_BYTES]; /* of a regular file */
	size_t first_size;
};

static struct slice real_path(const char *path, struct arena *arena)
{
	char resolved[PATH_MAX];

	return realpath(path, resolved) ? arena_copy(arena, slice_of(resolved)) : (struct slice){NULL, 0};
}

static struct slice folder_of(struct slice path)
{
	size_t size = path.size;

	while (size > 0 && path.data[size - 1] != '/')
		size--;
	return slice_first(path, size);
}

/* The folder of a state, which the first run makes where it is not there yet; else empty. */
static struct slice state_folder_of(struct slice folder, struct arena *arena)
{
	struct slice path = slice_first(folder, folder.size > 0 ? folder.size - 1 : 0), around = folder_of(path);
	struct slice real = {NULL, 0};

	if (slice_is(slice_from(path, around.size), ".trueup"))
		real = real_path(around.size > 0 ? arena_string(arena, around) : ".", arena);
	return real.size > 0 ? arena_format(arena, "%.*s/.trueup", slice_is(real, "/") ? 0 : (int)real.size, real.data)
			     : real;
}

/* The path of a file, which need not be there, in a folder that is, or that a run makes; else empty. */
static struct slice place_of(const char *path, struct arena *arena)
{
	struct slice folder = folder_of(slice_of(path));
	struct slice name = slice_from(slice_of(path), folder.size);
	struct slice real = real_path(folder.size > 0 ? arena_string(arena, folder) : ".", arena);

	if (real.size == 0)
		real = state_folder_of(folder, arena);
	if (real.size == 0)
		return real;
	return arena_format(arena, "%.*s/%.*s", slice_is(real, "/") ? 0 : (int)real.size, real.data,
			    SLICE_ARGUMENTS(name));
}

static bool is_at_or_in(struct slice place, struct slice folder)
{
	return folder.size > 0 && slice_starts_with(place, folder) &&
	       (place.size == folder.size || place.data[folder.size] == '/');
}

static struct slice identity_of(const struct stat *status, struct arena *arena)
{
	return arena_format(arena, "%llx:%llx", (unsigned long long)status->st_dev, (unsigned long long)status->st_ino);
}

/* By what they are: a file of the spec may be a link to one that lies elsewhere. */
static void list_specs(struct written *written)
{
	struct diagnostics findings;
	struct slice *names = NULL;
	size_t count = 0;
	struct stat status;

	written->has_specs = true;
	diagnostics_init(&findings, written->arena);
	if (!written->world->list_folder(written->world, written->arena, written->folder, &names, &count, &findings))
		count = 0;
	diagnostics_release(&findings);
	for (size_t i = 0; i < count; i++) {
		const char *path = arena_text(written->arena, "%s/%.*s", written->folder, SLICE_ARGUMENTS(names[i]));

		if (stack_is_file_name(names[i]) && stat(path, &status) == 0)
			map_mark(&written->specs, identity_of(&status, written->arena));
	}
}

/* What is in the way, or NULL. */
typedef const char *finding(struct written *written, const struct sight *sight);

static const char *find_type(struct written *written, const struct sight *sight)
{
	const char *type = sight->is_there ? world_file_type(sight->status.st_mode) : NULL;

	return type ? arena_text(written->arena, "it is %s", type) : NULL;
}

static const char *find_spec(struct written *written, const struct sight *sight)
{
	struct slice folder = folder_of(sight->place);

	if (stack_is_file_name(slice_from(sight->place, folder.size)) && written->home &&
	    slice_equal(folder, arena_format(written->arena, "%s/", written->home)))
		return sight->is_there ? "it is a file of the spec" : "it is the name of a file of the spec";
	if (sight->is_there && !written->has_specs)
		list_specs(written);
	return sight->is_there && map_has(&written->specs, identity_of(&sight->status, written->arena))
		       ? "it is a file of the spec"
		       : NULL;
}

static const char *find_state_folder(struct written *written, const struct sight *sight)
{
	const char *folder = arena_text(written->arena, "%s/.trueup", written->folder);
	struct slice real = real_path(folder, written->arena);

	if (written->home && real.size == 0)
		real = arena_format(written->arena, "%s/.trueup", written->home);
	if (!is_at_or_in(sight->place, real))
		return NULL;
	return slice_equal(slice_from(sight->place, real.size), SLICE("/state.db"))
		       ? "it is the state file itself"
		       : "it lies in the folder of the state";
}

/* Whether a folder of that name on the path has a state, and the place is within it. */
static bool leads_to_state(struct written *written, struct slice path, struct slice place)
{
	const struct slice name = SLICE(".trueup/");
	struct stat status;

	for (size_t i = 0; i + name.size <= path.size; i++) {
		if (!slice_starts_with(slice_from(path, i), name) || (i > 0 && path.data[i - 1] != '/'))
			continue;
		const char *folder = arena_string(written->arena, slice_first(path, i + name.size));
		if (is_at_or_in(place, real_path(folder, written->arena)) &&
		    stat(arena_text(written->arena, "%sstate.db", folder), &status) == 0)
			return true;
	}
	return false;
}

/* Of another stack: that folder may be a link, and is known by its own name or the link's. */
static const char *find_other_state_folder(struct written *written, const struct sight *sight)
{
	return leads_to_state(written, sight->place, sight->place) ||
			       leads_to_state(written, slice_of(sight->file->path), sight->place)
		       ? "it lies in the folder of another stack's state"
		       : NULL;
}

static const char *find_key(struct written *written, const struct sight *sight)
{
	const char *folder = sealing_key_folder(written->world, written->arena);

	return folder && is_at_or_in(sight->place, real_path(folder, written->arena))
		       ? "it lies in the folder of the sealing keys"
		       : NULL;
}

static const char *writes_there(struct written *written, struct slice name)
{
	return arena_text(written->arena, "%.*s writes there in the same run", SLICE_ARGUMENTS(name));
}

static const char *find_output(struct written *written, const struct sight *sight)
{
	const struct written_file *other = map_get(&written->files, sight->place);

	/* The same one is asked about again where a stack is planned again. */
	if (!other || (other->as == sight->file->as && slice_equal(other->name, sight->file->name) &&
		       slice_is(slice_of(other->path), sight->file->path)))
		return NULL;
	return writes_there(written, other->name);
}

/* Of each place, all that have their secret there. */
struct kept_secret {
	struct slice address;
	const struct kept_secret *next;
};

static const char *find_kept(struct written *written, const struct sight *sight)
{
	const struct kept_secret *kept = map_get(&written->kept, sight->place);
	bool is_secret = sight->file->as == WRITTEN_SECRET;

	while (kept && is_secret && slice_equal(kept->address, sight->file->name))
		kept = kept->next;
	return kept ? arena_text(written->arena, "'%.*s' is there and has its key in it, which is shown only once",
				 SLICE_ARGUMENTS(kept->address))
		    : NULL;
}

static struct slice name_world(struct written *written, struct slice endpoint)
{
	return simulated_place_name(written->folder, endpoint, written->arena);
}

/* One that is there is known by how it begins. */
static const char *find_new_world(struct written *written, const struct sight *sight)
{
	struct slice endpoint = arena_format(written->arena, "sim:%.*s", SLICE_ARGUMENTS(sight->place));

	return written->worlds.count > 0 && map_has(&written->worlds, name_world(written, endpoint))
		       ? "it is the simulated world"
		       : NULL;
}

static struct slice first_of(const struct sight *sight)
{
	return (struct slice){sight->first, sight->first_size};
}

static const char *find_world(struct written *written, const struct sight *sight)
{
	(void)written;
	return sim_is_world(first_of(sight)) ? "it is a simulated world" : NULL;
}

/* As RFC 7468 and ssh-keygen(1) have it, wherever in the file, and as PuTTY has it. */
static bool has_private_key(struct slice text)
{
	if (slice_starts_with(text, SLICE("PuTTY-User-Key-File-")))
		return true;
	while (text.size > 0) {
		struct slice line = slice_cut(&text, '\n');

		if (slice_starts_with(line, SLICE("-----BEGIN ")) && slice_contains(line, SLICE("PRIVATE KEY")))
			return true;
	}
	return false;
}

/* Whoever's it is: what is recorded is not known yet when a report's file is asked about, nor after a mistake in the
 * spec. */
static const char *find_private_key(struct written *written, const struct sight *sight)
{
	(void)written;
	return has_private_key(first_of(sight)) ? "a private key is in it" : NULL;
}

static const char *find_state(struct written *written, const struct sight *sight)
{
	(void)written;
	return state_is_file(first_of(sight)) ? "it is a state file" : NULL;
}

static const char *find_plan(struct written *written, const struct sight *sight)
{
	(void)written;
	return plan_is_file(first_of(sight)) ? "it is a saved plan" : NULL;
}

static const char *find_other(struct written *written, const struct sight *sight)
{
	(void)written;
	return sight->is_there ? "there is a file of that name already, and it is no plan" : NULL;
}

/* The first that finds something decides. */
static const struct rule {
	finding *find;
	unsigned replaced_by; /* bits, 1 << enum written_as; 0: by nothing */
} rules[] = {
	{find_spec, 0},
	{find_state_folder, 0},
	{find_other_state_folder, 0},
	{find_key, 0},
	{find_output, 0},
	{find_kept, 0},
	{find_new_world, 0},
	{find_world, 0},
	{find_private_key, 1 << WRITTEN_SECRET},
	{find_type, 1 << WRITTEN_BACKUP},
	{find_state, 1 << WRITTEN_BACKUP},
	{find_plan, 1 << WRITTEN_PLAN | 1 << WRITTEN_BACKUP},
	{find_other, 1 << WRITTEN_REPORT | 1 << WRITTEN_SECRET | 1 << WRITTEN_BACKUP},
};

static bool refuse(const struct written_file *file, const char *found, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, file->position, "cannot write '%s': %s", file->path, found);
	if (file->as == WRITTEN_SECRET)
		diag_address(diagnostics, file->name);
	diag_hint(diagnostics, "name another file");
	return false;
}

static bool check(struct written *written, const struct sight *sight, struct diagnostics *diagnostics)
{
	const struct written_file *file = sight->file;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const char *found = rules[i].find(written, sight);

		if (!found)
			continue;
		if (rules[i].replaced_by & 1u << file->as)
			return true;
		return refuse(file, found, diagnostics);
	}
	return true;
}

static void read_first(const char *path, struct sight *sight)
{
	int opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (opened < 0)
		return;
	ssize_t size = read(opened, sight->first, sizeof(sight->first));
	sight->first_size = size > 0 ? (size_t)size : 0;
	close(opened);
}

/* False where there is nothing to be seen: its folder is not there, and then nothing is written. */
static bool look(struct written *written, const struct written_file *file, struct sight *ret)
{
	*ret = (struct sight){.file = file, .place = place_of(file->path, written->arena)};
	if (ret->place.size == 0)
		return false;
	ret->is_there = lstat(file->path, &ret->status) == 0;
	if (ret->is_there && S_ISREG(ret->status.st_mode))
		read_first(file->path, ret);
	return true;
}

static void keep(struct written *written, const struct sight *sight)
{
	struct written_file *kept = arena_new(written->arena, struct written_file);

	*kept = *sight->file;
	if (sight->place.size > 0)
		map_set(&written->files, sight->place, kept);
}

bool written_add(struct written *written, const struct written_file *file, struct diagnostics *diagnostics)
{
	const bool must_go = file->as == WRITTEN_PLAN || file->as == WRITTEN_REPORT;
	struct sight sight;

	if (written->world->sqlite_vfs)
		return true;
	if (look(written, file, &sight) && !check(written, &sight, diagnostics)) {
		const struct written_file *other = map_get(&written->files, sight.place);
		/* No report goes there then: there may be a key in it. */
		if (file->as == WRITTEN_SECRET && other && other->as != WRITTEN_SECRET)
			keep(written, &sight);
		return false;
	}
	/* A secret's folder may be made until it is there. */
	if (must_go && !world_can_write(file->path, diagnostics))
		return false;
	keep(written, &sight);
	return true;
}

bool written_put(struct written *written, const struct written_file *file, struct slice text, unsigned mode,
		 struct diagnostics *diagnostics)
{
	struct sight sight;

	if (!written->world->sqlite_vfs && look(written, file, &sight)) {
		if (!check(written, &sight, diagnostics))
			return false;
		/* Its folder may not have been there when it was added. */
		keep(written, &sight);
	}
	return written->world->write_file(written->world, file->path, text, mode, diagnostics);
}

static void add_world(struct written *written, struct slice endpoint)
{
	if (endpoint_file(endpoint).size > 0)
		map_mark(&written->worlds, name_world(written, endpoint));
}

static void add_worlds_of_stack(struct written *written, const struct stack *stack)
{
	for (size_t i = 0; i < stack->provider_count; i++) {
		const struct value *settings = &stack->providers[i].settings;

		for (uint32_t k = 0; value_is(settings, VALUE_MAP) && k < settings->count; k++)
			if (value_is(&settings->members[k].value, VALUE_STRING))
				add_world(written, value_slice(&settings->members[k].value));
	}
}

static const struct value *secret_path(const struct value *desired)
{
	const struct value *to = value_get_named(desired, SECRET_TO);

	return to ? value_get_named(to, "file") : NULL;
}

/* A path that is known only once something is made: where two are one text, they will be one path. */
static bool check_later(struct written *written, struct map *later, const struct resource *resource,
			struct diagnostics *diagnostics)
{
	const struct value *path = secret_path(&resource->desired);
	struct written_file file = {.as = WRITTEN_SECRET, .name = resource->address};
	struct slice *name = arena_new(written->arena, struct slice);
	const struct slice *other;

	if (!path || path->type != VALUE_DEFERRED)
		return true;
	file.path = arena_string(written->arena, path->deferred->text);
	file.position = path->position;
	*name = resource->address;
	other = map_add(later, path->deferred->text, name);
	return !other || refuse(&file, writes_there(written, *other), diagnostics);
}

bool written_add_secret(struct written *written, struct slice address, const struct value *desired,
			struct diagnostics *diagnostics)
{
	const struct value *path = secret_path(desired);
	struct written_file file = {.as = WRITTEN_SECRET, .name = address};

	if (!path || !value_is(path, VALUE_STRING))
		return true;
	file.path = written_secret_path(written->folder, value_slice(path), written->arena);
	file.position = path->position;
	return written_add(written, &file, diagnostics);
}

void written_forget_secrets(struct written *written)
{
	struct map files;

	map_init(&files);
	for (size_t i = 0; i < written->files.count; i++) {
		struct written_file *file = written->files.entries[i].item;

		if (file->as != WRITTEN_SECRET)
			map_set(&files, written->files.entries[i].key, file);
	}
	map_release(&written->files);
	written->files = files;
}

void written_forget_kept(struct written *written)
{
	map_release(&written->kept);
	map_init(&written->kept);
}

void written_keep_secret(struct written *written, struct slice address, const struct value *resolved)
{
	const struct value *path = value_is(resolved, VALUE_MAP) ? secret_path(resolved) : NULL;

	if (!path || !value_is(path, VALUE_STRING) || written->world->sqlite_vfs)
		return;
	const char *file = written_secret_path(written->folder, value_slice(path), written->arena);
	const struct slice place = place_of(file, written->arena);
	struct kept_secret *kept = arena_new(written->arena, struct kept_secret);

	if (place.size == 0)
		return;
	*kept = (struct kept_secret){address, map_get(&written->kept, place)};
	map_set(&written->kept, place, kept);
}

static bool check_secrets(struct written *written, const struct stack *stack, struct diagnostics *diagnostics)
{
	bool has_secrets = false, good = true;
	const struct kind *kind = NULL;
	struct map later;

	map_init(&later);
	for (size_t i = 0; i < stack->resource_count; i++) {
		const struct resource *resource = &stack->resources[i];

		if (resource->kind != kind) {
			kind = resource->kind;
			has_secrets = field_named(&kind->fields, SLICE(SECRET_TO)) != NULL;
		}
		if (has_secrets)
			good &= written_add_secret(written, resource->address, &resource->desired, diagnostics) &&
				check_later(written, &later, resource, diagnostics);
	}
	map_release(&later);
	return good;
}

bool written_check_stack(struct written *written, const struct stack *stack, struct diagnostics *diagnostics)
{
	struct sight sight;
	bool good = true;

	if (written->world->sqlite_vfs)
		return true;
	add_worlds_of_stack(written, stack);
	for (size_t i = 0; i < written->files.count; i++)
		if (look(written, written->files.entries[i].item, &sight))
			good &= check(written, &sight, diagnostics);
	good &= check_secrets(written, stack, diagnostics);
	return good;
}

const char *written_secret_path(const char *folder, struct slice path, struct arena *arena)
{
	if (slice_starts_with(path, SLICE("/")))
		return arena_string(arena, path);
	return arena_text(arena, "%s/%.*s", folder, SLICE_ARGUMENTS(path));
}

void written_open(struct written *written, struct world *world, const char *folder, struct arena *arena)
{
	struct slice home = real_path(folder, arena);

	*written = (struct written){.world = world, .arena = arena, .folder = folder, .home = home.data};
	map_init(&written->files);
	map_init(&written->kept);
	map_init(&written->worlds);
	map_init(&written->specs);
	for (char *const *variable = world->variables; variable && *variable; variable++) {
		struct slice value = slice_of(*variable);

		slice_cut(&value, '=');
		add_world(written, value);
	}
}

void written_close(struct written *written)
{
	map_release(&written->files);
	map_release(&written->kept);
	map_release(&written->worlds);
	map_release(&written->specs);
}
