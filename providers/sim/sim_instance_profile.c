#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* Instance profiles and CPU credits of instances: both have calls and listings of their own. */

static const char arn_start[] = "arn:aws:iam::";
static const char associated[] = "associated";

void sim_instance_profile(struct sim_call *call, const struct node *profile, struct node *ret)
{
	struct slice name = node_text(profile, "name"), arn = node_text(profile, "arn");
	struct node *shown = node_map(ret, "iamInstanceProfile");
	char digits[18];

	if (name.size == 0 && arn.size == 0) {
		name = node_text(profile, "Name");
		arn = node_text(profile, "Arn");
	}
	node_reset(shown, NODE_MAP);
	if (arn.size > 0)
		node_put(shown, "arn", arn);
	else
		node_format(shown, "arn", "%s%012lld:instance-profile/%.*s", arn_start,
			    (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT), SLICE_ARGUMENTS(name));
	sim_random_hex(call->sim, digits, 16);
	node_format(shown, "id", "AIPA%s", digits);
	node_format(ret, "_profileAssociationId", "iip-assoc-%s", digits);
}

static bool check_profile(struct sim_call *call)
{
	const struct node *profile = node_get(&call->request, "IamInstanceProfile");
	struct slice name = node_text(profile, "Name"), arn = node_text(profile, "Arn");

	if ((name.size > 0) == (arn.size > 0))
		sim_fail(call, name.size > 0 ? "InvalidParameterCombination" : "MissingParameter",
			 "The parameter iamInstanceProfile must contain exactly one of name and arn");
	else if (arn.size > 0 &&
		 (!slice_starts_with(arn, slice_of(arn_start)) || !slice_contains(arn, SLICE(":instance-profile/"))))
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter iamInstanceProfile.arn is invalid.",
			 SLICE_ARGUMENTS(arn));
	return !call->failed;
}

static void write_members(struct sim_call *call, const struct sim_object *instance, const struct node *body)
{
	sim_out_text(call, "associationId", node_text(body, "_profileAssociationId"));
	sim_out_text(call, "instanceId", instance->id);
	sim_out_node(call, "iamInstanceProfile", node_get(body, "iamInstanceProfile"));
	sim_out_string(call, "state", associated);
}

static void answer(struct sim_call *call, const struct sim_object *instance)
{
	sim_out_open(call, "iamInstanceProfileAssociation");
	write_members(call, instance, &instance->body);
	sim_out_close(call, "iamInstanceProfileAssociation");
}

static void associate(struct sim_call *call)
{
	struct sim_object *instance = sim_need(call, SIM_INSTANCE, "InstanceId");

	if (!instance || !check_profile(call))
		return;
	if (node_get(&instance->body, "iamInstanceProfile")) {
		sim_fail(call, "IncorrectState", "There is an existing association for instance %.*s",
			 SLICE_ARGUMENTS(instance->id));
		return;
	}
	sim_instance_profile(call, node_get(&call->request, "IamInstanceProfile"), sim_edit(call->sim, instance));
	answer(call, instance);
}

static struct sim_object *find_association(struct sim_call *call)
{
	struct slice id = sim_text(call, "AssociationId");
	struct sim_object *instance = sim_find_part(call->region, SIM_INSTANCE, id);

	if (!instance)
		sim_fail(call, "InvalidAssociationID.NotFound", "An invalid association-id of '%.*s' was given",
			 SLICE_ARGUMENTS(id));
	return instance;
}

static void disassociate(struct sim_call *call)
{
	struct sim_object *instance = find_association(call);

	if (!instance)
		return;
	answer(call, instance);
	struct node *body = sim_edit(call->sim, instance);
	node_drop(body, "iamInstanceProfile");
	node_drop(body, "_profileAssociationId");
}

static void replace(struct sim_call *call)
{
	struct sim_object *instance = find_association(call);

	if (!instance || !check_profile(call))
		return;
	sim_instance_profile(call, node_get(&call->request, "IamInstanceProfile"), sim_edit(call->sim, instance));
	answer(call, instance);
}

static bool has_profile(struct sim_call *call, const struct sim_object *instance, const struct node *body)
{
	const struct node *ids = node_get(&call->request, "AssociationId");

	(void)instance;
	if (!node_get(body, "iamInstanceProfile"))
		return false;
	for (uint32_t i = 0; ids && i < ids->count; i++)
		if (slice_equal(node_slice(&ids->items[i]), node_text(body, "_profileAssociationId")))
			return true;
	return !ids || ids->count == 0;
}

/* What has ended is no longer listed, so all that is there is associated. */
static bool state_matches(struct sim_call *call, const struct sim_object *instance, const struct node *body,
			  const struct node *values)
{
	(void)call;
	(void)instance;
	(void)body;
	return sim_matches(values, slice_of(associated));
}

