/*
 * similar_names.h - suggests existing files for a path that was not found.
 */
#ifndef STET_SIMILAR_NAMES_H
#define STET_SIMILAR_NAMES_H

#include "tools/call/tool.h"

/*
 * After ERR_NOT_FOUND: put up to three files of the same directory with similar
 * names into the hint of the fault. Never a file that is denied, ignored,
 * sensitive or stet's own, or that needs an approval.
 */
void similar_names_suggest(struct call *c);

#endif
