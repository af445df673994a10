/*
 * human_time.c - parses and prints times and durations for people.
 *
 * Local time unless a zone is given. Pure functions of their arguments and the
 * time zone.
 */
#include "app/human_time.h"

#include <time.h>

static const uint64_t second = 1000, minute = 60 * second, hour = 60 * minute,
		      day = 24 * hour;

/* Parses up to 9 digits at the front; false when there is none. */
static bool take_number(struct str *text, uint64_t *ret)
{
	size_t i = 0;

	*ret = 0;
	for (; i < text->len && i < 9 && text->ptr[i] >= '0' &&
	       text->ptr[i] <= '9';
	     i++)
		*ret = *ret * 10 + (uint64_t)(text->ptr[i] - '0');
	*text = str_skip(*text, i);
	return i > 0;
}

bool human_time_span(struct str text, uint64_t *ret_ms)
{
	const struct {
		const char *name;
		uint64_t ms;
	} units[] = {
		{ "s", second },   { "sec", second },  { "m", minute },
		{ "min", minute }, { "h", hour },      { "d", day },
		{ "w", 7 * day },  { "y", 365 * day },
	};
	uint64_t n;

	if (!take_number(&text, &n))
		return false;
	while (text.len && text.ptr[0] == ' ')
		text = str_skip(text, 1);
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (str_is(text, units[i].name)) {
			*ret_ms = n * units[i].ms;
			return true;
		}
	return false;
}

static bool take_word(struct str *text, char c)
{
	if (!text->len || text->ptr[0] != c)
		return false;
	*text = str_skip(*text, 1);
	return true;
}

static bool take_part(struct str *text, int low, int high, int *ret)
{
	uint64_t n;

	if (!take_number(text, &n) || n < (uint64_t)low || n > (uint64_t)high)
		return false;
	*ret = (int)n;
	return true;
}

/* 10:30, 10:30:00, 10:30:00.5 */
static bool take_clock(struct str *text, struct tm *tm)
{
	uint64_t fraction;

	if (!take_part(text, 0, 23, &tm->tm_hour) || !take_word(text, ':') ||
	    !take_part(text, 0, 59, &tm->tm_min))
		return false;
	tm->tm_sec = 0;
	if (take_word(text, ':') && !take_part(text, 0, 60, &tm->tm_sec))
		return false;
	return !take_word(text, '.') || take_number(text, &fraction);
}

