#include "providers/aws/uri.h"

#include <string.h>

#include "base/hex.h"

bool aws_uri_read(struct slice text, struct aws_uri *ret)
{
	const char *colon = text.size > 0 ? memchr(text.data, ':', text.size) : NULL;
	struct aws_uri uri = {0};
	size_t at;

	if (!colon || colon == text.data)
		return false;
	uri.scheme = slice_first(text, (size_t)(colon - text.data));
	at = uri.scheme.size;
	if (!slice_starts_with(slice_from(text, at), SLICE("://")))
		return false;
	text = slice_from(text, at + 3);
	text = slice_cut(&text, '#');
	for (at = 0; at < text.size && text.data[at] != '/' && text.data[at] != '?'; at++)
		;
	if (at == 0)
		return false;
	uri.authority = slice_first(text, at);
	uri.query = slice_from(text, at);
	uri.path = slice_cut(&uri.query, '?');
	*ret = uri;
	return true;
}

static bool is_own_port(struct slice scheme, struct slice port)
{
	static const struct {
		const char *scheme;
		const char *port;
	} own[] = {{"http", "80"}, {"https", "443"}};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (slice_is(scheme, own[i].scheme))
			return slice_is(port, own[i].port);
	}
	return false;
}

struct slice aws_uri_host(const struct aws_uri *uri)
{
	struct slice host = uri->authority;
	size_t at = host.size;

	while (at > 0 && host.data[at - 1] != '@')
		at--;
	host = slice_from(host, at);
	/* The last colon of an IPv6 address is followed by its bracket: that is no port. */
	for (at = host.size; at > 0 && host.data[at - 1] != ':'; at--)
		;
	if (at > 0 && is_own_port(uri->scheme, slice_from(host, at)))
		host = slice_first(host, at - 1);
	return host;
}

static bool is_unreserved(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

void aws_uri_encode(struct buffer *buffer, struct slice text, bool keep_slashes)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t start = 0;

	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = (unsigned char)text.data[i];
		char encoded[3] = {'%', hex[byte >> 4], hex[byte & 15]};

		if (is_unreserved(text.data[i]) || (keep_slashes && byte == '/'))
			continue;
		buffer_append(buffer, (struct slice){text.data + start, i - start});
		buffer_append(buffer, (struct slice){encoded, sizeof(encoded)});
		start = i + 1;
	}
	buffer_append(buffer, slice_from(text, start));
}

void aws_uri_decode(struct buffer *buffer, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		int high = i + 2 < text.size && text.data[i] == '%' ? hex_digit(text.data[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(text.data[i + 2]) : -1;

		if (low < 0) {
			buffer_byte(buffer, text.data[i]);
			continue;
		}
		buffer_byte(buffer, (char)(high * 16 + low));
		i += 2;
	}
}
