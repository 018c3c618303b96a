"""An output as it was released, numbers or a kernel's words, and its place on a law's box."""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import inf
from typing import TypeAlias

import numpy as np

from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.laws.integrals.cumulative_probability import Sides, of_box, sides
from dalenius.laws.lattice import Lattice, index_of
from dalenius.laws.law import Law, without_floor
from dalenius.noise.limits import MOST_DECIMALS

Answer: TypeAlias = int | float | Fraction | str
"""One coordinate of an output: a number, or the text it is written as, or a word."""


def number_of(answer: Answer) -> Fraction:
    """Returns the number `answer`; a float or a text is taken as the decimal it is written as.

    InputError (answers) for a text that is no number.
    """
    # The case of a draw, which is exact already.
    if isinstance(answer, Fraction):
        return answer
    try:
        decimal = Decimal(str(answer))
    except InvalidOperation:
        decimal = Decimal("nan")
    if not decimal.is_finite() or isinstance(answer, bool):
        raise InputError("answers", str(answer), "a number")
    # Because 1e999 would be a fraction of a thousand digits, 1e-999999 one of a million digits.
    if decimal and abs(decimal.adjusted()) > MOST_DECIMALS:
        raise InputError("answers", str(answer), f"a number between 1e-{MOST_DECIMALS} and 1e{MOST_DECIMALS}, or 0")
    return Fraction(decimal) if decimal else Fraction(0)


def numbers_of(output: Sequence[Answer]) -> tuple[Fraction, ...]:
    """Returns the number of every coordinate of `output`, as `number_of` does."""
    return tuple(map(number_of, output))


def positions(output: Sequence[Answer], law: Law, lattice: Lattice) -> list[Fraction]:
    """Returns each coordinate of `output` in steps of `lattice` from the start of the box of `law`."""
    steps = zip(numbers_of(output), lattice.steps, law.start, strict=True)
    return [number / step - start for number, step, start in steps]


def on_lattice(output: Sequence[Answer], lattice: Lattice, ends: Sequence[tuple[int, int] | None]) -> tuple[int, ...]:
    """Returns the index on `lattice` of each coordinate of `output`, within `ends`.

    InputError names the nearest output where a coordinate has no such index.

    Args:
        output: The released answer, a number or name for each coordinate.
        lattice: The lattice of the answers.
        ends: The first and last allowed index of each axis; None: any.
    """
    numbers = numbers_of(output)
    nearest = [round(number / step) for number, step in zip(numbers, lattice.steps, strict=True)]
    nearest = [i if end is None else min(max(i, end[0]), end[1]) for i, end in zip(nearest, ends, strict=True)]
    found = tuple(index_of(number, step) for number, step in zip(numbers, lattice.steps, strict=True))  # type: ignore[arg-type]
    # The case of a count of 2.5 under geometric noise, or of one beyond every exact answer.
    if found != tuple(nearest):
        raise cannot_occur(output, lattice.point(nearest))
    return tuple(nearest)


def at_index(law: Law, index: Sequence[int], lift: float = 0.0) -> Law:
    """Returns the law at one point of the box of `law`, whose `index` is counted from the box's start.

    `lift` is added to the log all secrets share. Mass that could not be resolved is counted in the error: infinite
    where a mass of 0 may be positive.
    """
    place: tuple[int, ...] = tuple(index)
    everybody: tuple[slice | int, ...] = (slice(None), *place)
    floor = None if law.floor is None else law.floor[place].reshape(1)
    base, relative = law.base[place].reshape(1) + lift, law.relative[everybody].reshape(-1, 1)
    return without_floor(Law((0,), base, relative, law.error, floor))


def at_point(law: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
    """Returns the law at an `output` that is a point of `lattice` in the box of `law`.

    InputError names the nearest that can occur where this one cannot.
    """
    found = positions(output, law, lattice)
    places = [round(place) for place in found]  # like 1/3, which no decimal is
    inside = all(0 <= place < length for place, length in zip(places, law.box, strict=True))
    if inside and all(index_of(n, step) is not None for n, step in zip(numbers_of(output), lattice.steps, strict=True)):  # type: ignore[arg-type]
        there = at_index(law, places)
        if is_possible(there):
            return there
    raise cannot_occur(output, lattice.point(_nearest(law, lattice, found)))


def sides_of_point(law: Law, lattice: Lattice, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
    """Encloses how much of the mixture of `law` by `log_prior` is at most, and at least, an `output` on `lattice`."""
    places = zip(positions(output, law, lattice), law.box, strict=True)
    return sides(law, log_prior, [of_box(length, round(place)) for place, length in places])


def is_possible(there: Law) -> bool:
    """Says whether some secret makes the output possible, as far as is known; `there` is the law at it."""
    return bool(np.max(there.relative) > -inf) or there.error == inf


def _nearest(law: Law, lattice: Lattice, place: Sequence[Fraction]) -> list[int]:
    """Returns the lattice index of the first possible point at the least distance (L1, in the query's unit)."""
    possible = np.max(law.relative, axis=0) > -inf
    distances: Array = np.zeros(())
    for length, own, step in zip(law.box, place, lattice.steps, strict=True):
        distances = distances[..., None] + np.abs(np.arange(length) - float(own)) * float(step)
    index = np.unravel_index(int(np.argmin(np.where(possible, distances, inf))), law.box)
    return [int(i) + start for i, start in zip(index, law.start, strict=True)]


def cannot_occur(output: Sequence[Answer], nearest: Sequence[Answer]) -> InputError:
    """Makes the error for an `output` that is none of the noise's, or of no secret, with the `nearest` possible one."""
    wanted = f"answers that can occur: the nearest are {output_in_words(nearest)}"
    if len(output) == 1:
        wanted = f"an answer that can occur: the nearest is {output_in_words(nearest)}"
    return InputError("answers", output_in_words(output), wanted)


def output_in_words(output: Sequence[Answer]) -> str:
    """Writes the `output` in words."""
    return ", ".join(each if isinstance(each, str) else f"{float(each):.12g}" for each in output)
