/*
 * banned.h - functions that nobody here calls, in programs or tests.
 *
 * The build puts it before every source file. It includes nothing: each
 * function is declared as the C library does, as unavailable, so that a file
 * still has to include what it uses. A function that has its place in a test
 * but not in the program is in dev/check-banned.
 */
#ifndef STET_BANNED_H
#define STET_BANNED_H

/* clang-tidy would report each as a redundant declaration; compilers do not. */
#ifndef __clang_analyzer__

#define BANNED(why) __attribute__((unavailable(why)))

struct tm;

char *strcpy(char *, const char *) BANNED("no bound on what it writes");
char *stpcpy(char *, const char *) BANNED("no bound on what it writes");
char *strcat(char *, const char *) BANNED("no bound on what it writes");
int sprintf(char *, const char *, ...) BANNED("no bound on what it writes");
int vsprintf(char *, const char *, __builtin_va_list)
	BANNED("no bound on what it writes");
char *gets(char *) BANNED("no bound on what it writes");
char *getwd(char *) BANNED("no bound on what it writes");
__WCHAR_TYPE__ *wcscpy(__WCHAR_TYPE__ *, const __WCHAR_TYPE__ *)
	BANNED("no bound on what it writes");
__WCHAR_TYPE__ *wcscat(__WCHAR_TYPE__ *, const __WCHAR_TYPE__ *)
	BANNED("no bound on what it writes");

char *strncpy(char *, const char *, __SIZE_TYPE__) BANNED("may not end in NUL");
char *stpncpy(char *, const char *, __SIZE_TYPE__) BANNED("may not end in NUL");
char *strncat(char *, const char *, __SIZE_TYPE__)
	BANNED("the size is not that of the buffer");

char *strtok(char *, const char *) BANNED("state shared by all threads");
char *asctime(const struct tm *) BANNED("state shared by all threads");
struct tm *gmtime(const long *) BANNED("state shared by all threads");
struct tm *localtime(const long *) BANNED("state shared by all threads");
char *getlogin(void) BANNED("state shared by all threads");

char *tmpnam(char *) BANNED("somebody else can take the name");
char *tempnam(const char *, const char *)
	BANNED("somebody else can take the name");
char *mktemp(char *) BANNED("somebody else can take the name");

int atoi(const char *) BANNED("cannot say that it failed");
long atol(const char *) BANNED("cannot say that it failed");
long long atoll(const char *) BANNED("cannot say that it failed");
double atof(const char *) BANNED("cannot say that it failed");

#undef BANNED

#endif

/* alloca(), strdupa() and strndupa() are macros: no bound on the stack. */
#pragma GCC diagnostic error "-Walloca"

#endif
