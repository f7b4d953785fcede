#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/seal.h"
#include "base/vault.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

#define HEX "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define BASE64 "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static struct seal_key key_of(uint8_t first)
{
	struct seal_key key;

	for (size_t i = 0; i < SEAL_KEY_BYTES; i++)
		key.bytes[i] = (uint8_t)(first + i);
	return key;
}

static void test_key_read(void **state)
{
	static const struct {
		const char *name, *text;
		bool good;
	} rows[] = {
		{"hex", HEX, true},
		{"hex in capitals", "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F", true},
		{"hex with an end of line", HEX "\n", true},
		{"base64", BASE64, true},
		{"base64 with white space around it", " " BASE64 "\r\n", true},
		{"nothing", "", false},
		{"one digit less", "00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", false},
		{"a digit that is none", "g00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", false},
		{"two lines", HEX "\n" HEX, false},
		{"base64 of 31 bytes", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", false},
		{"base64 without its end", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", false},
		{"base64 with bits left over", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", false},
		{"base64 with a space within", "AAECAwQFBgcICQoLDA0ODxAR HhMUFRYXGBkaGxwdHg=", false},
	};
	const struct seal_key expected = key_of(0);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct seal_key key = key_of(7);
		bool good = seal_key_read(slice_of(rows[i].text), &key);
		const struct seal_key untouched = key_of(7);

		if (good != rows[i].good || memcmp(&key, good ? &expected : &untouched, sizeof(key)) != 0)
			fail_msg("%s", rows[i].name);
	}
}

static void test_key_id(void **state)
{
	char id[SEAL_KEY_ID_HEX + 1], other[SEAL_KEY_ID_HEX + 1], hex[2 * SEAL_KEY_BYTES + 1];
	struct seal_key key = key_of(0), next = key_of(1);

	(void)state;
	seal_key_id(&key, id);
	seal_key_id(&next, other);
	/* Python: hmac.new(bytes(range(32)), b"trueup sealing key id", "sha256").hexdigest()[:16] */
	assert_string_equal(id, "c23f7110ba60172d");
	assert_string_not_equal(id, other);
	seal_key_write(&key, hex);
	assert_string_equal(hex, HEX);
}

static void test_key_wipe(void **state)
{
	const struct seal_key none = {{0}};
	struct seal_key key = key_of(1);

	(void)state;
	seal_key_wipe(&key);
	assert_memory_equal(&key, &none, sizeof(none));
}

/* The answers are those of Python's cryptography package (AESGCM), nonce in front. */
static void test_known_answers(void **state)
{
	static const struct {
		const char *name, *place, *text, *sealed;
	} rows[] = {
		{"a text in a place", "here", "correct horse",
		 "ZGVmZ2hpamtsbW5vK3SsFByKIr5WDS2bvx7Z9sUylULTDl10YAUBqXE="},
		{"no text", "here", "", "ZGVmZ2hpamtsbW5vNz5/ROuWDT7pTl5EyRIj1A=="},
		{"no place", "", "battery staple", "ZGVmZ2hpamtsbW5vKnqqEhybL75NFj6YtgB86UInKX+6G5G/7FuQxgeU"},
		{"more than a block", "a place that is longer than one block", "0123456789abcdef0123456789abcdef+",
		 "ZGVmZ2hpamtsbW5veCrsVU3cYKkGWz6KuQEPm3LzNDm/WcVFn+jNKpjHwC6/Tv5zlU+iZ02T48TddhcZsg=="},
	};
	const struct seal_key key = key_of(0);
	uint8_t nonce[SEAL_NONCE_BYTES];
	struct arena arena;

	(void)state;
	for (size_t i = 0; i < SEAL_NONCE_BYTES; i++)
		nonce[i] = (uint8_t)(100 + i);
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice place = slice_of(rows[i].place), text = slice_of(rows[i].text), back;
		struct slice sealed = seal_text(&arena, &key, nonce, place, text);

		if (!slice_is(sealed, rows[i].sealed))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(sealed));
		if (!seal_open(&arena, &key, place, sealed, &back) || !slice_equal(back, text))
			fail_msg("%s: not opened", rows[i].name);
	}
	arena_release(&arena);
}

