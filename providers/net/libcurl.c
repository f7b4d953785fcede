#include "providers/net/libcurl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

/* The name has stood for one interface since 2006 (https://curl.se/libcurl/abi.html). */
#define LIBRARY_NAME "libcurl.so.4"

/* The members of struct libcurl, in their order. */
static const char *const names[] = {
	"curl_global_init_mem",
	"curl_global_cleanup",
	"curl_free",
	"curl_slist_append",
	"curl_slist_free_all",
	"curl_url",
	"curl_url_cleanup",
	"curl_url_get",
	"curl_url_set",
	"curl_easy_init",
	"curl_easy_cleanup",
	"curl_easy_reset",
	"curl_easy_setopt",
	"curl_easy_getinfo",
	"curl_easy_strerror",
	"curl_multi_init",
	"curl_multi_cleanup",
	"curl_multi_setopt",
	"curl_multi_add_handle",
	"curl_multi_remove_handle",
	"curl_multi_perform",
	"curl_multi_poll",
	"curl_multi_info_read",
	"curl_multi_strerror",
};

enum { NAMES = sizeof(names) / sizeof(names[0]) };
_Static_assert(sizeof(struct libcurl) == NAMES * sizeof(void *), "one name for each function");

/* Written once, by load(). */
static struct libcurl loaded;
static char problem[256];

static void load(void)
{
	void *handle = dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
	void *functions[NAMES];

	for (size_t i = 0; handle && i < NAMES; i++) {
		functions[i] = dlsym(handle, names[i]);
		if (!functions[i])
			handle = NULL;
	}
	if (!handle) {
		snprintf(problem, sizeof(problem), "libcurl cannot be loaded: %s", dlerror());
		return;
	}
	/* An object pointer becomes a function's only as bytes (dlsym(3), "Notes"). */
	memcpy(&loaded, functions, sizeof(loaded));
}

const struct libcurl *libcurl(void)
{
	static once_flag once = ONCE_FLAG_INIT;

	call_once(&once, load);
	return problem[0] == '\0' ? &loaded : NULL;
}

const char *libcurl_problem(void)
{
	return libcurl() ? NULL : problem;
}
