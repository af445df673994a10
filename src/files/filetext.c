/*
 * filetext.c - the text of an open file, in blocks of whole lines.
 *
 * One buffer: bytes are read (or decoded) behind what is left of the last block,
 * and the next block is everything up to the last newline. A small file is one
 * pread() and one pass that tells whether it is ASCII; nothing else is looked at
 * then but magic numbers.
 */
#include "files/filetext.h"

#include "text/encoding/utf8.h"
#include "text/lines/lines.h"
#include "text/search/search.h"

#include <stdlib.h>

enum {
	CHUNK = 128 * 1024, /* bytes of one read */
	RAW = 32 * 1024,    /* bytes decoded at a time */
	LONG_LINE = 1024 * 1024,
};

struct filetext {
	const struct tree_file *file;
	const struct filetext_want *want;
	struct filetext_info info;
	enum filetext_state failed; /* FILETEXT_BLOCK = nothing */

	char *buf; /* text that is read: from @from to @len */
	size_t from, len, cap;
	size_t pending; /* bytes of the last block, to be skipped */

	uint64_t size; /* of the file when it was opened */
	uint64_t at;   /* bytes read, or decoded */
	bool started, ended;

	/* for other encodings */
	struct byte_source bytes;
	struct byte_reader reader;
	struct decoding decoding;
	char *raw;
	size_t used; /* of the reader's piece */
};

struct filetext *filetext_new(void)
{
	struct filetext *t = calloc(1, sizeof(*t));

	if (t)
		t->buf = malloc(CHUNK);
	if (!t || !t->buf)
		out_of_memory();
	t->cap = CHUNK;
	return t;
}

void filetext_free(struct filetext *t)
{
	if (!t)
		return;
	free(t->buf);
	free(t->raw);
	free(t);
}

void filetext_begin(struct filetext *t, const struct tree_file *file,
		    const struct filetext_want *want)
{
	t->file = file;
	t->want = want;
	t->info = (struct filetext_info){
		.in = { &encoding_utf8, CONFIDENCE_CERTAIN },
	};
	t->failed = FILETEXT_BLOCK;
	t->from = t->len = t->pending = 0;
	t->size = (uint64_t)file->st.st_size;
	t->at = 0;
	t->started = t->ended = false;
}

const struct filetext_info *filetext_info(const struct filetext *t)
{
	return &t->info;
}

static struct str filetext_unused(const struct filetext *t)
{
	return str_make(t->buf + t->from, t->len - t->from);
}

/* Room for @n more bytes behind what is in the buffer. */
static void make_room(struct filetext *t, size_t n)
{
	size_t left = t->len - t->from, cap = t->cap;
	char *more;

	if (t->from) {
		memmove(t->buf, t->buf + t->from, left);
		t->len = left;
		t->from = 0;
	}
	while (cap - left < n)
		cap *= 2;
	if (cap == t->cap)
		return;
	more = realloc(t->buf, cap);
	if (!more)
		out_of_memory();
	t->buf = more;
	t->cap = cap;
}

