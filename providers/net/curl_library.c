/* The checks of variadic arguments are for callers; here the functions themselves are meant. */
#define CURL_DISABLE_TYPECHECK 1
#include "providers/net/curl_library.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

/* The name has stood for one interface since 2006 (https://curl.se/libcurl/abi.html). */
#define LIBRARY_NAME "libcurl.so.4"

static struct {
	__typeof__(curl_global_init_mem) *global_init_mem;
	__typeof__(curl_global_cleanup) *global_cleanup;
	__typeof__(curl_free) *free;
	__typeof__(curl_slist_append) *slist_append;
	__typeof__(curl_slist_free_all) *slist_free_all;
	__typeof__(curl_url) *url;
	__typeof__(curl_url_cleanup) *url_cleanup;
	__typeof__(curl_url_get) *url_get;
	__typeof__(curl_url_set) *url_set;
	__typeof__(curl_easy_init) *easy_init;
	__typeof__(curl_easy_cleanup) *easy_cleanup;
	__typeof__(curl_easy_reset) *easy_reset;
	__typeof__(curl_easy_setopt) *easy_setopt;
	__typeof__(curl_easy_getinfo) *easy_getinfo;
	__typeof__(curl_easy_strerror) *easy_strerror;
	__typeof__(curl_multi_init) *multi_init;
	__typeof__(curl_multi_cleanup) *multi_cleanup;
	__typeof__(curl_multi_setopt) *multi_setopt;
	__typeof__(curl_multi_add_handle) *multi_add_handle;
	__typeof__(curl_multi_remove_handle) *multi_remove_handle;
	__typeof__(curl_multi_perform) *multi_perform;
	__typeof__(curl_multi_poll) *multi_poll;
	__typeof__(curl_multi_info_read) *multi_info_read;
	__typeof__(curl_multi_strerror) *multi_strerror;
} library;

/* The members of `library`, in their order. */
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
_Static_assert(sizeof(library) == NAMES * sizeof(void *), "one name for each function");

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
	if (handle) {
		/* An object pointer becomes a function's only as bytes (dlsym(3), "Notes"). */
		memcpy(&library, functions, sizeof(library));
		return;
	}
	snprintf(problem, sizeof(problem), "libcurl cannot be loaded: %s", dlerror());
}

const char *curl_library_problem(void)
{
	static once_flag once = ONCE_FLAG_INIT;

	call_once(&once, load);
	return problem[0] != '\0' ? problem : NULL;
}

static bool is_there(void)
{
	return curl_library_problem() == NULL;
}

/* What an option's value is passed as shows in its number (curl/curl.h, CURLOPTTYPE_...). */
enum passed_as { PASSED_AS_LONG, PASSED_AS_POINTER, PASSED_AS_OFFSET };

static enum passed_as passed_as(int option)
{
	if (option < CURLOPTTYPE_OBJECTPOINT)
		return PASSED_AS_LONG;
	/* Functions come between the pointers and the offsets; blobs, which are pointers, behind them. */
	return option < CURLOPTTYPE_OFF_T || option >= CURLOPTTYPE_BLOB ? PASSED_AS_POINTER : PASSED_AS_OFFSET;
}

CURLcode curl_global_init_mem(long flags, curl_malloc_callback get, curl_free_callback release,
			      curl_realloc_callback resize, curl_strdup_callback copy, curl_calloc_callback get_zeroed)
{
	return is_there() ? library.global_init_mem(flags, get, release, resize, copy, get_zeroed) : CURLE_FAILED_INIT;
}

void curl_global_cleanup(void)
{
	if (is_there())
		library.global_cleanup();
}

void curl_free(void *bytes)
{
	if (is_there())
		library.free(bytes);
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text)
{
	return is_there() ? library.slist_append(list, text) : NULL;
}

void curl_slist_free_all(struct curl_slist *list)
{
	if (is_there())
		library.slist_free_all(list);
}

CURLU *curl_url(void)
{
	return is_there() ? library.url() : NULL;
}

void curl_url_cleanup(CURLU *url)
{
	if (is_there())
		library.url_cleanup(url);
}

