#include <inttypes.h>
#include <stdlib.h>

#include "base/id.h"
#include "reconcile/diff_field.h"
#include "reconcile/rebuild_parts.h"

void rebuild_note(struct rebuilding *rebuilding, enum rebuild_finding_class class, struct slice address,
		  struct slice provider_id, struct slice what)
{
	rebuilding->findings = arena_room(rebuilding->arena, rebuilding->findings, rebuilding->finding_count,
					  &rebuilding->finding_capacity, sizeof(*rebuilding->findings));
	rebuilding->findings[rebuilding->finding_count++] = (struct rebuild_finding){class, address, provider_id, what};
}

static void add_object(struct rebuilding *rebuilding, struct object *object)
{
	rebuilding->objects = arena_room(rebuilding->arena, rebuilding->objects, rebuilding->object_count,
					 &rebuilding->object_capacity, sizeof(*rebuilding->objects));
	rebuilding->objects[rebuilding->object_count++] = object;
}

static bool is_id(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!(text.data[i] >= '0' && text.data[i] <= '9') && !(text.data[i] >= 'a' && text.data[i] <= 'f'))
			return false;
	return text.size == ID_HEX;
}

static int compare_lineages(const void *a, const void *b)
{
	const struct lineage *left = (const struct lineage *)a, *right = (const struct lineage *)b;

	if (left->matched_count != right->matched_count)
		return left->matched_count > right->matched_count ? -1 : 1;
	return slice_compare(left->id, right->id);
}

struct lineage *rebuild_lineages(const struct inventory *inventory, const struct stack *stack, size_t *ret_count,
				 struct arena *arena)
{
	struct lineage *all = arena_new_array(arena, inventory->count + 1, struct lineage);
	struct map by_id, spare;
	size_t count = 0;

	map_init(&by_id);
	map_init(&spare);
	const struct map *resources = stack_addresses(stack, &spare);
	for (size_t i = 0; i < inventory->count; i++) {
		const struct ownership *ownership = &inventory->items[i].live->ownership;
		const struct resource *resource = map_get(resources, ownership->address);
		struct lineage *lineage;

		if (!is_id(ownership->lineage))
			continue;
		lineage = map_get(&by_id, ownership->lineage);
		if (!lineage) {
			lineage = &all[count++];
			lineage->id = ownership->lineage;
			map_set(&by_id, lineage->id, lineage);
		}
		lineage->count++;
		lineage->matched_count += resource && resource->kind == inventory->items[i].kind;
	}
	map_release(&by_id);
	map_release(&spare);
	if (count > 1)
		qsort(all, count, sizeof(*all), compare_lineages);
	*ret_count = count;
	return all;
}

/* What the tags of a thing lack for a record, or NULL. */
static const char *fault_of(const struct stray *stray)
{
	if (!is_id(stray->live->ownership.object_id))
		return "its tag of the object is not one that was written here";
	if (!address_is_of(stray->live->ownership.address, slice_of(stray->kind->name)))
		return "its tag of the address is not one of its kind";
	if (stray->live->provider_id.size == 0)
		return "it has no id";
	return NULL;
}

static struct object *make_head(const struct rebuilding *rebuilding, const struct stray *stray,
				const struct resource *resource)
{
	struct object *object = arena_new(rebuilding->arena, struct object);

	*object = (struct object){
		.address = stray->live->ownership.address,
		.object_id = stray->live->ownership.object_id,
		.role = OBJECT_CURRENT,
		.kind = slice_of(stray->kind->name),
		.kind_version = stray->kind->version,
		.generation = ownership_generation(&stray->live->ownership),
		.provider_id = stray->live->provider_id,
		.identity = stray->session->identity,
		.provider = resource ? resource->provider : stray->session->name,
		.protect = resource && resource->protect,
		.has_body = true,
		.outputs = value_map(NULL, 0),
		.applied = value_map(NULL, 0),
		/* Says which details are to be read. */
		.resolved = resource ? resource->desired : value_map(NULL, 0),
		.observed = value_map(NULL, 0),
		.ignored = resource ? ignored_write(resource->ignored, resource->ignored_count, rebuilding->arena)
				    : value_null(),
	};
	return object;
}

