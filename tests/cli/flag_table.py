"""flag_table.py ACCORD FILE PATH: the table of flags in doc/bound.md says what accord sweep --program does
with gcc, clang, tcc and OpenCL, as far as they are on PATH. FILE mentions ACCORD_OPENCL."""

import json
import os
import subprocess
import sys

accord, file, compilers = sys.argv[1:]
FAMILIES = ["gcc", "clang", "tcc"]  # and OpenCL, in a table of its own
page = os.path.join(os.path.dirname(__file__), "..", "..", "doc", "bound.md")
said = set()
with open(page, encoding="utf-8") as lines:
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`-"):
            for family, model in zip(FAMILIES, cells[1:]):
                if model != "-":
                    said.add((family, cells[0].strip("`"), model))
        if len(cells) == 2 and cells[0].startswith("`-cl"):
            said.add(("opencl", cells[0].strip("`"), cells[1]))

found = subprocess.run([accord, "sweep", "--program", "--json", file], capture_output=True,
                       env={**os.environ, "PATH": compilers}, check=True)
done = {(build["compiler"].split("-")[0], build["flags"], build["model"])
        for build in json.loads(found.stdout)["builds"] if build["machine"] is None}
families = {family for family, _, _ in done}
with open("/proc/cpuinfo", encoding="utf-8") as lines:
    fuses = "fma" in lines.read().split()
said = {row for row in said if row[0] in families and (fuses or "-mfma" not in row[1])}
assert "gcc" in families or "clang" in families, families
assert "opencl" in families, families
assert done == said, f"only done: {done - said}; only in the page: {said - done}"
