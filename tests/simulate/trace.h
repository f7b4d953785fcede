#ifndef TRUEUP_TESTS_SIMULATE_TRACE_H
#define TRUEUP_TESTS_SIMULATE_TRACE_H

#include "base/buffer.h"

/* What happened, in order: always digested, so that two runs of a seed can be compared, and
 * kept as text where somebody wants to read it. */
struct trace {
	uint64_t hash;
	uint64_t lines;
	bool keep;
	struct buffer text;
};

void trace_init(struct trace *trace, bool keep);
void trace_release(struct trace *trace);
__attribute__((format(printf, 2, 3))) void trace_line(struct trace *trace, const char *format, ...);
/* Text of the program, digested and kept as it is. */
void trace_text(struct trace *trace, struct slice text);

#endif
