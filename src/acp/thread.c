/*
 * thread.c - the parameters of thread/start and thread/resume of Codex.
 *
 * Adds stet's own MCP server (the bridge) to those that the editor names.
 */
#include "acp/agent_local.h"

#include <ctype.h>

/* Codex's own tools see the disk, without unsaved changes of the editor. */
static const struct str instructions = STR_INIT(
	"You work inside the user's editor. Files may have changes there that "
	"are not saved yet, and the user reviews your edits there. Therefore "
	"read and change files with the tools of mcp__stet: read_text_file, "
	"write_text_file, edit_text_file, multi_edit_text_file. They take "
	"absolute paths, see unsaved text, and keep a history. Use the shell "
	"to search, build, test and for everything else, and apply_patch only "
	"for what those tools cannot do: deleting or renaming files. A reply "
	"that ends early says how to go on: do so with its line argument.");

/* Names that Codex takes: letters, digits, - and _. */
static struct str server_name(struct str name, struct arena *mem)
{
	char *copy = arena_cstr(mem, name);

	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)copy[i]) && copy[i] != '-' &&
		    copy[i] != '_')
			copy[i] = '_';
	if (str_is(name, "stet")) /* the name of the bridge */
		return STR("stet_of_the_editor");
	return name.len ? str_of(copy) : STR("server");
}

/* [{name, value}] as {name: value} */
static void put_pairs(struct json_out *o, const char *key, struct json pairs,
		      struct arena *mem)
{
	struct json_walk w = json_walk(pairs);

	if (!json_count(pairs))
		return;
	json_key(o, key);
	json_open(o, '{');
	while (json_step(&w)) {
		json_key_str(o, text_at(w.value, "name", mem));
		json_put_str(o, text_at(w.value, "value", mem));
	}
	json_close(o, '}');
}

static void put_stdio(struct json_out *o, struct json server, struct arena *mem)
{
	json_text_member(o, "command", text_at(server, "command", mem));
	if (json_count(json_get(server, "args"))) {
		json_key(o, "args");
		json_put(o, json_get(server, "args"));
	}
	put_pairs(o, "env", json_get(server, "env"), mem);
}

static void put_http(struct json_out *o, struct json server, struct arena *mem)
{
	json_text_member(o, "url", text_at(server, "url", mem));
	put_pairs(o, "http_headers", json_get(server, "headers"), mem);
}

static void put_server(struct json_out *o, struct json server,
		       struct arena *mem)
{
	json_key_str(o, server_name(text_at(server, "name", mem), mem));
	json_open(o, '{');
	if (str_is(text_at(server, "type", mem), "http"))
		put_http(o, server, mem);
	else
		put_stdio(o, server, mem);
	json_close(o, '}');
}

/* stet's own server: `stet serve --bridge`, connected to this process. */
static void put_own(struct json_out *o, const struct session *s)
{
	json_key(o, "stet");
	json_open(o, '{');
	json_text_member(o, "command", str_of(s->agent->options.self));
	json_key(o, "args");
	json_put_raw(o, STR("[\"serve\",\"--bridge\"]"));
	json_key(o, "env");
	json_open(o, '{');
	json_text_member(o, "STET_BRIDGE", bridge_socket(s->agent->bridge));
	json_text_member(o, "STET_BRIDGE_PID", bridge_pid(s->agent->bridge));
	json_text_member(o, "STET_BRIDGE_WORD", bridge_secret(s->bridge));
	json_close(o, '}');
	json_text_member(o, "default_tools_approval_mode", STR("approve"));
	json_key(o, "supports_parallel_tool_calls");
	json_put_bool(o, true);
	json_key(o, "tool_timeout_sec");
	json_put_int(o, 600);
	json_close(o, '}');
}

static bool is_served(struct json server, struct arena *mem)
{
	return !str_is(text_at(server, "type", mem), "sse");
}

void thread_note_unserved(struct buf *out, struct json servers,
			  struct arena *mem)
{
	struct json_walk w = json_walk(servers);

	while (json_step(&w)) {
		if (is_served(w.value, mem))
			continue;
		buf_add(out, out->len ? STR(", ") : STR(""));
		buf_add(out, text_at(w.value, "name", mem));
	}
}

static void put_servers(struct json_out *o, const struct session *s,
			struct json servers, struct arena *mem)
{
	struct json_walk w = json_walk(servers);

	json_key(o, "mcp_servers");
	json_open(o, '{');
	if (s->bridge)
		put_own(o, s);
	while (json_step(&w))
		if (is_served(w.value, mem))
			put_server(o, w.value, mem);
	json_close(o, '}');
}

static void put_dirs(struct json_out *o, const struct session *s)
{
	if (s->dir_count < 2)
		return;
	json_key(o, "runtimeWorkspaceRoots");
	json_open(o, '[');
	for (size_t i = 0; i < s->dir_count; i++)
		json_put_str(o, s->dirs[i]);
	json_close(o, ']');
}

void thread_put_start(struct json_out *o, const struct session *s,
		      struct json mcp_servers, struct arena *mem)
{
	json_text_member(o, "cwd", s->cwd);
	put_dirs(o, s);
	if (s->bridge)
		json_text_member(o, "developerInstructions", instructions);
	json_key(o, "config");
	json_open(o, '{');
	put_servers(o, s, mcp_servers, mem);
	if (s->bridge) {
		json_key(o, "features.code_mode.direct_only_tool_namespaces");
		json_put_raw(o, STR("[\"mcp__stet\"]"));
	}
	json_close(o, '}');
}
