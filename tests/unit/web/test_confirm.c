/*
 * test_confirm.c - what a person confirms on the page is what they were shown:
 * an undo is bound to its preview, and a yes can be withdrawn until it is used.
 */
#include "desk.h"

/* 14: what the person confirms is what the preview has shown. */
static void an_undo_is_bound_to_its_preview(void **state)
{
	const char *op, *body;
	auto_desk d;
	struct json plan;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/f", "a\nb\nc\nd\ne\n");
	assert_int_equal(desk_write(&d, "root/f", "A\nb\nc\nd\ne\n"), ERR_OK);
	op = desk_newest_op(&d);
	for (int again = 0; again < 2; again++) {
		const char *verb = again ? "/redo" : "/undo";

		scratch_put(&d.scratch, "root/f",
			    again ? "a\nb\nc\nd\nE\n" : "A\nb\nc\nd\ne\n");
		plan = desk_get(&d, desk_op_path(&d, op, verb));
		assert_int_equal(desk_int(plan, "files.0.done"), 1);
		body = arena_printf(&d.mem, "{\"digest\":\"" STR_FMT "\"}",
				    STR_ARG(desk_text(&d, plan, "digest")))
			       .ptr;
		scratch_put(&d.scratch, "root/f",
			    again ? "a\nb\nc\nd\n5\n" : "A\nb\nc\nd\nE\n");
		assert_int_equal(desk_post(&d, desk_op_path(&d, op, verb),
					   body),
				 409);
		assert_file(&d, "root/f",
			    again ? "a\nb\nc\nd\n5\n" : "A\nb\nc\nd\nE\n");
		plan = desk_get(&d, desk_op_path(&d, op, verb));
		body = arena_printf(&d.mem, "{\"digest\":\"" STR_FMT "\"}",
				    STR_ARG(desk_text(&d, plan, "digest")))
			       .ptr;
		assert_int_equal(desk_post(&d, desk_op_path(&d, op, verb),
					   body),
				 200);
	}
	assert_file(&d, "root/f", "A\nb\nc\nd\n5\n");
}

/* 14: a conflict is shown first; the way to resolve it is bound to that. */
static void a_conflict_is_resolved_as_it_was_shown(void **state)
{
	const char *op, *body;
	auto_desk d;
	struct json plan;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/f", "a\n");
	assert_int_equal(desk_write(&d, "root/f", "b\n"), ERR_OK);
	op = desk_newest_op(&d);
	scratch_put(&d.scratch, "root/f", "c\n");
	plan = desk_get(&d, desk_op_path(&d, op, "/undo"));
	assert_int_equal(desk_int(plan, "files.0.conflicts"), 1);
	body = arena_printf(&d.mem,
			    "{\"conflicts\":\"theirs\",\"digest\":\"" STR_FMT
			    "\"}",
			    STR_ARG(desk_text(&d, plan, "digest")))
		       .ptr;
	scratch_put(&d.scratch, "root/f", "other\n");
	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/undo"), body),
			 409);
	assert_file(&d, "root/f", "other\n");
	scratch_put(&d.scratch, "root/f", "c\n");
	assert_int_equal(desk_post(&d, desk_op_path(&d, op, "/undo"), body),
			 200);
	assert_file(&d, "root/f", "a\n");
}

/* 14: a yes that no call waits for is listed, and can be withdrawn. */
static void a_late_yes_can_be_withdrawn(void **state)
{
	const char *path;
	auto_desk d;
	struct json list;

	desk_begin(&d);
	assert_int_equal(desk_write(&d, "root/ask1", "1"), ERR_APPROVAL);
	(void)desk_pending(&d, 1, &path);
	assert_int_equal(desk_post(&d, path, "{\"answer\":\"withdraw\"}"), 200);
	assert_int_equal(desk_write(&d, "root/ask1", "1"), ERR_REFUSED);
	assert_int_equal(desk_write(&d, "root/ask2", "2"), ERR_APPROVAL);
	(void)desk_pending(&d, 1, &path);
	assert_int_equal(desk_post(&d, path, "{\"answer\":\"once\"}"), 200);
	list = desk_get(&d, "/api/approvals/unused");
	assert_int_equal(json_count(desk_at(list, "approvals")), 1);
	assert_int_equal(desk_post(&d, path, "{\"answer\":\"deny\"}"), 409);
	assert_int_equal(desk_post(&d, path, "{\"answer\":\"withdraw\"}"), 200);
	list = desk_get(&d, "/api/approvals/unused");
	assert_int_equal(json_count(desk_at(list, "approvals")), 0);
	assert_int_equal(desk_write(&d, "root/ask2", "2"), ERR_REFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_undo_is_bound_to_its_preview),
		cmocka_unit_test(a_conflict_is_resolved_as_it_was_shown),
		cmocka_unit_test(a_late_yes_can_be_withdrawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
