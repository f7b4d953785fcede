#include "reconcile/read.h"

#include "base/map.h"
#include "reconcile/secret_marks.h"

enum {
	YOUNG_MS = 10 * 60 * 1000,
	PROOF_AFTER_MS = 1500, /* before a missing young object is looked for once more */
	PROOF_ROUNDS = 3,
};

struct detail_reading {
	struct reading reading;
	struct read_batch *batch;
	struct diagnostics findings;
};

static void list_again(struct read_batch *batch, int64_t after_ms);

static enum step list_step(struct task *task, const struct answer *answer)
{
	struct reading *reading = (struct reading *)task;
	/* A look for proof begins after a while. */
	if (reading->task.wake_ms && !answer && reading->stage == 0) {
		if (loop_now_ms(((struct read_batch *)reading->task.context)->loop) < reading->task.wake_ms)
			return STEP_SLEEP;
	}
	return reading->session->provider->list(reading, answer);
}

static enum step detail_step(struct task *task, const struct answer *answer)
{
	struct reading *reading = (struct reading *)task;
	return reading->session->provider->detail(reading, answer);
}

/* What a service says of an object may hold what it was sent. */
static void mark_echoes(const struct read_batch *batch, struct live *live)
{
	const struct redaction *secrets = batch->session->secrets;
	if (!secrets || live->presence != PRESENCE_PRESENT)
		return;
	live->fields = secret_marks_echoed(batch->arena, secrets, &live->fields);
	live->outputs = secret_marks_echoed(batch->arena, secrets, &live->outputs);
}

/* Where nothing tells any more that it is the one of the record, nothing is known of that one. */
static void doubt(const struct read_batch *batch, struct read_request *request)
{
	const struct live *found = request->live;
	const struct output *mark = live_untold(found, batch->kind, request->outputs, batch->loop->settings.lineage);
	if (!mark)
		return;
	struct live *live = arena_new(batch->arena, struct live);
	live->presence = PRESENCE_UNREAD;
	live->unread_reason = arena_format(
		batch->arena, "its '%s' is not told, and nothing else tells it from another one%s%.*s", mark->name,
		found->unread_reason.size > 0 ? ": " : "", SLICE_ARGUMENTS(found->unread_reason));
	live->unread_hint = found->unread_hint.size > 0
				    ? found->unread_hint
				    : SLICE("run again once it is told; if it never will be, take the object on anew: "
					    "'trueup state rm', and an apply");
	request->live = live;
}

static void finish(struct read_batch *batch)
{
	const struct provider *provider = batch->session->provider;
	for (size_t i = 0; i < batch->count; i++) {
		struct read_request *request = &batch->requests[i];
		if (!request->live)
			request->live = arena_new(batch->arena, struct live);
		doubt(batch, request);
		if (provider->arrange && request->live->presence == PRESENCE_PRESENT)
			provider->arrange(batch->kind, request->live, request->wanted, request->outputs, batch->arena);
		mark_echoes(batch, request->live);
	}
	for (size_t i = 0; i < batch->found_count; i++)
		mark_echoes(batch, &batch->found[i]);
	diagnostics_release(&batch->findings);
	batch->done(batch);
}

static void one_less(struct read_batch *batch)
{
	if (--batch->pending == 0)
		finish(batch);
}

static void note_unread(struct live *live, const struct diag *why, struct arena *arena)
{
	live->unread_reason = why ? arena_copy(arena, why->message) : SLICE("reading was interrupted");
	live->unread_hint = why ? arena_copy(arena, why->hint) : (struct slice){0};
}

static void on_detailed(struct task *task, bool done)
{
	struct detail_reading *detail = (struct detail_reading *)task;
	struct live *live = detail->reading.subject;
	if (!done) {
		live->presence = PRESENCE_UNREAD;
		note_unread(live, diagnostics_first_error(&detail->findings), detail->batch->arena);
	} else if (detail->findings.count > 0) {
		note_unread(live, &detail->findings.items[0], detail->batch->arena);
	}
	diagnostics_release(&detail->findings);
	one_less(detail->batch);
}

static void start_details(struct read_batch *batch)
{
	const struct provider *provider = batch->session->provider;
	bool possible = provider->needs_detail(batch->kind, NULL);
	for (size_t i = 0; possible && i < batch->count; i++) {
		struct read_request *request = &batch->requests[i];
		if (!request->live || request->live->presence != PRESENCE_PRESENT || !request->matters ||
		    (request->once_ready && request->live->readiness != READY) ||
		    !provider->needs_detail(batch->kind, request->matters))
			continue;
		struct detail_reading *detail = arena_new(batch->arena, struct detail_reading);
		detail->batch = batch;
		diagnostics_init(&detail->findings, batch->arena);
		detail->reading = (struct reading){
			.session = batch->session,
			.kind = batch->kind,
			.arena = batch->arena,
			.subject = request->live,
			.matters = request->matters,
			.observed = request->observed,
			.outputs = request->outputs,
			.task = {.step = detail_step, .ended = on_detailed},
		};
		detail->reading.task.diagnostics = &detail->findings;
		detail->reading.task.remaining = batch->remaining;
		batch->pending++;
		loop_add(batch->loop, &detail->reading.task);
	}
}

