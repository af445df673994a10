/*
 * mac.c - signed text, with libsodium's crypto_auth (HMAC-SHA-512-256).
 *
 * A key that several threads need at once is made by all of them, and the
 * first one to store it wins (mac_key_set()).
 */
#include "base/mac.h"

#include "base/buf.h"

#include <sodium.h>
#include <stdlib.h>

enum {
	CODE_BYTES = crypto_auth_BYTES,
	FORMAT = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
	MAX_TEXT = 64 * 1024, /* ours are much shorter */
};

_Static_assert(MAC_KEY_BYTES == crypto_auth_KEYBYTES, "the key fits");

void mac_key_set(struct mac_key *key, uint8_t bytes[MAC_KEY_BYTES])
{
	struct str plain = str_make((const char *)bytes, MAC_KEY_BYTES);
	const uint8_t *none = NULL, *made;

	made = (const uint8_t *)secret_guard(plain).ptr;
	secret_wipe(plain);
	if (!atomic_compare_exchange_strong(&key->bytes, &none, made))
		sodium_free((void *)made); /* another thread was first */
}

void mac_key_free(struct mac_key *key)
{
	sodium_free((void *)atomic_exchange(&key->bytes, NULL));
}

static const uint8_t *key_bytes(struct mac_key *key)
{
	uint8_t fresh[MAC_KEY_BYTES];

	if (!atomic_load(&key->bytes)) {
		secret_random(fresh, sizeof(fresh));
		mac_key_set(key, fresh);
	}
	return atomic_load(&key->bytes);
}

/*
 * The message that is authenticated. Its length prefix keeps bytes from
 * moving between @bytes and @context.
 */
static void add_message(struct buf *out, struct str bytes, struct str context)
{
	uint64_t len = bytes.len;

	buf_add(out, str_make((const char *)&len, sizeof(len)));
	buf_add(out, bytes);
	buf_add(out, context);
}

struct str mac_sign(struct mac_key *key, struct str bytes, struct str context,
		    struct arena *mem)
{
	size_t len = bytes.len + CODE_BYTES;
	size_t size = sodium_base64_encoded_len(len, FORMAT);
	unsigned char *all = arena_alloc(mem, len);
	char *text = arena_alloc(mem, size);
	const uint8_t *secret = key_bytes(key);
	auto_buf message = BUF_INIT;

	add_message(&message, bytes, context);
	if (bytes.len)
		memcpy(all, bytes.ptr, bytes.len);
	(void)crypto_auth(all + bytes.len, (const unsigned char *)message.ptr,
			  message.len, secret);
	(void)sodium_bin2base64(text, size, all, len, FORMAT);
	return str_make(text, size - 1);
}

/* sodium_base642bin() takes bytes from 0x80 on for an underscore. */
static bool is_ascii(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	return true;
}

bool mac_verify(const struct mac_key *key, struct str text, struct str context,
		struct arena *mem, struct str *ret)
{
	unsigned char *all = arena_alloc(mem, size_min(text.len, MAX_TEXT));
	const uint8_t *secret = atomic_load(&key->bytes);
	auto_buf message = BUF_INIT;
	struct str bytes;
	size_t len;

	if (!secret || text.len > MAX_TEXT || !is_ascii(text) ||
	    sodium_base642bin(all, text.len, text.ptr, text.len, NULL, &len,
			      NULL, FORMAT) ||
	    len < CODE_BYTES)
		return false;
	bytes = str_make((const char *)all, len - CODE_BYTES);
	add_message(&message, bytes, context);
	if (crypto_auth_verify(all + bytes.len,
			       (const unsigned char *)message.ptr, message.len,
			       secret))
		return false;
	*ret = bytes;
	return true;
}
