#include "providers/metal/address.h"
#include "providers/metal/metal.h"
#include "providers/metal/system.h"
#include "providers/metal/wire.h"

/*
 * Reading machines. A list is answered from what the specs say, without a call, so that each
 * machine gets a reading of its own: from the service root down to its network interfaces, side by
 * side with those of the other machines, and failing alone.
 */

enum {
	MEMBERS_MOST = 64,   /* network interfaces of a machine */
	PAGES_MOST = 64,     /* of a machine's collections */
	CHOICES_BYTES = 400, /* systems that a message names */
};

#define SERVICE_ROOT "/redfish/v1/"

static void unread(struct live *live, struct slice reason)
{
	live->presence = PRESENCE_UNREAD;
	live->unread_reason = reason;
}

static void find_machine(const struct reading *reading, const struct value *wanted, struct live *live)
{
	const struct metal_session *session = (const struct metal_session *)reading->session;
	const struct value *controller = value_get_named(wanted, "controller");
	const struct value *system = value_get_named(wanted, "system");
	struct value_member *members = arena_new_array(reading->arena, 2, struct value_member);
	struct metal_address address;
	const char *problem;
	size_t count = 0;

	if (!controller || !value_is(controller, VALUE_STRING)) {
		unread(live, SLICE("the address of its controller is not known"));
		return;
	}
	if (!metal_address_read(value_slice(controller), &address, &problem)) {
		unread(live, arena_format(reading->arena, "the address of its controller %s", problem));
		return;
	}
	if (address.plain && !session->allow_plain) {
		unread(live, SLICE("its controller has an http:// address, and the password would travel in clear; "
				   "write https://, or 'allow_plain: true' in the provider"));
		return;
	}
	members[count++] = (struct value_member){value_text("controller"), value_copy(reading->arena, controller)};
	if (system && value_is(system, VALUE_STRING))
		members[count++] = (struct value_member){value_text("system"), value_copy(reading->arena, system)};
	live->presence = PRESENCE_PRESENT;
	live->fields = value_map(members, count);
	live->outputs = value_map(NULL, 0);
	live->provider_id = value_slice(&members[0].value);
}

enum step metal_list(struct reading *reading, const struct answer *answer)
{
	(void)answer;
	for (size_t i = 0; i < reading->id_count; i++)
		find_machine(reading, reading->wanted ? reading->wanted[i] : NULL, live_add(reading));
	return STEP_DONE;
}

/* A machine is read as a whole, wherever its controller is known; no field takes a call of its own. */
bool metal_needs_detail(const struct kind *kind, const struct value *matters)
{
	(void)kind;
	return !matters || value_get_named(matters, "controller");
}

/* Where a reading stands; reading->detail, in its arena. Its stage is the link that was followed last. */
struct walk {
	struct metal_address address;
	struct slice wanted_name; /* of the system; empty: the only one */
	struct value fixed;	  /* the fields by which the machine was found */
	struct slice path;	  /* of the system */
	struct value system;	  /* its answer */
	size_t pages;
	size_t system_count; /* of those that were listed */
	struct slice first;  /* of the systems, until it is known whether there is another */
	struct slice interfaces[MEMBERS_MOST];
	size_t interface_count;
	bool lacks_interfaces; /* it counts more than it lists */
	struct value macs[MEMBERS_MOST];
	size_t mac_count;
};

enum stage {
	STAGE_ROOT,
	STAGE_SYSTEMS,
	STAGE_SYSTEM,
	STAGE_INTERFACES,
	STAGE_INTERFACE,
};

/* Why a machine is unread. */
static enum step give_up(struct reading *reading, const char *what, struct slice detail)
{
	const struct walk *walk = reading->detail;
	struct slice shown = metal_excerpt(&reading->task.scratch, reading->session, detail);

	diag_error(reading->task.diagnostics, FAULT_INTERNAL, NOWHERE, "%.*s %s%s%.*s%s",
		   SLICE_ARGUMENTS(walk->address.base), what, shown.size > 0 ? ": '" : "", SLICE_ARGUMENTS(shown),
		   shown.size > 0 ? "'" : "");
	return STEP_FAILED;
}

static enum step ask(struct reading *reading, enum stage stage, struct slice path)
{
	const struct walk *walk = reading->detail;

