#ifndef TRUEUP_PROVIDERS_AWS_URI_H
#define TRUEUP_PROVIDERS_AWS_URI_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/slice.h"

/* The parts of scheme://authority/path?query; a fragment, which is never sent, is dropped. */
struct aws_uri {
	struct slice scheme;
	struct slice authority;
	struct slice path;
	struct slice query; /* without its '?' */
};

/* False where text has no scheme or no authority. */
__attribute__((warn_unused_result)) bool aws_uri_read(struct slice text, struct aws_uri *ret);
/* The Host header that an HTTP client sends: without credentials and without the scheme's own port. */
struct slice aws_uri_host(const struct aws_uri *uri);
/* Percent-encodes all but the unreserved characters of RFC 3986, section 2.3, and '/' where kept. */
void aws_uri_encode(struct buffer *buffer, struct slice text, bool keep_slashes);
/* The other way; a '%' without two hex digits behind it stands for itself. */
void aws_uri_decode(struct buffer *buffer, struct slice text);

#endif
