#include "reconcile/recover.h"

#include <stdlib.h>

#include "base/digest.h"
#include "base/id.h"
#include "base/map.h"
#include "reconcile/departed.h"
#include "reconcile/diff_field.h"
#include "reconcile/recover_resend.h"
#include "reconcile/unfinished.h"

enum {
	/* A request is taken up to 15 minutes after it was signed, and what it makes is seen soon after. */
	LATE_MOST_MS = 60 * 60 * 1000,
	/* So long a listing may show what is gone. */
	LAG_MOST_MS = 10 * 60 * 1000,
};

/* A create that left no id: is there what it was to make? */
static struct verdict judge_nameless(bool may_come)
{
	if (may_come)
		return (struct verdict){SETTLEMENT_WAIT, "nothing is there yet, and it may still come"};
	return (struct verdict){SETTLEMENT_ABSENT, "there is no such object"};
}

/* Of what was made: nobody knows whether what it shows once came where it should. */
static bool is_lost(const struct intent *intent)
{
	return intent->recipe == RECIPE_DISCARD;
}

/* Of an output, which may be a list, one text or nothing. */
struct items {
	const struct value *first;
	uint32_t count;
};

static struct items items_of(const struct value *output)
{
	if (!output)
		return (struct items){NULL, 0};
	return output->type == VALUE_LIST ? (struct items){output->items, output->count} : (struct items){output, 1};
}

static bool has_item(struct items items, const struct value *item)
{
	for (uint32_t i = 0; i < items.count; i++)
		if (value_equal(&items.first[i], item))
			return true;
	return false;
}

/*
 * What a call adds to a list is new in it, wherever it stands: a service lists in any order. What is there no more
 * tells nothing: no such call takes anything away, but others may while it is on its way.
 */
static bool has_new_item(struct items before, struct items now)
{
	for (uint32_t i = 0; i < now.count; i++)
		if (!has_item(before, &now.first[i]))
			return true;
	return false;
}

/*
 * Nothing tells of such a call but what there is of its work: as long as there is no more of it than was recorded
 * before, it has not come. What else has moved since tells nothing: an instance that was stopped for the same change
 * has lost its public address.
 */
static bool shows_more(const struct intent *intent, const struct kind *kind, const struct object *object,
		       const struct live *live)
{
	for (size_t i = 0; kind && i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);

		if (output->shows_work_of && slice_is(intent->operation, output->shows_work_of) &&
		    has_new_item(items_of(value_get_named(&object->outputs, output->name)),
				 items_of(value_get_named(&live->outputs, output->name))))
			return true;
	}
	return false;
}

/* Of an object that is gone, or on its way out: whatever comes late has nothing left to change. */
static struct verdict judge_gone(const struct object *object)
{
	/* Where no note tells what was begun with a whole object, that may have been its deletion: then it is so. */
	if (unfinished_is_deletion(object) || (!unfinished_has_note(object) && object->role != OBJECT_INCOMPLETE))
		return (struct verdict){SETTLEMENT_DONE, "settled by reading"};
	return (struct verdict){SETTLEMENT_ABSENT, "its object is gone"};
}

/*
 * A call about what is there. It may be held up on its way for as long as a create, so that nothing of it shows yet
 * tells as little.
 */
static struct verdict judge_change(const struct intent *intent, const struct kind *kind, const struct object *object,
				   const struct live *live, enum call_shown shows, bool may_come)
{
	if (live->presence != PRESENCE_PRESENT)
		return judge_gone(object);
	if (intent->recipe == RECIPE_SNAPSHOT)
		shows = shows_more(intent, kind, object, live) ? SHOWS_DONE : SHOWS_NOTHING;
	if (shows == SHOWS_DONE)
		return (struct verdict){SETTLEMENT_DONE, "settled by reading"};
	if (shows == SHOWS_UNREAD)
		return (struct verdict){SETTLEMENT_NONE, "the field that tells could not be read"};
	if (may_come)
		return (struct verdict){SETTLEMENT_WAIT, "nothing shows yet that it was done, and it may still come"};
	/* The plan compares the object with the spec anyway: what the call left undone is planned anew. */
	return (struct verdict){SETTLEMENT_ABSENT, "nothing shows that it was done"};
}

