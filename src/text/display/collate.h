/*
 * collate.h - the order of file names that people expect: signs, digits, then
 * letters without regard to case, as in ICU's root collation.
 *
 * For ASCII names only. Other names come behind all of these, in the order of
 * their code points: no collation tables are needed.
 */
#ifndef STET_COLLATE_H
#define STET_COLLATE_H

#include "base/str.h"

/* Below 0, 0, or above 0, as strcmp(). */
int collate_names(struct str a, struct str b);

#endif
