/*
 * ask_form.h - the question as a form that clients show, and its answer.
 */
#ifndef STET_ASK_FORM_H
#define STET_ASK_FORM_H

#include "rpc/ask.h"
#include "tools/tool.h"

/* The members of elicitation/create's params. @keeps: grants can be kept. */
void ask_form_put(struct json_out *o, const struct call *c, bool keeps);

/*
 * What the person answered: @result has `action` and `content`. ASK_NOTHING
 * when it is no answer to the form.
 */
enum ask_answer ask_form_read(struct json result);

#endif
