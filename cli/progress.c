#include "cli/progress.h"

#include <stdio.h>

enum {
	LINE_LIMIT_BYTES = 64 * 1024,
	BLOCK_LINES_MOST = 12,
	/* Below the block stands the cursor, above it a line of what ended. */
	LINES_BESIDE_BLOCK = 3,
	REDRAW_MS = 100,
	/* It looks at all that is left, which may be much. */
	ESTIMATE_MS = 1000,
	HEARTBEAT_MS = 30 * 1000,
	/* What is over sooner is not worth the word. */
	USUAL_LEAST_MS = 1000,
	LEFT_STEP_MS = 10 * 1000,
	LEFT_MINUTES_MS = 90 * 1000,
	LEFT_HOURS_MS = 90 * 60 * 1000,
};

/* What an operation is called while it runs and when it is done. */
static const struct words {
	const char *doing;
	const char *done;
} operation_words[OPERATION_COUNT] = {
	[OPERATION_NONE] = {"leaving", "left"},
	[OPERATION_CREATE] = {"creating", "created"},
	[OPERATION_UPDATE] = {"changing", "changed"},
	[OPERATION_REPLACE] = {"replacing", "replaced"},
	[OPERATION_DELETE] = {"deleting", "deleted"},
	[OPERATION_FORGET] = {"forgetting", "forgotten"},
	[OPERATION_ADOPT] = {"adopting", "adopted"},
	[OPERATION_CONFLICT] = {"leaving", "left"},
	[OPERATION_INCOMPLETE] = {"leaving", "left"},
	[OPERATION_RECORD] = {"recording", "recorded"},
	[OPERATION_TAKE_BACK] = {"taking back", "taken back"},
};

/* What it is about within the action, where that tells more than the operation does. */
static const char *const phase_words[PHASE_COUNT] = {
	[PHASE_MAKE] = NULL,
	[PHASE_SETTLE] = ", its parts",
	[PHASE_UNSETTLE] = ", detaching",
	[PHASE_DELETE] = NULL,
};

void print_duration(struct buffer *buffer, int64_t ms)
{
	if (ms < 10000)
		buffer_format(buffer, "%lld.%lld s", (long long)(ms / 1000), (long long)(ms % 1000 / 100));
	else if (ms < 120000)
		buffer_format(buffer, "%lld s", (long long)(ms / 1000));
	else
		buffer_format(buffer, "%lld min %lld s", (long long)(ms / 60000), (long long)(ms / 1000 % 60));
}

static long long whole(int64_t ms, int64_t unit_ms)
{
	return (long long)((ms + unit_ms / 2) / unit_ms);
}

void print_estimate(struct buffer *buffer, int64_t ms)
{
	if (ms <= 0)
		return;
	if (ms <= LEFT_MINUTES_MS)
		buffer_format(buffer, ", about %lld s left",
			      (long long)((ms + LEFT_STEP_MS - 1) / LEFT_STEP_MS * LEFT_STEP_MS / 1000));
	else if (ms <= LEFT_HOURS_MS)
		buffer_format(buffer, ", about %lld min left", whole(ms, 60 * 1000));
	else
		buffer_format(buffer, ", about %lld h left", whole(ms, 60 * 60 * 1000));
}

static int64_t now_ms(const struct progress_view *view)
{
	return view->invocation->world->boot_ms(view->invocation->world);
}

static int64_t real_ms(const struct invocation *invocation)
{
	struct world *real = invocation->simulated->real;

	return real->boot_ms(real);
}

/* Whether lines can be taken back there. */
static bool can_redraw(struct world *world)
{
	const char *terminal = world->environment(world, "TERM");

	return world->is_terminal(world, 2) && terminal && strcmp(terminal, "dumb") != 0;
}

static void flush(struct invocation *invocation, const struct buffer *text)
{
	(void)world_tell(invocation->world, buffer_slice(text));
}

/* Cursor up over the block, and clear to the end of the screen (ECMA-48 CUU, ED). */
static void erase(struct progress_view *view, struct buffer *text)
{
	if (view->lines > 0)
		buffer_format(text, "\033[%zuA\033[J", view->lines);
	view->lines = 0;
}

