#include "providers/aws/kinds/launch_fields.h"

#include "base/base64.h"

const char *const aws_enabled_disabled[] = {"enabled", "disabled", NULL};
const char *const aws_token_uses[] = {"optional", "required", NULL};
const char *const aws_tenancies[] = {"default", "dedicated", "host", NULL};
const char *const aws_hostname_types[] = {"ip-name", "resource-name", NULL};
const char *const aws_capacity_preferences[] = {"capacity-reservations-only", "open", "none", NULL};
const char *const aws_volume_types[] = {"standard", "io1", "io2", "gp2", "gp3", "sc1", "st1", NULL};
const char *const aws_market_types[] = {"spot", "capacity-block", "interruptible-capacity-reservation", "on-demand",
					NULL};
const char *const aws_spot_types[] = {"one-time", "persistent", NULL};
const char *const aws_interruptions[] = {"hibernate", "stop", "terminate", NULL};
const char *const aws_shutdown_behaviors[] = {"stop", "terminate", NULL};
const char *const aws_recoveries[] = {"default", "disabled", NULL};
const char *const aws_weightings[] = {"default", "vpc-1", "ebs-1", NULL};
const char *const aws_credits[] = {"standard", "unlimited", NULL};

const struct aws_field aws_license = {
	.field = {.name = "license",
		  .type = FIELD_STRING,
		  .pattern = "arn:.*",
		  .in_words = "an ARN, which begins with 'arn:'"},
	.member = "LicenseConfigurationArn",
};

struct value aws_encode_base64(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	struct value encoded = value_string(base64_encode(arena, value_slice(value)));
	(void)field;
	encoded.secret = value->secret;
	/* Where only the fingerprint is at hand, that must show: it is never sent. */
	encoded.style = value_is_sealed(value) ? VALUE_STYLE_SEALED : VALUE_STYLE_ANY;
	return encoded;
}

struct value aws_decode_base64(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *found = value_path(item, field->read ? field->read : field->member);
	struct slice text;
	if (!found || value_slice(found).size == 0 || !base64_decode(arena, value_slice(found), &text))
		return value_null();
	struct value value = value_string(text);
	value.secret = found->secret;
	return value;
}

struct value aws_encode_presence(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	(void)field;
	(void)arena;
	return value_is_true(value) ? value_text("") : value_null();
}

struct value aws_decode_presence(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	(void)arena;
	return value_path(item, field->member) ? value_bool(true) : value_null();
}

static struct slice without_zeros(struct slice time)
{
	struct slice rest = time, seconds = slice_cut(&rest, '.');
	return slice_is(rest, "000Z")		   ? seconds
	       : slice_ends_with(time, SLICE("Z")) ? slice_first(time, time.size - 1)
						   : time;
}

bool aws_is_same_time(struct slice a, struct slice b)
{
	return slice_equal(without_zeros(a), without_zeros(b));
}
