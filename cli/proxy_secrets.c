#include "cli/proxy_secrets.h"

#include "base/buffer.h"
#include "base/redaction.h"
#include "base/unescape.h"

enum {
	PASSWORD_MOST_BYTES = 64 * 1024,
	/* What is shorter is a name, which may stand anywhere. */
	TOKEN_LEAST_BYTES = 20,
};

/* As the URL has it: [SCHEME://]USER:PASSWORD@HOST, or TOKEN@HOST, which is all that lets in; empty where there is
 * none. */
static struct slice password_of(struct slice url)
{
	struct slice rest = url;

	(void)slice_cut(&rest, ':');
	rest = slice_starts_with(rest, SLICE("//")) ? slice_from(rest, 2) : url;
	struct slice user = slice_cut(&rest, '/');
	while (user.size > 0 && user.data[user.size - 1] != '@')
		user.size--;
	if (user.size == 0)
		return user;
	user.size--;
	struct slice name = slice_cut(&user, ':');
	return user.size > 0 || name.size < TOKEN_LEAST_BYTES ? user : name;
}

void proxy_secrets_keep(struct world *world)
{
	static const char *const variables[] = {"http_proxy",  "https_proxy", "all_proxy",
						"HTTPS_PROXY", "ALL_PROXY",   "HTTP_PROXY"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *url = world->environment(world, variables[i]);
		struct slice rest = password_of(slice_of(url ? url : ""));
		struct unescaped character;
		BUFFER_AUTO password;

		buffer_init(&password, PASSWORD_MOST_BYTES);
		while (rest.size > 0) {
			rest = slice_from(rest, unescape_url(rest, &character));
			buffer_append(&password, (struct slice){character.bytes, character.count});
		}
		if (password.size >= REDACTION_LEAST_BYTES)
			world->keep_secret(world, buffer_slice(&password));
	}
}
