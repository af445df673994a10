/*
 * grep_file.c - searches one file: opens it (files/tree), reads and decodes it in
 * blocks (files/filetext), matches them (text/search).
 *
 * Runs on any thread of the search. A worker owns what it writes; lines of a
 * large result are collected, or taken back, under grep.lock.
 */
#include "base/cancel.h"
#include "tools/find/grep_local.h"
#include "tools/reading/configured_encoding.h"

#include <stdlib.h>

bool grep_worker_open(struct grep_worker *w, struct grep *g)
{
	*w = (struct grep_worker){ .g = g, .call = *g->find->call };
	w->call.mem = &w->mem;
	w->call.fault = &w->fault;
	w->search = search_new(&g->want->search);
	w->text = filetext_new();
	return w->search;
}

void grep_worker_close(struct grep_worker *w)
{
	search_free(w->search);
	filetext_free(w->text);
	arena_free(&w->mem);
}

/* The name of the file in results, kept in the batch. */
static void name_file(struct grep_worker *w)
{
	struct grep_file *f = w->file;
	struct grep_batch *b = w->batch;
	struct str name = str_make(b->names.ptr + f->name, f->name_len);
	struct str path =
		find_shown(w->g->find, f->start, f->dir->key, name, &w->mem);

	f->path = b->paths.len;
	f->path_len = path.len;
	buf_add(&b->paths, path);
}

static struct str file_path(const struct grep_worker *w)
{
	return str_make(w->batch->paths.ptr + w->file->path, w->file->path_len);
}

static const struct encoding *named_encoding(void *ctx)
{
	struct grep_worker *w = ctx;
	struct str parts[] = {
		w->file->dir->key,
		STR("/"),
		str_make(w->batch->names.ptr + w->file->name,
			 w->file->name_len),
	};

	return configured_encoding(&w->call, arena_join(&w->mem, parts, 3));
}

/* Forget the lines of the present file. */
static void drop_lines(struct grep_worker *w, size_t text, size_t lines)
{
	(void)pthread_mutex_lock(&w->g->lock);
	grep_retract(w->g, w->batch);
	(void)pthread_mutex_unlock(&w->g->lock);
	w->batch->out.text.len = size_min(w->batch->out.text.len, text);
	w->batch->out.lines = lines;
}

static void begin_text(struct grep_worker *w)
{
	bool named = w->g->find->one_file;
	struct str prefix = named ? STR("") : file_path(w);

	search_begin(w->search, prefix, &w->batch->out);
}

/*
 * All blocks of the file. When nothing more is searched for, the rest is still
 * read: a NUL byte or another encoding there changes what the file is.
 */
static enum filetext_state search_blocks(struct grep_worker *w)
{
	struct search_output *out = &w->batch->out;
	size_t text = out->text.len, lines = out->lines;
	enum filetext_state state;
	struct str block;
	unsigned flags;
	bool more = true;

	begin_text(w);
	do {
		state = filetext_next(w->text, &block, &flags);
		if (state == FILETEXT_AGAIN) {
			drop_lines(w, text, lines);
			begin_text(w);
			more = true;
		}
		if (state == FILETEXT_BLOCK && more)
			more = search_block(w->search, block, flags);
		if (!more && filetext_info(w->text)->is_decoded)
			break;
	} while ((state == FILETEXT_BLOCK || state == FILETEXT_AGAIN) &&
		 !cancel_asked());
	if (state == FILETEXT_BINARY || state == FILETEXT_UNREADABLE)
		drop_lines(w, text, lines);
	return state;
}

/* A binary file that was named, in content mode. */
static void tell_binary(struct grep_worker *w, size_t text, size_t lines)
{
	drop_lines(w, text, lines);
	if (!w->file->count)
		return;
	buf_addf(&w->batch->out.text, "binary file matches (%llu)\n",
		 (unsigned long long)w->file->count);
	w->batch->out.lines++;
}

static void keep_result(struct grep_worker *w, enum filetext_state state)
{
	const struct filetext_info *info = filetext_info(w->text);
	struct search_result r = search_end(w->search);
	struct grep_file *f = w->file;

	f->binary = state == FILETEXT_BINARY;
	f->too_large = state == FILETEXT_TOO_LARGE;
	f->unreadable = state == FILETEXT_UNREADABLE;
	if (f->binary || f->too_large || f->unreadable)
		return;
	f->count = r.count;
	f->costly = r.costly;
	if (info->is_decoded && !info->is_binary) {
		f->decoded = info->in.encoding;
		f->uncertain = info->in.confidence == CONFIDENCE_LOW;
	}
}

static void search_opened(struct grep_worker *w, const struct tree_file *file)
{
	const struct search_want *s = &w->g->want->search;
	const struct filetext_want want = {
		.whole = regex_options(s->regex)->multiline,
		.max_whole = GREP_MAX_WHOLE,
		.binary_too = w->g->find->one_file,
		.named = named_encoding,
		.ctx = w,
	};
	size_t text = w->batch->out.text.len, lines = w->batch->out.lines;
	bool content = s->mode == SEARCH_CONTENT;
	enum filetext_state state;

	if (content)
		name_file(w);
	filetext_begin(w->text, file, &want);
	state = search_blocks(w);
	keep_result(w, state);
	w->file->mtime = (int64_t)file->st.st_mtim.tv_sec * 1000000000 +
			 file->st.st_mtim.tv_nsec;
	if (content && filetext_info(w->text)->is_binary)
		tell_binary(w, text, lines);
	if (!content && w->file->count)
		name_file(w);
}

void grep_search_file(struct grep_worker *w)
{
	const char *name = w->batch->names.ptr + w->file->name;
	auto_tree_file file = { .fd = -1 };

	switch (tree_open(w->file->dir, name, &file)) {
	case TREE_OPENED:
		search_opened(w, &file);
		break;
	case TREE_DENIED:
		w->file->unreadable = true;
		break;
	case TREE_GONE:
	case TREE_NOT_FILE:
	case TREE_OWN:
		break;
	}
	w->file->text_end = w->batch->out.text.len;
	arena_reset(&w->mem, GREP_BATCH_OUT);
}
