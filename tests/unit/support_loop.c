#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "tests/unit/support_loop.h"

enum { LONG_MS = 1000 * 1000 * 1000, BEGIN_MS = 1000, SLOW_MS = 1000, COMMITS_MOST = 10 * 1000 };

static struct staged *of_world(struct world *world)
{
	return world->context;
}

static int64_t boot_ms(struct world *world)
{
	return of_world(world)->now_ms;
}

static int64_t wall_ms(struct world *world)
{
	const struct staged *staged = of_world(world);
	return staged->now_ms + (staged->sent_count > 0 ? staged->suspended_ms : 0);
}

static void fill(struct world *world, void *bytes, size_t size)
{
	(void)world;
	memset(bytes, 7, size);
}

static int interrupted(struct world *world)
{
	const struct staged *staged = of_world(world);
	if (staged->interrupt_ms == 0 || staged->now_ms < staged->interrupt_ms)
		return 0;
	return staged->interrupted_twice ? 2 : 1;
}

static struct staged *of_transport(const struct transport *transport)
{
	return (struct staged *)(void *)((char *)(uintptr_t)transport - offsetof(struct staged, transport));
}

static void start(struct transport *transport, const struct http_request *request, http_done *done, void *context)
{
	struct staged *staged = of_transport(transport);
	const struct reply *reply = staged->replies;
	if (reply->repeat < 0 || staged->repeated < reply->repeat) {
		staged->repeated++;
	} else {
		staged->replies++;
		staged->repeated = 0;
	}
	staged->sent_count++;
	staged->sent_ms = staged->now_ms;
	/* The promise behind the lease: no answer comes once somebody else may have it. */
	if (request->mutating)
		assert_true(staged->lease_until_ms - staged->now_ms >= request->total_timeout_ms);
	assert_true(staged->pending_count < REPLIES_MOST);
	size_t i = staged->pending_count++;
	staged->pending[i].request = request;
	staged->pending[i].done = done;
	staged->pending[i].context = context;
	staged->pending[i].reply = reply;
	staged->pending[i].due_ms = reply->after_ms < 0 ? INT64_MAX : staged->now_ms + reply->after_ms;
}

static void drop(struct staged *staged, size_t index)
{
	staged->pending[index] = staged->pending[--staged->pending_count];
}

static void wait_until(struct transport *transport, int64_t deadline_ms)
{
	struct staged *staged = of_transport(transport);
	size_t next = SIZE_MAX;
	if (staged->interrupt_ms > staged->now_ms && staged->interrupt_ms < deadline_ms)
		deadline_ms = staged->interrupt_ms;
	for (size_t i = 0; i < staged->pending_count; i++)
		if (staged->pending[i].due_ms <= deadline_ms &&
		    (next == SIZE_MAX || staged->pending[i].due_ms < staged->pending[next].due_ms))
			next = i;
	if (next == SIZE_MAX) {
		assert_true(deadline_ms < LONG_MS);
		staged->now_ms = deadline_ms > staged->now_ms ? deadline_ms : staged->now_ms;
		return;
	}
	const struct reply *reply = staged->pending[next].reply;
	http_done *done = staged->pending[next].done;
	void *context = staged->pending[next].context;
	staged->now_ms = staged->pending[next].due_ms;
	drop(staged, next);
	struct http_response response = {.answered = true, .status = reply->code ? 400 : 200};
	/* What is said goes round the wire's text: interpret() finds it by the address. */
	response.body = (struct slice){(const char *)reply, sizeof(*reply)};
	done(context, &response);
}

static size_t pending(const struct transport *transport)
{
	return of_transport(transport)->pending_count;
}

static void cancel(struct transport *transport, void *context)
{
	struct staged *staged = of_transport(transport);
	for (size_t i = staged->pending_count; i-- > 0;)
		if (staged->pending[i].context == context)
			drop(staged, i);
}

static bool prepare(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
		    struct diagnostics *diagnostics)
{
	const struct staged *staged = call->definition;
	(void)wall_ms;
	(void)arena;
	(void)diagnostics;
	*ret = (struct http_request){.mutating = call->mutating, .total_timeout_ms = staged->total_timeout_ms};
	return true;
}

static void interpret(const struct call *call, const struct http_response *response, struct arena *arena,
		      struct answer *ret)
{
	const struct reply *reply = (const struct reply *)(const void *)response->body.data;
	(void)call;
	(void)arena;
	*ret = (struct answer){.ok = !reply->code,
			       .fault = reply->fault,
			       .retry_after_ms = reply->retry_after_ms,
			       .doubted = reply->doubted};
	if (reply->code) {
		ret->code = slice_of(reply->code);
		ret->message = slice_of(reply->message);
	}
}

static struct provider_limits limits(const struct call *call)
{
	return ((const struct staged *)call->definition)->limits;
}

static struct staged *of_store(const struct store *store)
{
	return (struct staged *)(void *)((char *)(uintptr_t)store - offsetof(struct staged, store));
}

static bool heartbeat(struct store *store, struct diagnostics *diagnostics)
{
	struct staged *staged = of_store(store);
	staged->beats++;
	if (staged->lease_taken_away) {
		staged->lease_until_ms = staged->now_ms;
		return diag_error(diagnostics, FAULT_LEASE, NOWHERE, "the lease was taken away");
	}
	if (staged->cannot_beat)
		return diag_error(diagnostics, FAULT_USER, NOWHERE, "the disk is full");
	staged->lease_until_ms = staged->now_ms + staged->lease_term_ms;
	return true;
}

