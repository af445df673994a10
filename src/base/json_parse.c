/*
 * One pass over the text, without recursion: the innermost open container is
 * known by its place on the tape, and until it is closed its @next is the
 * place of the one around it.
 */
#include "base/json_tape.h"
#include "base/utf8_valid.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
	DEFAULT_DEPTH = 128,
	MOST_NODES = (1 << JSON_COUNT_BITS) - 1,
	FIRST_NODES = 1024, /* at most; a short text begins with fewer */
};

#define OUTSIDE UINT32_MAX

struct parser {
	const char *text, *at, *end;
	const struct json_kernels *kernels;
	struct arena *mem;
	struct json_node *nodes;
	uint32_t count, room, max_nodes;
	uint32_t open; /* the innermost open container, or OUTSIDE */
	size_t depth, max_depth;
	const char *why; /* it failed at @at */
};

static bool wrong(struct parser *p, const char *at, const char *why)
{
	p->at = at;
	p->why = why;
	return false;
}

/* What stands at @at is not what may stand there. */
static bool unexpected(struct parser *p)
{
	return wrong(p, p->at,
		     p->at == p->end ? "unexpected end"
				     : "unexpected character");
}

static bool grow(struct parser *p, const char *start)
{
	size_t room = size_min((size_t)p->room * 2, p->max_nodes);

	if (p->count >= p->max_nodes)
		return wrong(p, start, "too many values");
	p->nodes = arena_grow(p->mem, p->nodes, p->room * sizeof(*p->nodes),
			      room * sizeof(*p->nodes));
	p->room = (uint32_t)room;
	return true;
}

/* A node for what stands from @start to @at. */
static inline bool add(struct parser *p, enum json_kind kind, const char *start,
		       unsigned flags)
{
	if (p->count == p->room && !grow(p, start))
		return false;
	p->nodes[p->count] = (struct json_node){
		.start = (uint32_t)(start - p->text),
		.len = (uint32_t)(p->at - start),
		.next = p->count + 1,
		.kind = (uint32_t)kind & 15,
		.flags = flags & 15,
	};
	p->count++;
	return true;
}

static inline void skip_space(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' ||
				  *p->at == '\r' || *p->at == '\t'))
		p->at++;
}

