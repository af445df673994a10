/*
 * history_cli.c - shared by the history commands: options, ids, paths, output.
 *
 * history_cli_begin() opens the store, completes operations whose process died,
 * and waits briefly for operations that are about to end.
 */
#include "app/history_cli.h"
#include "app/screen.h"

#include "app/cli_path.h"
#include "app/human_time.h"
#include "base/clock.h"
#include "files/ws_local.h"
#include "store/ids.h"
#include "tools/call/result.h"
#include "tools/change/recovery.h"
#include "tools/permissions/approvals_json.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_DIGITS = 8, MOST_BYTES = 1 << 30 };

const char *const conflicts_choices[] = { "abort", "markers", "ours", "theirs",
					  NULL };

static struct store *open_store(struct history_cli *p, bool writes)
{
	char real[PATH_MAX];
	const char *dir = p->config.state_dir;

	if (dir && dir[0] != '/')
		dir = realpath(dir, real) ? real
					  : arena_printf(&p->mem, STR_FMT "/%s",
							 STR_ARG(p->here), dir)
						    .ptr;
	return store_new(&(struct store_options){
		.dir = arena_copy(&p->mem, str_of(dir)),
		.durable = true,
		.read_only = !writes });
}

/* A database of an older version must be migrated before it is read. */
static enum err use_store(struct history_cli *p, bool writes)
{
	enum err e;

	p->store = open_store(p, writes);
	e = store_usable(p->store, &p->fault);
	if (!e || !p->fault.reason || strcmp(p->fault.reason, "older") != 0)
		return e;
	store_free(p->store);
	p->store = open_store(p, /* writes= */ true);
	return store_usable(p->store, &p->fault);
}

static bool is_interrupted(struct store *s)
{
	auto_arena mem = ARENA_INIT;
	struct fault ignored = { 0 };
	struct op *ops;
	size_t n;

	return !history_open_intents(s, (struct uuid){ 0 }, /* limit= */ 1,
				     &mem, &ops, &n, &ignored) &&
	       n;
}

static void reach_path(void *ctx, struct str path)
{
	owner_reach(ctx, path);
}

/*
 * Files of one group may be in several roots, so that no root of an operation
 * is enough.
 */
static void recover_groups(void)
{
	struct workspace *ws = ws_local_new(&(struct ws_local_options){ 0 });
	const struct str all = STR("/");

	ws_local_roots(ws, &all, 1, STR(""), NULL);
	ws_recover(ws, /* progress= */ NULL);
	ws_local_free(ws);
}

/* Listing pending intents takes no lock; write access is opened only if any. */
static void recover_interrupted(struct history_cli *p, bool writes)
{
	struct recovery r = { .ws = p->owner.ws,
			      .store = p->store,
			      .max_file = MOST_BYTES,
			      .reach = reach_path,
			      .ctx = &p->owner };

	if (!is_interrupted(p->store))
		return;
	recover_groups();
	if (!writes)
		r.store = open_store(p, /* writes= */ true);
	recovery_run(&r);
	if (!writes)
		store_free(r.store);
}

/*
 * A client gets its reply a moment before the end of the operation is stored.
 * Without waiting, an undo right after the reply would undo the operation
 * before that one. A slow operation (a long hook) is not waited for.
 */
static void wait_for_ends(struct history_cli *p)
{
	enum { STEP_NS = 5 * 1000 * 1000, MOST_STEPS = 400 };
	const struct timespec step = { .tv_nsec = STEP_NS };

	for (int i = 0; i < MOST_STEPS; i++) {
		if (!history_under_way(p->store, p->now_ms))
			return;
		(void)nanosleep(&step, NULL);
	}
}

static void begin_owner(struct history_cli *p)
{
	owner_begin(&p->owner, &(struct owner_options){
				       .store = p->store,
				       .tool = arena_printf(&p->mem, "stet %s",
							    p->command->name),
				       .client = STR("stet " STET_VERSION),
				       .mem = &p->mem,
				       .fault = &p->fault });
	p->owner.recreated = p->config.recreated;
}

bool history_cli_begin(struct history_cli *p, const struct command *command,
		       struct command_line *line, bool writes, int most_words,
		       int *status)
{
	char here[PATH_MAX];

	p->command = command;
	p->now_ms = clock_unix_ms();
	if (!command_options(command, line, &p->config, &p->mem, status))
		return false;
	*status = command_at_most(command, line, most_words);
	if (*status)
		return false;
	if (getcwd(here, sizeof(here)))
		p->here = arena_copy(&p->mem, str_of(here));
	if (use_store(p, writes)) {
		*status = history_cli_failed(p);
		return false;
	}
	begin_owner(p);
	wait_for_ends(p);
	recover_interrupted(p, writes);
	return true;
}

void history_cli_end(struct history_cli *p)
{
	store_free(p->store);
	owner_end(&p->owner);
	arena_free(&p->mem);
}

int history_cli_failed(struct history_cli *p)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	if (p->config.json) {
		json_open(&o, '{');
		json_key(&o, "error");
		result_put_error(&o, &p->fault);
		json_close(&o, '}');
		buf_lit(&out, "\n");
		(void)screen_json(buf_str(&out));
		return err_exit(p->fault.err);
	}
	fault_add_message(&p->fault, &out);
	screen_warn("stet %s: " STR_FMT "\n", p->command->name,
		    STR_ARG(buf_str(&out)));
	if (p->fault.changed.len)
		screen_warn_text(p->fault.changed);
	if (p->fault.hint.len)
		screen_warn(STR_FMT "\n", STR_ARG(p->fault.hint));
	return err_exit(p->fault.err);
}

