/*
 * settings_writer.c - the settings process and its client.
 *
 * Request and response are one message each on a SOCK_SEQPACKET socket. The
 * process ends when the server's end is closed. It is made by _Fork(), so that
 * no library's fork handler runs.
 */
#include "app/settings_writer.h"

#include "app/trust.h"
#include "base/child.h"
#include "base/confine.h"
#include "base/fd.h"
#include "files/path.h"
#include "files/private_dir.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_SAID = CONFIGFILE_MAX_BYTES + 4096 };

struct writer_request {
	uint32_t changes; /* 0 = read only */
	uint32_t remove, verdict;
	char rule[RULEFILE_MOST_RULE]; /* the rest of the message */
};

struct writer_reply {
	uint32_t err;
	char text[MOST_SAID]; /* text of the file, or of the fault */
};

static struct {
	int fd;
	pthread_mutex_t lock; /* one request at a time */
} writer = { -1, PTHREAD_MUTEX_INITIALIZER };

static enum err perform(struct str path, const struct writer_request *r,
			size_t rule_len, struct arena *mem, struct str *ret,
			struct fault *f)
{
	const struct rule_change change = {
		.remove = r->remove,
		.verdict = (enum verdict)r->verdict,
		.rule = str_make(r->rule, rule_len),
	};

	if (!r->changes)
		return trust_read_file(path, mem, ret, f);
	if (r->verdict > VERDICT_DENY)
		return fail(f, ERR_BAD_ARGS, .text = STR("no such list"));
	return rulefile_change(path, &change, mem, ret, f);
}

/* Allows the settings directory and the lock directories only. */
static void writer_confine(struct str path, bool landlock, struct arena *mem)
{
	enum { DIRS = 3 };
	struct confine_path paths[DIRS];
	struct private_dirs private;
	struct confine_state ignored;
	char *real = realpath(arena_cstr(mem, path), NULL);
	struct str file = real ? str_of(real) : path;
	struct str dir = str_head(file, str_rfind(file, '/'));

	private_dirs_find(&private, mem);
	paths[0] = (struct confine_path){ arena_cstr(mem, dir), CONFINE_WRITE };
	paths[1] = (struct confine_path){ arena_cstr(mem, private.locks),
					  CONFINE_WRITE };
	paths[2] = (struct confine_path){ arena_cstr(mem, private.journal),
					  CONFINE_WRITE };
	free(real);
	confine_memory();
	confine(&(struct confine_options){ .paths = paths,
					   .count = DIRS,
					   .landlock = landlock,
					   .seccomp = true },
		&ignored);
}

static void writer_serve(int fd, struct str path)
{
	static struct writer_request request;
	static struct writer_reply reply;
	const size_t head = offsetof(struct writer_request, rule);
	ssize_t n;

	while ((n = recv(fd, &request, sizeof(request), 0)) > 0) {
		auto_arena mem = ARENA_INIT;
		struct str text = STR("");
		struct fault f = { 0 };

		if ((size_t)n < head)
			return;
		reply.err = perform(path, &request, (size_t)n - head, &mem,
				    &text, &f);
		/* fault.text alone is not a sentence: send the formatted message */
		if (reply.err && !f.text.len) {
			text = fault_text(&f, &mem);
			if (reply.err != ERR_NOT_FOUND)
				reply.err = ERR_BAD_CONFIG;
		} else if (reply.err) {
			text = f.text;
		}
		text = str_head(text, sizeof(reply.text));
		if (text.len)
			memcpy(reply.text, text.ptr, text.len);
		(void)!send(fd, &reply,
			    offsetof(struct writer_reply, text) + text.len,
			    MSG_NOSIGNAL);
	}
}

static void writer_run(int fd, struct str path, bool confined, bool landlock)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	auto_arena mem = ARENA_INIT;

	child_close_fds(fd);
	(void)setsid();
	for (size_t i = 0; i < COUNT_OF(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)prctl(PR_SET_NAME, "stet-settings");
	if (confined)
		writer_confine(path, landlock, &mem);
	writer_serve(fd, path);
}

bool settings_writer_start(struct str path, bool confined, bool landlock)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	pid = _Fork();
	if (!pid) {
		(void)close(ends[0]);
		writer_run(ends[1], path, confined, landlock);
		_Exit(0);
	}
	(void)close(ends[1]);
	if (pid < 0)
		(void)close(ends[0]);
	else
		writer.fd = ends[0];
	return pid > 0;
}

static ssize_t exchange(const struct writer_request *request, size_t n,
			struct writer_reply *reply)
{
	ssize_t got = -1;

	(void)pthread_mutex_lock(&writer.lock);
	if (writer.fd >= 0 && send(writer.fd, request, n, MSG_NOSIGNAL) > 0)
		do
			got = recv(writer.fd, reply, sizeof(*reply), 0);
		while (got < 0 && errno == EINTR);
	(void)pthread_mutex_unlock(&writer.lock);
	return got;
}

enum err settings_writer_ask(const struct rule_change *change,
			     struct arena *mem, struct str *ret,
			     struct fault *f)
{
	struct writer_request *request = arena_new(mem, struct writer_request);
	struct writer_reply *reply = arena_new(mem, struct writer_reply);
	const size_t head = offsetof(struct writer_reply, text);
	struct str rule = change ? change->rule : STR("");
	ssize_t got;

	if (rule.len > sizeof(request->rule))
		return fail(f, ERR_BAD_ARGS,
			    .text = STR("a rule has at most 4096 bytes"));
	request->changes = change != NULL;
	request->remove = change && change->remove;
	request->verdict = change ? change->verdict : 0;
	if (rule.len)
		memcpy(request->rule, rule.ptr, rule.len);
	got = exchange(request,
		       offsetof(struct writer_request, rule) + rule.len, reply);
	if (got < (ssize_t)head)
		return fail(f, ERR_IO,
			    .path = STR("the process that writes the settings "
					"(restart the server)"));
	*ret = str_make(reply->text, (size_t)got - head);
	if (reply->err)
		return fail(f, (enum err)reply->err, .text = *ret);
	return ERR_OK;
}
