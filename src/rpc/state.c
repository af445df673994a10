#include "rpc/state.h"

#include "base/buf.h"

/* What stands before the summary in the sealed bytes. */
struct head {
	uint8_t nonce[STATE_NONCE];
	uint64_t made;
	uint64_t confirm;
	struct digest shown;
	struct uuid approval;
	uint64_t queued; /* 0 or 1 */
};

void state_book_open(struct state_book *b, uint64_t good_ms)
{
	b->good_ms = good_ms;
}

void state_book_close(struct state_book *b)
{
	seal_key_forget(&b->key);
}

struct str state_make(struct state_book *b, const struct state *s,
		      struct str context, uint64_t now, struct arena *mem)
{
	struct head head = { .made = now,
			     .confirm = s->confirm,
			     .shown = s->shown,
			     .approval = s->approval,
			     .queued = s->queued };
	auto_buf bytes = BUF_INIT;

	seal_random(head.nonce, sizeof(head.nonce));
	buf_add(&bytes, str_make((const char *)&head, sizeof(head)));
	buf_add(&bytes, s->summary);
	return seal_make(&b->key, buf_str(&bytes), context, mem);
}

static bool was_used(const struct state_book *b, const struct head *head)
{
	size_t n = size_min(b->used_count, STATE_MOST_USED);

	for (size_t i = 0; i < n; i++)
		if (!memcmp(b->used[i].nonce, head->nonce, STATE_NONCE))
			return true;
	return false;
}

static void note_used(struct state_book *b, const struct head *head)
{
	struct state_used *at = &b->used[b->used_count % STATE_MOST_USED];

	if (b->used_count++ >= STATE_MOST_USED && at->made >= b->floor)
		b->floor = at->made + 1;
	memcpy(at->nonce, head->nonce, sizeof(at->nonce));
	at->made = head->made;
}

enum state_judged state_judge(struct state_book *b, struct str text,
			      struct str context, uint64_t now,
			      struct arena *mem, struct state *ret)
{
	struct head head;
	struct str bytes;

	if (!seal_open(&b->key, text, context, mem, &bytes) ||
	    bytes.len < sizeof(head))
		return STATE_UNKNOWN;
	memcpy(&head, bytes.ptr, sizeof(head));
	if (was_used(b, &head))
		return STATE_USED;
	if (head.made < b->floor || now - head.made > b->good_ms)
		return STATE_EXPIRED;
	note_used(b, &head);
	*ret = (struct state){ .shown = head.shown,
			       .confirm = head.confirm,
			       .approval = head.approval,
			       .queued = head.queued,
			       .made = head.made,
			       .summary = str_skip(bytes, sizeof(head)) };
	return STATE_GOOD;
}

const char *state_take(struct state_book *b, struct str text,
		       struct str context, uint64_t now, struct arena *mem,
		       struct state *ret)
{
	static const char *const words[] = {
		[STATE_GOOD] = NULL,
		[STATE_USED] =
			"requestState was used before: make the call again without it",
		[STATE_EXPIRED] =
			"requestState has expired: make the call again without it",
		[STATE_UNKNOWN] =
			"requestState is not one that was given out for this call",
	};

	return words[state_judge(b, text, context, now, mem, ret)];
}
