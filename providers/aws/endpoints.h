#ifndef TRUEUP_PROVIDERS_AWS_ENDPOINTS_H
#define TRUEUP_PROVIDERS_AWS_ENDPOINTS_H

#include <stdbool.h>

#include "base/world.h"
#include "base/value.h"
#include "providers/aws/shape.h"

/*
 * Where the requests of each service go. What the record calls the place of an object holds all
 * of it, so that what was made at one endpoint is never taken for what is at another.
 */
struct aws_endpoints {
	struct slice *of_services; /* parallel to aws_services; empty: AWS's own */
	struct slice place;	   /* the one of all services, or "SERVICE=URL ..." where they differ */
};

/*
 * The spec's word goes before the environment's, and a service's own before the common one:
 * settings endpoints.SERVICE and endpoint, variables AWS_ENDPOINT_URL_SERVICE and AWS_ENDPOINT_URL
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html). A simulator must be that of
 * all services. alias: for diagnostics. Texts are borrowed from world and settings.
 */
__attribute__((warn_unused_result)) bool aws_endpoints_read(struct aws_endpoints *ret, struct world *world,
							    struct slice alias, const struct value *settings,
							    struct arena *arena, struct diagnostics *diagnostics);
/* As in struct provider: services that there are, and URLs that lead somewhere. */
bool aws_check(struct slice alias, const struct value *settings, struct diagnostics *diagnostics);
struct slice aws_endpoint_of(const struct aws_endpoints *endpoints, const struct aws_service_shape *service);
/*
 * "https://PREFIX.REGION.amazonaws.com/", or as the names of that region's partition end, and as AWS_USE_FIPS_ENDPOINT
 * and AWS_USE_DUALSTACK_ENDPOINT ask (https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html); in
 * arena.
 */
struct slice aws_public_url(struct world *world, struct slice prefix, struct slice region, struct arena *arena);
/* Whether it is a host of AWS itself: a private way to it (PrivateLink) has such a name too. */
bool aws_is_public(struct slice endpoint);
/* The setting that leads to a recorded place, which is not empty. */
struct value_member aws_endpoint_setting(struct slice place, struct arena *arena);
/* Where a setting stands in the spec; nowhere where it came from the environment. */
struct position aws_setting_position(const struct value *settings, const char *name);

#endif
