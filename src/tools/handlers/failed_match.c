/*
 * failed_match.c - explains why a string was not found, or was found several
 * times, with the nearest places in the file.
 *
 * Pure; both forms are kept within FAILED_MATCH_ROOM bytes.
 */
#include "tools/handlers/failed_match.h"

#include "base/json.h"

static void put_candidate(struct json_out *o, const struct candidate *n)
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

/* As many as fit, best first. */
static struct str candidates_json(const struct candidate *candidates, size_t n,
				  struct arena *mem)
{
	enum { BRACKETS = 2 };
	auto_buf all = BUF_INIT;
	struct json_out o = json_out(&all);

	json_open(&o, '[');
	for (size_t i = 0; i < n; i++) {
		auto_buf one = BUF_INIT;
		struct json_out each = json_out(&one);

		put_candidate(&each, &candidates[i]);
		if (all.len + one.len + BRACKETS > FAILED_MATCH_ROOM)
			break;
		json_put_raw(&o, buf_str(&one));
	}
	json_close(&o, ']');
	return arena_copy(mem, buf_str(&all));
}

static struct str candidates_text(const struct candidate *candidates, size_t n,
				  struct arena *mem)
{
	auto_buf all = BUF_INIT;

	if (!n)
		return STR("Nothing in the file is similar to it.");
	for (size_t i = 0; i < n; i++) {
		auto_buf one = BUF_INIT;

		buf_addf(&one, "%sLine %zu", i ? "\n" : "", candidates[i].line);
		if (candidates[i].similarity < 100)
			buf_addf(&one, " is %u%% similar to it",
				 candidates[i].similarity);
		buf_addf(&one, ": " STR_FMT, STR_ARG(candidates[i].differs));
		if (candidates[i].text.len)
			buf_addf(&one, "\n  " STR_FMT,
				 STR_ARG(candidates[i].text));
		if (all.len + one.len > FAILED_MATCH_ROOM)
			break;
		buf_add(&all, buf_str(&one));
	}
	return arena_copy(mem, buf_str(&all));
}

void failed_match_tell(const struct candidate *candidates, size_t n,
		       struct arena *mem, struct fault *f)
{
	f->candidates = candidates_json(candidates, n, mem);
	f->nearest = candidates_text(candidates, n, mem);
}

void failed_match_explain(struct str text, struct arena *mem, struct fault *f)
{
	struct candidate candidates[CANDIDATES_AMBIGUOUS];
	size_t n;

	if (f->err == ERR_NO_MATCH || f->err == ERR_NO_MATCH_AT)
		n = candidates_similar(text, f->text, mem, candidates);
	else if (f->err == ERR_MANY_MATCHES || f->err == ERR_MANY_MATCHES_AT)
		n = candidates_ambiguous(text, f->text, mem, candidates);
	else
		return;
	failed_match_tell(candidates, n, mem, f);
}
