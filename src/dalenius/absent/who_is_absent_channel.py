"""The channel of who is absent: W(τ|i) = noise(τ - q(D∖i)), as a table, at one output, and by closed forms (Theory §6).

Under Laplace and geometric noise, and none, suprema over outputs need no table of likelihoods (see
`posterior_prior_ratios`): a million people with a million different answers take a fraction of a second.

Take three people, without whom an answer is 0, 1 or 2, and noise of scale 1. This is who is believed absent once 0 came
out.

>>> from dalenius.absent.one_absent_model import Absent
>>> from dalenius.noise import Laplace
>>> release = Release(Absent(answers=(0, 1, 2)), None, Laplace(scale=1))
>>> output = next(release.worlds[0].channels(release.noise)).at([0])
>>> [round(each.posterior.upper, 4) for each in output.updates[0].values]
[0.6652, 0.2447, 0.09]
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, log, tanh
from typing import final

import numpy as np

from dalenius.absent.limits import MOST_CELLS
from dalenius.absent.one_absent_model import Missing
from dalenius.absent.posterior_prior_ratios import LargestMove, largest_lowering, largest_raise, largest_suspicion
from dalenius.absent.prior_on_absent_person import KnownPrior, Prior
from dalenius.absent.streams import blur
from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel import Release
from dalenius.channel.channel import Channel, ChannelAtOutput, Update
from dalenius.channel.finite_secret_channel import FiniteChannel, refined
from dalenius.channel.finite_secret_posterior import FinitePosterior, mixture, update
from dalenius.channel.leakage import Found, Movement, Witness
from dalenius.channel.likelihoods import with_class_error
from dalenius.channel.quantities import suspected
from dalenius.channel.release_settings import ReleaseSettings
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import Spread
from dalenius.channel.world import World
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.joints import Subject
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.memory_budget import allowed, enough, or_more
from dalenius.noise import Answer, Noise, number_of
from dalenius.noise.place_of_given_output import cannot_occur, on_lattice


def _tabled(missing: Missing, noise: Noise) -> FiniteChannel:
    """Returns all likelihoods.

    Raises:
        Meaningless: If no single prior, or no lattice, is known.
        TooLarge: If there are many classes on a long lattice.
    """
    prior = _known_prior(missing)
    # A mean over a [data] table: its answers are no whole numbers, and no other lattice is looked for.
    if missing.lattice is None:
        raise Meaningless("model.answers", "on no known lattice", "whole numbers, or few different answers, here")
    # A payroll in cents: thousands of different sums, each with a row as long as the largest pay.
    if (cells := _cells(missing)) > allowed(MOST_CELLS):
        size = f"{len(missing.offsets):,} different answers on {_points(missing):,} lattice points"
        instead = or_more("ask for identifiability, rho or information", enough(cells, MOST_CELLS))
        raise TooLarge("the likelihoods of every answer", size, instead, MOST_CELLS)
    subject = _subject_of(missing, prior)
    secrets = subject.secrets
    mechanism = noise.mechanism(missing.lattice)
    likelihood = with_class_error(mechanism.likelihood(_law(missing)), subject)
    span = (Fraction(missing.span),)
    spread = Spread((secrets[0], secrets[-1]), span, span)
    # Under log-concave noise the two outermost answers are distinguished best.
    ends = ((len(secrets) - 1, 0),) if len(secrets) > 1 and noise.shape.log_concave else None
    return FiniteChannel(subject, lambda: likelihood, mechanism, spread, ("",), ends)


def _known_prior(missing: Missing) -> KnownPrior:
    """Returns the prior on who is absent; Meaningless where only bounds on it are known."""
    prior = missing.prior
    if not isinstance(prior, KnownPrior):
        shown = f"min {float(prior.least):g}, max {float(prior.greatest):g}"
        raise Meaningless("model.prior", shown, "uniform or a list here: bounds serve identifiability and rho")
    return prior


def _subject_of(missing: Missing, prior: KnownPrior) -> Subject:
    """Returns the secret who is absent, with one value per class."""
    log_prior = np.log(prior.masses / prior.total)
    secrets = tuple(int(number) or missing.answer(place) for place, number in enumerate(missing.firsts))
    people = int(missing.people.sum())
    guesses = np.log(prior.likeliest / prior.total)
    with np.errstate(divide="ignore"):
        others = np.log(prior.rest / prior.total)
    return Subject(
        0, people, 0, secrets, log_prior, people, "whoever is absent", 0.0, "absent person", guesses, others
    )  # fmt: skip


def _points(missing: Missing) -> int:
    """Counts the lattice points from the least answer to the largest."""
    step = missing.lattice.steps[0] if missing.lattice is not None else Fraction(1)
    return round(missing.span / float(step)) + 1


def _cells(missing: Missing) -> int:
    """Counts the table's cells: classes of people times lattice points between their answers."""
    return _points(missing) * len(missing.offsets)