	arena_reset(&reading->task.scratch);
	reading->stage = (int)stage;
	metal_call_get(&reading->task, reading->session, walk->address.base, path);
	return STEP_CALL;
}

static struct slice kept_path(const struct reading *reading, const struct value *link)
{
	const struct walk *walk = reading->detail;

	return arena_copy(reading->arena, metal_link_path(walk->address.base, value_slice(link)));
}

/* The path of a link that stands under `name`, copied to the reading's arena; empty where there is none. */
static struct slice link_of(const struct reading *reading, const struct value *body, const char *name)
{
	const struct value *link = name ? value_get_named(body, name) : body;

	return kept_path(reading, value_get_named(link, "@odata.id"));
}

/* The next page of a collection, likewise. */
static struct slice next_of(const struct reading *reading, const struct value *body)
{
	return kept_path(reading, value_get_named(body, "Members@odata.nextLink"));
}

/* Whether a collection has members that were on no page up to this one: it counts all that it has on each. */
static bool lacks_members(const struct value *body, size_t listed)
{
	const struct value *count = value_get_named(body, "Members@odata.count");

	return value_is(count, VALUE_INTEGER) && count->integer > (int64_t)listed;
}

static enum step follow(struct reading *reading, enum stage stage, struct slice path, const char *what)
{
	if (path.size == 0)
		return give_up(reading, what, path);
	if (!metal_link_is_sound(path, stage == STAGE_SYSTEMS))
		return give_up(reading, "has a link that does not stay on it", path);
	return ask(reading, stage, path);
}

static enum step take_root(struct reading *reading, const struct value *body)
{
	return follow(reading, STAGE_SYSTEMS, link_of(reading, body, "Systems"), "offers no systems");
}

static enum step chosen_system(struct reading *reading, struct slice path)
{
	struct walk *walk = reading->detail;

	walk->path = path;
	return follow(reading, STAGE_SYSTEM, path, "has a system without a link");
}

/* Several systems, and nobody said which. */
static enum step ambiguous(struct reading *reading, const struct value *members)
{
	const struct walk *walk = reading->detail;
	BUFFER_AUTO names;

	buffer_init(&names, CHOICES_BYTES);
	for (uint32_t i = 0; i < members->count && !names.full; i++) {
		struct slice link = value_slice(value_get_named(&members->items[i], "@odata.id"));
		struct slice name = metal_excerpt(&reading->task.scratch, reading->session, metal_link_name(link));

		buffer_format(&names, "%s%.*s", i > 0 ? ", " : "", SLICE_ARGUMENTS(name));
	}
	diag_error(reading->task.diagnostics, FAULT_USER, NOWHERE,
		   "%.*s has several systems, and 'system' does not say which is meant: %.*s%s",
		   SLICE_ARGUMENTS(walk->address.base), SLICE_ARGUMENTS(buffer_slice(&names)),
		   names.full ? ", ..." : "");
	return STEP_FAILED;
}

/* Whether one that was listed is the only one is not known then. */
static enum step unlisted(struct reading *reading)
{
	enum step step = give_up(reading, "lists fewer systems than it counts", (struct slice){NULL, 0});

	diag_hint(reading->task.diagnostics, "run again, or say by 'system' which one is meant");
	return step;
}

/* Whether a page has a system beside the first; a page that comes twice has none. */
static bool has_another(const struct reading *reading, const struct value *members)
{
	const struct walk *walk = reading->detail;
	struct slice first = walk->first;

	for (uint32_t i = 0; i < members->count; i++) {
		struct slice link = link_of(reading, &members->items[i], NULL);

		if (first.size == 0 && i == 0)
			first = link;
		else if (!slice_equal(link, first))
			return true;
	}
	return false;
}

static enum step take_systems(struct reading *reading, const struct value *body)
{
	struct walk *walk = reading->detail;
	const struct value *members = value_get_named(body, "Members");
	struct slice next = next_of(reading, body);