/* What speaks for an object as the own of the address that it claims: the last the most. */
enum right {
	RIGHT_LEFT,	/* the record has it as left behind: none */
	RIGHT_UNLIKE,	/* its tags alone: it cannot be what the spec says without being made anew */
	RIGHT_LIKE,	/* its tags, and it is what the spec says, or the spec does not have it */
	RIGHT_RECORDED, /* the record has it there */
};

struct claimant {
	struct stray stray;
	const struct object *record; /* found by its provider's id, or NULL */
	enum right right;
	struct claimant *next; /* another whose tags say the same address, and its record another one */
};

/* Those that claim one address, or one object id. */
struct claim {
	const struct claimant *own; /* which of them is the address's own */
	size_t count;
	bool contested; /* which of them is meant nobody can tell */
};

static struct claim *claim_of(struct map *claims, struct slice key, struct arena *arena)
{
	struct claim *claim = map_get(claims, key);

	if (!claim) {
		claim = arena_new(arena, struct claim);
		*claim = (struct claim){0};
		map_set(claims, key, claim);
	}
	claim->count++;
	return claim;
}

/* Whether it can be what the spec says without being made anew. What waits for others tells nothing. */
static bool fits(const struct stray *stray, const struct resource *resource)
{
	for (uint32_t i = 0; resource && resource->kind == stray->kind && i < resource->desired.count; i++) {
		const struct value_member *member = &resource->desired.members[i];
		const struct field *field = field_named(&resource->kind->fields, value_slice(&member->key));
		bool tells = field && field_is_immutable(field, &stray->live->outputs) && !(field->flags & WRITE_ONLY);

		if (tells && diff_field(field, &member->value,
					value_get(&stray->live->fields, value_slice(&member->key))) == UNLIKE)
			return false;
	}
	return true;
}

static bool is_renamed(const struct claimant *claimant)
{
	return claimant->record && !slice_equal(claimant->record->address, claimant->stray.live->ownership.address);
}

static enum right right_of(const struct rebuilding *rebuilding, const struct claimant *claimant,
			   const struct resource *resource)
{
	if (claimant->record && claimant->record->role == OBJECT_CURRENT && !is_renamed(claimant))
		return RIGHT_RECORDED;
	if (rebuild_was_left(rebuilding, claimant->stray.live->ownership.object_id))
		return RIGHT_LEFT;
	return fits(&claimant->stray, resource) ? RIGHT_LIKE : RIGHT_UNLIKE;
}

/* A replace that was cut off leaves two that say so: each has an object id of its own, and the new one a generation
 * more. Of two with the same right the newer is the address's own. */
static bool is_rather(const struct claimant *claimant, const struct claimant *own)
{
	if (!own || claimant->right != own->right)
		return !own || claimant->right > own->right;
	return ownership_generation(&claimant->stray.live->ownership) >=
	       ownership_generation(&own->stray.live->ownership);
}

struct claims {
	struct map addresses, ids, spare;
	const struct map *resources; /* see stack_addresses() */
};

/* Its record, where the tags that told whose it is were taken off, set to what makes no record, or are those of
 * another: what a call that came late has made bears the tags of what was made in its place, and is recorded for
 * itself. */
static const struct object *record_of(const struct rebuilding *rebuilding, const struct stray *stray)
{
	const struct live *live = stray->live;
	bool is_ours = slice_equal(live->ownership.lineage, rebuilding->lineage);

	if (live->provider_id.size == 0 || !(live->ownership.is_stripped || is_ours))
		return NULL;
	const struct object *known =
		map_get(&rebuilding->past->by_id,
			rebuild_id_key(rebuilding->arena, slice_of(stray->kind->name), live->provider_id));
	/* Of a name that was given again the record is another's, whose address may be another, too. */
	bool is_told = known && slice_equal(live->ownership.object_id, known->object_id);
	return known && rebuild_is_at(known, live->ownership.object_id, &stray->session->identity) &&
			       !live_is_another(live, stray->kind, &known->outputs,
						is_told ? rebuilding->lineage : (struct slice){NULL, 0})
		       ? known
		       : NULL;
}

