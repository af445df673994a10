/*
 * textfile.h - a text file as tools use it: bytes, encoding and decoded text.
 */
#ifndef STET_TEXTFILE_H
#define STET_TEXTFILE_H

#include "text/encoding/encoding.h"
#include "tools/change/change.h"
#include "tools/reading/file_read.h"

struct textfile {
	struct snapshot snap;
	struct detected in;
	struct decoded_text shown; /* UTF-8, without a byte order mark */
};

/* Load the bytes of the file at @path, if the caller may read it. */
must_check enum err textfile_fetch(struct call *c, struct str path,
				   struct snapshot *ret);

/*
 * Load the file at @path and decode it; @binary is the error for a binary file.
 * Checks if_version of the caller.
 */
must_check enum err textfile_load(struct call *c, struct str path,
				  enum err binary, struct textfile *ret);

/*
 * Some lines of a file, decoded with its configured encoding if there is one.
 * Records that the caller has read the file.
 */
must_check enum err textfile_page(struct call *c, struct str path,
				  struct page_want *want, struct page *ret);

/*
 * ERR_CHANGED if the caller gave an if_version and it is not that of @snap.
 * Sets c->seen.
 */
must_check enum err textfile_guard(struct call *c, struct str path,
				   const struct snapshot *snap);

/* ERR_IGNORED for a file that ignore files or settings exclude from changes. */
must_check enum err textfile_check_ignored(struct call *c, struct str path,
					   struct str key);

/* Detect the encoding and decode; ERR_BINARY_READ. */
must_check enum err textfile_show(struct call *c, struct str path,
				  struct textfile *file);

/*
 * Apply the change @r of the text to the bytes of @file. Fails with a fault that
 * names the line in question and what to do. Fills in the members of @r that
 * come from the file.
 */
must_check enum err textfile_reencode(struct call *c, struct str path,
				      const struct textfile *file,
				      struct reencode *r);

/* The member _meta of results: facts about the file beside the contract. */
struct file_meta {
	struct str version, encoding, confidence, eol, source, kept, lost;
	struct str operation, history, hook;
	int64_t undecodable;
	struct str matched;
	struct accepted_hunks partial;
	bool diff_cut, content_cut;
	struct str diff; /* of a tool without a diff in its contract; "" */
};

extern const struct field file_meta_fields[];

#define CONFIDENCE_DOC \
	"Confidence of the detection, if it is not certain: likely or low"
#define UNDECODABLE_DOC "Number of undecodable bytes, shown as \\xNN"

/* Brief, because every client pays tokens for the schemas in tools/list. */
#define FILE_META(out_struct)                                           \
	{                                                               \
		"_meta", FIELD_OBJECT,                                  \
			.required = true,                               \
			.offset = offsetof(struct out_struct, meta),    \
			.doc = "About the file and how it was written", \
			.fields = file_meta_fields, .brief = true       \
	}

/* @source: "disk", "editor", or NULL for that of the workspace. */
void file_meta_fill(struct call *c, struct hash version, struct detected in,
		    size_t undecodable, const char *source,
		    struct file_meta *ret);

/* The text after a change: @text, unless a hook or editor rewrote it. */
struct str textfile_now(struct call *c, struct str path,
			const struct changed *changed, struct str text);

/* Add the members that describe a change. */
void file_meta_changed(const struct changed *changed, struct file_meta *ret);

#endif
