/*
 * tree_list.c - reads and sorts the names of a directory.
 *
 * The listings of the directories that a walk is in form a stack in two
 * buffers, which are kept from one directory to the next. getdents64() is called
 * directly: readdir() would allocate a buffer for each directory.
 */
#include "files/tree_local.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FIRST_ROOM = 4096 };

static void *tree_grow(void *ptr, size_t count, size_t size)
{
	void *made = reallocarray(ptr, count, size);

	if (!made)
		out_of_memory();
	return made;
}

static enum tree_kind kind_of_mode(mode_t mode)
{
	if (S_ISREG(mode))
		return TREE_FILE;
	if (S_ISDIR(mode))
		return TREE_DIRECTORY;
	return S_ISLNK(mode) ? TREE_LINK : TREE_OTHER;
}

static enum tree_kind tree_kind_of(struct tree_dir *dir,
				   const struct dirent64 *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return kind_of_mode(DTTOIF(e->d_type));
	return tree_stat(dir, e->d_name, &st) ? kind_of_mode(st.st_mode)
					      : TREE_OTHER;
}

static void names_add(struct tree_names *n, struct tree_dir *dir,
		      const struct dirent64 *e)
{
	size_t len = strlen(e->d_name);

	if (n->text_room - n->text_len < len + 1) {
		n->text_room = 2 * n->text_room + FIRST_ROOM;
		n->text = tree_grow(n->text, n->text_room, 1);
	}
	if (n->count == n->room) {
		n->room = 2 * n->room + FIRST_ROOM / 8;
		n->name = tree_grow(n->name, n->room, sizeof(*n->name));
	}
	n->name[n->count++] =
		(struct tree_name){ (uint32_t)n->text_len, (uint8_t)len,
				    (uint8_t)tree_kind_of(dir, e) };
	memcpy(n->text + n->text_len, e->d_name, len + 1);
	n->text_len += len + 1;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int name_order(const void *a, const void *b, void *text)
{
	const struct tree_name *left = a, *right = b;

	return strcmp((char *)text + left->at, (char *)text + right->at);
}

int tree_list_read(struct tree_names *names, struct tree_dir *dir, void *batch,
		   const struct tree_visitor *v, struct tree_list *ret)
{
	const struct dirent64 *e;
	ssize_t got;

	*ret = (struct tree_list){ names, names->count, names->count };
	while ((got = getdents64(dir->fd, batch, TREE_BATCH)) > 0) {
		for (char *at = batch; at < (char *)batch + got;
		     at += e->d_reclen) {
			e = (const void *)at;
			if (!is_dots(e->d_name))
				names_add(names, dir, e);
		}
		if (v->stop && v->stop(v->ctx)) {
			got = -1;
			errno = ECANCELED;
			break;
		}
	}
	ret->to = names->count;
	if (got < 0 || names->text_len > UINT32_MAX) {
		got = got < 0 ? errno : EOVERFLOW;
		tree_list_pop(names, ret);
		return (int)got;
	}
	if (ret->to > ret->from)
		qsort_r(names->name + ret->from, ret->to - ret->from,
			sizeof(*names->name), name_order, names->text);
	return 0;
}

/* The names of a listing are contiguous, but sorted: find the first one. */
void tree_list_pop(struct tree_names *names, const struct tree_list *list)
{
	for (size_t i = list->from; i < list->to; i++)
		names->text_len = size_min(names->text_len, names->name[i].at);
	names->count = list->from;
}

void tree_names_free(struct tree_names *names)
{
	free(names->text);
	free(names->name);
}

size_t tree_list_count(const struct tree_list *list)
{
	return list->to - list->from;
}

struct tree_entry tree_list_at(const struct tree_list *list, size_t i)
{
	const struct tree_name *n = &list->names->name[list->from + i];

	return (struct tree_entry){ { list->names->text + n->at, n->len },
				    (enum tree_kind)n->kind };
}

bool tree_list_has(const struct tree_list *list, const char *name,
		   enum tree_kind *ret)
{
	size_t low = 0, high = tree_list_count(list);

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct tree_entry e = tree_list_at(list, mid);
		int order = strcmp(name, e.name.ptr);

		if (!order) {
			*ret = e.kind;
			return true;
		}
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}
