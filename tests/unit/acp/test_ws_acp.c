/*
 * The editor workspace, with a real connection, loop and files.
 */
#include "fake_editor.h"

#include "acp/ws_acp.h"
#include "files/group.h"

#include <sys/stat.h>
#include <unistd.h>

/* Timeout in ms of responses that never come. */
enum { SOON = 1000 };
enum { MOST = 1 << 20 };

static const struct progress progress = { 0 };

struct fixture {
	struct fake_editor d;
	struct workspace *ws;
	struct arena mem;
	struct fault f;
};

static void open_with(struct fixture *t, const struct fake_editor_want *want)
{
	*t = (struct fixture){ 0 };
	fake_editor_open(&t->d, want);
	t->ws = ws_acp_new(t->d.s.ws, t->d.editor);
}

static void open_it(struct fixture *t)
{
	open_with(t, &(struct fake_editor_want){ 0 });
}

static void end(struct fixture *t)
{
	ws_acp_free(t->ws);
	fake_editor_close(&t->d);
	arena_free(&t->mem);
}

static enum err load(struct fixture *t, const char *name, struct snapshot *ret)
{
	return ws_load(t->ws, scratch_str(&t->d.s, name), MOST, &progress,
		       &t->mem, ret, &t->f);
}

static struct snapshot loaded(struct fixture *t, const char *name)
{
	struct snapshot snap;

	assert_int_equal(load(t, name, &snap), ERR_OK);
	return snap;
}

static bool from_editor(const char *source)
{
	return source && !strcmp(source, "editor");
}

/* Store over @was, or over no file. */
static enum err store(struct fixture *t, const char *name,
		      const struct snapshot *was, const char *bytes,
		      struct stored *ret)
{
	struct store_want want = { .base = STORE_ABSENT,
				   .bytes = str_of(bytes),
				   .progress = &progress };

	if (was) {
		want.base = STORE_VERSION;
		want.version = was->version;
	}
	return ws_store(t->ws, scratch_str(&t->d.s, name), &want, &t->mem, ret,
			&t->f);
}

/* R26 R62: with the editor as source. */
static void a_read_returns_unsaved_text(void **state)
{
	struct fixture t;
	struct snapshot snap;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "saved\n");
	fake_editor_type(&t.d, "root/a", "typed\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "typed\n");
	assert_true(hash_eq(snap.version, hash_of(STR("typed\n"))));
	assert_true(from_editor(snap.source));
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "saved\n");
	end(&t);
}

/* R27 R61 A12: the same version, key, stat data and mode. */
static void a_saved_file_is_equal_from_editor_and_disk(void **state)
{
	static const char *const contents[] = {
		"a\nb\n",
		"",
		"a\r\nb\r\n",
		("\xef\xbb\xbf"
		 "a\r\n"),
		"no end",
	};
	struct page_want want = { .line = 1,
				  .limit = SIZE_MAX,
				  .max_cost = MOST };

	for (size_t i = 0; i < COUNT_OF(contents); i++) {
		struct snapshot both, disk;
		struct page page, disk_page;
		struct fixture t;
		struct str path;

		open_it(&t);
		scratch_put(&t.d.s, "root/a", contents[i]);
		path = scratch_str(&t.d.s, "root/a");
		both = loaded(&t, "root/a");
		assert_int_equal(ws_load(t.d.s.ws, path, MOST, &progress,
					 &t.mem, &disk, &t.f),
				 ERR_OK);
		assert_true(from_editor(both.source));
		assert_true(str_eq(both.bytes, disk.bytes));
		assert_true(hash_eq(both.version, disk.version));
		assert_true(str_eq(both.key, disk.key));
		assert_true(stat_data_eq(&both.stat, &disk.stat));
		assert_int_equal(both.mode, disk.mode);
		assert_int_equal(ws_page(t.ws, path, &want, &progress, &t.mem,
					 &page, &t.f),
				 ERR_OK);
		assert_int_equal(ws_page(t.d.s.ws, path, &want, &progress,
					 &t.mem, &disk_page, &t.f),
				 ERR_OK);
		assert_true(from_editor(page.source));
		assert_true(str_eq(page.text, disk_page.text));
		assert_int_equal(page.total_lines, disk_page.total_lines);
		assert_true(hash_eq(page.version, disk_page.version));
		assert_ptr_equal(page.in.encoding, disk_page.in.encoding);
		end(&t);
	}
}

