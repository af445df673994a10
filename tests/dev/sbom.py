#!/usr/bin/env python3
"""sbom.py PROGRAM - dev/sbom tells of every library in the program, as SPDX.

Looked up in another way than dev/sbom does: the command that links, and what
the program asks the loader for.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
# pylint: disable=wrong-import-position
from server import Tap

NEEDED = {"SPDXID", "name", "versionInfo", "downloadLocation",
          "filesAnalyzed", "licenseConcluded", "licenseDeclared"}


def said(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout


def is_valid(doc):
    """What SPDX 2.3 asks for, and nothing refers to what is not there."""
    assert doc["spdxVersion"] == "SPDX-2.3" and doc["dataLicense"] == "CC0-1.0"
    assert doc["SPDXID"] == "SPDXRef-DOCUMENT" and doc["name"]
    assert re.match(r"https?://[^#]+$", doc["documentNamespace"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
                        doc["creationInfo"]["created"])
    assert doc["creationInfo"]["creators"]
    ids = [p["SPDXID"] for p in doc["packages"]]
    assert len(ids) == len(set(ids)), ids
    for package in doc["packages"]:
        assert NEEDED <= set(package), package
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"])
    for r in doc["relationships"]:
        assert {r["spdxElementId"], r["relatedSpdxElement"]} <= set(
            ids + ["SPDXRef-DOCUMENT"]), r
    related = {r[end] for r in doc["relationships"]
               for end in ("spdxElementId", "relatedSpdxElement")}
    assert set(ids) <= related, set(ids) - related


def files_in(doc):
    return {name for p in doc["packages"]
            for name in p.get("comment", "").replace("files: ", "")
            .split(", ")}


def is_complete(doc, program):
    files = files_in(doc)
    link = said("ninja", "-C", str(program.parent), "-t", "commands",
                program.name).splitlines()[-1].split()
    outside = {os.path.basename(os.path.realpath(word)) for word in link
               if word.endswith(".a") and word.startswith("/")}
    asked = set(re.findall(r"NEEDED.*\[(.*)\]",
                           said("readelf", "-dW", str(program))))
    assert outside and outside <= files, outside - files
    assert asked and asked <= files, asked - files


def has_versions(doc):
    for package in doc["packages"]:
        assert re.search(r"\d", package["versionInfo"]), package


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    doc = json.loads(said(str(ROOT / "dev/sbom"), str(program.parent)))
    cases = [("it is valid SPDX", lambda: is_valid(doc)),
             ("every library is in it", lambda: is_complete(doc, program)),
             ("each has a version", lambda: has_versions(doc))]
    tap = Tap(len(cases))
    for name, case in cases:
        try:
            case()
            tap.case(name, None)
        except AssertionError as error:
            tap.case(name, repr(error))
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
