#ifndef TRUEUP_BASE_PRINTABLE_H
#define TRUEUP_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * Text from outside, as a terminal may have it: what would steer it, or turn the direction of reading, is shown as an
 * escape instead.
 */

/* Length of the character at the start of text where it can be shown as it is, 0 otherwise. */
size_t printable_size(struct slice text);
/* Appends the character at the start of text, or the escape of its first byte, and takes that off. octal: as a shell
 * reads it. */
void print_character(struct buffer *buffer, struct slice *text, bool octal);
/* All of it. */
void print_safe(struct buffer *buffer, struct slice text);
/* The columns of a terminal that this takes. */
size_t print_safe_columns(struct slice text);

#endif
