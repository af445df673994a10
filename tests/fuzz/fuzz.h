/*
 * fuzz.h - the interface of a fuzz target.
 *
 * A target is fuzz_<name>.c with the function below and a claim that must
 * hold for every input, checked with must(). It is built with replay.c and
 * run over corpus/<name>/ as a test; to look for new inputs, build it with
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -D_GNU_SOURCE
 *
 * and the sources it needs, and add what it finds to the corpus.
 */
#ifndef STET_FUZZ_H
#define STET_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* assert() that is active in every build. */
#define must(claim)                                                        \
	do {                                                               \
		if (!(claim)) {                                            \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, \
				__LINE__, #claim);                         \
			abort();                                           \
		}                                                          \
	} while (0)

#endif
