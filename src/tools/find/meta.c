/*
 * meta.c - the table of the _meta of searches, and what fills it.
 */
#include "tools/find/meta.h"

static const struct field skipped_fields[] = {
	{ "ignored_files", FIELD_INT,
	  .offset = offsetof(struct find_skipped, ignored_files),
	  .doc = "Files that ignore files exclude" },
	{ "ignored_directories", FIELD_INT,
	  .offset = offsetof(struct find_skipped, ignored_directories),
	  .doc = "Directories that ignore files exclude; not entered" },
	{ "binary", FIELD_INT, .offset = offsetof(struct find_skipped, binary),
	  .doc = "Binary files" },
	{ "too_large", FIELD_INT,
	  .offset = offsetof(struct find_skipped, too_large),
	  .doc = "Files over the size limit of multiline" },
	{ "unreadable", FIELD_INT,
	  .offset = offsetof(struct find_skipped, unreadable),
	  .doc = "Files, directories and ignore files that cannot be read" },
	{ "need_approval", FIELD_INT,
	  .offset = offsetof(struct find_skipped, need_approval),
	  .doc = "Files that need approval before they are read" },
	{ "special", FIELD_INT,
	  .offset = offsetof(struct find_skipped, special),
	  .doc = "FIFOs, sockets, devices, and virtual filesystems of the kernel" },
	FIELDS_END,
};

const struct field find_meta_fields[] = {
	{ "skipped", FIELD_OBJECT, .required = true, .brief = true,
	  .offset = offsetof(struct find_meta, skipped),
	  .doc = "Numbers of skipped files and directories, by reason",
	  .fields = skipped_fields },
	{ "root", FIELD_STR, .offset = offsetof(struct find_meta, root),
	  .doc = "Directory that relative names start from" },
	{ "source", FIELD_STR, .required = true,
	  .offset = offsetof(struct find_meta, source),
	  .doc = "Source of the result; always the disk, not an editor" },
	FIELDS_END,
};

void find_meta_fill(const struct find *find, struct find_meta *ret)
{
	const struct find_counts *n = &find->counts;

	*ret = (struct find_meta){
		.skipped = { .ignored_files = (int64_t)n->ignored_files,
			     .ignored_directories = (int64_t)n->ignored_dirs,
			     .binary = (int64_t)n->binary,
			     .too_large = (int64_t)n->too_large,
			     .unreadable = (int64_t)n->unreadable,
			     .need_approval = (int64_t)n->need_approval,
			     .special = (int64_t)n->special },
		.root = find->absolute ? STR("") : find->base,
		.source = STR("disk"),
	};
}
