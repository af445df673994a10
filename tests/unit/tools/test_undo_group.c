/*
 * test_undo_group.c - what one call changed in several files is undone and
 * redone together, or not at all.
 */
#include "past.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILES = 8, MOST_CHANGES = 6, GROUPS = 1000, LONGEST = 50 };

/*
 * The first are in directories that stay, as each has another file; the last in
 * those that the group of that number makes.
 */
static const char *const names[FILES] = {
	"root/a",        "root/b",          "root/d/a",      "root/d/b",
	"root/new%zu/a", "root/new%zu/s/a", "root/new%zu/b", "root/d/e%zu/f/g",
};
static const char *const dirs[] = { "root/new%zu", "root/new%zu/s",
				    "root/d/e%zu", "root/d/e%zu/f" };

struct tree {
	struct {
		bool exists;
		struct str bytes;
		unsigned mode;
	} files[FILES];
	bool dirs[COUNT_OF(dirs)];
};

struct run {
	struct past past;
	unsigned seed;
	struct change changes[MOST_CHANGES];
	struct snapshot snaps[MOST_CHANGES];
	bool used[FILES];
	size_t n;
	size_t group; /* its number */
	size_t made;  /* contents, no two of which are the same */
};

static unsigned chance(struct run *r, unsigned below)
{
	r->seed = r->seed * 1664525U + 1013904223U;
	return (r->seed >> 8) % below;
}

static struct str path_of(struct run *r, const char *name)
{
	char text[64];
	size_t at = str_find(str_of(name), '%');

	(void)snprintf(text, sizeof(text), "%.*s%zu%s", (int)at, name, r->group,
		       name[at] ? name + at + 3 : "");
	if (!name[at])
		return scratch_str(&r->past.scratch, name);
	return scratch_str(&r->past.scratch,
			   arena_copy(&r->past.mem, str_of(text)).ptr);
}

static struct tree look(struct run *r)
{
	struct tree t = { 0 };
	struct snapshot snap;
	struct stat st;

	for (size_t i = 0; i < FILES; i++) {
		if (!past_now(&r->past, path_of(r, names[i]), &snap))
			continue;
		t.files[i].exists = true;
		t.files[i].bytes = snap.bytes;
		t.files[i].mode = snap.mode;
	}
	for (size_t i = 0; i < COUNT_OF(dirs); i++)
		t.dirs[i] = !stat(path_of(r, dirs[i]).ptr, &st);
	return t;
}

static void assert_tree(struct run *r, const struct tree *want)
{
	struct tree now = look(r);

	for (size_t i = 0; i < FILES; i++) {
		assert_int_equal(now.files[i].exists, want->files[i].exists);
		assert_true(str_eq(now.files[i].bytes, want->files[i].bytes));
		assert_int_equal(now.files[i].mode, want->files[i].mode);
	}
	for (size_t i = 0; i < COUNT_OF(dirs); i++)
		assert_int_equal(now.dirs[i], want->dirs[i]);
}

static struct str content(struct run *r)
{
	auto_buf out = BUF_INIT;

	buf_addf(&out, "%zu\n", r->made++);
	for (unsigned i = chance(r, 9); i; i--)
		buf_addf(&out, "%u\r\n", chance(r, 5));
	buf_add(&out, chance(r, 2) ? STR("\0\xff") : STR("x"));
	return arena_copy(&r->past.mem, buf_str(&out));
}

static struct change *add_change(struct run *r, size_t file)
{
	struct past *p = &r->past;
	struct change *change = &r->changes[r->n];
	struct str path = path_of(r, names[file]);

	r->used[file] = true;
	*change = (struct change){ .path = path, .parents = true };
	change->before = past_now(p, path, &r->snaps[r->n++]);
	return change;
}

/* A file that is there, and is not changed by this group; FILES = none. */
static size_t any_file(struct run *r, bool there)
{
	size_t file = chance(r, FILES);

	for (size_t i = 0; i < FILES; i++, file = (file + 1) % FILES)
		if (!r->used[file] &&
		    there == !access(path_of(r, names[file]).ptr, F_OK))
			return file;
	return FILES;
}

