#include "providers/aws/sign.h"

#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "providers/aws/sign_canonical.h"
#include "providers/aws/uri.h"

enum {
	HEAD_BYTES_MOST = 64 * 1024, /* of URL and headers: more than any server takes */
	STAGE_BYTES_MOST = 1 << 20,
	OWN_HEADERS_MOST = 4, /* host, token, date, body digest */
};

static const char ALGORITHM[] = "AWS4-HMAC-SHA256";

/* What all stages look at. */
struct signer {
	struct arena *arena;
	const struct http_request *request;
	const struct aws_credentials *credentials;
	const struct aws_signing_options *options;
	struct aws_uri uri;
	struct aws_signing signing;
};

void aws_signing_keys_wipe(struct aws_signing_keys *keys)
{
	memory_wipe(keys, sizeof(*keys));
}

static bool is_printable(struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] <= ' ' || text.data[i] > '~')
			return false;
	}
	return true;
}

/* A stray newline or quote from a file would otherwise end up in a header. */
static bool check_texts(const struct signer *signer, struct diagnostics *diagnostics)
{
	const struct {
		const char *what;
		struct slice text;
		bool optional;
		enum fault fault;
	} texts[] = {
		{"access key id", signer->credentials->access_key, false, FAULT_AUTH},
		{"secret access key", signer->credentials->secret_key, false, FAULT_AUTH},
		{"session token", signer->credentials->session_token, true, FAULT_AUTH},
		{"region", signer->options->region, false, FAULT_USER},
		{"service", signer->options->service, false, FAULT_INTERNAL},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].text.size == 0 && !texts[i].optional)
			return diag_error(diagnostics, texts[i].fault, NOWHERE, "the %s to sign with is empty",
					  texts[i].what);
		if (!is_printable(texts[i].text)) {
			diag_error(
				diagnostics, texts[i].fault, NOWHERE,
				"the %s to sign with holds a space, a control character or a character outside ASCII",
				texts[i].what);
			diag_hint(diagnostics, "look for a stray newline, quote or space where it is set");
			return false;
		}
	}
	return true;
}

static bool check_request(struct signer *signer, struct diagnostics *diagnostics)
{
	size_t size = signer->request->url.size;

	for (size_t i = 0; i < signer->request->header_count; i++)
		size += signer->request->headers[i].name.size + signer->request->headers[i].value.size;
	if (size > HEAD_BYTES_MOST || signer->credentials->session_token.size > HEAD_BYTES_MOST)
		return diag_error(diagnostics, FAULT_USER, NOWHERE,
				  "the URL and headers of a request to sign are longer than %d bytes", HEAD_BYTES_MOST);
	if (!aws_uri_read(signer->request->url, &signer->uri)) {
		/* It may hold a password. */
		if (slice_contains(signer->request->url, SLICE("@")))
			diag_error(diagnostics, FAULT_USER, NOWHERE,
				   "a URL with a user in it is none to send a signed request to");
		else
			diag_error(diagnostics, FAULT_USER, NOWHERE, "'%.*s' is no URL to send a signed request to",
				   SLICE_ARGUMENTS(signer->request->url));
		diag_hint(diagnostics, "write the endpoint as https://host or http://host:port");
		return false;
	}
	return true;
}

static bool begin(struct signer *signer, struct arena *arena, const struct http_request *request,
		  const struct aws_credentials *credentials, const struct aws_signing_options *options,
		  struct diagnostics *diagnostics)
{
	struct aws_signing *signing = &signer->signing;
	time_t seconds = (time_t)(options->wall_ms / 1000);
	struct tm utc;

	*signer = (struct signer){.arena = arena, .request = request, .credentials = credentials, .options = options};
	if (!check_texts(signer, diagnostics) || !check_request(signer, diagnostics))
		return false;
	if (options->wall_ms < 0 || !gmtime_r(&seconds, &utc) ||
	    strftime(signing->time, sizeof(signing->time), "%Y%m%dT%H%M%SZ", &utc) != sizeof(signing->time) - 1) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "the clock shows no time that a request can be signed at");
		diag_hint(diagnostics, "set the machine's clock");
		return false;
	}
	const struct slice scope[] = {
		{signing->time, 8}, SLICE("/"), options->region, SLICE("/"), options->service, SLICE("/aws4_request"),
	};
	signing->scope = arena_join(arena, scope, sizeof(scope) / sizeof(scope[0]));
	struct digest digest = digest_of(request->body);
	digest_hex(&digest, signing->body_digest);
	return true;
}

static struct slice lasting(struct signer *signer, const char *text)
{
	return arena_copy(signer->arena, slice_of(text));
}

