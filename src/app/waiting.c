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

/* What becomes of the answer when nobody waits for it. */
static const struct {
	const char *counts, *but;
} late[] = {
	[APPROVAL_PENDING] = { "your answer counts",
			       ", and the file is still as it was" },
	[APPROVAL_ALLOWED] = { "your yes counts",
			       ", and the file is still as it was" },
	[APPROVAL_DENIED] = { "it is told", "" },
};

static struct str stopped(const struct approval *a, uint64_t now_ms,
			  struct arena *mem)
{
	const uint64_t left = a->until_ms > now_ms ? a->until_ms - now_ms : 0;
	const struct str name = name_of(a, mem);

	/* How long that lasts is the grant's own to say. */
	if (a->state == APPROVAL_GRANTED)
		return arena_printf(
			mem,
			STR_FMT " stopped waiting: it goes on if it asks again",
			STR_ARG(name));
	return arena_printf(
		mem,
		STR_FMT
		" stopped waiting: %s if it asks for exactly this again within " STR_FMT
		"%s",
		STR_ARG(name), late[a->state].counts,
		STR_ARG(when_lasts(left, mem)), late[a->state].but);
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
	if (a->withdrawn)
		return arena_printf(
			mem,
			"your yes is taken back, nothing was done with it: " STR_FMT
			" is told if it asks for exactly this again",
			STR_ARG(name_of(a, mem)));
	if (a->waits_ms <= now_ms)
		return stopped(a, now_ms, mem);
	return arena_printf(mem, STR_FMT " was waiting and %s now",
			    STR_ARG(name_of(a, mem)),
			    a->state == APPROVAL_DENIED ? "is told"
							: "goes on");
}
