#include <ctype.h>
#include <stdio.h>

#include "base/base64.h"
#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"

/* Launch templates; what is asked of their versions is in sim_launch_version.c. */

static void key(const struct sim_object *launch_template, char ret[512])
{
	(void)snprintf(ret, 512, "%.*s", SLICE_ARGUMENTS(node_text(&launch_template->body, "launchTemplateName")));
}

static void leave(struct sim *sim, struct sim_object *launch_template)
{
	sim_delete_referrers(sim, launch_template, SIM_LAUNCH_TEMPLATE_VERSION);
}

const struct sim_type sim_launch_template_type = {
	.number = SIM_LAUNCH_TEMPLATE,
	.name = "launch-template",
	.prefix = "lt",
	.id_name = "launchTemplateId",
	.key = key,
	.leave = leave,
	.absent_code = "InvalidLaunchTemplateId.NotFound",
	.absent_message = "The specified launch template, with template ID %s, does not exist.",
	.malformed_code = "InvalidLaunchTemplateId.Malformed",
};

struct sim_object *sim_template_find(const struct sim_object *launch_template, struct slice version)
{
	const struct node *body = &launch_template->body;
	char id[128];

	if (version.size == 0 || slice_is(version, "$Default"))
		version = node_text(body, "defaultVersionNumber");
	else if (slice_is(version, "$Latest"))
		version = node_text(body, "latestVersionNumber");
	(void)snprintf(id, sizeof(id), "%.*s:%.*s", SLICE_ARGUMENTS(launch_template->id),
		       (int)(version.size > 20 ? 20 : version.size), version.data);
	return sim_find(launch_template->region, SIM_LAUNCH_TEMPLATE_VERSION, slice_of(id));
}

struct sim_object *sim_template_need(struct sim_call *call, const struct node *request)
{
	struct slice id = node_text(request, "LaunchTemplateId"), name = node_text(request, "LaunchTemplateName");
	struct sim_object *launch_template;

	/* A group's own specification says both. */
	bool both = id.size > 0 && name.size > 0 && call->service == SIM_EC2;
	if (both || (id.size == 0 && name.size == 0)) {
		sim_fail(call, both ? "InvalidParameterCombination" : "MissingParameter",
			 "The request must contain exactly one of launchTemplateId and launchTemplateName");
		return NULL;
	}
	if (id.size > 0)
		return sim_need_id(call, SIM_LAUNCH_TEMPLATE, id);
	launch_template = sim_find_key(call->region, SIM_LAUNCH_TEMPLATE, name);
	if (!launch_template)
		sim_fail(call, "InvalidLaunchTemplateName.NotFoundException",
			 "The specified launch template, with template name %.*s, does not exist.",
			 SLICE_ARGUMENTS(name));
	return launch_template;
}

struct sim_object *sim_template_version(struct sim_call *call, const struct node *specification)
{
	struct sim_object *launch_template = sim_template_need(call, specification), *version;

	if (!launch_template)
		return NULL;
	version = sim_template_find(launch_template, node_text(specification, "Version"));
	if (!version)
		sim_fail(call, "InvalidLaunchTemplateId.VersionNotFound", "Could not find launch template version %.*s",
			 SLICE_ARGUMENTS(node_text(specification, "Version")));
	return version;
}

