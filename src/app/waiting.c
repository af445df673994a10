/*
 * waiting.c - messages about a client that waits or has stopped waiting.
 *
 * For `stet approvals`; web/waiting.js has the same messages for the page. A
 * client is named by its token first.
 */
#include "app/waiting.h"

#include "app/human_time.h"
#include "store/client_name.h"

static struct str waiting_name(const struct approval *a, struct arena *mem)
{
	return client_words(a->scope, a->client, mem);
}

/* The effect of an answer for which no client waits. */
static const struct {
	const char *counts, *but;
} late[] = {
	[APPROVAL_PENDING] = { "your answer will be used",
			       ", and the file is still as it was" },
	[APPROVAL_ALLOWED] = { "your approval will be used",
			       ", and the file is still as it was" },
	[APPROVAL_DENIED] = { "it is told", "" },
};

static struct str stopped(const struct approval *a, uint64_t now_ms,
			  struct arena *mem)
{
	const uint64_t left = a->until_ms > now_ms ? a->until_ms - now_ms : 0;
	const struct str name = waiting_name(a, mem);

	/* The grant itself says how long it lasts. */
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
		STR_ARG(human_time_lasts(left, mem)), late[a->state].but);
}

struct str waiting_words(const struct approval *a, uint64_t now_ms,
			 struct arena *mem)
{
	if (a->waits_ms <= now_ms)
		return stopped(a, now_ms, mem);
	return arena_printf(mem, STR_FMT " is waiting, %llu s left",
			    STR_ARG(waiting_name(a, mem)),
			    (unsigned long long)(a->waits_ms - now_ms + 999) /
				    1000);
}

struct str waiting_outcome(const struct approval *a, uint64_t now_ms,
			   struct arena *mem)
{
	if (a->withdrawn)
		return arena_printf(
			mem,
			"your approval is withdrawn, it was not used: " STR_FMT
			" is told if it asks for exactly this again",
			STR_ARG(waiting_name(a, mem)));
	if (a->waits_ms <= now_ms)
		return stopped(a, now_ms, mem);
	return arena_printf(mem, STR_FMT " was waiting and %s now",
			    STR_ARG(waiting_name(a, mem)),
			    a->state == APPROVAL_DENIED ? "is told"
							: "goes on");
}
