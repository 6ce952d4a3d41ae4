"""Bounds of expressions and of programs, and the experiment with them."""

from __future__ import annotations

import csv
import json
import math
import os
import pickle
import shutil
import subprocess
from decimal import Decimal
from fractions import Fraction

import accord
import hypothesis
import numpy as np
import pytest
from accord._program_results import Build, Containment
from accord.experiments import __main__ as experiments
from accord.experiments import volatile
from conftest import slow
from hypothesis import given
from hypothesis import strategies as some

HERE = os.path.dirname(accord.__file__)
COMMAND = os.path.join(HERE, "accord-command")
RAY = os.path.join(volatile.PROGRAMS, "ray.c")
needs_programs = pytest.mark.skipif(
    not os.path.exists(os.path.join(HERE, "accord-instrument")) or not shutil.which("clang-14"),
    reason="bounds of programs were not built, or there is no clang-14")
numbers = some.floats(-1e100, 1e100, allow_nan=False)


def rounded(x: Fraction) -> float:
    return float(x)  # Fraction's is to nearest


@given(numbers, numbers, numbers)
def test_both_ends_are_those_of_all_evaluations(a, b, c):
    ways = {a * b + c, rounded(Fraction(a) * Fraction(b) + Fraction(c))}
    found = accord.bound("a*b + c", a=a, b=b, c=c)
    assert (found.low, found.high) == (min(ways), max(ways)) and found.exact
    assert not found.may_be_nan and all(x in found for x in ways) and math.nan not in found
    assert accord.bound("a*b + c", a=a, b=b, c=c, model="written").high == a * b + c


@given(some.fractions(-10, 10), some.fractions(-10, 10))
def test_intervals_are_rounded_outward(a, b):
    hypothesis.assume(a != b)
    low, high = min(a, b), max(a, b)
    for format, kind in (("f64", float), ("f32", np.float32)):
        found = accord.bound("x", x=(low, high), format=format)
        assert Fraction(found.low) <= low and high <= Fraction(found.high)
        assert kind(found.low) == found.low and kind(found.high) == found.high
        up = np.nextafter(kind(found.low), kind(np.inf), dtype=kind)
        assert Fraction(float(up)) > low


def test_numbers_are_rounded_once():
    above_the_tie = 1 + Fraction(1, 2**24) + Fraction(1, 2**60)
    assert accord.bound("x", x=above_the_tie, format="f32").low == 1 + 2.0**-23
    assert accord.bound("x", x=above_the_tie - Fraction(1, 2**59), format="f32").low == 1
    assert accord.bound("x", x=-above_the_tie, format="f32").low == -1 - 2.0**-23
    assert accord.bound("x", x=2**53 + 1).low == 2.0**53
    assert accord.bound("x", x=(2**53 + 1, 2**53 + 3)).low == 2.0**53
    assert accord.bound("x", x=np.float32(.1), format="float32").low == float(np.float32(.1))
    assert accord.bound("x", x=(-math.inf, 1)).low == -math.inf


def test_what_is_given_and_what_comes_back():
    found = accord.bound("model * b + c", {"model": .1, "b": 3}, c=-.3, model=["contract", "ftz"])
    assert found.model == "contract,ftz" and found.format == "f64" and 0 < found.width < 1e-15
    assert accord.bound("1 / x", x=(-1, 1)).may_be_nan is False
    assert accord.bound("x - x", x=math.inf).may_be_nan
    wide = accord.bound("a + b - b", a=(1, 2), b=(0, 1))
    assert not accord.bound("sin(a)", a=1).exact and accord.bound("sin(a)", a=1).witnesses is None
    assert wide.low == 0 and accord.bound("a + b - b", a=(1, 2), b=(0, 1), symbols=8).low > .99
    assert accord.bound("exp(a)", a=1, function_ulp=4).width > accord.bound("exp(a)", a=1).width


