/*
 * note.c - the second text of a search: what was left out, and where to go on.
 */
#include "base/buf.h"
#include "tools/find/find.h"

static void add_count(struct buf *out, size_t n, const char *one,
		      const char *many)
{
	if (n)
		buf_addf(out, "%s%zu %s", out->len ? ", " : "", n,
			 n == 1 ? one : many);
}

static void add_sentence(struct buf *out, const char *label, struct str text)
{
	if (text.len)
		buf_addf(out, "%s%s" STR_FMT ".", out->len ? "\n" : "", label,
			 STR_ARG(text));
}

struct str find_note_text(const struct find_counts *n,
			  const struct find_note *note, struct arena *mem)
{
	auto_buf left = BUF_INIT;
	auto_buf out = BUF_INIT;

	add_count(&left, n->ignored_files, "ignored file", "ignored files");
	add_count(&left, n->ignored_dirs, "ignored directory",
		  "ignored directories");
	add_count(&left, n->binary, "binary", "binary");
	add_count(&left, n->too_large, "too large", "too large");
	add_count(&left, n->unreadable, "unreadable", "unreadable");
	add_count(&left, n->need_approval, "needs approval", "need approval");
	add_count(&left, n->special, "special", "special");
	add_sentence(&out, "Not searched: ", buf_str(&left));
	add_sentence(&out, "Partial: ", note->partial);
	if (note->next_offset)
		buf_addf(&out, "%sNext: offset=%llu.", out.len ? "\n" : "",
			 (unsigned long long)note->next_offset);
	add_sentence(&out, "Decoded: ", note->decoded);
	return arena_copy(mem, buf_str(&out));
}

struct str find_why_partial(const struct find *find, struct arena *mem)
{
	uint64_t ms = find->call->options->find.timeout_ms;

	ms = ms ? ms : FIND_TIMEOUT_MS;
	return arena_printf(mem, "the time limit of %llu ms was reached",
			    (unsigned long long)ms);
}
