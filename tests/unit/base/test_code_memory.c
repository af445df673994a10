/*
 * test_code_memory.c - memory for compiled patterns is writable or executable,
 * never both, and has one owner.
 */
#include "../unit.h"

#include "base/code_memory.h"

#include <stdio.h>
#include <sys/mman.h>

/* What archives call; only these go through the linker's --wrap. */
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
int __wrap_munmap(void *at, size_t len);

enum { UNIT = 64 * 1024 };

static void *ask(size_t len)
{
	return __wrap_mmap(NULL, len, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The rights of the page at @p, as "rw-s". */
static void rights(const void *p, char ret[5])
{
	unsigned long from, to;
	char line[512], mode[5];
	FILE *f = fopen("/proc/self/maps", "re");

	assert_non_null(f);
	ret[0] = 0;
	while (fgets(line, sizeof(line), f)) {
		assert_int_equal(sscanf(line, "%lx-%lx %4s", &from, &to, mode),
				 3);
		if ((unsigned long)p >= from && (unsigned long)p < to)
			memcpy(ret, mode, sizeof(mode));
	}
	assert_int_equal(fclose(f), 0);
}

static void rights_change_and_never_overlap(void **state)
{
	char mode[5];
	char *p;

	assert_true(code_memory_take());
	p = ask(UNIT);
	assert_ptr_not_equal(p, MAP_FAILED);
	p[0] = 'x';
	rights(p, mode);
	assert_string_equal(mode, "rw-s");
	assert_true(code_memory_seal());
	rights(p, mode);
	assert_string_equal(mode, "r-xs");
	assert_int_equal(p[0], 'x');
	code_memory_open();
	rights(p, mode);
	assert_string_equal(mode, "rw-s");
	p[0] = 'y';
	assert_int_equal(__wrap_munmap(p, UNIT), 0);
	code_memory_release();
}

static void one_owner_at_a_time(void **state)
{
	assert_ptr_equal(ask(UNIT), MAP_FAILED);
	assert_true(code_memory_take());
	assert_false(code_memory_take());
	assert_true(code_memory_seal());
	assert_ptr_equal(ask(UNIT), MAP_FAILED);
	code_memory_open();
	code_memory_release();
	assert_true(code_memory_take());
	code_memory_release();
}

static void the_region_is_granted_and_given_back(void **state)
{
	void *all, *one, *two;

	assert_true(code_memory_take());
	assert_ptr_equal(ask((size_t)65 * UNIT), MAP_FAILED);
	all = ask((size_t)64 * UNIT);
	assert_ptr_not_equal(all, MAP_FAILED);
	assert_ptr_equal(ask(1), MAP_FAILED);
	assert_int_equal(__wrap_munmap(all, (size_t)64 * UNIT), 0);
	one = ask(1);
	two = ask((size_t)3 * UNIT);
	assert_ptr_equal(one, all);
	assert_ptr_equal(two, (char *)all + UNIT);
	assert_int_equal(__wrap_munmap(one, 1), 0);
	assert_int_equal(__wrap_munmap(two, (size_t)3 * UNIT), 0);
	code_memory_release();
}

static void other_mappings_are_the_kernels(void **state)
{
	void *p = __wrap_mmap(NULL, UNIT, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char mode[5];

	assert_ptr_not_equal(p, MAP_FAILED);
	rights(p, mode);
	assert_string_equal(mode, "rw-p");
	assert_int_equal(__wrap_munmap(p, UNIT), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_change_and_never_overlap),
		cmocka_unit_test(one_owner_at_a_time),
		cmocka_unit_test(the_region_is_granted_and_given_back),
		cmocka_unit_test(other_mappings_are_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