int history_cli_misused(struct history_cli *p, const char *words)
{
	struct fault f = { .err = ERR_BAD_ARGS, .text = str_of(words) };

	return command_misused(p->command, &f);
}

struct str history_cli_path(struct history_cli *p, const char *word)
{
	return cli_path(word, &p->mem);
}

struct str history_cli_shown(struct history_cli *p, struct str path)
{
	size_t n = p->here.len;

	if (n > 1 && path.len > n + 1 && str_starts(path, p->here) &&
	    path.ptr[n] == '/')
		return str_skip(path, n + 1);
	return path;
}

struct str history_cli_id(struct history_cli *p, struct uuid id)
{
	char text[UUID_TEXT + 1];
	size_t from = UUID_TEXT;

	if (!p->digits)
		p->digits = history_id_digits(p->store, LEAST_DIGITS);
	uuid_text(id, text);
	for (size_t n = 0; n < p->digits && from; from--)
		n += text[from - 1] != '-';
	return arena_copy(&p->mem, str_skip(str_of(text), from));
}

struct str history_cli_session(struct str session)
{
	return session.len > LEAST_DIGITS
		       ? str_skip(session, session.len - LEAST_DIGITS)
		       : session;
}

struct str history_cli_command(struct history_cli *p, const char *name)
{
	if (!p->config.state_dir)
		return arena_printf(&p->mem, "stet %s", name);
	return arena_printf(&p->mem, "stet %s --state-dir %s", name,
			    p->config.state_dir);
}

bool history_cli_is_id(const char *word)
{
	size_t n = strlen(word);

	return n >= ID_DIGITS_MIN && n <= UUID_TEXT &&
	       strspn(word, "0123456789abcdefABCDEF-") == n;
}

enum err history_cli_find(struct history_cli *p, const char *word,
			  struct op *ret)
{
	enum err e =
		history_find(p->store, str_of(word), &p->mem, ret, &p->fault);

	if (e == ERR_NO_OP && !p->fault.hint.len)
		p->fault.hint = STR(
			"'stet log' lists the operations beneath the current directory, 'stet log --all' all of them");
	if (e == ERR_MANY_OPS)
		p->fault.hint = STR(
			"Give more digits of the id: 'stet log' prints as many as are needed");
	return e;
}

static enum err time_of(struct history_cli *p, const char *option,
			const char *word, uint64_t *ret)
{
	if (!word || human_time_parse(str_of(word), p->now_ms, ret))
		return ERR_OK;
	return fail(
		&p->fault, ERR_BAD_ARGS,
		.text = arena_printf(
			&p->mem,
			"--%s takes a time like '2h', '10:30', 'yesterday', '2026-01-15' or '2026-01-15T10:30:00Z', not '%s'",
			option, word));
}

enum err history_cli_query(struct history_cli *p, const char *word,
			   struct history_query *ret)
{
	const struct history_cli_config *c = &p->config;
	enum err e;

	*ret = (struct history_query){ .session = str_of(c->session),
				       .client_part = str_of(c->client) };
	/* An unknown session is not an error: the list is empty. */
	e = c->session ? history_session(p->store, ret->session, &p->mem,
					 &ret->session, &p->fault)
		       : ERR_OK;
	if (e && e != ERR_NO_OP)
		return e;
	p->where = word;
	if (word)
		ret->path = history_cli_path(p, word);
	else if (!c->all && !c->session && strcmp(p->here.ptr, "/") != 0)
		ret->path = history_cli_path(p, ".");
	e = time_of(p, "since", c->since, &ret->since_ms);
	if (!e)
		e = time_of(p, "until", c->until, &ret->until_ms);
	return e;
}

struct str history_cli_settled(struct history_cli *p, size_t n)
{
	static const struct {
		const char *does, *would; /* without and with --dry-run */
	} how[] = {
		[CONFLICTS_ABORT] = { "the file is unchanged",
				      "the file stays unchanged" },
		[CONFLICTS_MARKERS] = { "both versions are in the file now, between the conflict markers <<<<<<< and >>>>>>>: resolve them before you use it",
					"both versions would be in the file, between the conflict markers <<<<<<< and >>>>>>>" },
		[CONFLICTS_OURS] = { "the present content was kept",
				     "the present content would be kept" },
		[CONFLICTS_THEIRS] = { "the present content was replaced",
				       "the present content would be replaced" },
	};
	const int which = p->config.conflicts;

	return arena_printf(&p->mem, " (%zu conflict%s: %s)", n,
			    n == 1 ? "" : "s",
			    p->config.dry_run ? how[which].would
					      : how[which].does);
}

/* Members of an object, of which @out has all but the closing bracket. */
static void put_grant(struct history_cli *p, struct buf *out,
		      const struct op *op)
{
	struct json_out o = json_out(out);
	struct grant g;

	buf_addc(out, ',');
	json_text_member(&o, "granted_by", op_id(op->granted_by, &p->mem));
	if (!grant_find(p->store, op->granted_by, &p->mem, &g))
		return;
	json_key(&o, "grant");
	approvals_put_grant(&o, &g, &p->mem);
}

void history_cli_put_op(struct history_cli *p, struct json_out *o,
			const struct op *op)
{
	struct op_row row;
	struct tool tool = { .out = op_row_fields };
	struct call call = { .tool = &tool, .out = &row };
	auto_buf out = BUF_INIT;

	op_row_fill(p->store, op, &p->mem, &row);
	result_payload(&call, &out);
	if (!uuid_is_zero(op->granted_by)) {
		out.len--;
		put_grant(p, &out, op);
		buf_addc(&out, '}');
	}
	json_put_raw(o, buf_str(&out));
}
