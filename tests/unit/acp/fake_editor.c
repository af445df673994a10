/*
 * fake_editor.c - the ACP editor of the tests: buffers, saving, misbehaviour.
 */
#include "fake_editor.h"

#include "text/lines/eol.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fake_editor_buffer *buffer_of(struct fake_editor *d,
					    struct str path)
{
	for (size_t i = 0; i < COUNT_OF(d->buffers); i++)
		if (str_eq(d->buffers[i].path, path))
			return &d->buffers[i];
	return NULL;
}

static void set_buffer(struct fake_editor *d, struct str path, struct str text)
{
	struct fake_editor_buffer *b = buffer_of(d, path);

	for (size_t i = 0; !b; i++)
		if (!d->buffers[i].path.len)
			b = &d->buffers[i];
	b->path = arena_copy(&d->mem, path);
	b->text = arena_copy(&d->mem, text);
}

static bool disk_bytes(struct fake_editor *d, struct str path, struct str *ret)
{
	struct stat st;
	int fd = open(arena_cstr(&d->mem, path), O_RDONLY | O_CLOEXEC);
	char *to;
	ssize_t n;

	if (fd < 0)
		return false;
	assert_int_equal(fstat(fd, &st), 0);
	to = arena_alloc(&d->mem, (size_t)st.st_size);
	n = read(fd, to, (size_t)st.st_size);
	(void)close(fd);
	*ret = str_make(to, n < 0 ? 0 : (size_t)n);
	return n >= 0;
}

static const struct encoding *encoding_in(struct fake_editor *d,
					  struct str bytes)
{
	struct detected in = { &encoding_utf8 };

	if (!d->encoding)
		(void)!encoding_detect(bytes, NULL, &in);
	return d->encoding ? d->encoding : in.encoding;
}

static bool shown(struct fake_editor *d, struct str path, struct str *ret)
{
	struct fake_editor_buffer *b = buffer_of(d, path);
	struct str bytes, text;

	if (b) {
		*ret = b->text;
		return true;
	}
	if (!disk_bytes(d, path, &bytes)) {
		*ret = STR("");
		return d->makes_any;
	}
	if (d->raw ||
	    encoding_decode(encoding_in(d, bytes), bytes, &d->mem, &text))
		text = bytes;
	*ret = d->raw ? text : eol_to_lf(text, &d->mem);
	return true;
}

static void put_bytes(struct fake_editor *d, struct str path, struct str mark,
		      struct str bytes)
{
	int fd = open(arena_cstr(&d->mem, path),
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		return;
	assert_int_equal(write(fd, mark.ptr, mark.len), mark.len);
	assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
	(void)close(fd);
}

/* Save in the encoding, BOM and line endings of the file. */
static void save(struct fake_editor *d, struct str path, struct str text)
{
	const struct encoding *e = &encoding_utf8;
	struct str old = STR(""), old_text = STR(""), bytes;
	size_t bad;

	if (!d->raw && !d->loses && disk_bytes(d, path, &old)) {
		e = encoding_in(d, old);
		if (encoding_decode(e, old, &d->mem, &old_text))
			old_text = STR("");
		if (eol_of(old_text) == EOL_CRLF)
			text = eol_to_crlf(text, &d->mem);
	}
	assert_int_equal(encoding_encode(e, text, &d->mem, &bytes, &bad), 0);
	put_bytes(d, path, e->bom, bytes);
}

static struct str format(struct fake_editor *d, struct str text)
{
	auto_buf out = BUF_INIT;

	while (text.len) {
		bool tab = str_starts(text, STR("    "));

		buf_add(&out, tab ? STR("\t") : str_head(text, 1));
		text = str_skip(text, tab ? 4 : 1);
	}
	return arena_copy(&d->mem, buf_str(&out));
}

static void take_text(struct fake_editor *d, struct str path, struct str text)
{
	if (d->unsaved) {
		set_buffer(d, path, text);
		return;
	}
	if (d->formats)
		text = format(d, text);
	save(d, path, text);
	if (buffer_of(d, path))
		*buffer_of(d, path) = (struct fake_editor_buffer){ 0 };
}

static void reply_text(struct fake_editor *d, struct str id, struct str text)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	json_open(&o, '{');
	json_key(&o, "content");
	json_put_str(&o, text);
	json_close(&o, '}');
	jsonrpc_reply(d->there, id, buf_str(&out));
}

static void refuse(struct fake_editor *d, struct str id)
{
	jsonrpc_error(d->there, id, -32002, STR("no such thing here"), STR(""));
}

static void read_file(struct fake_editor *d, const struct jsonrpc_message *m,
		      struct str path)
{
	struct str text;

	d->reads++;
	if (d->swaps_link) {
		assert_int_equal(unlink(d->swaps_link), 0);
		assert_int_equal(symlink("other", d->swaps_link), 0);
	}
	if (d->reads_how == FAKE_EDITOR_SILENT ||
	    d->reads_how == FAKE_EDITOR_SILENT_DOES)
		return;
	if (d->reads_how == FAKE_EDITOR_HANGS_UP)
		stream_close(d->far), d->far = NULL;
	else if (d->reads_how == FAKE_EDITOR_MUMBLES)
		jsonrpc_reply(d->there, m->id, STR("{\"content\":7}"));
	else if (d->reads_how == FAKE_EDITOR_REFUSES || !shown(d, path, &text))
		refuse(d, m->id);
	else
		reply_text(d, m->id, text);
}

