"""A request for a conversion: the options of `dalenius convert`, checked, and what is computed for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, Final, final

from dalenius.bounds import Enclosure, up_to_digits
from dalenius.cli.convert_report import ConversionReport, PromiseReport, Sizes
from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    EventFile,
    GaussianProfile,
    Neighbours,
    PrivacyProfile,
    PureProfile,
    ZeroConcentrated,
    check_delta,
    check_epsilon,
    largest,
    read_event,
    read_profile,
)
from dalenius.conversion.plot import draw_conversion, left_by_delta, left_by_epsilon
from dalenius.conversion.resolution import delta_not_resolved_below, not_resolved_below
from dalenius.errors import InputError
from dalenius.models import Model
from dalenius.omitted import Omitted, with_omitted
from dalenius.plotting import check_picture
from dalenius.spec import Spec

_POINTS: Final = 11
"""Points of the curve, at equal steps of ε′."""
_GUARANTEES: Final = "one of --epsilon, --rho, --gdp, --profile and --event"
NOTIONS: Final = {"inferential": False, "information": True}
"""The notions, and whether each compares a value with what the record may be."""


@final
@dataclass(frozen=True)
class ConvertRequest:
    """A request for a conversion. Nothing is assumed: what is missing or given twice is refused.

    Attributes:
        neighbours: What the guarantee compares; None where a file of events says it.
        epsilon: The epsilon of the pipeline, in nats.
        delta: The delta beside `epsilon`.
        rho: The parameter of zero-concentrated privacy.
        gdp: The parameter of Gaussian privacy.
        profile: A CSV of epsilons and deltas.
        event: A JSON file of events.
        at_epsilon: The epsilon in nats at which a delta is wanted.
        at_delta: The delta at which an epsilon is wanted.
        promise: Whether the largest pipelines are wanted that keep `at_epsilon` and `at_delta`.
        plot: Where the picture goes; None for no picture.
    """

    neighbours: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    gdp: float | None = None
    profile: Path | None = None
    event: Path | None = None
    at_epsilon: float | None = None
    at_delta: float | None = None
    promise: bool = False
    plot: Path | None = None

    def __post_init__(self) -> None:
        self._check_neighbours()
        self._check_guarantee()
        # So that an ending that no picture has, such as .txt, is refused before minutes of work.
        if self.plot is not None:
            check_picture(self.plot)
            if self.promise:
                raise InputError("--plot", str(self.plot), "a guarantee, no --promise")
        if self.at_epsilon is not None:
            check_epsilon(self.at_epsilon, "--at-epsilon")
        if self.at_delta is not None:
            check_delta(self.at_delta, "--at-delta")

    @cached_property
    def pipeline(self) -> EventFile | None:
        """The file of events, read; None where there is none."""
        return None if self.event is None else read_event(self.event)

    @property
    def kind(self) -> Neighbours:
        """The guarantee's neighbours, from the file of events where they are not given."""
        said = self.neighbours if self.pipeline is None else self.pipeline.neighbours
        return "replace" if said == "replace" else "add_remove"

    def _check_neighbours(self) -> None:
        said = self.neighbours
        if self.pipeline is not None:
            # Because a file of events says what its neighbours are, another word on the command line is a mistake.
            if said not in (None, self.pipeline.neighbours):
                raise InputError("--neighbours", said or "", f"{self.pipeline.neighbours}, as {self.event} has it")
            said = self.pipeline.neighbours
        # Because a guarantee for add_remove that is read as one for replace would promise too much, none is assumed.
        if said not in ("replace", "add_remove"):
            raise InputError("--neighbours", said or "missing", "replace or add_remove, as the guarantee was given")

    def _check_guarantee(self) -> None:
        given = {
            "--epsilon": self.epsilon,
            "--rho": self.rho,
            "--gdp": self.gdp,
            "--profile": self.profile,
            "--event": self.event,
        }
        named = [name for name, value in given.items() if value is not None]
        # Where a promise is given, there is no pipeline yet, and its guarantee is what is looked for.
        if self.promise:
            if named or self.delta is not None:
                raise InputError("--promise", ", ".join(named) or "--delta", "no guarantee: --promise looks for it")
            if self.at_epsilon is None:
                raise InputError("--at-epsilon", "missing", "the epsilon that is promised")
        # Where there is none, or several are about one pipeline, which of them counts is not guessed.
        elif len(named) != 1:
            raise InputError("guarantee", ", ".join(named) or "missing", _GUARANTEES)
        # Because --delta is the pipeline's own, and somebody who means the delta that can leak writes --at-delta.
        elif self.delta is not None and self.epsilon is None:
            raise InputError("--delta", self.delta, "an --epsilon beside it")
        # Because one of epsilon and delta is given, and the other is what is found.
        elif self.at_epsilon is not None and self.at_delta is not None:
            raise InputError("--at-delta", self.at_delta, "one of --at-epsilon and --at-delta")

    def run(self, spec: Spec, start: float) -> ConversionReport | PromiseReport:
        """Converts the guarantee, or finds the largest ones, under the model of `spec`, whose table is read.

        Args:
            spec: The spec, of which the model is read.
            start: When the command began, by `perf_counter`, in seconds.

        Raises:
            InputError: Where no epsilon has delta 0, and neither a delta nor an epsilon is asked at.
        """
        if self.promise and self.at_epsilon is not None:
            return self._promised(spec, self.at_epsilon, self.at_delta or 0.0, start)
        known, epsilon = self._profile(), self.at_epsilon
        at = self.at_delta if self.at_delta is not None else 0.0 if known.pure is not None and epsilon is None else None
        # Where no epsilon is enough at delta 0, as for Gaussian noise or a table with a last delta above 0, none is
        # guessed.
        if at is None and epsilon is None:
            raise InputError("--at-delta", "missing", "a delta above 0, or --at-epsilon: no epsilon has delta 0 here")
        made = {name: Conversion(spec.model, known, self.kind, information) for name, information in NOTIONS.items()}
        why = f"no pipeline with this guarantee between neighbours by {self.kind} leaks more, whatever it computes "
        report = reported(made, epsilon, at, why + "and however adaptively", start, spec.omitted)
        if self.pipeline is not None and self.pipeline.members > 1 and made["inferential"].dependent:
            report = replace(report, advice=_counted_twice(self.pipeline.members))
        if self.plot is not None:
            _draw(made, report.curve, known, pure=epsilon is None and not at, path=self.plot)
        return report

    def _promised(self, spec: Spec, epsilon: float, delta: float, start: float) -> PromiseReport:
        sizes, limits = _largest(spec.model, self.kind, epsilon, delta)
        source = Conversion(spec.model, PureProfile(epsilon), self.kind).source
        why = f"no pipeline with such a guarantee between neighbours by {self.kind} leaks more; {source}"
        why = with_omitted(why, spec.omitted)
        return PromiseReport(sizes, limits, epsilon, delta, why, perf_counter() - start, spec.omitted)

    def _profile(self) -> PrivacyProfile:
        """Returns the pipeline's profile, by the one guarantee that was given."""
        if self.pipeline is not None:
            return self.pipeline.profile()
        if self.epsilon is not None:
            return ApproximateProfile(self.epsilon, self.delta) if self.delta else PureProfile(self.epsilon)
        if self.rho is not None:
            return ZeroConcentrated(self.rho)
        if self.gdp is not None:
            return GaussianProfile(self.gdp)
        assert self.profile is not None
        return read_profile(self.profile)