@pytest.mark.parametrize("expression, names, kind, words", [
    ("a*b", {"a": 1}, accord.ParseError, "b has no value"),
    ("a*", {"a": 1}, accord.ParseError, "column"),
    ("a", {"a": (2, 1)}, accord.ArgumentError, "lower end"),
    ("a", {"a": (1, 2, 3)}, accord.ArgumentError, "pair"),
    ("a", {"a": "one"}, accord.ArgumentError, "number"),
    ("a", {"a": math.nan}, accord.ArgumentError, "NaN"),
    ("a", {"a": 10**400}, accord.ArgumentError, "too large"),
    ("a", {"a": (0, Decimal("1e400"))}, accord.ArgumentError, "too large"),
    ("a", {"a": 1, "model": "contrct"}, accord.ArgumentError, "no model contrct"),
    ("a", {"a": 1, "format": "int8"}, accord.ArgumentError, "int8"),
    ("a", {"a": 1, "symbols": -1}, accord.ArgumentError, "symbols"),
    ("a", {"a": 1, "function_ulp": 0}, accord.ArgumentError, "function_ulp")])
def test_what_is_wrong_is_said(expression, names, kind, words):
    with pytest.raises(kind, match=words):
        accord.bound(expression, **names)


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not beside the package")
def test_it_says_what_the_command_says():
    for model in ("contract", "paren", "perm", "fast", "contract,excess"):
        said = subprocess.run([COMMAND, "bound", "--expr", "a*b - c*d + e", "a=.1", "b=[1,2]", "c=3",
                               "d=0.7", "e=-1", "--model", model, "--format", "f32", "--json"],
                              capture_output=True, text=True)
        told = json.loads(said.stdout)
        found = accord.bound("a*b - c*d + e", a=Fraction(1, 10), b=(1, 2), c=3, d=Fraction(7, 10),
                             e=-1, model=model, format="f32")
        assert (found.low.hex(), found.high.hex()) == tuple(
            float.fromhex(told[end]).hex() for end in ("low", "high"))
        assert (found.exact, found.method, found.model) == (
            told["exact"], told["method"], told["model"])
        assert found.witnesses == (told["witness"] and tuple(told["witness"].values()))


# ---- programs ----


@needs_programs
def test_the_ray_of_the_paper():
    paren, contract = (accord.bound_program(RAY, model=m, run=[1]) for m in ("paren", "contract"))
    (d,), (e,) = paren.outputs, contract.outputs
    assert (d.low, d.high) == (pytest.approx(-.252807, abs=1e-6), pytest.approx(.156754, abs=1e-6))
    assert e.low == -.125 and e.value == d.value == .125 and 0 < e.first_order < 1
    assert [x.kind for x in contract.unstable_decisions] == ["branch"] and not contract.lost
    assert contract.exit_status == 0 and contract.stdout.startswith(b"0.125\n")
    assert sum(line.share for line in contract.lines) == pytest.approx(1)
    again = pickle.loads(pickle.dumps(contract))
    assert again == contract and hash(again) == hash(contract) and str(again) == str(contract)
    assert "1 with finite bounds" in repr(contract) and "branch depends" in str(contract)
    assert contract._repr_html_().startswith("<figure")


@needs_programs
def test_programs_get_flags_and_input(tmp_path):
    source = tmp_path / "sum.c"
    source.write_text('#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v)\n{\n'
                      '    double a, b = atof(v[1]);\n    if (scanf("%lf", &a) != 1)\n'
                      '        abort();\n    printf("%g\\n", a * b + C);\n    return n;\n}\n')
    found = accord.bound_program(source, flags=["-DC=-.3"], run=[3], stdin=b".1\n")
    assert found.exit_status == 2 and found.outputs[0].width > 0
    assert found.outputs[0].low == accord.bound("a*b + c", a=.1, b=3, c=-.3).low
    crashed = accord.bound_program(source, flags=["-DC=1"], run=[1], stdin=b"x")
    assert crashed.exit_status is None and crashed.signal and not crashed.outputs
    with pytest.raises(accord.ArgumentError, match="does not compile"):
        accord.bound_program(source)


