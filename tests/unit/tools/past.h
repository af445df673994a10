/*
 * past.h - a workspace with a history, and a call that changes files in it.
 */
#ifndef STET_TEST_PAST_H
#define STET_TEST_PAST_H

#include "../files/scratch.h"

#include "tools/change/recovery.h"
#include "tools/history/undo.h"

#include <sys/stat.h>

struct past {
	struct scratch scratch;
	struct store *store;
	struct tool tool;
	struct tool_options options;
	struct caller caller;
	struct call call;
	struct fault fault;
	struct arena mem;
};

#define auto_past cleanup(past_end) struct past

static inline void past_begin(struct past *p)
{
	*p = (struct past){ .scratch = scratch_make() };
	p->store = store_new(&(struct store_options){
		.dir = scratch_str(&p->scratch, "state/stet") });
	p->tool = (struct tool){ .name = "test", .effects = TOOL_EDITS };
	p->options = (struct tool_options){ .max_file = 1 << 20,
					    .max_reply = 1 << 20,
					    .store = p->store,
					    .store_must = true };
	p->caller.session = STR("one");
	p->call = (struct call){ .tool = &p->tool,
				 .options = &p->options,
				 .ws = p->scratch.ws,
				 .mem = &p->mem,
				 .fault = &p->fault,
				 .caller = &p->caller };
}

static inline void past_end(struct past *p)
{
	store_free(p->store);
	arena_free(&p->mem);
	scratch_end(&p->scratch);
}

/* Load the file; NULL when it does not exist. */
static inline struct snapshot *past_now(struct past *p, struct str path,
					struct snapshot *snap)
{
	enum err e = ws_load(p->scratch.ws, path, 1 << 20, NULL, &p->mem, snap,
			     &p->fault);

	assert_true(!e || e == ERR_NOT_FOUND);
	return e ? NULL : snap;
}

/* Write the whole content as a tool does; returns the operation. */
static inline struct uuid past_write(struct past *p, const char *name,
				     const char *content)
{
	struct str path = scratch_str(&p->scratch, name);
	struct snapshot snap;
	struct change change = { .path = path,
				 .before = past_now(p, path, &snap),
				 .after = str_of(content) };
	struct changed changed;

	assert_int_equal(change_file(&p->call, &change, &changed), ERR_OK);
	assert_false(uuid_is_zero(changed.op));
	return changed.op;
}

static inline struct uuid past_remove(struct past *p, const char *name)
{
	struct str path = scratch_str(&p->scratch, name);
	struct snapshot snap;
	struct change change = { .path = path,
				 .before = past_now(p, path, &snap),
				 .remove = true };
	struct changed changed;

	assert_int_equal(change_file(&p->call, &change, &changed), ERR_OK);
	return changed.op;
}

static inline void past_append(struct past *p, const char *name,
			       const char *content)
{
	struct addition a = { .path = scratch_str(&p->scratch, name),
			      .want = { .bytes = str_of(content),
					.newline = STR("\n"),
					.eol = STR("\n") } };
	struct appended appended;
	struct changed changed;

	assert_int_equal(change_append(&p->call, &a, &appended, &changed),
			 ERR_OK);
}

static inline struct op past_op(struct past *p, struct uuid id)
{
	struct op op;

	assert_int_equal(history_find(p->store, op_id(id, &p->mem), &p->mem,
				      &op, &p->fault),
			 ERR_OK);
	return op;
}

/* The latest operation with a role. */
static inline struct op past_last(struct past *p, enum op_role role)
{
	struct op_pick pick = { .role = role };
	struct op op = { 0 };

	assert_int_equal(op_pick_last(p->store, &pick, &p->mem, &op, &p->fault),
			 ERR_OK);
	return op;
}

static inline enum err past_undo(struct past *p, struct op op,
				 enum conflicts conflicts,
				 struct undone *undone)
{
	p->fault = (struct fault){ 0 };
	return undo_operation(&p->call, &op, conflicts, undone);
}

#define assert_file(p, name, want)                                     \
	do {                                                           \
		const char *has_ = scratch_get(&(p)->scratch, (name)); \
		if (want) {                                            \
			assert_non_null(has_);                         \
			assert_string_equal(has_, (want));             \
		} else {                                               \
			assert_null(has_);                             \
		}                                                      \
	} while (0)

#endif
