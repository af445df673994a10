/*
 * test_patterns.c - pattern files are read once, and never beyond their
 * budgets.
 *
 * C16 C85
 */
#include "../unit.h"

#include "tools/permissions/patterns.h"

/* A disk with one file on it. */
static struct disk {
	struct workspace ws;
	struct str bytes;
	struct stat_data stat;
	enum err fails; /* error of a load */
	bool no_file;   /* not a regular file */
	unsigned loads;
} disk;

static enum err disk_load(struct workspace *ws, struct str path, uint64_t max,
			  const struct progress *progress, struct arena *mem,
			  struct snapshot *ret, struct fault *f)
{
	disk.loads++;
	if (disk.fails)
		return fail(f, disk.fails, .path = path);
	if (disk.bytes.len > max)
		return fail(f, ERR_TOO_LARGE, .path = path);
	*ret = (struct snapshot){ .bytes = disk.bytes,
				  .version = hash_of(disk.bytes),
				  .stat = disk.stat };
	return ERR_OK;
}

static enum err disk_stat(struct workspace *ws, struct str path,
			  struct arena *mem, struct file_info *ret,
			  struct fault *f)
{
	*ret = (struct file_info){ .exists = true,
				   .is_file = !disk.no_file,
				   .stat = disk.stat };
	return ERR_OK;
}

static struct present disk_present(struct workspace *ws, struct str dir,
				   const char *const *names, struct arena *mem)
{
	return (struct present){ .names = 1 };
}

static const struct workspace_ops disk_ops = { .load = disk_load,
					       .stat = disk_stat,
					       .present = disk_present };

/* A workspace with unsaved texts: only a load has the content. */
static const struct workspace_ops editor_ops = { .load = disk_load,
						 .stat = disk_stat };

/* A file of that age, in nanoseconds. */
static void put(struct str bytes, int64_t age)
{
	static uint64_t last;

	disk = (struct disk){ .ws = { &disk_ops, "disk" }, .bytes = bytes };
	disk.stat = (struct stat_data){ .dev = 1,
					.ino = ++last,
					.size = bytes.len,
					.mtime = stat_data_now() - age,
					.ctime = stat_data_now() - age };
}

static enum patterns_got get(struct patterns_budget *left, size_t *ret_rules,
			     struct str *why, struct arena *mem)
{
	struct patterns *p = NULL;
	enum patterns_got got;

	got = patterns_get(&disk.ws, STR("/w/.stetignore"), PATTERNS_IGNORE,
			   left, mem, &p, why);
	*ret_rules = p ? p->list.count : 0;
	patterns_drop(p);
	return got;
}

/* The first pattern of the cached file. */
static void assert_first(const char *want)
{
	struct patterns_budget left = PATTERNS_BUDGET(NULL);
	auto_arena mem = ARENA_INIT;
	struct patterns *p = NULL;
	struct str why;

	assert_int_equal(patterns_get(&disk.ws, STR("/w/.stetignore"),
				      PATTERNS_IGNORE, &left, &mem, &p, &why),
			 PATTERNS_HERE);
	assert_str(p->list.rules[0].pattern, want);
	patterns_drop(p);
}

enum { OLD = 1000 * 1000 * 1000, YOUNG = 0 };

static void a_file_that_stays_is_read_and_compiled_once(void **state)
{
	size_t compiles = patterns_work().compiles;

	put(STR("stays\n"), OLD);
	for (int i = 0; i < 5; i++)
		assert_first("stays");
	assert_int_equal(disk.loads, 1);
	assert_int_equal(patterns_work().compiles, compiles + 1);
}

/* As projects have them in many directories. */
static void equal_files_do_not_push_each_other_out(void **state)
{
	struct disk one, two;

	put(STR("equal\n"), OLD);
	one = disk;
	put(STR("equal\n"), OLD);
	two = disk;
	for (int i = 0; i < 3; i++) {
		disk = one;
		assert_first("equal");
		one = disk;
		disk = two;
		assert_first("equal");
		two = disk;
	}
	assert_int_equal(one.loads, 1);
	assert_int_equal(two.loads, 1);
}

/* Racy stat data may hide the next write; the content shows it. */
static void a_young_file_is_read_again_but_compiled_once(void **state)
{
	size_t compiles = patterns_work().compiles;

	put(STR("young\n"), YOUNG);
	for (int i = 0; i < 5; i++)
		assert_first("young");
	assert_int_equal(disk.loads, 5);
	assert_int_equal(patterns_work().compiles, compiles + 1);
	/* written again at once: the same size and the same times */
	disk.bytes = STR("later\n");
	assert_first("later");
	/* a time that was set to one in the future is never trusted */
	disk.stat.mtime = stat_data_now() + (int64_t)1000 * OLD;
	assert_first("later");
	disk.bytes = STR("still\n");
	assert_first("still");
}

static void a_change_counts_at_once(void **state)
{
	put(STR("first\n"), OLD);
	assert_first("first");
	/* the same size and mtime, which can be set; but not the ctime */
	disk.bytes = STR("other\n");
	disk.stat.ctime++;
	assert_first("other");
	disk.bytes = STR("third\n");
	disk.stat.ino += 1000000;
	assert_first("third");
	/* and back again */
	disk.bytes = STR("first\n");
	disk.stat.ino -= 1000000;
	disk.stat.ctime++;
	assert_first("first");
}

static void an_editor_is_always_asked(void **state)
{
	put(STR("saved\n"), OLD);
	disk.ws.ops = &editor_ops;
	assert_first("saved");
	disk.bytes = STR("typed\n");
	assert_first("typed");
	assert_int_equal(disk.loads, 2);
}

