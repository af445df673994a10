/*
 * test_notebook.c - one cell of a notebook; generated ones are in
 * tests/system/notebooks.py.
 */
#include "../unit.h"

#include "text/edit/notebook.h"

#define TAIL  "],\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":4}"
#define MD(s) "{\"cell_type\":\"markdown\",\"metadata\":{},\"source\":" s "}"

/* V100 V101 V103 V104: splices, and what is refused. */
static void a_cell_is_edited_by_splices(void **state)
{
	static const struct {
		const char *text;
		enum notebook_mode mode;
		const char *cell, *type, *source;
		enum err err;
		const char *want;
	} rules[] = {
		{ "{\"cells\":[" MD("\"a\"") TAIL, NOTEBOOK_REPLACE, "cell-0",
		  "", "\"b\n", ERR_OK, "{\"cells\":[" MD("\"\\\"b\\n\"") TAIL },
		{ "{\"cells\":[" MD("[ \"a\" ]") TAIL, NOTEBOOK_REPLACE,
		  "cell-0", "markdown", "b\nc", ERR_OK,
		  "{\"cells\":[" MD("[\"b\\n\",\"c\"]") TAIL },
		{ "{\"cells\":[" MD("\"a\"") TAIL, NOTEBOOK_DELETE, "cell-0",
		  "", "", ERR_OK, "{\"cells\":[" TAIL },
		{ "{\"cells\":[" TAIL, NOTEBOOK_INSERT, "", "markdown", "",
		  ERR_OK, "{\"cells\":[" MD("[]") TAIL },
		{ "{\"cells\":[" MD("\"\\u00e9\"") TAIL, NOTEBOOK_REPLACE,
		  "cell-0", "", "\xf0\x9f\x98\x80", ERR_OK,
		  "{\"cells\":[" MD("\"\\ud83d\\ude00\"") TAIL },
		/* two members of one name: the last one counts */
		{ "{\"cells\":[{\"source\":\"1\",\"cell_type\":\"raw\",\"source\":\"2\"}" TAIL,
		  NOTEBOOK_REPLACE, "cell-0", "", "3", ERR_OK,
		  "{\"cells\":[{\"source\":\"1\",\"cell_type\":\"raw\",\"source\":\"3\"}" TAIL },
		{ "{\"cells\":[" TAIL, NOTEBOOK_REPLACE, "cell-0", "", "",
		  ERR_NO_CELL, NULL },
		{ "{\"cells\":[" TAIL, NOTEBOOK_REPLACE,
		  "cell-99999999999999999999", "", "", ERR_NO_CELL, NULL },
		{ "{\"cells\":[" TAIL, NOTEBOOK_INSERT, "", "", "",
		  ERR_BAD_ARGS, NULL },
		{ "{\"cells\":[" TAIL, NOTEBOOK_DELETE, "", "", "",
		  ERR_BAD_ARGS, NULL },
		{ "{\"cells\":[1" TAIL, NOTEBOOK_REPLACE, "cell-0", "", "",
		  ERR_NOT_A_NOTEBOOK, NULL },
		{ "{\"cells\":[{\"source\":[1],\"cell_type\":\"raw\"}" TAIL,
		  NOTEBOOK_REPLACE, "cell-0", "", "", ERR_NOT_A_NOTEBOOK,
		  NULL },
		{ "{\"cells\":[]}", NOTEBOOK_INSERT, "", "code", "",
		  ERR_NOT_A_NOTEBOOK, NULL },
		{ "", NOTEBOOK_INSERT, "", "code", "", ERR_NOT_A_NOTEBOOK,
		  NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const struct notebook_want want = {
			.mode = rules[i].mode,
			.cell = str_of(rules[i].cell),
			.type = str_of(rules[i].type),
			.source = str_of(rules[i].source),
		};
		auto_arena mem = ARENA_INIT;
		struct notebook_edit got;

		assert_int_equal(notebook_edit(str_of(rules[i].text), &want,
					       &mem, &got),
				 rules[i].err);
		if (rules[i].want)
			assert_str(got.text, rules[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_is_edited_by_splices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
