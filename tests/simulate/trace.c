#include "tests/simulate/trace.h"

#include <stdarg.h>
#include <stdio.h>

enum { KEPT_MOST_BYTES = 64 * 1024 * 1024 };

void trace_init(struct trace *trace, bool keep)
{
	*trace = (struct trace){.hash = 0xcbf29ce484222325u, .keep = keep};
	buffer_init(&trace->text, KEPT_MOST_BYTES);
}

void trace_release(struct trace *trace)
{
	buffer_release(&trace->text);
}

void trace_text(struct trace *trace, struct slice text)
{
	/* FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): all it has to see is a difference. */
	for (size_t i = 0; i < text.size; i++)
		trace->hash = (trace->hash ^ (unsigned char)text.data[i]) * 0x100000001b3u;
	if (trace->keep)
		buffer_append(&trace->text, text);
}

void trace_line(struct trace *trace, const char *format, ...)
{
	char line[512];
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(line, sizeof(line) - 1, format, arguments);
	va_end(arguments);
	if (size < 0)
		return;
	if ((size_t)size > sizeof(line) - 2)
		size = (int)sizeof(line) - 2;
	line[size] = '\n';
	trace->lines++;
	trace_text(trace, (struct slice){line, (size_t)size + 1});
}