/* The editor only reports LF. */
static void unchanged_bytes_are_kept_through_the_editor(void **state)
{
	static const struct {
		const char *before, *after;
	} files[] = {
		{ "a\r\nb\r\n", "a\r\nB\r\n" },
		{ "\xef\xbb\xbf"
		  "a\nb\n",
		  "\xef\xbb\xbf"
		  "a\nB\n" },
		{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\r\nb\r\n",
		  "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\r\nB\r\n" },
	};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct snapshot snap;
		struct stored stored;
		struct fixture t;

		open_it(&t);
		scratch_put(&t.d.s, "root/a", files[i].before);
		snap = loaded(&t, "root/a");
		assert_true(from_editor(snap.source));
		assert_str(snap.bytes, files[i].before);
		assert_int_equal(store(&t, "root/a", &snap, files[i].after,
				       &stored),
				 ERR_OK);
		assert_int_equal(t.d.writes, 1);
		assert_true(from_editor(stored.source));
		assert_false(stored.rewritten);
		assert_string_equal(scratch_get(&t.d.s, "root/a"),
				    files[i].after);
		end(&t);
	}
}

/* The editor saves as UTF-8 with LF. */
static void lost_encoding_and_line_endings_are_corrected(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	t.d.loses = true;
	scratch_put(&t.d.s, "root/a",
		    "\xef\xbb\xbf"
		    "a\r\nb\r\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(store(&t, "root/a", &snap,
			       "\xef\xbb\xbf"
			       "a\r\nc\r\n",
			       &stored),
			 ERR_OK);
	assert_false(stored.rewritten);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "\xef\xbb\xbf"
							   "a\r\nc\r\n");
	end(&t);
}

/* They cannot be derived from LF. */
static void mixed_line_endings_are_read_from_disk(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "a\r\nb\n");
	snap = loaded(&t, "root/a");
	assert_false(from_editor(snap.source));
	assert_int_equal(store(&t, "root/a", &snap, "a\r\nc\n", &stored),
			 ERR_OK);
	assert_int_equal(t.d.writes, 0);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\r\nc\n");
	end(&t);
}

/* W24 W25 A17 */
static void a_write_goes_through_the_editor(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	assert_int_equal(store(&t, "root/new", NULL, "one\n", &stored), ERR_OK);
	assert_true(stored.created);
	assert_true(from_editor(stored.source));
	assert_int_equal(t.d.writes, 1);
	snap = loaded(&t, "root/new");
	assert_int_equal(store(&t, "root/new", &snap, "two\n", &stored),
			 ERR_OK);
	assert_false(stored.created);
	assert_int_equal(t.d.writes, 2);
	assert_true(hash_eq(stored.version, hash_of(STR("two\n"))));
	assert_string_equal(scratch_get(&t.d.s, "root/new"), "two\n");
	end(&t);
}

