/*
 * bench_json.c - the throughput of the JSON reader and writer.
 *
 * Not part of the build:
 *
 *	cc -O2 -Isrc -D_GNU_SOURCE bench/bench_json.c build/src/base/libbase.a \
 *		-lxxhash -o bench_json && ./bench_json
 */
#include "base/json.h"
#include "base/utf8_valid.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char message[] =
	"{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"tools/call\",\"params\":{"
	"\"name\":\"edit_text_file\",\"arguments\":{\"path\":"
	"\"/project/src/main.c\",\"old_string\":"
	"\"int main(void)\\n{\\n\\treturn 0;\\n}\\n\",\"new_string\":"
	"\"int main(void)\\n{\\n\\treturn 1;\\n}\\n\",\"replace_all\":false},"
	"\"_meta\":{\"progressToken\":42,\"client\":{\"name\":\"bench\"}}}}";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double best; /* the least seconds of all runs */

#define TIME(runs, ...)                                       \
	do {                                                  \
		best = 1e9;                                   \
		for (int try_ = 0; try_ < 9; try_++) {        \
			double t_ = now();                    \
			for (int i_ = 0; i_ < (runs); i_++) { \
				__VA_ARGS__;                  \
			}                                     \
			t_ = (now() - t_) / (runs);           \
			best = t_ < best ? t_ : best;         \
		}                                             \
	} while (0)

static void say(const char *what, size_t bytes)
{
	printf("%-28s %10.0f ns  %7.2f GB/s\n", what, best * 1e9,
	       (double)bytes / best / 1e9);
}

/* 1 MiB of text with a line break every 29 bytes, or about so. */
static struct str sample(bool uneven, bool accents)
{
	size_t n = 1 << 20;
	char *p = malloc(n);

	srandom(1);
	for (size_t i = 0, left = 28; i < n; i++) {
		p[i] = (char)('a' + i % 26);
		if (!left--) {
			p[i] = '\n';
			left = uneven ? (size_t)random() % 57 : 28;
		} else if (accents && i % 40 == 1 && left) {
			memcpy(p + i - 1, "\xc3\xa9", 2);
		}
	}
	return str_make(p, n);
}

static void bench_text(const char *name, struct str s)
{
	auto_arena mem = ARENA_INIT, doc = ARENA_INIT;
	auto_buf b = BUF_INIT;
	struct json_error error;
	struct json_out o;
	struct json v;
	struct str text;

	printf("%s\n", name);
	TIME(50, if (utf8_valid_prefix(s) != s.len) abort());
	say("  utf8", s.len);
	TIME(50, (void)!json_escaped_len(s));
	say("  escaped length", s.len);
	TIME(50, b.len = 0; json_escape(&b, s));
	say("  escape", s.len);
	b.len = 0;
	o = json_out(&b);
	json_put_str(&o, s);
	TIME(50, arena_reset(&mem, 1 << 30);
	     if (json_parse(buf_str(&b), NULL, &mem, &v, &error)) abort());
	say("  parse", b.len);
	if (json_parse(buf_str(&b), NULL, &doc, &v, &error))
		abort();
	TIME(50, arena_reset(&mem, 1 << 30);
	     if (!json_text(v, &mem, &text)) abort());
	say("  unescape", b.len);
	if (!str_eq(text, s))
		abort();
}

int main(void)
{
	auto_arena mem = ARENA_INIT;
	struct str m = str_make(message, sizeof(message) - 1);
	struct json_error error;
	struct json v;

	TIME(200000, arena_reset(&mem, 1 << 20);
	     if (json_parse(m, NULL, &mem, &v, &error)) abort());
	say("a message", m.len);
	bench_text("1 MiB, an escape every 29 bytes", sample(false, false));
	bench_text("1 MiB, about so", sample(true, false));
	bench_text("1 MiB, with accents", sample(true, true));
	return 0;
}