def _law(missing: Missing) -> Law:
    """Returns a law that is a point mass for each class."""
    assert missing.lattice is not None
    step = missing.lattice.steps[0]
    places = np.rint((missing.offsets - missing.offsets[0]) / float(step)).astype(np.int64)
    relative = np.full((len(places), _points(missing)), -np.inf)
    relative[np.arange(len(places)), places] = 0.0
    start = round((missing.everybody.base + Fraction(float(missing.offsets[0]))) / step)
    return Law((start,), np.zeros(_points(missing)), relative, missing.prior.error + 4 * UNIT)


@final
class AbsentAtOutput(ChannelAtOutput):
    """The posterior of who is absent at one output, under noise whose likelihoods have a closed form.

    Meaningless where no single prior is known.
    """

    def __init__(self, missing: Missing, noise: Noise, output: Answer) -> None:
        subject = _subject_of(missing, _known_prior(missing))
        law = with_class_error(_law_at(missing, noise, output), subject)
        self.axes = (0,)
        self.updates = (update(subject, None, law),)
        self.likelihood = mixture(subject.log_prior, law)

    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        return None

    def sides(self) -> Sequence[Sides | None]:
        return (None,)


def _law_at(missing: Missing, noise: Noise, answer: Answer) -> Law:
    """Returns the law of one output, with one likelihood per class."""
    away = float(number_of(answer) - missing.everybody.base) - missing.offsets
    if noise.shape.adds_nothing:  # people whose absence gives another answer are ruled out
        same = np.array([missing.answer(place) == float(number_of(answer)) for place in range(len(away))])
        if not same.any():
            raise cannot_occur([answer], [missing.answer(int(np.argmin(np.abs(away))))])
        return _point(np.where(same, 0.0, -inf), 0.0, missing.prior.error)
    scale = noise.known_scale()
    share = -log(2 * scale)
    # Geometric noise has masses on the lattice, where Laplace noise has a density.
    if noise.shape.needs_lattice and missing.lattice is not None:
        on_lattice([answer], missing.lattice, [None])
        share = log(tanh(float(missing.lattice.steps[0] / Fraction(scale)) / 2))
    falls = np.abs(away) / scale
    nearest = float(np.min(falls))
    rounding = (8 + 4 * blur(missing.offsets)) * (float(np.max(falls)) + abs(float(number_of(answer))) / scale) * UNIT
    return _point(nearest - falls, share - nearest, missing.prior.error + rounding)


def _point(logs: np.ndarray, base: float, error: float) -> Law:
    """Returns a law at one output only: log W(y|class) is base + logs (m,)."""
    return Law((0,), np.array([base]), logs.reshape(-1, 1), error)