static bool take_date(struct str *text, struct tm *tm)
{
	if (!take_part(text, 1970, 9999, &tm->tm_year) ||
	    !take_word(text, '-') || !take_part(text, 1, 12, &tm->tm_mon) ||
	    !take_word(text, '-') || !take_part(text, 1, 31, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
	return true;
}

/* Z, +01:00, +0100, or nothing = local time. */
static bool take_zone(struct str *text, bool *utc, long *offset)
{
	bool west = text->len && text->ptr[0] == '-';
	int hours, minutes;

	*utc = take_word(text, 'Z');
	*offset = 0;
	if (*utc || !text->len)
		return true;
	if (!take_word(text, '+') && !take_word(text, '-'))
		return false;
	if (!take_part(text, 0, 1400, &hours))
		return false;
	minutes = hours % 100;
	if (take_word(text, ':')) {
		if (!take_part(text, 0, 59, &minutes))
			return false;
	} else if (hours > 99) {
		hours /= 100;
	} else {
		minutes = 0;
	}
	*utc = true;
	*offset = (hours * 60L + minutes) * 60 * (west ? -1 : 1);
	return true;
}

static bool to_ms(struct tm *tm, bool utc, long offset, uint64_t *ret)
{
	time_t t;

	tm->tm_isdst = -1;
	t = utc ? timegm(tm) : mktime(tm);
	if (t == (time_t)-1 || t < offset)
		return false;
	*ret = (uint64_t)(t - offset) * 1000;
	return true;
}

static bool calendar(struct str text, const struct tm *today, uint64_t *ret_ms)
{
	struct tm tm = *today;
	struct str rest = text;
	bool utc = false;
	long offset = 0;

	if (take_clock(&rest, &tm))
		return !rest.len && to_ms(&tm, false, 0, ret_ms);
	rest = text;
	tm = *today;
	if (!take_date(&rest, &tm))
		return false;
	if ((take_word(&rest, 'T') || take_word(&rest, ' ')) &&
	    (!take_clock(&rest, &tm) || !take_zone(&rest, &utc, &offset)))
		return false;
	return !rest.len && to_ms(&tm, utc, offset, ret_ms);
}

bool human_time_parse(struct str text, uint64_t now_ms, uint64_t *ret_ms)
{
	time_t now = (time_t)(now_ms / 1000);
	struct tm today;
	uint64_t span;

	if (!localtime_r(&now, &today))
		return false;
	if (str_is(text, "now")) {
		*ret_ms = now_ms;
		return true;
	}
	if (str_is(text, "today") || str_is(text, "yesterday")) {
		today.tm_hour = today.tm_min = today.tm_sec = 0;
		today.tm_mday -= str_is(text, "yesterday");
		return to_ms(&today, false, 0, ret_ms);
	}
	if (calendar(text, &today, ret_ms))
		return true;
	if (str_ends(text, STR(" ago")))
		text = str_head(text, text.len - 4);
	if (!human_time_span(text, &span))
		return false;
	*ret_ms = span < now_ms ? now_ms - span : 0;
	return true;
}

static struct str local(uint64_t time_ms, const char *format, struct arena *mem)
{
	time_t t = (time_t)(time_ms / 1000);
	char words[64];
	struct tm tm;

	if (!localtime_r(&t, &tm) ||
	    !strftime(words, sizeof(words), format, &tm))
		return STR("?");
	return arena_copy(mem, str_of(words));
}

bool human_time_midnight(uint64_t now_ms, uint64_t *ret_ms)
{
	time_t now = (time_t)(now_ms / 1000);
	struct tm tm;

	if (!localtime_r(&now, &tm))
		return false;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday++;
	return to_ms(&tm, false, 0, ret_ms);
}

struct str human_time_end(uint64_t time_ms, uint64_t now_ms, struct arena *mem)
{
	uint64_t midnight;

	if (!human_time_midnight(now_ms, &midnight) ||
	    time_ms > midnight + second)
		return local(time_ms, "%Y-%m-%d %H:%M", mem);
	if (time_ms + second >= midnight)
		return STR("midnight");
	return local(time_ms, "%H:%M", mem);
}

struct str human_time_short(uint64_t time_ms, uint64_t now_ms,
			    struct arena *mem)
{
	uint64_t ago = now_ms > time_ms ? now_ms - time_ms : 0;

	if (ago < 10 * second)
		return STR("just now");
	if (ago < minute)
		return arena_printf(mem, "%u s ago", (unsigned)(ago / second));
	if (ago < hour)
		return arena_printf(mem, "%u min ago",
				    (unsigned)(ago / minute));
	if (ago < day)
		return arena_printf(mem, "%u h ago", (unsigned)(ago / hour));
	return local(time_ms, "%Y-%m-%d %H:%M", mem);
}

struct str human_time_long(uint64_t time_ms, uint64_t now_ms, struct arena *mem)
{
	struct str date = local(time_ms, "%Y-%m-%d %H:%M:%S %z", mem);

	if (now_ms - time_ms >= day)
		return date;
	return arena_printf(mem, STR_FMT " (" STR_FMT ")", STR_ARG(date),
			    STR_ARG(human_time_short(time_ms, now_ms, mem)));
}

struct str human_time_lasts(uint64_t ms, struct arena *mem)
{
	const struct {
		uint64_t ms;
		const char *name;
	} units[] = {
		{ day, "d" }, { hour, "h" }, { minute, "min" }, { second, "s" }
	};
	size_t i = 0;

	while (i + 1 < COUNT_OF(units) && ms < units[i].ms)
		i++;
	return arena_printf(mem, "%llu %s",
			    (unsigned long long)(ms / units[i].ms),
			    units[i].name);
}
