/*
 * brace.h - brace expansion, as shells and Node's glob libraries do it.
 *
 *	a{b,c}d       abd acd; may be nested
 *	a{1..3}       a1 a2 a3; {01..10} pads with zeros, {1..9..2} steps
 *	{a..e}        a b c d e
 *	{a}, {}, ${   stay as they are, and so does a brace without a partner
 *	\{ \, \}      are never special, and stay escaped
 */
#ifndef STET_BRACE_H
#define STET_BRACE_H

#include "base/arena.h"

/*
 * All expansions of @pattern, in order; an empty one is left out. False when
 * there would be more than @max, or braces are nested too deeply.
 */
must_check bool brace_expand(struct arena *mem, struct str pattern, size_t max,
			     struct str **ret, size_t *ret_n);

#endif
