/*
 * t_read_multiple_files.c - the tool read_multiple_files: several text files in
 * one text.
 *
 * A file that cannot be read, needs approval, or does not fit into the rest of
 * the reply is represented by an error message; all others are still sent.
 */
#include "tools/call/result.h"
#include "tools/handlers/listing.h"
#include "tools/reading/readstate.h"
#include "tools/reading/textfile.h"

enum { MOST_AT_ONCE = 4 }; /* files that are read on the event loop */

struct multiple_args {
	struct item_list paths;
};

struct multiple {
	struct call *c;
	struct buf text;
	uint64_t room; /* left in the reply */
};

static void multiple_free(struct multiple *m)
{
	buf_free(&m->text);
}

static uint64_t multiple_cost(void *ctx, struct str text)
{
	return listing_cost(ctx, text);
}

/* Errors always get a place: there are not more than paths in the arguments. */
static void add_part(struct multiple *m, struct str part)
{
	uint64_t cost = listing_cost(m->c, part);

	m->room -= cost < m->room ? cost : m->room;
	buf_add(&m->text, part);
}

static void add_error(struct multiple *m, struct str path, struct str message)
{
	add_part(m, path);
	add_part(m, STR(": Error - "));
	add_part(m, message);
}

static const struct str no_room = STR_INIT(
	"It does not fit into this reply. Read it alone, with read_text_file");

/* What was not sent does not count as read. */
static enum err page_whole(struct multiple *m, struct str path,
			   struct page *ret)
{
	struct call *c = m->c;
	struct page_want want = {
		.line = 1,
		.limit = SIZE_MAX,
		.max_cost = m->room,
		.cost = multiple_cost,
		.worst = result_worst(c->options->results),
		.ctx = c,
	};
	enum err e = textfile_page(c, path, &want, ret);

	if (!e && ret->cut) {
		if (c->caller->reads)
			readstate_forget(c->caller->reads, ret->key);
		return ERR_LINE_TOO_LONG;
	}
	return e;
}

static struct str multiple_failure(struct call *c, enum err e)
{
	if (e == ERR_LINE_TOO_LONG)
		return no_room;
	if (e == ERR_ASK)
		return STR(
			"Reading it needs approval. Read it alone, with read_text_file");
	if (e == ERR_BINARY_READ)
		return arena_printf(c->mem,
				    STR_FMT
				    ". read_media_file reads such files",
				    STR_ARG(fault_text(c->fault, c->mem)));
	return fault_text(c->fault, c->mem);
}

static enum err read_part(struct multiple *m, struct str path)
{
	struct call *c = m->c;
	struct page page;
	struct str full;
	enum err e;

	e = find_absolute(c, path, &full);
	if (!e)
		e = page_whole(m, full, &page);
	if (e == ERR_LATER || e == ERR_CANCELLED || e == ERR_NO_MEMORY)
		return e;
	if (e) {
		add_error(m, path, multiple_failure(c, e));
		c->question = (struct question){ 0 };
		return ERR_OK;
	}
	add_part(m, path);
	add_part(m, STR(":\n"));
	add_part(m, page.text);
	add_part(m, STR("\n"));
	return ERR_OK;
}

static enum err multiple_run(struct call *c)
{
	const struct multiple_args *a = c->args;
	const struct str *path = a->paths.items;
	cleanup(multiple_free) struct multiple m = { .c = c };
	enum err e = ERR_OK;

	if (c->progress.byte_limit && a->paths.count > MOST_AT_ONCE)
		return ERR_LATER;
	m.room = result_room(c);
	for (size_t i = 0; i < a->paths.count && !e; i++) {
		if (i)
			add_part(&m, STR("\n---\n"));
		e = read_part(&m, path[i]);
	}
	if (e)
		return e;
	listing_say(c, buf_str(&m.text), NULL, STR(""));
	return ERR_OK;
}

static const struct field fields[] = {
	{ "paths", FIELD_TEXTS, .required = true,
	  .offset = offsetof(struct multiple_args, paths),
	  .doc = "Files to read", .empty = ERR_BAD_ARGS },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Each file is shown as its path as given, a colon, a newline, its content and a newline; a line --- separates files",
	"A file that cannot be read is shown as its path, \": Error - \" and the reason; all others are still read",
	"So is a file that does not fit into the reply, or that needs approval: read it in a call of its own",
	"A file whose content is in the result counts as read",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Two files, one of which does not exist",
	  "{\"paths\":[\"a.txt\",\"b.txt\"]}",
	  "{\"content\":\"a.txt:\\nHello\\n\\n\\n---\\nb.txt: Error - File not found: /project/b.txt\"}" },
	{ NULL },
};

const struct tool tool_read_multiple_files = {
	.name = "read_multiple_files",
	.title = "Read Multiple Files",
	.doc = "Read several text files at once. A file that cannot be read does not stop the others.",
	.families = { "filesystem" },
	.kind = "read",
	.fields = fields,
	.out = listing_out_fields,
	.args_size = sizeof(struct multiple_args),
	.out_size = sizeof(struct listing_out),
	.effects = TOOL_READS,
	.run = multiple_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
