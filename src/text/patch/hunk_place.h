/*
 * hunk_place.h - where in a text a hunk goes.
 *
 * Its old lines, which are context and removed ones, must fit at exactly one
 * place behind the hunk before it. With "@@" lines these must lead there: for
 * each line of the text that such a line fits, the first place behind counts,
 * and these must all be the same place. The line number of a unified diff
 * decides between places only when one of them is at that very line.
 *
 * Lines fit when they are equal but for LF and CRLF; where none fits, the rules
 * of lenient.h apply in their order, and the first that has a place decides.
 *
 * Private to section_apply.c and its tests.
 */
#ifndef STET_HUNK_PLACE_H
#define STET_HUNK_PLACE_H

#include "text/match/candidates.h"
#include "text/match/lenient.h"
#include "text/match/lenient_indent.h"
#include "text/patch/changeset.h"
#include "text/patch/hunk_index.h"

struct hunk_text {
	struct str text;
	struct hunk_row *rows;
	size_t count;
	struct hunk_index index;
	struct str *folded[2]; /* lines, by "quotes"; made when needed */
	struct str ended;      /* @text with an end of its last line; or "" */
	struct arena *mem;
	struct arena lists; /* what only the search for one hunk needs */
	size_t steps, ask;  /* lines compared; when to poll for cancellation */
};

/* ERR_NO_MEMORY */
must_check enum err hunk_text_init(struct hunk_text *t, struct str text,
				   struct arena *mem, struct fault *f);

void hunk_text_drop(struct hunk_text *t);

struct hunk_place {
	size_t first; /* row, from 0; hunk_text.count = behind the last line */
	enum lenient_rule rule;
	struct shift shift; /* with LENIENT_INDENT */
};

/* Why a hunk has no place, or several. */
struct hunk_failure {
	size_t hunk;   /* of its section, from 1 */
	size_t line;   /* of the patch */
	size_t places; /* that fit; 0 = none */
	const char *hint;
	struct candidate candidates[CANDIDATES_AMBIGUOUS];
	size_t count;
};

/*
 * The place of @h at row @from or behind it. ERR_NO_PLACE, ERR_MANY_PLACES;
 * then @ret_why tells why, but for its hunk and line.
 */
must_check enum err hunk_place_find(struct hunk_text *t,
				    const struct changeset_hunk *h, size_t from,
				    struct hunk_place *ret,
				    struct hunk_failure *ret_why);

#endif
