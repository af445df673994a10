#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level shown = LOG_OFF; /* set once, before any thread */

static const char *const names[] = { "", "error", "info", "debug" };

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
	/* A name may hold anything: one record stays one line. */
	for (int i = 0; i < n; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = '?';
	line[n++] = '\n';
	(void)!write(STDERR_FILENO, line, (size_t)n);
}
