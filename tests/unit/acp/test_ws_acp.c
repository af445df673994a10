/*
 * The editor first, the disk second: with a real wire, a real loop and real
 * files.
 */
#include "desk.h"

#include "acp/ws_acp.h"

#include <sys/stat.h>
#include <unistd.h>

/* ms, for answers that never come: long enough to ask, on any machine. */
enum { SOON = 1000 };
enum { MOST = 1 << 20 };

static const struct errand errand = { 0 };

struct fixture {
	struct desk d;
	struct workspace *ws;
	struct arena mem;
	struct fault f;
};

static void open_with(struct fixture *t, const struct desk_want *want)
{
	*t = (struct fixture){ 0 };
	desk_open(&t->d, want);
	t->ws = ws_acp_new(t->d.s.ws, t->d.editor);
}

static void open_it(struct fixture *t)
{
	open_with(t, &(struct desk_want){ 0 });
}

static void end(struct fixture *t)
{
	ws_acp_free(t->ws);
	desk_close(&t->d);
	arena_free(&t->mem);
}

static enum err load(struct fixture *t, const char *name, struct snapshot *ret)
{
	return ws_load(t->ws, scratch_str(&t->d.s, name), MOST, &errand,
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

/* Over what @was loaded, or over nothing. */
static enum err store(struct fixture *t, const char *name,
		      const struct snapshot *was, const char *bytes,
		      struct stored *ret)
{
	struct store_want want = { .base = STORE_ABSENT,
				   .bytes = str_of(bytes),
				   .errand = &errand };

	if (was) {
		want.base = STORE_VERSION;
		want.version = was->version;
	}
	return ws_store(t->ws, scratch_str(&t->d.s, name), &want, &t->mem, ret,
			&t->f);
}

/* R26 R62: what is typed wins, and the result says who served it. */
static void unsaved_text_is_what_is_read(void **state)
{
	struct fixture t;
	struct snapshot snap;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "saved\n");
	desk_type(&t.d, "root/a", "typed\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "typed\n");
	assert_true(hash_eq(snap.version, hash_of(STR("typed\n"))));
	assert_true(from_editor(snap.source));
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "saved\n");
	end(&t);
}

/* R27 R61 A12: the same version, key, stamp and mode as from the disk. */
static void a_saved_file_is_the_same_from_both(void **state)
{
	static const char *const contents[] = {
		"a\nb\n",
		"",
		"a\r\nb\r\n",
		"\xef\xbb\xbf"
		"a\r\n",
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
		assert_int_equal(ws_load(t.d.s.ws, path, MOST, &errand, &t.mem,
					 &disk, &t.f),
				 ERR_OK);
		assert_true(from_editor(both.source));
		assert_true(str_eq(both.bytes, disk.bytes));
		assert_true(hash_eq(both.version, disk.version));
		assert_true(str_eq(both.key, disk.key));
		assert_true(stamp_eq(&both.stamp, &disk.stamp));
		assert_int_equal(both.mode, disk.mode);
		assert_int_equal(ws_page(t.ws, path, &want, &errand, &t.mem,
					 &page, &t.f),
				 ERR_OK);
		assert_int_equal(ws_page(t.d.s.ws, path, &want, &errand, &t.mem,
					 &disk_page, &t.f),
				 ERR_OK);
		assert_true(from_editor(page.source));
		assert_true(str_eq(page.text, disk_page.text));
		assert_int_equal(page.total_lines, disk_page.total_lines);
		assert_true(hash_eq(page.version, disk_page.version));
		assert_ptr_equal(page.in.encoding, disk_page.in.encoding);
		end(&t);
	}
}

/* An editor of LF alone; what is not edited keeps every byte. */
static void bytes_are_kept_through_an_editor_of_lines(void **state)
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

/* One that saves as UTF-8 with LF is put right. */
static void an_editor_that_loses_the_form_is_put_right(void **state)
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

/* Of several line endings LF alone tells nothing: the disk it is. */
static void a_file_it_cannot_show_is_the_disks(void **state)
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

/* An edit of unsaved text stays unsaved where the editor keeps it so. */
static void what_the_editor_keeps_is_what_is_read(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	t.d.unsaved = true;
	scratch_put(&t.d.s, "root/a", "a\r\nb\r\n");
	desk_type(&t.d, "root/a", "a\nb\nc\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "a\r\nb\r\nc\r\n");
	assert_int_equal(store(&t, "root/a", &snap, "a\r\nB\r\nc\r\n", &stored),
			 ERR_OK);
	assert_false(stored.rewritten);
	assert_string_equal(desk_shows(&t.d, "root/a"), "a\nB\nc\n");
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\r\nb\r\n");
	snap = loaded(&t, "root/a");
	assert_true(hash_eq(snap.version, stored.version));
	end(&t);
}

static void who_typed_since_is_not_overwritten(void **state)
{
	struct snapshot snap, now;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	desk_type(&t.d, "root/a", "a, typed\n");
	assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored),
			 ERR_CHANGED);
	now = loaded(&t, "root/a");
	assert_true(str_eq(t.f.version, hash_text(now.version, &t.mem)));
	assert_int_equal(t.d.writes, 0);
	assert_string_equal(desk_shows(&t.d, "root/a"), "a, typed\n");
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\n");
	/* a new file that somebody has begun to type, too */
	desk_type(&t.d, "root/new", "begun\n");
	assert_int_equal(store(&t, "root/new", NULL, "b\n", &stored),
			 ERR_CHANGED);
	end(&t);
}

