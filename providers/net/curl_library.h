#ifndef TRUEUP_PROVIDERS_NET_CURL_LIBRARY_H
#define TRUEUP_PROVIDERS_NET_CURL_LIBRARY_H

/*
 * libcurl, loaded when its first function is called and not before. It brings thirty libraries
 * along, and to load them takes longer than most commands that send nothing; so the program is
 * linked with functions of libcurl's names that pass each call on. Nobody but curl_library.c
 * needs to know.
 *
 * Where libcurl cannot be loaded those functions fail as libcurl itself does: NULL, or the code
 * for a failed start.
 */

/* Loads libcurl if that was not tried yet. NULL, or the dynamic loader's word on why it cannot be. */
const char *curl_library_problem(void);

#endif
