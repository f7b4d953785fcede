#ifndef TRUEUP_PROVIDERS_METAL_METAL_H
#define TRUEUP_PROVIDERS_METAL_METAL_H

#include "reconcile/provider.h"

/*
 * Machines that are there already, through their baseboard controllers: Redfish (DMTF DSP0266, the
 * schemas ComputerSystem and EthernetInterface) with JSON over HTTPS and basic authentication.
 * What the files of this provider share.
 */
extern const struct provider metal_provider;

extern const struct kind metal_machine;

struct metal_session {
	struct session session;
	struct slice endpoint;	    /* "sim:..." or empty: the network */
	struct slice authorization; /* value of the header, or empty: none is sent; wiped when closed */
	struct slice ca_file;
	bool insecure;	  /* accept any certificate */
	bool allow_plain; /* accept controllers without TLS */
};

bool metal_check(struct slice name, const struct value *settings, struct diagnostics *diagnostics);
bool metal_open(const struct provider *provider, struct world *world, struct slice name, const struct value *settings,
		struct arena *arena, struct session **ret, struct diagnostics *diagnostics);
void metal_close(struct session *session);
struct value metal_settings_of(const struct identity *identity, struct arena *arena);
bool metal_expect(struct world *world, const struct value *settings, struct arena *arena, struct identity *ret);
enum step metal_identify(struct reading *reading, const struct answer *answer);

enum step metal_list(struct reading *reading, const struct answer *answer);
bool metal_needs_detail(const struct kind *kind, const struct value *matters);
enum step metal_detail(struct reading *reading, const struct answer *answer);

enum step metal_advance(struct work *work, const struct answer *answer);

bool metal_prepare(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
		   struct diagnostics *diagnostics);
void metal_interpret(const struct call *call, const struct http_response *response, struct arena *arena,
		     struct answer *ret);
struct provider_limits metal_limits(const struct call *call);

#endif
