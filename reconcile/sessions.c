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
		if (!map_mark(&seen, identity_text(arena, identity)))
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

/* What is shared while they are opened. */
struct opening {
	struct sessions *sessions;
	const struct providers *providers;
	struct loop *loop;
	struct world *world;
	struct arena *arena;
	struct diagnostics *told; /* parallel to sessions->items: what was told of each */
};

static bool open_session(struct opening *opening, size_t index, const struct provider *provider, struct slice name,
			 const struct value *settings)
{
	struct sessions *sessions = opening->sessions;
	struct world *world = opening->world;
	learn_secrets(sessions->secrets, provider, world, settings, opening->arena);
	if (!provider->open(provider, world, name, settings, opening->arena, &sessions->items[index],
			    &opening->told[index]))
		return false;
	sessions->items[index]->number = index;
	sessions->items[index]->secrets = sessions->secrets;
	sessions->items[index]->untold = world->untold;
	return true;
}

static void fall_silent(struct opening *opening, size_t index, const char *otherwise)
{
	const struct diag *first = diagnostics_first_error(&opening->told[index]);
	opening->sessions->reasons[index] = arena_string(opening->arena, first ? first->message : slice_of(otherwise));
}

static bool open_alias(struct opening *opening, const struct provider_settings *settings, size_t index)
{
	struct slice rest = settings->name;
	const struct provider *provider = providers_find(opening->providers, slice_cut(&rest, '.'));
	if (!provider)
		return diag_error(&opening->told[index], FAULT_USER, settings->position, "there is no provider '%.*s'",
				  SLICE_ARGUMENTS(settings->name));
	return open_session(opening, index, provider, settings->name, &settings->settings);
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
static void open_recorded(struct opening *opening, const struct identity *identity)
{
	struct sessions *sessions = opening->sessions;
	size_t index = sessions->count++;
	sessions->places[index] = *identity;
	diagnostics_init(&opening->told[index], opening->arena);
	const struct provider *provider = providers_find(opening->providers, identity->provider);
	if (!provider) {
		sessions->reasons[index] = "its provider is not known to this version";
		return;
	}
	struct value *settings = arena_new(opening->arena, struct value);
	*settings = provider->settings_of(identity, opening->arena);
	if (open_session(opening, index, provider, identity->provider, settings))
		return;
	sessions->items[index] = NULL;
	fall_silent(opening, index, "it cannot be reached");
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
static void check_accounts(const struct sessions *sessions, struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < sessions->alias_count; i++) {
		const struct session *session = sessions->items[i];
		struct slice expected = sessions->places[i].account;
		if (session && session->identified && expected.size > 0 &&
		    !slice_equal(expected, session->identity.account))
			refuse_account(&sessions->aliases[i], expected, "its credentials are those of",
				       session->identity.account, diagnostics);
	}
}

static void identify(struct opening *opening, size_t from, struct diagnostics *diagnostics)
{
	struct sessions *sessions = opening->sessions;
	size_t count = sessions->count - from;
	struct identifying *asking = arena_new_array(opening->arena, count + 1, struct identifying);
	for (size_t i = 0; i < count; i++) {
		struct session *session = sessions->items[from + i];
		make_reachable(session, opening->world);
		if (!session)
			continue;
		asking[i].reading = (struct reading){.session = session, .arena = opening->arena};
		asking[i].reading.task.step = identify_step;
		asking[i].reading.task.ended = on_identified;
		asking[i].reading.task.diagnostics = &opening->told[from + i];
		loop_add(opening->loop, &asking[i].reading.task);
	}
	if (!loop_run(opening->loop))
		diag_error(diagnostics, FAULT_TRANSIENT, NOWHERE, "interrupted before it was known who answers");
	for (size_t i = 0; i < count; i++) {
		size_t index = from + i;
		const struct session *session = sessions->items[index];
		if (session && !asking[i].done)
			fall_silent(opening, index, "it did not say who it is");
		else if (session && index >= sessions->alias_count &&
			 !identity_equal(&session->identity, &sessions->places[index]))
			sessions->reasons[index] = "the credentials at hand reach another account";
	}
}

/* Whether the block, or what it is run with, is wrong, whoever would answer. */
static bool is_set_up_wrong(const struct diagnostics *told)
{
	for (size_t i = 0; i < told->count; i++)
		if (told->items[i].severity == SEVERITY_ERROR && told->items[i].fault != FAULT_AUTH)
			return true;
	return false;
}

/* False where one is set up wrong. */
static bool open_aliases(struct opening *opening, const struct stack *stack)
{
	struct sessions *sessions = opening->sessions;
	bool good = true;
	sessions->aliases = stack->providers;
	sessions->count = sessions->alias_count = stack->provider_count;
	for (size_t i = 0; i < stack->provider_count; i++) {
		diagnostics_init(&opening->told[i], opening->arena);
		sessions->places[i] =
			expected_place(opening->providers, opening->world, &stack->providers[i], opening->arena);
		if (open_alias(opening, &stack->providers[i], i))
			continue;
		sessions->items[i] = NULL;
		fall_silent(opening, i, "it cannot be reached");
		good &= !is_set_up_wrong(&opening->told[i]);
	}
	return good;
}

/* Whether the alias is a way to the place, as far as it is known where it leads. */
static bool may_lead_to(const struct identity *leads, const struct identity *place)
{
	return slice_equal(leads->provider, place->provider) && slice_equal(leads->endpoint, place->endpoint) &&
	       (leads->account.size == 0 || slice_equal(leads->account, place->account)) &&
	       (leads->region.size == 0 || slice_equal(leads->region, place->region));
}

/* A place whose way is silent is not tried with whatever credentials there are: those of the alias are meant. */
static bool has_alias(const struct sessions *sessions, const struct identity *place)
{
	for (size_t i = 0; i < sessions->alias_count; i++)
		if (reaches(sessions->items[i], place) ||
		    (sessions->reasons[i] && may_lead_to(&sessions->places[i], place)))
			return true;
	return false;
}

static bool anybody_answers(const struct sessions *sessions)
{
	for (size_t i = 0; i < sessions->count; i++)
		if (sessions_at(sessions, i))
			return true;
	return false;
}

/* Where the rest can be dealt with, what an alias lacks is no error. */
static void tell_of_aliases(struct opening *opening, bool goes_on, struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < opening->sessions->alias_count; i++) {
		struct diagnostics *told = &opening->told[i];
		for (size_t k = 0; goes_on && k < told->count; k++)
			if (told->items[k].severity == SEVERITY_ERROR)
				told->items[k].severity = SEVERITY_WARNING;
		if (goes_on)
			told->error_count = 0;
		diagnostics_join(diagnostics, told);
	}
	for (size_t i = 0; i < opening->sessions->count; i++)
		diagnostics_release(&opening->told[i]);
}

