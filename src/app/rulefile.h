/*
 * rulefile.h - add and remove a rule in the person's settings file.
 *
 * The text is spliced: all other bytes stay unchanged. The result is parsed
 * before it is written, so a change that would make the file invalid is
 * refused.
 */
#ifndef STET_RULEFILE_H
#define STET_RULEFILE_H

#include "app/configfile.h"

enum { RULEFILE_MOST_RULE = 4096 }; /* bytes of a rule that is added */

struct rule_change {
	bool remove; /* else it is added, behind those of its list */
	enum verdict verdict;
	struct str rule; /* text of the rule, "TOOL(GLOB)" */
};

/*
 * @text with the change; @path is its name in messages. @text.ptr NULL: there
 * is no file. ERR_BAD_ARGS when the rule is none, is there already, or is not
 * there to be removed (each copy of it goes); ERR_BAD_CONFIG when the file has
 * a mistake before or would have one afterwards.
 */
must_check enum err rulefile_edit(struct str path, struct str text,
				  const struct rule_change *change,
				  struct arena *mem, struct str *ret,
				  struct fault *f);

/*
 * The same in the file @path, which may be a symlink, atomically. A missing file
 * and its directory are created. ERR_CHANGED: another program has written it
 * meanwhile. @ret is the new content.
 */
must_check enum err rulefile_change(struct str path,
				    const struct rule_change *change,
				    struct arena *mem, struct str *ret,
				    struct fault *f);

#endif
