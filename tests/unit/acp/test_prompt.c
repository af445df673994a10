/*
 * test_prompt.c - content blocks of a prompt and the resulting input of
 * Codex.
 */
#include "fake_session.h"

#define TEXT(text) \
	"{\"type\":\"text\",\"text\":\"" text "\",\"text_elements\":[]}"

static const struct {
	const char *blocks;
	const char *input; /* NULL = refused, with @why */
	const char *why;
} rows[] = {
	{ "[{\"type\":\"text\",\"text\":\"hi\"}]", "[" TEXT("hi") "]", NULL },
	{ "[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AA==\"}]",
	  "[{\"type\":\"image\",\"url\":\"data:image/png;base64,AA==\"}]",
	  NULL },
	{ "[{\"type\":\"resource_link\",\"uri\":\"file:///a%20b/c.c#L1\",\"name\":\"c.c\"}]",
	  "[" TEXT("[@c.c](/a b/c.c)") "]", NULL },
	{ "[{\"type\":\"resource_link\",\"uri\":\"http://x/%20\",\"name\":\"\"}]",
	  "[" TEXT("[@http://x/%20](http://x/%20)") "]", NULL },
	{ "[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a.c\",\"text\":\"int a;\"}}]",
	  "[" TEXT("<context ref=\\\"/a.c\\\">\\nint a;\\n</context>") "]",
	  NULL },
	{ "[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a.png\",\"mimeType\":\"image/png\",\"blob\":\"AA==\"}}]",
	  "[{\"type\":\"image\",\"url\":\"data:image/png;base64,AA==\"}]",
	  NULL },
	{ "[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a.zip\",\"blob\":\"AA==\"}}]",
	  NULL, "neither text nor an image" },
	{ "[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AA==\"}]",
	  NULL, "not support audio" },
	{ "[{\"type\":\"smell\"}]", NULL, "unknown type" },
	{ "[{\"type\":\"text\"}]", NULL, "no text" },
	{ "[{\"type\":\"image\",\"data\":\"AA==\"}]", NULL, "no mimeType" },
	{ "[]", NULL, "empty" },
	{ "\"hi\"", NULL, "empty" },
	{ "[7]", NULL, "unknown type" },
};

static void blocks_become_input_or_are_refused(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf out = BUF_INIT;
		struct json_out o = json_out(&out);
		struct str why;
		bool fine = prompt_put(&o, parsed(str_of(rows[i].blocks), &mem),
				       &mem, &why);

		assert_int_equal(fine, rows[i].input != NULL);
		if (fine)
			assert_text(buf_str(&out), rows[i].input);
		else
			assert_non_null(
				strstr(arena_cstr(&mem, why), rows[i].why));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_become_input_or_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
