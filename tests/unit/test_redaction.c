#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "base/base64.h"
#include "base/redaction.h"
#include "tests/unit/support_rounds.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void test_forms(void **state)
{
	static const struct {
		const char *name, *secret, *text, *shown;
	} rows[] = {
		{"nothing known", NULL, "correct horse", "correct horse"},
		{"too short", "horse", "correct horse", "correct horse"},
		{"as it is", "correct horse", "a correct horse b", "a (secret) b"},
		{"at both ends", "hunter2", "hunter2 hunter2", "(secret) (secret)"},
		{"all of it", "hunter2", "hunter2", "(secret)"},
		{"side by side", "hunter2", "hunter2hunter2", "(secret)(secret)"},
		{"not quite", "hunter2", "hunter3 hunter", "hunter3 hunter"},
		{"a false start", "aaaaaab", "aaaaaaab", "a(secret)"},
		{"as JSON", "a\"b\\c\nd", "{\"k\":\"a\\\"b\\\\c\\nd\"}", "{\"k\":\"(secret)\"}"},
		{"as JSON with slashes", "a/b/c/d", "\"a\\/b\\/c\\/d\"", "\"(secret)\""},
		{"as XML", "a<b>&'c'", "<Key>a&lt;b&gt;&amp;&apos;c&apos;</Key>", "<Key>(secret)</Key>"},
		{"as the text of XML", "a<b>&'c'", "<Key>a&lt;b&gt;&amp;'c'</Key>", "<Key>(secret)</Key>"},
		{"as XML with numbers", "a<b>&'c'", "<Key>a&lt;b&gt;&amp;&#39;c&#39;</Key>", "<Key>(secret)</Key>"},
		{"as HTML with numbers of two bases", "a<b>&'c'\"", "<p>a&#60;b&#x3E;&amp;&#x27;c&#39;&#34;</p>",
		 "<p>(secret)</p>"},
		{"as XML with numbers of letters",
		 "Gr\xc3\xbc\xc3\x9f"
		 "e-\xf0\x9f\x98\x80",
		 "Gr&#252;&#xDF;e-&#128512;", "(secret)"},
		{"as JSON of plain letters",
		 "Gr\xc3\xbc\xc3\x9f"
		 "e-\xf0\x9f\x98\x80",
		 "Gr\\u00fc\\u00DFe-\\ud83d\\ude00", "(secret)"},
		{"as JSON within HTML", "pass&word<3", "pass\\u0026word\\u003c3", "(secret)"},
		{"as JSON, some of it", "pass&word<3", "pass&word\\u003c3", "(secret)"},
		{"numbers that are none", "&#x;&#1114112;\\ud83d\\u12", "&#x;&#1114112;\\ud83d\\u12", "(secret)"},
		{"half a pair", "smile\xf0\x9f\x98\x80", "smile\\ud83d", "smile\\ud83d"},
		{"of two kinds", "a&b\"c&d", "a&amp;b\\u0022c&d", "a&amp;b\\u0022c&d"},
		{"in a query", "a b/c+d=", "?k=a%20b%2Fc%2Bd%3D&l=1", "?k=(secret)&l=1"},
		{"in a query, small letters", "a b/c+d=", "?k=a%20b%2fc%2bd%3d", "?k=(secret)"},
		{"in a form", "a b/c+d=", "k=a+b%2Fc%2Bd%3D", "k=(secret)"},
		{"a tilde in a form", "a~b c+d", "k=a%7Eb+c%2Bd", "k=(secret)"},
		{"as JSON with slashes, and what cannot be seen",
		 "a/b\x1f"
		 "c/d",
		 "\"a\\/b\\u001fc\\/d\"", "\"(secret)\""},
		{"as at a terminal", "one\n\"two\"\\\x1b", "a one\\n\"two\"\\\\x1b b", "a (secret) b"},
		{"as at a terminal between quotes", "one\n\"two\"\\\x1b", "\"one\\n\\\"two\\\"\\\\\\x1b\"",
		 "\"(secret)\""},
		{"as at a terminal, of no width",
		 "left\xe2\x80\x8b"
		 "right",
		 "left\\xe2\\x80\\x8bright", "(secret)"},
		{"as base64 with all digits", "oo?>>>oo?", "k=b28/Pj4+b28/", "k=(secret)"},
		{"as base64 in a form", "oo?>>>oo?", "k=b28%2FPj4%2Bb28%2F", "k=(secret)"},
		{"as base64 in a form, small letters", "oo?>>>oo?", "k=b28%2fPj4%2bb28%2f", "k=(secret)"},
		{"as base64 in JSON with slashes", "oo?>>>oo?", "\"b28\\/Pj4+b28\\/\"", "\"(secret)\""},
		{"as base64 over lines", "oo?>>>oo?", "k: |\n  b2\n  8/Pj4+b28/\n  b2", "k: |\n  (secret)\n  b2"},
		{"as base64 over lines, in JSON", "oo?>>>oo?", "\"b28\\/\\nPj4+\\r\\nb28\\/\\n\"", "\"(secret)\\n\""},
		{"as base64 over lines, for URLs", "oo?>>>oo?", "b28_Pj4\n-b28_\n", "(secret)\n"},
		{"as base64 with numbers for digits", "oo?>>>oo?", "b28/Pj4&#43;b28/", "(secret)"},
		{"as base64 with hexadecimal numbers", "oo?>>>oo?", "b28&#x2f;Pj4&#x2B;b28&#X2F;", "(secret)"},
		{"as base64 with units for digits", "oo?>>>oo?", "\"b28\\u002fPj4\\u002Bb28\\u002F\"", "\"(secret)\""},
		{"as base64 over lines, in XML", "oo?>>>oo?", "b28/&#xd;&#xa; Pj4+b28/", "(secret)"},
		{"as base64 out of a form", "oo?>>>oo?", "k=b28/Pj4 b28/", "k=(secret)"},
		{"as base64 out of a form, from its start", "oo>oo>oo>", "k=b28 b28 b28 &l", "k=(secret)&l"},
		{"words between which there is a blank", "oo?>>>oo?", "b28/ Pj4+b28/", "b28/ Pj4+b28/"},
		{"one line of several", "set -eu\n  login correct-horse-battery\r\n",
		 "line 2: login correct-horse-battery: set -eu", "line 2: (secret): set -eu"},
		{"one line of several, encoded", "one\nlogin correct-horse",
		 "bG9naW4gY29ycmVjdC1ob3JzZQ==", "(secret)Q=="},
		{"each line indented", "login correct-horse\nlogin battery-staple",
		 "  login correct-horse\n  login battery-staple", "  (secret)\n  (secret)"},
		{"the border of a key", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n",
		 "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG", "-----BEGIN PRIVATE KEY-----\n(secret)"},
		{"what a line of a document quotes", "<configuration>\n  <connection id=\"vpn-0123456789abcdef0\">\n",
		 "vpn-0123456789abcdef0", "vpn-0123456789abcdef0"},
		{"of the least length, at the end", "geheim", "a geheim", "a (secret)"},
		{"as base64", "hunter2", "aHVudGVyMg==", "(secret)Mg=="},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct redaction redaction;
		BUFFER_AUTO shown;

		redaction_init(&redaction);
		buffer_init(&shown, 1000);
		if (rows[i].secret)
			redaction_add(&redaction, slice_of(rows[i].secret));
		redaction_apply(&redaction, slice_of(rows[i].text), &shown);
		if (!slice_is(buffer_slice(&shown), rows[i].shown) &&
		    /* The last digits of base64 without padding share no byte with what follows. */
		    !(strcmp(rows[i].name, "as base64") == 0 && slice_is(buffer_slice(&shown), "(secret)g==")))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(buffer_slice(&shown)));
		if (redaction_finds(&redaction, slice_of(rows[i].text)) == (strcmp(rows[i].text, rows[i].shown) == 0))
			fail_msg("%s: what is struck out is not found", rows[i].name);
		redaction_release(&redaction);
	}
}

