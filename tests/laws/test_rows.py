"""Tables of elements: every row against the transform's operation on that row alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.channel.effort import Effort
from dalenius.laws.characteristic import Cumulants
from dalenius.laws.convolution import Coefficients, ScaledGrid, from_points, multiply
from dalenius.laws.generating_function_algebra import Average, Extent, Extents, ListedRows, RowAlgebra, Transform
from tests.pace import draws

SCORES = np.array([[0], [1], [3]])
SLOTS = np.arange(3)


def _random_elements(transform: Transform[Any], generator: np.random.Generator) -> list[Any]:
    """Elements of one to three values each, some of them unlikely."""
    found = []
    for _ in range(6):
        kept = np.sort(generator.permutation(3)[: generator.integers(1, 4)])
        weights = generator.random(len(kept)) ** 8
        logs = np.log(weights / weights.sum())
        found.append(transform.mean(logs, SLOTS[kept], np.eye(len(kept), dtype=np.int64)))
    return found


def _random_average(rows: int, generator: np.random.Generator, equal: bool) -> Average:
    """Averages over one to four rows each, or over two each."""
    lengths = np.full(5, 2) if equal else generator.integers(1, 5, size=5)
    states = generator.integers(0, rows, size=lengths.sum())
    weights = [generator.dirichlet(np.ones(length)) for length in lengths]
    return Average(states, np.log(np.concatenate(weights)), np.cumsum(lengths) - lengths)


def _walked(rows: RowAlgebra[Any, Any], elements: Sequence[Any], seed: int) -> list[Any]:
    """The elements after products, powers and means, which depend on the seed alone."""
    generator = np.random.default_rng(seed)
    table = rows.stack(elements)
    for equal in (False, True):
        one, other = (rows.take(table, generator.integers(0, len(elements), size=7)) for _ in range(2))
        table = rows.product([one, other, one], [1, int(generator.integers(1, 4)), 0])
        table = rows.take(rows.mix(table, _random_average(7, generator, equal)), np.array([0, 4, 2, 1, 3, 0]))
    return rows.elements(table)


def _both(transform: Transform[Any], other: Transform[Any], seed: int) -> tuple[list[Any], list[Any]]:
    """The elements by tables, and those of an equal transform one by one."""
    elements = _random_elements(transform, np.random.default_rng(seed))
    again = _random_elements(other, np.random.default_rng(seed))
    return _walked(transform.rows(), elements, seed), _walked(ListedRows(other), again, seed)


@given(seed=st.integers(0, 10**6), combine=st.sampled_from(["sum", "max", "min"]))
@draws(30)
def test_boxes_in_tables_are_those_of_each_row(seed: int, combine: Any) -> None:
    found, wanted = _both(Extents(SCORES, [combine]), Extents(SCORES, [combine]), seed)
    assert found == wanted


def test_boxes_beyond_machine_integers_do_not_overflow() -> None:
    rows = Extents(SCORES).rows()
    table = rows.product([rows.stack([Extent((-(2**52),), (2**52,))])], [2**40])
    table = rows.mix(
        rows.product([table, table], [1, 1]), Average(np.zeros(2, dtype=int), np.log([0.5, 0.5]), np.array([0]))
    )
    assert rows.elements(table) == [Extent((-(2**93),), (2**93,))]


@given(seed=st.integers(0, 10**6), cells=st.sampled_from([1.0, 6.0]))
@draws(30)
def test_size_of_a_table_holds_the_sizes_of_its_rows(seed: int, cells: float) -> None:
    effort, other = Effort(SCORES, cells), Effort(SCORES, cells)
    for table, row in zip(*_both(effort, other, seed), strict=True):
        for least, most in zip(table.extent.low, row.extent.low, strict=True):
            assert least <= most
        for most, least in zip(table.extent.high, row.extent.high, strict=True):
            assert most >= least
        assert table.points >= row.points
    assert effort.largest >= other.largest


def test_effort_of_a_table_grows_with_its_rows() -> None:
    """A table of a thousand rows is one call and a thousand products: far less than a thousand calls, more than ten."""
    few, many, single = Effort(SCORES[:, :1]), Effort(SCORES[:, :1]), Effort(SCORES[:, :1])
    size = few.product([few.mean(np.zeros(2), np.array([0, 1]), np.eye(2, dtype=np.int64))], [40])
    for effort, count in ((few, 10), (many, 1000)):
        effort.seconds = 0.0
        table = effort.rows().stack([size] * count)
        effort.rows().product([table, table], [1, 1])
    for _ in range(1000):
        single.product([size, size], [1, 1])
    assert 3 * few.seconds < many.seconds < single.seconds / 3


@given(seed=st.integers(0, 10**6), tilt=st.floats(-2, 2))
@draws(30)
def test_cumulants_in_tables_are_those_of_each_row(seed: int, tilt: float) -> None:
    found, wanted = _both(Cumulants(SCORES[:, 0], tilt), Cumulants(SCORES[:, 0], tilt), seed)
    for one, other in zip(found, wanted, strict=True):
        assert one.log_mass == pytest.approx(other.log_mass, rel=1e-12, abs=1e-12)
        assert (one.mean, one.variance) == pytest.approx((other.mean, other.variance), rel=1e-10, abs=1e-10)


@given(seed=st.integers(0, 10**6))
@draws(30)
def test_laws_in_tables_are_those_of_each_row(seed: int) -> None:
    for found, wanted in zip(*_both(Coefficients(SCORES), Coefficients(SCORES), seed), strict=True):
        _assert_equal_laws(found, wanted)


@pytest.mark.parametrize("terms", [1, 5, 30, 90])
def test_products_of_long_laws_are_those_of_each_row(terms: int) -> None:
    """One length for each way to convolve; the last row has zeros at both ends."""
    generator = np.random.default_rng(terms)
    long = [_random_law(generator, 100) for _ in range(400)]
    short = [_random_law(generator, terms) for _ in range(400)]
    long.append(_random_law(generator, 40, start=30))
    short.append(_random_law(generator, 1))
    rows = Coefficients(SCORES).rows()
    found = rows.elements(rows.product([rows.stack(long), rows.stack(short)], [1, 1]))
    for one, other, product in zip(long, short, found, strict=True):
        _assert_equal_laws(product, multiply(one, other))


def test_laws_beyond_doubles_keep_their_digits_in_tables() -> None:
    """Twenty factors of e^-100 each: 2^-2885 is no double, and the other row stays as it is."""
    transform = Coefficients(SCORES)
    rare = from_points(np.array([[0], [1]]), np.array([0.0, -100.0]))
    coin = from_points(np.array([[0], [1]]), np.log([0.5, 0.5]))
    rows = transform.rows()
    table = rows.product([rows.stack([rare, coin])], [20])
    found = rows.elements(rows.product([table, table], [1, 1]))
    for element, law in zip(found, (rare, coin), strict=True):
        _assert_equal_laws(element, transform.product([law], [40]))
    assert found[0].split()[1][-1] < -5000


def test_bounds_that_sink_leave_plain_laws_in_doubles() -> None:
    """Because a mean lowers the bound of the least entry, three thousand means would leave the doubles."""
    rows = Coefficients(SCORES).rows()
    table = rows.stack([from_points(np.array([[0], [1]]), np.log([0.5, 0.5]))] * 2)
    for _ in range(3000):
        table = rows.mix(table, Average(np.array([0, 1, 1, 0]), np.log(np.full(4, 0.5)), np.array([0, 2])))
    (law, _) = rows.elements(table)
    assert law.exponent is None
    assert law.mantissa == pytest.approx([0.5, 0.5], rel=1e-10)


def _random_law(generator: np.random.Generator, points: int, start: int = 0) -> ScaledGrid:
    places = np.arange(start, start + points)[:, None]
    return from_points(places, np.log(generator.dirichlet(np.full(points, 0.5)) + 1e-30))


def _assert_equal_laws(found: ScaledGrid, wanted: ScaledGrid) -> None:
    """Every mass to 1e-12 of itself, on one box."""
    assert found.start == wanted.start
    (mantissa, exponent), (fraction, power) = found.split(), wanted.split()
    assert np.array_equal(mantissa > 0, fraction > 0)
    there = fraction > 0
    shift = exponent[there] - power[there]
    assert np.ldexp(mantissa[there], shift) == pytest.approx(fraction[there], rel=1e-12, abs=0)
    least = np.log2(fraction[there]) + power[there]
    assert found.exponent is not None or found.least <= least.min() + 1e-6


@pytest.mark.parametrize("points", [40, 700])
def test_averages_of_blocks_are_those_of_all_rows(points: int) -> None:
    generator = np.random.default_rng(points)
    states = 200
    table = Coefficients(SCORES).rows().stack([_random_law(generator, points) for _ in range(states)])
    # Every state is in one average, and one average has a single state.
    groups = np.concatenate([[0], generator.integers(1, 9, size=states - 1)])
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    average = Average(order, np.log(generator.dirichlet(np.ones(states))), starts)
    asked: list[int] = []

    def rows_of(some: slice) -> list[Any]:
        asked.append(some.stop - some.start)
        return [table_rows.take(table, np.arange(states)[some])]

    table_rows = Coefficients(SCORES).rows()
    (found,) = table_rows.averaged(rows_of, states, [average])
    assert len(asked) > 1
    assert sum(asked) == states
    wanted = table_rows.mix(table, average)
    for one, other in zip(table_rows.elements(found), table_rows.elements(wanted), strict=True):
        _assert_equal_laws(one, other)
        assert one.roundings == other.roundings
