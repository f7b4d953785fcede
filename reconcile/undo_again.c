#include "reconcile/undo_again.h"
#include "reconcile/undo_parts.h"

/*
 * A run that was being undone and is undone again: the undoing may have been killed between the halves of a replace, or
 * before what it replaced was followed by what refers to it. Nothing of that shows in what the run itself found and
 * left, so it is told by what the undoings changed. A run that only wrote the record anew, as a rebuild does, changed
 * nothing of it; one that took something out of its place did, until it is back there as it was.
 */

struct gathering {
	struct arena *arena;
	struct map by_address; /* to struct trace */
	struct map away;       /* by object id: struct trace of what the record alone has elsewhere */
};

struct trace {
	struct undo_touched touched;
	bool stands; /* nobody else has changed it since */
	size_t run;  /* that began the present row of undoings */
};

static struct trace *trace_at(struct gathering *gathering, struct slice address)
{
	struct trace *trace = map_get(&gathering->by_address, address);

	if (!trace) {
		trace = arena_new(gathering->arena, struct trace);
		*trace = (struct trace){.touched = {.address = address}};
		map_set(&gathering->by_address, address, trace);
	}
	return trace;
}

/* Of several objects the current one is what was found, or else the one that was begun, if anything had come of that.
 */
static void take_found(struct undo_touched *touched, const struct past_object *past)
{
	if (undo_speaks(past->was, &past->before) && !object_was_never_seen(&past->before) &&
	    (!touched->found || past->before.role == OBJECT_CURRENT))
		touched->found = &past->before;
}

/* What is changed where it stands by now does not come back as it was. */
static void forget_away(struct gathering *gathering, const struct past_object *past)
{
	struct slice id = past_object_id(past);

	if (map_get(&gathering->away, id))
		map_set(&gathering->away, id, NULL);
}

static void add_undoing(struct gathering *gathering, size_t run, const struct past_object *past)
{
	struct trace *trace = trace_at(gathering, past_address(past));

	forget_away(gathering, past);
	if (!trace->stands) {
		trace->stands = true;
		trace->run = run;
		trace->touched.found = NULL;
	}
	if (trace->run == run)
		take_found(&trace->touched, past);
}

static void end_at(struct gathering *gathering, struct slice address)
{
	struct trace *trace = map_get(&gathering->by_address, address);

	if (trace)
		trace->stands = false;
}

static void add_other(struct gathering *gathering, const struct past_object *past)
{
	end_at(gathering, past_address(past));
	end_at(gathering, past->is ? past->after.address : past->before.address);
	forget_away(gathering, past);
}

static void add_move(struct gathering *gathering, const struct past_object *past)
{
	struct trace *from = map_get(&gathering->by_address, past->before.address);
	struct trace *to = map_get(&gathering->by_address, past->after.address);
	struct slice id = past->before.object_id;

	if (to)
		to->stands = map_get(&gathering->away, id) == to;
	if (from && from->stands)
		map_set(&gathering->away, id, from);
	if (from)
		from->stands = false;
}

static void add_record(struct gathering *gathering, const struct past_object *past)
{
	bool stays = undo_speaks(past->was, &past->before) && undo_speaks(past->is, &past->after) &&
		     slice_equal(past->before.object_id, past->after.object_id);
	bool was_nothing = past->was && !past->is && object_was_never_seen(&past->before);

	if (stays && !slice_equal(past->before.address, past->after.address))
		add_move(gathering, past);
	else if (!stays && !was_nothing)
		add_other(gathering, past);
}

static void add_run(struct gathering *gathering, const struct undo_since *run, size_t number)
{
	for (size_t i = 0; i < run->past_count; i++) {
		const struct past_object *past = &run->past[i];

		if (!undo_speaks(past->was, &past->before) && !undo_speaks(past->is, &past->after))
			continue;
		if (run->records_only)
			add_record(gathering, past);
		else if (run->undoes)
			add_undoing(gathering, number, past);
		else
			add_other(gathering, past);
	}
}

void undo_again_gather(const struct undo_since *later, size_t count, struct arena *arena, struct undo_touched **ret,
		       size_t *ret_count)
{
	struct gathering gathering = {.arena = arena};

	map_init(&gathering.by_address);
	map_init(&gathering.away);
	for (size_t i = 0; i < count; i++)
		add_run(&gathering, &later[i], i);
	*ret = arena_new_array(arena, gathering.by_address.count + 1, struct undo_touched);
	*ret_count = 0;
	for (size_t i = 0; i < gathering.by_address.count; i++) {
		const struct trace *trace = gathering.by_address.entries[i].item;

		if (trace->stands)
			(*ret)[(*ret_count)++] = trace->touched;
	}
	map_release(&gathering.by_address);
	map_release(&gathering.away);
}