/* What the usual time is of: between its phases an action may wait long for others. */
static int64_t worked_ms(const struct progress_view *view, const struct action_progress *one)
{
	return one->worked_ms + (one->running > 0 ? now_ms(view) - one->began_ms : 0);
}

static void print_usual(const struct progress_view *view, struct buffer *text, const struct action_progress *one)
{
	int64_t usual_ms = forecast_usual_ms(view->forecast, (size_t)(one - view->actions));

	if (usual_ms < USUAL_LEAST_MS)
		return;
	buffer_string(text, ", usually ");
	print_duration(text, usual_ms);
}

/* Only while the world waits: before that nobody can tell what has to queue. */
static void estimate(struct progress_view *view)
{
	const struct forecast *forecast = view->forecast;

	view->estimated_ms = now_ms(view);
	view->left_ms = forecast_left_ms(forecast->steps, forecast->step_count, &forecast->crowd, view->estimated_ms);
}

static void print_running(struct progress_view *view, struct buffer *text, const struct action_progress *one)
{
	bool waits = one->action->awaits_gone && one->phase == PHASE_DELETE;
	const char *about = waits ? ", once the old one is gone" : phase_words[one->phase];

	print_safe(text, one->action->address);
	buffer_format(text, " (%s%s, ", operation_words[one->action->operation].doing, about ? about : "");
	print_duration(text, worked_ms(view, one));
	print_usual(view, text, one);
	if (one->refusal[0]) {
		buffer_string(text, ", refused so far: ");
		print_safe(text, slice_of(one->refusal));
	}
	buffer_byte(text, ')');
}

/*
 * A line that is wider than the terminal is cut by it and takes one row (DECAWM, the VT100's auto wrap mode), so
 * that the block can be taken back whatever the width is and however wide its characters are.
 */
static const char WRAP_OFF[] = "\033[?7l", WRAP_ON[] = "\033[?7h";

/* What the cursor cannot go up over cannot be taken back either. */
static size_t lines_to_show(const struct progress_view *view)
{
	struct world *world = view->invocation->world;
	size_t rows = world->terminal_rows ? world->terminal_rows(world, 2) : 0;

	if (rows == 0 || rows >= BLOCK_LINES_MOST + LINES_BESIDE_BLOCK)
		return BLOCK_LINES_MOST;
	return rows > LINES_BESIDE_BLOCK ? rows - LINES_BESIDE_BLOCK : 0;
}

static void draw(struct progress_view *view, struct buffer *text)
{
	const struct action_progress *one = view->oldest;
	size_t most = lines_to_show(view);
	size_t shown = 0;

	/* A terminal that was stopped shows it all once it goes on: what ended, and not how that looked ten times a
	 * second. */
	if (!world_has_told(view->invocation->world))
		return;
	buffer_string(text, WRAP_OFF);
	for (; one && shown < most; one = one->newer, shown++) {
		buffer_string(text, "  ");
		print_running(view, text, one);
		buffer_byte(text, '\n');
	}
	buffer_string(text, "  ");
	paint(text, view->invocation->talk, PAINT_BOLD, "%zu of %zu done", view->ended, view->total);
	if (view->ended < view->total)
		print_estimate(text, view->left_ms);
	if (view->running_count > shown)
		buffer_format(text, ", %zu more at work", view->running_count - shown);
	buffer_format(text, "\n%s", WRAP_ON);
	view->lines = shown + 1;
	view->drawn_ms = real_ms(view->invocation);
}

static void sign_of_life(struct progress_view *view, struct buffer *text)
{
	const struct action_progress *one = view->oldest;
	size_t shown = 0;

	if (!one || now_ms(view) - view->heard_ms < HEARTBEAT_MS)
		return;
	view->heard_ms = now_ms(view);
	buffer_format(text, "  %zu of %zu done", view->ended, view->total);
	estimate(view);
	print_estimate(text, view->left_ms);
	buffer_string(text, ", at work: ");
	for (; one && shown < BLOCK_LINES_MOST; one = one->newer, shown++) {
		buffer_string(text, shown > 0 ? ", " : "");
		print_running(view, text, one);
	}
	if (view->running_count > shown)
		buffer_format(text, " and %zu more", view->running_count - shown);
	buffer_byte(text, '\n');
}

