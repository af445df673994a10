/*
 * notebook_style.h - how the JSON of a notebook is written. Private to
 * notebook.c.
 */
#ifndef STET_NOTEBOOK_STYLE_H
#define STET_NOTEBOOK_STYLE_H

#include "base/buf.h"
#include "base/json.h"

/* One member of an object; both are parts of the text. */
struct notebook_member {
	struct str key, value; /* as written */
	struct json json;      /* the value */
};

struct notebook_style {
	bool lines;       /* members are on lines of their own */
	struct str eol;   /* then: what ends these lines */
	struct str unit;  /* and the indentation of one level */
	struct str colon; /* between key and value: ": " */
	struct str comma; /* between values on one line: ", " */
	bool ascii;       /* other characters are written as \uXXXX */
};

/* The members of @object in their order. */
struct notebook_member *notebook_members(struct json object, struct arena *mem,
					 size_t *ret_n);

/* The style of @text, whose root object is @root. */
struct notebook_style notebook_style_of(struct str text, struct json root,
					struct arena *mem);

/* The blanks before @at, if nothing else is before it on its line. */
bool notebook_indent_at(struct str text, size_t at, struct str *ret);

/* A line ending and indentation, or nothing without lines. */
void notebook_break(const struct notebook_style *s, struct str indent,
		    size_t levels, struct buf *out);

void notebook_put_string(const struct notebook_style *s, struct str string,
			 struct buf *out);

/*
 * @source as a list with one string for each line, line ending included. With
 * @lines each is on a line of its own, indented by one level more than @indent.
 */
void notebook_put_list(const struct notebook_style *s, struct str source,
		       bool lines, struct str indent, struct buf *out);

#endif
