/*
 * view.h - a file as an editor shows it, beside the file as it is.
 *
 * An editor shows text: the lines of most end with LF whatever the file has,
 * a byte order mark is not in it, and what the last line ends with is not to
 * be relied on. From what it shows and from the bytes on
 * disk follow the bytes that a save would write; and from bytes that a file is
 * to have follows what to tell the editor. Nothing here asks anybody.
 */
#ifndef STET_VIEW_H
#define STET_VIEW_H

#include "base/hash.h"
#include "text/encoding.h"

/* The file on disk, as text; of a file that is not there, of no bytes. */
struct view_file {
	struct str bytes;
	struct detected in;
	struct shown shown;
	struct str plain; /* the text with all lines ended by LF */
	enum eol eol;
	bool odd; /* its line endings cannot be told from LF alone */
};

/* False: it is no text, or has bytes that no editor shows as they are. */
must_check bool view_open(struct str bytes, struct arena *mem,
			  struct view_file *ret);

enum view_kind {
	VIEW_SAME,  /* it shows what the disk has */
	VIEW_OTHER, /* it does not: @bytes is what a save would write */
	VIEW_BLIND, /* it cannot show this file as it is */
};

struct view {
	enum view_kind kind;
	bool literal;     /* it shows line endings as they are */
	bool marked;      /* and the byte order mark */
	struct hash text; /* of what it shows, whatever its lines end with */
	struct str bytes;
};

void view_read(const struct view_file *file, struct str shown,
	       struct arena *mem, struct view *ret);

/*
 * What the editor is to be told so that the file becomes @bytes, and the hash
 * of that as in struct view. False: it cannot be told.
 */
must_check bool view_spell(const struct view_file *file,
			   const struct view *view, struct str bytes,
			   struct arena *mem, struct str *ret,
			   struct hash *ret_text);

#endif
