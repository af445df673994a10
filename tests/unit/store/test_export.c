/* The history as lines of JSON, and back into an empty one. */
#include "state.h"

#include "store/export.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool put(void *ctx, struct str bytes)
{
	buf_add(ctx, bytes);
	return true;
}

static enum err export_to(struct state *s, struct buf *out)
{
	struct history_export x = { .version = "1", .put = put, .ctx = out };

	return history_export(s->store, &(struct history_query){ 0 }, &x,
			      &s->f);
}

static enum err import_text(struct state *s, struct str text,
			    struct history_import *i)
{
	FILE *file = tmpfile();
	enum err e;

	assert_non_null(file);
	i->fd = fileno(file);
	assert_int_equal(write(i->fd, text.ptr, text.len), (ssize_t)text.len);
	assert_int_equal(lseek(i->fd, 0, SEEK_SET), 0);
	e = history_import(s->store, i, &s->mem, &s->f);
	(void)fclose(file);
	return e;
}

/* Without the header, which has the time. */
static struct str body(const struct buf *b)
{
	struct str all = buf_str(b);

	return str_skip(all, str_find(all, '\n') + 1);
}

/* The body, with every "root" empty and the numbers of roots 0. */
static struct str without_roots(const struct buf *b, struct arena *mem)
{
	struct str rest = body(b), line;
	auto_buf out = BUF_INIT;

	while (rest.len && str_split(&rest, '\n', &line)) {
		const char *at = memmem(line.ptr, line.len, "\"root\":", 7);
		const char *end =
			at ? memmem(at, (size_t)(line.ptr + line.len - at), ",",
				    1)
			   : NULL;

		if (!at) {
			buf_add(&out, line);
			continue;
		}
		buf_add(&out, str_make(line.ptr, (size_t)(at - line.ptr)));
		buf_add(&out,
			str_make(end, (size_t)(line.ptr + line.len - end)));
	}
	return arena_copy(mem, buf_str(&out));
}

static void it_comes_back_byte_for_byte(void **state)
{
	auto_state from = state_make(), to = state_make(), again = state_make();
	auto_buf first = BUF_INIT, second = BUF_INIT, third = BUF_INIT;
	struct history_import i = { 0 };
	struct op op = state_op(&from, "/p/a", NULL, "one\n");

	(void)state_op(&from, "/p/\xff", "one\n", "\xff\xfe no text");
	(void)state_op(&from, "/p/a", "one\n", "two\n");
	assert_int_equal(export_to(&from, &first), ERR_OK);
	i.plan = true;
	assert_int_equal(import_text(&to, buf_str(&first), &i), ERR_OK);
	assert_int_equal(i.ops, 3);
	assert_int_equal(i.contents, 3);
	assert_int_equal(export_to(&to, &second), ERR_OK);
	assert_int_equal(body(&second).len, 0); /* it was only a plan */
	second.len = 0;
	i = (struct history_import){ 0 };
	assert_int_equal(import_text(&to, buf_str(&first), &i), ERR_OK);
	assert_int_equal(export_to(&to, &second), ERR_OK);
	/* All but the identity of the root, which is not taken from a file. */
	assert_int_equal(import_text(&again, buf_str(&second), &i), ERR_OK);
	assert_int_equal(export_to(&again, &third), ERR_OK);
	assert_true(str_eq(body(&second), body(&third)));
	assert_true(str_eq(without_roots(&first, &from.mem),
			   without_roots(&second, &from.mem)));
	assert_true(state_holds(&to, &op, HISTORY_AFTER, STR("one\n")));
	i = (struct history_import){ 0 };
	assert_int_equal(import_text(&to, buf_str(&first), &i), ERR_OK);
	assert_int_equal(i.ops, 0);
	assert_int_equal(i.present, 3);
}

/* Whichever byte is another one: it is refused, or it is sound. */
static void no_byte_of_it_can_break_anything(void **state)
{
	auto_state from = state_make(), to = state_make();
	auto_buf text = BUF_INIT;
	struct history_import i;

	(void)state_op(&from, "/p/a", "one\n", "two\n");
	assert_int_equal(export_to(&from, &text), ERR_OK);
	for (size_t at = 0; at < text.len; at++) {
		char was = text.ptr[at];

		text.ptr[at] = was == '"' ? '}' : '"';
		i = (struct history_import){ .plan = true };
		if (import_text(&to, buf_str(&text), &i))
			assert_int_equal(to.f.err, ERR_BAD_ARGS);
		text.ptr[at] = was;
		i = (struct history_import){ 0 };
		if (at && at < text.len - 1)
			assert_int_equal(import_text(&to,
						     str_head(buf_str(&text),
							      at),
						     &i) == ERR_OK,
					 text.ptr[at - 1] == '\n');
	}
}

