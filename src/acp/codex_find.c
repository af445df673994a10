/*
 * codex_find.c - finds the executable of the Codex CLI.
 */
#include "acp/codex.h"

#include <stdlib.h>
#include <unistd.h>

/* The native binary is in a package of its own for each platform. */
#if defined(__aarch64__)
#define PLATFORM "codex-linux-arm64"
#define TRIPLE   "aarch64-unknown-linux-musl"
#else
#define PLATFORM "codex-linux-x64"
#define TRIPLE   "x86_64-unknown-linux-musl"
#endif
#define NATIVE PLATFORM "/vendor/" TRIPLE "/bin/codex"

static const struct str launcher = STR_INIT("/codex/bin/codex.js");

static bool can_run(const char *path)
{
	return !access(path, X_OK);
}

/* The platform package is beside that of the launcher, or nested in it. */
static const char *native_of(struct str real, struct arena *mem)
{
	static const char *const places[] = {
		"/" NATIVE, "/codex/node_modules/@openai/" NATIVE
	};
	struct str scope = str_head(real, real.len - launcher.len);

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		const char *path = arena_printf(mem, STR_FMT "%s",
						STR_ARG(scope), places[i])
					   .ptr;

		if (can_run(path))
			return path;
	}
	return NULL;
}

/* Skip the JavaScript launcher, which costs a Node.js process. */
static const char *past_launcher(const char *path, struct arena *mem)
{
	char *real = realpath(path, NULL);
	struct str text = str_of(real ? real : "");
	const char *native = NULL;

	if (str_ends(text, launcher))
		native = native_of(text, mem);
	free(real);
	return native ? native : path;
}

static const char *on_path(struct arena *mem)
{
	const char *path = getenv("PATH");
	struct str rest = str_of(path ? path : ""), dir;

	while (str_split(&rest, ':', &dir)) {
		const char *file;

		if (!dir.len || *dir.ptr != '/')
			continue;
		file = arena_printf(mem, STR_FMT "/codex", STR_ARG(dir)).ptr;
		if (can_run(file))
			return file;
	}
	return NULL;
}

static const char *in_package(struct arena *mem)
{
	static const char *const roots[] = { "/usr/local/lib/node_modules",
					     "/usr/lib/node_modules" };

	for (size_t i = 0; i < COUNT_OF(roots); i++) {
		const char *file =
			arena_printf(mem, "%s/@openai/codex/bin/codex.js",
				     roots[i])
				.ptr;

		if (can_run(file))
			return file;
	}
	return NULL;
}

const char *codex_find(const char *path, struct arena *mem, struct str *why)
{
	const char *found = path;

	if (path && !can_run(path)) {
		*why = arena_printf(mem, "--codex: cannot run %s", path);
		return NULL;
	}
	if (!found)
		found = on_path(mem);
	if (!found)
		found = in_package(mem);
	if (!found) {
		*why = STR("The Codex CLI was not found: there is no 'codex' "
			   "on PATH, and no npm package @openai/codex. Install "
			   "it (npm install -g @openai/codex) or name it with "
			   "--codex PATH.");
		return NULL;
	}
	return past_launcher(found, mem);
}
