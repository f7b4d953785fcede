#include "providers/metal/address.h"

#include <inttypes.h>
#include <string.h>

#include "base/cidr.h"

enum {
	CONTROLLER_BYTES_MOST = 512,
	LINK_BYTES_MOST = 1024,
	PORT_MOST = 65535,
	PORT_HTTP = 80,
	PORT_HTTPS = 443,
};

#define SYSTEMS "/redfish/v1/Systems/"

static const char HOST[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
static const char HOST_6[] = "abcdef0123456789:.";
/* RFC 3986, 3.3 and 3.4: what a segment of a path may hold, and what a query. */
#define IN_SEGMENT "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@%"
static const char SEGMENT[] = IN_SEGMENT;
static const char QUERY[] = IN_SEGMENT "/?";

static bool consists_of(struct slice text, const char *allowed)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] == '\0' || !strchr(allowed, text.data[i]))
			return false;
	return text.size > 0;
}

/* Where byte stands, or the size of text. */
static size_t offset_of(struct slice text, char byte)
{
	const char *found = text.size > 0 ? memchr(text.data, byte, text.size) : NULL;

	return found ? (size_t)(found - text.data) : text.size;
}

static bool is_segment(struct slice segment)
{
	return consists_of(segment, SEGMENT) && !slice_is(segment, ".") && !slice_is(segment, "..");
}

static bool is_host(struct slice authority)
{
	bool bracketed = slice_starts_with(authority, SLICE("["));
	size_t end = bracketed ? offset_of(authority, ']') : offset_of(authority, ':');
	struct slice host = slice_first(authority, end), port;
	int64_t number;

	if (bracketed && (end == authority.size || !consists_of(slice_from(host, 1), HOST_6)))
		return false;
	if (!bracketed && !consists_of(host, HOST))
		return false;
	port = slice_from(authority, bracketed ? end + 1 : end);
	if (port.size == 0)
		return true;
	return port.data[0] == ':' && slice_integer(slice_from(port, 1), &number) && number > 0 && number <= PORT_MOST;
}

bool metal_address_read(struct slice controller, struct metal_address *ret, const char **ret_problem)
{
	bool plain = slice_starts_with(controller, SLICE("http://"));
	size_t scheme_size = plain ? sizeof("http://") - 1 : sizeof("https://") - 1;
	struct slice rest = slice_from(controller, scheme_size);
	size_t host_size = offset_of(rest, '/');
	struct slice authority = slice_first(rest, host_size), path = slice_from(rest, host_size);

	*ret_problem = NULL;
	if (controller.size > CONTROLLER_BYTES_MOST)
		*ret_problem = "is too long";
	else if (!plain && !slice_starts_with(controller, SLICE("https://")))
		*ret_problem = "must begin with https://";
	else if (offset_of(authority, '@') < authority.size)
		*ret_problem = "must not hold a user or password: those are settings of the provider";
	else if (!is_host(authority))
		*ret_problem = "needs a host, in lower case, and at most a port behind it";
	else if (slice_is(path, "/"))
		*ret_problem = "must not end with a slash";
	else if (path.size > 0 &&
		 !(slice_starts_with(path, SLICE(SYSTEMS)) && is_segment(slice_from(path, sizeof(SYSTEMS) - 1))))
		*ret_problem = "may have no path but that of one system, " SYSTEMS "ID";
	if (*ret_problem)
		return false;
	*ret = (struct metal_address){slice_first(controller, scheme_size + host_size), path, plain};
	return true;
}

/* "[FD00:0::5]" as RFC 5952 has it; a name or an IPv4 address has one spelling. */
static struct slice host_form(struct slice host, struct arena *arena)
{
	struct cidr address;

	if (!slice_starts_with(host, SLICE("[")) ||
	    !cidr_read_address(slice_first(slice_from(host, 1), host.size - 2), &address))
		return host;
	return arena_format(arena, "[%.*s]", SLICE_ARGUMENTS(cidr_address_text(arena, &address)));
}

struct slice metal_address_form(struct slice controller, struct arena *arena)
{
	struct metal_address address;
	struct slice scheme, authority, host, port;
	const char *problem;
	int64_t number = 0;

	if (!metal_address_read(controller, &address, &problem))
		return controller;
	scheme = slice_first(controller, address.plain ? sizeof("http://") - 1 : sizeof("https://") - 1);
	authority = slice_from(address.base, scheme.size);
	host = slice_first(authority, slice_starts_with(authority, SLICE("[")) ? offset_of(authority, ']') + 1
									       : offset_of(authority, ':'));
	port = slice_from(authority, host.size);
	host = host_form(host, arena);
	if (port.size == 0 || !slice_integer(slice_from(port, 1), &number) ||
	    number == (address.plain ? PORT_HTTP : PORT_HTTPS))
		return arena_format(arena, "%.*s%.*s%.*s", SLICE_ARGUMENTS(scheme), SLICE_ARGUMENTS(host),
				    SLICE_ARGUMENTS(address.system));
	return arena_format(arena, "%.*s%.*s:%" PRId64 "%.*s", SLICE_ARGUMENTS(scheme), SLICE_ARGUMENTS(host), number,
			    SLICE_ARGUMENTS(address.system));
}

bool metal_link_is_sound(struct slice link, bool query)
{
	size_t path_size = query ? offset_of(link, '?') : link.size;
	struct slice path = slice_first(link, path_size), behind = slice_from(link, path_size);

	if (link.size > LINK_BYTES_MOST || !slice_starts_with(path, SLICE("/redfish/")))
		return false;
	if (behind.size > 1 && !consists_of(slice_from(behind, 1), QUERY))
		return false;
	/* The slash at its end that some controllers write is theirs to keep. */
	if (slice_ends_with(path, SLICE("/")))
		path.size--;
	path = slice_from(path, 1);
	while (path.data) {
		if (!is_segment(slice_cut(&path, '/')))
			return false;
	}
	return true;
}

struct slice metal_link_path(struct slice base, struct slice link)
{
	struct slice behind = slice_from(link, base.size);

	return slice_starts_with(link, base) && slice_starts_with(behind, SLICE("/")) ? behind : link;
}

struct slice metal_link_name(struct slice link)
{
	if (slice_ends_with(link, SLICE("/")))
		link.size--;
	for (size_t i = link.size; i > 0; i--)
		if (link.data[i - 1] == '/')
			return slice_from(link, i);
	return link;
}
