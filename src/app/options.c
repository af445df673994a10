/*
 * options.c - parses options by table and prints them for --help.
 *
 * Options may stand between other words; those words end up at the end of argv.
 */
#include "app/options.h"

#include "tools/call/args.h"

#include <ctype.h>

/* On a narrow terminal the explanations get a line of their own. */
enum { MOST_OPTIONS = 64, HELP_COLUMN = 26, HELP_NARROW = 6, WIDE = 72 };

static enum err option_error(struct fault *f, struct str text)
{
	return fail(f, ERR_BAD_ARGS, .text = text);
}

static const struct option *option_find(const struct option *table,
					struct str name)
{
	for (; table->name; table++)
		if (str_is(name, table->name))
			return table;
	return NULL;
}

static enum err option_unknown(const struct option *table, struct str name,
			       struct arena *mem, struct fault *f)
{
	const char *dashes = str_starts(name, STR("-")) ? "" : "--";
	const char *names[MOST_OPTIONS], *near;
	size_t n = 0;

	for (; n < MOST_OPTIONS && table[n].name; n++)
		names[n] = table[n].name;
	near = args_nearest(name, names, n);
	if (near)
		return option_error(f, arena_printf(mem,
						    "unknown option %s" STR_FMT
						    " (did you mean %s%s?)",
						    dashes, STR_ARG(name),
						    option_dashes(near), near));
	return option_error(f, arena_printf(mem, "unknown option %s" STR_FMT,
					    dashes, STR_ARG(name)));
}

static bool read_size(struct str text, uint64_t *ret)
{
	static const char units[] = "kmg";
	uint64_t n = 0;
	const char *unit;
	size_t i = 0;

	for (; i < text.len && isdigit((unsigned char)text.ptr[i]); i++) {
		if (n > (UINT64_MAX >> 34) / 10)
			return false;
		n = n * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	if (!i || text.len > i + 1)
		return false;
	if (i < text.len) {
		unit = strchr(units, tolower((unsigned char)text.ptr[i]));
		if (!unit || !*unit)
			return false;
		n <<= 10 * (unit - units + 1);
	}
	*ret = n;
	return true;
}

static bool read_seconds(struct str text, uint64_t *ret)
{
	enum { MOST = 7 * 24 * 3600 };
	uint64_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (!isdigit((unsigned char)text.ptr[i]) || n > MOST)
			return false;
		n = n * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	if (!text.len || n > MOST)
		return false;
	*ret = n;
	return true;
}

static bool read_choice(const struct option *o, struct str text, int *ret)
{
	for (int i = 0; o->choices[i]; i++)
		if (str_is(text, o->choices[i])) {
			*ret = i;
			return true;
		}
	return false;
}

static void add_item(struct option_list *list, const char *text,
		     struct arena *mem)
{
	*arena_add(mem, list->items, list->count) = text;
}

static enum err set(const struct option *o, char *text, void *config,
		    struct arena *mem, struct fault *f)
{
	void *to = (char *)config + o->offset;
	bool fine = true;

	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)to = true;
		break;
	case OPTION_TEXT:
		*(const char **)to = text;
		break;
	case OPTION_SIZE:
		fine = read_size(str_of(text), to);
		break;
	case OPTION_SECONDS:
		fine = read_seconds(str_of(text), to);
		break;
	case OPTION_CHOICE:
		fine = read_choice(o, str_of(text), to);
		break;
	case OPTION_LIST:
		add_item(to, text, mem);
		break;
	}
	if (fine)
		return ERR_OK;
	return option_error(f, arena_printf(mem, "%s%s takes %s, not '%s'",
					    option_dashes(o->name), o->name,
					    o->value, text));
}

/* A word that starts with "-": "--name", "--name value", "--name=value", "-A". */
static enum err read_one(const struct option *table, void *config,
			 struct command_line *line, struct arena *mem,
			 struct fault *f)
{
	char *word = line->argv[line->at++], *text = strchr(word, '=');
	struct str name;
	const struct option *o;