/* The editor keeps the change in its buffer. */
static void an_unsaved_write_is_read_back(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	t.d.unsaved = true;
	scratch_put(&t.d.s, "root/a", "a\r\nb\r\n");
	fake_editor_type(&t.d, "root/a", "a\nb\nc\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "a\r\nb\r\nc\r\n");
	assert_int_equal(store(&t, "root/a", &snap, "a\r\nB\r\nc\r\n", &stored),
			 ERR_OK);
	assert_false(stored.rewritten);
	assert_string_equal(fake_editor_shows(&t.d, "root/a"), "a\nB\nc\n");
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\r\nb\r\n");
	snap = loaded(&t, "root/a");
	assert_true(hash_eq(snap.version, stored.version));
	end(&t);
}

static void typing_since_the_read_is_a_conflict(void **state)
{
	struct snapshot snap, now;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	fake_editor_type(&t.d, "root/a", "a, typed\n");
	assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored),
			 ERR_CHANGED);
	now = loaded(&t, "root/a");
	assert_true(str_eq(t.f.version, hash_text(now.version, &t.mem)));
	assert_int_equal(t.d.writes, 0);
	assert_string_equal(fake_editor_shows(&t.d, "root/a"), "a, typed\n");
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\n");
	/* also for a new file in an unsaved buffer */
	fake_editor_type(&t.d, "root/new", "begun\n");
	assert_int_equal(store(&t, "root/new", NULL, "b\n", &stored),
			 ERR_CHANGED);
	end(&t);
}

/* Another program has written the file; the buffer is unchanged. */
static void a_stale_buffer_is_detected(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "old\n");
	fake_editor_type(&t.d, "root/a", "old\n"); /* open and not reloaded */
	(void)loaded(&t, "root/a");
	scratch_put(&t.d.s, "root/a", "by a shell\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "by a shell\n");
	assert_false(from_editor(snap.source));
	assert_int_equal(store(&t, "root/a", &snap, "more\n", &stored), ERR_OK);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "more\n");
	assert_int_equal(t.d.writes, 0);
	/* but typed text is unsaved text */
	fake_editor_type(&t.d, "root/a", "old, typed\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "old, typed\n");
	assert_true(from_editor(snap.source));
	end(&t);
}

/* R28 W26 A15 A16: for each kind of failure. */
static void without_a_response_the_disk_is_used(void **state)
{
	static const struct {
		struct fake_editor_want want;
		enum fake_editor_way way;
	} ways[] = {
		{ { .no_reads = true, .no_writes = true },
		  FAKE_EDITOR_ANSWERS },
		{ { 0 }, FAKE_EDITOR_REFUSES },
		{ { 0 }, FAKE_EDITOR_MUMBLES },
		{ { .read_ms = SOON }, FAKE_EDITOR_SILENT },
		{ { 0 }, FAKE_EDITOR_HANGS_UP },
	};

	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		struct snapshot snap;
		struct stored stored;
		struct fixture t;

		open_with(&t, &ways[i].want);
		scratch_put(&t.d.s, "root/a", "disk\n");
		t.d.reads_how = ways[i].way;
		snap = loaded(&t, "root/a");
		assert_str(snap.bytes, "disk\n");
		assert_false(from_editor(snap.source));
		assert_int_equal(store(&t, "root/a", &snap, "new\n", &stored),
				 ERR_OK);
		assert_false(from_editor(stored.source));
		assert_string_equal(scratch_get(&t.d.s, "root/a"), "new\n");
		end(&t);
	}
}

static enum err count(void *ctx, struct fault *f)
{
	++*(unsigned *)ctx;
	return ERR_OK;
}

