/*
 * credentials.h - what a request shows to be let in: Authorization, Cookie.
 *
 * Functions of text alone.
 */
#ifndef STET_CREDENTIALS_H
#define STET_CREDENTIALS_H

#include "base/str.h"

/*
 * The token of "Bearer TOKEN"; "" when what comes after the word is none.
 * False when it is not of that kind.
 */
must_check bool credentials_bearer(struct str authorization, struct str *ret);

/*
 * Take the next cookie called @name off the front of @rest, which was the
 * value of Cookie. Others on this machine can set some of the same name.
 */
must_check bool credentials_cookie(struct str *rest, const char *name,
				   struct str *ret);

#endif
