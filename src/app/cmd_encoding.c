/*
 * stet encoding - what files are written in.
 * stet convert - write them in another encoding, on purpose.
 */

#include "app/person.h"
#include "app/screen.h"
#include "text/eol.h"

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
	if (file.shown.stray_count)
		screen_say(", %zu bytes that do not fit",
			   file.shown.stray_count);
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
		return person_misused(command, "which files?");
	for (; line->at < line->argc; line->at++)
		failed |= show_encoding(&p, line->argv[line->at]);
	return failed;
}

const struct command command_encoding = {
	.name = "encoding",
	.usage = "FILE...",
	.summary = "Tell what encoding and line ends files have",
	.about =
		"Tell of each FILE what it is written in, how sure that is, and how its lines\n"
		"end. Nothing is changed.",
	.options = encoding_options,
	.run = encoding,
};

static const struct option convert_options[] = {
	{ "to", "NAME", OPTION_TEXT, offsetof(struct encoding_config, to),
	  "The encoding to write: utf-8, utf-16le, windows-1252 ..." },
	{ "from", "NAME", OPTION_TEXT, offsetof(struct encoding_config, from),
	  "The encoding it is in, where that is not certain" },
	OPTION_HELP,
	OPTIONS_END,
};

static int convert_one(struct person *p, const char *name,
		       const struct encoding *from, const struct encoding *to)
{
	struct person_file file;
	struct str bytes;
	size_t bad;

	if (!person_load(p, name, from, &file))
		return 1;
	if (file.in.confidence == CONFIDENCE_LOW)
		return person_says(
			p, name,
			"its encoding is uncertain: name it with --from");
	if (file.shown.stray_count)
		return person_says(p, name,
				   "it has bytes that do not fit its encoding");
	if (encoding_encode(to, file.shown.text, &p->mem, &bytes, &bad))
		return person_cannot_hold(p, name, to, file.shown.text, bad);
	if (!person_store(p, &file, to->bom, bytes))
		return 1;
	screen_say("%s: %s, was %s\n", name, to->name, file.in.encoding->name);
	return 0;
}

static int convert(const struct command *command, struct command_line *line)
{
	struct encoding_config config = { 0 };
	const struct encoding *to, *from;
	auto_person p = PERSON_INIT;
	int status, failed = 0;

	if (!command_options(command, line, &config, &p.mem, &status))
		return status;
	to = encoding_named(str_of(config.to));
	from = encoding_named(str_of(config.from));
	if (!to)
		return person_misused(command,
				      "--to needs an encoding that is known");
	if (config.from && !from)
		return person_misused(command,
				      "--from needs an encoding that is known");
	if (line->at == line->argc)
		return person_misused(command, "which files?");
	for (; line->at < line->argc; line->at++)
		failed |= convert_one(&p, line->argv[line->at], from, to);
	return failed;
}

const struct command command_convert = {
	.name = "convert",
	.usage = "--to NAME [--from NAME] FILE...",
	.summary = "Write files in another encoding",
	.about =
		"Write each FILE in the encoding NAME, in one step; metadata stays. A file\n"
		"with a character that NAME cannot hold is left as it is.",
	.options = convert_options,
	.run = convert,
};
