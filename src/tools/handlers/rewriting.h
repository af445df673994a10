/*
 * rewriting.h - shared by the tools that replace the whole content: the file
 * keeps its encoding and byte order mark, and equal lines keep their bytes.
 */
#ifndef STET_REWRITING_H
#define STET_REWRITING_H

#include "tools/reading/textfile.h"

struct rewrite_args {
	struct str path, content;
};

/* The present file and its new content. */
struct rewrite {
	struct textfile file;
	bool exists;
	bool no_file;     /* not a regular file: the store reports it */
	struct str text;  /* new content */
	struct str bytes; /* new content in the encoding of the file */
};

/* What a new file is made from: in its configured encoding, else UTF-8. */
void rewrite_new(struct call *c, struct str path, struct textfile *file);

/*
 * Load the present file. One that does not exist counts as empty, in its
 * configured encoding. A binary file is replaced by UTF-8.
 */
must_check enum err rewrite_load(struct call *c, struct str path,
				 struct rewrite *ret);

/*
 * Encode @content as the file is encoded, with its byte order mark; a mark in
 * @content is not doubled.
 */
must_check enum err rewrite_spell(struct call *c, struct str path,
				  struct rewrite *t, struct str content);

/* Make the file what rewrite_spell() said; @parents as in struct change. */
must_check enum err rewrite_store(struct call *c, struct str path,
				  const struct rewrite *t, bool parents,
				  struct changed *ret);

/* Facts about the file for the result. */
void rewrite_meta_fill(struct call *c, const struct rewrite *t,
		       const struct changed *changed, struct file_meta *ret);

#endif
