#ifndef TRUEUP_PROVIDERS_METAL_ADDRESS_H
#define TRUEUP_PROVIDERS_METAL_ADDRESS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/slice.h"

/* Where a controller is, as the spec says it, and where things are on it, as it says itself. */

/* "https://10.0.0.5", "https://[fd00::5]:8443/redfish/v1/Systems/1". */
struct metal_address {
	struct slice base;   /* scheme, host and port, as given: in the spelling of metal_address_form() */
	struct slice system; /* path of one system, or empty */
	bool plain;	     /* http:// */
};

/*
 * Takes a controller's address apart; the parts are borrowed from it. Capitals and a slash at
 * the end are not accepted. False with *ret_problem, which goes on
 * after "'controller' ".
 */
__attribute__((warn_unused_result)) bool metal_address_read(struct slice controller, struct metal_address *ret,
							    const char **ret_problem);

/* The one spelling of a controller's address, so that equal addresses are equal texts: without the port that goes
 * without saying. In arena; what is no address is left as it is. */
struct slice metal_address_form(struct slice controller, struct arena *arena);

/*
 * Whether a link that a controller gave (an @odata.id, an action's target) may be followed: a
 * path below /redfish/ on the same controller and nothing else, so that no answer can send us,
 * and the password with us, to another host. query: a query may follow, as in links to
 * the next page.
 */
bool metal_link_is_sound(struct slice link, bool query);

/* The path of a link that names the controller too, as `base` has it; any other link as it is. */
struct slice metal_link_path(struct slice base, struct slice link);

/* What stands behind the last slash: the id by which a member of a collection is known. */
struct slice metal_link_name(struct slice link);

#endif