/* A new file in place of one that is removed, with new content or the same. */
static void add_move(struct run *r)
{
	size_t from = any_file(r, true), to = any_file(r, false);
	struct change *removal, *change;

	if (from == FILES || to == FILES || r->n + 2 > MOST_CHANGES)
		return;
	removal = add_change(r, from);
	removal->remove = true;
	change = add_change(r, to);
	change->after = chance(r, 2) ? removal->before->bytes : content(r);
	change->from = change->like = removal->before->key;
}

static void add_any(struct run *r)
{
	static const unsigned modes[] = { 0600, 0644, 0755, 0711 };
	size_t file = any_file(r, chance(r, 2));
	struct change *change;

	if (file == FILES || r->n == MOST_CHANGES)
		return;
	change = add_change(r, file);
	change->after = content(r);
	change->remove = change->before && chance(r, 3) == 0;
	if (!change->remove && chance(r, 2)) {
		change->set_mode = true;
		change->mode = modes[chance(r, COUNT_OF(modes))];
	}
}

static struct uuid make_group(struct run *r)
{
	struct changed changed[MOST_CHANGES];

	r->n = 0;
	memset(r->used, 0, sizeof(r->used));
	while (r->n < 2)
		add_any(r);
	if (chance(r, 2))
		add_move(r);
	while (chance(r, 3))
		add_any(r);
	assert_int_equal(change_group(&r->past.call, r->changes, r->n, changed),
			 ERR_OK);
	for (;;) {
		struct uuid op = changed[chance(r, (unsigned)r->n)].op;

		if (!uuid_is_zero(op))
			return op;
	}
}

static enum err undo_of(struct past *p, struct uuid id, bool only,
			struct undo_group *ret)
{
	struct op op = past_op(p, id);

	p->fault = (struct fault){ 0 };
	assert_int_equal(undo_group_find(p->store, &op, only, &p->mem, ret,
					 &p->fault),
			 ERR_OK);
	return undo_group(&p->call, ret, CONFLICTS_ABORT);
}

/* Undo it by that operation; returns one of the undo itself. */
static struct uuid undo_any(struct run *r, struct uuid id)
{
	struct undo_group g;
	size_t i;

	assert_int_equal(undo_of(&r->past, id, false, &g), ERR_OK);
	assert_int_equal(g.rest, 0);
	for (i = 0; i < g.n; i++)
		assert_int_equal(g.undone[i].how, REVISE_EXACT);
	return g.undone[chance(r, (unsigned)g.n)].changed.op;
}

/*
 * A sequence of groups, each of which is undone, redone and undone again by any
 * of its operations; then all of them are undone.
 */
static void run_groups(struct run *r, size_t n)
{
	struct tree before[LONGEST], after;
	struct uuid ops[LONGEST], undo;

	scratch_dir(&r->past.scratch, "root/d");
	scratch_put(&r->past.scratch, "root/d/stays", "");
	for (size_t i = 0; i < n; i++) {
		r->group = i;
		before[i] = look(r);
		ops[i] = make_group(r);
		after = look(r);
		undo = undo_any(r, ops[i]);
		assert_tree(r, &before[i]);
		(void)undo_any(r, undo);
		assert_tree(r, &after);
	}
	while (n--) {
		r->group = n;
		(void)undo_any(r, ops[n]);
		assert_tree(r, &before[n]);
	}
}

/* Requirements: V14 */
static void any_operation_takes_the_whole_group_back(void **state)
{
	size_t done = 0;

	for (unsigned seed = 1; done < GROUPS; seed++) {
		struct run *r = calloc(1, sizeof(*r));
		const size_t n = 1 + seed % LONGEST;

		assert_non_null(r);
		r->seed = seed * 7919;
		past_begin(&r->past);
		run_groups(r, n);
		past_end(&r->past);
		free(r);
		done += n;
	}
}

/* A group of two: root/a and root/b get three lines each. */
static struct uuid two_files(struct past *p)
{
	struct change changes[2];
	struct changed changed[2];
	struct snapshot snaps[2];

