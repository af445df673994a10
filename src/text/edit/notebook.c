/*
 * notebook.c - splices that edit one cell of a notebook.
 *
 * Of several members with the same name the last one counts, as for every
 * reader of JSON; the others keep their bytes.
 */
#include "text/edit/notebook.h"

#include "base/hash.h"
#include "text/edit/edit.h"
#include "text/edit/notebook_style.h"

enum { MOST_SPLICES = 16, MOST_REMOVED = 8 };

struct notebook {
	struct str text;
	struct arena *mem;
	struct notebook_style style;
	struct json root, array;
	struct json *cells;
	size_t n;
	bool has_ids; /* nbformat_minor 5: each cell has an id */
};

/* The splices so far, in any order. */
struct cell_edit {
	const struct notebook *nb;
	struct splice list[MOST_SPLICES];
	size_t n;
};

static size_t part_start(const struct notebook *nb, struct str part)
{
	return (size_t)(part.ptr - nb->text.ptr);
}

static size_t part_end(const struct notebook *nb, struct str part)
{
	return part_start(nb, part) + part.len;
}

static void add_splice(struct cell_edit *e, size_t from, size_t to,
		       struct str with)
{
	e->list[e->n++] = (struct splice){ from, to, with };
}

static bool notebook_open(struct str text, struct arena *mem,
			  struct notebook *nb)
{
	const struct json_limits limits = { 0 };
	struct json_error error;
	struct json_walk w;
	int64_t format, minor = 0;

	*nb = (struct notebook){ .text = text, .mem = mem };
	if (json_parse(text, &limits, mem, &nb->root, &error))
		return false;
	nb->array = json_get(nb->root, "cells");
	if (!json_int(json_get(nb->root, "nbformat"), &format) || format != 4 ||
	    !json_is(nb->array, JSON_ARRAY))
		return false;
	(void)!json_int(json_get(nb->root, "nbformat_minor"), &minor);
	nb->has_ids = minor >= 5;
	nb->cells = arena_array(mem, struct json, json_count(nb->array));
	for (w = json_walk(nb->array); json_step(&w); nb->n++)
		nb->cells[nb->n] = w.value;
	nb->style = notebook_style_of(text, nb->root, mem);
	return true;
}

static bool has_id(const struct notebook *nb, size_t i, struct str id)
{
	struct str text;

	return json_text(json_get(nb->cells[i], "id"), nb->mem, &text) &&
	       str_eq(text, id);
}

static size_t count_ids(const struct notebook *nb, struct str id,
			size_t *ret_last)
{
	size_t count = 0;

	for (size_t i = 0; i < nb->n; i++)
		if (has_id(nb, i, id)) {
			*ret_last = i;
			count++;
		}
	return count;
}

/* "cell-12" */
static bool index_named(struct str name, size_t *ret)
{
	struct str digits = str_skip(name, 5);
	size_t n = 0;

	if (!str_starts(name, STR("cell-")) || !digits.len || digits.len > 9)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
			return false;
		n = n * 10 + (size_t)(digits.ptr[i] - '0');
	}
	*ret = n;
	return true;
}

static enum err find_cell(const struct notebook *nb, struct str name,
			  size_t *ret, size_t *ret_count)
{
	*ret_count = count_ids(nb, name, ret);
	if (*ret_count == 1)
		return ERR_OK;
	if (*ret_count)
		return ERR_MANY_CELLS;
	return index_named(name, ret) && *ret < nb->n ? ERR_OK : ERR_NO_CELL;
}

/* The text of a source: a string, or a list of strings. */
static bool source_text(struct json source, struct arena *mem, struct str *ret)
{
	struct json_walk w = json_walk(source);
	auto_buf out = BUF_INIT;
	struct str line;

	if (json_is(source, JSON_STRING))
		return json_text(source, mem, ret);
	if (!json_is(source, JSON_ARRAY))
		return false;
	while (json_step(&w)) {
		if (!json_text(w.value, mem, &line))
			return false;
		buf_add(&out, line);
	}
	*ret = arena_copy(mem, buf_str(&out));
	return true;
}

/* The last member of that name, or NULL. */
static const struct notebook_member *
member_named(const struct notebook_member *m, size_t n, const char *name)
{
	auto_buf quoted = BUF_INIT;

	buf_addf(&quoted, "\"%s\"", name);
	for (size_t i = n; i-- > 0;)
		if (str_eq(m[i].key, buf_str(&quoted)))
			return &m[i];
	return NULL;
}

/* The new source in the form of the one at @old. */
static struct str spell_source(const struct notebook *nb,
			       const struct notebook_member *old,
			       struct str source)
{
	struct str first, indent = STR("");
	bool was_lines = str_find(old->value, '\n') < old->value.len;
	bool own_line =
		notebook_indent_at(nb->text, part_start(nb, old->key), &indent);
	auto_buf out = BUF_INIT;

