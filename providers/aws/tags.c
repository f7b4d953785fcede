#include <inttypes.h>

#include "providers/aws/kind.h"

/* Tags, which all kinds have alike. */

const struct aws_call aws_create_tags = {
	.operation = "CreateTags",
	.id = "Resources.0",
	.recipe = RECIPE_CONVERGE,
};

const struct aws_call aws_delete_tags = {
	.operation = "DeleteTags",
	.id = "Resources.0",
	.recipe = RECIPE_CONVERGE,
};

const struct field aws_tag_value = {.name = "value", .type = FIELD_STRING, .most = 256};

/* https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions */

enum {
	TAGS_MOST = 50,
	TAGS_OUR_OWN = 5, /* as aws_encode_tags() writes them */
	KEY_CHARACTERS_MOST = 128,
};

static const char *const reserved[] = {"aws:", "trueup:"};

/* AWS reserves its own in any mixture of cases. */
static bool begins_with(struct slice text, const char *prefix)
{
	return slice_equal_caseless(slice_first(text, strlen(prefix)), slice_of(prefix));
}

bool aws_check_tag_key(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct slice key = value_slice(value);

	(void)field;
	if (key.size == 0)
		return diag_error(diagnostics, FAULT_USER, value->position, "a tag needs a name");
	if (slice_characters(key) > KEY_CHARACTERS_MOST)
		return diag_error(diagnostics, FAULT_USER, value->position,
				  "the name of a tag has at most %d characters, this one %zu", KEY_CHARACTERS_MOST,
				  slice_characters(key));
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (!begins_with(key, reserved[i]))
			continue;
		diag_error(diagnostics, FAULT_USER, value->position, "a tag of one's own cannot begin with '%s'",
			   reserved[i]);
		diag_hint(diagnostics, "give it another name; those are written by %s",
			  i == 0 ? "AWS" : "trueup itself");
		return false;
	}
	return true;
}

bool aws_check_tag_count(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	if (value->count <= TAGS_MOST - TAGS_OUR_OWN)
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' has %" PRIu32 " tags, but at most %d fit",
		   field->name, value->count, TAGS_MOST - TAGS_OUR_OWN);
	diag_hint(diagnostics,
		  "AWS takes %d, of which %d tell whose the resource is; those of 'default_tags' count too", TAGS_MOST,
		  TAGS_OUR_OWN);
	return false;
}

bool aws_check_tags(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	bool good = aws_check_tag_count(field, value, diagnostics);

	for (uint32_t i = 0; i < value->count; i++)
		good = aws_check_tag_key(field, &value->members[i].key, diagnostics) && good;
	return good;
}
