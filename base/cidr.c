#include "base/cidr.h"

#include <endian.h>
#include <string.h>

#include "base/hex.h"

enum {
	FAMILY_4 = 4,
	FAMILY_6 = 6,
	/* No address is longer than "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255". */
	ADDRESS_LONGEST = 45,
};

static unsigned family_bits(uint8_t family)
{
	return family == FAMILY_4 ? 32 : 128;
}

/* Decimal without leading zeros, at most largest (below 1000). */
static bool decimal_read(struct slice text, unsigned largest, uint8_t *ret)
{
	unsigned number = 0;

	if (text.size == 0 || text.size > 3 || (text.size > 1 && text.data[0] == '0'))
		return false;
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		number = number * 10 + (unsigned)(text.data[i] - '0');
	}
	if (number > largest)
		return false;
	*ret = (uint8_t)number;
	return true;
}

/*
 * Four octets as decimal_read() takes them, in one pass, as a spec holds a range or two for each resource. Returns
 * where they end, or 0 where text does not begin with them.
 */
static size_t octets_read(struct slice text, uint8_t bytes[4])
{
	size_t at = 0;

	for (size_t i = 0; i < 4; i++) {
		size_t first = at;
		unsigned number = 0;

		for (; at < text.size && at - first < 3 && text.data[at] >= '0' && text.data[at] <= '9'; at++)
			number = number * 10 + (unsigned)(text.data[at] - '0');
		if (at == first || number > 255 || (at - first > 1 && text.data[first] == '0'))
			return 0;
		bytes[i] = (uint8_t)number;
		if (i < 3 && (at == text.size || text.data[at++] != '.'))
			return 0;
	}
	return at;
}

static bool address4_read(struct slice text, uint8_t bytes[4])
{
	return text.size > 0 && octets_read(text, bytes) == text.size;
}

static bool group_read(struct slice text, uint8_t bytes[2])
{
	unsigned number = 0;

	if (text.size == 0 || text.size > 4)
		return false;
	for (size_t i = 0; i < text.size; i++) {
		int digit = hex_digit(text.data[i]);

		if (digit < 0)
			return false;
		number = number << 4 | (unsigned)digit;
	}
	bytes[0] = (uint8_t)(number >> 8);
	bytes[1] = (uint8_t)number;
	return true;
}

/*
 * Groups between colons, at most room bytes of them; the last may be an IPv4 address where
 * last is set. No text, no groups. *ret_size: bytes written.
 */
static bool groups_read(struct slice text, bool last, uint8_t *bytes, size_t room, size_t *ret_size)
{
	size_t size = 0;

	while (text.data) {
		struct slice part = slice_cut(&text, ':');
		bool dotted = last && !text.data && slice_contains(part, SLICE("."));
		size_t step = dotted ? 4 : 2;

		if (size + step > room)
			return false;
		if (dotted ? !address4_read(part, bytes + size) : !group_read(part, bytes + size))
			return false;
		size += step;
	}
	*ret_size = size;
	return true;
}

/* RFC 4291, section 2.2, forms 1 to 3; no zone. */
static bool address6_read(struct slice text, uint8_t bytes[16])
{
	struct slice head = {NULL, 0}, tail = {NULL, 0};
	uint8_t tail_bytes[16];
	size_t head_size, tail_size, gap = text.size;

	for (size_t i = 0; i + 1 < text.size; i++) {
		if (text.data[i] == ':' && text.data[i + 1] == ':') {
			gap = i;
			break;
		}
	}
	if (gap == text.size)
		return groups_read(text, true, bytes, 16, &head_size) && head_size == 16;
	if (gap > 0)
		head = slice_first(text, gap);
	if (gap + 2 < text.size)
		tail = slice_from(text, gap + 2);
	/* "::" stands for one group at least, so 14 bytes are left for the rest. */
	if (!groups_read(head, false, bytes, 14, &head_size) ||
	    !groups_read(tail, true, tail_bytes, 14 - head_size, &tail_size))
		return false;
	memset(bytes + head_size, 0, 16 - head_size);
	memcpy(bytes + 16 - tail_size, tail_bytes, tail_size);
	return true;
}

bool cidr_read_address(struct slice text, struct cidr *ret)
{
	struct cidr cidr = {0};

	if (text.size == 0 || text.size > ADDRESS_LONGEST)
		return false;
	cidr.family = memchr(text.data, ':', text.size) ? FAMILY_6 : FAMILY_4;
	if (cidr.family == FAMILY_4 ? !address4_read(text, cidr.bytes) : !address6_read(text, cidr.bytes))
		return false;
	cidr.bits = (uint8_t)family_bits(cidr.family);
	*ret = cidr;
	return true;
}

/* Whether any bit behind the first cidr->bits is set. */
static bool has_host_bits(const struct cidr *cidr)
{
	uint64_t halves[2];

	memcpy(halves, cidr->bytes, sizeof(halves));
	if (cidr->bits < 64)
		return (be64toh(halves[0]) & UINT64_MAX >> cidr->bits) != 0 || halves[1] != 0;
	return cidr->bits < 128 && (be64toh(halves[1]) & UINT64_MAX >> (cidr->bits - 64)) != 0;
}

