#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/unit/support_sign.h"

/* The worked example of the signing guide: ListUsers of IAM. */
static void test_headers_to_add(void **state)
{
	static const struct http_header content[] = {
		{{"Content-Type", 12}, {"application/x-www-form-urlencoded; charset=utf-8", 48}}};
	struct aws_credentials credentials = {slice_of("AKIDEXAMPLE"), slice_of(SECRET_KEY), {NULL, 0}};
	struct aws_signing_options options = {
		.service = SLICE("iam"), .region = SLICE("us-east-1"), .wall_ms = VECTOR_TIME_MS + 999};
	struct http_request request = {
		.method = SLICE("GET"),
		.url = SLICE("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08"),
		.headers = content,
		.header_count = 1,
	};
	struct aws_signing signing;
	struct bench bench;

	(void)state;
	bench_open(&bench);
	assert_true(aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics));
	assert_int_equal(signing.header_count, 2);
	expect("first", "name", signing.headers[0].name, "X-Amz-Date");
	expect("first", "value", signing.headers[0].value, "20150830T123600Z");
	expect("second", "name", signing.headers[1].name, "Authorization");
	expect("second", "value", signing.headers[1].value,
	       "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
	       "SignedHeaders=content-type;host;x-amz-date, "
	       "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");

	credentials.session_token = SLICE("token");
	options.body_header = true;
	assert_true(aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics));
	assert_int_equal(signing.header_count, 4);
	expect("token", "name", signing.headers[0].name, "X-Amz-Security-Token");
	expect("body", "name", signing.headers[2].name, "x-amz-content-sha256");
	expect("all", "signed headers", signing.signed_headers,
	       "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token");
	bench_close(&bench);
}

static void test_host(void **state)
{
	static const struct {
		const char *name;
		const char *url;
		const char *host;
	} rows[] = {
		{"without a port", "https://ec2.example.com/", "host:ec2.example.com\n"},
		{"without a path", "https://ec2.example.com?A=b", "host:ec2.example.com\n"},
		{"the scheme's own port", "https://ec2.example.com:443/", "host:ec2.example.com\n"},
		{"the other scheme's port", "http://ec2.example.com:443/", "host:ec2.example.com:443\n"},
		{"port 80", "http://ec2.example.com:80/", "host:ec2.example.com\n"},
		{"another port", "http://127.0.0.1:5000/", "host:127.0.0.1:5000\n"},
		{"IPv6", "http://[::1]/", "host:[::1]\n"},
		{"IPv6 that ends like a port", "http://[::80]/", "host:[::80]\n"},
		{"IPv6 with a port", "http://[::1]:5000/", "host:[::1]:5000\n"},
		{"credentials", "http://user:pass@localhost:80/", "host:localhost\n"},
	};
	struct aws_credentials credentials = {slice_of(ACCESS_KEY), slice_of(SECRET_KEY), {NULL, 0}};
	struct aws_signing_options options = {.service = SLICE("ec2"), .region = SLICE("us-east-1")};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct http_request request = {.method = SLICE("GET"), .url = slice_of(rows[i].url)};
		struct aws_signing signing;
		struct bench bench;

		bench_open(&bench);
		if (!aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics) ||
		    !slice_contains(signing.canonical_request, slice_of(rows[i].host)))
			fail_msg("%s: not %s", rows[i].name, rows[i].host);
		bench_close(&bench);
	}
}

/* Each name and value in one encoding, whatever they came in; sorted by name, then value. */
static void test_query(void **state)
{
	static const struct {
		const char *name;
		const char *query;
		const char *canonical;
	} rows[] = {
		{"values of one name", "a=2&a=10&a=1&A=3", "A=3&a=1&a=10&a=2"},
		{"a name that another begins with", "ab=1&a=2&a-=3", "a=2&a-=3&ab=1"},
		{"no value", "b&a=&c==", "a=&b=&c=%3D"},
		{"empty parts", "&&a=1&&", "a=1"},
		{"encoded or not", "a=%7e~%2f/+%c3%a4", "a=~~%2F%2F%2B%C3%A4"},
		{"a lone percent sign", "a=%&b=%4&c=%zz", "a=%25&b=%254&c=%25zz"},
	};
	struct aws_credentials credentials = {slice_of(ACCESS_KEY), slice_of(SECRET_KEY), {NULL, 0}};
	struct aws_signing_options options = {.service = SLICE("ec2"), .region = SLICE("us-east-1")};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct http_request request = {.method = SLICE("GET")};
		struct aws_signing signing;
		struct bench bench;

		bench_open(&bench);
		request.url = arena_format(&bench.arena, "http://h/?%s#fragment", rows[i].query);
		if (!aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics))
			fail_msg("%s: not signed", rows[i].name);
		slice_cut(&signing.canonical_request, '\n');
		slice_cut(&signing.canonical_request, '\n');
		expect(rows[i].name, "query", slice_cut(&signing.canonical_request, '\n'), rows[i].canonical);
		bench_close(&bench);
	}
}

