/*
 * ask_form.h - the question as a form that clients show, and its answer.
 */
#ifndef STET_ASK_FORM_H
#define STET_ASK_FORM_H

#include "rpc/ask.h"
#include "tools/tool.h"

/* What can be kept of an answer that goes beyond one call. */
enum ask_keeps { ASK_KEEPS_NOTHING, ASK_KEEPS_SESSION, ASK_KEEPS_LASTING };

/*
 * The members of elicitation/create's params. With @confirm, a wide answer that
 * was given: the second form, which spells out its reach.
 */
void ask_form_put(struct json_out *o, const struct call *c,
		  enum ask_keeps keeps, enum ask_answer confirm);

/*
 * What the person answered: @result has `action` and `content`. ASK_NOTHING
 * when it is no answer to the form.
 */
enum ask_answer ask_form_read(struct json result);

#endif
