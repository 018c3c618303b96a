"""leave_one_out against division."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, prod

from hypothesis import given, strategies as st

from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Transform, leave_one_out


class Numbers(Transform[Fraction]):
    """The elements are numbers, the factor of slot k is k."""

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Fraction:
        factors = [Fraction(int(slot)) for slot in slots]
        return self.mix(log_weights, [self.product(factors, [int(n) for n in row]) for row in counts])

    def product(self, elements: Sequence[Fraction], powers: Sequence[int]) -> Fraction:
        return prod((element**power for element, power in zip(elements, powers, strict=True)), start=Fraction(1))

    def mix(self, log_weights: Array, elements: Sequence[Fraction]) -> Fraction:
        return sum((Fraction(exp(w)) * e for w, e in zip(log_weights, elements, strict=True)), Fraction(0))


@given(st.lists(st.tuples(st.fractions(-3, 3, max_denominator=9), st.integers(1, 4)), max_size=9))
def test_leave_one_out(factors: list[tuple[Fraction, int]]) -> None:
    elements, powers = [element for element, _ in factors], [power for _, power in factors]
    found = leave_one_out(Numbers(), elements, powers)
    assert len(found) == len(elements)
    total = Numbers().product(elements, powers)
    for i, (element, without) in enumerate(zip(elements, found, strict=True)):
        if element:
            assert without == total / element
        else:
            assert without == Numbers().product(elements, [power - (i == j) for j, power in enumerate(powers)])
