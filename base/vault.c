#include "base/vault.h"

#include "base/digest.h"
#include "base/secret_parts.h"

/* What stands before the text that is sealed, to tell a string from anything else. */
enum { FORM_STRING = 's', FORM_JSON = 'j' };

static struct slice fingerprint_of(const struct vault *vault, struct slice secret, char ret[DIGEST_HEX + 1])
{
	memset(ret, 0, DIGEST_HEX + 1);
	vault->style->fingerprint(vault->style->context, secret, ret);
	return slice_of(ret);
}

/* What has to be the same again for a text to open. */
static struct slice associated(const struct vault *vault, struct slice place, struct slice fingerprint,
			       struct arena *arena)
{
	return arena_format(arena, "trueup sealed 1\n%.*s\n%.*s\n%.*s", SLICE_ARGUMENTS(vault->lineage),
			    SLICE_ARGUMENTS(place), SLICE_ARGUMENTS(fingerprint));
}

void vault_fill(struct vault_filling *filling, const struct vault *vault, struct slice place, struct arena *arena)
{
	*filling = (struct vault_filling){.vault = vault, .place = place, .arena = arena};
	map_init(&filling->seen);
	value_builder_init(&filling->sealed);
}

/* text, its form in front, sealed under a nonce of its own. */
static struct slice seal_anew(const struct vault *vault, struct slice place, struct slice fingerprint,
			      struct slice text, struct arena *arena)
{
	uint8_t nonce[SEAL_NONCE_BYTES];
	struct arena scratch;
	struct slice sealed;

	arena_init(&scratch);
	vault->world->random(vault->world, nonce, sizeof(nonce));
	sealed = seal_text(&scratch, vault->key, nonce, associated(vault, place, fingerprint, &scratch), text);
	sealed = arena_copy(arena, sealed);
	arena_release(&scratch);
	return sealed;
}

/* secret: the text whose fingerprint is taken; body: what follows the form in the sealed text. */
static void add_text(struct vault_filling *filling, char form, struct slice secret, struct slice body)
{
	const struct vault *vault = filling->vault;
	char hex[DIGEST_HEX + 1];
	struct slice fingerprint = fingerprint_of(vault, secret, hex);
	BUFFER_AUTO text;

	buffer_init_wiped(&text, SEAL_LARGEST_BYTES);
	if (map_has(&filling->seen, fingerprint))
		return;
	fingerprint = arena_copy(filling->arena, fingerprint);
	buffer_byte(&text, form);
	buffer_append(&text, body);
	value_builder_member(
		&filling->sealed, fingerprint,
		value_string(seal_anew(vault, filling->place, fingerprint, buffer_slice(&text), filling->arena)));
	map_mark(&filling->seen, fingerprint);
}

/* One too large is left a fingerprint. The NUL in front of what is no string is no part of the JSON. */
static void add_secret(void *context, const struct value *secret)
{
	bool is_string = secret->type == VALUE_STRING;
	BUFFER_AUTO text;

	buffer_init_wiped(&text, SEAL_LARGEST_BYTES);
	if (json_secret_text(&text, secret))
		add_text(context, is_string ? FORM_STRING : FORM_JSON, buffer_slice(&text),
			 slice_from(buffer_slice(&text), is_string ? 0 : 1));
}

void vault_add(struct vault_filling *filling, const struct value *value)
{
	if (filling->vault->key)
		secret_parts_visit(value, add_secret, filling);
}

struct value vault_filled(struct vault_filling *filling)
{
	struct value sealed = value_builder_map(&filling->sealed, filling->arena);

	value_builder_release(&filling->sealed);
	map_release(&filling->seen);
	return sealed;
}

void vault_read(struct vault_reading *reading, const struct vault *vault, struct slice place, struct arena *arena,
		const struct value *sealed, struct diagnostics *diagnostics)
{
	*reading = (struct vault_reading){.vault = vault, .place = place, .arena = arena, .diagnostics = diagnostics};
	map_init(&reading->sealed);
	for (uint32_t i = 0; sealed->type == VALUE_MAP && i < sealed->count; i++)
		map_set(&reading->sealed, value_slice(&sealed->members[i].key), &sealed->members[i].value);
}

