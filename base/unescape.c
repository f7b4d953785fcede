#include "base/unescape.h"

#include <stdint.h>
#include <string.h>

#include "base/hex.h"

enum {
	/* Between two digits of base64: an end of a line, and what the next is indented by. */
	BREAK_MOST_BYTES = 64,
	CODE_POINT_MOST = 0x10ffff,
	SURROGATE_FIRST = 0xd800,
	SURROGATE_LOW = 0xdc00,
	SURROGATE_LAST = 0xdfff,
	BEYOND_FIRST = 0x10000, /* of the code points that a pair of surrogates stands for */
};

static void put_byte(struct unescaped *ret, char byte)
{
	ret->bytes[0] = byte;
	ret->count = 1;
}

/* As UTF-8 (RFC 3629, section 3). */
static void put_code_point(struct unescaped *ret, uint32_t code)
{
	static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < BEYOND_FIRST ? 3 : 4;

	ret->count = count;
	for (size_t i = count; i-- > 1; code >>= 6)
		ret->bytes[i] = (char)(0x80 | (code & 0x3f));
	ret->bytes[0] = (char)(leads[count] | code);
}

size_t unescape_none(struct slice text, struct unescaped *ret)
{
	if (text.size == 0)
		return 0;
	put_byte(ret, text.data[0]);
	return 1;
}

/* "#38;" or "#x26;"; how long it is, 0: it is none. */
static size_t read_number(struct slice text, uint32_t *ret)
{
	bool is_hex = text.size > 1 && (text.data[1] == 'x' || text.data[1] == 'X');
	uint32_t code = 0, base = is_hex ? 16 : 10;
	size_t first = is_hex ? 2 : 1, at = first;

	for (; at < text.size && text.data[at] != ';'; at++) {
		int digit = hex_digit(text.data[at]);

		if (digit < 0 || (uint32_t)digit >= base || code > CODE_POINT_MOST)
			return 0;
		code = code * base + (uint32_t)digit;
	}
	if (at == first || at == text.size || code > CODE_POINT_MOST ||
	    (code >= SURROGATE_FIRST && code <= SURROGATE_LAST))
		return 0;
	*ret = code;
	return at + 1;
}

size_t unescape_xml(struct slice text, struct unescaped *ret)
{
	static const struct {
		const char *name;
		char byte;
	} names[] = {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}};
	struct slice rest = text.size > 0 ? slice_from(text, 1) : text;
	uint32_t code;

	if (rest.size < 2 || text.data[0] != '&')
		return unescape_none(text, ret);
	if (rest.data[0] == '#') {
		size_t size = read_number(rest, &code);

		if (size == 0)
			return unescape_none(text, ret);
		put_code_point(ret, code);
		return 1 + size;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!slice_starts_with(rest, slice_of(names[i].name)))
			continue;
		put_byte(ret, names[i].byte);
		return 1 + strlen(names[i].name);
	}
	return unescape_none(text, ret);
}

/* "\u00e4" */
static bool read_unit(struct slice text, uint32_t *ret)
{
	uint32_t unit = 0;

	if (text.size < 6 || text.data[0] != '\\' || text.data[1] != 'u')
		return false;
	for (size_t i = 2; i < 6; i++) {
		int digit = hex_digit(text.data[i]);

		if (digit < 0)
			return false;
		unit = unit * 16 + (uint32_t)digit;
	}
	*ret = unit;
	return true;
}

size_t unescape_json(struct slice text, struct unescaped *ret)
{
	static const char letters[] = "\"\\/'bfnrt", plain[] = "\"\\/'\b\f\n\r\t";
	uint32_t unit, low;

	if (text.size < 2 || text.data[0] != '\\')
		return unescape_none(text, ret);
	const char *found = text.data[1] ? strchr(letters, text.data[1]) : NULL;
	if (found) {
		put_byte(ret, plain[found - letters]);
		return 2;
	}
	if (!read_unit(text, &unit))
		return unescape_none(text, ret);
	if (unit < SURROGATE_FIRST || unit > SURROGATE_LAST) {
		put_code_point(ret, unit);
		return 6;
	}
	if (unit >= SURROGATE_LOW || !read_unit(slice_from(text, 6), &low) || low < SURROGATE_LOW ||
	    low > SURROGATE_LAST)
		return unescape_none(text, ret);
	put_code_point(ret, BEYOND_FIRST + ((unit - SURROGATE_FIRST) << 10) + (low - SURROGATE_LOW));
	return 12;
}

size_t unescape_url(struct slice text, struct unescaped *ret)
{
	int high = text.size > 2 && text.data[0] == '%' ? hex_digit(text.data[1]) : -1;
	int low = high >= 0 ? hex_digit(text.data[2]) : -1;

	if (low < 0)
		return unescape_none(text, ret);
	put_byte(ret, (char)(high * 16 + low));
	return 3;
}

size_t unescape_form(struct slice text, struct unescaped *ret)
{
	if (text.size == 0 || text.data[0] != '+')
		return unescape_url(text, ret);
	put_byte(ret, ' ');
	return 1;
}

/* Every byte of a text is asked for: a look into a table costs least. */
char unescape_base64_digit(char byte)
{
	static const char digits['z' - ' ' + 1] = {
		"+\0\0\0\0\0\0\0\0\0\0+\0+\0/0123456789\0\0\0\0\0\0\0ABCDEFGHIJKLMNOPQRSTUVWXYZ\0\0\0\0/\0"
		"abcdefghijklmnopqrstuvwxyz"};

	return byte < ' ' || byte > 'z' ? '\0' : digits[byte - ' '];
}

static bool ends_line(char byte)
{
	return byte == '\n' || byte == '\r';
}

/* The digit, or the end of a line, at the start of text, by whichever escapes; 0: neither. */
static size_t read_base64(struct slice text, char *ret)
{
	static unescape *const kinds[] = {unescape_none, unescape_json, unescape_xml, unescape_url};
	struct unescaped character;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t size = kinds[i](text, &character);

		if (size > 0 && character.count == 1 &&
		    (ends_line(character.bytes[0]) || unescape_base64_digit(character.bytes[0]) != '\0')) {
			*ret = character.bytes[0];
			return size;
		}
	}
	return 0;
}

bool unescape_base64_breaks(struct slice text)
{
	char found = '\0';

	return read_base64(text, &found) > 0 && ends_line(found);
}

size_t unescape_base64(struct slice text, struct unescaped *ret)
{
	bool broken = false;
	size_t at = 0;

	while (at < text.size) {
		char found = '\0';

		if (broken && at < BREAK_MOST_BYTES && (text.data[at] == ' ' || text.data[at] == '\t')) {
			at++;
			continue;
		}
		size_t size = read_base64(slice_from(text, at), &found);
		if (size == 0 || at >= BREAK_MOST_BYTES)
			return 0;
		at += size;
		if (!ends_line(found)) {
			put_byte(ret, unescape_base64_digit(found));
			return at;
		}
		broken = true;
	}
	return 0;
}