/* White space, then @c. */
static inline bool take(struct parser *p, char c)
{
	skip_space(p);
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

/*
 * Most strings are short and plain, and the closing quote is in the first
 * sixteen bytes. Returns that, or where a proper scan must begin.
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

static bool bad_string(struct parser *p)
{
	if (p->at == p->end)
		return unexpected(p);
	return wrong(p, p->at,
		     *p->at == '\\' ? "bad escape"
				    : "control character in string");
}

/* A value or key; the opening quote is at @at. */
static inline bool read_string(struct parser *p)
{
	const char *start = p->at;
	unsigned flags = 0;

	p->at = skip_plain(start + 1, p->end);
	if (p->at == p->end || *p->at != '"') {
		struct str rest = { p->at, (size_t)(p->end - p->at) };

		p->at += p->kernels->scan(rest, &flags);
		if (p->at == p->end || *p->at != '"')
			return bad_string(p);
	}
	p->at++;
	return add(p, JSON_STRING, start, flags);
}

/* One digit or more. */
static bool digits(struct parser *p)
{
	const char *start = p->at;

	while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
		p->at++;
	return p->at > start || unexpected(p);
}

static bool next_is(const struct parser *p, char c)
{
	return p->at < p->end && *p->at == c;
}

static bool read_number(struct parser *p)
{
	const char *start = p->at;

	if (next_is(p, '-'))
		p->at++;
	if (next_is(p, '0'))
		p->at++;
	else if (!digits(p))
		return false;
	if (next_is(p, '.')) {
		p->at++;
		if (!digits(p))
			return false;
	}
	if (next_is(p, 'e') || next_is(p, 'E')) {
		p->at++;
		if (next_is(p, '+') || next_is(p, '-'))
			p->at++;
		if (!digits(p))
			return false;
	}
	return add(p, JSON_NUMBER, start, 0);
}

static bool read_word(struct parser *p, const char *word, enum json_kind kind)
{
	const char *start = p->at;

	for (; *word; word++, p->at++)
		if (!next_is(p, *word))
			return unexpected(p);
	return add(p, kind, start, 0);
}

static bool read_key(struct parser *p)
{
	skip_space(p);
	if (!next_is(p, '"'))
		return unexpected(p);
	return read_string(p) && (take(p, ':') || unexpected(p));
}

static bool open_container(struct parser *p, enum json_kind kind)
{
	if (p->depth == p->max_depth)
		return wrong(p, p->at, "nested too deeply");
	if (!add(p, kind, p->at, 0))
		return false;
	p->at++;
	p->depth++;
	p->nodes[p->count - 1].next = p->open;
	p->open = p->count - 1;
	return true;
}

/* The closing bracket was taken. */
static void close_container(struct parser *p)
{
	struct json_node *node = &p->nodes[p->open];
	uint32_t around = node->next;

	node->len = (uint32_t)(p->at - p->text) - node->start;
	node->next = p->count;
	p->open = around;
	p->depth--;
}

static inline bool in_object(const struct parser *p)
{
	return p->nodes[p->open].kind == JSON_OBJECT;
}

/* A value that is whole at once. */
static bool read_scalar(struct parser *p)
{
	switch (p->at < p->end ? *p->at : '\0') {
	case '"':
		return read_string(p);
	case 't':
		return read_word(p, "true", JSON_TRUE);
	case 'f':
		return read_word(p, "false", JSON_FALSE);
	case 'n':
		return read_word(p, "null", JSON_NULL);
	default:
		return read_number(p);
	}
}

/*
 * Any value as far as its first member that is whole: brackets are opened
 * until there is a scalar or an empty container.
 */
static bool read_value(struct parser *p)
{
	for (;;) {
		bool object;

		skip_space(p);
		object = next_is(p, '{');
		if (!object && !next_is(p, '['))
			return read_scalar(p);
		if (!open_container(p, object ? JSON_OBJECT : JSON_ARRAY))
			return false;
		if (take(p, object ? '}' : ']')) {
			close_container(p);
			return true;
		}
		if (object && !read_key(p))
			return false;
	}
}

/* After a value: close what closes. Is there another one to read? */
static bool read_more(struct parser *p)
{
	while (p->open != OUTSIDE) {
		bool object = in_object(p);

		p->nodes[p->open].count++;
		if (take(p, ','))
			return !object || read_key(p);
		if (!take(p, object ? '}' : ']'))
			return unexpected(p);
		close_container(p);
	}
	return false;
}

static bool read_text(struct parser *p)
{
	do
		if (!read_value(p))
			return false;
	while (read_more(p));
	if (p->why)
		return false;
	skip_space(p);
	return p->at == p->end || wrong(p, p->at, "more after the value");
}

static void start(struct parser *p, const struct json_limits *limits)
{
	size_t depth = limits ? limits->max_depth : 0;
	size_t nodes = limits ? limits->max_nodes : 0;
	size_t guess = (size_t)(p->end - p->text) / 8 + 8;

	p->max_depth = depth ? depth : DEFAULT_DEPTH;
	p->max_nodes = MOST_NODES;
	if (nodes && nodes < MOST_NODES)
		p->max_nodes = (uint32_t)nodes;
	guess = size_min(size_min(guess, FIRST_NODES), p->max_nodes);
	p->room = (uint32_t)guess;
	p->nodes = arena_alloc(p->mem, guess * sizeof(*p->nodes));
	p->open = OUTSIDE;
	p->kernels = json_kernels();
}

/* @text up to where it is UTF-8, so that the first mistake is what is told. */
static bool parse_valid(struct parser *p, struct str text)
{
	size_t valid = utf8_valid_prefix(text);

	p->end = text.ptr + valid;
	if (str_starts(text, STR("\xef\xbb\xbf")))
		return wrong(p, text.ptr, "byte order mark");
	if (!read_text(p) && p->at < p->end)
		return false;
	if (valid < text.len)
		return wrong(p, p->end, "invalid UTF-8");
	return !p->why;
}

enum err json_parse(struct str text, const struct json_limits *limits,
		    struct arena *mem, struct json *ret,
		    struct json_error *error)
{
	struct parser p = { .text = text.ptr, .at = text.ptr, .mem = mem };
	struct json_doc *doc;

	p.end = text.ptr + text.len;
	if (text.len >= UINT32_MAX) {
		*error = (struct json_error){ 0, "text too large" };
		return ERR_PARSE;
	}
	doc = arena_alloc(mem, sizeof(*doc));
	start(&p, limits);
	if (!parse_valid(&p, text)) {
		*error = (struct json_error){ (size_t)(p.at - p.text), p.why };
		return ERR_PARSE;
	}
	doc->text = text.ptr;
	doc->nodes = arena_grow(mem, p.nodes, p.room * sizeof(*p.nodes),
				p.count * sizeof(*p.nodes));
	*ret = (struct json){ doc, 0 };
	return ERR_OK;
}
