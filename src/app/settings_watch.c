/*
 * settings_watch.c - polls the person's settings file and reloads it.
 *
 * State is in `now`, protected by its two locks; the poll runs on the loop's
 * thread, the reload on a worker.
 */
#include "app/settings_watch.h"

#include "app/confinement.h"
#include "app/settings_writer.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "files/path.h"
#include "tools/change/hooks.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

enum { LOOK_MS = 1000 };

enum file_state {
	FILE_CURRENT,
	FILE_MISTAKE, /* cannot be applied; the note says why */
	FILE_GONE,    /* deleted; the previous settings stay in force */
	FILE_RESTART, /* some changes need a restart */
	FILE_OFF,     /* --no-config, or there is no home */
};

static const char *const state_names[] = { "current", "mistake", "gone",
					   "restart", "off" };

/* Identity of one state of the file; all 0 = it does not exist. */
struct file_stamp {
	uint64_t dev, ino, size;
	int64_t written_s, changed_s;
	long written_ns, changed_ns;
};

static struct {
	struct server *server;
	struct str path;    /* absolute */
	const char *c_path; /* path, terminated by NUL */
	bool can_change;
	uint64_t look_at; /* next poll; used by the loop's thread only */
	struct file_stamp stamp;

	pthread_mutex_t
		renewing; /* held from reading the file until it is applied */
	pthread_mutex_t lock; /* protects the members below */
	enum file_state state;
	struct arena note_mem;
	struct str note;
} now = { .renewing = PTHREAD_MUTEX_INITIALIZER,
	  .lock = PTHREAD_MUTEX_INITIALIZER };

static struct file_stamp stamp_of_file(void)
{
	struct file_stamp ret;
	struct stat st;

	memset(&ret, 0,
	       sizeof(ret)); /* compared by memcmp(), padding included */
	if (stat(now.c_path, &st))
		return ret;
	ret.dev = st.st_dev;
	ret.ino = st.st_ino;
	ret.size = (uint64_t)st.st_size;
	ret.written_s = st.st_mtim.tv_sec;
	ret.written_ns = st.st_mtim.tv_nsec;
	ret.changed_s = st.st_ctim.tv_sec;
	ret.changed_ns = st.st_ctim.tv_nsec;
	return ret;
}

static bool is_due(void *ctx)
{
	struct file_stamp stamp;
	uint64_t ms = clock_ms();

	if (!now.path.len || ms < now.look_at)
		return false;
	now.look_at = ms + LOOK_MS;
	stamp = stamp_of_file();
	if (!memcmp(&stamp, &now.stamp, sizeof(stamp)))
		return false;
	now.stamp = stamp;
	return true;
}

static void set_state(enum file_state state, struct str note)
{
	(void)pthread_mutex_lock(&now.lock);
	now.state = state;
	arena_reset(&now.note_mem, 0);
	now.note = arena_copy(&now.note_mem, note);
	(void)pthread_mutex_unlock(&now.lock);
}

/* Applies the text of the file. Call with now.renewing held. */
static enum err take_over(struct str text, struct arena *mem, struct fault *f)
{
	bool restart = false;
	enum err e;

	if (policy_user_is(config_policy(now.server), text)) {
		if (now.state != FILE_RESTART)
			set_state(FILE_CURRENT, STR(""));
		return ERR_OK;
	}
	e = config_reload(now.server, text, &restart, mem, f);
	if (e)
		set_state(FILE_MISTAKE, fault_text(f, mem));
	else
		set_state(restart ? FILE_RESTART : FILE_CURRENT, STR(""));
	if (e)
		log_error(STR_FMT, STR_ARG(fault_text(f, mem)));
	else
		log_info("the settings were reloaded");
	return e;
}

