#include "cli/sealing.h"

#include "base/memory.h"
#include "base/redaction.h"
#include "cli/program_environment.h"
#include "providers/aws/kms.h"

enum {
	KEY_TEXT_MOST_BYTES = 4096,
	COMMAND_MOST_MS = 60 * 1000,
	COMMAND_WORDS_MOST = 64,
	FOLDER_MODE = 0700,
	FILE_MODE = 0600,
	OPEN_TO_OTHERS = 0077,
	CHANGED_BY_OTHERS = 0022,
};

#define KMS_PREFIX "kms:"

static const char KEY_FORMS[] = "a key is 64 hex digits, or the base64 of 32 bytes: 'openssl rand -hex 32' makes one";

/* One look for a key. */
struct search {
	struct world *world;
	struct arena *arena; /* nothing in it is a key */
	struct slice lineage;
	struct slice wanted;
	struct slice wrapped;
	const struct stack *stack; /* or NULL */
	struct sealing_key *key;
	struct diagnostics *diagnostics;
};

/* text holds a key, from where `from` says. */
static bool take_text(struct slice text, const char *from, struct sealing_key *ret, struct diagnostics *diagnostics)
{
	if (!seal_key_read(text, &ret->key)) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "what %s gives is no sealing key", from);
		diag_hint(diagnostics, "%s", KEY_FORMS);
		return false;
	}
	seal_key_id(&ret->key, ret->id);
	ret->from = from;
	return true;
}

/* The key of KMS that a variable names, or an empty slice. */
static struct slice served_key(struct world *world, const char *variable)
{
	struct slice text = slice_of(world->environment(world, variable));

	return slice_starts_with(text, SLICE(KMS_PREFIX)) ? slice_from(text, sizeof(KMS_PREFIX) - 1)
							  : (struct slice){NULL, 0};
}

static bool is_served(struct world *world)
{
	return served_key(world, "TRUEUP_SEALING_KEY").size > 0;
}

struct slice sealing_key_record(struct arena *arena, const struct sealing_key *key)
{
	if (key->wrapped.size == 0)
		return arena_copy(arena, slice_of(key->id));
	return arena_format(arena, "%s %.*s", key->id, SLICE_ARGUMENTS(key->wrapped));
}

static struct kms_key kms_key_of(struct slice name, struct slice lineage)
{
	return (struct kms_key){.name = name, .purpose = SLICE("trueup:stack"), .context = lineage};
}

/* bytes: the key as KMS gives it. */
static bool take_served(struct slice bytes, struct sealing_key *ret, struct diagnostics *diagnostics)
{
	if (bytes.size != SEAL_KEY_BYTES)
		return diag_error(diagnostics, FAULT_INTERNAL, NOWHERE, "KMS gave a key of another size than 256 bits");
	memcpy(ret->key.bytes, bytes.data, SEAL_KEY_BYTES);
	seal_key_id(&ret->key, ret->id);
	ret->from = "AWS KMS";
	return true;
}

static bool make_served(struct world *world, struct arena *arena, struct slice name, struct slice lineage,
			struct sealing_key *ret, struct diagnostics *diagnostics)
{
	struct kms_key key = kms_key_of(name, lineage);
	struct slice bytes, wrapped;
	struct arena clear;
	bool good;

	arena_init(&clear);
	good = kms_make(world, &clear, &key, &bytes, &wrapped, diagnostics) && take_served(bytes, ret, diagnostics);
	if (good)
		ret->wrapped = arena_copy(arena, wrapped);
	arena_wipe(&clear);
	return good;
}

/* Which key it was is known once one was needed. */
static bool find_at_service(struct search *search)
{
	struct slice name = served_key(search->world, "TRUEUP_SEALING_KEY"), bytes;
	struct kms_key key = kms_key_of(name, search->lineage);
	struct arena clear;
	bool good;

	key.id = search->wanted;
	if (search->wanted.size == 0)
		return true;
	if (search->wrapped.size == 0) {
		diag_error(search->diagnostics, FAULT_USER, NOWHERE,
			   "TRUEUP_SEALING_KEY names a key of KMS, and the stack's key %.*s was not made there",
			   SLICE_ARGUMENTS(search->wanted));
		diag_hint(search->diagnostics,
			  "give the key %.*s; 'trueup state rekey' is how a stack gets another key",
			  SLICE_ARGUMENTS(search->wanted));
		return false;
	}
	arena_init(&clear);
	good = kms_open(search->world, &clear, &key, search->wrapped, &bytes, search->diagnostics) &&
	       take_served(bytes, search->key, search->diagnostics);
	arena_wipe(&clear);
	return good;
}

