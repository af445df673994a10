/*
 * secret.c - random bytes, and memory that keeps secrets from leaking.
 *
 * Guarded memory is libsodium's. The library is initialised at its first use
 * and not at program start: sodium_init() probes the processor, which takes
 * longer than the rest of a start. Random bytes do not need it.
 */
#include "base/secret.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
	TOKEN_BYTES = 32,
	TOKEN_FORMAT = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
};

void secret_random(void *to, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = getrandom((char *)to + have, n - have, 0);

		if (got > 0)
			have += (size_t)got;
		else if (errno != EINTR)
			abort(); /* without randomness no key is safe */
	}
}

void secret_random_hex(char *to, size_t digits)
{
	uint8_t byte = 0;

	for (size_t i = 0; i < digits; i++) {
		if (i % 2 == 0)
			secret_random(&byte, 1);
		*to++ = "0123456789abcdef"[i % 2 ? byte & 15 : byte >> 4];
	}
	*to = '\0';
}

struct str secret_token(struct arena *mem)
{
	enum { SIZE = sodium_base64_ENCODED_LEN(TOKEN_BYTES, TOKEN_FORMAT) };
	char *text = arena_alloc(mem, SIZE);
	uint8_t bytes[TOKEN_BYTES];

	secret_random(bytes, sizeof(bytes));
	(void)sodium_bin2base64(text, SIZE, bytes, TOKEN_BYTES, TOKEN_FORMAT);
	sodium_memzero(bytes, sizeof(bytes));
	return str_make(text, SIZE - 1);
}

struct str secret_guard(struct str secret)
{
	char *copy;

	if (sodium_init() < 0) /* safe to repeat, from any thread */
		abort();
	copy = sodium_malloc(size_max(secret.len, 1));
	if (!copy)
		out_of_memory();
	if (secret.len)
		memcpy(copy, secret.ptr, secret.len);
	(void)sodium_mprotect_readonly(copy);
	return str_make(copy, secret.len);
}

void secret_free(struct str *guarded)
{
	sodium_free((void *)guarded->ptr);
	*guarded = (struct str){ NULL, 0 };
}

void secret_wipe(struct str bytes)
{
	if (bytes.len)
		sodium_memzero((void *)bytes.ptr, bytes.len);
}
