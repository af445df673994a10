#include "text/codec.h"

#include <dlfcn.h>
#include <pthread.h>

/*
 * uchardet, loaded when the first file comes along that needs it: it brings
 * the C++ library with it, and most processes never see such a file.
 */
static struct {
	void *(*make)(void);
	void (*drop)(void *);
	int (*feed)(void *, const char *, size_t);
	void (*end)(void *);
	const char *(*charset)(void *);
	bool there;
} library;

static void find(void *from, const char *name, void *to, bool *every)
{
	void *symbol = dlsym(from, name);

	*every = *every && symbol;
	memcpy(to, &symbol, sizeof(symbol));
}

static void load(void)
{
	void *from = dlopen("libuchardet.so.0", RTLD_NOW | RTLD_LOCAL);
	bool every = true;

	if (!from)
		return;
	find(from, "uchardet_new", &library.make, &every);
	find(from, "uchardet_delete", &library.drop, &every);
	find(from, "uchardet_handle_data", &library.feed, &every);
	find(from, "uchardet_data_end", &library.end, &every);
	find(from, "uchardet_get_charset", &library.charset, &every);
	library.there = every;
}

const struct encoding *encoding_by_statistics(struct str sample)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct encoding *e = NULL;
	void *detector;

	pthread_once(&once, load);
	detector = library.there ? library.make() : NULL;
	if (!detector)
		return NULL;
	if (!library.feed(detector, sample.ptr, sample.len)) {
		library.end(detector);
		e = encoding_named(str_of(library.charset(detector)));
	}
	library.drop(detector);
	return e;
}
