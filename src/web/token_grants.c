/*
 * token_grants.c - removes the grants and unused approvals of a revoked token, so
 * that a later token of the same name does not get them.
 *
 * Relies on store/approvals. A running server passes its store, the command line
 * a state directory.
 */
#include "store/approvals.h"
#include "web/tokens.h"

/* Opened read-only first, so that no database is created just for this. */
static enum err take_from_dir(struct str dir, struct str name,
			      struct arena *mem, size_t *ret, struct fault *f)
{
	struct store_options want = { .dir = dir,
				      .read_only = true,
				      .durable = true };
	struct store *s = store_new(&want);
	struct approval *asked;
	struct grant *list;
	size_t n = 0, questions = 0;
	enum err e;

	*ret = 0;
	e = grant_list(s, mem, &list, &n, f);
	if (!e)
		e = approval_list(s, /* all= */ true, mem, &asked, &questions,
				  f);
	/* A database of an older version cannot be read without migration. */
	if (e || n || questions) {
		store_free(s);
		want.read_only = false;
		s = store_new(&want);
		e = grant_remove_token(s, name, ret, f);
	}
	if (e) /* the message lives as long as the store */
		f->text = arena_copy(mem, f->text);
	store_free(s);
	return e;
}

enum err tokens_take_grants(struct store *s, struct str dir, struct str name,
			    struct arena *mem, size_t *ret, struct fault *f)
{
	return s ? grant_remove_token(s, name, ret, f)
		 : take_from_dir(dir, name, mem, ret, f);
}
