/*
 * patch_files.h - the files of a patch, as its sections leave them.
 *
 * Each section sees the files as those before it made them; what counts in the
 * end is the difference to what was there at first, one change for each file.
 * Nothing is written here.
 */
#ifndef STET_PATCH_FILES_H
#define STET_PATCH_FILES_H

#include "text/patch/section_apply.h"
#include "tools/reading/textfile.h"

struct patch_file {
	struct str path; /* as the patch spells it */
	struct str absolute;
	struct textfile
		was; /* the file before; its key also if there is none */
	bool existed, exists; /* before the patch, and after it */
	bool link;            /* @path is a symbolic link */
	bool decoded;         /* @was has its text */
	bool proved;          /* the caller gave the version that it has */
	/*
	 * The file whose content this one has, but for @text: itself, or one
	 * that was moved here; NULL = a new file.
	 */
	struct patch_file *origin;
	bool edited;     /* @text is the content */
	bool whole;      /* the patch has all of @text */
	size_t replaced; /* line of the section that replaced it; 0 = none */
	struct str text;
	size_t line;      /* the first that changed; 0 = unknown */
	struct str bytes; /* the content, when patch_files_finish() is done */
	const struct encoding *encoding; /* of @bytes; NULL = not known */
};

struct patch_files {
	struct call *call;
	const struct item_list *versions; /* path, version, path, version */
	struct patch_file **files;        /* in the order of the patch */
	size_t count;
	struct buf notes; /* second text of the result, for the model */
};

/* Apply the sections in their order. The fault names file, hunk and line. */
must_check enum err patch_files_apply(struct patch_files *p,
				      const struct changeset *set);

/* Encode what was edited. */
must_check enum err patch_files_finish(struct patch_files *p);

/* Does the file differ from what it was? */
bool patch_file_changed(const struct patch_file *file);

/*
 * The file that @file was before the patch under another name; NULL = none, or
 * that one is still there.
 */
const struct patch_file *patch_file_from(const struct patch_file *file);

/* Has the content of @file, which is gone, another name now? */
bool patch_file_moved(const struct patch_files *p,
		      const struct patch_file *file);

#endif
