/*
 * test_output_queue.c - replies go to a pipe, a socket or a file, in order,
 * and a reader that does not read never blocks the writer.
 */
#include "../unit.h"

#include "base/fd.h"
#include "io/output_queue.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static unsigned given_back;

static void on_done(void *ctx, struct job *job)
{
	given_back++;
	job_free(job);
}

static void add(struct output_queue *o, size_t n, char with)
{
	struct job *job = job_new(NULL);

	memset(buf_room(&job->reply, n), with, n);
	job->reply.len = n;
	output_queue_add(o, job);
}

/* Queue more than the pipe or socket holds, then read it all back. */
static void check_ends(int in, int out, bool reopens)
{
	enum { EACH = 300000, JOBS = 20 };
	char *got = malloc(EACH);
	struct output_queue o;
	ssize_t n;

	given_back = 0;
	output_queue_open(&o, out, on_done, NULL);
	if (!reopens)
		fd_drop(&o.own_fd);
	for (int i = 0; i < JOBS; i++)
		add(&o, EACH, (char)('a' + i));
	assert_true(output_queue_flush(
		&o)); /* returns although the peer does not read */
	assert_true(given_back < JOBS);
	assert_true(output_queue_poll_fd(&o) >= 0);
	for (size_t total = 0; total < (size_t)EACH * JOBS;) {
		n = fd_read(in, got, EACH);
		assert_true(n > 0);
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(got[i],
					 'a' + (char)((total + (size_t)i) /
						      EACH));
		total += (size_t)n;
		assert_true(output_queue_flush(&o));
	}
	assert_int_equal(given_back, JOBS);
	assert_int_equal(output_queue_poll_fd(&o), -1);
	assert_int_equal(o.bytes, 0);
	assert_int_equal(o.count, 0);
	(void)close(in);
	add(&o, 10, 'x');
	assert_false(output_queue_flush(&o)); /* EPIPE is reported, not fatal */
	output_queue_close(&o);
	assert_int_equal(given_back, JOBS + 1);
	free(got);
}

static void a_full_pipe_does_not_block(void **state)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	check_ends(ends[0], ends[1], true);
	/* the given descriptor is still blocking, as its owner set it */
	assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
	(void)close(ends[1]);
}

/* X01: another user's pipe cannot be opened again. */
static void a_full_pipe_of_another_user_does_not_block(void **state)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	check_ends(ends[0], ends[1], false);
	(void)close(ends[1]);
}

static void a_full_socket_does_not_block(void **state)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	check_ends(ends[0], ends[1], true);
	(void)close(ends[1]);
}

/* A growing reply is written to @out, which holds less than all of it. */
static void check_early(int in, int out, bool reopens)
{
	enum { PIECE = 100000, PIECES = 40 };
	char *got = malloc(PIECE);
	struct job *job = job_new(NULL);
	size_t total = 0, most = 0;
	struct output_queue o;

	given_back = 0;
	output_queue_open(&o, out, on_done, NULL);
	if (!reopens)
		fd_drop(&o.own_fd);
	for (int i = 0; i < PIECES; i++) {
		memset(buf_room(&job->reply, PIECE), 'a' + i % 26, PIECE);
		job->reply.len += PIECE;
		assert_true(output_queue_send_early(&o, &job->reply));
		most = job->reply.len > most ? job->reply.len : most;
	}
	assert_true(most > PIECE && job->reply.len);
	output_queue_add(&o, job);
	add(&o, PIECE, 'z');
	assert_true(output_queue_flush(&o));
	while (given_back < 2 || total < (size_t)PIECE * (PIECES + 1)) {
		ssize_t n = fd_read(in, got, PIECE);

		assert_true(n > 0);
		for (ssize_t i = 0; i < n; i++) {
			size_t piece = (total + (size_t)i) / PIECE;

			assert_int_equal(got[i],
					 piece == PIECES
						 ? 'z'
						 : 'a' + (int)piece % 26);
		}
		total += (size_t)n;
		assert_true(output_queue_flush(&o));
	}
	assert_int_equal(total, (size_t)PIECE * (PIECES + 1));
	assert_int_equal(o.bytes, 0);
	assert_int_equal(o.offset, 0);
	output_queue_close(&o);
	free(got);
}

static void a_reply_goes_out_while_it_is_made(void **state)
{
	int ends[2];

	for (int kind = 0; kind < 3; kind++) {
		if (kind == 2)
			assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0,
						    ends),
					 0);
		else
			assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		check_early(ends[0], ends[1], kind != 1);
		(void)close(ends[0]);
		(void)close(ends[1]);
	}
}

/* A reply that is read as fast as it is written is not kept in memory. */
static void what_went_out_takes_no_room(void **state)
{
	enum { PIECE = 60000 };
	static char got[PIECE];
	auto_buf reply = BUF_INIT;
	struct output_queue o;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	output_queue_open(&o, ends[1], on_done, NULL);
	for (int i = 0; i < 50; i++) {
		memset(buf_room(&reply, PIECE), 'x', PIECE);
		reply.len += PIECE;
		assert_true(output_queue_send_early(&o, &reply));
		assert_int_equal(reply.len, 0);
		assert_int_equal(fd_read(ends[0], got, PIECE), PIECE);
	}
	(void)close(ends[0]);
	buf_lit(&reply, "x");
	assert_false(
		output_queue_send_early(&o, &reply)); /* the reader is gone */
	output_queue_close(&o);
	(void)close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_pipe_does_not_block),
		cmocka_unit_test(a_full_pipe_of_another_user_does_not_block),
		cmocka_unit_test(a_full_socket_does_not_block),
		cmocka_unit_test(a_reply_goes_out_while_it_is_made),
		cmocka_unit_test(what_went_out_takes_no_room),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
