/*
 * metadata.c - copies owner, mode, ACL and extended attributes by descriptor.
 *
 * What the process may not copy is reported as lost, not as a failure: the
 * caller (store.c) then decides whether to write in place instead.
 */
#include "files/metadata.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char acl[] = "system.posix_acl_access";
static const char label[] = "security.selinux";

/* Attributes that attest the old content. */
static const char *const not_kept[] = {
	"security.capability",
	"security.ima",
	"security.evm",
};

static const struct {
	unsigned bit;
	const char *word;
} words[] = {
	{ METADATA_OWNER, "owner" },
	{ METADATA_GROUP, "group" },
	{ METADATA_MODE, "mode" },
	{ METADATA_ACL, "acl" },
	{ METADATA_XATTR, "xattr" },
	{ METADATA_LINKS, "links" },
	{ METADATA_CAPABILITY, "capability" },
};

/* Errors that mean "not permitted here", not "the disk failed". */
static bool is_permission_error(int error)
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

static int copy_owner(const struct stat *st, int to, unsigned *lost)
{
	struct stat now;

	if (fstat(to, &now))
		return -1;
	if (now.st_uid == st->st_uid && now.st_gid == st->st_gid)
		return 0;
	if (!fchown(to, st->st_uid, st->st_gid))
		return 0;
	if (!is_permission_error(errno))
		return -1;
	if (now.st_uid != st->st_uid)
		*lost |= METADATA_OWNER;
	if (now.st_gid == st->st_gid || !fchown(to, (uid_t)-1, st->st_gid))
		return 0;
	if (!is_permission_error(errno))
		return -1;
	*lost |= METADATA_GROUP;
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
static int attribute_value(int fd, const char *name, struct buf *value)
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

/* An equal security label must not be set again: that may be forbidden. */
static bool has_label(int fd, const char *name, struct str value)
{
	auto_buf now = BUF_INIT;

	return str_starts(str_of(name), STR("security.")) &&
	       !attribute_value(fd, name, &now) && str_eq(buf_str(&now), value);
}

static int copy_attribute(int from, int to, const char *name, unsigned *lost)
{
	auto_buf value = BUF_INIT;
	int e = attribute_value(from, name, &value);

	if (e && errno == ENODATA) /* removed since it was listed */
		return 0;
	if (!e && has_label(to, name, buf_str(&value)))
		return 0;
	if (!e && !fsetxattr(to, name, value.ptr, value.len, 0))
		return 0;
	if (!is_permission_error(errno) && errno != ERANGE)
		return -1;
	*lost |= strcmp(name, acl) ? METADATA_XATTR : METADATA_ACL;
	return 0;
}

/* The attribute names of @fd, each with its NUL. */
static int list_names(int fd, struct buf *names)
{
	ssize_t n = flistxattr(fd, NULL, 0);
	char *room;

	if (n <= 0)
		return n < 0 && !is_permission_error(errno) ? -1 : 0;
	room = buf_room(names, (size_t)n + 1);
	n = flistxattr(fd, room, (size_t)n);
	if (n < 0)
		return errno == ERANGE || is_permission_error(errno) ? 0 : -1;
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

/* @names are the attribute names of @from. */
static int copy_attributes(int from, const struct buf *names, int to,
			   unsigned *lost)
{
	auto_buf made = BUF_INIT;

	if (list_names(to, &made))
		return -1;
	/* A default ACL of the directory must not stay on a file without one. */
	if (has_name(&made, acl) && !has_name(names, acl) &&
	    fremovexattr(to, acl) && errno != ENODATA)
		return -1;
	for (size_t i = 0; i < names->len; i += strlen(names->ptr + i) + 1) {
		if (!is_kept(names->ptr + i))
			*lost |= METADATA_CAPABILITY;
		else if (copy_attribute(from, to, names->ptr + i, lost))
			return -1;
	}
	return 0;
}

static unsigned part_of(const char *name)
{
	if (!strcmp(name, acl))
		return METADATA_ACL;
	if (!is_kept(name))
		return METADATA_CAPABILITY;
	return strcmp(name, label) ? METADATA_XATTR : 0;
}

static unsigned extra_of(const struct stat *st, const struct buf *names)
{
	unsigned extra = 0;

	if (st->st_uid != geteuid())
		extra |= METADATA_OWNER;
	if (st->st_gid != getegid())
		extra |= METADATA_GROUP;
	if (st->st_mode & (S_ISUID | S_ISGID | S_ISVTX))
		extra |= METADATA_MODE;
	if (st->st_nlink > 1)
		extra |= METADATA_LINKS;
	for (size_t i = 0; i < names->len; i += strlen(names->ptr + i) + 1)
		extra |= part_of(names->ptr + i);
	return extra;
}

unsigned metadata_extra(int fd, const struct stat *st)
{
	auto_buf names = BUF_INIT;

	(void)!list_names(fd, &names); /* on failure: no attributes */
	return extra_of(st, &names);
}

static int copy_mode(mode_t want, int to, unsigned *lost, struct stat *now)
{
	mode_t mode = want & 07777;

	if (*lost & METADATA_OWNER)
		mode &= ~(mode_t)(S_ISUID | S_ISGID);
	if (*lost & METADATA_GROUP)
		mode &= ~(mode_t)S_ISGID;
	if (fchmod(to, mode) || fstat(to, now))
		return -1;
	if ((now->st_mode & 07777) != (want & 07777))
		*lost |= METADATA_MODE;
	return 0;
}

int metadata_set_mode(int to, unsigned mode, unsigned *lost)
{
	struct stat now;

	*lost &= ~(unsigned)METADATA_MODE;
	if (!copy_mode(mode, to, lost, &now))
		return 0;
	if (!is_permission_error(errno))
		return -1;
	*lost |= METADATA_MODE;
	return 0;
}

/*
 * The mode comes last: a new owner takes the set-user-ID bit away, and an
 * ACL changes the group's bits.
 */
int metadata_copy(int from, const struct stat *st, int to,
		  struct metadata_copied *ret)
{
	auto_buf names = BUF_INIT;
	unsigned lost = 0;

	if (copy_owner(st, to, &lost) || list_names(from, &names) ||
	    copy_attributes(from, &names, to, &lost) ||
	    copy_mode(st->st_mode, to, &lost, &ret->now))
		return -1;
	ret->had = extra_of(st, &names);
	ret->lost = lost;
	return 0;
}

struct str metadata_names(unsigned lost, struct arena *mem)
{
	struct str all = STR("");

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (lost & words[i].bit)
			all = arena_printf(mem, STR_FMT "%s%s", STR_ARG(all),
					   all.len ? "," : "", words[i].word);
	return all;
}
