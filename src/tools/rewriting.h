/*
 * rewriting.h - what the tools share that write the whole of a file: it keeps
 * its encoding and its mark, and lines that are the same keep their bytes.
 */
#ifndef STET_REWRITING_H
#define STET_REWRITING_H

#include "tools/textfile.h"

/* What is there now, and what it is to become. */
struct rewrite {
	struct textfile file;
	bool exists;
	bool no_file;     /* something else is there: the store says what */
	struct str text;  /* that it is to have */
	struct str bytes; /* the same in its encoding */
};

/*
 * Look at what is there. Of a file that is not there, what it would be if it
 * were, and empty; bytes that are no text lend nothing to what replaces them.
 */
must_check enum err rewrite_load(struct call *c, struct str path,
				 struct rewrite *ret);

/*
 * The bytes of @content in the file's encoding, behind its mark; a mark that
 * the content brings along is not doubled.
 */
must_check enum err rewrite_spell(struct call *c, struct str path,
				  struct rewrite *t, struct str content);

#endif
