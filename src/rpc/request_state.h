/*
 * request_state.h - requestState: the state that a client of 2026-07-28 carries
 * between an input_required result and the repeated call. The links of the
 * sign-in page (web/signin) are such states too.
 *
 * It is signed (base/mac) for one caller, method, tool and arguments (the
 * context), expires after some minutes, and can be used once.
 * The nonces of used states are remembered until they expire; when there are
 * too many, the oldest is forgotten, and all states made before it are refused.
 */
#ifndef STET_REQUEST_STATE_H
#define STET_REQUEST_STATE_H

#include "base/digest.h"
#include "base/mac.h"
#include "base/uuid.h"

enum { REQUEST_STATE_NONCE = 16, REQUEST_STATE_MOST_USED = 1024 };

struct request_state_nonce {
	uint8_t nonce[REQUEST_STATE_NONCE];
	uint64_t made; /* clock_ms() */
};

/* The key and the used nonces; one for all clients of the process. */
struct request_state_issuer {
	struct mac_key key;
	uint64_t lifetime_ms; /* of a state */
	struct request_state_nonce used[REQUEST_STATE_MOST_USED];
	size_t used_count; /* number of all; @used is a ring buffer */
	uint64_t floor;    /* oldest creation time that is still accepted */
};

struct request_state {
	struct digest shown; /* digest of the question that was shown */
	uint64_t confirm;    /* ask.confirm: the answer to be confirmed */
	/* Summary of the question; an extension may put data here. */
	struct str summary;
	bool queued;          /* the question is also a row of the queue */
	struct uuid approval; /* id of that row */
	uint64_t made;        /* clock_ms(); set by request_state_make() */
};

/* @issuer is zeroed by the caller. */
void request_state_issuer_open(struct request_state_issuer *issuer,
			       uint64_t lifetime_ms);
void request_state_issuer_close(struct request_state_issuer *issuer);

/* @now is clock_ms(). Any thread. */
struct str request_state_make(struct request_state_issuer *issuer,
			      const struct request_state *s, struct str context,
			      uint64_t now, struct arena *mem);

enum request_state_result {
	REQUEST_STATE_GOOD,
	REQUEST_STATE_USED,
	REQUEST_STATE_EXPIRED,
	REQUEST_STATE_UNKNOWN
};

/* Verify a state; a good one is marked as used. Loop thread only. */
must_check enum request_state_result
request_state_verify(struct request_state_issuer *issuer, struct str text,
		     struct str context, uint64_t now, struct arena *mem,
		     struct request_state *ret);

/* The same with a message for the client as result; NULL = it is good. */
must_check const char *request_state_check(struct request_state_issuer *issuer,
					   struct str text, struct str context,
					   uint64_t now, struct arena *mem,
					   struct request_state *ret);

#endif
