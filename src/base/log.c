#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level shown = LOG_OFF; /* set once, before any thread */

static const char *const names[] = { "warning", "error", "info", "debug" };

/* Until somebody who knows Unicode is there: ASCII stays, bytes do not. */
static void spell_bytes(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] >= ' ' && text.ptr[i] < 0x7f)
			buf_addc(out, text.ptr[i]);
		else
			buf_addf(out, "\\x%02x", (unsigned char)text.ptr[i]);
}

static log_speller *spell = spell_bytes; /* set once, before any thread */

void log_spell_with(log_speller *speller)
{
	spell = speller;
}

void log_set(enum log_level level)
{
	shown = level;
}

enum log_level log_get(void)
{
	return shown;
}

void log_say(enum log_level level, const char *format, ...)
{
	char line[1024], stamp[CLOCK_STAMP];
	size_t room = sizeof(line) - 1;
	auto_buf out = BUF_INIT;
	va_list args;
	int n;

	if (level > shown)
		return;
	clock_stamp(stamp);
	n = snprintf(line, room, "stet: %s %s: ", stamp, names[level]);
	va_start(args, format);
	n += vsnprintf(line + n, room - (size_t)n, format, args);
	va_end(args);
	if ((size_t)n > room - 1)
		n = (int)room - 1;
	spell(&out, str_make(line, (size_t)n));
	buf_addc(&out, '\n');
	(void)!write(STDERR_FILENO, out.ptr, out.len);
}
