/*
 * config.c - builds a server from the options of the command line.
 *
 * One struct configured holds the server with its store, workspace, rules and
 * records. config_roots.c sets the directories afterwards.
 */
#include "app/config_local.h"
#include "app/confinement.h"
#include "app/records.h"
#include "base/log.h"
#include "files/ws_local.h"
#include "rpc/clients.h"
#include "store/store.h"
#include "text/encoding/encoding.h"
#include "tools/call/args.h"
#include "tools/change/hooks.h"
#include "tools/permissions/rules.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

const char *const log_choices[] = { "off", "error", "info", "debug", NULL };
/* "auto", then the values of enum results. */
const char *const results_choices[] = { "auto", "both",       "plain",
					"text", "structured", NULL };
const char *const tool_errors_choices[] = { "auto", "jsonrpc", "result", NULL };
/* In the order of enum ask_by. */
const char *const ask_by_choices[] = { "auto", "client", "page", "both", NULL };
const char *const durability_choices[] = { "power", "process", NULL };
const char *const write_eol_choices[] = { "keep", "exact", NULL };
const char *const overwrite_choices[] = { "seen", "always", NULL };
const char *const stale_check_choices[] = { "content", "mtime", NULL };
const char *const default_eol_choices[] = { "lf", "crlf", NULL };
const char *const history_choices[] = { "on", "off", "required", NULL };

enum history { HISTORY_ON, HISTORY_OFF, HISTORY_REQUIRED };

const struct config config_default = {
	.max_message = 128 << 20,
	/* Both official clients disconnect at a line of over 10,485,760 bytes. */
	.max_reply = 10 * 1000 * 1000,
	.max_file = 256 << 20,
	.max_memory = 2ULL << 30,
	.ask_timeout = 600,
	.stop_ms = 5000,
	.approval_wait = APPROVAL_WAIT_UNSET,
	.confine = CONFINEMENT_DEFAULT,
};

/* --tools, else "tools" of the person's settings. */
static enum err choose_tools(const char *names, const struct policy *policy,
			     struct selection *ret, struct arena *mem,
			     struct fault *f)
{
	struct str from = STR("--tools");
	struct offer offer;

	if (!names) {
		*ret = policy_tools(policy, &from);
	} else if (selection_parse(str_of(names), mem, ret, f)) {
		return fail(f, ERR_BAD_ARGS,
			    .text = arena_printf(mem, "--tools: " STR_FMT,
						 STR_ARG(f->text)));
	}
	offer = selection_offer(ret, client_named(STR(""))->listed);
	if (offer.listed && (!names || *names))
		return ERR_OK;
	return fail(f, ERR_BAD_ARGS,
		    .text = arena_printf(mem,
					 STR_FMT
					 " leaves no tool (see 'stet tools')",
					 STR_ARG(from)));
}

/* --encoding GLOB=NAME, split at the last "=": names contain none. */
static enum err choose_encodings(const struct option_list *list,
				 struct encoding_rule **ret, struct arena *mem,
				 struct fault *f)
{
	struct encoding_rule *rules =
		arena_array(mem, struct encoding_rule, list->count);

	*ret = rules;
	for (size_t i = 0; i < list->count; i++) {
		struct str text = str_of(list->items[i]);
		size_t equals = str_rfind(text, '=');

		rules[i].glob = str_head(text, equals);
		rules[i].encoding = encoding_named(str_skip(text, equals + 1));
		if (!rules[i].encoding || !rules[i].glob.len)
			return fail(
				f, ERR_BAD_ARGS,
				.text = arena_printf(
					mem,
					"--encoding takes GLOB=NAME with the name of an encoding, not '" STR_FMT
					"'",
					STR_ARG(text)));
	}
	return ERR_OK;
}

static void take_hooks(const struct config *c, enum hook_when when,
		       struct hooks *ret, struct arena *mem)
{
	const struct option_list *list =
		when == HOOK_BEFORE_EDIT ? &c->before_edit : &c->after_edit;
	struct hook *rows = arena_array(mem, struct hook, list->count);
	struct str origin = when == HOOK_BEFORE_EDIT ? STR("--before-edit")
						     : STR("--after-edit");

	for (size_t i = 0; i < list->count; i++)
		rows[i] = (struct hook){ .command = str_of(list->items[i]),
					 .timeout_ms = c->hook_timeout,
					 .origin = origin };
	ret->rows[when] = rows;
	ret->count[when] = list->count;
}

const struct hooks *config_hooks(const struct config *c, struct arena *mem)
{
	struct hooks *hooks = arena_new(mem, struct hooks);

	take_hooks(c, HOOK_BEFORE_EDIT, hooks, mem);
	take_hooks(c, HOOK_AFTER_EDIT, hooks, mem);
	return hooks->count[0] + hooks->count[1] ? hooks : NULL;
}

/* Rejects unknown tool names, which would silently have no effect. */
static enum err check_approve(const struct option_list *list, struct arena *mem,
			      struct fault *f)
{
	for (size_t i = 0; i < list->count; i++)
		if (!tool_named(str_of(list->items[i])))
			return fail(
				f, ERR_BAD_ARGS,
				.text = arena_printf(
					mem,
					"--approve: there is no tool '%s' (see 'stet tools')",
					list->items[i]));
	return ERR_OK;
}

