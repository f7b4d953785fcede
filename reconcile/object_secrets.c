#include "reconcile/object_secrets.h"

#include "base/redaction.h"
#include "reconcile/secret_marks.h"
#include "reconcile/unfinished.h"

enum { MODEL_COUNT = 2 };

struct hiding {
	const struct kind *kind;
	const struct secrets_said *said;
	const struct value *models[MODEL_COUNT];
	struct arena *arena;
};

bool object_may_tell_secrets(const struct secrets_said *said, struct slice body)
{
	const struct redaction *known = said->secrets.known;

	/* A secret that is too short to be looked for is told by its place, and by its fingerprint. */
	return (said->spec && value_has_secret(said->spec)) || value_is(said->hidden, VALUE_LIST) ||
	       (known && redaction_finds(known, body));
}

/* As it is recorded: a MAP, or null. Asked for only where something seems to be hidden. */
static struct value spec_of(const struct hiding *hiding)
{
	const struct secrets_said *said = hiding->said;

	return said->spec ? json_seal(hiding->arena, said->spec, said->secrets.style) : value_null();
}

/* marked, but for what the spec says in clear in the very same place: it is recorded so again. */
static struct value keep_said(struct arena *arena, const struct value *recorded, const struct value *marked,
			      const struct value *spec)
{
	struct value kept = *marked;

	if (!spec || value_equal(recorded, spec))
		return spec ? *recorded : kept;
	if (recorded->type == VALUE_MAP) {
		struct value_member *members = arena_new_array(arena, recorded->count, struct value_member);

		for (uint32_t i = 0; i < recorded->count; i++) {
			const struct value_member *member = &recorded->members[i];

			members[i] = (struct value_member){member->key,
							   keep_said(arena, &member->value, &marked->members[i].value,
								     value_get_given(spec, value_slice(&member->key)))};
		}
		kept.members = members;
	} else if (recorded->type == VALUE_LIST) {
		struct value *items = arena_new_array(arena, recorded->count, struct value);

		for (uint32_t i = 0; i < recorded->count; i++)
			items[i] = value_holds(spec, &recorded->items[i]) ? recorded->items[i] : marked->items[i];
		kept.items = items;
	}
	return kept;
}

static bool take(const struct hiding *hiding, struct value *value, const struct value *marked)
{
	struct value sealed = json_seal(hiding->arena, marked, hiding->said->secrets.style);

	if (value_equal(&sealed, value))
		return false;
	const struct value spec = spec_of(hiding);
	sealed = keep_said(hiding->arena, value, &sealed, &spec);
	if (value_equal(&sealed, value))
		return false;
	*value = sealed;
	return true;
}

static bool hide_fields(const struct hiding *hiding, struct value *fields)
{
	if (!value_is(fields, VALUE_MAP))
		return false;
	const struct value marked = secret_marks_put(hiding->arena, hiding->said->secrets, &hiding->kind->fields,
						     fields, hiding->models, MODEL_COUNT);

	return take(hiding, fields, &marked);
}

static bool has_told_text(const struct redaction *known, const struct value *value)
{
	bool found = value->type == VALUE_DEFERRED && redaction_finds(known, value->deferred->text);

	for (uint32_t i = 0; !found && value->type == VALUE_LIST && i < value->count; i++)
		found = has_told_text(known, &value->items[i]);
	for (uint32_t i = 0; !found && value->type == VALUE_MAP && i < value->count; i++)
		found = has_told_text(known, &value->members[i].value);
	return found;
}

/* The text of an expression has no marks: where it tells a secret, what it came to stands for it. */
static bool hide_expressions(const struct hiding *hiding, struct value *symbolic, const struct value *resolved)
{
	const struct redaction *known = hiding->said->secrets.known;
	VALUE_BUILDER_AUTO kept;
	bool hidden = false;

	value_builder_init(&kept);
	if (!known || !value_is(symbolic, VALUE_MAP) || !has_told_text(known, symbolic))
		return false;
	const struct value spec = spec_of(hiding);
	for (uint32_t i = 0; i < symbolic->count; i++) {
		const struct value_member *member = &symbolic->members[i];
		const struct value *said = value_get_given(&spec, value_slice(&member->key));
		bool tells = has_told_text(known, &member->value) && !(said && value_equal(said, &member->value));
		const struct value *value =
			tells ? value_get_given(resolved, value_slice(&member->key)) : &member->value;

		if (value)
			value_builder_member(&kept, value_slice(&member->key), *value);
		hidden |= tells;
	}
	*symbolic = value_builder_map(&kept, hiding->arena);
	return hidden;
}

static bool hide_outputs(const struct hiding *hiding, struct value *outputs)
{
	const struct value marked = secret_marks_put_outputs(hiding->arena, hiding->said->secrets.style, hiding->kind,
							     outputs, hiding->models, MODEL_COUNT);

	return value_is(outputs, VALUE_MAP) && take(hiding, outputs, &marked);
}

static bool hide_in_note(void *context, struct value *fields)
{
	return hide_fields(context, fields);
}

bool object_hide_secrets(struct object *object, const struct kind *kind, const struct secrets_said *said,
			 struct arena *arena)
{
	struct hiding hiding = {.kind = kind, .said = said, .models = {said->spec, said->hidden}, .arena = arena};
	struct value *fields[] = {&object->resolved, &object->observed, &object->let_go, &object->own};
	bool hidden = hide_expressions(&hiding, &object->applied, &object->resolved);
	hidden |= hide_fields(&hiding, &object->applied);
	object->tells_secret |= hidden;
	hidden |= hide_expressions(&hiding, &object->let_go, &object->resolved);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		hidden |= hide_fields(&hiding, fields[i]);
	hidden |= hide_outputs(&hiding, &object->outputs);
	hidden |= unfinished_change_fields(&object->unfinished, hide_in_note, &hiding, arena);
	return hidden;
}

struct slice object_body_hidden(struct slice body, const struct kind *kind, const struct secrets_said *said,
				struct arena *arena)
{
	struct object object = {0};
	struct diagnostics unheard;

	if (!object_may_tell_secrets(said, body))
		return body;
	diagnostics_init(&unheard, arena);
	bool told = object_body_read(&object, body, arena, &unheard) && object_hide_secrets(&object, kind, said, arena);
	diagnostics_release(&unheard);
	return told ? object_body_write(&object, arena, said->secrets.style) : body;
}
