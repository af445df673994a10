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
	/*
	 * Hang up, and keep what is sent until the client comes back for it;
	 * NULL where there is no such thing.
	 */
	void (*pause)(struct peer *);
};

#endif