	if (!members || !value_is(members, VALUE_LIST))
		return give_up(reading, "lists no systems", (struct slice){NULL, 0});
	if (walk->wanted_name.size == 0 && has_another(reading, members))
		return ambiguous(reading, members);
	for (uint32_t i = 0; i < members->count; i++) {
		struct slice link = link_of(reading, &members->items[i], NULL);

		if (walk->wanted_name.size > 0 && slice_equal(metal_link_name(link), walk->wanted_name))
			return chosen_system(reading, link);
		if (walk->first.size == 0)
			walk->first = link;
	}
	walk->system_count += members->count;
	/* Whether there is another on a page that nobody has seen is not known. */
	if (next.size > 0 && ++walk->pages >= PAGES_MOST)
		return give_up(reading, "does not end its list of systems", (struct slice){NULL, 0});
	if (next.size > 0)
		return follow(reading, STAGE_SYSTEMS, next, NULL);
	if (walk->wanted_name.size > 0)
		return give_up(reading, "has no system of that id", walk->wanted_name);
	if (lacks_members(body, walk->system_count))
		return unlisted(reading);
	walk->path = walk->first;
	return follow(reading, STAGE_SYSTEM, walk->path, "has no system");
}

/* Whether the record tells of this very system: of another one it says nothing about what there is to tell. */
static bool is_recorded(const struct reading *reading)
{
	const struct walk *walk = reading->detail;
	struct slice id = value_slice(value_get_named(reading->outputs, "id"));

	return slice_starts_with(id, walk->address.base) &&
	       slice_equal(slice_from(id, walk->address.base.size), walk->path);
}

static bool has_mac(const struct walk *walk, struct slice mac)
{
	for (size_t i = 0; i < walk->mac_count; i++)
		if (slice_equal(value_slice(&walk->macs[i]), mac))
			return true;
	return false;
}

/* Whether the addresses are among those that were told; the zeros of a slot without a card, which a record or a spec
 * may have from before, are none to be missed. fields: MAP, or NULL. */
static bool has_macs_of(const struct reading *reading, const struct value *fields)
{
	const struct value *macs = value_get_named(fields, "macs");

	for (uint32_t i = 0; macs && value_is(macs, VALUE_LIST) && i < macs->count; i++) {
		struct slice mac = value_slice(&macs->items[i]);
		bool is_empty_slot = mac.size > 0 && metal_mac(mac, reading->arena).size == 0;

		if (!is_empty_slot && !has_mac(reading->detail, mac))
			return false;
	}
	return true;
}

/* An interface that tells no address, or is not listed, may be the one of an address that is missed: a machine that
 * starts is not known to its controller at once. */
static bool are_macs_told(const struct reading *reading)
{
	const struct walk *walk = reading->detail;

	if (walk->mac_count == walk->interface_count && !walk->lacks_interfaces)
		return true;
	return has_macs_of(reading, reading->matters) &&
	       (!is_recorded(reading) || has_macs_of(reading, reading->observed));
}

static enum step finish(struct reading *reading, bool has_macs)
{
	const struct walk *walk = reading->detail;
	bool recorded = is_recorded(reading);
	struct value macs = value_list(walk->macs, walk->mac_count);
	struct metal_findings findings = {
		.base = walk->address.base,
		.path = walk->path,
		.fixed = &walk->fixed,
		.system = &walk->system,
		.macs = has_macs ? &macs : NULL,
		.observed = recorded ? reading->observed : NULL,
		.outputs = recorded ? reading->outputs : NULL,
	};
	struct slice untold;

	metal_live_fill(&findings, reading->matters, reading->arena, reading->subject, &untold);
	if (untold.size > 0)
		diag_add(reading->task.diagnostics, SEVERITY_WARNING, FAULT_UNSUPPORTED, NOWHERE,
			 "%.*s does not tell %.*s", SLICE_ARGUMENTS(walk->address.base), SLICE_ARGUMENTS(untold));
	return STEP_DONE;
}

static enum step take_system(struct reading *reading, const struct value *body)
{
	struct walk *walk = reading->detail;
	struct slice interfaces = link_of(reading, body, "EthernetInterfaces");

	walk->system = metal_system_copy(body, reading->arena);
	if (!metal_link_is_sound(interfaces, false))
		return finish(reading, false);
	return ask(reading, STAGE_INTERFACES, interfaces);
}

static enum step next_interface(struct reading *reading)
{
	const struct walk *walk = reading->detail;

	if (reading->cursor == walk->interface_count)
		return finish(reading, are_macs_told(reading));
	return ask(reading, STAGE_INTERFACE, walk->interfaces[reading->cursor++]);
}

