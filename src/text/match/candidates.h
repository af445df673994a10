/*
 * candidates.h - explain why a string was not found, or not found once.
 *
 * candidates_similar() names the places of the text most similar to a string
 * that is not there; candidates_ambiguous() says what tells apart the
 * occurrences of one that is there several times. Each candidate has a line
 * number, the line with invisible characters made visible, and the difference
 * in words: a tab is shown as →, a blank at either end of a line or next to
 * another as ·, a CR as ␍, other control characters as their Unicode pictures,
 * and zero-width and unusual spaces as their code point in ⟨⟩.
 *
 * Only the text of the file is shown. Of the searched string nothing is
 * repeated but counts of blanks and code points. LF and CRLF count as equal
 * (see edit.h).
 *
 * Time is bounded: one pass over the text, then a fixed amount of work for each
 * place that the pass found. Only the front of a very long string is compared.
 */
#ifndef STET_CANDIDATES_H
#define STET_CANDIDATES_H

#include "base/arena.h"

enum {
	CANDIDATES_SIMILAR = 3,
	CANDIDATES_AMBIGUOUS = 5,
	CANDIDATE_MIN_SIMILARITY = 40, /* percent */
	CANDIDATE_TEXT_MAX = 160,      /* bytes of text, at most */
	CANDIDATE_DIFFERS_MAX =
		320 + 200 /* bytes of differs: words, and one more line */
};

struct candidate {
	size_t line;         /* of the first character, from 1 */
	unsigned similarity; /* percent; 100 for an occurrence */
	struct str text;     /* the line, made visible; may be empty */
	struct str differs;  /* the difference in words, with its line */
};

/*
 * The places most similar to @old, which is not in @text; best first. Returns
 * how many.
 */
size_t candidates_similar(struct str text, struct str old, struct arena *mem,
			  struct candidate ret[CANDIDATES_SIMILAR]);

/* The same for a string that the words call @what, at most 10 bytes. */
size_t candidates_nearest(struct str text, struct str old, const char *what,
			  struct arena *mem,
			  struct candidate ret[CANDIDATES_SIMILAR]);

/*
 * The first occurrences of @old, which is in @text several times, each with a
 * nearby line that the others lack. Returns how many.
 */
size_t candidates_ambiguous(struct str text, struct str old, struct arena *mem,
			    struct candidate ret[CANDIDATES_AMBIGUOUS]);

/* A range of bytes, not empty. */
struct candidate_place {
	size_t at, end;
};

/* The same for the @n places that are given. */
size_t candidates_of(struct str text, const struct candidate_place *places,
		     size_t n, struct arena *mem,
		     struct candidate ret[CANDIDATES_AMBIGUOUS]);

#endif
