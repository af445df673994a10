/*
 * preview_group.c - the preview of a change of several files: a list of all
 * files, and one diff with those of all files in their order.
 *
 * The list is always complete. The diff of a file that is too large is left out,
 * and so are all that do not fit into PREVIEW_WHOLE together; a line in their
 * place says so.
 */
#include "text/diff/unified.h"
#include "text/display/confusable_name.h"
#include "tools/change/preview.h"

/* The actions of a call, and the question that they become. */
struct group_preview {
	struct call *call;
	const struct action_facts *facts;
	size_t n;
	struct question whole;
	struct approval_file *files;
	struct buf diff;
};

/* The removal of the file that is moved to where @to says; or NULL. */
static const struct action_facts *moved_from(const struct group_preview *g,
					     const struct action_facts *to)
{
	for (size_t i = 0; to->from.len && i < g->n; i++)
		if (g->facts[i].moved && str_eq(g->facts[i].key, to->from))
			return &g->facts[i];
	return NULL;
}

static void add_note(struct buf *out, struct str lines)
{
	struct str line;

	while (lines.len && str_split(&lines, '\n', &line)) {
		if (out->len)
			buf_lit(out, ", ");
		buf_add(out, line);
	}
}

/* What the diff does not show of the file that is in c->question now. */
static struct str notes_of(struct call *c)
{
	const struct question *q = &c->question;
	auto_buf out = BUF_INIT;

	add_note(&out, q->does);
	add_note(&out, q->badges);
	add_note(&out, confusable_name_sentence(q->path, c->mem));
	return arena_copy(c->mem, buf_str(&out));
}

static struct str root_of(struct call *c, struct str key)
{
	struct action action = { .tool = c->tool };
	const struct str *roots;
	size_t n;

	roots = ws_roots(c->ws, c->mem, &n);
	action_place(&action, key, key, roots, n, c->mem);
	return action.root;
}

/* The diff of the file that is in c->question, or why there is none. */
static void add_diff(struct group_preview *g)
{
	const struct question *q = &g->call->question;
	struct str diff =
		q->texts[APPROVAL_DIFF].len ? q->texts[APPROVAL_DIFF] : q->diff;
	struct str large =
		preview_too_large(q->added, q->removed, g->call->mem);

	if (q->kept == KEPT_WHOLE && g->diff.len + diff.len <= PREVIEW_WHOLE) {
		buf_add(&g->diff, diff);
		return;
	}
	unified_print_names(q->path, &g->diff);
	buf_addf(&g->diff, "(" STR_FMT ")\n", STR_ARG(large));
}

static void add_previewed(struct group_preview *g,
			  const struct action_facts *facts)
{
	struct call *c = g->call;
	const struct action_facts *from = moved_from(g, facts);
	struct action_facts shown = *facts;
	struct approval_file *file = &g->files[g->whole.file_count++];
	struct hunk_set unused = { 0 };

	if (from && !shown.before)
		shown.before = from->before;
	shown.divisible = false;
	c->question = (struct question){ .path = facts->key };
	preview_change(c, &shown, &unused);
	*file = (struct approval_file){
		.letter = facts->remove   ? 'D'
			  : from          ? 'R'
			  : facts->before ? 'M'
					  : 'A',
		.path = facts->key,
		.from = from ? from->key : STR(""),
		.root = root_of(c, facts->key),
		.notes = notes_of(c),
		.added = c->question.added,
		.removed = c->question.removed,
	};
	g->whole.added += file->added;
	g->whole.removed += file->removed;
	add_diff(g);
}

void preview_group(struct call *c, const struct action_facts *facts, size_t n)
{
	struct group_preview g = {
		.call = c,
		.facts = facts,
		.n = n,
		.whole = c->question,
		.files = arena_array(c->mem, struct approval_file, n),
	};

	for (size_t i = 0; i < n; i++)
		if (!facts[i].moved)
			add_previewed(&g, &facts[i]);
	c->question = g.whole;
	c->question.files = g.files;
	preview_show_whole(&c->question, arena_copy(c->mem, buf_str(&g.diff)));
	buf_free(&g.diff);
}

struct str preview_file_line(const struct approval_file *file,
			     struct arena *mem)
{
	bool renamed = file->from.len;

	return arena_printf(
		mem, "%c " STR_FMT "%s" STR_FMT " " STR_FMT "%s" STR_FMT,
		file->letter, STR_ARG(renamed ? file->from : STR("")),
		renamed ? " -> " : "", STR_ARG(file->path),
		STR_ARG(arena_printf(mem, "+%llu -%llu",
				     (unsigned long long)file->added,
				     (unsigned long long)file->removed)),
		file->notes.len ? ": " : "", STR_ARG(file->notes));
}
