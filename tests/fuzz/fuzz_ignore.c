/*
 * fuzz_ignore.c - an ignore file and a path, separated by a NUL byte.
 *
 * A path beneath an excluded directory is excluded; a last rule "*" excludes
 * everything; a rule after a comment sign has no effect; and line ends may be
 * CRLF.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "text/pattern/ignore.h"

static bool decide(struct str text, struct str path, bool is_dir,
		   struct arena *mem)
{
	struct ignore_list list = { 0 };
	struct ignore_cause cause;
	bool ignored;

	ignore_parse(text, mem, &list);
	ignored = ignore_decide(&list, 1, path, is_dir, &cause);
	must(!ignored || (cause.rule && !cause.rule->negated));
	return ignored;
}

static struct str with_crlf(struct str text, struct arena *mem)
{
	char *to = arena_alloc(mem, 2 * text.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\n')
			to[n++] = '\r';
		to[n++] = text.ptr[i];
	}
	return str_make(to, n);
}

static struct str joined(struct str text, const char *more, struct arena *mem)
{
	auto_buf both = BUF_INIT;

	buf_add(&both, text);
	buf_add(&both, str_of(more));
	return arena_copy(mem, buf_str(&both));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	auto_arena mem = ARENA_INIT;
	struct str all = str_make((const char *)bytes, size_min(len, 4096));
	size_t nul = str_find(all, '\0'), slash;
	struct str text = str_head(all, nul), path = str_skip(all, nul + 1);
	bool ignored = decide(text, path, false, &mem);

	slash = str_rfind(path, '/');
	if (slash < path.len && slash &&
	    decide(text, str_head(path, slash), true, &mem))
		must(ignored);
	if (path.len && path.ptr[0] != '/')
		must(decide(joined(text, "\n*", &mem), path, false, &mem));
	must(decide(joined(text, "\n#*\n\n", &mem), path, false, &mem) ==
	     ignored);
	if (str_find(text, '\r') == text.len)
		must(decide(with_crlf(text, &mem), path, false, &mem) ==
		     ignored);
	return 0;
}
