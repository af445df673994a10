/*
 * test_tokens.c - tokens: made, compared, listed, revoked, and damaged files.
 */
#include "place.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned mode_of(struct place *p, const char *name)
{
	struct stat st;

	assert_int_equal(stat(place_path(p, name), &st), 0);
	return st.st_mode & 07777;
}

static struct str add(struct place *p, struct tokens *t, const char *name)
{
	struct str token;

	assert_int_equal(tokens_add(t, str_of(name), &p->mem, &token, &p->f),
			 ERR_OK);
	return token;
}

static void take_back(struct place *p, struct tokens *t, const char *name)
{
	assert_int_equal(tokens_revoke(t, str_of(name), &p->mem, &p->f),
			 ERR_OK);
}

/* As a server does: check for a change first. */
static struct str whose(struct tokens *t, struct str token)
{
	tokens_refresh(t);
	return tokens_identify(t, token);
}

static void the_owner_has_one_from_the_first_start(void **state)
{
	auto_place p = place_make();
	struct tokens *t = place_tokens(&p);
	struct str owner = arena_copy(&p.mem, tokens_owner(t));

	assert_true(str_starts(owner, STR("stet_")));
	assert_int_equal(owner.len, 5 + 43);
	assert_str(whose(t, owner), "owner");
	tokens_free(t);
	assert_int_equal(mode_of(&p, "token"), 0600);
	assert_int_equal(mode_of(&p, "."), 0700);
	assert_str(place_read(&p, "token"),
		   arena_printf(&p.mem, STR_FMT "\n", STR_ARG(owner)).ptr);

	t = place_tokens(&p);
	assert_true(str_eq(tokens_owner(t), owner));
	tokens_free(t);
}

static void another_can_take_the_place_of_the_owners(void **state)
{
	auto_place p = place_make();
	struct tokens_options options = {
		.dir = p.dir, .given = STR("given-by-the-environment")
	};
	struct tokens *t = tokens_open(&options, &p.mem, &p.f);

	assert_str(tokens_owner(t), "given-by-the-environment");
	assert_str(whose(t, options.given), "owner");
	tokens_free(t);
	assert_int_equal(access(place_path(&p, "token"), F_OK), -1);

	place_write(&p, "mine", "a-token-in-a-file\n", 0600);
	options.given = STR("");
	options.file = str_of(place_path(&p, "mine"));
	t = tokens_open(&options, &p.mem, &p.f);
	assert_str(tokens_owner(t), "a-token-in-a-file");
	tokens_free(t);
	assert_int_equal(access(place_path(&p, "token"), F_OK), -1);
}

static void what_others_could_know_is_refused(void **state)
{
	static const struct {
		const char *text;
		unsigned mode;
		const char *said;
	} files[] = {
		{ "stet_long_enough_to_be_one\n", 0640,
		  "other users can read it" },
		{ "stet_long_enough_to_be_one\n", 0604,
		  "other users can read it" },
		{ "stet_long_enough_to_be_one\n", 0620,
		  "other users can read it" },
		{ "short\n", 0600, "at least 16 characters" },
		{ "", 0600, "at least 16 characters" },
		{ "with blanks in between them\n", 0600, "letters, digits" },
	};
	auto_place p = place_make();
	struct tokens_options options = { .dir = p.dir };

	tokens_free(place_tokens(&p));
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		place_write(&p, "token", files[i].text, files[i].mode);
		assert_null(tokens_open(&options, &p.mem, &p.f));
		assert_non_null(strstr(place_words(&p), files[i].said));
		assert_non_null(strstr(place_words(&p), "/stet/token"));
	}
	options.given = STR("weak");
	assert_null(tokens_open(&options, &p.mem, &p.f));
	assert_non_null(strstr(place_words(&p), "STET_TOKEN"));
	options.given = STR("");
	options.file = str_of(place_path(&p, "none"));
	assert_null(tokens_open(&options, &p.mem, &p.f));
	assert_int_equal(p.f.err, ERR_NOT_FOUND);

	assert_int_equal(chmod(p.dir.ptr, 0755), 0);
	options.file = STR("");
	assert_null(tokens_open(&options, &p.mem, &p.f));
	assert_non_null(strstr(place_words(&p), "be private"));
}

