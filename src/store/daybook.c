#include "store/daybook.h"

#include "base/fd.h"
#include "store/daybook_file.h"
#include "store/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct page {
	size_t used; /* bytes */
	size_t open; /* notes that nothing else has */
};

struct daybook {
	int dir, fd;
	char name[UUID_TEXT + 1];
	struct page pages[DAYBOOK_PAGES];
	int now;       /* the page that is written to */
	uint64_t turn; /* how often one was begun */
	struct buf out;
};

/* One that grows takes longer to be brought to the disk. */
static int fill(int fd)
{
	static const char zeros[64 << 10];

	for (off_t at = 0; at < DAYBOOK_SIZE; at += (off_t)sizeof(zeros))
		if (fd_pwrite(fd, str_make(zeros, sizeof(zeros)), at))
			return -1;
	return 0;
}

static int write_head(int fd, bool durable)
{
	const struct daybook_head head = { .magic = DAYBOOK_MAGIC,
					   .durable = durable };

	return fd_pwrite(fd, str_make((const char *)&head, sizeof(head)), 0);
}

/*
 * Somebody who looks for books of the dead may have had the lock before us,
 * and have removed it then.
 */
static bool is_ours(int fd)
{
	struct stat st;

	return !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) && st.st_nlink;
}

static int make(int dir, const char *name, bool durable)
{
	auto_fd fd = fd_openat(dir, name,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -1;
	if (is_ours(fd) && !(durable && fill(fd)) && !write_head(fd, durable) &&
	    !(durable && (fd_fsync(fd) || fd_fsync(dir))))
		return fd_take(&fd);
	(void)unlinkat(dir, name, 0);
	return -1;
}

static int make_dir(struct db *db, bool durable)
{
	if (!mkdirat(db->dir, DAYBOOK_DIR, 0700)) {
		if (durable && fd_fsync(db->dir))
			return -1;
	} else if (errno != EEXIST) {
		return -1;
	}
	return fd_openat(db->dir, DAYBOOK_DIR,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

struct daybook *daybook_new(struct db *db, struct uuid name, bool durable)
{
	auto_fd dir = make_dir(db, durable), fd = -1;
	struct daybook *d;
	char text[UUID_TEXT + 1];

	if (dir < 0)
		return NULL;
	uuid_text(name, text);
	fd = make(dir, text, durable);
	if (fd < 0)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		out_of_memory();
	d->dir = fd_take(&dir);
	d->fd = fd_take(&fd);
	memcpy(d->name, text, sizeof(text));
	d->turn = 1;
	return d;
}

void daybook_free(struct daybook *d, bool keep)
{
	if (!d)
		return;
	for (int i = 0; i < DAYBOOK_PAGES; i++)
		keep |= d->pages[i].open;
	if (!keep)
		(void)unlinkat(d->dir, d->name, 0);
	fd_drop(&d->fd);
	fd_drop(&d->dir);
	buf_free(&d->out);
	free(d);
}

static bool is_short(const struct note *n)
{
	return n->before.bytes.len + n->after.bytes.len <= DAYBOOK_MOST;
}

bool daybook_put(struct daybook *d, struct note *list)
{
	struct page *page = &d->pages[d->now];
	size_t count = 0;

	buf_clear(&d->out, DAYBOOK_MOST);
	for (struct note *n = list; n; n = n->next, count++) {
		if (!is_short(n) || d->out.len > DAYBOOK_PAGE)
			return false;
		entry_put(&d->out, n, d->turn);
	}
	if (d->out.len > DAYBOOK_PAGE - page->used ||
	    fd_pwrite(d->fd, buf_str(&d->out),
		      daybook_page(d->now) + (off_t)page->used))
		return false;
	page->used += d->out.len;
	page->open += count;
	for (struct note *n = list; n; n = n->next)
		n->page = d->now;
	return true;
}

int daybook_sync(struct daybook *d)
{
	return fd_fdatasync(d->fd);
}

bool daybook_is_gone(const struct daybook *d)
{
	struct stat st;

	return fstat(d->fd, &st) || !st.st_nlink;
}

bool daybook_is_full(const struct daybook *d)
{
	return d->pages[d->now].used > DAYBOOK_PAGE / 2;
}

void daybook_turn(struct daybook *d)
{
	if (!d->pages[d->now].used || d->pages[!d->now].used)
		return;
	d->now = !d->now;
	d->turn++;
}

void daybook_carried(struct daybook *d, const struct note *n)
{
	d->pages[n->page].open--;
}

bool daybook_is_carried(const struct daybook *d)
{
	const struct page *page = &d->pages[!d->now];

	return page->used && !page->open;
}

/* What stands there is passed over if it is still read: never mind. */
void daybook_clear(struct daybook *d)
{
	static const char nothing[sizeof(struct hash) + sizeof(uint64_t)];

	(void)!fd_pwrite(d->fd, str_make(nothing, sizeof(nothing)),
			 daybook_page(!d->now));
	d->pages[!d->now].used = 0;
}
