/*
 * uuid.h - UUIDs of version 7, which sort by time.
 */
#ifndef STET_UUID_H
#define STET_UUID_H

#include "base/str.h"

struct uuid {
	uint8_t bytes[16];
};

enum { UUID_TEXT = 36 };

/* A new UUID; its first 48 bits are @time_ms since 1970. */
struct uuid uuid_new(uint64_t time_ms);
void uuid_text(struct uuid id, char to[UUID_TEXT + 1]);
must_check bool uuid_parse(struct str text, struct uuid *ret);
bool uuid_eq(struct uuid a, struct uuid b);
bool uuid_is_zero(struct uuid id);

#endif
