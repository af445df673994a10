/* Seals: opened by who made them, in the same context, and unchanged. */
#include "../unit.h"

#include "base/seal.h"

static void a_seal_opens_where_it_was_made(void **state)
{
	static const char *const texts[] = { "", "a", "some bytes\n" };
	auto_arena mem = ARENA_INIT;
	struct seal_key key;
	struct str got;

	seal_key_new(&key);
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
	struct seal_key key;
	struct str one, two;

	seal_key_new(&key);
	one = seal_make(&key, STR("ab"), STR("c"), &mem);
	two = seal_make(&key, STR("a"), STR("bc"), &mem);
	/* the marks are the last 43 or so characters of each */
	assert_false(str_eq(str_skip(one, one.len - 40),
			    str_skip(two, two.len - 40)));
}

static void another_key_or_a_changed_seal_does_not_open(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct seal_key key, other;
	struct str seal, got;
	char *bent;

	seal_key_new(&key);
	seal_key_new(&other);
	assert_memory_not_equal(key.bytes, other.bytes, SEAL_KEY);
	seal = seal_make(&key, STR("bytes"), STR("x"), &mem);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guarded_copy_is_the_same_and_goes),
		cmocka_unit_test(a_seal_opens_where_it_was_made),
		cmocka_unit_test(bytes_do_not_move_into_the_context),
		cmocka_unit_test(another_key_or_a_changed_seal_does_not_open),
		cmocka_unit_test(a_secret_is_text_and_never_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