/* The editor reads the file but refuses the write; ready() is called once. */
static void a_refused_write_goes_to_disk(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;
	unsigned asked = 0;

	open_it(&t);
	t.d.writes_how = FAKE_EDITOR_REFUSES;
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(ws_store(t.ws, scratch_str(&t.d.s, "root/a"),
				  &(struct store_want){ .base = STORE_VERSION,
							.version = snap.version,
							.bytes = STR("b\n"),
							.progress = &progress,
							.ready = count,
							.ctx = &asked },
				  &t.mem, &stored, &t.f),
			 ERR_OK);
	assert_int_equal(asked, 1);
	assert_int_equal(t.d.writes, 1);
	assert_false(from_editor(stored.source));
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	/* not over unsaved text */
	fake_editor_type(&t.d, "root/a", "typed\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(store(&t, "root/a", &snap, "c\n", &stored), ERR_IO);
	assert_string_equal(t.f.reason, "unsaved");
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	end(&t);
}

static enum err no(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

static void nothing_is_written_when_ready_refuses(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(ws_store(t.ws, scratch_str(&t.d.s, "root/a"),
				  &(struct store_want){ .base = STORE_VERSION,
							.version = snap.version,
							.bytes = STR("b\n"),
							.progress = &progress,
							.ready = no },
				  &t.mem, &stored, &t.f),
			 ERR_ASK);
	assert_int_equal(t.d.writes, 0);
	end(&t);
}

/* A15: disconnected, or no response. */
static void a_late_write_that_happened_succeeds(void **state)
{
	static const enum fake_editor_way ways[] = { FAKE_EDITOR_SILENT_DOES,
						     FAKE_EDITOR_HANGS_UP };

	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		struct snapshot snap;
		struct stored stored;
		struct fixture t;

		open_with(&t, &(struct fake_editor_want){ .write_ms = SOON });
		scratch_put(&t.d.s, "root/a", "a\n");
		snap = loaded(&t, "root/a");
		t.d.writes_how = ways[i];
		assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored),
				 ERR_OK);
		assert_int_equal(t.d.writes, 1);
		assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
		end(&t);
	}
}

/* A15: there is no second write. */
static void a_late_write_that_did_not_happen_fails(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_with(&t, &(struct fake_editor_want){ .write_ms = SOON });
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	t.d.writes_how = FAKE_EDITOR_SILENT;
	assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored), ERR_IO);
	assert_string_equal(t.f.reason, "editor_late");
	assert_int_equal(t.d.writes, 1);
	for (int n = 0; !t.d.cancels && n < 5000; n++)
		(void)usleep(1000);
	assert_true(t.d.cancels >= 1);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\n");
	end(&t);
}

/* A18 */
static void parents_and_directories_are_checked_on_disk(void **state)
{
	struct stored stored;
	struct snapshot snap;
	struct fixture t;

	open_it(&t);
	t.d.makes_any = true;
	scratch_dir(&t.d.s, "root/dir");
	assert_int_equal(store(&t, "root/none/a", NULL, "b\n", &stored),
			 ERR_NO_PARENT);
	assert_int_equal(store(&t, "root/dir", NULL, "b\n", &stored),
			 ERR_IS_DIRECTORY);
	assert_int_equal(store(&t, "outside/a", NULL, "b\n", &stored),
			 ERR_DENIED);
	assert_int_equal(load(&t, "outside/a", &snap), ERR_DENIED);
	assert_int_equal(t.d.writes, 0);
	/* an empty text of a missing file is no file */
	assert_int_equal(load(&t, "root/none", &snap), ERR_NOT_FOUND);
	end(&t);
}

/* Not a symlink, which the editor would follow by itself. */
static void the_editor_gets_the_path_of_the_user_or_the_key(void **state)
{
	static const struct {
		const char *name, *heard;
	} names[] = {
		{ "root/a", "root/a" },        { "root/link", "root/a" },
		{ "root/dir/../a", "root/a" }, { "root/./a", "root/a" },
		{ "root//a", "root/a" },       { "root/.h/link", "root/a" },
	};
	struct stored stored;
	struct fixture t;

	open_it(&t);
	scratch_dir(&t.d.s, "root/dir");
	scratch_put(&t.d.s, "root/a", "a\n");
	scratch_link(&t.d.s, "a", "root/link");
	scratch_dir(&t.d.s, "root/.h");
	scratch_link(&t.d.s, "../a", "root/.h/link");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct snapshot snap = loaded(&t, names[i].name);
		struct str path;

		assert_true(from_editor(snap.source));
		assert_int_equal(store(&t, names[i].name, &snap,
				       i % 2 ? "a\n" : "b\n", &stored),
				 ERR_OK);
		assert_int_equal(t.d.writes, i + 1);
		path = scratch_str(&t.d.s, names[i].heard);
		path = arena_printf(&t.d.s.mem, "\"" STR_FMT "\"",
				    STR_ARG(path));
		assert_non_null(memmem(t.d.asked.ptr, t.d.asked.len, path.ptr,
				       path.len));
	}
	end(&t);
}