@needs_programs
def test_inputs_of_programs(tmp_path):
    source = tmp_path / "line.c"
    source.write_text('#include <stdio.h>\ndouble a = 2, x[2] = {1, 5};\nint main(void)\n{\n'
                      '    printf("%g\\n", a * x[0] + x[1]);\n    return 0;\n}\n')
    found = accord.bound_program(source, inputs={"a": (1, 3), "x": [4, 6]})
    (y,) = found.outputs
    assert (y.low, y.value, y.high) == (10, 14, 18) and y.first_order_inputs == 4 and y.first_order == 0
    assert [(i.set, i.own, i.values) for i in found.inputs] == [(1, 1, (2,)), (2, 0, (4, 6))]
    drawn = [accord.bound_program(source, inputs={"a": "normal(2,1)"}, seed=s).inputs[0].values[0]
             for s in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2] and all(-2 <= x <= 6 for x in drawn)
    search = accord.bound_program(source, inputs={"a": (1, 3), "x": [.3, .1]}, search=9).search
    assert search.runs == 9 and search.widest.number == 1 and not search.unstable_decisions
    (value,) = search.widest.inputs
    again = accord.bound_program(source, inputs={"a": value.removeprefix("a="), "x": [.3, .1]})
    assert again.outputs[0].width == search.widest.width > 0
    with pytest.raises(accord.ArgumentError, match="no variable b"):
        accord.bound_program(source, inputs={"b": 1})


@needs_programs
def test_numbers_that_are_not_set(tmp_path):
    source = tmp_path / "unset.c"
    source.write_text('#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{\n'
                      '    double *x = malloc(2 * sizeof *x);\n    x[0] = .5;\n'
                      '    printf("%d\\n", printf("%g\\n", x[0] + 0 * x[1]) > 0);\n    return 0;\n}\n')
    default, kept = (accord.bound_program(source, unset=u) for u in (None, "kept"))
    assert default.outputs[0].unknown and default.lost and not default.kept
    assert not kept.outputs[0].unknown and not kept.lost
    assert [(k.file, k.line) for k in kept.kept] == [(default.lost[0].file, default.lost[0].line)]
    with pytest.raises(accord.ArgumentError, match="unset"):
        accord.bound_program(source, unset="other")
    with pytest.raises(accord.ArgumentError, match="unset"):
        accord.sweep_program(source, unset="other")


def test_no_files():
    with pytest.raises(accord.ArgumentError, match="C files"):
        accord.bound_program([])


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not beside the package")
def test_files_that_are_not_there(tmp_path):
    with pytest.raises(accord.ArgumentError, match="nothing.c"):
        accord.sweep_program(tmp_path / "nothing.c")


# ---- the experiment ----


@slow
@needs_programs
def test_the_experiment_with_one_ray(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(volatile, "CASES", [c for c in volatile.CASES if c.name == "set 1"])
    assert experiments.main(["bound", "--quick", "--output", str(tmp_path)]) == 0
    with open(tmp_path / "bound.csv", newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert int(row["builds"]) > 10 and row["outside"] == "0"
    assert int(row["inside"]) + int(row["infinite"]) + int(row["later"]) == int(row["builds"])
    assert float(row["observed"]) <= float(row["contract"]) < float(row["paren"])
    said = capsys.readouterr().out
    assert "[-0.252807, 0.156754]" in said and "[-0.125, 0.156754]" in said
    assert "No number is outside" in said


def test_a_number_outside_is_named():
    build = Build("cc", "1", None, "-O2", "contract", "A", None, 0.0, Containment(3, 1, 0, 0, 0))
    sweep = accord.ProgramSweep(("x.c",), "differs", (build,), (), 1)
    assert not sweep and sweep.models()["contract"].outside == 1
    found = volatile.Found(volatile.CASES[0], sweep, None, None)
    assert volatile.outside([found]) == [f"{volatile.CASES[0].name}: cc -O2: 1 outside contract"]


def test_every_table_of_the_paper_has_its_cases():
    assert {c.table for c in volatile.CASES} == {"2", "3", "4", "5", "6", "7"}
    assert len(volatile.CASES) == 7 + 3 + 6 + 6 + 4 and any(c.quick for c in volatile.CASES)
    for case in volatile.CASES:
        assert os.path.exists(os.path.join(volatile.PROGRAMS, f"{case.program}.c"))
