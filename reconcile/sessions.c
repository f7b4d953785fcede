#include "reconcile/sessions.h"

#include "base/map.h"

struct identifying {
	struct reading reading;
	bool done;
};

static void on_identified(struct task *task, bool done)
{
	((struct identifying *)task)->done = done;
}

static enum step identify_step(struct task *task, const struct answer *answer)
{
	struct reading *reading = (struct reading *)task;
	return reading->session->provider->identify(reading, answer);
}

/* Distinct places of the recorded objects. The interned identities of the store share
 * their texts, but equal ones may come from elsewhere too, so they are told apart by text. */
static size_t distinct_identities(struct object *const *objects, size_t count, struct identity **ret,
				  struct arena *arena)
{
	struct map seen;
	size_t found = 0;
	size_t capacity = 0;
	struct identity *places = NULL;
	const struct identity *last = NULL;
	map_init(&seen);
	for (size_t i = 0; i < count; i++) {
		const struct identity *identity = &objects[i]->identity;
		if (last && identity_equal(last, identity))
			continue;
		last = identity;
		if (map_add(&seen, identity_text(arena, identity), objects[i]))
			continue;
		places = arena_room(arena, places, found, &capacity, sizeof(*places));
		places[found++] = *identity;
	}
	map_release(&seen);
	*ret = places;
	return found;
}

static void learn_variable(struct redaction *secrets, struct world *world, const char *name, size_t least_bytes)
{
	struct slice secret = slice_of(world_secret(world, name, least_bytes));
	if (secret.size >= least_bytes)
		redaction_add(secrets, secret);
}

/* Whatever a provider takes from the environment or its settings is known before anybody may echo it. */
static void learn_secrets(struct redaction *secrets, const struct provider *provider, struct world *world,
			  const struct value *settings, struct arena *arena)
{
	struct slice password = value_slice(value_get_named(settings, PASSWORD_VARIABLE));
	redaction_add_value(secrets, settings);
	if (password.size > 0)
		learn_variable(secrets, world, arena_string(arena, password), 1);
	for (const char *const *name = provider->secret_variables; name && *name; name++)
		learn_variable(secrets, world, *name, provider->secret_least_bytes);
}

static bool open_session(struct sessions *sessions, size_t index, const struct provider *provider, struct world *world,
			 struct slice name, const struct value *settings, struct arena *arena,
			 struct diagnostics *diagnostics)
{
	learn_secrets(sessions->secrets, provider, world, settings, arena);
	if (!provider->open(provider, world, name, settings, arena, &sessions->items[index], diagnostics))
		return false;
	sessions->items[index]->number = index;
	sessions->items[index]->secrets = sessions->secrets;
	sessions->items[index]->untold = world->untold;
	return true;
}

static bool open_alias(struct sessions *sessions, const struct providers *providers, struct world *world,
		       const struct provider_settings *settings, size_t index, struct arena *arena,
		       struct diagnostics *diagnostics)
{
	struct slice rest = settings->name;
	const struct provider *provider = providers_find(providers, slice_cut(&rest, '.'));
	if (!provider)
		return diag_error(diagnostics, FAULT_USER, settings->position, "there is no provider '%.*s'",
				  SLICE_ARGUMENTS(settings->name));
	return open_session(sessions, index, provider, world, settings->name, &settings->settings, arena, diagnostics);
}

static void make_reachable(const struct session *session, struct world *world)
{
	if (session && session->identity.endpoint.size && world->transport->reach)
		world->transport->reach(world->transport, session->identity.endpoint);
}

static bool reaches(const struct session *session, const struct identity *identity)
{
	return session && session->identified && identity_equal(&session->identity, identity);
}

/* A place that no alias reaches: whatever credentials there are may. */
static void open_recorded(struct sessions *sessions, const struct providers *providers, struct world *world,
			  const struct identity *identity, struct arena *arena)
{
	size_t index = sessions->count++;
	struct diagnostics findings;
	diagnostics_init(&findings, arena);
	sessions->recorded[index - sessions->alias_count] = *identity;
	const struct provider *provider = providers_find(providers, identity->provider);
	if (!provider) {
		sessions->reasons[index] = "its provider is not known to this version";
	} else {
		struct value *settings = arena_new(arena, struct value);
		*settings = provider->settings_of(identity, arena);
		if (!open_session(sessions, index, provider, world, identity->provider, settings, arena, &findings)) {
			const struct diag *first = diagnostics_first_error(&findings);
			sessions->items[index] = NULL;
			sessions->reasons[index] =
				arena_string(arena, first ? first->message : SLICE("it cannot be reached"));
		}
	}
	diagnostics_release(&findings);
}

