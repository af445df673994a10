/*
 * fuzz_stdio.c - a whole MCP server on a pair of descriptors.
 *
 * For any input every line of the output is JSON, and nothing outside the root
 * is read or changed.
 */
#include "world.h"

#include "io/stdio.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 64 * 1024, MOST_MESSAGE = 32 * 1024 };

static int file_of(struct str bytes)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len);
	must(!lseek(fd, 0, SEEK_SET));
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	auto_arena mem = ARENA_INIT;
	struct config config = config_default;
	struct stdio_options options = { .max_message = MOST_MESSAGE };
	struct server *server;
	struct str said;

	if (len > MOST)
		return 0;
	(void)world_base();
	world_reset();
	config.durability = 1; /* "process": no fsync */
	server = world_server(&config, &mem);
	must(server);
	options.in = file_of(world_input(bytes, len, &mem));
	options.out = memfd_create("output", MFD_CLOEXEC);
	must(options.out >= 0);
	stdio_serve(server, &options);
	config_free(server);
	said = world_read(options.out, &mem);
	world_is_json(said);
	world_is_whole(said);
	(void)close(options.in);
	(void)close(options.out);
	return 0;
}