/* As the tags say it that the next apply puts there again. */
static struct stray as_recorded(const struct rebuilding *rebuilding, const struct stray *stray,
				const struct object *known)
{
	struct live *live = arena_new(rebuilding->arena, struct live);

	*live = *stray->live;
	live->ownership = (struct ownership){
		.lineage = rebuilding->lineage,
		.object_id = known->object_id,
		.generation = arena_format(rebuilding->arena, "%" PRId64, known->generation),
		.address = known->address,
	};
	return (struct stray){live, stray->kind, stray->session};
}

/* All of the lineage whose tags make a record, or whose id is recorded. */
static struct claimant *gather_own(struct rebuilding *rebuilding, const struct inventory *inventory, size_t *ret_count)
{
	struct claimant *own = arena_new_array(rebuilding->arena, inventory->count + 1, struct claimant);
	size_t count = 0;

	for (size_t i = 0; i < inventory->count; i++) {
		const struct stray *stray = &inventory->items[i];
		const struct ownership *ownership = &stray->live->ownership;
		const struct object *record = record_of(rebuilding, stray);
		bool is_ours = slice_equal(ownership->lineage, rebuilding->lineage);
		const char *fault = is_ours ? fault_of(stray) : NULL;
		bool is_told = is_ours && !fault;

		if (is_told && (!record || slice_equal(record->object_id, ownership->object_id)))
			own[count++] = (struct claimant){.stray = *stray, .record = record};
		else if (record)
			own[count++] =
				(struct claimant){.stray = as_recorded(rebuilding, stray, record), .record = record};
		else if (fault)
			rebuild_note(rebuilding, REBUILD_UNUSABLE, ownership->address, stray->live->provider_id,
				     slice_of(fault));
	}
	*ret_count = count;
	return own;
}

/* Whether the spec means it by the name of its record, which `state mv` gave it, and not by that of its tags. Where an
 * older state was put back it is the other way round, with a spec that is as new as the tags. */
static bool is_meant_as_recorded(const struct map *resources, const struct claimant *one)
{
	if (!is_renamed(one))
		return false;
	const struct resource *recorded = map_get(resources, one->record->address);
	const struct resource *told = map_get(resources, one->stray.live->ownership.address);

	return recorded && (!told || (fits(&one->stray, recorded) && !fits(&one->stray, told)));
}

/*
 * What `state mv` renamed, and no apply since, has its former address in its tags. Where the spec means it by its new
 * one, or another one claims the former, too, it has the address of its record, and so has in turn what is in its way
 * there.
 */
static void give_way(const struct rebuilding *rebuilding, const struct map *resources, struct claimant *own,
		     size_t count)
{
	struct slice *disputed = arena_new_array(rebuilding->arena, 2 * count + 1, struct slice);
	size_t disputed_count = 0;
	struct map claims, renamed;

	map_init(&claims);
	map_init(&renamed);
	for (size_t i = 0; i < count; i++) {
		if (is_meant_as_recorded(resources, &own[i]))
			own[i].stray = as_recorded(rebuilding, &own[i].stray, own[i].record);
		struct slice address = own[i].stray.live->ownership.address;

		if (claim_of(&claims, address, rebuilding->arena)->count == 2)
			disputed[disputed_count++] = address;
		if (!is_renamed(&own[i]))
			continue;
		own[i].next = map_get(&renamed, address);
		map_set(&renamed, address, &own[i]);
	}
	for (size_t i = 0; i < disputed_count; i++) {
		for (struct claimant *one = map_get(&renamed, disputed[i]); one; one = one->next) {
			if (!is_renamed(one))
				continue;
			one->stray = as_recorded(rebuilding, &one->stray, one->record);
			disputed[disputed_count++] = one->record->address;
		}
	}
	map_release(&claims);
	map_release(&renamed);
}

