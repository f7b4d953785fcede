#include "state/objects.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"

/*
 * Texts that many rows repeat are kept once. Rows come sorted by address, so neighbours
 * mostly repeat each other and the map is seldom asked.
 */
struct interned {
	struct slice text;
	struct identity identity; /* only of texts that are identities */
};

struct intern {
	struct map map;
	const struct interned *last;
};

struct heads {
	struct database *database;
	struct arena *arena;
	struct intern kinds;
	struct intern identities;
	struct intern providers;
	struct diagnostics *diagnostics;
	struct object *objects;
	size_t count;
	size_t capacity;
};

static const struct interned *intern_get(struct intern *intern, struct slice text, struct arena *arena,
					 bool is_identity)
{
	struct interned *item;

	if (intern->last && slice_equal(intern->last->text, text))
		return intern->last;
	item = (struct interned *)map_get(&intern->map, text);
	if (!item) {
		item = arena_new(arena, struct interned);
		item->text = arena_copy(arena, text);
		if (is_identity && !identity_read(arena, item->text, &item->identity))
			return NULL;
		map_set(&intern->map, item->text, item);
	}
	intern->last = item;
	return item;
}

static bool digest_cell(const struct heads *heads, sqlite3_value *cell, struct digest *ret)
{
	struct slice blob = cell_blob(cell);

	if (blob.size != DIGEST_BYTES)
		return database_damaged(heads->database, heads->diagnostics, "a digest of %zu bytes instead of %d",
					blob.size, DIGEST_BYTES);
	memcpy(ret->bytes, blob.data, DIGEST_BYTES);
	return true;
}

/* Columns of a head, as statements.c has them. */
enum {
	HEAD_ADDRESS,
	HEAD_ROLE,
	HEAD_OBJECT_ID,
	HEAD_KIND,
	HEAD_KIND_VERSION,
	HEAD_GENERATION,
	HEAD_PROVIDER_ID,
	HEAD_IDENTITY,
	HEAD_PROVIDER,
	HEAD_PROTECT,
	HEAD_SYMBOLIC,
	HEAD_INPUTS,
	HEAD_OUTPUTS,
	HEAD_CREATED,
	HEAD_COLUMNS,
};

static bool head_numbers(const struct heads *heads, sqlite3_value *const *cells, struct object *object)
{
	int64_t role = sqlite3_value_int64(cells[HEAD_ROLE]);
	int64_t version = sqlite3_value_int64(cells[HEAD_KIND_VERSION]);
	int64_t generation = sqlite3_value_int64(cells[HEAD_GENERATION]);
	int64_t created_ms = sqlite3_value_int64(cells[HEAD_CREATED]);

	if (role < OBJECT_CURRENT || role > OBJECT_INCOMPLETE || version < 0 || version > INT32_MAX)
		return database_damaged(heads->database, heads->diagnostics,
					"object '%.*s' has role %lld and kind version %lld",
					SLICE_ARGUMENTS(object->address), (long long)role, (long long)version);
	if (generation < 0 || generation > GENERATION_MOST || created_ms < 0)
		return database_damaged(heads->database, heads->diagnostics,
					"object '%.*s' has the generation %lld and was made at %lld ms",
					SLICE_ARGUMENTS(object->address), (long long)generation, (long long)created_ms);
	object->role = (enum object_role)role;
	object->kind_version = (unsigned)version;
	object->generation = generation;
	object->protect = sqlite3_value_int64(cells[HEAD_PROTECT]) != 0;
	object->created_ms = created_ms;
	return digest_cell(heads, cells[HEAD_SYMBOLIC], &object->symbolic) &&
	       digest_cell(heads, cells[HEAD_INPUTS], &object->inputs) &&
	       digest_cell(heads, cells[HEAD_OUTPUTS], &object->outputs_digest);
}

/* A kind, a place and an alias of one provider: what is asked of the place is put together from the kind's table. Texts
 * that are kept once tell by where they lie that they were compared before. */
static bool is_of_one_provider(const struct heads *heads, const struct object *object)
{
	struct slice kind = object->kind, alias = object->provider, provider = object->identity.provider;

	if (heads->count > 0 && object[-1].kind.data == kind.data && object[-1].provider.data == alias.data &&
	    object[-1].identity.provider.data == provider.data)
		return true;
	return slice_equal(slice_cut(&kind, '.'), provider) && slice_equal(slice_cut(&alias, '.'), provider);
}

