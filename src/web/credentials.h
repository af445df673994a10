/*
 * credentials.h - what a request shows to be let in: Authorization.
 *
 * A function of text alone.
 */
#ifndef STET_CREDENTIALS_H
#define STET_CREDENTIALS_H

#include "base/str.h"

/*
 * The token of "Bearer TOKEN"; "" when what comes after the word is none.
 * False when it is not of that kind.
 */
must_check bool credentials_bearer(struct str authorization, struct str *ret);

#endif