def reported(
    made: Mapping[str, Conversion],
    epsilon: float | None,
    at: float | None,
    why: str,
    start: float,
    omitted: Sequence[Omitted],
) -> ConversionReport:
    """Returns the report of conversions under one model.

    Args:
        made: The conversion by notion, `inferential` and `information`.
        epsilon: The epsilon in nats at which deltas are wanted; None for epsilons.
        at: The delta at which epsilons are wanted; None for deltas.
        why: Why no more can leak, without the result that it rests on.
        start: When the command began, by `perf_counter`, in seconds.
        omitted: The rows that the spec leaves out.
    """
    found = {
        name: each.delta(epsilon) if epsilon is not None else each.epsilon(at or 0.0) for name, each in made.items()
    }
    unresolved = {name: _unresolved(made[name], each.value, epsilon, at or 0.0) for name, each in found.items()}
    curve = _curve(made["inferential"], found["inferential"].value, epsilon)
    words = with_omitted(f"{why}; {made['inferential'].source}", omitted)
    kind = made["inferential"].neighbours
    return ConversionReport(found, unresolved, curve, kind, epsilon, at, words, perf_counter() - start, omitted)


def _counted_twice(members: float) -> str:
    """Returns the advice for an event that accounts a group of records, beside a model in which records depend."""
    whole = abs(members - round(members)) < 1e-6
    group = f"a household of {round(members)}" if whole else "a whole household"
    return (
        f"this profile already counts {group}, and the model would count dependence once more. Convert it with a "
        "model whose records are those households, or read its own epsilon"
    )


