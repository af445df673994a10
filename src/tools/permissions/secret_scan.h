/*
 * secret_scan.h - detects keys and tokens in a text.
 *
 * Only formats that are unmistakable: private keys, and tokens of services that
 * have a prefix of their own. A word like "password" alone is not a match.
 */
#ifndef STET_SECRET_SCAN_H
#define STET_SECRET_SCAN_H

#include "base/str.h"

/* The kind of secret that @text contains, "a private key"; or NULL. */
const char *secret_scan(struct str text);

#endif
