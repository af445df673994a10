/*
 * file_read.c - loads files for tools, if the caller may see them, and records
 * what it has read.
 *
 * Relies on readstate.h (thread-safe) and on the gate for every failure that
 * would tell something about a hidden file.
 */
#include "tools/reading/file_read.h"

#include "tools/change/change.h"
#include "tools/permissions/gate.h"
#include "tools/reading/readstate.h"

enum err file_read_check_access(struct call *c, struct str path, struct str key)
{
	enum err e = key.len ? ERR_OK : gate_check_dotdot(c, path);

	return e ? e : gate_read(c, path, key);
}

enum err file_read_check_loaded(struct call *c, struct str path, enum err e,
				struct str *key)
{
	struct fault ignored;
	struct file_info info;

	if (!e)
		return file_read_check_access(c, path, *key);
	if (e == ERR_LATER || e == ERR_CANCELLED)
		return e;
	if (!key->len && !ws_stat(c->ws, path, c->mem, &info, &ignored))
		*key = info.key;
	if (key->len && gate_hides(c, path, *key))
		return fail(c->fault, ERR_DENIED, .path = path,
			    .reason = "rule");
	return e;
}

enum err file_read_load(struct call *c, struct str path, uint64_t max,
			struct snapshot *ret)
{
	enum err e = file_read_check_access(c, path, STR(""));

	if (e)
		return e;
	e = ws_load(c->ws, path, max, &c->progress, c->mem, ret, c->fault);
	return file_read_check_loaded(c, path, e, &ret->key);
}

/*
 * Does the caller know the content after its change? It does when it gave all
 * of it. After a partial edit it knows the rest as well as before: a file that
 * was stale stays stale.
 */
static bool knows_result(struct call *c, const struct change *change,
			 const struct changed *changed)
{
	bool partly = changed->taken.of;
	struct read_entry entry;

	if (change->copies)
		return readstate_get(c->caller->reads, change->from, c->mem,
				     &entry) &&
		       hash_eq(entry.version, changed->stored.version);
	if ((change->whole && !partly) || c->guard.if_version.len ||
	    !change->before)
		return true;
	/* A file that was not read was replaced, but for some rejected hunks. */
	if (!readstate_get(c->caller->reads, changed->stored.key, c->mem,
			   &entry))
		return !(change->whole && partly);
	return hash_eq(entry.version, change->before->version);
}

void file_read_record_change(struct call *c, const struct change *change,
			     const struct changed *changed)
{
	struct readstate *reads = c->caller->reads;
	struct str key = changed->stored.key, bytes = change->after;
	struct hash version = changed->stored.version;
	struct file_info info = { 0 };

	if (!reads)
		return;
	if (change->remove) {
		readstate_forget(reads, change->before->key);
		return;
	}
	if (!knows_result(c, change, changed))
		return;
	if (changed->rewritten) {
		version = changed->now.version;
		bytes = changed->now.bytes;
	}
	/* Only --stale-check=mtime compares times. */
	if (c->options->stale_mtime &&
	    (ws_stat(c->ws, change->path, c->mem, &info, NULL) ||
	     !str_eq(info.key, key)))
		info = (struct file_info){ 0 };
	readstate_put(reads, key, version, &info.stat, &bytes);
}

void file_read_record(struct call *c, const struct snapshot *snap)
{
	if (c->caller->reads)
		readstate_put(c->caller->reads, snap->key, snap->version,
			      &snap->stat, &snap->bytes);
}

void file_read_record_page(struct call *c, const struct page *page)
{
	if (c->caller->reads)
		readstate_put(c->caller->reads, page->key, page->version,
			      &page->stat,
			      page->whole.ptr ? &page->whole : NULL);
}

/* With --stale-check=mtime a later time counts, whatever the content is. */
static bool is_stale(struct call *c, const struct read_entry *entry,
		     const struct snapshot *now)
{
	if (c->options->stale_mtime && entry->stat.mtime)
		return now->stat.mtime > entry->stat.mtime;
	return !hash_eq(entry->version, now->version);
}

enum err file_read_check_current(struct call *c, struct str path,
				 const struct snapshot *now)
{
	struct read_entry entry = { 0 };
	struct hash want;

	c->seen = (struct seen_file){ path, now->bytes, now->key };
	if (c->guard.if_version.len) {
		if (hash_parse(c->guard.if_version, &want) &&
		    hash_eq(want, now->version))
			return ERR_OK;
	} else if (!c->caller->reads ||
		   !readstate_get(c->caller->reads, now->key, c->mem, &entry)) {
		return fail(c->fault, ERR_UNREAD, .path = path,
			    .version = hash_text(now->version, c->mem));
	} else if (!is_stale(c, &entry, now)) {
		return ERR_OK;
	}
	c->seen.bytes = entry.bytes;
	return fail(c->fault, ERR_STALE, .path = path,
		    .version = hash_text(now->version, c->mem));
}
