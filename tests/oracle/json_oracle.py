"""Our JSON parser accepts and refuses the same texts as Python's json, with
the same values. NaN, Infinity and -Infinity, which Python accepts, are turned
off here. Numbers are compared as written, and integers with
exact arithmetic. Usage: json_oracle.py path/of/json_check [count [seed]]
"""
import json
import random
import re
import struct
import subprocess
import sys
from fractions import Fraction

program = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)

ALPHABET = ['"', "\\", "/", "b", "n", "u", "é", "€", "😀", "\u2028", "\x00",
            "\x1f", "\x7f", " ", "\n", "\t", "a", "Z", "0", "\ud83d", "\ude00",
            "\uffff", "\ufeff", "\U0010ffff"]
NOISE = [b'"', b"\\", b"\\u", b"\\ud83d", b"\\uDE00", b"{", b"}", b"[", b"]",
         b",", b":", b"0", b"-", b".", b"e", b"E", b"+", b" ", b"\n", b"\x00",
         b"\x1f", b"NaN", b"Infinity", b"true", b"nul", b"\xc3", b"\xa9",
         b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf"]


def digits(most):
    return "".join(rng.choice("0001234567899")
                   for _ in range(rng.randint(1, most)))


class Number(str):
    """A number as it is written, which json.dumps() would not keep."""


def number():
    text = rng.choice(["", "", "-"])
    text += rng.choice(["0", str(int(digits(17))), str(rng.randint(1, 99)),
                        str(2**53 + rng.randint(-3, 3))])
    if rng.random() < 0.4:
        text += "." + digits(6)
    if rng.random() < 0.4:
        text += rng.choice("eE") + rng.choice(["", "+", "-"])
        text += rng.choice([digits(1), digits(2), digits(4)])
    return Number(text)


def string():
    return "".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, 12))) \
        + rng.choice(["", "", "x" * rng.randint(0, 150)])


def value(depth):
    kind = rng.randrange(9 if depth else 6)
    if kind < 2:
        return string()
    if kind < 4:
        return number()
    if kind < 6:
        return rng.choice([True, False, None])
    if kind < 7:
        return [value(depth - 1) for _ in range(rng.randrange(5))]
    return {string(): value(depth - 1) for _ in range(rng.randrange(5))}


def space():
    return "".join(rng.choices(" \n\r\t", k=rng.choice([0, 0, 0, 1, 3])))


def write_string(s):
    # lone surrogates have no UTF-8: those texts are escaped throughout
    lone = any("\ud800" <= c <= "\udfff" for c in s)
    return json.dumps(s, ensure_ascii=lone or rng.random() < 0.3)


def write(v):
    if isinstance(v, Number):
        return str(v)
    if isinstance(v, str):
        return write_string(v)
    if isinstance(v, list):
        inside = ",".join(space() + write(x) + space() for x in v)
        return "[" + (inside or space()) + "]"
    if isinstance(v, dict):
        inside = ",".join(space() + write_string(k) + space() + ":" + space()
                          + write(x) + space() for k, x in v.items())
        return "{" + (inside or space()) + "}"
    return json.dumps(v)


def mutate(text):
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        to = at + rng.randint(0, 3)
        text = rng.choice([text[:at] + text[to:],
                           text[:at] + rng.choice(NOISE) + text[at:],
                           text[:at] + rng.choice(NOISE) + text[at + 1:],
                           text[:to] + text[at:],
                           text[:at], text[at:]])
    return text


def make_text():
    v = value(rng.choice([0, 1, 3, 4]))
    for _ in range(rng.choice([0, 0, 0, 0, rng.randint(1, 110)])):
        v = rng.choice([[v], {"k": v}])
    text = (space() + write(v) + space()).encode()
    return mutate(text) if rng.random() < 0.5 else text


def refuse(constant):
    raise ValueError(constant)


def as_written(text):
    return ("number", text)


def read(text):
    # keep duplicate keys, and numbers as written
    return json.loads(text, parse_int=as_written, parse_float=as_written,
                      parse_constant=refuse, object_pairs_hook=tuple)


def integer_of(text):
    """The value of an integer within 2^53, else None."""
    sign, whole, fraction, exponent = re.fullmatch(
        r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?", text).groups()
    mantissa = int(whole + (fraction or ""))
    scale = int(exponent or 0) - len(fraction or "")
    if mantissa == 0:
        return 0
    if abs(scale) > 400:
        return None
    exact = Fraction(mantissa) * Fraction(10) ** scale
    if exact.denominator != 1 or exact > 2**53:
        return None
    return -int(exact) if sign else int(exact)


def complaint(text, line):
    got = dict(read(line))
    try:
        want = read(text.decode("utf-8"))
    except ValueError:
        return "taken by us only" if got["ok"] else None
    if not got["ok"]:
        return "refused by us only: " + got["why"]
    if got["put"] != want:
        return "json_put() gives another value"
    if got["decoded"] != want:
        return "json_text() gives another value"
    if isinstance(want, tuple) and want[:1] == ("number",):
        n = integer_of(want[1])
        if got.get("int") != (None if n is None else str(n)):
            return "json_int() gives %s" % got.get("int")
    return None


texts = [make_text() for _ in range(count)]
run = subprocess.run([program], check=True, stdout=subprocess.PIPE,
                     input=b"".join(struct.pack("<I", len(t)) + t
                                    for t in texts))
lines = run.stdout.decode().split("\n")[:-1]
assert len(lines) == len(texts), "an answer for each text"
failed = [(c, t) for c, t in
          ((complaint(t, x), t) for t, x in zip(texts, lines)) if c]
taken = sum('{"ok":true' in x[:10] for x in lines)
for why, text in failed[:10]:
    print(why, text, file=sys.stderr)
print(f"{len(texts)} texts, {taken} of them JSON, "
      f"{len(failed)} disagreements")
# the generator must produce both valid and invalid texts
sys.exit(bool(failed) or not count / 4 < taken < count * 3 / 4)