static void test_refused(void **state)
{
	static const uint8_t nonce[SEAL_NONCE_BYTES] = {1, 2, 3};
	static const struct {
		const char *name;
		uint8_t key;
		const char *place, *sealed; /* sealed NULL: as it was made */
	} rows[] = {
		{"another key", 1, "here", NULL},
		{"another place", 0, "there", NULL},
		{"no place", 0, "", NULL},
		{"nothing sealed", 0, "here", ""},
		{"less than a nonce and a tag", 0, "here", "AAECAwQFBgcICQoLDA0ODxAR"},
		{"no base64", 0, "here", "!!!!"},
	};
	const struct seal_key key = key_of(0);
	struct slice sealed, back = SLICE("untouched"), bytes;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	sealed = seal_text(&arena, &key, nonce, SLICE("here"), SLICE("correct horse"));
	assert_true(seal_open(&arena, &key, SLICE("here"), sealed, &back));
	back = SLICE("untouched");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct seal_key used = key_of(rows[i].key);

		if (seal_open(&arena, &used, slice_of(rows[i].place),
			      rows[i].sealed ? slice_of(rows[i].sealed) : sealed, &back) ||
		    !slice_is(back, "untouched"))
			fail_msg("%s", rows[i].name);
	}
	assert_true(base64_decode(&arena, sealed, &bytes));
	/* Every bit, and every end. */
	for (size_t i = 0; i < bytes.size * 8; i++) {
		struct slice copy = arena_copy(&arena, bytes);
		char *flipped = (char *)arena_get(&arena, copy.size);

		memcpy(flipped, copy.data, copy.size);
		flipped[i / 8] = (char)(flipped[i / 8] ^ (1 << i % 8));
		if (seal_open(&arena, &key, SLICE("here"), base64_encode(&arena, (struct slice){flipped, copy.size}),
			      &back))
			fail_msg("bit %zu flipped", i);
	}
	for (size_t size = 0; size < bytes.size; size++)
		if (seal_open(&arena, &key, SLICE("here"), base64_encode(&arena, slice_first(bytes, size)), &back))
			fail_msg("cut to %zu bytes", size);
	arena_release(&arena);
}

/* A world that counts instead of throwing dice, and a fingerprint that anybody can compute. */
static void count_up(struct world *world, void *bytes, size_t size)
{
	uint8_t *counter = (uint8_t *)world->context;

	memset(bytes, 0, size);
	memcpy(bytes, counter, 1);
	++*counter;
}

static void fingerprint(void *context, struct slice secret, char ret[65])
{
	struct digest digest = digest_keyed(slice_of((const char *)context), secret);

	digest_hex(&digest, ret);
}

struct fixture {
	struct arena arena;
	struct diagnostics diagnostics;
	struct world world;
	struct seal_key key;
	struct json_style style;
	struct vault vault;
	uint8_t counter;
	char fingerprint_key[8];
};

/* What the world was told of, each between spaces. */
static char kept[256];

static void keep_secret(struct world *world, struct slice secret)
{
	size_t size = strlen(kept);

	(void)world;
	snprintf(kept + size, sizeof(kept) - size, " %.*s ", SLICE_ARGUMENTS(secret));
}

static void fixture_open(struct fixture *fixture)
{
	*fixture = (struct fixture){.key = key_of(0), .fingerprint_key = "stack"};
	arena_init(&fixture->arena);
	diagnostics_init(&fixture->diagnostics, &fixture->arena);
	kept[0] = '\0';
	fixture->world = (struct world){.context = &fixture->counter, .random = count_up, .keep_secret = keep_secret};
	fixture->style = (struct json_style){.fingerprint = fingerprint, .context = fixture->fingerprint_key};
	fixture->vault = (struct vault){&fixture->world, &fixture->key, SLICE("lineage"), &fixture->style};
}