/* A shell has written the file; the buffer is the one that we know. */
static void a_buffer_that_is_behind_is_noticed(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "old\n");
	desk_type(&t.d, "root/a", "old\n"); /* open, and not reloaded */
	(void)loaded(&t, "root/a");
	scratch_put(&t.d.s, "root/a", "by a shell\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "by a shell\n");
	assert_false(from_editor(snap.source));
	assert_int_equal(store(&t, "root/a", &snap, "more\n", &stored), ERR_OK);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "more\n");
	assert_int_equal(t.d.writes, 0);
	/* but what is typed there is typed */
	desk_type(&t.d, "root/a", "old, typed\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "old, typed\n");
	assert_true(from_editor(snap.source));
	end(&t);
}

/* R28 W26 A15 A16: by each way in which there is no answer. */
static void without_an_answer_the_disk_serves(void **state)
{
	static const struct {
		struct desk_want want;
		enum desk_way way;
	} ways[] = {
		{ { .no_reads = true, .no_writes = true }, DESK_ANSWERS },
		{ { 0 }, DESK_REFUSES },
		{ { 0 }, DESK_MUMBLES },
		{ { .read_ms = SOON }, DESK_SILENT },
		{ { 0 }, DESK_HANGS_UP },
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

/* An editor that shows the file and will not write it; asked once. */
static void a_refused_write_is_the_disks(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;
	unsigned asked = 0;

	open_it(&t);
	t.d.writes_how = DESK_REFUSES;
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(ws_store(t.ws, scratch_str(&t.d.s, "root/a"),
				  &(struct store_want){ .base = STORE_VERSION,
							.version = snap.version,
							.bytes = STR("b\n"),
							.errand = &errand,
							.ready = count,
							.ctx = &asked },
				  &t.mem, &stored, &t.f),
			 ERR_OK);
	assert_int_equal(asked, 1);
	assert_int_equal(t.d.writes, 1);
	assert_false(from_editor(stored.source));
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	/* not over what somebody has typed */
	desk_type(&t.d, "root/a", "typed\n");
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

static void whoever_is_not_ready_writes_nothing(void **state)
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
							.errand = &errand,
							.ready = no },
				  &t.mem, &stored, &t.f),
			 ERR_ASK);
	assert_int_equal(t.d.writes, 0);
	end(&t);
}

