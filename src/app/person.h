/*
 * person.h - the person at the command line, and the files they name.
 *
 * For commands that work on files without a client. The file's directory
 * becomes the root of a workspace, so the same guarantees hold as for clients.
 */
#ifndef STET_PERSON_H
#define STET_PERSON_H

#include "app/command.h"
#include "files/ws_local.h"
#include "text/encoding/encoding.h"

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
	struct decoded_text shown;
};

void person_end(struct person *p);

/*
 * Loads a file and decodes it, as @named if that is not NULL. On failure prints
 * the reason to stderr and returns false.
 */
bool person_load(struct person *p, const char *name,
		 const struct encoding *named, struct person_file *ret);

/* The same without a message; false also for binary files. */
bool person_try(struct person *p, const char *name, struct person_file *ret);

/* Replaces the file by @bom and @bytes, unless it changed since the load. */
bool person_store(struct person *p, const struct person_file *file,
		  struct str bom, struct str bytes);

/* Is stdin a terminal, and has the process a controlling terminal? */
bool person_has_terminal(void);

/*
 * ERR_NO_PERSON unless stdin is a terminal and the process has a controlling
 * terminal, or the person's settings allow commands to answer for them. This
 * stops programs that merely run commands; a program that allocates a
 * pseudoterminal is taken for a person. @command is the text after "stet", for
 * the message.
 */
must_check enum err person_check_here(const char *command, struct arena *mem,
				      struct fault *f);

/* Prints a message about a file to stderr; returns the exit status. */
int person_says(struct person *p, const char *name, const char *words);
int person_cannot_hold(struct person *p, const char *name, const char *encoding,
		       struct str text, size_t bad);
int person_misused(const struct command *command, const char *words);

#endif