static void write_file(struct fake_editor *d, const struct jsonrpc_message *m,
		       struct str path)
{
	struct str text;

	d->writes++;
	if (!json_text(json_get(m->params, "content"), m->mem, &text))
		text = STR("");
	if (d->writes_how == FAKE_EDITOR_SILENT || d->writes == d->silent_write)
		return;
	if (d->writes_how == FAKE_EDITOR_REFUSES) {
		refuse(d, m->id);
		return;
	}
	take_text(d, path, text);
	if (d->writes_how == FAKE_EDITOR_HANGS_UP)
		stream_close(d->far), d->far = NULL;
	else if (d->writes_how != FAKE_EDITOR_SILENT_DOES)
		jsonrpc_reply(d->there, m->id, STR("null"));
}

static void on_message(void *ctx, const struct jsonrpc_message *m)
{
	struct fake_editor *d = ctx;
	struct str path;

	if (str_is(m->method, "$/cancel_request")) {
		d->cancels++;
		return;
	}
	d->asked.len = 0;
	buf_add(&d->asked, json_raw(m->params));
	assert_true(json_text(json_get(m->params, "path"), m->mem, &path));
	if (str_is(m->method, "fs/read_text_file"))
		read_file(d, m, path);
	else if (str_is(m->method, "fs/write_text_file"))
		write_file(d, m, path);
}

static void from_near(void *ctx, struct str bytes)
{
	jsonrpc_receive(((struct fake_editor *)ctx)->here, bytes);
}

static void from_far(void *ctx, struct str bytes)
{
	jsonrpc_receive(((struct fake_editor *)ctx)->there, bytes);
}

/* As the agent does when the editor is gone. */
static void near_ended(void *ctx)
{
	struct fake_editor *d = ctx;

	jsonrpc_disconnect(d->here);
	editor_disconnect(d->editor);
}

static void far_ended(void *ctx)
{
}

static void *run(void *ctx)
{
	loop_run(((struct fake_editor *)ctx)->loop);
	return NULL;
}

void fake_editor_open(struct fake_editor *d,
		      const struct fake_editor_want *want)
{
	struct jsonrpc_options options = {
		.handler = { .message = on_message, .ctx = d },
		.max_line = 64 << 20,
	};
	int fds[2];

	*d = (struct fake_editor){ .s = scratch_make(), .loop = loop_new() };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
				    fds),
			 0);
	d->here = jsonrpc_new(d->loop, &options);
	d->there = jsonrpc_new(d->loop, &options);
	d->near = stream_open(d->loop, fds[0], fds[0],
			      &(struct stream_handler){ from_near, near_ended,
							d });
	d->far =
		stream_open(d->loop, fds[1], fds[1],
			    &(struct stream_handler){ from_far, far_ended, d });
	jsonrpc_connect(d->here, d->near);
	jsonrpc_connect(d->there, d->far);
	d->editor = editor_new(&(struct editor_options){
		.loop = d->loop,
		.rpc = d->here,
		.session = STR("s1"),
		.reads = !want->no_reads,
		.writes = !want->no_writes,
		.read_ms = want->read_ms ? want->read_ms : 60000,
		.write_ms = want->write_ms ? want->write_ms : 60000,
	});
	assert_int_equal(pthread_create(&d->thread, NULL, run, d), 0);
}

struct on_loop {
	struct mail mail; /* must be first: cast to on_loop */
	struct fake_editor *fake;
	void (*fn)(struct fake_editor *);
	atomic_bool done;
};

static void run_task(struct mail *mail)
{
	struct on_loop *t = (struct on_loop *)mail;

	t->fn(t->fake);
	atomic_store(&t->done, true);
}

void fake_editor_on_loop(struct fake_editor *d,
			 void (*fn)(struct fake_editor *))
{
	struct on_loop t = { .mail.deliver = run_task, .fake = d, .fn = fn };

	loop_post(d->loop, &t.mail);
	while (!atomic_load(&t.done))
		(void)usleep(200);
}

static void end(struct fake_editor *d)
{
	editor_free(d->editor);
	d->editor = NULL;
	stream_close(d->near);
	stream_close(d->far);
	loop_stop(d->loop);
}

void fake_editor_close(struct fake_editor *d)
{
	fake_editor_on_loop(d, end);
	(void)pthread_join(d->thread, NULL);
	jsonrpc_free(d->here);
	jsonrpc_free(d->there);
	loop_free(d->loop);
	arena_free(&d->mem);
	buf_free(&d->asked);
	scratch_end(&d->s);
}

static void nothing(struct fake_editor *d)
{
}

void fake_editor_type(struct fake_editor *d, const char *name, const char *text)
{
	fake_editor_on_loop(d, nothing); /* waits for running callbacks */
	set_buffer(d, scratch_str(&d->s, name), str_of(text));
}

const char *fake_editor_shows(struct fake_editor *d, const char *name)
{
	struct str text;

	fake_editor_on_loop(d, nothing);
	assert_true(shown(d, scratch_str(&d->s, name), &text));
	return arena_cstr(&d->mem, text);
}

static void cut(struct fake_editor *d)
{
	jsonrpc_disconnect(d->here);
	editor_disconnect(d->editor);
}

void fake_editor_cut(struct fake_editor *d)
{
	fake_editor_on_loop(d, cut);
}