	if (json_is(old->json, JSON_STRING)) {
		notebook_put_string(&nb->style, source, &out);
	} else {
		bool lines = was_lines || (!json_count(old->json) && own_line &&
					   nb->style.lines);
		size_t close = part_end(nb, old->value) - 1;

		if (was_lines && notebook_indent_at(nb->text, close, &first))
			indent = first;
		notebook_put_list(&nb->style, source, lines, indent, &out);
	}
	return arena_copy(nb->mem, buf_str(&out));
}

static void set_value(struct cell_edit *e, const struct notebook_member *m,
		      const char *with)
{
	add_splice(e, part_start(e->nb, m->value), part_end(e->nb, m->value),
		   str_of(with));
}

/* The members that a cell of the other type must not have. */
static void remove_members(struct cell_edit *e, const struct notebook_member *m,
			   size_t n, bool code)
{
	for (size_t i = 0, k; i < n; i = k + 1) {
		for (k = i; k < n; k++) {
			struct str key = m[k].key;
			bool gone =
				code ? str_is(key, "\"attachments\"")
				     : str_is(key, "\"outputs\"") ||
						str_is(key,
						       "\"execution_count\"");

			if (!gone)
				break;
		}
		if (k == i || e->n == MOST_REMOVED)
			continue;
		if (i)
			add_splice(e, part_end(e->nb, m[i - 1].value),
				   part_end(e->nb, m[k - 1].value), STR(""));
		else
			add_splice(e, part_start(e->nb, m[0].key),
				   part_start(e->nb, m[k].key), STR(""));
	}
}

/* Add a member after @after, which is not the only one of its cell. */
static void add_member(struct cell_edit *e, const struct notebook_member *m,
		       const struct notebook_member *after, const char *text)
{
	const struct notebook *nb = e->nb;
	size_t at = part_end(nb, after->value), from = part_end(nb, m[0].value);
	auto_buf out = BUF_INIT;
	struct str name = str_of(text), value;

	(void)!str_split(&name, ' ', &value);
	buf_add(&out, str_sub(nb->text, from, part_start(nb, m[1].key)));
	buf_addf(&out, "\"" STR_FMT "\"", STR_ARG(value));
	buf_add(&out, str_sub(nb->text, part_end(nb, m[0].key),
			      part_start(nb, m[0].value)));
	buf_add(&out, name);
	add_splice(e, at, at, arena_copy(nb->mem, buf_str(&out)));
}

/* A code cell that has a new source was never run. */
static void forget_run(struct cell_edit *e, const struct notebook_member *m,
		       size_t n)
{
	const struct notebook_member *outputs = member_named(m, n, "outputs");
	const struct notebook_member *count =
		member_named(m, n, "execution_count");

	if (outputs && json_count(outputs->json))
		set_value(e, outputs, "[]");
	if (count && !json_is(count->json, JSON_NULL))
		set_value(e, count, "null");
}

static void change_type(struct cell_edit *e, const struct notebook_member *m,
			size_t n, struct str type)
{
	const struct notebook_member *old = member_named(m, n, "cell_type");
	const struct notebook_member *after = member_named(m, n, "metadata");
	bool code = str_is(type, "code");

	set_value(e, old, code ? "\"code\"" : "\"markdown\"");
	remove_members(e, m, n, code);
	if (!code)
		return;
	if (!member_named(m, n, "execution_count"))
		add_member(e, m, old, "execution_count null");
	if (!member_named(m, n, "outputs"))
		add_member(e, m, after ? after : old, "outputs []");
	forget_run(e, m, n);
}

static bool replace_cell(struct cell_edit *e, size_t i,
			 const struct notebook_want *want,
			 struct notebook_edit *ret)
{
	const struct notebook *nb = e->nb;
	size_t n;
	const struct notebook_member *m =
		notebook_members(nb->cells[i], nb->mem, &n);
	const struct notebook_member *source = member_named(m, n, "source");
	const struct notebook_member *type = member_named(m, n, "cell_type");

	if (!source || !type || !json_text(type->json, nb->mem, &ret->type) ||
	    !source_text(source->json, nb->mem, &ret->old_source))
		return false;
	add_splice(e, part_start(nb, source->value),
		   part_end(nb, source->value),
		   spell_source(nb, source, want->source));
	if (want->type.len && !str_eq(want->type, ret->type)) {
		change_type(e, m, n, want->type);
		ret->type = want->type;
	} else if (str_is(ret->type, "code")) {
		forget_run(e, m, n);
	}
	return true;
}

