"""What a release's promise rests on: for a noised answer, under a policy, and for an exact answer rounded to a grid."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from typing import Any, Final, final

from dalenius.bounds import Enclosure
from dalenius.calibration import Calibration, Improbable, Kept, Precision
from dalenius.certificates import Rounding
from dalenius.curator.budgets import risk_json, risk_words
from dalenius.curator.data_set import DataSet, Measure
from dalenius.notions import Leakage, Notion, in_words
from dalenius.queries import Query
from dalenius.spec import Spec, hypotheses
from dalenius.spec.answers import precision_json, precision_rows
from dalenius.spec.results import calibration_json, notion_json, promises_json
from dalenius.spec.spec import asked_words, question_json
from dalenius.spec.words import companion_rows, error, nats, nearly, spoken, whose

_NO_NOISE: Final = "without noise, whoever knows all other records may learn this one"


@dataclass(frozen=True)
class ReleaseCertificate(abc.ABC):
    """promises: all are kept; people: how many the data are about; spec: what was asked. It has no fingerprint
    of them: whoever knows all of a table but one value could try each, and see which it was. The ledger adds a sealed
    one."""

    promises: tuple[Notion, ...]
    people: int
    spec: Spec

    @abc.abstractmethod
    def hypotheses(self) -> list[str]:
        """What the promise rests on, in words."""

    @abc.abstractmethod
    def kept(self) -> dict[str, Any]:
        """The noise or grid that keeps the promise, as JSON."""

    @abc.abstractmethod
    def shown(self) -> list[list[str]]:
        """The same in words, in rows of two."""

    @final
    def as_json(
        self, answers: Sequence[Fraction | str], precision: Precision, warned: Improbable | None = None
    ) -> dict[str, Any]:
        """What goes out with these answers, and how precise they are. warned: where the model makes one next to
        impossible."""
        return {
            **question_json(self.spec),
            "notion": notion_json(self.promises[0]),
            **promises_json(self.promises),
            **self.kept(),
            **precision_json(precision, answers),
            **({} if warned is None else {"warning": warned.words}),
            "hypotheses": self.hypotheses(),
            **self.about(),
            "dalenius": version("dalenius"),
        }

    def about(self) -> dict[str, Any]:
        """What the answers are about."""
        return {"people": self.people}

    @final
    def rows(self, precision: Precision, warned: Improbable | None = None) -> list[list[str]]:
        """As rows of two."""
        warning = [] if warned is None else [["warning", warned.words]]
        rests = [["rests on", hypothesis] for hypothesis in self.hypotheses()]
        return [*warning, *self.question_rows(), *self.shown(), *precision_rows(precision), *rests]

    def question_rows(self) -> list[list[str]]:
        """What was asked, and under which model."""
        return [["asked", asked_words(self.spec)], ["model", self.spec.model.words]]


_ALL: Final = "nothing else is released of these people outside this ledger"
_TOGETHER: Final = (
    "people who are in one group in the model of one measure are in one group in that of each other, or alone; groups "
    "do not depend on each other, in all measures together"
)
_OF_EACH: Final = "the promise is about each value of a person that was asked about; of others nothing is promised"
_PUBLIC: Final = "how many people there are is public"
_FROZEN: Final = "the table never changes, as its owner says"
_MOVING: Final = (
    "if the table changes between answers, all whom groups connect, at one answer or another, are no more people than "
    "the largest group at one answer"
)


@final
@dataclass(frozen=True)
class Asked:
    """What an analyst asked under a policy: of which data set, measure and query. The measure's columns, and how many
    people there are where that is not public, are its owner's and are not said."""

    data: DataSet
    measure: Measure
    query: Query

    @property
    def words(self) -> str:
        return f"{self.measure.name}: {self.query.words}"

    def hypotheses(self) -> list[str]:
        """What counting whatever any analyst asks on one budget supposes, of several measures what Theory, Result 9.12
        does."""
        several = [_TOGETHER, _OF_EACH] if len(self.data.measures) > 1 else []
        return [_PUBLIC, _FROZEN if self.data.frozen else _MOVING, *several, _ALL]

    def as_json(self) -> dict[str, Any]:
        model = self.measure.belief.self_contained().model_dump(mode="json", exclude_none=True)
        described = {"measure_in_words": self.measure.description} if self.measure.description else {}
        query = self.query.model_dump(mode="json", exclude_none=True)
        return {"model": model, "asked": self.words, "measure": self.measure.name, **described, "query": query}

    def rows(self) -> list[list[str]]:
        described = [["measure", self.measure.description]] if self.measure.description else []
        return [["asked", self.words], *described, ["model", self.measure.belief.words]]


