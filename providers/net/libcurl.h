#ifndef TRUEUP_PROVIDERS_NET_LIBCURL_H
#define TRUEUP_PROVIDERS_NET_LIBCURL_H

#include <curl/curl.h>

/*
 * libcurl, loaded when it is first asked for and not with the program: it brings thirty libraries
 * along, and to load them takes longer than most commands that send nothing.
 */
struct libcurl {
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
};

/* Its functions, for the program's life; NULL where it cannot be loaded. */
const struct libcurl *libcurl(void);
/* The dynamic loader's word on why it cannot be loaded, or NULL. */
const char *libcurl_problem(void);

#endif
