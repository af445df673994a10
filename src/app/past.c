#include "app/past.h"
#include "app/screen.h"

#include "app/when.h"
#include "base/clock.h"
#include "tools/result.h"
#include "tools/settle.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_DIGITS = 8 };

const char *const conflicts_choices[] = { "abort", "markers", "ours", "theirs",
					  NULL };

static struct store *open_store(struct past *p, bool writes)
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

/* One of an older stet has to be renewed before it can be looked at. */
static enum err use_store(struct past *p, bool writes)
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

/* Each intent has its own directory, and a mere look at them no lock. */
static void settle(struct past *p, bool writes)
{
	struct store *store = p->store;
	struct fault ignored = { 0 };
	struct op *ops;
	size_t n;

	if (history_open_intents(p->store, &p->mem, &ops, &n, &ignored) || !n)
		return;
	if (!writes)
		store = open_store(p, /* writes= */ true);
	for (size_t i = 0; i < n; i++) {
		auto_arena one = ARENA_INIT;

		owner_reach(&p->owner, ops[i].path);
		(void)history_settle_one(p->owner.ws, store, &ops[i], &one);
	}
	if (!writes)
		store_free(store);
}

/*
 * The reply to a client comes a moment before the end of its operation is
 * written down: without waiting, an undo right after it would take back the one
 * before. One that takes long (a slow hook) is not waited for.
 */
static void wait_for_ends(struct past *p)
{
	enum { STEP_NS = 5 * 1000 * 1000, MOST_STEPS = 400 };
	const struct timespec step = { .tv_nsec = STEP_NS };

	for (int i = 0; i < MOST_STEPS; i++) {
		if (!history_under_way(p->store, p->now_ms))
			return;
		(void)nanosleep(&step, NULL);
	}
}

static void begin_owner(struct past *p)
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

bool past_begin(struct past *p, const struct command *command,
		struct command_line *line, bool writes, int *status)
{
	char here[PATH_MAX];

	p->command = command;
	p->now_ms = clock_unix_ms();
	if (!command_options(command, line, &p->config, &p->mem, status))
		return false;
	if (getcwd(here, sizeof(here)))
		p->here = arena_copy(&p->mem, str_of(here));
	if (use_store(p, writes)) {
		*status = past_failed(p);
		return false;
	}
	begin_owner(p);
	wait_for_ends(p);
	settle(p, writes);
	return true;
}

void past_end(struct past *p)
{
	store_free(p->store);
	owner_end(&p->owner);
	arena_free(&p->mem);
}

int past_failed(struct past *p)
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
	fault_say(&p->fault, &out);
	screen_warn("stet %s: " STR_FMT "\n", p->command->name,
		    STR_ARG(buf_str(&out)));
	if (p->fault.changed.len)
		screen_warn_text(p->fault.changed);
	if (p->fault.hint.len)
		screen_warn(STR_FMT "\n", STR_ARG(p->fault.hint));
	return err_exit(p->fault.err);
}

int past_misused(struct past *p, const char *words)
{
	struct fault f = { .err = ERR_BAD_ARGS, .text = str_of(words) };

	return command_misused(p->command, &f);
}

struct str past_path(struct past *p, const char *word)
{
	struct str path = str_of(word), head, tail;
	char real[PATH_MAX];

	if (word[0] != '/')
		path = arena_printf(&p->mem, STR_FMT "/%s", STR_ARG(p->here),
				    word);
	/* What is gone has no links any more; what is above it may. */
	for (head = path; head.len; head = str_head(head, str_rfind(head, '/')))
		if (realpath(arena_cstr(&p->mem, head), real))
			break;
	tail = str_skip(path, head.len);
	if (!head.len)
		return path;
	return arena_printf(&p->mem, "%s" STR_FMT,
			    strcmp(real, "/") ? real : "", STR_ARG(tail));
}

struct str past_shown(struct past *p, struct str path)
{
	size_t n = p->here.len;

	if (n > 1 && path.len > n + 1 && str_starts(path, p->here) &&
	    path.ptr[n] == '/')
		return str_skip(path, n + 1);
	return path;
}

struct str past_id(struct past *p, struct uuid id)
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

struct str past_session(struct str session)
{
	return session.len > LEAST_DIGITS
		       ? str_skip(session, session.len - LEAST_DIGITS)
		       : session;
}

struct str past_command(struct past *p, const char *name)
{
	if (!p->config.state_dir)
		return arena_printf(&p->mem, "stet %s", name);
	return arena_printf(&p->mem, "stet %s --state-dir %s", name,
			    p->config.state_dir);
}

bool past_is_id(const char *word)
{
	size_t n = strlen(word);

	return n >= 4 && n <= UUID_TEXT &&
	       strspn(word, "0123456789abcdefABCDEF-") == n;
}

enum err past_find(struct past *p, const char *word, struct op *ret)
{
	enum err e =
		history_find(p->store, str_of(word), &p->mem, ret, &p->fault);

	if (e == ERR_NO_OP)
		p->fault.hint = STR(
			"'stet log' lists the operations here, 'stet log --all' those everywhere");
	if (e == ERR_MANY_OPS)
		p->fault.hint = STR(
			"Give more digits of its id: 'stet log' prints enough of them");
	return e;
}

static enum err time_of(struct past *p, const char *option, const char *word,
			uint64_t *ret)
{
	if (!word || when_parse(str_of(word), p->now_ms, ret))
		return ERR_OK;
	return fail(
		&p->fault, ERR_BAD_ARGS,
		.text = arena_printf(
			&p->mem,
			"--%s takes a time like '2h', '10:30', 'yesterday', '2026-01-15' or '2026-01-15T10:30:00Z', not '%s'",
			option, word));
}

enum err past_query(struct past *p, const char *word, struct history_query *ret)
{
	const struct past_config *c = &p->config;
	enum err e;

	*ret = (struct history_query){ .session = str_of(c->session),
				       .client_part = str_of(c->client) };
	/* A session that is not known has nothing to show: no failure. */
	e = c->session ? history_session(p->store, ret->session, &p->mem,
					 &ret->session, &p->fault)
		       : ERR_OK;
	if (e && e != ERR_NO_OP)
		return e;
	if (word)
		ret->path = past_path(p, word);
	else if (!c->all && !c->session && strcmp(p->here.ptr, "/") != 0)
		ret->path = past_path(p, ".");
	e = time_of(p, "since", c->since, &ret->since_ms);
	if (!e)
		e = time_of(p, "until", c->until, &ret->until_ms);
	return e;
}

struct str past_settled(struct past *p, size_t n)
{
	static const char *const how[] = {
		[CONFLICTS_ABORT] = "left alone",
		[CONFLICTS_MARKERS] =
			"both versions are in the file now, between the markers <<<<<<< and >>>>>>>: edit them before you use it",
		[CONFLICTS_OURS] = "what was in the file stays",
		[CONFLICTS_THEIRS] = "what was in the file is replaced",
	};

	return arena_printf(&p->mem, " (%zu conflict%s: %s)", n,
			    n == 1 ? "" : "s", how[p->config.conflicts]);
}

void past_put_op(struct past *p, struct json_out *o, const struct op *op)
{
	struct op_row row;
	struct tool tool = { .out = op_row_fields };
	struct call call = { .tool = &tool, .out = &row };
	auto_buf out = BUF_INIT;

	op_row_fill(p->store, op, &p->mem, &row);
	result_payload(&call, &out);
	json_put_raw(o, buf_str(&out));
}
