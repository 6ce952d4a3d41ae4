#!/usr/bin/env python3
"""add_footer.py MODULE PLATFORM VERSION OUT: a shared object as an extension that DuckDB loads.

DuckDB looks at the last 534 bytes of an extension before it opens it. They are a section of
WebAssembly, named duckdb_signature, whose content is 8 fields of 32 bytes, in reverse order, and
256 bytes of signature, which are zeros here: the extension is not signed."""
import sys

API = "v1.2.0"  # of DuckDB's C API for extensions
HEAD = b"\x00" + b"\x93\x04" + b"\x10" + b"duckdb_signature" + b"\x80\x04"


def footer(platform, version):
    fields = ["4", platform, API, version, "C_STRUCT", "", "", ""]
    return HEAD + b"".join(f.encode("ascii").ljust(32, b"\0") for f in reversed(fields)) + bytes(256)


def main(module, platform, version, out):
    with open(module, "rb") as file:
        content = file.read()
    with open(out, "wb") as file:
        file.write(content + footer(platform, version))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
