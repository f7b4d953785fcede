#ifndef TRUEUP_BASE_HEX_H
#define TRUEUP_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

/* The value of a hexadecimal digit of either case; -1: it is none. */
static inline int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* Whether all of it are such digits as hex_write() writes. */
bool hex_is(struct slice text);
/* Two lower-case digits a byte, no NUL behind them. */
void hex_write(const uint8_t *bytes, size_t count, char *ret);
struct slice hex_encode(struct arena *arena, struct slice bytes);
/* count bytes; false where text is anything but what hex_write() makes of so many. */
__attribute__((warn_unused_result)) bool hex_read(struct slice text, uint8_t *ret, size_t count);

#endif