static void fixture_close(struct fixture *fixture)
{
	diagnostics_release(&fixture->diagnostics);
	arena_release(&fixture->arena);
}

static struct value secret_of(struct value value)
{
	value.secret = true;
	return value;
}

/* {"a": a secret, "b": a text with one, "c": a secret number, "d": a secret map, "e": deferred, "f": clear} */
static struct value sample(struct arena *arena)
{
	static const struct segment segments[] = {{{"user:", 5}, false}, {{"hunter2", 7}, true}, {{"@host", 5}, false}};
	static const struct value ports[] = {{.type = VALUE_INTEGER, .integer = 22}, {.type = VALUE_NULL}};
	struct deferred *deferred = arena_new(arena, struct deferred);
	struct value *secrets = arena_new(arena, struct value);
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	value_builder_member(&builder, SLICE("var.token"), secret_of(value_text("t0ken")));
	*secrets = value_builder_map(&builder, arena);
	*deferred = (struct deferred){.text = SLICE("${aws.vpc.a.id}-${var.token}"), .secrets = secrets};
	value_builder_member(&builder, SLICE("ports"), value_list(ports, 2));
	struct value map = value_secret(arena, value_builder_map(&builder, arena));
	value_builder_member(&builder, SLICE("a"), secret_of(value_text("hunter2")));
	value_builder_member(&builder, SLICE("b"), value_segments(arena, segments, 3));
	value_builder_member(&builder, SLICE("c"), secret_of(value_integer(5)));
	value_builder_member(&builder, SLICE("d"), map);
	value_builder_member(&builder, SLICE("e"), value_deferred(deferred));
	value_builder_member(&builder, SLICE("f"), value_text("clear"));
	value_builder_member(&builder, SLICE("g"), secret_of(value_text("5")));
	return value_builder_map(&builder, arena);
}

static struct value fill(struct fixture *fixture, const char *place, const struct value *value)
{
	struct vault_filling filling;

	vault_fill(&filling, &fixture->vault, slice_of(place), &fixture->arena);
	vault_add(&filling, value);
	return vault_filled(&filling);
}

/* As it comes back from a file. */
static struct value written(struct fixture *fixture, const struct value *value)
{
	struct slice text = json_canonical(&fixture->arena, value, &fixture->style);
	struct value back;

	if (slice_contains(text, SLICE("hunter2")) || slice_contains(text, SLICE("t0ken")))
		fail_msg("in clear: %.*s", SLICE_ARGUMENTS(text));
	assert_true(json_read(&fixture->arena, text, true, 1 << 20, "a test", &back, &fixture->diagnostics));
	struct value sealed = json_seal(&fixture->arena, value, &fixture->style);
	assert_true(value_equal(&sealed, &back));
	return back;
}

static void test_vault(void **state)
{
	struct fixture fixture;
	struct vault_reading reading;
	struct value opened;

	(void)state;
	fixture_open(&fixture);
	struct value value = sample(&fixture.arena), back = written(&fixture, &value);
	struct value sealed = fill(&fixture, "plan", &value);
	/* "hunter2" stands there twice; "5" and 5 are two. */
	assert_int_equal(sealed.count, 5);
	assert_true(value_has_fingerprint(&back));
	vault_read(&reading, &fixture.vault, SLICE("plan"), &fixture.arena, &sealed, &fixture.diagnostics);
	assert_true(vault_open(&reading, &back, &opened));
	vault_read_end(&reading);
	assert_non_null(strstr(kept, " hunter2 "));
	assert_non_null(strstr(kept, " t0ken "));
	assert_null(strstr(kept, "clear"));
	assert_false(value_has_fingerprint(&opened));
	/* All marks are there again: it would be written as before. */
	assert_true(slice_equal(json_canonical(&fixture.arena, &opened, &fixture.style),
				json_canonical(&fixture.arena, &value, &fixture.style)));
	assert_true(value_equal(&opened, &value));
	fixture_close(&fixture);
}

