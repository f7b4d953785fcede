#include "providers/sim/sim_http.h"

#include <ctype.h>
#include <stdio.h>

#include "providers/sim/sim_fault.h"
#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_file.h"
#include "providers/sim/sim_query.h"
#include "providers/sim/sim_redfish.h"
#include "providers/sim/sim_signature.h"

#define FIPS_MARK "-fips"

/* From a request to the server it is for: by host name, or by what its signature is for. */

static const char *const service_names[SIM_SERVICE_COUNT] = {
	[SIM_EC2] = "ec2",
	[SIM_AUTOSCALING] = "autoscaling",
	[SIM_STS] = "sts",
};

static bool find_service(struct slice name, enum sim_service *ret)
{
	for (size_t i = 0; i < SIM_SERVICE_COUNT; i++) {
		if (slice_is(name, service_names[i])) {
			*ret = (enum sim_service)i;
			return true;
		}
	}
	return false;
}

/* "ec2.us-west-2.amazonaws.com", "ec2-fips.us-west-2.amazonaws.com", "sts.amazonaws.com": service, and region or
 * nothing. */
static bool split_host(struct slice host, struct slice *ret_service, struct slice *ret_region)
{
	struct slice rest = host;
	struct slice name = slice_cut(&rest, ':');

	*ret_region = (struct slice){NULL, 0};
	if (!slice_ends_with(name, SLICE(".amazonaws.com")) && !slice_ends_with(name, SLICE(".amazonaws.com.cn")))
		return false;
	*ret_service = slice_cut(&name, '.');
	if (slice_ends_with(*ret_service, SLICE(FIPS_MARK)))
		*ret_service = slice_first(*ret_service, ret_service->size - strlen(FIPS_MARK));
	if (!slice_starts_with(name, SLICE("amazonaws")))
		*ret_region = slice_cut(&name, '.');
	return true;
}

static bool known_region(struct slice region)
{
	for (size_t i = 0; i < region.size; i++)
		if (!islower((unsigned char)region.data[i]) && !isdigit((unsigned char)region.data[i]) &&
		    region.data[i] != '-')
			return false;
	return region.size >= 9 && region.size <= 32 && isdigit((unsigned char)region.data[region.size - 1]);
}

static void no_answer(struct sim_answer *answer, enum fault fault, const char *why, struct slice what)
{
	answer->answered = false;
	answer->fault = fault;
	(void)snprintf(answer->message, sizeof(answer->message), "%s%.*s", why, SLICE_ARGUMENTS(what));
}

static void check_scope(struct sim_call *call, const struct sim_credential *credential, struct slice region)
{
	if (sim_setting(call->sim, SIM_SETTING_SIGNATURES) == 0 || !credential->present)
		return;
	if (!slice_is(credential->service, service_names[call->service]) || !slice_equal(credential->region, region))
		sim_fail(call, call->service == SIM_EC2 ? "AuthFailure" : "SignatureDoesNotMatch",
			 "Credential should be scoped to a valid region.");
}

static struct slice action_of(struct arena *arena, struct slice form)
{
	while (form.size > 0) {
		struct slice value = slice_cut(&form, '&');
		struct slice name = slice_cut(&value, '=');
		struct slice action;

		if (slice_is(name, "Action") && sim_url_decode(arena, value, &action))
			return action;
	}
	return SLICE("?");
}

static void run_call(struct sim_call *call, const struct http_request *request, const struct sim_credential *credential,
		     struct slice region)
{
	if (!slice_is(request->method, "POST"))
		sim_fail(call, "InvalidRequest", "The request method is not supported, use POST");
	sim_signature_check(call, request, credential);
	if (!call->failed)
		check_scope(call, credential, region);
	if (!call->failed)
		sim_query(call, request->body);
}

static void execute_aws(struct sim *sim, struct arena *arena, const struct http_request *request,
			const struct sim_credential *credential, struct slice service, struct slice region,
			struct sim_answer *answer)
{
	struct sim_call call = {.sim = sim, .arena = arena, .out = &answer->body};
	enum sim_fault_kind kind = SIM_FAULT_DENY;
	bool stopped = false;

	if (!find_service(service, &call.service)) {
		no_answer(answer, FAULT_USER, "the simulator has no service ", service);
		return;
	}
	if (!known_region(region)) {
		no_answer(answer, FAULT_USER, "could not resolve the host of region ", region);
		return;
	}
	call.region = sim_region(sim, region);
	if (sim_table_count(call.region, SIM_IMAGE) == 0)
		sim_images_make(sim, call.region);
	call.request.type = NODE_MAP;
	answer->answered = true;
	answer->content_type = "text/xml;charset=UTF-8";
	bool hit = sim_fault_take(sim, action_of(arena, request->body), &kind);
	if (hit)
		stopped = sim_fault_before(kind, &call, answer);
	if (!stopped)
		run_call(&call, request, credential, region);
	if (!stopped || call.failed) {
		if (call.failed)
			sim_query_error(&call);
		answer->status = sim_query_status(&call);
		answer->request_id = arena_copy(arena, slice_of(call.id));
	}
	if (hit)
		sim_fault_after(kind, answer);
	node_release(&call.request);
}

static void dispatch(struct sim *sim, struct arena *arena, const struct http_request *request,
		     struct sim_answer *answer)
{
	struct sim_credential credential = sim_credential_read(request);
	struct slice path, query, service, region;
	struct slice host = sim_header(request, "Host");
	struct slice authority = sim_url_authority(request->url, &path, &query);

	if (host.size == 0)
		host = authority;
	if (split_host(host, &service, &region)) {
		if (region.size == 0)
			region = credential.present ? credential.region : SLICE("us-east-1");
		execute_aws(sim, arena, request, &credential, service, region, answer);
	} else if (credential.present) {
		execute_aws(sim, arena, request, &credential, credential.service, credential.region, answer);
	} else {
		sim_redfish_execute(sim, arena, request, host, path, answer);
	}
}

void sim_http_execute(struct sim *sim, struct arena *arena, const struct http_request *request,
		      struct sim_answer *answer)
{
	const char *refusal = http_request_refusal(request);

	if (refusal) {
		no_answer(answer, FAULT_INTERNAL, "", slice_of(refusal));
		return;
	}
	if (!sim_file_begin(sim)) {
		no_answer(answer, FAULT_TRANSIENT, "", slice_of(sim_file_problem(sim)));
		return;
	}
	sim_run_until(sim, sim->now_ms);
	dispatch(sim, arena, request, answer);
	sim_commit(sim);
	sim_file_end(sim);
	if (sim_file_problem(sim)) {
		buffer_clear(&answer->body);
		no_answer(answer, FAULT_AMBIGUOUS, "", slice_of(sim_file_problem(sim)));
	}
}