static struct str many(size_t n, const char *line, struct arena *mem)
{
	auto_buf all = BUF_INIT;

	while (n--)
		buf_add(&all, str_of(line));
	return arena_copy(mem, buf_str(&all));
}

static void what_is_over_a_budget_is_not_taken_in_part(void **state)
{
	auto_arena mem = ARENA_INIT;
	const struct {
		struct str bytes;
		size_t bytes_left, rules_left;
		const char *why;
	} rows[] = {
		{ many(PATTERNS_MAX_FILE_BYTES + 1, "a", &mem), SIZE_MAX,
		  SIZE_MAX, " is too large (limit 1048576 bytes)" },
		{ many(IGNORE_MAX_PATTERNS + 1, "a\n", &mem), SIZE_MAX,
		  SIZE_MAX,
		  " and those above it have too many patterns (limit 65536)" },
		{ many(IGNORE_MAX_PATTERN_BYTES + 1, "a", &mem), SIZE_MAX,
		  SIZE_MAX,
		  " has a pattern that is too long (limit 4096 bytes)" },
		{ STR("a\nb\n"), 3, SIZE_MAX,
		  " and those above it have too many bytes (limit 4194304)" },
		{ STR("a\nb\n"), SIZE_MAX, 1,
		  " and those above it have too many patterns (limit 65536)" },
		{ STR("a\nb\n"), 4, 2, NULL },
		{ many(IGNORE_MAX_PATTERNS, "a\n", &mem), SIZE_MAX, SIZE_MAX,
		  NULL },
		{ many(PATTERNS_MAX_FILE_BYTES, "#", &mem), SIZE_MAX, SIZE_MAX,
		  NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct patterns_budget left = { rows[i].bytes_left,
						rows[i].rules_left };
		struct str why = STR("");
		size_t rules;

		put(rows[i].bytes, OLD);
		/* the cached result is the same */
		for (int k = 0; k < 2 && rows[i].why; k++) {
			assert_int_equal(get(&left, &rules, &why, &mem),
					 PATTERNS_UNUSABLE);
			assert_str(why, rows[i].why);
			assert_int_equal(rules, 0);
			assert_true(disk.loads <= 1);
		}
		if (!rows[i].why)
			assert_int_equal(get(&left, &rules, &why, &mem),
					 PATTERNS_HERE);
	}
	/* nothing is read to know that it is too large */
	put(many(PATTERNS_MAX_FILE_BYTES + 1, "a", &mem), OLD);
	assert_int_equal(get(&(struct patterns_budget){ SIZE_MAX, SIZE_MAX },
			     &(size_t){ 0 }, &(struct str){ 0 }, &mem),
			 PATTERNS_UNUSABLE);
	assert_int_equal(disk.loads, 0);
}

static void what_is_no_file_is_told(void **state)
{
	static const struct {
		enum err fails;
		enum patterns_got want;
		const char *why;
	} rows[] = {
		{ ERR_NOT_FOUND, PATTERNS_ABSENT, "" },
		{ ERR_IS_DIRECTORY, PATTERNS_UNUSABLE,
		  " is not a regular file" },
		{ ERR_NOT_A_FILE, PATTERNS_UNUSABLE, " is not a regular file" },
		{ ERR_DENIED, PATTERNS_UNUSABLE, " cannot be read" },
		{ ERR_IO, PATTERNS_UNUSABLE, " cannot be read" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct patterns_budget left = PATTERNS_BUDGET(NULL);
		auto_arena mem = ARENA_INIT;
		struct str why = STR("");
		size_t rules;

		put(STR(""), OLD);
		disk.no_file = true;
		disk.fails = rows[i].fails;
		assert_int_equal(get(&left, &rules, &why, &mem), rows[i].want);
		assert_str(why, rows[i].why);
	}
}

static void the_cache_is_bounded(void **state)
{
	enum { MANY = PATTERNS_MAX_KEPT_FILES + 100, LARGE = 40 };

	for (int i = 0; i < MANY; i++) {
		auto_arena mem = ARENA_INIT;

		put(arena_printf(&mem, "number%d\n", i), OLD);
		assert_first(arena_printf(&mem, "number%d", i).ptr);
	}
	assert_int_equal(patterns_work().kept_files, PATTERNS_MAX_KEPT_FILES);
	for (int i = 0; i < LARGE; i++) {
		auto_arena mem = ARENA_INIT;
		struct str first = arena_printf(&mem, "large%d\n", i);

		put(str_make(arena_alloc(&mem, PATTERNS_MAX_FILE_BYTES),
			     PATTERNS_MAX_FILE_BYTES),
		    OLD);
		memset((char *)(uintptr_t)disk.bytes.ptr, '#', disk.bytes.len);
		memcpy((char *)(uintptr_t)disk.bytes.ptr, first.ptr, first.len);
		assert_first(arena_cstr(&mem, str_head(first, first.len - 1)));
		assert_true(patterns_work().kept_bytes <=
			    PATTERNS_MAX_KEPT_BYTES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_stays_is_read_and_compiled_once),
		cmocka_unit_test(equal_files_do_not_push_each_other_out),
		cmocka_unit_test(a_young_file_is_read_again_but_compiled_once),
		cmocka_unit_test(a_change_counts_at_once),
		cmocka_unit_test(an_editor_is_always_asked),
		cmocka_unit_test(what_is_over_a_budget_is_not_taken_in_part),
		cmocka_unit_test(what_is_no_file_is_told),
		cmocka_unit_test(the_cache_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
