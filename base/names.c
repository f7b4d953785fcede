#include "base/names.h"

int names_find(const struct names *names, struct slice word)
{
	for (size_t i = 0; i < names->count; i++)
		if (slice_is(word, names->words[i]))
			return (int)i;
	return -1;
}
