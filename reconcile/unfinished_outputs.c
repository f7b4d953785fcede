#include "reconcile/unfinished_outputs.h"

bool unfinished_outputs_follow(const struct kind *kind, const struct live *live)
{
	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		const struct value *is = value_get_named(&live->outputs, output->name);
		const struct value *goal = output->follows ? value_get_named(&live->outputs, output->follows) : NULL;

		if (is && goal && !value_equal(is, goal))
			return false;
	}
	return true;
}

struct value unfinished_outputs(const struct object *object, const struct kind *kind, const struct value *live,
				struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	value_builder_members(&builder, live);
	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		const struct value *is = value_get_named(live, output->name);
		const struct value *goal = output->follows ? value_get_named(live, output->follows) : NULL;
		const struct value *recorded = value_get_named(&object->outputs, output->name);

		if (is && goal && recorded && !value_equal(is, goal))
			value_builder_set(&builder, slice_of(output->name), *recorded);
	}
	return value_builder_map(&builder, arena);
}

static bool shows_work_of(const struct kind *kind, struct slice name, struct slice operation)
{
	const struct output *output = output_named(&kind->outputs, name);

	return output && output->shows_work_of && slice_is(operation, output->shows_work_of);
}

struct value unfinished_outputs_before(const struct object *object, const struct kind *kind, struct slice operation,
				       const struct value *live, struct arena *arena)
{
	const struct value *sides[] = {&object->outputs, live};
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t side = 0; side < sizeof(sides) / sizeof(sides[0]); side++) {
		for (uint32_t i = 0; i < sides[side]->count; i++) {
			const struct value_member *member = &sides[side]->members[i];
			struct slice name = value_slice(&member->key);

			if (shows_work_of(kind, name, operation) == (sides[side] == live))
				value_builder_member(&builder, name, member->value);
		}
	}
	const struct value before = value_builder_map(&builder, arena);
	return value_copy(arena, &before);
}