static void settings_reload(void *ctx)
{
	auto_arena mem = ARENA_INIT;
	struct str text = STR("");
	struct fault f = { 0 };
	enum err e;

	(void)pthread_mutex_lock(&now.renewing);
	e = settings_writer_ask(NULL, &mem, &text, &f);
	if (e == ERR_NOT_FOUND)
		set_state(FILE_GONE, STR(""));
	else if (e)
		set_state(FILE_MISTAKE, fault_text(&f, &mem));
	else
		(void)!take_over(text, &mem, &f);
	(void)pthread_mutex_unlock(&now.renewing);
}

static enum err change(void *ctx, bool remove, enum verdict verdict,
		       struct str rule, struct arena *mem, struct fault *f)
{
	const struct rule_change want = { remove, verdict, rule };
	struct str text = STR("");
	enum err e;

	if (!now.can_change)
		return fail(
			f, ERR_BAD_CONFIG,
			.text = STR(
				"this server was started without your settings"));
	(void)pthread_mutex_lock(&now.renewing);
	e = settings_writer_ask(&want, mem, &text, f);
	if (!e)
		e = take_over(text, mem, f);
	(void)pthread_mutex_unlock(&now.renewing);
	return e;
}

static bool is_own(void *ctx, const struct rule *rule)
{
	return now.can_change && !rule->root.len &&
	       str_starts(rule->origin, now.path) &&
	       rule->origin.len > now.path.len &&
	       rule->origin.ptr[now.path.len] == ':';
}

static void put_file(struct json_out *o)
{
	(void)pthread_mutex_lock(&now.lock);
	json_key(o, "file");
	json_open(o, '{');
	json_text_member(o, "path", now.path);
	json_text_member(o, "state", str_of(state_names[now.state]));
	json_text_member(o, "note", now.note);
	json_key(o, "can_change");
	json_put_bool(o, now.can_change);
	json_close(o, '}');
	(void)pthread_mutex_unlock(&now.lock);
}

static void put_hooks(struct json_out *o)
{
	static const char *const names[] = { "before_edit", "after_edit" };
	const struct hooks *h = rules_now(now.server->tools.rules)->hooks;

	if (!h)
		h = now.server->tools.hooks;
	json_key(o, "hooks");
	json_open(o, '[');
	for (int when = 0; h && when < 2; when++)
		for (size_t i = 0; i < h->count[when]; i++) {
			const struct hook *hook = &h->rows[when][i];

			json_open(o, '{');
			json_text_member(o, "when", str_of(names[when]));
			json_text_member(o, "command", hook->command);
			json_text_member(o, "match", hook->pattern);
			json_text_member(o, "origin", hook->origin);
			json_close(o, '}');
		}
	json_close(o, ']');
}

static void put_all(void *ctx, struct json_out *o, struct arena *mem)
{
	const struct str *roots;
	size_t n;

	put_file(o);
	json_text_member(o, "mode_origin", config_mode_origin(now.server));
	json_key(o, "roots");
	json_open(o, '[');
	roots = ws_roots(now.server->ws, mem, &n);
	for (size_t i = 0; i < n; i++) {
		json_open(o, '{');
		json_text_member(o, "path", roots[i]);
		json_text_member(o, "origin",
				 str_of(config_roots_origin(now.server)));
		json_close(o, '}');
	}
	json_close(o, ']');
	put_hooks(o);
}

static const struct settings_source source = {
	.put = put_all,
	.is_own = is_own,
	.change = change,
	.is_due = is_due,
	.renew = settings_reload,
};

const struct settings_source *settings_watch_open(struct server *s,
						  const struct config *c,
						  struct arena *mem)
{
	struct str path = policy_user_path(config_policy(s));
	struct str dir = str_head(path, str_rfind(path, '/'));

	now.server = s;
	now.path = path;
	now.c_path = arena_cstr(mem, path);
	now.state = path.len ? FILE_CURRENT : FILE_OFF;
	if (!path.len)
		return &source;
	/* Landlock rules need an existing directory. */
	if (dir.len < path.len)
		trust_make_directories(dir, mem);
	/* stamp of a missing file: the first poll compares the text */
	now.can_change =
		settings_writer_start(path, c->confine != CONFINEMENT_OFF,
				      c->confine == CONFINEMENT_ON);
	return &source;
}
