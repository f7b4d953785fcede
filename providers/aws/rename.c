#include "providers/aws/work.h"

/*
 * The ownership tags of what is there already: the one that names the address follows a renaming, and all are set anew
 * where somebody has taken them away, or has them name another object.
 */

static bool is_meant(const struct work *work)
{
	for (size_t i = 0; i < work->change_count; i++)
		if (change_is_of_tags(&work->changes[i]))
			return true;
	return false;
}

static struct value address_tag(const struct work *work, struct arena *arena)
{
	struct value_member member = {value_text(ADDRESS_TAG), value_string(aws_address_tag(&work->tagging))};
	const struct value named = value_map(&member, 1);
	return aws_encode_tags(&named, NULL, arena);
}

bool aws_next_renaming_call(struct work *work)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	const struct aws_call *call = kind->tag.operation ? &kind->tag : &aws_create_tags;
	const struct ownership *now = &work->now.ownership;
	struct arena *arena = &work->task.scratch;
	struct aws_parameters parameters = {.count = 0};
	bool stripped = aws_is_stripped(now);
	/* What was just made is to bear them, whatever is planned. */
	bool meant = is_meant(work) || (stripped && kind->tags_member && aws_change_of(work)->created_ms);
	bool anew = stripped || !slice_equal(now->object_id, work->tagging.object_id);
	if (!meant || (!anew && slice_equal(now->address, aws_address_tag(&work->tagging))))
		return false;
	struct value tags = anew ? aws_encode_tags(NULL, &work->tagging, arena) : address_tag(work, arena);
	aws_call_begin(work, call, &parameters);
	aws_parameter_add(&parameters, "Tags", kind->own_tags ? kind->own_tags(work, &tags, arena) : tags);
	aws_choose(work, call, &parameters);
	aws_change_of(work)->renames = true;
	return true;
}

void aws_note_renaming(struct work *work)
{
	work->now.ownership.lineage = work->tagging.lineage;
	work->now.ownership.object_id = work->tagging.object_id;
	work->now.ownership.address = aws_address_tag(&work->tagging);
}
