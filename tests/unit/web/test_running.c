/*
 * test_running.c - the list of running servers; one that has died is not in
 * it.
 */
#include "place.h"

#include "web/running.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The other members of a valid file. */
#define URL  "\"url\":\"http://127.0.0.1:7717\""
#define REST "\"page\":\"http://a.localhost:7717\",\"id\":\"x\""

static void it_is_found_while_it_runs(void **state)
{
	auto_place p = place_make();
	const struct running self = { .url = STR("http://127.0.0.1:7717"),
				      .page = STR("http://a.localhost:7717"),
				      .id = STR("some-id") };
	struct running r;
	struct stat st;

	assert_int_equal(running_read(p.dir, &p.mem, &r, &p.f), ERR_NOT_FOUND);
	assert_non_null(strstr(p.f.hint.ptr, "No server is running"));
	assert_int_equal(running_write(p.dir, &self, &p.mem, &p.f), ERR_OK);
	assert_int_equal(stat(place_path(&p, "server.json"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(running_read(p.dir, &p.mem, &r, &p.f), ERR_OK);
	assert_int_equal(r.pid, getpid());
	assert_true(str_eq(r.url, self.url));
	assert_true(str_eq(r.page, self.page));
	assert_true(str_eq(r.id, self.id));
	running_remove(p.dir);
	assert_int_equal(access(place_path(&p, "server.json"), F_OK), -1);
	running_remove(p.dir);
}

static pid_t dead_process(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	return child;
}

static void one_that_died_is_told_of(void **state)
{
	auto_place p = place_make();
	struct str url = STR("http://127.0.0.1:7717"), text;
	pid_t dead = dead_process();
	struct running r;

	assert_int_equal(running_write(p.dir,
				       &(struct running){ .url = url,
							  .page = url },
				       &p.mem, &p.f),
			 ERR_OK);
	text = arena_printf(&p.mem, "{\"pid\":%d,\"url\":\"%s\"," REST "}",
			    dead, url.ptr);
	place_write(&p, "server.json", text.ptr, 0600);
	assert_int_equal(running_read(p.dir, &p.mem, &r, &p.f), ERR_NOT_FOUND);
	assert_non_null(strstr(p.f.hint.ptr, "has crashed or was killed"));
	/* not ours to remove */
	running_remove(p.dir);
	assert_true(str_eq(place_read(&p, "server.json"), text));

	/* the number is another's by now */
	text = arena_printf(&p.mem,
			    "{\"pid\":%d,\"started\":1,\"url\":\"%s\"," REST
			    "}",
			    getpid(), url.ptr);
	place_write(&p, "server.json", text.ptr, 0600);
	assert_int_equal(running_read(p.dir, &p.mem, &r, &p.f), ERR_NOT_FOUND);
}

static void a_file_that_is_wrong_is_refused(void **state)
{
	static const struct {
		const char *text;
		unsigned mode;
	} files[] = {
		{ "{\"pid\":1," URL "," REST "}", 0644 },
		{ "{\"pid\":1,\"url\":\"file:///etc/passwd\"," REST "}", 0600 },
		{ "{\"pid\":1,\"url\":\"http://a b\"," REST "}", 0600 },
		{ "{\"pid\":1,\"url\":\"http://a?b\"," REST "}", 0600 },
		{ "{\"pid\":1,\"url\":\"http://a#b\"," REST "}", 0600 },
		{ "{\"pid\":1," URL ",\"page\":\"file:///x\",\"id\":\"x\"}",
		  0600 },
		{ "{\"pid\":1," URL ",\"id\":\"x\"}", 0600 },
		{ "{\"pid\":1," URL ",\"page\":\"http://a\"}", 0600 },
		{ "{\"pid\":1," REST "}", 0600 },
		{ "{" URL "," REST "}", 0600 },
		{ "[]", 0600 },
		{ "", 0600 },
	};
	auto_place p = place_make();
	struct running r;

	tokens_free(place_tokens(&p));
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		place_write(&p, "server.json", files[i].text, files[i].mode);
		assert_int_equal(running_read(p.dir, &p.mem, &r, &p.f),
				 ERR_BAD_CONFIG);
		assert_non_null(strstr(place_words(&p), "/stet/server.json"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_found_while_it_runs),
		cmocka_unit_test(one_that_died_is_told_of),
		cmocka_unit_test(a_file_that_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