/* S3's way: what is sent is what is signed. */
static void test_path_encoded_once(void **state)
{
	struct aws_credentials credentials = {slice_of(ACCESS_KEY), slice_of(SECRET_KEY), {NULL, 0}};
	struct aws_signing_options options = {.service = SLICE("s3"), .region = SLICE("us-east-1")};
	struct http_request request = {.method = SLICE("GET"), .url = SLICE("https://b.s3.amazonaws.com/a%20b//./c")};
	struct aws_signing signing;
	struct bench bench;

	(void)state;
	bench_open(&bench);
	assert_true(aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics));
	assert_true(slice_starts_with(signing.canonical_request, SLICE("GET\n/a%2520b/c\n")));
	options.path_as_given = true;
	options.path_encoded_once = true;
	assert_true(aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics));
	assert_true(slice_starts_with(signing.canonical_request, SLICE("GET\n/a%20b//./c\n")));
	bench_close(&bench);
}

static void test_refused(void **state)
{
	static const struct {
		const char *name;
		const char *access_key;
		const char *secret_key;
		const char *token;
		const char *region;
		const char *url;
		int64_t wall_ms;
		enum fault fault;
		const char *message;
	} rows[] = {
		{"no access key", "", "s", "", "r", "http://h/", 0, FAULT_AUTH,
		 "the access key id to sign with is empty"},
		{"no secret", "a", "", "", "r", "http://h/", 0, FAULT_AUTH,
		 "the secret access key to sign with is empty"},
		{"a newline in the key", "a\n", "s", "", "r", "http://h/", 0, FAULT_AUTH,
		 "the access key id to sign with holds"},
		{"a newline in the token", "a", "s", "t\r\nx: y", "r", "http://h/", 0, FAULT_AUTH,
		 "the session token to sign"},
		{"no region", "a", "s", "", "", "http://h/", 0, FAULT_USER, "the region to sign with is empty"},
		{"a space in the region", "a", "s", "", "eu central", "http://h/", 0, FAULT_USER,
		 "the region to sign with holds"},
		{"no scheme", "a", "s", "", "r", "localhost/", 0, FAULT_USER, "'localhost/' is no URL"},
		{"a password", "a", "s", "", "r", "u:hunter2@localhost/", 0, FAULT_USER,
		 "a URL with a user in it is none to send a signed request to"},
		{"no slashes", "a", "s", "", "r", "http:h", 0, FAULT_USER, "'http:h' is no URL"},
		{"no host", "a", "s", "", "r", "http:///", 0, FAULT_USER, "'http:///' is no URL"},
		{"nothing", "a", "s", "", "r", "", 0, FAULT_USER, "'' is no URL"},
		{"before 1970", "a", "s", "", "r", "http://h/", -1, FAULT_USER, "the clock shows no time"},
		{"year 10000", "a", "s", "", "r", "http://h/", 253402300800000, FAULT_USER, "the clock shows no time"},
		{"the end of time", "a", "s", "", "r", "http://h/", INT64_MAX, FAULT_USER, "the clock shows no time"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct aws_credentials credentials = {slice_of(rows[i].access_key), slice_of(rows[i].secret_key),
						      slice_of(rows[i].token)};
		struct aws_signing_options options = {
			.service = SLICE("ec2"), .region = slice_of(rows[i].region), .wall_ms = rows[i].wall_ms};
		struct http_request request = {.method = SLICE("GET"), .url = slice_of(rows[i].url)};
		struct aws_signing signing = {.header_count = 99};
		struct bench bench;

		bench_open(&bench);
		if (aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics))
			fail_msg("%s: signed", rows[i].name);
		assert_int_equal(signing.header_count, 99);
		assert_int_equal(bench.diagnostics.count, 1);
		if (bench.diagnostics.items[0].fault != rows[i].fault ||
		    !slice_starts_with(bench.diagnostics.items[0].message, slice_of(rows[i].message)))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(bench.diagnostics.items[0].message));
		bench_close(&bench);
	}
}

