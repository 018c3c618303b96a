"""The report of `dalenius convert`: what a pipeline can leak, or the largest pipelines that keep a promise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isinf
from typing import Any, Final, TypeAlias, final

from dalenius.bounds import Enclosure, down_to_digits, from_below, up_to_digits
from dalenius.cli.output import print_table, say
from dalenius.conversion import Converted
from dalenius.conversion.leaked_epsilon import FARTHEST
from dalenius.conversion.resolution import SHARE
from dalenius.notions import InferentialPrivacy, InformationPrivacy, in_words
from dalenius.omitted import Omitted, omitted_json
from dalenius.spec.results_as_json import number, printed

Sizes: TypeAlias = Mapping[str, Mapping[str, float]]
"""Numbers by notion and by the parameter of a family of guarantees."""

# Because enclosures narrower than this, in nats, have ends that differ by rounding alone.
_ROUNDING_OF_NATS: Final = 1e-12
# Likewise of a delta.
_ROUNDING_OF_DELTA: Final = 1e-280


@final
@dataclass(frozen=True)
class ConversionReport:
    """The leakage that a pipeline with a guarantee can have under a model.

    Attributes:
        found: What was found by notion: deltas where `at_epsilon` is given, else epsilons in nats.
        unresolved: By notion, the delta below which the two ends do not agree; None where they do everywhere.
        curve: The inferential curve, as pairs of an epsilon in nats and a delta, from above.
        neighbours: What the guarantee compares, `replace` or `add_remove`.
        at_epsilon: The epsilon in nats at which deltas were asked; None where epsilons were.
        at_delta: The delta at which epsilons were asked; None where deltas were.
        why: Why this bounds the leakage of every such pipeline.
        seconds: The seconds that it took.
        omitted: The rows that the spec leaves out.
        advice: What is worth knowing before the number is used; None for nothing.
    """

    found: Mapping[str, Converted]
    unresolved: Mapping[str, float | None]
    curve: Sequence[tuple[float, float]]
    neighbours: str
    at_epsilon: float | None
    at_delta: float | None
    why: str
    seconds: float
    omitted: Sequence[Omitted]
    advice: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The report as JSON has it."""
        ends = (self.at_epsilon, self.at_delta)
        return {
            **{name: _conversion_json(each, *ends, self.unresolved[name]) for name, each in self.found.items()},
            "neighbours": self.neighbours,
            "curve": [[number(e), number(up_to_digits(d, 6))] for e, d in self.curve],
            "why": self.why,
            "seconds": self.seconds,
            **omitted_json(self.omitted),
            **({} if self.advice is None else {"advice": self.advice}),
        }

    def show(self) -> None:
        """Prints the report as tables and sentences."""
        epsilon, at = self.at_epsilon, self.at_delta
        what = f"delta at epsilon {epsilon:g}" if epsilon is not None else f"epsilon (nats) at delta {at:g}"
        least = _ROUNDING_OF_NATS if epsilon is None else _ROUNDING_OF_DELTA
        beyond = {name for name, each in self.found.items() if epsilon is None and _is_beyond(each.value)}
        rows = [
            [name, f"more than {FARTHEST:g}" if name in beyond else _shown(each.value, least), _whom(each), _pair(each)]
            for name, each in self.found.items()
        ]
        print_table("What the pipeline can leak", ["notion", what, "about whom", "secret"], rows)
        for name, each in self.found.items():
            words = _in_words(name, each.value.upper, epsilon, at or 0.0)
            if words is not None:
                say(f"{name}: {words}")
        for name in beyond:
            say(
                f"{name}: no epsilon up to {FARTHEST:g} nats comes down to a delta of {at:g}, so nothing is promised "
                "at that delta. The pipeline's own delta grows with the number of people who depend on each other. "
                "Ask for a larger --at-delta"
            )
        for name, below in self.unresolved.items():
            if below is not None and name not in beyond:
                say(f"{name}: {_unresolved_words(below)}")
        print_table("inferential", ["epsilon", "delta"], [[f"{e:g}", f"{d:.6g}"] for e, d in self.curve])
        say(f"{self.why}, {self.seconds:.2f} s")


