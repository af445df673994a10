/*
 * json_parse.c - the JSON parser.
 *
 * One pass over the text, without recursion: the innermost open container is
 * known by its index on the tape, and until it is closed its @next is the index
 * of its parent. UTF-8 is validated first, over the whole text.
 */
#include "base/json_tape.h"
#include "base/utf8_valid.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
	DEFAULT_DEPTH = 128,
	MAX_NODES = (1 << JSON_COUNT_BITS) - 1,
	FIRST_NODES = 1024, /* initial capacity, at most */
};

#define OUTSIDE UINT32_MAX

struct parser {
	const char *text, *end;
	const struct json_kernels *kernels;
	struct arena *mem;
	struct json_node *nodes;
	uint32_t count, room, max_nodes;
	uint32_t open; /* innermost open container, or OUTSIDE */
	size_t depth, max_depth;
	struct json_error error;
};

/*
 * Parse functions take the position to read at and return the position after
 * what they read, or NULL on error, which this sets.
 */
static const char *parse_error(struct parser *p, const char *at,
			       const char *why)
{
	p->error = (struct json_error){ (size_t)(at - p->text), why };
	return NULL;
}

static const char *unexpected(struct parser *p, const char *at)
{
	return parse_error(p, at,
			   at == p->end ? "unexpected end"
					: "unexpected character");
}

static bool grow_tape(struct parser *p)
{
	size_t room = size_min((size_t)p->room * 2, p->max_nodes);

	if (p->count >= p->max_nodes)
		return false;
	p->nodes = arena_grow(p->mem, p->nodes, p->room * sizeof(*p->nodes),
			      room * sizeof(*p->nodes));
	p->room = (uint32_t)room;
	return true;
}

/* Append a node for the bytes @start to @at. */
static inline const char *add_node(struct parser *p, enum json_kind kind,
				   const char *start, const char *at,
				   unsigned flags)
{
	if (p->count == p->room && !grow_tape(p))
		return parse_error(p, start, "too many values");
	p->nodes[p->count] = (struct json_node){
		.start = (uint32_t)(start - p->text),
		.len = (uint32_t)(at - start),
		.next = p->count + 1,
		.kind = (uint32_t)kind & 15,
		.flags = flags & 15,
	};
	p->count++;
	return at;
}

static inline bool is_at(const struct parser *p, const char *at, char c)
{
	return at < p->end && *at == c;
}

