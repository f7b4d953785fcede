#include "providers/sim/sim_signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <time.h>

#include "base/digest.h"
#include "base/memory.h"

/*
 * Checks Signature Version 4 as a server does. A second implementation on purpose: it
 * shares nothing with the signer that it judges.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */

enum {
	SKEW_MOST_MS = 5 * 60 * 1000,
	EC2_AGE_MOST_MS = 15 * 60 * 1000,
	HEADERS_MOST = 64,
};

struct slice sim_header(const struct http_request *request, const char *name)
{
	return http_header_value(request->headers, request->header_count, name);
}

struct slice sim_url_authority(struct slice url, struct slice *ret_path, struct slice *ret_query)
{
	struct slice rest = url;

	for (size_t i = 0; i + 2 < url.size; i++) {
		if (memcmp(url.data + i, "://", 3) == 0) {
			rest = slice_from(url, i + 3);
			break;
		}
	}
	size_t end = 0;
	while (end < rest.size && rest.data[end] != '/' && rest.data[end] != '?')
		end++;
	struct slice path = slice_from(rest, end);
	size_t query = 0;
	while (query < path.size && path.data[query] != '?')
		query++;
	*ret_query = query < path.size ? slice_from(path, query + 1) : (struct slice){NULL, 0};
	*ret_path = query > 0 ? slice_first(path, query) : SLICE("/");
	return slice_first(rest, end);
}

struct sim_credential sim_credential_read(const struct http_request *request)
{
	struct sim_credential credential = {0};
	struct slice rest = sim_header(request, "Authorization");

	if (!slice_starts_with(rest, SLICE("AWS4-HMAC-SHA256 ")))
		return credential;
	rest = slice_from(rest, 17);
	while (rest.size > 0) {
		struct slice part = slice_trim(slice_cut(&rest, ','));
		struct slice name = slice_cut(&part, '=');

		if (slice_is(name, "Credential")) {
			credential.key_id = slice_cut(&part, '/');
			credential.date = slice_cut(&part, '/');
			credential.region = slice_cut(&part, '/');
			credential.service = slice_cut(&part, '/');
		} else if (slice_is(name, "SignedHeaders")) {
			credential.signed_headers = part;
		} else if (slice_is(name, "Signature")) {
			credential.signature = part;
		}
	}
	credential.present = true;
	return credential;
}

/* The header's value with runs of spaces made one; several of a name joined by commas. */
static void append_header_value(struct buffer *to, const struct http_request *request, struct slice name,
				struct slice host)
{
	bool first = true;

	for (size_t i = 0; i < request->header_count; i++) {
		const struct http_header *header = &request->headers[i];

		if (!slice_equal_caseless(header->name, name))
			continue;
		if (!first)
			(void)buffer_byte(to, ',');
		first = false;
		struct slice value = slice_trim(header->value);
		for (size_t at = 0; at < value.size; at++)
			if (at == 0 || value.data[at] != ' ' || value.data[at - 1] != ' ')
				(void)buffer_byte(to, value.data[at]);
	}
	/* The transport writes the Host header from the URL where the caller gave none. */
	if (first && slice_is(name, "host"))
		(void)buffer_append(to, host);
}

static void append_query(struct buffer *to, struct slice query)
{
	struct slice parts[HEADERS_MOST];
	size_t count = 0;

	while (query.size > 0 && count < HEADERS_MOST)
		parts[count++] = slice_cut(&query, '&');
	if (count > 1)
		qsort(parts, count, sizeof(parts[0]), slice_order);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			(void)buffer_byte(to, '&');
		(void)buffer_append(to, parts[i]);
		if (!slice_contains(parts[i], SLICE("=")))
			(void)buffer_byte(to, '=');
	}
}

static struct digest canonical_digest(const struct http_request *request, const struct sim_credential *credential)
{
	BUFFER_AUTO canonical;
	struct slice path, query, names = credential->signed_headers;
	struct slice host = sim_url_authority(request->url, &path, &query);
	struct slice body_hash = sim_header(request, "X-Amz-Content-Sha256");

