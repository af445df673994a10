/*
 * daybook_read.c - what the books of others hold.
 *
 * Its owner may be writing to it: an entry that is not whole is one that
 * nobody has been told of yet, or one that the database has by now.
 */
#include "base/fd.h"
#include "store/daybook.h"
#include "store/daybook_file.h"
#include "store/entry.h"
#include "store/notes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* As many bytes as tell whether there is anything on a page. */
enum { GLANCE = 64 };

struct found {
	struct note *first, **last;
	uint64_t turn;
};

/* The next one that may be a book; NULL at the end. */
static const char *next_book(DIR *books, struct uuid own)
{
	struct dirent *entry;
	struct uuid name;

	while ((entry = readdir(books)))
		if (uuid_parse(str_of(entry->d_name), &name) &&
		    !uuid_eq(name, own))
			return entry->d_name;
	return NULL;
}

static int open_book(DIR *books, const char *name, struct daybook_head *head)
{
	auto_fd fd = fd_openat(dirfd(books), name,
			       O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);

	*head = (struct daybook_head){ 0 };
	if (fd < 0 || fd_pread(fd, head, sizeof(*head), 0) < 0)
		return -1;
	return fd_take(&fd);
}

static bool page_begins(int fd, int page)
{
	char glance[GLANCE];
	ssize_t n = fd_pread(fd, glance, sizeof(glance), daybook_page(page));

	return n > 0 && entry_begins(str_make(glance, (size_t)n));
}

static void read_page(int fd, int page, struct arena *mem, struct found *ret)
{
	struct note *n;
	struct str rest;
	ssize_t got;
	char *to;

	*ret = (struct found){ .last = &ret->first };
	if (!page_begins(fd, page))
		return;
	to = arena_alloc(mem, DAYBOOK_PAGE);
	got = fd_pread(fd, to, DAYBOOK_PAGE, daybook_page(page));
	rest = str_make(to, got > 0 ? (size_t)got : 0);
	while ((n = entry_get(&rest, &ret->turn))) {
		n->again = true;
		*ret->last = n;
		ret->last = &n->next;
	}
}

/* True when the database has all of them now. */
static bool carry_over(struct db *db, struct note *list)
{
	struct recent recent = { 0 };
	bool all = true;

	if (list)
		notes_write(db, &recent, list, /* kept= */ 0);
	recent_drop(&recent);
	while (list) {
		struct note *n = list;

		list = n->next;
		all &= !n->err;
		free(n);
	}
	return all;
}

static bool take_in(struct db *db, int fd)
{
	struct found pages[DAYBOOK_PAGES], *older, *newer;
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < DAYBOOK_PAGES; i++)
		read_page(fd, i, &mem, &pages[i]);
	older = &pages[pages[0].turn > pages[1].turn];
	newer = &pages[older == pages];
	*older->last = newer->first;
	return carry_over(db, older->first);
}

/* With the lock of one that is dead, so that it is done once. */
static void take_in_one(struct db *db, DIR *books, const char *name)
{
	struct daybook_head head;
	auto_fd fd = open_book(books, name, &head);
	bool dead;

	if (fd < 0)
		return;
	dead = !flock(fd, LOCK_EX | LOCK_NB);
	if (head.magic && head.magic != DAYBOOK_MAGIC)
		return; /* of another stet, which knows what to do with it */
	if (take_in(db, fd) && dead && !(head.durable && db_sync(db)))
		(void)unlinkat(dirfd(books), name, 0);
}

void daybooks_take_in(struct db *db, struct uuid own)
{
	auto_dir books = place_list(db->dir, DAYBOOK_DIR);
	const char *name;

	while (books && (name = next_book(books, own)))
		take_in_one(db, books, name);
}

bool daybooks_hold_any(int dir)
{
	static const struct uuid none;
	auto_dir books = place_list(dir, DAYBOOK_DIR);
	const char *name;

	while (books && (name = next_book(books, none))) {
		struct daybook_head head;
		auto_fd fd = open_book(books, name, &head);

		for (int i = 0; fd >= 0 && i < DAYBOOK_PAGES; i++)
			if (page_begins(fd, i))
				return true;
	}
	return false;
}