/* pread() that the file's end, or a failure, ends. */
static size_t read_at(struct filetext *t, char *to, size_t n, uint64_t at)
{
	size_t done = 0;

	n = (size_t)(t->size - at < n ? t->size - at : n);
	while (done < n) {
		ssize_t got =
			tree_pread(t->file, to + done, n - done, at + done);

		if (got < 0)
			t->failed = FILETEXT_UNREADABLE;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/* More bytes of a file that is UTF-8. */
static void read_plain(struct filetext *t)
{
	size_t got;

	make_room(t, CHUNK);
	got = read_at(t, t->buf + t->len, t->cap - t->len, t->at);
	t->len += got;
	t->at += got;
	t->ended = t->at >= t->size || !got;
}

static struct str source_from(void *ctx, uint64_t at)
{
	struct filetext *t = ctx;
	size_t got;

	if (at >= t->size || t->failed)
		return STR("");
	got = read_at(t, t->raw, RAW, at);
	if (at + got < t->size && got < RAW)
		t->bytes.size = at + got; /* it has shrunk */
	return str_make(t->raw, got);
}

static void source_begin(struct filetext *t)
{
	if (!t->raw)
		t->raw = malloc(RAW);
	if (!t->raw)
		out_of_memory();
	t->bytes = (struct byte_source){ .size = t->size,
					 .from = source_from,
					 .ctx = t };
}

/* From here on the text is decoded. */
static void decode_begin(struct filetext *t)
{
	const struct encoding *e = t->info.in.encoding;

	t->info.is_decoded = true;
	t->reader = (struct byte_reader){ .of = &t->bytes, .at = e->bom.len };
	t->decoding = (struct decoding){ .e = e, .surrogates = true };
	t->from = t->len = t->used = 0;
	t->ended = false;
}

static void read_decoded(struct filetext *t)
{
	if (!byte_reader_next(&t->reader, t->used)) {
		t->ended = true;
		return;
	}
	make_room(t, decoding_room(t->reader.piece.len));
	t->len += decoding_more(&t->decoding, &t->reader, t->buf + t->len,
				&t->used);
}

static void read_more(struct filetext *t)
{
	if (t->info.is_decoded)
		read_decoded(t);
	else
		read_plain(t);
}

/* Binary content: stop, or (binary_too) go on with the bytes that are UTF-8. */
static void be_binary(struct filetext *t)
{
	if (!t->want->binary_too) {
		t->failed = FILETEXT_BINARY;
		return;
	}
	t->info.is_binary = true;
	t->info.in.encoding = &encoding_utf8;
	source_begin(t);
	decode_begin(t);
}

/* The encoding of the whole file, which is not all UTF-8. */
static void detect_whole(struct filetext *t)
{
	const struct filetext_want *w = t->want;

	source_begin(t);
	if (encoding_detect_in(&t->bytes, w->named ? w->named(w->ctx) : NULL,
			       &t->info.in))
		be_binary(t);
	else
		decode_begin(t);
}

/* UTF-8 but for a character that the end may have cut. */
static bool is_utf8(const struct filetext *t, struct str s)
{
	size_t valid = utf8_check(s);

	return valid == s.len || (!t->ended && s.len - valid == utf8_tail(s));
}

/* The front of the file, without a character of UTF-8 that its end would cut. */
static struct str filetext_sample(struct str all)
{
	struct str head = str_head(all, ENCODING_SAMPLE);
	struct str whole = str_head(head, head.len - utf8_tail(head));

	return head.len < all.len && utf8_valid(whole) ? whole : head;
}

/* What the front of the file says about the rest. */
static void filetext_judge(struct filetext *t)
{
	struct str all = filetext_unused(t), head = filetext_sample(all);
	const struct encoding *named = NULL;
	struct detected sample;
	bool ascii;

	(void)lines_scan(all, &ascii);
	if (ascii && !encoding_has_iso2022(head) && !encoding_magic(head))
		return;
	if (!ascii && t->want->named)
		named = t->want->named(t->want->ctx);
	if (encoding_detect(head, named, &sample)) {
		be_binary(t);
		return;
	}
	if (encoding_is_utf8(sample.encoding) && is_utf8(t, all) &&
	    !memchr(all.ptr, 0, all.len)) {
		t->info.in = (struct detected){ sample.encoding,
						CONFIDENCE_CERTAIN };
		t->from += sample.encoding->bom.len;
		return;
	}
	detect_whole(t);
}

/* Remove the CR of each CRLF. */
static size_t drop_cr(char *p, size_t n)
{
	char *to = memchr(p, '\r', n), *from = to, *end = p + n;

	if (!to)
		return n;
	while (from < end) {
		char *next = memchr(from + 1, '\r', (size_t)(end - from - 1));
		size_t len;

		if (!next)
			next = end;
		if (from + 1 < end && from[1] == '\n')
			from++;
		len = (size_t)(next - from);
		memmove(to, from, len);
		to += len;
		from = next;
	}
	return (size_t)(to - p);
}

/* The flags of a block; a file that turns out not to be UTF-8 is left. */
static enum filetext_state check_block(struct filetext *t, struct str block,
				       unsigned *ret_flags)
{
	bool ascii;

	(void)lines_scan(block, &ascii);
	*ret_flags = ascii ? SEARCH_ASCII : 0;
	if (ascii)
		return FILETEXT_BLOCK;
	if (t->info.is_decoded) {
		if (t->decoding.undecodable && !utf8_valid(block))
			*ret_flags |= SEARCH_INVALID;
		return FILETEXT_BLOCK;
	}
	if (!memchr(block.ptr, 0, block.len) && utf8_valid(block))
		return FILETEXT_BLOCK;
	if (memchr(block.ptr, 0, block.len))
		be_binary(t);
	else
		detect_whole(t);
	return t->failed ? t->failed : FILETEXT_AGAIN;
}

/* How much of the buffer is whole lines; 0 = read on. */
static size_t whole_lines(struct filetext *t, bool *ret_part)
{
	struct str have = filetext_unused(t);
	size_t last;

	*ret_part = false;
	if (t->ended)
		return have.len;
	if (t->want->whole)
		return 0;
	last = str_rfind(have, '\n');
	if (last < have.len)
		return last + 1;
	if (have.len < LONG_LINE + SEARCH_OVERLAP)
		return 0;
	*ret_part = true;
	return have.len - utf8_tail(have);
}

static enum filetext_state take_block(struct filetext *t, size_t n, bool part,
				      struct str *ret, unsigned *ret_flags)
{
	enum filetext_state state;

	state = check_block(t, str_make(t->buf + t->from, n), ret_flags);
	if (state)
		return state;
	*ret = str_make(t->buf + t->from, n);
	if (part) {
		*ret_flags |= SEARCH_PART;
		t->pending = search_part_end(*ret);
	} else {
		ret->len = drop_cr(t->buf + t->from, n);
		t->pending = n;
	}
	return FILETEXT_BLOCK;
}

static bool over_limit(const struct filetext *t)
{
	return t->want->whole && t->size > t->want->max_whole;
}

enum filetext_state filetext_next(struct filetext *t, struct str *ret,
				  unsigned *ret_flags)
{
	size_t n = 0;
	bool part = false;

	t->from += t->pending;
	t->pending = 0;
	if (over_limit(t))
		return FILETEXT_TOO_LARGE;
	while (!t->failed && !n) {
		if (t->ended && t->from == t->len)
			return t->failed ? t->failed : FILETEXT_END;
		if (!t->ended)
			read_more(t);
		if (!t->started && !t->failed) {
			t->started = true;
			filetext_judge(t);
		}
		n = whole_lines(t, &part);
	}
	if (t->failed)
		return t->failed;
	return take_block(t, n, part, ret, ret_flags);
}
