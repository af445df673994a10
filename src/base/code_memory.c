/*
 * code_memory.c - memory for the code that a compiler makes at run time.
 *
 * The region is a MAP_SHARED mapping of a memfd. Mapping the same memfd over it
 * with other rights (MAP_FIXED) changes what may be done with the bytes, which
 * stay. mprotect() could not: the filter refuses to make memory executable that
 * was writable.
 *
 * Requests are granted in units of 64 KiB, which is what the compiler asks for.
 */
#include "base/code_memory.h"

#include "base/mutex.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	UNIT = 64 * 1024,
	UNITS = 64,
	REGION = UNIT * UNITS,
};

static struct mutex code_lock; /* guards all variables below */
static char *region;           /* NULL = none yet */
static int region_fd = -1;
static uint64_t granted; /* one bit for each unit */
static bool owned;
static bool is_open; /* writable */

/* ld --wrap: calls of mmap() in the program arrive at __wrap_mmap(). */
void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
int __real_munmap(void *at, size_t len);
int __wrap_munmap(void *at, size_t len);

static bool region_map(int prot)
{
	void *at = mmap(region, REGION, prot,
			MAP_SHARED | (region ? MAP_FIXED : 0), region_fd, 0);

	if (at == MAP_FAILED)
		return false;
	region = at;
	return true;
}

static bool region_exists(void)
{
	if (region)
		return true;
	if (region_fd < 0)
		region_fd = memfd_create("stet-code", MFD_CLOEXEC);
	return region_fd >= 0 && !ftruncate(region_fd, REGION) &&
	       region_map(PROT_READ | PROT_WRITE);
}

bool code_memory_take(void)
{
	bool taken;

	mutex_lock(&code_lock);
	taken = !owned;
	if (taken)
		owned = is_open = true;
	mutex_unlock(&code_lock);
	return taken;
}

bool code_memory_seal(void)
{
	bool sealed;

	mutex_lock(&code_lock);
	sealed = !region || region_map(PROT_READ | PROT_EXEC);
	is_open = !sealed;
	mutex_unlock(&code_lock);
	return sealed;
}

void code_memory_open(void)
{
	mutex_lock(&code_lock);
	is_open = is_open || !region || region_map(PROT_READ | PROT_WRITE);
	mutex_unlock(&code_lock);
}

void code_memory_release(void)
{
	mutex_lock(&code_lock);
	owned = false;
	mutex_unlock(&code_lock);
}

/* @n units in a row that are free, as a mask; 0 = there are none. */
static uint64_t free_units(size_t n)
{
	uint64_t mask = n < UNITS ? ((uint64_t)1 << n) - 1 : UINT64_MAX;

	if (n > UNITS)
		return 0;
	for (size_t i = 0; i + n <= UNITS; i++)
		if (!(granted & mask << i))
			return mask << i;
	return 0;
}

static void *grant(size_t len)
{
	void *at = MAP_FAILED;
	uint64_t mask = 0;

	mutex_lock(&code_lock);
	if (owned && is_open && region_exists())
		mask = free_units((len + UNIT - 1) / UNIT);
	if (mask) {
		granted |= mask;
		at = region + (size_t)__builtin_ctzll(mask) * UNIT;
	}
	mutex_unlock(&code_lock);
	if (!mask)
		errno = ENOMEM;
	return at;
}

static bool in_region(const char *at)
{
	return region && at >= region && at < region + REGION;
}

static void give_back(char *at, size_t len)
{
	size_t n = (len + UNIT - 1) / UNIT;
	uint64_t mask = n < UNITS ? ((uint64_t)1 << n) - 1 : UINT64_MAX;

	mutex_lock(&code_lock);
	granted &= ~(mask << (size_t)(at - region) / UNIT);
	(void)madvise(at, len, MADV_REMOVE);
	mutex_unlock(&code_lock);
}

void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off)
{
	const int both = PROT_WRITE | PROT_EXEC;

	if ((prot & both) == both && (flags & MAP_ANONYMOUS))
		return grant(len);
	return __real_mmap(at, len, prot, flags, fd, off);
}

int __wrap_munmap(void *at, size_t len)
{
	if (!in_region(at))
		return __real_munmap(at, len);
	give_back(at, len);
	return 0;
}
