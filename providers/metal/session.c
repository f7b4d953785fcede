#include "base/base64.h"
#include "base/memory.h"
#include "providers/metal/metal.h"

/* Ways to controllers: who we are there, and how their certificates are verified. */

enum { CA_FILE_BYTES_MOST = 8 * 1024 * 1024 };

/*
 * Where the controllers are asked for. Whoever sends AWS to the simulator by AWS_ENDPOINT_URL means the whole spec: a
 * real controller must not be handed a password then. Another endpoint of AWS says nothing about controllers.
 */
static struct slice find_endpoint(struct world *world, const struct value *settings, struct arena *arena)
{
	struct slice endpoint = value_slice(value_get_named(settings, "endpoint"));
	struct slice common = slice_of(world->environment(world, "AWS_ENDPOINT_URL"));

	if (endpoint.size == 0)
		endpoint = slice_of(world->environment(world, "TRUEUP_METAL_ENDPOINT"));
	if (endpoint.size == 0 && endpoint_is_simulated(common))
		endpoint = common;
	return world_endpoint(world, endpoint, arena);
}

static struct position place_of(const struct value *settings, const char *name)
{
	const struct value *value = value_get_named(settings, name);

	return value ? value->position : NOWHERE;
}

/* One that is not known yet is given all the same. */
static bool is_given(const struct value *settings, const char *name)
{
	const struct value *value = value_if_set(value_get_named(settings, name));

	return value && !(value->type == VALUE_STRING && value_slice(value).size == 0);
}

static bool check_endpoint(struct slice name, struct slice endpoint, struct position position,
			   struct diagnostics *diagnostics)
{
	if (endpoint.size == 0 || endpoint_is_simulated(endpoint))
		return true;
	diag_error(diagnostics, FAULT_USER, position, "provider '%.*s' cannot have the endpoint '%.*s'",
		   SLICE_ARGUMENTS(name), SLICE_ARGUMENTS(endpoint));
	diag_hint(diagnostics,
		  "it is for the simulator alone, sim: or sim:FILE; each machine has its own 'controller'");
	return false;
}

/* RFC 7617: a user without a colon, and no control characters. */
static bool check_user(struct slice name, const struct value *settings, struct diagnostics *diagnostics)
{
	struct slice user = value_slice(value_get_named(settings, "user"));

	for (size_t i = 0; i < user.size; i++)
		if ((unsigned char)user.data[i] < ' ' || user.data[i] == ':' || user.data[i] == '\x7f')
			return diag_error(
				diagnostics, FAULT_USER, place_of(settings, "user"),
				"the user of provider '%.*s' has a character that basic authentication forbids",
				SLICE_ARGUMENTS(name));
	return true;
}

static bool check_password(struct slice name, const struct value *settings, struct diagnostics *diagnostics)
{
	bool has_user = is_given(settings, "user");
	bool has_text = is_given(settings, "password"), has_variable = is_given(settings, PASSWORD_VARIABLE);

	if (has_text && has_variable) {
		diag_error(diagnostics, FAULT_USER, place_of(settings, "password"),
			   "provider '%.*s' has both 'password' and 'password_env'", SLICE_ARGUMENTS(name));
		diag_hint(diagnostics, "keep 'password_env'");
		return false;
	}
	if (has_user == (has_text || has_variable))
		return true;
	diag_error(diagnostics, FAULT_USER,
		   place_of(settings, has_user	 ? "user"
				      : has_text ? "password"
						 : PASSWORD_VARIABLE),
		   "provider '%.*s' has a %s but no %s", SLICE_ARGUMENTS(name), has_user ? "user" : "password",
		   has_user ? "password" : "user");
	diag_hint(diagnostics, "give 'user' and 'password_env', or neither where the controllers ask for none");
	return false;
}

bool metal_check(struct slice name, const struct value *settings, struct diagnostics *diagnostics)
{
	bool good = check_endpoint(name, value_slice(value_get_named(settings, "endpoint")),
				   place_of(settings, "endpoint"), diagnostics);

	good &= check_user(name, settings, diagnostics);
	good &= check_password(name, settings, diagnostics);
	if (!value_is_true(value_get_named(settings, "insecure")) || !is_given(settings, "ca_file"))
		return good;
	diag_error(diagnostics, FAULT_USER, place_of(settings, "insecure"),
		   "provider '%.*s' has both 'ca_file' and 'insecure'", SLICE_ARGUMENTS(name));
	diag_hint(diagnostics, "leave out 'insecure': with 'ca_file' the certificates are verified");
	return false;
}

/* The path of a file that the spec names, wherever the command runs. */
static struct slice beside_spec(const struct world *world, struct slice path, struct arena *arena)
{
	if (path.size == 0 || path.data[0] == '/' || !world->folder || strcmp(world->folder, ".") == 0)
		return path;
	return arena_format(arena, "%s/%.*s", world->folder, SLICE_ARGUMENTS(path));
}

