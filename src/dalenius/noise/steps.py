"""Steps: several rules of statistics offices one after the other, maybe after geometric noise."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Literal, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.noise.error_law import ErrorLaw
from dalenius.noise.exponential import Geometric
from dalenius.noise.mechanism import Mechanism
from dalenius.noise.noise import AnyNoise, Noise
from dalenius.noise.rule import Output, Rule, RuleRows
from dalenius.noise.rule_error import RuleError
from dalenius.noise.rule_mechanism import RuleMechanism
from dalenius.noise.ruled_geometric import RuledGeometricError, RuledGeometricMechanism
from dalenius.noise.rules_in_turn import RulesInTurn
from dalenius.noise.shape import Shape
from dalenius.noise.shared_keys import SharedKeysMechanism
from dalenius.sentences.sentence import Series, phrase


@final
class Steps(Noise):
    """Rules one after the other, such as suppression and then rounding; geometric noise may come first.

    Args:
        steps: The steps, in order: rounding, suppression and cell keys, or geometric noise and then these.
        scale: The scale of the geometric noise, in the query's unit. None (the default) where the step says it, or it
            is left open, for `calibrate` and `compare`.

    Example:
        A count below 6 is not published, others are rounded to a multiple of 3:

        >>> import dalenius as dl
        >>> rule = dl.Steps(steps=[dl.Suppression(below=6), dl.Rounding(base=3)])
        >>> rule.draw([4], Lattice((Fraction(1),))), rule.words
        (('suppressed',), 'suppression of answers below 6, then rounding at random, the mean kept, base 3')

    Notes:
        What follows a private answer leaks no more than the answer. After geometric noise the log-ratio between
        neighbours stays what it is: outputs beyond all answers attain it.
    """

    _instead: ClassVar[str] = "a first step with a scale: geometric"

    kind: Literal["steps"] = "steps"
    steps: tuple[AnyNoise, ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _scale_of_first(cls, given: Any) -> Any:
        """Takes the scale of the first step as that of all steps, where only the step says it."""
        if not isinstance(given, dict) or given.get("scale") is not None:
            return given
        steps = given.get("steps")
        if not isinstance(steps, list | tuple) or not steps:
            return given
        first = steps[0]
        scale = first.get("scale") if isinstance(first, dict) else getattr(first, "scale", None)
        return given if scale is None else {**given, "scale": scale}

    @model_validator(mode="after")
    def _check(self) -> "Steps":
        for number, step in enumerate(self.steps, 1):
            if not isinstance(step, Rule) and not (number == 1 and isinstance(step, Geometric)):
                first = "geometric, " if number == 1 else ""
                raise ValueError(f"rules: {first}rounding, suppression or cell_key (step {number} is {step.kind})")
        if self._geometric is None and self.scale is not None:
            raise ValueError("no scale beside steps that are all rules")
        if self.steps[0].scale not in (None, self.scale):
            raise ValueError(f"one scale of the geometric noise (there are {self.scale:g} and {self.steps[0].scale:g})")
        if self._geometric is not None and len(self.steps) == 1:
            raise ValueError("a rule after the geometric noise")
        return self

    @property
    def _geometric(self) -> Geometric | None:
        """The geometric noise that comes first, with its scale; None where all steps are rules."""
        first = self.steps[0]
        if not isinstance(first, Geometric):
            return None
        return first if self.scale is None else first.with_scale(self.scale)

    @property
    def _rules(self) -> tuple[Rule, ...]:
        return tuple(step for step in self.steps if isinstance(step, Rule))

    @property
    def rules(self) -> RulesInTurn:
        """The rules, in order, as one."""
        return RulesInTurn(self._rules)

    @property
    def _keyed(self) -> bool:
        """Whether some step is drawn from a key of the people."""
        return any(rule.by_people is not None for rule in self._rules)

    @property
    def by_people(self) -> RuleRows | None:
        """The rules, where no step but the cell keys is drawn: then people who are counted twice are moved alike."""
        drawn = [rule for rule in self._rules if rule.draws]
        alone = self._geometric is None and len(drawn) == 1 and drawn[0].by_people is not None
        return self.rules if alone else None

    @property
    def shape(self) -> Shape:
        outcome, before = "answer after the rules", self._geometric
        return (
            Shape(scaled=False, near=True, outcome=outcome) if before is None else Shape(lipschitz=1.0, outcome=outcome)
        )

    def mechanism(self, lattice: Lattice) -> Mechanism:
        for rule in self._rules:
            rule.mechanism(lattice.restricted([0]))  # Because a rule may refuse answers that are not whole.
        if lattice.axes > 1 and self._keyed:
            if self.by_people is None:
                wanted = "one answer, or cell keys as the only step that is drawn"
                raise InputError("noise.steps", f"{self.kind} for {lattice.axes} answers", wanted)
            return SharedKeysMechanism(self, lattice, self.rules)
        rules, before = RuleMechanism(self, lattice, self.rules), self._geometric
        return rules if before is None else RuledGeometricMechanism(self, lattice, before, rules)

    def error(self, step: Fraction) -> ErrorLaw:
        before = self._geometric
        return RuleError(self.rules, step) if before is None else RuledGeometricError(before, self.rules, step)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Bounds the worst log-ratio: that of the geometric noise; infinite without one, where something moves.

        Args:
            distances: The most that each coordinate moves, in the query's unit.

        Returns:
            Nats.
        """
        before = self._geometric
        return (inf if any(distances) else 0.0) if before is None else before.privacy_loss(distances)

    def group_loss(self, distance: Fraction, axes: int) -> float:
        before = self._geometric
        return super().group_loss(distance, axes) if before is None else before.group_loss(distance, axes)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        before = self._geometric
        if before is None:
            return super().scale_for(distance, epsilon, delta, axes)
        return before.scale_for(distance, epsilon, delta, axes)

    @property
    def bare(self) -> Noise | None:
        return None if self._geometric is None else Steps(steps=self._rules)

    def in_folder(self, folder: Path) -> Noise:
        return self.altered({"steps": tuple(step.in_folder(folder) for step in self.steps)})

    def self_contained(self) -> Noise:
        return self.altered({"steps": tuple(step.self_contained() for step in self.steps)})

    def with_scale(self, scale: float) -> Noise:
        if self._geometric is None:
            return super().with_scale(scale)
        return Steps(steps=(self.steps[0].altered({"scale": None}), *self._rules), scale=scale)

    def known_scale(self) -> float:
        before = self._geometric
        return super().known_scale() if before is None else before.known_scale()

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Output, ...]:
        """Draws one release, exactly: every step by its own sampler.

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            One output for each coordinate, in the query's unit, or a word.
        """
        before = self._geometric
        given: tuple[Output, ...] = tuple(index * step for index, step in zip(answer, lattice.steps, strict=True))
        if before is not None:
            given = before.draw(answer, lattice)
        for rule in self.rules.rules:
            given = tuple(each if isinstance(each, str) else rule.drawn(each) for each in given)
        return given

    @property
    def words(self) -> str:
        before = self._geometric
        first = () if before is None else (before,)
        steps = [phrase(each.words) for each in (*first, *self._rules)]
        return steps[0] if len(steps) == 1 else Series("between_steps", steps)
