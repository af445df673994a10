/*
 * t_hello.c - the tool hello: a greeting that touches no file, to test a
 * connection.
 */
#include "base/clock.h"
#include "tools/call/tool.h"

struct hello_args {
	struct str name;
};

struct hello_out {
	struct str message, timestamp;
};

static enum err hello_run(struct call *c)
{
	const struct hello_args *a = c->args;
	struct hello_out *out = c->out;
	char stamp[CLOCK_STAMP];
	auto_buf text = BUF_INIT;

	clock_stamp(stamp);
	buf_lit(&text, "Hello, ");
	buf_add(&text, a->name.ptr ? a->name : STR("World"));
	buf_lit(&text, "!");
	out->message = arena_copy(c->mem, buf_str(&text));
	out->timestamp = arena_copy(c->mem, str_of(stamp));
	c->say = out->message;
	return ERR_OK;
}

static const struct field fields[] = {
	{ "name", FIELD_STR, .offset = offsetof(struct hello_args, name),
	  .doc = "Name to greet", .standard = "\"World\"" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "message", FIELD_STR, .required = true,
	  .offset = offsetof(struct hello_out, message),
	  .doc = "Greeting message" },
	{ "timestamp", FIELD_STR, .required = true,
	  .offset = offsetof(struct hello_out, timestamp),
	  .doc = "Server timestamp", .format = "date-time" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"No side effects",
	"Always succeeds",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Check the connection", "{\"name\":\"Learner\"}",
	  "{\"message\":\"Hello, Learner!\",\"timestamp\":\"2026-01-15T10:30:00Z\"}" },
	{ NULL },
};

const struct tool tool_hello = {
	.name = "hello",
	.title = "Test connectivity",
	.doc = "Test connectivity. Test tool for verifying MCP connectivity.",
	.families = { "repo" },
	.kind = "other",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct hello_args),
	.out_size = sizeof(struct hello_out),
	.effects = TOOL_PURE,
	.run = hello_run,
	.constraints = constraints,
	.examples = examples,
};