static void delete_cell(struct cell_edit *e, size_t i)
{
	const struct notebook *nb = e->nb;
	struct str cell = json_raw(nb->cells[i]), array = json_raw(nb->array);

	if (i)
		add_splice(e, part_end(nb, json_raw(nb->cells[i - 1])),
			   part_end(nb, cell), STR(""));
	else if (nb->n > 1)
		add_splice(e, part_start(nb, cell),
			   part_start(nb, json_raw(nb->cells[1])), STR(""));
	else
		add_splice(e, part_start(nb, array) + 1,
			   part_end(nb, array) - 1, STR(""));
}

/* Eight hex digits that no other cell has; the same for the same call. */
static struct str new_id(const struct notebook *nb, struct str source)
{
	auto_buf seed = BUF_INIT;
	struct str id;
	size_t at;

	buf_add(&seed, hash_text(hash_of(nb->text), nb->mem));
	buf_add(&seed, source);
	do {
		buf_addc(&seed, '+');
		id = str_head(hash_text(hash_of(buf_str(&seed)), nb->mem), 8);
	} while (count_ids(nb, id, &at));
	return id;
}

struct new_cell {
	struct str type, id, source;
	struct str indent; /* of its line */
	bool lines, list;
};

static void put_key(const struct notebook *nb, const struct new_cell *cell,
		    const char *key, bool first, struct buf *out)
{
	const struct notebook_style style = { .lines = cell->lines,
					      .eol = nb->style.eol,
					      .unit = nb->style.unit };

	if (!first)
		buf_add(out, cell->lines ? STR(",") : nb->style.comma);
	notebook_break(&style, cell->indent, 1, out);
	buf_addf(out, "\"%s\"", key);
	buf_add(out, nb->style.colon);
}

static void put_cell(const struct notebook *nb, const struct new_cell *cell,
		     struct buf *out)
{
	const struct notebook_style style = { .lines = cell->lines,
					      .eol = nb->style.eol };
	bool code = str_is(cell->type, "code");
	auto_buf indent = BUF_INIT;

	buf_add(&indent, cell->indent);
	buf_add(&indent, nb->style.unit);
	buf_addc(out, '{');
	put_key(nb, cell, "cell_type", /* first= */ true, out);
	buf_addf(out, "\"" STR_FMT "\"", STR_ARG(cell->type));
	if (code) {
		put_key(nb, cell, "execution_count", /* first= */ false, out);
		buf_lit(out, "null");
	}
	if (cell->id.len) {
		put_key(nb, cell, "id", /* first= */ false, out);
		buf_addf(out, "\"" STR_FMT "\"", STR_ARG(cell->id));
	}
	put_key(nb, cell, "metadata", /* first= */ false, out);
	buf_lit(out, "{}");
	if (code) {
		put_key(nb, cell, "outputs", /* first= */ false, out);
		buf_lit(out, "[]");
	}
	put_key(nb, cell, "source", /* first= */ false, out);
	if (cell->list)
		notebook_put_list(&nb->style, cell->source, cell->lines,
				  buf_str(&indent), out);
	else
		notebook_put_string(&nb->style, cell->source, out);
	notebook_break(&style, cell->indent, 0, out);
	buf_addc(out, '}');
}

/* The first cell of a notebook without any. */
static void insert_only(struct cell_edit *e, struct new_cell *cell)
{
	const struct notebook *nb = e->nb;
	struct str array = json_raw(nb->array);
	auto_buf out = BUF_INIT, indent = BUF_INIT;

	if (nb->style.lines) {
		buf_add(&indent, nb->style.unit);
		buf_add(&indent, nb->style.unit);
	}
	cell->indent = arena_copy(nb->mem, buf_str(&indent));
	cell->lines = nb->style.lines;
	cell->list = true;
	buf_addc(&out, '[');
	notebook_break(&nb->style, cell->indent, 0, &out);
	put_cell(nb, cell, &out);
	notebook_break(&nb->style, nb->style.unit, 0, &out);
	buf_addc(&out, ']');
	add_splice(e, part_start(nb, array), part_end(nb, array),
		   arena_copy(nb->mem, buf_str(&out)));
}

/* What stands between two cells. */
static void put_between(const struct notebook *nb, const struct new_cell *cell,
			bool own_line, struct buf *out)
{
	if (nb->n > 1) {
		buf_add(out,
			str_sub(nb->text, part_end(nb, json_raw(nb->cells[0])),
				part_start(nb, json_raw(nb->cells[1]))));
		return;
	}
	buf_add(out, own_line ? STR(",") : nb->style.comma);
	if (own_line)
		notebook_break(&nb->style, cell->indent, 0, out);
}

