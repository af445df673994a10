#include "base/digest.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>

static void start(void)
{
	/* Else it takes the slow way: it has not looked at the processor. */
	if (sodium_init() < 0)
		abort();
}

struct digest digest_of(struct str bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct digest d;

	(void)pthread_once(&once, start);
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

bool digest_eq(struct digest a, struct digest b)
{
	return !sodium_memcmp(a.bytes, b.bytes, sizeof(a.bytes));
}
