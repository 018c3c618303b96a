"""Answers as the ledger keeps them, and what it says of each data set: its releases, what is left.

An answer is a fraction or a word. The ledger keeps 7/2 as [7, 2], so that it comes back as it was; JSON for people has
3.5. An earlier certificate's words about all answers together hold for what had gone out by then: they are shown again
with what has gone out since.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from math import isinf
from typing import Any, final

from pydantic import ValidationError

from dalenius.curator.budgets import Failed
from dalenius.curator.cost_of_releases import Budget, route_in_words
from dalenius.curator.hash_chained_entries import Link
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen
from dalenius.notions import AnyNotion, Notion
from dalenius.notions.promise_as_phrase import FIELDS, is_of_odds
from dalenius.notions.promises_in_words import becomes, folds, percent, raised_belief, raised_by_odds
from dalenius.spec.precision_shown import KEYS
from dalenius.spec.results_as_json import answer_json, number
from dalenius.tabular import Cell, Tabular


@final
@dataclass(frozen=True)
class Publication:
    """The part of a release that goes out: the answers with labels; the certificate as JSON and in words."""

    answers: tuple[Fraction | str, ...]
    labels: tuple[str, ...]
    certificate: Mapping[str, Any]
    words: Sequence[Sequence[str]]


@final
@dataclass(frozen=True, repr=False)
class Recorded(Tabular):
    """A release as the ledger keeps it.

    Attributes:
        published: What went out.
        budget: The data set's budget, after all releases up to now.
        entry: The number of the answer's entry in its chain.
        hash: The hash of that entry.
        repeated: Whether it was there before.
        own: What the analyst who asked has spent by now; None for a request without a name.
        since: How many releases of the same data were paid for after it.
    """

    published: Publication
    budget: Budget
    entry: int
    hash: str
    repeated: bool
    own: Budget | None = None
    since: int = 0

    def states(self, confidence: float) -> bool:
        """Says whether its intervals hold with that confidence, or it has none."""
        return bool(self.published.certificate.get("confidence", confidence) == confidence)

    def as_json(self) -> dict[str, Any]:
        """Returns answers, labels, how precise they are, certificate, and the budget after it."""
        certificate = dict(self.published.certificate)
        return {
            **({"practice": certificate["practice"]} if "practice" in certificate else {}),
            "answers": [answer_json(each) for each in self.published.answers],
            "labels": list(self.published.labels),
            **{key: certificate[key] for key in KEYS if key in certificate},
            "certificate": certificate,
            "budget": self.budget.as_json(),
        }

    @property
    def words(self) -> list[list[str]]:
        """Returns its certificate's rows, with what has gone out since."""
        rows = [list(row) for row in self.published.words]
        if self.since_in_words is None:
            return rows
        then = [[{"all answers": "by then", "spent by": "spent then by"}.get(name, name), said] for name, said in rows]
        return [*then, ["all answers", self.since_in_words]]

    @property
    def since_in_words(self) -> str | None:
        """Writes what has gone out after it, and what all answers say together by now; None where nothing has."""
        if not self.since:
            return None
        more = "one more release" if self.since == 1 else f"{self.since:,} more releases"
        return f"{more} of these data since; all together: {_spent_words(self.published.certificate, self.budget)}"

    @property
    def caption(self) -> str:
        return f"Released, entry {self.entry} of the ledger{', as before: nothing more was spent' * self.repeated}"

    def records(self) -> list[dict[str, Cell]]:
        """Returns a row for each answer: its label, the answer, and the ends of the interval that holds the exact one.

        The ends are None where the noise does not say.
        """
        labels, answers = self.published.labels, self.published.answers
        intervals = self.published.certificate.get("interval", [None] * len(answers))
        rows = []
        for label, answer, interval in zip(labels, answers, intervals, strict=True):
            low, high = (None, None) if interval is None else map(float, interval)
            shown = answer if isinstance(answer, str) else float(answer)
            rows.append({"label": label, "answer": shown, "lower": low, "upper": high})
        return rows

    def notes(self) -> list[str]:
        return [": ".join(row).strip() for row in self.words]


def risk_json(notion: Notion, epsilon: float) -> dict[str, Any] | None:
    """Returns what an epsilon means for chances; None where the notion says nothing about them.

    times: e^epsilon; guess: what a chance of one half becomes at most; before, after: of a chance that tells something
    (`promises_in_words.telling`); delta: the probability with which neither need hold; in_words.
    """
    of_odds = is_of_odds(notion)
    if of_odds is None:
        return None
    before, after = becomes(of_odds, epsilon)
    return {
        "times": folds(epsilon),
        "guess": percent((raised_by_odds if of_odds else raised_belief)(0.5, epsilon)),
        "before": before,
        "after": after,
        "delta": notion.promised_delta or 0.0,
        "in_words": risk_words(notion, epsilon),
    }


