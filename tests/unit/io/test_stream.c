/*
 * test_stream.c - a stream is a pipe or socket; other descriptors are refused.
 */
#include "../unit.h"

#include "io/loop.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static size_t received;
static struct loop *loop;

static void on_test_bytes(void *ctx, struct str bytes)
{
	received += bytes.len;
}

static void on_test_end(void *ctx)
{
	loop_stop(loop);
}

static const struct stream_handler handler = { on_test_bytes, on_test_end,
					       NULL };

static void a_file_or_device_is_refused(void **state)
{
	static const char *const names[] = { "/dev/null", "/dev/zero",
					     "/proc/self/exe" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		int fd = open(names[i], O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		loop = loop_new();
		assert_null(stream_open(loop, fd, -1, &handler));
		loop_free(loop);
	}
}

static void a_pipe_and_a_socket_are_read_to_their_end(void **state)
{
	int pipe_fds[2], socket_fds[2];

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
				    socket_fds),
			 0);
	for (int i = 0; i < 2; i++) {
		int ours = i ? socket_fds[0] : pipe_fds[0];
		int theirs = i ? socket_fds[1] : pipe_fds[1];
		struct stream *s;

		received = 0;
		loop = loop_new();
		s = stream_open(loop, ours, -1, &handler);
		assert_non_null(s);
		assert_int_equal(write(theirs, "hello", 5), 5);
		assert_int_equal(close(theirs), 0);
		loop_run(loop);
		assert_int_equal(received, 5);
		stream_close(s);
		loop_free(loop);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_or_device_is_refused),
		cmocka_unit_test(a_pipe_and_a_socket_are_read_to_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