struct verdict recover_judge(const struct intent *intent, const struct kind *kind, const struct object *object,
			     const struct live *live, enum call_shown shows, bool may_come)
{
	/* What a create made was recorded until it was deleted: of this one nothing was ever seen. */
	if (!object)
		return (struct verdict){intent->creates ? SETTLEMENT_ABSENT : SETTLEMENT_DONE,
					"its object is no longer recorded"};
	if (!live)
		return (struct verdict){SETTLEMENT_NONE, "its object was not read"};
	if (live->presence == PRESENCE_UNREAD)
		return (struct verdict){SETTLEMENT_NONE, "its object could not be read"};
	if (!intent->creates)
		return judge_change(intent, kind, object, live, shows, may_come);
	if (live->presence == PRESENCE_ABSENT && object->provider_id.size == 0)
		return judge_nameless(may_come);
	if (is_lost(intent))
		return (struct verdict){SETTLEMENT_DONE, "what is shown once was lost: another is made"};
	return (struct verdict){SETTLEMENT_DONE, "settled by reading"};
}

bool recover_finds_another(const struct object *object, const struct kind *kind, const struct live *live,
			   const struct json_style *style, struct arena *arena)
{
	const struct live recorded = {.presence = PRESENCE_PRESENT, .outputs = object->outputs};
	const struct value then = plan_marks(kind, &recorded, arena), now = plan_marks(kind, live, arena);

	return plan_marks_moved(&then, &now, arena, style) != NULL;
}

static bool finds_another(const struct recovery *recovery, const struct object *object, const struct kind *kind,
			  const struct live *live)
{
	return recover_finds_another(object, kind, live, recovery->secrets.style, recovery->arena);
}

static bool may_come(const struct recovery *recovery, const struct intent *intent)
{
	return !recovery->waited && recovery->looked_ms < intent_sent_ms(intent) + recovery->grace_ms;
}

static struct verdict judge(const struct recovery *recovery, const struct intent *intent, const struct object *object,
			    const struct live *live)
{
	const struct kind *kind = live ? kinds_find(recovery->kinds, object->kind) : NULL;
	const struct unfinished_reading reading = {
		.kind = kind,
		.provider = kind ? providers_find(recovery->providers, kind_provider(kind)) : NULL,
		.live = live,
	};
	enum call_shown shows = SHOWS_NOTHING;

	if (kind && !intent->creates && !finds_another(recovery, object, kind, live))
		shows = unfinished_shows(object, intent->operation, &reading, recovery->secrets, recovery->arena);
	struct verdict verdict = recover_judge(intent, kind, object, live, shows, may_come(recovery, intent));
	if (object && live && live->presence == PRESENCE_UNREAD && live->unread_reason.size > 0)
		verdict.why =
			arena_text(recovery->arena, "%s: %.*s", verdict.why, SLICE_ARGUMENTS(live->unread_reason));
	return verdict;
}

void recover_all(struct recovery *recovery)
{
	struct map by_id; /* to a pointer into objects */
	size_t count = recovery->intent_count;

	map_init(&by_id);
	map_reserve(&by_id, recovery->object_count);
	for (size_t i = 0; i < recovery->object_count; i++)
		map_set(&by_id, recovery->objects[i]->object_id, &recovery->objects[i]);
	recovery->verdicts = arena_new_array(recovery->arena, count + 1, struct verdict);
	recovery->subjects = arena_new_array(recovery->arena, count + 1, struct object *);
	recovery->parameters = arena_new_array(recovery->arena, count + 1, struct value);
	recovery->waiting_count = recovery->resend_count = recovery->open_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct object *const *object = map_get(&by_id, recovery->intents[i].object_id);
		const struct live *live = object && recovery->live ? recovery->live[object - recovery->objects] : NULL;

		recovery->subjects[i] = object ? *object : NULL;
		recovery->verdicts[i] = judge(recovery, &recovery->intents[i], recovery->subjects[i], live);
		if (recover_can_resend(recovery, i, &recovery->parameters[i]))
			recovery->verdicts[i].settlement = SETTLEMENT_RESEND;
		else if (recover_lacks_key(recovery, i))
			recovery->verdicts[i] = (struct verdict){
				SETTLEMENT_NONE,
				"nothing is there yet, and only with the stack's sealing key can it be "
				"told whether it is sent once more"};
		enum settlement settlement = recovery->verdicts[i].settlement;
		recovery->waiting_count += settlement == SETTLEMENT_WAIT;
		recovery->resend_count += settlement == SETTLEMENT_RESEND;
		recovery->open_count += settlement == SETTLEMENT_NONE;
	}
	map_release(&by_id);
}