	for (int i = 0; i < 2; i++) {
		const char *name = i ? "root/b" : "root/a";
		struct str path = scratch_str(&p->scratch, name);

		(void)past_write(p, name, "1\n2\n3\n4\n5\n6\n7\n8\n");
		changes[i] = (struct change){
			.path = path, .before = past_now(p, path, &snaps[i])
		};
		changes[i].after = STR("1\n2\nnew\n4\n5\n6\n7\n8\n");
	}
	assert_int_equal(change_group(&p->call, changes, 2, changed), ERR_OK);
	return changed[0].op;
}

/* Requirements: V15 */
static void a_conflict_anywhere_changes_nothing(void **state)
{
	auto_past p;
	struct undo_group g;
	struct uuid op;

	past_begin(&p);
	op = two_files(&p);
	(void)past_write(&p, "root/a", "1\n2\nnew\n4\n5\n6\n7\nmine\n");
	(void)past_write(&p, "root/b", "1\n2\nmine\n4\n5\n6\n7\n8\n");
	assert_int_equal(undo_of(&p, op, false, &g), ERR_UNDO_CONFLICT);
	assert_file(&p, "root/a", "1\n2\nnew\n4\n5\n6\n7\nmine\n");
	assert_file(&p, "root/b", "1\n2\nmine\n4\n5\n6\n7\n8\n");
	assert_int_equal(p.fault.count, 1);

	(void)past_write(&p, "root/a", "1\n2\nmine\n4\n5\n6\n7\n8\n");
	assert_int_equal(undo_of(&p, op, false, &g), ERR_UNDO_CONFLICT);
	assert_int_equal(p.fault.count, 2);
	for (int i = 0; i < 2; i++) {
		struct str path =
			scratch_str(&p.scratch, i ? "root/b" : "root/a");

		assert_non_null(memmem(p.fault.changed.ptr, p.fault.changed.len,
				       path.ptr, path.len));
		assert_non_null(memmem(p.fault.conflicts.ptr,
				       p.fault.conflicts.len, path.ptr,
				       path.len));
	}

	/* What was changed elsewhere in the file is kept. */
	(void)past_write(&p, "root/a", "1\n2\nnew\n4\n5\n6\n7\nmine\n");
	(void)past_write(&p, "root/b", "mine\n2\nnew\n4\n5\n6\n7\n8\n");
	assert_int_equal(undo_of(&p, op, false, &g), ERR_OK);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.undone[0].how, REVISE_MERGED);
	assert_file(&p, "root/a", "1\n2\n3\n4\n5\n6\n7\nmine\n");
	assert_file(&p, "root/b", "mine\n2\n3\n4\n5\n6\n7\n8\n");
}

/* Requirements: V16 */
static void one_file_alone_leaves_the_others(void **state)
{
	auto_past p;
	struct undo_group g;
	struct uuid op;

	past_begin(&p);
	op = two_files(&p);
	assert_int_equal(undo_of(&p, op, true, &g), ERR_OK);
	assert_int_equal(g.n, 1);
	assert_int_equal(g.rest, 1);
	assert_file(&p, "root/a", "1\n2\n3\n4\n5\n6\n7\n8\n");
	assert_file(&p, "root/b", "1\n2\nnew\n4\n5\n6\n7\n8\n");
	/* That one cannot be undone twice; by the other the rest is. */
	assert_int_equal(undo_of(&p, op, false, &g), ERR_NO_UNDO);
	op = past_last(&p, OP_DOES).id;
	assert_int_equal(undo_of(&p, op, false, &g), ERR_OK);
	assert_int_equal(g.n, 1);
	assert_int_equal(g.rest, 0);
	assert_file(&p, "root/b", "1\n2\n3\n4\n5\n6\n7\n8\n");
}

/* A rename, as a tool records it. */
static struct op move_it(struct past *p, const char *from, const char *to)
{
	struct op op = { .kind = OP_MOVE,
			 .path = scratch_str(&p->scratch, to),
			 .from = scratch_str(&p->scratch, from),
			 .existed = true,
			 .exists = true };
	struct history_ticket ticket;

