/*
 * file_attributes.c - parse .editorconfig and .gitattributes.
 *
 * Only the attributes that matter for reading and writing text are kept: the
 * encoding, the line ending, and root. Names are compared without case, as both
 * formats ask for.
 */
#include "text/pattern/file_attributes.h"

#include <strings.h>

static bool is_padding(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct str trim(struct str s)
{
	while (s.len && is_padding(s.ptr[0]))
		s = str_skip(s, 1);
	while (s.len && is_padding(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static bool is_word(struct str s, const char *word)
{
	return s.len == strlen(word) && !strncasecmp(s.ptr, word, s.len);
}

static bool next_line(struct str *text, struct str *line)
{
	return text->len && str_split(text, '\n', line);
}

static struct str value_of(struct str text)
{
	return is_word(text, "unset") ? STR("") : text;
}

static void set_pair(struct file_attributes *s, struct str line, bool preamble)
{
	size_t equals = str_find(line, '=');
	struct str key = trim(str_head(line, equals));
	struct str value = trim(str_skip(line, equals + 1));

	if (equals == line.len)
		return;
	if (preamble && is_word(key, "root"))
		s->root = is_word(value, "true");
	else if (!preamble && is_word(key, "charset"))
		s->charset = value_of(value);
	else if (!preamble && is_word(key, "end_of_line"))
		s->end_of_line = value_of(value);
}

void file_attributes_editorconfig(struct str text, struct str path,
				  struct glob_budget *budget,
				  struct file_attributes *s)
{
	bool preamble = true, ours = true;
	struct str line;

	while (next_line(&text, &line) && glob_spend(budget, 1)) {
		line = trim(line);
		if (!line.len || line.ptr[0] == '#' || line.ptr[0] == ';')
			continue;
		if (line.ptr[0] == '[' && str_ends(line, STR("]"))) {
			preamble = false;
			ours = glob_match_file(str_sub(line, 1, line.len - 1),
					       path, GLOB_BRACES, budget);
		} else if (ours) {
			set_pair(s, line, preamble);
		}
	}
}

/* Take the next word off the line. */
static bool next_word(struct str *line, struct str *word)
{
	size_t n = 0;

	*line = trim(*line);
	while (n < line->len && !is_padding(line->ptr[n]))
		n++;
	*word = str_head(*line, n);
	*line = str_skip(*line, n);
	return n > 0;
}

static void set_attribute(struct file_attributes *s, struct str word)
{
	static const struct str encoding = STR_INIT("working-tree-encoding");
	static const struct str eol = STR_INIT("eol");
	size_t equals = str_find(word, '=');
	struct str name = str_head(word, equals);
	struct str value = str_skip(word, equals + 1);

	/* "-name" and "!name" unset an attribute. */
	if (name.len && (name.ptr[0] == '-' || name.ptr[0] == '!'))
		name = str_skip(name, 1);
	if (str_eq(name, encoding))
		s->charset = value;
	else if (str_eq(name, eol))
		s->end_of_line = value;
}

void file_attributes_gitattributes(struct str text, struct str path,
				   struct glob_budget *budget,
				   struct file_attributes *s)
{
	struct str line, pattern, word;

	while (next_line(&text, &line) && glob_spend(budget, 1)) {
		line = trim(line);
		/* "[attr]name" defines a macro, which we do not expand */
		if (!line.len || line.ptr[0] == '#' ||
		    str_starts(line, STR("[attr]")) ||
		    !next_word(&line, &pattern) ||
		    !glob_match_file(pattern, path, GLOB_GIT, budget))
			continue;
		while (next_word(&line, &word))
			set_attribute(s, word);
	}
}
