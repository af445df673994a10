/*
 * confusable_name.c - find the suspicious confusables of a name.
 *
 * A word is a run of letters: ASCII letters, and everything beyond ASCII that
 * is not listed as punctuation in text/match/confusable.def.
 */
#include "text/display/confusable_name.h"

#include "base/buf.h"
#include "text/display/visible.h"
#include "text/encoding/utf8.h"

/* The scripts of one word. */
struct word {
	bool ascii;   /* has an ASCII letter */
	bool foreign; /* has a letter that looks like no ASCII one */
};

static bool is_ascii_letter(uint32_t code)
{
	return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
}

/* The row of @code, if it is visible and looks like an ASCII character. */
static bool is_confusable(uint32_t code, struct confusable *ret)
{
	return code >= 0x80 && code < UTF8_NOT && !visible_is_hidden(code) &&
	       confusable_find(code, ret) && ret->plain && ret->plain < 0x80;
}

static bool is_letter(uint32_t code)
{
	struct confusable a;

	if (code < 0x80)
		return is_ascii_letter(code);
	return code < UTF8_NOT &&
	       (!is_confusable(code, &a) || is_ascii_letter(a.plain));
}

/*
 * Classify the word at the front of @s; returns its length in bytes, 0 for
 * none.
 */
static size_t look_at_word(struct str s, struct word *ret)
{
	size_t at = 0, len;
	struct confusable a;

	*ret = (struct word){ 0 };
	while (at < s.len) {
		uint32_t code = utf8_any(str_skip(s, at), &len);

		if (!is_letter(code))
			break;
		ret->ascii |= code < 0x80;
		ret->foreign |= code >= 0x80 && !is_confusable(code, &a);
		at += len;
	}
	return at;
}

static bool is_listed(const struct confusable *list, size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].code == code)
			return true;
	return false;
}

/* Add the confusables of @s, a word or a separator, to @list. */
static struct confusable *add_from(struct str s, struct confusable *list,
				   size_t *n, struct arena *mem)
{
	struct confusable a;
	size_t len;

	for (; s.len; s = str_skip(s, len)) {
		uint32_t code = utf8_any(s, &len);

		if (is_confusable(code, &a) && !is_listed(list, *n, code)) {
			a.code = code;
			*arena_add(mem, list, *n) = a;
		}
	}
	return list;
}

struct confusable *confusable_name_list(struct str name, struct arena *mem,
					size_t *ret_n)
{
	struct confusable *list = NULL;
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

struct str confusable_name_sentence(struct str name, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	size_t n;
	const struct confusable *list = confusable_name_list(name, mem, &n);

	for (size_t i = 0; i < n; i++) {
		buf_addf(&out, "%sU+%04X", i ? ", " : "Look-alike characters: ",
			 (unsigned)list[i].code);
		if (list[i].name)
			buf_addf(&out, " (%s)", list[i].name);
		buf_addf(&out, " is not '%c'", (char)list[i].plain);
	}
	return arena_copy(mem, buf_str(&out));
}
