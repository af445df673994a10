#include "tools/change.h"

#include "tools/gate.h"
#include "tools/readstate.h"

enum err change_judge(struct call *c, struct str path, enum err e,
		      struct str *key)
{
	struct fault ignored;
	struct look look;

	if (!e)
		return change_may_see(c, path, *key);
	if (e == ERR_LATER || e == ERR_CANCELLED)
		return e;
	if (!key->len && !ws_look(c->ws, path, c->mem, &look, &ignored))
		*key = look.key;
	if (key->len && gate_hides(c, path, *key))
		return fail(c->fault, ERR_DENIED, .path = path,
			    .reason = "rule");
	return e;
}

enum err change_load(struct call *c, struct str path, uint64_t max,
		     struct snapshot *ret)
{
	enum err e = change_may_see(c, path, STR(""));

	if (e)
		return e;
	e = ws_load(c->ws, path, max, &c->errand, c->mem, ret, c->fault);
	return change_judge(c, path, e, &ret->key);
}

/*
 * The caller knows what it has written. Of a file that it gave only a part
 * of, it knows the rest as well as before: one that it had read before
 * somebody changed it stays one that has changed since.
 */
static bool knows(struct call *c, const struct change *change,
		  const struct changed *changed)
{
	bool partly = changed->taken.of;
	struct read_entry entry;

	if ((change->whole && !partly) || c->guard.if_version.len ||
	    !change->before)
		return true;
	/* What stays of a file that was to be replaced unread is not known. */
	if (!readstate_get(c->caller->reads, changed->stored.key, c->mem,
			   &entry))
		return !(change->whole && partly);
	return hash_eq(entry.version, change->before->version);
}

void change_remember(struct call *c, const struct change *change,
		     const struct changed *changed)
{
	struct readstate *reads = c->caller->reads;
	struct str key = changed->stored.key, bytes = change->after;
	struct hash version = changed->stored.version;
	struct look look = { 0 };

	if (!reads)
		return;
	if (change->remove) {
		readstate_forget(reads, change->before->key);
		return;
	}
	if (!knows(c, change, changed))
		return;
	if (changed->rewritten) {
		version = changed->now.version;
		bytes = changed->now.bytes;
	}
	/* Only the literal rule looks at times. */
	if (c->options->stale_mtime &&
	    (ws_look(c->ws, change->path, c->mem, &look, NULL) ||
	     !str_eq(look.key, key)))
		look = (struct look){ 0 };
	readstate_put(reads, key, version, &look.stamp, &bytes);
}

void change_has_read(struct call *c, const struct snapshot *snap)
{
	if (c->caller->reads)
		readstate_put(c->caller->reads, snap->key, snap->version,
			      &snap->stamp, &snap->bytes);
}

void change_has_read_page(struct call *c, const struct page *page)
{
	if (c->caller->reads)
		readstate_put(c->caller->reads, page->key, page->version,
			      &page->stamp,
			      page->whole.ptr ? &page->whole : NULL);
}

/* To the letter: a later time is a change, whatever it holds. */
static bool is_stale(struct call *c, const struct read_entry *entry,
		     const struct snapshot *now)
{
	if (c->options->stale_mtime && entry->stamp.mtime)
		return now->stamp.mtime > entry->stamp.mtime;
	return !hash_eq(entry->version, now->version);
}

enum err change_check_read(struct call *c, struct str path,
			   const struct snapshot *now)
{
	struct read_entry entry = { 0 };
	struct hash want;

	c->seen = (struct seen){ path, now->bytes, now->key };
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