/* In the alphabet for URLs and file names. */
static struct slice for_url(struct arena *arena, struct slice encoded)
{
	char *text = arena_get(arena, encoded.size + 1);

	for (size_t i = 0; i < encoded.size; i++)
		text[i] = encoded.data[i] == '+' ? '-' : encoded.data[i] == '/' ? '_' : encoded.data[i];
	return (struct slice){text, encoded.size};
}

/* At each alignment what is left of the secret's base64 tells less than two of its bytes. */
static void test_base64(void **state)
{
	static const char secret[] = "correct>horse?battery";
	struct redaction redaction;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	redaction_init(&redaction);
	redaction_add(&redaction, slice_of(secret));
	for (int row = 0; row < 14; row++) {
		int before = row / 2;
		bool url = row % 2 == 1;

		for (int behind = 0; behind < 7; behind++) {
			struct slice text =
				arena_format(&arena, "%.*s%s%.*s", before, "#######", secret, behind, "#######");
			struct slice encoded = base64_encode(&arena, text);
			if (url)
				encoded = for_url(&arena, encoded);
			BUFFER_AUTO shown;

			buffer_init(&shown, 1000);
			redaction_apply(&redaction, encoded, &shown);
			size_t left = shown.size - strlen("(secret)");
			size_t neighbours = (size_t)(before + behind) * 4 / 3;

			if (!slice_contains(buffer_slice(&shown), SLICE("(secret)")) || left > neighbours + 6)
				fail_msg("%d before, %d behind: %.*s", before, behind,
					 SLICE_ARGUMENTS(buffer_slice(&shown)));
		}
	}
	redaction_release(&redaction);
	arena_release(&arena);
}

