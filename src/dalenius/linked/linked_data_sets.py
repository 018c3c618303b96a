"""Linked data sets of the same people: each person is a process, with one value per data set (IP Def 5).

Within the first data set the records depend on each other as an inner model says. From one data set to the next each
person goes on from the value before: all values are equal (IP Prop 7), or they are a Markov chain. If data sets are
independent of each other, each has the inner model's law, and their leakages add up (IP Prop 8).

Take a bit that is 1 with probability 1/4 and is counted at each of two stages through Laplace(1). The two counts leak 2
nats about its value at the first stage if both values are copies (IP Prop 7). They leak 1.535 nats if the value is kept
with probability 1/2 and else drawn anew, and 1 nat if the data sets are independent (IP Prop 8). In each case the
noises are assumed to be independent of each other.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, final

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from dalenius.errors import InputError
from dalenius.fields import AtMost, Probability
from dalenius.joints import finite_law
from dalenius.joints.joint import WITHIN, Belief
from dalenius.linked.laws_over_several_tables import extended
from dalenius.linked.limits import MOST_STAGES
from dalenius.linked.person_process import Step, Steps
from dalenius.models import lawless
from dalenius.models.chain import Transition, TransitionMatrix, depth
from dalenius.models.model import AnyModel, Model, Readable, percent
from dalenius.sentences.sentence import Name, Phrase, few_listed, phrase, said, semicolons


def _names(given: Any) -> Any:
    """Names stages that are only counted by their numbers."""
    # stages = 3, where a spec need not call them anything.
    if isinstance(given, bool) or not isinstance(given, int):
        return given
    if not 1 <= given <= MOST_STAGES:
        raise ValueError(f"from 1 to {MOST_STAGES} stages, or a list of their names (limit {MOST_STAGES.name})")
    return tuple(str(number) for number in range(1, given + 1))


@final
class Linked(Model):
    """Several data sets of the same people: one person's values there are one secret, a process.

    Args:
        stages: The names of the data sets, or how many there are, at most 64.
        within: The model of the records of the first data set; each has finitely many values.
        coupling: What links a person's values: "copies" of each other, or a "chain" from stage to stage; or
            "independent", where data sets are independent of each other and each has the law of `within`.
        transition: For a chain, a matrix (k, k) over the record's values: row s has the probabilities of the next value
            after value s. It is the same at every step, or a list has one matrix for each step. None (the default) with
            `persistence`, or without a chain.
        persistence: For a chain instead of `transition`, the probability that a value stays. Otherwise it is drawn
            anew, from the law that the person's value has at the first stage, so that everybody's law is the same at
            all stages.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        >>> import dalenius as dl
        >>> bits = dl.Independent(n=3, probabilities=[0.25])
        >>> dl.Linked(stages=["before", "after"], within=bits, coupling="chain", persistence=0.5).words.split("; ")[-1]
        "from one to the next a person's value stays with 50 %, or else is drawn anew"

    Notes:
        IP Def 5; IP Prop 7 for copies; IP Prop 8 for data sets that are independent of each other. The noises of
        different data sets are drawn independently of each other (IP Eq 23).
    """

    kind: Literal["linked"] = "linked"
    stages: Annotated[
        tuple[Annotated[str, Field(min_length=1)], ...],
        BeforeValidator(_names),
        Field(min_length=1),
        AtMost(MOST_STAGES),
    ]
    within: AnyModel
    coupling: Literal["copies", "chain", "independent"]
    transition: Transition | None = None
    persistence: Annotated[Probability, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Linked":
        for place, name in enumerate(self.stages):
            # A query names the stage it asks: of two with one name it would be unclear which.
            if name in self.stages[:place]:
                raise ValueError(f"stages of different names ({name!r} is there twice)")
        given = [each is not None for each in (self.transition, self.persistence)]
        # A persistence beside copies: a chain may have been meant.
        if self.coupling != "chain" and any(given):
            raise ValueError(f"no transition or persistence beside coupling {self.coupling}")
        # Neither says how values change, and both would say it twice.
        if self.coupling == "chain" and given.count(True) != 1:
            raise ValueError("either transition or persistence beside coupling chain")
        matrices = self._matrices()
        if len(matrices) not in (1, len(self.stages) - 1) and self.transition is not None:
            steps = len(self.stages) - 1
            raise ValueError(f"one transition, or one for each of the {steps} steps (there are {len(matrices)})")
        for matrix in matrices:
            if any(len(row) != len(matrix) for row in matrix):
                raise ValueError(f"a transition of as many columns as rows (it has {len(matrix)} rows)")
            # A chance of a process would be a product of two unknown ones, which lies in no box.
            if any(isinstance(entry, tuple) for row in matrix for entry in row):
                raise ValueError("a transition of numbers, without intervals")
        return self

    def _matrices(self) -> tuple[TransitionMatrix, ...]:
        """Returns the matrices of the transition: one, or one for each step; none where there is no transition."""
        if self.transition is None:
            return ()
        return (self.transition,) if depth(self.transition) == "matrix" else self.transition  # type: ignore[return-value]

    @property
    def words(self) -> str:
        within = said("within_first", model=phrase(self.within.words))
        return semicolons([said("same_people", stages=few_listed(map(Name, self.stages))), within, self._coupled])

    @property
    def _coupled(self) -> Phrase:
        """The link between a person's values, in words."""
        if self.coupling == "copies":
            return said("same_value")
        if self.coupling == "independent":
            return said("data_sets_apart")
        if self.persistence is not None:
            return said("value_stays", chance=percent(self.persistence))
        return said("value_changes")

    def joints(self) -> tuple[Belief, ...]:
        """Returns a law of everybody's processes for each law of the inner model.

        Raises:
            InputError: If records of the inner model have no finite list of values.
            TooLarge: If there are too many processes.
        """
        model, steps = self.within, self._steps()
        # Given by moments, or by the answers themselves: there are no values that could go on.
        laws = () if lawless(model) or model.gives != "laws" else model.joints()
        if not laws or any(finite_law(law) is None and law.nature.over != WITHIN for law in laws):
            raise InputError("model.within", model.kind, "a model of records with finitely many values")
        return tuple(extended(law, steps) for law in laws)

    def _steps(self) -> Steps:
        """Returns the steps from each stage to the next one."""
        if self.coupling == "independent":
            return Steps.alone(self.stages)
        later, matrices = len(self.stages) - 1, self._matrices()
        if not matrices:
            return Steps(self.stages, (Step(1.0 if self.persistence is None else self.persistence),) * later)
        steps = tuple(Step(0.0, np.array(matrix, dtype=np.float64)) for matrix in matrices)
        return Steps(self.stages, steps * later if len(steps) == 1 else steps)

    def parts_of(self) -> tuple[Model, ...]:
        return (self.within,)

    def rests_on(self) -> tuple[str, ...]:
        """Returns the assumption that the mechanisms are independent given the data (IP Eq 23), in words."""
        return (said("noises_apart"),)

    @property
    def household_columns(self) -> frozenset[str]:
        return self.within.household_columns

    def bound(self, table: Readable) -> "Linked":
        return self.altered({"within": self.within.bound(table)})

    def in_folder(self, folder: Path) -> "Linked":
        return self.altered({"within": self.within.in_folder(folder)})

    def self_contained(self) -> "Linked":
        return self.altered({"within": self.within.self_contained()})