static bool find_in_environment(struct search *search)
{
	const char *text = search->world->environment(search->world, "TRUEUP_SEALING_KEY");

	return !text || !*text || take_text(slice_of(text), "TRUEUP_SEALING_KEY", search->key, search->diagnostics);
}

/*
 * The words of a command: parted by spaces, quotes of either kind keep some together. Nothing
 * else means anything: there is no shell in which it could.
 */
static bool split_words(struct search *search, const char *text, char **words)
{
	size_t size = strlen(text), count = 0;
	char *to = (char *)arena_get(search->arena, size + 1);
	char quote = '\0';
	bool within = false;

	for (size_t i = 0; i < size; i++) {
		char byte = text[i];

		if (!quote && (byte == ' ' || byte == '\t' || byte == '\n')) {
			if (within)
				*to++ = '\0';
			within = false;
			continue;
		}
		if (!within && count == COMMAND_WORDS_MOST)
			return diag_error(search->diagnostics, FAULT_USER, NOWHERE,
					  "TRUEUP_SEALING_KEY_COMMAND has more than %d words", COMMAND_WORDS_MOST);
		if (!within)
			words[count++] = to;
		within = true;
		if (quote ? byte == quote : byte == '"' || byte == '\'')
			quote = quote ? '\0' : byte;
		else
			*to++ = byte;
	}
	words[count] = NULL;
	if (!quote && count > 0)
		return true;
	diag_error(search->diagnostics, FAULT_USER, NOWHERE, "TRUEUP_SEALING_KEY_COMMAND %s",
		   quote ? "has a quote without its end" : "names no program");
	diag_hint(search->diagnostics, "it is a program and its arguments; for more, name a script");
	return false;
}

static bool is_digit_of_key(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
	       byte == '+' || byte == '/';
}

/* Leaves out all that has the form of a key: a program that fails may have written the one it was to give. */
static void hide_keys(struct slice text, struct buffer *ret)
{
	while (text.size > 0) {
		struct seal_key key;
		size_t size = 0;

		while (size < text.size && is_digit_of_key(text.data[size]))
			size++;
		size += size < text.size && text.data[size] == '=';
		if (size > 0 && seal_key_read(slice_first(text, size), &key)) {
			buffer_string(ret, REDACTION_MARK);
			seal_key_wipe(&key);
		} else {
			size += size == 0;
			buffer_append(ret, slice_first(text, size));
		}
		text = slice_from(text, size);
	}
}

/* As secret_sink.c does it: a shell that shows what it does repeats the key. given: the key as it came, or empty. */
static void show_errors(struct world *world, struct slice errors, struct slice given, struct arena *clear)
{
	struct redaction *known = arena_new(clear, struct redaction);
	BUFFER_AUTO shown;

	redaction_init(known);
	redaction_add(known, slice_trim(given));
	buffer_init(&shown, SIZE_MAX);
	hide_keys(redaction_shown(known, errors, clear), &shown);
	buffer_end_line(&shown);
	(void)world->write(world, 2, buffer_slice(&shown));
	redaction_release(known);
}

static bool find_by_command(struct search *search)
{
	struct world *world = search->world;
	const char *command = world->environment(world, "TRUEUP_SEALING_KEY_COMMAND");
	char *words[COMMAND_WORDS_MOST + 1];
	struct slice text = {NULL, 0}, errors = {NULL, 0};
	struct program program = {
		.arguments = words,
		.variables = program_environment(world, search->stack, search->arena),
		.limit_bytes = KEY_TEXT_MOST_BYTES,
		.ret_errors = &errors,
		.timeout_ms = COMMAND_MOST_MS,
	};
	struct arena clear;
	bool good;

	if (!command || !*command)
		return true;
	if (!world->run_program)
		return diag_error(search->diagnostics, FAULT_UNSUPPORTED, NOWHERE,
				  "TRUEUP_SEALING_KEY_COMMAND is set, and no programs can be run here");
	if (!split_words(search, command, words))
		return false;
	arena_init(&clear);
	good = world->run_program(world, &clear, &program, &text, search->diagnostics);
	show_errors(world, errors, text, &clear);
	if (good)
		good = take_text(text, "TRUEUP_SEALING_KEY_COMMAND", search->key, search->diagnostics);
	else
		diag_hint(search->diagnostics, "TRUEUP_SEALING_KEY_COMMAND names the program that prints the stack's "
					       "sealing key");
	arena_wipe(&clear);
	return good;
}

