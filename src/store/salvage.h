/*
 * salvage.h - rescue the rows of a damaged database.
 */
#ifndef STET_SALVAGE_H
#define STET_SALVAGE_H

#include <sqlite3.h>

/*
 * Copy every row that can be read in the database @path into @to, which has the
 * tables and is in a transaction. Contents are not checked here, but whenever
 * one is read.
 */
void salvage(const char *path, sqlite3 *to);

#endif
