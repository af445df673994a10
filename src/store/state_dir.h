/*
 * state_dir.h - the state directory: private to this user, or refused.
 */
#ifndef STET_STATE_DIR_H
#define STET_STATE_DIR_H

#include "store/store.h"

#include <dirent.h>

#define STATE_DIR_DB   "history.db"
#define STATE_DIR_LOCK "history.lock"

/*
 * Remember in the lock file that the database has tables; and: is the database
 * empty although it had tables? To SQLite an empty file is a new database,
 * whose -wal it deletes.
 */
void state_dir_mark_made(int dir);
bool state_dir_is_emptied(int dir);

/*
 * Is @path a symlink that another user may have made: one that belongs neither
 * to this user nor to root, or any in a world-writable directory? In /var/tmp
 * another user could choose where the history is stored.
 */
bool state_dir_is_strange_link(struct str path, struct arena *mem);

/*
 * Open the directory of @s; create it and the database's file first, unless @s
 * is read-only. *@ret_path is the resolved path of the database. If @s is
 * read-only and there is no database, ERR_OK with *@ret_dir -1.
 */
must_check enum err state_dir_open(struct store *s, struct arena *mem,
				   int *ret_dir, char **ret_path,
				   struct fault *f);

/* Open the subdirectory @name for readdir(); NULL when that fails. */
DIR *state_dir_list(int dir, const char *name);
void state_dir_list_end(DIR **list);

#define auto_dir cleanup(state_dir_list_end) DIR *

/* Lock the directory until *@ret is closed; ERR_STORE after ten seconds. */
must_check enum err state_dir_lock(struct store *s, int dir, int *ret,
				   struct fault *f);

/* The identity of the database's file. A missing file equals none. */
struct state_dir_db_id {
	uint64_t dev, ino;
};

struct state_dir_db_id state_dir_db_id(int dir);
bool state_dir_db_is(int dir, struct state_dir_db_id id);

/*
 * Rename the database, its -wal and its -shm to "history.db.corrupt-TIME...";
 * *@ret_path is the path of the first. Only under the lock.
 */
must_check enum err state_dir_put_aside(struct store *s, int dir,
					struct arena *mem,
					const char **ret_path, struct fault *f);

#endif
