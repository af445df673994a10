/*
 * message.h - the JSON-RPC 2.0 envelope: reading messages, writing replies.
 *
 * An id is kept as raw bytes, and a reply repeats those. A reply to a message
 * whose id cannot be read has no id: both official clients drop a message with
 * "id":null.
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

/* Begin a result: {"jsonrpc":"2.0","id":...,"result":{; and end it. */
struct json_out message_result(struct buf *out, struct str id);
void message_result_end(struct json_out *o);

/* A complete error reply. */
void message_error(struct buf *out, struct str id, const struct fault *f);

/* Begin a notification: {"jsonrpc":"2.0","method":...,"params":{; end it. */
struct json_out message_notification(struct buf *out, const char *method);
void message_notification_end(struct json_out *o);

#endif
