/*
 * Files of the state directory and of the settings that somebody has damaged:
 * they are read, or refused, or put aside; nothing breaks, and the files of
 * the project stay as they are. The first byte of the input says which file,
 * the rest is its content.
 */
#include "world.h"

#include "app/configfile.h"
#include "app/trust.h"
#include "store/history.h"
#include "web/running.h"
#include "web/tokens.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 256 * 1024 };

static void read_tokens(struct arena *mem)
{
	struct tokens_options o = { .dir = str_of(world_path("home/state")) };
	struct tokens *tokens;
	struct token *list;
	struct fault f;
	size_t n = 0;

	tokens = tokens_open(&o, mem, &f);
	if (!tokens)
		return;
	tokens_look(tokens);
	(void)tokens_whose(tokens, STR(WORLD_TOKEN));
	if (!tokens_list(tokens, mem, &list, &n, &f))
		must(n >= 1 && str_is(list[0].name, "owner"));
	tokens_free(tokens);
}

static void read_trust(struct arena *mem)
{
	struct trust trust = { 0 };
	struct fault f;

	if (!trust_load(mem, &trust, &f))
		must(!trust_has(&trust, STR(""), STR("")));
}

static void read_settings(struct arena *mem)
{
	struct config config = config_default;
	struct server *server = world_server(&config, mem);

	config_free(server);
}

static void read_running(struct arena *mem)
{
	struct running running;
	struct fault f;

	(void)!running_read(str_of(world_path("home/state")), mem, &running,
			    &f);
}

static void read_history(struct arena *mem)
{
	struct store *store = store_new(&(struct store_options){
		.dir = str_of(world_path("home/state")) });
	struct history_query all = { .intents = true };
	struct fault f;
	struct op *ops;
	size_t n;

	(void)!history_list(store, &all, mem, &ops, &n, &f);
	store_free(store);
}

static const struct {
	const char *file;
	void (*read)(struct arena *mem);
} kinds[] = {
	{ "home/state/tokens", read_tokens },
	{ "home/state/token", read_tokens },
	{ "home/state/tokens.seen", read_tokens },
	{ "home/state/server.json", read_running },
	{ "home/state/history.db", read_history },
	{ "home/state/history.db-wal", read_history },
	{ "home/state/daybook/01a1e20f-1d70-7000-8000-000000000000",
	  read_history },
	{ "home/.config/stet/trusted.json", read_trust },
	{ "home/.config/stet/config.json", read_settings },
	{ "root/.stet/config.json", read_settings },
};

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	return at->level ? remove(path) : 0;
}

static void make_directories(void)
{
	static const char *const dirs[] = {
		"home/state",        "home/state/daybook", "home/.config",
		"home/.config/stet", "root/.stet",
	};

	(void)nftw(world_path("home"), remove_one, 16, FTW_DEPTH | FTW_PHYS);
	for (size_t i = 0; i < COUNT_OF(dirs); i++)
		(void)mkdir(world_path(dirs[i]), 0700);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	auto_arena mem = ARENA_INIT;
	size_t kind = len ? bytes[0] % COUNT_OF(kinds) : 0;

	if (!len || len > MOST)
		return 0;
	(void)world_base();
	world_reset();
	make_directories();
	(void)unsetenv("STET_TOKEN");
	world_put(kinds[kind].file, bytes + 1, len - 1);
	kinds[kind].read(&mem);
	world_is_whole(STR(""));
	return 0;
}