bool sessions_open(struct sessions *sessions, const struct providers *providers, struct loop *loop,
		   const struct stack *stack, struct object *const *objects, size_t object_count, struct arena *arena,
		   struct diagnostics *diagnostics)
{
	size_t errors = diagnostics->error_count;
	struct identity *places = NULL;
	size_t place_count = distinct_identities(objects, object_count, &places, arena);
	size_t most = stack->provider_count + place_count + 1;
	struct opening opening = {
		.sessions = sessions,
		.providers = providers,
		.loop = loop,
		.world = loop->settings.world,
		.arena = arena,
		.told = arena_new_array(arena, most, struct diagnostics),
	};
	*sessions = (struct sessions){
		.items = arena_new_array(arena, most, struct session *),
		.reasons = arena_new_array(arena, most, const char *),
		.places = arena_new_array(arena, most, struct identity),
		.secrets = arena_new(arena, struct redaction),
	};
	redaction_init(sessions->secrets);
	bool good = open_aliases(&opening, stack);
	if (good)
		identify(&opening, 0, diagnostics);
	check_accounts(sessions, diagnostics);
	good &= diagnostics->error_count == errors;
	for (size_t i = 0; i < place_count; i++)
		if (!has_alias(sessions, &places[i]))
			open_recorded(&opening, &places[i]);
	if (good && sessions->count > sessions->alias_count)
		identify(&opening, sessions->alias_count, diagnostics);
	tell_of_aliases(&opening, good && anybody_answers(sessions), diagnostics);
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

/* Its number; alias_count: there is no such alias. */
static size_t number_of(const struct sessions *sessions, const struct stack *stack, struct slice alias)
{
	size_t number = 0;
	while (number < sessions->alias_count && !slice_equal(stack->providers[number].name, alias))
		number++;
	return number;
}

struct session *sessions_at(const struct sessions *sessions, size_t number)
{
	return sessions->reasons[number] ? NULL : sessions->items[number];
}

struct session *sessions_of_alias(const struct sessions *sessions, const struct stack *stack, struct slice alias)
{
	size_t number = number_of(sessions, stack, alias);
	return number < sessions->alias_count ? sessions_at(sessions, number) : NULL;
}

const char *sessions_silence(const struct sessions *sessions, const struct stack *stack, struct slice alias)
{
	size_t number = number_of(sessions, stack, alias);
	return number < sessions->alias_count ? sessions->reasons[number] : NULL;
}

size_t sessions_silent(const struct sessions *sessions, size_t from)
{
	while (from < sessions->count && !sessions->reasons[from])
		from++;
	return from;
}

/* Why nobody answers on an alias that may lead to the place, that one before others; NULL: none is silent. */
static const char *silence_on_way(const struct sessions *sessions, const struct identity *place, struct slice alias,
				  bool *ret_own)
{
	const char *reason = NULL;
	*ret_own = false;
	for (size_t i = 0; i < sessions->alias_count && !*ret_own; i++) {
		if (!sessions->reasons[i] || !may_lead_to(&sessions->places[i], place))
			continue;
		*ret_own = slice_equal(sessions->aliases[i].name, alias);
		if (!reason || *ret_own)
			reason = sessions->reasons[i];
	}
	return reason;
}

/* The same of the place itself, where no alias reaches it. */
static const char *silence_of_recorded(const struct sessions *sessions, const struct identity *place)
{
	for (size_t i = sessions->alias_count; i < sessions->count; i++)
		if (sessions->reasons[i] && identity_equal(&sessions->places[i], place))
			return sessions->reasons[i];
	return NULL;
}

const char *sessions_silence_at(const struct sessions *sessions, const struct identity *place)
{
	const char *recorded = silence_of_recorded(sessions, place);
	bool own;

	return recorded ? recorded : silence_on_way(sessions, place, (struct slice){NULL, 0}, &own);
}

/* Where a place does not say whose it is each alias has credentials of its own: no other's are meant. */
static bool says_whose(const struct identity *place)
{
	return place->account.size > 0;
}

struct session *sessions_of_identity(const struct sessions *sessions, const struct identity *identity,
				     struct slice alias, struct slice *ret_reason)
{
	struct session *found = NULL;
	const char *recorded;
	bool own;
	const char *silence = silence_on_way(sessions, identity, alias, &own);
	/* Where the alias itself is silent no other's credentials are meant. */
	for (size_t i = 0; i < sessions->count && !own; i++) {
		if (!reaches(sessions->items[i], identity))
			continue;
		if (slice_equal(sessions->items[i]->name, alias))
			return sessions->items[i];
		if (!found && (says_whose(identity) || i >= sessions->alias_count))
			found = sessions->items[i];
	}
	if (found)
		return found;
	recorded = silence_of_recorded(sessions, identity);
	*ret_reason = recorded	? slice_of(recorded)
		      : silence ? slice_of(silence)
		      : says_whose(identity)
			      ? SLICE("no credentials at hand reach where it is recorded")
			      : SLICE("the provider block that it is recorded with is in the spec no more");
	return NULL;
}
