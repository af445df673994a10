/*
 * miss.h - an edit that did not find its string, or found several, says where
 * it could be.
 */
#ifndef STET_MISS_H
#define STET_MISS_H

#include "base/err.h"

/* What all candidates may take, as JSON and as text: about 400 tokens. */
enum { MISS_ROOM = 1600 };

/*
 * When *@f says that its text (the old string) is not in @text, or is there
 * several times: fill in candidates, an array of {line, similarity, text,
 * differs}, best first, and nearest, which is the same for people.
 */
void miss_explain(struct str text, struct arena *mem, struct fault *f);

#endif
