#ifndef TRUEUP_RECONCILE_REBUILD_PARTS_H
#define TRUEUP_RECONCILE_REBUILD_PARTS_H

#include "base/map.h"
#include "reconcile/rebuild.h"

/* What rebuild*.c share; private to rebuild. */

void rebuild_note(struct rebuilding *rebuilding, enum rebuild_finding_class class, struct slice address,
		  struct slice provider_id, struct slice what);
/*
 * What an object refers to, by the ids in fields that no spec describes (a MAP), beside the dependencies that it has:
 * so that deletions find their order. by_id: "kind id" to the objects.
 */
void rebuild_infer_dependencies(const struct rebuilding *rebuilding, struct object *object, const struct kind *kind,
				const struct map *by_id, const struct value *fields);
/* The value of a field with the ids of objects as references to them: as a spec would say it. */
struct value rebuild_refer(const struct rebuilding *rebuilding, const struct map *by_id, const struct field *field,
			   const struct value *value);
/* Whether a record is that of a thing at that place, also where another way led there: the object id is the same. */
bool rebuild_is_at(const struct object *former, struct slice object_id, const struct identity *identity);
/* A key of by_id. */
struct slice rebuild_id_key(struct arena *arena, struct slice kind, struct slice provider_id);
/* Whether what carries this object id was recorded as left behind by a replace. */
bool rebuild_was_left(const struct rebuilding *rebuilding, struct slice object_id);
/* Whether it was recorded as protected, be the rest of the record damaged. */
bool rebuild_was_protected(const struct rebuilding *rebuilding, struct slice object_id);
/* Its record of before, which stays as it was; NULL: there was none that tells anything. */
const struct object *rebuild_kept(const struct rebuilding *rebuilding, const struct object *object);
/* Whether its record tells all of it: nothing was begun with it, or left of it. */
bool rebuild_is_whole(const struct object *object);
/* Puts those records in the place of what was made anew, and lists what was not finished, or is lost. What is called
 * otherwise by its tags than it was recorded is so in what refers to it as well. False after a diagnostic. */
__attribute__((warn_unused_result)) bool rebuild_keep(struct rebuilding *rebuilding, struct diagnostics *diagnostics);

#endif
