#include "files/meta.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char acl[] = "system.posix_acl_access";
static const char label[] = "security.selinux";

/* These vouch for the content as it was. */
static const char *const not_kept[] = {
	"security.capability",
	"security.ima",
	"security.evm",
};

static const struct {
	unsigned bit;
	const char *word;
} words[] = {
	{ META_OWNER, "owner" },
	{ META_GROUP, "group" },
	{ META_MODE, "mode" },
	{ META_ACL, "acl" },
	{ META_XATTR, "xattr" },
	{ META_LINKS, "links" },
	{ META_CAPABILITY, "capability" },
};

/* Reasons that are about what we may do, not about the disk. */
static bool may_not(int error)
{
	switch (error) {
	case EPERM:
	case EACCES:
	case EINVAL:
	case EOPNOTSUPP:
	case ENOSYS:
		return true;
	default:
		return false;
	}
}

static int keep_owner(const struct stat *st, int to, unsigned *lost)
{
	struct stat now;

	if (fstat(to, &now))
		return -1;
	if (now.st_uid == st->st_uid && now.st_gid == st->st_gid)
		return 0;
	if (!fchown(to, st->st_uid, st->st_gid))
		return 0;
	if (!may_not(errno))
		return -1;
	if (now.st_uid != st->st_uid)
		*lost |= META_OWNER;
	if (now.st_gid == st->st_gid || !fchown(to, (uid_t)-1, st->st_gid))
		return 0;
	if (!may_not(errno))
		return -1;
	*lost |= META_GROUP;
	return 0;
}

static bool is_kept(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(not_kept); i++)
		if (!strcmp(name, not_kept[i]))
			return false;
	return true;
}

/* The value of an attribute: 0, or -1 with errno. */
static int value_of(int fd, const char *name, struct buf *value)
{
	ssize_t n = fgetxattr(fd, name, NULL, 0);
	char *room = n < 0 ? NULL : buf_room(value, (size_t)n + 1);

	if (room)
		n = fgetxattr(fd, name, room, (size_t)n);
	if (n < 0)
		return -1;
	value->len += (size_t)n;
	return 0;
}

/* A label that is the same already need not be set, and may not be. */
static bool has_value(int fd, const char *name, struct str value)
{
	auto_buf now = BUF_INIT;

	return str_starts(str_of(name), STR("security.")) &&
	       !value_of(fd, name, &now) && str_eq(buf_str(&now), value);
}

static int keep_one(int from, int to, const char *name, unsigned *lost)
{
	auto_buf value = BUF_INIT;
	int e = value_of(from, name, &value);

	if (e && errno == ENODATA) /* it went just now */
		return 0;
	if (!e && has_value(to, name, buf_str(&value)))
		return 0;
	if (!e && !fsetxattr(to, name, value.ptr, value.len, 0))
		return 0;
	if (!may_not(errno) && errno != ERANGE)
		return -1;
	*lost |= strcmp(name, acl) ? META_XATTR : META_ACL;
	return 0;
}

/* The names that @fd has, one after the other, each with its NUL. */
static int list_names(int fd, struct buf *names)
{
	ssize_t n = flistxattr(fd, NULL, 0);
	char *room;

	if (n <= 0)
		return n < 0 && !may_not(errno) ? -1 : 0;
	room = buf_room(names, (size_t)n + 1);
	n = flistxattr(fd, room, (size_t)n);
	if (n < 0)
		return errno == ERANGE || may_not(errno) ? 0 : -1;
	names->len += (size_t)n;
	return 0;
}

static bool has_name(const struct buf *names, const char *name)
{
	for (size_t i = 0; i < names->len; i += strlen(names->ptr + i) + 1)
		if (!strcmp(names->ptr + i, name))
			return true;
	return false;
}

/* @names are those of @from. */
static int keep_attributes(int from, const struct buf *names, int to,
			   unsigned *lost)
{
	auto_buf made = BUF_INIT;

	if (list_names(to, &made))
		return -1;
	/* The directory may give new files an ACL that the old one has not. */
	if (has_name(&made, acl) && !has_name(names, acl) &&
	    fremovexattr(to, acl) && errno != ENODATA)
		return -1;
	for (size_t i = 0; i < names->len; i += strlen(names->ptr + i) + 1) {
		if (!is_kept(names->ptr + i))
			*lost |= META_CAPABILITY;
		else if (keep_one(from, to, names->ptr + i, lost))
			return -1;
	}
	return 0;
}

static unsigned part_of(const char *name)
{
	if (!strcmp(name, acl))
		return META_ACL;
	if (!is_kept(name))
		return META_CAPABILITY;
	return strcmp(name, label) ? META_XATTR : 0;
}

static unsigned extra_of(const struct stat *st, const struct buf *names)
{
	unsigned extra = 0;

	if (st->st_uid != geteuid())
		extra |= META_OWNER;
	if (st->st_gid != getegid())
		extra |= META_GROUP;
	if (st->st_mode & (S_ISUID | S_ISGID | S_ISVTX))
		extra |= META_MODE;
	if (st->st_nlink > 1)
		extra |= META_LINKS;
	for (size_t i = 0; i < names->len; i += strlen(names->ptr + i) + 1)
		extra |= part_of(names->ptr + i);
	return extra;
}

unsigned meta_extra(int fd, const struct stat *st)
{
	auto_buf names = BUF_INIT;

	(void)!list_names(fd, &names); /* then none */
	return extra_of(st, &names);
}

static int keep_mode(mode_t want, int to, unsigned *lost, struct stat *now)
{
	mode_t mode = want & 07777;

	if (*lost & META_OWNER)
		mode &= ~(mode_t)(S_ISUID | S_ISGID);
	if (*lost & META_GROUP)
		mode &= ~(mode_t)S_ISGID;
	if (fchmod(to, mode) || fstat(to, now))
		return -1;
	if ((now->st_mode & 07777) != (want & 07777))
		*lost |= META_MODE;
	return 0;
}

int meta_set_mode(int to, unsigned mode, unsigned *lost)
{
	struct stat now;

	*lost &= ~(unsigned)META_MODE;
	if (!keep_mode(mode, to, lost, &now))
		return 0;
	if (!may_not(errno))
		return -1;
	*lost |= META_MODE;
	return 0;
}

/*
 * The mode comes last: a new owner takes the set-user-ID bit away, and an
 * ACL changes the group's bits.
 */
int meta_keep(int from, const struct stat *st, int to, struct meta_kept *ret)
{
	auto_buf names = BUF_INIT;
	unsigned lost = 0;

	if (keep_owner(st, to, &lost) || list_names(from, &names) ||
	    keep_attributes(from, &names, to, &lost) ||
	    keep_mode(st->st_mode, to, &lost, &ret->now))
		return -1;
	ret->had = extra_of(st, &names);
	ret->lost = lost;
	return 0;
}

struct str meta_words(unsigned lost, struct arena *mem)
{
	struct str all = STR("");

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (lost & words[i].bit)
			all = arena_printf(mem, STR_FMT "%s%s", STR_ARG(all),
					   all.len ? "," : "", words[i].word);
	return all;
}
