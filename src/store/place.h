/*
 * place.h - the directory of a store: ours alone, or not used.
 */
#ifndef STET_PLACE_H
#define STET_PLACE_H

#include "store/store.h"

#include <dirent.h>

#define PLACE_DB   "history.db"
#define PLACE_LOCK "history.lock"

/*
 * Remember in the lock file that the database has tables; and: had it tables
 * once, and is empty now? To SQLite an empty file is a new database, beside
 * which it removes the log.
 */
void place_mark_made(int dir);
bool place_is_emptied(int dir);

/*
 * Is it a link that others may have made: one that is neither this user's nor
 * root's, or any in a directory where all may write? In /var/tmp somebody else
 * would choose where the history is kept.
 */
bool place_is_strange_link(struct str path, struct arena *mem);

/*
 * Open the directory of @s, making it (and the database's file) first unless
 * @s only looks. @ret_path has the database's resolved path. Only looking at
 * what is not there gives ERR_OK with *@ret_dir -1.
 */
must_check enum err place_open(struct store *s, struct arena *mem, int *ret_dir,
			       char **ret_path, struct fault *f);

/* Its directory @name, to be read; NULL when it cannot be. */
DIR *place_list(int dir, const char *name);
void place_list_end(DIR **list);

#define auto_dir cleanup(place_list_end) DIR *

/* Alone among all processes until it is closed; ERR_STORE after a while. */
must_check enum err place_lock(struct store *s, int dir, int *ret,
			       struct fault *f);

/* Which file is the database now? One that is gone is like no other. */
struct place_id {
	uint64_t dev, ino;
};

struct place_id place_id(int dir);
bool place_is(int dir, struct place_id id);

/*
 * Give the database and its log another name, "history.db.corrupt-TIME",
 * which is *@ret_path. Only under the lock.
 */
must_check enum err place_put_aside(struct store *s, int dir, struct arena *mem,
				    const char **ret_path, struct fault *f);

#endif
