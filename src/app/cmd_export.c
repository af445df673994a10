/*
 * stet export, import - the history as a file of JSON lines, and back. The file
 * is written without a name and gets one when it is complete, so that whatever
 * ends the command leaves no part of it.
 */

#include "app/past.h"
#include "app/prompt.h"
#include "app/screen.h"
#include "base/fd.h"
#include "files/path.h"
#include "store/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option export_options[] = {
	{ "output", "FILE", OPTION_TEXT, offsetof(struct past_config, output),
	  "Write to FILE, which only you can read, instead of standard output" },
	{ "force", NULL, OPTION_FLAG, offsetof(struct past_config, force),
	  "Replace FILE if it is there" },
	{ "since", "TIME", OPTION_TEXT, offsetof(struct past_config, since),
	  "Only what was done since then: 2h, 10:30, yesterday, 2026-01-15" },
	{ "until", "TIME", OPTION_TEXT, offsetof(struct past_config, until),
	  "Only what was done until then" },
	{ "session", "ID", OPTION_TEXT, offsetof(struct past_config, session),
	  "Only what was done in that session: its id, or a part" },
	CLIENT_OPTION,
	PAST_OPTIONS,
};

static const struct option import_options[] = {
	{ "dry-run", NULL, OPTION_FLAG, offsetof(struct past_config, dry_run),
	  "Check the file and say what would be added" },
	YES_OPTION,
	PAST_OPTIONS,
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Where the export goes: standard output, or a file that has no name yet. */
struct export_file {
	struct past *p;
	int dir, fd; /* fd -1 = standard output */
	struct str name;
	char staged[48]; /* its name where files without one cannot be made */
};

static void file_drop(struct export_file *t)
{
	if (t->staged[0])
		(void)unlinkat(t->dir, t->staged, 0);
	fd_drop(&t->fd);
	fd_drop(&t->dir);
}

#define auto_export_file cleanup(file_drop) struct export_file

static void stage_name(struct export_file *t)
{
	char id[UUID_TEXT + 1];

	uuid_text(uuid_new(t->p->now_ms), id);
	(void)snprintf(t->staged, sizeof(t->staged), ".stet-%s", id);
}

/* The name is taken: say of which file, and what to do about it. */
static enum err fail_there(struct past *p, struct str path)
{
	return fail(&p->fault, ERR_IO, .os = EEXIST, .path = path,
		    .hint = STR("--force writes over it"));
}

static enum err fail_commit(struct export_file *t, int error)
{
	return error == EEXIST ? fail_there(t->p, t->name)
			       : fail_os(&t->p->fault, error, t->name);
}

static enum err file_open(struct export_file *t, const char *path)
{
	struct past *p = t->p;
	struct str whole = str_of(path);
	const char *parent;
	struct stat st;

	if (whole.ptr[0] != '/')
		whole = path_join(&p->mem, p->here, whole);
	parent = arena_cstr(&p->mem, path_parent(whole));
	t->name = str_skip(whole, str_rfind(whole, '/') + 1);
	t->dir = fd_openat(AT_FDCWD, parent, O_RDONLY | O_DIRECTORY, 0);
	if (t->dir < 0)
		return fail_os(&p->fault, errno, whole);
	if (!p->config.force && !fstatat(t->dir, arena_cstr(&p->mem, t->name),
					 &st, AT_SYMLINK_NOFOLLOW))
		return fail_there(p, whole);
	t->fd = fd_openat(t->dir, ".", O_WRONLY | O_TMPFILE, 0600);
	if (t->fd >= 0)
		return ERR_OK;
	stage_name(t);
	t->fd = fd_openat(t->dir, t->staged, O_WRONLY | O_CREAT | O_EXCL, 0600);
	return t->fd < 0 ? fail_os(&p->fault, errno, whole) : ERR_OK;
}

/* It is complete: on disk, then under its name. */
static enum err file_commit(struct export_file *t)
{
	struct past *p = t->p;
	const char *name = arena_cstr(&p->mem, t->name);
	const bool unnamed = !t->staged[0];
	char self[32];

	if (fd_fsync(t->fd))
		return fail_os(&p->fault, errno, t->name);
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", t->fd);
	if (unnamed && p->config.force)
		stage_name(t);
	if (unnamed &&
	    linkat(AT_FDCWD, self, t->dir, p->config.force ? t->staged : name,
		   AT_SYMLINK_FOLLOW))
		return fail_commit(t, errno);
	/* a link fails where somebody has made the file meanwhile */
	if (p->config.force ? renameat(t->dir, t->staged, t->dir, name)
	    : unnamed       ? 0
			    : linkat(t->dir, t->staged, t->dir, name, 0))
		return fail_commit(t, errno);
	if (p->config.force)
		t->staged[0] = '\0';
	return ERR_OK;
}

static bool put(void *ctx, struct str bytes)
{
	const struct export_file *t = ctx;

	return !fd_write(t->fd < 0 ? STDOUT_FILENO : t->fd, bytes);
}

static int export_run(const struct command *command, struct command_line *line)
{
	auto_past p = { .config = { .all = true } };
	auto_export_file to = { .p = &p, .dir = -1, .fd = -1 };
	struct history_export x = { .version = STET_VERSION,
				    .put = put,
				    .ctx = &to };
	struct history_query q;
	const char *where = NULL;
	int status;

	if (!past_begin(&p, command, line, /* writes= */ false, &status))
		return status;
	if (line->at < line->argc)
		where = line->argv[line->at++];
	if (line->at < line->argc)
		return past_misused(&p, "one file or directory at a time");
	if (past_query(&p, where, &q))
		return command_misused(command, &p.fault);
	q.intents = true;
	if ((p.config.output && file_open(&to, p.config.output)) ||
	    history_export(p.store, &q, &x, &p.fault) ||
	    (p.config.output && file_commit(&to)))
		return past_failed(&p);
	screen_warn("%zu operation%s and %zu content%s exported\n", x.ops,
		    plural(x.ops), x.contents, plural(x.contents));
	if (x.lost)
		screen_warn("%zu content%s no longer kept\n", x.lost,
			    x.lost == 1 ? " is" : "s are");
	return 0;
}

static int report(struct past *p, const struct history_import *i)
{
	auto_screen s =
		screen_begin(p->config.json ? SCREEN_JSON : SCREEN_TEXT);
	struct json_out o = json_out(&s.out);

	if (!p->config.json) {
		screen_print(
			&s, INK_PLAIN,
			"%zu operation%s and %zu content%s %s, %zu %s there already\n",
			i->ops, plural(i->ops), i->contents,
			plural(i->contents),
			i->plan ? "would be added" : "added", i->present,
			i->present == 1 ? "was" : "were");
		return screen_end(&s);
	}
	json_open(&o, '{');
	json_key(&o, "operations");
	json_put_int(&o, (int64_t)i->ops);
	json_key(&o, "contents");
	json_put_int(&o, (int64_t)i->contents);
	json_key(&o, "present");
	json_put_int(&o, (int64_t)i->present);
	json_close(&o, '}');
	buf_lit(&s.out, "\n");
	return screen_end(&s);
}

static enum err import_agree(struct past *p, const struct history_import *plan)
{
	return prompt_agree(
		arena_printf(
			&p->mem,
			"%zu operation%s and %zu content%s will be added to your history (%zu %s there already); no file of a project is touched",
			plan->ops, plural(plan->ops), plan->contents,
			plural(plan->contents), plan->present,
			plan->present == 1 ? "is" : "are"),
		p->config.yes, &p->mem, &p->fault);
}

static int import_run(const struct command *command, struct command_line *line)
{
	auto_past p = { 0 };
	struct history_import i = { .plan = true };
	auto_fd fd = -1;
	const char *file;
	int status;

	if (!past_begin(&p, command, line, /* writes= */ true, &status))
		return status;
	if (line->argc - line->at != 1)
		return past_misused(&p, "which file?");
	file = line->argv[line->at];
	fd = fd_openat(AT_FDCWD, file, O_RDONLY, 0);
	if (fd < 0 && fail_os(&p.fault, errno, str_of(file)))
		return past_failed(&p);
	if (lseek(fd, 0, SEEK_SET) < 0)
		return past_misused(
			&p, "it is read twice, and must be a regular file");
	i.fd = fd;
	if (history_import(p.store, &i, &p.mem, &p.fault))
		return past_failed(&p);
	i.plan = p.config.dry_run;
	if (i.plan || !i.ops)
		return report(&p, &i);
	if (import_agree(&p, &i))
		return past_failed(&p);
	(void)lseek(fd, 0, SEEK_SET);
	i = (struct history_import){ .fd = fd };
	if (history_import(p.store, &i, &p.mem, &p.fault))
		return past_failed(&p);
	return report(&p, &i);
}

const struct command command_export = {
	.name = "export",
	.usage = "[OPTION...] [PATH]",
	.summary = "Write the history, with contents, to a file",
	.about =
		"Write the operations on PATH, a file or all files beneath a directory, or the\n"
		"whole history, as lines of JSON with all contents: 'stet import' reads them, on\n"
		"this machine or another. The file has what was in your files: keep it private.",
	.options = export_options,
	.run = export_run,
};

const struct command command_import = {
	.name = "import",
	.usage = "[OPTION...] FILE",
	.summary = "Add what 'stet export' wrote to the history",
	.about =
		"Check all of FILE, say what it would add, and add it to your history once you\n"
		"agree: all of it or, when a line of it is wrong, nothing. Operations that are\n"
		"there already are skipped, and no file of a project is touched. What was added\n"
		"can be shown, and undone where the project's directory is the same one.",
	.options = import_options,
	.run = import_run,
};