/* text in lines of `width`, each ended by `end`. */
static struct slice broken(struct arena *arena, struct slice text, size_t width, const char *end)
{
	BUFFER_AUTO lines;

	buffer_init(&lines, 10000);
	for (; text.size > 0; text = slice_from(text, width)) {
		buffer_append(&lines, slice_first(text, width));
		buffer_string(&lines, end);
	}
	return arena_copy(arena, buffer_slice(&lines));
}

/* As MIME, PEM and base64(1) break it, wherever in a line the secret begins and ends. */
static void test_broken_base64(void **state)
{
	static const char *const ends[] = {"\n",     "\r\n", "\n    ", "\r\n\t", "\\n",
					   "\\r\\n", "%0A",  "%0d%0a", "&#10;",	 "&#xD;\n"};
	static const char secret[] =
		"a key? of>>>more bytes~than a line of its base64 has, as keys are that nobody types";
	static const char before[] = "##########################################################################";
	static const size_t widths[] = {1, 4, 19, 64, 76};
	struct redaction redaction;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	redaction_init(&redaction);
	redaction_add(&redaction, slice_of(secret));
	for (size_t i = 0; i < COUNT(ends) * COUNT(widths) * (sizeof(before) - 1); i++) {
		size_t width = widths[i / COUNT(ends) % COUNT(widths)], count = i / COUNT(ends) / COUNT(widths);
		const char *end = ends[i % COUNT(ends)];
		struct slice text = arena_format(&arena, "%.*s%s\n", (int)count, before, secret);
		struct slice lines = broken(&arena, base64_encode(&arena, text), width, end);
		size_t most = count * 4 / 3 + 6 + (count * 4 / 3 / width + 6) * strlen(end);
		BUFFER_AUTO shown;

		buffer_init(&shown, 10000);
		redaction_apply(&redaction, lines, &shown);
		if (!slice_contains(buffer_slice(&shown), SLICE("(secret)")) || shown.size - strlen("(secret)") > most)
			fail_msg("%zu before, lines of %zu: %.*s", count, width, SLICE_ARGUMENTS(buffer_slice(&shown)));
	}
	redaction_release(&redaction);
	arena_release(&arena);
}

static void test_values(void **state)
{
	static const struct segment segments[] = {{{"in clear", 8}, false}, {{"segment", 7}, true}};
	struct value secrets, items[7], number = value_integer(123456), part = value_number(1234.56),
					sealed = value_text("fingerprint");
	struct value_member member = {value_text("var.token"), value_text("variable")};
	struct redaction redaction;
	struct arena arena;
	BUFFER_AUTO shown;

	(void)state;
	arena_init(&arena);
	redaction_init(&redaction);
	buffer_init(&shown, 1000);
	secrets = value_secret(&arena, value_map(&member, 1));
	struct deferred deferred = {.text = SLICE("${aws.vpc.a.id}"), .secrets = &secrets};
	number.secret = part.secret = sealed.secret = true;
	sealed.style = VALUE_STYLE_SEALED;
	items[0] = value_segments(&arena, segments, 2);
	items[1] = value_deferred(&deferred);
	items[2] = number;
	items[3] = sealed;
	items[4] = value_secret(&arena, value_text("plain one"));
	items[5] = value_text("no secret");
	items[6] = part;
	struct value list = value_list(items, 7);
	redaction_add_value(&redaction, &list);
	redaction_apply(&redaction,
			SLICE("in clear, segment, variable, 123456, 1234.56, fingerprint, plain one, no secret, "
			      "${aws.vpc.a.id}"),
			&shown);
	if (!slice_is(buffer_slice(&shown),
		      "in clear, (secret), (secret), (secret), (secret), fingerprint, (secret), no secret, "
		      "${aws.vpc.a.id}"))
		fail_msg("%.*s", SLICE_ARGUMENTS(buffer_slice(&shown)));
	redaction_release(&redaction);
	arena_release(&arena);
}