def _curve(made: Conversion, value: Enclosure, at_epsilon: float | None) -> tuple[tuple[float, float], ...]:
    """Returns pairs (ε′, δ′ from above), `_POINTS` of them from 0 nats to the ε′ that was asked at or found.

    There is a single one at 0 where nothing leaks.
    """
    # So that a curve has an end where epsilon is larger or infinite, it ends at so many nats.
    last = at_epsilon if at_epsilon is not None else up_to_digits(min(value.upper, 10.0), 6)
    return made.curve([last * place / (_POINTS - 1) for place in range(_POINTS)] if last else [0.0])


def _draw(
    made: Mapping[str, Conversion], curve: Sequence[tuple[float, float]], known: PrivacyProfile, pure: bool, path: Path
) -> None:
    """Draws the epsilon that a pure guarantee leaves; the deltas of another, or where a delta is asked for."""
    # Because the epsilons of two pure guarantees say all; a delta, or noise such as Gaussian, needs the whole curve.
    if known.pure is not None and pure:
        draw_conversion(left_by_epsilon(made, known.pure), path)
        return
    epsilons = [epsilon for epsilon, _ in curve]
    curves = {name: curve if name == "inferential" else each.curve(epsilons) for name, each in made.items()}
    draw_conversion(left_by_delta(curves, known), path)


def _largest(model: Model, neighbours: Neighbours, epsilon: float, delta: float) -> tuple[Sizes, Sizes]:
    """Returns, by notion, the largest parameter of every family (ε in nats, μ, ρ), from below, and what is unresolved.

    There are pure guarantees alone where no delta is allowed; parameters are infinite where any pipeline keeps the
    promise. Beside them stands the δ below which a parameter is not resolved, where it may be far below the largest
    one.
    """
    families: dict[str, Any] = {"epsilon": PureProfile}
    # Because Gaussian and zero-concentrated pipelines have a delta above 0 at every epsilon, they keep none at delta 0.
    if delta:
        families |= {"mu": GaussianProfile, "rho": ZeroConcentrated}
    found, unresolved = dict[str, dict[str, float]](), dict[str, dict[str, float]]()
    for name, information in NOTIONS.items():
        made = Conversion(model, PureProfile(epsilon), neighbours, information)
        found[name] = {parameter: largest(made, family, epsilon, delta) for parameter, family in families.items()}
        unresolved[name] = {}
        for parameter, size in found[name].items():
            # Where nothing keeps the promise, or anything does, there is no end to be far from.
            if not 0 < size < inf or not delta:
                continue
            other = made.with_profile(families[parameter](size))
            below = not_resolved_below(other, delta, other.epsilon(delta).value)
            if below is not None:
                unresolved[name][parameter] = below
    return found, unresolved


def _unresolved(made: Conversion, value: Enclosure, at_epsilon: float | None, delta: float) -> float | None:
    """Returns the δ below which both ends do not agree; None where they do."""
    return not_resolved_below(made, delta, value) if at_epsilon is None else delta_not_resolved_below(value)