	assert_int_equal(rename(op.from.ptr, op.path.ptr), 0);
	history_begin(p->store, &op, STR(""), STR(""), &ticket);
	assert_int_equal(history_wait(p->store, ticket, &p->fault), ERR_OK);
	history_end(p->store, &op, OP_DONE, NULL);
	return op;
}

/* Requirements: V17 */
static void what_was_moved_since_is_undone_where_it_is(void **state)
{
	auto_past p;
	struct file_content content;
	auto_buf diff = BUF_INIT;
	struct description said;
	struct undo_group g;
	struct op moved;
	struct uuid op, other;

	past_begin(&p);
	(void)past_write(&p, "root/a", "old");
	op = past_write(&p, "root/a", "new");
	moved = move_it(&p, "root/a", "root/d");
	assert_int_equal(mkdir(scratch_str(&p.scratch, "root/e").ptr, 0755), 0);
	(void)move_it(&p, "root/d", "root/e/c");
	(void)move_it(&p, "root/e", "root/f");
	assert_int_equal(undo_diff(p.store, &moved, STR("c"), &p.mem, &diff,
				   &said, &p.fault),
			 ERR_OK);
	assert_int_equal(diff.len, 0);
	assert_true(str_starts(said.does, STR("moved from ")));
	assert_int_equal(undo_content(&p.call, &moved, &content), ERR_OK);
	assert_true(str_is(content.bytes, "new"));
	other = past_write(&p, "root/a", "another file");
	assert_int_equal(undo_of(&p, op, false, &g), ERR_OK);
	assert_file(&p, "root/f/c", "old");
	assert_file(&p, "root/a", "another file");
	assert_true(str_eq(g.ops->path, scratch_str(&p.scratch, "root/f/c")));
	assert_int_equal(undo_of(&p, other, false, &g), ERR_OK);
	assert_file(&p, "root/a", (const char *)NULL);
	/* The redo, too. */
	assert_int_equal(undo_of(&p, past_op(&p, op).undone, false, &g),
			 ERR_OK);
	assert_file(&p, "root/f/c", "new");
}

/* Requirements: V17 */
static void another_file_of_that_name_is_not_taken_for_it(void **state)
{
	auto_past p;
	struct undo_group g;
	struct uuid op;

	past_begin(&p);
	(void)past_write(&p, "root/a", "old");
	op = past_write(&p, "root/a", "new");
	(void)past_remove(&p, "root/a");
	(void)past_write(&p, "root/a", "new");
	(void)move_it(&p, "root/a", "root/b");
	assert_int_equal(undo_of(&p, op, false, &g), ERR_UNDO_CONFLICT);
	assert_file(&p, "root/b", "new");
	assert_file(&p, "root/a", (const char *)NULL);
}

/* Requirements: V75 */
static void a_copy_that_was_changed_since_stays(void **state)
{
	auto_past p;
	struct undo_group g;

	past_begin(&p);
	for (int changed = 0; changed < 2; changed++) {
		struct op op = { .kind = OP_COPY,
				 .path = scratch_str(&p.scratch, "root/copy"),
				 .exists = true,
				 .after = hash_of(STR("as copied")) };
		struct history_ticket ticket;
		struct str bytes = STR("as copied");

		scratch_put(&p.scratch, "root/copy",
			    changed ? "changed since" : "as copied");
		history_begin(p.store, &op, STR(""), bytes, &ticket);
		history_end(p.store, &op, OP_DONE, NULL);
		assert_int_equal(undo_of(&p, op.id, false, &g), ERR_OK);
		assert_int_equal(g.undone->left, changed);
		assert_int_equal(g.undone->removed, !changed);
		assert_file(&p, "root/copy",
			    changed ? "changed since" : (const char *)NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_operation_takes_the_whole_group_back),
		cmocka_unit_test(a_conflict_anywhere_changes_nothing),
		cmocka_unit_test(one_file_alone_leaves_the_others),
		cmocka_unit_test(what_was_moved_since_is_undone_where_it_is),
		cmocka_unit_test(another_file_of_that_name_is_not_taken_for_it),
		cmocka_unit_test(a_copy_that_was_changed_since_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
