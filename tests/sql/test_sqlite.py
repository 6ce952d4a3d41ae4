#!/usr/bin/env python3
"""test_sqlite.py [MODULE]: the extension of SQLite, loaded into Python's SQLite and into the program
sqlite3. Speaks TAP. What is expected comes from rational numbers."""
import math
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from fractions import Fraction

import sanitized
from exact_results import bits, draw_rows, exact_avg, exact_dot, exact_sum, exact_var, to_double

SEED = int(os.environ.get("ACCORD_TEST_SEED") or time.time())
SCALE = max(1, int(float(os.environ.get("ACCORD_TEST_SCALE") or 1)))
SYSTEM = "/usr/bin/python3"


def reason_to_skip(arguments):
    if not arguments:
        return "the extension was not built (Debian: libsqlite3-dev)"
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        if os.path.exists(SYSTEM) and os.path.realpath(SYSTEM) != os.path.realpath(sys.executable):
            os.execv(SYSTEM, [SYSTEM, os.path.abspath(__file__), *arguments])
        return "this Python's SQLite loads no extensions"
    if sqlite3.sqlite_version_info < (3, 28):
        return f"SQLite {sqlite3.sqlite_version} is older than 3.28"
    return ""


class Tests:
    def __init__(self, module):
        self.module = os.path.abspath(module)
        self.random = random.Random(SEED)
        self.db = sqlite3.connect(":memory:")
        self.db.enable_load_extension(True)
        self.db.load_extension(self.module)
        self.count = self.failed = 0

    def check(self, good, name, note=""):
        self.count += 1
        self.failed += not good
        print(f"{'' if good else 'not '}ok {self.count} - {name}", flush=True)
        if note and not good:
            print("# " + str(note).replace("\n", "\n# "), flush=True)

    def same(self, found, expected, name):
        """Lists of results; SQLite has NULL for NaN."""
        expected = [None if x != x else x for x in expected]
        wrong = [f"{i}: {a!r} is not {b!r}" for i, (a, b) in enumerate(zip(found, expected))
                 if bits(a) != bits(b)]
        self.check(not wrong and len(found) == len(expected), name, "\n".join(wrong[:5]))

    def column(self, query, *values):
        return [row[0] for row in self.db.execute(query, values)]

    def fill(self, rows):
        self.db.execute("DROP TABLE IF EXISTS t")
        self.db.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, x, y)")
        self.db.executemany("INSERT INTO t VALUES (?, ?, ?)",
                            [(i, x, y) for i, (x, y) in enumerate(rows)])
        # what is stored: NaN has become NULL
        return list(self.db.execute("SELECT x, y FROM t ORDER BY i"))

    def test_orders(self):
        """Whole tables, each in several orders."""
        calls = {"exact_sum(x)": lambda r: exact_sum([x for x, _ in r]),
                 "exact_avg(x)": lambda r: exact_avg([x for x, _ in r]),
                 "exact_dot(x, y)": exact_dot,
                 "exact_var(x)": lambda r: exact_var([x for x, _ in r]),
                 "exact_var_pop(x)": lambda r: exact_var([x for x, _ in r], 0)}
        found, expected = {c: [] for c in calls}, {c: [] for c in calls}
        for _ in range(100 * SCALE):
            rows = self.fill(draw_rows(self.random, self.random.randrange(60),
                                       special=self.random.choice([0, 0, 0.05, 0.5, 1])))
            for call, right in calls.items():
                for order in ("i", "-i", "random()"):
                    found[call] += self.column(
                        f"SELECT {call} FROM (SELECT * FROM t ORDER BY {order})")
                    expected[call].append(right(rows))
        for call in calls:
            self.same(found[call], expected[call], call)

    def test_windows(self):
        calls = {"exact_sum(x)": lambda r: exact_sum([x for x, _ in r]),
                 "exact_avg(x)": lambda r: exact_avg([x for x, _ in r]),
                 "exact_dot(x, y)": exact_dot,
                 "exact_var(x)": lambda r: exact_var([x for x, _ in r]),
                 "exact_var_pop(x)": lambda r: exact_var([x for x, _ in r], 0)}
        rows = self.fill(draw_rows(self.random, 500))
        for before, after in ((0, 0), (6, 0), (9, -3), (-1, 5)):
            def end(n):
                return f"{abs(n)} {'PRECEDING' if n <= 0 else 'FOLLOWING'}"
            frame = f"ROWS BETWEEN {end(-before)} AND {end(after)}"
            for call, right in calls.items():
                found = self.column(f"SELECT {call} OVER (ORDER BY i {frame}) FROM t ORDER BY i")
                expected = [right(rows[max(0, i - before):max(0, i + after + 1)])
                            for i in range(len(rows))]
                self.same(found, expected, f"{call} {frame}")

    def test_integers(self):
        """All 64 bits count, and integers mix with other numbers."""
        rows = [(self.random.choice([self.random.getrandbits(64) - 2 ** 63,
                                     self.random.getrandbits(33) - 2 ** 32, 0, -2 ** 63, 2 ** 63 - 1,
                                     self.random.uniform(-1, 1)]), None) for _ in range(2000)]
        self.fill(rows)
        values = [Fraction(x) for x, _ in rows]
        n, total, squares = len(values), sum(values), sum(v * v for v in values)
        self.same(self.column("SELECT exact_sum(x) FROM t"), [to_double(total)], "integers")
        self.same(self.column("SELECT exact_avg(x) FROM t"), [to_double(total / n)], "their mean")
        self.same(self.column("SELECT exact_dot(x, x) FROM t"), [to_double(squares)], "their squares")
        self.same(self.column("SELECT exact_var(x) FROM t"),
                  [to_double((n * squares - total * total) / (n * (n - 1)))], "their variance")
        moving = [sum(values[max(0, i - 4):i + 1]) for i in range(n)]
        self.same(self.column("SELECT exact_sum(x) OVER (ORDER BY i ROWS 4 PRECEDING) FROM t"),
                  [to_double(m) for m in moving], "integers in a window")
        self.same(self.column("SELECT exact_sum(x) FROM (SELECT '12.5abc' AS x UNION ALL SELECT 'z')"),
                  [12.5], "text is the number that it begins with, as for sum()")

        odd = [(i, y) for i in (-5, 2**53 + 1, -2**60 - 1) for y in (math.inf, -math.inf, 0.0, -0.0)]
        products = [i * y for i, y in odd]
        self.fill(odd)
        self.same(self.column("SELECT exact_dot(x, y) FROM t GROUP BY i ORDER BY i"), products,
                  "integers times infinities and zeros")
        self.same(self.column("SELECT exact_dot(x, y) OVER (ORDER BY i ROWS 0 PRECEDING) FROM t"),
                  products, "the same in a window")
        self.fill([(0, -5), (-2**60 - 1, 0)])
        self.same(self.column("SELECT exact_dot(x, y) FROM t"), [0.0], "integers have no -0")

    def test_states(self):
        rows = self.fill(draw_rows(self.random, 3000, special=0))
        total = [exact_sum([x for x, _ in rows])]
        self.db.execute("CREATE TABLE s AS SELECT i % 37 AS g, exact_state(x) AS s FROM t GROUP BY g")
        self.same(self.column("SELECT exact_sum_of(s) FROM s"), total, "stored states")
        self.same(self.column("SELECT exact_avg_of(s) FROM s"), [exact_avg([x for x, _ in rows])],
                  "their mean")
        self.check(self.column("SELECT (SELECT exact_merge(s) FROM s) = "
                               "(SELECT exact_state(x) FROM t)") == [1], "merged states are the whole")
        good = self.column("SELECT s FROM s")
        taken = []
        for _ in range(5000 * SCALE):
            data = bytearray(self.random.choice(good))
            if self.random.random() < 0.3:
                data = bytearray(self.random.randbytes(self.random.randrange(300)))
            else:
                data[self.random.randrange(len(data))] ^= 1 + self.random.randrange(255)
            try:
                self.column("SELECT exact_sum_of(?)", bytes(data))
                taken.append(data.hex())
            except sqlite3.OperationalError as error:
                if "accumulator" not in str(error):
                    taken.append(str(error))
        self.check(not taken, "hostile bytes are refused", "\n".join(taken[:5]))
        for odd in ("text", 5, b"", 2.5):
            try:
                self.column("SELECT exact_sum_of(?)", odd)
                self.check(False, f"{odd!r} is refused as a state")
            except sqlite3.OperationalError:
                self.check(True, f"{odd!r} is refused as a state")

    def test_rollback(self):
        before = self.column("SELECT exact_state(x) FROM t")
        self.db.commit()
        self.db.execute("INSERT INTO t (x) VALUES (1e300)")
        inside = self.column("SELECT exact_state(x) FROM t")
        self.db.rollback()
        self.check(inside != before == self.column("SELECT exact_state(x) FROM t"),
                   "a transaction rolled back leaves nothing")

    def test_program(self):
        if not shutil.which("sqlite3"):
            self.count += 1
            print(f"ok {self.count} - the program sqlite3 # SKIP it is missing (Debian: sqlite3)")
            return
        text = (f".load {self.module}\n"
                "SELECT exact_sum(column1), exact_avg(column1) FROM (VALUES (1e16), (1), (-1e16));\n"
                "SELECT exact_sum(x), exact_var(x) FROM (SELECT 1 AS x WHERE 0);\n")
        done = subprocess.run(["sqlite3", ":memory:"], input=text, capture_output=True, text=True)
        self.check(done.stdout == "1.0|0.333333333333333\n|\n" and not done.stderr,
                   "the program sqlite3", done.stdout + done.stderr)


def main(arguments):
    why = reason_to_skip(arguments)
    if why:
        print(f"1..0 # SKIP {why}")
        return 0
    sanitized.become_sanitized()
    print(f"# ACCORD_TEST_SEED={SEED}", flush=True)
    tests = Tests(arguments[0])
    for test in (tests.test_orders, tests.test_windows, tests.test_integers, tests.test_states,
                 tests.test_rollback, tests.test_program):
        test()
    print(f"1..{tests.count}")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
