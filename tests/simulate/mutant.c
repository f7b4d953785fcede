#include "tests/simulate/mutant.h"

#include <string.h>

#include "providers/aws/aws.h"
#include "providers/aws/kind.h"
#include "providers/aws/protocol.h"
#include "providers/aws/work.h"
#include "reconcile/loop_parts.h"
#include "reconcile/recover_resend.h"
#include "reconcile/refresh_parts.h"
#include "state/intents.h"
#include "state/lease.h"

/* One program is broken in one way; what is wrapped has no other way to learn which. */
static enum mutant current;

static const struct {
	const char *name;
	const char *about;
} mutants[MUTANT_COUNT] = {
	[MUTANT_NONE] = {"none", "nothing is broken"},
	[MUTANT_CONVERGE] = {"converge", "a change that was not answered is taken for done, not read and sent again"},
	[MUTANT_TAG] = {"tag", "what a call made is not looked up by its tag"},
	[MUTANT_TOKEN] = {"token", "each attempt has a token of its own"},
	[MUTANT_NATURAL] = {"natural", "what has a name of its own is not looked up"},
	[MUTANT_DISCARD] = {"discard", "a pair whose key was lost is kept"},
	[MUTANT_SNAPSHOT] = {"snapshot",
			     "what does as much again each time counts as done before anything of it shows"},
	[MUTANT_UNSEEN] = {"unseen", "what a run that ended was about to change counts as done before any of it shows"},
	[MUTANT_SWEEP] = {"sweep", "twins are left where they are"},
	[MUTANT_FENCE] = {"fence", "a run that lost its lease goes on"},
	[MUTANT_FAILED] = {"failed", "a change that was not answered counts as refused"},
	[MUTANT_GRACE] = {"grace", "what a call made and is not seen yet is not waited for"},
	[MUTANT_LIFE] = {"life", "what has a token is sent again however old that is"},
	[MUTANT_RESENT] = {"resent", "of what is sent once more with its token the first time alone is recorded"},
	[MUTANT_BARE] = {"bare", "intents are recorded without their parameters"},
	[MUTANT_GATE] = {"gate", "whether a request changes something is what its kind says"},
	[MUTANT_DOUBT] = {"doubt", "what a create answers with is recorded before anybody has seen whose it is"},
};

const char *mutant_name(enum mutant mutant)
{
	return mutants[mutant].name;
}

const char *mutant_about(enum mutant mutant)
{
	return mutants[mutant].about;
}

void mutant_become(enum mutant mutant)
{
	current = mutant;
}

/* By the names that the linker knows them under, see --wrap in ld(1). */
void real_aws_interpret(const struct call *call, const struct http_response *response, struct arena *arena,
			struct answer *ret) __asm__("__real_aws_interpret");
void mutant_aws_interpret(const struct call *call, const struct http_response *response, struct arena *arena,
			  struct answer *ret) __asm__("__wrap_aws_interpret");
bool real_aws_request_body(const struct aws_operation_shape *operation, const struct value *parameters,
			   struct buffer *body, struct diagnostics *diagnostics) __asm__("__real_aws_request_body");
bool mutant_aws_request_body(const struct aws_operation_shape *operation, const struct value *parameters,
			     struct buffer *body, struct diagnostics *diagnostics) __asm__("__wrap_aws_request_body");
enum stray_origin real_recover_stray_origin(const struct past_call *past, const struct stray *stray,
					    const struct object *recorded, const struct live *live, int64_t now_ms,
					    struct arena *arena) __asm__("__real_recover_stray_origin");
enum stray_origin mutant_recover_stray_origin(const struct past_call *past, const struct stray *stray,
					      const struct object *recorded, const struct live *live, int64_t now_ms,
					      struct arena *arena) __asm__("__wrap_recover_stray_origin");
void real_refresh_match_tags(struct refresh *refresh, struct live *found, size_t found_count, const size_t *members,
			     size_t member_count) __asm__("__real_refresh_match_tags");
void mutant_refresh_match_tags(struct refresh *refresh, struct live *found, size_t found_count, const size_t *members,
			       size_t member_count) __asm__("__wrap_refresh_match_tags");

bool real_recover_commit(const struct recovery *recovery, struct store *store,
			 struct diagnostics *diagnostics) __asm__("__real_recover_commit");
bool mutant_recover_commit(const struct recovery *recovery, struct store *store,
			   struct diagnostics *diagnostics) __asm__("__wrap_recover_commit");