/* The folder of keys, or NULL where the user has no home. */
const char *sealing_key_folder(struct world *world, struct arena *arena)
{
	const char *settings = world->environment(world, "XDG_CONFIG_HOME");
	const char *home = world->environment(world, "HOME");

	/* A relative one is to be ignored (XDG Base Directory Specification 0.8). */
	if (settings && settings[0] == '/')
		return arena_text(arena, "%s/trueup", settings);
	return home && home[0] == '/' ? arena_text(arena, "%s/.config/trueup", home) : NULL;
}

static const char *key_path(struct arena *arena, const char *folder, struct slice lineage, struct slice id)
{
	return arena_text(arena, "%s/%.*s-%.*s.key", folder, SLICE_ARGUMENTS(lineage), SLICE_ARGUMENTS(id));
}

static bool check_private(struct world *world, const char *folder, const char *path, struct diagnostics *diagnostics)
{
	return !world->check_private || (world->check_private(world, folder, CHANGED_BY_OTHERS, diagnostics) &&
					 world->check_private(world, path, OPEN_TO_OTHERS, diagnostics));
}

static bool read_key_file(struct search *search, const char *folder, const char *path)
{
	struct arena clear;
	struct diagnostics findings;
	struct slice text;
	bool good, absent = false;

	arena_init(&clear);
	diagnostics_init(&findings, search->arena);
	good = search->world->read_file(search->world, &clear, path, KEY_TEXT_MOST_BYTES, &text, &findings);
	if (!good && findings.count > 0)
		absent = findings.items[0].fault == FAULT_ABSENT;
	if (!absent)
		diagnostics_join(search->diagnostics, &findings);
	diagnostics_release(&findings);
	if (good)
		good = check_private(search->world, folder, path, search->diagnostics) &&
		       take_text(text, arena_text(search->arena, "the file '%s'", path), search->key,
				 search->diagnostics);
	if (good)
		search->key->path = path;
	arena_wipe(&clear);
	return good || absent;
}

static bool find_in_file(struct search *search)
{
	const char *folder = sealing_key_folder(search->world, search->arena);

	/* Which file it is, is known once a key was needed. */
	return !folder || search->wanted.size == 0 ||
	       read_key_file(search, folder, key_path(search->arena, folder, search->lineage, search->wanted));
}

/* Every folder on the way, the last for the user alone. */
static bool make_folders(struct world *world, struct arena *arena, const char *folder, struct diagnostics *diagnostics)
{
	struct slice path = slice_of(folder);

	for (size_t i = 1; i <= path.size; i++) {
		if (i < path.size && path.data[i] != '/')
			continue;
		if (!world->make_folder(world, arena_string(arena, slice_first(path, i)), FOLDER_MODE, diagnostics))
			return false;
	}
	return true;
}

static bool make_in_file(struct world *world, struct arena *arena, struct slice lineage, struct sealing_key *ret,
			 struct diagnostics *diagnostics)
{
	const char *folder = sealing_key_folder(world, arena);
	char text[2 * SEAL_KEY_BYTES + 2];
	struct sealing_key key = {0};
	bool good;

	if (!folder)
		return diag_error(diagnostics, FAULT_ABSENT, NOWHERE,
				  "neither XDG_CONFIG_HOME nor HOME names a folder, from the root on");
	world->random(world, key.key.bytes, sizeof(key.key.bytes));
	seal_key_id(&key.key, key.id);
	key.path = key_path(arena, folder, lineage, slice_of(key.id));
	key.from = arena_text(arena, "the file '%s'", key.path);
	seal_key_write(&key.key, text);
	text[sizeof(text) - 2] = '\n';
	good = make_folders(world, arena, folder, diagnostics) &&
	       (!world->check_private || world->check_private(world, folder, CHANGED_BY_OTHERS, diagnostics)) &&
	       world->write_file(world, key.path, (struct slice){text, sizeof(text) - 1}, FILE_MODE, diagnostics);
	if (good)
		*ret = key;
	memory_wipe(text, sizeof(text));
	sealing_key_wipe(&key);
	return good;
}

static bool make_at_service(struct world *world, struct arena *arena, struct slice lineage, struct sealing_key *ret,
			    struct diagnostics *diagnostics)
{
	return make_served(world, arena, served_key(world, "TRUEUP_SEALING_KEY"), lineage, ret, diagnostics);
}

/* Where a stack's key comes from. */
struct key_source {
	/* Whether the user named it, so that no other is asked; NULL: never. */
	bool (*is_named)(struct world *world);
	/* Where it comes from the environment: without that it is not asked. */
	const char *variable;
	/* Leaves search->key as it is where there is none. */
	bool (*find)(struct search *search);
	/* Makes the first key of a stack; ret is left as it is where it cannot. NULL: never. */
	bool (*make)(struct world *world, struct arena *arena, struct slice lineage, struct sealing_key *ret,
		     struct diagnostics *diagnostics);
	/* Whoever cannot keep a key that is made works without one, and loses only the convenience. */
	bool may_fail;
};

