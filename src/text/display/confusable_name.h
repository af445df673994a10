/*
 * confusable_name.h - warn about confusable characters in a name.
 *
 * A Cyrillic "a" in a path looks like a Latin one, so a person may approve a
 * change to another file than they think. A word that is entirely in another
 * script is not suspicious: a letter counts only in a word that also has ASCII
 * letters, or whose letters all look like ASCII ones. Dashes, quotes, slashes
 * and full-width characters count everywhere. Invisible characters are not
 * listed here, because text/display/visible.h spells them out.
 */
#ifndef STET_CONFUSABLE_NAME_H
#define STET_CONFUSABLE_NAME_H

#include "base/arena.h"
#include "text/match/confusable.h"

/* The suspicious characters of @name, each once, in order. */
struct confusable *confusable_name_list(struct str name, struct arena *mem,
					size_t *ret_n);

/*
 * A sentence about them, or "": "Look-alike characters: U+0430 (cyrillic small
 * letter a) is not 'a'".
 */
struct str confusable_name_sentence(struct str name, struct arena *mem);

#endif
