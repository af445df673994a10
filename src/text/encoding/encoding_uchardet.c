/*
 * encoding_uchardet.c - guess an encoding with the uchardet library.
 *
 * The library is loaded with dlopen() when the first file needs it: it brings
 * the C++ runtime with it, and most processes never read such a file. Where it
 * is not installed, detection goes on without statistics.
 */
#include "text/encoding/codec.h"

#include <dlfcn.h>
#include <pthread.h>

/* Its functions; valid if @loaded. */
static struct {
	void *(*make)(void);
	void (*drop)(void *);
	int (*feed)(void *, const char *, size_t);
	void (*end)(void *);
	const char *(*charset)(void *);
	bool loaded;
} library;

static void find_symbol(void *from, const char *name, void *to, bool *every)
{
	void *symbol = dlsym(from, name);

	*every = *every && symbol;
	memcpy(to, &symbol, sizeof(symbol));
}

static void load_library(void)
{
	void *from = dlopen("libuchardet.so.0", RTLD_NOW | RTLD_LOCAL);
	bool every = true;

	if (!from)
		return;
	find_symbol(from, "uchardet_new", &library.make, &every);
	find_symbol(from, "uchardet_delete", &library.drop, &every);
	find_symbol(from, "uchardet_handle_data", &library.feed, &every);
	find_symbol(from, "uchardet_data_end", &library.end, &every);
	find_symbol(from, "uchardet_get_charset", &library.charset, &every);
	library.loaded = every;
}

const struct encoding *encoding_by_statistics(struct str sample)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct encoding *e = NULL;
	void *detector;

	pthread_once(&once, load_library);
	detector = library.loaded ? library.make() : NULL;
	if (!detector)
		return NULL;
	if (!library.feed(detector, sample.ptr, sample.len)) {
		library.end(detector);
		e = encoding_named(str_of(library.charset(detector)));
	}
	library.drop(detector);
	return e;
}
