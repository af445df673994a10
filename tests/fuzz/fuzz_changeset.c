/*
 * fuzz_changeset.c - the format of apply_patch, and placing its hunks.
 *
 * What a patch prints as is read as the same patch (V55). A hunk of context
 * alone changes nothing, wherever it is placed.
 */
#include "fuzz.h"

#include "text/patch/section_apply.h"

static void check_hunk(const struct changeset_hunk *a,
		       const struct changeset_hunk *b)
{
	must(a->at_count == b->at_count && a->old_line == b->old_line);
	must(a->count == b->count && a->at_end == b->at_end);
	for (size_t i = 0; i < a->at_count; i++)
		must(str_eq(a->at[i], b->at[i]));
	for (size_t i = 0; i < a->count; i++)
		must(a->lines[i].sign == b->lines[i].sign &&
		     str_eq(a->lines[i].text, b->lines[i].text));
}

static void check_section(const struct changeset_section *a,
			  const struct changeset_section *b)
{
	must(a->kind == b->kind && a->hunk_count == b->hunk_count);
	must(str_eq(a->path, b->path) && str_eq(a->to, b->to));
	must(str_eq(a->content, b->content));
	for (size_t i = 0; i < a->hunk_count; i++)
		check_hunk(&a->hunks[i], &b->hunks[i]);
}

static void check_printed(const struct changeset *set, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct changeset again;
	struct fault f;

	changeset_print(set, &out);
	must(changeset_parse(buf_str(&out), mem, &again, &f) == ERR_OK);
	must(set->count == again.count);
	for (size_t i = 0; i < set->count; i++)
		check_section(&set->sections[i], &again.sections[i]);
}

static bool only_context(const struct changeset_section *s)
{
	for (size_t i = 0; i < s->hunk_count; i++)
		for (size_t n = 0; n < s->hunks[i].count; n++)
			if (s->hunks[i].lines[n].sign != ' ')
				return false;
	return true;
}

static void check_applied(const struct changeset *set, struct str text,
			  struct arena *mem)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct changeset_section *s = &set->sections[i];
		struct section_applied done;
		struct hunk_failure why;
		struct fault f;

		if (section_apply(text, s, /* crlf= */ false, mem, &done, &why,
				  &f))
			continue;
		must(!only_context(s) || str_eq(done.text, text));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = { (const char *)data, size };
	size_t middle = str_find(all, '\0');
	auto_arena mem = ARENA_INIT;
	struct changeset set;
	struct fault f;

	if (changeset_parse(str_head(all, middle), &mem, &set, &f))
		return 0;
	check_printed(&set, &mem);
	check_applied(&set, str_skip(all, middle + 1), &mem);
	return 0;
}
