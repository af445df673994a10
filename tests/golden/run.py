#!/usr/bin/env python3
"""run.py [--slow] [--wrap COMMAND] PROGRAM [CASE...] - the golden cases, as TAP.

A case is a folder <tool>/<case>/ with

  about       one line: the IDs it covers, and what it tests
  before/     the files in the root before the calls
  setup.sh    then run in the root: modes, links and whatever git cannot store
  call.json   {"tool", "arguments"}, or a list of those; or {"calls": [...]}
              with any of: "user": "nobody" (not root), "args": [flags],
              "roots": [...], "mounts": [[folder, mount options], ...]
              (then mounted.sh is run, and "mounted": {folder: [names]} lists
              what is in the folder at the end),
              "join": file (the returned contents, joined, equal its bytes),
              "within_ms": n (time limit of each call), "encoding": Python's
              name of the file's encoding (then diffs are checked on the
              decoded text), "unpatchable": no diff can be applied
              Among the calls, {"run": script} is a shell script, run in the
              root: a change by another program. It has no reply.
  reply.json  {"result": {...}} or {"error": {...}}, or a list of those; with
              "text": the text of content[0], if it is not the same JSON;
              {"failed": {...}}: an isError result whose text is its message,
              unless "text" gives another text
  after/      the files that are changed or new after the calls
  expect.sh   run in a copy of the root, for changes that after/ cannot express

@ROOT@ stands for the root; {"@repeat@": [text, n]} for a long string. Everything
that after/ and expect.sh do not mention must be unchanged: bytes, modes, links
and, if no change at all is expected, times. A diff in a result must turn the old
file into the new one, both with patch(1) and with git apply.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import pwd
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
# pylint: disable=wrong-import-position
from server import (Broken, Server, Tap, difference, environment, handshake,
                    short)

TOOK, TRIES, FLOORS = "took", 10, 4
CONTRACT_META = ("total_lines", "returned_lines", "has_more", "next_line",
                 "skipped", "root")


def filled(value, root):
    """@value with the placeholders replaced."""
    if isinstance(value, str):
        return value.replace("@ROOT@", root)
    if isinstance(value, list):
        return [filled(item, root) for item in value]
    if isinstance(value, dict) and list(value) == ["@repeat@"]:
        text, n = value["@repeat@"]
        return text * n
    if isinstance(value, dict):
        return {key: filled(item, root) for key, item in value.items()}
    return value


def load(path, root):
    return filled(json.loads(path.read_text()), root)


def bytes_of(path):
    """The content of a regular file; None if it is not one, or not
    readable."""
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


def tree(root, times):
    """{path: [mode, content, times]} of all files below @root."""
    found = {}
    for path in sorted(root.rglob("*")):
        info, name = path.lstat(), str(path.relative_to(root))
        kind = stat.S_IFMT(info.st_mode)
        what = [oct(info.st_mode)]
        if kind == stat.S_IFREG:
            what.append(bytes_of(path))
        elif kind == stat.S_IFLNK:
            what.append(os.readlink(path))
        if times and kind == stat.S_IFREG:
            what.append((info.st_mtime_ns, info.st_ino))
        found[name] = what
    return found


def tree_difference(want, got):
    for name in sorted(set(want) | set(got)):
        if name not in got:
            return f"{name} is gone"
        if name not in want:
            return f"{name} was left behind: {short(str(got[name]))}"
        if want[name] != got[name]:
            return (f"{name}: want {short(str(want[name]))},\n"
                    f"got {short(str(got[name]))}")
    return None


def copy_tree(source, to):
    subprocess.run(["cp", "-a", "--", f"{source}/.", to], check=True)


class Case:
    """One folder, run once."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.name = str(folder.relative_to(HERE))

    def run(self):
        """None, or a description of the failure."""
        work = pathlib.Path(tempfile.mkdtemp(prefix="stet-golden-")).resolve()
        try:
            work.chmod(0o755)
            return self.run_in(work)
        except (Broken, OSError, ValueError, KeyError,
                subprocess.SubprocessError) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            subprocess.run(["chmod", "-R", "u+rwX", work], check=False,
                           stderr=subprocess.DEVNULL)
            shutil.rmtree(work, ignore_errors=True)

    def run_in(self, work):
        self.root, self.home = work / "root", work / "home"
        self.root.mkdir()
        self.home.mkdir(mode=0o700)
        spec = load(self.folder / "call.json", str(self.root))
        self.spec = spec if "calls" in spec else {
            "calls": spec if isinstance(spec, list) else [spec]}
        replies = load(self.folder / "reply.json", str(self.root))
        replies = replies if isinstance(replies, list) else [replies]
        if len(replies) != sum("tool" in c for c in self.spec["calls"]):
            return "reply.json and call.json have different lengths"
        self.user = pwd.getpwnam("nobody") if (
            self.spec.get("user") and os.geteuid() == 0) else None
        self.prepare()
        want = self.expected(work)
        fault = self.talk(replies, self.command(work))
        return fault or tree_difference(want, tree(self.root, self.still))

    def shell(self, script, where):
        if script.exists():
            subprocess.run(["sh", "-eu", "-s"], cwd=where, check=True,
                           stdin=script.open(), preexec_fn=self.become)

    def become(self):
        os.umask(0o022)
        if self.user:
            os.setgroups([])
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)

    def prepare(self):
        before = self.folder / "before"
        if before.exists():
            # modes as in git, independent of the umask of the clone
            copy_tree(before, self.root)
            for path in self.root.rglob("*"):
                path.chmod(0o755 if path.is_dir() else 0o644)
        if self.user:
            for path in (self.home, self.root, *self.root.rglob("*")):
                os.chown(path, self.user.pw_uid, self.user.pw_gid)
        self.shell(self.folder / "setup.sh", self.root)

    def expected(self, work):
        """The expected tree after the calls."""
        after, script = self.folder / "after", self.folder / "expect.sh"
        self.still = not after.exists() and not script.exists()
        if self.still:
            return tree(self.root, times=True)
        model = work / "expected"
        model.mkdir()
        copy_tree(self.root, model)
        for path in sorted(after.rglob("*")) if after.exists() else ():
            to = model / path.relative_to(after)
            to.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file():
                to.write_bytes(path.read_bytes())
        self.shell(script, model)
        return tree(model, times=False)

    def command(self, work):
        program = self.options.program
        if self.user: # other users may have no access to the build directory
            program = shutil.copy(program, work / "stet")
        command = [*shlex.split(self.options.wrap), str(program), "serve",
                   *self.spec.get("args", []),
                   *self.spec.get("roots", [str(self.root)])]
        mounts = self.spec.get("mounts")
        if not mounts:
            return command
        # in its own mount namespace, which ends with the process
        script = "".join(
            f"mount {options} {shlex.quote(str(self.root / where))}\n"
            for where, options in mounts)
        inside = self.folder / "mounted.sh"
        script += f"cd {self.root}\n" + (
            inside.read_text() if inside.exists() else "") + '\nexec "$@"'
        flags = "-m" if os.geteuid() == 0 else "-Urm"
        return ["unshare", flags, "sh", "-euc", script, "sh", *command]

    def talk(self, replies, command):
        server = Server(command, self.options.slow, cwd=self.root,
                        env=environment(self.home), preexec_fn=self.become)
        try:
            handshake(server)
            joined, replies = "", iter(replies)
            for i, call in enumerate(self.spec["calls"]):
                if "run" in call:
                    subprocess.run(["sh", "-euc", call["run"]], check=True,
                                   cwd=self.root, preexec_fn=self.become)
                    continue
                fault, result = self.call(server, i, call, next(replies))
                if fault:
                    return f"call {i}: {fault}"
                joined += (result or {}).get("content", "")
            for where, names in self.spec.get("mounted", {}).items():
                # only visible in the server's namespace
                there = f"/proc/{server.process.pid}/root{self.root}/{where}"
                if sorted(os.listdir(there)) != names:
                    return f"{where} holds {os.listdir(there)}"
            server.close()
        finally:
            server.kill()
        if "join" in self.spec:
            whole = (self.root / self.spec["join"]).read_bytes().decode()
            if joined != whole:
                return f"the pages make {joined!r}, not {whole!r}"
        return None

    def call(self, server, i, call, want):
        """(fault, result) of one call."""
        arguments = call["arguments"]
        path = arguments.get("path")
        file = pathlib.Path(path) if isinstance(path, str) and \
            path.startswith(str(self.root)) and "\0" not in path else None
        old = bytes_of(file) if file else None
        was = self.root.parent / "was"
        if call["tool"] == "apply_patch":
            shutil.rmtree(was, ignore_errors=True)
            was.mkdir()
            copy_tree(self.root, was)
        limit = None if self.options.slow else self.spec.get("within_ms")
        floor = limit and floor_ms(self.root, arguments)
        begin = time.monotonic()
        reply = server.ask({"jsonrpc": "2.0", "id": i, "method": "tools/call",
                            "params": {"name": call["tool"],
                                       "arguments": arguments}})
        took = (time.monotonic() - begin) * 1000
        if limit and took >= limit:
            floor = max(floor, floor_ms(self.root, arguments))
            if took >= FLOORS * floor:
                return (f"{TOOK} {took:.0f} ms, at most {limit}, and the "
                        f"machine takes {floor:.0f}"), None
        if reply.get("jsonrpc") != "2.0" or reply.get("id") != i:
            return f"not the reply to {i}: {short(reply)}", None
        if "error" in want:
            return error_fault(want["error"], reply), None
        if "failed" in want:
            return failed_fault(want, reply), None
        fault, result = result_fault(want["result"], reply, want.get("text"))
        encoding = self.spec.get("encoding")
        if not fault and result.get("diff", "").startswith("diff --git "):
            if encoding is None and not self.spec.get("unpatchable"):
                fault = trees_fault(result["diff"], was, self.root)
            return fault, result
        if not fault and result.get("diff"):
            fault = diff_fault(result["diff"], as_text(old, encoding),
                               as_text(bytes_of(file), encoding), file.name)
        return fault, result


