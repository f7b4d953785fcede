#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support_sign.h"

enum { HEADERS_MOST = 4 };

/* From the test suite of AWS (Apache-2.0): region us-east-1, service "service", one hour for a signed URL. */
static const struct vector {
	const char *name;
	const char *method;
	const char *target;
	struct {
		const char *name;
		const char *value;
	} headers[HEADERS_MOST];
	const char *body;
	const char *token;
	struct aws_signing_options options;
	const char *canonical_request;
	const char *signature;
	const char *url_signature;
} vectors[] = {
	{
		.name = "get-vanilla",
		.method = "GET",
		.target = "/",
		.canonical_request = "GET\n"
				     "/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
		.url_signature = "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d",
	},
	{
		.name = "get-vanilla-query-order-encoded",
		.method = "GET",
		.target = "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
		.canonical_request = "GET\n"
				     "/\n"
				     "%E1%88%B4=Value1&Param=Value2&Param-3=Value3\n"
				     "host:example.amazonaws.com\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
		.url_signature = "c5f1848ceec943ac2ca68ee720460c23aaae30a2300586597ada94c4a65e4787",
	},
	{
		.name = "get-utf8",
		.method = "GET",
		.target = "/\341\210\264",
		.canonical_request = "GET\n"
				     "/%E1%88%B4\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
		.url_signature = "10eae3f14a260bd3911cc6d008d3c576d143b05b62f09782a7a4b37f52178e44",
	},
	{
		.name = "get-space-unnormalized",
		.method = "GET",
		.target = "/example space/",
		.options = {.path_as_given = true},
		.canonical_request = "GET\n"
				     "/example%20space/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
		.url_signature = "7a1f416954786484c9824d93c1f26ef64acb9b1b6c9154d08c9f07d0e394abf6",
	},
	{
		.name = "get-relative-normalized",
		.method = "GET",
		.target = "/example/..",
		.canonical_request = "GET\n"
				     "/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
		.url_signature = "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d",
	},
	{
		.name = "get-slashes-normalized",
		.method = "GET",
		.target = "//example//",
		.canonical_request = "GET\n"
				     "/example/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
		.url_signature = "c1834e8fb0307243711f0f907f6ab7311ed300d87f13792d7ee4da89ab93e082",
	},
	{
		.name = "get-header-key-duplicate",
		.method = "GET",
		.target = "/",
		.headers = {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
		.canonical_request = "GET\n"
				     "/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "my-header1:value2,value2,value1\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;my-header1;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
		.url_signature = "3349ee0b81b4b589da0ff28a395c3591e04de515651dd74f298fa992d1507a97",
	},
	{
		.name = "get-header-value-multiline",
		.method = "GET",
		.target = "/",
		.headers = {{"My-Header1", "value1\n  value2\n     value3"}},
		.canonical_request = "GET\n"
				     "/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "my-header1:value1 value2 value3\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;my-header1;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd",
		.url_signature = "e6f5def831211aca02987a44b96826706278c7bc078112ae0263659c5b2f2d56",
	},
	{
		.name = "get-header-value-trim",
		.method = "GET",
		.target = "/",
		.headers = {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
		.canonical_request = "GET\n"
				     "/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "my-header1:value1\n"
				     "my-header2:\"a b c\"\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;my-header1;my-header2;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
		.url_signature = "e7bb0fd515e125e1aec2ecc4c0c17484fb06f6846b927c35e46005dd3df3acd4",
	},
	{
		.name = "post-header-key-sort",
		.method = "POST",
		.target = "/",
		.headers = {{"My-Header1", "value1"}},
		.canonical_request = "POST\n"
				     "/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "my-header1:value1\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;my-header1;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
		.url_signature = "c09d07e0d55871f10f2a6d350d994acf6825a3cae70673d7def55616e6119dd7",
	},
	{
		.name = "get-vanilla-with-session-token",
		.method = "GET",
		.target = "/",
		.token = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
		.canonical_request =
			"GET\n"
			"/\n"
			"\n"
			"host:example.amazonaws.com\n"
			"x-amz-date:20150830T123600Z\n"
			"x-amz-security-token:6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267\n"
			"\n"
			"host;x-amz-date;x-amz-security-token\n"
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
		.url_signature = "7ff2b50b376cb4d151970630573d6291dc128cc5c2a12ffb237f73cc53f67b6c",
	},
	{
		.name = "post-sts-header-after",
		.method = "POST",
		.target = "/",
		.token = "AQoDYXdzEPT//////////"
			 "wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthA"
			 "x7mSEI/qkPpKPi/"
			 "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHN"
			 "VXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+"
			 "scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
		.options = {.token_unsigned = true},
		.canonical_request = "POST\n"
				     "/\n"
				     "\n"
				     "host:example.amazonaws.com\n"
				     "x-amz-date:20150830T123600Z\n"
				     "\n"
				     "host;x-amz-date\n"
				     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.signature = "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
		.url_signature = "2ce6e6d2e0cf2f9d1b55fafec88cd20574c31dc2e7631979f71ba2310083e95b",
	},
	{
		.name = "post-x-www-form-urlencoded",
		.method = "POST",
		.target = "/",
		.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Content-Length", "13"}},
		.body = "Param1=value1",
		.options = {.body_header = true},
		.canonical_request =
			"POST\n"
			"/\n"
			"\n"
			"content-length:13\n"
			"content-type:application/x-www-form-urlencoded\n"
			"host:example.amazonaws.com\n"
			"x-amz-content-sha256:9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e\n"
			"x-amz-date:20150830T123600Z\n"
			"\n"
			"content-length;content-type;host;x-amz-content-sha256;x-amz-date\n"
			"9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
		.signature = "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b",
		.url_signature = "89a40deed0f26f9461242825a082d2222717248abc7ab41f552ad84a94ad46e9",
	},
};

static struct http_request vector_request(struct bench *bench, const struct vector *vector)
{
	struct http_header *headers = arena_new_array(&bench->arena, HEADERS_MOST, struct http_header);
	struct http_request request = {
		.method = slice_of(vector->method),
		.url = arena_format(&bench->arena, "https://example.amazonaws.com%s", vector->target),
		.headers = headers,
		.body = slice_of(vector->body),
	};

	for (size_t i = 0; i < HEADERS_MOST && vector->headers[i].name; i++)
		headers[request.header_count++] =
			(struct http_header){slice_of(vector->headers[i].name), slice_of(vector->headers[i].value)};
	return request;
}

static struct aws_signing_options vector_options(const struct vector *vector)
{
	struct aws_signing_options options = vector->options;

	options.service = SLICE("service");
	options.region = SLICE("us-east-1");
	options.wall_ms = VECTOR_TIME_MS;
	return options;
}

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *vector = &vectors[i];
		struct aws_credentials credentials = {slice_of(ACCESS_KEY), slice_of(SECRET_KEY),
						      slice_of(vector->token)};
		struct aws_signing_options options = vector_options(vector);
		struct aws_signing signing;
		struct bench bench;

		bench_open(&bench);
		struct http_request request = vector_request(&bench, vector);
		if (!aws_sign(&bench.arena, &request, &credentials, &options, NULL, &signing, &bench.diagnostics))
			fail_msg("%s: not signed", vector->name);
		expect(vector->name, "canonical request", signing.canonical_request, vector->canonical_request);
		expect(vector->name, "signature", signing.signature, vector->signature);
		options.body_header = false;
		if (!aws_presign(&bench.arena, &request, &credentials, &options, 3600, NULL, &signing,
				 &bench.diagnostics))
			fail_msg("%s: no signed URL", vector->name);
		expect(vector->name, "URL's signature", signing.signature, vector->url_signature);
		if (!slice_ends_with(signing.url, signing.signature))
			fail_msg("%s: the URL ends without its signature", vector->name);
		bench_close(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
