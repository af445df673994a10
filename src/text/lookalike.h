/*
 * lookalike.h - characters of a name that pass for others.
 *
 * A Cyrillic "a" in a path looks like a Latin one: the person reads one name,
 * and another file is meant. A word that is plainly of another script is not
 * suspicious, so a letter counts only in a word that also has ASCII letters,
 * or all of whose letters look like ASCII ones. Dashes, quotes, slashes and
 * full-width characters count everywhere. What cannot be seen at all is not
 * listed here: it is spelled out (text/visible.h).
 */
#ifndef STET_LOOKALIKE_H
#define STET_LOOKALIKE_H

#include "base/arena.h"
#include "text/alike.h"

/* Those of @name, each once, in the order in which they come. */
struct alike *lookalike_list(struct str name, struct arena *mem, size_t *ret_n);

/*
 * A sentence about them for a person, or "": "Look-alike characters: U+0430
 * (cyrillic small letter a) is not 'a'".
 */
struct str lookalike_words(struct str name, struct arena *mem);

#endif
