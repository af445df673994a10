/*
 * textfile.h - a text file as tools see it: its bytes, and its text.
 */
#ifndef STET_TEXTFILE_H
#define STET_TEXTFILE_H

#include "text/encoding.h"
#include "tools/tool.h"

struct textfile {
	struct snapshot snap;
	const struct encoding *encoding;
	struct str text; /* UTF-8, without a byte order mark */
};

/*
 * Load the file at @path and decode it. @binary is what to answer when it is
 * no text. Checks the caller's if_version.
 */
must_check enum err textfile_load(struct call *c, struct str path,
				  enum err binary, struct textfile *ret);

/*
 * ERR_CHANGED unless the caller named no version, or this one. The call has
 * now seen the file.
 */
must_check enum err textfile_guard(struct call *c, struct str path,
				   const struct snapshot *snap);

/* What results tell of the file beside the contract, under _meta. */
struct file_meta {
	struct str version, encoding, eol, source, kept, lost;
	bool diff_cut;
};

extern const struct field file_meta_fields[];

#define FILE_META(out_struct)                                           \
	{                                                               \
		"_meta", FIELD_OBJECT,                                  \
			.required = true,                               \
			.offset = offsetof(struct out_struct, meta),    \
			.doc = "About the file and how it was written", \
			.fields = file_meta_fields                      \
	}

void file_meta_fill(struct call *c, struct hash version,
		    const struct encoding *encoding, struct file_meta *ret);

#endif
