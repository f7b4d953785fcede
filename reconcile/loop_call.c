#include <stdlib.h>

#include "base/memory.h"
#include "reconcile/loop_parts.h"

/* How often and how long a call is tried, for each kind of refusal. */
enum {
	THROTTLED_ATTEMPTS = 12,
	TRANSIENT_ATTEMPTS = 5,
	AMBIGUOUS_ATTEMPTS = 3,
	DOUBTED_ATTEMPTS = 2,
	BACKOFF_FIRST_MS = 200,
	BACKOFF_MOST_MS = 20000,
	SETTLING_BACKOFF_FIRST_MS = 1000,
	/* Between the end of a request's time and that of the lease: the answer has to be recorded. */
	LEASE_MARGIN_MS = 5000,
	/* Of one listing with all its pages: a server that is always slow must not hold a run up for ever. */
	READING_MOST_MS = 10 * 60 * 1000,
};

/* xorshift64*: spreads retries; nothing secret hangs on it. */
static int64_t random_below(struct loop *loop, int64_t bound)
{
	uint64_t x = loop->jitter ? loop->jitter : 1;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	loop->jitter = x;
	return bound > 0 ? (int64_t)((x * 2685821657736338717ull) >> 1) % bound : 0;
}

bool loop_is_in_flight(const struct task *task)
{
	return task->loop.exchange && task->loop.exchange->in_flight;
}

void loop_drop_exchange(struct loop *loop, struct task *task)
{
	struct exchange *exchange = task->loop.exchange;
	if (!exchange)
		return;
	task->loop.exchange = NULL;
	if (exchange->in_flight) {
		loop->settings.world->transport->cancel(loop->settings.world->transport, exchange);
		exchange->in_flight = false;
		loop->in_flight--;
	}
	arena_reset(&exchange->arena);
	exchange->task = NULL;
	exchange->next = loop->idle_exchanges;
	loop->idle_exchanges = exchange;
}

void loop_release_calls(struct loop *loop)
{
	while (loop->idle_exchanges) {
		struct exchange *exchange = loop->idle_exchanges;
		loop->idle_exchanges = exchange->next;
		arena_release(&exchange->arena);
		free(exchange);
	}
}

static struct exchange *take_exchange(struct loop *loop, struct task *task)
{
	struct exchange *exchange = loop->idle_exchanges;
	if (exchange) {
		loop->idle_exchanges = exchange->next;
	} else {
		exchange = memory_get(sizeof(*exchange));
		arena_init(&exchange->arena);
	}
	exchange->loop = loop;
	exchange->task = task;
	exchange->answer = (struct answer){0};
	task->loop.exchange = exchange;
	return exchange;
}

/* What is not there yet comes if it is new; what is held or busy for now is let go some time, however old it is, and
 * not before the end of what the run still waits for: that may be what holds it (a machine that is long in ending).
 * What is wrong for now, as a new profile that is not known everywhere yet, hangs on nothing of that. */
static bool may_settle(const struct loop *loop, const struct task *task, const struct answer *answer)
{
	const struct loop_settings *settings = &loop->settings;
	int64_t since_ms = task->loop.first_ms;

	if (answer->fault == FAULT_ABSENT && settings->age_ms)
		return settings->age_ms(settings->age_context, &task->call, answer->message) < LOOP_SETTLING_MS;
	if (answer->fault == FAULT_CONFLICT && loop->awaited_ms > since_ms)
		since_ms = loop->awaited_ms;
	return loop_now_ms(loop) - since_ms < LOOP_SETTLING_MS;
}

static bool is_settling(const struct loop *loop, const struct task *task, const struct answer *answer)
{
	for (const char *const *code = task->call.settling; code && *code; code++)
		if (slice_is(answer->code, *code))
			return may_settle(loop, task, answer);
	return false;
}

/* How often a call may be sent in all, for the way it was refused; 1: not again. */
static int attempts_for(const struct task *task, const struct answer *answer)
{
	switch (answer->fault) {
	case FAULT_THROTTLED:
		return THROTTLED_ATTEMPTS;
	case FAULT_TRANSIENT:
		return TRANSIENT_ATTEMPTS;
	case FAULT_AMBIGUOUS:
		if (task->call.looked_after)
			return 1;
		/* Sending these twice has the effect of sending them once. */
		if (!task->call.mutating || task->call.recipe == RECIPE_CONVERGE || task->call.recipe == RECIPE_TOKEN)
			return AMBIGUOUS_ATTEMPTS;
		return 1;
	case FAULT_UNSUPPORTED:
		return answer->doubted ? DOUBTED_ATTEMPTS : 1;
	case FAULT_USER:
	case FAULT_USAGE:
	case FAULT_AUTH:
	case FAULT_ABSENT:
	case FAULT_CONFLICT:
	case FAULT_STALE:
	case FAULT_LEASE:
	case FAULT_BUDGET:
	case FAULT_UNREAD:
	case FAULT_INTERNAL:
		return 1;
	}
	return 1;
}