static bool at_once(void *ctx)
{
	return true;
}

static void a_cancelled_call_gets_nothing(void **state)
{
	const struct progress given_up = { .stop = at_once };
	struct snapshot snap;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "a\n");
	t.d.reads_how = FAKE_EDITOR_SILENT;
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), MOST,
				 &given_up, &t.mem, &snap, &t.f),
			 ERR_CANCELLED);
	end(&t);
}

static void with_an_editor_calls_wait(void **state)
{
	const struct progress hasty = { .byte_limit = MOST };
	struct snapshot snap;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "a\n");
	assert_true(ws_waits(t.ws));
	/* stet's own settings are read from disk */
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), MOST,
				 NULL, &t.mem, &snap, &t.f),
			 ERR_OK);
	assert_int_equal(t.d.reads, 0);
	/* without an editor nothing blocks */
	fake_editor_cut(&t.d);
	assert_false(ws_waits(t.ws));
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), MOST,
				 &hasty, &t.mem, &snap, &t.f),
			 ERR_OK);
	end(&t);
}

static void unsaved_text_is_not_removed(void **state)
{
	const struct store_want want = { .progress = &progress };
	struct snapshot snap;
	struct fixture t;
	struct str path;

	open_it(&t);
	path = scratch_str(&t.d.s, "root/a");
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	fake_editor_type(&t.d, "root/a", "typed\n");
	assert_int_equal(ws_remove(t.ws, path, snap.version, &want, &t.mem,
				   &t.f),
			 ERR_CHANGED);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\n");
	fake_editor_type(&t.d, "root/a", "a\n");
	assert_int_equal(ws_remove(t.ws, path, snap.version, &want, &t.mem,
				   &t.f),
			 ERR_OK);
	assert_null(scratch_get(&t.d.s, "root/a"));
	end(&t);
}

static void an_append_goes_to_unsaved_text(void **state)
{
	const struct append_want want = { .bytes = STR_INIT("more\n"),
					  .own_line = true,
					  .progress = &progress };
	struct appended added;
	struct fixture t;
	struct str path;

	open_it(&t);
	path = scratch_str(&t.d.s, "root/a");
	scratch_put(&t.d.s, "root/a", "a\n");
	assert_int_equal(ws_append(t.ws, path, &want, &t.mem, &added, &t.f),
			 ERR_OK);
	assert_int_equal(t.d.writes, 0);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\nmore\n");
	fake_editor_type(&t.d, "root/a", "typed");
	assert_int_equal(ws_append(t.ws, path, &want, &t.mem, &added, &t.f),
			 ERR_OK);
	assert_int_equal(t.d.writes, 1);
	assert_int_equal(added.at, 5);
	assert_true(added.completed);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "typed\nmore\n");
	end(&t);
}

/* A buffer that was never saved. */
static void an_unsaved_new_buffer_is_a_file(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	fake_editor_type(&t.d, "root/new", "begun\n");
	snap = loaded(&t, "root/new");
	assert_str(snap.bytes, "begun\n");
	assert_true(from_editor(snap.source));
	assert_str(snap.key, scratch_path(&t.d.s, "root/new"));
	assert_int_equal(store(&t, "root/new", &snap, "done\n", &stored),
			 ERR_OK);
	assert_true(stored.created); /* A17: it was not on disk */
	assert_string_equal(scratch_get(&t.d.s, "root/new"), "done\n");
	end(&t);
}