static void each_name_has_its_own(void **state)
{
	auto_place p = place_make();
	struct tokens *t = place_tokens(&p), *server = place_tokens(&p);
	struct str one = add(&p, t, "one"), two = add(&p, t, "Two.2_-");

	assert_int_equal(one.len, 5 + 43);
	assert_false(str_eq(one, two));
	assert_str(whose(server, one), "one");
	assert_str(whose(server, two), "Two.2_-");
	assert_str(whose(server, tokens_owner(t)), "owner");
	assert_int_equal(mode_of(&p, "tokens"), 0600);
	/* only a digest is kept */
	assert_null(strstr(arena_cstr(&p.mem, place_read(&p, "tokens")),
			   arena_cstr(&p.mem, str_skip(one, 5))));
	tokens_free(t);
	tokens_free(server);
}

static void nobody_has_any_other(void **state)
{
	auto_place p = place_make();
	struct tokens *t = place_tokens(&p);
	struct str one = add(&p, t, "one");
	char *text = arena_cstr(&p.mem, one);

	assert_str(whose(t, STR("")), "");
	assert_str(whose(t, str_skip(one, 1)), "");
	assert_str(whose(t, str_head(one, one.len - 1)), "");
	assert_str(whose(t, str_make(text, one.len + 1)), "");
	for (size_t i = 0; i < one.len; i++) {
		text[i] ^= 1;
		assert_str(whose(t, str_make(text, one.len)), "");
		text[i] ^= 1;
	}
	assert_str(whose(t, str_make(text, one.len)), "one");
	tokens_free(t);
}

/* Also when it is quick, and the file looks the same otherwise. */
static void one_that_is_revoked_is_refused_at_once(void **state)
{
	auto_place p = place_make();
	struct tokens *t = place_tokens(&p), *server = place_tokens(&p);
	struct str one, name;

	for (int i = 0; i < 50; i++) {
		one = add(&p, t, "one");
		name = whose(server, one);
		assert_str(name, "one");
		take_back(&p, t, "one");
		(void)add(&p, t, "two");
		assert_str(whose(server, one), "");
		assert_str(name, "one"); /* it lasts */
		take_back(&p, t, "two");
	}
	tokens_free(t);
	tokens_free(server);
}

static void a_file_that_is_wrong_lets_nobody_in_but_the_owner(void **state)
{
	static const struct {
		const char *text;
		unsigned mode;
	} files[] = {
		{ "{\"tokens\":[]}", 0644 },
		{ "{\"tokens\":[{\"name\":\"owner\",\"digest\":\"00\"}]}",
		  0600 },
		{ "{\"tokens\":[{\"name\":\"x\",\"digest\":\"0\"}]}", 0600 },
		{ "{\"tokens\":{}}", 0600 },
		{ "not JSON", 0600 },
		{ "", 0600 },
	};
	auto_place p = place_make();
	struct tokens *t = place_tokens(&p);
	struct str one = add(&p, t, "one"), token;
	struct token *list;
	size_t n;

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct tokens *server = place_tokens(&p);

		place_write(&p, "tokens", files[i].text, files[i].mode);
		assert_str(whose(server, one), "");
		assert_str(whose(server, tokens_owner(t)), "owner");
		assert_int_equal(tokens_list(t, &p.mem, &list, &n, &p.f),
				 ERR_BAD_CONFIG);
		assert_non_null(strstr(place_words(&p), "/stet/tokens"));
		/*
		 * A damaged file is moved aside; one that other users may read
		 * stays.
		 */
		assert_int_equal(tokens_add(t, STR("x"), &p.mem, &token, &p.f),
				 files[i].mode == 0600 ? ERR_OK
						       : ERR_BAD_CONFIG);
		tokens_free(server);
	}
	assert_int_equal(unlink(place_path(&p, "tokens")), 0);
	assert_int_equal(tokens_list(t, &p.mem, &list, &n, &p.f), ERR_OK);
	assert_int_equal(n, 1);
	assert_str(whose(t, one), "");
	tokens_free(t);
}

