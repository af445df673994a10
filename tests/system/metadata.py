#!/usr/bin/env python3
"""metadata.py [--slow] PROGRAM [CASE...] - preservation of file metadata.

A matrix: kinds of files, changed by each tool, as root (if we are root) and as
an ordinary user. For each kind the results of stat and listxattr are compared,
and what the reply says about them. Kinds that need root are named; a case with
no kind left fails.
"""
import argparse
import fcntl
import os
import shutil
import stat
import struct
import subprocess
import sys

from talk import Talk, check, run

NOBODY, OTHER = 65534, 12345
TOOLS = ("write_text_file", "edit_text_file", "multi_edit_text_file")
ACL, DEFAULT_ACL = "system.posix_acl_access", "system.posix_acl_default"
GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602
IMMUTABLE, APPEND = 0x10, 0x20


def acl(who):
    """Owner rw, user @who rw, group r, mask rw, others nothing."""
    none = 0xffffffff
    entries = [(1, 6, none), (2, 6, who), (4, 4, none), (16, 6, none),
               (32, 0, none)]
    return struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", *entry) for entry in entries)


class Kind:
    """A file of one kind, in its own directory, for one user."""

    def __init__(self, work, uid):
        self.uid, self.dir = uid, work
        self.file = self.path = work / "f"

    def make(self, mode=0o644, owner=None, group=None):
        self.file.write_text("old\n")
        os.chown(self.file, self.uid if owner is None else owner,
                 self.uid if group is None else group)
        os.chmod(self.file, mode)

    def attribute(self, name, value):
        """Set an attribute; if that needs privileges, as root of a user
        namespace."""
        try:
            os.setxattr(self.file, name, value)
        except PermissionError:
            done = subprocess.run(
                ["unshare", "-Ur", sys.executable, "-c",
                 "import os, sys; os.setxattr(sys.argv[1], sys.argv[2], "
                 "bytes.fromhex(sys.argv[3]))",
                 str(self.file), name, value.hex()],
                capture_output=True, check=False, timeout=60)
            if done.returncode:
                raise


def plain(kind):
    kind.make(0o640)


def setuid(kind):
    kind.make(0o4755)


def setgid(kind):
    kind.make(0o2755)


def sticky(kind):
    kind.make(0o1644)


def other_owner(kind):
    kind.make(0o666, owner=OTHER)


def other_group(kind):
    kind.make(0o664, group=OTHER)


def others_setuid(kind):
    kind.make(0o4666, owner=OTHER)


def with_acl(kind):
    kind.make()
    kind.attribute(ACL, acl(7))


def user_attribute(kind):
    kind.make()
    kind.attribute("user.one", b"1")
    kind.attribute("user.none", b"")


def trusted_attribute(kind):
    kind.make()
    kind.attribute("trusted.one", b"1")


def security_attribute(kind):
    kind.make()
    kind.attribute("security.one", b"1")


def security_label(kind):
    kind.make()
    kind.attribute("security.selinux", b"system_u:object_r:etc_t:s0\0")


def capability(kind):
    kind.make(0o755)
    kind.attribute("security.capability",
                   struct.pack("<5I", 0x02000000, 1 << 10, 0, 0, 0))


def hard_link(kind):
    kind.make()
    os.link(kind.file, kind.dir / "other")


def symbolic_link(kind):
    kind.make()
    kind.path = kind.dir / "link"
    kind.path.symlink_to(kind.file)


def relative_link(kind):
    """Through a symlinked directory: door -> rooms/one, and in it up ->
    ../../f."""
    (kind.dir / "rooms/one").mkdir(parents=True)
    kind.make()
    (kind.dir / "door").symlink_to("rooms/one")
    (kind.dir / "rooms/one/up").symlink_to("../../f")
    kind.path = kind.dir / "door/up"


def closed_directory(kind):
    kind.make(0o666)
    os.chown(kind.dir, 0, 0)
    os.chmod(kind.dir, 0o755)


def closed_file(kind):
    kind.make(0o444)


def others_file(kind):
    kind.make(0o644, owner=OTHER, group=OTHER)


def facts(kind, inode):
    """All metadata that must not change."""
    there = {}
    for path in sorted(kind.dir.rglob("*")):
        st = os.lstat(path)
        there[path.name] = (
            stat.filemode(st.st_mode), st.st_uid, st.st_gid, st.st_nlink,
            st.st_ino if inode else 0,
            os.readlink(path) if path.is_symlink() else None,
            {name: os.getxattr(path, name, follow_symlinks=False)
             for name in os.listxattr(path, follow_symlinks=False)})
    return there