/* Exponential with full jitter, so that tasks refused together do not return together. */
static int64_t backoff_ms(struct loop *loop, const struct task *task, int64_t first_ms)
{
	int64_t most_ms = first_ms;
	for (int i = 1; i < task->loop.attempts && most_ms < BACKOFF_MOST_MS; i++)
		most_ms *= 2;
	return 1 + random_below(loop, most_ms < BACKOFF_MOST_MS ? most_ms : BACKOFF_MOST_MS);
}

/* What writes no record is given up once its calls together took too long. */
static bool read_too_long(const struct task *task)
{
	return !task->object && !task->call.mutating && task->loop.waited_ms >= READING_MOST_MS;
}

/* How the service named its answer comes to rest in the record. */
static struct slice note_of(const struct task *task, const struct answer *answer)
{
	const struct redaction *secrets = task->call.session->secrets;
	struct slice note = answer->ok ? answer->request_id : answer->code;
	if (secrets && redaction_finds(secrets, note))
		return SLICE("");
	return note;
}

/* It may have done its work, whether it is sent once more or never again. */
static void note_unanswered(struct task *task, const struct answer *answer)
{
	bool is_unanswered = answer->fault == FAULT_AMBIGUOUS;
	task->loop.unsure |= is_unanswered;
	task->changed |= is_unanswered && task->call.mutating && task->loop.intent.size > 0;
}

static bool retry(struct loop *loop, struct task *task, const struct answer *answer)
{
	bool settling = is_settling(loop, task, answer);
	bool throttled = answer->fault == FAULT_THROTTLED;
	note_unanswered(task, answer);
	if (loop->stopping || read_too_long(task) || (!settling && task->loop.attempts >= attempts_for(task, answer)))
		return false;
	/* Who is told to slow down, or to wait for what is new, is not spent on a place that fails. */
	if (!settling && !throttled && !loop_spend_retry(loop, task))
		return false;
	if (throttled)
		loop_slow_down(loop, task, task->loop.exchange->sent_ms);
	int64_t delay_ms = backoff_ms(loop, task, settling ? SETTLING_BACKOFF_FIRST_MS : BACKOFF_FIRST_MS);
	if (answer->retry_after_ms > delay_ms)
		delay_ms = answer->retry_after_ms;
	task->loop.refusal = arena_copy(&task->scratch, note_of(task, answer));
	if (loop->settings.refused)
		loop->settings.refused(loop->settings.refused_context, task, task->loop.refusal);
	loop_drop_exchange(loop, task);
	task->loop.admitted = false;
	task->loop.again = !settling;
	loop_sleep(loop, task, loop_now_ms(loop) + delay_ms);
	return true;
}

/* An attempt before, of this run or of an earlier one, may have done its work unseen. */
static bool may_be_done(const struct task *task)
{
	return task->loop.unsure || task->call.is_recorded;
}

/* Nor will another attempt, of this run or the next: what the first may have made is looked for from now on. */
static bool is_past_sending(const struct task *task, const struct answer *answer)
{
	bool is_definite = answer->fault != FAULT_AMBIGUOUS && answer->fault != FAULT_THROTTLED &&
			   answer->fault != FAULT_TRANSIENT && answer->fault != FAULT_LEASE;

	return task->call.is_recorded && !answer->ok && is_definite;
}

static void deliver(struct loop *loop, struct task *task, struct answer *answer)
{
	task->loop.past_sending = is_past_sending(task, answer);
	answer->unsure = !answer->ok && may_be_done(task);
	/* One that was sent before with the same token may have made it: that the last was refused tells nothing. */
	if (answer->unsure && task->call.recipe == RECIPE_TOKEN)
		answer->fault = FAULT_AMBIGUOUS;
	/* Why the last one was refused is no outcome of one before it, which may be on its way still. */
	if (task->loop.intent.size && !answer->unsure) {
		task->loop.close = (struct intent_close){
			.id = task->loop.intent,
			.outcome = answer->ok ? OUTCOME_DONE : OUTCOME_FAILED,
			.note = arena_copy(&task->scratch, note_of(task, answer)),
		};
		if (answer->ok && !task->call.creates && task->call.token.size > 0)
			task->loop.spent_token = task->call.token;
		task->loop.has_close = true;
		if (answer->ok && task->call.creates)
			task->loop.created = task->loop.intent;
	} else if (task->loop.intent.size) {
		struct unsettled *unsettled = arena_new(&task->scratch, struct unsettled);
		*unsettled = (struct unsettled){task->loop.intent, task->loop.unsettled};
		task->loop.unsettled = unsettled;
	}
	if (task->call.mutating)
		task->answered = answer->ok;
	task->changed |= task->call.mutating && task->loop.intent.size > 0 && (answer->ok || answer->unsure);
	task->loop.answer = answer;
	loop_make_ready(loop, task);
}

