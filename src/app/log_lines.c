/*
 * log_lines.c - prints operations, and groups of them, as lines.
 */
#include "app/log_lines.h"

#include "app/grants.h"
#include "app/human_time.h"
#include "store/client_name.h"
#include "store/ids.h"

static void show_undoes(struct history_cli *p, struct screen *s,
			const struct op *op)
{
	if (uuid_is_zero(op->undoes))
		return;
	screen_print(s, INK_CYAN, ", %s ",
		     op_role(p->store, op) == OP_REDOES ? "redo by undoing"
							: "undoes");
	screen_name(s, INK_CYAN, history_cli_id(p, op->undoes));
}

static void show_state(struct history_cli *p, struct screen *s,
		       const struct op *op)
{
	if (op->state != OP_DONE)
		screen_print(s, INK_RED, " (%s)", op_state_name(op->state));
	else if (!op_active(p->store, op))
		screen_print(s, INK_YELLOW, " (undone)");
}

void log_flags(struct history_cli *p, struct screen *s, const struct op *op)
{
	show_undoes(p, s, op);
	show_state(p, s, op);
}

/* The digits of a grant's id that "stet grants" prints. */
static struct str grant_name(struct history_cli *p, const struct op *op)
{
	return uuid_is_zero(op->granted_by) ? STR("")
					    : id_short(op->granted_by, &p->mem);
}

struct str log_grant(struct history_cli *p, const struct op *op)
{
	struct str id = grant_name(p, op);
	struct grant g;

	if (!id.len)
		return id;
	if (!grant_find(p->store, op->granted_by, &p->mem, &g))
		return arena_printf(&p->mem, STR_FMT ", which is not kept",
				    STR_ARG(id));
	return arena_printf(&p->mem, STR_FMT "%s: " STR_FMT, STR_ARG(id),
			    g.revoked_ms        ? " (revoked since)"
			    : grant_is_over(&g) ? " (expired since)"
						: "",
			    STR_ARG(grants_sentence(&g, p->now_ms, &p->mem)));
}

static void show_path(struct history_cli *p, struct screen *s,
		      const struct op *op)
{
	screen_print(s, INK_PLAIN, "  %-6s  ", op_kind_name(op->kind));
	screen_name(s, INK_BOLD, history_cli_shown(p, op->path));
	if (op->from.len) {
		screen_print(s, INK_DIM, " from ");
		screen_name(s, INK_PLAIN, history_cli_shown(p, op->from));
	}
}

static void show_when(struct history_cli *p, struct screen *s, struct uuid id,
		      uint64_t time_ms)
{
	struct str when = human_time_short(time_ms, p->now_ms, &p->mem);

	screen_name(s, INK_YELLOW, history_cli_id(p, id));
	screen_print(s, INK_DIM, "  %-16.*s", (int)when.len, when.ptr);
}

static void show_who(struct history_cli *p, struct screen *s,
		     const struct op *op)
{
	screen_print(s, INK_DIM, "  " STR_FMT, STR_ARG(op->tool));
	screen_print(s, INK_DIM, ", ");
	screen_name(s, INK_DIM, client_words(op->scope, op->client, &p->mem));
	if (op->session.len)
		screen_print(s, INK_DIM, ", session " STR_FMT,
			     STR_ARG(history_cli_session(op->session)));
	if (!uuid_is_zero(op->granted_by))
		screen_print(s, INK_DIM, ", allowed by grant " STR_FMT,
			     STR_ARG(grant_name(p, op)));
}

static void show_line(struct history_cli *p, struct screen *s,
		      const struct op *op)
{
	show_when(p, s, op->id, op->time_ms);
	show_path(p, s, op);
	show_who(p, s, op);
	log_flags(p, s, op);
	buf_addc(&s->out, '\n');
}

/* What one call changed in several files. */
struct log_group {
	struct op *ops;
	size_t n;
	size_t files;            /* a moved file is one */
	size_t active;           /* operations in effect */
	const struct op *unsure; /* one that failed, or may have; or NULL */
};

/* Is @op the removal of a file at its old name, which another moved? */
static bool is_old_name(const struct log_group *g, const struct op *op)
{
	for (size_t i = 0; op->kind == OP_DELETE && i < g->n; i++)
		if (g->ops[i].kind == OP_MOVE &&
		    str_eq(g->ops[i].from, op->path))
			return true;
	return false;
}

static void look_at_group(struct history_cli *p, struct log_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct op *op = &g->ops[i];

		g->files += !is_old_name(g, op);
		g->active += op_active(p->store, op);
		if (op->state != OP_DONE)
			g->unsure = op;
	}
}

/* The kind of all of them; a mixture is a patch. */
static const char *group_kind(const struct log_group *g)
{
	bool creates = true, deletes = true, same = true;

	for (size_t i = 0; i < g->n; i++) {
		same = same && g->ops[i].kind == g->ops[0].kind;
		creates = creates && !g->ops[i].existed;
		deletes = deletes && !g->ops[i].exists;
	}
	if (same)
		return op_kind_name(g->ops[0].kind);
	if (deletes)
		return op_kind_name(OP_DELETE);
	return creates ? op_kind_name(OP_CREATE) : "patch";
}

static void show_group_state(struct screen *s, const struct log_group *g)
{
	if (g->unsure)
		screen_print(s, INK_RED, " (%s)",
			     op_state_name(g->unsure->state));
	else if (!g->active)
		screen_print(s, INK_YELLOW, " (undone)");
	else if (g->active < g->n)
		screen_print(s, INK_YELLOW, " (partly undone)");
}

static void show_group(struct history_cli *p, struct screen *s,
		       struct uuid group)
{
	struct log_group g = { 0 };
	const struct op *first;

	if (history_group(p->store, group, &p->mem, &g.ops, &g.n, &p->fault) ||
	    !g.n)
		return;
	look_at_group(p, &g);
	first = &g.ops[0];
	show_when(p, s, first->id, first->time_ms);
	screen_print(s, INK_PLAIN, "  %-6s  ", group_kind(&g));
	screen_print(s, INK_BOLD, "%zu file%s", g.files,
		     g.files == 1 ? "" : "s");
	show_who(p, s, first);
	show_undoes(p, s, first);
	show_group_state(s, &g);
	buf_addc(&s->out, '\n');
	for (size_t i = 0; p->config.files && i < g.n; i++) {
		screen_print(s, INK_PLAIN, "    ");
		screen_name(s, INK_YELLOW, history_cli_id(p, g.ops[i].id));
		show_path(p, s, &g.ops[i]);
		show_state(p, s, &g.ops[i]);
		buf_addc(&s->out, '\n');
	}
}

/*
 * Was the group shown with an operation before that one? Its intents are begun
 * together, so it is not far.
 */
static bool is_shown(const struct op *ops, size_t at)
{
	enum { FAR_MS = 60 * 1000 };

	for (size_t i = at; i-- > 0;) {
		if (uuid_eq(ops[i].group, ops[at].group))
			return true;
		if (ops[i].time_ms > ops[at].time_ms + FAR_MS)
			break;
	}
	return false;
}

void log_lines(struct history_cli *p, struct screen *s, const struct op *ops,
	       size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_is_zero(ops[i].group))
			show_line(p, s, &ops[i]);
		else if (!is_shown(ops, i))
			show_group(p, s, ops[i].group);
}
