/* Seals: opened by who made them, in the same context, and unchanged. */
#include "../unit.h"

#include "base/seal.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define auto_key cleanup(seal_key_forget) struct seal_key

static void a_seal_opens_where_it_was_made(void **state)
{
	static const char *const texts[] = { "", "a", "some bytes\n" };
	auto_arena mem = ARENA_INIT;
	auto_key key = { 0 };
	struct str got;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct str seal =
			seal_make(&key, str_of(texts[i]), STR("here"), &mem);

		assert_true(seal_open(&key, seal, STR("here"), &mem, &got));
		assert_str(got, texts[i]);
		assert_false(seal_open(&key, seal, STR("there"), &mem, &got));
		assert_false(seal_open(&key, seal, STR(""), &mem, &got));
	}
}

/* What is sealed and what it is sealed for do not run into each other. */
static void bytes_do_not_move_into_the_context(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_key key = { 0 };
	struct str one, two;

	one = seal_make(&key, STR("ab"), STR("c"), &mem);
	two = seal_make(&key, STR("a"), STR("bc"), &mem);
	/* the marks are the last 43 or so characters of each */
	assert_false(str_eq(str_skip(one, one.len - 40),
			    str_skip(two, two.len - 40)));
}

static void another_key_or_a_changed_seal_does_not_open(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_key key = { 0 };
	auto_key other = { 0 };
	struct str seal, got;
	char *bent;

	seal = seal_make(&key, STR("bytes"), STR("x"), &mem);
	assert_false(seal_open(&other, seal, STR("x"), &mem, &got));
	(void)seal_make(&other, STR("bytes"), STR("x"), &mem);
	assert_memory_not_equal(key.bytes, other.bytes, SEAL_KEY);
	assert_false(seal_open(&other, seal, STR("x"), &mem, &got));
	bent = arena_cstr(&mem, seal);
	for (size_t i = 0; i < seal.len; i++) {
		char was = bent[i];

		for (int c = 1; c < 256; c++) {
			bent[i] = (char)c;
			assert_int_equal(seal_open(&key,
						   str_make(bent, seal.len),
						   STR("x"), &mem, &got),
					 (char)c == was);
		}
		bent[i] = was;
	}
	for (size_t n = 0; n < seal.len; n++)
		assert_false(seal_open(&key, str_head(seal, n), STR("x"), &mem,
				       &got));
}

static void a_secret_is_text_and_never_the_same(void **state)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij"
				     "klmnopqrstuvwxyz0123456789-_";
	auto_arena mem = ARENA_INIT;
	struct str one = seal_secret(&mem), two = seal_secret(&mem);

	assert_int_equal(one.len, 43);
	assert_int_equal(two.len, 43);
	assert_false(str_eq(one, two));
	for (size_t i = 0; i < one.len; i++)
		assert_non_null(strchr(digits, one.ptr[i]));
}

static void a_guarded_copy_is_the_same_and_goes(void **state)
{
	char bytes[] = "a secret";
	struct str copy = seal_guard(str_of(bytes)), none = { NULL, 0 };

	seal_wipe(str_of(bytes));
	assert_int_equal(bytes[0], 0);
	assert_str(copy, "a secret");
	seal_forget(&copy);
	assert_null(copy.ptr);
	assert_int_equal(copy.len, 0);
	seal_forget(&none);
}

static void a_key_can_be_given_and_is_wiped_there(void **state)
{
	uint8_t bytes[SEAL_KEY] = "of somebody's", same[SEAL_KEY];
	static const uint8_t none[SEAL_KEY];
	auto_arena mem = ARENA_INIT;
	auto_key one = { 0 };
	auto_key two = { 0 };
	struct str seal, got;

	memcpy(same, bytes, sizeof(bytes));
	seal_key_set(&one, bytes);
	seal_key_set(&two, same);
	assert_memory_equal(bytes, none, sizeof(none));
	seal = seal_make(&one, STR("bytes"), STR("x"), &mem);
	assert_true(seal_open(&two, seal, STR("x"), &mem, &got));
	seal_key_forget(&two);
	assert_false(seal_open(&two, seal, STR("x"), &mem, &got));
	seal_key_forget(&two);
}

static void *seal_something(void *key)
{
	auto_arena mem = ARENA_INIT;

	(void)seal_make(key, STR("bytes"), STR("x"), &mem);
	return (void *)((struct seal_key *)key)->bytes;
}

static void threads_that_seal_first_have_one_key(void **state)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	auto_key key = { 0 };
	void *bytes;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						seal_something, &key),
				 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &bytes), 0);
		assert_ptr_equal(bytes, key.bytes);
	}
}

/* Does a process of its own survive that? */
static bool survives(void (*try)(volatile uint8_t *), volatile uint8_t *at)
{
	const struct rlimit none = { 0, 0 };
	pid_t pid = fork();
	int how;

	if (!pid) {
		(void)setrlimit(RLIMIT_CORE, &none);
		(void)close(STDERR_FILENO); /* what a sanitizer has to say */
		(void)signal(SIGSEGV, SIG_DFL);
		try(at);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	return WIFEXITED(how) && !WEXITSTATUS(how);
}

static void read_byte(volatile uint8_t *at)
{
	(void)*at;
}

static void write_byte(volatile uint8_t *at)
{
	*at = 1;
}

/* A key and a secret alike: what runs over another thing does not reach it. */
static void guarded_memory_is_only_read(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_key key = { 0 };
	struct str secret = seal_guard(STR("a secret"));
	struct {
		volatile uint8_t *at;
		size_t len;
	} rows[] = { { NULL, SEAL_KEY },
		     { (volatile uint8_t *)secret.ptr, secret.len } };

	(void)seal_make(&key, STR("bytes"), STR("x"), &mem);
	rows[0].at = (volatile uint8_t *)key.bytes;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_true(survives(read_byte, rows[i].at));
		assert_false(survives(write_byte, rows[i].at));
		assert_false(survives(read_byte, rows[i].at + rows[i].len));
	}
	seal_forget(&secret);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guarded_copy_is_the_same_and_goes),
		cmocka_unit_test(a_seal_opens_where_it_was_made),
		cmocka_unit_test(bytes_do_not_move_into_the_context),
		cmocka_unit_test(another_key_or_a_changed_seal_does_not_open),
		cmocka_unit_test(a_secret_is_text_and_never_the_same),
		cmocka_unit_test(a_key_can_be_given_and_is_wiped_there),
		cmocka_unit_test(threads_that_seal_first_have_one_key),
		cmocka_unit_test(guarded_memory_is_only_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
