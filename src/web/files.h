/*
 * files.h - the page's own files, in the program: made of web/ by dev/embed.py.
 */
#ifndef STET_WEB_FILES_H
#define STET_WEB_FILES_H

#include "base/str.h"

struct web_file {
	const char *path; /* "/page.css" */
	const char *type;
	const char *etag; /* with its quotes */
	struct str bytes;
};

extern const struct web_file web_files[];
extern const size_t web_file_count;

#endif