static void on_done(void *context, const struct http_response *response)
{
	struct exchange *exchange = context;
	struct loop *loop = exchange->loop;
	struct task *task = exchange->task;
	exchange->in_flight = false;
	loop->in_flight--;
	task->loop.waited_ms += loop_now_ms(loop) - exchange->sent_ms;
	task->call.session->provider->interpret(&task->call, response, &exchange->arena, &exchange->answer);
	if (exchange->answer.ok) {
		loop->heard_ms = loop->silence_ms = loop_now_ms(loop);
		loop_note_success(loop, task);
	} else if (retry(loop, task, &exchange->answer)) {
		return;
	}
	deliver(loop, task, &exchange->answer);
}

/* Answers a call that was never sent. */
static void refuse(struct loop *loop, struct task *task, struct exchange *exchange, enum fault fault,
		   const char *message)
{
	exchange->answer.fault = fault;
	exchange->answer.message = slice_of(message);
	deliver(loop, task, &exchange->answer);
}

/* Why it cannot be made is the answer: whoever asked says what was wanted, and that, in one error. */
static bool prepare(struct loop *loop, struct task *task, struct exchange *exchange)
{
	struct world *world = loop->settings.world;
	struct diagnostics findings;

	diagnostics_init(&findings, &exchange->arena);
	bool good = task->call.session->provider->prepare(&task->call, world->wall_ms(world), &exchange->arena,
							  &exchange->request, &findings);
	if (!good) {
		const struct diag *first = diagnostics_first_error(&findings);

		exchange->answer = (struct answer){
			.fault = first ? first->fault : FAULT_INTERNAL,
			.message = first ? first->message : SLICE("the request could not be made"),
			.hint = first ? first->hint : (struct slice){NULL, 0},
		};
	}
	diagnostics_release(&findings);
	return good;
}

/* Nobody else may have the stack while the request is on its way, however long that takes. */
static bool lease_outlasts(struct loop *loop, const struct http_request *request)
{
	struct store *store = loop->settings.store;
	int64_t needed_ms = request->total_timeout_ms + LEASE_MARGIN_MS;
	if (loop->broken)
		return false;
	if (store->ops->lease_left_ms(store) >= needed_ms)
		return true;
	return loop_beat(loop) && store->ops->lease_left_ms(store) >= needed_ms;
}

/*
 * A service that has forgotten the token does the work a second time; one that refused each time has none to forget.
 * The process may have been suspended meanwhile, which the clock of this boot tells, or its whole machine, which the
 * wall clock tells alone.
 */
static bool token_is_old(const struct loop *loop, const struct task *task)
{
	struct world *world = loop->settings.world;
	return may_be_done(task) && task->loop.intent.size > 0 && task->call.recipe == RECIPE_TOKEN &&
	       (loop_now_ms(loop) - task->loop.first_ms >= LOOP_TOKEN_LIFE_MS ||
		world->wall_ms(world) - task->loop.intent_ms >= LOOP_TOKEN_LIFE_MS);
}

/* A change that was called off is tried no longer for being looked at in between. */
static void count_attempt(const struct loop *loop, struct task *task)
{
	bool again = task->loop.refusals > 0 && task->call.definition == task->loop.refused;
	if (task->loop.attempts == 0) {
		task->loop.attempts = again ? task->loop.refusals : 0;
		task->loop.first_ms = again ? task->loop.refused_since_ms : loop_now_ms(loop);
	}
	task->loop.attempts++;
}

void loop_send(struct loop *loop, struct task *task)
{
	struct world *world = loop->settings.world;
	struct exchange *exchange = take_exchange(loop, task);
	task->loop.admitted = false;
	count_attempt(loop, task);
	if (read_too_long(task)) {
		refuse(loop, task, exchange, FAULT_TRANSIENT, "its answers took more than 10 minutes altogether");
		return;
	}
	/* Whatever was to be made of it, a service would take the fingerprint for the secret. */
	if (task->call.mutating && value_has_fingerprint(task->call.parameters)) {
		exchange->answer.hint =
			SLICE("give the spec the secret, or run again once the output that it is can be read");
		refuse(loop, task, exchange, FAULT_USER, "of a secret that it sends only the fingerprint is at hand");
		return;
	}
	if (!prepare(loop, task, exchange)) {
		deliver(loop, task, &exchange->answer);
		return;
	}
	/* The gate that no kind can forget, behind which the transports have their own: no intent, no sending. */
	exchange->request.intent = task->loop.intent;
	const char *refusal = http_request_refusal(&exchange->request);
	if (refusal) {
		refuse(loop, task, exchange, FAULT_INTERNAL, refusal);
		return;
	}
	if (task->call.mutating && !lease_outlasts(loop, &exchange->request)) {
		enum fault fault = FAULT_LEASE;
		const char *reason = loop->broken ? loop_break_reason(loop, &fault)
						  : "the lease on the stack ends before the call's time-out";
		refuse(loop, task, exchange, fault, reason);
		return;
	}
	if (token_is_old(loop, task)) {
		refuse(loop, task, exchange, FAULT_TRANSIENT,
		       "it is not sent again with its token, which may be forgotten after an hour");
		return;
	}
	task->loop.renewals = 0;
	exchange->in_flight = true;
	exchange->sent_ms = loop_now_ms(loop);
	loop->in_flight++;
	loop->request_count++;
	world->transport->start(world->transport, &exchange->request, on_done, exchange);
}
