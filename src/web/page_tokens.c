/*
 * page_tokens.c - who may come in: the list of tokens, a new one, one that is
 * revoked; and the key that signs in another device of the person's.
 *
 * A token is in the answer to the request that made it, and nowhere else.
 */
#include "base/seal.h"
#include "web/page_local.h"
#include "web/tokens.h"

/* On the loop's thread: the list also has what was seen just now. */
void page_tokens_gather(struct visit *v)
{
	struct tokens *t = v->page->options.tokens;
	size_t n = 0;

	if (!t || tokens_list(t, &v->mem, &v->tokens, &n, &v->fault))
		return;
	v->fault = (struct fault){ 0 }; /* "not found" was fine on the way */
	v->token_count = n;
	for (size_t i = 0; i < n; i++)
		v->tokens[i].name = arena_copy(&v->mem, v->tokens[i].name);
}

void page_tokens(struct visit *v)
{
	struct json_out o = json_out(&v->out);

	if (v->fault.err) {
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "tokens");
	json_open(&o, '[');
	for (size_t i = 0; i < v->token_count; i++) {
		const struct token *t = &v->tokens[i];

		json_open(&o, '{');
		json_text_member(&o, "name", t->name);
		put_flag(&o, "owner", str_is(t->name, "owner"));
		put_number(&o, "made", t->made_ms);
		put_number(&o, "seen", t->seen_ms);
		json_close(&o, '}');
	}
	json_close(&o, ']');
	json_close(&o, '}');
}

static bool read_name(struct visit *v, struct str *ret)
{
	struct json body;

	if (!visit_body(v, /* may= */ false, &body))
		return false;
	if (v->page->options.tokens &&
	    json_text(json_get(body, "name"), &v->mem, ret))
		return true;
	(void)fail(&v->fault, ERR_BAD_ARGS, .text = STR("which name?"));
	visit_failed(v);
	return false;
}

void page_token_add(struct visit *v)
{
	struct json_out o = json_out(&v->out);
	struct str name, token;

	if (!read_name(v, &name))
		return;
	if (tokens_add(v->page->options.tokens, name, &v->mem, &token,
		       &v->fault)) {
		visit_failed(v);
		return;
	}
	page_tell_settings(v->page);
	json_open(&o, '{');
	json_text_member(&o, "name", name);
	json_text_member(&o, "token", token);
	json_text_member(&o, "url",
			 arena_printf(&v->mem, STR_FMT "mcp",
				      STR_ARG(v->page->options.url)));
	json_close(&o, '}');
	seal_wipe(token);
}

void page_token_revoke(struct visit *v)
{
	const struct page_options *p = &v->page->options;
	struct json_out o = json_out(&v->out);
	struct str name;
	size_t grants = 0;

	if (!read_name(v, &name))
		return;
	if (tokens_revoke(p->tokens, name, &v->mem, &v->fault) ||
	    tokens_take_grants(p->server->tools.store, p->state_dir, name,
			       &v->mem, &grants, &v->fault)) {
		visit_failed(v);
		return;
	}
	page_tell_settings(v->page);
	json_open(&o, '{');
	json_text_member(&o, "revoked", name);
	put_number(&o, "grants", grants);
	json_close(&o, '}');
}

void page_link(struct visit *v)
{
	struct json_out o = json_out(&v->out);

	if (!v->page->options.guard || !v->page->options.tokens) {
		(void)fail(&v->fault, ERR_BAD_CONFIG,
			   .text = STR("nobody signs in at this server"));
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	json_text_member(&o, "key",
			 guard_new_key(v->page->options.guard, &v->mem));
	json_close(&o, '}');
}
