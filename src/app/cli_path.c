/*
 * cli_path.c - resolves a path from the command line.
 *
 * Relies on realpath() for the part that exists. Not for paths of clients:
 * those are resolved beneath the roots (files/beneath.h).
 */
#include "app/cli_path.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

struct str cli_path(const char *word, struct arena *mem)
{
	struct str path = str_of(word), head, tail;
	char real[PATH_MAX];

	if (word[0] != '/' && getcwd(real, sizeof(real)))
		path = arena_printf(mem, "%s/%s", real, word);
	for (head = path; head.len; head = str_head(head, str_rfind(head, '/')))
		if (realpath(arena_cstr(mem, head), real))
			break;
	if (!head.len)
		return path;
	tail = str_skip(path, head.len);
	return arena_printf(mem, "%s" STR_FMT, strcmp(real, "/") ? real : "",
			    STR_ARG(tail));
}
