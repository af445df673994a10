/*
 * approval_files.c - writes and reads the list of files of a question:
 * "M2:1:4:/p/f0:2:/p0:", with the numbers of added and removed lines.
 */
#include "store/approval_files.h"

enum { FILE_TEXTS = 4 };

static void file_texts(struct approval_file *file, struct str *ret[FILE_TEXTS])
{
	ret[0] = &file->path;
	ret[1] = &file->from;
	ret[2] = &file->root;
	ret[3] = &file->notes;
}

void approval_files_put(struct buf *out, const struct approval_file *files,
			size_t n)
{
	struct str *texts[FILE_TEXTS];

	for (size_t i = 0; i < n; i++) {
		struct approval_file file = files[i];

		buf_addf(out, "%c%llu:%llu:", file.letter,
			 (unsigned long long)file.added,
			 (unsigned long long)file.removed);
		file_texts(&file, texts);
		for (size_t t = 0; t < FILE_TEXTS; t++) {
			buf_addf(out, "%zu:", texts[t]->len);
			buf_add(out, *texts[t]);
		}
	}
}

/* A number and ":"; false when it is something else. */
static bool take_number(struct str *rest, uint64_t *ret)
{
	size_t colon = str_find(*rest, ':');

	*ret = 0;
	for (size_t i = 0; i < colon && colon < rest->len; i++) {
		char c = rest->ptr[i];

		if (c < '0' || c > '9' || *ret > UINT64_MAX / 10 - 1)
			return false;
		*ret = *ret * 10 + (uint64_t)(c - '0');
	}
	if (!colon || colon >= rest->len)
		return false;
	*rest = str_skip(*rest, colon + 1);
	return true;
}

static bool take_text(struct str *rest, struct str *ret)
{
	uint64_t len;

	if (!take_number(rest, &len) || len > rest->len)
		return false;
	*ret = str_head(*rest, (size_t)len);
	*rest = str_skip(*rest, (size_t)len);
	return true;
}

static bool take_file(struct str *rest, struct approval_file *ret)
{
	struct str *texts[FILE_TEXTS];

	if (!rest->len)
		return false;
	ret->letter = rest->ptr[0];
	*rest = str_skip(*rest, 1);
	if (!take_number(rest, &ret->added) ||
	    !take_number(rest, &ret->removed))
		return false;
	file_texts(ret, texts);
	for (size_t t = 0; t < FILE_TEXTS; t++)
		if (!take_text(rest, texts[t]))
			return false;
	return true;
}

struct approval_file *approval_files_get(struct str text, struct arena *mem,
					 size_t *ret_n)
{
	struct approval_file *files = NULL, file;

	*ret_n = 0;
	while (take_file(&text, &file))
		*arena_add(mem, files, *ret_n) = file;
	return files;
}