/* extra: headers signed besides the request's own. */
static void canonical_request(struct signer *signer, struct slice query, const struct http_header *extra,
			      size_t extra_count)
{
	const struct http_request *request = signer->request;
	struct http_header *headers =
		arena_new_array(signer->arena, request->header_count + extra_count, struct http_header);
	size_t count = 0;
	BUFFER_AUTO text;

	for (size_t i = 0; i < request->header_count; i++)
		headers[count++] = request->headers[i];
	for (size_t i = 0; i < extra_count; i++)
		headers[count++] = extra[i];

	buffer_init(&text, STAGE_BYTES_MOST);
	buffer_append(&text, request->method);
	buffer_byte(&text, '\n');
	aws_canonical_path(&text, signer->arena, signer->uri.path, signer->options->path_as_given,
			   signer->options->path_encoded_once);
	buffer_byte(&text, '\n');
	aws_canonical_query(&text, signer->arena, query);
	buffer_byte(&text, '\n');
	signer->signing.signed_headers = aws_canonical_headers(&text, signer->arena, headers, count);
	buffer_format(&text, "\n%.*s\n%s", SLICE_ARGUMENTS(signer->signing.signed_headers),
		      signer->signing.body_digest);
	signer->signing.canonical_request = arena_copy(signer->arena, buffer_slice(&text));
}

static void string_to_sign(struct signer *signer)
{
	struct aws_signing *signing = &signer->signing;
	struct digest digest = digest_of(signing->canonical_request);
	char hex[DIGEST_HEX + 1];

	digest_hex(&digest, hex);
	const struct slice lines[] = {
		slice_of(ALGORITHM), SLICE("\n"), slice_of(signing->time), SLICE("\n"),
		signing->scope,	     SLICE("\n"), {hex, DIGEST_HEX},
	};
	signing->string_to_sign = arena_join(signer->arena, lines, sizeof(lines) / sizeof(lines[0]));
}

static struct slice digest_slice(const struct digest *digest)
{
	return (struct slice){(const char *)digest->bytes, DIGEST_BYTES};
}

static struct digest derive_key(const struct signer *signer)
{
	struct slice secret = signer->credentials->secret_key;
	struct slice steps[] = {
		{signer->signing.time, 8},
		signer->options->region,
		signer->options->service,
		SLICE("aws4_request"),
	};
	struct buffer start;
	struct digest key;

	buffer_init(&start, secret.size + 4);
	buffer_string(&start, "AWS4");
	buffer_append(&start, secret);
	key = digest_keyed(buffer_slice(&start), steps[0]);
	memory_wipe(start.data, start.size);
	buffer_release(&start);
	for (size_t i = 1; i < sizeof(steps) / sizeof(steps[0]); i++)
		key = digest_keyed(digest_slice(&key), steps[i]);
	return key;
}

static bool is_of(const struct aws_signing_key *item, struct slice secret, struct slice scope)
{
	return slice_equal((struct slice){item->scope, item->scope_size}, scope) &&
	       slice_equal((struct slice){item->secret, item->secret_size}, secret);
}

static void keep_key(struct aws_signing_keys *keys, struct slice secret, struct slice scope, const struct digest *key)
{
	struct aws_signing_key *item;

	if (secret.size > AWS_SIGNING_TEXT_MOST || scope.size > AWS_SIGNING_TEXT_MOST)
		return;
	if (keys->count < AWS_SIGNING_KEYS) {
		item = &keys->items[keys->count++];
	} else {
		item = &keys->items[keys->oldest];
		keys->oldest = (keys->oldest + 1) % AWS_SIGNING_KEYS;
	}
	*item = (struct aws_signing_key){.secret_size = secret.size, .scope_size = scope.size, .key = *key};
	memcpy(item->secret, secret.data, secret.size);
	memcpy(item->scope, scope.data, scope.size);
}

static struct digest signing_key(const struct signer *signer, struct aws_signing_keys *keys)
{
	struct slice secret = signer->credentials->secret_key, scope = signer->signing.scope;
	struct digest key;

	for (size_t i = 0; keys && i < keys->count; i++) {
		if (is_of(&keys->items[i], secret, scope))
			return keys->items[i].key;
	}
	key = derive_key(signer);
	if (keys)
		keep_key(keys, secret, scope, &key);
	return key;
}

static void sign_string(struct signer *signer, struct aws_signing_keys *keys)
{
	struct digest key = signing_key(signer, keys);
	struct digest signature = digest_keyed(digest_slice(&key), signer->signing.string_to_sign);

	signer->signing.signature = digest_text(signer->arena, &signature);
	memory_wipe(&key, sizeof(key));
}

static bool has_host(const struct http_request *request)
{
	return http_header_value(request->headers, request->header_count, "host").data != NULL;
}

