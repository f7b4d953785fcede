#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/digest.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void test_digest(void **state)
{
	/* FIPS 180-4 examples and NIST's short messages. */
	static const struct {
		const char *name, *text, *hex;
	} rows[] = {
		{"nothing", NULL, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"one block", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct digest digest = digest_of(slice_of(rows[i].text)), back;
		char hex[DIGEST_HEX + 1];

		digest_hex(&digest, hex);
		if (strcmp(hex, rows[i].hex) != 0 || !slice_is(digest_text(&arena, &digest), rows[i].hex))
			fail_msg("%s: %s", rows[i].name, hex);
		if (!digest_read(slice_of(hex), &back) || !digest_equal(&digest, &back))
			fail_msg("%s: not read back", rows[i].name);
		back.bytes[31] ^= 1;
		if (digest_equal(&digest, &back))
			fail_msg("%s: equal to another", rows[i].name);
	}
	arena_release(&arena);
}

static void test_keyed(void **state)
{
	/* RFC 4231, test cases 1, 2, 3 and 6, and Python's hmac module for the empty ones. */
	static const struct {
		const char *name, *key;
		size_t key_count; /* bytes of key's first byte where not 0 */
		const char *text;
		size_t text_count;
		const char *hex;
	} rows[] = {
		{"case 1", "\x0b", 20, "Hi There", 0,
		 "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{"case 2", "Jefe", 0, "what do ya want for nothing?", 0,
		 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{"case 3", "\xaa", 20, "\xdd", 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
		{"case 6", "\xaa", 131, "Test Using Larger Than Block-Size Key - Hash Key First", 0,
		 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
		{"no key and no text", "", 0, "", 0,
		 "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char key[200], text[200], hex[DIGEST_HEX + 1];
		struct slice key_slice = slice_of(rows[i].key), text_slice = slice_of(rows[i].text);
		struct digest digest;

		if (rows[i].key_count > 0)
			key_slice = (struct slice){memset(key, rows[i].key[0], rows[i].key_count), rows[i].key_count};
		if (rows[i].text_count > 0)
			text_slice =
				(struct slice){memset(text, rows[i].text[0], rows[i].text_count), rows[i].text_count};
		digest = digest_keyed(key_slice, text_slice);
		digest_hex(&digest, hex);
		if (strcmp(hex, rows[i].hex) != 0)
			fail_msg("%s: %s", rows[i].name, hex);
	}
	{
		struct digest a = digest_keyed(SLICE(""), SLICE("")), b = digest_keyed(slice_of(NULL), slice_of(NULL));

		assert_true(digest_equal(&a, &b));
	}
}

static void test_read_refuses(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"nothing", ""},
		{"one short", "3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"one long", "0e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"upper case", "E3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"no digit at the end", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85g"},
		{"below the digits", "/3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"below the letters", "`3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"a space", "e3b0c44298fc1c149afbf4c8996fb92 27ae41e4649b934ca495991b7852b855"},
	};
	struct digest untouched = digest_of(SLICE("x")), digest = untouched;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (digest_read(slice_of(rows[i].text), &digest))
			fail_msg("%s: taken", rows[i].name);
		if (!digest_equal(&digest, &untouched))
			fail_msg("%s: changed what it refused", rows[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_keyed),
		cmocka_unit_test(test_read_refuses),
	};

	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
