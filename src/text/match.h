/*
 * match.h - where a string occurs in a text.
 *
 * Occurrences are counted from left to right and do not overlap: "aaa" has
 * one "aa". An empty needle occurs nowhere.
 */
#ifndef STET_MATCH_H
#define STET_MATCH_H

#include "base/str.h"

#define MATCH_NONE SIZE_MAX

/* The offset of the first occurrence at or after @from, or MATCH_NONE. */
size_t match_find(struct str text, struct str needle, size_t from);

size_t match_count(struct str text, struct str needle);

#endif