static bool is_held(const struct intent *intent, const struct object *object, const struct live *live)
{
	return intent->creates ? live->presence == PRESENCE_ABSENT && object->provider_id.size == 0
			       : live->presence == PRESENCE_PRESENT;
}

void recover_hold(const struct intent *intents, size_t intent_count, struct object *const *objects, size_t object_count,
		  const struct live **live, struct arena *arena)
{
	struct map open;

	map_init(&open);
	for (size_t i = 0; i < intent_count; i++)
		map_set_number(&open, intents[i].object_id, i);
	for (size_t i = 0; i < object_count; i++) {
		size_t at = map_number(&open, objects[i]->object_id);

		if (at == SIZE_MAX || !live[i] || !is_held(&intents[at], objects[i], live[i]))
			continue;
		struct live *held = arena_new(arena, struct live);
		struct slice why = live[i]->unread_reason;
		*held = *live[i];
		held->presence = PRESENCE_UNREAD;
		held->unread_reason = arena_format(arena, "it is not known what became of %.*s%s%.*s",
						   SLICE_ARGUMENTS(intents[at].operation), why.size > 0 ? ": " : "",
						   SLICE_ARGUMENTS(why));
		live[i] = held;
	}
	map_release(&open);
}

static bool is_settled(const struct verdict *verdict)
{
	return verdict->settlement == SETTLEMENT_DONE || verdict->settlement == SETTLEMENT_ABSENT;
}

/* What is recorded of what was found; removals and the rest are as many as there are intents and, twice, objects at
 * most. */
struct finding {
	const struct recovery *recovery;
	struct commit commit;
	const struct object **upserts;
	struct slice *bodies;
	struct removal *removals;
	struct intent_close *closes;
	struct map gone;	     /* by provider id: what an earlier run deleted */
	struct map spare;	     /* see stack_addresses() */
	const struct map *resources; /* where anything is unfinished */
};

static void add_upsert(struct finding *finding, const struct object *object, bool with_body)
{
	const struct recovery *recovery = finding->recovery;
	size_t at = finding->commit.upsert_count++;

	finding->upserts[at] = object;
	finding->bodies[at] = with_body ? object_body_write(object, recovery->arena, recovery->secrets.style)
					: (struct slice){NULL, 0};
}

/* What is done takes another token when it is to be done anew. */
static void spend_token(struct finding *finding, const struct intent *intent, struct object *subject)
{
	if (intent->creates || intent->recipe != RECIPE_TOKEN)
		return;
	subject->spent_token = digest_of(intent->token);
	add_upsert(finding, subject, true);
}

static void add_close(struct finding *finding, size_t index)
{
	const struct recovery *recovery = finding->recovery;
	const struct verdict *verdict = &recovery->verdicts[index];
	struct object *subject = recovery->subjects[index];

	finding->closes[finding->commit.close_count++] = (struct intent_close){
		.id = recovery->intents[index].id,
		.outcome = verdict->settlement == SETTLEMENT_DONE ? OUTCOME_DONE : OUTCOME_ABSENT,
		.note = slice_of(verdict->why),
	};
	if (subject && verdict->settlement == SETTLEMENT_DONE)
		spend_token(finding, &recovery->intents[index], subject);
	if (!recovery->intents[index].creates || !subject || subject->provider_id.size == 0)
		return;
	/* It may have come only now: the next listing may still lack it. */
	subject->created_ms = recovery->now_ms;
	if (is_lost(&recovery->intents[index]))
		object_discard_shown(subject, recovery->arena);
	add_upsert(finding, subject, is_lost(&recovery->intents[index]));
}