/* What a block says, with the environment, of who is to answer; empty where that is nothing. */
static struct identity expected_place(const struct providers *providers, struct world *world,
				      const struct provider_settings *settings, struct arena *arena)
{
	struct slice rest = settings->name;
	const struct provider *provider = providers_find(providers, slice_cut(&rest, '.'));
	struct identity expected = {0};
	return provider && provider->expect(world, &settings->settings, arena, &expected) ? expected
											  : (struct identity){0};
}

const struct identity *sessions_expect(const struct providers *providers, struct world *world,
				       const struct stack *stack, struct arena *arena)
{
	struct identity *expected = arena_new_array(arena, stack->provider_count + 1, struct identity);
	for (size_t i = 0; i < stack->provider_count; i++)
		expected[i] = expected_place(providers, world, &stack->providers[i], arena);
	return expected;
}

static void refuse_account(const struct provider_settings *settings, struct slice expected, const char *but,
			   struct slice account, struct diagnostics *diagnostics)
{
	const struct value *named = value_get_named(&settings->settings, "account");
	diag_error(diagnostics, FAULT_AUTH, named ? named->position : settings->position,
		   "provider '%.*s' is to reach account %.*s, but %s account %.*s", SLICE_ARGUMENTS(settings->name),
		   SLICE_ARGUMENTS(expected), but, SLICE_ARGUMENTS(account));
	diag_hint(diagnostics, "use the credentials of the account that is meant, or correct 'account'");
}

bool sessions_account_recorded(const struct providers *providers, struct world *world, const struct stack *stack,
			       struct object *const *objects, size_t count, struct arena *arena,
			       struct diagnostics *diagnostics)
{
	struct slice *expected = arena_new_array(arena, stack->provider_count + 1, struct slice);
	struct map aliases, spare;
	size_t errors = diagnostics->error_count;
	map_init(&aliases);
	map_init(&spare);
	for (size_t i = 0; i < stack->provider_count; i++) {
		expected[i] = expected_place(providers, world, &stack->providers[i], arena).account;
		if (expected[i].size > 0)
			map_set(&aliases, stack->providers[i].name, &expected[i]);
	}
	const struct map *addresses = aliases.count > 0 ? stack_addresses(stack, &spare) : &spare;
	for (size_t i = 0; aliases.count > 0 && i < count; i++) {
		const struct resource *resource = map_get(addresses, objects[i]->address);
		struct slice *account = resource ? map_get(&aliases, resource->provider) : NULL;
		if (!account || account->size == 0 || slice_equal(*account, objects[i]->identity.account))
			continue;
		refuse_account(&stack->providers[account - expected], *account, "what it made is recorded in",
			       objects[i]->identity.account, diagnostics);
		/* One alias has one account: what was said of one object holds for the rest. */
		*account = (struct slice){0};
	}
	map_release(&aliases);
	map_release(&spare);
	return diagnostics->error_count == errors;
}

/* Before anything is listed: credentials of another account must not even read there. */
static void check_accounts(struct sessions *sessions, const struct providers *providers, struct world *world,
			   const struct stack *stack, struct arena *arena, struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < sessions->alias_count; i++) {
		const struct session *session = sessions->items[i];
		struct slice expected = expected_place(providers, world, &stack->providers[i], arena).account;
		if (session && session->identified && expected.size > 0 &&
		    !slice_equal(expected, session->identity.account))
			refuse_account(&stack->providers[i], expected, "its credentials are those of",
				       session->identity.account, diagnostics);
	}
}

