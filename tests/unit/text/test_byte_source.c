/*
 * test_byte_source.c - bytes read in pieces are detected and decoded as in one.
 *
 * Wherever the pieces end, encoding and text are the same as for the whole
 * file.
 */
#include "../unit.h"

#include "any_bytes.h"

#include <stdlib.h>

/*
 * A source of pieces of random length, each in an allocation of its exact size,
 * so that a sanitizer sees a read past its end.
 */
struct cut {
	struct str bytes;
	size_t most;
	char *piece;
	size_t calls, fails_at; /* 0 = never */
};

static struct str cut_from(void *ctx, uint64_t at)
{
	struct cut *c = ctx;
	struct str rest = str_skip(c->bytes, (size_t)at);
	size_t n = BYTE_SOURCE_MIN_PIECE +
		   roll() % (c->most - BYTE_SOURCE_MIN_PIECE + 1);

	free(c->piece);
	c->piece = NULL;
	if (++c->calls == c->fails_at)
		return STR("");
	n = size_min(n, rest.len);
	c->piece = malloc(n);
	assert_non_null(c->piece);
	memcpy(c->piece, rest.ptr, n);
	return str_make(c->piece, n);
}

static struct byte_source byte_source_cut(struct cut *c)
{
	return (struct byte_source){ .size = c->bytes.len,
				     .from = cut_from,
				     .ctx = c };
}

static void same_detected(struct str bytes, const struct encoding *named,
			  size_t most)
{
	struct cut c = { .bytes = bytes, .most = most };
	const struct byte_source s = byte_source_cut(&c);
	struct detected whole, got;
	enum err e = encoding_detect(bytes, named, &whole);

	assert_int_equal(encoding_detect_in(&s, named, &got), e);
	if (!e) {
		assert_ptr_equal(got.encoding, whole.encoding);
		assert_int_equal(got.confidence, whole.confidence);
	}
	free(c.piece);
}

/* Decode in pieces, and once resume from a copied state. */
static void same_text(const struct encoding *e, struct str bytes, size_t most)
{
	struct cut c = { .bytes = bytes, .most = most };
	const struct byte_source s = byte_source_cut(&c);
	struct byte_reader p = { .of = &s, .at = e->bom.len };
	struct decoding d = { .e = e }, kept;
	auto_arena mem = ARENA_INIT;
	auto_buf text = BUF_INIT;
	struct decoded_text whole;
	char *room = malloc(decoding_room(most));

	if (encoding_decode_escaped(e, bytes, &mem, &whole)) {
		free(room);
		return;
	}
	for (size_t used = 0; byte_reader_next(&p, used);) {
		size_t n, again;

		kept = d;
		n = decoding_more(&d, &p, room, &used);
		assert_true(n <= decoding_room(p.piece.len));
		assert_true(used);
		buf_add(&text, str_make(room, n));
		assert_int_equal(decoding_more(&kept, &p, room, &again), n);
		assert_int_equal(again, used);
		assert_memory_equal(text.ptr + text.len - n, room, n);
		assert_int_equal(kept.shift, d.shift);
	}
	assert_int_equal(p.at, size_max(bytes.len, e->bom.len));
	assert_int_equal(text.len, whole.text.len);
	assert_true(str_eq(buf_str(&text), whole.text));
	assert_int_equal(d.undecodable, whole.undecodable_count);
	free(room);
	free(c.piece);
}

static void pieces_are_as_the_whole(const struct encoding *e, size_t size,
				    size_t most)
{
	auto_arena mem = ARENA_INIT;
	struct str bytes = any_bytes(e, size, &mem);

	same_text(e, bytes, most);
	same_detected(bytes, NULL, most);
	same_detected(bytes, e, most);
}

/* R59: pieces that end at every offset. */
static void small_pieces_are_as_the_whole(void **state)
{
	for (size_t i = 0; i < encoding_rows_count; i++)
		for (size_t round = 0; round < 40; round++)
			pieces_are_as_the_whole(encoding_rows[i],
						1 + roll() % 700,
						8 + roll() % 40);
}

/* R59: files longer than any sample of the detection. */
static void large_files_are_as_the_whole(void **state)
{
	for (size_t i = 0; i < encoding_rows_count; i++)
		for (size_t round = 0; round < 2; round++)
			pieces_are_as_the_whole(encoding_rows[i],
						150000 + roll() % 9,
						100 + roll() % 70000);
}

/* Lines of the statistical sample are longer than a piece. */
static void what_tells_the_encoding_may_stand_anywhere(void **state)
{
	static const size_t places[] = {
		0, 31000, 32768, 40000, 70000, 149990
	};
	static const struct str signs[] = {
		STR_INIT("\xe9t\xe9"),
		STR_INIT("\xc3\xa9t\xc3\xa9"),
		STR_INIT("\x93\xfa\x96\x7b"),
		STR_INIT("\x1b$BF|\x1b(B"),
		STR_INIT("\0"),
		STR_INIT("\1"),
		STR_INIT("\xf0\x9f\x98"),
		STR_INIT("\x80\x81\xa4"),
	};
	enum { SIZE = 150000 };

	for (size_t i = 0; i < COUNT_OF(places) * COUNT_OF(signs); i++) {
		struct str sign = signs[i % COUNT_OF(signs)];
		size_t at = places[i / COUNT_OF(signs)];
		auto_arena mem = ARENA_INIT;
		char *bytes = arena_alloc(&mem, SIZE);

		for (size_t every = 50; every < 2 * SIZE; every *= 100) {
			memset(bytes, 'x', SIZE);
			for (size_t k = every - 1; k < SIZE; k += every)
				bytes[k] = '\n';
			memcpy(bytes + at, sign.ptr, sign.len);
			same_detected(str_make(bytes, SIZE), NULL,
				      8 + roll() % 20000);
		}
	}
}

/* A source that fails ends the reading. */
static void a_failure_ends_a_pass(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str bytes = any_bytes(&encoding_shift_jis, 5000, &mem);

	for (size_t fails_at = 1; fails_at < 40; fails_at++) {
		struct cut c = { .bytes = bytes,
				 .most = 1000,
				 .fails_at = fails_at };
		const struct byte_source s = byte_source_cut(&c);
		struct detected in;

		(void)!encoding_detect_in(&s, NULL, &in);
		assert_true(c.calls < 1000);
		free(c.piece);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_pieces_are_as_the_whole),
		cmocka_unit_test(large_files_are_as_the_whole),
		cmocka_unit_test(what_tells_the_encoding_may_stand_anywhere),
		cmocka_unit_test(a_failure_ends_a_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