/* Versions of libcurl differ in whether the handle is const, so for C this one has a name of its own. */
CURLUcode url_get(CURLU *url, CURLUPart part, char **ret, unsigned flags) __asm__("curl_url_get");

CURLUcode url_get(CURLU *url, CURLUPart part, char **ret, unsigned flags)
{
	return is_there() ? library.url_get(url, part, ret, flags) : CURLUE_OUT_OF_MEMORY;
}

CURLUcode curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags)
{
	return is_there() ? library.url_set(url, part, text, flags) : CURLUE_OUT_OF_MEMORY;
}

CURL *curl_easy_init(void)
{
	return is_there() ? library.easy_init() : NULL;
}

void curl_easy_cleanup(CURL *easy)
{
	if (is_there())
		library.easy_cleanup(easy);
}

void curl_easy_reset(CURL *easy)
{
	if (is_there())
		library.easy_reset(easy);
}

CURLcode(curl_easy_setopt)(CURL *easy, CURLoption option, ...)
{
	CURLcode code = CURLE_FAILED_INIT;
	va_list arguments;

	if (!is_there())
		return code;
	va_start(arguments, option);
	switch (passed_as((int)option)) {
	case PASSED_AS_LONG:
		code = library.easy_setopt(easy, option, va_arg(arguments, long));
		break;
	case PASSED_AS_POINTER:
		code = library.easy_setopt(easy, option, va_arg(arguments, void *));
		break;
	case PASSED_AS_OFFSET:
		code = library.easy_setopt(easy, option, va_arg(arguments, curl_off_t));
		break;
	}
	va_end(arguments);
	return code;
}

/* Whatever is asked for, it is written through a pointer. */
CURLcode(curl_easy_getinfo)(CURL *easy, CURLINFO info, ...)
{
	CURLcode code;
	va_list arguments;

	if (!is_there())
		return CURLE_FAILED_INIT;
	va_start(arguments, info);
	code = library.easy_getinfo(easy, info, va_arg(arguments, void *));
	va_end(arguments);
	return code;
}

const char *curl_easy_strerror(CURLcode code)
{
	return is_there() ? library.easy_strerror(code) : problem;
}

CURLM *curl_multi_init(void)
{
	return is_there() ? library.multi_init() : NULL;
}

CURLMcode curl_multi_cleanup(CURLM *multi)
{
	return is_there() ? library.multi_cleanup(multi) : CURLM_INTERNAL_ERROR;
}

CURLMcode(curl_multi_setopt)(CURLM *multi, CURLMoption option, ...)
{
	CURLMcode code = CURLM_INTERNAL_ERROR;
	va_list arguments;

	if (!is_there())
		return code;
	va_start(arguments, option);
	switch (passed_as((int)option)) {
	case PASSED_AS_LONG:
		code = library.multi_setopt(multi, option, va_arg(arguments, long));
		break;
	case PASSED_AS_POINTER:
		code = library.multi_setopt(multi, option, va_arg(arguments, void *));
		break;
	case PASSED_AS_OFFSET:
		code = library.multi_setopt(multi, option, va_arg(arguments, curl_off_t));
		break;
	}
	va_end(arguments);
	return code;
}

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy)
{
	return is_there() ? library.multi_add_handle(multi, easy) : CURLM_INTERNAL_ERROR;
}

CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy)
{
	return is_there() ? library.multi_remove_handle(multi, easy) : CURLM_INTERNAL_ERROR;
}

CURLMcode curl_multi_perform(CURLM *multi, int *ret_running)
{
	return is_there() ? library.multi_perform(multi, ret_running) : CURLM_BAD_HANDLE;
}

CURLMcode curl_multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned more_count, int timeout_ms, int *ret_count)
{
	return is_there() ? library.multi_poll(multi, more, more_count, timeout_ms, ret_count) : CURLM_BAD_HANDLE;
}

CURLMsg *curl_multi_info_read(CURLM *multi, int *ret_left)
{
	return is_there() ? library.multi_info_read(multi, ret_left) : NULL;
}

const char *curl_multi_strerror(CURLMcode code)
{
	return is_there() ? library.multi_strerror(code) : problem;
}
