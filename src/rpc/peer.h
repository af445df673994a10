/*
 * peer.h - who is at the other end, as far as rpc knows: somebody to whom a
 * message can be sent at any time, from any thread.
 */
#ifndef STET_PEER_H
#define STET_PEER_H

#include "base/str.h"

struct peer {
	/* One message, without the end of line. Never blocks for long. */
	void (*send)(struct peer *, struct str message);
	/* Hang up, for the client to come back later; NULL = it cannot. */
	void (*pause)(struct peer *);
};

#endif
