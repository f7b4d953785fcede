#include "cli/plan_section.h"

#include "base/map.h"
#include "reconcile/graph.h"

/* An output that is only read anew, as a run that did not end has left it, is no word of the spec's. */
static bool is_intent(const struct change *change)
{
	bool recorded = !change->field && change->effect == EFFECT_RECORD;

	return change->cause == CAUSE_INTENT && change->effect != EFFECT_UNREAD && !recorded;
}

static bool has_intent(const struct action *action)
{
	for (size_t i = 0; i < action->change_count; i++)
		if (is_intent(&action->changes[i]))
			return true;
	return false;
}

/* By itself. */
static enum section own_section(const struct report *report, const struct action *action)
{
	if (report->is_drift)
		return action->operation == OPERATION_INCOMPLETE ? SECTION_COUNT : SECTION_DRIFT;
	switch (action->operation) {
	case OPERATION_INCOMPLETE:
	case OPERATION_CONFLICT:
	case OPERATION_NONE:
		return SECTION_COUNT;
	case OPERATION_FORGET:
		return SECTION_RECORD;
	case OPERATION_CREATE:
		return action->drifted ? SECTION_DRIFT : SECTION_INTENT;
	case OPERATION_DELETE:
	case OPERATION_ADOPT:
	case OPERATION_TAKE_BACK:
		return SECTION_INTENT;
	case OPERATION_UPDATE:
	case OPERATION_REPLACE:
	case OPERATION_RECORD:
		break;
	}
	if (action->drifted && !has_intent(action))
		return SECTION_DRIFT;
	return action->operation == OPERATION_RECORD ? SECTION_RECORD : SECTION_INTENT;
}

/* Whether the spec says the same of the action as ever, and something changes for what it refers to. */
static bool follows(const struct action *action)
{
	for (size_t i = 0; i < action->change_count; i++)
		if (action->changes[i].cause == CAUSE_TARGET)
			return !has_intent(action);
	return false;
}

/* From each action to those that follow it without a change of their own in the spec. */
static void link_followers(const struct plan *plan, const enum section *sections, struct graph *graph)
{
	struct map by_address; /* of what is not left behind: its index */

	map_init(&by_address);
	for (size_t i = 0; i < plan->action_count; i++)
		if (plan->actions[i].role != OBJECT_DEPOSED)
			map_add_number(&by_address, plan->actions[i].address, i);
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];
		bool may_follow = sections[i] == SECTION_INTENT && follows(action);

		for (size_t k = 0; may_follow && k < action->wanted_count; k++) {
			size_t number = map_number(&by_address, action->wanted[k].address);

			if (number != SIZE_MAX)
				graph_add(graph, number, i);
		}
	}
	map_release(&by_address);
}

/* What follows from drift, however far away, stands with it. */
static void spread_drift(const struct report *report, enum section *sections)
{
	const struct plan *plan = report->plan;
	bool *drifts = arena_new_array(report->arena, plan->action_count + 1, bool);
	struct graph graph;

	graph_init(&graph, plan->action_count);
	link_followers(plan, sections, &graph);
	graph_close(&graph);
	for (size_t i = 0; i < plan->action_count; i++)
		drifts[i] = sections[i] == SECTION_DRIFT;
	graph_reach(&graph, drifts);
	for (size_t i = 0; i < plan->action_count; i++)
		if (drifts[i])
			sections[i] = SECTION_DRIFT;
	graph_release(&graph);
}

const enum section *plan_sections(const struct report *report)
{
	const struct plan *plan = report->plan;
	enum section *sections = arena_new_array(report->arena, plan->action_count + 1, enum section);

	for (size_t i = 0; i < plan->action_count; i++)
		sections[i] = own_section(report, &plan->actions[i]);
	spread_drift(report, sections);
	return sections;
}