static void test_vault_refuses(void **state)
{
	static const struct {
		const char *name;
		uint8_t key;
		const char *lineage, *place, *fingerprint_key;
		bool swapped;
	} rows[] = {
		{"another key", 1, "lineage", "plan", "stack", false},
		{"another stack", 0, "other", "plan", "stack", false},
		{"another place", 0, "lineage", "intent", "stack", false},
		{"another state's fingerprints", 0, "lineage", "plan", "other", false},
		{"two sealed texts swapped", 0, "lineage", "plan", "stack", true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fixture fixture;
		struct vault_reading reading;
		struct value opened = value_text("untouched");

		fixture_open(&fixture);
		struct value value = sample(&fixture.arena), back = written(&fixture, &value);
		struct value sealed = fill(&fixture, "plan", &value);
		if (rows[i].swapped) {
			struct value_member *members =
				arena_new_array(&fixture.arena, sealed.count, struct value_member);

			memcpy(members, sealed.members, sealed.count * sizeof(*members));
			members[0].value = sealed.members[1].value;
			members[1].value = sealed.members[0].value;
			sealed = value_map(members, sealed.count);
		}
		fixture.key = key_of(rows[i].key);
		fixture.vault.lineage = slice_of(rows[i].lineage);
		memcpy(fixture.fingerprint_key, rows[i].fingerprint_key, strlen(rows[i].fingerprint_key));
		vault_read(&reading, &fixture.vault, slice_of(rows[i].place), &fixture.arena, &sealed,
			   &fixture.diagnostics);
		bool good = vault_open(&reading, &back, &opened);
		vault_read_end(&reading);
		if (good || fixture.diagnostics.error_count == 0 || !slice_is(value_slice(&opened), "untouched"))
			fail_msg("%s", rows[i].name);
		fixture_close(&fixture);
	}
}

static void test_vault_without_key(void **state)
{
	struct fixture fixture;
	struct vault_reading reading;
	struct value opened;

	(void)state;
	fixture_open(&fixture);
	struct value value = sample(&fixture.arena), back = written(&fixture, &value);
	fixture.vault.key = NULL;
	struct value sealed = fill(&fixture, "plan", &value);
	assert_int_equal(sealed.count, 0);
	assert_int_equal(fixture.counter, 0);
	/* What was not sealed stays a fingerprint. */
	fixture.vault.key = &fixture.key;
	vault_read(&reading, &fixture.vault, SLICE("plan"), &fixture.arena, &sealed, &fixture.diagnostics);
	assert_true(vault_open(&reading, &back, &opened));
	vault_read_end(&reading);
	assert_true(value_equal(&opened, &back) && value_has_fingerprint(&opened));
	fixture_close(&fixture);
}

/* Every sealing asks the world for a nonce of its own, also of the same secret, and uses it. */
static void test_nonces(void **state)
{
	struct fixture fixture;
	struct value rounds[2];

	(void)state;
	fixture_open(&fixture);
	struct value value = sample(&fixture.arena);
	for (size_t i = 0; i < COUNT(rounds); i++)
		rounds[i] = fill(&fixture, "plan", &value);
	assert_int_equal(fixture.counter, 2 * rounds[0].count);
	for (uint32_t i = 0; i < 2 * rounds[0].count; i++) {
		const struct value *a = &rounds[i / rounds[0].count].members[i % rounds[0].count].value;
		struct slice bytes;

		assert_true(base64_decode(&fixture.arena, value_slice(a), &bytes));
		assert_int_equal((uint8_t)bytes.data[0], i);
		for (size_t j = 1; j < SEAL_NONCE_BYTES; j++)
			assert_int_equal(bytes.data[j], 0);
	}
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_read),      cmocka_unit_test(test_key_id),
		cmocka_unit_test(test_key_wipe),      cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_refused),	      cmocka_unit_test(test_vault),
		cmocka_unit_test(test_vault_refuses), cmocka_unit_test(test_vault_without_key),
		cmocka_unit_test(test_nonces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