static void names_are_checked(void **state)
{
	static const struct {
		const char *name, *said;
	} bad[] = {
		{ "", "is not a valid name" },
		{ "a b", "is not a valid name" },
		{ "a/b", "is not a valid name" },
		{ "a\n", "is not a valid name" },
		{ "\xc3\xa4", "is not a valid name" },
		{ "0123456789012345678901234567890123456789"
		  "0123456789012345678901234",
		  "is not a valid name" },
		{ "owner", "is the name of your own token" },
		{ "taken", "already has a token" },
	};
	auto_place p = place_make();
	struct tokens *t = place_tokens(&p);
	struct str token;

	(void)add(&p, t, "taken");
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(tokens_add(t, str_of(bad[i].name), &p.mem,
					    &token, &p.f),
				 ERR_BAD_ARGS);
		assert_non_null(strstr(place_words(&p), bad[i].said));
	}
	assert_int_equal(tokens_revoke(t, STR("none"), &p.mem, &p.f),
			 ERR_BAD_ARGS);
	assert_non_null(strstr(place_words(&p), "has no token"));
	assert_int_equal(tokens_revoke(t, STR("owner"), &p.mem, &p.f),
			 ERR_BAD_ARGS);
	tokens_free(t);
}

static void there_is_an_end_to_them(void **state)
{
	auto_place p = place_make();
	struct tokens *t = place_tokens(&p);
	struct str token;

	for (int i = 0; i < TOKENS_MOST; i++) {
		auto_arena mem = ARENA_INIT;

		assert_int_equal(tokens_add(t, arena_printf(&mem, "n%d", i),
					    &mem, &token, &p.f),
				 ERR_OK);
	}
	assert_int_equal(tokens_add(t, STR("more"), &p.mem, &token, &p.f),
			 ERR_BAD_ARGS);
	assert_non_null(strstr(place_words(&p), "exceeds the maximum"));
	tokens_free(t);
}

static uint64_t seen(struct place *p, const char *name, uint64_t *made)
{
	struct tokens *t = place_tokens(p);
	struct token *list;
	uint64_t ret = 0;
	size_t n;

	assert_int_equal(tokens_list(t, &p->mem, &list, &n, &p->f), ERR_OK);
	assert_str(list[0].name, "owner");
	for (size_t i = 0; i < n; i++)
		if (str_is(list[i].name, name)) {
			ret = list[i].seen_ms;
			*made = list[i].made_ms;
		}
	tokens_free(t);
	return ret;
}

static void the_list_tells_when_each_last_came(void **state)
{
	auto_place p = place_make();
	struct tokens *t = place_tokens(&p), *server = place_tokens(&p);
	struct str one = add(&p, t, "one"), two = add(&p, t, "two");
	uint64_t made = 0, none;

	assert_int_equal(seen(&p, "one", &made), 0);
	assert_true(made > 0);
	assert_str(whose(server, one), "one"); /* noted at once */
	assert_true(seen(&p, "one", &none) >= made);
	assert_str(whose(server, two), "two"); /* noted later */
	assert_int_equal(seen(&p, "two", &none), 0);
	tokens_free(server);
	assert_true(seen(&p, "two", &none) >= made);
	assert_int_equal(seen(&p, "owner", &made), 0);
	assert_true(made > 0);
	assert_int_equal(mode_of(&p, "tokens.seen"), 0600);

	/* a new one of the same name has not been seen */
	take_back(&p, t, "one");
	(void)add(&p, t, "one");
	assert_int_equal(seen(&p, "one", &none), 0);
	tokens_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_owner_has_one_from_the_first_start),
		cmocka_unit_test(another_can_take_the_place_of_the_owners),
		cmocka_unit_test(what_others_could_know_is_refused),
		cmocka_unit_test(each_name_has_its_own),
		cmocka_unit_test(nobody_has_any_other),
		cmocka_unit_test(one_that_is_revoked_is_refused_at_once),
		cmocka_unit_test(
			a_file_that_is_wrong_lets_nobody_in_but_the_owner),
		cmocka_unit_test(names_are_checked),
		cmocka_unit_test(there_is_an_end_to_them),
		cmocka_unit_test(the_list_tells_when_each_last_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
