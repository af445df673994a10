#include "../unit.h"

#include "text/lookalike.h"

static const struct {
	const char *name, *words; /* "" = none */
} names[] = {
	{ "/srv/shop/config.py", "" },
	{ "/srv/p\u0430yments/config.py",
	  "Look-alike characters: U+0430 (cyrillic small letter a) is not 'a'" },
	/* a whole word that could be read as ASCII */
	{ "/srv/\u0430\u0441\u0441",
	  "Look-alike characters: "
	  "U+0430 (cyrillic small letter a) is not 'a', "
	  "U+0441 (cyrillic small letter es) is not 'c'" },
	/* plainly of another script, whatever stands beside it */
	{ "/srv/\u043f\u043b\u0430\u043d/\u043f\u043b\u0430\u043d.txt", "" },
	{ "/srv/r\u00e9sum\u00e9.txt", "" },
	{ "/srv/a\u2215b",
	  "Look-alike characters: U+2215 (division slash) is not '/'" },
	{ "/srv/\uff0e\uff0e", "Look-alike characters: U+FF0E is not '.'" },
	/* what cannot be seen is spelled out elsewhere; bytes are bytes */
	{ "/srv/a\u202eb\u00a0c\xff", "" },
	{ "", "" },
};

static void a_name_that_passes_for_another_is_told(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_str(lookalike_words(str_of(names[i].name), &mem),
			   names[i].words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_passes_for_another_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
