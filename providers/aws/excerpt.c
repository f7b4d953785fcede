#include "providers/aws/excerpt.h"

#include "base/buffer.h"

enum { EXCERPT_BYTES = 100 };

struct slice aws_excerpt(struct arena *arena, const struct redaction *untold, struct slice body)
{
	BUFFER_AUTO text;

	buffer_init(&text, EXCERPT_BYTES * 4 + 3);
	body = redaction_shown(untold, body, arena);
	for (size_t i = 0; i < body.size && i < EXCERPT_BYTES; i++) {
		char byte = body.data[i];

		if (byte == '\n')
			buffer_string(&text, "\\n");
		else if (byte < ' ' || byte > '~' || byte == '\\')
			buffer_format(&text, "\\x%02x", (unsigned)(unsigned char)byte);
		else
			buffer_byte(&text, byte);
	}
	if (body.size > EXCERPT_BYTES)
		buffer_string(&text, "...");
	return arena_copy(arena, buffer_slice(&text));
}
