/*
 * editor_buffer.h - the text of a file in an editor, compared with the disk.
 *
 * An editor reports text: in most editors lines end with LF whatever the file
 * has, a byte order mark is missing, and a final newline is not reliable. From
 * that text and the bytes on disk follow the bytes that a save would write; and
 * from the bytes that a file is to have follows the text to send to the editor.
 * Pure functions.
 */
#ifndef STET_EDITOR_BUFFER_H
#define STET_EDITOR_BUFFER_H

#include "base/hash.h"
#include "text/encoding/encoding.h"

/* The file on disk, decoded; a missing file has no bytes. */
struct disk_text {
	struct str bytes;
	struct detected in;
	struct decoded_text shown;
	struct str plain; /* the text with all line endings as LF */
	enum eol eol;
	bool mixed_eol; /* several kinds of line endings */
};

/* False: binary, or with bytes that cannot be decoded. */
must_check bool disk_text_open(struct str bytes, struct arena *mem,
			       struct disk_text *ret);

enum buffer_state {
	BUFFER_SAME,     /* equal to the disk */
	BUFFER_MODIFIED, /* differs; bytes is what a save would write */
	BUFFER_UNUSABLE, /* the editor cannot represent this file */
};

struct editor_buffer {
	enum buffer_state state;
	bool raw_eol;     /* the editor reports line endings unchanged */
	bool has_bom;     /* the text starts with a byte order mark */
	struct hash text; /* of the text, independent of line endings */
	struct str bytes;
};

void editor_buffer_read(const struct disk_text *file, struct str shown,
			struct arena *mem, struct editor_buffer *ret);

/*
 * The text to send to the editor so that the file becomes @bytes, and its hash
 * as in struct editor_buffer. False: the editor cannot represent it.
 */
must_check bool editor_buffer_encode(const struct disk_text *file,
				     const struct editor_buffer *buffer,
				     struct str bytes, struct arena *mem,
				     struct str *ret, struct hash *ret_text);

#endif
