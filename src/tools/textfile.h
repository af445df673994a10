/*
 * textfile.h - a text file as tools see it: its bytes, and its text.
 */
#ifndef STET_TEXTFILE_H
#define STET_TEXTFILE_H

#include "text/encoding.h"
#include "tools/change.h"

struct textfile {
	struct snapshot snap;
	struct detected in;
	struct shown shown; /* UTF-8, without a byte order mark */
};

/* Load the file at @path, if the caller may see it. */
must_check enum err textfile_fetch(struct call *c, struct str path,
				   struct snapshot *ret);

/*
 * Load the file at @path and decode it. @binary is what to answer when it is
 * no text. Checks the caller's if_version.
 */
must_check enum err textfile_load(struct call *c, struct str path,
				  enum err binary, struct textfile *ret);

/*
 * Some lines of a file, in the encoding that somebody has named for it. The
 * caller has read them then.
 */
must_check enum err textfile_page(struct call *c, struct str path,
				  struct page_want *want, struct page *ret);

/*
 * ERR_CHANGED unless the caller named no version, or this one. The call has
 * now seen the file.
 */
must_check enum err textfile_guard(struct call *c, struct str path,
				   const struct snapshot *snap);

/* The file as text, found out and decoded; ERR_BINARY_READ. */
must_check enum err textfile_show(struct call *c, struct str path,
				  struct textfile *file);

/*
 * The change @r of @file's text in its bytes, or a fault that says which line
 * stands in the way and what to do. Fills in what r takes of the file.
 */
must_check enum err textfile_respell(struct call *c, struct str path,
				     const struct textfile *file,
				     struct respell *r);

/* What results tell of the file beside the contract, under _meta. */
struct file_meta {
	struct str version, encoding, confidence, eol, source, kept, lost;
	struct str operation, history, hook;
	int64_t undecodable;
	struct str matched;
	bool diff_cut, content_cut;
};

extern const struct field file_meta_fields[];

#define CONFIDENCE_DOC \
	"How sure the encoding is, when it is not certain: likely or low"
#define UNDECODABLE_DOC \
	"Bytes of the file that are no text in it, shown as \\xNN"

/* Brief: what every list of tools says costs every client its tokens. */
#define FILE_META(out_struct)                                           \
	{                                                               \
		"_meta", FIELD_OBJECT,                                  \
			.required = true,                               \
			.offset = offsetof(struct out_struct, meta),    \
			.doc = "About the file and how it was written", \
			.fields = file_meta_fields, .brief = true       \
	}

/* @source: who served it, or NULL. */
void file_meta_fill(struct call *c, struct hash version, struct detected in,
		    size_t undecodable, const char *source,
		    struct file_meta *ret);

/* The text of a file after a change: @text, unless it was rewritten since. */
struct str textfile_now(struct call *c, struct str path,
			const struct changed *changed, struct str text);

/* What a change has to tell beside that. */
void file_meta_changed(const struct changed *changed, struct file_meta *ret);

#endif
