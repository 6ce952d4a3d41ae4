#!/usr/bin/env python3
"""test_duckdb.py BUILD [MODULE]: the extension of DuckDB, loaded into the DuckDB of PyPI. Speaks TAP.
What is expected comes from math.fsum and from rational numbers."""
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

import sanitized
from exact_results import bits, draw_rows, exact_avg, exact_dot, exact_sum, exact_var, to_double
from packages import become_python_with

SEED = int(os.environ.get("ACCORD_TEST_SEED") or time.time())
SCALE = max(1, int(float(os.environ.get("ACCORD_TEST_SCALE") or 1)))
ROWS = 500000 if float(os.environ.get("ACCORD_TEST_SCALE") or 1) >= 1 else 250000 # three of its groups of rows
CALLS = {"exact_sum(x)": lambda r: exact_sum([x for x, _ in r]),
         "exact_avg(x)": lambda r: exact_avg([x for x, _ in r]),
         "exact_dot(x, y)": exact_dot,
         "exact_var(x)": lambda r: exact_var([x for x, _ in r]),
         "exact_var_pop(x)": lambda r: exact_var([x for x, _ in r], 0)}


def connect(duckdb, module, folder):
    """A connection that has loaded the extension, with the footer for its platform."""
    db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    platform = db.execute("PRAGMA platform").fetchone()[0]
    extension = os.path.join(folder, "accord.duckdb_extension")
    adder = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "../../src/sql/duckdb/add_footer.py")
    subprocess.run([sys.executable, adder, module, platform, "0", extension], check=True)
    db.execute(f"LOAD '{extension}'")
    return db


