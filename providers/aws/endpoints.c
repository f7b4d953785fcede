#include "providers/aws/endpoints.h"

#include "providers/aws/uri.h"
#include "reconcile/resource.h"

struct position aws_setting_position(const struct value *settings, const char *name)
{
	const struct value *value = value_get_named(settings, name);
	return value ? value->position : NOWHERE;
}

/* By how a region's name begins (partitions.json of botocore); all others are of the last one. */
static const struct partition {
	const char *begins;
	const char *domain;
	const char *dual_stack; /* of the hosts that have IPv6 too */
} partitions[] = {
	{"cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"},
	{"eusc-", "amazonaws.eu", "api.amazonwebservices.eu"},
	{"us-iso-", "c2s.ic.gov", "api.aws.ic.gov"},
	{"us-isob-", "sc2s.sgov.gov", "api.aws.scloud"},
	{"eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"},
	{"us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"},
	{"", "amazonaws.com", "api.aws"},
};

static bool is_switched_on(struct world *world, const char *variable)
{
	return slice_equal_caseless(slice_of(world->environment(world, variable)), SLICE("true"));
}

struct slice aws_public_url(struct world *world, struct slice prefix, struct slice region, struct arena *arena)
{
	const struct partition *partition = partitions;
	bool dual_stack = is_switched_on(world, "AWS_USE_DUALSTACK_ENDPOINT");
	/* The government's regions have FIPS behind the usual names, but for KMS. */
	bool has_own_name = dual_stack || !slice_starts_with(region, SLICE("us-gov-")) || slice_is(prefix, "kms");
	bool fips = has_own_name && is_switched_on(world, "AWS_USE_FIPS_ENDPOINT");

	while (!slice_starts_with(region, slice_of(partition->begins)))
		partition++;
	return arena_format(arena, "https://%.*s%s.%.*s.%s/", SLICE_ARGUMENTS(prefix), fips ? "-fips" : "",
			    SLICE_ARGUMENTS(region), dual_stack ? partition->dual_stack : partition->domain);
}

bool aws_is_public(struct slice endpoint)
{
	struct aws_uri uri;
	if (!aws_uri_read(endpoint, &uri))
		return false;
	struct slice rest = uri.authority, host = slice_cut(&rest, ':');
	for (size_t i = 0; i < sizeof(partitions) / sizeof(partitions[0]); i++) {
		const char *const domains[] = {partitions[i].domain, partitions[i].dual_stack};
		for (size_t k = 0; k < sizeof(domains) / sizeof(domains[0]); k++) {
			struct slice domain = slice_of(domains[k]);
			if (slice_ends_with(host, domain) && host.size > domain.size &&
			    host.data[host.size - domain.size - 1] == '.')
				return true;
		}
	}
	return false;
}

/* Digits only, at most 65535; no port at all is fine. */
static bool is_port(struct slice text)
{
	enum { PORT_MOST = 65535 };
	int64_t port;
	return text.size == 0 || (slice_integer(text, &port) && port > 0 && port <= PORT_MOST);
}

/* "sim:...", or http:// or https:// with a host and, in brackets or not, perhaps a port behind it, and a path. */
static bool is_endpoint(struct slice text)
{
	struct aws_uri uri;
	if (endpoint_is_simulated(text))
		return true;
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)text.data[i] <= ' ' || text.data[i] == '?' || text.data[i] == '#')
			return false;
	if (!aws_uri_read(text, &uri) || !(slice_is(uri.scheme, "http") || slice_is(uri.scheme, "https")))
		return false;
	struct slice rest = uri.authority, host;
	if (slice_contains(rest, SLICE("@")))
		return false;
	if (slice_starts_with(rest, SLICE("["))) {
		host = slice_cut(&rest, ']');
		return rest.data && host.size > 1 && (rest.size == 0 || rest.data[0] == ':') &&
		       is_port(slice_from(rest, rest.size > 0 ? 1 : 0));
	}
	host = slice_cut(&rest, ':');
	return host.size > 0 && is_port(rest);
}

static struct slice variable_of(struct world *world, const struct aws_service_shape *service, struct arena *arena)
{
	const char *name = arena_text(arena, "AWS_ENDPOINT_URL_%.*s", SLICE_ARGUMENTS(service->variable));
	return slice_of(world->environment(world, name));
}

static struct slice choose(struct world *world, const struct aws_service_shape *service, const struct value *settings,
			   struct arena *arena)
{
	const struct value *own = value_get_named(settings, "endpoints");
	struct slice choices[] = {
		value_slice(own ? value_get(own, service->name) : NULL),
		value_slice(value_get_named(settings, "endpoint")),
		variable_of(world, service, arena),
		slice_of(world->environment(world, "AWS_ENDPOINT_URL")),
	};
	size_t i = 0;
	while (i + 1 < sizeof(choices) / sizeof(choices[0]) && choices[i].size == 0)
		i++;
	return endpoint_is_simulated(choices[i]) ? world_endpoint(world, choices[i], arena) : choices[i];
}

/* "ec2=https://a/ sts=https://b/": an endpoint holds no space, so this cannot be that of all services. */
static struct slice place_of(const struct slice *of_services, struct arena *arena)
{
	struct slice place = {0};
	bool differ = false;
	for (size_t i = 1; i < aws_service_count; i++)
		differ |= !slice_equal(of_services[i], of_services[0]);
	if (!differ)
		return of_services[0];
	for (size_t i = 0; i < aws_service_count; i++)
		if (of_services[i].size)
			place = arena_format(arena, "%.*s%s%.*s=%.*s", SLICE_ARGUMENTS(place), place.size ? " " : "",
					     SLICE_ARGUMENTS(aws_services[i]->name), SLICE_ARGUMENTS(of_services[i]));
	return place;
}

