/*
 * file_read.h - the one way in which tools read files: permission, content, and
 * the record of what the caller has read.
 *
 * Permission is checked with the key of the very descriptor that was read,
 * before the content is used; also when the load fails, because an error reveals
 * something about the file.
 */
#ifndef STET_FILE_READ_H
#define STET_FILE_READ_H

#include "tools/call/tool.h"

struct change;
struct changed;

/*
 * ERR_DENIED with reason "rule" when a rule hides the file from the caller. To
 * be called before anything about the file is used. @key is "" while it is not
 * known yet.
 */
must_check enum err file_read_check_access(struct call *c, struct str path,
					   struct str key);

/*
 * Load a file for the caller. With ERR_NOT_FOUND ret->key is where the file
 * would be.
 */
must_check enum err file_read_load(struct call *c, struct str path,
				   uint64_t max, struct snapshot *ret);

/*
 * The permission check of file_read_load() for other ways to load: @e is the
 * result of ws_load() or ws_page(), which set *@key.
 */
must_check enum err file_read_check_loaded(struct call *c, struct str path,
					   enum err e, struct str *key);

/* Record that the caller has read the file, or a page of it. */
void file_read_record(struct call *c, const struct snapshot *snap);
void file_read_record_page(struct call *c, const struct page *page);

/* Record that the caller knows the file after its own change, if it does. */
void file_read_record_change(struct call *c, const struct change *change,
			     const struct changed *changed);

/*
 * Has the caller read the file in the state @now? ERR_UNREAD when it never read
 * it, ERR_STALE when the file has changed since; c->seen then has the content
 * that was read, if it is still cached, for the diff in the error. An if_version
 * replaces this check.
 */
must_check enum err file_read_check_current(struct call *c, struct str path,
					    const struct snapshot *now);

#endif