static void tick(void *context)
{
	struct progress_view *view = context;
	BUFFER_AUTO text;

	buffer_init(&text, LINE_LIMIT_BYTES);
	if (view->terminal && now_ms(view) - view->estimated_ms >= ESTIMATE_MS)
		estimate(view);
	if (!view->terminal) {
		sign_of_life(view, &text);
	} else if (real_ms(view->invocation) - view->drawn_ms >= REDRAW_MS) {
		erase(view, &text);
		draw(view, &text);
	}
	if (text.size > 0)
		flush(view->invocation, &text);
}

void progress_open(struct progress_view *view, struct invocation *invocation, const struct forecast *forecast,
		   const uint8_t *phase_counts)
{
	const struct plan *plan = forecast->plan;

	*view = (struct progress_view){
		.invocation = invocation,
		.plan = plan,
		.forecast = forecast,
		.left_ms = FORECAST_UNKNOWN,
		.terminal = can_redraw(invocation->world),
		.actions = arena_new_array(invocation->arena, plan->action_count + 1, struct action_progress),
	};
	for (size_t i = 0; i < plan->action_count; i++) {
		view->actions[i].action = &plan->actions[i];
		view->actions[i].phases_left = phase_counts[i];
		view->total += phase_counts[i] > 0;
	}
	view->heard_ms = now_ms(view);
	invocation->simulated->tick = tick;
	invocation->simulated->tick_context = view;
}

void progress_close(struct progress_view *view)
{
	BUFFER_AUTO text;

	buffer_init(&text, LINE_LIMIT_BYTES);
	erase(view, &text);
	flush(view->invocation, &text);
	view->invocation->simulated->tick = NULL;
}

static void end_phase(struct progress_view *view, struct action_progress *one)
{
	one->phases_left--;
	if (one->running == 0 || --one->running > 0)
		return;
	one->worked_ms += now_ms(view) - one->began_ms;
	*(one->older ? &one->older->newer : &view->oldest) = one->newer;
	*(one->newer ? &one->newer->older : &view->newest) = one->older;
	one->older = one->newer = NULL;
	view->running_count--;
}

static void begin_phase(struct progress_view *view, struct action_progress *one, enum phase phase)
{
	one->phase = phase;
	one->refusal[0] = '\0';
	if (one->running++ > 0)
		return;
	one->began_ms = now_ms(view);
	one->older = view->newest;
	*(view->newest ? &view->newest->newer : &view->oldest) = one;
	view->newest = one;
	view->running_count++;
}

static void print_end(struct progress_view *view, struct buffer *text, enum progress progress,
		      const struct action_progress *one)
{
	const struct palette *palette = view->invocation->talk;
	const struct words *words = &operation_words[one->action->operation];

	buffer_string(text, "  ");
	print_safe(text, one->action->address);
	buffer_string(text, "  ");
	switch (progress) {
	case PROGRESS_SKIPPED:
		paint(text, palette, PAINT_CHANGE, "skipped");
		buffer_string(text, ": what it needs is not done\n");
		return;
	case PROGRESS_LEFT:
		paint(text, palette, PAINT_CHANGE, "left for the next run\n");
		return;
	case PROGRESS_FAILED:
		paint(text, palette, PAINT_LOUD, "%s FAILED", words->doing);
		break;
	case PROGRESS_UNKNOWN:
		paint(text, palette, PAINT_LOUD, "%s, outcome unknown", words->doing);
		break;
	case PROGRESS_UNFINISHED:
		paint(text, palette, PAINT_LOUD, "%s, not finished", words->done);
		break;
	case PROGRESS_UNANSWERED:
		paint(text, palette, PAINT_LOUD, "%s, not answered", words->doing);
		break;
	case PROGRESS_DONE:
	case PROGRESS_STARTED:
		paint(text, palette, PAINT_GOOD, "%s", words->done);
		break;
	}
	buffer_string(text, " after ");
	print_duration(text, worked_ms(view, one));
	buffer_byte(text, '\n');
}