	buffer_init(&canonical, 1 << 20);
	(void)buffer_append(&canonical, request->method);
	(void)buffer_byte(&canonical, '\n');
	(void)buffer_append(&canonical, path);
	(void)buffer_byte(&canonical, '\n');
	append_query(&canonical, query);
	(void)buffer_byte(&canonical, '\n');
	while (names.size > 0) {
		struct slice name = slice_cut(&names, ';');

		(void)buffer_append(&canonical, name);
		(void)buffer_byte(&canonical, ':');
		append_header_value(&canonical, request, name, host);
		(void)buffer_byte(&canonical, '\n');
	}
	(void)buffer_byte(&canonical, '\n');
	(void)buffer_append(&canonical, credential->signed_headers);
	(void)buffer_byte(&canonical, '\n');
	if (body_hash.size > 0) {
		(void)buffer_append(&canonical, body_hash);
	} else {
		char hex[DIGEST_HEX + 1];
		struct digest digest = digest_of(request->body);

		digest_hex(&digest, hex);
		(void)buffer_string(&canonical, hex);
	}
	return digest_of(buffer_slice(&canonical));
}

static struct slice bytes_of(const struct digest *digest)
{
	return (struct slice){(const char *)digest->bytes, DIGEST_BYTES};
}

/* The key of a day, region and service: four rounds of a keyed hash, worth remembering. */
static struct digest signing_key(struct sim *sim, struct arena *arena, const struct sim_credential *credential,
				 struct slice secret)
{
	const struct slice parts[] = {credential->date, SLICE("/"), credential->region, SLICE("/"), credential->service,
				      SLICE("/"),	secret};
	struct slice name = arena_join(arena, parts, sizeof(parts) / sizeof(parts[0]));
	struct digest *known = map_get(&sim->signing_keys, name);

	if (known)
		return *known;
	struct slice start = arena_format(arena, "AWS4%.*s", SLICE_ARGUMENTS(secret));
	struct digest key = digest_keyed(start, credential->date);
	key = digest_keyed(bytes_of(&key), credential->region);
	key = digest_keyed(bytes_of(&key), credential->service);
	key = digest_keyed(bytes_of(&key), SLICE("aws4_request"));
	known = arena_new(&sim->lasting, struct digest);
	*known = key;
	map_set(&sim->signing_keys, arena_copy(&sim->lasting, name), known);
	return key;
}

/* "20261121T084522Z" as milliseconds since 1970. */
static bool read_time(struct slice text, int64_t *ret)
{
	int64_t date, time_of_day;

	if (text.size != 16 || text.data[8] != 'T' || text.data[15] != 'Z' ||
	    !slice_integer(slice_first(text, 8), &date) ||
	    !slice_integer((struct slice){text.data + 9, 6}, &time_of_day) || date < 0 || time_of_day < 0)
		return false;
	struct tm parts = {
		.tm_year = (int)(date / 10000) - 1900,
		.tm_mon = (int)(date / 100 % 100) - 1,
		.tm_mday = (int)(date % 100),
		.tm_hour = (int)(time_of_day / 10000),
		.tm_min = (int)(time_of_day / 100 % 100),
		.tm_sec = (int)(time_of_day % 100),
	};
	*ret = (int64_t)timegm(&parts) * 1000;
	return true;
}

static void fail_key(struct sim_call *call)
{
	if (call->service == SIM_EC2)
		sim_fail(call, "AuthFailure", "AWS was not able to validate the provided access credentials");
	else
		sim_fail(call, "InvalidClientTokenId", "The security token included in the request is invalid.");
}

static void fail_signature(struct sim_call *call)
{
	if (call->service == SIM_EC2)
		sim_fail(call, "AuthFailure", "AWS was not able to validate the provided access credentials");
	else
		sim_fail(call, "SignatureDoesNotMatch",
			 "The request signature we calculated does not match the signature you provided. Check your "
			 "AWS Secret "
			 "Access Key and signing method. Consult the service documentation for details.");
}

