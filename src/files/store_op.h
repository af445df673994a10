/*
 * store_op.h - the steps of giving a file new content.
 *
 * store.c takes them for one file, group_local.c for several: find and lock
 * the target (target.h), store_compare(), store_prepare(), store_confirm(), the
 * switch (replace.h), store_check(). A file that cannot be replaced is
 * overwritten instead: store_in_place(). All of it runs under the lock.
 */
#ifndef STET_STORE_OP_H
#define STET_STORE_OP_H

#include "files/metadata.h"
#include "files/target.h"

struct store_op {
	/* set by the caller, with STORE_OP_INIT for the rest */
	struct target t;
	const struct store_want *want;
	struct stored *ret; /* its version is that of want->bytes */
	bool allow_loss;    /* lose metadata rather than fail */
	/* a file whose metadata a new file gets; fd is -1 = none */
	struct replace_old like;

	bool confirmed;              /* want->ready() was called */
	enum err refused;            /* result of store_confirm() */
	struct replace r;            /* set by store_prepare() */
	struct metadata_copied kept; /* the same */
	int in_place;                /* the file that is overwritten */
	bool replaced;               /* set by the caller after the switch */
};

#define STORE_OP_INIT .r = REPLACE_INIT, .like.fd = -1, .in_place = -1
#define auto_store_op cleanup(store_op_drop) struct store_op

void store_op_drop(struct store_op *s);

/* Check want->base. *ret_same: the file already has the new content. */
must_check enum err store_compare(struct store_op *s, bool *ret_same);

/*
 * Write content and metadata to a temporary file, made from @fd if that is not
 * -1. ERR_LOSSY when it cannot get all metadata that writing in place keeps.
 */
must_check enum err store_prepare(struct store_op *s, uint64_t salt, int fd);

/* fsync the temporary file, if stores are to survive a power failure. */
must_check enum err store_sync(struct store_op *s);

/*
 * The last check before the change. The caller's ready() is called once,
 * whichever way is then taken, and not for a cancelled call, whose bytes may
 * be truncated. @file is the file that is overwritten in place, or -1.
 */
must_check enum err store_confirm(struct store_op *s, int file);

/* After the switch: ERR_OVERTAKEN unless the target is the file just made. */
must_check enum err store_check_replaced(struct store_op *s);

/* Overwrite the file: it keeps its inode. */
must_check enum err store_in_place(struct store_op *s);

/* The directory forbids a temporary file or the rename, not the write. */
bool store_is_forbidden(const struct store_op *s);

/* Set the mode of a file that has the new content already. */
must_check enum err store_mode(struct store_op *s);

/*
 * A dry run: everything that would be found out before anything is written. An
 * existing file may be written (target.c has checked), if need be in place in a
 * directory that takes no new file.
 */
must_check enum err store_can(struct store_op *s);

#endif