/* Of what an earlier run began to change or to delete. */
static void add_unfinished(struct finding *finding, struct object *object, const struct live *live)
{
	const struct recovery *recovery = finding->recovery;
	const struct kind *kind = kinds_find(recovery->kinds, object->kind);

	/* Every such object was looked for; of a kind that is not known nothing was read. */
	if (live->presence == PRESENCE_UNREAD || (live->presence == PRESENCE_LEAVING && unfinished_is_deletion(object)))
		return;
	/* Should the recorded one come back, that shows what came of it. */
	if (finds_another(recovery, object, kind, live))
		return;
	/* Whether its deletion was answered is known no more. */
	if (live->presence == PRESENCE_ABSENT && unfinished_is_deletion(object)) {
		finding->removals[finding->commit.removal_count++] = (struct removal){object->object_id, true};
		map_mark(&finding->gone, object->provider_id);
		return;
	}
	const struct unfinished_reading reading = {kind, providers_find(recovery->providers, kind_provider(kind)), live,
						   map_get(finding->resources, object->address)};
	struct unfinished_outcome outcome = unfinished_settle(object, &reading, recovery->secrets, recovery->arena);
	/* What the service still carries out is waited for by the next apply. */
	bool young = unfinished_is_young(object, recovery->looked_ms, recovery->grace_ms);
	if (!outcome.at_it && !outcome.unread && (outcome.whole || (!outcome.owes && !young)))
		unfinished_end(object);
	else if (!outcome.taken)
		return;
	add_upsert(finding, object, true);
}

/* What went by itself with that, as a run takes it that sees its deletion done. */
static void take_departed(struct finding *finding)
{
	const struct recovery *recovery = finding->recovery;

	for (size_t i = 0; finding->gone.count > 0 && i < recovery->object_count; i++) {
		struct object *object = recovery->objects[i];
		const struct kind *kind = kinds_find(recovery->kinds, object->kind);

		if (kind && !map_has(&finding->gone, object->provider_id) &&
		    departed_take_out(object, kind, &finding->gone, recovery->secrets.style, recovery->arena))
			add_upsert(finding, object, true);
	}
}

bool recover_has_unfinished(struct object *const *objects, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (unfinished_has_note(objects[i]))
			return true;
	return false;
}

/* Of what a call stays open about the record stays as it is: by that the call is judged once all can be read. */
static void map_open(const struct recovery *recovery, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < recovery->intent_count; i++)
		if (!is_settled(&recovery->verdicts[i]))
			map_mark(ret, recovery->intents[i].object_id);
}

bool recover_commit(const struct recovery *recovery, struct store *store, struct diagnostics *diagnostics)
{
	size_t most = recovery->intent_count + recovery->object_count * 2 + 1;
	struct finding finding = {
		.recovery = recovery,
		.upserts = arena_new_array(recovery->arena, most, const struct object *),
		.bodies = arena_new_array(recovery->arena, most, struct slice),
		.removals = arena_new_array(recovery->arena, most, struct removal),
		.closes = arena_new_array(recovery->arena, most, struct intent_close),
	};
	struct commit *commit = &finding.commit;
	struct map open;

	map_init(&finding.gone);
	map_init(&finding.spare);
	if (recover_has_unfinished(recovery->objects, recovery->object_count))
		finding.resources = stack_addresses(recovery->stack, &finding.spare);
	for (size_t i = 0; i < recovery->intent_count; i++)
		if (is_settled(&recovery->verdicts[i]))
			add_close(&finding, i);
	map_open(recovery, &open);
	for (size_t i = 0; i < recovery->object_count; i++)
		if (unfinished_has_note(recovery->objects[i]) && !map_has(&open, recovery->objects[i]->object_id))
			add_unfinished(&finding, recovery->objects[i], recovery->live[i]);
	take_departed(&finding);
	map_release(&open);
	map_release(&finding.gone);
	map_release(&finding.spare);
	commit->upserts = finding.upserts;
	commit->bodies = finding.bodies;
	commit->removals = finding.removals;
	commit->closes = finding.closes;
	commit->settles = true;
	return commit->close_count + commit->upsert_count + commit->removal_count == 0 ||
	       store_make_durable(store, commit, diagnostics);
}

