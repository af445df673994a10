/*
 * test_wal_record.c - records of the write-ahead log, as bytes.
 *
 * That every member of an operation comes back is tested through the store
 * (test_history.c, test_wal.c); here is what an older version can have left.
 */
#include "../unit.h"

#include "store/pending_op.h"
#include "store/wal_record.h"

#include <stdlib.h>

/* The layout of a record before there were groups. */
struct old_record {
	struct hash hash;
	uint64_t size, generation;
	struct uuid id, undoes;
	struct hash before, after;
	uint64_t flags, kind, state, time_ms;
	uint64_t bytes_before, bytes_after, mode_before, mode_after;
	uint64_t pid, started;
	uint64_t lens[8];
	struct uuid grant;
	uint64_t dev, ino;
	char root[2];
	char unused[6];
};

enum { EXISTED = 32, EXISTS = 64, HAS_ROOT = 128, HAS_GRANT = 256 };
enum { SIZE = offsetof(struct old_record, unused) };

static struct old_record old_record(void)
{
	struct old_record r = {
		.size = SIZE - offsetof(struct old_record, id),
		.generation = 7,
		.flags = EXISTED | EXISTS | HAS_ROOT | HAS_GRANT,
		.kind = OP_MODE,
		.time_ms = 5,
		.dev = 3,
		.ino = 4,
		.root = "/p",
	};

	r.id.bytes[0] = 1;
	r.grant.bytes[0] = 2;
	r.hash = hash_of(str_make((char *)&r.size,
				  SIZE - offsetof(struct old_record, size)));
	return r;
}

static void a_record_of_an_older_version_is_read(void **state)
{
	const struct old_record r = old_record();
	struct str rest = str_make((const char *)&r, SIZE);
	uint64_t generation = 0;
	struct pending_op *p = wal_record_get(&rest, &generation);

	assert_non_null(p);
	assert_int_equal(rest.len, 0);
	assert_int_equal(generation, 7);
	assert_int_equal(p->op.kind, OP_MODE);
	assert_true(uuid_eq(p->op.id, r.id));
	assert_true(uuid_eq(p->op.granted_by, r.grant));
	assert_true(str_is(p->op.root.path, "/p"));
	assert_int_equal(p->op.root.ino, 4);
	assert_true(uuid_is_zero(p->op.group));
	assert_int_equal(p->op.from.len, 0);
	free(p);
}

/* What is not in a group is written as an older version reads it. */
static void without_a_group_the_bytes_are_those_of_older_versions(void **state)
{
	const struct old_record want = old_record();
	const struct op op = { .id = want.id,
			       .kind = OP_MODE,
			       .time_ms = 5,
			       .existed = true,
			       .exists = true,
			       .granted_by = want.grant,
			       .root = { STR("/p"), 3, 4 } };
	struct pending_op *p = pending_op_new(&op, 0, NULL);
	auto_buf out = BUF_INIT;

	wal_record_put(&out, p, 7);
	free(p);
	assert_true(str_eq(buf_str(&out), str_make((const char *)&want, SIZE)));
}

/* An older version takes no record of a group for one that it knows. */
static void a_group_is_no_record_of_an_older_version(void **state)
{
	const struct op op = { .kind = OP_UPDATE,
			       .group = uuid_new(1),
			       .from = STR("/b"),
			       .root = { STR("/p"), 3, 4 } };
	struct pending_op *p = pending_op_new(&op, 0, NULL);
	auto_buf out = BUF_INIT;
	uint64_t generation = 0, kind;
	struct str rest;

	wal_record_put(&out, p, 7);
	free(p);
	memcpy(&kind, out.ptr + offsetof(struct old_record, kind),
	       sizeof(kind));
	assert_true(kind > OP_MODE);
	rest = buf_str(&out);
	p = wal_record_get(&rest, &generation);
	assert_non_null(p);
	assert_int_equal(p->op.kind, OP_UPDATE);
	assert_true(uuid_eq(p->op.group, op.group));
	assert_true(str_is(p->op.from, "/b"));
	assert_true(str_is(p->op.root.path, "/p"));
	free(p);
	for (size_t n = 0; n < out.len; n++) {
		rest = str_head(buf_str(&out), n);
		assert_null(wal_record_get(&rest, &generation));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_of_an_older_version_is_read),
		cmocka_unit_test(
			without_a_group_the_bytes_are_those_of_older_versions),
		cmocka_unit_test(a_group_is_no_record_of_an_older_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
