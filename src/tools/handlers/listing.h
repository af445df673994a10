/*
 * listing.h - shared by the tools that list directories as the reference
 * filesystem server does.
 *
 * Their result is one text, {content}. Names are escaped and hidden files are
 * left out. A text that is too long for a reply is cut at the end of a line, and
 * a second text says so.
 */
#ifndef STET_LISTING_H
#define STET_LISTING_H

#include "text/pattern/path_glob.h"
#include "tools/find/find.h"

struct listing_out {
	struct str content;
};

extern const struct field listing_out_fields[];
extern const char *const listing_path_aliases[];

#define LISTING_PATH_FIELD(args_struct, words)                          \
	{                                                               \
		"path", FIELD_STR,                                      \
			.required = true,                               \
			.offset = offsetof(struct args_struct, path),   \
			.doc = (words), .aliases = listing_path_aliases \
	}

/* All entries of the directory @path, of every kind and whatever is ignored. */
struct find_want listing_want(struct str path);

/* What @text takes of result_room(), as the text of a result. */
uint64_t listing_cost(const struct call *c, struct str text);

/* The lines of a result, as many as a reply can carry. */
struct listing_text {
	struct call *c;
	struct buf text;
	uint64_t room; /* left in the reply */
	size_t lines, left_out;
};

#define auto_listing_text cleanup(listing_text_free) struct listing_text

struct listing_text listing_text_make(struct call *c);
void listing_text_free(struct listing_text *t);

/* Add a line, or count it as left out. */
void listing_add(struct listing_text *t, struct str line);

/* Add the last lines, which are never left out. */
void listing_add_end(struct listing_text *t, struct str lines);

/* Make the text the result of the call; @find may be NULL. */
void listing_finish(struct listing_text *t, const struct find *find,
		    struct str none);

/* The same for a text that was put together by the caller; "" = no note. */
void listing_say(struct call *c, struct str text, const struct find *find,
		 struct str partial);

/*
 * The globs of an argument such as excludePatterns. ERR_BAD_GLOB names the one
 * that cannot be used.
 */
must_check enum err listing_glob(struct call *c, struct str pattern,
				 struct path_glob *ret);
must_check enum err listing_globs(struct call *c,
				  const struct item_list *patterns,
				  struct path_glob **ret);

/* Does one of @n globs match? */
bool listing_fits(const struct path_glob *globs, size_t n, struct str path);

/* The path of an entry below the directory that is listed; until the next. */
struct str listing_below(struct buf *path, const struct find_file *file);

/*
 * Is it a hard link to one of stet's own files, which no tool may name? Asked of
 * every entry that is listed; it costs a stat().
 */
bool listing_hides(const struct find_file *file);

/*
 * The file or directory at @path with all its times, links followed, if the
 * caller may know of it. Needs no approval: no content is revealed.
 */
must_check enum err listing_details(struct call *c, struct str path,
				    struct file_details *ret);

/*
 * Where a symlink of a walk leads: false if there is nothing that the caller may
 * know of. *@ret_size is its size.
 */
must_check bool listing_target(struct call *c, const struct find_file *file,
			       uint64_t *ret_size);

#endif
