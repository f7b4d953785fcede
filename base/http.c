#include "base/http.h"

struct slice http_header_value(const struct http_header *headers, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal_caseless(headers[i].name, slice_of(name)))
			return headers[i].value.data ? slice_trim(headers[i].value) : SLICE("");
	return (struct slice){NULL, 0};
}
