/*
 * translate_local.h - the state of one translation, shared by its files.
 */
#ifndef STET_TRANSLATE_LOCAL_H
#define STET_TRANSLATE_LOCAL_H

#include "base/buf.h"
#include "text/regex/translate.h"

struct translator {
	struct str in; /* the pattern */
	size_t at;     /* next byte of @in */
	const struct regex_options *o;
	struct arena *mem;
	struct buf out;                   /* the translation so far */
	struct translation_place *places; /* these three: see translation */
	size_t places_count;
	bool is_plain;
	bool extended;  /* (?x): blanks and comments are skipped */
	bool caseless;  /* (?i) somewhere: letters are no literals */
	unsigned depth; /* of open groups */
	struct regex_fault *f;
	bool failed; /* @f has a reason */
};

/* Refuse the pattern at offset @at, for the first reason found. */
void translate_refuse(struct translator *t, size_t at, struct str why);

/* The next byte is @c. */
static inline bool translate_is(const struct translator *t, char c)
{
	return t->at < t->in.len && t->in.ptr[t->at] == c;
}

static inline struct str translate_rest(const struct translator *t)
{
	return str_skip(t->in, t->at);
}

/* Copy @n bytes of the pattern. */
void translate_copy(struct translator *t, size_t n);

/* Translate a set in brackets, from its "[" on. */
void translate_set(struct translator *t);

/* The character that an escape sequence stands for, if it is one. */
struct pattern_escape {
	bool is_literal;
	uint32_t code; /* code point, with is_literal */
};

/*
 * Translate an escape sequence, from its backslash on. In a set (@in_set) only
 * sequences that sets know are translated; @negated: it is a set like [^...].
 */
struct pattern_escape translate_escape(struct translator *t, bool in_set,
				       bool negated);

#endif
