#include "base/json.h"
#include "reconcile/plan.h"
#include "reconcile/plan_put.h"

/* The digest of what a reviewer approves. */

static void put_some(struct value_builder *builder, const char *key, struct value items)
{
	if (items.count)
		put(builder, key, items);
}

/* What of a change is approved beside the after-values. */
enum approved {
	APPROVED_NOTHING,
	APPROVED_BEFORE, /* what was there */
	APPROVED_PATH,	 /* that there is such a change, whatever is there */
};

static const struct {
	enum approved part;
	bool records; /* an action that calls nothing is approved for it, too */
} approved_of[] = {
	[EFFECT_SET] = {APPROVED_BEFORE, false},
	[EFFECT_REPLACE] = {APPROVED_BEFORE, false},
	[EFFECT_REPLACE_UNLESS_EQUAL] = {APPROVED_BEFORE, false},
	[EFFECT_RELEASE] = {APPROVED_PATH, true},
	[EFFECT_SHOW] = {APPROVED_NOTHING, false},
	[EFFECT_RECORD] = {APPROVED_NOTHING, true},
	[EFFECT_UNREAD] = {APPROVED_NOTHING, false},
	[EFFECT_CONFLICT] = {APPROVED_NOTHING, false},
	[EFFECT_LEFT] = {APPROVED_NOTHING, false},
	[EFFECT_BOUND] = {APPROVED_BEFORE, false},
	[EFFECT_MOVED] = {APPROVED_NOTHING, false},
	[EFFECT_LOST] = {APPROVED_NOTHING, false},
	[EFFECT_DEAD] = {APPROVED_NOTHING, false},
	[EFFECT_LIFECYCLE] = {APPROVED_BEFORE, true},
};

/* Whether the spec itself brings the change about: an output that is read anew is no decision of anybody. */
static bool is_decided(const struct change *change)
{
	return change->cause == CAUSE_INTENT && (change->field || change->effect == EFFECT_LIFECYCLE);
}

static bool is_approved(const struct action *action)
{
	if (action->operation == OPERATION_INCOMPLETE)
		return false;
	if (action->operation != OPERATION_RECORD)
		return true;
	for (size_t i = 0; i < action->change_count; i++)
		if (approved_of[action->changes[i].effect].records && is_decided(&action->changes[i]))
			return true;
	return false;
}

static struct value left_to_others(const struct action *action, struct arena *arena)
{
	struct value ignored = ignored_write(action->ignored, action->ignored_count, arena);
	return ignored_in_order(value_is(&action->left_to_others, VALUE_LIST) ? &action->left_to_others : &ignored,
				arena);
}

/* What a reviewer approves of one action: what happens to which object, not how it was found out. */
static struct value approval_value(const struct action *action, struct arena *arena)
{
	VALUE_BUILDER_AUTO one;
	VALUE_BUILDER_AUTO before;
	VALUE_BUILDER_AUTO released;
	value_builder_init(&one);
	value_builder_init(&before);
	value_builder_init(&released);
	for (size_t i = 0; i < action->change_count; i++) {
		const struct change *change = &action->changes[i];
		enum approved part = approved_of[change->effect].part;
		if (part == APPROVED_BEFORE)
			value_builder_set(&before, change->path, change->before);
		else if (part == APPROVED_PATH)
			value_builder_set(&released, change->path, value_bool(true));
	}
	put(&one, "address", value_string(action->address));
	put(&one, "operation", value_text(operation_name(action->operation)));
	put(&one, "role", value_text(role_names.words[action->role]));
	put(&one, "identity", value_string(identity_text(arena, &action->identity)));
	put_text(&one, "object", action->provider_id);
	put_text(&one, "displaces", action->displaces);
	put_true(&one, "create_before_destroy", action->create_before_destroy);
	put_true(&one, "protect", action->protect);
	put_some(&one, "ignored", left_to_others(action, arena));
	put(&one, "after", action->desired);
	put_some(&one, "constants", action->constants);
	put(&one, "before", value_builder_map(&before, arena));
	put_some(&one, "released", value_builder_map(&released, arena));
	return value_builder_map(&one, arena);
}

struct digest action_approval(const struct action *action, struct arena *scratch, const struct json_style *style)
{
	struct value value = approval_value(action, scratch);
	return digest_of(json_canonical(scratch, &value, style));
}

/* Over all that is approved; known: with the values that follow from others. */
static struct digest digest_actions(const struct plan *plan, bool known, struct arena *scratch,
				    const struct json_style *style)
{
	struct buffer text;
	buffer_init(&text, PLAN_FILE_MOST_BYTES);
	buffer_append(&text, plan->lineage);
	for (size_t i = 0; i < plan->action_count; i++) {
		const struct action *action = &plan->actions[i];
		char hex[DIGEST_HEX + 1];
		if (!is_approved(action))
			continue;
		struct digest digest = action_approval(action, scratch, style);
		digest_hex(&digest, hex);
		buffer_byte(&text, '\n');
		buffer_string(&text, hex);
		if (known)
			buffer_append(&text, json_canonical(scratch, &action->known, style));
	}
	struct digest digest = digest_of(buffer_slice(&text));
	buffer_release(&text);
	return digest;
}

struct digest plan_approval(const struct plan *plan, struct arena *scratch, const struct json_style *style)
{
	return digest_actions(plan, false, scratch, style);
}

struct digest plan_shown(const struct plan *plan, struct arena *scratch, const struct json_style *style)
{
	return digest_actions(plan, true, scratch, style);
}