/* Data is judged when it is used; here only what is malformed in itself. */
static bool check_data(struct sim_call *call)
{
	const struct node *data = node_get(&call->request, "LaunchTemplateData");
	struct slice image = node_text(data, "ImageId"), decoded;

	if (image.size > 0 && !slice_starts_with(image, SLICE("ami-")) &&
	    !slice_starts_with(image, SLICE("resolve:ssm:")))
		sim_fail(call, "InvalidAMIID.Malformed", "Invalid id: \"%.*s\" (expecting \"ami-...\")",
			 SLICE_ARGUMENTS(image));
	if (!base64_decode(call->arena, node_text(data, "UserData"), &decoded))
		sim_fail(call, "InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
	else if (decoded.size > 16384)
		sim_fail(call, "InvalidParameterValue", "User data is limited to 16384 bytes");
	return !call->failed;
}

/* A time is held to the millisecond, and told so (https://github.com/hashicorp/terraform/issues/18270 has an answer).
 */
static void hold_time(struct sim_call *call, struct node *data)
{
	struct node *spot = node_find(node_find(data, "instanceMarketOptions"), "spotOptions");
	struct slice until = node_text(spot, "validUntil");

	if (slice_ends_with(until, SLICE("Z")) && !slice_contains(until, SLICE(".")))
		node_put(spot, "validUntil",
			 arena_format(call->arena, "%.*s.000Z", SLICE_ARGUMENTS(slice_first(until, until.size - 1))));
}

static struct sim_object *new_version(struct sim_call *call, struct sim_object *launch_template,
				      const struct sim_object *source)
{
	struct node *body = sim_edit(call->sim, launch_template);
	int64_t number = node_integer(body, "_nextVersionNumber", 1);
	struct slice id =
		arena_format(call->arena, "%.*s:%lld", SLICE_ARGUMENTS(launch_template->id), (long long)number);
	struct sim_object *version = sim_create(call->sim, call->region, SIM_LAUNCH_TEMPLATE_VERSION, id);
	char made[32];

	node_number(body, "_nextVersionNumber", number + 1);
	node_number(body, "latestVersionNumber", number);
	sim_time_text(call->sim->now_ms, made);
	node_put(&version->body, "launchTemplateId", launch_template->id);
	node_put(&version->body, "launchTemplateName", node_text(body, "launchTemplateName"));
	node_number(&version->body, "versionNumber", number);
	if (sim_given(call, "VersionDescription"))
		node_put(&version->body, "versionDescription", sim_text(call, "VersionDescription"));
	node_set(&version->body, "createTime", made);
	node_put(&version->body, "createdBy", node_text(body, "createdBy"));
	struct node *data = node_map(&version->body, "launchTemplateData");
	if (source)
		node_copy(data, node_get(&source->body, "launchTemplateData"));
	sim_copy_parameter(call, "LaunchTemplateData", data);
	hold_time(call, data);
	return version;
}

static bool valid_name(struct sim_call *call, struct slice name)
{
	bool valid = name.size >= 3 && name.size <= 125;

	for (size_t i = 0; valid && i < name.size; i++)
		valid = isalnum((unsigned char)name.data[i]) || strchr("().-/_", name.data[i]);
	if (!valid)
		sim_fail(call, "InvalidLaunchTemplateName.MalformedException",
			 "A launch template name must be between 3 and 125 characters, and contain letters, numbers, "
			 "and the "
			 "following characters: - ( ) . / _.");
	return valid;
}

static void create_launch_template(struct sim_call *call)
{
	struct slice name = sim_text(call, "LaunchTemplateName"), token = sim_text(call, "ClientToken");
	struct sim_object *launch_template;
	char made[32];

	sim_tag_new(call, "launch-template", NULL);
	if (!valid_name(call, name) || !check_data(call))
		return;
	if (sim_token_fresh(call, token, &launch_template)) {
		if (sim_find_key(call->region, SIM_LAUNCH_TEMPLATE, name))
			sim_fail(call, "InvalidLaunchTemplateName.AlreadyExistsException",
				 "Launch template name already in use.");
		if (call->failed || !sim_within_quota(call, SIM_LAUNCH_TEMPLATE, SIM_SETTING_LAUNCH_TEMPLATES,
						      "LaunchTemplateLimitExceeded", "launch templates"))
			return;
		launch_template = sim_create(call->sim, call->region, SIM_LAUNCH_TEMPLATE, (struct slice){NULL, 0});
		sim_time_text(call->sim->now_ms, made);
		node_put(&launch_template->body, "launchTemplateName", name);
		node_set(&launch_template->body, "createTime", made);
		node_format(&launch_template->body, "createdBy", "arn:aws:iam::%012lld:user/sim",
			    (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT));
		node_set(&launch_template->body, "defaultVersionNumber", "1");
		(void)new_version(call, launch_template, NULL);
		sim_tag_new(call, "launch-template", launch_template);
		sim_token_record(call, token, launch_template);
	}
	if (launch_template)
		sim_out_node(call, "launchTemplate", &launch_template->body);
}

static void write_version(struct sim_call *call, const char *name, const struct sim_object *version)
{
	const struct sim_object *launch_template =
		sim_find(call->region, SIM_LAUNCH_TEMPLATE, node_text(&version->body, "launchTemplateId"));
	bool is_default = launch_template && slice_equal(node_text(&launch_template->body, "defaultVersionNumber"),
							 node_text(&version->body, "versionNumber"));

	sim_out_open(call, name);
	sim_out_members(call, &version->body);
	sim_out_string(call, "defaultVersion", is_default ? "true" : "false");
	sim_out_close(call, name);
}

static void create_launch_template_version(struct sim_call *call)
{
	struct sim_object *launch_template = sim_template_need(call, &call->request), *source = NULL, *version;
	struct slice token = sim_text(call, "ClientToken"), from = sim_text(call, "SourceVersion");

	if (!launch_template || !check_data(call))
		return;
	if (from.size > 0) {
		source = sim_template_find(launch_template, from);
		if (!source)
			sim_fail(call, "InvalidLaunchTemplateId.VersionNotFound",
				 "Could not find launch template version %.*s", SLICE_ARGUMENTS(from));
	}
	if (call->failed)
		return;
	if (sim_token_fresh(call, token, &version)) {
		version = new_version(call, launch_template, source);
		sim_token_record(call, token, version);
	}
	if (version)
		write_version(call, "launchTemplateVersion", version);
}

static void modify_launch_template(struct sim_call *call)
{
	struct sim_object *launch_template = sim_template_need(call, &call->request), *version;
	struct slice wanted = sim_text(call, "SetDefaultVersion");

	if (!launch_template)
		return;
	version = sim_template_find(launch_template, wanted);
	if (!version) {
		sim_fail(call, "InvalidLaunchTemplateId.VersionNotFound", "Could not find launch template version %.*s",
			 SLICE_ARGUMENTS(wanted));
		return;
	}
	node_put(sim_edit(call->sim, launch_template), "defaultVersionNumber",
		 node_text(&version->body, "versionNumber"));
	sim_out_node(call, "launchTemplate", &launch_template->body);
}

static void delete_launch_template(struct sim_call *call)
{
	struct sim_object *launch_template = sim_template_need(call, &call->request);

	if (!launch_template)
		return;
	leave(call->sim, launch_template);
	sim_out_node(call, "launchTemplate", &launch_template->body);
	sim_delete(call->sim, launch_template);
}

static const struct sim_filter filters[] = {
	{"launch-template-name", "launchTemplateName", NULL},
	{"create-time", "createTime", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_LAUNCH_TEMPLATE,
	.set = "launchTemplates",
	.ids = "LaunchTemplateId",
	.keys = "LaunchTemplateName",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.page_least = 1,
	.page_most = 200,
	.absent_key_code = "InvalidLaunchTemplateName.NotFoundException",
	.absent_key_message = "At least one of the launch templates specified in the request does not exist. (%s)",
};

#define TAGS "TagSpecification[]{ResourceType Tag[]{Key Value}}"

static const struct sim_action actions[] = {
	{"CreateLaunchTemplate", create_launch_template,
	 "LaunchTemplateName! ClientToken VersionDescription Operator{Principal} " TAGS
	 " LaunchTemplateData!{" SIM_LAUNCH_DATA SIM_LAUNCH_REQUIREMENTS "}",
	 NULL},
	{"CreateLaunchTemplateVersion", create_launch_template_version,
	 "LaunchTemplateId LaunchTemplateName ClientToken SourceVersion VersionDescription ResolveAlias:b "
	 "LaunchTemplateData!{" SIM_LAUNCH_DATA SIM_LAUNCH_REQUIREMENTS "}",
	 NULL},
	{"ModifyLaunchTemplate", modify_launch_template,
	 "LaunchTemplateId LaunchTemplateName ClientToken SetDefaultVersion!", NULL},
	{"DeleteLaunchTemplate", delete_launch_template, "LaunchTemplateId LaunchTemplateName", NULL},
	{"DescribeLaunchTemplates", sim_describe,
	 "Filter[]{Name Value[]} LaunchTemplateId[] LaunchTemplateName[] NextToken MaxResults:i "
	 "IncludeManagedResources:b",
	 &listing},
};

const struct sim_family sim_launch_template_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
