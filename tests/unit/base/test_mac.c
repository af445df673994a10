/*
 * test_mac.c - signed text verifies with its key and context only; secrets lie
 * in guarded memory.
 */
#include "../unit.h"

#include "base/mac.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define auto_key cleanup(mac_key_free) struct mac_key

static void signed_text_verifies_in_its_context(void **state)
{
	static const char *const texts[] = { "", "a", "some bytes\n" };
	auto_arena mem = ARENA_INIT;
	auto_key key = { NULL };
	struct str got;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct str text =
			mac_sign(&key, str_of(texts[i]), STR("here"), &mem);

		assert_true(mac_verify(&key, text, STR("here"), &mem, &got));
		assert_str(got, texts[i]);
		assert_false(mac_verify(&key, text, STR("there"), &mem, &got));
		assert_false(mac_verify(&key, text, STR(""), &mem, &got));
	}
}

static void bytes_do_not_move_into_the_context(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_key key = { NULL };
	struct str one, two;

	one = mac_sign(&key, STR("ab"), STR("c"), &mem);
	two = mac_sign(&key, STR("a"), STR("bc"), &mem);
	/* the codes are about the last 43 characters of each */
	assert_false(str_eq(str_skip(one, one.len - 40),
			    str_skip(two, two.len - 40)));
}

static void another_key_or_a_changed_byte_does_not_verify(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_key key = { NULL };
	auto_key other = { NULL };
	struct str text, got;
	char *changed;

	text = mac_sign(&key, STR("bytes"), STR("x"), &mem);
	assert_false(mac_verify(&other, text, STR("x"), &mem, &got));
	(void)mac_sign(&other, STR("bytes"), STR("x"), &mem);
	assert_memory_not_equal(key.bytes, other.bytes, MAC_KEY_BYTES);
	assert_false(mac_verify(&other, text, STR("x"), &mem, &got));
	changed = arena_cstr(&mem, text);
	for (size_t i = 0; i < text.len; i++) {
		char was = changed[i];

		for (int c = 1; c < 256; c++) {
			changed[i] = (char)c;
			assert_int_equal(mac_verify(&key,
						    str_make(changed, text.len),
						    STR("x"), &mem, &got),
					 (char)c == was);
		}
		changed[i] = was;
	}
	for (size_t n = 0; n < text.len; n++)
		assert_false(mac_verify(&key, str_head(text, n), STR("x"), &mem,
					&got));
}

static void a_token_is_base64url_and_random(void **state)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij"
				     "klmnopqrstuvwxyz0123456789-_";
	auto_arena mem = ARENA_INIT;
	struct str one = secret_token(&mem), two = secret_token(&mem);

	assert_int_equal(one.len, 43);
	assert_int_equal(two.len, 43);
	assert_false(str_eq(one, two));
	for (size_t i = 0; i < one.len; i++)
		assert_non_null(strchr(digits, one.ptr[i]));
}

static void a_guarded_copy_has_the_same_bytes(void **state)
{
	char bytes[] = "a secret";
	struct str copy = secret_guard(str_of(bytes)), none = { NULL, 0 };

	secret_wipe(str_of(bytes));
	assert_int_equal(bytes[0], 0);
	assert_str(copy, "a secret");
	secret_free(&copy);
	assert_null(copy.ptr);
	assert_int_equal(copy.len, 0);
	secret_free(&none);
}

static void setting_a_key_wipes_its_source(void **state)
{
	uint8_t bytes[MAC_KEY_BYTES] = "a given key", same[MAC_KEY_BYTES];
	static const uint8_t none[MAC_KEY_BYTES];
	auto_arena mem = ARENA_INIT;
	auto_key one = { NULL };
	auto_key two = { NULL };
	struct str text, got;

	memcpy(same, bytes, sizeof(bytes));
	mac_key_set(&one, bytes);
	mac_key_set(&two, same);
	assert_memory_equal(bytes, none, sizeof(none));
	text = mac_sign(&one, STR("bytes"), STR("x"), &mem);
	assert_true(mac_verify(&two, text, STR("x"), &mem, &got));
	mac_key_free(&two);
	assert_false(mac_verify(&two, text, STR("x"), &mem, &got));
	mac_key_free(&two);
}

static void *sign_something(void *key)
{
	auto_arena mem = ARENA_INIT;

	(void)mac_sign(key, STR("bytes"), STR("x"), &mem);
	return (void *)((struct mac_key *)key)->bytes;
}

static void threads_that_sign_first_share_one_key(void **state)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	auto_key key = { NULL };
	void *bytes;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						sign_something, &key),
				 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &bytes), 0);
		assert_ptr_equal(bytes, key.bytes);
	}
}

/* Does a forked process survive @try? */
static bool survives(void (*try)(volatile uint8_t *), volatile uint8_t *at)
{
	const struct rlimit none = { 0, 0 };
	pid_t pid = fork();
	int how;

	if (!pid) {
		(void)setrlimit(RLIMIT_CORE, &none);
		(void)close(STDERR_FILENO); /* reports of sanitizers */
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

/* Keys and guarded secrets: read-only, with inaccessible pages behind. */
static void guarded_memory_is_read_only(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_key key = { NULL };
	struct str secret = secret_guard(STR("a secret"));
	struct {
		volatile uint8_t *at;
		size_t len;
	} rows[] = { { NULL, MAC_KEY_BYTES },
		     { (volatile uint8_t *)secret.ptr, secret.len } };

	(void)mac_sign(&key, STR("bytes"), STR("x"), &mem);
	rows[0].at = (volatile uint8_t *)key.bytes;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_true(survives(read_byte, rows[i].at));
		assert_false(survives(write_byte, rows[i].at));
		assert_false(survives(read_byte, rows[i].at + rows[i].len));
	}
	secret_free(&secret);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guarded_copy_has_the_same_bytes),
		cmocka_unit_test(signed_text_verifies_in_its_context),
		cmocka_unit_test(bytes_do_not_move_into_the_context),
		cmocka_unit_test(another_key_or_a_changed_byte_does_not_verify),
		cmocka_unit_test(a_token_is_base64url_and_random),
		cmocka_unit_test(setting_a_key_wipes_its_source),
		cmocka_unit_test(threads_that_sign_first_share_one_key),
		cmocka_unit_test(guarded_memory_is_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
