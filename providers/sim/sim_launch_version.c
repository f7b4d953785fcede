#include <stdio.h>

#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"

/* Versions of launch templates: listing and deleting. */

static const char *const references[] = {"launchTemplateId", NULL};

const struct sim_type sim_launch_template_version_type = {
	.number = SIM_LAUNCH_TEMPLATE_VERSION,
	.name = "launch-template-version",
	.references = references,
	.absent_code = "InvalidLaunchTemplateId.VersionNotFound",
	.absent_message = "Could not find launch template version %s",
	.untagged = true,
};

enum {
	VERSIONS_MOST = 200,
	/* A token is the template's place in the order of creation, and the version's number. */
	NUMBER_BITS = 24,
};

/* A listing as it is written. */
struct page {
	struct sim_call *call;
	uint64_t from; /* token */
	int64_t left;
	uint64_t next; /* token of what no longer fits, or 0 */
};

static bool filtered(const struct sim_call *call, const struct node *body, bool is_default)
{
	static const char *const plain[][2] = {
		{"image-id", "imageId"},      {"instance-type", "instanceType"}, {"kernel-id", "kernelId"},
		{"ram-disk-id", "ramDiskId"}, {"ebs-optimized", "ebsOptimized"},
	};
	const struct node *filters = node_get(&call->request, "Filter");
	const struct node *data = node_get(body, "launchTemplateData");

	for (uint32_t i = 0; filters && i < filters->count; i++) {
		struct slice name = node_text(&filters->items[i], "Name");
		struct slice text = slice_is(name, "is-default-version") ? slice_of(is_default ? "true" : "false")
				    : slice_is(name, "create-time")	 ? node_text(body, "createTime")
									 : SLICE("");

		for (size_t at = 0; at < sizeof(plain) / sizeof(plain[0]); at++)
			if (slice_is(name, plain[at][0]))
				text = node_text(data, plain[at][1]);
		if (!sim_matches(node_get(&filters->items[i], "Value"), text))
			return false;
	}
	return true;
}

static bool show(struct page *page, const struct sim_object *launch_template, const struct sim_object *version)
{
	struct sim_call *call = page->call;
	const struct node *body = version ? sim_listed(call->sim, version) : NULL;
	const struct node *owner = sim_listed(call->sim, launch_template);

	if (!body || !owner)
		return true;
	int64_t number = node_integer(body, "versionNumber", 0);
	uint64_t place = launch_template->sequence << NUMBER_BITS | (uint64_t)number;
	bool is_default = slice_equal(node_text(owner, "defaultVersionNumber"), node_text(body, "versionNumber"));
	if (place < page->from || !filtered(call, body, is_default))
		return true;
	if (page->left-- == 0) {
		page->next = place;
		return false;
	}
	sim_out_open(call, "item");
	sim_out_members(call, body);
	sim_out_string(call, "defaultVersion", is_default ? "true" : "false");
	sim_out_close(call, "item");
	return true;
}

/* The version that a text names, by what listings show of the template now. */
static struct sim_object *listed_version(struct sim_call *call, const struct sim_object *launch_template,
					 struct slice text)
{
	const struct node *owner = sim_listed(call->sim, launch_template);

	if (slice_is(text, "$Latest"))
		text = node_text(owner, "latestVersionNumber");
	else if (slice_is(text, "$Default"))
		text = node_text(owner, "defaultVersionNumber");
	return sim_template_find(launch_template, text);
}

static void show_named(struct page *page, const struct sim_object *launch_template, const struct node *names)
{
	struct sim_object *versions[VERSIONS_MOST];
	size_t count = 0;

	for (uint32_t i = 0; i < names->count; i++) {
		struct sim_object *version = listed_version(page->call, launch_template, node_slice(&names->items[i]));
		size_t at = 0;

		if (!version && node_slice(&names->items[i]).data[0] != '$')
			sim_fail(page->call, "InvalidLaunchTemplateId.VersionNotFound",
				 "Could not find launch template version %.*s",
				 SLICE_ARGUMENTS(node_slice(&names->items[i])));
		while (at < count && versions[at] != version)
			at++;
		if (version && at == count)
			versions[count++] = version;
	}
	/* In the order of their numbers, so that a token finds its place. */
	for (size_t i = 0; i < count; i++)
		for (size_t other = i + 1; other < count; other++)
			if (versions[other]->sequence < versions[i]->sequence) {
				struct sim_object *held = versions[i];

				versions[i] = versions[other];
				versions[other] = held;
			}
	for (size_t i = 0; i < count; i++)
		if (!show(page, launch_template, versions[i]))
			return;
}

static void show_all(struct page *page, const struct sim_object *launch_template)
{
	int64_t least = sim_number(page->call, "MinVersion", 1), most = sim_number(page->call, "MaxVersion", INT64_MAX);
	int64_t last = node_integer(&launch_template->body, "latestVersionNumber", 0);
	char text[24];

	for (int64_t number = least; number <= last && number <= most; number++) {
		(void)snprintf(text, sizeof(text), "%lld", (long long)number);
		if (!show(page, launch_template, sim_template_find(launch_template, slice_of(text))))
			return;
	}
}

