#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* What the driver sends for launch templates. */

#define OURS                                                                                                           \
	"{\"Key\":\"trueup:stack\",\"Value\":\"stack\"},{\"Key\":\"trueup:object\",\"Value\":\"object\"},"             \
	"{\"Key\":\"trueup:intent\",\"Value\":\"intent\"},{\"Key\":\"trueup:generation\",\"Value\":\"1\"},{\"Key\":"   \
	"\"trueup:address\",\"Value\":\"aws.x.test\"}"

#define TEMPLATE(default_version, latest, data)                                                                        \
	{"DescribeLaunchTemplates", "{\"MaxResults\":200}",                                                            \
	 "{\"LaunchTemplates\":[{\"LaunchTemplateId\":\"lt-0\"},{\"LaunchTemplateId\":\"lt-1\","                       \
	 "\"LaunchTemplateName\":\"t\","                                                                               \
	 "\"DefaultVersionNumber\":" default_version ",\"LatestVersionNumber\":" latest ",\"Tags\":[" OURS "]}]}",     \
	 NULL, 0},                                                                                                     \
	{                                                                                                              \
		"DescribeLaunchTemplateVersions", "{\"MaxResults\":200,\"Versions\":[\"$Latest\"]}",                   \
			"{\"LaunchTemplateVersions\":[{\"LaunchTemplateId\":\"lt-1\",\"LaunchTemplateName\":\"t\","    \
			"\"VersionNumber\":" latest ",\"LaunchTemplateData\":{" data "}}]}",                           \
			NULL, 0                                                                                        \
	}
#define NEW_VERSION(data)                                                                                              \
	{                                                                                                              \
		"CreateLaunchTemplateVersion",                                                                         \
			"{\"LaunchTemplateId\":\"lt-1\",\"ClientToken\":\"<token>\",\"LaunchTemplateData\":{" data     \
			"}}",                                                                                          \
			"{}", NULL, 0                                                                                  \
	}
#define MAKE_DEFAULT                                                                                                   \
	{                                                                                                              \
		"ModifyLaunchTemplate", "{\"LaunchTemplateId\":\"lt-1\",\"DefaultVersion\":\"2\"}", "{}", NULL, 0      \
	}

/* Both listings. */
#define NO_TEMPLATES                                                                                                   \
	{"DescribeLaunchTemplates", NULL, "{\"LaunchTemplates\":[]}", NULL, 0},                                        \
	{                                                                                                              \
		"DescribeLaunchTemplateVersions", NULL, "{\"LaunchTemplateVersions\":[]}", NULL, 0                     \
	}
