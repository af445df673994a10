/*
 * cmd_export.c - the commands `stet export` and `stet import`.
 *
 * The history as a file of JSON lines, and back (store/export.h). An export is
 * written to an unnamed temporary file that gets its name when it is complete,
 * so an interrupted command leaves no partial file.
 */
#include "app/cli_path.h"
#include "app/history_cli.h"
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
	{ "output", "FILE", OPTION_TEXT,
	  offsetof(struct history_cli_config, output),
	  "Write to FILE, which only you can read, instead of standard output" },
	{ "force", NULL, OPTION_FLAG,
	  offsetof(struct history_cli_config, force),
	  "Overwrite FILE if it exists" },
	{ "since", "TIME", OPTION_TEXT,
	  offsetof(struct history_cli_config, since),
	  "Only operations since TIME: 2h, 10:30, yesterday, 2026-01-15" },
	{ "until", "TIME", OPTION_TEXT,
	  offsetof(struct history_cli_config, until),
	  "Only operations until TIME" },
	{ "session", "ID", OPTION_TEXT,
	  offsetof(struct history_cli_config, session),
	  "Only operations of that session: its id, or a part of it" },
	CLIENT_OPTION,
	PAST_OPTIONS,
};

static const struct option import_options[] = {
	{ "dry-run", NULL, OPTION_FLAG,
	  offsetof(struct history_cli_config, dry_run),
	  "Check the file and show what would be added" },
	YES_OPTION,
	PAST_OPTIONS,
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* The output: stdout, or a temporary file that has no name yet. */
struct export_file {
	struct history_cli *p;
	int dir, fd; /* fd -1 = standard output */
	struct str name;
	char staged[48]; /* temporary name, where O_TMPFILE is not supported */
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

/* Fails because the file exists, and suggests --force. */
static enum err fail_there(struct history_cli *p, struct str path)
{
	return fail(&p->fault, ERR_IO, .os = EEXIST, .path = path,
		    .hint = STR("--force overwrites it"));
}

static enum err fail_commit(struct export_file *t, int error)
{
	return error == EEXIST ? fail_there(t->p, t->name)
			       : fail_os(&t->p->fault, error, t->name);
}

static enum err file_open(struct export_file *t, const char *path)
{
	struct history_cli *p = t->p;
	struct str whole = cli_path(path, &p->mem);
	const char *parent;
	struct stat st;

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

/* Syncs the complete file, then gives it its name. */
static enum err file_commit(struct export_file *t)
{
	struct history_cli *p = t->p;
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
	/* linkat() fails if the file was created meanwhile */
	if (p->config.force ? renameat(t->dir, t->staged, t->dir, name)
	    : unnamed       ? 0
			    : linkat(t->dir, t->staged, t->dir, name, 0))
		return fail_commit(t, errno);
	if (p->config.force)
		t->staged[0] = '\0';
	return ERR_OK;
}

static bool export_put(void *ctx, struct str bytes)
{
	const struct export_file *t = ctx;

	return !fd_write(t->fd < 0 ? STDOUT_FILENO : t->fd, bytes);
}

static int export_run(const struct command *command, struct command_line *line)
{
	auto_history_cli p = { .config = { .all = true } };
	auto_export_file to = { .p = &p, .dir = -1, .fd = -1 };
	struct history_export x = { .version = STET_VERSION,
				    .put = export_put,
				    .ctx = &to };
	struct history_query q;
	const char *where = NULL;
	int status;

	if (!history_cli_begin(&p, command, line, /* writes= */ false,
			       /* most_words= */ 1, &status))
		return status;
	if (line->at < line->argc)
		where = line->argv[line->at];
	if (history_cli_query(&p, where, &q))
		return command_misused(command, &p.fault);
	q.intents = true;
	if ((p.config.output && file_open(&to, p.config.output)) ||
	    history_export(p.store, &q, &x, &p.fault) ||
	    (p.config.output && file_commit(&to)))
		return history_cli_failed(&p);
	screen_warn("%zu operation%s and %zu content%s exported\n", x.ops,
		    plural(x.ops), x.contents, plural(x.contents));
	if (x.lost)
		screen_warn("%zu content%s no longer kept\n", x.lost,
			    x.lost == 1 ? " is" : "s are");
	return 0;
}

static int export_report(struct history_cli *p, const struct history_import *i)
{
	auto_screen s =
		screen_begin(p->config.json ? SCREEN_JSON : SCREEN_TEXT);
	struct json_out o = json_out(&s.out);

	if (!p->config.json) {
		screen_print(
			&s, INK_PLAIN,
			"%zu operation%s and %zu content%s %s, %zu %s already present\n",
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

static enum err import_agree(struct history_cli *p,
			     const struct history_import *plan)
{
	return prompt_agree(
		arena_printf(
			&p->mem,
			"%zu operation%s and %zu content%s will be added to your history (%zu %s already present); files of projects are not changed",
			plan->ops, plural(plan->ops), plan->contents,
			plural(plan->contents), plan->present,
			plan->present == 1 ? "is" : "are"),
		p->config.yes, &p->mem, &p->fault);
}

static int import_run(const struct command *command, struct command_line *line)
{
	auto_history_cli p = { 0 };
	struct history_import i = { .plan = true };
	auto_fd fd = -1;
	const char *file;
	int status;

	if (!history_cli_begin(&p, command, line, /* writes= */ true,
			       /* most_words= */ 1, &status))
		return status;
	if (line->at == line->argc)
		return history_cli_misused(&p, "name the file to import");
	file = line->argv[line->at];
	fd = fd_openat(AT_FDCWD, file, O_RDONLY, 0);
	if (fd < 0 && fail_os(&p.fault, errno, str_of(file)))
		return history_cli_failed(&p);
	if (lseek(fd, 0, SEEK_SET) < 0)
		return history_cli_misused(
			&p, "FILE is read twice, so it must be a regular file");
	i.fd = fd;
	if (history_import(p.store, &i, &p.mem, &p.fault))
		return history_cli_failed(&p);
	i.plan = p.config.dry_run;
	if (i.plan || !i.ops)
		return export_report(&p, &i);
	if (import_agree(&p, &i))
		return history_cli_failed(&p);
	(void)lseek(fd, 0, SEEK_SET);
	i = (struct history_import){ .fd = fd };
	if (history_import(p.store, &i, &p.mem, &p.fault))
		return history_cli_failed(&p);
	return export_report(&p, &i);
}

const struct command command_export = {
	.name = "export",
	.usage = "[OPTION...] [PATH]",
	.summary = "Export the history, with contents, to a file",
	.about =
		"Export the operations on PATH (a file, or a directory with all files beneath it;\n"
		"default: the whole history) as lines of JSON with all contents. 'stet import'\n"
		"reads them, on this or another machine. The export contains what was in your\n"
		"files: keep it private.",
	.options = export_options,
	.run = export_run,
};

const struct command command_import = {
	.name = "import",
	.usage = "[OPTION...] FILE",
	.summary = "Import the output of 'stet export' into the history",
	.about =
		"Check FILE, show what it would add, and import it into your history after you\n"
		"have confirmed: all of it or, if a line is invalid, nothing. Operations that are\n"
		"already present are skipped, and files of projects are not changed. Imported\n"
		"operations can be shown and compared; to undo them, 'stet undo --recreated' is\n"
		"needed.",
	.options = import_options,
	.run = import_run,
};