def trees_fault(diff, old, new):
    """None if @diff turns the files of one tree into those of the other, both
    with patch(1) and with git apply."""
    want = contents(new)
    for command in (["patch", "-p1", "-s", "-f", "--no-backup-if-mismatch"],
                    ["git", "apply", "--whitespace=nowarn"]):
        copy = old.parent / "patched"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        copy_tree(old, copy)
        done = subprocess.run(command, cwd=copy, input=diff.encode(),
                              capture_output=True, check=False)
        if done.returncode:
            told = (done.stdout + done.stderr).decode(errors="replace")
            return f"{command[0]}: {short(told)}"
        if contents(copy) != want:
            return f"{command[0]} makes other files: {short(diff)}"
    return None


def contents(root):
    """{path: bytes} of the regular files below @root."""
    return {str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and not path.is_symlink()}


def floor_ms(root, arguments):
    """The time that this machine needs at the moment to send the arguments to
    another process and back, and to write them to disk."""
    data, begin = json.dumps(arguments).encode(), time.monotonic()
    subprocess.run(["cat"], input=data, stdout=subprocess.PIPE, check=True)
    with tempfile.TemporaryFile(dir=root.parent) as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    return (time.monotonic() - begin) * 1000


def attempt(case):
    """The failure, if any. A case that took too long on a busy machine,
    compared with floor_ms(), is tried again."""
    for _ in range(TRIES):
        fault = case.run()
        if not fault or f": {TOOK} " not in fault:
            break
        time.sleep(0.5)
    return fault


