/*
 * place.h - a state directory for one test.
 */
#ifndef STET_TEST_PLACE_H
#define STET_TEST_PLACE_H

#include "../unit.h"

#include "base/err.h"
#include "web/tokens.h"

struct place {
	char *base;
	struct str dir; /* base/stet; does not exist at first */
	struct arena mem;
	struct fault f;
};

#define auto_place cleanup(place_end) struct place

struct place place_make(void);
void place_end(struct place *p);

/* The path of @name beneath the directory. */
const char *place_path(struct place *p, const char *name);

/* What the file holds; "" when it is not there. */
struct str place_read(struct place *p, const char *name);
void place_write(struct place *p, const char *name, const char *text,
		 unsigned mode);

/* The tokens of the directory: they must open. */
struct tokens *place_tokens(struct place *p);

/* The text of the fault. */
const char *place_words(struct place *p);

#endif