/* Gives each request the thing found under its id. */
static void match(struct read_batch *batch)
{
	struct map by_id;
	map_init(&by_id);
	map_reserve(&by_id, batch->listing.found_count);
	for (size_t i = 0; i < batch->listing.found_count; i++)
		map_set(&by_id, batch->listing.found[i].provider_id, &batch->listing.found[i]);
	for (size_t i = 0; i < batch->count; i++) {
		struct read_request *request = &batch->requests[i];
		if (request->live || request->id.size == 0)
			continue;
		request->live = map_get(&by_id, request->id);
		if (!request->live ||
		    !live_is_another(request->live, batch->kind, request->outputs, batch->loop->settings.lineage))
			continue;
		request->live = arena_new(batch->arena, struct live);
		request->live->is_displaced = true;
	}
	map_release(&by_id);
}

/* Kinds that are found answer in the order they were asked for. */
static void match_in_order(struct read_batch *batch)
{
	for (size_t i = 0; i < batch->count && i < batch->listing.found_count; i++)
		batch->requests[i].live = &batch->listing.found[i];
}

/* Absence needs proof: what a list does not show is asked for by id, a young one again and again. */
static bool look_for_missing(struct read_batch *batch)
{
	size_t count = 0;
	bool young = false;
	if (batch->rounds >= PROOF_ROUNDS)
		return false;
	for (size_t i = 0; i < batch->count; i++) {
		const struct read_request *request = &batch->requests[i];
		if (request->live || request->id.size == 0)
			continue;
		bool is_young = request->age_ms < YOUNG_MS;
		if (!is_young && batch->rounds > 0)
			continue;
		young |= is_young;
		batch->missing[count++] = request->id;
	}
	if (count == 0 || (!young && !batch->everything))
		return false;
	batch->listing.ids = batch->missing;
	batch->listing.id_count = count;
	batch->rounds++;
	list_again(batch, young ? loop_now_ms(batch->loop) + PROOF_AFTER_MS : 0);
	return true;
}

static void on_listed(struct task *task, bool done)
{
	struct read_batch *batch = task->context;
	if (!done) {
		const struct diag *first = diagnostics_first_error(&batch->findings);
		struct live unlisted = {.presence = PRESENCE_UNREAD};
		note_unread(&unlisted, first, batch->arena);
		if (batch->rounds == 0) {
			batch->unlisted_reason = unlisted.unread_reason;
			batch->unlisted_hint = unlisted.unread_hint;
			batch->unlisted_fault = first ? first->fault : FAULT_TRANSIENT;
		}
		for (size_t i = 0; i < batch->count; i++) {
			if (batch->requests[i].live)
				continue;
			struct live *live = arena_new(batch->arena, struct live);
			*live = unlisted;
			batch->requests[i].live = live;
		}
		/* What was found before is read whole all the same: a field nobody asked for would seem to be unset. */
		start_details(batch);
		one_less(batch);
		return;
	}
	if (batch->rounds == 0) {
		batch->found = batch->listing.found;
		batch->found_count = batch->listing.found_count;
		if (batch->listed)
			batch->listed(batch);
	}
	if (batch->kind->found)
		match_in_order(batch);
	else
		match(batch);
	if (batch->kind->found || !look_for_missing(batch))
		start_details(batch);
	one_less(batch);
}

static void list_again(struct read_batch *batch, int64_t after_ms)
{
	struct reading *listing = &batch->listing;
	const struct slice *ids = listing->ids;
	size_t id_count = listing->id_count;
	struct slice lineage = batch->lineage.size > 0 ? batch->lineage : batch->loop->settings.lineage;
	*listing = (struct reading){
		.session = batch->session,
		.kind = batch->kind,
		.ids = ids,
		.id_count = id_count,
		.lineage = batch->anyones ? (struct slice){NULL, 0} : lineage,
		.arena = batch->arena,
		.task = {.step = list_step, .ended = on_listed, .wake_ms = after_ms, .context = batch},
	};
	listing->task.diagnostics = &batch->findings;
	listing->task.remaining = batch->remaining;
	batch->pending++;
	loop_add(batch->loop, &listing->task);
}

void read_start(struct read_batch *batch)
{
	diagnostics_init(&batch->findings, batch->arena);
	batch->missing = arena_new_array(batch->arena, batch->count + 1, struct slice);
	const struct value **wanted = arena_new_array(batch->arena, batch->count + 1, const struct value *);
	for (size_t i = 0; i < batch->count; i++) {
		batch->missing[i] = batch->requests[i].id;
		wanted[i] = batch->requests[i].wanted;
		batch->requests[i].live = NULL;
	}
	bool all = batch->everything && !batch->kind->found;
	batch->listing = (struct reading){.ids = all ? NULL : batch->missing, .id_count = all ? 0 : batch->count};
	list_again(batch, 0);
	batch->listing.wanted = wanted;
}