bool aws_sign(struct arena *arena, const struct http_request *request, const struct aws_credentials *credentials,
	      const struct aws_signing_options *options, struct aws_signing_keys *keys, struct aws_signing *ret,
	      struct diagnostics *diagnostics)
{
	struct http_header extra[OWN_HEADERS_MOST];
	struct signer signer;
	struct aws_signing *signing = &signer.signing;
	bool has_token = credentials->session_token.size > 0;
	size_t count = 0;

	if (!begin(&signer, arena, request, credentials, options, diagnostics))
		return false;
	if (has_token)
		signing->headers[signing->header_count++] =
			(struct http_header){SLICE("X-Amz-Security-Token"), credentials->session_token};
	signing->headers[signing->header_count++] =
		(struct http_header){SLICE("X-Amz-Date"), lasting(&signer, signing->time)};
	if (options->body_header)
		signing->headers[signing->header_count++] =
			(struct http_header){SLICE("x-amz-content-sha256"), lasting(&signer, signing->body_digest)};

	for (size_t i = has_token && options->token_unsigned ? 1 : 0; i < signing->header_count; i++)
		extra[count++] = signing->headers[i];
	if (!has_host(request))
		extra[count++] = (struct http_header){SLICE("host"), aws_uri_host(&signer.uri)};
	canonical_request(&signer, signer.uri.query, extra, count);
	string_to_sign(&signer);
	sign_string(&signer, keys);
	const struct slice authorization[] = {
		slice_of(ALGORITHM), SLICE(" Credential="),	credentials->access_key, SLICE("/"),
		signing->scope,	     SLICE(", SignedHeaders="), signing->signed_headers, SLICE(", Signature="),
		signing->signature,
	};
	signing->headers[signing->header_count++] = (struct http_header){
		SLICE("Authorization"),
		arena_join(arena, authorization, sizeof(authorization) / sizeof(authorization[0]))};
	*ret = signer.signing;
	return true;
}

static void append_parameter(struct buffer *query, const char *name, struct slice value)
{
	if (query->size > 0)
		buffer_byte(query, '&');
	buffer_string(query, name);
	buffer_byte(query, '=');
	aws_uri_encode(query, value, false);
}

static void append_signing_parameters(struct buffer *query, struct signer *signer, struct slice signed_headers,
				      int64_t expires_s)
{
	struct slice access_key = signer->credentials->access_key;
	struct slice scope = signer->signing.scope;

	append_parameter(query, "X-Amz-Algorithm", slice_of(ALGORITHM));
	append_parameter(query, "X-Amz-Credential",
			 arena_format(signer->arena, "%.*s/%.*s", SLICE_ARGUMENTS(access_key), SLICE_ARGUMENTS(scope)));
	append_parameter(query, "X-Amz-Date", slice_of(signer->signing.time));
	append_parameter(query, "X-Amz-SignedHeaders", signed_headers);
	append_parameter(query, "X-Amz-Expires", arena_format(signer->arena, "%lld", (long long)expires_s));
}

bool aws_presign(struct arena *arena, const struct http_request *request, const struct aws_credentials *credentials,
		 const struct aws_signing_options *options, int64_t expires_s, struct aws_signing_keys *keys,
		 struct aws_signing *ret, struct diagnostics *diagnostics)
{
	struct http_header host = {SLICE("host"), {NULL, 0}};
	struct slice token = credentials->session_token;
	struct slice names;
	struct signer signer;
	size_t extra_count;
	BUFFER_AUTO query;

	buffer_init(&query, STAGE_BYTES_MOST);
	if (!begin(&signer, arena, request, credentials, options, diagnostics))
		return false;
	host.value = aws_uri_host(&signer.uri);
	extra_count = has_host(request) ? 0 : 1;
	/* The names of the signed headers are themselves signed: a first pass finds them. */
	canonical_request(&signer, signer.uri.query, &host, extra_count);
	names = signer.signing.signed_headers;

	buffer_append(&query, signer.uri.query);
	append_signing_parameters(&query, &signer, names, expires_s);
	if (token.size > 0 && !options->token_unsigned)
		append_parameter(&query, "X-Amz-Security-Token", token);
	canonical_request(&signer, buffer_slice(&query), &host, extra_count);
	string_to_sign(&signer);
	sign_string(&signer, keys);
	if (token.size > 0 && options->token_unsigned)
		append_parameter(&query, "X-Amz-Security-Token", token);
	append_parameter(&query, "X-Amz-Signature", signer.signing.signature);
	signer.signing.url = arena_format(arena, "%.*s://%.*s%.*s?%.*s", SLICE_ARGUMENTS(signer.uri.scheme),
					  SLICE_ARGUMENTS(signer.uri.authority), SLICE_ARGUMENTS(signer.uri.path),
					  SLICE_ARGUMENTS(buffer_slice(&query)));
	*ret = signer.signing;
	return true;
}
