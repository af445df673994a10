/*
 * base64.c - base64 by libsodium.
 */
#include "base/base64.h"

#include <sodium.h>

bool base64_decode(struct str text, struct arena *mem, struct str *ret)
{
	unsigned char *to = arena_alloc(mem, text.len);
	const char *end;
	size_t len;

	/* sodium_base642bin() takes bytes from 0x80 on for digits. */
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	if (sodium_base642bin(to, text.len, text.ptr, text.len, NULL, &len,
			      &end, sodium_base64_VARIANT_ORIGINAL) ||
	    end != text.ptr + text.len)
		return false;
	*ret = str_make((char *)to, len);
	return true;
}

void base64_add(struct buf *out, struct str bytes)
{
	enum { PIECE = 3 * 1024 }; /* a multiple of 3: no padding inside */
	char text[sodium_base64_ENCODED_LEN(PIECE,
					    sodium_base64_VARIANT_ORIGINAL)];
	size_t n;

	for (; bytes.len; bytes = str_skip(bytes, n)) {
		n = size_min(bytes.len, PIECE);
		(void)sodium_bin2base64(text, sizeof(text),
					(const unsigned char *)bytes.ptr, n,
					sodium_base64_VARIANT_ORIGINAL);
		buf_add(out, str_of(text));
	}
}