@final
@dataclass(frozen=True)
class AbsentChannel(Channel):
    """The channel from who is absent to the noisy answer. InputError for geometric noise off the answers' lattice."""

    missing: Missing
    noise: Noise

    def __post_init__(self) -> None:
        # Geometric noise steps along a lattice, and noise without a closed form has to be tabled on one.
        off_lattice = self.missing.lattice is None and self.missing.span > 0
        if off_lattice and (self.noise.shape.needs_lattice or not self.quick):
            wanted = "laplace: the answers lie on no lattice that is known"
            raise InputError("noise.kind", self.noise.kind, wanted)

    @property
    def quick(self) -> bool:
        """Whether the noise is one whose ratios need no table."""
        return self.noise.shape.exponential or self.noise.shape.adds_nothing

    @property
    def scale(self) -> float:
        """The noise scale b, in the query's unit; 0 without noise."""
        return 0.0 if self.noise.shape.adds_nothing else self.noise.known_scale()

    def singly(self, quantity: str) -> Iterator[Channel]:
        yield self if quantity == "attack" else self._table

    def neighbours(self) -> Found:
        # Differential privacy is about one record's value: here all values are known, and the secret is another.
        wanted = "identifiability, rho, inferential or information where the secret is who is absent"
        raise Meaningless("notion.kind", "differential", wanted)

    def ratio(self) -> Found:
        if not self.quick:
            return super().ratio()
        last = len(self.missing.offsets) - 1
        if last == 0:  # all absences give the same answer
            return Found(Enclosure(0.0, 0.0))
        # Θ/b: the two ends, at either of them.
        value = self.missing.span / self.scale if self.scale > 0 else inf
        bound = around(value, 16 * UNIT * blur(self.missing.offsets) * value if self.scale > 0 else 0.0)
        return Found(bound, self._witness(last, last, secret=self._named(last), against=self._named(0)))

    def movement(self, lowering: float = 1.0) -> Movement:
        if not self.quick:
            return self._table.movement(lowering)
        return Movement.of(self._found(largest_raise), self._found(largest_lowering), lowering)

    def suspected(self) -> Found:
        """Finds -log(1 - the largest posterior), in nats, of who is absent."""
        return self._found(largest_suspicion) if self.quick else suspicion(self._table)

    def at(self, output: Sequence[Answer]) -> ChannelAtOutput:
        # Sums of incomes lie on no lattice, or on one of millions of points: Laplace noise needs none.
        if self.quick and (self.missing.lattice is None or _cells(self.missing) > allowed(MOST_CELLS)):
            return AbsentAtOutput(self.missing, self.noise, output[0])
        return FinitePosterior(self._table, output)

    def _found(self, read: Callable[[Prior, Array, float], LargestMove]) -> Found:
        moved = read(self.missing.prior, self.missing.offsets, self.scale)
        return Found(moved.value, self._witness(moved.whose, moved.output_class))

    def _witness(self, whose: int, output_class: int, **ends: int | float) -> Witness:
        """Returns the witness for the people of class `whose`, at the answer of class `output_class`.

        Their chance beforehand is the prior, where all have the same; one half where there are two secrets.

        Args:
            whose: The class of the people, from 0.
            output_class: The class whose answer is the output, from 0.
            ends: The two secrets of a ratio.
        """
        missing = self.missing
        people, answer = int(missing.people[whose]), f"{missing.answer(whose):.12g}"
        number = int(missing.firsts[whose])
        others = f", as that of {people - 1:,} more" if people > 1 else ""
        who = f"whose absence gives {answer}{others}" if number else f"one of {people:,} whose absence gives {answer}"
        known_prior = float(missing.prior.greatest) if missing.prior.least == missing.prior.greatest else None
        chance = 0.5 if known_prior is not None and "against" in ends else known_prior
        where = {"output": (missing.answer(output_class),), "what": "absent person", "chance": chance} | ends
        return Witness(number, who, **where)  # type: ignore[arg-type]

    def _named(self, place: int) -> int | float:
        """Names a class by the number of its first person, or by its answer where the table gives counts only."""
        return int(self.missing.firsts[place]) or self.missing.answer(place)

    @cached_property
    def _table(self) -> FiniteChannel:
        return _tabled(self.missing, self.noise)


@final
class AbsentWorld(World):
    """The world of a belief about who is absent, which holds the answers; InputError where [secrets] names records."""

    def __init__(self, missing: Missing, secrets: Secrets) -> None:
        self.missing = missing
        secrets.check_of_records("model absent")
        # A spec of records whose model alone was changed: its pairs and people are of records.
        for key, given in (("people", secrets.people), ("pairs", secrets.pairs), ("stage", secrets.stage)):
            if given is not None:
                wanted = "no such key: with model absent the secret is who is absent"
                raise InputError(f"secrets.{key}", given if isinstance(given, str) else str(list(given)), wanted)

    @classmethod
    def of(cls, belief: Missing, question: ReleaseSettings) -> "AbsentWorld":
        return cls(belief, question.secrets)

    def channels(self, noise: Noise) -> Iterator[AbsentChannel]:
        """Yields one channel for all people under `noise`."""
        yield AbsentChannel(self.missing, noise)

    @property
    def lattice(self) -> Lattice | None:
        return self.missing.lattice

    @property
    def names(self) -> tuple[str, ...]:
        return ("",)

    @property
    def engines(self) -> list[tuple[str, str]]:
        classes, people = len(self.missing.offsets), self.missing.everybody.total
        return [("closed form", f"{classes:,} different answers of {people:,} people: extremes lie at the answers")]

    @property
    def sensitivity(self) -> Fraction:
        raise _of_records()

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        raise _of_records()

    @property
    def group_size(self) -> int:
        raise _of_records()

    @property
    def reach(self) -> Fraction:
        """Returns Θ, in the query's unit."""
        return Fraction(self.missing.span)


def suspicion(channel: Channel) -> Found:
    """Finds -log(1 - the largest posterior), in nats, of who is absent in `channel`.

    It is read off a closed form, or off all likelihoods.
    """
    if isinstance(channel, AbsentChannel):
        return channel.suspected()
    return refined(lambda finite: {"": suspected(finite)}, channel.finite("rho"))[""]


def absences(release: Release) -> tuple[Missing, ...]:
    """Returns the beliefs about who is absent in `release`; none where records are the secrets."""
    return tuple(world.missing for world in release.worlds if isinstance(world, AbsentWorld))


def _of_records() -> InputError:
    return InputError("model.kind", "absent", "a model of records here (or prior_free, prior_dependent, exact)")
