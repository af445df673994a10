/* stet doctor - which files of a project would be trouble. */

#include "app/person.h"
#include "app/put_aside.h"
#include "app/screen.h"
#include "base/confine.h"
#include "files/walk.h"
#include "text/eol.h"

#include <errno.h>
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
};

static void show_progress(const struct doctor *d)
{
	if (d->progress && d->seen % SHOW_EVERY == 0)
		screen_warn("\r%zu files, %zu to look at ", d->seen, d->found);
}

static void clear_progress(const struct doctor *d)
{
	if (d->progress)
		screen_clear_line();
}

static void report(struct doctor *d, struct str path, const char *what,
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
		report(d, path, "encoding uncertain, perhaps ",
		       file->in.encoding->name);
	else if (file->shown.stray_count)
		report(d, path, "bytes that do not fit ",
		       file->in.encoding->name);
	if (eol_of(file->shown.text) == EOL_MIXED)
		report(d, path, "line ends are mixed", "");
}

static bool on_file(void *ctx, struct str path, uint64_t size)
{
	struct doctor *d = ctx;
	auto_person p = PERSON_INIT;
	struct person_file file;

	d->seen++;
	show_progress(d);
	if (size > MOST_SIZE ||
	    !person_try(&p, arena_cstr(&p.mem, path), &file))
		return true;
	d->text++;
	examine(d, path, &file);
	return true;
}

static bool enter(void *ctx, const char *name)
{
	return strcmp(name, ".git") != 0 && strcmp(name, "node_modules") != 0;
}

/* What servers are held to on this machine. */
static void tell_confinement(void)
{
	struct confine_state can = confine_possible();
	auto_buf words = BUF_INIT;

	confine_say(&can, &words);
	screen_say("the kernel confines servers by: " STR_FMT "\n",
		   STR_ARG(buf_str(&words)));
}

/* Nothing tells which servers run that a client has started. */
static void tell_settings(void)
{
	screen_say(
		"settings: a server with a page takes changes over within a second; a server\n"
		"that a client has started (stdio) goes by those of its start: restart it there\n");
}

static int doctor(const struct command *command, struct command_line *line)
{
	struct doctor_config config = { 0 };
	struct doctor d = { .progress = isatty(STDERR_FILENO) };
	struct walk w = { on_file, enter, &d, 0 };
	auto_arena mem = ARENA_INIT;
	const char *dir = ".";
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	do {
		if (line->at < line->argc)
			dir = line->argv[line->at++];
		if (walk_files(dir, &w)) {
			screen_warn("%s: %s\n", dir, strerror(errno));
			return 1;
		}
	} while (line->at < line->argc);
	clear_progress(&d);
	screen_say("%zu files, %zu of them text, %zu to look at\n", d.seen,
		   d.text, d.found);
	put_aside_tell();
	tell_confinement();
	tell_settings();
	return 0;
}

const struct command command_doctor = {
	.name = "doctor",
	.usage = "[DIR...]",
	.summary = "List files whose encoding or line ends are doubtful",
	.about =
		"Look through every text file beneath each DIR (the current directory if none\n"
		"is named) and list those whose encoding is uncertain or mixed, and those\n"
		"with mixed line ends. Nothing is changed; .git and node_modules are left out.\n"
		"Damaged state of stet's own and what it has put aside are listed as well.\n"
		"The last line says what the kernel of this machine confines servers by.",
	.options = options,
	.run = doctor,
};