static bool head_read(struct heads *heads, sqlite3_value *const *cells, struct object *object)
{
	struct arena *arena = heads->arena;
	const struct interned *identity;

	object->address = arena_copy(arena, cell_text(cells[HEAD_ADDRESS]));
	object->provider_id = arena_copy(arena, cell_text(cells[HEAD_PROVIDER_ID]));
	object->kind = intern_get(&heads->kinds, cell_text(cells[HEAD_KIND]), arena, false)->text;
	object->provider = intern_get(&heads->providers, cell_text(cells[HEAD_PROVIDER]), arena, false)->text;
	identity = intern_get(&heads->identities, cell_text(cells[HEAD_IDENTITY]), arena, true);
	if (!identity)
		return database_damaged(heads->database, heads->diagnostics, "object '%.*s' has no readable identity",
					SLICE_ARGUMENTS(object->address));
	object->identity = identity->identity;
	if (!address_is_of(object->address, object->kind) || !is_of_one_provider(heads, object))
		return database_damaged(heads->database, heads->diagnostics,
					"object '%.*s' is of kind '%.*s' and lies at '%.*s'",
					SLICE_ARGUMENTS(object->address), SLICE_ARGUMENTS(object->kind),
					SLICE_ARGUMENTS(cell_text(cells[HEAD_IDENTITY])));
	return cell_id(heads->database, cells[HEAD_OBJECT_ID], arena, &object->object_id, heads->diagnostics) &&
	       head_numbers(heads, cells, object);
}

static void heads_init(struct heads *heads, struct database *database, struct arena *arena,
		       struct diagnostics *diagnostics)
{
	*heads = (struct heads){.database = database, .arena = arena, .diagnostics = diagnostics};
	map_init(&heads->kinds.map);
	map_init(&heads->identities.map);
	map_init(&heads->providers.map);
}

static void heads_release(struct heads *heads)
{
	map_release(&heads->kinds.map);
	map_release(&heads->identities.map);
	map_release(&heads->providers.map);
}

bool objects_read_head(const struct query *query, struct arena *arena, struct object *ret,
		       struct diagnostics *diagnostics)
{
	sqlite3_value *cells[HEAD_COLUMNS];
	struct heads heads;
	bool read;

	for (int column = 0; column < HEAD_COLUMNS; column++)
		cells[column] = query_cell(query, column);
	heads_init(&heads, query->database, arena, diagnostics);
	read = head_read(&heads, cells, ret);
	heads_release(&heads);
	return read;
}

static bool count_rows(struct database *database, enum statement statement, size_t *ret,
		       struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, statement);
	bool row;

	if (!query_next(&query, &row, diagnostics))
		return false;
	*ret = row ? (size_t)query_column_integer(&query, 0) : 0;
	return true;
}

static bool head_take(struct heads *heads, sqlite3_value *const *cells)
{
	struct object *object = &heads->objects[heads->count];

	if (heads->count == heads->capacity)
		return database_damaged(heads->database, heads->diagnostics, "more objects than its index says");
	if (!head_read(heads, cells, object))
		return false;
	/* The order comes from the table itself; damage may have changed it. */
	if (heads->count > 0 && object_compare(object - 1, object) >= 0)
		return database_damaged(heads->database, heads->diagnostics, "object '%.*s' lies in the wrong place",
					SLICE_ARGUMENTS(object->address));
	heads->count++;
	return true;
}

static const char heads_pointer[] = "heads";

/* take_head(heads, columns): false after a diagnostic. Of a row, each column would have to be asked for by itself. */
static void take_head(sqlite3_context *context, int count, sqlite3_value **arguments)
{
	struct heads *heads = (struct heads *)sqlite3_value_pointer(arguments[0], heads_pointer);

	(void)count;
	sqlite3_result_int(context, heads && head_take(heads, arguments + 1));
}

int objects_add_functions(sqlite3 *handle)
{
	return sqlite3_create_function_v2(handle, "take_head", 1 + HEAD_COLUMNS, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
					  take_head, NULL, NULL, NULL);
}

static bool heads_read(struct heads *heads)
{
	QUERY_AUTO query = query_start(heads->database, STATEMENT_HEADS);
	bool refused;

	query_pointer(&query, heads, heads_pointer);
	return query_next(&query, &refused, heads->diagnostics) && !refused;
}

bool objects_heads(struct database *database, struct arena *arena, struct object **ret, size_t *ret_count,
		   struct diagnostics *diagnostics)
{
	struct heads heads;
	size_t count;
	bool read;

	if (!count_rows(database, STATEMENT_OBJECT_COUNT, &count, diagnostics))
		return false;
	heads_init(&heads, database, arena, diagnostics);
	heads.capacity = count;
	heads.objects = arena_new_array(arena, count, struct object);
	read = heads_read(&heads);
	heads_release(&heads);
	if (!read)
		return false;
	*ret = heads.objects;
	*ret_count = heads.count;
	return true;
}

/* An object that another run has removed since its head was read went with its body; one that is there has it. */
static bool check_lacking(struct database *database, const struct object *object, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_OBJECT_CURRENT);
	bool row;

	query_id(&query, object->object_id);
	if (!query_next(&query, &row, diagnostics))
		return false;
	return !row || database_damaged(database, diagnostics, "the object at '%.*s' has no body",
					SLICE_ARGUMENTS(query_column_text(&query, 0)));
}

