"""The certificate of a release: one object, and how it is shown as JSON and as rows of words."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from typing import Any, Final, final

from dalenius.bounds import Enclosure
from dalenius.calibration import (
    Calibration,
    Improbable,
    Kept,
    Precision,
)
from dalenius.curator.everybody_from_sample import sampling_json, sampling_rows
from dalenius.curator.policy_question import PolicyQuestion
from dalenius.curator.recorded_answers import risk_json, risk_words
from dalenius.notions import Leakage, Notion
from dalenius.sentences.recorded import sentences_json
from dalenius.sentences.sentence import said
from dalenius.spec import Spec, hypotheses
from dalenius.spec.practice import practice_rows
from dalenius.spec.precision_shown import precision_json, precision_rows
from dalenius.spec.results_as_json import calibration_json, notion_json, promises_json
from dalenius.spec.results_in_words import companion_rows, error, nats, nearly, spoken, whose
from dalenius.spec.spec import question_json, question_words

_ON_RECORDS: Final = ("report_noised",)
"""The key of the further hypothesis of noise on records (Theory §23)."""
_NO_NOISE: Final = ("no_noise_added", "no_other_answer")
"""The keys of the further hypotheses of an exact answer (NP Def 5; Theory §9)."""


@final
@dataclass(frozen=True)
class ReleaseTerms:
    """The terms of a release: its promises, and what they rest on.

    It has no fingerprint of the data: somebody who knows all of a table but one value could try each, and see which it
    was. The ledger adds a sealed one.

    Attributes:
        promises: The promises, which are all kept.
        people: How many the data are about.
        spec: What was asked.
        question: The analyst's under a policy; None for a table's owner, who releases from it and writes the spec.
        of_table: What is supposed of the table's keys, in words.
    """

    promises: tuple[Notion, ...]
    people: int
    spec: Spec
    question: PolicyQuestion | None = None
    of_table: tuple[str, ...] = ()

    def hypotheses(self) -> list[str]:
        """Returns what the promise rests on, in words."""
        supposed = [*hypotheses(self.spec, self.promises), *self.of_table]
        own = [said("nothing_else"), said("other_data_sets")]
        return [*supposed, *(own if self.question is None else self.question.hypotheses())]


@final
@dataclass(frozen=True)
class Certificate:
    """The certificate that goes out beside answers: the promise, the noise, their precision, and what it rests on.

    Attributes:
        terms: The promises, and what they rest on.
        made: The noise, and what it leaks.
        answers: The answers.
        precision: How precise they are.
        warned: A warning where the model makes one next to impossible; None where it does not.
    """

    terms: ReleaseTerms
    made: Calibration
    answers: tuple[Fraction | str, ...]
    precision: Precision
    warned: Improbable | None

    @property
    def shown(self) -> Calibration:
        """The calibration as it is shown: without its witness where households are not public.

        About whom most leaks would say what sizes households have.
        """
        question = self.terms.question
        hidden = question is not None and not {"people", "households"} <= set(question.data.public)
        return _without_witness(self.made) if hidden else self.made

    def hypotheses(self) -> list[str]:
        """Returns what the promise rests on, in words; more where the answer is exact, or each record is noised."""
        noise = self.made.noise
        more = _NO_NOISE if noise.shape.adds_nothing else _ON_RECORDS if noise.shape.on_records else ()
        keys = () if noise.by_people is None else (said("keys_not_kept"),)
        return [*self.terms.hypotheses(), *map(said, more), *keys]

    def as_json(self) -> dict[str, Any]:
        """Returns the certificate ready for JSON."""
        terms, made, question = self.terms, self.shown, self.terms.question
        return {
            **question_json(terms.spec),
            "notion": notion_json(terms.promises[0]),
            **promises_json(terms.promises),
            **calibration_json(made),
            "outcome": made.noise.shape.outcome,
            "risk": risk_json(terms.promises[0], made.leakage.upper),
            **({} if question is None else question.as_json()),
            **precision_json(self.precision, self.answers),
            **sampling_json(terms.spec.model, self.precision, self.answers),
            **({} if self.warned is None else {"warning": self.warned.words}),
            "hypotheses": self.hypotheses(),
            **self._sentences(),
            "people": terms.people if question is None or "people" in question.data.public else None,
            **({} if question is None else {"data": question.data.name}),
            "dalenius": package_version(),
        }

    def _sentences(self) -> dict[str, Any]:
        """Returns what the certificate says in words, so that a sheet can say it in another language."""
        terms, question = self.terms, self.terms.question
        return sentences_json(
            asked=question_words(terms.spec) if question is None else question.words,
            model=terms.spec.model.words if question is None else question.measure.model.words,
            noise=self.made.noise.words,
            hypotheses=self.hypotheses(),
            advice=self.precision.advice,
            warning=None if self.warned is None else self.warned.words,
        )

    def rows(self) -> list[list[str]]:
        """Returns the certificate in words, as rows of two."""
        terms, made, question = self.terms, self.shown, self.terms.question
        plain = [["asked", question_words(terms.spec)], ["model", terms.spec.model.words]]
        risk = None if question is None else risk_words(terms.promises[0], made.leakage.upper)
        return [
            *practice_rows(terms.spec.data),
            *([] if self.warned is None else [["warning", self.warned.words]]),
            *(plain if question is None else question.rows()),
            *[row for each in made.promises for row in _kept_rows(each, terms.spec.data is not None)],
            ["noise", f"{made.noise.words}; expected error {error(made, 4)} per answer"],
            *companion_rows(made),
            ["why sound", made.why],
            *([] if risk is None else [["risk", risk]]),
            *precision_rows(self.precision),
            *sampling_rows(terms.spec.model, self.precision, self.answers),
            *[["rests on", hypothesis] for hypothesis in self.hypotheses()],
        ]


@cache
def package_version() -> str:
    """Returns the version of this package: read from its files once."""
    return version("dalenius")


def _kept_rows(kept: Kept, beside_table: bool) -> list[list[str]]:
    """Returns rows that say what is promised and what leaks of it; beside_table: whether there is a table."""
    leakage, delta = kept.leakage, kept.notion.promised_delta
    at = f" at delta {delta:g}" if delta else ""
    # So it is under a policy whose people or households are not public, or where Gaussian noise has no joint law here.
    bounded = leakage.witness is None and leakage.lower == 0 < leakage.upper
    exact = f"{nearly(Enclosure(leakage.lower, leakage.upper))} nats, most about {whose(leakage.witness, beside_table)}"
    return [
        ["promise", f"{kept.notion.called} privacy, {kept.notion.epsilon:g} nats{at}"],
        ["leakage", f"at most {nats(leakage.upper)} nats" if bounded else exact],
        *spoken(kept.notion, leakage),
    ]


def _without_witness(calibration: Calibration) -> Calibration:
    """Returns the calibration without about whom most leaks: that is somebody in a household of some size."""
    bounds = [Leakage(0.0, each.leakage.upper, None) for each in calibration.promises]
    kept = tuple(Kept(each.notion, bound) for each, bound in zip(calibration.promises, bounds, strict=True))
    return replace(calibration, leakage=bounds[0], promises=kept)