@final
@dataclass(frozen=True)
class PromiseReport:
    """The largest guarantees whose pipelines keep a promise under a model.

    Attributes:
        sizes: The largest parameter of each family of guarantees, from below.
        unresolved: The delta below which a parameter is not resolved, where it may be far below the largest one.
        epsilon: The epsilon that is promised, in nats.
        delta: The delta that is promised.
        why: Why no pipeline with such a guarantee leaks more.
        seconds: The seconds that it took.
        omitted: The rows that the spec leaves out.
    """

    sizes: Sizes
    unresolved: Sizes
    epsilon: float
    delta: float
    why: str
    seconds: float
    omitted: Sequence[Omitted]

    def as_json(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return {
            "promised": {"epsilon": self.epsilon, "delta": self.delta},
            "largest": _numbers(self.sizes),
            "not_resolved_below": _numbers(self.unresolved),
            "why": self.why,
            "seconds": self.seconds,
            **omitted_json(self.omitted),
        }

    def show(self) -> None:
        """Prints the report as a table and sentences."""
        words = {"epsilon": "epsilon (pure)", "mu": "mu (Gaussian)", "rho": "rho (zero-concentrated)"}
        parameters = list(self.sizes["inferential"])
        rows = [[name, *(_number(each[parameter]) for parameter in parameters)] for name, each in self.sizes.items()]
        title = f"The largest guarantees that keep epsilon {self.epsilon:g}, delta {self.delta:g}"
        print_table(title, ["promised", *(words[parameter] for parameter in parameters)], rows)
        for name, each in self.unresolved.items():
            for parameter, end in each.items():
                said = "at any delta" if isinf(end) else f"below a delta of {end:g}"
                say(f"{name}, {parameter}: not resolved {said}: a larger one may keep the promise too")
        say(f"{self.why}, {self.seconds:.2f} s")


def _numbers(sizes: Sizes) -> dict[str, dict[str, Any]]:
    return {name: {key: number(value) for key, value in each.items()} for name, each in sizes.items()}


def _in_words(name: str, found: float, epsilon: float | None, delta: float) -> str | None:
    """Says what was found: a delta at `epsilon` where that was asked, else an epsilon at `delta`.

    None where that is no promise.
    """
    at, of = (found, delta) if epsilon is None else (epsilon, up_to_digits(found, 6))
    # Because an infinite epsilon, or a delta of 1, promises nothing, there are no words for it.
    if isinf(at) or of >= 1:
        return None
    notion = InformationPrivacy(delta=of) if name == "information" else InferentialPrivacy(delta=of)
    return in_words(notion, epsilon=at)


def _is_beyond(value: Enclosure) -> bool:
    """Says whether an epsilon is beyond all that are looked for: there it is known from below only."""
    return value.half_open and value.lower >= FARTHEST


def _unresolved_words(below: float) -> str:
    if isinf(below):
        return f"not resolved at any delta: its ends are further apart than {SHARE:.0%} of the upper one"
    return f"not resolved below a delta of {below:g}: there the upper end may be far above the truth"


def _number(value: float) -> str:
    """Writes a number with nine digits, for a table's cell."""
    return "∞" if isinf(value) else f"{value:.9g}"


def _shown(value: Enclosure, least: float = _ROUNDING_OF_NATS) -> str:
    """Writes the upper end where both agree to six digits, as for groups that are listed; else both, as for chains.

    least: of nats, or of a probability, below which the ends differ by roundings alone.
    """
    if value.half_open:
        return from_below(value)
    if isinf(value.lower):
        return "∞"
    if value.upper - value.lower <= 1e-6 * value.upper or value.upper < least:
        return _number(value.upper) if isinf(value.upper) else f"{value.upper:.7g}"
    return f"{value.lower:.6g} to {_number(value.upper) if isinf(value.upper) else f'{value.upper:.6g}'}"


def _whom(found: Converted) -> str:
    """Says who the upper end is about, for a table's cell; nobody where no record is uncertain."""
    return "nobody" if found.person is None else f"person {found.person}, {found.who}"


def _pair(found: Converted) -> str:
    """Writes the worst value, and for `inferential` what it is compared with; empty where no record is uncertain."""
    if found.person is None:
        return ""
    return f"{found.secret}" if found.against is None else f"{found.secret} against {found.against}"


def _conversion_json(
    found: Converted, at_epsilon: float | None, at_delta: float | None, unresolved: float | None
) -> dict[str, Any]:
    """Returns epsilon and delta. One is as asked; lower and upper enclose the other, given from above.

    unresolved: the delta below which they do not agree, if any.
    """
    # Where no epsilon is enough, an infinite end has no digits to be rounded to.
    low, _, high = (
        printed(found.value) if isfinite(found.value.upper) else (down_to_digits(found.value.lower, 9), inf, inf)
    )
    lower, upper = number(low), number(high)
    numbers = (
        {"epsilon": at_epsilon, "delta": upper} if at_epsilon is not None else {"epsilon": upper, "delta": at_delta}
    )
    whom = {"person": found.person, "who": found.who, "secret": found.secret}
    if found.against is not None:
        whom["against"] = found.against
    below = None if unresolved is None else number(unresolved)
    whose = None if found.person is None else whom
    return {**numbers, "lower": lower, "upper": upper, "not_resolved_below": below, "witness": whose}
