#ifndef TRUEUP_BASE_NAMES_H
#define TRUEUP_BASE_NAMES_H

#include <stddef.h>

#include "base/slice.h"

/* The words for the members of an enumeration, by value, as files and answers have them. */
struct names {
	const char *const *words;
	size_t count;
};

#define NAMES(array)                                                                                                   \
	{                                                                                                              \
		(array), sizeof(array) / sizeof((array)[0])                                                            \
	}

/* The member that the word is for, or -1. */
int names_find(const struct names *names, struct slice word);

#endif
