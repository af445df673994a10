/*
 * absent.h - a file that is not there: which names beside it are near.
 */
#ifndef STET_ABSENT_H
#define STET_ABSENT_H

#include "tools/tool.h"

/*
 * ERR_NOT_FOUND: the fault's hint names up to three files in the same
 * directory whose names are like the one given. A name that a rule denies or
 * asks for, that is ignored or sensitive, or that is stet's own, is not told.
 */
void absent_explain(struct call *c);

#endif
