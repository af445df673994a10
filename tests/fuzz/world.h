/*
 * world.h - files and a server for the fuzz targets that run whole programs.
 *
 * A temporary directory with "root" (served), "outside" (never served, with a
 * file whose content is WORLD_SECRET) and "home" (settings and state). It is
 * removed when the program ends. In an input, "@R@" stands for the path of
 * the root and "@T@" for the owner's token, as neither is the same twice.
 */
#ifndef STET_FUZZ_WORLD_H
#define STET_FUZZ_WORLD_H

#include "fuzz.h"

#include "app/config.h"
#include "base/buf.h"

#define WORLD_SECRET "none-of-your-business-7f3a"
#define WORLD_TOKEN  "a-token-of-the-fuzzer-0123456789"

/* Created at the first call. */
const char *world_base(void);

/*
 * The path of @name in the directory, as "root/a.txt". Valid until the program
 * ends.
 */
const char *world_path(const char *name);

/* Write a file, created if necessary. */
void world_put(const char *name, const void *bytes, size_t len);

/* Restore the initial root, so that inputs are independent. */
void world_reset(void);

/* A server on the root with @config, which must outlive it; or NULL. */
struct server *world_server(struct config *config, struct arena *mem);

/* @bytes with its placeholders replaced. */
struct str world_input(const uint8_t *bytes, size_t len, struct arena *mem);

/* Files outside the root are unchanged, and no secret of them is in @said. */
void world_is_whole(struct str said);

/* Every line of @said is JSON. */
void world_is_json(struct str said);

/* The whole content of @fd. */
struct str world_read(int fd, struct arena *mem);

#endif