/* Operations of a group of one directory: all kinds, and where from. */
static void put_group(struct state *s, struct uuid group)
{
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		struct op op = { .kind = (enum op_kind)kind,
				 .path = STR("/p/a"),
				 .from = kind == OP_MOVE ? STR("/p/b")
							 : STR(""),
				 .group = group,
				 .root = { STR("/p"), 1, 2 } };
		struct history_ticket ticket;

		history_begin(s->store, &op, STR(""), STR(""), &ticket);
		assert_int_equal(history_wait(s->store, ticket, &s->f), ERR_OK);
		history_end(s->store, &op, OP_DONE, NULL);
	}
}

/* Requirements: V13 */
static void a_group_comes_back_whole(void **state)
{
	const struct uuid group = uuid_new(1);
	auto_state from = state_make(), to = state_make();
	struct history_import i = { 0 };
	auto_buf text = BUF_INIT;
	struct op *ops;
	size_t n;

	put_group(&from, group);
	assert_int_equal(export_to(&from, &text), ERR_OK);
	assert_int_equal(import_text(&to, buf_str(&text), &i), ERR_OK);
	assert_int_equal(history_group(to.store, group, &to.mem, &ops, &n,
				       &to.f),
			 ERR_OK);
	assert_int_equal(n, OP_KINDS);
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		assert_int_equal(ops[kind].kind, kind);
		assert_true(
			str_is(ops[kind].from, kind == OP_MOVE ? "/p/b" : ""));
	}
}

/* What an operation of a file is cut out of, or put instead. */
static struct str replaced(struct str text, const char *what, const char *with,
			   struct arena *mem)
{
	struct str rest = text;
	auto_buf out = BUF_INIT;

	while (rest.len) {
		const char *at = memmem(rest.ptr, rest.len, what, strlen(what));
		size_t n = at ? (size_t)(at - rest.ptr) : rest.len;

		buf_add(&out, str_head(rest, n));
		if (at)
			buf_add(&out, str_of(with));
		rest = str_skip(rest, at ? n + strlen(what) : n);
	}
	return arena_copy(mem, buf_str(&out));
}

/* A file of the first version of the format had neither group nor from. */
static void a_file_of_an_older_version_is_read(void **state)
{
	auto_state from = state_make(), to = state_make();
	struct history_import i = { 0 };
	auto_buf text = BUF_INIT;
	struct str old;

	(void)state_op(&from, "/p/a", "one\n", "two\n");
	assert_int_equal(export_to(&from, &text), ERR_OK);
	old = replaced(buf_str(&text), "\"group\":\"\",\"from\":\"\",", "",
		       &from.mem);
	assert_true(old.len < text.len);
	assert_int_equal(import_text(&to, old, &i), ERR_BAD_ARGS);
	old = replaced(old, "\"version\":2", "\"version\":1", &from.mem);
	assert_int_equal(import_text(&to, old, &i), ERR_OK);
	assert_int_equal(i.ops, 1);
}

/* An imported operation would be undone with the group, or prevent that. */
static void nothing_joins_a_group_of_this_machine(void **state)
{
	const struct uuid group = uuid_new(1);
	auto_state from = state_make(), to = state_make();
	struct history_import i = { 0 };
	auto_buf text = BUF_INIT;
	struct op *ops;
	size_t n;

	put_group(&from, group);
	put_group(&to, group);
	assert_int_equal(export_to(&from, &text), ERR_OK);
	assert_int_equal(import_text(&to, buf_str(&text), &i), ERR_BAD_ARGS);
	assert_int_equal(history_group(to.store, group, &to.mem, &ops, &n,
				       &to.f),
			 ERR_OK);
	assert_int_equal(n, OP_KINDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_comes_back_byte_for_byte),
		cmocka_unit_test(no_byte_of_it_can_break_anything),
		cmocka_unit_test(a_group_comes_back_whole),
		cmocka_unit_test(a_file_of_an_older_version_is_read),
		cmocka_unit_test(nothing_joins_a_group_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