static void init_claims(const struct rebuilding *rebuilding, struct claims *ret)
{
	map_init(&ret->addresses);
	map_init(&ret->ids);
	map_init(&ret->spare);
	ret->resources = stack_addresses(rebuilding->stack, &ret->spare);
}

static void gather_claims(struct rebuilding *rebuilding, struct claimant *own, size_t count, struct claims *ret)
{
	struct map generations;

	map_init(&generations);
	for (size_t i = 0; i < count; i++) {
		const struct ownership *ownership = &own[i].stray.live->ownership;
		struct slice generation =
			arena_format(rebuilding->arena, "%.*s %" PRId64, SLICE_ARGUMENTS(ownership->address),
				     ownership_generation(ownership));
		struct claim *claim = claim_of(&ret->addresses, ownership->address, rebuilding->arena);

		own[i].right = right_of(rebuilding, &own[i], map_get(ret->resources, ownership->address));
		if (is_rather(&own[i], claim->own))
			claim->own = &own[i];
		/* No replace leaves two of one generation. */
		if (own[i].right != RIGHT_LEFT)
			claim->contested |= claim_of(&generations, generation, rebuilding->arena)->count > 1;
		struct claim *same = claim_of(&ret->ids, ownership->object_id, rebuilding->arena);
		if (is_rather(&own[i], same->own))
			same->own = &own[i];
	}
	map_release(&generations);
}

static void release_claims(struct claims *claims)
{
	map_release(&claims->addresses);
	map_release(&claims->ids);
	map_release(&claims->spare);
}

static void match(struct rebuilding *rebuilding, const struct claimant *claimant, const struct claims *claims)
{
	const struct stray *stray = &claimant->stray;
	const struct ownership *ownership = &stray->live->ownership;
	const struct claim *claim = map_get(&claims->addresses, ownership->address);
	const struct resource *resource = map_get(claims->resources, ownership->address);
	const struct claim *same = map_get(&claims->ids, ownership->object_id);
	bool is_left = claim->own != claimant || claimant->right == RIGHT_LEFT;

	/* Of those the record may tell which is meant: the others are left alone. */
	bool is_meant = claim->own == claimant && claimant->right == RIGHT_RECORDED;
	bool is_told = claim->own->right == RIGHT_RECORDED || same->own->right == RIGHT_RECORDED;

	if ((claim->contested || same->count > 1) && !is_meant) {
		rebuild_note(rebuilding, is_told ? REBUILD_BESIDE : REBUILD_TWINS, ownership->address,
			     stray->live->provider_id, (struct slice){NULL, 0});
		return;
	}
	struct object *object = make_head(rebuilding, stray, resource);
	if (is_left)
		object->role = OBJECT_DEPOSED;
	add_object(rebuilding, object);
	if (!resource || is_left)
		rebuild_note(rebuilding, is_left ? REBUILD_LEFT : REBUILD_EXTRA, ownership->address,
			     stray->live->provider_id, (struct slice){NULL, 0});
}

void rebuild_match(struct rebuilding *rebuilding, const struct inventory *inventory)
{
	struct claims claims;
	size_t count;
	struct claimant *own = gather_own(rebuilding, inventory, &count);

	init_claims(rebuilding, &claims);
	give_way(rebuilding, claims.resources, own, count);
	gather_claims(rebuilding, own, count, &claims);
	for (size_t i = 0; i < count; i++)
		match(rebuilding, &own[i], &claims);
	release_claims(&claims);
}

void rebuild_add_found(struct rebuilding *rebuilding, const struct resource *resource, const struct live *live,
		       const struct session *session, struct slice object_id)
{
	struct live tagged = *live;
	struct stray stray = {&tagged, resource->kind, session};
	const struct object *known =
		map_get(&rebuilding->past->by_id,
			rebuild_id_key(rebuilding->arena, slice_of(resource->kind->name), live->provider_id));
	bool is_known = known && known->role != OBJECT_DEPOSED && identity_equal(&known->identity, &session->identity);

	tagged.ownership =
		(struct ownership){.object_id = is_known ? known->object_id : object_id, .address = resource->address};
	add_object(rebuilding, make_head(rebuilding, &stray, resource));
}

