/*
 * log.c - diagnostics on stderr.
 *
 * Level and escape function are set once, before the first thread. A record is
 * one write(), so records of several threads do not mix.
 */
#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level max_level = LOG_OFF;

static const char *const names[] = { "warning", "error", "info", "debug" };

/*
 * The default before main() registers another: everything but ASCII is escaped.
 */
static void escape_bytes(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] >= ' ' && text.ptr[i] < 0x7f)
			buf_addc(out, text.ptr[i]);
		else
			buf_addf(out, "\\x%02x", (unsigned char)text.ptr[i]);
}

static log_escape_fn *escape_record = escape_bytes;

void log_set_escape(log_escape_fn *escape)
{
	escape_record = escape;
}

void log_set(enum log_level level)
{
	max_level = level;
}

enum log_level log_get(void)
{
	return max_level;
}

void log_write(enum log_level level, const char *format, ...)
{
	char line[1024], stamp[CLOCK_STAMP];
	size_t room = sizeof(line) - 1;
	auto_buf out = BUF_INIT;
	va_list args;
	int n;

	if (level > max_level)
		return;
	clock_stamp(stamp);
	n = snprintf(line, room, "stet: %s %s: ", stamp, names[level]);
	va_start(args, format);
	n += vsnprintf(line + n, room - (size_t)n, format, args);
	va_end(args);
	if ((size_t)n > room - 1)
		n = (int)room - 1;
	escape_record(&out, str_make(line, (size_t)n));
	buf_addc(&out, '\n');
	(void)!write(STDERR_FILENO, out.ptr, out.len);
}
