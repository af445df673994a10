/*
 * Keys and secrets are in pages of the library's. The first one is made when it
 * is needed, as the library looks at the processor first, which takes longer
 * than the rest of a start.
 */

#include "base/seal.h"

#include "base/buf.h"

#include <errno.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
	MARK = crypto_auth_BYTES,
	FORM = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
	MOST = 64 * 1024, /* of a seal: ours are short */
};

_Static_assert(SEAL_KEY == crypto_auth_KEYBYTES, "the key fits");

/* Of the kernel: the library looks at the processor first, at every start. */
void seal_random(void *to, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = getrandom((char *)to + have, n - have, 0);

		if (got > 0)
			have += (size_t)got;
		else if (errno != EINTR)
			abort(); /* a kernel without randomness: nothing is safe */
	}
}

void seal_random_hex(char *to, size_t digits)
{
	uint8_t byte = 0;

	for (size_t i = 0; i < digits; i++) {
		if (i % 2 == 0)
			seal_random(&byte, 1);
		*to++ = "0123456789abcdef"[i % 2 ? byte & 15 : byte >> 4];
	}
	*to = '\0';
}

struct str seal_secret(struct arena *mem)
{
	enum { SIZE = sodium_base64_ENCODED_LEN(SEAL_KEY, FORM) };
	char *text = arena_alloc(mem, SIZE);
	uint8_t bytes[SEAL_KEY];

	seal_random(bytes, sizeof(bytes));
	(void)sodium_bin2base64(text, SIZE, bytes, SEAL_KEY, FORM);
	sodium_memzero(bytes, sizeof(bytes));
	return str_make(text, SIZE - 1);
}

static void start(void)
{
	if (sodium_init() < 0) /* safe to do again, from any thread */
		abort();
}

struct str seal_guard(struct str secret)
{
	char *copy;

	start();
	copy = sodium_malloc(size_max(secret.len, 1));
	if (!copy)
		out_of_memory();
	if (secret.len)
		memcpy(copy, secret.ptr, secret.len);
	(void)sodium_mprotect_readonly(copy);
	return str_make(copy, secret.len);
}

void seal_forget(struct str *guarded)
{
	sodium_free((void *)guarded->ptr);
	*guarded = (struct str){ NULL, 0 };
}

void seal_wipe(struct str bytes)
{
	if (bytes.len)
		sodium_memzero((void *)bytes.ptr, bytes.len);
}

void seal_key_set(struct seal_key *key, uint8_t bytes[SEAL_KEY])
{
	struct str plain = str_make((const char *)bytes, SEAL_KEY);
	const uint8_t *none = NULL, *made;

	made = (const uint8_t *)seal_guard(plain).ptr;
	seal_wipe(plain);
	if (!atomic_compare_exchange_strong(&key->bytes, &none, made))
		sodium_free((void *)made); /* another thread was first */
}

void seal_key_forget(struct seal_key *key)
{
	sodium_free((void *)atomic_exchange(&key->bytes, NULL));
}

static const uint8_t *key_bytes(struct seal_key *key)
{
	uint8_t fresh[SEAL_KEY];

	if (!atomic_load(&key->bytes)) {
		seal_random(fresh, sizeof(fresh));
		seal_key_set(key, fresh);
	}
	return atomic_load(&key->bytes);
}

/* What the mark is of: the length first, so that nothing can move over. */
static void put_marked(struct buf *out, struct str bytes, struct str context)
{
	uint64_t len = bytes.len;

	buf_add(out, str_make((const char *)&len, sizeof(len)));
	buf_add(out, bytes);
	buf_add(out, context);
}

struct str seal_make(struct seal_key *key, struct str bytes, struct str context,
		     struct arena *mem)
{
	size_t len = bytes.len + MARK;
	size_t size = sodium_base64_encoded_len(len, FORM);
	unsigned char *all = arena_alloc(mem, len);
	char *text = arena_alloc(mem, size);
	auto_buf marked = BUF_INIT;

	start();
	put_marked(&marked, bytes, context);
	if (bytes.len)
		memcpy(all, bytes.ptr, bytes.len);
	(void)crypto_auth(all + bytes.len, (const unsigned char *)marked.ptr,
			  marked.len, key_bytes(key));
	(void)sodium_bin2base64(text, size, all, len, FORM);
	return str_make(text, size - 1);
}

/* The library takes bytes from 0x80 on for an underscore. */
static bool is_ascii(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	return true;
}

bool seal_open(const struct seal_key *key, struct str text, struct str context,
	       struct arena *mem, struct str *ret)
{
	unsigned char *all = arena_alloc(mem, size_min(text.len, MOST));
	const uint8_t *made = atomic_load(&key->bytes);
	auto_buf marked = BUF_INIT;
	struct str bytes;
	size_t len;

	if (!made || text.len > MOST || !is_ascii(text) ||
	    sodium_base642bin(all, text.len, text.ptr, text.len, NULL, &len,
			      NULL, FORM) ||
	    len < MARK)
		return false;
	bytes = str_make((const char *)all, len - MARK);
	start();
	put_marked(&marked, bytes, context);
	if (crypto_auth_verify(all + bytes.len,
			       (const unsigned char *)marked.ptr, marked.len,
			       made))
		return false;
	*ret = bytes;
	return true;
}