static void test_too_long(void **state)
{
	static char url[100 * 1024];
	struct aws_credentials credentials = {slice_of(ACCESS_KEY), slice_of(SECRET_KEY), {NULL, 0}};
	struct aws_signing_options options = {.service = SLICE("ec2"), .region = SLICE("us-east-1")};
	struct http_request request = {.method = SLICE("GET"), .url = {url, sizeof(url)}};
	struct aws_signing signing;
	struct bench bench;

	(void)state;
	memset(url, '&', sizeof(url));
	memcpy(url, "http://h/?", 10);
	bench_open(&bench);
	assert_false(aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics));
	request.url.size = 60 * 1024;
	assert_true(aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics));
	bench_close(&bench);
}

#define LETTERS_32 "abcdefghijklmnopqrstuvwxyzABCDEF"
#define LONG_SECRET_FIRST LETTERS_32 LETTERS_32 LETTERS_32 LETTERS_32
#define LONG_SECRET LONG_SECRET_FIRST "1"
_Static_assert(sizeof(LONG_SECRET_FIRST) - 1 == AWS_SIGNING_TEXT_MOST, "the longest that is kept");

/* The cache changes no signature, whatever changes between calls, and however many keys there are. */
static void test_keys(void **state)
{
	static const struct {
		const char *name;
		const char *secret_key;
		const char *region;
		const char *service;
		int64_t wall_ms;
		size_t count; /* of keys held afterwards */
	} rows[] = {
		{"first", "secret", "us-east-1", "ec2", 0, 1},
		{"again", "secret", "us-east-1", "ec2", 0, 1},
		{"the last second of the day", "secret", "us-east-1", "ec2", 86399999, 1},
		{"the next day", "secret", "us-east-1", "ec2", 86400000, 2},
		{"another region", "secret", "eu-west-1", "ec2", 0, 3},
		{"another service", "secret", "us-east-1", "sts", 0, 4},
		{"another secret", "Secret", "us-east-1", "ec2", 0, 5},
		{"a secret too long to be kept", LONG_SECRET, "us-east-1", "ec2", 0, 5},
		{"another one of its beginning", LONG_SECRET "2", "us-east-1", "ec2", 0, 5},
		{"the beginning alone", LONG_SECRET_FIRST, "us-east-1", "ec2", 0, 6},
		{"the first once more", "secret", "us-east-1", "ec2", 0, 6},
	};
	struct aws_signing_keys keys = {.count = 0};
	struct http_request request = {.method = SLICE("GET"), .url = SLICE("http://h/")};
	struct bench bench;

	(void)state;
	bench_open(&bench);
	for (size_t i = 0; i < 100; i++) {
		size_t row = i % (sizeof(rows) / sizeof(rows[0]));
		bool beyond = i >= sizeof(rows) / sizeof(rows[0]);
		struct aws_credentials credentials = {slice_of(ACCESS_KEY), slice_of(rows[row].secret_key), {NULL, 0}};
		struct aws_signing_options options = {
			.service = slice_of(rows[row].service),
			.region = beyond ? arena_format(&bench.arena, "r%zu", i / 2) : slice_of(rows[row].region),
			.wall_ms = rows[row].wall_ms,
		};
		struct aws_signing cached;
		struct aws_signing fresh;

		assert_true(
			aws_sign(&bench.arena, &request, &credentials, &options, &keys, &cached, &bench.diagnostics));
		assert_true(aws_sign(&bench.arena, &request, &credentials, &options, NULL, &fresh, &bench.diagnostics));
		if (!slice_equal(cached.signature, fresh.signature))
			fail_msg("%s (%zu): another signature", rows[row].name, i);
		if (!beyond && keys.count != rows[row].count)
			fail_msg("%s: %zu keys", rows[row].name, keys.count);
	}
	assert_int_equal(keys.count, AWS_SIGNING_KEYS);
	aws_signing_keys_wipe(&keys);
	assert_int_equal(keys.count, 0);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers_to_add), cmocka_unit_test(test_host),
		cmocka_unit_test(test_query),	       cmocka_unit_test(test_path_encoded_once),
		cmocka_unit_test(test_refused),	       cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests_name("providers/aws/sign", tests, NULL, NULL);
}
