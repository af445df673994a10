/*
 * lookalike.c - which characters of a name pass for others, by the rows of
 * alike.def. Words are runs of letters: ASCII letters, and everything beyond
 * ASCII that is not listed as punctuation there.
 */
#include "text/lookalike.h"

#include "base/buf.h"
#include "text/utf8.h"
#include "text/visible.h"

/* One word of the name while it is walked over. */
struct word {
	bool ascii;   /* it has an ASCII letter */
	bool foreign; /* it has a letter that looks like no ASCII one */
};

static bool is_ascii_letter(uint32_t code)
{
	return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
}

/* The row of @code if it can be seen and looks like an ASCII character. */
static bool is_alike(uint32_t code, struct alike *ret)
{
	return code >= 0x80 && code < UTF8_NOT && !visible_is_hidden(code) &&
	       alike_find(code, ret) && ret->plain && ret->plain < 0x80;
}

static bool is_letter(uint32_t code)
{
	struct alike a;

	if (code < 0x80)
		return is_ascii_letter(code);
	return code < UTF8_NOT &&
	       (!is_alike(code, &a) || is_ascii_letter(a.plain));
}

/* The word at the front of @s, which may be empty; its length in bytes. */
static size_t look_at_word(struct str s, struct word *ret)
{
	size_t at = 0, len;
	struct alike a;

	*ret = (struct word){ 0 };
	while (at < s.len) {
		uint32_t code = utf8_any(str_skip(s, at), &len);

		if (!is_letter(code))
			break;
		ret->ascii |= code < 0x80;
		ret->foreign |= code >= 0x80 && !is_alike(code, &a);
		at += len;
	}
	return at;
}

static bool is_listed(const struct alike *list, size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].code == code)
			return true;
	return false;
}

/* Add the look-alikes of @s, one word or what stands between words. */
static struct alike *add_from(struct str s, struct alike *list, size_t *n,
			      struct arena *mem)
{
	struct alike a;
	size_t len;

	for (; s.len; s = str_skip(s, len)) {
		uint32_t code = utf8_any(s, &len);

		if (is_alike(code, &a) && !is_listed(list, *n, code)) {
			a.code = code;
			*arena_add(mem, list, *n) = a;
		}
	}
	return list;
}

struct alike *lookalike_list(struct str name, struct arena *mem, size_t *ret_n)
{
	struct alike *list = NULL;
	struct word word;
	size_t len;

	*ret_n = 0;
	for (; name.len; name = str_skip(name, len)) {
		len = look_at_word(name, &word);
		if (!len)
			(void)utf8_any(name, &len);
		else if (word.foreign && !word.ascii)
			continue;
		list = add_from(str_head(name, len), list, ret_n, mem);
	}
	return list;
}

struct str lookalike_words(struct str name, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	size_t n;
	const struct alike *list = lookalike_list(name, mem, &n);

	for (size_t i = 0; i < n; i++) {
		buf_addf(&out, "%sU+%04X", i ? ", " : "Look-alike characters: ",
			 (unsigned)list[i].code);
		if (list[i].name)
			buf_addf(&out, " (%s)", list[i].name);
		buf_addf(&out, " is not '%c'", (char)list[i].plain);
	}
	return arena_copy(mem, buf_str(&out));
}