/* Each by its own look-up. */
static bool bodies_by_id(struct database *database, struct arena *arena, const struct object *const *objects,
			 size_t count, struct slice *ret, struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < count; i++) {
		QUERY_AUTO query = query_start(database, STATEMENT_BODY);
		bool row;

		query_id(&query, objects[i]->object_id);
		if (!query_next(&query, &row, diagnostics))
			return false;
		ret[i] = row ? query_column_copy(&query, 0, arena) : (struct slice){NULL, 0};
	}
	return true;
}

/* Copies the bodies of wanted objects out of one scan over all. wanted: from object id to
 * a struct slice. */
static bool bodies_scan(struct database *database, struct arena *arena, const struct map *wanted,
			struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_BODIES);
	bool row;

	while (query_next(&query, &row, diagnostics)) {
		struct slice blob;
		char hex[ID_HEX];
		struct slice *body;

		if (!row)
			return true;
		blob = query_column_blob(&query, 0);
		if (blob.size != ID_BYTES)
			return database_damaged(database, diagnostics, "an id of %zu bytes instead of %d", blob.size,
						ID_BYTES);
		id_write((const uint8_t *)blob.data, hex);
		body = (struct slice *)map_get(wanted, (struct slice){hex, sizeof(hex)});
		if (body)
			*body = query_column_copy(&query, 1, arena);
	}
	return false;
}

static bool bodies_by_scan(struct database *database, struct arena *arena, const struct object *const *objects,
			   size_t count, struct slice *ret, struct diagnostics *diagnostics)
{
	struct slice *found;
	struct map wanted;
	bool read;

	found = (struct slice *)memory_get(count * sizeof(*found));
	map_init(&wanted);
	map_reserve(&wanted, count);
	for (size_t i = 0; i < count; i++)
		map_add(&wanted, objects[i]->object_id, &found[i]);
	read = bodies_scan(database, arena, &wanted, diagnostics);
	for (size_t i = 0; read && i < count; i++)
		ret[i] = *(const struct slice *)map_get(&wanted, objects[i]->object_id);
	map_release(&wanted);
	free(found);
	return read;
}

bool objects_bodies(struct database *database, struct arena *arena, const struct object *const *objects, size_t count,
		    struct slice *ret, struct diagnostics *diagnostics)
{
	size_t total;

	if (count == 0)
		return true;
	if (!count_rows(database, STATEMENT_OBJECT_COUNT, &total, diagnostics))
		return false;
	/* A look-up costs about as much as three rows of a scan. */
	if (!(count < total / 3 ? bodies_by_id : bodies_by_scan)(database, arena, objects, count, ret, diagnostics))
		return false;
	for (size_t i = 0; i < count; i++)
		if (ret[i].size == 0 && !check_lacking(database, objects[i], diagnostics))
			return false;
	return true;
}

static bool put_head(struct database *database, enum statement statement, const struct object *object,
		     struct slice identity, int *ret_changes, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, statement);

	query_id(&query, object->object_id);
	query_text(&query, object->address);
	query_integer(&query, object->role);
	query_text(&query, object->kind);
	query_integer(&query, object->kind_version);
	query_integer(&query, object->generation);
	query_text(&query, object->provider_id);
	query_text(&query, identity);
	query_text(&query, object->provider);
	query_integer(&query, object->protect);
	query_blob(&query, object->symbolic.bytes, DIGEST_BYTES);
	query_blob(&query, object->inputs.bytes, DIGEST_BYTES);
	query_blob(&query, object->outputs_digest.bytes, DIGEST_BYTES);
	query_integer(&query, object->created_ms);
	if (!query_run(&query, diagnostics))
		return false;
	*ret_changes = query_changes(&query);
	return true;
}

bool objects_put(struct database *database, const struct object *object, struct slice body, struct arena *scratch,
		 struct diagnostics *diagnostics)
{
	struct slice identity = identity_text(scratch, &object->identity);
	int changes;

	if (!put_head(database, STATEMENT_OBJECT_UPDATE_HERE, object, identity, &changes, diagnostics))
		return false;
	if (changes == 0 && !put_head(database, STATEMENT_OBJECT_PUT, object, identity, &changes, diagnostics))
		return false;
	if (body.size == 0)
		return true;
	QUERY_AUTO query = query_start(database, STATEMENT_BODY_PUT);
	query_id(&query, object->object_id);
	query_text(&query, body);
	return query_run(&query, diagnostics);
}

bool objects_remove(struct database *database, struct slice object_id, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_OBJECT_DELETE);

	query_id(&query, object_id);
	return query_run(&query, diagnostics);
}
