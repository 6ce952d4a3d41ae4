"""Programs with shadows, for tests: compiled to bitcode, instrumented, linked, run, and their raw
report read; and the main function of tests that are functions of a folder."""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import trials  # noqa: E402, F401

FIRST = ("-O0 -g -ffp-contract=off -fassociative-math -fno-signed-zeros -fno-trapping-math "
         "-fprotect-parens -fno-builtin -Xclang -disable-O0-optnone -emit-llvm -c").split()


def clang():
    for name in ("clang-14", "clang"):
        if shutil.which(name):
            version = subprocess.run([name, "-dumpversion"], capture_output=True, text=True).stdout
            if version.startswith("14."):
                return name
    return None


def compilers():
    """gcc and each clang, by one name where several name the same."""
    found = {os.path.realpath(shutil.which(name)): name for name in ("gcc", "clang", "clang-14")
             if shutil.which(name)}
    return sorted(found.values(), reverse=True)


def environment(optimized=False):
    """For accord-instrument: unless optimized, programs are quick to build and slow to run."""
    around = {name: value for name, value in os.environ.items() if name != "ACCORD_INSTRUMENT_QUICK"}
    return around if optimized else {**around, "ACCORD_INSTRUMENT_QUICK": "1"}


class Report:
    """The records of a raw report, each a list of fields."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        self.head = rows[0]
        self.sites = {row[1]: row[2:] for row in rows if row[0] == "site"}
        self.rows = rows
        # (value, low, high, may be NaN, where it was lost)
        self.outputs = [(float.fromhex(r[3]), float.fromhex(r[4]), float.fromhex(r[5]),
                         r[6] == "1", None if r[7] == "-" else r[7])
                        for r in rows if r[0] == "output"]
        self.end = rows[-1][1] if rows[-1][0] == "end" else None

    def of(self, kind):
        return [row[1:] for row in self.rows if row[0] == kind]

    def line(self, site):
        return int(self.sites[site][2])


def build(tools, folder, sources, model="contract", flags=(), options=(), foreign=(),
          optimized=False):
    """The path of the instrumented program; `foreign` is linked as it is."""
    bitcode = []
    for source in sources:
        bitcode.append(os.path.join(folder, os.path.basename(source) + ".bc"))
        subprocess.run([clang(), *FIRST, *flags, source, "-o", bitcode[-1]], check=True)
    instrumented = os.path.join(folder, "instrumented.o")
    subprocess.run([os.path.join(tools, "accord-instrument"), *bitcode, "-o", instrumented,
                    "--runtime", os.path.join(tools, "accord-bound-runtime.bc"), "--model", model,
                    *options], check=True, env=environment(optimized))
    program = os.path.join(folder, "instrumented")
    subprocess.run([clang(), instrumented, *foreign, os.path.join(tools, "accord-bound-runtime.a"), "-lm",
                    "-lpthread", "-o", program], check=True)
    return program


def run(program, arguments=(), text=""):
    """What the program printed, its status, and its report."""
    raw = program + ".raw"
    if os.path.exists(raw):
        os.remove(raw)
    ran = subprocess.run([program, *arguments], env={**os.environ, "ACCORD_BOUND_RAW": raw},
                         input=text.encode(), capture_output=True, timeout=300)
    return ran, Report(raw)


def main(tests, tools):
    """Runs functions of an empty folder that give what is wrong, or None. Speaks TAP."""
    if not clang() or not os.path.exists(os.path.join(tools, "accord-instrument")):
        print("1..0 # SKIP bounds of programs were not built: clang and libLLVM 14 are needed")
        return 0
    failed = False
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            wrong = test(folder)
        name = test.__name__.partition("_")[2].replace("_", " ")
        print(f"{'not ' if wrong else ''}ok {number} - {name}", flush=True)
        if wrong:
            print(f"# {wrong}", flush=True)
            failed = True
    return 1 if failed else 0
