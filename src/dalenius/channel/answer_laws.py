"""The exact laws of a query's answer, for every subject and secret: the part of a release before noise.

The answer falls into parts that share no group of records (a count of the north and one of the south). The size of each
part chooses the engine that computes its laws. It lists all assignments, convolves the groups, uses tilted FFTs or a
window around the mean, or takes one group alone, which bounds the rest.
"""

import abc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.bounds import UNIT
from dalenius.channel.choice_of_engine import (
    MOST_WINDOW_POINTS,
    AnswerLaw,
    Plan,
    plan,
    too_large,
    window_length,
    windowed,
    windows_of,
)
from dalenius.channel.copies import ProportionalAnswers, proportional
from dalenius.channel.marginals import Marginal, law_of_counted, marginal_of_sum, marginals_of
from dalenius.channel.sensitivity import axes_of, linked_coordinates, stratum_ranges
from dalenius.errors import TooLarge
from dalenius.joints import Belief, Joint, Subject, all_outcomes, group_strata, one_group
from dalenius.joints.secret_of_several import SecretOfSeveral, rows_of_records
from dalenius.laws.characteristic import ComplexArray, Cumulant, Cumulants, Evaluations, Values
from dalenius.laws.convolution import Coefficients, from_points, law_of
from dalenius.laws.extremes import Extremes
from dalenius.laws.generating_function_algebra import Extent, Extents
from dalenius.laws.law import Law, Window
from dalenius.laws.progressions import Progressions
from dalenius.laws.sums import combined
from dalenius.laws.tilting import WantedWindow, laws_by_tilting
from dalenius.memory_budget import allowed, budget_in_use
from dalenius.queries import Kind, Scores

if TYPE_CHECKING:
    from dalenius.channel.counted_sets import CountedSets

_KEPT_MASSES: Final = 1 << 14
"""Most points of a single answer's law that is kept: 128 KB."""


class AnswerPart(abc.ABC):
    """Coordinates of the answer that share groups of records, with these groups; independent of the rest.

    Attributes:
        joint: The joint law of the groups.
        all_scores: The scores of all these coordinates.
        axes: Their places among the whole answer's coordinates.
    """

    joint: Joint
    all_scores: Scores
    axes: tuple[int, ...]

    @property
    @abc.abstractmethod
    def proportional(self) -> ProportionalAnswers | None:
        """The coordinates that are copies of others, which have no laws of their own. None where all are distinct."""

    @property
    @abc.abstractmethod
    def scores(self) -> Scores:
        """The scores of the distinct coordinates."""

    @property
    @abc.abstractmethod
    def plan(self) -> Plan:
        """The way their laws are computed, or the reason why they are not."""

    @abc.abstractmethod
    def laws(self) -> Iterator[tuple[Subject, Law]]:
        """Yields the law of the distinct coordinates given each secret, by subject. TooLarge where one is."""

    @abc.abstractmethod
    def marginals(self, known: tuple[Subject, Law] | None, quickly: bool) -> list[Marginal]:
        """Returns the marginal law of each distinct coordinate. TooLarge for a coordinate whose law is too large.

        Args:
            known: A subject, and its law that is there already; None where there is none.
            quickly: Whether a double's absolute accuracy is enough, if that takes less time.
        """

    @property
    def ends(self) -> tuple[tuple[float, float], ...] | None:
        """The least and the greatest answer on each distinct coordinate, in the query's unit.

        They are known where laws are those of a group's part alone; None elsewhere, and by default.
        """
        return None

    @property
    def sets(self) -> "CountedSets | None":
        """The sets of people that the answers count, where laws are those of their cells; None elsewhere."""
        return None

    @property
    def spanned(self) -> int:
        """The number of independent groups, at most, that one secret's records belong to; by default one."""
        return 1

    @property
    def of_groups(self) -> "AnswerComponent | None":
        """The part as a sum over several independent groups, if one of them has the secret; else None."""
        return None

    def full_law_of(self, subject: Subject) -> AnswerLaw | None:
        """Returns the whole answer's law for `subject`, where `laws` are of one group's part; by default None."""
        return None


