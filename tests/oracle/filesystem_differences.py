#!/usr/bin/env python3
"""filesystem_differences.py [--slow] --node NODE PROGRAM [CASE...] - the
deliberate differences between the family filesystem and the reference server,
as TAP.

F100: each case is a claim that holds for stet and fails for the reference
server, which is run on the same tree. The numbers are those of
docs/filesystem.md.
"""
import base64
import json
import os
import shutil
import sys

from reference_server import check, put, run, same


def differs(place, holds, stet=None, ref=None):
    """F100: @holds is true of stet and false of the reference server."""
    check(holds(stet or place.stet()), "stet")
    check(not holds(ref or place.ref()), "the reference server does so too")


def edits(*pairs):
    return [{"oldText": old, "newText": new} for old, new in pairs]


def d1_several_places_are_refused(place):
    """F100 V108 D1: an oldText that occurs twice is refused with both lines,
    and nothing is changed; the reference server changes the first"""
    def holds(peer):
        path = put(place.root, "twice", b"x = 1\ny = 2\nx = 1\n")
        result = peer.call("edit_file", path="twice",
                           edits=edits(("x = 1", "x = 3")))["result"]
        if not result.get("isError"):
            return False
        error = result["structuredContent"]["error"]
        return (error["code"] == -32011 and
                [c["line"] for c in error["data"]["candidates"]] == [1, 3] and
                path.read_bytes() == b"x = 1\ny = 2\nx = 1\n")
    differs(place, holds)


def d2_a_shift_of_tabs_stays_tabs(place):
    """F100 V110 D2: a string that is there but for one shift of its
    indentation; anything looser is refused"""
    def holds(peer):
        path = put(place.root, "tabs", b"a:\n\t\tb\n\t\t\tc\n")
        said = peer.text("edit_file", path="tabs",
                         edits=edits(("b\n\tc\n", "b\n\td\n\t\te\n")))
        return (said is not None and path.read_bytes() ==
                b"a:\n\t\tb\n\t\t\td\n\t\t\t\te\n")
    differs(place, holds)

    def refuses(peer):
        put(place.root, "loose", b"  a\n      b\n c\n")
        result = peer.call("edit_file", path="loose",
                           edits=edits(("a\nb\nc", "d")))["result"]
        return (result.get("isError") and
                result["structuredContent"]["error"]["code"] == -32010)
    differs(place, refuses)


