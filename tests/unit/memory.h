/*
 * memory.h - a workspace in memory: a few files, for tests of what is above.
 */
#ifndef STET_MEMORY_H
#define STET_MEMORY_H

#include "files/workspace.h"

struct memory_file {
	const char *path; /* NULL ends the list */
	struct str bytes;
};

struct memory {
	struct workspace ws;
	struct memory_file files[8];
	struct arena mem;
	unsigned loads, stores;
	bool overtaken;    /* they come right after, not before */
	unsigned races;    /* so many stores find that somebody was faster */
	struct str theirs; /* and has written this, unless it is "" */
};

static struct memory_file *memory_find(struct memory *m, struct str path)
{
	for (struct memory_file *f = m->files; f->path; f++)
		if (str_is(path, f->path))
			return f;
	return NULL;
}

static enum err memory_load(struct workspace *ws, struct str path, uint64_t max,
			    const struct errand *errand, struct arena *mem,
			    struct snapshot *ret, struct fault *f)
{
	struct memory *m = (struct memory *)ws;
	struct memory_file *file = memory_find(m, path);

	if (!file)
		return fail(f, ERR_NOT_FOUND, .path = path);
	m->loads++;
	if (errand && errand->patience && file->bytes.len > errand->patience)
		return ERR_LATER;
	*ret = (struct snapshot){ file->bytes, hash_of(file->bytes), path };
	return ERR_OK;
}

static enum err memory_store(struct workspace *ws, struct str path,
			     const struct store_want *want, struct arena *mem,
			     struct stored *ret, struct fault *f)
{
	struct memory *m = (struct memory *)ws;
	struct memory_file *file = memory_find(m, path);
	bool created = !file;

	if (m->races && m->races--) {
		if (m->theirs.len && file)
			file->bytes = m->theirs;
		return fail(f, m->overtaken ? ERR_OVERTAKEN : ERR_CHANGED,
			    .path = path);
	}
	for (size_t i = 0; !file; i++)
		if (!m->files[i].path) {
			file = &m->files[i];
			file->path = arena_cstr(&m->mem, path);
		}
	m->stores++;
	file->bytes = arena_copy(&m->mem, want->bytes);
	*ret = (struct stored){ .version = hash_of(want->bytes),
				.key = path,
				.created = created };
	return ERR_OK;
}

static const struct workspace_ops memory_ops = { memory_load, memory_store,
						 NULL };

#define MEMORY(...)                                                       \
	{                                                                 \
		.ws = { &memory_ops, "memory" }, .files = { __VA_ARGS__ } \
	}

#endif
