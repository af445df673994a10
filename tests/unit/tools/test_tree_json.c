/*
 * test_tree_json.c - nested JSON from a flat sequence of entries (F88, F89).
 */
#include "../unit.h"

#include "tools/handlers/tree_json.h"

#define auto_tree_json cleanup(tree_json_free) struct tree_json

static void tree_json_free(struct tree_json *j)
{
	buf_free(&j->text);
}

static void nothing_is_an_empty_list(void **state)
{
	auto_tree_json j = { 0 };

	tree_json_end(&j);
	assert_str(buf_str(&j.text), "[]");
}

static void entries_are_nested_by_their_depth(void **state)
{
	auto_tree_json j = { 0 };

	tree_json_add(&j, 0, STR("a"), TREE_JSON_OPEN);
	tree_json_add(&j, 1, STR("b"), TREE_JSON_OPEN);
	tree_json_add(&j, 2, STR("\"\n"), TREE_JSON_FILE);
	tree_json_add(&j, 0, STR("c"), TREE_JSON_OPEN);
	tree_json_end(&j);
	assert_str(buf_str(&j.text), "[\n"
				     "  {\n"
				     "    \"name\": \"a\",\n"
				     "    \"type\": \"directory\",\n"
				     "    \"children\": [\n"
				     "      {\n"
				     "        \"name\": \"b\",\n"
				     "        \"type\": \"directory\",\n"
				     "        \"children\": [\n"
				     "          {\n"
				     "            \"name\": \"\\\"\\n\",\n"
				     "            \"type\": \"file\"\n"
				     "          }\n"
				     "        ]\n"
				     "      }\n"
				     "    ]\n"
				     "  },\n"
				     "  {\n"
				     "    \"name\": \"c\",\n"
				     "    \"type\": \"directory\",\n"
				     "    \"children\": []\n"
				     "  }\n"
				     "]");
}

static void counted_entries_become_more(void **state)
{
	auto_tree_json j = { 0 };

	tree_json_add(&j, 0, STR("a"), TREE_JSON_COUNTED);
	j.counted = 7;
	tree_json_add(&j, 0, STR("b"), TREE_JSON_COUNTED);
	tree_json_end(&j);
	assert_str(buf_str(&j.text), "[\n"
				     "  {\n"
				     "    \"name\": \"a\",\n"
				     "    \"type\": \"directory\",\n"
				     "    \"more\": 7\n"
				     "  },\n"
				     "  {\n"
				     "    \"name\": \"b\",\n"
				     "    \"type\": \"directory\",\n"
				     "    \"children\": []\n"
				     "  }\n"
				     "]");
}

static void an_entry_can_be_taken_back(void **state)
{
	auto_tree_json j = { 0 }, want = { 0 };
	struct tree_json before;

	tree_json_add(&want, 0, STR("a"), TREE_JSON_FILE);
	tree_json_end(&want);
	tree_json_add(&j, 0, STR("a"), TREE_JSON_FILE);
	before = j;
	tree_json_add(&j, 0, STR("b"), TREE_JSON_OPEN);
	tree_json_undo(&j, &before);
	assert_int_equal(j.entries, 1);
	tree_json_end(&j);
	assert_true(str_eq(buf_str(&j.text), buf_str(&want.text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_an_empty_list),
		cmocka_unit_test(entries_are_nested_by_their_depth),
		cmocka_unit_test(counted_entries_become_more),
		cmocka_unit_test(an_entry_can_be_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