FILES = [("crlf", b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
         ("mark", b"\xef\xbb\xbfa\r\nb\n", b"\xef\xbb\xbfa\r\nB\n"),
         ("utf16", "\ufeffa\nb".encode("utf-16-le"),
          "\ufeffa\nB".encode("utf-16-le"))]


def d3_bytes_outside_an_edit_stay(place):
    """F100 V109 D3: line endings, mark, encoding and mode stay; the diff shows
    LF"""
    for name, before, after in FILES:
        def holds(peer, name=name, before=before, after=after):
            path = put(place.root, name, before)
            os.chmod(path, 0o640)
            said = peer.text("edit_file", path=name, edits=edits(("b", "B")))
            return (said is not None and path.read_bytes() == after and
                    path.stat().st_mode & 0o777 == 0o640 and
                    "\n a\n-b\n" in said)
        differs(place, holds)

    def written(peer):
        path = put(place.root, "w", b"\xef\xbb\xbfa\r\nb\r\n")
        peer.text("write_file", path="w", content="a\nc\n")
        return path.read_bytes() == b"\xef\xbb\xbfa\r\nc\r\n"
    differs(place, written)


def d4_heads_and_tails_are_whole_lines(place):
    """F100 D4: head and tail are N lines with their own line endings"""
    put(place.root, "lf", b"1\n2\n3\n")
    put(place.root, "crlf", b"1\r\n2\r\n3\r\n")
    for arguments, want in [
            ({"path": "lf", "head": 1}, "1\n"),
            ({"path": "lf", "tail": 1}, "3\n"),
            ({"path": "crlf", "tail": 2}, "2\r\n3\r\n")]:
        def holds(peer, arguments=arguments, want=want):
            return peer.text("read_file", **arguments) == want
        differs(place, holds)


def d5_links_are_moved_themselves(place):
    """F100 V62 D5: the symlink has the new name; its target and its text stay"""
    def holds(peer):
        target, link, moved = (put(place.root, "kept", b"1\n"),
                               place.root / "link", place.root / "moved")
        for old in (link, moved):
            old.unlink(missing_ok=True)
        os.symlink("kept", link)
        said = peer.text("move_file", source="link", destination="moved")
        return (said == "Successfully moved link to moved" and
                not link.is_symlink() and moved.is_symlink() and
                os.readlink(moved) == "kept" and
                target.read_bytes() == b"1\n")
    differs(place, holds)


def d6_binary_files_are_refused(place):
    """F100 D6: the tools that read text refuse binary files, with a hint"""
    put(place.root, "binary", b"\x00\x01\xff" * 100)

    def holds(peer):
        result = peer.call("read_file", path="binary")["result"]
        return (result.get("isError")
                and result["structuredContent"]["error"]["code"] == -32004
                and "read_media_file" in result["content"][0]["text"])
    differs(place, holds)

    def told(peer):
        return peer.text("read_multiple_files", paths=["binary"]).startswith(
            "binary: Error - Cannot read binary file")
    differs(place, told)


def d7_fifos_are_refused_at_once(place):
    """F100 D7: a FIFO is refused; the reference server waits for a writer while
    it answers ten later calls"""
    os.mkfifo(place.root / "fifo")
    put(place.root, "file", b"1\n")
    for tool in ["read_file", "read_media_file"]:
        def holds(peer, tool=tool):
            first = peer.post(tool, {"path": "fifo"})
            later = [peer.post("read_file", {"path": "file"})
                     for _ in range(10)]
            answered = []
            while set(later) - set(answered):
                answered.append(peer.reply()["id"])
            return first in answered
        differs(place, holds)


def d8_unknown_arguments_are_refused(place):
    """F100 D8: an unknown argument is -32602, with the nearest name"""
    for tool in ["list_directory", "list_directory_with_sizes",
                 "directory_tree", "get_file_info", "read_media_file"]:
        def holds(peer, tool=tool):
            message = peer.call(tool, path=".", paht=".")
            return (message.get("error", {}).get("code") == -32602
                    and "path" in message["error"]["message"])
        differs(place, holds)


def d9_the_command_line_names_the_roots(place):
    """F100 D9: directories of the command line are not replaced by those of the
    client"""
    mine = place.work / "of the client"
    mine.mkdir()

    def holds(peer):
        # its request for the roots may come before or after a reply
        for _ in range(50):
            text = peer.text("list_allowed_directories")
            if str(mine) in text:
                break
        return text == f"Allowed directories:\n{place.root}"
    differs(place, holds, place.stet(roots=[mine]), place.ref(roots=[mine]))


def d10_failures_have_one_table(place):
    """F100 D10: failures have stet's messages and codes"""
    put(place.root, "file")
    os.symlink("/etc", place.root / "out")
    for tool, arguments, code, message in [
            ("read_file", {"path": "no"}, -32001, "File not found: {}/no"),
            ("get_file_info", {"path": "no"}, -32001, "File not found: {}/no"),
            ("list_directory", {"path": "no"}, -32001,
             "Directory not found: {}/no"),
            ("list_directory", {"path": "file"}, -32003,
             "{}/file is not a directory"),
            ("read_file", {"path": "."}, -32003, "{}/. is not a file"),
            ("read_file", {"path": "/etc/passwd"}, -32002,
             "Permission denied: /etc/passwd"),
            ("directory_tree", {"path": "out"}, -32002,
             "Permission denied: {}/out"),
            ("search_files", {"path": "C:\\x", "pattern": "*"}, -32002,
             "Path not allowed: C:\\x")]:
        def holds(peer, tool=tool, arguments=arguments, code=code,
                  message=message):
            result = peer.call(tool, **arguments)["result"]
            error = result.get("structuredContent", {}).get("error", {})
            return (result["isError"] and error.get("code") == code
                    and result["content"][0]["text"].split("\n")[0]
                    == message.format(place.root))
        differs(place, holds)


def d11_times_are_utc(place):
    """F100 D11: get_file_info's times are in UTC in every zone"""
    os.utime(put(place.root, "file"), (1e9, 1e9))

    def holds(peer):
        return ("modified: Sun Sep 09 2001 01:46:40 GMT+0000 (Coordinated "
                "Universal Time)" in peer.text("get_file_info", path="file"))
    zone = {"TZ": "America/New_York"}
    differs(place, holds, place.stet(**zone), place.ref(**zone))


def d12_other_names_come_last(place):
    """F100 D12: names that are not ASCII come after all others, by code
    point"""
    names = ["z", "a", "é", "Z", "ä", "日", "$"]
    for name in names:
        put(place.root, name)

    def holds(peer):
        lines = peer.text("list_directory_with_sizes", path=".").split("\n")
        return [line.split()[1] for line in lines[:len(names)]] == [
            "$", "a", "z", "Z", "ä", "é", "日"]
    differs(place, holds)


def d13_what_is_not_writable_stays(place):
    """F100 D13: a file without write permission is not replaced, and hard
    links stay one file"""
    def holds(peer):
        path, other = put(place.root, "one", b"1\n"), place.root / "other"
        if not other.exists():
            os.link(path, other)
        other.write_bytes(b"1\n")
        peer.text("write_file", path="one", content="2\n")
        return other.read_bytes() == b"2\n"
    differs(place, holds)


def d14_hidden_files_are_not_listed(place):
    """F100 D14 F16: what a rule hides is in no result and no total"""
    put(place.root, "seen", b"1")
    put(place.root, "secret", b"12345")
    put(place.root, "hidden/deep", b"12345")
    os.symlink("secret", place.root / "link")
    stet = place.stet("--deny=read(secret)", "--deny=read(hidden)")
    ref = place.ref()
    for tool, arguments in [
            ("list_directory", {}), ("list_directory_with_sizes", {}),
            ("directory_tree", {}), ("search_files", {"pattern": "**"})]:
        def holds(peer, tool=tool, arguments=arguments):
            text = peer.text(tool, path=".", **arguments)
            return not any(word in text for word in
                           ["secret", "hidden", "deep", " 5 B", " 11 B"])
        differs(place, holds, stet, ref)
    for path in ["secret", "hidden", "hidden/deep", "link"]:
        def refused(peer, path=path):
            return peer.text("get_file_info", path=path) is None
        differs(place, refused, stet, ref)
    # results and totals are the same in a tree without the hidden files
    (place.root / "secret").unlink()
    shutil.rmtree(place.root / "hidden")
    for tool, arguments in [
            ("list_directory", {}), ("list_directory_with_sizes", {}),
            ("directory_tree", {}), ("search_files", {"pattern": "**"})]:
        same((stet, ref), tool, path=".", **arguments)


def d15_texts_are_cut_and_say_so(place):
    """F100 D15: a text over the limit of a reply is cut at the end of a line,
    and a second text says so"""
    for number in range(9000):
        put(place.root, f"file with a long name {number:05}")
    stet, ref = place.stet("--max-reply=300000"), place.ref()
    for tool, arguments in [
            ("list_directory", {}), ("list_directory_with_sizes", {}),
            ("search_files", {"pattern": "*"})]:
        def holds(peer, tool=tool, arguments=arguments):
            result = peer.call(tool, path=".", **arguments)["result"]
            texts = [item["text"] for item in result["content"]]
            lines = texts[0].split("\n")
            return (peer.size <= 300000 and len(texts) == 2
                    and texts[1].startswith("Partial: ") and len(lines) > 1000
                    and "file with a long name 00500" in lines[500])
        differs(place, holds, stet, ref)


def d16_changes_can_be_undone(place):
    """F100 D16: destructiveHint is false while the history keeps what was
    there"""
    def hint(peer, tool):
        peer.send(b'{"jsonrpc":"2.0","id":"list","method":"tools/list"}\n')
        tools = {t["name"]: t for t in peer.reply()["result"]["tools"]}
        return tools[tool]["annotations"]["destructiveHint"]
    for tool in ("write_file", "edit_file"):
        differs(place, lambda peer, tool=tool: not hint(peer, tool))
        check(hint(place.stet("--history=off"), tool), tool)


def d17_extended_globs_are_refused(place):
    """F91 F100 D17: an extended glob is refused, and the error names it"""
    put(place.root, "a")
    for pattern in ["+(a|b)", "**/@(a)", "?(a)b", "!(b)"]:
        for tool, arguments in [
                ("search_files", {"pattern": pattern}),
                ("search_files", {"pattern": "*", "excludePatterns": [pattern]}),
                ("directory_tree", {"excludePatterns": ["x", pattern]})]:
            def holds(peer, tool=tool, arguments=arguments, pattern=pattern):
                result = peer.call(tool, path=".", **arguments)["result"]
                return (result.get("isError") and
                        result["structuredContent"]["error"]["code"] == -32602
                        and "Bad glob: " in result["content"][0]["text"]
                        and pattern in result["content"][0]["text"])
            differs(place, holds)


def d18_media_are_sent_once(place):
    """F100 D18: read_media_file sends its data once, and refuses files that
    do not fit"""
    put(place.root, "a.png", b"\x89PNG" * 10)
    put(place.root, "large.png", b"\x89PNG" * 100000)

    data = base64.b64encode(b"\x89PNG" * 10).decode()

    def once(peer):
        message = peer.call("read_media_file", path="a.png")
        return json.dumps(message).count(data) == 1
    differs(place, once)

    def holds(peer):
        result = peer.call("read_media_file", path="large.png")["result"]
        return (result.get("isError") and
                result["structuredContent"]["error"]["code"] == -32006)
    differs(place, holds, place.stet("--max-reply=300000"))


if __name__ == "__main__":
    sys.exit(run([
        d1_several_places_are_refused, d2_a_shift_of_tabs_stays_tabs,
        d3_bytes_outside_an_edit_stay,
        d4_heads_and_tails_are_whole_lines, d5_links_are_moved_themselves,
        d6_binary_files_are_refused,
        d7_fifos_are_refused_at_once, d8_unknown_arguments_are_refused,
        d9_the_command_line_names_the_roots, d10_failures_have_one_table,
        d11_times_are_utc, d12_other_names_come_last,
        d13_what_is_not_writable_stays,
        d14_hidden_files_are_not_listed, d15_texts_are_cut_and_say_so,
        d16_changes_can_be_undone,
        d17_extended_globs_are_refused, d18_media_are_sent_once]))
