#include "providers/aws/kinds/kinds.h"

/*
 * Of a key of one's own (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ImportKeyPair.html), or of one
 * that EC2 makes and whose private half it shows once (.../API_CreateKeyPair.html).
 */

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

/* Only a shell makes the home folder of it; in a folder '~' that is not there each run would lose another key. */
static bool check_file(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	if (!slice_starts_with(value_slice(value), SLICE("~")))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' begins with '~', which stands for no folder here",
		   field->name);
	diag_hint(diagnostics, "write the path from '/' on, or './~' where the name begins so");
	return false;
}

static const char *const made[] = {"KeyType", "ed25519", "KeyFormat", "pem", NULL};
static const char *const with_public_key[] = {"IncludePublicKey", "true", NULL};

static const struct field word = {.type = FIELD_STRING, .least = 1, .most = 4096};

static const struct aws_field secret_to_fields[] = {
	{.field = {.name = "file",
		   .type = FIELD_STRING,
		   .least = 1,
		   .most = 4096,
		   .check = check_file,
		   .when_unset = UNSET_RELEASE,
		   .about = "a file, made with mode 0600; one that is there is replaced"}},
	{.field = {.name = "command",
		   .type = FIELD_LIST,
		   .item = &word,
		   .least = 1,
		   .most = 64,
		   .when_unset = UNSET_RELEASE,
		   .about = "a program and its arguments, which gets it as its input"}},
};

static const char *const sources[] = {"public_key", SECRET_TO, NULL};
static const char *const places[] = {"file", "command", NULL};
static const struct exclusive exclusives[] = {
	{.members = sources, .needs_one = true},
	{.field = SECRET_TO, .members = places, .needs_one = true},
};

static const struct aws_field fields[] = {
	{.field = {.name = "name",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | IMMUTABLE | NAMES,
		   .least = 1,
		   .most = 255,
		   .pattern = "[!-~]([ -~]*[!-~])?",
		   .in_words = "ASCII characters alone, the first and the last no space",
		   .about = "name, which instances are told"},
	 .member = "KeyName"},
	{.field = {.name = "public_key",
		   .type = FIELD_STRING,
		   .flags = IMMUTABLE,
		   .check = check_public_key,
		   .same = is_same_key,
		   .when_unset = UNSET_REPLACE,
		   .about = "a line of an OpenSSH public key file"},
	 .member = "PublicKeyMaterial",
	 .read = "PublicKey"},
	{.field = {.name = SECRET_TO,
		   .type = FIELD_OBJECT,
		   .members = FIELDS(secret_to_fields),
		   .flags = IMMUTABLE | WRITE_ONLY,
		   .when_unset = UNSET_REPLACE,
		   .about = "where to put the private key of a pair that EC2 makes: it is shown once"},
	 .read = "-"},
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "key-[0-9a-f]{8,17}", .about = "id of the key pair"}, .read = "KeyPairId"},
	{.output = {.name = "name", .pattern = "[ -~]{1,255}", .repeats = true, .about = "its name"},
	 .read = "KeyName"},
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
		 .outputs = FIELDS(outputs),
		 .exclusives = exclusives,
		 .exclusive_count = sizeof(exclusives) / sizeof(exclusives[0])},
	.service = "ec2",
	.create = {.operation = "ImportKeyPair",
		   .recipe = RECIPE_NATURAL,
		   .tagged = "key-pair",
		   .result = "KeyPairId",
		   .hints = hints},
	.create_shown = {.operation = "CreateKeyPair",
			 .fixed = made,
			 .recipe = RECIPE_DISCARD,
			 .tagged = "key-pair",
			 .result = "KeyPairId",
			 .hints = hints},
	.shows = "KeyMaterial",
	.delete = {.operation = "DeleteKeyPair", .id = "KeyPairId", .recipe = RECIPE_CONVERGE, .absent = absent},
	.list = {.operation = "DescribeKeyPairs",
		 .items = "KeyPairs",
		 .fixed = with_public_key,
		 .filter = "key-pair-id"},
	.tags_member = "Tags",
};
