"""F36 F38 F39 F46 F51: the search engine and ripgrep find the same lines of
UTF-8 texts: 750 patterns in syntax that both share, each on some 30 lines, with
context, ignoring case, only the matching parts, counted, and multiline.

Usage: search_rg.py path/of/search_print [patterns [seed]]
"""
import random
import re
import subprocess
import sys

WORDS = ("foo bar Foo baz_1 TODO ſun Kelvin kiss ß été naïve 日本 x1 a.b (y) [z] "
         "{q} -- if(x){ return; } 12 345 \t  ").split(" ")
ATOMS = ["foo", "bar", "o", "a", "b", "1", r"\d", r"\w", r"\s", ".", "[a-z]",
         "[^a-z]", "[0-9x]", r"\bfoo\b", r"\b", "^", "$", "(foo|bar)",
         "(?:a|b)", "été", "日", r"\(", r"\{", "TODO", r"\S", r"\D", "k", "s",
         "[[:alpha:]]", r"\x41", "(?i:FOO)", "ss", r"\W", "ſ", "[^o]", "K",
         r"\pL", r"[\w.]", "aa"]
EMPTY = ("^", "$", r"\b", r"\bfoo\b")
COUNTS = ["", "", "", "", "*", "+", "?", "{2}", "{1,2}", "+?", "*?"]


def text(rng):
    lines = [" ".join(rng.choice(WORDS) for _ in range(rng.randrange(7)))
             for _ in range(rng.randrange(60))]
    return "\n".join(lines) + rng.choice(["\n", ""])


def pattern(rng):
    out = ""
    for _ in range(rng.randint(1, 4)):
        atom, count = rng.choice(ATOMS), rng.choice(COUNTS)
        if atom in EMPTY:
            count = ""
        if count and len(atom) > 1 and atom[0] not in "\\[(":
            atom = f"(?:{atom})"
        out += atom + count
    if rng.random() < 0.15:
        out += "|" + rng.choice(["foo", "[xyz]", "$", "bar+"])
    return out


def run(command, given):
    done = subprocess.run(command, input=given.encode(), capture_output=True,
                          check=False, timeout=60)
    return done.returncode, done.stdout.decode()


def ripgrep(flags, before, after, what, given):
    command = ["rg", "--no-config", "--color=never"]
    if "c" in flags:
        command += ["--count-matches" if "m" in flags else "-c"]
    else:
        command += ["-n"]
        if before or after:
            command += [f"-B{before}", f"-A{after}"]
    command += ["-o"] if "o" in flags else []
    command += ["-i"] if "i" in flags else []
    command += ["-U", "--multiline-dotall"] if "m" in flags else []
    status, out = run([*command, "-e", what, "-"], given)
    if "o" in flags:  # empty parts are not shown here (F38)
        out = "".join(l for l in out.splitlines(True)
                      if not re.match(r"^\d+:$", l))
    if "c" in flags:
        out = out or "0\n"
    return status, out


def matches_nothing(what):
    """Nonzero if the pattern does not match "": stet and ripgrep count such
    matches differently with multiline."""
    return run(["rg", "--no-config", "-q", "-U", "-e", what, "-"], "\n\n")[0]


def main():
    program = sys.argv[1]
    patterns = int(sys.argv[2]) if len(sys.argv) > 2 else 750
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 16)
    compared = lines = 0
    while compared < patterns:
        given, what = text(rng), pattern(rng)
        before, after = rng.choice([(0, 0), (0, 0), (1, 1), (2, 0), (0, 2),
                                    (3, 2)])
        flags = rng.choice(["", "", "c", "o", "i", "m", "cm", "oi", "ci"])
        if "m" in flags and ("c" in flags or "o" in flags) and \
                not matches_nothing(what):
            continue
        if ("o" in flags or flags == "cm") and any(e in what for e in (r"\b", "^", "$")):
            continue  # ripgrep 13 takes the rest of a line for a new line
        status, want = ripgrep(flags, before, after, what, given)
        if status == 2:
            continue
        block = rng.choice([0, 1, 64, 200])
        status, got = run([program, what, flags, str(before), str(after),
                           str(block)], given)
        if status or got != want:
            print(f"pattern {what!r} flags {flags!r} -B{before} -A{after} "
                  f"block {block}\ntext {given!r}\nrg:\n{want}\nus, status "
                  f"{status}:\n{got}")
            return 1
        compared += 1
        lines += given.count("\n")
    print(f"{compared} patterns, {lines} lines")
    return lines < 26 * patterns


if __name__ == "__main__":
    sys.exit(main())
