#include "rpc/catalog.h"

#include "rpc/prompts.h"
#include "rpc/reply.h"
#include "rpc/resources.h"

/* What of the catalog makes a method known. */
enum part { OF_ALL, OF_RESOURCES, OF_PROMPTS };

static const struct {
	struct method method;
	enum part part;
} methods[] = {
	{ { "completion/complete", LEGACY | MODERN, false, prompts_complete },
	  OF_PROMPTS },
	{ { "logging/setLevel", LEGACY, false, round_set_level }, OF_ALL },
	{ { "prompts/get", LEGACY | MODERN, false, prompts_get }, OF_PROMPTS },
	{ { "prompts/list", LEGACY | MODERN, false, prompts_list },
	  OF_PROMPTS },
	{ { "resources/list", LEGACY | MODERN, false, resources_list },
	  OF_RESOURCES },
	{ { "resources/read", LEGACY | MODERN, false, resources_read },
	  OF_RESOURCES },
	{ { "resources/subscribe", LEGACY, false, news_subscribe },
	  OF_RESOURCES },
	{ { "resources/templates/list", LEGACY | MODERN, false,
	    resources_list_templates },
	  OF_RESOURCES },
	{ { "resources/unsubscribe", LEGACY, false, news_unsubscribe },
	  OF_RESOURCES },
	{ { "subscriptions/listen", MODERN, false, news_open }, OF_ALL },
};

static bool has(const struct catalog *c, enum part part)
{
	switch (part) {
	case OF_RESOURCES:
		return c->resources != NULL;
	case OF_PROMPTS:
		return c->prompts != NULL;
	case OF_ALL:
		break;
	}
	return true;
}

const struct method *catalog_method(const struct catalog *c, struct str name,
				    enum eras era)
{
	for (size_t i = 0; c && i < COUNT_OF(methods); i++)
		if ((methods[i].method.eras & era) &&
		    str_is(name, methods[i].method.name) &&
		    has(c, methods[i].part))
			return &methods[i].method;
	return NULL;
}

void catalog_put_capabilities(struct json_out *o, const struct catalog *c)
{
	static const struct str changing = STR_INIT("{\"listChanged\":true}");

	json_key(o, "capabilities");
	json_open(o, '{');
	json_key(o, "tools");
	json_put_raw(o, c && c->tools ? changing : STR("{}"));
	if (c && c->resources) {
		json_key(o, "resources");
		json_put_raw(o,
			     STR("{\"listChanged\":true,\"subscribe\":true}"));
	}
	if (c && c->prompts) {
		json_key(o, "prompts");
		json_put_raw(o, changing);
		json_key(o, "completions");
		json_put_raw(o, STR("{}"));
	}
	if (c) {
		json_key(o, "logging");
		json_put_raw(o, STR("{}"));
	}
	json_close(o, '}');
}

void catalog_put_tools(struct json_out *o, const struct catalog *c)
{
	for (const struct catalog_tool *t = c ? c->tools : NULL; t && t->name;
	     t++) {
		json_open(o, '{');
		json_key(o, "name");
		json_put_str(o, str_of(t->name));
		json_key(o, "description");
		json_put_str(o, str_of(t->description));
		json_key(o, "inputSchema");
		json_put_raw(o, str_of(t->schema));
		json_close(o, '}');
	}
}

/* Do the headers repeat the arguments that they are to repeat? */
static bool check_headers(struct job *job, const struct catalog_tool *t)
{
	struct json arguments = json_get(job->message.params, "arguments");
	const char *wrong;

	if (!job->headers || !job->modern)
		return true;
	wrong = headers_differ(job->headers, str_of(t->schema), arguments,
			       &job->mem);
	if (wrong)
		reply_refuse(job, ERR_BAD_HEADERS, wrong);
	return !wrong;
}

bool catalog_call_tool(struct job *job, struct str name, enum job_next *ret)
{
	const struct catalog *c = job->server->catalog;
	const struct catalog_tool *t = c ? c->tools : NULL;

	while (t && t->name && !str_is(name, t->name))
		t++;
	if (!t || !t->name)
		return false;
	*ret = JOB_DONE;
	if (!check_headers(job, t))
		return true;
	job->round.name = name;
	job->round.arguments = json_get(job->message.params, "arguments");
	*ret = round_begin(job, t->run);
	return true;
}

bool catalog_lists(struct job *job)
{
	struct json cursor = json_get(job->message.params, "cursor");

	if (json_kind(cursor) <= JSON_NULL)
		return true;
	(void)reply_bad_params(job, "Unknown cursor: the list has one page");
	return false;
}