static void identify(struct sessions *sessions, struct loop *loop, size_t from, struct arena *arena,
		     struct diagnostics *diagnostics)
{
	size_t count = sessions->count - from;
	struct identifying *asking = arena_new_array(arena, count + 1, struct identifying);
	struct diagnostics *findings = arena_new_array(arena, count + 1, struct diagnostics);
	for (size_t i = 0; i < count; i++) {
		struct session *session = sessions->items[from + i];
		diagnostics_init(&findings[i], arena);
		make_reachable(session, loop->settings.world);
		if (!session)
			continue;
		asking[i].reading = (struct reading){.session = session, .arena = arena};
		asking[i].reading.task.step = identify_step;
		asking[i].reading.task.ended = on_identified;
		asking[i].reading.task.diagnostics = &findings[i];
		loop_add(loop, &asking[i].reading.task);
	}
	if (!loop_run(loop))
		diag_error(diagnostics, FAULT_TRANSIENT, NOWHERE, "interrupted before it was known who answers");
	for (size_t i = 0; i < count; i++) {
		size_t index = from + i;
		if (sessions->items[index] && !asking[i].done) {
			const struct diag *first = diagnostics_first_error(&findings[i]);
			sessions->reasons[index] =
				arena_string(arena, first ? first->message : SLICE("it did not say who it is"));
			if (index < sessions->alias_count)
				diagnostics_join(diagnostics, &findings[i]);
		}
		if (index >= sessions->alias_count && sessions->items[index] && asking[i].done &&
		    !identity_equal(&sessions->items[index]->identity,
				    &sessions->recorded[index - sessions->alias_count]))
			sessions->reasons[index] = "the credentials at hand reach another account";
		diagnostics_release(&findings[i]);
	}
}

bool sessions_open(struct sessions *sessions, const struct providers *providers, struct loop *loop,
		   const struct stack *stack, struct object *const *objects, size_t object_count, struct arena *arena,
		   struct diagnostics *diagnostics)
{
	size_t errors = diagnostics->error_count;
	struct identity *places = NULL;
	size_t place_count = distinct_identities(objects, object_count, &places, arena);
	size_t most = stack->provider_count + place_count + 1;
	*sessions = (struct sessions){
		.items = arena_new_array(arena, most, struct session *),
		.reasons = arena_new_array(arena, most, const char *),
		.recorded = arena_new_array(arena, most, struct identity),
		.secrets = arena_new(arena, struct redaction),
	};
	redaction_init(sessions->secrets);
	for (size_t i = 0; i < stack->provider_count; i++)
		if (!open_alias(sessions, providers, loop->settings.world, &stack->providers[i], i, arena, diagnostics))
			sessions->items[i] = NULL;
	sessions->count = sessions->alias_count = stack->provider_count;
	if (diagnostics->error_count == errors)
		identify(sessions, loop, 0, arena, diagnostics);
	check_accounts(sessions, providers, loop->settings.world, stack, arena, diagnostics);
	for (size_t i = 0; i < place_count; i++) {
		bool reached = false;
		for (size_t k = 0; k < sessions->alias_count && !reached; k++)
			reached = reaches(sessions->items[k], &places[i]);
		if (!reached)
			open_recorded(sessions, providers, loop->settings.world, &places[i], arena);
	}
	if (sessions->count > sessions->alias_count && diagnostics->error_count == errors)
		identify(sessions, loop, sessions->alias_count, arena, diagnostics);
	return diagnostics->error_count == errors;
}

void sessions_close(struct sessions *sessions)
{
	for (size_t i = 0; i < sessions->count; i++)
		if (sessions->items[i])
			sessions->items[i]->provider->close(sessions->items[i]);
	sessions->count = 0;
	if (sessions->secrets)
		redaction_release(sessions->secrets);
}

struct session *sessions_of_alias(const struct sessions *sessions, const struct stack *stack, struct slice alias)
{
	for (size_t i = 0; i < sessions->alias_count; i++)
		if (slice_equal(stack->providers[i].name, alias))
			return sessions->items[i];
	return NULL;
}

struct session *sessions_of_identity(const struct sessions *sessions, const struct identity *identity,
				     struct slice alias, struct slice *ret_reason)
{
	struct session *found = NULL;
	for (size_t i = 0; i < sessions->count; i++) {
		if (!reaches(sessions->items[i], identity))
			continue;
		if (slice_equal(sessions->items[i]->name, alias))
			return sessions->items[i];
		if (!found)
			found = sessions->items[i];
	}
	if (found)
		return found;
	*ret_reason = SLICE("no credentials at hand reach where it is recorded");
	for (size_t i = sessions->alias_count; i < sessions->count; i++)
		if (identity_equal(&sessions->recorded[i - sessions->alias_count], identity) && sessions->reasons[i])
			*ret_reason = slice_of(sessions->reasons[i]);
	return NULL;
}