def risk_words(notion: Notion, epsilon: float, delta: float | None = None) -> str | None:
    """Writes the risk of a `notion` at `epsilon` (nats) in one line; None where it says nothing about chances.

    delta: None for the notion's own.
    """
    of_odds = is_of_odds(notion)
    if of_odds is None:
        return None
    grows = "the odds between two values change" if of_odds else "chances grow"
    if isinf(epsilon):
        return f"{grows} without bound"
    before, after = becomes(of_odds, epsilon)
    change = "the odds between two values change at most" if of_odds else "no chance grows more than"
    excepted = notion.promised_delta if delta is None else delta
    but = f", except with probability {excepted:g}" if excepted else ""
    return f"{change} {folds(epsilon)}-fold: a chance of {before} becomes at most {after}{but}"


class _Promised(Frozen):
    notion: AnyNotion


def _notion_of(certificate: Mapping[str, Any]) -> Notion | None:
    """Returns the promise, the first of several; None for a certificate whose notion is not known here."""
    return notion_of(certificate.get("notion"))


def notion_of(section: object) -> Notion | None:
    """Returns the promise that a `section` of a certificate is of; None for one that is not known here."""
    # A certificate may have a plug-in's notion that is not plugged in now: its nats are said, and no chances.
    if not isinstance(section, Mapping):
        return None
    try:
        return _Promised(notion={key: each for key, each in section.items() if key not in FIELDS}).notion
    except (InputError, ValidationError):
        return None


def _spent_words(certificate: Mapping[str, Any], budget: Budget) -> str:
    """Writes what may be said about a person by all that was spent."""
    notion = _notion_of(certificate)
    # Because spending is rounded up to a nano-nat, and an only release leaks no more than it promises.
    most = None if notion is None or budget.route != "alone" else notion.epsilon
    epsilon = budget.spent if most is None else min(budget.spent, most)
    said = None if notion is None else risk_words(notion, epsilon, budget.spent_delta or None)
    if notion is None or said is None:
        at = f" at delta {budget.spent_delta:g}" if budget.spent_delta else ""
        return f"at most {budget.spent:.6g} nats leak of any person{at}"
    return f"{notion.properties.to_whom}, {said}" if notion.properties.to_whom else said


def sealed(fingerprint: str, salt: str) -> str:
    """Returns what may go out in place of a `fingerprint`, hashed with a `salt` that stays in the ledger.

    With the salt, somebody who has the data can show that they are the ones; without it nobody can try what they might
    be.
    """
    return sha256(f"{salt} {fingerprint}".encode()).hexdigest()


def with_spending(published: Publication, budget: Budget, seal: str, name: str) -> Publication:
    """Returns what is `published` with what all releases of the data have spent by now, and say together.

    Args:
        published: What goes out; without a certificate it stays as it is.
        budget: The budget after it.
        seal: The sealed fingerprint of the data, where it does not name them.
        name: The name of the data set.
    """
    # Because its answers are kept as they are, and nothing is said of them that it did not say.
    if not published.certificate:  # of a program that pays for draws of its own, without a spec
        return published
    at = {"delta": budget.spent_delta} if budget.spent_delta else {}
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    # Because a ledger may hold other data sets about the same people, it says of which this is the only release.
    alone = budget.route == "alone"
    only = "this was the only one of this data set" if alone else "this one and all before it together"
    together = f"{only}: {_spent_words(published.certificate, budget)}"
    spending = {"nats": number(budget.spent), "route": budget.route, "in_words": together} | at
    certificate = {"data": seal, **published.certificate, "data_set": name, "released": now, "spending": spending}
    words = [
        ["data set", name],
        ["released", now.replace("T", " ").replace("Z", " UTC")],
        *published.words,
        ["all answers", together],
        ["spent by", route_in_words(budget.route, budget.spent_delta)],
    ]
    return replace(published, certificate=certificate, words=words)


def body_of(published: Publication) -> dict[str, Any]:
    """Returns what is `published` as JSON: numbers as numerator and denominator, so that they come back as they were.

    ValueError or TypeError where something is no JSON.
    """
    answers = [each if isinstance(each, str) else [each.numerator, each.denominator] for each in published.answers]
    rest = {"labels": list(published.labels), "certificate": dict(published.certificate)}
    found = {"answers": answers, **rest, "words": [list(row) for row in published.words]}
    json.dumps(found, allow_nan=False)
    return found


def is_failure(link: Link) -> bool:
    """Says whether the entry, `link`, says that nothing could be drawn for what was paid."""
    return bool(link.body.get("failed", False))


def recorded_of(
    link: Link, budget: Budget, repeated: bool = False, own: Budget | None = None, since: int = 0
) -> Recorded:
    """Returns the answers of the entry `link`; Failed where there are none.

    Args:
        link: The entry.
        budget: The data set's budget now.
        repeated: Whether they were there before.
        own: What the analyst who asks has spent by now; None for a request without a name.
        since: How many releases of the same data were paid for after it.
    """
    body = link.body
    if is_failure(link):
        raise Failed
    answers = tuple(each if isinstance(each, str) else Fraction(*each) for each in body["answers"])
    published = Publication(answers, tuple(body["labels"]), body["certificate"], body["words"])
    return Recorded(published, budget, link.number, link.hash, repeated, own, since)
