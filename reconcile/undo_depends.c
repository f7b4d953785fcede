#include "reconcile/undo_parts.h"

/*
 * What goes back comes after what it referred to, as far as its fields refer to that, and after what its spec named in
 * `depends_on`, as it does once the run's doing is taken out of that.
 */

/* The form with the names that `depends_on` has for the same by now: no call is made by it, so it follows `state mv`.
 * What is recorded now has them already. */
static struct object as_named_now(struct undo_work *work, const struct object *form)
{
	struct dependency *all = arena_new_array(work->arena, form->dependency_count + 1, struct dependency);
	struct object named = *form;

	named.dependencies = all;
	for (size_t i = 0; i < form->dependency_count; i++) {
		all[i] = form->dependencies[i];
		if (dependency_is_explicit(&all[i]) && map_get(&work->now_id, form->object_id) != form)
			all[i].address = undo_name_now(work, all[i].address);
	}
	return named;
}

/* Whether the field still refers to that: another one may do so by another output. */
static bool is_kept(const struct value *desired, const struct dependency *dependency)
{
	const struct value *field = value_get(desired, dependency->field);

	return field && undo_mentions(field, dependency->address);
}

void undo_take_dependencies(struct undo_work *work, const struct object *object, struct resource *ret)
{
	struct dependency *kept = arena_new_array(work->arena, object->dependency_count + 1, struct dependency);
	const struct object named = as_named_now(work, object);

	ret->dependencies = kept;
	ret->dependency_count = 0;
	for (size_t i = 0; i < named.dependency_count; i++) {
		const struct dependency *one = &named.dependencies[i];

		if (dependency_is_explicit(one) || is_kept(&ret->desired, one))
			kept[ret->dependency_count++] = *one;
	}
}

/* The forms of a case with a base, as they are named now. */
struct forms {
	struct object was, left, base;
};

static struct forms forms_of(struct undo_work *work, const struct undo_case *one)
{
	return (struct forms){
		as_named_now(work, one->was),
		as_named_now(work, one->left),
		as_named_now(work, one->base),
	};
}

static bool has(const struct object *form, const struct dependency *dependency)
{
	return dependencies_have(form->dependencies, form->dependency_count, dependency);
}

/* Of one that was named then or is now: what the run added goes, and what it took out comes back. */
static bool is_named(const struct forms *forms, const struct dependency *dependency)
{
	bool by_the_run = has(&forms->was, dependency) != has(&forms->left, dependency);

	return has(by_the_run ? &forms->was : &forms->base, dependency);
}

bool undo_names_others(struct undo_work *work, const struct undo_case *one)
{
	const struct forms forms = forms_of(work, one);
	const struct object *either[] = {&forms.base, &forms.was};

	for (size_t form = 0; form < 2; form++) {
		for (size_t i = 0; i < either[form]->dependency_count; i++) {
			const struct dependency *dependency = &either[form]->dependencies[i];

			if (dependency_is_explicit(dependency) &&
			    is_named(&forms, dependency) != has(&forms.base, dependency))
				return true;
		}
	}
	return false;
}

void undo_join_dependencies(struct undo_work *work, const struct undo_case *one, struct resource *ret)
{
	const struct forms forms = forms_of(work, one);
	const struct object *either[] = {&forms.base, &forms.was};
	size_t most = forms.base.dependency_count + forms.was.dependency_count;
	struct dependency *all = arena_new_array(work->arena, most + 1, struct dependency);
	size_t count = 0;

	for (size_t form = 0; form < 2; form++) {
		for (size_t i = 0; i < either[form]->dependency_count; i++) {
			const struct dependency *dependency = &either[form]->dependencies[i];
			bool stays = dependency_is_explicit(dependency) ? is_named(&forms, dependency)
									: is_kept(&ret->desired, dependency);

			if (stays && !dependencies_have(all, count, dependency))
				all[count++] = *dependency;
		}
	}
	ret->dependencies = all;
	ret->dependency_count = count;
}