static bool check_services(const struct value *settings, struct slice alias, struct diagnostics *diagnostics)
{
	const struct value *own = value_get_named(settings, "endpoints");
	bool good = true;

	for (uint32_t i = 0; own && value_is(own, VALUE_MAP) && i < own->count; i++)
		if (!aws_service(value_slice(&own->members[i].key)))
			good = diag_error(diagnostics, FAULT_USER, own->members[i].key.position,
					  "provider '%.*s' knows no service '%.*s'", SLICE_ARGUMENTS(alias),
					  SLICE_ARGUMENTS(value_slice(&own->members[i].key)));
	return good;
}

static bool check_endpoint(struct slice alias, struct slice endpoint, struct position position,
			   struct diagnostics *diagnostics)
{
	if (endpoint.size == 0 || is_endpoint(identity_endpoint(diagnostics->arena, endpoint)))
		return true;
	/* It may hold a password. */
	if (slice_contains(endpoint, SLICE("@"))) {
		diag_error(diagnostics, FAULT_USER, position,
			   "provider '%.*s' cannot have an endpoint with a user in it", SLICE_ARGUMENTS(alias));
		diag_hint(diagnostics, "leave out what stands before the '@': AWS is told who asks by a signature");
		return false;
	}
	diag_error(diagnostics, FAULT_USER, position, "provider '%.*s' cannot have the endpoint '%.*s'",
		   SLICE_ARGUMENTS(alias), SLICE_ARGUMENTS(endpoint));
	diag_hint(diagnostics, "write https://HOST or http://HOST:PORT, or sim:FILE for the built-in simulator");
	return false;
}

bool aws_check(struct slice alias, const struct value *settings, struct diagnostics *diagnostics)
{
	const struct value *common = value_get_named(settings, "endpoint");
	const struct value *own = value_get_named(settings, "endpoints");
	bool good = check_services(settings, alias, diagnostics);
	if (common)
		good &= check_endpoint(alias, value_slice(common), common->position, diagnostics);
	for (uint32_t i = 0; own && value_is(own, VALUE_MAP) && i < own->count; i++) {
		const struct value *url = &own->members[i].value;
		good &= check_endpoint(alias, value_slice(url), url->position, diagnostics);
	}
	return good;
}

static bool check_spelling(const struct aws_endpoints *endpoints, struct slice alias, const struct value *settings,
			   struct diagnostics *diagnostics)
{
	const struct value *own = value_get_named(settings, "endpoints");
	for (size_t i = 0; i < aws_service_count; i++) {
		const char *name = own && value_get(own, aws_services[i]->name) ? "endpoints" : "endpoint";
		if (!check_endpoint(alias, endpoints->of_services[i], aws_setting_position(settings, name),
				    diagnostics))
			return false;
	}
	return true;
}

/* Who is asked for the account must be who has the network: a simulated account has all services. */
static bool check_simulator(const struct aws_endpoints *endpoints, struct slice alias, struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < aws_service_count; i++) {
		struct slice endpoint = endpoints->of_services[i];
		if (!endpoint_is_simulated(endpoint) || slice_equal(endpoints->place, endpoint))
			continue;
		diag_error(diagnostics, FAULT_USER, NOWHERE,
			   "provider '%.*s' has a simulator that is not that of every service: %.*s",
			   SLICE_ARGUMENTS(alias), SLICE_ARGUMENTS(endpoints->place));
		diag_hint(diagnostics, "set AWS_ENDPOINT_URL=sim:FILE, and no AWS_ENDPOINT_URL_SERVICE beside it");
		return false;
	}
	return true;
}

bool aws_endpoints_read(struct aws_endpoints *ret, struct world *world, struct slice alias,
			const struct value *settings, struct arena *arena, struct diagnostics *diagnostics)
{
	struct aws_endpoints endpoints = {.of_services = arena_new_array(arena, aws_service_count, struct slice)};
	if (!check_services(settings, alias, diagnostics))
		return false;
	for (size_t i = 0; i < aws_service_count; i++)
		endpoints.of_services[i] = choose(world, aws_services[i], settings, arena);
	/* Told as it was written. */
	if (!check_spelling(&endpoints, alias, settings, diagnostics))
		return false;
	for (size_t i = 0; i < aws_service_count; i++)
		endpoints.of_services[i] = identity_endpoint(arena, endpoints.of_services[i]);
	endpoints.place = place_of(endpoints.of_services, arena);
	if (!check_simulator(&endpoints, alias, diagnostics))
		return false;
	*ret = endpoints;
	return true;
}

struct slice aws_endpoint_of(const struct aws_endpoints *endpoints, const struct aws_service_shape *service)
{
	size_t i = 0;
	while (aws_services[i] != service)
		i++;
	return endpoints->of_services[i];
}

/* The name before '=' where that is a service's, else empty. */
static struct slice service_name(struct slice text)
{
	struct slice rest = text, name = slice_cut(&rest, '=');
	return rest.data && aws_service(name) ? name : (struct slice){0};
}

struct value_member aws_endpoint_setting(struct slice place, struct arena *arena)
{
	struct value_member *members = arena_new_array(arena, aws_service_count, struct value_member);
	size_t count = 0;
	if (service_name(place).size == 0)
		return (struct value_member){value_text("endpoint"), value_string(place)};
	while (place.size && count < aws_service_count) {
		struct slice endpoint = slice_cut(&place, ' '), name = slice_cut(&endpoint, '=');
		members[count++] = (struct value_member){value_string(name), value_string(endpoint)};
	}
	return (struct value_member){value_text("endpoints"), value_map(members, count)};
}