static const struct sim_filter profile_filters[] = {
	{"instance-id", "instanceId", NULL},
	{"state", NULL, state_matches},
};

static const struct sim_listing profile_listing = {
	.type = SIM_INSTANCE,
	.set = "iamInstanceProfileAssociationSet",
	.filters = profile_filters,
	.filter_count = sizeof(profile_filters) / sizeof(profile_filters[0]),
	.page_least = 5,
	.page_most = 1000,
	.keep = has_profile,
	.write = write_members,
};

/* "Default: standard (T2 instances) or unlimited (T3/T3a/T4g instances)"
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html, CreditSpecification). Other types
 * have none. */
static const char *const usual_credits[][2] = {
	{"t2.", "standard"}, {"t3.", "unlimited"}, {"t3a.", "unlimited"}, {"t4g.", "unlimited"}};

struct slice sim_usual_credits(struct slice type)
{
	for (size_t i = 0; i < sizeof(usual_credits) / sizeof(usual_credits[0]); i++)
		if (slice_starts_with(type, slice_of(usual_credits[i][0])))
			return slice_of(usual_credits[i][1]);
	return (struct slice){0};
}

/* As its present type has it: another type may have none, or some where there were none. */
static struct slice credits_of(const struct node *body)
{
	struct slice said = node_text(body, "_cpuCredits"), usual = sim_usual_credits(node_text(body, "instanceType"));

	return usual.size > 0 && said.size > 0 ? said : usual;
}

/* Some may fail while the others succeed: the answer is 200 all the same. */
static void modify_credits(struct sim_call *call)
{
	const struct node *wanted = node_get(&call->request, "InstanceCreditSpecification");

	for (int good = 0; good < 2; good++) {
		const char *name = good ? "successfulInstanceCreditSpecificationSet"
					: "unsuccessfulInstanceCreditSpecificationSet";

		sim_out_open(call, name);
		for (uint32_t i = 0; i < wanted->count; i++) {
			struct slice id = node_text(&wanted->items[i], "InstanceId");
			struct sim_object *instance = sim_find(call->region, SIM_INSTANCE, id);
			bool burstable = instance && credits_of(&instance->body).size > 0;

			if (burstable != (good == 1))
				continue;
			sim_out_open(call, "item");
			sim_out_text(call, "instanceId", id);
			if (burstable) {
				node_put(sim_edit(call->sim, instance), "_cpuCredits",
					 node_text(&wanted->items[i], "CpuCredits"));
			} else {
				sim_out_open(call, "error");
				sim_out_string(call, "code",
					       instance ? "InstanceCreditSpecification.NotSupported"
							: "InvalidInstanceID.NotFound");
				sim_out_string(call, "message",
					       instance ? "The specified instance does not support CPU credits"
							: "The instance ID does not exist");
				sim_out_close(call, "error");
			}
			sim_out_close(call, "item");
		}
		sim_out_close(call, name);
	}
}

/* Without ids: only instances whose credits are unlimited. */
static bool has_credits(struct sim_call *call, const struct sim_object *instance, const struct node *body)
{
	(void)instance;
	return sim_given(call, "InstanceId") ? credits_of(body).size > 0 : slice_is(credits_of(body), "unlimited");
}

static void write_credits(struct sim_call *call, const struct sim_object *instance, const struct node *body)
{
	sim_out_text(call, "instanceId", instance->id);
	sim_out_text(call, "cpuCredits", credits_of(body));
}

static const struct sim_filter credit_filters[] = {
	{"instance-id", "instanceId", NULL},
};

static const struct sim_listing credit_listing = {
	.type = SIM_INSTANCE,
	.set = "instanceCreditSpecificationSet",
	.ids = "InstanceId",
	.filters = credit_filters,
	.filter_count = 1,
	.page_least = 5,
	.page_most = 1000,
	.ids_exclude_pages = true,
	.keep = has_credits,
	.write = write_credits,
};

static const struct sim_action actions[] = {
	{"AssociateIamInstanceProfile", associate, "InstanceId! IamInstanceProfile!{Arn Name}", NULL},
	{"DisassociateIamInstanceProfile", disassociate, "AssociationId!", NULL},
	{"ReplaceIamInstanceProfileAssociation", replace, "AssociationId! IamInstanceProfile!{Arn Name}", NULL},
	{"DescribeIamInstanceProfileAssociations", sim_describe,
	 "Filter[]{Name Value[]} AssociationId[] NextToken MaxResults:i", &profile_listing},
	{"ModifyInstanceCreditSpecification", modify_credits,
	 "ClientToken InstanceCreditSpecification![]{InstanceId! CpuCredits}", NULL},
	{"DescribeInstanceCreditSpecifications", sim_describe,
	 "Filter[]{Name Value[]} InstanceId[] NextToken MaxResults:i", &credit_listing},
};

const struct sim_family sim_instance_profile_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
