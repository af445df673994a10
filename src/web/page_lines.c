/*
 * page_lines.c - how many lines an operation added and removed, cached.
 *
 * To count them takes both contents; the cache is shared by the threads that
 * work on requests, under its own mutex. The bytes that a list may read are
 * limited.
 */
#include "tools/history/undo.h"
#include "web/page_local.h"

enum { MOST_READ = 32 * 1024 * 1024, MOST_OF_ONE = 4 * 1024 * 1024 };

struct line_count {
	size_t added, removed;
	bool text;
};

static size_t row_of(struct uuid id)
{
	uint32_t n;

	/* The end of an id is random; its start is the time. */
	memcpy(&n, (const char *)&id + sizeof(id) - sizeof(n), sizeof(n));
	return n % LINES_KEPT;
}

static bool cache_get(struct line_cache *c, struct uuid id,
		      struct line_count *ret)
{
	size_t i = row_of(id);
	bool found;

	(void)pthread_mutex_lock(&c->lock);
	found = uuid_eq(c->rows[i].id, id);
	*ret = (struct line_count){ c->rows[i].added, c->rows[i].removed,
				    c->rows[i].text };
	(void)pthread_mutex_unlock(&c->lock);
	return found;
}

static void cache_put(struct line_cache *c, struct uuid id,
		      const struct line_count *n)
{
	size_t i = row_of(id);

	(void)pthread_mutex_lock(&c->lock);
	c->rows[i].id = id;
	c->rows[i].added = n->added;
	c->rows[i].removed = n->removed;
	c->rows[i].text = n->text;
	(void)pthread_mutex_unlock(&c->lock);
}

static bool count_lines(const struct op_view *view, const struct op *op,
			struct line_count *ret)
{
	uint64_t size = op->bytes_after;
	auto_arena mem = ARENA_INIT;
	struct fault ignored;

	if (op->kind == OP_APPEND)
		size -= op->bytes_before < size ? op->bytes_before : 0;
	else
		size += op->bytes_before;
	if (size > MOST_OF_ONE || size > *view->may_read)
		return false;
	*view->may_read -= size;
	*ret = (struct line_count){ 0 };
	if (undo_lines(view->store, op, &mem, &ret->added, &ret->removed,
		       &ret->text, &ignored))
		return false;
	cache_put(view->lines, op->id, ret);
	return true;
}

void put_lines(struct json_out *o, const struct op_view *view,
	       const struct op *op)
{
	struct line_count n;

	if (op->state != OP_DONE || !view->lines ||
	    (!cache_get(view->lines, op->id, &n) && !count_lines(view, op, &n)))
		return;
	if (!n.text) {
		put_flag(o, "binary", true);
		return;
	}
	put_number(o, "lines_added", n.added);
	put_number(o, "lines_removed", n.removed);
}

struct op_view op_view(struct web_page *p, struct arena *mem)
{
	struct op_view view = { .store = p->options.server->tools.store,
				.lines = &p->lines,
				.may_read = arena_new(mem, uint64_t),
				.mem = mem };

	*view.may_read = MOST_READ;
	view.roots = ws_roots(p->options.server->ws, mem, &view.root_count);
	return view;
}
