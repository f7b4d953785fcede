#include "cli/record_secrets.h"

#include "base/map.h"
#include "reconcile/object_secrets.h"

/* Most stacks have none, and need not be searched. */
static bool has_secrets(const struct stack *spec)
{
	bool has = value_has_secret(&spec->variables);

	for (size_t i = 0; !has && i < spec->resource_count; i++)
		has = value_has_secret(&spec->resources[i].desired);
	return has;
}

void record_secrets_of_spec(struct job *job)
{
	struct stack *spec = arena_new(job->arena, struct stack);

	if (!has_secrets(&job->stack))
		return;
	/* The job may go on with another stack. */
	*spec = job->stack;
	job->said = stack_addresses(spec, map_new(job->arena));
}

void record_secrets_of_plan(struct job *job, const struct plan *plan, const struct value *hidden)
{
	struct resource *resources = arena_new_array(job->arena, plan->action_count + 1, struct resource);
	struct map *said = map_new(job->arena);

	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];

		if (!action_is_carried_out(action) || (!action->in_spec && map_has(said, action->address)))
			continue;
		resources[i].desired = action->in_spec ? action->desired : value_null();
		map_set(said, action->address, &resources[i]);
	}
	job->said = said;
	job->said_in_part = true;
	job->hidden = hidden;
}

/* False where nothing tells what is a secret there. */
static bool find_said(const struct job *job, struct slice address, struct secrets_said *ret)
{
	const struct resource *said = job->said ? map_get(job->said, address) : NULL;
	bool in_spec = said && value_is(&said->desired, VALUE_MAP);

	*ret = (struct secrets_said){in_spec ? &said->desired : NULL, job->hidden, job->secrets};
	return job->said && (said || !job->said_in_part);
}

void record_secrets_hide(const struct job *job, struct object *object)
{
	const struct kind *kind = kinds_find(&job->kinds, object->kind);
	struct secrets_said said;

	if (kind && object->has_body && find_said(job, object->address, &said))
		(void)object_hide_secrets(object, kind, &said, job->arena);
}

static struct slice hide(void *context, struct slice address, struct slice name, struct slice body, struct arena *arena)
{
	const struct job *job = context;
	const struct kind *kind = kinds_find(&job->kinds, name);
	struct secrets_said said;

	return kind && find_said(job, address, &said) ? object_body_hidden(body, kind, &said, arena) : body;
}

bool record_secrets_hide_all(struct job *job)
{
	const struct store_hider hider = {hide, job};

	return !job->said || job->store->ops->hide(job->store, &hider, job->diagnostics);
}