static inline const char *skip_space(const struct parser *p, const char *at)
{
	while (at < p->end && (uint8_t)*at <= ' ' &&
	       (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

/*
 * Fast path: most strings are short and end within sixteen bytes. Returns the
 * position of the first quote, backslash or control character, or where the
 * full scan must begin.
 */
static inline const char *skip_plain(const char *p, const char *end)
{
#if defined(__SSE2__)
	if (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
		__m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
		__m128i any =
			_mm_cmpeq_epi8(v, _mm_min_epu8(v, _mm_set1_epi8(0x1f)));
		int mask = _mm_movemask_epi8(
			_mm_or_si128(any, _mm_or_si128(quote, slash)));

		return p + (mask ? __builtin_ctz((unsigned)mask) : 16);
	}
#endif
	while (p < end && *p != '"' && *p != '\\' && (uint8_t)*p >= 0x20)
		p++;
	return p;
}

static const char *bad_string(struct parser *p, const char *at)
{
	if (at == p->end)
		return unexpected(p, at);
	return parse_error(p, at,
			   *at == '\\' ? "bad escape"
				       : "control character in string");
}

/* @start is the opening quote of a value or key. */
static inline const char *read_string(struct parser *p, const char *start)
{
	const char *at = skip_plain(start + 1, p->end);
	unsigned flags = 0;

	if (!is_at(p, at, '"')) {
		struct str rest = { at, (size_t)(p->end - at) };

		at += p->kernels->scan(rest, &flags);
		if (!is_at(p, at, '"'))
			return bad_string(p, at);
	}
	return add_node(p, JSON_STRING, start, at + 1, flags);
}

static bool is_digit(const struct parser *p, const char *at)
{
	return at < p->end && *at >= '0' && *at <= '9';
}

/* One or more digits. */
static const char *read_digits(struct parser *p, const char *at)
{
	if (!is_digit(p, at))
		return unexpected(p, at);
	do
		at++;
	while (is_digit(p, at));
	return at;
}

static const char *parse_number(struct parser *p, const char *start)
{
	const char *at = start;

	if (is_at(p, at, '-'))
		at++;
	at = is_at(p, at, '0') ? at + 1 : read_digits(p, at);
	if (at && is_at(p, at, '.'))
		at = read_digits(p, at + 1);
	if (at && (is_at(p, at, 'e') || is_at(p, at, 'E'))) {
		at++;
		if (is_at(p, at, '+') || is_at(p, at, '-'))
			at++;
		at = read_digits(p, at);
	}
	return at ? add_node(p, JSON_NUMBER, start, at, 0) : NULL;
}

static const char *read_word(struct parser *p, const char *start,
			     const char *word, enum json_kind kind)
{
	const char *at = start;

	for (; *word; word++, at++)
		if (!is_at(p, at, *word))
			return unexpected(p, at);
	return add_node(p, kind, start, at, 0);
}

/* A key and its colon. */
static const char *read_key(struct parser *p, const char *at)
{
	at = skip_space(p, at);
	if (!is_at(p, at, '"'))
		return unexpected(p, at);
	at = read_string(p, at);
	if (!at)
		return NULL;
	at = skip_space(p, at);
	return is_at(p, at, ':') ? at + 1 : unexpected(p, at);
}

static const char *open_container(struct parser *p, const char *at,
				  enum json_kind kind)
{
	if (p->depth == p->max_depth)
		return parse_error(p, at, "nested too deeply");
	if (!add_node(p, kind, at, at, 0))
		return NULL;
	p->depth++;
	p->nodes[p->count - 1].next = p->open;
	p->open = p->count - 1;
	return at + 1;
}

/* @end is the position after the bracket. */
static void close_container(struct parser *p, const char *end)
{
	struct json_node *node = &p->nodes[p->open];
	uint32_t around = node->next;

	node->len = (uint32_t)(end - p->text) - node->start;
	node->next = p->count;
	p->open = around;
	p->depth--;
}

/* A value that is not a container. */
static const char *read_scalar(struct parser *p, const char *at)
{
	switch (at < p->end ? *at : '\0') {
	case '"':
		return read_string(p, at);
	case 't':
		return read_word(p, at, "true", JSON_TRUE);
	case 'f':
		return read_word(p, at, "false", JSON_FALSE);
	case 'n':
		return read_word(p, at, "null", JSON_NULL);
	default:
		return parse_number(p, at);
	}
}

/*
 * Read up to the first scalar or empty container, opening containers on the
 * way.
 */
static const char *read_value(struct parser *p, const char *at)
{
	while (at) {
		bool object;

		at = skip_space(p, at);
		object = is_at(p, at, '{');
		if (!object && !is_at(p, at, '['))
			return read_scalar(p, at);
		at = open_container(p, at, object ? JSON_OBJECT : JSON_ARRAY);
		if (!at)
			return NULL;
		at = skip_space(p, at);
		if (is_at(p, at, object ? '}' : ']')) {
			close_container(p, at + 1);
			return at + 1;
		}
		if (object)
			at = read_key(p, at);
	}
	return NULL;
}

/*
 * After a value: close containers that end here. *@more: another value follows.
 */
static const char *read_after(struct parser *p, const char *at, bool *more)
{
	*more = false;
	while (p->open != OUTSIDE) {
		bool object = p->nodes[p->open].kind == JSON_OBJECT;

		p->nodes[p->open].count++;
		at = skip_space(p, at);
		if (is_at(p, at, ',')) {
			*more = true;
			return object ? read_key(p, at + 1) : at + 1;
		}
		if (!is_at(p, at, object ? '}' : ']'))
			return unexpected(p, at);
		close_container(p, ++at);
	}
	return at;
}

static bool read_text(struct parser *p, const char *at)
{
	bool more = true;

	while (more) {
		at = read_value(p, at);
		if (at)
			at = read_after(p, at, &more);
		if (!at)
			return false;
	}
	at = skip_space(p, at);
	return at == p->end || parse_error(p, at, "more after the value");
}

static void parser_init(struct parser *p, const struct json_limits *limits,
			size_t len)
{
	size_t depth = limits ? limits->max_depth : 0;
	size_t nodes = limits ? limits->max_nodes : 0;
	size_t guess = len / 8 + 8;

	p->max_depth = depth ? depth : DEFAULT_DEPTH;
	p->max_nodes = MAX_NODES;
	if (nodes && nodes < MAX_NODES)
		p->max_nodes = (uint32_t)nodes;
	guess = size_min(size_min(guess, FIRST_NODES), p->max_nodes);
	p->room = (uint32_t)guess;
	p->nodes = arena_alloc(p->mem, guess * sizeof(*p->nodes));
	p->open = OUTSIDE;
	p->kernels = json_kernels();
}

/*
 * Parse the valid UTF-8 prefix of @text, so that the first error in the text is
 * reported.
 */
static bool parse_valid(struct parser *p, struct str text)
{
	size_t valid = utf8_valid_prefix(text);

	p->end = text.ptr + valid;
	if (str_starts(text, STR("\xef\xbb\xbf")))
		return parse_error(p, text.ptr, "byte order mark");
	if (!read_text(p, text.ptr) && p->error.offset < valid)
		return false;
	if (valid < text.len)
		return parse_error(p, p->end, "invalid UTF-8");
	return !p->error.why;
}

enum err json_parse(struct str text, const struct json_limits *limits,
		    struct arena *mem, struct json *ret,
		    struct json_error *error)
{
	struct parser p = { .text = text.ptr, .mem = mem };
	struct json_doc *doc;

	if (text.len >= UINT32_MAX) {
		*error = (struct json_error){ 0, "text too large" };
		return ERR_PARSE;
	}
	doc = arena_alloc(mem, sizeof(*doc));
	parser_init(&p, limits, text.len);
	if (!parse_valid(&p, text)) {
		*error = p.error;
		return ERR_PARSE;
	}
	doc->text = text.ptr;
	doc->nodes = arena_grow(mem, p.nodes, p.room * sizeof(*p.nodes),
				p.count * sizeof(*p.nodes));
	*ret = (struct json){ doc, 0 };
	return ERR_OK;
}