/* W24 */
static void an_editor_without_read_capability_writes(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_with(&t, &(struct fake_editor_want){ .no_reads = true });
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	assert_false(from_editor(snap.source));
	assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored), ERR_OK);
	assert_true(from_editor(stored.source));
	assert_int_equal(t.d.reads, 0);
	assert_int_equal(t.d.writes, 1);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	/* its line endings are unknown: use the disk */
	scratch_put(&t.d.s, "root/a", "a\r\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(store(&t, "root/a", &snap, "b\r\n", &stored), ERR_OK);
	assert_false(from_editor(stored.source));
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\r\n");
	end(&t);
}

/* Unsaved text is not overwritten on disk. */
static void an_editor_without_write_capability_keeps_its_text(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_with(&t, &(struct fake_editor_want){ .no_writes = true });
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored), ERR_OK);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	fake_editor_type(&t.d, "root/a", "typed\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "typed\n");
	assert_int_equal(store(&t, "root/a", &snap, "c\n", &stored),
			 ERR_CHANGED);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	end(&t);
}

/* Messages are limited; the same for pages. */
static void a_large_file_is_read_from_disk(void **state)
{
	enum { LARGE = (16 << 20) + 64 };
	const struct page_want want = { .line = 2,
					.limit = 1,
					.max_cost = MOST };
	char *text = test_malloc(LARGE + 1);
	struct snapshot snap;
	struct fixture t;
	struct page page;

	for (size_t i = 0; i < LARGE; i++)
		text[i] = i % 64 == 63 ? '\n' : 'x';
	text[LARGE] = '\0';
	open_it(&t);
	scratch_put(&t.d.s, "root/a", text);
	assert_int_equal(ws_page(t.ws, scratch_str(&t.d.s, "root/a"), &want,
				 &progress, &t.mem, &page, &t.f),
			 ERR_OK);
	assert_int_equal(page.total_lines, LARGE / 64);
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), 2 * LARGE,
				 &progress, &t.mem, &snap, &t.f),
			 ERR_OK);
	assert_false(from_editor(snap.source));
	assert_int_equal(t.d.reads, 0);
	end(&t);
	test_free(text);
}

/* The disk, which notes how often it is read, and whether that is too early. */
struct counting_disk {
	struct workspace ws; /* first: it is cast */
	struct workspace *real;
	const struct fake_editor *editor;
	unsigned loads, early; /* early: before the editor was asked */
};

static enum err counting_load(struct workspace *ws, struct str path,
			      uint64_t max, const struct progress *given,
			      struct arena *mem, struct snapshot *ret,
			      struct fault *f)
{
	struct counting_disk *c = (struct counting_disk *)ws;

	c->loads++;
	c->early += !atomic_load(&c->editor->reads);
	return ws_load(c->real, path, max, given, mem, ret, f);
}

static enum err counting_page(struct workspace *ws, struct str path,
			      const struct page_want *want,
			      const struct progress *given, struct arena *mem,
			      struct page *ret, struct fault *f)
{
	struct counting_disk *c = (struct counting_disk *)ws;

	c->loads++;
	c->early += !atomic_load(&c->editor->reads);
	return ws_page(c->real, path, want, given, mem, ret, f);
}

static enum err counting_stat(struct workspace *ws, struct str path,
			      struct arena *mem, struct file_info *ret,
			      struct fault *f)
{
	return ws_stat(((struct counting_disk *)ws)->real, path, mem, ret, f);
}

static enum err counting_store(struct workspace *ws, struct str path,
			       const struct store_want *want, struct arena *mem,
			       struct stored *ret, struct fault *f)
{
	return ws_store(((struct counting_disk *)ws)->real, path, want, mem,
			ret, f);
}

static const struct str *counting_roots(struct workspace *ws, struct arena *mem,
					size_t *ret_n)
{
	return ws_roots(((struct counting_disk *)ws)->real, mem, ret_n);
}

static const struct workspace_ops counting_ops = {
	.load = counting_load,
	.page = counting_page,
	.stat = counting_stat,
	.store = counting_store,
	.roots = counting_roots,
};

