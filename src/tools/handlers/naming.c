/*
 * naming.c - the result of a tool that changes names.
 */
#include "tools/handlers/naming.h"

#define META(key, words)                                                      \
	{                                                                     \
#key, FIELD_STR, .offset = offsetof(struct naming_meta, key), \
				 .doc = (words)                               \
	}

static const struct field meta_fields[] = {
	META(operation,
	     "The id of the operation in the history, for undo_file_change"),
	META(hook, "Failure of an after_edit hook; the change was made"),
	META(history, "Why the change was not recorded in the history"),
	FIELDS_END,
};

const struct field naming_out_fields[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct naming_out, content),
	  .doc = "What was done" },
	{ "_meta", FIELD_OBJECT, .required = true, .brief = true,
	  .offset = offsetof(struct naming_out, meta), .doc = "How it was done",
	  .fields = meta_fields },
	FIELDS_END,
};

void naming_report(struct call *c, const struct tree_changed *changed,
		   struct str content)
{
	struct naming_out *out = c->out;

	out->content = content;
	out->meta.operation = changed->op_text;
	out->meta.history = changed->not_kept;
	out->meta.hook = changed->hook;
	c->say = content;
}
