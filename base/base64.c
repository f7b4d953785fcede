#include "base/base64.h"

#include <stddef.h>
#include <stdint.h>

struct slice base64_encode(struct arena *arena, struct slice bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *from = (const uint8_t *)bytes.data;
	char *text = (char *)arena_array(arena, bytes.size / 3 + 2, 4);
	char *to = text;

	for (size_t i = 0; i < bytes.size; i += 3) {
		size_t left = bytes.size - i;
		uint32_t group = (uint32_t)from[i] << 16;

		if (left > 1)
			group |= (uint32_t)from[i + 1] << 8;
		if (left > 2)
			group |= from[i + 2];
		*to++ = digits[group >> 18];
		*to++ = digits[group >> 12 & 63];
		*to++ = left > 1 ? digits[group >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[group & 63] : '=';
	}
	return (struct slice){text, (size_t)(to - text)};
}

static int base64_digit(char digit)
{
	if (digit >= 'A' && digit <= 'Z')
		return digit - 'A';
	if (digit >= 'a' && digit <= 'z')
		return digit - 'a' + 26;
	if (digit >= '0' && digit <= '9')
		return digit - '0' + 52;
	if (digit == '+')
		return 62;
	return digit == '/' ? 63 : -1;
}

bool base64_decode(struct arena *arena, struct slice text, struct slice *ret)
{
	uint8_t *bytes = (uint8_t *)arena_array(arena, text.size / 4 + 2, 3);
	size_t digit_count = 0, padding = 0, size = 0;
	uint32_t group = 0;

	for (size_t i = 0; i < text.size; i++) {
		int digit = base64_digit(text.data[i]);

		if (slice_is_space(text.data[i]))
			continue;
		if (text.data[i] == '=' && padding < 2) {
			padding++;
			continue;
		}
		if (digit < 0 || padding > 0)
			return false;
		group = group << 6 | (uint32_t)digit;
		if (++digit_count % 4 != 0)
			continue;
		bytes[size++] = (uint8_t)(group >> 16);
		bytes[size++] = (uint8_t)(group >> 8);
		bytes[size++] = (uint8_t)group;
	}
	if ((digit_count + padding) % 4 != 0)
		return false;
	/* Bits that the padding leaves over are zero (RFC 4648, section 3.5): each text means one byte string. */
	group <<= 6 * padding;
	if ((padding == 1 && (group & 0xff) != 0) || (padding == 2 && (group & 0xffff) != 0))
		return false;
	if (padding > 0)
		bytes[size++] = (uint8_t)(group >> 16);
	if (padding == 1)
		bytes[size++] = (uint8_t)(group >> 8);
	*ret = (struct slice){(const char *)bytes, size};
	return true;
}
