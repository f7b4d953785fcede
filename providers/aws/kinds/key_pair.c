#include "providers/aws/kinds/kinds.h"

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ImportKeyPair.html */

static bool check_public_key(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct slice rest = slice_trim(value_slice(value));
	struct slice type = slice_cut(&rest, ' ');
	if ((slice_is(type, "ssh-rsa") || slice_is(type, "ssh-ed25519")) && rest.size > 0)
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' is no public key that EC2 takes", field->name);
	diag_hint(diagnostics, "give the line of an OpenSSH public key file, beginning with ssh-ed25519 or ssh-rsa");
	return false;
}

/* Type and key: what follows them is a comment, and EC2 shows one of its own making. */
static bool is_same_key(struct slice a, struct slice b)
{
	struct slice left = slice_trim(a), right = slice_trim(b);
	struct slice left_type = slice_cut(&left, ' '), right_type = slice_cut(&right, ' ');

	left = slice_trim(left);
	right = slice_trim(right);
	return slice_equal(left_type, right_type) && slice_equal(slice_cut(&left, ' '), slice_cut(&right, ' '));
}

static const char *const with_public_key[] = {"IncludePublicKey", "true", NULL};

static const struct aws_field fields[] = {
	{.field = {.name = "name",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | IMMUTABLE | NAMES,
		   .least = 1,
		   .most = 255,
		   .about = "name, which instances are told"},
	 .member = "KeyName"},
	{.field = {.name = "public_key",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | IMMUTABLE,
		   .check = check_public_key,
		   .same = is_same_key,
		   .about = "a line of an OpenSSH public key file"},
	 .member = "PublicKeyMaterial",
	 .read = "PublicKey"},
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "key-[0-9a-f]{8,17}", .about = "id of the key pair"}, .read = "KeyPairId"},
	{.output = {.name = "name", .pattern = "[ -~]{1,255}", .about = "its name"}, .read = "KeyName"},
	{.output = {.name = "fingerprint", .about = "fingerprint as EC2 computes it"}, .read = "KeyFingerprint"},
	{.output = {.name = "type", .about = "rsa or ed25519"}, .read = "KeyType"},
};

static const char *const absent[] = {"InvalidKeyPair.NotFound", NULL};
static const char *const hints[] = {"InvalidKeyPair.Duplicate",
				    "choose another name, or delete the key pair that has it", NULL};

const struct aws_kind aws_key_pair = {
	.kind = {.name = "aws.key_pair",
		 .about = "a public key that instances admit",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs)},
	.service = "ec2",
	.create = {.operation = "ImportKeyPair",
		   .recipe = RECIPE_NATURAL,
		   .tagged = "key-pair",
		   .result = "KeyPairId",
		   .hints = hints},
	.delete = {.operation = "DeleteKeyPair", .id = "KeyPairId", .recipe = RECIPE_CONVERGE, .absent = absent},
	.list = {.operation = "DescribeKeyPairs",
		 .items = "KeyPairs",
		 .fixed = with_public_key,
		 .filter = "key-pair-id"},
	.tags_member = "Tags",
};