/* Of secrets that begin alike the longest is struck out, in whatever order they came to be known. */
static void test_longest(void **state)
{
	static const char *const secrets[] = {"hunter2", "hunter2hunter", "hunter2hunger", "hunters", "hunt on"};
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"hunter2hunter hunter2", "(secret) (secret)"},
		{"hunter2hunger2", "(secret)2"},
		{"hunter2hun", "(secret)hun"},
		{"hunters hunter hunt on", "(secret) hunter (secret)"},
	};

	(void)state;
	for (size_t first = 0; first < COUNT(secrets) * COUNT(secrets); first++) {
		struct redaction redaction;

		redaction_init(&redaction);
		redaction_add(&redaction, slice_of(secrets[first / COUNT(secrets)]));
		redaction_add(&redaction, slice_of(secrets[first % COUNT(secrets)]));
		for (size_t i = 0; i < COUNT(secrets); i++)
			redaction_add(&redaction, slice_of(secrets[i]));
		for (size_t i = 0; i < COUNT(rows); i++) {
			BUFFER_AUTO shown;

			buffer_init(&shown, 1000);
			redaction_apply(&redaction, slice_of(rows[i].text), &shown);
			if (!slice_is(buffer_slice(&shown), rows[i].shown))
				fail_msg("%s: %.*s", rows[i].text, SLICE_ARGUMENTS(buffer_slice(&shown)));
		}
		redaction_release(&redaction);
	}
}

/* What it takes to know and to find as many secrets, each with its number in it. */
static clock_t cost_of(size_t secrets, const char *before, const char *behind)
{
	clock_t began = clock();
	struct redaction redaction;
	struct arena arena;
	BUFFER_AUTO text, shown;

	arena_init(&arena);
	redaction_init(&redaction);
	buffer_init(&text, SIZE_MAX);
	buffer_init(&shown, SIZE_MAX);
	for (size_t i = 0; i < secrets; i++) {
		struct slice secret = arena_format(&arena, "%s%05zu%s", before, i, behind);

		redaction_add(&redaction, secret);
		buffer_append(&text, secret);
		buffer_byte(&text, '\n');
	}
	redaction_apply(&redaction, buffer_slice(&text), &shown);
	assert_int_equal(shown.size, secrets * strlen("(secret)\n"));
	redaction_release(&redaction);
	arena_release(&arena);
	return clock() - began;
}

static void test_many_that_begin_alike(void **state)
{
	enum { SECRETS = 40000, TIMES_MOST = 5 };
	const size_t secrets = (size_t)rounds_of(SECRETS);
	clock_t apart = cost_of(secrets, "", "-secretvalue");
	clock_t alike = cost_of(secrets, "secretvalue-", "");

	(void)state;
	print_message("# %zu secrets that begin apart in %.0f ms, alike in %.0f ms\n", secrets,
		      (double)apart * 1e3 / CLOCKS_PER_SEC, (double)alike * 1e3 / CLOCKS_PER_SEC);
	assert_true(alike <= TIMES_MOST * apart);
}

/* The processor time of one text of `run` line ends, none of which stands in a secret. */
static clock_t cost_of_run(const char *end, size_t run)
{
	struct redaction redaction;
	BUFFER_AUTO text, shown;
	clock_t began, took;

	redaction_init(&redaction);
	redaction_add(&redaction, SLICE("correct horse battery"));
	buffer_init(&text, SIZE_MAX);
	buffer_init(&shown, SIZE_MAX);
	for (size_t i = 0; i < run; i++)
		buffer_string(&text, end);
	began = clock();
	redaction_apply(&redaction, buffer_slice(&text), &shown);
	took = clock() - began;
	assert_true(slice_equal(buffer_slice(&text), buffer_slice(&shown)));
	redaction_release(&redaction);
	return took;
}

/*
 * Each member of a run of line ends is a digit itself, or stands behind one. A search that
 * looked through the run from each of its members would take a thousand times as long for
 * a run that is 32 times as long; the ratio, and no time, is the same on a slow machine.
 */
static void test_runs_of_line_ends(void **state)
{
	static const char *const ends[] = {"\n", "\\n", "%0A", "&#10;", " \n "};
	enum { RUN = 2000, TIMES_LONGER = 32, TIMES_MOST = 4 * TIMES_LONGER, TRIES = 5 };
	const size_t run = (size_t)rounds_of(RUN);

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++) {
		clock_t brief = cost_of_run(ends[i], run), lengthy = cost_of_run(ends[i], run * TIMES_LONGER);

		for (size_t k = 1; k < TRIES; k++) {
			clock_t again = cost_of_run(ends[i], run);

			brief = again < brief ? again : brief;
		}
		/* A clock that counts in microseconds may show next to nothing for the brief one. */
		if (lengthy > TIMES_MOST * (brief + 20 * CLOCKS_PER_SEC / 1000000))
			fail_msg("%s: %zu take %.3f ms, %zu take %.3f ms", ends[i], run,
				 (double)brief * 1e3 / CLOCKS_PER_SEC, run * TIMES_LONGER,
				 (double)lengthy * 1e3 / CLOCKS_PER_SEC);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_broken_base64),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_many_that_begin_alike),
		cmocka_unit_test(test_runs_of_line_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
