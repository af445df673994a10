/*
 * code_memory.h - memory for the code that a compiler makes at run time.
 *
 * The just-in-time compiler of PCRE2 asks mmap() for memory that is writable
 * and executable at once, which a confined process cannot get (syscalls.def)
 * and no process should have. The program is linked with --wrap=mmap, so that
 * such a request is answered from one region of a memfd instead: writable while
 * a pattern is compiled or freed, executable while it runs, never both.
 *
 * The region has one owner at a time: a compiled pattern (text/regex). A pattern
 * that cannot become the owner is interpreted.
 *
 *	if (code_memory_take()) {
 *		compile();
 *		run_it = code_memory_seal();
 *		...
 *		code_memory_open();
 *		free_it();
 *		code_memory_release();
 *	}
 */
#ifndef STET_CODE_MEMORY_H
#define STET_CODE_MEMORY_H

#include "base/base.h"

/* Become the owner, with the region writable; false: it has an owner. */
must_check bool code_memory_take(void);

/* Make the region executable; false: it cannot be, run nothing from it. */
must_check bool code_memory_seal(void);

/* Make the region writable again, to free the code. */
void code_memory_open(void);

void code_memory_release(void);

#endif
