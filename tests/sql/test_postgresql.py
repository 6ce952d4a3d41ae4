#!/usr/bin/env python3
"""test_postgresql.py [EXTENSION]: the extension of PostgreSQL in a real server, which this starts in a
temporary folder. EXTENSION is the folder of accord.so, where it was built. Speaks TAP.

What is expected comes from math.fsum and from rational numbers."""
import math
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
from fractions import Fraction

import cluster
import sanitized

SEED = int(os.environ.get("ACCORD_TEST_SEED") or time.time())
ROWS = 1000000 if float(os.environ.get("ACCORD_TEST_SCALE") or 1) >= 1 else 300000
PLANS = (0, 1, 2, 4)
PARALLEL = """SET max_parallel_workers_per_gather = {workers}; SET max_parallel_workers = 16;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = {leader}; SET enable_hashagg = {hash}; SET jit = off;
"""


def bits(x, code="d"):
    return struct.pack(">" + code, x).hex()


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def rounded(exact):
    """A rational number to double; int / int is correctly rounded."""
    return exact.numerator / exact.denominator


def scaled(x):
    """x * 2^200 as an integer; no number of the tables needs smaller units."""
    fraction, exponent = math.frexp(x)
    whole, shift = int(fraction * 2 ** 53), exponent + 200 - 53
    assert x == 0 or shift >= 0
    return whole << max(shift, 0)