@final
@dataclass(frozen=True)
class NoiseCertificate(ReleaseCertificate):
    """asked: under a policy; None of a table's owner, who releases from it and writes the spec."""

    calibration: Calibration
    asked: Asked | None = None

    def hypotheses(self) -> list[str]:
        supposed = hypotheses(self.spec, self.promises)
        if self.asked is None:
            return [*supposed, "nothing else is released from the same data outside this ledger"]
        return [*supposed, *self.asked.hypotheses()]

    def kept(self) -> dict[str, Any]:
        risk = risk_json(self.promises[0], self.calibration.leakage.upper)
        noise = {**calibration_json(self.calibration), "outcome": self.calibration.noise.outcome, "risk": risk}
        return noise if self.asked is None else {**noise, **self.asked.as_json()}

    def shown(self) -> list[list[str]]:
        calibration = self.calibration
        risk = None if self.asked is None else risk_words(self.promises[0], calibration.leakage.upper)
        return [
            *[row for each in calibration.promises for row in _kept_rows(each)],
            ["noise", f"{calibration.noise.words}; expected error {error(calibration, 4)} per answer"],
            *companion_rows(calibration),
            ["why sound", calibration.why],
            *([] if risk is None else [["risk", risk]]),
        ]

    def question_rows(self) -> list[list[str]]:
        return super().question_rows() if self.asked is None else self.asked.rows()

    def about(self) -> dict[str, Any]:
        if self.asked is None:
            return super().about()
        data = self.asked.data
        return {"people": self.people if "people" in data.public else None, "data": data.name}


def _kept_rows(kept: Kept) -> list[list[str]]:
    leakage, delta = kept.leakage, kept.notion.promised_delta
    at = f" at delta {delta:g}" if delta else ""
    # Under a policy whose people or households are not public, and of Gaussian noise whose joint law is not computed.
    bounded = leakage.witness is None and leakage.lower == 0 < leakage.upper
    exact = f"{nearly(Enclosure(leakage.lower, leakage.upper))} nats, most about {whose(leakage.witness)}"
    return [
        ["promise", f"{kept.notion.kind} privacy, {kept.notion.epsilon:g} nats{at}"],
        ["leakage", f"at most {nats(leakage.upper)} nats" if bounded else exact],
        *spoken(kept.notion, leakage),
    ]


@final
@dataclass(frozen=True)
class GridCertificate(ReleaseCertificate):
    """Of an exact answer rounded to a grid: nothing is promised against whoever knows all other records, which the
    certificate says beside what is promised."""

    grid: Rounding

    def hypotheses(self) -> list[str]:
        theirs = self.grid.certificate.hypotheses
        return [*theirs, "the moments and the grid were chosen without looking at these data"]

    def kept(self) -> dict[str, Any]:
        grid, certificate = self.grid, self.grid.certificate
        return {
            "certificate": certificate.name,
            "sound": certificate.sound,
            "epsilon": certificate.epsilon,
            "delta": certificate.delta,
            "events": certificate.events,
            "differential": "inf",
            "bayesian": "inf",
            "bayesian_is_bound": True,
            "source": certificate.source,
            "rounding": {"lower": grid.lower, "upper": grid.upper, "thresholds": grid.thresholds, "width": grid.width},
        }

    def shown(self) -> list[list[str]]:
        grid, notion = self.grid, self.promises[0]
        cells = f"to {grid.thresholds + 1:,} cells, {grid.width:.6g} wide, from {grid.lower:g} to {grid.upper:g}"
        return [
            ["promise", f"{notion.kind} privacy, ({notion.epsilon:g}, {grid.certificate.delta:.6g}), all events"],
            *([["  promised", said]] if (said := in_words(notion)) else []),
            ["rounded", cells],
            ["differential", f"∞: {_NO_NOISE}"],
            ["bayesian", f"no bound: {_NO_NOISE}"],
        ]


def without_witness(calibration: Calibration) -> Calibration:
    """What leaks most is bounded, and about whom is not said: that is somebody in a household of some size."""
    bounds = [Leakage(0.0, each.leakage.upper, None) for each in calibration.promises]
    kept = tuple(Kept(each.notion, bound) for each, bound in zip(calibration.promises, bounds, strict=True))
    return replace(calibration, leakage=bounds[0], promises=kept)