class Tests:
    def __init__(self, duckdb, module, folder):
        self.duckdb = duckdb
        self.random = random.Random(SEED)
        self.db = connect(duckdb, module, folder)
        self.count = self.failed = 0

    def check(self, good, name, note=""):
        self.count += 1
        self.failed += not good
        print(f"{'' if good else 'not '}ok {self.count} - {name}", flush=True)
        if note and not good:
            print("# " + str(note).replace("\n", "\n# "), flush=True)

    def same(self, found, expected, name):
        wrong = [f"{i}: {a!r} is not {b!r}" for i, (a, b) in enumerate(zip(found, expected))
                 if bits(a) != bits(b)]
        self.check(not wrong and len(found) == len(expected), name, "\n".join(wrong[:5]))

    def column(self, query, *values):
        return [row[0] for row in self.db.execute(query, list(values)).fetchall()]

    def fill(self, rows):
        self.db.execute("CREATE OR REPLACE TABLE t (i INTEGER, x DOUBLE, y DOUBLE)")
        if rows:
            self.db.executemany("INSERT INTO t VALUES (?, ?, ?)",
                                [[i, x, y] for i, (x, y) in enumerate(rows)])

    def fill_large(self):
        """Numbers that cancel, by way of a file; it is read in parallel."""
        draw = self.random
        self.x = [draw.uniform(-1, 1) * 10.0 ** draw.randint(-12, 12) for _ in range(ROWS)]
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("x\n" + "".join(f"{x!r}\n" for x in self.x))
            file.flush()
            self.db.execute("CREATE TABLE large AS SELECT x, (row_number() OVER ()) - 1 AS i "
                            f"FROM read_csv('{file.name}', columns = {{'x': 'DOUBLE'}})")

    def test_threads(self):
        """One table, several numbers of threads, whole and in groups."""
        self.fill_large()
        self.check(self.column("SELECT x FROM large ORDER BY i LIMIT 1000") == self.x[:1000],
                   "numbers pass through text unchanged")
        total = math.fsum(self.x)
        sums = [math.fsum(self.x[g::1000]) for g in range(1000)]
        plain = set()
        for threads in (1, 2, 3, 4, 8):
            self.db.execute(f"SET threads = {threads}")
            self.same(self.column("SELECT exact_sum(x) FROM large"), [total], f"{threads} threads")
            self.same(self.column("SELECT exact_sum(x) FROM large GROUP BY i % 1000 ORDER BY i % 1000"),
                      sums, f"{threads} threads, 1000 groups")
            found = self.column("SELECT exact_sum(s) FROM (SELECT i // 2 AS g, exact_sum(x) AS s "
                                "FROM large GROUP BY g)")
            pairs = [a + b for a, b in zip(self.x[0::2], self.x[1::2])]
            self.same(found, [math.fsum(pairs)], f"{threads} threads, {ROWS // 2} groups")
            plain.add(self.column("SELECT sum(x) FROM large")[0])
        print(f"# sum gave {len(plain)} results with 5 numbers of threads")
        self.db.execute("SET threads = 4")

    def test_special(self):
        found, expected = {c: [] for c in CALLS}, {c: [] for c in CALLS}
        for _ in range(40 * SCALE):
            rows = draw_rows(self.random, self.random.randrange(60),
                             special=self.random.choice([0, 0, 0.05, 0.5, 1]))
            self.fill(rows)
            for call, right in CALLS.items():
                for order in ("i", "-i", "hash(i)"):
                    found[call] += self.column(f"SELECT {call} FROM (SELECT * FROM t ORDER BY {order})")
                    expected[call].append(right(rows))
        for call in CALLS:
            self.same(found[call], expected[call], f"{call}, NULL, NaN and infinities")

    def test_windows(self):
        rows = draw_rows(self.random, 400)
        self.fill(rows)
        for before, after in ((6, 0), (9, -3), (-1, 5), (100, 100)):
            def end(n):
                return f"{abs(n)} {'PRECEDING' if n <= 0 else 'FOLLOWING'}"
            frame = f"ROWS BETWEEN {end(-before)} AND {end(after)}"
            for call, right in CALLS.items():
                found = self.column(f"SELECT {call} OVER (ORDER BY i {frame}) FROM t ORDER BY i")
                expected = [right(rows[max(0, i - before):max(0, i + after + 1)])
                            for i in range(len(rows))]
                self.same(found, expected, f"{call} {frame}")

    def test_types(self):
        self.same(self.column("SELECT exact_sum(c) FROM (VALUES (1.5::FLOAT), (2)) AS v (c)"), [3.5],
                  "real")
        self.same(self.column("SELECT exact_sum(c) FROM (VALUES (1), (2)) AS v (c)"), [3.0], "integers")
        self.same(self.column("SELECT exact_sum(c) FROM (VALUES (0.1::DECIMAL(9, 2)), (0.2)) AS v (c)"),
                  [to_double(Fraction(0.1) + Fraction(0.2))], "decimals become double first")
        self.same(self.column("SELECT exact_sum(DISTINCT c) FILTER (c > 1) FROM "
                              "(VALUES (1.0::DOUBLE), (2), (2), (4)) AS v (c)"), [6.0], "DISTINCT, FILTER")

    def test_states(self):
        self.db.execute("CREATE TABLE s AS SELECT i % 37 AS g, exact_state(x) AS s FROM large GROUP BY g")
        self.same(self.column("SELECT exact_sum_of(s) FROM s"), [math.fsum(self.x)], "stored states")
        self.check(self.column("SELECT (SELECT exact_merge(s) FROM s) = "
                               "(SELECT exact_state(x) FROM large)") == [True],
                   "merged states are the whole")
        good = self.column("SELECT s FROM s")
        taken = []
        for _ in range(3000 * SCALE):
            data = bytearray(self.random.choice(good))
            if self.random.random() < 0.3:
                data = bytearray(self.random.randbytes(self.random.randrange(300)))
            else:
                data[self.random.randrange(len(data))] ^= 1 + self.random.randrange(255)
            try:
                self.column("SELECT exact_sum_of(?::BLOB)", bytes(data))
                taken.append(data.hex())
            except self.duckdb.Error as error:
                if "accumulator" not in str(error):
                    taken.append(str(error))
        self.check(not taken, "hostile bytes are refused", "\n".join(taken[:5]))

    def test_rollback(self):
        before = self.column("SELECT exact_state(x) FROM large")
        self.db.execute("BEGIN; INSERT INTO large (x) VALUES (1e300)")
        inside = self.column("SELECT exact_state(x) FROM large")
        self.db.execute("ROLLBACK")
        self.check(inside != before == self.column("SELECT exact_state(x) FROM large"),
                   "a transaction rolled back leaves nothing")


def main(build, module=None):
    why = "" if module else "no extension is built for this platform"
    why = why or become_python_with(build, "duckdb")
    if why:
        print(f"1..0 # SKIP {why}")
        return 0
    sanitized.become_sanitized()
    import duckdb
    print(f"# ACCORD_TEST_SEED={SEED}, DuckDB {duckdb.__version__}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(duckdb, module, folder)
        for test in (tests.test_threads, tests.test_special, tests.test_windows, tests.test_types,
                     tests.test_states, tests.test_rollback):
            test()
    print(f"1..{tests.count}")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
