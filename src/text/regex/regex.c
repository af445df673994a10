/*
 * regex.c - regular expressions by PCRE2.
 *
 * One pattern of the process at a time is compiled to machine code by PCRE2's
 * JIT (base/code_memory.h); any other is interpreted, about six times slower. A
 * pattern in ASCII is compiled a second time for text that is ASCII: without
 * UTF-8 and Unicode properties matching takes half the time and gives the same
 * result. Text with invalid bytes needs a third compilation, which is made for
 * the first such text and is always interpreted.
 *
 * PCRE2 cannot be interrupted, and its limits hold for each position at which a
 * match may start. So a text is matched in windows of such positions, with a
 * poll for cancellation between them: at first in large windows with a low
 * limit, and where that is exceeded again in tiny ones with the real limit. A
 * window takes less than 100 ms, except for the patterns of must_be_whole().
 */
#include "text/regex/regex.h"

#include "base/cancel.h"
#include "base/code_memory.h"
#include "base/mutex.h"
#include "text/match/match.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
	MATCH_LIMIT = 1000 * 1000,
	LOW_LIMIT = 1000,
	WINDOW = 16 * 1024, /* start positions, with LOW_LIMIT */
	TINY_WINDOW = 8,    /* with MATCH_LIMIT */
	DEPTH_LIMIT = 10 * 1000,
	HEAP_LIMIT = 16 * 1024, /* KiB */
	STACK_START = 32 * 1024,
	STACK_LIMIT = 1024 * 1024,
	MESSAGE = 256, /* bytes of an error message of PCRE2 */
};

struct regex {
	struct regex_options o;
	struct translation t;
	struct str pattern;
	pcre2_code *code;    /* NULL for a literal */
	pcre2_code *ascii;   /* for text that is ASCII; NULL = use @code */
	bool owns_memory;    /* is the owner of base/code_memory.h */
	bool has_jit;        /* @code and @ascii have machine code */
	bool is_whole;       /* not in windows: that would change its meaning */
	struct mutex lock;   /* guards @lenient */
	pcre2_code *lenient; /* for text with invalid bytes; made when needed */
};

struct regex_matcher {
	const struct regex *r;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	uint32_t cut; /* set by regex_matcher_cut(): PCRE2_NOTBOL, _NOTEOL */
	size_t tried; /* start positions since the last poll */
};

static uint32_t compile_flags(const struct regex *r)
{
	return PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C |
	       PCRE2_USE_OFFSET_LIMIT | (r->o.caseless ? PCRE2_CASELESS : 0) |
	       (r->o.multiline ? PCRE2_DOTALL : 0);
}

static pcre2_code *compile(const struct regex *r, uint32_t flags,
			   int *ret_error, size_t *ret_at)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	pcre2_code *code;

	if (!c)
		out_of_memory();
	pcre2_set_newline(c, PCRE2_NEWLINE_LF);
	code = pcre2_compile((PCRE2_SPTR)r->t.text.ptr, r->t.text.len,
			     compile_flags(r) | flags, ret_error, ret_at, c);
	pcre2_compile_context_free(c);
	return code;
}

static void jit_compile(struct regex *r)
{
	if (!code_memory_take())
		return;
	r->owns_memory = true;
	r->has_jit =
		!pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE) &&
		(!r->ascii || !pcre2_jit_compile(r->ascii, PCRE2_JIT_COMPLETE));
	if (!code_memory_seal())
		r->has_jit = false;
}

/* The pattern for ASCII text; NULL = it is not ASCII itself. */
static pcre2_code *compile_ascii(const struct regex *r)
{
	size_t at;
	int error;

	for (size_t i = 0; i < r->t.text.len; i++)
		if (r->t.text.ptr[i] & '\x80')
			return NULL;
	return compile(r, PCRE2_NEVER_UTF | PCRE2_NEVER_UCP, &error, &at);
}

/*
 * Does a match depend on where matching starts? \G does, and so do verbs that
 * end the search or skip a part of the text, and patterns that can match at the
 * start only.
 */
