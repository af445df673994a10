/*
 * group_record.h - what is to happen to the files of a group, on the disk.
 *
 * A record is a file in "groups", a directory within that of the journals
 * (private_dir.h), which exists only while there are records. It is written
 * before the first temporary file or directory is made, and completed and
 * synced before the first file changes. As long as its process lives it is
 * locked with flock(); a record that nobody has locked was left by a crash:
 * group_recover.h.
 *
 * Layout: a line with the state, which is overwritten, then the plan with its
 * checksum, then the ways of changing with a checksum of everything before.
 */
#ifndef STET_GROUP_RECORD_H
#define STET_GROUP_RECORD_H

#include "files/journal.h"

enum { GROUP_ID = sizeof("0123456789abcdef"), GROUP_NAME = GROUP_ID + 24 };

enum group_state {
	GROUP_PLAN,   /* no file has changed yet */
	GROUP_SWITCH, /* files change, one after the other */
	GROUP_BACK,   /* the changed ones are put back */
	GROUP_DONE,   /* all have changed: only temporary files are left */
};

/* One file of a group. */
struct group_file {
	/* the plan */
	struct str key;
	bool existed, exists;      /* before the change, and after it */
	struct hash before, after; /* its versions */
	bool parents;              /* directories above may be created */
	uint64_t made_ms;          /* as in struct store_want */

	/* the way: known when everything is prepared */
	bool in_place; /* overwritten, not replaced by its neighbour */
	bool same;     /* the content does not change, at most the mode */
	unsigned mode_before, mode_after; /* if in_place */
	uint64_t old_len, new_len; /* of the kept contents, if in_place */

	/* where it is now; not recorded */
	int dir;          /* borrowed; -1 = its directory does not exist */
	const char *name; /* borrowed */
	uint64_t salt;    /* for the name of the neighbour, see replace.h */
};

struct group_record {
	enum group_state state;
	uint64_t id;
	uint64_t began_ms; /* Unix time */
	struct group_file *files;
	size_t count;
	bool has_ways; /* the second part was read and is valid */

	int dir, fd; /* the record is open and locked; -1 = none */
	const struct journal *journal;
};

#define GROUP_RECORD_INIT .dir = -1, .fd = -1
#define auto_group_record cleanup(group_record_drop) struct group_record

/* Close it, without a change on the disk. */
void group_record_drop(struct group_record *r);

/* Is there a record? One system call, made by every load and change. */
bool group_pending(const struct journal *j);

/* Does a record whose group has begun to change files list @key? */
bool group_has_begun(const struct journal *j, struct str key);

/* Is the record @name one? */
bool group_record_concerns(const struct journal *j, struct str name,
			   struct str key);

/*
 * The same for the files of @r, without its own record: *@ret has room for
 * r->count answers.
 */
void group_record_overlaps(const struct group_record *r, bool *ret);

/* All of these: 0, or -1 with errno. */

/* Create the record, with the plan of r->files. */
must_check int group_record_make(struct group_record *r);

/* Keep the old and the new content of file @i, which is open at @old. */
must_check int group_record_keep(struct group_record *r, size_t i, int old,
				 struct str bytes);

/* Add the ways of r->files, and let the changes begin. */
must_check int group_record_begin(struct group_record *r);

must_check int group_record_mark(struct group_record *r,
				 enum group_state state);

/* A kept content, in @mem; @old: the one before the change. */
must_check int group_record_kept(const struct group_record *r, size_t i,
				 bool old, struct arena *mem, struct str *ret);

/* Delete the record and what was kept. */
must_check int group_record_end(struct group_record *r);

/* The names of all records. */
must_check int group_record_list(const struct journal *j, struct arena *mem,
				 struct str **ret, size_t *ret_n);

/*
 * Open the record @name and lock it, within @wait_ms: EWOULDBLOCK = another
 * process has it, ENOENT = it was deleted, EBADMSG = it is damaged, and was
 * moved to the journals, as group-NAME.damaged.
 */
must_check int group_record_open(struct group_record *r, const char *name,
				 uint64_t wait_ms,
				 const struct progress *progress,
				 struct arena *mem);

#endif
