/*
 * session_options.c - the options of a session: mode, model and reasoning effort.
 *
 * A mode sets both Codex's sandbox and stet's rules (agent_modes[]). Changes of
 * model and effort apply from the next turn on.
 */
#include "acp/agent_local.h"

const struct agent_mode agent_modes[] = {
	{ "read-only", "Read only",
	  "Codex reads files and answers; it asks before it changes anything",
	  "on-request", "read-only",
	  "{\"type\":\"readOnly\",\"networkAccess\":false}", "plan" },
	{ "auto", "Auto",
	  "Codex works inside the project on its own, and asks before it goes beyond it",
	  "on-request", "workspace-write",
	  "{\"type\":\"workspaceWrite\",\"writableRoots\":[],\"networkAccess\":false,\"excludeTmpdirEnvVar\":false,\"excludeSlashTmp\":false}",
	  "default" },
	{ "full-access", "Full access",
	  "Codex does everything without asking, also outside the project",
	  "never", "danger-full-access", "{\"type\":\"dangerFullAccess\"}",
	  "bypassPermissions" },
};
const size_t agent_mode_count = COUNT_OF(agent_modes);

const struct agent_mode *agent_mode_named(struct str id)
{
	for (size_t i = 0; i < agent_mode_count; i++)
		if (str_is(id, agent_modes[i].id))
			return &agent_modes[i];
	return NULL;
}

static void put_modes(struct json_out *o, const struct session *s)
{
	json_key(o, "modes");
	json_open(o, '{');
	json_text_member(o, "currentModeId", str_of(s->mode->id));
	json_key(o, "availableModes");
	json_open(o, '[');
	for (size_t i = 0; i < agent_mode_count; i++) {
		json_open(o, '{');
		json_text_member(o, "id", str_of(agent_modes[i].id));
		json_text_member(o, "name", str_of(agent_modes[i].name));
		json_text_member(o, "description",
				 str_of(agent_modes[i].description));
		json_close(o, '}');
	}
	json_close(o, ']');
	json_close(o, '}');
}

static void open_select(struct json_out *o, const char *id, const char *name,
			const char *category, struct str value)
{
	json_open(o, '{');
	json_text_member(o, "id", str_of(id));
	json_text_member(o, "name", str_of(name));
	json_text_member(o, "category", str_of(category));
	json_text_member(o, "type", STR("select"));
	json_text_member(o, "currentValue", value);
	json_key(o, "options");
	json_open(o, '[');
}

static void put_choice(struct json_out *o, struct str value, struct str name,
		       struct str about)
{
	json_open(o, '{');
	json_text_member(o, "value", value);
	json_text_member(o, "name", name.len ? name : value);
	if (about.len)
		json_text_member(o, "description", about);
	json_close(o, '}');
}

static void close_select(struct json_out *o)
{
	json_close(o, ']');
	json_close(o, '}');
}

static void put_mode_option(struct json_out *o, const struct session *s)
{
	open_select(o, "mode", "Mode", "mode", str_of(s->mode->id));
	for (size_t i = 0; i < agent_mode_count; i++)
		put_choice(o, str_of(agent_modes[i].id),
			   str_of(agent_modes[i].name),
			   str_of(agent_modes[i].description));
	close_select(o);
}

/* The models of Codex's model/list. */
static struct json_walk models_of(const struct agent *a, struct arena *mem)
{
	static const struct json_limits limits = { 0 };
	struct json_error error;
	struct json v = { 0 };

	if (json_parse(buf_str(&a->models), &limits, mem, &v, &error))
		v = (struct json){ 0 };
	return json_walk(json_get(v, "data"));
}

/* False: the configured model is not in Codex's list. */
static bool find_model(const struct session *s, struct arena *mem,
		       struct json *ret)
{
	struct json_walk w = models_of(s->agent, mem);