static bool must_be_whole(const struct regex *r)
{
	static const char *const words[] = { "\\G", "(*COMMIT", "(*SKIP" };
	uint32_t options = 0;

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (memmem(r->t.text.ptr, r->t.text.len, words[i],
			   strlen(words[i])))
			return true;
	(void)pcre2_pattern_info(r->code, PCRE2_INFO_ALLOPTIONS, &options);
	return options & PCRE2_ANCHORED;
}

static void explain(const struct translation *t, struct str pattern, int error,
		    size_t at, struct arena *mem, struct regex_fault *ret_f)
{
	char message[MESSAGE] = "";

	(void)pcre2_get_error_message(error, (PCRE2_UCHAR *)message,
				      sizeof(message));
	*ret_f = (struct regex_fault){
		.at = translation_place(t, pattern, at),
		.text = arena_copy(mem, str_of(message)),
	};
}

struct regex *regex_new(struct str pattern, const struct regex_options *o,
			struct arena *mem, struct regex_fault *ret_f)
{
	struct regex *r;
	struct translation t;
	size_t at;
	int error;

	if (pattern.len > REGEX_MAX_PATTERN) {
		*ret_f = (struct regex_fault){
			.at = REGEX_MAX_PATTERN,
			.text = STR("the pattern has more than 10,000 bytes"),
		};
		return NULL;
	}
	if (!translate(pattern, o, mem, &t, ret_f))
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		out_of_memory();
	*r = (struct regex){ .o = *o, .t = t, .pattern = pattern };
	if (t.whole && !o->caseless)
		return r;
	r->code = compile(r, PCRE2_UTF | PCRE2_UCP, &error, &at);
	if (!r->code) {
		explain(&t, pattern, error, at, mem, ret_f);
		regex_free(r);
		return NULL;
	}
	r->is_whole = must_be_whole(r);
	r->ascii = compile_ascii(r);
	jit_compile(r);
	return r;
}

void regex_free(struct regex *r)
{
	if (!r)
		return;
	if (r->owns_memory)
		code_memory_open();
	pcre2_code_free(r->code);
	pcre2_code_free(r->ascii);
	if (r->owns_memory)
		code_memory_release();
	pcre2_code_free(r->lenient);
	free(r);
}

const struct translation *regex_facts(const struct regex *r)
{
	return &r->t;
}

const struct regex_options *regex_options(const struct regex *r)
{
	return &r->o;
}

bool regex_has_jit(const struct regex *r)
{
	return r->has_jit;
}

struct regex_matcher *regex_matcher_new(const struct regex *r)
{
	struct regex_matcher *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->r = r;
	m->data = pcre2_match_data_create(1, NULL);
	m->context = pcre2_match_context_create(NULL);
	if (!m->data || !m->context) {
		regex_matcher_free(m);
		return NULL;
	}
	pcre2_set_depth_limit(m->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(m->context, HEAP_LIMIT);
	if (r->has_jit)
		m->stack =
			pcre2_jit_stack_create(STACK_START, STACK_LIMIT, NULL);
	if (m->stack)
		pcre2_jit_stack_assign(m->context, NULL, m->stack);
	return m;
}

void regex_matcher_free(struct regex_matcher *m)
{
	if (!m)
		return;
	pcre2_jit_stack_free(m->stack);
	pcre2_match_context_free(m->context);
	pcre2_match_data_free(m->data);
	free(m);
}

void regex_matcher_cut(struct regex_matcher *m, bool start, bool end)
{
	m->cut = (start ? PCRE2_NOTBOL : 0) | (end ? PCRE2_NOTEOL : 0);
}

static enum regex_result outcome(const struct regex_matcher *m, int rc,
				 struct regex_span *ret)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(m->data);

	if (rc == PCRE2_ERROR_NOMATCH)
		return REGEX_NONE;
	if (rc < 0)
		return REGEX_COSTLY;
	/* \K in a look-ahead can put the start behind the end. */
	ret->start = size_min(at[0], at[1]);
	ret->end = size_max(at[0], at[1]);
	return REGEX_FOUND;
}

static enum regex_result find_literal(const struct regex *r, struct str text,
				      size_t from, struct regex_span *ret)
{
	size_t at = match_find(text, r->t.literal, from);

	if (at == MATCH_NONE)
		return REGEX_NONE;
	*ret = (struct regex_span){ at, at + r->t.literal.len };
	return REGEX_FOUND;
}