def error_fault(want, reply):
    """W20: an error with code and message; further data is in data."""
    if set(reply) != {"jsonrpc", "id", "error"}:
        return f"want the error {short(want)}, got {short(reply)}"
    got = dict(reply["error"])
    if "data" not in want:
        got.pop("data", None)
    return difference(want, got)


def failed_fault(want, reply):
    """A07 A74: an isError result; further data is in data."""
    result = reply.get("result", {})
    if result.get("isError") is not True:
        return f"want a failure as a result, got {short(reply)}"
    failed = want["failed"]
    got = dict(result["structuredContent"])
    if "error" in got:
        got["error"] = dict(got["error"])
    for mine, theirs in ((failed, got),
                         (failed.get("error", {}), got.get("error", {}))):
        if "data" not in mine:
            theirs.pop("data", None)
    text = want.get("text") or failed.get("message") or \
        failed["error"]["message"]
    return difference(failed, got) or difference(
        text, result["content"][0]["text"], "text")


def result_fault(want, reply, text=None):
    """(fault, payload): exactly the specified keys; only _meta may have
    more."""
    if set(reply) != {"jsonrpc", "id", "result"}:
        return f"want a result, got {short(reply)}", None
    result = reply["result"]
    if result.get("isError"):
        return f"isError: {short(result)}", None
    got = dict(result.get("structuredContent", {}))
    said = result["content"][0]["text"]
    if text is not None:
        fault = difference(text, said, "text")
        if fault:
            return fault, None
    elif json.loads(said) != got:
        return "content[0].text is not structuredContent", None
    meta = got.pop("_meta", None)
    if "_meta" in want:
        got["_meta"] = {k: v for k, v in (meta or {}).items()
                        if k in CONTRACT_META}
    return difference(want, got), got


def as_text(data, encoding):
    return data.decode(encoding).encode() if encoding else data


def diff_fault(diff, old, new, name):
    """M58: @diff turns @old into @new."""
    tools = (["patch", "-s", "-p0", "--binary", "-i"],
             ["git", "apply", "-p0", "--whitespace=nowarn"])
    for tool in tools:
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            (work / name).write_bytes(old)
            (work / ".diff").write_bytes(diff.encode())
            ran = subprocess.run(
                [*tool, ".diff"], cwd=work, capture_output=True, check=False,
                text=True, env={**os.environ, "GIT_CEILING_DIRECTORIES":
                                str(work.parent)})
            if ran.returncode:
                return f"{tool[0]}: {ran.stdout}{ran.stderr}\n{diff}"
            if (work / name).read_bytes() != new:
                return f"{tool[0]} does not make the file of\n{diff}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slow", action="store_true",
                        help="a sanitizer or valgrind: times say nothing")
    parser.add_argument("--wrap", default="", help="run the server under it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("program", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    folders = sorted(p.parent for p in HERE.glob("*/*/call.json"))
    cases = [Case(folder, options) for folder in folders
             if not options.case or str(folder.relative_to(HERE))
             in options.case]
    tap = Tap(len(cases))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, fault in zip(cases, pool.map(attempt, cases)):
            about = (case.folder / "about").read_text().strip()
            tap.case(f"{case.name} ({about.split(':')[0]})", fault)
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
