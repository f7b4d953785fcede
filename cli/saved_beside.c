#include "cli/saved_beside.h"

#include "cli/saved_refusal.h"
#include "reconcile/visit.h"

struct looking {
	struct job *job;
	const struct map *touched;
	struct map numbers; /* provider ids to numbers of job->objects */
	const struct action *action;
	bool good;
};

static void index_numbers(struct looking *looking)
{
	const struct job *job = looking->job;

	map_init(&looking->numbers);
	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->provider_id.size > 0 && job->objects[i]->role == OBJECT_CURRENT &&
		    !map_get(looking->touched, job->objects[i]->address))
			map_set_number(&looking->numbers, job->objects[i]->provider_id, i);
}

static bool is_the_same(const struct value *a, const struct value *b)
{
	return value_is(a, VALUE_UNREAD) || (a && value_equal(a, b));
}

/* What could not be read is not known to lie elsewhere, and what is not there is told of anyway. */
static void look_at(void *context, const struct visited *visited)
{
	struct looking *looking = context;
	struct job *job = looking->job;
	const struct field *field = visited->field;
	size_t number = field->beside && value_is(visited->value, VALUE_STRING)
				? map_number(&looking->numbers, value_slice(visited->value))
				: SIZE_MAX;
	const struct live *live = number != SIZE_MAX ? job->refresh.live[number] : NULL;
	const struct value *own = live ? value_get_named(&looking->action->known, field->beside) : NULL;

	if (!live || live->presence != PRESENCE_PRESENT || !value_is(own, VALUE_STRING) ||
	    is_the_same(value_get_named(&live->fields, field->beside), own))
		return;
	looking->good =
		saved_plan_refuse(job, job->objects[number]->address,
				  arena_format(job->arena, "its '%s' is not that of '%.*s', which is to refer to it",
					       field->beside, SLICE_ARGUMENTS(looking->action->address)));
}

bool saved_beside_check(struct job *job, const struct plan *saved, const struct map *touched)
{
	struct looking looking = {.job = job, .touched = touched, .good = true};

	index_numbers(&looking);
	for (size_t i = 0; i < saved->action_count; i++) {
		looking.action = &saved->actions[i];
		if (action_is_carried_out(looking.action) && value_is(&looking.action->known, VALUE_MAP))
			visit_action(looking.action, look_at, &looking);
	}
	map_release(&looking.numbers);
	return looking.good;
}