static void open_counted(struct fixture *t, struct counting_disk *c)
{
	open_it(t);
	*c = (struct counting_disk){ .ws.ops = &counting_ops,
				     .ws.source = "disk",
				     .real = t->d.s.ws,
				     .editor = &t->d };
	ws_acp_free(t->ws);
	t->ws = ws_acp_new(&c->ws, t->d.editor);
}

/* Whatever the editor says; and the disk is read once. */
static void the_editor_is_asked_before_the_disk_is_read(void **state)
{
	static const struct {
		enum fake_editor_way way;
		const char *saved, *typed, *read;
	} rows[] = {
		{ FAKE_EDITOR_ANSWERS, "saved\n", NULL, "saved\n" },
		{ FAKE_EDITOR_ANSWERS, "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n" },
		{ FAKE_EDITOR_ANSWERS, NULL, "new\n", "new\n" },
		{ FAKE_EDITOR_REFUSES, "saved\n", "typed\n", "saved\n" },
	};
	const struct page_want want = { .line = 1,
					.limit = SIZE_MAX,
					.max_cost = MOST };

	for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
		struct counting_disk c;
		struct snapshot snap;
		struct page page;
		struct fixture t;

		open_counted(&t, &c);
		t.d.reads_how = rows[i / 2].way;
		if (rows[i / 2].saved)
			scratch_put(&t.d.s, "root/a", rows[i / 2].saved);
		if (rows[i / 2].typed)
			fake_editor_type(&t.d, "root/a", rows[i / 2].typed);
		if (i % 2) {
			assert_int_equal(ws_page(t.ws,
						 scratch_str(&t.d.s, "root/a"),
						 &want, &progress, &t.mem,
						 &page, &t.f),
					 ERR_OK);
			assert_str(page.text, rows[i / 2].read);
		} else {
			snap = loaded(&t, "root/a");
			assert_str(snap.bytes, rows[i / 2].read);
		}
		assert_int_equal(t.d.reads, 1);
		assert_int_equal(c.loads, 1);
		assert_int_equal(c.early, 0);
		end(&t);
	}
}

/* A store reads what it replaces. */
static void a_store_asks_the_editor_before_the_disk(void **state)
{
	struct counting_disk c;
	struct stored stored;
	struct fixture t;

	open_counted(&t, &c);
	assert_int_equal(store(&t, "root/new", NULL, "one\n", &stored), ERR_OK);
	assert_int_equal(t.d.writes, 1);
	assert_int_equal(c.early, 0);
	end(&t);
}

static void a_cancelled_call_does_not_read_the_disk(void **state)
{
	const struct progress given_up = { .stop = at_once };
	struct counting_disk c;
	struct snapshot snap;
	struct fixture t;

	open_counted(&t, &c);
	scratch_put(&t.d.s, "root/a", "a\n");
	t.d.reads_how = FAKE_EDITOR_SILENT;
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), MOST,
				 &given_up, &t.mem, &snap, &t.f),
			 ERR_CANCELLED);
	assert_int_equal(c.loads, 0);
	end(&t);
}

/* The editor's text is of another file then. */
static void text_of_a_path_that_was_changed_is_dropped(void **state)
{
	struct fixture t;
	struct snapshot snap;

	open_it(&t);
	scratch_dir(&t.d.s, "root/dir");
	scratch_put(&t.d.s, "root/dir/a", "one\n");
	scratch_dir(&t.d.s, "root/other");
	scratch_put(&t.d.s, "root/other/a", "two\n");
	scratch_link(&t.d.s, "dir", "root/way");
	t.d.swaps_link = scratch_path(&t.d.s, "root/way");
	snap = loaded(&t, "root/way/a");
	assert_str(snap.bytes, "two\n");
	assert_str(snap.key, scratch_path(&t.d.s, "root/other/a"));
	assert_false(from_editor(snap.source));
	end(&t);
}

