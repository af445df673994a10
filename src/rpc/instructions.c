/*
 * instructions.c - which sentences the instructions have.
 *
 * They follow the list of tools: a client that is offered no tool that changes
 * files reads nothing about edits, and one whose tools all take relative paths
 * is not told that paths are absolute.
 */
#include "rpc/instructions.h"

#include "rpc/clients.h"
#include "rpc/job.h"
#include "rpc/server.h"
#include "text/encoding/utf8.h"
#include "tools/find/scope.h"

enum { LONGEST = 1024 }; /* bytes of a path */

/* What the listed tools do. */
struct listed {
	bool changes;
	bool undoes;
	bool absolute; /* a path has to be absolute */
	bool relative; /* a path may be relative */
};

static bool takes_absolute_path(const struct tool *t)
{
	for (const struct field *f = t->fields; f && f->name; f++)
		if (f->type == FIELD_PATH)
			return true;
	return false;
}

static struct listed what_is_listed(const struct offer *offer)
{
	struct listed ret = {
		.undoes =
			offer_calls(offer, tool_named(STR("undo_file_change")))
	};

	for (size_t i = 0; i < all_tools_count; i++) {
		const struct tool *t = all_tools[i];

		if (!offer_lists(offer, t))
			continue;
		t = offer_face(offer, t);
		ret.changes |= effects_change(t->effects);
		ret.absolute |= takes_absolute_path(t);
		ret.relative |= !takes_absolute_path(t) &&
				(tool_in_family(t, STR("find")) ||
				 tool_in_family(t, STR("filesystem")));
	}
	return ret;
}

/* "Reads ... beneath /a, /b.", with the first MOST roots. */
static void put_roots_sentence(const struct server *s, const struct listed *l,
			       struct buf *out)
{
	enum { MOST = 8 };
	auto_arena mem = ARENA_INIT;
	size_t n = 0;
	const struct str *roots = s->ws ? ws_roots(s->ws, &mem, &n) : NULL;

	buf_addf(out, "%s text files beneath ",
		 l->changes ? "Reads, writes and edits" : "Finds and reads");
	if (!n)
		buf_lit(out, "the roots that the client declares");
	for (size_t i = 0; i < n && i < MOST; i++)
		buf_addf(out, "%s" STR_FMT, i ? ", " : "",
			 STR_ARG(utf8_head(roots[i], LONGEST)));
	if (n > MOST)
		buf_addf(out, " and %zu more directories", n - MOST);
	buf_lit(out, ".");
}

/* Where relative names begin; with several roots there are none. */
static void put_base_sentence(const struct server *s, const struct listed *l,
			      struct buf *out)
{
	auto_arena mem = ARENA_INIT;
	struct str base;
	size_t n = 0;

	if (!s->ws || !l->relative)
		return;
	base = utf8_head(find_base_of(s->ws, &s->tools.find, &mem, &n),
			 LONGEST);
	if (n != 1)
		return;
	if (l->absolute)
		buf_addf(out,
			 " Searches name files relative to " STR_FMT
			 ", where relative paths begin for them as well.",
			 STR_ARG(base));
	else
		buf_addf(out, " Relative paths begin in " STR_FMT ".",
			 STR_ARG(base));
}

static void put_sentences(const struct listed *l, struct buf *out)
{
	if (l->absolute)
		buf_lit(out, " Paths are absolute.");
	if (l->changes)
		buf_lit(out,
			" Encodings, line endings and file metadata are kept; bytes outside an edit do not change. Edits match exactly and must match once: read the file first and copy the text exactly. Every tool that changes a file also takes if_version, which its schema does not list: its value is the version from a result (_meta.version of the structured content) or an error, and the call is refused if the file has changed since.");
	if (l->absolute)
		buf_lit(out,
			" Long files come in pages: while there are more lines, read again from the line that the result names.");
	if (l->changes && l->undoes)
		buf_lit(out, " A change can be undone with undo_file_change.");
	buf_lit(out,
		" If a call needs the user's approval, the error says so; make the same call again afterwards.");
}

void put_instructions(struct job *job, struct json_out *o)
{
	struct offer offer = client_offer(job);
	struct listed listed = what_is_listed(&offer);
	auto_buf text = BUF_INIT;

	put_roots_sentence(job->server, &listed, &text);
	put_sentences(&listed, &text);
	put_base_sentence(job->server, &listed, &text);
	json_key(o, "instructions");
	json_put_str(o, buf_str(&text));
}
