#include "providers/aws/work.h"

/* Of what was renamed: the tag that names the address follows it. */

static bool is_renamed(const struct work *work)
{
	for (size_t i = 0; i < work->change_count; i++)
		if (!work->changes[i].field && slice_is(work->changes[i].path, ADDRESS_TAG))
			return !slice_equal(work->now.ownership.address, aws_address_tag(&work->tagging));
	return false;
}

bool aws_next_renaming_call(struct work *work)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	const struct aws_call *call = kind->tag.operation ? &kind->tag : &aws_create_tags;
	struct arena *arena = &work->task.scratch;
	struct aws_parameters parameters = {.count = 0};
	struct value_member member = {value_text(ADDRESS_TAG), value_string(aws_address_tag(&work->tagging))};
	const struct value named = value_map(&member, 1);
	if (!is_renamed(work))
		return false;
	struct value tags = aws_encode_tags(&named, NULL, arena);
	aws_call_begin(work, call, &parameters);
	aws_parameter_add(&parameters, "Tags", kind->own_tags ? kind->own_tags(work, &tags, arena) : tags);
	aws_choose(work, call, &parameters);
	aws_change_of(work)->renames = true;
	return true;
}

void aws_note_renaming(struct work *work)
{
	work->now.ownership.address = aws_address_tag(&work->tagging);
}
