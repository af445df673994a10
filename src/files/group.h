/*
 * group.h - changes of several files that happen together, or not at all.
 *
 * ws_group() (workspace.h) makes them. On the disk (group_local.c) every file
 * gets a complete neighbour first, then one record in the private directory
 * says what is to happen, then the names are switched one after the other; a
 * process that dies in between is recovered from that record. A workspace
 * without such an operation, as an editor is one, changes one file after the
 * other, and puts the earlier ones back when one fails (group_apart.c).
 *
 * A reader that looks between two switches can see old and new files together.
 */
#ifndef STET_GROUP_H
#define STET_GROUP_H

#include "files/workspace.h"

/* One file of a group: its new content, or its removal. */
struct group_item {
	struct str path; /* as the client named it, for faults */
	/*
	 * As for ws_store(), or for ws_remove(): key, base, version, bytes,
	 * hash, parents, made_ms, set_mode and mode. The key is not "", and no
	 * two items have the same. The base is STORE_ABSENT or STORE_VERSION.
	 */
	struct store_want want;
	bool remove;
	struct str before; /* with STORE_VERSION: the bytes of that version */
	/*
	 * Key of the file whose mode, owner, ACL and attributes the new file
	 * at a key that had none gets; "" = those of any new file. It is
	 * usually removed by another item: the file is moved.
	 */
	struct str like;
	struct stored stored; /* result; nothing is set for a removal */
};

struct group_want {
	struct group_item *items;
	size_t count;
	const struct progress *progress; /* may be NULL */
	/*
	 * Called once, when everything is prepared and compared, and before
	 * the first file changes. Anything but ERR_OK is the result, and
	 * nothing changes. It may take as long as a disk needs.
	 */
	enum err (*ready)(void *ctx, struct fault *);
	void *ctx;
	bool dry_run; /* as in struct store_want */
	/*
	 * Result: why a crash could leave a mixture of files; "" = it cannot.
	 * It is set before @ready is called.
	 */
	struct str not_kept;
};

#endif
