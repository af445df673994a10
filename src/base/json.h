/*
 * json.h - parse and write JSON.
 *
 * json_parse() validates the whole text once and leaves a tape of nodes in the
 * arena; nothing is copied or decoded until it is asked for. The text must
 * outlive the document. A struct json is a small handle, passed by value;
 * looking up a missing member gives one of kind JSON_NONE, which every function
 * accepts, so look-ups can be chained.
 *
 * Everything that JSON.parse accepts is accepted, including duplicate keys and
 * lone surrogate escapes: the reader of a value refuses those (json_text()
 * fails on a lone surrogate; json_get() finds the last of several equal keys,
 * and json_duplicate_key() reports them). Invalid UTF-8 is a parse error.
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
	uint32_t at; /* index of its node on the tape */
};

struct json_limits {
	size_t max_depth; /* 0 = 128 */
	size_t max_nodes; /* 0 = 16 million, which is the maximum */
};

/* Where and why a text is not valid JSON. */
struct json_error {
	size_t offset;
	const char *why; /* "unexpected character", "nested too deeply" ... */
};

/*
 * ERR_PARSE with @error set when @text is not exactly one JSON value, white
 * space aside. Texts of 4 GiB or more are refused.
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

/* The bytes of the value in the text, quotes included. */
struct str json_raw(struct json v);

/*
 * The decoded string: a view into the text or, if it has escapes, in @mem.
 * False when the value is not a string or has a lone surrogate.
 */
must_check bool json_text(struct json v, struct arena *mem, struct str *ret);

/* An integer: 10, 10.0 and 1e1 are ten; false for 1.5, "1" and 2^53+1. */
must_check bool json_int(struct json v, int64_t *ret);
must_check bool json_bool(struct json v, bool *ret);

/* The number of members of an object or array; 0 for anything else. */
size_t json_count(struct json v);

/* The last member of an object with this key. */
struct json json_get_str(struct json object, struct str key);

static inline struct json json_get(struct json object, const char *key)
{
	return json_get_str(object, str_of(key));
}

/* True, with the key, when two members of @object have the same key. */
bool json_duplicate_key(struct json object, struct arena *mem, struct str *key);

/*
 * Iterate over an array or object:
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

/* Is @v a string that decodes to @text? */
bool json_str_is(struct json v, const char *text);

/*
 * Writing. Commas and colons are added automatically:
 *
 *	struct json_out o = json_out(buf);
 *	json_open(&o, '{');
 *	json_key(&o, "path");
 *	json_put_str(&o, path);
 *	json_close(&o, '}');
 *
 * Strings must be valid UTF-8; invalid bytes become U+FFFD. The output never
 * contains a newline.
 */
struct json_out {
	struct buf *buf;
	bool comma;               /* a comma is due before the next value */
	struct json_flush *flush; /* or NULL */
};

/*
 * For a long text: write() is called after a slice of a string, which ends
 * between two characters, when much is in the buffer. It may send the buffer
 * and empty it, so that the front of the text is on its way while the rest
 * is made.
 */
struct json_flush {
	void (*write)(struct json_flush *, struct buf *);
};

static inline struct json_out json_out(struct buf *buf)
{
	return (struct json_out){ buf, false, NULL };
}

void json_open(struct json_out *o, char bracket);  /* '{' or '[' */
void json_close(struct json_out *o, char bracket); /* '}' or ']' */
void json_key_str(struct json_out *o, struct str key);
void json_key_plain(struct json_out *o, struct str key); /* not escaped */

/* A literal key without characters to escape. */
static inline void json_key(struct json_out *o, const char *key)
{
	json_key_plain(o, str_of(key));
}

void json_put_str(struct json_out *o, struct str s);

/* A string in parts, none of which ends within a character. */
void json_str_open(struct json_out *o);
void json_str_add(struct json_out *o, struct str s);
void json_str_close(struct json_out *o);

/* A key and a string value. */
static inline void json_text_member(struct json_out *o, const char *key,
				    struct str text)
{
	json_key(o, key);
	json_put_str(o, text);
}
void json_put_int(struct json_out *o, int64_t n);
void json_put_bool(struct json_out *o, bool b);
void json_put_null(struct json_out *o);
void json_put_raw(struct json_out *o,
		  struct str json); /* one value, already JSON */

/* A parsed value without its white space. */
void json_put(struct json_out *o, struct json v);

/* The size of @s when escaped, without quotes. */
size_t json_escaped_len(struct str s);

/* Append @s escaped, without quotes. */
void json_escape(struct buf *out, struct str s);

#endif
