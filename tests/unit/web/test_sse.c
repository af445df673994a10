/*
 * test_sse.c - the event stream over a real port: what is sent, and when it is
 * closed.
 */
#include "desk.h"

#include "store/writer.h"
#include "tools/history/owner.h"

/* A page that listens; it has been greeted. */
static int listen_in(struct desk *d)
{
	int fd = desk_dial(d);

	buf_clear(&d->got, 4096);
	desk_say(fd, STR("GET /api/live HTTP/1.1\r\nHost: x\r\n\r\n"));
	assert_true(desk_read(d, fd, "event: hello\ndata: {}\n\n"));
	assert_true(desk_has(d, "Content-Type: text/event-stream\r\n"));
	assert_true(desk_has(d, "Cache-Control: no-store\r\n"));
	return fd;
}

static void calls_and_operations_are_told(void **state)
{
	auto_desk d;
	int fd;

	desk_begin(&d);
	assert_int_equal(desk_write(&d, "root/earlier", "x"), ERR_OK);
	fd = listen_in(&d);
	assert_int_equal(desk_write(&d, "root/a", "x"), ERR_OK);
	assert_true(desk_read(&d, fd, "event: operation\n"));
	assert_true(desk_read(&d, fd, "\"shown\":\"a\""));
	assert_true(desk_has(&d, "event: call\ndata: {\"id\":\"2\","));
	assert_true(desk_has(&d, "\"state\":\"running\""));
	assert_true(desk_has(&d, "\"state\":\"ok\""));
	/* earlier entries are in the lists */
	assert_false(desk_has(&d, "earlier"));
	(void)close(fd);
}

static void questions_come_and_go(void **state)
{
	auto_desk d;
	struct json a;
	int fd;

	desk_begin(&d);
	fd = listen_in(&d);
	assert_int_equal(desk_write(&d, "root/ask", "x"), ERR_APPROVAL);
	assert_true(desk_read(&d, fd, "event: approval\ndata: {\"id\":\""));
	assert_true(desk_read(&d, fd, "\"partial\":false}\n\n"));
	assert_true(desk_has(&d, "\"state\":\"asking\""));
	buf_clear(&d.got, 4096);
	a = desk_get(&d, "/api/approvals");
	assert_int_equal(
		desk_post(&d,
			  arena_printf(&d.mem, "/api/approvals/%s",
				       arena_cstr(&d.mem,
						  desk_text(&d, a,
							    "approvals.0.id")))
				  .ptr,
			  "{\"answer\":\"deny\"}"),
		200);
	assert_true(desk_read(&d, fd, "event: approval_gone\n"));
	assert_true(desk_read(&d, fd, "\"state\":\"denied\"}"));
	(void)close(fd);
}

/* Another store on the same directory is as good as another process. */
static void other_processes_are_seen_too(void **state)
{
	auto_owner other = { 0 };
	auto_arena mem = ARENA_INIT;
	struct undo_group undone;
	struct store *store;
	struct fault f;
	struct op op;
	auto_desk d;
	int fd;

	desk_begin(&d);
	scratch_put(&d.scratch, "root/f", "1\n");
	assert_int_equal(desk_write(&d, "root/f", "2\n"), ERR_OK);
	fd = listen_in(&d);
	store = store_new(&(struct store_options){
		.dir = scratch_str(&d.scratch, "state/stet") });
	owner_begin(&other, &(struct owner_options){ .store = store,
						     .tool = STR("stet undo"),
						     .client = STR("me"),
						     .mem = &mem,
						     .fault = &f });
	assert_int_equal(history_last(store, scratch_str(&d.scratch, "root/f"),
				      &mem, &op, &f),
			 ERR_OK);
	assert_int_equal(owner_undo(&other, &op, /* only= */ false,
				    CONFLICTS_ABORT, &undone),
			 ERR_OK);
	/* the undo, and the undone operation, which is not active any more */
	assert_true(desk_read(&d, fd, "\"client\":\"me\""));
	assert_true(desk_read(&d, fd, "\"active\":false"));
	store_free(store);
	(void)close(fd);
}

static void clients_come_and_go(void **state)
{
	auto_desk d;
	int fd;

	desk_begin(&d);
	atomic_store(&desk_clients, 0);
	fd = listen_in(&d);
	atomic_store(&desk_clients, 1);
	assert_true(
		desk_read(&d, fd, "event: client\ndata: {\"name\":\"alice\""));
	assert_true(desk_read(&d, fd, "\"gone\":false}"));
	atomic_store(&desk_clients, 0);
	assert_true(desk_read(&d, fd, "\"gone\":true}"));
	(void)close(fd);
}

/*
 * Waits until the server has noticed that all other connections are closed: a
 * client's close() returns before that.
 */
static void wait_until_alone(struct desk *d)
{
	struct json status;
	int tries = 0;

	do {
		status = desk_get(d, "/api/status");
		assert_true(tries++ < 10000);
	} while (desk_int(status, "counters.connections") > 1);
}

/* A stream that is closed disturbs neither the others nor a later one. */
static void listeners_come_and_go(void **state)
{
	int fds[8];
	auto_desk d;

	desk_begin(&d);
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		fds[i] = listen_in(&d);
	for (size_t i = 1; i < COUNT_OF(fds); i++)
		(void)close(fds[i]);
	assert_int_equal(desk_write(&d, "root/a", "x"), ERR_OK);
	assert_true(desk_read(&d, fds[0], "event: operation\n"));
	(void)close(fds[0]);
	wait_until_alone(&d);
	assert_int_equal(desk_write(&d, "root/b", "x"), ERR_OK);
	writer_flush(d.server.tools.store); /* its end is written a bit later */
	fds[0] = listen_in(&d);
	assert_int_equal(desk_write(&d, "root/c", "x"), ERR_OK);
	assert_true(desk_read(&d, fds[0], "\"shown\":\"c\""));
	assert_false(desk_has(&d, "\"shown\":\"b\""));
	(void)close(fds[0]);
}

/* An open stream does not delay the end of the server. */
static void who_listens_is_let_go_at_the_end(void **state)
{
	struct desk d;
	int fd;

	desk_begin(&d);
	fd = listen_in(&d);
	http_stop(d.http);
	assert_false(desk_read(&d, fd, NULL));
	assert_true(str_ends(buf_str(&d.got), STR("\r\n0\r\n\r\n")));
	(void)close(fd);
	desk_end(&d);
}

static void too_many_are_refused(void **state)
{
	int fds[64];
	auto_desk d;

	desk_begin(&d);
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		fds[i] = listen_in(&d);
	assert_int_equal(desk_ask(&d, "GET", "/api/live", "", ""), 503);
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		(void)close(fds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_and_operations_are_told),
		cmocka_unit_test(questions_come_and_go),
		cmocka_unit_test(other_processes_are_seen_too),
		cmocka_unit_test(clients_come_and_go),
		cmocka_unit_test(listeners_come_and_go),
		cmocka_unit_test(who_listens_is_let_go_at_the_end),
		cmocka_unit_test(too_many_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
