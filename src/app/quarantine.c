/*
 * quarantine.c - finds damaged files that were moved aside and kept.
 *
 * History databases, token files and journals. Read only; relies on the names
 * that the store, web/tokens_file.c and files/journal.c give them.
 */
#include "app/quarantine.h"

#include "app/screen.h"
#include "base/fd.h"
#include "files/path.h"
#include "files/private_dir.h"
#include "store/store.h"
#include "web/tokens.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

/* One row for each kind of quarantined file; the first that fits counts. */
static const struct quarantine_kind {
	const char *begins, *ends;
	bool journal; /* stored in the journal directory */
	const char *about;
} kinds[] = {
	{ "history.db.corrupt-", "", false,
	  "a damaged history: 'sqlite3 FILE .recover' shows what can be read" },
	{ "tokens.damaged-", "", false,
	  "a damaged list of tokens; these are refused" },
	{ "group-", ".damaged", true,
	  "a damaged record of a change of several files, or contents of it" },
	{ "", ".damaged", true,
	  "a damaged journal: earlier content of a file, behind a header" },
};

static bool is_kind(const struct quarantine_kind *k, struct str name)
{
	return str_starts(name, str_of(k->begins)) &&
	       str_ends(name, str_of(k->ends));
}

static void tell_in(struct str dir, bool journal, size_t *found)
{
	auto_arena mem = ARENA_INIT;
	DIR *list = opendir(arena_cstr(&mem, dir));
	struct dirent *e;
	struct stat st;

	while (list && (e = readdir(list))) {
		struct str name = str_of(e->d_name);

		for (size_t i = 0; i < COUNT_OF(kinds); i++) {
			if (kinds[i].journal != journal ||
			    !is_kind(&kinds[i], name) ||
			    fstatat(dirfd(list), e->d_name, &st,
				    AT_SYMLINK_NOFOLLOW))
				continue;
			++*found;
			screen_say("quarantined: " STR_FMT " (%zu bytes): %s\n",
				   STR_ARG(path_join(&mem, dir, name)),
				   (size_t)st.st_size, kinds[i].about);
			break;
		}
	}
	if (list)
		(void)closedir(list);
}

static void tell_history(struct str dir, struct arena *mem)
{
	struct store *s = store_new(
		&(struct store_options){ .dir = dir, .read_only = true });
	struct fault f = { 0 };

	if (store_usable(s, &f))
		screen_say("damaged: " STR_FMT "\n",
			   STR_ARG(fault_text(&f, mem)));
	store_free(s);
}

static void tell_tokens(struct str dir, struct arena *mem)
{
	auto_fd there = -1;
	struct fault f = { 0 };

	there = fd_openat(AT_FDCWD,
			  arena_cstr(mem, path_join(mem, dir, STR("tokens"))),
			  O_PATH | O_NOFOLLOW, 0);
	if (there >= 0 && tokens_check(dir, mem, &f))
		screen_say(
			"damaged: " STR_FMT
			"; its tokens are refused, and 'stet token add' quarantines it\n",
			STR_ARG(fault_text(&f, mem)));
}

void quarantine_tell(void)
{
	auto_arena mem = ARENA_INIT;
	struct private_dirs private;
	struct str dir = store_default_dir(&mem);
	size_t found = 0;

	private_dirs_find(&private, &mem);
	tell_history(dir, &mem);
	tell_tokens(dir, &mem);
	tell_in(dir, /* journal= */ false, &found);
	tell_in(private.journal, /* journal= */ true, &found);
	if (found)
		screen_say(
			"stet does not use quarantined files: delete them when you no longer need them\n");
}
