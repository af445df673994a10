/*
 * refusal.h - why a call is denied, in words that the client may see.
 *
 * The contract's message is the same for every denial; these words are the
 * hint beside it. Of the person's own settings they tell the rule, not where
 * the file is.
 */
#ifndef STET_REFUSAL_H
#define STET_REFUSAL_H

#include "tools/rules.h"

/* Of a file that the client may read: "denied by the rule deny write(docs)". */
struct str refusal_says(const struct decision *d, struct arena *mem);

/*
 * Of a hidden file. @named is placed by the path that the client gave and by
 * nothing else, and only that decides which rule is told: whether there is a
 * file, or a link that leads to one, makes no difference.
 */
struct str refusal_hides(const struct rules *r, const struct deed *named,
			 struct arena *mem);

#endif
