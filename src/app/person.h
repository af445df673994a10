/*
 * person.h - the person at the command line, and files that they name there.
 *
 * For the commands that work on files without a client: the file's own
 * directory is the root, so the same door is used and the same promises hold.
 */
#ifndef STET_PERSON_H
#define STET_PERSON_H

#include "app/command.h"
#include "files/ws_local.h"
#include "text/encoding.h"

struct person {
	struct workspace *ws;
	struct arena mem;
};

#define PERSON_INIT              \
	{                        \
		NULL, ARENA_INIT \
	}
#define auto_person cleanup(person_end) struct person

struct person_file {
	struct str path;
	struct snapshot snap;
	struct detected in;
	struct shown shown;
};

void person_end(struct person *p);

/*
 * Load a file and decode it, as @named if that is not NULL. False, and why
 * on stderr, when that cannot be.
 */
bool person_load(struct person *p, const char *name,
		 const struct encoding *named, struct person_file *ret);

/* The same without a word; false also for what is no text. */
bool person_try(struct person *p, const char *name, struct person_file *ret);

/* Put @bom and @bytes in its place, if it is still as it was loaded. */
bool person_store(struct person *p, const struct person_file *file,
		  struct str bom, struct str bytes);

/*
 * ERR_NO_PERSON unless somebody sits at a terminal (standard input is one, and
 * this process has one that controls it), or the person's own settings say
 * that commands answer for them. It keeps off programs that merely run
 * commands; one that makes itself a pseudoterminal is taken for a person.
 * @command is what the person typed after "stet", for the message.
 */
must_check enum err person_check_here(const char *command, struct arena *mem,
				      struct fault *f);

/* Say something about a file on stderr; the exit status. */
int person_says(struct person *p, const char *name, const char *words);
int person_cannot_hold(struct person *p, const char *name,
		       const struct encoding *e, struct str text, size_t bad);
int person_misused(const struct command *command, const char *words);

#endif
