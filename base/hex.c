#include "base/hex.h"

void hex_write(const uint8_t *bytes, size_t count, char *ret)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		ret[2 * i] = digits[bytes[i] >> 4];
		ret[2 * i + 1] = digits[bytes[i] & 15];
	}
}

struct slice hex_encode(struct arena *arena, struct slice bytes)
{
	char *hex = (char *)arena_array(arena, bytes.size + 1, 2);

	hex_write((const uint8_t *)bytes.data, bytes.size, hex);
	return (struct slice){hex, bytes.size * 2};
}

bool hex_is(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (hex_digit(text.data[i]) < 0 || (text.data[i] >= 'A' && text.data[i] <= 'F'))
			return false;
	return true;
}

bool hex_read(struct slice text, uint8_t *ret, size_t count)
{
	if (text.size % 2 != 0 || text.size / 2 != count || !hex_is(text))
		return false;
	for (size_t i = 0; i < count; i++)
		ret[i] = (uint8_t)((unsigned)hex_digit(text.data[2 * i]) << 4 |
				   (unsigned)hex_digit(text.data[2 * i + 1]));
	return true;
}
