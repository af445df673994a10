/*
 * configured_encoding.h - the encoding that is configured for a file.
 *
 * In this order: --encoding, the settings, the nearest .editorconfig with a
 * charset, the nearest .gitattributes with working-tree-encoding, searched from
 * the directory of the file up to its root. A file over a budget of patterns.h
 * is skipped, and c->note says so.
 */
#ifndef STET_CONFIGURED_ENCODING_H
#define STET_CONFIGURED_ENCODING_H

#include "text/encoding/encoding.h"
#include "tools/call/tool.h"

/* NULL when none is configured, or an unknown one. */
const struct encoding *configured_encoding(struct call *c, struct str path);

/*
 * How to display content in the encoding @written, which may be NULL, to the
 * person: it is trusted if they configured it themselves for @path, with
 * --encoding or in their own settings.
 */
struct display configured_display(struct call *c, struct str path,
				  const struct encoding *written);

/*
 * Does a pattern of --encoding or of a hook match an absolute path? It matches
 * the end of the path, from any directory on, or all of it if it begins with a
 * slash. @effort is the matching budget, or NULL: see glob.h.
 */
bool configured_path_fits(struct str glob, struct str path,
			  struct glob_budget *effort);

/*
 * Can the configured encoding matter for @bytes? Not for ASCII, which is the
 * same in all encodings but UTF-16 and UTF-32.
 */
bool configured_encoding_matters(struct str bytes);

#endif
