#include "rpc/prompts.h"

#include "rpc/catalog.h"
#include "rpc/mcp.h"
#include "rpc/reply.h"

enum { MOST_VALUES = 100 }; /* of a completion, as the protocol has it */

static void put_text(struct json_out *o, const char *key, const char *text)
{
	json_key(o, key);
	json_put_str(o, str_of(text));
}

static void put_arguments(struct json_out *o, const struct catalog_argument *a)
{
	json_key(o, "arguments");
	json_open(o, '[');
	for (; a->name; a++) {
		json_open(o, '{');
		put_text(o, "name", a->name);
		put_text(o, "description", a->description);
		json_key(o, "required");
		json_put_bool(o, a->required);
		json_close(o, '}');
	}
	json_close(o, ']');
}

enum job_next prompts_list(struct job *job)
{
	const struct catalog_prompt *p = job->server->catalog->prompts;
	struct json_out o;

	if (!catalog_lists(job))
		return JOB_DONE;
	o = reply_open(job);
	json_key(&o, "prompts");
	json_open(&o, '[');
	for (; p->name; p++) {
		json_open(&o, '{');
		put_text(&o, "name", p->name);
		put_text(&o, "description", p->description);
		if (p->arguments)
			put_arguments(&o, p->arguments);
		json_close(&o, '}');
	}
	json_close(&o, ']');
	reply_put_cache(job, &o);
	message_result_end(&o);
	return JOB_DONE;
}

static const struct catalog_prompt *find(const struct catalog *c,
					 struct str name)
{
	for (const struct catalog_prompt *p = c->prompts; p->name; p++)
		if (str_is(name, p->name))
			return p;
	return NULL;
}

static bool fail_params(struct job *job, const char *text, struct str what)
{
	struct fault f = { .err = ERR_BAD_ARGS };

	f.text = arena_printf(&job->mem, "%s" STR_FMT, text, STR_ARG(what));
	mcp_fail(job, &f);
	return false;
}

static bool check_arguments(struct job *job, const struct catalog_argument *a)
{
	for (; a && a->name; a++)
		if (a->required &&
		    !json_is(json_get(job->round.arguments, a->name),
			     JSON_STRING))
			return fail_params(job, "Missing argument: ",
					   str_of(a->name));
	return true;
}

enum job_next prompts_get(struct job *job)
{
	struct round *r = &job->round;
	const struct catalog_prompt *p;

	if (!json_text(json_get(job->message.params, "name"), &job->mem,
		       &r->name))
		return reply_bad_params(job, "name must be a string");
	p = find(job->server->catalog, r->name);
	if (!p) {
		(void)fail_params(job, "Unknown prompt: ", r->name);
		return JOB_DONE;
	}
	r->arguments = json_get(job->message.params, "arguments");
	if (!check_arguments(job, p->arguments))
		return JOB_DONE;
	return round_begin(job, p->run);
}

/* What is completed: a prompt's argument, or a part of a template. */
static bool read_ref(struct job *job, struct str *of)
{
	const struct catalog *c = job->server->catalog;
	const struct catalog_resource *row = c->resources;
	struct json ref = json_get(job->message.params, "ref");
	bool prompt = json_str_is(json_get(ref, "type"), "ref/prompt");

	if (!prompt && !json_str_is(json_get(ref, "type"), "ref/resource"))
		return fail_params(job, "ref.type must be ",
				   STR("ref/prompt or ref/resource"));
	if (!json_text(json_get(ref, prompt ? "name" : "uri"), &job->mem, of))
		return fail_params(job, "ref must have a ",
				   prompt ? STR("name") : STR("uri"));
	while (!prompt && row && row->uri && !str_is(*of, row->uri))
		row++;
	if (prompt ? !find(c, *of) : !row || !row->uri)
		return fail_params(job, "Nothing to complete for: ", *of);
	return true;
}

static void put_values(struct json_out *o, const char *const *values,
		       struct str begin)
{
	size_t total = 0;

	json_key(o, "completion");
	json_open(o, '{');
	json_key(o, "values");
	json_open(o, '[');
	for (; values && *values; values++)
		if (str_starts(str_of(*values), begin) && total++ < MOST_VALUES)
			json_put_str(o, str_of(*values));
	json_close(o, ']');
	json_key(o, "total");
	json_put_int(o, (int64_t)total);
	json_key(o, "hasMore");
	json_put_bool(o, total > MOST_VALUES);
	json_close(o, '}');
}

enum job_next prompts_complete(struct job *job)
{
	const struct catalog_completion *row =
		job->server->catalog->completions;
	struct json argument = json_get(job->message.params, "argument");
	struct str of, name, begin;
	struct json_out o;

	if (!json_text(json_get(argument, "name"), &job->mem, &name) ||
	    !json_text(json_get(argument, "value"), &job->mem, &begin))
		return reply_bad_params(job,
					"argument must have name and value");
	if (!read_ref(job, &of))
		return JOB_DONE;
	while (row && row->of &&
	       !(str_is(of, row->of) && str_is(name, row->argument)))
		row++;
	o = reply_open(job);
	put_values(&o, row && row->of ? row->values : NULL, begin);
	message_result_end(&o);
	return JOB_DONE;
}
