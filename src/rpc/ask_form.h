/*
 * ask_form.h - the elicitation form of a question, and reading its answer.
 */
#ifndef STET_ASK_FORM_H
#define STET_ASK_FORM_H

#include "rpc/ask.h"
#include "tools/call/tool.h"

/* Which grants an answer can give: none, of this session, or lasting. */
enum ask_keeps { ASK_KEEPS_NOTHING, ASK_KEEPS_SESSION, ASK_KEEPS_LASTING };

/*
 * The members of elicitation/create's params. @confirm: the wide answer to the
 * first form; then this is the second form, which spells out its reach.
 */
void ask_form_put(struct json_out *o, const struct call *c,
		  enum ask_keeps keeps, enum ask_answer confirm);

/* Read the result of elicitation/create. ASK_NOTHING: not our form's. */
enum ask_answer ask_form_read(struct json result);

#endif
