#include "acp/codex.h"

#include "text/utf8.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	MOST_LINE = 64 << 20,
	MOST_SAID = 4096, /* of stderr: its last words */
	OVERLOADED = -32001,
	MOST_TRIES = 6,
	FIRST_WAIT_MS = 100,
	END_MS = 300, /* before each harder way to say it */
};

struct codex {
	struct codex_options options;
	struct arena mem;
	const char *argv[3]; /* the first is NULL: not found, and @why */
	struct str why;
	struct process *process;
	struct wire *wire;
	struct buf said;
	struct request *waiting, **waiting_end; /* until it is ready */
	struct request *open;                   /* all of them */
	bool ready, ending;
	void (*ended)(void *ctx);
	void *ended_ctx;
};

/* A question, which may have to be asked more than once. */
struct request {
	struct request *next;      /* that wait */
	struct request *next_open; /* of all */
	struct codex *codex;
	wire_done *done;
	void *ctx;
	struct loop_timer *timer;
	unsigned tries;
	const char *method;
	struct buf params;
};

/* Once it is out of the list. */
static void answer(struct request *r, const struct wire_answer *a)
{
	loop_timer_stop(r->timer);
	r->done(r->ctx, a);
	buf_free(&r->params);
	free(r);
}

static void finish(struct request *r, const struct wire_answer *a)
{
	struct request **at = &r->codex->open;

	while (*at != r)
		at = &(*at)->next_open;
	*at = r->next_open;
	answer(r, a);
}

static void send(struct request *r);

static void on_again(void *ctx)
{
	struct request *r = ctx;

	r->timer = NULL;
	send(r);
}

static void on_answer(void *ctx, const struct wire_answer *a)
{
	struct request *r = ctx;

	if (a->end == WIRE_REFUSED && a->code == OVERLOADED &&
	    ++r->tries < MOST_TRIES) {
		r->timer = loop_after(r->codex->options.loop,
				      (uint64_t)FIRST_WAIT_MS << r->tries,
				      on_again, r);
		return;
	}
	finish(r, a);
}

static void send(struct request *r)
{
	(void)wire_ask(r->codex->wire, r->method, buf_str(&r->params), 0,
		       on_answer, r);
}

static void on_late_no(void *ctx)
{
	auto_arena mem = ARENA_INIT;
	struct request *r = ctx;

	r->timer = NULL;
	finish(r, &(struct wire_answer){ .end = WIRE_CUT, .mem = &mem });
}

void codex_ask(struct codex *c, const char *method, struct str params,
	       wire_done *done, void *ctx)
{
	struct request *r = calloc(1, sizeof(*r));

	if (!r)
		out_of_memory();
	*r = (struct request){ .next_open = c->open,
			       .codex = c,
			       .done = done,
			       .ctx = ctx,
			       .method = method };
	c->open = r;
	buf_add(&r->params, params);
	if (!c->process) { /* never from here */
		r->timer = loop_after(c->options.loop, 0, on_late_no, r);
	} else if (c->ready) {
		send(r);
	} else {
		*c->waiting_end = r;
		c->waiting_end = &r->next;
	}
}

void codex_reply(struct codex *c, struct str id, struct str result)
{
	if (c->process)
		wire_reply(c->wire, id, result);
}

void codex_refuse(struct codex *c, struct str id, int code, struct str message)
{
	if (c->process)
		wire_refuse(c->wire, id, code, message, STR(""));
}

bool codex_is_ready(const struct codex *c)
{
	return c->ready;
}

static struct request *take_waiting(struct codex *c)
{
	struct request *list = c->waiting;

	c->waiting = NULL;
	c->waiting_end = &c->waiting;
	return list;
}

static void on_ready(void *ctx, const struct wire_answer *a)
{
	struct codex *c = ctx;
	struct request *r, *next;

	if (a->end == WIRE_REFUSED) { /* it is of no use, and says why */
		buf_add(&c->said, a->message);
		process_end(c->process, 0);
	}
	if (a->end != WIRE_ANSWERED)
		return;
	wire_tell(c->wire, "initialized", STR(""));
	c->ready = true;
	c->options.ready(c->options.ctx);
	for (r = take_waiting(c); r; r = next) {
		next = r->next;
		send(r);
	}
}

static void greet(struct codex *c)
{
	auto_arena mem = ARENA_INIT;

	(void)wire_ask(
		c->wire, "initialize",
		arena_printf(
			&mem,
			"{\"clientInfo\":{\"name\":\"stet\",\"title\":\"stet\",\"version\":\"%s\"},"
			"\"capabilities\":{\"experimentalApi\":true,\"requestAttestation\":false}}",
			c->options.version),
		0, on_ready, c);
}

static void on_message(void *ctx, const struct wire_message *m)
{
	struct codex *c = ctx;

	c->options.message(c->options.ctx, m);
}

static void on_line(void *ctx, bool in, struct str line)
{
	struct codex *c = ctx;

	if (c->options.line)
		c->options.line(c->options.ctx, in, line);
}

