/*
 * test_options.c - parsing of command-line options, and the layout of
 * --help.
 */
#include "../unit.h"

#include "app/options.h"
#include "base/buf.h"

struct config {
	bool flag;
	const char *text, *letter;
	uint64_t size, seconds;
	int choice;
	struct option_list list;
};

static const char *const colours[] = { "red", "green", NULL };

static const struct option table[] = {
	{ "flag", NULL, OPTION_FLAG, offsetof(struct config, flag), "A flag" },
	{ "text", "TEXT", OPTION_TEXT, offsetof(struct config, text),
	  "A text" },
	{ "size", "BYTES", OPTION_SIZE, offsetof(struct config, size),
	  "A size" },
	{ "wait", "SECONDS", OPTION_SECONDS, offsetof(struct config, seconds),
	  "A time" },
	{ "colour", "red|green", OPTION_CHOICE, offsetof(struct config, choice),
	  "A colour", colours },
	{ "item", "ITEM", OPTION_LIST, offsetof(struct config, list), "Items" },
	{ "-A", "N", OPTION_TEXT, offsetof(struct config, letter), "A letter" },
	OPTIONS_END,
};

static enum err read_words(const char *words, struct config *c,
			   struct command_line *line, struct arena *mem,
			   struct str *message)
{
	struct str rest = str_of(words), word;
	struct fault f = { 0 };
	enum err e;

	line->argv = arena_array(mem, char *, 16);
	line->argc = line->at = 0;
	while (rest.len && str_split(&rest, ' ', &word))
		line->argv[line->argc++] = arena_cstr(mem, word);
	*c = (struct config){ 0 };
	e = options_read(table, c, line, mem, &f);
	*message = e ? fault_text(&f, mem) : STR("");
	return e;
}

static void options_reach_their_places(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct command_line line;
	struct str message;
	struct config c;

	assert_int_equal(
		read_words(
			"--flag --text=a=b --size 3k --wait=604800 --colour green --item 1 --item=2 rest --flag",
			&c, &line, &mem, &message),
		ERR_OK);
	assert_true(c.flag);
	assert_string_equal(c.text, "a=b");
	assert_int_equal(c.size, 3072);
	assert_int_equal(c.seconds, 604800);
	assert_int_equal(c.choice, 1);
	assert_int_equal(c.list.count, 2);
	assert_string_equal(c.list.items[1], "2");
	assert_string_equal(line.argv[line.at], "rest");
	/* as "args" of a client may have them: options behind a directory */
	assert_int_equal(read_words("a --flag b --text c d -- --e", &c, &line,
				    &mem, &message),
			 ERR_OK);
	assert_true(c.flag);
	assert_string_equal(c.text, "c");
	assert_int_equal(line.argc - line.at, 4);
	assert_string_equal(line.argv[line.at], "a");
	assert_string_equal(line.argv[line.at + 1], "b");
	assert_string_equal(line.argv[line.at + 2], "d");
	assert_string_equal(line.argv[line.at + 3], "--e");
	assert_int_equal(read_words("-- --flag", &c, &line, &mem, &message),
			 ERR_OK);
	assert_false(c.flag);
	assert_string_equal(line.argv[line.at], "--flag");
}

/* An argument called "-A" is an option with one dash. */
static void a_name_with_a_dash_is_an_option(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf help = BUF_INIT;
	struct command_line line;
	struct str message;
	struct config c;

	assert_int_equal(read_words("-A 2 rest --flag", &c, &line, &mem,
				    &message),
			 ERR_OK);
	assert_string_equal(c.letter, "2");
	assert_true(c.flag);
	assert_string_equal(line.argv[line.at], "rest");
	assert_int_equal(read_words("-A=-3", &c, &line, &mem, &message),
			 ERR_OK);
	assert_string_equal(c.letter, "-3");
	options_help(table + 6, 1, 80, &help);
	assert_str(buf_str(&help), "  -A N                    A letter\n");
}

static const char *const mistakes[][2] = {
	{ "word --flog", "unknown option --flog (did you mean --flag?)" },
	{ "--flog", "unknown option --flog (did you mean --flag?)" },
	{ "--colur=red", "unknown option --colur (did you mean --colour?)" },
	{ "--zzzzzzzz", "unknown option --zzzzzzzz" },
	{ "-x", "unknown option -x" },
	{ "-A", "-A needs N" },
	{ "--A=1", "unknown option --A" },
	{ "--flag=yes", "--flag takes no value" },
	{ "--text", "--text needs TEXT" },
	{ "--size=3x", "--size takes BYTES, not '3x'" },
	{ "--size=", "--size takes BYTES, not ''" },
	{ "--size=99999999999999999999",
	  "--size takes BYTES, not '99999999999999999999'" },
	{ "--wait=10m", "--wait takes SECONDS, not '10m'" },
	{ "--wait=604801", "--wait takes SECONDS, not '604801'" },
	{ "--wait=", "--wait takes SECONDS, not ''" },
	{ "--colour=blue", "--colour takes red|green, not 'blue'" },
};

static void mistakes_are_named(void **state)
{
	for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
		auto_arena mem = ARENA_INIT;
		struct command_line line;
		struct str message;
		struct config c;

		assert_int_equal(read_words(mistakes[i][0], &c, &line, &mem,
					    &message),
				 ERR_BAD_ARGS);
		assert_str(message, mistakes[i][1]);
	}
}

static void help_keeps_to_the_width_of_a_terminal(void **state)
{
	static const struct option rows[] = {
		{ "wordy", "A|B", OPTION_TEXT, 0,
		  "A great many words that do not fit on one line of eighty "
		  "columns, nor on two, so that there have to be three of them" },
		OPTIONS_END,
	};
	auto_buf out = BUF_INIT;
	struct str rest, line;
	unsigned lines = 0;

	options_help(rows, SIZE_MAX, 79, &out);
	rest = buf_str(&out);
	while (rest.len && str_split(&rest, '\n', &line)) {
		assert_true(line.len < 80);
		assert_int_equal(line.ptr[26 - 1], ' ');
		assert_int_not_equal(line.ptr[26], ' ');
		lines++;
	}
	assert_int_equal(lines, 3);
}

/* A command in quotes is to be copied: no line ends within it. */
static void quoted_commands_stay_on_one_line(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "the words: 'stet call TOOL --help' lists",
		  "the words:\n'stet call TOOL --help'\nlists\n" },
		{ "('stet call TOOL --help'), it says so",
		  "('stet call TOOL --help'),\nit says so\n" },
		/* an apostrophe is none, nor is a quotation without an end */
		{ "the owner's token and the client's name",
		  "the owner's token and the\nclient's name\n" },
		{ "it is 'open and there are more words",
		  "it is 'open and there are\nmore words\n" },
		/* longer than a line */
		{ "'stet call TOOL --help --and --more'",
		  "'stet call TOOL --help\n--and --more'\n" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_buf out = BUF_INIT;

		options_wrap(&out, str_of(rows[i].text), 0, 26);
		assert_str(buf_str(&out), rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_reach_their_places),
		cmocka_unit_test(a_name_with_a_dash_is_an_option),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(help_keeps_to_the_width_of_a_terminal),
		cmocka_unit_test(quoted_commands_stay_on_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
