/*
 * request_state.c - signs and verifies requestState, and stores the nonces of
 * used ones (replay protection).
 *
 * request_state_make() is for any thread, as it only reads the key; the table of
 * used nonces belongs to the loop thread.
 */
#include "rpc/request_state.h"

#include "base/buf.h"

/* The signed bytes: this, and the summary. */
struct request_state_head {
	uint8_t nonce[REQUEST_STATE_NONCE];
	uint64_t made;
	uint64_t confirm;
	struct digest shown;
	struct uuid approval;
	uint64_t queued; /* 0 or 1 */
};

void request_state_issuer_open(struct request_state_issuer *issuer,
			       uint64_t lifetime_ms)
{
	issuer->lifetime_ms = lifetime_ms;
}

void request_state_issuer_close(struct request_state_issuer *issuer)
{
	mac_key_free(&issuer->key);
}

struct str request_state_make(struct request_state_issuer *issuer,
			      const struct request_state *s, struct str context,
			      uint64_t now, struct arena *mem)
{
	struct request_state_head head = { .made = now,
					   .confirm = s->confirm,
					   .shown = s->shown,
					   .approval = s->approval,
					   .queued = s->queued };
	auto_buf bytes = BUF_INIT;

	secret_random(head.nonce, sizeof(head.nonce));
	buf_add(&bytes, str_make((const char *)&head, sizeof(head)));
	buf_add(&bytes, s->summary);
	return mac_sign(&issuer->key, buf_str(&bytes), context, mem);
}

static bool was_used(const struct request_state_issuer *issuer,
		     const struct request_state_head *head)
{
	size_t n = size_min(issuer->used_count, REQUEST_STATE_MOST_USED);

	for (size_t i = 0; i < n; i++)
		if (!memcmp(issuer->used[i].nonce, head->nonce,
			    REQUEST_STATE_NONCE))
			return true;
	return false;
}

static void note_used(struct request_state_issuer *issuer,
		      const struct request_state_head *head)
{
	struct request_state_nonce *at =
		&issuer->used[issuer->used_count % REQUEST_STATE_MOST_USED];

	if (issuer->used_count++ >= REQUEST_STATE_MOST_USED &&
	    at->made >= issuer->floor)
		issuer->floor = at->made + 1;
	memcpy(at->nonce, head->nonce, sizeof(at->nonce));
	at->made = head->made;
}

enum request_state_result
request_state_verify(struct request_state_issuer *issuer, struct str text,
		     struct str context, uint64_t now, struct arena *mem,
		     struct request_state *ret)
{
	struct request_state_head head;
	struct str bytes;

	if (!mac_verify(&issuer->key, text, context, mem, &bytes) ||
	    bytes.len < sizeof(head))
		return REQUEST_STATE_UNKNOWN;
	memcpy(&head, bytes.ptr, sizeof(head));
	if (was_used(issuer, &head))
		return REQUEST_STATE_USED;
	if (head.made < issuer->floor || now - head.made > issuer->lifetime_ms)
		return REQUEST_STATE_EXPIRED;
	note_used(issuer, &head);
	*ret = (struct request_state){ .shown = head.shown,
				       .confirm = head.confirm,
				       .approval = head.approval,
				       .queued = head.queued,
				       .made = head.made,
				       .summary =
					       str_skip(bytes, sizeof(head)) };
	return REQUEST_STATE_GOOD;
}

const char *request_state_check(struct request_state_issuer *issuer,
				struct str text, struct str context,
				uint64_t now, struct arena *mem,
				struct request_state *ret)
{
	static const char *const words[] = {
		[REQUEST_STATE_GOOD] = NULL,
		[REQUEST_STATE_USED] =
			"requestState was used before: make the call again without it",
		[REQUEST_STATE_EXPIRED] =
			"requestState has expired: make the call again without it",
		[REQUEST_STATE_UNKNOWN] =
			"requestState was not issued for this call",
	};

	return words[request_state_verify(issuer, text, context, now, mem,
					  ret)];
}