/* An action begins with its first phase and ends with its last, or with one that fails. */
static void print_change(struct progress_view *view, struct buffer *text, enum progress progress,
			 struct action_progress *one)
{
	if (progress == PROGRESS_STARTED) {
		/* Most have nothing to detach, and then wait long for their turn to be deleted. */
		if (one->phase == PHASE_UNSETTLE)
			return;
		if (!one->begun && !view->terminal) {
			buffer_string(text, "  ");
			print_safe(text, one->action->address);
			buffer_format(text, "  %s", operation_words[one->action->operation].doing);
			print_usual(view, text, one);
			buffer_byte(text, '\n');
		}
		one->begun = true;
		return;
	}
	if (one->ended || (progress == PROGRESS_DONE && one->phases_left > 0))
		return;
	one->ended = true;
	view->ended++;
	print_end(view, text, progress, one);
}

void progress_refused(void *context, const struct action *action, struct slice code)
{
	const struct progress_view *view = context;
	struct action_progress *one = &view->actions[action - view->plan->actions];

	(void)snprintf(one->refusal, sizeof(one->refusal), "%.*s", SLICE_ARGUMENTS(code));
}

void progress_tell(void *context, enum progress progress, const struct action *action, enum phase phase,
		   int64_t elapsed_ms)
{
	struct progress_view *view = context;
	struct action_progress *one = &view->actions[action - view->plan->actions];
	BUFFER_AUTO text;

	(void)elapsed_ms;
	buffer_init(&text, LINE_LIMIT_BYTES);
	if (progress == PROGRESS_STARTED)
		begin_phase(view, one, phase);
	else
		end_phase(view, one);
	if (view->terminal)
		erase(view, &text);
	print_change(view, &text, progress, one);
	if (view->terminal)
		draw(view, &text);
	view->heard_ms = now_ms(view);
	if (text.size > 0)
		flush(view->invocation, &text);
}

void progress_stopping(void *context, size_t calls)
{
	struct progress_view *view = context;
	BUFFER_AUTO text;

	buffer_init(&text, LINE_LIMIT_BYTES);
	if (view->terminal)
		erase(view, &text);
	buffer_format(&text, "finishing %zu call%s in flight; again to stop at once\n", calls, calls == 1 ? "" : "s");
	if (view->terminal)
		draw(view, &text);
	flush(view->invocation, &text);
}

static void waiting_tick(void *context)
{
	struct waiting_view *view = context;
	int64_t heard_ms = real_ms(view->invocation);
	BUFFER_AUTO text;

	buffer_init(&text, LINE_LIMIT_BYTES);
	if (heard_ms - view->heard_ms < (view->terminal ? REDRAW_MS * 5 : HEARTBEAT_MS))
		return;
	view->heard_ms = heard_ms;
	/* Back to the start of the line, and clear it (ECMA-48 EL). */
	buffer_format(&text, "%s%s%s: ", view->terminal ? "\r\033[K" : "", view->terminal ? WRAP_OFF : "", view->what);
	if (view->loop)
		buffer_format(&text, "%zu call%s, ", view->loop->request_count,
			      view->loop->request_count == 1 ? "" : "s");
	print_duration(&text, heard_ms - view->began_ms);
	buffer_string(&text, view->terminal ? WRAP_ON : "\n");
	view->drawn = true;
	flush(view->invocation, &text);
}

void waiting_open(struct waiting_view *view, struct invocation *invocation, const char *what, const struct loop *loop)
{
	*view = (struct waiting_view){
		.invocation = invocation,
		.what = what,
		.loop = loop,
		.terminal = can_redraw(invocation->world),
		.began_ms = real_ms(invocation),
		.heard_ms = real_ms(invocation),
	};
	invocation->simulated->tick = waiting_tick;
	invocation->simulated->tick_context = view;
}

void waiting_close(struct waiting_view *view)
{
	if (view->terminal && view->drawn)
		(void)world_tell(view->invocation->world, SLICE("\r\033[K"));
	view->invocation->simulated->tick = NULL;
}
