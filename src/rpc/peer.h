/*
 * peer.h - a way to send messages to a client at any time, from any thread.
 * Transports implement it.
 */
#ifndef STET_PEER_H
#define STET_PEER_H

#include "base/str.h"

struct peer {
	/* Send one JSON message, without a newline. Does not block. */
	void (*send)(struct peer *, struct str message);
	/*
	 * Close the connection and keep later messages until the client
	 * reconnects (SSE polling); NULL if the transport cannot.
	 */
	void (*pause)(struct peer *);
};

#endif