static void check_time(struct sim_call *call, int64_t signed_ms)
{
	int64_t age_ms = call->sim->now_ms - signed_ms;

	if (age_ms > (call->service == SIM_EC2 ? EC2_AGE_MOST_MS : SKEW_MOST_MS))
		sim_fail(call, call->service == SIM_EC2 ? "RequestExpired" : "SignatureDoesNotMatch",
			 call->service == SIM_EC2 ? "Request has expired." : "Signature expired");
	else if (age_ms < -SKEW_MOST_MS)
		sim_fail(call, call->service == SIM_EC2 ? "AuthFailure" : "SignatureDoesNotMatch",
			 "Signature not yet current");
}

static struct slice secret_of(struct sim_call *call, struct slice key_id, struct slice *ret_token)
{
	struct sim_object *key = sim_find(sim_region(call->sim, SLICE("")), SIM_ACCESS_KEY, key_id);

	*ret_token = key ? node_text(&key->body, "token") : (struct slice){NULL, 0};
	if (key)
		return node_text(&key->body, "secret");
	return slice_is(key_id, "sim") ? SLICE("sim") : (struct slice){NULL, 0};
}

/* Host and date must be signed, and so must a token that is sent. */
static bool signs_enough(const struct http_request *request, const struct sim_credential *credential)
{
	struct slice names = credential->signed_headers;
	bool host = false, token = sim_header(request, "X-Amz-Security-Token").size == 0;

	while (names.size > 0) {
		struct slice name = slice_cut(&names, ';');

		host = host || slice_is(name, "host");
		token = token || slice_is(name, "x-amz-security-token");
	}
	return host && token;
}

static bool body_is_as_signed(struct arena *arena, const struct http_request *request)
{
	struct slice said = sim_header(request, "X-Amz-Content-Sha256");
	struct digest digest;

	if (said.size == 0)
		return true;
	digest = digest_of(request->body);
	return slice_equal(said, digest_text(arena, &digest));
}

void sim_signature_check(struct sim_call *call, const struct http_request *request,
			 const struct sim_credential *credential)
{
	struct slice date = sim_header(request, "X-Amz-Date"), token;
	int64_t signed_ms;

	if (sim_setting(call->sim, SIM_SETTING_SIGNATURES) == 0)
		return;
	if (!credential->present) {
		if (call->service == SIM_EC2)
			sim_fail(call, "AuthFailure",
				 "AWS was not able to authenticate the request: access credentials are missing");
		else
			sim_fail(call, "MissingAuthenticationToken", "Request is missing Authentication Token");
		return;
	}
	struct slice secret = secret_of(call, credential->key_id, &token);
	if (secret.size == 0 || !slice_equal(token, sim_header(request, "X-Amz-Security-Token"))) {
		fail_key(call);
		return;
	}
	if (!read_time(date, &signed_ms) || !slice_equal(slice_first(date, 8), credential->date) ||
	    !signs_enough(request, credential) || !body_is_as_signed(call->arena, request)) {
		fail_signature(call);
		return;
	}
	struct digest canonical = canonical_digest(request, credential);
	const struct slice parts[] = {SLICE("AWS4-HMAC-SHA256\n"),
				      date,
				      SLICE("\n"),
				      credential->date,
				      SLICE("/"),
				      credential->region,
				      SLICE("/"),
				      credential->service,
				      SLICE("/aws4_request\n"),
				      digest_text(call->arena, &canonical)};
	struct slice to_sign = arena_join(call->arena, parts, sizeof(parts) / sizeof(parts[0]));
	struct digest key = signing_key(call->sim, call->arena, credential, secret);
	struct digest signature = digest_keyed(bytes_of(&key), to_sign);
	if (!slice_equal(digest_text(call->arena, &signature), credential->signature))
		fail_signature(call);
	else if (sim_setting(call->sim, SIM_SETTING_SIGNATURE_AGE) != 0)
		check_time(call, signed_ms);
}