/* Whether the service knows it by a name, which the next one of that name has again. */
static bool is_known_by_name(const struct stray *stray)
{
	for (size_t i = 0; i < stray->kind->fields.count; i++) {
		const struct field *field = field_at(&stray->kind->fields, i);

		if (field->flags & NAMES && slice_equal(value_slice(value_get_named(&stray->live->fields, field->name)),
							stray->live->provider_id))
			return true;
	}
	return false;
}

struct past_question recover_ask(const struct stray *stray)
{
	struct past_question question = {stray->live->ownership.intent, stray->live->provider_id, {NULL, 0}};

	if (is_known_by_name(stray))
		question.object_id = stray->live->ownership.object_id;
	return question;
}

/* The id of the object that the call was about, or empty. */
static struct slice own_id(const struct past_call *past, const struct object *recorded)
{
	return recorded ? recorded->provider_id : past->provider_id;
}

/* Whether it is known what the call made: its answer told, or its object, which came after it was given up, has its
 * tag. */
static bool is_accounted(const struct past_call *past, const struct stray *stray, const struct live *own)
{
	return past->outcome == OUTCOME_DONE ||
	       (own && own->presence == PRESENCE_PRESENT && own->ownership.intent.size > 0 &&
		slice_equal(own->ownership.intent, stray->live->ownership.intent));
}

/* What is known of a field as a create made it; NULL: nothing. What became another in place since tells nothing. */
static const struct value *made_with(const struct object *object, const struct field *field)
{
	const struct value *sent = value_if_set(value_get_named(&object->resolved, field->name));
	const struct value *known = sent ? sent : value_if_set(value_get_named(&object->observed, field->name));
	bool told = known && !value_has_fingerprint(known) && !value_has_unread(known);

	return told && !(field->in_place_to && slice_is(value_slice(known), field->in_place_to)) ? known : NULL;
}

/*
 * Whether the call that made an object can have made this, too: in what cannot change they are the same, and what that
 * call had made was given to nothing else since.
 */
static bool is_made_alike(const struct stray *stray, const struct object *object)
{
	for (size_t i = 0; i < stray->kind->fields.count; i++) {
		const struct field *field = field_at(&stray->kind->fields, i);
		const struct value *live = value_get_named(&stray->live->fields, field->name);
		bool is_given = field->type == FIELD_REFERENCE && (field->flags & PINS) && value_if_set(live);
		bool tells =
			(field_is_immutable(field, &stray->live->outputs) || is_given) && !(field->flags & WRITE_ONLY);
		const struct value *made = tells ? made_with(object, field) : NULL;

		if (made && diff_field(field, made, live) == UNLIKE)
			return false;
	}
	return true;
}

/* What the call made, as it is recorded, or was when a run last changed or deleted it. False where nobody can tell. */
static bool find_made(const struct past_call *past, const struct object *recorded, struct arena *arena,
		      struct object *ret)
{
	struct diagnostics unsaid;

	*ret = recorded ? *recorded : (struct object){.address = past->address, .kind = past->kind};
	if (ret->has_body)
		return true;
	diagnostics_init(&unsaid, arena);
	bool good = object_body_read(ret, past->body, arena, &unsaid);
	diagnostics_release(&unsaid);
	return good;
}

