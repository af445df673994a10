/*
 * test_err.c - messages, codes and outcomes of errors.
 */
#include "../unit.h"

#include "base/err.h"

#include <errno.h>

static const struct {
	struct fault fault;
	int code;
	const char *want;
} rows[] = {
	{ { .err = ERR_NOT_FOUND, .path = STR_INIT("/a/b") },
	  -32001,
	  "File not found: /a/b" },
	{ { .err = ERR_NO_PARENT, .path = STR_INIT("/test/missing-dir/f") },
	  -32001,
	  "Parent directory not found: /test/missing-dir" },
	{ { .err = ERR_NO_PARENT, .path = STR_INIT("/f") },
	  -32001,
	  "Parent directory not found: /" },
	{ { .err = ERR_DISK_FULL, .path = STR_INIT("/f"), .bytes = 12 },
	  -32005,
	  "Disk full: cannot write 12 bytes to /f" },
	{ { .err = ERR_MANY_MATCHES_AT,
	    .index = 1,
	    .count = 2,
	    .text = STR_INIT("A{path}") },
	  -32011,
	  "Edit 1: String appears 2 times: A{path}" },
	{ { .err = ERR_EDITS_CONFLICT, .index = 3, .prior = 1 },
	  -32012,
	  "Edit 3 conflicts with edit 1" },
	{ { .err = ERR_BAD_LINE, .number = -4 },
	  -32600,
	  "Line number must be >= 1: -4" },
	{ { .err = ERR_IO, .os = EIO, .path = STR_INIT("/f") },
	  -32603,
	  "Input/output error: /f" },
};

static void messages_follow_their_rows(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_str(fault_text(&rows[i].fault, &mem), rows[i].want);
		assert_int_equal(err_code(rows[i].fault.err), rows[i].code);
	}
}

static void system_errors_become_rows(void **state)
{
	struct fault f;

	assert_int_equal(fail_os(&f, ENOENT, STR("/a")), ERR_NOT_FOUND);
	assert_int_equal(fail_os(&f, EACCES, STR("/a")), ERR_DENIED);
	assert_int_equal(fail_os(&f, EDQUOT, STR("/a")), ERR_DISK_FULL);
	assert_int_equal(fail_os(&f, EROFS, STR("/a")), ERR_READ_ONLY_FS);
	assert_int_equal(fail_os(&f, EIO, STR("/a")), ERR_IO);
	assert_str(f.path, "/a");
	assert_int_equal(fail_os(NULL, EIO, STR("/a")), ERR_IO);
}

/* A denial and a question are not counted as failures. */
static void a_denial_is_no_failure(void **state)
{
	static const struct {
		struct fault fault;
		enum fault_end want;
	} ends[] = {
		{ { .err = ERR_REFUSED }, FAULT_DENIED },
		{ { .err = ERR_DECLINED }, FAULT_DENIED },
		{ { .err = ERR_HOOK }, FAULT_DENIED },
		{ { .err = ERR_NOT_ALLOWED }, FAULT_DENIED },
		{ { .err = ERR_IGNORED }, FAULT_DENIED },
		{ { .err = ERR_DENIED, .reason = "rule" }, FAULT_DENIED },
		{ { .err = ERR_DENIED }, FAULT_FAILED },
		{ { .err = ERR_APPROVAL }, FAULT_ASKED },
		{ { .err = ERR_NOT_FOUND }, FAULT_FAILED },
		{ { .err = ERR_CANCELLED, .reason = "x" }, FAULT_FAILED },
	};

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		assert_int_equal(fault_end(&ends[i].fault), ends[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_follow_their_rows),
		cmocka_unit_test(system_errors_become_rows),
		cmocka_unit_test(a_denial_is_no_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