static const char *subject(struct str text)
{
	return text.ptr ? text.ptr : "";
}

static pcre2_code *lenient_code(const struct regex *r)
{
	struct regex *own = (struct regex *)r; /* only to set @lenient */
	size_t at;
	int error;

	mutex_lock(&own->lock);
	if (!own->lenient)
		own->lenient =
			compile(r,
				PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF,
				&error, &at);
	mutex_unlock(&own->lock);
	return own->lenient;
}

/* A compiled pattern, and how it is run. */
struct run {
	const pcre2_code *code;
	struct str text;
	uint32_t flags;
	bool jit;
};

/* The first match that starts in [from, last]. */
static int run_window(struct regex_matcher *m, const struct run *run,
		      uint32_t limit, size_t from, size_t last)
{
	PCRE2_SPTR at = (PCRE2_SPTR)subject(run->text);

	pcre2_set_match_limit(m->context, limit);
	pcre2_set_offset_limit(m->context, last);
	if (run->jit)
		return pcre2_jit_match(run->code, at, run->text.len, from,
				       run->flags, m->data, m->context);
	return pcre2_match(run->code, at, run->text.len, from, run->flags,
			   m->data, m->context);
}

/* The next start position after @at. */
static size_t position_after(struct str text, size_t at)
{
	at++;
	while (at < text.len && (text.ptr[at] & '\xc0') == '\x80')
		at++;
	return at;
}

static size_t window_end(struct str text, size_t from, size_t positions)
{
	return from + size_min(positions, text.len - from);
}

static bool matcher_is_cancelled(struct regex_matcher *m, size_t positions)
{
	m->tried += positions;
	if (m->tried < WINDOW)
		return cancel_seen();
	m->tried = 0;
	return cancel_asked();
}

/* Where LOW_LIMIT was exceeded between @from and @last. */
static int run_costly(struct regex_matcher *m, const struct run *run,
		      size_t from, size_t last)
{
	while (from <= last && !matcher_is_cancelled(m, WINDOW)) {
		size_t end = size_min(last, from + TINY_WINDOW - 1);
		int rc = run_window(m, run, MATCH_LIMIT, from, end);

		if (rc != PCRE2_ERROR_NOMATCH)
			return rc;
		from = position_after(run->text, end);
	}
	return PCRE2_ERROR_NOMATCH;
}

static int run_from(struct regex_matcher *m, const struct run *run, size_t from)
{
	struct str text = run->text;

	if (m->r->is_whole)
		return matcher_is_cancelled(m, WINDOW)
			       ? PCRE2_ERROR_NOMATCH
			       : run_window(m, run, MATCH_LIMIT, from,
					    text.len);
	while (from <= text.len) {
		size_t last = window_end(text, from, WINDOW);
		int rc;

		if (matcher_is_cancelled(m, last - from))
			break;
		rc = run_window(m, run, LOW_LIMIT, from, last);
		if (rc == PCRE2_ERROR_MATCHLIMIT)
			rc = run_costly(m, run, from, last);
		if (rc != PCRE2_ERROR_NOMATCH)
			return rc;
		from = position_after(text, last);
	}
	return PCRE2_ERROR_NOMATCH;
}

enum regex_result regex_find(struct regex_matcher *m, enum regex_text kind,
			     struct str text, size_t from,
			     struct regex_span *ret)
{
	const struct regex *r = m->r;
	struct run run = {
		.code = kind == REGEX_ASCII && r->ascii ? r->ascii : r->code,
		.text = text,
		.flags = m->cut,
		.jit = r->has_jit && kind != REGEX_INVALID,
	};

	if (!r->code) /* a literal: bytes are compared, valid or not */
		return find_literal(r, text, from, ret);
	if (kind == REGEX_INVALID)
		run.code = lenient_code(r);
	else
		run.flags |= PCRE2_NO_UTF_CHECK | (run.jit ? 0 : PCRE2_NO_JIT);
	if (!run.code)
		return REGEX_COSTLY;
	return outcome(m, run_from(m, &run, from), ret);
}
