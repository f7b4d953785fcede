#include "reconcile/object_secrets.h"

#include "base/redaction.h"
#include "base/secret_parts.h"
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

/* The texts of expressions within one field. */
struct hiding_texts {
	const struct hiding *hiding;
	const struct value *said; /* what the spec says of the field, in clear; NULL: nothing */
	struct slice text;	  /* that is looked at */
	bool tells, hidden;
};

static void find_in_text(void *context, const struct value *secret)
{
	struct hiding_texts *texts = context;
	struct slice told = value_is(secret, VALUE_STRING) ? value_slice(secret) : SLICE("");

	texts->tells |= told.size > 0 && slice_contains(texts->text, told);
}

/* A secret that is too short to be looked for anywhere is looked for in the field for which the spec has it. */
static bool tells(struct hiding_texts *texts, struct slice text)
{
	const struct redaction *known = texts->hiding->said->secrets.known;

	texts->text = text;
	texts->tells = known && redaction_finds(known, text);
	if (!texts->tells && texts->said)
		secret_parts_visit(texts->said, find_in_text, texts);
	return texts->tells;
}

/* Nobody can tell what such a text would have to be by now, so its fingerprint alone stands for it; all else of the
 * field goes on referring to what it refers to. */
static struct value hide_texts(struct hiding_texts *texts, const struct value *value)
{
	struct arena *arena = texts->hiding->arena;
	struct value hidden = *value;

	if (value->type == VALUE_DEFERRED && tells(texts, value->deferred->text)) {
		const struct value secret = value_secret(arena, value_string(value->deferred->text));

		texts->hidden = true;
		return json_seal(arena, &secret, texts->hiding->said->secrets.style);
	}
	if (value->type == VALUE_LIST) {
		struct value *items = arena_new_array(arena, value->count, struct value);

		for (uint32_t i = 0; i < value->count; i++)
			items[i] = hide_texts(texts, &value->items[i]);
		hidden.items = items;
	} else if (value->type == VALUE_MAP) {
		struct value_member *members = arena_new_array(arena, value->count, struct value_member);

		for (uint32_t i = 0; i < value->count; i++)
			members[i] = (struct value_member){value->members[i].key,
							   hide_texts(texts, &value->members[i].value)};
		hidden.members = members;
	}
	return hidden;
}

/* The text of an expression has no marks, and what it came to is not in it. symbolic: MAP of fields. */
static bool hide_expressions(const struct hiding *hiding, struct value *symbolic)
{
	struct hiding_texts texts = {.hiding = hiding};
	VALUE_BUILDER_AUTO kept;

	value_builder_init(&kept);
	if (!value_is(symbolic, VALUE_MAP) || !value_has_deferred(symbolic))
		return false;
	for (uint32_t i = 0; i < symbolic->count; i++) {
		struct slice name = value_slice(&symbolic->members[i].key);

		texts.said = hiding->said->spec ? value_get_given(hiding->said->spec, name) : NULL;
		value_builder_member(&kept, name, hide_texts(&texts, &symbolic->members[i].value));
	}
	const struct value hidden = value_builder_map(&kept, hiding->arena);
	return texts.hidden && take(hiding, symbolic, &hidden);
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
	bool hidden = hide_expressions(&hiding, &object->applied);
	hidden |= hide_fields(&hiding, &object->applied);
	object->tells_secret |= hidden;
	hidden |= hide_expressions(&hiding, &object->let_go);
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
