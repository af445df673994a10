/*
 * test_confusable_name.c - warnings about confusable characters in names.
 */
#include "../unit.h"

#include "text/display/confusable_name.h"

static const struct {
	const char *name, *words; /* "" = no warning */
} names[] = {
	{ "/srv/shop/config.py", "" },
	{ "/srv/p\u0430yments/config.py",
	  "Look-alike characters: U+0430 (cyrillic small letter a) is not 'a'" },
	/* a whole word that could be read as ASCII */
	{ "/srv/\u0430\u0441\u0441",
	  "Look-alike characters: "
	  "U+0430 (cyrillic small letter a) is not 'a', "
	  "U+0441 (cyrillic small letter es) is not 'c'" },
	/* a word entirely in another script */
	{ "/srv/\u043f\u043b\u0430\u043d/\u043f\u043b\u0430\u043d.txt", "" },
	{ "/srv/r\u00e9sum\u00e9.txt", "" },
	{ "/srv/a\u2215b",
	  "Look-alike characters: U+2215 (division slash) is not '/'" },
	{ "/srv/\uff0e\uff0e", "Look-alike characters: U+FF0E is not '.'" },
	/* invisible characters and invalid bytes are not listed here */
	{ "/srv/a\u202eb\u00a0c\xff", "" },
	{ "", "" },
};

static void a_name_that_passes_for_another_is_told(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_str(confusable_name_sentence(str_of(names[i].name),
						    &mem),
			   names[i].words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_passes_for_another_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