static bool check_certificates(const struct metal_session *session, struct world *world, struct arena *arena,
			       struct diagnostics *diagnostics)
{
	struct slice text;

	if (session->insecure) {
		diag_add(diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE,
			 "provider '%.*s' is insecure: its controllers may be anybody, and anybody may learn the "
			 "password",
			 SLICE_ARGUMENTS(session->session.name));
		diag_hint(diagnostics, "give 'ca_file' the certificate that signed theirs");
	}
	/* Once here is better than once a machine. */
	return session->ca_file.size == 0 || world->read_file(world, arena, arena_string(arena, session->ca_file),
							      CA_FILE_BYTES_MOST, &text, diagnostics);
}

static bool find_password(const struct metal_session *session, struct world *world, const struct value *settings,
			  struct arena *arena, struct slice *ret, struct diagnostics *diagnostics)
{
	struct slice password = value_slice(value_get_named(settings, "password"));
	struct slice variable = value_slice(value_get_named(settings, PASSWORD_VARIABLE));

	if (variable.size > 0) {
		password = slice_of(world->environment(world, arena_string(arena, variable)));
		if (password.size == 0) {
			diag_error(diagnostics, FAULT_AUTH, NOWHERE,
				   "provider '%.*s' takes its password from %.*s, which is not set or empty",
				   SLICE_ARGUMENTS(session->session.name), SLICE_ARGUMENTS(variable));
			diag_hint(diagnostics, "set it before you start trueup");
			return false;
		}
	}
	*ret = password;
	return true;
}

/* Basic authentication, RFC 7617. */
static struct slice authorization_of(struct slice user, struct slice password, struct arena *arena)
{
	struct slice pair = arena_format(arena, "%.*s:%.*s", SLICE_ARGUMENTS(user), SLICE_ARGUMENTS(password));
	struct slice encoded = base64_encode(arena, pair);

	return arena_format(arena, "Basic %.*s", SLICE_ARGUMENTS(encoded));
}

bool metal_open(const struct provider *provider, struct world *world, struct slice name, const struct value *settings,
		struct arena *arena, struct session **ret, struct diagnostics *diagnostics)
{
	struct metal_session *session = arena_new(arena, struct metal_session);
	struct slice user = value_slice(value_get_named(settings, "user")), password;

	session->session.provider = provider;
	session->session.name = name;
	session->endpoint = find_endpoint(world, settings, arena);
	session->ca_file = beside_spec(world, value_slice(value_get_named(settings, "ca_file")), arena);
	session->insecure = value_is_true(value_get_named(settings, "insecure"));
	session->allow_plain = value_is_true(value_get_named(settings, "allow_plain"));
	session->session.identity = (struct identity){.provider = SLICE("metal"), .endpoint = session->endpoint};
	/* The environment may name another endpoint than the settings. */
	if (!metal_check(name, settings, diagnostics) ||
	    !check_endpoint(name, session->endpoint, NOWHERE, diagnostics) ||
	    !check_certificates(session, world, arena, diagnostics) ||
	    !find_password(session, world, settings, arena, &password, diagnostics))
		return false;
	if (user.size > 0)
		session->authorization = authorization_of(user, password, arena);
	*ret = &session->session;
	return true;
}

void metal_close(struct session *session)
{
	struct metal_session *own = (struct metal_session *)session;
	union {
		const char *constant;
		char *bytes;
	} text = {own->authorization.data};

	if (own->authorization.size > 0)
		memory_wipe(text.bytes, own->authorization.size);
	own->authorization = (struct slice){NULL, 0};
}

/* Of the one who asks there nothing is recorded: an object whose alias is gone is reached without a password. */
struct value metal_settings_of(const struct identity *identity, struct arena *arena)
{
	struct value_member *member = arena_new(arena, struct value_member);

	if (identity->endpoint.size == 0)
		return value_map(NULL, 0);
	*member = (struct value_member){value_text("endpoint"), value_string(identity->endpoint)};
	return value_map(member, 1);
}

bool metal_expect(struct world *world, const struct value *settings, struct arena *arena, struct identity *ret)
{
	*ret = (struct identity){.provider = SLICE("metal"), .endpoint = find_endpoint(world, settings, arena)};
	return true;
}

/* There is nobody to ask: each machine has a controller of its own. */
enum step metal_identify(struct reading *reading, const struct answer *answer)
{
	(void)answer;
	reading->session->identified = true;
	return STEP_DONE;
}

/* For each of its systems a controller is asked one thing after another; how many at once is the loop's to say. */
struct provider_limits metal_limits(const struct call *call)
{
	(void)call;
	return (struct provider_limits){0};
}