def arguments(tool, path, i):
    old, new = ("old\n" if i == 0 else f"new {i - 1}\n"), f"new {i}\n"
    edit = {"old_string": old, "new_string": new}
    return {"path": str(path), **{
        "write_text_file": {"content": new}, "edit_text_file": edit,
        "multi_edit_text_file": {"edits": [edit]}}[tool]}


def server(options, work, uid, **more):
    who = {} if uid == os.geteuid() else {
        "user": uid, "group": uid, "extra_groups": []}
    state = work.parent / f"state-{uid}"
    if not state.exists():
        state.mkdir()
        os.chown(state, uid, uid)
    env = {**os.environ, "HOME": str(state), "XDG_STATE_HOME": str(state),
           "XDG_RUNTIME_DIR": str(state)}
    return Talk(options, work, "--durability=process", env=env, **who, **more)


def users():
    """The users that the tests can run as: (uid, is root)."""
    if os.geteuid():
        print("# not root: the rows of root are not run", flush=True)
        return [os.geteuid()]
    return [0, NOBODY]


def reach(options, work):
    """A program and a directory that every user can access."""
    os.chmod(work, 0o755)
    shutil.copy(options.program, work / "stet")
    return argparse.Namespace(**{**vars(options), "program": work / "stet"})


def each(options, work, rows, test):
    """Call @test for each row that applies to a user, in a new directory."""
    options = reach(options, work)
    for uid in users():
        own = [row for row in rows
               if row[1] in ("both", "root" if uid == 0 else "user")]
        done = 0
        for kind, _, *want in own:
            root = work / f"{kind.__name__}-{uid}"
            root.mkdir()
            os.chown(root, uid, uid)
            made = Kind(root, uid)
            try:
                kind(made)
            except PermissionError as error:
                check(os.geteuid(), error)
                print(f"# not set up: {kind.__name__} ({error}); needs root",
                      flush=True)
                continue
            try:
                talk = server(options, root, uid)
                test(made, talk, *want)
                talk.close()
                talk.kill()
            except Exception as error:
                raise AssertionError(
                    f"{kind.__name__} by {uid}: {error}") from error
            done += 1
        print(f"# {done} of {len(own)} kinds by {uid}", flush=True)
        check(done or not own, "nothing could be set up: run it as root, or "
              "where users may make user namespaces (unshare -Ur)")


def changes(kind, talk, kept, lost, inode):
    before = facts(kind, inode)
    for i, tool in enumerate(TOOLS):
        got, fault = talk.call(tool, **arguments(tool, kind.path, i))
        check(not fault, fault)
        check(kind.file.read_text() == f"new {i}\n", "not written")
        check(facts(kind, inode) == before,
              f"{tool}: was {before}, is {facts(kind, inode)}")
        meta = got["_meta"]
        check((meta.get("kept"), meta.get("lost")) == (kept, lost),
              f"{tool}: {meta}, want {kept} and {lost}")


def what_a_file_has_is_kept_and_told(options, work):
    """W59 A66 A71: mode, owner, ACL, attributes and links are preserved and
    reported."""
    each(options, work, [
        # kind, user, kept, lost, whether the inode stays
        (plain, "both", None, None, False),
        (setuid, "both", "mode", None, False),
        (setgid, "both", "mode", None, False),
        (sticky, "both", "mode", None, False),
        (other_owner, "root", "owner", None, False),
        (other_owner, "user", "owner", None, True),
        (other_group, "root", "group", None, False),
        (other_group, "user", "group", None, True),
        (others_setuid, "root", "owner,mode", None, False),
        (with_acl, "both", "acl", None, False),
        (user_attribute, "both", "xattr", None, False),
        (trusted_attribute, "root", "xattr", None, False),
        (security_attribute, "root", "xattr", None, False),
        (security_attribute, "user", "xattr", None, True),
        (security_label, "both", None, None, False),
        (hard_link, "both", "links", None, True),
        (symbolic_link, "both", None, None, False),
        (relative_link, "both", None, None, False),
        (closed_directory, "user", None, None, True),
        (closed_file, "root", None, None, False),
    ], changes)