static void on_bytes(void *ctx, struct str bytes)
{
	struct codex *c = ctx;

	wire_take(c->wire, bytes);
}

static void on_said(void *ctx, struct str bytes)
{
	struct codex *c = ctx;

	buf_add(&c->said, bytes);
	if (c->said.len > MOST_SAID)
		buf_drop(&c->said, c->said.len - MOST_SAID);
}

/* What it says at every start, and has nothing to do with its end. */
static bool is_usual(const char *line)
{
	static const char *const usual[] = { "could not create PATH aliases",
					     "could not find bubblewrap" };

	for (size_t i = 0; i < COUNT_OF(usual); i++)
		if (strstr(line, usual[i]))
			return true;
	return !*line;
}

/* Without colours: ESC [ ... m */
static char *plain(struct str line, struct arena *mem)
{
	char *text = arena_cstr(mem, line);
	size_t n = 0;

	for (size_t i = 0; i < line.len; i++) {
		if (text[i] == '\33') {
			i += str_find(str_skip(line, i), 'm');
			continue;
		}
		text[n++] = text[i];
	}
	text[n] = 0;
	return text;
}

static struct str last_words(struct codex *c, struct arena *mem)
{
	struct str rest = buf_str(&c->said), line;
	auto_buf words = BUF_INIT;

	while (str_split(&rest, '\n', &line)) {
		const char *text = plain(line, mem);

		if (is_usual(text))
			continue;
		if (words.len)
			buf_lit(&words, "\n");
		buf_add(&words, str_of(text));
	}
	return arena_copy(mem, utf8_head(buf_str(&words), MOST_SAID));
}

/* Everything that was asked of it is answered: it is no more. */
static void cut_all(struct codex *c)
{
	auto_arena mem = ARENA_INIT;
	struct request *r;

	c->ready = false;
	(void)take_waiting(c);
	if (c->wire)
		wire_cut(c->wire);
	while ((r = c->open)) {
		c->open = r->next_open;
		answer(r,
		       &(struct wire_answer){ .end = WIRE_CUT, .mem = &mem });
	}
}

static void on_exited(void *ctx, int status)
{
	struct codex *c = ctx;
	auto_arena mem = ARENA_INIT;
	struct str words = last_words(c, &mem);

	process_free(c->process);
	c->process = NULL;
	if (c->ending) {
		cut_all(c);
		if (c->ended)
			c->ended(c->ended_ctx);
		return;
	}
	c->ready = false;
	/* before the questions are answered: it is why */
	c->options.gone(c->options.ctx,
			arena_printf(&mem,
				     "Codex %s %d"
				     "%s" STR_FMT,
				     status > 128 ? "was ended by signal"
						  : "ended with status",
				     status > 128 ? status - 128 : status,
				     words.len ? ": " : "", STR_ARG(words)));
	cut_all(c);
}

struct codex *codex_new(const struct codex_options *options)
{
	struct codex *c = calloc(1, sizeof(*c));

	if (!c)
		out_of_memory();
	c->options = *options;
	c->waiting_end = &c->waiting;
	c->argv[0] = codex_find(options->path, &c->mem, &c->why);
	c->argv[1] = "app-server";
	return c;
}

const char *const *codex_command(const struct codex *c)
{
	return c->argv[0] ? c->argv : NULL;
}

static void on_not_there(void *ctx)
{
	struct codex *c = ctx;

	c->options.gone(c->options.ctx, c->why);
	cut_all(c);
}

static void not_there(struct codex *c, struct str why)
{
	c->why = why;
	(void)loop_after(c->options.loop, 0, on_not_there, c);
}

void codex_start(struct codex *c)
{
	struct wire_options wire = {
		.handler = { .message = on_message, .line = on_line, .ctx = c },
		.bare = true,
		.max_line = MOST_LINE
	};

	if (c->process)
		return;
	if (!c->argv[0]) {
		not_there(c, c->why);
		return;
	}
	wire_free(c->wire);
	c->said.len = 0;
	c->wire = wire_new(c->options.loop, &wire);
	c->process =
		process_start(c->options.loop,
			      &(struct process_want){
				      .argv = c->argv,
				      .out = { .bytes = on_bytes, .ctx = c },
				      .said = on_said,
				      .exited = on_exited,
				      .ctx = c });
	if (!c->process) {
		not_there(c,
			  arena_printf(&c->mem, "Cannot run %s", c->argv[0]));
		return;
	}
	wire_connect(c->wire, process_stream(c->process));
	greet(c);
}

void codex_end(struct codex *c, void (*ended)(void *ctx), void *ctx)
{
	c->ending = true;
	c->ended = ended;
	c->ended_ctx = ctx;
	if (c->process)
		process_end(c->process, END_MS);
	else if (ended)
		(void)loop_after(c->options.loop, 0, ended, ctx);
}

void codex_free(struct codex *c)
{
	if (!c)
		return;
	process_free(c->process);
	cut_all(c);
	wire_free(c->wire);
	buf_free(&c->said);
	arena_free(&c->mem);
	free(c);
}
