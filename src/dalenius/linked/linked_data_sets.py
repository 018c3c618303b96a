"""The same people in several data sets: each person is a process, its values one per data set (IP Def 5).

Within a data set the records depend on each other as an inner model says. Over the data sets each person goes on from
their own first value: all values are equal (IP Prop 7), or they are a Markov chain of the person's own; or the data
sets are independent of each other (IP Prop 8).

A bit that is 1 with probability 1/4 is counted at each of two stages through Laplace(1). About its value at the first
stage that leaks 2 nats where both are copies (IP Prop 7), 1.535 where it is kept with probability 1/2 and else drawn
anew, and 1 where the stages are independent (IP Prop 8). The hypothesis is in each case that the noises are independent
of each other.
"""

from collections.abc import Iterable
from itertools import product as pairings
from pathlib import Path
from typing import Annotated, Any, Literal, final

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from dalenius.errors import InputError
from dalenius.joints.joint import WITHIN, Belief, Joint
from dalenius.linked.laws_over_data_sets import extended, independent_stages
from dalenius.linked.person_process import Step, Steps
from dalenius.models.chain import TransitionMatrix
from dalenius.models.model import Composition, InnerModel, Model, Readable, few_listed, percent
from dalenius.schema import Probability

# Copies have few processes at any number of stages; more stages than these are a typing error.
_MOST = 64
"""Stages of one model."""


def _names(given: Any) -> Any:
    """Stages that are only counted are named by their numbers."""
    # stages = 3, where a spec need not call them anything.
    if isinstance(given, bool) or not isinstance(given, int):
        return given
    if not 1 <= given <= _MOST:
        raise ValueError(f"from 1 to {_MOST} stages, or a list of their names")
    return tuple(str(number) for number in range(1, given + 1))


@final
class Linked(Model):
    """One person's values in several data sets are one secret: a process.

    stages: the names of the data sets, or how many there are. within: the model of the first one's records, or of
    independent ones a list with the model of each.

    coupling: what links a person's values: "copies" of each other, a "chain" from stage to stage, or "independent".
    transition: of a chain, a matrix over the record's values. persistence: instead of it the probability that a value
    stays; otherwise it is drawn anew, from the law that the person's value has at the first stage, so that everybody's
    law is the same at all stages.
    """

    kind: Literal["linked"] = "linked"
    stages: Annotated[
        tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_names), Field(min_length=1, max_length=_MOST)
    ]
    within: Annotated[
        tuple[InnerModel, ...],
        BeforeValidator(lambda given: given if isinstance(given, list | tuple) else (given,)),
        Field(min_length=1),
    ]
    coupling: Literal["copies", "independent", "chain"]
    transition: TransitionMatrix | None = None
    persistence: Annotated[Probability, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Linked":
        for place, name in enumerate(self.stages):
            # A query names the stage it asks: of two with one name it would be unclear which.
            if name in self.stages[:place]:
                raise ValueError(f"stages of different names ({name!r} is there twice)")
        if self.coupling == "independent" and len(self.within) not in (1, len(self.stages)):
            count = len(self.stages)
            raise ValueError(f"within to be one model, or one for each of the {count} stages (not {len(self.within)})")
        # A person's later values go on from the first stage: a model of the second would contradict them.
        if self.coupling != "independent" and len(self.within) > 1:
            raise ValueError(f"within to be one model, of the first stage, beside coupling {self.coupling}")
        given = [each is not None for each in (self.transition, self.persistence)]
        # A persistence beside copies: a chain may have been meant.
        if self.coupling != "chain" and any(given):
            raise ValueError(f"no transition or persistence beside coupling {self.coupling}")
        # Neither says how values change, and both would say it twice.
        if self.coupling == "chain" and given.count(True) != 1:
            raise ValueError("either transition or persistence beside coupling chain")
        if any(len(row) != len(self.transition or ()) for row in self.transition or ()):
            raise ValueError(f"a transition of as many columns as rows (it has {len(self.transition or ())} rows)")
        return self

    @property
    def words(self) -> str:
        within = few_listed((each.words for each in self.within), "; ")
        return f"the same people at {few_listed(self.stages)}; within the first: {within}; {self._coupled}"

    @property
    def _coupled(self) -> str:
        """What links a person's values, in words."""
        if self.coupling == "copies":
            return "a person's value is the same everywhere"
        if self.coupling == "independent":
            return "a person's values do not depend on each other"
        if self.persistence is not None:
            return (
                f"from one to the next a person's value stays with {percent(self.persistence)}, and else is drawn anew"
            )
        return "from one to the next a person's value changes with the given chances"

    def joints(self) -> tuple[Belief, ...]:
        """A law of everybody's processes for each law of the inner model, with independent stages for each choice of
        one at every stage. InputError for inner models whose records have no finite list of values; TooLarge for too
        many processes."""
        # Independent stages may each have a model of its own; a first value goes on from one only.
        if self.coupling != "independent":
            steps = Steps(self.stages, self._step())
            return tuple(extended(law, steps) for law in _of_values(self.within[0]))
        laws = [_finite(model) for model in self.within]
        each = laws if len(laws) > 1 else laws * len(self.stages)
        return tuple(independent_stages(choice, self.stages) for choice in pairings(*each))

    def _step(self) -> Step:
        """From each stage to the next one."""
        if self.transition is not None:
            return Step(0.0, np.array(self.transition, dtype=np.float64))
        return Step(1.0 if self.persistence is None else self.persistence)

    def parts_of(self) -> tuple[Model, ...]:
        return self.within

    def rests_on(self) -> tuple[str, ...]:
        """The mechanisms are independent given the data (IP Eq 23)."""
        return ("the noises of different data sets are drawn independently of each other",)

    @property
    def household_columns(self) -> frozenset[str]:
        return frozenset().union(*(each.household_columns for each in self.within))

    def household_of(self, law: int, person: int) -> Composition | None:
        # Independent stages may each have households of their own, and then none is the person's only one.
        return self.within[0].household_of(law, person) if len(self.within) == 1 else None

    def bound(self, table: Readable) -> "Linked":
        return self._of(each.bound(table) for each in self.within)

    def in_folder(self, folder: Path) -> "Linked":
        return self._of(each.in_folder(folder) for each in self.within)

    def self_contained(self) -> "Linked":
        return self._of(each.self_contained() for each in self.within)

    def _of(self, within: Iterable[Model]) -> "Linked":
        """The same with other inner models."""
        return self.altered({"within": tuple(within)})


def _of_values(model: Model) -> tuple[Belief, ...]:
    """The model's laws, and its sets of laws. InputError where they are not of records with finitely many values."""
    # Given by moments, or by the answers themselves: there are no values that could go on.
    found = () if model.lawless or model.reveals_answers else model.joints()
    if not found or any(belief.finite is None and belief.nature.over != WITHIN for belief in found):
        raise InputError("model.within", model.kind, "a model of records with finitely many values")
    return found


def _finite(model: Model) -> tuple[Joint, ...]:
    """Its laws, where none is a set. InputError as above, and where one is."""
    found = _of_values(model)
    laws = tuple(law for law in (belief.finite for belief in found) if law is not None)
    # Households whose chances are intervals, at independent stages: a product of two unknown laws is in no box.
    if len(laws) < len(found):
        wanted = "numbers beside coupling independent (copies and a chain go with intervals)"
        raise InputError("model.within", "probabilities that are intervals", wanted)
    return laws
