/*
 * demo.h - shared by cmd_demo.c (the script) and demo_talk.c (the client).
 */
#ifndef STET_DEMO_H
#define STET_DEMO_H

#include "app/screen.h"
#include "base/arena.h"
#include "base/json.h"

#include <sys/types.h>

struct demo {
	char dir[64], state[64];
	pid_t server;
	int to, from;
	struct buf line;
	struct arena mem;
	int id;
	bool pauses, failed;
};

void demo_paint(const struct demo *d, enum ink ink, struct str text);
void demo_rest(const struct demo *d);
void demo_heading(const struct demo *d, const char *text);
void demo_show_lines(const struct demo *d, struct str text, bool diff);
bool demo_start_server(struct demo *d);
bool demo_send_line(struct demo *d, struct str message);
struct json demo_ask(struct demo *d, const char *method, struct str params);
struct json demo_call(struct demo *d, const char *tool, const char *format,
		      ...);
struct json demo_payload(struct json reply);
void demo_expect_ok(struct demo *d, struct json reply);
void demo_expect_error(struct demo *d, struct json reply);
void demo_show_diff(struct demo *d, struct json reply);

/* The sign-in link of the server's page; "" until it is known. */
struct str demo_link(struct demo *d);

#endif
