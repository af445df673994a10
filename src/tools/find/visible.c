/*
 * visible.c - quick tests for the rules, and the full judgement behind them.
 *
 * Each file has a step budget of its own: with one for the whole search, a
 * large tree would exhaust it and be hidden.
 */
#include "tools/find/visible.h"

#include "files/path.h"
#include "text/display/caseless.h"
#include "tools/permissions/sensitive.h"

#include <stdlib.h>

static bool has_wildcard(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (memchr("*?[\\", s.ptr[i], 4))
			return true;
	return false;
}

/* The test for a last component. */
static void test_of(struct str last, struct visible_rule *ret)
{
	size_t literal = 0;

	ret->test = VISIBLE_ANY;
	ret->text = last;
	if (!caseless_is_plain(last))
		return;
	if (!has_wildcard(last)) {
		ret->test = last.len ? VISIBLE_EXACT : VISIBLE_ANY;
		return;
	}
	if (last.ptr[0] == '*' && !has_wildcard(str_skip(last, 1))) {
		ret->test = VISIBLE_SUFFIX;
		ret->text = str_skip(last, 1);
		return;
	}
	while (!has_wildcard(str_sub(last, literal, literal + 1)))
		literal++;
	ret->text = str_head(last, literal);
	ret->test = literal ? VISIBLE_PREFIX : VISIBLE_ANY;
}

/* A directory that every path has that the pattern matches; "" = none. */
static struct str way_of(struct str dirs)
{
	struct str name;

	while (path_next(&dirs, &name))
		if (!has_wildcard(name) && caseless_is_plain(name) &&
		    !str_is(name, "~") && !str_is(name, ".."))
			return name;
	return STR("");
}

static void take_apart(struct str path, struct visible_rule *ret)
{
	size_t slash;

	*ret = (struct visible_rule){ 0 };
	if (str_ends(path, STR("/"))) {
		ret->only_directory = true;
		path.len--;
	}
	slash = str_rfind(path, '/');
	if (slash == path.len) {
		test_of(path, ret);
		return;
	}
	test_of(str_skip(path, slash + 1), ret);
	ret->way = way_of(str_head(path, slash));
}

void visible_init(struct visible *v, struct call *c, const struct str *roots,
		  size_t root_count)
{
	const struct rules *r = c->options->rules;

	*v = (struct visible){ .call = c,
			       .roots = roots,
			       .root_count = root_count };
	if (!r)
		return;
	v->rules = r = rules_now(r);
	for (size_t i = 0; i < r->count; i++) {
		if (!rule_stops_reading(&r->rule[i], c->tool))
			continue;
		if (!r->rule[i].path.len || v->count == VISIBLE_MOST_RULES) {
			v->all = true;
			return;
		}
		take_apart(r->rule[i].path, &v->rule[v->count++]);
	}
}

static struct visible_frame *frame_add(struct visible *v)
{
	if (v->frames == v->room) {
		v->room = 2 * v->room + 16;
		v->frame = reallocarray(v->frame, v->room, sizeof(*v->frame));
		if (!v->frame)
			out_of_memory();
	}
	return &v->frame[v->frames++];
}

static uint64_t rules_on_way(const struct visible *v, struct str name)
{
	uint64_t active = 0;

	for (size_t i = 0; i < v->count; i++)
		if (v->rule[i].way.len && caseless_eq(v->rule[i].way, name))
			active |= UINT64_C(1) << i;
	return active;
}

static bool name_passes(const struct visible_rule *rule, struct str name,
			bool is_dir)
{
	struct str text = rule->text;

	if (rule->only_directory && !is_dir)
		return false;
	switch (rule->test) {
	case VISIBLE_ANY:
		return true;
	case VISIBLE_EXACT:
		return caseless_eq(name, text);
	case VISIBLE_PREFIX:
		return caseless_eq(str_head(name, text.len), text);
	case VISIBLE_SUFFIX:
		return name.len >= text.len &&
		       caseless_eq(str_skip(name, name.len - text.len), text);
	}
	return true;
}

/* May a rule, or the table of sensitive names, concern this entry? */
static bool may_concern(const struct visible *v,
			const struct visible_frame *frame, struct str name,
			bool is_dir)
{
	if (frame->all || sensitive_may_ask(name))
		return true;
	for (size_t i = 0; i < v->count; i++)
		if (((frame->active >> i) & 1) &&
		    name_passes(&v->rule[i], name, is_dir))
			return true;
	return false;
}

void visible_begin(struct visible *v, struct str key, struct str path)
{
	struct visible_frame *frame;
	struct str rest = key, name;

	v->frames = 0;
	if (!v->rules)
		return;
	v->key_len = key.len;
	v->given = path;
	frame = frame_add(v);
	*frame = (struct visible_frame){ .all = v->all || !str_eq(key, path) };
	for (size_t i = 0; i < v->count; i++)
		if (!v->rule[i].way.len)
			frame->active |= UINT64_C(1) << i;
	while (path_next(&rest, &name)) {
		frame->active |= rules_on_way(v, name);
		frame->all = frame->all ||
			     may_concern(v, frame, name, /* is_dir= */ true);
	}
}

void visible_enter(struct visible *v, struct str name)
{
	struct visible_frame next;

	if (!v->rules)
		return;
	next = v->frame[v->frames - 1];
	next.all = next.all || may_concern(v, &next, name, /* is_dir= */ true);
	next.active |= rules_on_way(v, name);
	*frame_add(v) = next;
}

void visible_leave(struct visible *v)
{
	v->frames -= v->rules != NULL;
}

static enum visibility judge(struct visible *v, struct str key, bool is_dir)
{
	struct glob_budget effort = { .steps = RULES_MAX_STEPS,
				      .stop = v->call->progress.stop,
				      .ctx = v->call->progress.ctx };
	struct action action = { .tool = v->call->tool,
				 .directory = is_dir,
				 .effort = &effort };
	struct decision d;
	struct str path = key;

	arena_reset(&v->mem, 16 * 1024);
	if (!str_eq(v->given, str_head(key, v->key_len)))
		path = path_join(&v->mem, v->given,
				 str_skip(key, v->key_len + 1));
	action_place(&action, path, key, v->roots, v->root_count, &v->mem);
	action_place_above(&action, v->rules, &v->mem);
	if (rules_denied(v->rules, &action))
		return VISIBLE_NOT;
	rules_decide(v->rules, &action, &d);
	if (d.verdict == VERDICT_DENY)
		return VISIBLE_NOT;
	return d.verdict == VERDICT_ASK ? VISIBLE_ASKS : VISIBLE;
}

enum visibility visible_is(struct visible *v, struct str key, struct str name,
			   bool is_dir)
{
	if (!v->rules ||
	    !may_concern(v, &v->frame[v->frames - 1], name, is_dir))
		return VISIBLE;
	return judge(v, key, is_dir);
}

void visible_free(struct visible *v)
{
	free(v->frame);
	arena_free(&v->mem);
}
