/*
 * uuid.c - UUIDs of version 7 (RFC 9562).
 */
#include "base/uuid.h"

#include "base/secret.h"

struct uuid uuid_new(uint64_t time_ms)
{
	struct uuid id;

	secret_random(id.bytes, sizeof(id.bytes));
	for (int i = 0; i < 6; i++)
		id.bytes[i] = (uint8_t)(time_ms >> (40 - 8 * i));
	id.bytes[6] = (uint8_t)(0x70 | (id.bytes[6] & 0x0f));
	id.bytes[8] = (uint8_t)(0x80 | (id.bytes[8] & 0x3f));
	return id;
}

static bool dash_before(int byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void uuid_text(struct uuid id, char to[UUID_TEXT + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < 16; i++) {
		if (dash_before(i))
			*to++ = '-';
		*to++ = digits[id.bytes[i] >> 4];
		*to++ = digits[id.bytes[i] & 15];
	}
	*to = '\0';
}

bool uuid_parse(struct str text, struct uuid *ret)
{
	size_t at = 0;

	if (text.len != UUID_TEXT)
		return false;
	for (int i = 0; i < 16; i++) {
		int high, low;

		if (dash_before(i) && text.ptr[at++] != '-')
			return false;
		high = hex_digit(text.ptr[at++]);
		low = hex_digit(text.ptr[at++]);
		if (high < 0 || low < 0)
			return false;
		ret->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

bool uuid_eq(struct uuid a, struct uuid b)
{
	return !memcmp(a.bytes, b.bytes, sizeof(a.bytes));
}

bool uuid_is_zero(struct uuid id)
{
	return uuid_eq(id, (struct uuid){ 0 });
}
