/*
 * confinement.h - what a server gives up before it takes its first call.
 *
 * The policy is made for the roots as they are then: those of the command
 * line, else the current directory or what the client has declared. Landlock
 * cannot be widened, so directories beyond them need a restart, which is said
 * on stderr. docs/confinement.md has the whole of it.
 */
#ifndef STET_CONFINEMENT_H
#define STET_CONFINEMENT_H

#include "app/config.h"
#include "base/confine.h"

/* --confine */
enum confinement_choice {
	CONFINEMENT_ON,
	CONFINEMENT_SYSCALLS, /* without Landlock */
	CONFINEMENT_OFF,
};

extern const char *const confinement_choices[];

/* A sanitizer reads /proc and traces us when it looks for leaks. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONFINEMENT_DEFAULT CONFINEMENT_OFF
#else
#define CONFINEMENT_DEFAULT CONFINEMENT_ON
#endif

/* Now. No other thread may be there yet. */
void confinement_enter(struct server *s, const struct config *c);

/* Before the first call of a tool; @c must outlive the server. */
void confinement_later(struct server *s, const struct config *c);

/*
 * The same for `stet acp`, whose directories come with each session: without
 * Landlock. @codex is its command, or NULL. Its hooks are those of the command
 * line, of the person's settings and of every project that is trusted by now.
 */
void confinement_enter_agent(const struct config *c, const char *const *codex);

/* Why a directory that it does not cover is refused. */
#define CONFINEMENT_RESTART                                          \
	"this server is confined to the directories that it had at " \
	"its first call. Restart it, or start it with "              \
	"--confine=syscalls (docs/confinement.md)"

/* Can @dir still be reached? True where nothing is confined. */
must_check bool confinement_covers(const char *dir);

#endif