static bool is_unseen(const struct live *live)
{
	return live && live->presence == PRESENCE_UNREAD;
}

/* What was looked for, by object id and address: there, under whatever address, or gone. */
static void gather_seen(struct rebuilding *rebuilding, const struct live *const *unrecorded, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < rebuilding->object_count; i++)
		map_mark(ret, rebuilding->objects[i]->object_id);
	for (size_t i = 0; i < rebuilding->stack->resource_count; i++)
		if (!is_unseen(unrecorded[i]))
			map_mark(ret, rebuilding->stack->resources[i].address);
}

/* Whether no list shows it, and nobody has looked for it, or could. */
static bool stays(const struct rebuilding *rebuilding, const struct object *former, const struct map *seen)
{
	const struct kind *kind = kinds_find(rebuilding->kinds, former->kind);

	return (!kind || kind->found) && !map_has(seen, former->object_id) && !map_has(seen, former->address);
}

static struct object *copy_of(const struct rebuilding *rebuilding, const struct object *former)
{
	struct object *copy = arena_new(rebuilding->arena, struct object);

	*copy = *former;
	return copy;
}

void rebuild_add_recorded(struct rebuilding *rebuilding, const struct live *const *unrecorded)
{
	const struct rebuild_past *past = rebuilding->past;
	const struct stack *stack = rebuilding->stack;
	struct map seen, kept, spare;

	map_init(&kept);
	map_init(&spare);
	gather_seen(rebuilding, unrecorded, &seen);
	const struct map *resources = stack_addresses(stack, &spare);
	for (size_t i = 0; i < past->count; i++) {
		const struct object *former = past->objects[i];

		if (!past->is_sound[i] || !stays(rebuilding, former, &seen))
			continue;
		add_object(rebuilding, copy_of(rebuilding, former));
		map_mark(&kept, former->address);
		if (!map_get(resources, former->address))
			rebuild_note(rebuilding, REBUILD_EXTRA, former->address, former->provider_id,
				     (struct slice){NULL, 0});
	}
	for (size_t i = 0; i < stack->resource_count; i++) {
		if (!is_unseen(unrecorded[i]) || map_has(&kept, stack->resources[i].address))
			continue;
		rebuild_note(rebuilding, REBUILD_UNSEEN, stack->resources[i].address, (struct slice){NULL, 0},
			     unrecorded[i]->unread_reason);
		rebuilding->unseen_count++;
	}
	map_release(&seen);
	map_release(&kept);
	map_release(&spare);
}

static int compare_objects(const void *a, const void *b)
{
	return object_compare(*(struct object *const *)a, *(struct object *const *)b);
}

/* Those of which something is there for all that is known. */
static bool may_be_there(const struct rebuild_finding *finding)
{
	return (finding->class == REBUILD_TWINS && finding->address.size > 0) || finding->class == REBUILD_UNSEEN;
}

void rebuild_close(struct rebuilding *rebuilding)
{
	struct map there;

	if (rebuilding->object_count > 1)
		qsort(rebuilding->objects, rebuilding->object_count, sizeof(struct object *), compare_objects);
	map_init(&there);
	for (size_t i = 0; i < rebuilding->object_count; i++)
		map_mark(&there, rebuilding->objects[i]->address);
	for (size_t i = 0; i < rebuilding->finding_count; i++)
		if (may_be_there(&rebuilding->findings[i]))
			map_mark(&there, rebuilding->findings[i].address);
	for (size_t i = 0; i < rebuilding->stack->resource_count; i++) {
		const struct resource *resource = &rebuilding->stack->resources[i];

		if (!map_has(&there, resource->address))
			rebuild_note(rebuilding, REBUILD_ABSENT, resource->address, (struct slice){NULL, 0},
				     (struct slice){NULL, 0});
	}
	map_release(&there);
}