/* A15: what was applied anyway is a success; it hung up, or said nothing. */
static void a_late_write_that_was_made_is_made(void **state)
{
	static const enum desk_way ways[] = { DESK_SILENT_DOES, DESK_HANGS_UP };

	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		struct snapshot snap;
		struct stored stored;
		struct fixture t;

		open_with(&t, &(struct desk_want){ .write_ms = SOON });
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

/* A15: and one that was not is an error, not a second write. */
static void a_late_write_that_was_not_made_is_an_error(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_with(&t, &(struct desk_want){ .write_ms = SOON });
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	t.d.writes_how = DESK_SILENT;
	assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored), ERR_IO);
	assert_string_equal(t.f.reason, "editor_late");
	assert_int_equal(t.d.writes, 1);
	for (int n = 0; !t.d.cancels && n < 5000; n++)
		(void)usleep(1000);
	assert_true(t.d.cancels >= 1);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\n");
	end(&t);
}

/* A18: whatever the client would make of it. */
static void parents_and_directories_are_the_disks_to_judge(void **state)
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
	/* an empty buffer is no file */
	assert_int_equal(load(&t, "root/none", &snap), ERR_NOT_FOUND);
	end(&t);
}

/* Not by a link, which the editor would follow by itself: by its key. */
static void the_editor_hears_a_name_it_knows(void **state)
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

static void who_gives_up_gets_nothing(void **state)
{
	const struct errand given_up = { .stop = at_once };
	struct snapshot snap;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "a\n");
	t.d.reads_how = DESK_SILENT;
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), MOST,
				 &given_up, &t.mem, &snap, &t.f),
			 ERR_CANCELLED);
	end(&t);
}

static void who_cannot_wait_comes_later(void **state)
{
	const struct errand hasty = { .patience = MOST };
	struct snapshot snap;
	struct fixture t;

	open_it(&t);
	scratch_put(&t.d.s, "root/a", "a\n");
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), MOST,
				 &hasty, &t.mem, &snap, &t.f),
			 ERR_LATER);
	assert_int_equal(t.d.reads, 0);
	/* nobody is asked for stet's own settings */
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), MOST,
				 NULL, &t.mem, &snap, &t.f),
			 ERR_OK);
	assert_int_equal(t.d.reads, 0);
	/* and without an editor nobody has to */
	desk_cut(&t.d);
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), MOST,
				 &hasty, &t.mem, &snap, &t.f),
			 ERR_OK);
	end(&t);
}

static void unsaved_text_is_not_removed(void **state)
{
	const struct store_want want = { .errand = &errand };
	struct snapshot snap;
	struct fixture t;
	struct str path;

	open_it(&t);
	path = scratch_str(&t.d.s, "root/a");
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	desk_type(&t.d, "root/a", "typed\n");
	assert_int_equal(ws_remove(t.ws, path, snap.version, &want, &t.mem,
				   &t.f),
			 ERR_CHANGED);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "a\n");
	desk_type(&t.d, "root/a", "a\n");
	assert_int_equal(ws_remove(t.ws, path, snap.version, &want, &t.mem,
				   &t.f),
			 ERR_OK);
	assert_null(scratch_get(&t.d.s, "root/a"));
	end(&t);
}

static void an_addition_goes_where_the_text_is(void **state)
{
	const struct append_want want = { .bytes = STR_INIT("more\n"),
					  .own_line = true,
					  .errand = &errand };
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
	desk_type(&t.d, "root/a", "typed");
	assert_int_equal(ws_append(t.ws, path, &want, &t.mem, &added, &t.f),
			 ERR_OK);
	assert_int_equal(t.d.writes, 1);
	assert_int_equal(added.at, 5);
	assert_true(added.completed);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "typed\nmore\n");
	end(&t);
}

/* What somebody has begun, and has not saved anywhere. */
static void a_buffer_without_a_file_is_one(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_it(&t);
	desk_type(&t.d, "root/new", "begun\n");
	snap = loaded(&t, "root/new");
	assert_str(snap.bytes, "begun\n");
	assert_true(from_editor(snap.source));
	assert_str(snap.key, scratch_path(&t.d.s, "root/new"));
	assert_int_equal(store(&t, "root/new", &snap, "done\n", &stored),
			 ERR_OK);
	assert_true(stored.created); /* A17: on disk there was none */
	assert_string_equal(scratch_get(&t.d.s, "root/new"), "done\n");
	end(&t);
}