static const struct scenario templates[] = {
	{.name = "a version is made whole, then the default; what others put there stays",
	 .kind = &aws_launch_template,
	 .phase = PHASE_MAKE,
	 .provider_id = "lt-1",
	 .applied = "{\"name\":\"t\",\"image\":\"ami-1\",\"key\":\"k\",\"user_data\":\"a\"}",
	 .wanted = "{\"name\":\"t\",\"image\":\"ami-2\",\"user_data\":\"a\"}",
	 .script = {TEMPLATE("1", "1",
			     "\"ImageId\":\"ami-1\",\"KeyName\":\"k\",\"UserData\":\"YQ==\",\"EbsOptimized\":true"),
		    NEW_VERSION("\"ImageId\":\"ami-2\",\"UserData\":\"YQ==\",\"EbsOptimized\":true"),
		    TEMPLATE("1", "2", "\"ImageId\":\"ami-2\",\"UserData\":\"YQ==\",\"EbsOptimized\":true"),
		    MAKE_DEFAULT,
		    TEMPLATE("1", "2", "\"ImageId\":\"ami-2\",\"UserData\":\"YQ==\",\"EbsOptimized\":true"),
		    TEMPLATE("2", "2", "\"ImageId\":\"ami-2\",\"UserData\":\"YQ==\",\"EbsOptimized\":true")},
	 .ends = STEP_DONE,
	 .fields = "{\"image\":\"ami-2\",\"user_data\":\"a\"}"},
	{.name = "what is left to others goes into the new version as they have it",
	 .kind = &aws_launch_template,
	 .phase = PHASE_MAKE,
	 .provider_id = "lt-1",
	 .applied = "{\"name\":\"t\",\"image\":\"ami-1\",\"user_data\":\"a\"}",
	 .wanted = "{\"name\":\"t\",\"image\":\"ami-2\",\"user_data\":\"b\"}",
	 .ignored = "user_data",
	 .script = {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\",\"UserData\":\"Yw==\""),
		    NEW_VERSION("\"ImageId\":\"ami-2\",\"UserData\":\"Yw==\""),
		    TEMPLATE("2", "2", "\"ImageId\":\"ami-2\",\"UserData\":\"Yw==\"")},
	 .ends = STEP_DONE,
	 .fields = "{\"image\":\"ami-2\",\"user_data\":\"c\"}"},
	{.name = "and if they took it away, it stays away",
	 .kind = &aws_launch_template,
	 .phase = PHASE_MAKE,
	 .provider_id = "lt-1",
	 .applied = "{\"name\":\"t\",\"image\":\"ami-1\",\"user_data\":\"a\"}",
	 .wanted = "{\"name\":\"t\",\"image\":\"ami-2\",\"user_data\":\"a\"}",
	 .ignored = "user_data",
	 .script = {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\""), NEW_VERSION("\"ImageId\":\"ami-2\""),
		    TEMPLATE("2", "2", "\"ImageId\":\"ami-2\"")},
	 .ends = STEP_DONE},
	{.name = "a token is the same for the same change of the same version",
	 .kind = &aws_launch_template,
	 .phase = PHASE_MAKE,
	 .provider_id = "lt-1",
	 .applied = "{\"name\":\"t\",\"image\":\"ami-1\"}",
	 .wanted = "{\"name\":\"t\",\"image\":\"ami-2\"}",
	 .script = {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\""),
		    {"CreateLaunchTemplateVersion",
		     "{\"LaunchTemplateId\":\"lt-1\",\"ClientToken\":\"4c222c22c5f579d0761159a209d5aba8\","
		     "\"LaunchTemplateData\":"
		     "{\"ImageId\":\"ami-2\"}}",
		     "{}", NULL, 0},
		    TEMPLATE("2", "2", "\"ImageId\":\"ami-2\"")},
	 .ends = STEP_DONE},
	{.name = "a token is the same for the same change of the same version with other credentials",
	 .kind = &aws_launch_template,
	 .phase = PHASE_MAKE,
	 .provider_id = "lt-1",
	 .applied = "{\"name\":\"t\",\"image\":\"ami-1\"}",
	 .wanted = "{\"name\":\"t\",\"image\":\"ami-2\"}",
	 .script = {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\""),
		    {"CreateLaunchTemplateVersion",
		     "{\"LaunchTemplateId\":\"lt-1\",\"ClientToken\":\"4c222c22c5f579d0761159a209d5aba8\","
		     "\"LaunchTemplateData\":"
		     "{\"ImageId\":\"ami-2\"}}",
		     "{}", NULL, 0},
		    TEMPLATE("2", "2", "\"ImageId\":\"ami-2\"")},
	 .ends = STEP_DONE},
	{.name = "a token is another one once the one before was good for a change",
	 .kind = &aws_launch_template,
	 .phase = PHASE_MAKE,
	 .provider_id = "lt-1",
	 .applied = "{\"name\":\"t\",\"image\":\"ami-1\"}",
	 .wanted = "{\"name\":\"t\",\"image\":\"ami-2\"}",
	 .spent = "4c222c22c5f579d0761159a209d5aba8",
	 .script = {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\""),
		    {"CreateLaunchTemplateVersion",
		     "{\"LaunchTemplateId\":\"lt-1\",\"ClientToken\":\"9bccd43c89695c4b47757ac134908ff4\","
		     "\"LaunchTemplateData\":"
		     "{\"ImageId\":\"ami-2\"}}",
		     "{}", NULL, 0},
		    TEMPLATE("2", "2", "\"ImageId\":\"ami-2\"")},
	 .ends = STEP_DONE},
	{.name = "a deletion",
	 .kind = &aws_launch_template,
	 .phase = PHASE_DELETE,
	 .provider_id = "lt-1",
	 .unsettle_all = true,
	 .script = {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\""),
		    {"DeleteLaunchTemplate", "{\"LaunchTemplateId\":\"lt-1\"}", NULL,
		     "InvalidLaunchTemplateId.NotFound", 0},
		    NO_TEMPLATES,
		    NO_TEMPLATES,
		    NO_TEMPLATES},
	 .ends = STEP_DONE},
};

static void test_templates(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++)
		scenario_run(&templates[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_templates)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