/* @at: the index that the new cell will have. */
static void insert_cell(struct cell_edit *e, size_t at, struct new_cell *cell)
{
	const struct notebook *nb = e->nb;
	struct str beside;
	auto_buf out = BUF_INIT;
	bool own_line;
	size_t place;

	if (!nb->n) {
		insert_only(e, cell);
		return;
	}
	beside = json_raw(nb->cells[at ? at - 1 : 0]);
	own_line = notebook_indent_at(nb->text, part_start(nb, beside),
				      &cell->indent);
	cell->lines = str_find(beside, '\n') < beside.len;
	cell->list = !json_is(json_get(nb->cells[at ? at - 1 : 0], "source"),
			      JSON_STRING);
	place = at ? part_end(nb, beside) : part_start(nb, beside);
	if (at)
		put_between(nb, cell, own_line, &out);
	put_cell(nb, cell, &out);
	if (!at)
		put_between(nb, cell, own_line, &out);
	add_splice(e, place, place, arena_copy(nb->mem, buf_str(&out)));
}

static enum err insert_after(struct cell_edit *e,
			     const struct notebook_want *want,
			     struct notebook_edit *ret)
{
	const struct notebook *nb = e->nb;
	struct new_cell cell = { .type = want->type,
				 .source = want->source,
				 .indent = STR("") };
	size_t at = 0;
	enum err err = ERR_OK;

	if (!want->type.len)
		return ERR_BAD_ARGS;
	if (want->cell.len)
		err = find_cell(nb, want->cell, &at, &ret->count);
	if (err)
		return err;
	at += want->cell.len > 0;
	if (nb->has_ids)
		cell.id = new_id(nb, want->source);
	insert_cell(e, at, &cell);
	ret->type = want->type;
	ret->cell =
		cell.id.len ? cell.id : arena_printf(nb->mem, "cell-%zu", at);
	return ERR_OK;
}

static enum err edit_named(struct cell_edit *e,
			   const struct notebook_want *want,
			   struct notebook_edit *ret)
{
	const struct notebook *nb = e->nb;
	struct json cell;
	size_t i;
	enum err err;

	if (!want->cell.len)
		return ERR_BAD_ARGS;
	err = find_cell(nb, want->cell, &i, &ret->count);
	if (err)
		return err;
	ret->cell = want->cell;
	if (want->mode == NOTEBOOK_REPLACE)
		return replace_cell(e, i, want, ret) ? ERR_OK
						     : ERR_NOT_A_NOTEBOOK;
	cell = nb->cells[i];
	if (!json_text(json_get(cell, "cell_type"), nb->mem, &ret->type) ||
	    !source_text(json_get(cell, "source"), nb->mem, &ret->old_source))
		return ERR_NOT_A_NOTEBOOK;
	delete_cell(e, i);
	return ERR_OK;
}

/* In ascending order, adjacent ones joined. */
static void splices_settle(struct cell_edit *e, struct notebook_edit *ret)
{
	struct splice *list = e->list;
	size_t n = 0;

	for (size_t i = 1; i < e->n; i++)
		for (size_t k = i; k && list[k].from < list[k - 1].from; k--) {
			struct splice other = list[k];

			list[k] = list[k - 1];
			list[k - 1] = other;
		}
	ret->splices = arena_array(e->nb->mem, struct splice, e->n);
	for (size_t i = 0; i < e->n; i++) {
		struct splice *last = n ? &ret->splices[n - 1] : NULL;

		if (!last || last->to < list[i].from) {
			ret->splices[n++] = list[i];
			continue;
		}
		last->with = arena_printf(e->nb->mem, STR_FMT STR_FMT,
					  STR_ARG(last->with),
					  STR_ARG(list[i].with));
		if (list[i].to > last->to)
			last->to = list[i].to;
	}
	ret->n = n;
}

static struct str language_of(const struct notebook *nb)
{
	struct json metadata = json_get(nb->root, "metadata");
	struct str name;

	if (json_text(json_get(json_get(metadata, "language_info"), "name"),
		      nb->mem, &name) ||
	    json_text(json_get(json_get(metadata, "kernelspec"), "language"),
		      nb->mem, &name))
		return name;
	return STR("python");
}

enum err notebook_edit(struct str text, const struct notebook_want *want,
		       struct arena *mem, struct notebook_edit *ret)
{
	const struct json_limits limits = { 0 };
	struct cell_edit edit = { 0 };
	struct json_error error;
	struct notebook nb;
	struct json json;
	enum err e;

	*ret = (struct notebook_edit){ .old_source = STR("") };
	if (!notebook_open(text, mem, &nb))
		return ERR_NOT_A_NOTEBOOK;
	edit.nb = &nb;
	if (want->mode == NOTEBOOK_INSERT)
		e = insert_after(&edit, want, ret);
	else
		e = edit_named(&edit, want, ret);
	if (e)
		return e;
	splices_settle(&edit, ret);
	ret->text = edit_splice(text, ret->splices, ret->n, mem);
	ret->language = language_of(&nb);
	/* Never write a notebook that cannot be read. */
	if (json_parse(ret->text, &limits, mem, &json, &error))
		return ERR_NOT_A_NOTEBOOK;
	return ERR_OK;
}