	if (word[1] == '-')
		word += 2;
	name = str_of(word);
	if (text)
		name = str_make(word, (size_t)(text++ - word));
	o = option_find(table, name);
	if (!o)
		return option_unknown(table, name, mem, f);
	if (o->type == OPTION_FLAG && text)
		return option_error(f, arena_printf(mem, "%s%s takes no value",
						    option_dashes(o->name),
						    o->name));
	if (o->type != OPTION_FLAG && !text) {
		if (line->at >= line->argc)
			return option_error(f,
					    arena_printf(mem, "%s%s needs %s",
							 option_dashes(o->name),
							 o->name, o->value));
		text = line->argv[line->at++];
	}
	return set(o, text, config, mem, f);
}

static char help_word[] = "--help";

enum err options_read(const struct option *table, void *config,
		      struct command_line *line, struct arena *mem,
		      struct fault *f)
{
	struct option_list others = { 0 };
	const char *word = "";
	enum err e = ERR_OK;

	while (!e && line->at < line->argc && strcmp(word, "--") != 0) {
		word = line->argv[line->at];
		if (!strcmp(word, "-h"))
			word = line->argv[line->at] = help_word;
		if (word[0] != '-' || !word[1])
			add_item(&others, line->argv[line->at++], mem);
		else if (!strcmp(word, "--"))
			line->at++;
		else
			e = read_one(table, config, line, mem, f);
	}
	/* Keep the other words in order, before those after "--". */
	line->at -= (int)others.count;
	for (size_t i = 0; i < others.count; i++)
		line->argv[line->at + (int)i] = (char *)others.items[i];
	return e;
}

/*
 * The end of the quoted words that begin at @at, or @at if none do: 'stet log'
 * is quoted, the apostrophe of "the owner's" does not begin a quotation.
 */
static size_t behind_quoted(struct str text, size_t at)
{
	if (text.ptr[at] != '\'' ||
	    (at && text.ptr[at - 1] != ' ' && text.ptr[at - 1] != '('))
		return at;
	for (size_t i = at + 1; i < text.len; i++)
		if (text.ptr[i] == '\'' &&
		    (i + 1 == text.len || !isalnum(text.ptr[i + 1])))
			return i + 1;
	return at;
}

/* The last space up to @room that is not within quoted words. */
static size_t last_space(struct str text, size_t room)
{
	size_t found = SIZE_MAX, behind;

	for (size_t i = 0; i < text.len && i <= room; i++) {
		behind = behind_quoted(text, i);
		if (behind > i)
			i = behind - 1;
		else if (text.ptr[i] == ' ')
			found = i;
	}
	return found;
}

void options_wrap(struct buf *out, struct str text, size_t column, size_t width)
{
	size_t room = width > column + 10 ? width - column : 10, cut;

	while (text.len > room) {
		cut = last_space(text, room);
		if (cut > room) /* the quoted words alone are too long */
			cut = str_rfind(str_head(text, room + 1), ' ');
		if (cut > room)
			cut = str_find(text, ' ');
		if (cut >= text.len)
			break;
		buf_add(out, str_head(text, cut));
		buf_addf(out, "\n%*s", (int)column, "");
		text = str_skip(text, cut + 1);
	}
	buf_add(out, text);
	buf_addc(out, '\n');
}

void options_reflow(struct buf *out, struct str text, size_t width)
{
	auto_buf paragraph = BUF_INIT;
	struct str line;

	while (str_split(&text, '\n', &line)) {
		const bool item = str_starts(line, STR("- "));
		const bool own = !line.len || line.ptr[0] == ' ' || item;

		if (own && paragraph.len) {
			options_wrap(out, buf_str(&paragraph), 0, width);
			buf_clear(&paragraph, SIZE_MAX);
		}
		if (own && !item) {
			buf_add(out, line);
			buf_addc(out, '\n');
			continue;
		}
		if (paragraph.len)
			buf_addc(&paragraph, ' ');
		buf_add(&paragraph, line);
	}
	if (paragraph.len)
		options_wrap(out, buf_str(&paragraph), 0, width);
}

void options_help(const struct option *table, size_t most, size_t width,
		  struct buf *out)
{
	size_t column = width >= WIDE ? HELP_COLUMN : HELP_NARROW, start;

	for (; table->name && most; table++, most--) {
		start = out->len;
		buf_addf(out, "  %s%s", option_dashes(table->name),
			 table->name);
		if (table->value)
			buf_addf(out, " %s", table->value);
		if (out->len - start >= column) {
			buf_addc(out, '\n');
			start = out->len;
		}
		buf_addf(out, "%*s", (int)(column - (out->len - start)), "");
		options_wrap(out, str_of(table->help), column, width);
	}
}
