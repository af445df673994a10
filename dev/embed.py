#!/usr/bin/env python3
"""dev/embed.py OUT FILE... - the page's files as a table in C: see web/files.h."""
import hashlib
import pathlib
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}


def array(number, content):
    rows = [", ".join(str(b) for b in content[i:i + 20])
            for i in range(0, len(content), 20)]
    body = ",\n\t".join(rows) or "0"
    return f"static const unsigned char bytes{number}[] = {{\n\t{body}\n}};\n"


def main():
    out, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    parts, table = ['#include "web/files.h"\n'], []
    for number, name in enumerate(names):
        path = pathlib.Path(name)
        content = path.read_bytes()
        etag = hashlib.sha256(content).hexdigest()[:32]
        parts.append(array(number, content))
        table.append(f'\t{{ "/{path.name}", "{TYPES[path.suffix]}",\n'
                     f'\t  "\\"{etag}\\"",\n'
                     f'\t  {{ (const char *)bytes{number}, '
                     f'{len(content)} }} }},\n')
    parts.append("const struct web_file web_files[] = {\n"
                 + "".join(table) + "};\n")
    parts.append(f"const size_t web_file_count = {len(names)};\n")
    out.write_text("\n".join(parts))


if __name__ == "__main__":
    main()
