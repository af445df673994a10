/*
 * tree_json.c - nested JSON from a flat sequence of entries.
 *
 * An object stays open until the next entry shows whether it has children.
 */
#include "tools/handlers/tree_json.h"

#include "base/json.h"

enum { INDENT = 2 };

/* Objects at @depth are indented by 2 depth + 1 steps, members by one more. */
static void start_line(struct tree_json *j, unsigned steps)
{
	buf_addf(&j->text, "\n%*s", (int)(steps * INDENT), "");
}

static void member_line(struct tree_json *j, unsigned depth, const char *text)
{
	start_line(j, 2 * depth + 2);
	buf_add(&j->text, str_of(text));
}

/* Close the last entry, and the directories around it that are not at @depth. */
static void close_entries(struct tree_json *j, unsigned depth)
{
	if (j->last != TREE_JSON_FILE)
		buf_addc(&j->text, ',');
	if (j->last == TREE_JSON_COUNTED && j->counted) {
		member_line(j, j->depth, "\"more\": ");
		buf_addf(&j->text, "%zu", j->counted);
	} else if (j->last != TREE_JSON_FILE) {
		member_line(j, j->depth, "\"children\": []");
	}
	start_line(j, 2 * j->depth + 1);
	buf_addc(&j->text, '}');
	for (unsigned at = j->depth; at > depth; at--) {
		member_line(j, at - 1, "]");
		start_line(j, 2 * at - 1);
		buf_addc(&j->text, '}');
	}
}

static void open_entry(struct tree_json *j, unsigned depth)
{
	if (!j->entries) {
		buf_addc(&j->text, '[');
	} else if (depth > j->depth) {
		buf_addc(&j->text, ',');
		member_line(j, j->depth, "\"children\": [");
	} else {
		close_entries(j, depth);
		buf_addc(&j->text, ',');
	}
	start_line(j, 2 * depth + 1);
	buf_addc(&j->text, '{');
}

void tree_json_add(struct tree_json *j, unsigned depth, struct str name,
		   enum tree_json_last kind)
{
	struct json_out o = json_out(&j->text);

	open_entry(j, depth);
	member_line(j, depth, "\"name\": ");
	json_put_str(&o, name);
	buf_addc(&j->text, ',');
	member_line(j, depth,
		    kind == TREE_JSON_FILE ? "\"type\": \"file\""
					   : "\"type\": \"directory\"");
	j->depth = depth;
	j->last = kind;
	j->counted = 0;
	j->entries++;
}

void tree_json_undo(struct tree_json *j, const struct tree_json *before)
{
	struct buf text = j->text;

	text.len = before->text.len;
	*j = *before;
	j->text = text;
}

void tree_json_end(struct tree_json *j)
{
	if (!j->entries) {
		buf_lit(&j->text, "[]");
		return;
	}
	close_entries(j, 0);
	buf_lit(&j->text, "\n]");
}
