#include "cli/saved_references.h"

#include "cli/job_run.h"

typedef void reference_visit(void *context, const struct action *action, size_t object);

static void index_objects(const struct job *job, const struct plan *saved, struct map *current, struct map *touched)
{
	map_init(current);
	map_init(touched);
	for (size_t i = 0; i < job->object_count; i++)
		if (job->objects[i]->role == OBJECT_CURRENT)
			map_set(current, job->objects[i]->address, &job->objects[i]);
	for (size_t i = 0; i < saved->action_count; i++)
		if (action_is_carried_out(&saved->actions[i]))
			map_set(touched, saved->actions[i].address, &saved->actions[i]);
}

/* Calls visit for each object that an action refers to, as often as one does. */
static void visit_references(struct job *job, const struct plan *saved, reference_visit *visit, void *context)
{
	struct map current, touched;

	index_objects(job, saved, &current, &touched);
	for (size_t i = 0; i < saved->action_count; i++) {
		const struct action *action = &saved->actions[i];

		for (size_t k = 0; action_is_carried_out(action) && k < action->wanted_count; k++) {
			struct slice address = action->wanted[k].address;
			struct object *const *place = map_get(&current, address);

			if (place && !map_get(&touched, address))
				visit(context, action, (size_t)(place - job->objects));
		}
	}
	map_release(&current);
	map_release(&touched);
}

struct adding {
	struct job *job;
	struct map *ids;
};

static void add_reference(void *context, const struct action *action, size_t object)
{
	struct adding *adding = (struct adding *)context;

	(void)action;
	map_set(adding->ids, adding->job->objects[object]->object_id, adding->job->objects[object]);
}

void saved_references_add(struct job *job, const struct plan *saved, struct map *ids)
{
	struct adding adding = {job, ids};

	visit_references(job, saved, add_reference, &adding);
}

struct checking {
	struct job *job;
	bool good;
};

static void check_reference(void *context, const struct action *action, size_t object)
{
	struct checking *checking = (struct checking *)context;
	struct job *job = checking->job;
	const struct live *live = job->refresh.live[object];
	struct slice address = job->objects[object]->address;

	if (!live || (live->presence != PRESENCE_ABSENT && live->presence != PRESENCE_LEAVING))
		return;
	checking->good = false;
	diag_error(job->diagnostics, FAULT_STALE, NOWHERE,
		   "'%.*s' has changed since the plan was made: it is %s, and '%.*s' refers to it",
		   SLICE_ARGUMENTS(address), live->presence == PRESENCE_ABSENT ? "not there any more" : "being deleted",
		   SLICE_ARGUMENTS(action->address));
	diag_address(job->diagnostics, address);
	diag_hint(job->diagnostics, "plan again, and review that");
}

bool saved_references_check(struct job *job, const struct plan *saved)
{
	struct checking checking = {job, true};

	visit_references(job, saved, check_reference, &checking);
	return checking.good;
}
