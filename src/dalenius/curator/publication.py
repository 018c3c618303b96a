"""Answers as the ledger keeps them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from math import isinf
from typing import TYPE_CHECKING, Any, final

from dalenius.curator.budgets import Budget
from dalenius.curator.chain import Link
from dalenius.curator.drawn import draw_answers
from dalenius.curator.refusals import Failed
from dalenius.curator.spending import in_words
from dalenius.curator.totals import since_words, so_far
from dalenius.tabular import Cell, Tabular

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
@dataclass(frozen=True, repr=False)
class Publication(Tabular):
    """What goes out: the answers and their labels; the certificate as JSON, and its rows in words."""

    answers: tuple[Fraction | str, ...]
    labels: tuple[str, ...]
    certificate: Mapping[str, Any]
    words: Sequence[Sequence[str]]

    @property
    def caption(self) -> str:
        return "What goes out, in the query's unit"

    def records(self) -> list[dict[str, Cell]]:
        found = self.certificate.get("interval") or [None] * len(self.answers)
        intervals = [each or (None, None) for each in found]
        return [
            {"label": label, "answer": _number(answer), "lower": low, "upper": high}
            for label, answer, (low, high) in zip(self.labels, self.answers, intervals, strict=True)
        ]

    def notes(self) -> list[str]:
        return [": ".join(map(str, row)).strip() for row in self.words]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """The answers by label, in the query's unit, with the intervals that hold the exact ones; an arrow where an
        interval has no end. Meaningless for answers that are words."""
        return draw_answers(self.labels, self.answers, self.certificate, ax)


@final
@dataclass(frozen=True, repr=False)
class Recorded(Tabular):
    """What the ledger keeps of a release; entry and hash: of the answer in its chain; repeated: it was there before.
    own: what the analyst who asked has spent by now; None of who asks without a name. since: how many releases of the
    same data were paid for after it; budget: as it is after these."""

    published: Publication
    budget: Budget
    entry: int
    hash: str
    repeated: bool
    own: Budget | None = None
    since: int = 0

    @property
    def words(self) -> list[list[str]]:
        """Its certificate's rows, with what has gone out since."""
        rows = [list(row) for row in self.published.words]
        if self.since_in_words is None:
            return rows
        then = [[{"all answers": "by then", "spent by": "spent then by"}.get(name, name), said] for name, said in rows]
        return [*then, ["all answers", self.since_in_words]]

    @property
    def since_in_words(self) -> str | None:
        """What has gone out after it, and what all answers say together by now; None where nothing has."""
        return since_words(self.published.certificate, self.budget, self.since) if self.since else None

    @property
    def caption(self) -> str:
        return f"Released, entry {self.entry} of the ledger{', as before: nothing more was spent' * self.repeated}"

    def records(self) -> list[dict[str, Cell]]:
        return self.published.records()

    def notes(self) -> list[str]:
        return [": ".join(row).strip() for row in self.words]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """As `Publication.plot`."""
        return self.published.plot(ax)


def _as_json(nats: float) -> float | str:
    """JSON has no infinity."""
    return "inf" if isinf(nats) and nats > 0 else float(nats)


def _number(answer: Fraction | str) -> Cell:
    return answer if isinstance(answer, str) else float(answer)


def sealed(fingerprint: str, salt: str) -> str:
    """What may go out in place of a fingerprint: with the salt, which stays in the ledger, whoever has the data can
    show that they are the ones; without it nobody can try what they might be."""
    return sha256(f"{salt} {fingerprint}".encode()).hexdigest()


def saying(published: Publication, budget: Budget, seal: str, name: str) -> Publication:
    """The same, with what all releases of the data have spent by now in its certificate, if it has one, and say
    together; with the name of the data set and the time; and with the sealed fingerprint of the data where it does not
    name them."""
    if not published.certificate:
        return published
    at = {"delta": budget.spent_delta} if budget.spent_delta else {}
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    together = so_far(published.certificate, budget)
    spending = {"nats": _as_json(budget.spent), "route": budget.route, "in_words": together} | at
    certificate = {"data": seal, **published.certificate, "data_set": name, "released": now, "spending": spending}
    words = [
        ["data set", name],
        ["released", now.replace("T", " ").replace("Z", " UTC")],
        *published.words,
        ["all answers", together],
        ["spent by", in_words(budget.route, budget.spent_delta)],
    ]
    return replace(published, certificate=certificate, words=words)


def body_of(published: Publication) -> dict[str, Any]:
    """As JSON: numbers as numerator and denominator, so that they come back as they were. ValueError or TypeError where
    something is no JSON."""
    answers = [each if isinstance(each, str) else [each.numerator, each.denominator] for each in published.answers]
    rest = {"labels": list(published.labels), "certificate": dict(published.certificate)}
    found = {"answers": answers, **rest, "words": [list(row) for row in published.words]}
    json.dumps(found, allow_nan=False)
    return found


def is_failure(link: Link) -> bool:
    """Whether nothing could be drawn."""
    return bool(link.body.get("failed", False))


def recorded_of(
    link: Link, budget: Budget, repeated: bool = False, own: Budget | None = None, since: int = 0
) -> Recorded:
    """The answers of that entry. Failed where there are none."""
    body = link.body
    if body.get("failed", False):
        raise Failed
    answers = tuple(each if isinstance(each, str) else Fraction(*each) for each in body["answers"])
    published = Publication(answers, tuple(body["labels"]), body["certificate"], body["words"])
    return Recorded(published, budget, link.number, link.hash, repeated, own, since)
