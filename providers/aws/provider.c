#include "providers/aws/aws.h"
#include "providers/aws/kinds/kinds.h"

/* The provider's table. */

static const struct field endpoint_item = {.name = "url", .type = FIELD_STRING};

static const struct field setting_fields[] = {
	{.name = "region",
	 .type = FIELD_STRING,
	 .flags = IDENTIFIES,
	 .pattern = "[a-z0-9-]{2,32}",
	 .in_words = "the name of a region, such as eu-central-1",
	 .about = "region whose endpoints are asked; else AWS_REGION or AWS_DEFAULT_REGION"},
	{.name = "endpoint",
	 .type = FIELD_STRING,
	 .flags = IDENTIFIES,
	 .about = "URL of an endpoint other than AWS's own, or sim: or sim:FILE for the simulator, FILE beside the "
		  "spec"},
	{.name = "endpoints",
	 .type = FIELD_MAP,
	 .flags = IDENTIFIES,
	 .item = &endpoint_item,
	 .about = "URLs of single services, by their name: {ec2: https://...}"},
	{.name = "default_tags",
	 .type = FIELD_MAP,
	 .item = &aws_tag_value,
	 .check = aws_check_tags,
	 .about = "tags of everything that goes through it, where a resource does not say otherwise"},
	{.name = "account",
	 .type = FIELD_STRING,
	 .flags = IDENTIFIES,
	 .pattern = "[0-9]{12}",
	 .in_words = "the 12 digits of an account's number, in quotes",
	 .about = "account that must answer"},
};

static const struct kind *const kinds[] = {
#define KIND_ROW(name) &(name).kind,
	AWS_KINDS(KIND_ROW)
#undef KIND_ROW
};

static bool has_token(const struct kind *kind)
{
	return aws_kind_of(kind)->create.token != NULL;
}

/* An access key's id is no secret: it is sent in clear, stands in AWS's own logs, and tells which key was used. */
static const char *const secret_variables[] = {AWS_SECRET_KEY_VARIABLE, AWS_SESSION_TOKEN_VARIABLE, NULL};

const struct provider aws_provider = {
	.name = "aws",
	.about = "Amazon Web Services",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.settings = FIELDS(setting_fields),
	.secret_variables = secret_variables,
	.secret_least_bytes = AWS_SECRET_LEAST_BYTES,
	.check = aws_check,
	.open = aws_open,
	.close = aws_close,
	.settings_of = aws_settings_of,
	.expect = aws_expect,
	.identify = aws_identify,
	.list = aws_list,
	.needs_detail = aws_needs_detail,
	.detail = aws_detail,
	.arrange = aws_arrange,
	.takes_steps = aws_takes_steps,
	.has_token = has_token,
	.advance = aws_advance,
	.prepare = aws_prepare,
	.interpret = aws_interpret,
	.limits = aws_limits,
};
