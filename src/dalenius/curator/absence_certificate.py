"""The certificate of an answer about a table from which somebody is absent: promise, noise, what it rests on."""

from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Any, final

from dalenius.absent.rounded_answers import RoundedAnswers
from dalenius.bounds import Enclosure
from dalenius.calibration import Precision
from dalenius.curator.recorded_answers import Publication
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.sentences.recorded import sentences_json
from dalenius.sentences.sentence import Figure, Phrase, said
from dalenius.spec import Spec
from dalenius.spec.precision_shown import precision_json, precision_rows
from dalenius.spec.results_as_json import noise_json, notion_json
from dalenius.spec.spec import question_json, question_words


@final
@dataclass(frozen=True)
class AbsenceTerms:
    """The terms of an answer, known before it is drawn.

    Attributes:
        spec: The question, without who is absent.
        promise: The promise.
        answers: The answers without each candidate.
        noise: The noise.
        before: The share of the promise that is used before the answer.
        target: The share that may be used after it.
        confidence: The confidence of the interval.
        candidates: How many people, or households, may be absent.
    """

    spec: Spec
    promise: Notion
    answers: RoundedAnswers
    noise: Noise
    before: float
    target: float
    confidence: float
    candidates: int

    @property
    def expected_error(self) -> float:
        """The mean |answer - exact answer|, in the query's unit, by the noise alone."""
        return self.noise.error(self.answers.step).expected

    def half_width(self) -> float:
        """Returns how far the exact answer may be from what goes out, with that confidence, in the query's unit."""
        around = self._interval(Fraction(0))
        return (around.upper - around.lower) / 2

    def drawn(self, candidate: int) -> Publication:
        """Draws what goes out if the candidate of that number, from 0, is absent; it is to be paid for by now."""
        drawn = self.noise.draw((self.answers.index_of(candidate),), self.answers.lattice)
        (answer,) = drawn
        around = self._interval(Fraction(answer))
        found = Precision(self.confidence, (around,), exact=around.lower == around.upper)
        return Publication(drawn, ("",), self._json(found, drawn), self._rows(found))

    def _interval(self, answer: Fraction) -> Enclosure:
        """Returns an interval that holds the exact answer: that of the noise, and half a step for the rounding."""
        error = self.noise.error(self.answers.step)
        found = error.interval(answer, self.confidence) or Enclosure(float(answer), float(answer))
        half = Fraction(0) if self.answers.exact else self.answers.step / 2
        lower, upper = (Fraction(repr(end)) for end in (found.lower, found.upper))
        return Enclosure(float(lower - half), float(upper + half))

    def _json(self, found: Precision, drawn: tuple[Any, ...]) -> dict[str, Any]:
        return {
            **question_json(self.spec),
            "notion": notion_json(self.promise),
            "noise": noise_json(self.noise),
            "lattice": float(self.answers.step),
            "expected_error": self.expected_error,
            "share": {"before": self.before, "after": self.target},
            **precision_json(found, drawn),
            "hypotheses": self.hypotheses(),
            **sentences_json(
                asked=question_words(self.spec),
                model=self.spec.model.words,
                noise=self.noise.words,
                hypotheses=self.hypotheses(),
                promise=self.promised(),
            ),
            "candidates": self.candidates,
            "dalenius": version("dalenius"),
        }

    def _rows(self, found: Precision) -> list[list[str]]:
        noise = self.noise
        on = "" if noise.shape.adds_nothing else f", on multiples of {float(self.answers.step):g}"
        return [
            ["asked", question_words(self.spec)],
            ["model", self.spec.model.words],
            ["promise", self.promised()],
            ["noise", f"{noise.words}{on}; expected error {self.expected_error:.6g}"],
            ["share", f"{self.before:.6g} of the promise was used before; at most {self.target:.6g} is now"],
            *precision_rows(found),
            ["rests on", "; ".join(self.hypotheses())],
        ]

    def promised(self) -> Phrase:
        """Returns the promise in words."""
        alpha, beta = (getattr(self.promise, key) for key in ("alpha", "beta"))
        homes = self.spec.model.household_columns
        least, most = Figure(f"{1 - alpha:.6g}"), Figure(f"{1 + beta:.6g}")
        return said("absence_of_household" if homes else "absence_of_person", least=least, most=most)

    def hypotheses(self) -> list[str]:
        """Returns what the promise rests on, in words."""
        found: list[str] = [
            said("knows_all_but_prior"),
            said("nothing_else"),
            said("other_data_sets"),
            said("scale_of_records"),
        ]
        found += [said("homes_public")] if self.spec.model.household_columns else []
        found += [] if self.answers.exact else [said("rounded_first", step=float(self.answers.step))]
        return found
