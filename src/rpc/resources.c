#include "rpc/resources.h"

#include "rpc/catalog.h"
#include "rpc/mcp.h"
#include "rpc/reply.h"

static bool is_template(const struct catalog_resource *row)
{
	return strchr(row->uri, '{') != NULL;
}

static void put_text(struct json_out *o, const char *key, const char *text)
{
	if (!text)
		return;
	json_key(o, key);
	json_put_str(o, str_of(text));
}

static enum job_next list(struct job *job, const char *key, bool templates)
{
	const struct catalog_resource *row = job->server->catalog->resources;
	struct json_out o;

	if (!catalog_lists(job))
		return JOB_DONE;
	o = reply_open(job);
	json_key(&o, key);
	json_open(&o, '[');
	for (; row->uri; row++) {
		if (is_template(row) != templates)
			continue;
		json_open(&o, '{');
		put_text(&o, templates ? "uriTemplate" : "uri", row->uri);
		put_text(&o, "name", row->name);
		put_text(&o, "description", row->description);
		put_text(&o, "mimeType", row->mime);
		json_close(&o, '}');
	}
	json_close(&o, ']');
	reply_put_cache(job, &o);
	message_result_end(&o);
	return JOB_DONE;
}

enum job_next resources_list(struct job *job)
{
	return list(job, "resources", false);
}

enum job_next resources_list_templates(struct job *job)
{
	return list(job, "resourceTemplates", true);
}

/* Is it @uri, or one of the template? @part: what it has for {...}. */
static bool matches(struct str uri, const char *row, struct str *part)
{
	struct str all = str_of(row);
	size_t open = str_find(all, '{'), close = str_find(all, '}');
	struct str before = str_head(all, open),
		   after = str_skip(all, close + 1);

	if (open == all.len)
		return str_eq(uri, all);
	if (uri.len <= before.len + after.len || !str_starts(uri, before) ||
	    !str_ends(uri, after))
		return false;
	*part = str_sub(uri, before.len, uri.len - after.len);
	return str_find(*part, '/') == part->len;
}

static enum job_next not_there(struct job *job, struct str uri)
{
	struct fault f = { .err = ERR_BAD_ARGS };
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	f.text = arena_printf(&job->mem, "Resource not found: " STR_FMT,
			      STR_ARG(uri));
	json_open(&o, '{');
	json_key(&o, "uri");
	json_put_str(&o, uri);
	json_close(&o, '}');
	f.data = buf_str(&data);
	mcp_fail(job, &f);
	return JOB_DONE;
}

enum job_next resources_read(struct job *job)
{
	const struct catalog_resource *row = job->server->catalog->resources;
	struct round *r = &job->round;

	if (!json_text(json_get(job->message.params, "uri"), &job->mem,
		       &r->name))
		return reply_bad_params(job, "uri must be a string");
	while (row->uri && !matches(r->name, row->uri, &r->part))
		row++;
	if (!row->uri)
		return not_there(job, r->name);
	r->cached = true;
	return round_begin(job, row->run);
}
