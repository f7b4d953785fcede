#ifndef TRUEUP_PROVIDERS_AWS_SIGN_H
#define TRUEUP_PROVIDERS_AWS_SIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/http.h"
#include "base/slice.h"

/*
 * Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
struct aws_credentials {
	struct slice access_key;
	struct slice secret_key;
	struct slice session_token; /* empty: none */
};

/* Of the environment, as the AWS CLI names them. */
#define AWS_SECRET_KEY_VARIABLE "AWS_SECRET_ACCESS_KEY"
#define AWS_SESSION_TOKEN_VARIABLE "AWS_SESSION_TOKEN"

enum {
	/* A secret key has 40 characters, a token hundreds. Emulators take any word ("testing"), which may as well
	 * stand in a tag. */
	AWS_SECRET_LEAST_BYTES = 16,
};

/* All zero but for service, region and time is right for every service but S3. */
struct aws_signing_options {
	struct slice service; /* the signing name, which may differ from the host's */
	struct slice region;
	int64_t wall_ms;	/* since 1970 UTC */
	bool path_as_given;	/* dots and repeated slashes stay in the path (S3) */
	bool path_encoded_once; /* the path is not percent-encoded over what is sent (S3) */
	bool body_header;	/* add x-amz-content-sha256 and sign it */
	bool token_unsigned;	/* send the session token, but outside the signature */
};

/*
 * Derived keys hold for one secret, day, region and service; four hashes are saved for each
 * request. What is longer than any of theirs is not kept, and its key is derived each time.
 * Owned by the caller, who wipes it when the credentials go.
 */
enum { AWS_SIGNING_KEYS = 16, AWS_SIGNING_TEXT_MOST = 128 };

struct aws_signing_key {
	/* What the key was derived from: the secret, and the scope of aws_signing. */
	char secret[AWS_SIGNING_TEXT_MOST], scope[AWS_SIGNING_TEXT_MOST];
	size_t secret_size, scope_size;
	struct digest key;
};

struct aws_signing_keys {
	struct aws_signing_key items[AWS_SIGNING_KEYS];
	size_t count;
	size_t oldest; /* replaced next once all are in use */
};

void aws_signing_keys_wipe(struct aws_signing_keys *keys);

enum { AWS_SIGNED_HEADERS_MOST = 4 };

/* What signing yields, stage by stage; texts live in the arena. */
struct aws_signing {
	char time[17]; /* 20150830T123600Z */
	char body_digest[DIGEST_HEX + 1];
	struct slice scope;	     /* 20150830/us-east-1/ec2/aws4_request */
	struct slice signed_headers; /* host;x-amz-date */
	struct slice canonical_request;
	struct slice string_to_sign;
	struct slice signature; /* hex */
	/* To be sent behind the request's own: X-Amz-Security-Token, X-Amz-Date,
	 * x-amz-content-sha256, Authorization, as far as they apply. */
	struct http_header headers[AWS_SIGNED_HEADERS_MOST];
	size_t header_count;
	struct slice url; /* aws_presign() only */
};

/*
 * Signs a request that carries no signature yet. All its headers are signed but those that
 * a proxy may change. Without a Host header, host is taken from the URL and must be sent as
 * curl does: with the port where it is not the scheme's own. keys may be NULL.
 */
__attribute__((warn_unused_result)) bool aws_sign(struct arena *arena, const struct http_request *request,
						  const struct aws_credentials *credentials,
						  const struct aws_signing_options *options,
						  struct aws_signing_keys *keys, struct aws_signing *ret,
						  struct diagnostics *diagnostics);
/* The same as a URL that is good for expires_s seconds by itself, with the request's headers and body. */
__attribute__((warn_unused_result)) bool aws_presign(struct arena *arena, const struct http_request *request,
						     const struct aws_credentials *credentials,
						     const struct aws_signing_options *options, int64_t expires_s,
						     struct aws_signing_keys *keys, struct aws_signing *ret,
						     struct diagnostics *diagnostics);

#endif
