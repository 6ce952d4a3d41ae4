"""Numbers for tests of databases, and what exact aggregates of them are, by rational numbers."""
import math
import struct
from fractions import Fraction

SPECIAL = [math.inf, -math.inf, math.nan, 0.0, -0.0, None, 5e-324]


def bits(x):
    """A result as text that only the same result has; NaN is one value, NULL too."""
    if x is None or x != x:
        return str(x)
    return struct.pack(">d", x).hex()


def draw_rows(random, count, decades=140, special=0.3):
    """Pairs, some of which hold NULL or what is no ordinary number."""
    def draw():
        if random.random() < special:
            return random.choice(SPECIAL)
        return random.uniform(-1, 1) * 10.0 ** random.randint(-decades, decades)
    return [(draw(), random.choice([None, -0.0, 2.0, random.uniform(-1, 1)])) for _ in range(count)]


def to_double(exact):
    """A rational number, correctly rounded; past the greatest double, an infinity."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.copysign(math.inf, exact)


def special_sum(terms):
    """The sum if it is no ordinary number, or None."""
    if any(x != x for x in terms) or {math.inf, -math.inf} <= set(terms):
        return math.nan
    infinite = [x for x in terms if math.isinf(x)]
    if infinite:
        return infinite[0]
    if all(x == 0 and math.copysign(1, x) < 0 for x in terms):
        return -0.0
    return None


def exact_sum(values, divide=False):
    terms = [x for x in values if x is not None]
    if not terms:
        return None
    special = special_sum(terms)
    if special is not None:
        return special
    return to_double(sum(map(Fraction, terms)) / (len(terms) if divide else 1))


def exact_avg(values):
    return exact_sum(values, divide=True)


def exact_dot(pairs):
    pairs = [(x, y) for x, y in pairs if x is not None and y is not None]
    if not pairs:
        return None
    # of a product that is rounded, only whether it is special counts
    plain = [x * y if not (math.isfinite(x) and math.isfinite(y) and x and y)
             else math.copysign(1, x) * math.copysign(1, y) for x, y in pairs]
    special = special_sum(plain)
    if special is not None:
        return special
    return to_double(sum(Fraction(x) * Fraction(y) for x, y in pairs))


def exact_var(values, less=1):
    terms = [x for x in values if x is not None]
    n = len(terms)
    if n <= less:
        return None
    if not all(map(math.isfinite, terms)):
        return math.nan
    total, squares = sum(map(Fraction, terms)), sum(Fraction(x) ** 2 for x in terms)
    return to_double((n * squares - total ** 2) / (n * (n - less)))
