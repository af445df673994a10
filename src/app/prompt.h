/*
 * prompt.h - questions to the person at the terminal, for commands.
 *
 * The question goes to stderr, so that stdout has only results. Without a
 * terminal on standard input nobody is asked; the end of the input is a no.
 */
#ifndef STET_PROMPT_H
#define STET_PROMPT_H

#include "base/arena.h"
#include "base/err.h"

/* Is there a terminal to ask at? */
bool prompt_possible(void);

/* A line of input without its line end; false at the end of input. */
must_check bool prompt_line(const char *question, char *answer, size_t size);

/* "[y/N]" is added to @question. */
must_check bool prompt_yes(const char *question);

/*
 * Confirm something irreversible: ERR_OK when @yes (--yes), or when the person
 * agrees to @what, a sentence without its full stop. ERR_UNCONFIRMED when they
 * do not, or there is no terminal.
 */
must_check enum err prompt_agree(struct str what, bool yes, struct arena *mem,
				 struct fault *f);

#endif