bool real_lease_beat(struct lease *lease, struct database *database, struct world *world, struct slice stack,
		     struct diagnostics *diagnostics) __asm__("__real_lease_beat");
bool mutant_lease_beat(struct lease *lease, struct database *database, struct world *world, struct slice stack,
		       struct diagnostics *diagnostics) __asm__("__wrap_lease_beat");

void real_recover_all(struct recovery *recovery) __asm__("__real_recover_all");
void mutant_recover_all(struct recovery *recovery) __asm__("__wrap_recover_all");
bool real_recover_can_resend(const struct recovery *recovery, size_t index,
			     struct value *ret) __asm__("__real_recover_can_resend");
bool mutant_recover_can_resend(const struct recovery *recovery, size_t index,
			       struct value *ret) __asm__("__wrap_recover_can_resend");
void real_loop_send(struct loop *loop, struct task *task) __asm__("__real_loop_send");
void mutant_loop_send(struct loop *loop, struct task *task) __asm__("__wrap_loop_send");
bool real_intents_add(struct database *database, const struct intent *intent, int64_t run_number,
		      struct diagnostics *diagnostics) __asm__("__real_intents_add");
bool mutant_intents_add(struct database *database, const struct intent *intent, int64_t run_number,
			struct diagnostics *diagnostics) __asm__("__wrap_intents_add");
bool real_aws_prepare(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
		      struct diagnostics *diagnostics) __asm__("__real_aws_prepare");
bool mutant_aws_prepare(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
			struct diagnostics *diagnostics) __asm__("__wrap_aws_prepare");
void real_aws_note_created(struct work *work, enum aws_origin origin) __asm__("__real_aws_note_created");
void mutant_aws_note_created(struct work *work, enum aws_origin origin) __asm__("__wrap_aws_note_created");

void mutant_aws_interpret(const struct call *call, const struct http_response *response, struct arena *arena,
			  struct answer *ret)
{
	real_aws_interpret(call, response, arena, ret);
	if (current == MUTANT_CONVERGE && call->mutating && call->recipe == RECIPE_CONVERGE &&
	    ret->fault == FAULT_AMBIGUOUS)
		*ret = (struct answer){.ok = true, .body = value_map(NULL, 0)};
	if (current == MUTANT_FAILED && call->mutating && ret->fault == FAULT_AMBIGUOUS)
		ret->fault = FAULT_USER;
}

/* Another token each time: its first digit changes. */
bool mutant_aws_request_body(const struct aws_operation_shape *operation, const struct value *parameters,
			     struct buffer *body, struct diagnostics *diagnostics)
{
	static const char member[] = "ClientToken=";
	static unsigned attempts;
	bool good = real_aws_request_body(operation, parameters, body, diagnostics);
	char *at = good && current == MUTANT_TOKEN && body->data ? strstr(body->data, member) : NULL;

	if (at && at[sizeof(member) - 1])
		at[sizeof(member) - 1] = (char)('a' + attempts++ % 26);
	return good;
}

enum stray_origin mutant_recover_stray_origin(const struct past_call *past, const struct stray *stray,
					      const struct object *recorded, const struct live *live, int64_t now_ms,
					      struct arena *arena)
{
	enum stray_origin origin = real_recover_stray_origin(past, stray, recorded, live, now_ms, arena);

	return current == MUTANT_SWEEP && origin == STRAY_TWIN ? STRAY_LEFT : origin;
}

/* The intents as they would be were those of one recipe of another. */
static struct intent *exchange_recipe(const struct recovery *recovery, enum recipe from, enum recipe to)
{
	struct intent *intents = arena_new_array(recovery->arena, recovery->intent_count + 1, struct intent);

	for (size_t i = 0; i < recovery->intent_count; i++) {
		intents[i] = recovery->intents[i];
		if (intents[i].recipe == from)
			intents[i].recipe = to;
	}
	return intents;
}

/* Its intents are recorded as those of what can be looked up. */
bool mutant_recover_commit(const struct recovery *recovery, struct store *store, struct diagnostics *diagnostics)
{
	struct recovery changed = *recovery;

	if (current != MUTANT_DISCARD)
		return real_recover_commit(recovery, store, diagnostics);
	changed.intents = exchange_recipe(recovery, RECIPE_DISCARD, RECIPE_NATURAL);
	return real_recover_commit(&changed, store, diagnostics);
}

