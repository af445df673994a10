/*
 * test_json_kernels.c - every set of kernels against naive loops, at every
 * alignment and length.
 */
#include "../unit.h"

#include "base/json_kernels.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_TEXT = 200, ALIGNMENTS = 64 };

static const struct json_kernels *sets[2];
static size_t set_count;

static int find_sets(void **state)
{
	sets[set_count++] = &json_kernels_portable;
	if (json_kernels_avx2())
		sets[set_count++] = json_kernels_avx2();
	srandom(11);
	return 0;
}

static bool plain_special(char c)
{
	return (uint8_t)c < 0x20 || c == '"' || c == '\\';
}

static size_t plain_escape(char *to, struct str s)
{
	static const char letters[] = "btnvfr"; /* v is not a JSON escape */
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = (uint8_t)s.ptr[i];

		if (!plain_special((char)c)) {
			to[n++] = (char)c;
		} else if (c == '"' || c == '\\') {
			to[n++] = '\\';
			to[n++] = (char)c;
		} else if (c >= 8 && c <= 13 && c != 11) {
			to[n++] = '\\';
			to[n++] = letters[c - 8];
		} else {
			n += (size_t)snprintf(to + n, 7, "\\u%04x", c);
		}
	}
	return n;
}

static bool plain_ascii(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((uint8_t)s.ptr[i] >= 0x80)
			return false;
	return true;
}

/* A byte out of @from, with many special ones if @often. */
static char random_byte(bool often)
{
	static const char special[] = "\"\\\b\f\n\r\t\x01\x1f\x0b";
	long r = random();

	if (r % (often ? 3 : 40) == 0)
		return special[(r >> 8) % 10];
	if (r % 97 == 1)
		return '\0';
	return (char)(0x20 + (r >> 8) % 0xe0);
}

static void escaping_is_what_it_is_one_byte_at_a_time(void **state)
{
	char want[6 * LONGEST_TEXT + 1];

	for (size_t n = 0; n <= LONGEST_TEXT; n++)
		for (size_t align = 0; align < ALIGNMENTS; align++) {
			char *from = malloc(align + n + 1);
			struct str s = { from + align, n };

			for (size_t i = 0; i < n; i++)
				from[align + i] = random_byte(align % 2);
			size_t len = plain_escape(want, s);
			for (size_t k = 0; k < set_count; k++) {
				/* exactly the size needed */
				char *to = malloc(len + !len);
				bool ascii;

				assert_int_equal(sets[k]->escaped_len(s), len);
				assert_ptr_equal(sets[k]->escape(to, s, &ascii),
						 to + len);
				assert_int_equal(ascii, plain_ascii(s));
				assert_memory_equal(to, want, len);
				free(to);
			}
			free(from);
		}
}

static void every_byte_is_escaped_right_everywhere_in_a_block(void **state)
{
	char text[160], want[6 * sizeof(text)], got[6 * sizeof(text)];

	for (int c = 0; c < 256; c++)
		for (size_t at = 0; at < sizeof(text); at++) {
			memset(text, 'x', sizeof(text));
			text[at] = (char)c;
			struct str s = { text, sizeof(text) };
			size_t len = plain_escape(want, s);

			for (size_t k = 0; k < set_count; k++) {
				bool ascii;

				assert_int_equal(sets[k]->escaped_len(s), len);
				assert_ptr_equal(sets[k]->escape(got, s,
								 &ascii),
						 got + len);
				assert_int_equal(ascii, c < 0x80);
				assert_memory_equal(got, want, len);
			}
		}
}

static void unescaping_undoes_escaping(void **state)
{
	for (size_t n = 0; n <= LONGEST_TEXT; n++)
		for (size_t align = 0; align < ALIGNMENTS; align++) {
			char *from = malloc(n + 1);
			char *escaped = malloc(align + 6 * n + 1);

			for (size_t i = 0; i < n; i++)
				from[i] = random_byte(align % 2);
			size_t len = plain_escape(escaped + align,
						  str_make(from, n));
			struct str s = { escaped + align, len };
			for (size_t k = 0; k < set_count; k++) {
				char *to = malloc(len + !len);

				assert_ptr_equal(sets[k]->unescape(to, s),
						 to + n);
				assert_memory_equal(to, from, n);
				free(to);
			}
			free(escaped);
			free(from);
		}
}

/* Parts of strings, valid and invalid, and what they decode to. */
static const struct {
	const char *text, *decoded;
	unsigned flags;
} parts[] = {
	{ "a", "a", 0 },
	{ "plain words", "plain words", 0 },
	{ "\xc3\xa9", "\xc3\xa9", 0 },
	{ "\\\\", "\\", JSON_ESCAPED },
	{ "\\\"", "\"", JSON_ESCAPED },
	{ "\\n", "\n", JSON_ESCAPED },
	{ "\\/", "/", JSON_ESCAPED },
	{ "\\u0041", "A", JSON_ESCAPED },
	{ "\\u00e9", "\xc3\xa9", JSON_ESCAPED },
	{ "\\u20AC", "\xe2\x82\xac", JSON_ESCAPED },
	{ "\\ud83d\\ude00", "\xf0\x9f\x98\x80", JSON_ESCAPED },
	{ "\\ud83dx", "\xed\xa0\xbdx", JSON_ESCAPED | JSON_LONE },
	{ "\\ud83d\\n", "\xed\xa0\xbd\n", JSON_ESCAPED | JSON_LONE },
	{ "\\ude00", "\xed\xb8\x80", JSON_ESCAPED | JSON_LONE },
};