/* In the order in which they are asked. */
static const struct key_source sources[] = {
	{.is_named = is_served, .variable = "TRUEUP_SEALING_KEY", .find = find_at_service, .make = make_at_service},
	{.variable = "TRUEUP_SEALING_KEY", .find = find_in_environment},
	{.variable = "TRUEUP_SEALING_KEY_COMMAND", .find = find_by_command},
	{.find = find_in_file, .make = make_in_file, .may_fail = true},
};

enum { SOURCE_COUNT = sizeof(sources) / sizeof(sources[0]) };

/* The one that the user named, or NULL. */
static const struct key_source *named_source(struct world *world)
{
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		if (sources[i].is_named && sources[i].is_named(world))
			return &sources[i];
	return NULL;
}

static bool is_asked(const struct key_source *source, const struct key_source *named)
{
	return named ? source == named : !source->is_named;
}

const char *sealing_key_variable(struct world *world)
{
	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		const char *text = sources[i].variable ? world->environment(world, sources[i].variable) : NULL;

		if (text && *text)
			return sources[i].variable;
	}
	return NULL;
}

static bool is_wanted(const struct search *search)
{
	if (search->wanted.size == 0 || slice_is(search->wanted, search->key->id))
		return true;
	diag_error(search->diagnostics, FAULT_USER, NOWHERE,
		   "the secrets of the stack are sealed under the key %.*s, and %s gives the key %s",
		   SLICE_ARGUMENTS(search->wanted), search->key->from, search->key->id);
	diag_hint(search->diagnostics, "give the key %.*s; 'trueup state rekey' is how a stack gets another key",
		  SLICE_ARGUMENTS(search->wanted));
	return false;
}

bool sealing_key_find(struct world *world, struct arena *arena, const struct stack_record *record,
		      const struct stack *stack, struct sealing_key *ret, struct diagnostics *diagnostics)
{
	struct sealing_key key = {0};
	struct search search = {
		.world = world,
		.arena = arena,
		.lineage = record->lineage,
		.wanted = record->sealing_key,
		.wrapped = record->wrapped_key,
		.stack = stack,
		.key = &key,
		.diagnostics = diagnostics,
	};
	const struct key_source *named = named_source(world);
	bool good = true;

	for (size_t i = 0; good && !key.from && i < SOURCE_COUNT; i++)
		if (is_asked(&sources[i], named))
			good = sources[i].find(&search);
	good = good && (!key.from || is_wanted(&search));
	if (good)
		*ret = key;
	sealing_key_wipe(&key);
	return good;
}

bool sealing_key_new(struct world *world, struct arena *arena, struct slice lineage, struct sealing_key *ret,
		     struct diagnostics *diagnostics)
{
	const char *text = world->environment(world, "TRUEUP_NEW_SEALING_KEY");
	struct slice served = served_key(world, "TRUEUP_NEW_SEALING_KEY");

	*ret = (struct sealing_key){0};
	if (served.size > 0)
		return make_served(world, arena, served, lineage, ret, diagnostics);
	return !text || !*text || take_text(slice_of(text), "TRUEUP_NEW_SEALING_KEY", ret, diagnostics);
}

/* Texts of an arena that outlives the findings. */
static struct slice unmade(const struct diagnostics *findings)
{
	const struct diag *first = diagnostics_first_error(findings);

	return first ? first->message : (struct slice){NULL, 0};
}

static bool make_from(const struct key_source *source, struct world *world, struct arena *arena, struct slice lineage,
		      struct sealing_key *ret, struct diagnostics *diagnostics)
{
	struct diagnostics findings;
	bool good;

	diagnostics_init(&findings, arena);
	good = source->make(world, arena, lineage, ret, &findings);
	if (!good && source->may_fail)
		ret->unmade = unmade(&findings);
	else if (!good)
		diagnostics_join(diagnostics, &findings);
	diagnostics_release(&findings);
	return good || source->may_fail;
}

bool sealing_key_make(struct world *world, struct arena *arena, struct slice lineage, struct sealing_key *ret,
		      struct diagnostics *diagnostics)
{
	const struct key_source *named = named_source(world);

	*ret = (struct sealing_key){0};
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		if (is_asked(&sources[i], named) && sources[i].make)
			return make_from(&sources[i], world, arena, lineage, ret, diagnostics);
	return true;
}

void sealing_key_wipe(struct sealing_key *key)
{
	seal_key_wipe(&key->key);
	*key = (struct sealing_key){0};
}
