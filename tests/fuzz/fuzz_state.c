/*
 * fuzz_state.c - damaged files of the state directory and of the settings.
 *
 * They are read, refused or moved aside; nothing crashes, and the files of the
 * project stay as they are. The first byte of the input selects the file, the
 * rest is its content.
 */
#include "world.h"

#include "app/configfile.h"
#include "app/trust.h"
#include "files/private_dir.h"
#include "files/ws_local.h"
#include "store/history.h"
#include "web/running.h"
#include "web/tokens.h"

#include <fcntl.h>
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
	tokens_refresh(tokens);
	(void)tokens_identify(tokens, STR(WORLD_TOKEN));
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

static struct str read_world(const char *name, struct arena *mem)
{
	int fd = open(world_path(name), O_RDONLY | O_CLOEXEC);
	struct str all;

	must(fd >= 0);
	all = world_read(fd, mem);
	(void)close(fd);
	return all;
}

enum { JOURNAL_HEADER = 8192 }; /* files/journal.c */

/* The journal with a valid checksum and birth time. */
static struct str repair(struct str journal, struct arena *mem)
{
	unsigned long long old_len = 0, new_len = 0;
	uint64_t facts[4] = { 0 };
	auto_buf out = BUF_INIT, summed = BUF_INIT;
	struct statx sx;

	(void)sscanf(arena_cstr(mem, str_head(journal, 200)),
		     "stet journal 2\n%llu %llu", &old_len, &new_len);
	must(!statx(AT_FDCWD, world_path("root/a.txt"), 0, STATX_BTIME, &sx));
	facts[0] = old_len;
	facts[1] = new_len;
	if (sx.stx_mask & STATX_BTIME) {
		facts[2] = (uint64_t)sx.stx_btime.tv_sec;
		facts[3] = sx.stx_btime.tv_nsec;
	}
	buf_add(&summed, str_make((const char *)facts, sizeof(facts)));
	buf_add(&summed, str_skip(journal, JOURNAL_HEADER));
	buf_addf(&out, "stet journal 2\n%llu %llu %llu %llu\n" STR_FMT "\n",
		 old_len, new_len, (unsigned long long)facts[2],
		 (unsigned long long)facts[3],
		 STR_ARG(hash_text(hash_of(buf_str(&summed)), mem)));
	while (out.len < JOURNAL_HEADER)
		buf_addc(&out, '\0');
	buf_add(&out, str_skip(journal, JOURNAL_HEADER));
	return arena_copy(mem, buf_str(&out));
}

/* root/a.txt stays as it is, or gets the old bytes of the journal. */
static void settle(struct str journal, struct arena *mem)
{
	struct ws_local_options options = { .durability = DURABLE_PROCESS };
	struct str root = str_of(world_path("root")), was, is;
	struct workspace *ws = ws_local_new(&options);
	struct str old = str_skip(journal, JOURNAL_HEADER);
	char name[PRIVATE_DIR_NAME];
	struct snapshot snap;
	struct stat st;
	struct fault f;

	must(!stat(world_path("root/a.txt"), &st));
	private_dir_name(st.st_dev, st.st_ino, name);
	world_put(arena_printf(mem, "home/.local/state/stet/journal/%s", name)
			  .ptr,
		  journal.ptr, journal.len);
	was = read_world("root/a.txt", mem);
	ws_local_roots(ws, &root, 1, STR(""), NULL);
	must(!ws_load(ws, str_of(world_path("root/a.txt")), MOST, NULL, mem,
		      &snap, &f));
	is = read_world("root/a.txt", mem);
	must(str_eq(is, snap.bytes));
	must(str_eq(is, was) ||
	     (is.len <= old.len && str_eq(is, str_head(old, is.len))));
	ws_local_free(ws);
}

static void read_journal(struct arena *mem)
{
	struct str journal = read_world("home/journal", mem);

	settle(journal, mem);
	settle(repair(journal, mem), mem);
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
	{ "home/journal", read_journal },
};

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	return at->level ? remove(path) : 0;
}

static void make_directories(void)
{
	static const char *const dirs[] = {
		"home/state",
		"home/state/daybook",
		"home/.config",
		"home/.config/stet",
		"home/.local",
		"home/.local/state",
		"home/.local/state/stet",
		"home/.local/state/stet/journal",
		"root/.stet",
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
