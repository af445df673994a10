/*
 * digest.c - BLAKE2b by libsodium.
 *
 * sodium_init() runs at the first digest, not at program start, where it would
 * take longer than the rest.
 */
#include "base/digest.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>

static void init_sodium(void)
{
	/* Without it libsodium uses its slow portable code. */
	if (sodium_init() < 0)
		abort();
}

struct digest digest_of(struct str bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct digest d;

	(void)pthread_once(&once, init_sodium);
	(void)crypto_generichash(d.bytes, sizeof(d.bytes),
				 (const unsigned char *)bytes.ptr, bytes.len,
				 NULL, 0);
	return d;
}

void digest_hex(struct digest d, char to[DIGEST_HEX + 1])
{
	for (size_t i = 0; i < sizeof(d.bytes); i++) {
		*to++ = "0123456789abcdef"[d.bytes[i] >> 4];
		*to++ = "0123456789abcdef"[d.bytes[i] & 15];
	}
	*to = '\0';
}

bool digest_from_hex(struct str hex, struct digest *ret)
{
	if (hex.len != DIGEST_HEX)
		return false;
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		int high = hex_digit(hex.ptr[2 * i]);
		int low = hex_digit(hex.ptr[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

bool digest_eq(struct digest a, struct digest b)
{
	return !sodium_memcmp(a.bytes, b.bytes, sizeof(a.bytes));
}