void vault_read_end(struct vault_reading *reading)
{
	map_release(&reading->sealed);
}

static bool damaged(const struct vault_reading *reading)
{
	diag_error(reading->diagnostics, FAULT_STALE, NOWHERE,
		   "a secret that was sealed for the %.*s cannot be opened: it is damaged, or was sealed elsewhere",
		   SLICE_ARGUMENTS(reading->place));
	return false;
}

/*
 * Looks up a fingerprint. *ret_body: what was sealed, behind its form; *ret_form 0: nothing was
 * sealed under that fingerprint.
 */
static bool open_text(struct vault_reading *reading, struct slice fingerprint, char *ret_form, struct slice *ret_body)
{
	const struct value *sealed = (const struct value *)map_get(&reading->sealed, fingerprint);
	struct slice text;
	struct arena scratch;
	bool good;

	*ret_form = 0;
	if (!sealed)
		return true;
	arena_init(&scratch);
	good = seal_open(reading->arena, reading->vault->key,
			 associated(reading->vault, reading->place, fingerprint, &scratch), value_slice(sealed), &text);
	arena_release(&scratch);
	if (!good || text.size == 0)
		return damaged(reading);
	*ret_form = text.data[0];
	*ret_body = slice_from(text, 1);
	return true;
}

/* That the right thing was sealed under a fingerprint is not taken on trust. */
static bool is_as_told(const struct vault_reading *reading, const struct value *value, struct slice fingerprint)
{
	char hex[DIGEST_HEX + 1];
	bool good;
	BUFFER_AUTO text;

	buffer_init_wiped(&text, SEAL_LARGEST_BYTES);
	good = json_secret_text(&text, value) &&
	       slice_equal(fingerprint_of(reading->vault, buffer_slice(&text), hex), fingerprint);
	return good || damaged(reading);
}

/* No text that is written from here on shows it. text: of a value that is no string, as JSON. */
static void tell(struct world *world, const struct value *value, struct slice text)
{
	world->keep_secret(world, value->type == VALUE_STRING ? value_slice(value) : text);
	for (uint32_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		tell(world, &value->items[i], SLICE(""));
	for (uint32_t i = 0; value->type == VALUE_MAP && i < value->count; i++)
		tell(world, &value->members[i].value, SLICE(""));
}

static bool find_secret(void *context, struct slice fingerprint, const struct value **ret)
{
	struct vault_reading *reading = context;
	struct value *opened = arena_new(reading->arena, struct value);
	struct slice body;
	char form;

	*ret = NULL;
	if (!open_text(reading, fingerprint, &form, &body))
		return false;
	if (form == FORM_STRING)
		*opened = value_string(body);
	else if (form == FORM_JSON && !json_read(reading->arena, body, false, SEAL_LARGEST_BYTES, "a sealed secret",
						 opened, reading->diagnostics))
		return false;
	if (form && !is_as_told(reading, opened, fingerprint))
		return false;
	if (form && reading->vault->world->keep_secret)
		tell(reading->vault->world, opened, body);
	*ret = form ? opened : NULL;
	return true;
}

bool vault_open(struct vault_reading *reading, const struct value *value, struct value *ret)
{
	return secret_parts_open(reading->arena, value, find_secret, reading, ret);
}

bool vault_reseal(const struct vault *from, const struct vault *to, struct slice place, struct arena *arena,
		  const struct value *sealed, struct value *ret, struct diagnostics *diagnostics)
{
	struct vault_reading reading = {.vault = from, .place = place, .diagnostics = diagnostics};
	struct arena clear;
	bool good = true;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	arena_init(&clear);
	for (uint32_t i = 0; sealed->type == VALUE_MAP && good && i < sealed->count; i++) {
		struct slice fingerprint = value_slice(&sealed->members[i].key), text = {NULL, 0};

		good = seal_open(&clear, from->key, associated(from, place, fingerprint, &clear),
				 value_slice(&sealed->members[i].value), &text) ||
		       damaged(&reading);
		if (good)
			value_builder_member(&builder, fingerprint,
					     value_string(seal_anew(to, place, fingerprint, text, arena)));
	}
	arena_wipe(&clear);
	if (good)
		*ret = value_builder_map(&builder, arena);
	return good;
}
