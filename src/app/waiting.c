/*
 * waiting.c - the words of "stet approvals" for a client that waits, and for
 * one that has stopped waiting. The page has the same in web/waiting.js. The
 * client is named as everywhere: the name of its token first.
 */
#include "app/waiting.h"

#include "app/when.h"
#include "store/client_name.h"

static struct str name_of(const struct approval *a, struct arena *mem)
{
	return client_words(a->scope, a->client, mem);
}

static struct str stopped(const struct approval *a, uint64_t now_ms,
			  struct arena *mem)
{
	const struct str name = name_of(a, mem);
	const uint64_t left = a->until_ms > now_ms ? a->until_ms - now_ms : 0;

	return arena_printf(
		mem,
		STR_FMT
		" stopped waiting: your answer counts if it asks again within " STR_FMT,
		STR_ARG(name), STR_ARG(when_lasts(left, mem)));
}

struct str waiting_words(const struct approval *a, uint64_t now_ms,
			 struct arena *mem)
{
	if (a->waits_ms <= now_ms)
		return stopped(a, now_ms, mem);
	return arena_printf(mem, STR_FMT " is waiting, %llu s left",
			    STR_ARG(name_of(a, mem)),
			    (unsigned long long)(a->waits_ms - now_ms + 999) /
				    1000);
}

struct str waiting_outcome(const struct approval *a, uint64_t now_ms,
			   struct arena *mem)
{
	if (a->waits_ms <= now_ms)
		return stopped(a, now_ms, mem);
	return arena_printf(mem, STR_FMT " was waiting and goes on now",
			    STR_ARG(name_of(a, mem)));
}