static enum step take_interfaces(struct reading *reading, const struct value *body)
{
	struct walk *walk = reading->detail;
	const struct value *members = value_get_named(body, "Members");
	struct slice next = next_of(reading, body);

	if (!value_is(members, VALUE_LIST) || members->count > MEMBERS_MOST - walk->interface_count)
		return finish(reading, false);
	for (uint32_t i = 0; i < members->count; i++) {
		struct slice link = link_of(reading, &members->items[i], NULL);

		if (!metal_link_is_sound(link, false))
			return finish(reading, false);
		walk->interfaces[walk->interface_count++] = link;
	}
	walk->lacks_interfaces = lacks_members(body, walk->interface_count);
	if (next.size == 0)
		return next_interface(reading);
	if (++walk->pages >= PAGES_MOST || !metal_link_is_sound(next, true))
		return finish(reading, false);
	return ask(reading, STAGE_INTERFACES, next);
}

/* The address that the maker gave counts, not one that software put in its place. */
static enum step take_interface(struct reading *reading, const struct value *body)
{
	static const char *const names[] = {"PermanentMACAddress", "MACAddress"};
	struct walk *walk = reading->detail;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct slice mac = metal_mac(value_slice(value_get_named(body, names[i])), reading->arena);

		if (mac.size == 0)
			continue;
		walk->macs[walk->mac_count++] = value_string(mac);
		break;
	}
	return next_interface(reading);
}

static const struct {
	enum step (*take)(struct reading *reading, const struct value *body);
	bool optional; /* the machine is read without it */
} stages[] = {
	[STAGE_ROOT] = {take_root, false},	    [STAGE_SYSTEMS] = {take_systems, false},
	[STAGE_SYSTEM] = {take_system, false},	    [STAGE_INTERFACES] = {take_interfaces, true},
	[STAGE_INTERFACE] = {take_interface, true},
};

static enum step begin(struct reading *reading)
{
	struct walk *walk = arena_new(reading->arena, struct walk);
	struct slice controller = value_slice(value_get_named(&reading->subject->fields, "controller"));
	const char *problem;

	reading->detail = walk;
	walk->fixed = reading->subject->fields;
	walk->wanted_name = value_slice(value_get_named(&walk->fixed, "system"));
	if (!metal_address_read(controller, &walk->address, &problem)) {
		diag_error(reading->task.diagnostics, FAULT_USER, NOWHERE, "the address of its controller %s", problem);
		return STEP_FAILED;
	}
	if (walk->address.system.size == 0)
		return ask(reading, STAGE_ROOT, SLICE(SERVICE_ROOT));
	walk->path = walk->address.system;
	return ask(reading, STAGE_SYSTEM, walk->path);
}

/*
 * HPE's controllers have a slash at the end of each path, and send whoever leaves it out there (308). Where they send
 * him is not followed: the address that was given is asked for once more, with its slash.
 */
static bool lacks_slash(const struct reading *reading, const struct answer *answer)
{
	const struct walk *walk = reading->detail;

	return reading->stage == STAGE_SYSTEM && metal_points_elsewhere(answer) &&
	       slice_equal(walk->path, walk->address.system);
}

static enum step ask_with_slash(struct reading *reading)
{
	struct walk *walk = reading->detail;

	walk->path = arena_format(reading->arena, "%.*s/", SLICE_ARGUMENTS(walk->address.system));
	return ask(reading, STAGE_SYSTEM, walk->path);
}

enum step metal_detail(struct reading *reading, const struct answer *answer)
{
	if (!reading->detail)
		return begin(reading);
	if (!answer)
		return STEP_FAILED;
	if (answer->ok)
		return stages[reading->stage].take(reading, &answer->body);
	if (lacks_slash(reading, answer))
		return ask_with_slash(reading);
	if (!stages[reading->stage].optional) {
		metal_call_failed(&reading->task, answer, SEVERITY_ERROR);
		return STEP_FAILED;
	}
	if (value_get_named(reading->matters, "macs") ||
	    (is_recorded(reading) && value_get_named(reading->observed, "macs")))
		metal_call_failed(&reading->task, answer, SEVERITY_WARNING);
	return finish(reading, false);
}