	while (json_step(&w))
		if (str_eq(text_at(w.value, "model", mem),
			   buf_str(&s->model))) {
			*ret = w.value;
			return true;
		}
	return false;
}

static void put_model_option(struct json_out *o, const struct session *s,
			     struct arena *mem)
{
	struct json_walk w = models_of(s->agent, mem);
	struct json known;

	open_select(o, "model", "Model", "model", buf_str(&s->model));
	while (json_step(&w))
		put_choice(o, text_at(w.value, "model", mem),
			   text_at(w.value, "displayName", mem),
			   text_at(w.value, "description", mem));
	if (!find_model(s, mem, &known))
		put_choice(o, buf_str(&s->model), STR(""), STR(""));
	close_select(o);
}

static struct str effort_of(const struct session *s, struct json model,
			    struct arena *mem)
{
	return s->effort.len ? buf_str(&s->effort)
			     : text_at(model, "defaultReasoningEffort", mem);
}

static void put_effort_option(struct json_out *o, const struct session *s,
			      struct arena *mem)
{
	struct json model, efforts;
	struct json_walk w;

	if (!find_model(s, mem, &model))
		return;
	efforts = json_get(model, "supportedReasoningEfforts");
	if (!json_count(efforts))
		return;
	open_select(o, "effort", "Reasoning effort", "thought_level",
		    effort_of(s, model, mem));
	w = json_walk(efforts);
	while (json_step(&w))
		put_choice(o, text_at(w.value, "reasoningEffort", mem), STR(""),
			   text_at(w.value, "description", mem));
	close_select(o);
}

void session_options_put_config(struct json_out *o, const struct session *s)
{
	auto_arena mem = ARENA_INIT;

	json_key(o, "configOptions");
	json_open(o, '[');
	put_mode_option(o, s);
	if (s->model.len)
		put_model_option(o, s, &mem);
	put_effort_option(o, s, &mem);
	json_close(o, ']');
}

void session_options_put(struct json_out *o, const struct session *s)
{
	put_modes(o, s);
	session_options_put_config(o, s);
}

bool session_options_set_mode(struct session *s, struct str id)
{
	const struct agent_mode *mode = agent_mode_named(id);
	const struct agent_app *app = &s->agent->options.app;

	if (!mode)
		return false;
	s->mode = mode;
	s->new_mode = true;
	if (s->server)
		app->mode(app->ctx, s->server, mode->stet);
	return true;
}

static bool model_exists(struct session *s, struct str value)
{
	auto_arena mem = ARENA_INIT;
	struct json_walk w = models_of(s->agent, &mem);

	while (json_step(&w))
		if (str_eq(text_at(w.value, "model", &mem), value))
			return true;
	return false;
}

/* Another model has other efforts: reset to its default. */
static bool set_model(struct session *s, struct str value)
{
	if (!model_exists(s, value))
		return false;
	s->model.len = s->effort.len = 0;
	buf_add(&s->model, value);
	s->new_model = true;
	return true;
}

static bool set_effort(struct session *s, struct str value)
{
	auto_arena mem = ARENA_INIT;
	struct json_walk w;
	struct json model;

	if (!find_model(s, &mem, &model))
		return false;
	w = json_walk(json_get(model, "supportedReasoningEfforts"));
	while (json_step(&w))
		if (str_eq(text_at(w.value, "reasoningEffort", &mem), value)) {
			s->effort.len = 0;
			buf_add(&s->effort, value);
			s->new_model = true;
			return true;
		}
	return false;
}

bool session_options_set(struct session *s, struct str option, struct str value)
{
	static const struct {
		const char *name;
		bool (*set)(struct session *s, struct str value);
	} rows[] = {
		{ "mode", session_options_set_mode },
		{ "model", set_model },
		{ "effort", set_effort },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_is(option, rows[i].name))
			return rows[i].set(s, value);
	return false;
}

void session_options_notify(struct session *s)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("config_option_update"));
	session_options_put_config(&o, s);
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}