bool cidr_read(struct slice text, struct cidr *ret)
{
	struct cidr cidr = {.family = FAMILY_4};
	size_t end = octets_read(text, cidr.bytes);

	if (end > 0 && end < text.size && text.data[end] == '/')
		text = slice_from(text, end + 1);
	else if (!cidr_read_address(slice_cut(&text, '/'), &cidr))
		return false;
	/* Without a slash the length is empty, which is no number. */
	if (!decimal_read(text, family_bits(cidr.family), &cidr.bits))
		return false;
	cidr.host_bits = has_host_bits(&cidr);
	*ret = cidr;
	return true;
}

struct cidr cidr_network(struct cidr cidr)
{
	size_t whole = cidr.bits / 8;

	if (whole < sizeof(cidr.bytes)) {
		cidr.bytes[whole] &= (uint8_t)(0xff00 >> (cidr.bits % 8));
		memset(cidr.bytes + whole + 1, 0, sizeof(cidr.bytes) - whole - 1);
	}
	cidr.host_bits = false;
	return cidr;
}

/* Writes number without leading zeros and returns what follows it. */
static char *number_write(char *to, unsigned number, unsigned base)
{
	char digits[5];
	size_t count = 0;

	do {
		digits[count++] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number > 0);
	while (count > 0)
		*to++ = digits[--count];
	return to;
}

static char *address4_write(char *to, const uint8_t bytes[4])
{
	for (size_t i = 0; i < 4; i++) {
		if (i > 0)
			*to++ = '.';
		to = number_write(to, bytes[i], 10);
	}
	return to;
}

/* The first of the longest runs of two or more zero groups among count: from *ret_from to before *ret_to. */
static void zero_run(const uint8_t *bytes, size_t count, size_t *ret_from, size_t *ret_to)
{
	size_t from = 0;

	*ret_from = *ret_to = count;
	for (size_t i = 0; i < count; i++) {
		if (bytes[2 * i] != 0 || bytes[2 * i + 1] != 0) {
			from = i + 1;
		} else if (i + 1 - from >= 2 && i + 1 - from > *ret_to - *ret_from) {
			*ret_from = from;
			*ret_to = i + 1;
		}
	}
}

/* RFC 5952, sections 4 and 5: an address that maps IPv4 (::ffff:0:0/96) ends in dotted form. */
static char *address6_write(char *to, const uint8_t bytes[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool is_mapped = memcmp(bytes, mapped, sizeof(mapped)) == 0;
	size_t count = is_mapped ? 6 : 8, from, end;

	zero_run(bytes, count, &from, &end);
	for (size_t i = 0; i < count; i++) {
		if (i >= from && i < end) {
			/* The colon in front of the next group is the second of the two. */
			if (i == from)
				*to++ = ':';
			if (i + 1 == count)
				*to++ = ':';
			continue;
		}
		if (i > 0)
			*to++ = ':';
		to = number_write(to, (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1], 16);
	}
	if (is_mapped) {
		*to++ = ':';
		to = address4_write(to, bytes + 12);
	}
	return to;
}

static char *address_write(char *to, const struct cidr *cidr)
{
	return cidr->family == FAMILY_4 ? address4_write(to, cidr->bytes) : address6_write(to, cidr->bytes);
}

struct slice cidr_text(struct arena *arena, const struct cidr *cidr)
{
	char text[ADDRESS_LONGEST + sizeof("/128")];
	char *to = address_write(text, cidr);

	*to++ = '/';
	to = number_write(to, cidr->bits, 10);
	return arena_copy(arena, (struct slice){text, (size_t)(to - text)});
}

struct slice cidr_address_text(struct arena *arena, const struct cidr *cidr)
{
	char text[ADDRESS_LONGEST];

	return arena_copy(arena, (struct slice){text, (size_t)(address_write(text, cidr) - text)});
}

/* Whether the first bits of both are the same. */
static bool same_prefix(const struct cidr *a, const struct cidr *b, unsigned bits)
{
	size_t whole = bits / 8;

	if (memcmp(a->bytes, b->bytes, whole) != 0)
		return false;
	return bits % 8 == 0 || ((unsigned)(a->bytes[whole] ^ b->bytes[whole]) >> (8 - bits % 8)) == 0;
}

bool cidr_contains(const struct cidr *outer, const struct cidr *inner)
{
	return outer->family == inner->family && outer->bits <= inner->bits && same_prefix(outer, inner, outer->bits);
}

bool cidr_overlap(const struct cidr *a, const struct cidr *b)
{
	return cidr_contains(a, b) || cidr_contains(b, a);
}

bool cidr_subnet(const struct cidr *network, uint8_t bits, uint64_t number, struct cidr *ret)
{
	struct cidr subnet = cidr_network(*network);

	if (bits < network->bits || bits > family_bits(network->family))
		return false;
	if (bits - network->bits < 64 && number >> (bits - network->bits) != 0)
		return false;
	for (unsigned bit = bits; number > 0; number >>= 1) {
		bit--;
		if (number & 1)
			subnet.bytes[bit / 8] |= (uint8_t)(0x80 >> (bit % 8));
	}
	subnet.bits = bits;
	*ret = subnet;
	return true;
}
