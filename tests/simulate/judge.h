#ifndef TRUEUP_TESTS_SIMULATE_JUDGE_H
#define TRUEUP_TESTS_SIMULATE_JUDGE_H

#include "tests/simulate/oracle.h"

/* What oracle.c and judge.c share: a look at everything at one instant. */

struct sight {
	struct universe *universe;
	const struct blueprint *blueprint;
	struct arena *arena;
	const struct value *region; /* {type: {id: body}} */
	struct audit_record record;
};

extern const char region_name[];

/* All that the simulator has, by region; false after a failure is told. */
bool oracle_look(struct universe *universe, struct arena *arena, struct value *ret);
/* The value of a tag, or "". */
struct slice foreign_tag_of(const struct value *body, const char *key);
/* They are in region as they were. */
void foreign_judge(struct universe *universe, const struct foreign *foreign, const struct value *region);
bool foreign_is_one(const struct foreign *foreign, struct slice type, struct slice id);
/* The recorded object of that address whose role is that of a current one, or NULL. */
const struct audit_object *sight_recorded(const struct sight *sight, const char *address);
/* Whether a body is that of a thing that is gone, though still listed. */
bool body_is_gone(const struct value *body);
/* Judges one thing that stands in the blueprint. body: the cloud's. */
void judge_thing(const struct sight *sight, const struct thing *thing, const struct value *body);

#endif
