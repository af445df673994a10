/*
 * secretive.h - texts that look as if they held a secret.
 *
 * Only what says by its form what it is: keys of services with a prefix of
 * their own, private keys. Words like "password" alone are no sign of one.
 */
#ifndef STET_SECRETIVE_H
#define STET_SECRETIVE_H

#include "base/str.h"

/* What @text seems to hold, "a private key"; NULL when nothing shows. */
const char *secretive(struct str text);

#endif