@final
class AnswerComponent(AnswerPart):
    """A part of the answer of a joint law; windows: whether a window of a sum will do; secret: None for a record."""

    def __init__(
        self,
        joint: Joint,
        scores: Scores,
        engine: str | None,
        axes: Sequence[int],
        windows: bool = False,
        secret: SecretOfSeveral | None = None,
    ) -> None:
        self.joint = joint
        self._secret = secret
        self.windows = windows
        self.all_scores = scores
        self.axes = tuple(axes)
        self.engine = engine
        self._windows: dict[int, Window] = {}
        self._plans: dict[int, Plan] = {}
        self._quick: Marginal | None = None

    @cached_property
    def proportional(self) -> ProportionalAnswers | None:
        # Because one answer has no copies, as in most releases.
        if len(self.axes) == 1:
            return None
        found = proportional(self.joint, self.all_scores)
        return None if found.plain else found

    @cached_property
    def scores(self) -> Scores:
        return self.all_scores if self.proportional is None else self.all_scores.restricted(self.proportional.axes)

    @property
    def plan(self) -> Plan:
        budget = budget_in_use()
        if budget not in self._plans:
            self._plans[budget] = self._planned()
        return self._plans[budget]

    def _planned(self) -> Plan:
        extent = self.extent
        if self.scores.by_group:
            return Plan("group", "reports in order: those of other groups say nothing of this one", extent)
        # The case of a secret such as "how many of us are ill", beside a count of the same people.
        if self._counted is not None:
            return Plan("convolution", "the answer and the number that is secret, side by side", extent)
        single = self.windows and self.proportional is None and self._of_groups
        wide = windowed(self.joint, self.scores, extent, self.engine) if single else None
        if wide is not None:
            return wide
        # The case of one chain or network of everybody, or a secret of several groups: no part bounds the rest.
        return plan(self.joint, self.scores, extent, self.engine, self.bounded, self.spanned)

    @cached_property
    def extent(self) -> Extent:
        """The box of all answers, which takes less than the plan for them."""
        return self.joint.total(Extents(self.scores.indices, self.scores.combine))

    @property
    def spanned(self) -> int:
        return 1 if self._secret is None else self._secret.spanned

    @property
    def bounded(self) -> bool:
        """Whether the part of one person's group bounds everything (Result 9.6)."""
        return self.engine is None and self.scores.additive and self._of_groups and not self.scores.by_group

    @property
    def _of_groups(self) -> bool:
        """Whether secrets are records of one of several groups."""
        factors = self.joint.factors()
        return self._secret is None and not (len(factors) == 1 and factors[0].count == 1)

    @property
    def of_groups(self) -> "AnswerComponent | None":
        return self if self.bounded else None

    @property
    def _counted(self) -> IntArray | None:
        """The number that each slot adds to the secret, where that is a number of everybody beside sums."""
        return self._secret.counting if self._secret and self.engine is None and self.scores.additive else None

    def laws(self) -> Iterator[tuple[Subject, Law]]:
        if self._counted is not None:
            for subject in self.joint.subjects():
                # Because one product over everybody gives the law of the answer given each number.
                yield subject, law_of_counted(self.joint, self.scores.indices, self._counted, subject)
            return
        if self.plan.engine == "none" and self.plan.refusal is not None:
            raise self.plan.refusal
        match self.plan.engine:
            case "enumeration":
                yield from self._by_enumeration()
            case "convolution" if self.scores.additive:
                for subject, elements in self.joint.mean_product(Coefficients(self.scores.indices)):
                    yield subject, law_of(elements)
            case "convolution":
                transform = Extremes(self.scores.indices, self.scores.combine)
                for subject, ranked in self.joint.mean_product(transform):
                    yield subject, transform.law_of(ranked)
            case "tilting":
                yield from self._by_tilting()
            case "bounds" | "window" | "group":
                yield from self._by_groups()

    def full_law_of(self, subject: Subject) -> AnswerLaw | None:
        # Because laws that are known as a whole need no window.
        if self.plan.engine != "window":
            return None
        short = self.engine is None and not too_large(self.joint, self.plan.extent)
        person, complete = subject.person, (lambda: self._complete[subject.person]) if short else None
        return AnswerLaw(self.plan.extent.points, lambda: self._window_of(person), complete)

    @property
    def ends(self) -> tuple[tuple[float, float], ...] | None:
        extent, steps = self.plan.extent, self.scores.lattice.steps
        if self.plan.engine not in ("bounds", "window"):
            return None
        return tuple(
            (float(low * step), float(high * step))
            for low, high, step in zip(extent.low, extent.high, steps, strict=True)
        )

    def _quick_marginal(self) -> Marginal | None:
        """Returns the law of a single sum; a short one is kept, because every answer is compared with it."""
        if self._quick is not None:
            return self._quick
        found = marginal_of_sum(self.joint, self.scores, self.extent)
        if found is not None and len(found.masses) <= _KEPT_MASSES:
            self._quick = found
        return found

    def marginals(self, known: tuple[Subject, Law] | None, quickly: bool) -> list[Marginal]:
        if quickly and known is None and (law := self._quick_marginal()) is not None:
            return [law]
        # The case in which the box of all answers together is too large, and each answer alone is not.
        if self.plan.engine == "bounds":
            if self.scores.lattice.axes == 1:
                answers = f"{self.plan.extent.points:,} answers"
                raise TooLarge("the law of the answer", answers, "ask fewer people", self.plan.exceeded)
            parts = [self.scores.restricted([axis]) for axis in range(self.scores.lattice.axes)]
            single = [
                AnswerComponent(self.joint, part, None, [axis], secret=self._secret) for axis, part in enumerate(parts)
            ]
            return [law for each in single for law in each.marginals(None, quickly)]
        if self.plan.engine == "window":
            subject = next(iter(self.joint.subjects()))
            return list(
                marginals_of(subject, self._window_of(subject.person).law, self.scores.lattice, self.scores.names)
            )
        subject, full_law = known or next(iter(self.laws()))
        return list(marginals_of(subject, full_law, self.scores.lattice, self.scores.names))

    def _by_groups(self) -> Iterator[tuple[Subject, Law]]:
        """Yields the laws of the part that one group of each factor adds. TooLarge where that is too large, too."""
        for group in range(len(self.joint.factors())):
            # Because the window is of the whole sum, and the part of one group is short.
            engine = None if self.plan.engine == "window" else self.engine
            scores = replace(self.scores, by_group=False)
            part = AnswerComponent(one_group(self.joint, group), scores, engine, range(self.scores.lattice.axes))
            for subject, law in part.laws():
                yield self.joint.subject_of(subject.person), law

    def _by_enumeration(self) -> Iterator[tuple[Subject, Law]]:
        slots, logs = all_outcomes(self.joint.factors())
        answers = combined(self.scores.indices[slots], self.scores.combine)
        # Because an assignment's log is a sum over people, rounded each time, and so is the log-prior.
        written = float((slots.shape[1] + 4) * (1 + np.max(np.abs(logs)))) * UNIT
        secret = self._secret
        by_subject = rows_of_records(self.joint, slots) if secret is None else secret.rows_given(slots)
        for subject, rows in by_subject:
            grids = [
                from_points(answers[row], logs[row] - log_prior)
                for row, log_prior in zip(rows, subject.log_prior, strict=True)
            ]
            yield subject, replace(law := law_of(grids), error=law.error + written)

    @cached_property
    def _complete(self) -> dict[int, Law]:
        """The law of every subject on the whole range, which fits."""
        component = AnswerComponent(self.joint, self.all_scores, "tilting", self.axes)
        return {subject.person: law for subject, law in component.laws()}

    def _window_of(self, person: int) -> Window:
        """Returns a subject's law on a window given each secret; subjects whose groups add the same share it.

        Where windows are too many at once, those of a batch are kept until another is needed.
        """
        first = self._alike[person]
        # The case of the next people of a census: windows of some hundred classes fit at once.
        if first not in self._windows:
            people = next(some for some in self._batches if first in some)
            found = windows_of(self.joint, self.scores, self._group_range(), people)
            self._windows = {subject.person: window for subject, window in found}
        return self._windows[first]

    @cached_property
    def _alike(self) -> dict[int, int]:
        """The first person whose group adds the same, by person."""
        first, like = dict[tuple[object, ...], int](), dict[int, int]()
        for subject, law in self.laws():
            like[subject.person] = first.setdefault((law.key, subject.log_prior.tobytes()), subject.person)
        return like

    @cached_property
    def _batches(self) -> list[set[int]]:
        """The people whose windows are computed together."""
        length, found, points = window_length(self.joint, self.scores, self.plan.extent), [set[int]()], 0.0
        firsts = set(self._alike.values())
        for subject in self.joint.subjects():
            own = length * len(subject.secrets)
            if subject.person not in firsts:
                continue
            # Because this batch would not fit the memory any more, a new one begins.
            if found[-1] and points + own > allowed(MOST_WINDOW_POINTS):
                found, points = [*found, set[int]()], 0.0
            found[-1].add(subject.person)
            points += own
        return found

    def _by_tilting(self) -> Iterator[tuple[Subject, Law]]:
        # So that laws of few people load nothing that serves many: imported here.
        from dalenius.laws.sums_near_ends import SumsNearEnds

        scores = self.scores.indices
        flat = scores[:, 0]
        ranges = list(self.joint.mean_product(Extents(scores)))
        lattices = self.joint.mean_product(Progressions(flat))
        ends = self.joint.mean_product(SumsNearEnds(flat))
        wanted = [
            WantedWindow(tuple(extents), subject.log_prior, tuple(each), tuple(near))
            for (subject, extents), (_, each), (_, near) in zip(ranges, lattices, ends, strict=True)
        ]
        circle: dict[tuple[int, int], ComplexArray] = {}

        def cumulant_at(tilt: float) -> Cumulant:
            return self.joint.total(Cumulants(flat, tilt))

        def evaluate(tilt: float, points: int) -> Iterator[Sequence[Values]]:
            for _, elements in self.joint.mean_product(Evaluations(flat, tilt, points, circle)):
                yield elements

        laws = laws_by_tilting(cumulant_at, evaluate, wanted, self._group_range())
        yield from ((subject, law) for (subject, _), law in zip(ranges, laws, strict=True))

    def _group_range(self) -> int:
        """Returns the widest range, in steps, of the total of all groups that one secret belongs to."""
        widths = stratum_ranges(self.joint, self.scores.indices)[:, 0]
        return self.spanned * int(max(group @ widths for group in group_strata(self.joint)))


def kinds_of(belief: Belief) -> list[Kind]:
    """Returns the strata of `belief` as kinds of records for a query."""
    sampled = belief.sampling_rate is not None
    return [Kind(stratum.label, stratum.values, stratum.people, sampled) for stratum in belief.strata()]


def components(joint: Joint, scores: Scores, engine: str | None, windows: bool = False) -> list[AnswerComponent]:
    """Returns the answer's independent parts under `joint`, `scores` and `engine`; windows: see `AnswerComponent`."""
    return [
        AnswerComponent(part, scores.restricted(axes), engine, axes, windows)
        for part, axes in components_of(joint, scores)
    ]


def components_of(joint: Joint, scores: Scores) -> Iterator[tuple[Joint, list[int]]]:
    """Yields the independent parts of the records of `joint` that move the answer, with the coordinates each moves.

    Two coordinates of `scores` are in one part if some group of records moves both.
    """
    moving = axes_of(joint, scores)
    for axes in linked_coordinates(moving, scores.lattice.axes):
        members = [i for i, own in enumerate(moving) if own & axes]
        if members:
            yield joint.part(members), sorted(axes)