/* Of a call of which it is known what it made: whether it may have come twice, and made this. */
static bool is_made_twice(const struct past_call *past, const struct stray *stray, const struct object *recorded,
			  int64_t now_ms, struct arena *arena)
{
	struct slice own = own_id(past, recorded);
	const struct provider *provider = stray->session->provider;
	struct object made;

	if (own.size == 0 || slice_equal(own, stray->live->provider_id) || now_ms - past->ended_ms >= LATE_MOST_MS)
		return false;
	if (provider->has_token && provider->has_token(stray->kind))
		return false;
	return find_made(past, recorded, arena, &made) && is_made_alike(stray, &made);
}

static bool is_twin(const struct past_call *past, const struct stray *stray, const struct object *recorded,
		    const struct live *live, int64_t now_ms, struct arena *arena)
{
	/* Listings lag: it may just have been deleted. What people let go of is theirs, recorded or still to come. */
	if (!past->known || past->is_open || past->was_recorded || past->outcome == OUTCOME_FORGOTTEN)
		return false;
	if (!slice_is(past->kind, stray->kind->name))
		return false;
	return !is_accounted(past, stray, live) || is_made_twice(past, stray, recorded, now_ms, arena);
}

enum stray_origin recover_stray_origin(const struct past_call *past, const struct stray *stray,
				       const struct object *recorded, const struct live *live, int64_t now_ms,
				       struct arena *arena)
{
	struct slice own = own_id(past, recorded);

	/* It is what is recorded, by another place; where it is not there, the record tells of a wrong one. */
	if (recorded && slice_equal(recorded->provider_id, stray->live->provider_id))
		return live && live->presence == PRESENCE_ABSENT ? STRAY_UNKNOWN : STRAY_LEFT;
	if (is_twin(past, stray, recorded, live, now_ms, arena))
		return STRAY_TWIN;
	/* What a listing that lagged did not show, or whose tags were garbled then, is there all the same. So is what
	 * shows long after our call, which may never have come: by a clock that was set back since, too. */
	if (past->was_missed || (past->called_ms > 0 && llabs(now_ms - past->called_ms) >= LAG_MOST_MS))
		return STRAY_UNKNOWN;
	if (past->was_recorded)
		return STRAY_LEFT;
	if (past->known && (past->is_open || own.size == 0 || slice_equal(own, stray->live->provider_id)))
		return STRAY_LEFT;
	return STRAY_UNKNOWN;
}

static struct slice twin_id(const struct stray *stray, struct arena *arena)
{
	struct slice place = identity_text(arena, &stray->session->identity);
	struct digest digest =
		digest_of(arena_format(arena, "%s\n%.*s\n%.*s", stray->kind->name, SLICE_ARGUMENTS(place),
				       SLICE_ARGUMENTS(stray->live->provider_id)));

	return slice_first(digest_text(arena, &digest), ID_HEX);
}

struct object *recover_twin(const struct past_call *past, const struct stray *stray, const struct object *recorded,
			    int64_t now_ms, struct arena *arena)
{
	struct object *twin = arena_new(arena, struct object);

	*twin = (struct object){
		.address = recorded ? recorded->address : past->address,
		.object_id = twin_id(stray, arena),
		.role = OBJECT_DEPOSED,
		.kind = slice_of(stray->kind->name),
		.kind_version = stray->kind->version,
		.generation = recorded ? recorded->generation : 0,
		.provider_id = stray->live->provider_id,
		.identity = stray->session->identity,
		.provider = recorded ? recorded->provider : stray->session->name,
		.created_ms = now_ms,
		.has_body = true,
		.outputs = stray->live->outputs,
		.applied = value_map(NULL, 0),
		.resolved = value_map(NULL, 0),
		.observed = value_map(NULL, 0),
	};
	/* It was made the same way, so it stands in the way of the same deletions. */
	if (recorded) {
		twin->dependencies = recorded->dependencies;
		twin->dependency_count = recorded->dependency_count;
		/* Where two ways lead there, by the one by which that is reached. */
		if (identity_same_place(&recorded->identity, &twin->identity))
			twin->identity = recorded->identity;
	}
	return twin;
}