static void show_every_template(struct page *page, const struct node *names)
{
	const struct sim_table *table = &page->call->region->tables[SIM_LAUNCH_TEMPLATE];

	for (uint32_t i = 0; names && i < names->count; i++)
		if (node_slice(&names->items[i]).data[0] != '$')
			sim_fail(page->call, "InvalidParameterCombination",
				 "Without a launch template only $Latest and $Default may be asked for");
	if (!names || names->count == 0)
		sim_fail(page->call, "MissingParameter",
			 "The request must contain the parameter LaunchTemplateId, LaunchTemplateName or Versions");
	for (size_t i = sim_table_seek(table, page->from >> NUMBER_BITS);
	     names && !page->call->failed && i < table->count && page->next == 0; i++)
		if (sim_listed(page->call->sim, table->objects[i]))
			show_named(page, table->objects[i], names);
}

static void describe_launch_template_versions(struct sim_call *call)
{
	static const struct sim_listing pages = {.page_least = 1, .page_most = VERSIONS_MOST};
	const struct node *names = node_get(&call->request, "LaunchTemplateVersion");
	bool named = sim_given(call, "LaunchTemplateId") || sim_given(call, "LaunchTemplateName");
	struct sim_object *launch_template = named ? sim_template_need(call, &call->request) : NULL;
	struct page page = {.call = call};

	if (names && names->count > VERSIONS_MOST)
		sim_fail(call, "InvalidParameterValue", "At most %d versions may be asked for", VERSIONS_MOST);
	if (sim_given(call, "NextToken"))
		(void)sim_token_read(call, sim_text(call, "NextToken"), &page.from);
	if (call->failed || !sim_page(call, &pages, &page.left))
		return;
	sim_out_open(call, "launchTemplateVersionSet");
	if (!launch_template)
		show_every_template(&page, names);
	else if (names && names->count > 0)
		show_named(&page, launch_template, names);
	else
		show_all(&page, launch_template);
	sim_out_close(call, "launchTemplateVersionSet");
	if (page.next > 0)
		sim_token_write(call, "nextToken", page.next);
}

static void write_outcome(struct sim_call *call, const struct sim_object *launch_template, struct slice number,
			  const char *code, const char *message)
{
	sim_out_open(call, "item");
	sim_out_text(call, "launchTemplateId", launch_template->id);
	sim_out_text(call, "launchTemplateName", node_text(&launch_template->body, "launchTemplateName"));
	sim_out_text(call, "versionNumber", number);
	if (code) {
		sim_out_open(call, "responseError");
		sim_out_string(call, "code", code);
		sim_out_string(call, "message", message);
		sim_out_close(call, "responseError");
	}
	sim_out_close(call, "item");
}

static void lower_latest(struct sim_call *call, struct sim_object *launch_template)
{
	int64_t latest = node_integer(&launch_template->body, "latestVersionNumber", 1);
	char text[24];

	do {
		(void)snprintf(text, sizeof(text), "%lld", (long long)latest);
	} while (!sim_template_find(launch_template, slice_of(text)) && --latest > 1);
	node_number(sim_edit(call->sim, launch_template), "latestVersionNumber", latest);
}

/* The answer is 200 even where none could be deleted. The default version cannot. */
static void delete_versions(struct sim_call *call, struct sim_object *launch_template, bool good)
{
	const struct node *numbers = node_get(&call->request, "LaunchTemplateVersion");

	for (uint32_t i = 0; i < numbers->count; i++) {
		struct slice number = node_slice(&numbers->items[i]);
		struct sim_object *version = sim_template_find(launch_template, number);
		bool is_default = slice_equal(number, node_text(&launch_template->body, "defaultVersionNumber"));

		if (good && version && !is_default) {
			write_outcome(call, launch_template, number, NULL, NULL);
			sim_delete(call->sim, version);
		} else if (!good && is_default) {
			write_outcome(call, launch_template, number, "unexpectedError",
				      "Cannot delete the launch template version because it is the default version");
		} else if (!good && !version) {
			write_outcome(call, launch_template, number, "launchTemplateVersionDoesNotExist",
				      "Could not find launch template version");
		}
	}
}

static void delete_launch_template_versions(struct sim_call *call)
{
	struct sim_object *launch_template = sim_template_need(call, &call->request);

	if (!launch_template)
		return;
	sim_out_open(call, "unsuccessfullyDeletedLaunchTemplateVersionSet");
	delete_versions(call, launch_template, false);
	sim_out_close(call, "unsuccessfullyDeletedLaunchTemplateVersionSet");
	sim_out_open(call, "successfullyDeletedLaunchTemplateVersionSet");
	delete_versions(call, launch_template, true);
	sim_out_close(call, "successfullyDeletedLaunchTemplateVersionSet");
	lower_latest(call, launch_template);
}

static const struct sim_action actions[] = {
	{"DescribeLaunchTemplateVersions", describe_launch_template_versions,
	 "LaunchTemplateId LaunchTemplateName LaunchTemplateVersion[] MinVersion:i MaxVersion:i NextToken MaxResults:i "
	 "Filter[]{Name Value[]} ResolveAlias:b IncludeManagedResources:b",
	 NULL},
	{"DeleteLaunchTemplateVersions", delete_launch_template_versions,
	 "LaunchTemplateId LaunchTemplateName LaunchTemplateVersion![]", NULL},
};

const struct sim_family sim_launch_version_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
