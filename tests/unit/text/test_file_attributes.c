/*
 * test_file_attributes.c - parsing .editorconfig and .gitattributes.
 */
#include "../unit.h"

#include "text/pattern/file_attributes.h"

static const char editorconfig[] = "; settings\r\n"
				   "root = true\n"
				   "charset = ignored-here\n"
				   "[*]\n"
				   "Charset = UTF-8\n"
				   "end_of_line=lf\n"
				   "[*.{bat,cmd}]\n"
				   "end_of_line = CRLF\n"
				   "# a comment\n"
				   "[legacy/**.txt]\n"
				   "charset = latin1\n"
				   "[legacy/new.txt]\n"
				   "charset = unset\n"
				   "root = false\n";

static const struct {
	const char *path, *charset, *eol;
} editor_rules[] = {
	{ "a.c", "UTF-8", "lf" },
	{ "x/run.bat", "UTF-8", "CRLF" },
	{ "legacy/a/b.txt", "latin1", "lf" },
	{ "legacy/new.txt", "", "lf" },
	{ "other/legacy/b.txt", "UTF-8", "lf" },
};

static void editorconfig_is_read_section_by_section(void **state)
{
	for (size_t i = 0; i < COUNT_OF(editor_rules); i++) {
		struct glob_budget budget = { .steps = 1000 * 1000 };
		struct file_attributes s = { 0 };

		file_attributes_editorconfig(str_of(editorconfig),
					     str_of(editor_rules[i].path),
					     &budget, &s);
		assert_str(s.charset, editor_rules[i].charset);
		assert_str(s.end_of_line, editor_rules[i].eol);
		assert_true(s.root);
	}
}

static const char gitattributes[] =
	"# encodings\n"
	"*.rc working-tree-encoding=UTF-16LE-BOM eol=CRLF\n"
	"[attr]macro working-tree-encoding=never\n"
	"docs/**/*.txt\ttext working-tree-encoding=CP1251\n"
	"docs/plain.txt -working-tree-encoding\n";

static const struct {
	const char *path, *charset, *eol;
} git_rules[] = {
	{ "a.rc", "UTF-16LE-BOM", "CRLF" },
	{ "x/y/a.rc", "UTF-16LE-BOM", "CRLF" },
	{ "docs/a.txt", "CP1251", "" },
	{ "docs/x/a.txt", "CP1251", "" },
	{ "docs/plain.txt", "", "" },
	{ "a.c", "", "" },
};

static void gitattributes_are_read_line_by_line(void **state)
{
	for (size_t i = 0; i < COUNT_OF(git_rules); i++) {
		struct glob_budget budget = { .steps = 1000 * 1000 };
		struct file_attributes s = { 0 };

		file_attributes_gitattributes(str_of(gitattributes),
					      str_of(git_rules[i].path),
					      &budget, &s);
		assert_str(s.charset, git_rules[i].charset);
		assert_str(s.end_of_line, git_rules[i].eol);
	}
}

static void nearer_files_win_over_those_further_up(void **state)
{
	struct glob_budget budget = { .steps = 1000 * 1000 };
	struct file_attributes s = { 0 };

	file_attributes_editorconfig(STR("[*]\ncharset=latin1\nend_of_line=lf"),
				     STR("a/x"), &budget, &s);
	file_attributes_editorconfig(STR("[*]\ncharset=utf-8"), STR("x"),
				     &budget, &s);
	assert_str(s.charset, "utf-8");
	assert_str(s.end_of_line, "lf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(editorconfig_is_read_section_by_section),
		cmocka_unit_test(gitattributes_are_read_line_by_line),
		cmocka_unit_test(nearer_files_win_over_those_further_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
