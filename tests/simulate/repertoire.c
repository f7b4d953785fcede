#include "tests/simulate/repertoire.h"

#include <stddef.h>

#include "providers/aws/kinds/kinds.h"

struct tour {
	void (*visit)(void *context, const char *kind, const char *operation);
	void *context;
	const char *kind;
};

static void tell(const struct tour *tour, const char *operation)
{
	if (operation)
		tour->visit(tour->context, tour->kind, operation);
}

static void tell_call(const struct tour *tour, const struct aws_call *call)
{
	if (!call)
		return;
	tell(tour, call->operation);
	tell(tour, call->lookup ? call->lookup->operation : NULL);
}

static void tell_part(const struct tour *tour, const struct aws_part *part)
{
	tell_call(tour, &part->add);
	tell_call(tour, &part->remove);
	tell_call(tour, &part->change);
	tell_call(tour, &part->set_back);
}

static void tell_field(const struct tour *tour, const struct aws_field *field)
{
	tell_call(tour, field->update);
	tell_call(tour, field->update_first);
	tell_call(tour, field->update_several);
	tell_call(tour, field->update_off);
	tell(tour, field->detail ? field->detail->operation : NULL);
	if (field->attachment) {
		tell_call(tour, &field->attachment->attach);
		tell_call(tour, &field->attachment->detach);
	}
	if (field->part)
		tell_part(tour, field->part);
	if (field->each)
		tell_call(tour, &field->each->change);
	if (field->amount) {
		tell_call(tour, &field->amount->more);
		tell_call(tour, &field->amount->fewer);
	}
}

static void tell_tags(const struct tour *tour, const struct aws_kind *kind)
{
	if (!kind->tags_member)
		return;
	tell_call(tour, kind->tag.operation ? &kind->tag : &aws_create_tags);
	tell_call(tour, kind->tag.operation ? &kind->untag : &aws_delete_tags);
}

static void tell_kind(struct tour *tour, const struct aws_kind *kind)
{
	tour->kind = kind->kind.name;
	tell_call(tour, &kind->create);
	tell_call(tour, &kind->create_shown);
	tell_call(tour, &kind->delete);
	tell_call(tour, &kind->delete_forced);
	tell(tour, kind->list.operation);
	tell(tour, kind->join ? kind->join->list.operation : NULL);
	if (kind->pause) {
		tell_call(tour, &kind->pause->stop);
		tell_call(tour, &kind->pause->start);
	}
	tell_call(tour, kind->alignment ? &kind->alignment->call : NULL);
	tell_tags(tour, kind);
	for (size_t i = 0; i < kind->kind.fields.count; i++)
		tell_field(tour, (const struct aws_field *)field_at(&kind->kind.fields, i));
}

void repertoire_each(void (*visit)(void *context, const char *kind, const char *operation), void *context)
{
	static const struct aws_kind *const kinds[] = {
#define KIND_ROW(name) &(name),
		AWS_KINDS(KIND_ROW)
#undef KIND_ROW
	};
	struct tour tour = {visit, context, NULL};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		tell_kind(&tour, kinds[i]);
}
