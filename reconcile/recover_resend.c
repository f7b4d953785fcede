#include "reconcile/recover_resend.h"

#include "base/json.h"
#include "reconcile/loop.h"

static bool is_same(const struct value *a, const struct value *b, const struct json_style *style, struct arena *scratch)
{
	return slice_equal(json_canonical(scratch, a, style), json_canonical(scratch, b, style));
}

/* But for what is set by calls of its own, once the object is there: that may be of any other value by now. */
static bool is_made_of(const struct object *object, const struct action *action, const struct json_style *style,
		       struct arena *scratch)
{
	for (size_t i = 0; i < action->kind->fields.count; i++) {
		const struct field *field = field_at(&action->kind->fields, i);
		const struct value *sent = value_get_named(&object->resolved, field->name);
		const struct value *planned = value_get_named(&action->known, field->name);

		if (!(field->flags & SETTLES) &&
		    (!sent != !planned || (sent && !is_same(sent, planned, style, scratch))))
			return false;
	}
	return true;
}

bool recover_is_planned(const struct object *object, const struct action *action, const struct json_style *style,
			struct arena *scratch)
{
	return action->operation == OPERATION_CREATE && slice_equal(object->provider, action->provider) &&
	       is_made_of(object, action, style, scratch);
}

bool recover_is_young(const struct intent *intent, int64_t now_ms, int64_t grace_ms)
{
	int64_t age_ms = now_ms - intent->wall_ms;

	return age_ms >= 0 && age_ms < LOOP_TOKEN_LIFE_MS - grace_ms;
}

bool recover_may_resend(const struct intent *intent, int64_t now_ms, int64_t grace_ms)
{
	return intent->creates && intent->recipe == RECIPE_TOKEN && recover_is_young(intent, now_ms, grace_ms);
}

/* Not where only the fingerprint of a secret is at hand: without the key, or because there was none at that time. */
static bool read_parameters(const struct recovery *recovery, const struct intent *intent, struct value *ret)
{
	struct diagnostics unsaid;

	diagnostics_init(&unsaid, recovery->arena);
	bool good = intent_parameters(intent, recovery->vault, recovery->arena, ret, &unsaid);
	diagnostics_release(&unsaid);
	return good && !value_has_fingerprint(ret);
}

static bool is_to_be_resent(const struct recovery *recovery, size_t index)
{
	const struct intent *intent = &recovery->intents[index];
	const struct object *subject = recovery->subjects[index];
	enum settlement settlement = recovery->verdicts[index].settlement;

	/* Without a record there is nothing that what is made could be recorded as. */
	return recovery->is_wanted && (settlement == SETTLEMENT_WAIT || settlement == SETTLEMENT_ABSENT) && subject &&
	       recover_may_resend(intent, recovery->now_ms, recovery->grace_ms) &&
	       recovery->is_wanted(recovery->context, subject);
}

bool recover_can_resend(const struct recovery *recovery, size_t index, struct value *ret)
{
	return is_to_be_resent(recovery, index) && read_parameters(recovery, &recovery->intents[index], ret);
}

bool recover_lacks_key(const struct recovery *recovery, size_t index)
{
	return recovery->lacks_key && recovery->intents[index].sealed.size > 0 && is_to_be_resent(recovery, index);
}

void recover_resends(const struct recovery *recovery, struct map *ret)
{
	for (size_t i = 0; i < recovery->intent_count; i++) {
		struct resend *resend;

		if (recovery->verdicts[i].settlement != SETTLEMENT_RESEND)
			continue;
		resend = arena_new(recovery->arena, struct resend);
		*resend = (struct resend){&recovery->intents[i], &recovery->parameters[i]};
		map_set(ret, resend->intent->object_id, resend);
	}
}
