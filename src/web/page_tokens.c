/*
 * page_tokens.c - API of tokens: list, add and revoke; and the key that signs
 * in another device of the person.
 *
 * A new token is only in the response to the request that created it.
 */
#include "base/secret.h"
#include "web/page_local.h"
#include "web/tokens.h"

/* On the loop's thread, so that the list has the latest uses. */
void page_tokens_gather(struct api_request *rq)
{
	struct tokens *t = rq->page->options.tokens;
	size_t n = 0;

	if (!t || tokens_list(t, &rq->mem, &rq->tokens, &n, &rq->fault))
		return;
	rq->fault = (struct fault){ 0 }; /* "not found" was fine on the way */
	rq->token_count = n;
	for (size_t i = 0; i < n; i++)
		rq->tokens[i].name = arena_copy(&rq->mem, rq->tokens[i].name);
}

void page_tokens(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);

	if (rq->fault.err) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "tokens");
	json_open(&o, '[');
	for (size_t i = 0; i < rq->token_count; i++) {
		const struct token *t = &rq->tokens[i];

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

static bool read_name(struct api_request *rq, struct str *ret)
{
	struct json body;

	if (!api_body(rq, /* may= */ false, &body))
		return false;
	if (rq->page->options.tokens &&
	    json_text(json_get(body, "name"), &rq->mem, ret))
		return true;
	(void)fail(&rq->fault, ERR_BAD_ARGS, .text = STR("a name is required"));
	api_failed(rq);
	return false;
}

void page_token_add(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);
	struct str name, token;

	if (!read_name(rq, &name))
		return;
	if (tokens_add(rq->page->options.tokens, name, &rq->mem, &token,
		       &rq->fault)) {
		api_failed(rq);
		return;
	}
	page_notify_settings(rq->page);
	json_open(&o, '{');
	json_text_member(&o, "name", name);
	json_text_member(&o, "token", token);
	json_text_member(&o, "url",
			 arena_printf(&rq->mem, STR_FMT "mcp",
				      STR_ARG(rq->page->options.url)));
	json_close(&o, '}');
	secret_wipe(token);
}

void page_token_revoke(struct api_request *rq)
{
	const struct page_options *p = &rq->page->options;
	struct json_out o = json_out(&rq->out);
	struct str name;
	size_t grants = 0;

	if (!read_name(rq, &name))
		return;
	if (tokens_revoke(p->tokens, name, &rq->mem, &rq->fault) ||
	    tokens_take_grants(p->server->tools.store, p->state_dir, name,
			       &rq->mem, &grants, &rq->fault)) {
		api_failed(rq);
		return;
	}
	page_notify_settings(rq->page);
	json_open(&o, '{');
	json_text_member(&o, "revoked", name);
	put_number(&o, "grants", grants);
	json_close(&o, '}');
}

void page_link(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);

	if (!rq->page->options.guard || !rq->page->options.tokens) {
		(void)fail(&rq->fault, ERR_BAD_CONFIG,
			   .text = STR("this server has no sign-in"));
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	json_text_member(&o, "key",
			 guard_new_key(rq->page->options.guard, &rq->mem));
	json_close(&o, '}');
}
