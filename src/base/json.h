/*
 * json.h - reading and writing JSON.
 *
 * json_parse() checks the whole text once and leaves a tape of nodes in the
 * arena; nothing is copied and nothing is decoded until somebody asks. The
 * text must outlive the document. A struct json is a small handle, passed by
 * value; looking up what is not there gives one of kind JSON_NONE, and every
 * function takes that, so look-ups chain.
 *
 * What JSON.parse accepts is accepted, duplicate keys and lone surrogate
 * escapes included: it is for the reader of a value to refuse those (json_text
 * fails on a lone surrogate; json_get finds the last of several equal keys,
 * json_twice tells). Invalid UTF-8 is a parse error.
 */
#ifndef STET_JSON_H
#define STET_JSON_H

#include "base/err.h"

enum json_kind {
	JSON_NONE,
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_doc;

struct json {
	const struct json_doc *doc;
	uint32_t at; /* of its node on the tape */
};

struct json_limits {
	size_t max_depth; /* 0 = 128 */
	size_t max_nodes; /* 0 = 16 million, and never more */
};

/* Where and why a text is not JSON. */
struct json_error {
	size_t offset;
	const char *why; /* "unexpected character", "nested too deeply" ... */
};

/*
 * ERR_PARSE with @error filled in when @text is not one JSON value (with
 * white space around it). Texts of 4 GiB or more are refused.
 */
must_check enum err json_parse(struct str text,
			       const struct json_limits *limits,
			       struct arena *mem, struct json *ret,
			       struct json_error *error);

enum json_kind json_kind(struct json v);

static inline bool json_is(struct json v, enum json_kind kind)
{
	return json_kind(v) == kind;
}

/* The bytes of the value as they stand in the text, quotes included. */
struct str json_raw(struct json v);

/*
 * The decoded string. Without escapes it is a view into the text, else it is
 * in @mem. False when it is not a string or has a lone surrogate.
 */
must_check bool json_text(struct json v, struct arena *mem, struct str *ret);

/* An integer: 10, 10.0 and 1e1 are ten; 1.5, "1" and 2^53+1 are none. */
must_check bool json_int(struct json v, int64_t *ret);
must_check bool json_bool(struct json v, bool *ret);

/* Members of an object or array (0 for anything else). */
size_t json_count(struct json v);

/* The last member of an object with this key. */
struct json json_get_str(struct json object, struct str key);

static inline struct json json_get(struct json object, const char *key)
{
	return json_get_str(object, str_of(key));
}

/* Two members of @object with one key: true, and the second's key. */
bool json_twice(struct json object, struct arena *mem, struct str *key);

/*
 * Walk an array or object:
 *
 *	struct json_walk w = json_walk(v);
 *	while (json_step(&w))
 *		... w.value, and of an object w.key (a string) ...
 */
struct json_walk {
	struct json value, key;
	uint32_t next, end;
	bool object;
};

struct json_walk json_walk(struct json v);
bool json_step(struct json_walk *w);

/* Is the string @v equal to @text, decoded? */
bool json_str_is(struct json v, const char *text);

/*
 * Writing. Commas and colons are put in by themselves:
 *
 *	struct json_out o = json_out(buf);
 *	json_open(&o, '{');
 *	json_key(&o, "path");
 *	json_put_str(&o, path);
 *	json_close(&o, '}');
 *
 * The text written must be valid UTF-8; bytes that are not come out as
 * U+FFFD. Nothing is ever written that needs more than one line.
 */
struct json_out {
	struct buf *buf;
	bool comma;             /* the next value needs one before it */
	struct json_flow *flow; /* or NULL */
};

/*
 * Who takes the front of a long text while the rest of it is still made.
 * more() is called after a slice of a string, which ends between two
 * characters, when there is much in the buffer; it may empty that.
 */
struct json_flow {
	void (*more)(struct json_flow *, struct buf *);
};

static inline struct json_out json_out(struct buf *buf)
{
	return (struct json_out){ buf, false, NULL };
}

void json_open(struct json_out *o, char bracket);  /* '{' or '[' */
void json_close(struct json_out *o, char bracket); /* '}' or ']' */
void json_key_str(struct json_out *o, struct str key);
void json_key_plain(struct json_out *o, struct str key); /* as is */

/* One of our own, with nothing in it to escape. */
static inline void json_key(struct json_out *o, const char *key)
{
	json_key_plain(o, str_of(key));
}

void json_put_str(struct json_out *o, struct str s);

/* The same in pieces, none of which ends within a character. */
void json_str_open(struct json_out *o);
void json_str_add(struct json_out *o, struct str s);
void json_str_close(struct json_out *o);

/* A member of an object: its key and a string. */
static inline void json_text_member(struct json_out *o, const char *key,
				    struct str text)
{
	json_key(o, key);
	json_put_str(o, text);
}
void json_put_int(struct json_out *o, int64_t n);
void json_put_bool(struct json_out *o, bool b);
void json_put_null(struct json_out *o);
void json_put_raw(struct json_out *o, struct str json); /* one value, as is */

/* A value that was parsed, as compact as it stood (white space removed). */
void json_put(struct json_out *o, struct json v);

/* How many bytes json_put_str() makes of @s, without the two quotes. */
size_t json_escaped_len(struct str s);

/* Append @s escaped, without quotes. */
void json_escape(struct buf *out, struct str s);

#endif
