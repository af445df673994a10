/*
 * credentials.h - parses the header Authorization.
 *
 * Pure.
 */
#ifndef STET_CREDENTIALS_H
#define STET_CREDENTIALS_H

#include "base/str.h"

/*
 * The token of "Bearer TOKEN"; "" when it is malformed. False for another
 * scheme.
 */
must_check bool credentials_bearer(struct str authorization, struct str *ret);

#endif