enum {
	CACHE_PART = 8
}; /* the fraction 1/8 of the clients' memory is for caches */

static void open_budgets(struct configured *all, size_t wanted)
{
	struct server *s = &all->server;
	size_t max = budget_for_process(wanted);

	budget_open(&all->budget, NULL, max);
	budget_open(&all->caches, &all->budget, max / CACHE_PART);
	s->budget = &all->budget;
	s->caches = &all->caches;
}

const struct policy *config_policy(const struct server *s)
{
	return ((const struct configured *)s)->policy;
}

size_t config_max_message(const struct config *c, const struct server *s)
{
	enum {
		PART = 4
	}; /* 1/4: decoding and working on a message need memory too */

	return size_min(c->max_message, s->budget->max / PART);
}

/* The database is opened at the first use. */
static struct store *new_store(const struct config *c,
			       const struct config_history *settings)
{
	if (c->history == HISTORY_OFF ||
	    (settings->off && c->history != HISTORY_REQUIRED))
		return NULL;
	return store_new(&(struct store_options){
		.dir = str_of(c->state_dir),
		.durable = c->durability == DURABLE_POWER,
		.max_bytes = settings->max_bytes ? settings->max_bytes
						 : STORE_MAX_BYTES });
}

/* Sets who asks the person, and the timeouts. */
static void set_asking(const struct config *c, struct server *s)
{
	s->ask_by = (enum ask_by)c->ask_by;
	s->ask_ms = c->ask_timeout * 1000;
	s->approval_ms = 1000 * (c->approval_wait != APPROVAL_WAIT_UNSET
					 ? c->approval_wait
				 : c->http ? PAGE_WAIT_S
					   : 0);
}

/* The directory stet was started in, without symlinks. */
static struct str start_directory(struct arena *mem)
{
	char here[PATH_MAX];

	return getcwd(here, sizeof(here)) ? arena_copy(mem, str_of(here))
					  : STR("");
}

struct server *config_server(const struct config *c, struct fault *f,
			     struct arena *mem)
{
	struct configured *all = calloc(1, sizeof(*all));
	struct server *s = &all->server;
	const struct hooks *hooks = config_hooks(c, mem);
	struct encoding_rule *encodings;

	if (!all)
		out_of_memory();
	(void)pthread_mutex_init(&all->policy_lock, NULL);
	if (choose_encodings(&c->encodings, &encodings, mem, f) ||
	    check_approve(&c->approve, mem, f) ||
	    policy_new(&c->policy, hooks, &all->policy, f) ||
	    choose_tools(c->tools, all->policy, &s->selection, mem, f)) {
		f->text = arena_copy(mem, f->text);
		config_free(s);
		return NULL;
	}
	all->config = c;
	log_set((enum log_level)c->log);
	open_budgets(all, c->max_memory);
	s->version = STET_VERSION;
	s->tool_errors = (enum tool_errors)c->tool_errors;
	s->results_auto = !c->results;
	s->tools = (struct tool_options){
		.find = { .start = start_directory(mem),
			  .timeout_ms = c->find_timeout * 1000,
			  .chars = (size_t)c->find_chars,
			  .threads = (unsigned)c->find_threads,
			  .ignored = c->find_ignored },
		.results =
			c->results ? RESULTS_CHOSEN(c->results) : RESULTS_BOTH,
		.max_file = c->max_file,
		.max_reply = c->max_reply,
		.write_exact = c->write_eol == 1,
		.overwrite = c->overwrite == 1,
		.stale_mtime = c->stale_check == 1,
		.new_crlf = c->default_eol == 1,
		.snippet = (size_t)c->snippet_lines,
		.hooks = hooks,
		.encodings = encodings,
		.encoding_count = c->encodings.count,
		.memory_dir = c->memory_dir,
		.refuse_secrets = c->refuse_secrets,
		.approved = c->approve.items,
		.approved_count = c->approve.count,
		.store = new_store(c, policy_history(all->policy)),
		.store_must = c->history == HISTORY_REQUIRED,
		.rules = policy_rules(all->policy),
	};
	s->ws = ws_local_new(&(struct ws_local_options){
		.durability = (enum durability)c->durability });
	all->disk = s->ws;
	s->light_changes = c->durability != DURABLE_POWER;
	s->take_roots = config_take_roots;
	s->dialogs_may_last = policy_approvals(all->policy)->dialogs_may_last;
	set_asking(c, s);
	request_state_issuer_open(&s->request_states, s->ask_ms);
	if (!records_open(c, s, mem, f))
		return s;
	config_free(s);
	return NULL;
}

void config_free(struct server *s)
{
	if (!s)
		return;
	records_close(s);
	request_state_issuer_close(&s->request_states);
	if (s->ws)
		ws_local_free(s->ws);
	store_free(s->tools.store);
	policy_free(((struct configured *)s)->policy);
	free(s);
}

enum err config_mode(struct server *s, const char *mode, struct fault *f)
{
	policy_mode(((struct configured *)s)->policy, mode);
	return config_projects(s, f);
}