/* W24: it cannot be asked what it shows, but it can be told. */
static void an_editor_that_only_writes_writes(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_with(&t, &(struct desk_want){ .no_reads = true });
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	assert_false(from_editor(snap.source));
	assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored), ERR_OK);
	assert_true(from_editor(stored.source));
	assert_int_equal(t.d.reads, 0);
	assert_int_equal(t.d.writes, 1);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	/* how it ends lines nobody knows */
	scratch_put(&t.d.s, "root/a", "a\r\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(store(&t, "root/a", &snap, "b\r\n", &stored), ERR_OK);
	assert_false(from_editor(stored.source));
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\r\n");
	end(&t);
}

/* One that only reads is not written behind: its text is not saved. */
static void an_editor_that_only_reads_keeps_its_text(void **state)
{
	struct snapshot snap;
	struct stored stored;
	struct fixture t;

	open_with(&t, &(struct desk_want){ .no_writes = true });
	scratch_put(&t.d.s, "root/a", "a\n");
	snap = loaded(&t, "root/a");
	assert_int_equal(store(&t, "root/a", &snap, "b\n", &stored), ERR_OK);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	desk_type(&t.d, "root/a", "typed\n");
	snap = loaded(&t, "root/a");
	assert_str(snap.bytes, "typed\n");
	assert_int_equal(store(&t, "root/a", &snap, "c\n", &stored),
			 ERR_CHANGED);
	assert_string_equal(scratch_get(&t.d.s, "root/a"), "b\n");
	end(&t);
}

/* A message has its limits: what is large is the disk's, in pages as well. */
static void a_large_file_is_the_disks(void **state)
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
				 &errand, &t.mem, &page, &t.f),
			 ERR_OK);
	assert_int_equal(page.total_lines, LARGE / 64);
	assert_int_equal(ws_load(t.ws, scratch_str(&t.d.s, "root/a"), 2 * LARGE,
				 &errand, &t.mem, &snap, &t.f),
			 ERR_OK);
	assert_false(from_editor(snap.source));
	assert_int_equal(t.d.reads, 0);
	end(&t);
	test_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsaved_text_is_what_is_read),
		cmocka_unit_test(a_saved_file_is_the_same_from_both),
		cmocka_unit_test(bytes_are_kept_through_an_editor_of_lines),
		cmocka_unit_test(an_editor_that_loses_the_form_is_put_right),
		cmocka_unit_test(a_file_it_cannot_show_is_the_disks),
		cmocka_unit_test(a_write_goes_through_the_editor),
		cmocka_unit_test(what_the_editor_keeps_is_what_is_read),
		cmocka_unit_test(who_typed_since_is_not_overwritten),
		cmocka_unit_test(a_buffer_that_is_behind_is_noticed),
		cmocka_unit_test(without_an_answer_the_disk_serves),
		cmocka_unit_test(a_refused_write_is_the_disks),
		cmocka_unit_test(whoever_is_not_ready_writes_nothing),
		cmocka_unit_test(a_late_write_that_was_made_is_made),
		cmocka_unit_test(a_late_write_that_was_not_made_is_an_error),
		cmocka_unit_test(
			parents_and_directories_are_the_disks_to_judge),
		cmocka_unit_test(the_editor_hears_a_name_it_knows),
		cmocka_unit_test(who_gives_up_gets_nothing),
		cmocka_unit_test(who_cannot_wait_comes_later),
		cmocka_unit_test(unsaved_text_is_not_removed),
		cmocka_unit_test(an_addition_goes_where_the_text_is),
		cmocka_unit_test(a_buffer_without_a_file_is_one),
		cmocka_unit_test(an_editor_that_only_writes_writes),
		cmocka_unit_test(an_editor_that_only_reads_keeps_its_text),
		cmocka_unit_test(a_large_file_is_the_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
