#ifndef TRUEUP_PROVIDERS_METAL_SYSTEM_H
#define TRUEUP_PROVIDERS_METAL_SYSTEM_H

#include "base/arena.h"
#include "base/value.h"
#include "providers/metal/metal.h"

/* From Redfish's words for a system (schema ComputerSystem) to ours, and back. */

/* "On", "Off", "PoweringOn", "PoweringOff" or whatever else the controller says. */
struct metal_power {
	struct slice name;  /* the controller's own word */
	struct slice value; /* "on" or "off": what it is or will be; another word as it came; empty: not told */
	bool moving;	    /* on its way there */
};

struct metal_power metal_power_read(const struct value *system);

/* The types that the action #ComputerSystem.Reset takes (LIST), as the system says them; NULL: it does not. */
const struct value *metal_reset_types(const struct value *system);
/* Where the controller says them instead (schema ActionInfo), and what that page says; empty and NULL: it does not. */
struct slice metal_reset_info(const struct value *system);
const struct value *metal_info_types(const struct value *info);
/* types: NULL where nothing says what it takes: then it may take any. */
bool metal_reset_allows(const struct value *types, const char *reset_type);
/* Where that action is posted to, as the controller says it; empty where it does not. */
struct slice metal_reset_target(const struct value *system);

/* What of a system's answer is of use here: the rest may be large. */
struct value metal_system_copy(const struct value *system, struct arena *arena);

/* A canonical MAC address in arena, "00:5c:52:31:3a:9c"; empty where text is none. */
struct slice metal_mac(struct slice text, struct arena *arena);

/* What was read of one machine. */
struct metal_findings {
	struct slice base;	    /* of the controller */
	struct slice path;	    /* of the system */
	const struct value *fixed;  /* MAP: the fields by which it was found */
	const struct value *system; /* the controller's answer */
	const struct value *macs;   /* LIST, or NULL: they could not be read */
	/* MAPs, or NULL: the fields as they were seen last of this system, and its outputs, as recorded. */
	const struct value *observed, *outputs;
};

/*
 * Fills in live, texts in arena. What the controller does not tell is unread where it matters (MAP), or was told
 * before: a controller that is starting, or denies a part, takes nothing out of its machine. *ret_untold names those
 * fields, or is empty.
 */
void metal_live_fill(const struct metal_findings *findings, const struct value *matters, struct arena *arena,
		     struct live *live, struct slice *ret_untold);

#endif
