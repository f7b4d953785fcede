#include "reconcile/undo_parts.h"

/*
 * What goes back comes after what it referred to, as far as its fields refer to that, and after what its spec named in
 * `depends_on`, as it does once the run's doing is taken out of that.
 */

/* Whether the field still refers to that: another one may do so by another output. */
static bool is_kept(const struct value *desired, const struct dependency *dependency)
{
	const struct value *field = value_get(desired, dependency->field);

	return field && undo_mentions(field, dependency->address);
}

void undo_take_dependencies(struct arena *arena, const struct object *object, struct resource *ret)
{
	struct dependency *kept = arena_new_array(arena, object->dependency_count + 1, struct dependency);

	ret->dependencies = kept;
	ret->dependency_count = 0;
	for (size_t i = 0; i < object->dependency_count; i++) {
		const struct dependency *one = &object->dependencies[i];

		if (dependency_is_explicit(one) || is_kept(&ret->desired, one))
			kept[ret->dependency_count++] = *one;
	}
}

static bool has(const struct object *form, const struct dependency *dependency)
{
	return dependencies_have(form->dependencies, form->dependency_count, dependency);
}

/* Of one that was named then or is now: what the run added goes, and what it took out comes back. */
static bool is_named(const struct undo_case *one, const struct dependency *dependency)
{
	bool by_the_run = has(one->was, dependency) != has(one->left, dependency);

	return has(by_the_run ? one->was : one->base, dependency);
}

bool undo_names_others(const struct undo_case *one)
{
	const struct object *forms[] = {one->base, one->was};

	for (size_t form = 0; form < 2; form++) {
		for (size_t i = 0; i < forms[form]->dependency_count; i++) {
			const struct dependency *dependency = &forms[form]->dependencies[i];

			if (dependency_is_explicit(dependency) &&
			    is_named(one, dependency) != has(one->base, dependency))
				return true;
		}
	}
	return false;
}

void undo_join_dependencies(struct arena *arena, const struct undo_case *one, struct resource *ret)
{
	const struct object *forms[] = {one->base, one->was};
	size_t most = forms[0]->dependency_count + forms[1]->dependency_count;
	struct dependency *all = arena_new_array(arena, most + 1, struct dependency);
	size_t count = 0;

	for (size_t form = 0; form < 2; form++) {
		for (size_t i = 0; i < forms[form]->dependency_count; i++) {
			const struct dependency *dependency = &forms[form]->dependencies[i];
			bool stays = dependency_is_explicit(dependency) ? is_named(one, dependency)
									: is_kept(&ret->desired, dependency);

			if (stays && !dependencies_have(all, count, dependency))
				all[count++] = *dependency;
		}
	}
	ret->dependencies = all;
	ret->dependency_count = count;
}
