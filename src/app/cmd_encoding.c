/*
 * cmd_encoding.c - the commands `stet encoding` and `stet convert`.
 *
 * The first prints which encoding files are detected as, the second rewrites
 * files in another one. Files are opened through person.h.
 */
#include "app/person.h"
#include "app/screen.h"
#include "text/lines/eol.h"

#include <stdio.h>

struct encoding_config {
	bool help;
	const char *to, *from;
};

static const struct option encoding_options[] = {
	OPTION_HELP,
	OPTIONS_END,
};

static int show_encoding(struct person *p, const char *name)
{
	struct person_file file;

	if (!person_load(p, name, NULL, &file))
		return 1;
	screen_say("%s: %s", name, file.in.encoding->name);
	if (file.in.confidence != CONFIDENCE_CERTAIN)
		screen_say(" (%s)", confidence_name(file.in.confidence));
	screen_say(", %s", eol_name(eol_of(file.shown.text)));
	if (file.shown.undecodable_count)
		screen_say(", %zu undecodable bytes",
			   file.shown.undecodable_count);
	screen_say("\n");
	return 0;
}

static int encoding(const struct command *command, struct command_line *line)
{
	struct encoding_config config = { 0 };
	auto_person p = PERSON_INIT;
	int status, failed = 0;

	if (!command_options(command, line, &config, &p.mem, &status))
		return status;
	if (line->at == line->argc)
		return person_misused(command, "name at least one file");
	for (; line->at < line->argc; line->at++)
		failed |= show_encoding(&p, line->argv[line->at]);
	return failed;
}

const struct command command_encoding = {
	.name = "encoding",
	.usage = "FILE...",
	.summary = "Show the encoding and line endings of files",
	.about =
		"Show the encoding of each FILE, how certain the detection is, and its line\n"
		"endings. Nothing is changed.",
	.options = encoding_options,
	.run = encoding,
};

static const struct option convert_options[] = {
	{ "to", "NAME", OPTION_TEXT, offsetof(struct encoding_config, to),
	  "The encoding to write: utf-8, utf-16le, windows-1252 ..." },
	{ "from", "NAME", OPTION_TEXT, offsetof(struct encoding_config, from),
	  "The present encoding, if it cannot be detected with certainty" },
	OPTION_HELP,
	OPTIONS_END,
};

struct convert_target {
	const struct encoding *encoding;
	const char *name; /* as results show it */
	bool ascii_only;
};

static size_t first_non_ascii(struct str text)
{
	size_t i = 0;

	while (i < text.len && (unsigned char)text.ptr[i] < 0x80)
		i++;
	return i;
}

static bool convert_encode(const struct convert_target *to, struct str text,
			   struct arena *mem, struct str *ret, size_t *bad)
{
	if (to->ascii_only) {
		*bad = first_non_ascii(text);
		if (*bad < text.len)
			return false;
	}
	return !encoding_encode(to->encoding, text, mem, ret, bad);
}

static int convert_one(struct person *p, const char *name,
		       const struct encoding *from,
		       const struct convert_target *to)
{
	struct person_file file;
	struct str bytes;
	size_t bad;

	if (!person_load(p, name, from, &file))
		return 1;
	if (file.in.confidence == CONFIDENCE_LOW)
		return person_says(
			p, name,
			"the encoding is uncertain: name it with --from");
	if (file.shown.undecodable_count)
		return person_says(p, name,
				   "it has undecodable bytes in its encoding");
	if (!convert_encode(to, file.shown.text, &p->mem, &bytes, &bad))
		return person_cannot_hold(p, name, to->name, file.shown.text,
					  bad);
	if (!person_store(p, &file, to->encoding->bom, bytes))
		return 1;
	screen_say("%s: %s, was %s\n", name, to->name, file.in.encoding->name);
	return 0;
}

static int convert(const struct command *command, struct command_line *line)
{
	struct encoding_config config = { 0 };
	const struct encoding *from;
	struct convert_target to;
	auto_person p = PERSON_INIT;
	int status, failed = 0;

	if (!command_options(command, line, &config, &p.mem, &status))
		return status;
	to.encoding = encoding_named(str_of(config.to));
	to.ascii_only = encoding_name_is_ascii(str_of(config.to));
	from = encoding_named(str_of(config.from));
	if (!to.encoding)
		return person_misused(command,
				      "--to needs the name of an encoding "
				      "(see docs/encodings.md)");
	if (config.from && !from)
		return person_misused(command,
				      "--from needs the name of an encoding "
				      "(see docs/encodings.md)");
	if (line->at == line->argc)
		return person_misused(command, "name at least one file");
	to.name = to.ascii_only ? "ascii" : to.encoding->name;
	for (; line->at < line->argc; line->at++)
		failed |= convert_one(&p, line->argv[line->at], from, &to);
	return failed;
}

const struct command command_convert = {
	.name = "convert",
	.usage = "--to NAME [--from NAME] FILE...",
	.summary = "Convert files to another encoding",
	.about =
		"Convert each FILE to the encoding NAME, atomically; metadata is preserved. A file\n"
		"with a character that NAME cannot represent is refused and stays unchanged.",
	.options = convert_options,
	.run = convert,
};