class Tests:
    def __init__(self, extension):
        self.random = random.Random(SEED)
        self.server = cluster.Cluster(extension)
        self.count = self.failed = 0

    def check(self, good, name, note=""):
        self.count += 1
        self.failed += not good
        print(f"{'' if good else 'not '}ok {self.count} - {name}", flush=True)
        if note and not good:
            print("# " + str(note).replace("\n", "\n# "), flush=True)

    def refused(self, text, word):
        try:
            said = self.server.script(text)
        except cluster.Failure as failure:
            return word in str(failure), failure
        return False, f"it gave {said!r}"

    def equal(self, found, expected, name):
        self.check(found == expected, name, f"found {found!r}\nexpected {expected!r}")

    # Tables.

    def fill(self):
        """Numbers of many sizes that cancel, so that the order of a plain sum shows."""
        draw = self.random
        self.x = [draw.uniform(-1, 1) * 10.0 ** draw.randint(-12, 12) for _ in range(ROWS)]
        self.y = [draw.uniform(-1, 1) for _ in range(ROWS)]
        self.server.sql("CREATE EXTENSION accord")
        self.server.sql("CREATE TABLE numbers (g int, x double precision, y double precision, "
                        "r real, stored bytea)")
        rows = "".join(f"{i % 1000}\t{x!r}\t{y!r}\t{f32(y)!r}\n"
                       for i, (x, y) in enumerate(zip(self.x, self.y)))
        self.server.sql("COPY numbers (g, x, y, r) FROM STDIN", rows)
        self.server.sql("ANALYZE numbers")

    def plan(self, workers, leader="on", use_hash="on"):
        return PARALLEL.format(workers=workers, leader=leader, hash=use_hash)

    def test_plans(self):
        total = math.fsum(self.x)
        grain = 2 ** 200
        exact = [scaled(x) for x in self.x]
        other = [scaled(y) for y in self.y]
        s, q, n = sum(exact), sum(e * e for e in exact), ROWS
        dot = sum(a * b for a, b in zip(exact, other))
        expected = [bits(v) for v in (
            total, s / (n * grain), dot / grain ** 2, (n * q - s * s) / (n * (n - 1) * grain ** 2),
            (n * q - s * s) / (n * n * grain ** 2))]
        narrow = sum(scaled(f32(y)) for y in self.y)
        query = ("SELECT float8send(exact_sum(x)), float8send(exact_avg(x)), "
                 "float8send(exact_dot(x, y)), float8send(exact_var(x)), "
                 "float8send(exact_var_pop(x)), float8send(exact_avg(r)), "
                 "float8send(sum(x)) FROM numbers;")
        expected.append(bits(narrow / (n * grain)))
        plain = set()
        for workers in PLANS:
            text = self.plan(workers)
            found = self.server.script(text + query).replace("\\x", "").split("|")
            plain.add(found.pop())
            self.equal(found, expected, f"{workers} workers: sum, mean, dot, variances")
            said = self.server.script(text + "EXPLAIN (ANALYZE, COSTS OFF) " + query)
            launched = re.search(r"Workers Launched: (\d+)", said)
            self.check((int(launched[1]) if launched else 0) == workers,
                       f"{workers} workers took part", said)
        print(f"# sum(double precision) gave {len(plain)} results in {len(PLANS)} plans")

    def test_groups(self):
        sums = {g: bits(math.fsum(self.x[g::1000])) for g in range(1000)}
        query = "SELECT g, float8send(exact_sum(x)) FROM numbers GROUP BY g ORDER BY g;"
        for workers, use_hash in ((0, "on"), (0, "off"), (2, "on"), (2, "off")):
            found = self.server.script(self.plan(workers, use_hash=use_hash) + query)
            self.equal({int(line.split("|")[0]): line.split("\\x")[1] for line in found.split("\n")},
                       sums, f"1000 groups, {workers} workers, hash {use_hash}")
        # Many groups in little memory: PostgreSQL spills, and nothing is lost.
        many = """SET work_mem = '1MB'; SELECT count(*), float8send(exact_sum(s)) FROM
            (SELECT exact_sum(x) AS s FROM
             (SELECT x, row_number() OVER () / 3 AS k FROM numbers) AS t GROUP BY k) AS u;"""
        least = self.server.script(self.plan(0) + many)
        most = self.server.script(self.plan(0, use_hash="off") + many)
        self.equal(least, most, f"{ROWS // 3 + 1:,} groups in 1 MB of work_mem")
        said = self.server.script(self.plan(0) + many.replace("SELECT count", "EXPLAIN (ANALYZE, "
                                                              "COSTS OFF) SELECT count"))
        found = re.search(r"Memory Usage: (\d+)kB", said)
        self.check("Disk Usage" in said and found and int(found[1]) < 8192,
                   "which PostgreSQL spills to disk", said)

    def test_window(self):
        self.server.sql("CREATE TABLE small (i int, x double precision, y double precision, "
                        "r real)")
        draw = self.random
        special = [math.inf, -math.inf, math.nan, 0.0, -0.0, None, 5e-324]
        rows = []
        for i in range(400):
            x = draw.uniform(-1, 1) * 10.0 ** draw.randint(-140, 140)
            x = draw.choice(special) if draw.random() < 0.3 else x
            y = draw.choice([None, -0.0, 2.0, draw.uniform(-1, 1)])
            rows.append((i, x, y, None if x is None else f32(draw.uniform(-1, 1))))
        text = "".join("\t".join("\\N" if v is None else repr(v) for v in row) + "\n" for row in rows)
        self.server.sql("COPY small FROM STDIN", text)
        # A window that moves, against sums that begin anew for each row.
        for call in ("exact_sum({x})", "exact_avg({x})", "exact_dot({x}, {y})", "exact_var({x})",
                     "exact_var_pop({x})", "exact_sum({r})", "exact_var({r})"):
            send = "float4send" if call == "exact_sum({r})" else "float8send"
            moving = call.format(x="x", y="y", r="r")
            anew = call.format(x="b.x", y="b.y", r="b.r")
            query = (f"SELECT {send}({moving} OVER (ORDER BY i ROWS BETWEEN 7 PRECEDING AND 2 "
                     f"PRECEDING)) FROM small ORDER BY i;")
            again = (f"SELECT (SELECT {send}({anew}) FROM small b WHERE b.i BETWEEN a.i - 7 AND "
                     f"a.i - 2) FROM small a ORDER BY a.i;")
            self.equal(self.server.script(query), self.server.script(again), f"moving {moving}")

    def one(self, call, values, columns="x"):
        """The result of an aggregate over rows that are given as text."""
        return self.server.sql(f"SELECT {call} FROM (VALUES {values}) AS t ({columns})")

    def test_special(self):
        cases = [
            ("('1'::float8), (NULL)", "1"), ("(NULL::float8)", ""),
            ("('inf'::float8), ('1')", "Infinity"), ("('-inf'::float8), ('1')", "-Infinity"),
            ("('inf'::float8), ('-inf')", "NaN"), ("('nan'::float8), ('1')", "NaN"),
            ("('-0'::float8)", "-0"), ("('-0'::float8), ('0')", "0"),
            ("('1e308'::float8), ('1e308'), ('-1e308')", "1e+308"),
            ("('5e-324'::float8), ('5e-324')", "1e-323"),
            ("('1e16'::float8), ('1'), ('-1e16')", "1"),
        ]
        for values, expected in cases:
            self.equal(self.one("exact_sum(x)", values), expected, f"exact_sum of {values}")
            # sum() treats them alike, but for what it rounds
            if "e" not in values.replace("float8", "").replace("inf", ""):
                self.equal(self.one("sum(x)", values), expected, f"sum of {values}")
        self.equal(self.one("exact_sum(x)", "('16777216'::real), ('1'), ('1')"), "1.6777218e+07",
                   "exact_sum of real is real")
        self.equal(self.one("pg_typeof(exact_sum(x)), pg_typeof(exact_avg(x))", "('1'::real)"),
                   "real|double precision", "types of results for real")
        self.equal(self.one("exact_avg(x)", "('1.7e308'::float8), ('1.7e308')"), "1.7e+308",
                   "a mean does not overflow")
        self.equal(self.one("exact_var(x)", "('1'::float8)"), "", "one value has no sample variance")
        self.equal(self.one("exact_var_pop(x)", "('1'::float8)"), "0", "but one of a population")
        self.equal(self.one("exact_var(x)", "('1e9'::float8), ('1000000001'), ('1000000002')"), "1",
                   "a variance far from zero")
        self.equal(self.one("exact_var(x)", "('1'::float8), ('inf')"), "NaN", "variance with infinity")
        self.equal(self.one("exact_dot(x, y)", "('1e200'::float8, '1e200'::float8), "
                            "('-1e200', '1e200'), ('3', '4'), (NULL, '1'), ('1', NULL)", "x, y"),
                   "12", "dot: products that overflow cancel, pairs with NULL are left out")
        for call, values in (("exact_sum(x)", "('1.7e308'::float8), ('1.7e308')"),
                             ("exact_sum(x)", "('3e38'::real), ('3e38')"),
                             ("exact_var(x)", "('1e300'::float8), ('-1e300')")):
            good, note = self.refused(f"SELECT {call} FROM (VALUES {values}) AS t (x);", "overflow")
            self.check(good, f"{call} of {values} overflows as sum() does", note)

    # States as bytes.

    def test_states(self):
        text = """UPDATE numbers SET stored = NULL WHERE false;
            CREATE TABLE states AS SELECT g, exact_state(x) AS s FROM numbers GROUP BY g;"""
        self.server.script(self.plan(2) + text)
        total, n = math.fsum(self.x), ROWS
        exact = Fraction(sum(map(scaled, self.x)), 2 ** 200)
        found = self.server.sql("SELECT float8send(exact_sum_of(s)), float8send(exact_avg_of(s)), "
                                "max(length(s)), min(length(s)) FROM states").split("|")
        self.equal(found[:2], ["\\x" + bits(total), "\\x" + bits(rounded(exact / n))],
                   "sums of stored states")
        print(f"# stored states of sums over 24 decades take {found[3]} to {found[2]} bytes")
        same = self.server.sql("SELECT (SELECT exact_merge(s) FROM states) = "
                               "(SELECT exact_state(x) FROM numbers)")
        self.equal(same, "t", "merged states are the state of the whole, byte for byte")

    def test_hostile(self):
        """Random and changed bytes, each in a call of its own, in one session."""
        draw = self.random
        good = [bytes.fromhex(line[2:]) for line in
                self.server.sql("SELECT s FROM states LIMIT 50").split("\n")]
        self.server.script("""CREATE FUNCTION try_bytes(s bytea) RETURNS text LANGUAGE plpgsql AS $$
            BEGIN
                RETURN (SELECT exact_sum_of(b)::text FROM (VALUES (s)) AS t (b));
            EXCEPTION WHEN invalid_binary_representation THEN RETURN 'refused';
            END $$;""")
        rows = []
        for _ in range(20000):
            data = bytearray(draw.choice(good))
            kind = draw.randrange(4)
            if kind == 0:
                data = bytearray(draw.randbytes(draw.randrange(700)))
            elif kind == 1:
                del data[draw.randrange(len(data)):]
            elif kind == 2:
                data += draw.randbytes(1 + draw.randrange(9))
            else:
                for _ in range(1 + draw.randrange(4)):
                    data[draw.randrange(len(data))] ^= 1 + draw.randrange(255)
            if bytes(data) not in good:
                rows.append("\\\\x" + data.hex() + "\n")
        self.server.sql("CREATE TABLE hostile (s bytea)")
        self.server.sql("COPY hostile FROM STDIN", "".join(rows))
        found = self.server.sql("SELECT count(*), count(*) FILTER (WHERE try_bytes(s) = 'refused') "
                                "FROM hostile")
        self.equal(found, f"{len(rows)}|{len(rows)}", "hostile bytes are refused, all of them")
        self.equal(self.server.sql("SELECT count(*) FROM states WHERE try_bytes(s) <> 'refused'"),
                   "1000", "and those that were written are not")
        for call in ("accord_sum_deserialize('\\x00', NULL)", "accord_sum_add8(NULL, 1)",
                     "accord_sum_combine(NULL, NULL)", "accord_var_deserialize('\\x00', NULL)",
                     "accord_state_add(NULL, '\\x00')", "accord_sum_final8(NULL)"):
            said = ""
            try:
                said = self.server.sql(f"SELECT {call}")
            except cluster.Failure as failure:
                self.check("crash" not in str(failure) and "closed" not in str(failure),
                           f"{call} by hand is refused", failure)
                continue
            self.equal(said, "", f"{call} by hand gives NULL")

    # What goes wrong.

    def test_rollback(self):
        before = self.server.sql("SELECT exact_state(x) FROM numbers")
        found = self.server.script("""BEGIN; INSERT INTO numbers (g, x) SELECT 0, 1e300 FROM
            generate_series(1, 1000); SELECT exact_sum(x) > 1e302 FROM numbers; ROLLBACK;""")
        self.equal(found, "t", "a transaction sees its own rows")
        self.equal(self.server.sql("SELECT exact_state(x) FROM numbers"), before,
                   "a transaction rolled back leaves nothing")
        self.server.script("BEGIN; DROP EXTENSION accord CASCADE; CREATE EXTENSION accord; ROLLBACK;")
        self.equal(self.server.sql("SELECT exact_state(x) FROM numbers"), before,
                   "nor does one that dropped the extension")

    def kill_during(self, victim):
        """Kills a process of a running query; what the client then says, and its status."""
        session = self.server.begin(None)
        session.stdin.write(self.plan(2) + "SELECT 'sum', exact_sum(a.x * b.y) FROM numbers a, "
                            "(SELECT y FROM numbers LIMIT 2000) b;\n")
        session.stdin.close()
        session.stdin = None
        before, pids = set(), set()
        for _ in range(60): # some workers only fetch the 2000 numbers: the one that is met twice adds
            said = self.server.sql("SELECT pid FROM pg_stat_activity WHERE query LIKE "
                                   f"'SELECT ''sum''%' AND backend_type = '{victim}'")
            before, pids = pids, set(said.split())
            if before & pids:
                break
            time.sleep(0.5)
        os.kill(int(min(before & pids)), signal.SIGKILL)
        out, error = session.communicate(timeout=120)
        return out, error, session.returncode

    def test_kill(self):
        expected = "\\x" + bits(math.fsum(self.x))
        for victim in ("parallel worker", "client backend"):
            out, error, status = self.kill_during(victim)
            self.check(status != 0 and "sum" not in out and
                       ("terminat" in error or "closed" in error or "crash" in error),
                       f"kill -9 of a {victim}: an error, no sum", f"{status} {out!r} {error!r}")
            self.server.wait_until_ready()
            found = self.server.script(self.plan(2) + "SELECT float8send(exact_sum(x)) FROM numbers;")
            self.equal(found, expected, f"after that of a {victim} the sum is right")

    def test_log(self):
        log = self.server.log()
        self.check("ready to accept connections" in log, "the server has a log", log[-2000:])
        said = sanitized.reports(log)
        self.check(not said, "no sanitizer speaks in it", "\n".join(said[:5]))


def main(extension=None):
    why = cluster.reason_to_skip() or ("" if extension else "the extension was not built")
    if why:
        print(f"1..0 # SKIP {why}")
        return 0
    print(f"# ACCORD_TEST_SEED={SEED}", flush=True)
    tests = Tests(extension)
    try:
        tests.fill()
        tests.test_plans()
        tests.test_groups()
        tests.test_window()
        tests.test_special()
        tests.test_states()
        tests.test_hostile()
        tests.test_rollback()
        tests.test_kill()
        tests.test_log()
    finally:
        tests.server.close()
    print(f"1..{tests.count}")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