enum { GROUP = 3 };

static enum err change_group(struct fixture *t, const char *const *names)
{
	struct group_item items[GROUP] = { 0 };
	struct group_want want = { .items = items,
				   .count = GROUP,
				   .progress = &progress };

	for (size_t i = 0; i < GROUP; i++) {
		struct snapshot snap = loaded(t, names[i]);

		items[i].path = scratch_str(&t->d.s, names[i]);
		items[i].before = snap.bytes;
		items[i].want = (struct store_want){ .key = snap.key,
						     .base = STORE_VERSION,
						     .version = snap.version,
						     .bytes = STR("new\n") };
	}
	return ws_group(t->ws, &want, &t->mem, &t->f);
}

/* V12 */
static void a_group_goes_through_the_editor_or_is_put_back(void **state)
{
	static const char *const names[GROUP] = { "root/a", "root/b",
						  "root/c" };

	for (unsigned silent = 0; silent <= GROUP; silent += GROUP) {
		struct fixture t;

		open_with(&t, &(struct fake_editor_want){ .write_ms = SOON });
		t.d.silent_write = silent;
		for (size_t i = 0; i < GROUP; i++)
			scratch_put(&t.d.s, names[i], "old\n");
		fake_editor_type(&t.d, "root/a", "typed\n");
		assert_int_equal(change_group(&t, names) != ERR_OK,
				 silent != 0);
		assert_true(t.d.writes >= GROUP);
		assert_string_equal(scratch_get(&t.d.s, "root/a"),
				    silent ? "typed\n" : "new\n");
		for (size_t i = 1; i < GROUP; i++)
			assert_string_equal(scratch_get(&t.d.s, names[i]),
					    silent ? "old\n" : "new\n");
		end(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_group_goes_through_the_editor_or_is_put_back),
		cmocka_unit_test(a_read_returns_unsaved_text),
		cmocka_unit_test(a_saved_file_is_equal_from_editor_and_disk),
		cmocka_unit_test(unchanged_bytes_are_kept_through_the_editor),
		cmocka_unit_test(lost_encoding_and_line_endings_are_corrected),
		cmocka_unit_test(mixed_line_endings_are_read_from_disk),
		cmocka_unit_test(a_write_goes_through_the_editor),
		cmocka_unit_test(an_unsaved_write_is_read_back),
		cmocka_unit_test(typing_since_the_read_is_a_conflict),
		cmocka_unit_test(a_stale_buffer_is_detected),
		cmocka_unit_test(without_a_response_the_disk_is_used),
		cmocka_unit_test(a_refused_write_goes_to_disk),
		cmocka_unit_test(nothing_is_written_when_ready_refuses),
		cmocka_unit_test(a_late_write_that_happened_succeeds),
		cmocka_unit_test(a_late_write_that_did_not_happen_fails),
		cmocka_unit_test(parents_and_directories_are_checked_on_disk),
		cmocka_unit_test(
			the_editor_gets_the_path_of_the_user_or_the_key),
		cmocka_unit_test(a_cancelled_call_gets_nothing),
		cmocka_unit_test(with_an_editor_calls_wait),
		cmocka_unit_test(unsaved_text_is_not_removed),
		cmocka_unit_test(an_append_goes_to_unsaved_text),
		cmocka_unit_test(an_unsaved_new_buffer_is_a_file),
		cmocka_unit_test(an_editor_without_read_capability_writes),
		cmocka_unit_test(
			an_editor_without_write_capability_keeps_its_text),
		cmocka_unit_test(a_large_file_is_read_from_disk),
		cmocka_unit_test(the_editor_is_asked_before_the_disk_is_read),
		cmocka_unit_test(a_store_asks_the_editor_before_the_disk),
		cmocka_unit_test(a_cancelled_call_does_not_read_the_disk),
		cmocka_unit_test(text_of_a_path_that_was_changed_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
