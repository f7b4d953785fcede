#ifndef TRUEUP_RECONCILE_VISIT_H
#define TRUEUP_RECONCILE_VISIT_H

#include "reconcile/kind.h"
#include "reconcile/scope.h"

/* A value that a resource has in a field at the top, or within it: an item of a list, a member of an object. */
struct visited {
	const struct field *top;
	const struct field *field; /* that has the value: the same, or the row of an item or a member */
	const char *name;	   /* what people know it by: of its field; of an item, that of what it is an item of */
	const struct value *value;
	const struct scope *scope; /* where the fields around it stand */
	const struct field *list;  /* of the outermost item that it is, or lies in, the field of which that is one */
	const struct value *item;  /* and that item; NULL: it lies in none */
};
typedef void visit_found(void *context, const struct visited *visited);

/* Calls found for the value of a top-level field and for each within it, what is around before what is within; a null
 * is no value. fields: the MAP that may have it. */
void visit_field(const struct field *top, const struct value *fields, visit_found *found, void *context);
/* The same of a value that stands elsewhere, or NULL. field: top, or the row of its items, of which it is one; scope:
 * where it stands, or NULL. */
void visit_value(const struct field *top, const struct field *field, const struct value *value,
		 const struct scope *scope, visit_found *found, void *context);
struct action;
/* The same of what an action of a plan gives a thing: all that it is made with, or of what stays as it is what comes,
 * of which no scope is told. */
void visit_action(const struct action *action, visit_found *found, void *context);

#endif
