/*
 * kernels.c - the portable kernels, and the choice of a set.
 *
 * The portable set uses the compiler's generic 16-byte vectors, which become
 * SSE2 or NEON. Byte sums are folded every 255 rounds, before they overflow.
 */
#include "text/lines/kernels.h"

#include "base/cpu.h"

#include <string.h>

enum { WIDE = 16, ROUNDS = 255 };

typedef uint8_t bytes16 __attribute__((vector_size(WIDE)));

static inline bytes16 load16(const char *p)
{
	bytes16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline bytes16 splat16(char c)
{
	return (bytes16){ 0 } + (uint8_t)c;
}

static inline size_t sum16(bytes16 v)
{
	size_t sum = 0;

	for (size_t i = 0; i < WIDE; i++)
		sum += v[i];
	return sum;
}

static inline bool any16(bytes16 v)
{
	uint64_t half[2];

	memcpy(half, &v, sizeof(half));
	return half[0] | half[1];
}

/* 0xff where the byte is @a and the byte @gap further is @b. */
static inline bytes16 pairs16(const char *p, size_t gap, bytes16 a, bytes16 b)
{
	bytes16 hit = (bytes16)(load16(p) == a);

	return gap ? hit & (bytes16)(load16(p + gap) == b) : hit;
}

static inline size_t count16(const char *p, size_t n, size_t gap, char a,
			     char b)
{
	bytes16 first = splat16(a), second = splat16(b);
	size_t i = 0, total = 0;

	while (n - i >= WIDE) {
		size_t rounds = size_min((n - i) / WIDE, ROUNDS);
		bytes16 sum = { 0 };

		for (; rounds; rounds--, i += WIDE)
			sum -= pairs16(p + i, gap, first, second);
		total += sum16(sum);
	}
	for (; i < n; i++)
		total += p[i] == a && p[i + gap] == b;
	return total;
}

static size_t portable_count(const char *p, size_t n, char c)
{
	return count16(p, n, 0, c, c);
}

/* 0x80 or more where a byte is NUL or not ASCII. */
static inline bytes16 foreign16(bytes16 v)
{
	return v | (bytes16)(v == splat16('\0'));
}

static size_t portable_scan(const char *p, size_t n, bool *ret_ascii)
{
	const bytes16 top = splat16('\x80');
	bytes16 foreign = { 0 };
	size_t i = 0;
	bool rest = false;

	for (; n - i >= WIDE; i += WIDE)
		foreign |= foreign16(load16(p + i));
	for (; i < n; i++)
		rest = rest || (p[i] & 0x80) || !p[i];
	*ret_ascii = !rest && !any16(foreign & top);
	return portable_count(p, n, '\n');
}

static size_t portable_count_pair(const char *p, size_t n, char a, char b)
{
	return n ? count16(p, n - 1, 1, a, b) : 0;
}

static size_t portable_find_pair(const char *p, size_t n, size_t gap, char a,
				 char b)
{
	bytes16 first = splat16(a), second = splat16(b);
	size_t i = 0;

	while (n - i >= WIDE && !any16(pairs16(p + i, gap, first, second)))
		i += WIDE;
	while (i < n && (p[i] != a || p[i + gap] != b))
		i++;
	return i;
}

static size_t portable_find_pair_caseless(const char *p, size_t n, size_t gap,
					  char a, char b)
{
	const bytes16 bit = splat16(0x20);
	bytes16 first = splat16(a), second = splat16(b);
	size_t i = 0;

	for (; n - i >= WIDE; i += WIDE)
		if (any16((bytes16)((load16(p + i) | bit) == first) &
			  (bytes16)((load16(p + i + gap) | bit) == second)))
			break;
	while (i < n && ((p[i] | 0x20) != a || (p[i + gap] | 0x20) != b))
		i++;
	return i;
}

static size_t portable_nth(const char *p, size_t n, char c, size_t k)
{
	bytes16 wanted = splat16(c);
	size_t i = 0;

	while (n - i >= WIDE) {
		bytes16 none = { 0 };
		size_t seen = sum16(none - pairs16(p + i, 0, wanted, wanted));

		if (seen >= k)
			break;
		k -= seen;
		i += WIDE;
	}
	for (; i < n; i++)
		if (p[i] == c && !--k)
			break;
	return i;
}

/* 0xff where the byte is a control that text does not have. */
static inline bytes16 controls16(bytes16 v)
{
	bytes16 from_tab = v - splat16('\t');

	return (bytes16)(v < splat16(' ')) &
	       (bytes16)(from_tab > splat16('\r' - '\t')) &
	       (bytes16)(v != splat16('\x1b'));
}

bool kernels_controls(const char *p, size_t n)
{
	bytes16 some = { 0 };
	char rest[WIDE];

	for (; n >= WIDE; p += WIDE, n -= WIDE)
		some |= controls16(load16(p));
	memset(rest, ' ', sizeof(rest));
	memcpy(rest, p, n);
	return any16(some | controls16(load16(rest)));
}

const struct kernels kernels_portable = {
	.name = "portable",
	.count = portable_count,
	.scan = portable_scan,
	.count_pair = portable_count_pair,
	.find_pair = portable_find_pair,
	.find_pair_caseless = portable_find_pair_caseless,
	.nth = portable_nth,
};

size_t kernels_all(const struct kernels *ret[2])
{
	size_t n = 0;

	ret[n++] = &kernels_portable;
#if defined(__x86_64__)
	if (cpu_has_avx2())
		ret[n++] = &kernels_avx2;
#endif
	return n;
}

const struct kernels *kernels(void)
{
#if defined(__x86_64__)
	if (cpu_has_avx2())
		return &kernels_avx2;
#endif
	return &kernels_portable;
}
