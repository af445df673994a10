/*
 * cmd_doctor.c - the command `stet doctor`: problems before they happen.
 *
 * Walks a directory for files whose encoding or line endings an edit could not
 * keep, and reports confinement, settings and quarantined files. Read only.
 */
#include "app/person.h"
#include "app/quarantine.h"
#include "app/screen.h"
#include "base/confine.h"
#include "files/path.h"
#include "files/tree.h"
#include "files/ws_local.h"
#include "text/lines/eol.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

struct doctor_config {
	bool help;
};

static const struct option options[] = {
	OPTION_HELP,
	OPTIONS_END,
};

enum { MOST_SIZE = 16 * 1024 * 1024, SHOW_EVERY = 100 };

struct doctor {
	bool progress;
	size_t seen, text, found;
	const char *given; /* the directory that is looked through */
	struct str top;    /* the same, without symlinks */
};

static void show_progress(const struct doctor *d)
{
	if (d->progress && d->seen % SHOW_EVERY == 0)
		screen_warn("\r%zu files, %zu to check ", d->seen, d->found);
}

static void clear_progress(const struct doctor *d)
{
	if (d->progress)
		screen_clear_line();
}

static void doctor_report(struct doctor *d, struct str path, const char *what,
			  const char *about)
{
	clear_progress(d);
	d->found++;
	screen_say(STR_FMT ": %s%s\n", STR_ARG(path), what, about);
}

static void examine(struct doctor *d, struct str path,
		    const struct person_file *file)
{
	if (file->in.confidence == CONFIDENCE_LOW)
		doctor_report(d, path, "encoding uncertain, perhaps ",
			      file->in.encoding->name);
	else if (file->shown.undecodable_count)
		doctor_report(d, path, "undecodable bytes in ",
			      file->in.encoding->name);
	if (eol_of(file->shown.text) == EOL_MIXED)
		doctor_report(d, path, "mixed line endings", "");
}

static void on_file(struct doctor *d, struct str path, uint64_t size)
{
	auto_person p = PERSON_INIT;
	struct person_file file;

	d->seen++;
	show_progress(d);
	if (size > MOST_SIZE ||
	    !person_try(&p, arena_cstr(&p.mem, path), &file))
		return;
	d->text++;
	examine(d, path, &file);
}

/* The name of an entry as it begins with the directory that was given. */
static struct str entry_path(const struct doctor *d, const struct tree_dir *dir,
			     struct str name, struct arena *mem)
{
	struct str below = str_skip(dir->key, d->top.len);

	return path_join(mem, path_join(mem, str_of(d->given), below), name);
}

static enum tree_next on_entry(void *ctx, struct tree_dir *dir,
			       const struct tree_entry *e)
{
	struct doctor *d = ctx;
	auto_arena mem = ARENA_INIT;
	struct stat st;

	if (e->kind == TREE_DIRECTORY)
		return str_is(e->name, ".git") ||
				       str_is(e->name, "node_modules")
			       ? TREE_SKIP
			       : TREE_GO;
	if (e->kind == TREE_FILE && tree_stat(dir, e->name.ptr, &st))
		on_file(d, entry_path(d, dir, e->name, &mem),
			(uint64_t)st.st_size);
	return TREE_GO;
}

static void walk_roots(struct doctor *d, struct workspace *ws, struct str top)
{
	const struct tree_visitor v = { .entry = on_entry, .ctx = d };
	auto_arena mem = ARENA_INIT;
	auto_tree_place place = { 0 };
	struct fault ignored;

	d->top = top;
	if (!ws_tree(ws, top, &mem, &place, &ignored))
		(void)tree_walk(&place, &v);
	d->top = STR("");
}

/* Look through @dir; false with errno if it cannot be opened. */
static bool look_through(struct doctor *d, const char *dir)
{
	struct workspace *ws;
	char real[PATH_MAX];
	struct str top;
	size_t usable;

	if (!realpath(dir, real))
		return false;
	top = str_of(real);
	d->given = dir;
	ws = ws_local_new(
		&(struct ws_local_options){ .durability = DURABLE_PROCESS });
	ws_local_roots(ws, &top, 1, STR(""), &usable);
	if (usable)
		walk_roots(d, ws, top);
	ws_local_free(ws);
	errno = ENOTDIR;
	return usable;
}

/* Reports which confinement this kernel supports. */
static void tell_confinement(void)
{
	struct confine_state can = confine_possible();
	auto_buf words = BUF_INIT;

	confine_describe(&can, &words);
	screen_say("confinement available on this kernel: " STR_FMT "\n",
		   STR_ARG(buf_str(&words)));
}

/* Servers started by a client over stdio are not listed anywhere. */
static void tell_settings(void)
{
	screen_say(
		"settings: a server with a page applies changes within a second; a server that a\n"
		"client has started (stdio) must be restarted by the client\n");
}

static int doctor(const struct command *command, struct command_line *line)
{
	struct doctor_config config = { 0 };
	struct doctor d = { .progress = isatty(STDERR_FILENO) };
	auto_arena mem = ARENA_INIT;
	const char *dir = ".";
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	do {
		if (line->at < line->argc)
			dir = line->argv[line->at++];
		if (!look_through(&d, dir)) {
			screen_warn("%s: %s\n", dir, strerror(errno));
			return 1;
		}
	} while (line->at < line->argc);
	clear_progress(&d);
	screen_say("%zu files, %zu of them text, %zu to check\n", d.seen,
		   d.text, d.found);
	quarantine_print();
	tell_confinement();
	tell_settings();
	return 0;
}

const struct command command_doctor = {
	.name = "doctor",
	.usage = "[DIR...]",
	.summary = "Find files with uncertain encodings or mixed line endings",
	.about =
		"Check every text file beneath each DIR (default: the current directory) and list\n"
		"those with an uncertain encoding, undecodable bytes or mixed line endings.\n"
		"Nothing is changed; .git and node_modules are skipped. Also lists damaged files\n"
		"of stet's own state that were quarantined, and the confinement that the kernel\n"
		"of this machine supports.",
	.options = options,
	.run = doctor,
};
