/*
 * test_undo_all.c - any sequence of operations, undone one by one, restores
 * every byte and mode; redone one by one, too.
 */
#include "past.h"

#include <stdlib.h>

enum { FILES = 5, OPERATIONS = 200, SEEDS = 24 };

struct state {
	bool exists;
	struct str bytes;
	unsigned mode;
};

struct run {
	struct past past;
	unsigned seed;
	struct state states[OPERATIONS + 1][FILES];
	size_t n; /* operations so far */
};

static unsigned chance(struct run *r, unsigned below)
{
	r->seed = r->seed * 1664525U + 1013904223U;
	return (r->seed >> 8) % below;
}

static struct str path_of(struct run *r, size_t file)
{
	return arena_printf(&r->past.mem, STR_FMT "/dir%zu/f%zu",
			    STR_ARG(r->past.scratch.root), file % 2, file);
}

static void look(struct run *r, struct state *ret)
{
	struct snapshot snap;

	for (size_t i = 0; i < FILES; i++) {
		ret[i] = (struct state){ 0 };
		if (past_now(&r->past, path_of(r, i), &snap))
			ret[i] = (struct state){ true, snap.bytes, snap.mode };
	}
}

static void assert_states(struct run *r, const struct state *want)
{
	struct state now[FILES];

	look(r, now);
	for (size_t i = 0; i < FILES; i++) {
		assert_int_equal(now[i].exists, want[i].exists);
		assert_true(str_eq(now[i].bytes, want[i].bytes));
		assert_int_equal(now[i].mode, want[i].mode);
	}
}

/* Lines in one of some encodings, or binary content. */
static struct str content(struct run *r)
{
	static const struct {
		const char *mark, *line;
		size_t mark_len, line_len;
	} kinds[] = {
		{ "", "gr\xc3\xbc\xc3\x9f\n", 0, 7 },
		{ "\xef\xbb\xbf", "bom\r\n", 3, 5 },
		{ "\xff\xfe", "a\0\n\0", 2, 4 },
		{ "\xfe\xff", "\0b\0\n", 2, 4 },
		{ "", "caf\xe9\r\n", 0, 6 },
		{ "\x89PNG\r\n", "\0\1\2", 6, 3 },
		{ "", "no end", 0, 6 },
	};
	unsigned kind = chance(r, COUNT_OF(kinds)), lines = chance(r, 40);
	auto_buf out = BUF_INIT;

	buf_add(&out, str_make(kinds[kind].mark, kinds[kind].mark_len));
	for (unsigned i = 0; i < lines; i++) {
		buf_add(&out, str_make(kinds[kind].line, kinds[kind].line_len));
		if (kinds[kind].line_len > 4 && chance(r, 3) == 0)
			buf_addf(&out, "%u\n", chance(r, 100));
	}
	return arena_copy(&r->past.mem, buf_str(&out));
}

/* Change some bytes in the middle. */
static struct str edited(struct run *r, struct str old)
{
	size_t from = old.len ? chance(r, (unsigned)old.len) : 0;
	size_t to = size_min(old.len, from + chance(r, 9));

	auto_buf out = BUF_INIT;

	buf_add(&out, str_head(old, from));
	buf_addf(&out, "%u", chance(r, 1000));
	buf_add(&out, str_skip(old, to));
	return arena_copy(&r->past.mem, buf_str(&out));
}

static const unsigned modes[] = { 0600, 0640, 0644, 0755, 0711 };

/* One random change. False: it would have changed nothing. */
static bool step(struct run *r)
{
	struct past *p = &r->past;
	struct snapshot snap;
	struct change change = { .path = path_of(r, chance(r, FILES)),
				 .parents = true };
	struct addition addition = { .path = change.path,
				     .want = { .bytes = STR("{\"n\":1}\n"),
					       .newline = STR("\n"),
					       .eol = STR("\n"),
					       .parents = true } };
	struct appended appended;
	struct changed changed;

	change.before = past_now(p, change.path, &snap);
	switch (chance(r, 6)) {
	case 0:
		if (!change.before)
			return false;
		change.remove = true;
		break;
	case 1:
		assert_int_equal(change_append(&p->call, &addition, &appended,
					       &changed),
				 ERR_OK);
		return true;
	case 2:
		if (!change.before)
			return false;
		change.after = snap.bytes;
		change.set_mode = true;
		change.mode = modes[chance(r, COUNT_OF(modes))];
		if (change.mode == snap.mode)
			return false;
		break;
	case 3:
		change.after = content(r);
		change.set_mode = true;
		change.mode = modes[chance(r, COUNT_OF(modes))];
		break;
	case 4:
		change.after = content(r);
		break;
	default:
		change.after =
			change.before ? edited(r, snap.bytes) : content(r);
	}
	assert_int_equal(change_file(&p->call, &change, &changed), ERR_OK);
	return !uuid_is_zero(changed.op);
}

static void walk_back(struct run *r, enum op_role role, bool up)
{
	struct undone u;

	for (size_t i = 0; i < r->n; i++) {
		struct op op = past_last(&r->past, role);

		assert_int_equal(past_undo(&r->past, op, CONFLICTS_ABORT, &u),
				 ERR_OK);
		assert_int_equal(u.how, REVISE_EXACT);
		assert_states(r, r->states[up ? i + 1 : r->n - i - 1]);
	}
}

/* C101 C102: 200 operations on five files, for each of 24 seeds. */
static void all_operations_are_undone_and_redone(void **state)
{
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		struct run *r = calloc(1, sizeof(*r));

		assert_non_null(r);
		r->seed = seed * 7919;
		past_begin(&r->past);
		look(r, r->states[0]);
		while (r->n < OPERATIONS) {
			if (!step(r))
				continue;
			look(r, r->states[++r->n]);
		}
		walk_back(r, OP_DOES, false);
		if (seed % 4 == 0)
			walk_back(r, OP_UNDOES, true);
		past_end(&r->past);
		free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_operations_are_undone_and_redone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