def loses(kind, talk, kept, lost):
    got, fault = talk.call("edit_text_file",
                           **arguments("edit_text_file", kind.path, 0))
    check(not fault, fault)
    check(kind.file.read_text() == "new 0\n", "not written")
    meta = got["_meta"]
    check((meta.get("kept"), meta.get("lost")) == (kept, lost), meta)
    check(not os.stat(kind.file).st_mode & stat.S_ISUID, "set-user-ID")
    check("security.capability" not in os.listxattr(kind.file), "capability")


def what_cannot_be_kept_is_told(options, work):
    """W59 A66 A71: a capability, and the setuid bit of another owner, are
    reported as lost."""
    each(options, work, [
        (capability, "both", None, "capability"),
        (others_setuid, "user", "owner", "mode"),
    ], loses)


def refuses(kind, talk):
    before = facts(kind, True)
    for tool in TOOLS:
        fault = talk.call(tool, **arguments(tool, kind.path, 0))[1]
        check(fault and fault["code"] == -32002, f"{tool}: {fault}")
        check(fault["message"] == f"Permission denied: {kind.path}", fault)
        check(kind.file.read_text() == "old\n", "written")
        check(facts(kind, True) == before, f"{tool}: {facts(kind, True)}")


def a_file_that_may_not_be_written_is_not(options, work):
    """W14 W27 W58 M16 M69 A66: even if its directory would permit a rename."""
    each(options, work, [
        (closed_file, "user"),
        (others_file, "user"),
    ], refuses)


def flag(path, flags):
    """chattr; False if the file system or the user cannot. Other flags
    stay."""
    with open(path, "rb") as file:
        try:
            own = struct.unpack("l", fcntl.ioctl(file, GET_FLAGS, bytes(8)))[0]
            fcntl.ioctl(file, SET_FLAGS, struct.pack(
                "l", own & ~(IMMUTABLE | APPEND) | flags))
        except OSError:
            return False
    return True


def an_immutable_file_is_refused(options, work):
    """W14 A66: chattr +i and +a, as root and as its owner."""
    options = reach(options, work)
    for uid in users():
        kind = Kind(work / f"root-{uid}", uid)
        kind.dir.mkdir()
        os.chown(kind.dir, uid, uid)
        plain(kind)
        for name, flags in (("+i", IMMUTABLE), ("+a", APPEND)):
            talk = server(options, kind.dir, kind.uid)
            try:
                check(flag(kind.file, flags),
                      f"chattr {name} is not possible in {work}: needs "
                      "ext4, xfs or btrfs (see TMPDIR)")
                refuses(kind, talk)
            finally:
                flag(kind.file, 0)
            check(not talk.call("write_text_file", path=str(kind.path),
                                content=f"now {name}")[1],
                  "refused without it")
            check(kind.file.read_text() == f"now {name}", "not written")
            kind.file.write_text("old\n")
            talk.close()
            talk.kill()


def a_new_file_is_born_as_its_directory_and_umask_say(options, work):
    """W59 A66: 0666 less the umask, or the default ACL; and the group of a
    setgid directory."""
    options = reach(options, work)
    for uid in users():
        for mask in (0o022, 0o027, 0o077, 0o000):
            root = work / f"umask-{uid}-{mask:o}"
            root.mkdir()
            os.chown(root, uid, uid)
            talk = server(options, root, uid, umask=mask)
            got, fault = talk.call("write_text_file", path=str(root / "new"),
                                   content="new\n")
            check(not fault, fault)
            check(not {"kept", "lost"} & set(got["_meta"]), got)
            st = os.stat(root / "new")
            check(stat.S_IMODE(st.st_mode) == 0o666 & ~mask, oct(st.st_mode))
            check((st.st_uid, st.st_gid) == (uid, uid), st)
            os.setxattr(root, DEFAULT_ACL, acl(7))
            os.chmod(root, 0o2775)
            check(not talk.call("write_text_file", path=str(root / "by-acl"),
                                content="new\n")[1])
            check(os.getxattr(root / "by-acl", ACL) == acl(7), "no ACL")
            check(os.stat(root / "by-acl").st_gid == uid, "group")
            talk.close()
            talk.kill()


if __name__ == "__main__":
    sys.exit(run([
        what_a_file_has_is_kept_and_told,
        what_cannot_be_kept_is_told,
        a_file_that_may_not_be_written_is_not,
        # Only root can set these flags.
        *([an_immutable_file_is_refused] if os.geteuid() == 0 else []),
        a_new_file_is_born_as_its_directory_and_umask_say,
    ]))