bool mutant_lease_beat(struct lease *lease, struct database *database, struct world *world, struct slice stack,
		       struct diagnostics *diagnostics)
{
	struct diagnostics unsaid;
	bool good;

	if (current != MUTANT_FENCE)
		return real_lease_beat(lease, database, world, stack, diagnostics);
	diagnostics_init(&unsaid, diagnostics->arena);
	good = real_lease_beat(lease, database, world, stack, &unsaid);
	diagnostics_release(&unsaid);
	if (!good) {
		lease->lost = false;
		lease->beat_boot_ms = world_lease_ms(world);
	}
	return true;
}

/* Those of its kinds that are made under the recipe are passed over. */
static bool is_passed_over(const struct refresh *refresh, size_t member)
{
	const struct kind *kind =
		member < refresh->object_count ? kinds_find(refresh->kinds, refresh->objects[member]->kind) : NULL;
	enum recipe recipe = kind ? aws_kind_of(kind)->create.recipe : RECIPE_CONVERGE;

	return (current == MUTANT_TAG && recipe == RECIPE_TAG) ||
	       (current == MUTANT_NATURAL && recipe == RECIPE_NATURAL);
}

/* All members of a listing are of one kind. */
void mutant_refresh_match_tags(struct refresh *refresh, struct live *found, size_t found_count, const size_t *members,
			       size_t member_count)
{
	if (member_count == 0 || !is_passed_over(refresh, members[0]))
		real_refresh_match_tags(refresh, found, found_count, members, member_count);
}

static void take_for_done(struct recovery *recovery, struct verdict *verdict)
{
	if (verdict->settlement != SETTLEMENT_WAIT && verdict->settlement != SETTLEMENT_ABSENT)
		return;
	recovery->waiting_count -= verdict->settlement == SETTLEMENT_WAIT;
	verdict->settlement = SETTLEMENT_DONE;
}

void mutant_recover_all(struct recovery *recovery)
{
	if (current == MUTANT_GRACE)
		recovery->grace_ms = 0;
	real_recover_all(recovery);
	for (size_t i = 0; i < recovery->intent_count; i++) {
		const struct intent *intent = &recovery->intents[i];
		enum mutant blind = intent->recipe == RECIPE_SNAPSHOT ? MUTANT_SNAPSHOT : MUTANT_UNSEEN;

		if (current == blind && !intent->creates)
			take_for_done(recovery, &recovery->verdicts[i]);
	}
}

/* As it would be were all intents of this moment. */
static struct recovery rejuvenate(const struct recovery *recovery)
{
	struct recovery changed = *recovery;
	struct intent *intents = arena_new_array(recovery->arena, recovery->intent_count + 1, struct intent);

	for (size_t i = 0; i < recovery->intent_count; i++) {
		intents[i] = recovery->intents[i];
		intents[i].wall_ms = recovery->now_ms;
	}
	changed.intents = intents;
	return changed;
}

bool mutant_recover_can_resend(const struct recovery *recovery, size_t index, struct value *ret)
{
	const struct recovery changed = current == MUTANT_LIFE ? rejuvenate(recovery) : *recovery;

	return real_recover_can_resend(&changed, index, ret);
}

void mutant_loop_send(struct loop *loop, struct task *task)
{
	if (current == MUTANT_LIFE) {
		task->loop.first_ms = loop_now_ms(loop);
		task->loop.intent_ms = loop->settings.world->wall_ms(loop->settings.world);
	}
	real_loop_send(loop, task);
}

bool mutant_intents_add(struct database *database, const struct intent *intent, int64_t run_number,
			struct diagnostics *diagnostics)
{
	struct intent changed = *intent;

	if (current == MUTANT_RESENT)
		changed.sent_ms = 0;
	if (current == MUTANT_BARE)
		changed.parameters = SLICE("{}");
	return real_intents_add(database, &changed, run_number, diagnostics);
}

bool mutant_aws_prepare(const struct call *call, int64_t wall_ms, struct arena *arena, struct http_request *ret,
			struct diagnostics *diagnostics)
{
	bool good = real_aws_prepare(call, wall_ms, arena, ret, diagnostics);

	if (good && current == MUTANT_GATE)
		ret->mutating = call->mutating;
	return good;
}

void mutant_aws_note_created(struct work *work, enum aws_origin origin)
{
	real_aws_note_created(work, origin);
	if (current == MUTANT_DOUBT)
		work->task.in_doubt = false;
}
