/*
 * message.h - JSON-RPC 2.0: what a message is, and how a reply is put.
 *
 * An id is kept as the bytes it came in, and goes back as those. A reply to
 * something whose id cannot be read has no id at all: with "id":null both
 * official clients drop the message.
 */
#ifndef STET_MESSAGE_H
#define STET_MESSAGE_H

#include "base/json.h"

enum message_kind {
	MESSAGE_REQUEST,
	MESSAGE_NOTIFICATION,
	MESSAGE_RESPONSE,
};

struct message {
	enum message_kind kind;
	struct str id; /* raw JSON, "" for none */
	struct str method;
	struct json params;
	struct json result; /* of a response; JSON_NONE for an error */
};

/*
 * Read @v as a message. On ERR_BAD_REQUEST the id is there if it could be
 * read, so that the error can name it.
 */
must_check enum err message_read(struct json v, struct arena *mem,
				 struct message *ret, struct fault *f);

/* {"jsonrpc":"2.0","id":...,"result":{ and what ends it. */
struct json_out message_result(struct buf *out, struct str id);
void message_result_end(struct json_out *o);

/* A whole error reply. */
void message_error(struct buf *out, struct str id, const struct fault *f);

/* {"jsonrpc":"2.0","method":...,"params":{ and what ends it. */
struct json_out message_notice(struct buf *out, const char *method);
void message_notice_end(struct json_out *o);

#endif
