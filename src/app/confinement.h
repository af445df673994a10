/*
 * confinement.h - the confinement of a server: Landlock and seccomp policy.
 *
 * The process is confined before its first call. The policy is made for the
 * roots at that time: those of the command line, else the current directory or
 * what the client has declared. Landlock rules cannot be widened, so other
 * directories need a restart, which is reported on stderr. See
 * docs/confinement.md.
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

/* LeakSanitizer reads /proc and traces the process: not confined there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONFINEMENT_DEFAULT CONFINEMENT_OFF
#else
#define CONFINEMENT_DEFAULT CONFINEMENT_ON
#endif

/* Confines the process now. No other thread may exist yet. */
void confinement_enter(struct server *s, const struct config *c);

/* Confines it before the first tool call; @c must outlive the server. */
void confinement_later(struct server *s, const struct config *c);

/*
 * Confines `stet acp`, without Landlock because each session names its own
 * directories. @codex is the command to run, or NULL. The allowed hooks are
 * those of the command line, the person's settings and every trusted project.
 */
void confinement_enter_agent(const struct config *c, const char *const *codex);

/* The reason given for refusing a directory outside the Landlock rules. */
#define CONFINEMENT_RESTART \
	"this server is confined to the directories of its first call. Restart it, or start it with --confine=syscalls (docs/confinement.md)"

/* Is @dir inside the Landlock rules? True where nothing is confined. */
must_check bool confinement_covers(const char *dir);

#endif
