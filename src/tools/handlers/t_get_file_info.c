/*
 * t_get_file_info.c - the tool get_file_info: size, times, kind and permissions
 * of a file or directory.
 *
 * Times have the form of JavaScript's Date, always in UTC.
 */
#include "tools/handlers/listing.h"

#include <time.h>

struct info_args {
	struct str path;
};

/* JavaScript rounds a time to milliseconds, and then shows whole seconds. */
static time_t seconds_of(int64_t ns)
{
	enum { NS_PER_MS = 1000000, MS_PER_S = 1000 };
	int64_t half = ns + NS_PER_MS / 2;
	int64_t ms = half / NS_PER_MS - (half % NS_PER_MS < 0);

	return ms / MS_PER_S - (ms % MS_PER_S < 0);
}

static struct str time_text(int64_t ns, struct arena *mem)
{
	static const char *const days[] = { "Sun", "Mon", "Tue", "Wed",
					    "Thu", "Fri", "Sat" };
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr",
					      "May", "Jun", "Jul", "Aug",
					      "Sep", "Oct", "Nov", "Dec" };
	time_t seconds = seconds_of(ns);
	struct tm t;

	if (!gmtime_r(&seconds, &t))
		return STR("Invalid Date");
	return arena_printf(
		mem,
		"%s %s %02d %04d %02d:%02d:%02d GMT+0000 (Coordinated Universal Time)",
		days[t.tm_wday], months[t.tm_mon], t.tm_mday, t.tm_year + 1900,
		t.tm_hour, t.tm_min, t.tm_sec);
}

static const char *bool_text(bool is)
{
	return is ? "true" : "false";
}

static struct str info_text(const struct file_details *d, struct arena *mem)
{
	return arena_printf(mem,
			    "size: %llu\ncreated: " STR_FMT
			    "\nmodified: " STR_FMT "\naccessed: " STR_FMT
			    "\nisDirectory: %s\nisFile: %s\npermissions: %03o",
			    (unsigned long long)d->size,
			    STR_ARG(time_text(d->created, mem)),
			    STR_ARG(time_text(d->modified, mem)),
			    STR_ARG(time_text(d->accessed, mem)),
			    bool_text(d->kind == WS_ENTRY_DIRECTORY),
			    bool_text(d->kind == WS_ENTRY_FILE),
			    d->mode & 0777);
}

static enum err info_run(struct call *c)
{
	const struct info_args *a = c->args;
	struct file_details details;
	struct str path;
	enum err e;

	e = find_absolute(c, a->path, &path);
	if (!e)
		e = listing_details(c, path, &details);
	if (e)
		return e;
	listing_say(c, info_text(&details, c->mem), NULL, STR(""));
	return ERR_OK;
}

static const struct field fields[] = {
	LISTING_PATH_FIELD(info_args, "File or directory"),
	FIELDS_END,
};

static const char *const constraints[] = {
	"A symlink is followed; one whose target is outside the roots is refused",
	"Times are in UTC; created is 1970 if the filesystem does not record it",
	"permissions are the last three octal digits of the mode",
	"The content is not read, so no approval is needed",
	NULL,
};

static const struct tool_example examples[] = {
	{ "A file", "{\"path\":\"README.md\"}",
	  "{\"content\":\"size: 14\\ncreated: Mon Nov 16 2026 18:02:55 GMT+0000 (Coordinated Universal Time)\\nmodified: Mon Nov 16 2026 18:02:55 GMT+0000 (Coordinated Universal Time)\\naccessed: Mon Nov 16 2026 18:02:55 GMT+0000 (Coordinated Universal Time)\\nisDirectory: false\\nisFile: true\\npermissions: 640\"}" },
	{ NULL },
};

const struct tool tool_get_file_info = {
	.name = "get_file_info",
	.title = "Get File Info",
	.doc = "Size, times, kind and permissions of a file or directory.",
	.families = { "filesystem" },
	.kind = "read",
	.fields = fields,
	.out = listing_out_fields,
	.args_size = sizeof(struct info_args),
	.out_size = sizeof(struct listing_out),
	.effects = TOOL_READS,
	.run = info_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