static const char *const ends[] = { "",        "\"",      "\"\\n",   "\x1f",
				    "\\",      "\\x",     "\\u",     "\\u00",
				    "\\u12g4", "\\uD83",  "\n",      "\"\"",
				    "\\u 123", "\\u-123", "\"\x01\"" };

/* A random string followed by @end, and its expected result. */
struct sample {
	char text[600], decoded[600];
	size_t len, stop, decoded_len;
	unsigned flags;
};

static void make_sample(struct sample *s, size_t about, const char *end)
{
	s->len = s->decoded_len = 0;
	s->flags = 0;
	while (s->len < about) {
		size_t i =
			random() % 2 ? 0 : (size_t)random() % COUNT_OF(parts);

		/* a low surrogate must not follow a high one */
		if (i == COUNT_OF(parts) - 1 && s->len &&
		    s->text[s->len - 1] != 'a')
			i = 0;
		memcpy(s->text + s->len, parts[i].text, strlen(parts[i].text));
		s->len += strlen(parts[i].text);
		memcpy(s->decoded + s->decoded_len, parts[i].decoded,
		       strlen(parts[i].decoded));
		s->decoded_len += strlen(parts[i].decoded);
		s->flags |= parts[i].flags;
	}
	s->stop = s->len;
	memcpy(s->text + s->len, end, strlen(end));
	s->len += strlen(end);
}

static void check_sample(const struct json_kernels *k, const struct sample *s,
			 struct str text, const char *end)
{
	struct str inside = str_head(text, s->stop);
	char *to = malloc(inside.len + 1);
	unsigned flags = 0;

	assert_int_equal(k->scan(text, &flags), s->stop);
	assert_int_equal(flags, s->flags | (end[0] == '\\' ? JSON_ESCAPED : 0));
	assert_ptr_equal(k->unescape(to, inside), to + s->decoded_len);
	assert_memory_equal(to, s->decoded, s->decoded_len);
	free(to);
}

/* X18: the end of a string is found at any offset and alignment */
static void scanning_and_decoding_follow_the_parts(void **state)
{
	struct sample s;

	for (size_t about = 0; about <= LONGEST_TEXT; about++)
		for (size_t i = 0; i < 4 * COUNT_OF(ends); i++) {
			const char *end = ends[i % COUNT_OF(ends)];
			size_t align = (size_t)random() % ALIGNMENTS;
			char *p;

			make_sample(&s, about, end);
			p = malloc(align + s.len + 1);
			memcpy(p + align, s.text, s.len);
			for (size_t k = 0; k < set_count; k++)
				check_sample(sets[k], &s,
					     str_make(p + align, s.len), end);
			free(p);
		}
}

/* Text after the string does not matter. */
static void a_string_ends_before_what_follows(void **state)
{
	char text[300];
	unsigned flags;

	for (size_t n = 0; n < 200; n++) {
		memset(text, '\\', sizeof(text));
		memset(text, 'x', n);
		text[n] = '"';
		for (size_t k = 0; k < set_count; k++) {
			flags = 0;
			assert_int_equal(sets[k]->scan(str_make(text,
								sizeof(text)),
						       &flags),
					 n);
			assert_int_equal(flags, 0);
		}
	}
}

/* Random bytes, mostly special ones: all sets agree. */
static void the_sets_agree_on_anything(void **state)
{
	static const char some[] = "\\\\\\\\\"uuud8cDF0n\x01 a\xff";
	const struct json_kernels *two[] = { &json_kernels_portable,
					     json_kernels() };

	for (int i = 0; i < 200000; i++) {
		size_t n = (size_t)random() % LONGEST_TEXT, len[2], end[2];
		char text[LONGEST_TEXT], to[2][LONGEST_TEXT];
		unsigned flags[2] = { 0, 0 };

		for (size_t at = 0; at < n; at++)
			text[at] = some[(size_t)random() % (sizeof(some) - 1)];
		for (size_t k = 0; k < 2; k++) {
			end[k] = two[k]->scan(str_make(text, n), &flags[k]);
			len[k] = (size_t)(two[k]->unescape(to[k],
							   str_make(text,
								    end[k])) -
					  to[k]);
		}
		assert_int_equal(end[0], end[1]);
		assert_int_equal(flags[0], flags[1]);
		assert_int_equal(len[0], len[1]);
		assert_memory_equal(to[0], to[1], len[0]);
	}
}

static void the_best_set_is_one_of_them(void **state)
{
	assert_ptr_equal(json_kernels(), sets[set_count - 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escaping_is_what_it_is_one_byte_at_a_time),
		cmocka_unit_test(
			every_byte_is_escaped_right_everywhere_in_a_block),
		cmocka_unit_test(unescaping_undoes_escaping),
		cmocka_unit_test(scanning_and_decoding_follow_the_parts),
		cmocka_unit_test(a_string_ends_before_what_follows),
		cmocka_unit_test(the_sets_agree_on_anything),
		cmocka_unit_test(the_best_set_is_one_of_them),
	};

	return cmocka_run_group_tests(tests, find_sets, NULL);
}
