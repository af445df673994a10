/*
 * hash.c - XXH3, compiled twice: portable, and for AVX2 (hash_avx2.c).
 *
 * The processor decides at run time; short inputs gain nothing from vectors.
 */
#include "base/hash.h"

#include "base/arena.h"
#include "base/cpu.h"
#include "base/hash_avx2.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { SHORT = 240 }; /* XXH3 uses vectors above this length only */

static struct hash from_xxh(XXH128_hash_t h)
{
	return (struct hash){ h.high64, h.low64 };
}

struct hash hash_of_portable(struct str bytes)
{
	return from_xxh(XXH3_128bits(bytes.ptr ? bytes.ptr : "", bytes.len));
}

#if defined(__x86_64__)

static bool is_wide(struct str bytes)
{
	return bytes.len > SHORT && cpu_has_avx2();
}

#else

static bool is_wide(struct str bytes)
{
	return false;
}

struct hash hash_of_avx2(struct str bytes)
{
	return hash_of_portable(bytes);
}

void hash_add_avx2(void *xxh, struct str bytes)
{
	(void)XXH3_128bits_update(xxh, bytes.ptr, bytes.len);
}

#endif

struct hash hash_of(struct str bytes)
{
	return is_wide(bytes) ? hash_of_avx2(bytes) : hash_of_portable(bytes);
}

/* Not printf(): every call formats several hashes. */
static void put_hex(uint64_t n, char to[HASH_HEX / 2])
{
	for (int i = HASH_HEX / 2; i--; n >>= 4)
		to[i] = "0123456789abcdef"[n & 15];
}

void hash_hex(struct hash h, char to[HASH_HEX + 1])
{
	put_hex(h.high, to);
	put_hex(h.low, to + HASH_HEX / 2);
	to[HASH_HEX] = 0;
}

struct str hash_text(struct hash h, struct arena *mem)
{
	char hex[HASH_HEX + 1];

	hash_hex(h, hex);
	return arena_copy(mem, str_of(hex));
}

static bool parse_half(const char *hex, uint64_t *ret)
{
	uint64_t n = 0;

	for (int i = 0; i < HASH_HEX / 2; i++) {
		char c = hex[i];

		n <<= 4;
		if (c >= '0' && c <= '9')
			n |= (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n |= (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	*ret = n;
	return true;
}

bool hash_parse(struct str hex, struct hash *ret)
{
	struct hash h;

	if (hex.len != HASH_HEX || !parse_half(hex.ptr, &h.high) ||
	    !parse_half(hex.ptr + HASH_HEX / 2, &h.low))
		return false;
	*ret = h;
	return true;
}

struct hash_stream {
	XXH3_state_t *xxh;
};

struct hash_stream *hash_start(void)
{
	struct hash_stream *s = malloc(sizeof(*s));

	if (!s)
		out_of_memory();
	s->xxh = XXH3_createState();
	if (!s->xxh)
		out_of_memory();
	(void)XXH3_128bits_reset(s->xxh);
	return s;
}

void hash_add(struct hash_stream *s, struct str bytes)
{
	if (is_wide(bytes))
		hash_add_avx2(s->xxh, bytes);
	else if (bytes.len)
		(void)XXH3_128bits_update(s->xxh, bytes.ptr, bytes.len);
}

struct hash hash_end(struct hash_stream *s)
{
	struct hash h = from_xxh(XXH3_128bits_digest(s->xxh));

	(void)XXH3_freeState(s->xxh);
	free(s);
	return h;
}
