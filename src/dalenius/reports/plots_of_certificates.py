"""Pictures of certificates: ε and δ of an exact sum by the number of people, as in NP Figures 1 to 4.

A certificate is drawn at some sixty numbers of people up to the model's. For independent bits the exact δ is drawn
beside it, at fewer numbers.

>>> numbers_up_to(1000, 4)
(10, 46, 215, 1000)
"""

from collections.abc import Mapping
from math import exp, isfinite, log
from pathlib import Path
from typing import Any, Final

from dalenius.bounds import Enclosure, up_to_digits
from dalenius.channel import Release
from dalenius.errors import DaleniusError
from dalenius.knowledge.noiseless import noiseless_delta
from dalenius.models import Independent
from dalenius.noise import NoNoise
from dalenius.plotting import DrawnLine, looks_in_order, new_axes, write_both
from dalenius.progress import steps
from dalenius.queries import Count
from dalenius.theorems import Certificate, certify, theorem_epsilon
from dalenius.theorems.moment_model import Moments

_SIZES: Final = 60
_EXACT_SIZES: Final = 20
_FEWEST: Final = 100
"""The share of all people at which the picture begins is one over this."""
_DIGITS: Final = 9


def numbers_up_to(people: int, count: int) -> tuple[int, ...]:
    """Returns some `count` numbers from a hundredth of `people` to them, evenly spaced by their logarithms."""
    first = max(people / _FEWEST, 2.0)
    grown = [first * exp(log(people / first) * place / (count - 1)) for place in range(count)]
    return tuple(sorted({min(round(each), people) for each in grown}))


def certificate_figure(moments: Moments, epsilon: float | None, path: Path) -> tuple[Path, Path]:
    """Writes the picture of all certificates by the number of people, and its CSV; returns both paths.

    Args:
        moments: The model; its n is the largest number of people.
        epsilon: The ε, in nats; None for that of NP Theorem 2, which falls with the number of people.
        path: Where the picture goes; the CSV has the suffix .csv.
    """
    found = _certified(moments, epsilon)
    exact = _exact(moments, epsilon) if moments.probability is not None else {}
    rows = [
        [
            name,
            n,
            each.epsilon,
            up_to_digits(each.delta, _DIGITS),
            up_to_digits(each.delta, _DIGITS),
            each.events,
            each.sound,
        ]
        for name, line in found.items()
        for n, each in line.items()
    ]
    rows += [["exact", n, at, ends.lower, ends.upper, "all", True] for n, (at, ends) in exact.items()]
    names = ["certificate", "n", "epsilon_nats", "delta_lower", "delta_upper", "events", "sound"]

    def drawn() -> Any:
        lines = {name: {n: each.delta for n, each in line.items()} for name, line in found.items()}
        lines |= {"exact": {n: ends.upper for n, (_, ends) in exact.items()}} if exact else {}
        looks = looks_in_order(lines)
        # Because a given ε is a level, it has no panel of its own.
        figure, axes = new_axes(1 if epsilon is not None else 2)
        for name, line in lines.items():
            each = DrawnLine(_label(name, found), line.items(), looks[name])
            points = [(n, delta) for n, delta in each.points if isfinite(delta) and delta > 0]
            axes[0].plot(*zip(*points, strict=True), label=each.label, **each.look.line() | {"markersize": 3})
        axes[0].set(xscale="log", yscale="log", xlabel="people, n", ylabel="δ")
        axes[0].legend(fontsize=8, frameon=False)
        if epsilon is None:
            # So that the ε of the picture is read where it is: it is the same for all certificates.
            falling = {n: each.epsilon for line in found.values() for n, each in line.items()}
            axes[1].plot(*zip(*sorted(falling.items()), strict=True), color="black")
            axes[1].set(xscale="log", xlabel="people, n", ylabel="ε (nats)")
        return figure

    return write_both(path, names, rows, drawn)


def _label(name: str, found: Mapping[str, Mapping[int, Certificate]]) -> str:
    """Returns the name of a line: a certificate's, with the events it is for."""
    some = next(iter(found.get(name, {}).values()), None)
    if some is None:
        return "exact, all events"
    return f"{name.replace('_', ' ')}, {some.events if some.sound else 'not sound'}"


def _certified(moments: Moments, epsilon: float | None) -> dict[str, dict[int, Certificate]]:
    """Returns each certificate, by its name and the number of people, where it says something."""
    found: dict[str, dict[int, Certificate]] = {}
    for n in numbers_up_to(moments.n, _SIZES):
        if n < moments.neighbourhood:
            continue
        for each in certify(moments.altered({"n": n}), epsilon):
            # Because Theorem 2 as printed has an ε of its own, it has no place beside others at a given one.
            if each.certificate is not None and epsilon in (None, each.certificate.epsilon):
                found.setdefault(each.name, {})[n] = each.certificate
    if not found:
        raise DaleniusError(f"no certificate says anything for up to {moments.n:,} people")
    return found


def _exact(moments: Moments, epsilon: float | None) -> dict[int, tuple[float, Enclosure]]:
    """Returns ε and the exact δ of the count of bits, by the number of people."""
    assert moments.probability is not None
    found = {}
    for n in steps("numbers of people", numbers_up_to(moments.n, _EXACT_SIZES)):
        fewer = moments.altered({"n": n})
        bits = Independent(n=fewer.unknown, probabilities=[moments.probability])
        at = theorem_epsilon(fewer) if epsilon is None else epsilon
        found[n] = at, noiseless_delta(Release(bits, Count(), NoNoise()), at)
    return found
