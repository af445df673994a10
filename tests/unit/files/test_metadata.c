/*
 * test_metadata.c - ACLs and extended attributes of a replaced file.
 */
#include "scratch.h"

#include "base/fd.h"
#include "files/metadata.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>

static const char acl_of_file[] = "system.posix_acl_access";
static const char acl_for_new[] = "system.posix_acl_default";

struct acl {
	struct posix_acl_xattr_header header;
	struct posix_acl_xattr_entry entry[5];
};

/* Owner rw, user 7 rw, group r, mask rw, others nothing. */
static const struct acl shared = {
	.header.a_version = POSIX_ACL_XATTR_VERSION,
	.entry = {
		{ ACL_USER_OBJ, 6, (unsigned)ACL_UNDEFINED_ID },
		{ ACL_USER, 6, 7 },
		{ ACL_GROUP_OBJ, 4, (unsigned)ACL_UNDEFINED_ID },
		{ ACL_MASK, 6, (unsigned)ACL_UNDEFINED_ID },
		{ ACL_OTHER, 0, (unsigned)ACL_UNDEFINED_ID },
	},
};

/* W59 A66 */
static void an_acl_and_attributes_are_kept(void **state)
{
	auto_scratch s = scratch_make();
	const char *path = scratch_path(&s, "root/a");
	struct acl now;
	char value[8];
	struct stored out;
	struct stat st;

	scratch_put(&s, "root/a", "old");
	assert_int_equal(setxattr(path, acl_of_file, &shared, sizeof(shared),
				  0),
			 0);
	assert_int_equal(setxattr(path, "user.one", "1", 1, 0), 0);
	assert_int_equal(setxattr(path, "user.empty", "", 0, 0), 0);
	assert_int_equal(scratch_store(&s, "root/a", "new", &out), ERR_OK);
	assert_str(out.kept, "acl,xattr");
	assert_str(out.lost, "");
	assert_int_equal(getxattr(path, acl_of_file, &now, sizeof(now)),
			 sizeof(shared));
	assert_memory_equal(&now, &shared, sizeof(shared));
	assert_int_equal(getxattr(path, "user.one", value, 8), 1);
	assert_int_equal(getxattr(path, "user.empty", value, 8), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0660);
}

static void the_directorys_acl_is_for_new_files_only(void **state)
{
	auto_scratch s = scratch_make();
	struct stat st;
	char value[256];

	scratch_put(&s, "root/a", "old");
	assert_int_equal(chmod(scratch_path(&s, "root/a"), 0640), 0);
	assert_int_equal(setxattr(scratch_path(&s, "root"), acl_for_new,
				  &shared, sizeof(shared), 0),
			 0);
	assert_int_equal(scratch_store(&s, "root/a", "new", NULL), ERR_OK);
	assert_int_equal(getxattr(scratch_path(&s, "root/a"), acl_of_file,
				  value, sizeof(value)),
			 -1);
	assert_int_equal(stat(scratch_path(&s, "root/a"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(scratch_store(&s, "root/b", "new", NULL), ERR_OK);
	assert_int_equal(getxattr(scratch_path(&s, "root/b"), acl_of_file,
				  value, sizeof(value)),
			 sizeof(shared));
}

static void lost_metadata_is_listed_by_name(void **state)
{
	static const struct {
		unsigned lost;
		const char *words;
	} rules[] = {
		{ 0, "" },
		{ METADATA_OWNER, "owner" },
		{ METADATA_OWNER | METADATA_ACL, "owner,acl" },
		{ METADATA_GROUP | METADATA_MODE | METADATA_XATTR,
		  "group,mode,xattr" },
		{ METADATA_LINKS | METADATA_CAPABILITY, "links,capability" },
	};
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		assert_str(metadata_names(rules[i].lost, &mem), rules[i].words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_acl_and_attributes_are_kept),
		cmocka_unit_test(the_directorys_acl_is_for_new_files_only),
		cmocka_unit_test(lost_metadata_is_listed_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
