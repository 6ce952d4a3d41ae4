"""accord: in which order, and with which arithmetic, an implementation adds.

>>> import accord, numpy
>>> order = accord.reveal(numpy.sum, n=32)
>>> order.pattern
'8 lanes, folded by neighbors'
>>> order.replay(numpy.arange(32, dtype=numpy.float32))
496.0

`reveal` asks any callable for sums of chosen terms, finds the tree of its additions and what each
of them computes, confirms every node, and replays it bit for bit. `dot`, `gemv`, `gemm`, `axis` and `scaled_dot`
adapt callables of other shapes. `map`, `sweep`, `batch_invariant`, `features`, `diff` and `check`
build on that. `collective` finds the orders of ranks of torch.distributed, and `tensor_parallel`
says whether their number changes the bits of a layer. `bound` says what contraction and reordering
can do to the value of an expression; `bound_program` and `sweep_program` do so for the numbers that
a C program writes. `explain` says why two
implementations differ: order, noise, or a bug; `tolerance` finds atol and rtol for tests; `vary`
says how far results spread from run to run, `vary_methods` those of parallel reductions. `sum`,
`dot`, `mean`, `norm`, `var`, `cumsum`, `groupby_sum` and `fsum` compute results that do not depend on
any order, and `Accumulator` those of data that come in parts.
"""

from typing import Any

from . import _accord, adapters, testing
from ._accord import (
    ArgumentError,
    BudgetError,
    CompensatedError,
    DataDependentError,
    Error,
    ExactError,
    FileError,
    NondeterministicError,
    NotASumError,
    NotATreeError,
    NotFiniteError,
    NotPlainError,
    OutOfMemoryError,
    OutOfRangeError,
    ParseError,
    TargetError,
    TermLostError,
    TermTwiceError,
    UnableError,
    UnsupportedError,
    __version__ as __version__,
)
from ._bound import Bound, bound
from ._collective import Collective, collective
from ._errors import CannotTellError
from ._accumulator import Accumulator
from ._exact import cumsum, fsum, groupby_sum, mean, norm, rms, std, sum, var
from ._exact_dot import dot
from ._explain import Explained, ExplainTest, Explanation, Fault, assert_explained, explain
from ._fixed_chunks import fixed_chunks
from ._family import Family, FamilyRule, family
from ._difference import Common, Difference, Node, Witness, diff
from ._order import Answers, Model, Order, synthetic
from ._program_results import ProgramBounds, ProgramSweep
from ._programs import bound_program, sweep_program
from ._reveal import Check, Feature, Features, Map, MapClass, check, features, map, reveal
from ._survey import Group, Row, Survey, batch_invariant, sweep
from ._tensor_parallel import TensorParallel, tensor_parallel
from ._tolerance import Tolerance, Tolerances, tolerance
from ._vary import Expected, Variation, VariedResult, VariedSetting, vary
from ._vary_methods import VariedMethod, vary_methods
from .adapters import axis, gemm, gemv, scaled_dot

__all__ = [
    "Accumulator", "Answers", "ArgumentError", "Bound", "BudgetError", "CannotTellError", "Check",
    "Collective", "Common",
    "CompensatedError", "DataDependentError", "Difference", "Error", "ExactError", "Expected",
    "ExplainTest", "Explained", "Explanation", "Family", "FamilyRule", "Fault", "Feature", "Features", "FileError", "Group",
    "Map", "MapClass", "Model", "Node", "NondeterministicError", "NotASumError", "NotATreeError",
    "NotFiniteError", "NotPlainError", "Order", "OutOfMemoryError", "OutOfRangeError", "ParseError",
    "ProgramBounds", "ProgramSweep", "Row", "Survey", "TargetError", "TensorParallel", "TermLostError",
    "TermTwiceError", "Tolerance", "Tolerances", "UnableError", "UnsupportedError", "Variation",
    "VariedMethod", "VariedResult", "VariedSetting", "Witness", "adapters", "assert_explained",
    "axis", "batch_invariant", "bound", "bound_program", "check", "collective", "cumsum", "diff", "dot", "explain",
    "family", "features", "fixed_chunks", "fsum", "gemm", "gemv", "groupby_sum", "info",
    "map", "mean", "norm", "reveal", "rms", "scaled_dot", "std", "sum", "sweep", "sweep_program",
    "synthetic", "tensor_parallel", "tolerance", "var", "vary", "vary_methods",
]


def info() -> dict[str, Any]:
    """Version, CPU, formats, algorithms, kinds of targets, synthetic orders, known machines, models of
    compilers."""
    return _accord.info()
