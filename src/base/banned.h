/*
 * banned.h - functions that nobody here calls, in programs or tests.
 *
 * The build puts it before every source file. The system's headers come
 * first, as they declare what is banned after them. What has its place in a
 * test but not in the program is in dev/check-banned.
 */
#ifndef STET_BANNED_H
#define STET_BANNED_H

#include <alloca.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* no bound on what they write */
#pragma GCC poison strcpy stpcpy strcat sprintf vsprintf gets getwd
#pragma GCC poison wcscpy wcscat
/* ends without a NUL, or pads with thousands of them */
#pragma GCC poison strncpy stpncpy strncat
/* no bound on the stack */
#undef alloca
#undef strdupa
#undef strndupa
#pragma GCC poison alloca strdupa strndupa
/* state shared by all threads */
#pragma GCC poison strtok asctime gmtime localtime getlogin
/* a name that somebody else can take */
#pragma GCC poison tmpnam tempnam mktemp
/* cannot say that it failed */
#pragma GCC poison atoi atol atoll atof
#endif
