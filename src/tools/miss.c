#include "tools/miss.h"

#include "base/json.h"
#include "text/near.h"

static void put_candidate(struct json_out *o, const struct near *n)
{
	json_open(o, '{');
	json_key(o, "line");
	json_put_int(o, (int64_t)n->line);
	json_key(o, "similarity");
	json_put_int(o, n->similarity);
	if (n->text.len) {
		json_key(o, "text");
		json_put_str(o, n->text);
	}
	json_key(o, "differs");
	json_put_str(o, n->differs);
	json_close(o, '}');
}

/* As many as there is room for, in the order they come. */
static struct str as_json(const struct near *near, size_t n, struct arena *mem)
{
	enum { BRACKETS = 2 };
	auto_buf all = BUF_INIT;
	struct json_out o = json_out(&all);

	json_open(&o, '[');
	for (size_t i = 0; i < n; i++) {
		auto_buf one = BUF_INIT;
		struct json_out each = json_out(&one);

		put_candidate(&each, &near[i]);
		if (all.len + one.len + BRACKETS > MISS_ROOM)
			break;
		json_put_raw(&o, buf_str(&one));
	}
	json_close(&o, ']');
	return arena_copy(mem, buf_str(&all));
}

static struct str as_text(const struct near *near, size_t n, struct arena *mem)
{
	auto_buf all = BUF_INIT;

	if (!n)
		return STR("Nothing in the file is like it.");
	for (size_t i = 0; i < n; i++) {
		auto_buf one = BUF_INIT;

		buf_addf(&one, "%sLine %zu", i ? "\n" : "", near[i].line);
		if (near[i].similarity < 100)
			buf_addf(&one, " is %u%% like it", near[i].similarity);
		buf_addf(&one, ": " STR_FMT, STR_ARG(near[i].differs));
		if (near[i].text.len)
			buf_addf(&one, "\n  " STR_FMT, STR_ARG(near[i].text));
		if (all.len + one.len > MISS_ROOM)
			break;
		buf_add(&all, buf_str(&one));
	}
	return arena_copy(mem, buf_str(&all));
}

void miss_explain(struct str text, struct arena *mem, struct fault *f)
{
	struct near near[NEAR_PLACES];
	size_t n;

	if (f->err == ERR_NO_MATCH || f->err == ERR_NO_MATCH_AT)
		n = near_misses(text, f->text, mem, near);
	else if (f->err == ERR_MANY_MATCHES || f->err == ERR_MANY_MATCHES_AT)
		n = near_places(text, f->text, mem, near);
	else
		return;
	f->candidates = as_json(near, n, mem);
	f->nearest = as_text(near, n, mem);
}