static int64_t lease_left_ms(const struct store *store)
{
	const struct staged *staged = of_store(store);
	return staged->lease_until_ms - staged->now_ms;
}

static void keep_intent(struct staged *staged, const struct intent *intent)
{
	struct slice *texts[] = {&staged->intent.id,	   &staged->intent.object_id, &staged->intent.address,
				 &staged->intent.kind,	   &staged->intent.operation, &staged->intent.parameters,
				 &staged->intent.identity, &staged->intent.token};

	staged->intent = *intent;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = arena_copy(&staged->arena, *texts[i]);
	staged->intents++;
}

static enum commit_state commit(struct store *store, const struct commit *what, struct diagnostics *diagnostics)
{
	struct staged *staged = of_store(store);

	assert_true(staged->commits < COMMITS_MOST);
	if (++staged->commits == staged->failing_commit) {
		diag_error(diagnostics, FAULT_USER, NOWHERE, "the disk is full");
		return COMMIT_FAILED;
	}
	staged->now_ms += staged->commit_ms;
	if (staged->commits == staged->slow_commit)
		staged->now_ms += SLOW_MS;
	if (!staged->lease_taken_away)
		staged->closes += what->close_count;
	if (what->close_count > 0)
		staged->note = arena_copy(&staged->arena, what->closes[what->close_count - 1].note);
	for (size_t i = 0; i < what->intent_count; i++)
		keep_intent(staged, &what->intents[i]);
	return COMMIT_DONE;
}

static const struct store_ops store_ops = {
	.heartbeat = heartbeat,
	.lease_left_ms = lease_left_ms,
	.commit = commit,
};

static int64_t age_of(void *context, const struct call *call, struct slice message)
{
	const struct staged *staged = context;

	(void)call;
	(void)message;
	return staged->age_ms == INT64_MAX ? INT64_MAX : staged->age_ms + staged->now_ms - BEGIN_MS;
}

static void stopping(void *context, size_t calls)
{
	((struct staged *)context)->told_calls += calls;
}

void stage_open(struct staged *staged, const struct reply *replies)
{
	static const struct json_style style;
	*staged = (struct staged){
		.now_ms = BEGIN_MS,
		.replies = replies,
		.total_timeout_ms = 60000,
		.lease_until_ms = BEGIN_MS + 90000,
		.lease_term_ms = 90000,
		.store = {&store_ops},
		.provider = {.prepare = prepare, .interpret = interpret, .limits = limits},
		.transport = {.start = start, .wait = wait_until, .pending = pending, .cancel = cancel},
	};
	staged->world = (struct world){
		.context = staged,
		.wall_ms = wall_ms,
		.boot_ms = boot_ms,
		.random = fill,
		.interrupted = interrupted,
		.transport = &staged->transport,
	};
	staged->session.provider = &staged->provider;
	arena_init(&staged->arena);
	diagnostics_init(&staged->diagnostics, &staged->arena);
	struct loop_settings settings = {
		.world = &staged->world,
		.store = &staged->store,
		.lease = &staged->store,
		.parallelism = 8,
		.style = &style,
		.stopping = stopping,
		.stopping_context = staged,
		.age_ms = age_of,
		.age_context = staged,
		.crowd = &staged->crowd,
		.diagnostics = &staged->diagnostics,
	};
	loop_init(&staged->loop, &settings);
}

void stage_close(struct staged *staged)
{
	loop_release(&staged->loop);
	diagnostics_release(&staged->diagnostics);
	arena_release(&staged->arena);
}

static enum step step(struct task *task, const struct answer *answer)
{
	struct errand *errand = (struct errand *)task;
	if (!answer)
		return STEP_CALL;
	errand->answered = true;
	errand->fault = answer->fault;
	errand->unsure = answer->unsure;
	if (answer->ok && errand->pages > 1) {
		errand->pages--;
		return STEP_CALL;
	}
	return answer->ok ? STEP_DONE : STEP_FAILED;
}

static void ended(struct task *task, bool done)
{
	struct errand *errand = (struct errand *)task;
	errand->ended = true;
	errand->done = done;
	errand->ended_ms = errand->staged->now_ms;
}

void errand_make(struct errand *errand, struct staged *staged, bool mutating, const struct value *parameters)
{
	static const struct value nothing = {.type = VALUE_MAP};
	*errand = (struct errand){
		.staged = staged,
		.object = {.address = SLICE("aws.thing.a"), .object_id = SLICE("object"), .kind = SLICE("aws.thing")},
	};
	errand->task.step = step;
	errand->task.ended = ended;
	errand->task.diagnostics = &staged->diagnostics;
	errand->task.object = mutating ? &errand->object : NULL;
	static const char *const settling[] = {"Thing.NotFound", "DependencyViolation", "InvalidParameterValue", NULL};
	errand->task.call = (struct call){
		.settling = settling,
		.session = &staged->session,
		.operation = mutating ? "CreateThing" : "DescribeThings",
		.definition = staged,
		.parameters = parameters ? parameters : &nothing,
		.mutating = mutating,
		.recipe = RECIPE_CONVERGE,
	};
}
