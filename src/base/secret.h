/*
 * secret.h - random bytes, and memory that keeps secrets from leaking.
 *
 * Random bytes come from the kernel (getrandom) and are fit for keys. A
 * guarded copy lies in read-only memory between inaccessible pages, and is
 * neither swapped out nor dumped. All of it may be called from any thread.
 */
#ifndef STET_SECRET_H
#define STET_SECRET_H

#include "base/arena.h"

/* Fill @to with @n random bytes. */
void secret_random(void *to, size_t n);

/* @digits (an even number) random hexadecimal digits, and a final NUL. */
void secret_random_hex(char *to, size_t digits);

/* 256 random bits as base64url text, for tokens and ids. */
struct str secret_token(struct arena *mem);

/*
 * A guarded copy of @secret. secret_free() wipes and frees it; "" is fine
 * there.
 */
struct str secret_guard(struct str secret);
void secret_free(struct str *guarded);

/* Overwrite a secret where it is no longer needed. */
void secret_wipe(struct str bytes);

#endif
