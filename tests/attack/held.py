#!/usr/bin/env python3
"""held.py [--slow] [--seconds N] PROGRAM [CASE...] - attacks that failed at
the first attempt, as regression tests.

Request smuggling, host names, origins, tokens and sessions are tested in
tests/system/http_shapes.py and http_guard.py, requestState in
tests/wire/modern/asking.txt, markup on the page in tests/web.
"""
import json
import os
import pathlib
import random
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from talk import Talk, check, run

SECRET = "not-for-the-agent"
NOBODY = 65534


def spellings(root, out):
    """Paths that lead outside, or only look as if they were inside."""
    yield from (f"{root}/../out/secret", f"{root}/./../out/secret",
                f"{root}//..//out//secret", f"{root}/sub/../../out/secret",
                f"{root}/link", f"{root}/dir/secret", f"{root}/chain",
                f"{root}/loop", f"{root}/up/out/secret",
                f"/proc/self/root{out}/secret", f"/proc/self/cwd/../out/secret",
                f"/proc/thread-self/root{out}/secret", f"/dev/fd/../../{out}",
                f"{root}/magic", f"{root}/magic{out}/secret",
                f"{out}/secret", f"{root}/../{root.name}/../out/secret",
                f"{root}\u2215..\u2215out/secret", f"{root}/..%2fout%2fsecret",
                f"{root}/%2e%2e/out/secret", f"file://{out}/secret",
                f"{root}/.. /out/secret", f"{root}/..\\out\\secret",
                f"~/../out/secret", f"{root}/~/secret", f"{root}/../out/secret/",
                f"{root}/../out/secret/.", f"{root}" + "/sub/.." * 500
                + "/../out/secret", f"{root}/" + "a" * 300 + "/../../out/secret")


def world(work):
    root, out = work / "root", work / "out"
    for folder in (root / "sub", out):
        folder.mkdir(parents=True)
    (out / "secret").write_text(SECRET)
    (root / "f").write_text("inside")
    for name, to in (("link", "../out/secret"), ("dir", out), ("up", ".."),
                     ("chain", "chain2"), ("chain2", "link"),
                     ("loop", "loop"), ("magic", "/proc/self/root"),
                     ("in", "sub"), ("file", "f")):
        os.symlink(to, root / name)
    return root, out


CALLS = (("read_text_file", "path", {}), ("Read", "file_path", {}),
         ("write_text_file", "path", {"content": "x"}),
         ("Write", "file_path", {"content": "x"}),
         ("edit_text_file", "path", {"old_string": "n", "new_string": "x"}),
         ("Edit", "file_path", {"old_string": "n", "new_string": "x"}),
         ("file_history", "path", {}), ("undo_file_change", "path", {}))


def tells(server, tool, **arguments):
    """Did the call succeed? Fails if the reply has the secret."""
    reply = server.ask(server.request(tool, **arguments))
    check(SECRET not in json.dumps(reply), (tool, arguments, reply))
    return "result" in reply and not reply["result"].get("isError")


def no_spelling_leads_out(options, work):
    """paths: every tool with every path; files inside are still served."""
    root, out = world(work)
    server = Talk(options, root, "--mode", "bypassPermissions")
    for path in spellings(root, out):
        for tool, name, more in CALLS:
            tells(server, tool, **{name: path}, **more)
        tells(server, "read_repo_file", path=path.replace(f"{root}/", ""))
    check((out / "secret").read_text() == SECRET, "it was changed")
    check(os.listdir(out) == ["secret"], os.listdir(out))
    for name in ("f", "file"):
        got, fault = server.call("read_text_file", path=str(root / name))
        check(got and got["content"] == "inside", (name, fault))
    got, fault = server.call("write_text_file", path=str(root / "in/new"),
                             content="y")
    check(got and (root / "sub/new").read_text() == "y", fault)
    server.close()
    server.kill()


def no_made_up_path_leads_out(options, work):
    """paths: random combinations of components, while links change."""
    root, out = world(work)
    server = Talk(options, root, "--mode", "bypassPermissions")
    chance, end = random.Random(7), time.monotonic() + options.seconds
    parts = ("..", ".", "", "sub", "link", "dir", "up", "in", "file", "magic",
             "out", "root", "secret", "f", "chain", "proc", "self")
    calls = inside = 0
    while time.monotonic() < end:
        path = f"{root}/" + "/".join(
            chance.choice(parts) for _ in range(chance.randint(1, 8)))
        tool, name, more = chance.choice(CALLS)
        calls += 1
        inside += tells(server, tool, **{name: path}, **more)
        if chance.random() < 0.1:
            target = root / chance.choice(("in", "sub2"))
            try:
                os.symlink(chance.choice((str(out), "sub", "..")),
                           root / ".new")
                os.rename(root / ".new", target)
            except OSError:
                pass
    check((out / "secret").read_text() == SECRET, "it was changed")
    check(os.listdir(out) == ["secret"], os.listdir(out))
    check(inside, f"none of {calls} calls met a file")
    server.close()
    server.kill()


def files_of_others_stay_theirs(options, work):
    """users: a server has only the permissions of its user."""
    if os.getuid() != 0:  # an ordinary user: a file of root
        check(not os.access("/etc/shadow", os.R_OK), "this is not a user")
        server = Talk(options, "/etc")
        got, fault = server.call("read_text_file", path="/etc/shadow")
        check(fault, got)
        server.close()
        server.kill()
        return
    root = work / "root"
    root.mkdir()
    (root / "theirs").write_text(SECRET)
    (root / "theirs").chmod(0o600)
    (root / "shared").write_text("for all")
    for folder in (work, root):
        folder.chmod(0o755)
    home = work / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    os.environ["HOME"] = str(home)
    server = Talk(options, root, user=NOBODY, group=NOBODY, extra_groups=[])
    for tool, name, more in CALLS:
        tells(server, tool, **{name: str(root / "theirs")}, **more)
    check((root / "theirs").read_text() == SECRET, "it was changed")
    got, fault = server.call("read_text_file", path=str(root / "shared"))
    check(got and got["content"] == "for all", fault)
    server.close()
    server.kill()


sys.exit(run([no_spelling_leads_out, no_made_up_path_leads_out,
              files_of_others_stay_theirs]))
