"""The base of models: the adversary's belief about the records before any release.

Two models are made of others. `AnyOf` takes the worst of several (a Pufferfish class, Kifer & Machanavajjhala);
`Product` takes each for other people. A model has words, and can be widened so that its probabilities may be off by a
factor. With a factor of 1.1, a coin shows 1 with probability 5/11 to 11/20, and an impossible value stays impossible:

>>> from math import log
>>> [tuple(round(end, 6) for end in ends_of(each)) for each in widened_row((0.5, 0.5, 0.0), log(1.1))]
[(0.454545, 0.55), (0.454545, 0.55), (0.0, 0.0)]
>>> percent((0.1, 0.25)), few_listed(map(Name, "abcdefghi"))
('10 % to 25 %', 'a, b, c, d, e, f, and 3 more')
"""

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product as pairings
from math import exp, inf, nextafter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Protocol, Self, TypeAlias, final

from pydantic import Field

from dalenius import wings
from dalenius.errors import InputError
from dalenius.fields import Chance, Level, RecordValue, ends_of, is_credal
from dalenius.frozen_section import Frozen
from dalenius.households_left_out import HouseholdsLeftOut
from dalenius.joints.joint import WITHIN, Belief, Joint, finite_law
from dalenius.joints.product_of_joint_laws import product_of
from dalenius.left_out import LeftOut
from dalenius.omitted import Omitted
from dalenius.plugins import Kinds
from dalenius.sentences.sentence import Figure, Name, Phrase, few_listed, phrase, said, value_phrase

_PRODUCT_WITH_INTERVALS: Final = wings.Part[Callable[[Sequence[Belief]], Belief]]("product with intervals")
_PRODUCT_OF_NORMAL_LAWS: Final = wings.Part[Callable[[Sequence[Any]], Belief]]("product of normal laws")

if TYPE_CHECKING:
    from dalenius.joints.chain_over_time import OverTime
    from dalenius.models.largest_groups import Smaller
    from dalenius.models.sample import Sample


def percent(chance: Chance) -> Phrase:
    """Writes a chance, or an interval of chances, in per cent."""
    low, high = ends_of(chance)
    return _percent(low) if low == high else said("range", low=_percent(low), high=_percent(high))


def rows(values: Sequence[RecordValue], row: Sequence[Chance]) -> Phrase:
    """Lists the `values` of a record, each with its chance in `row`."""
    pairs = zip(values, row, strict=True)
    return few_listed(said("with_chance", value=value_phrase(value), chance=percent(chance)) for value, chance in pairs)


def _percent(chance: float) -> Figure:
    return Figure(f"{100 * chance:.6g} %")


def widened_row(row: Sequence[Chance], log_factor: float) -> tuple[Chance, ...]:
    """Widens each chance of `row` to [lower e^-log_factor, min(1, upper e^log_factor)], rounded outwards; 0 stays 0."""
    down, up = nextafter(exp(-log_factor), 0.0), nextafter(exp(log_factor), inf)
    return tuple(_widened(*ends_of(entry), down, up) for entry in row)


def widened_rows(rows: Sequence[Sequence[Chance]], log_factor: float) -> tuple[tuple[Chance, ...], ...]:
    """Widens every one of `rows` by `log_factor` nats, as `widened_row` does."""
    return tuple(widened_row(row, log_factor) for row in rows)


def _widened(low: float, high: float, down: float, up: float) -> Chance:
    # Because a factor off from 0 is 0, an impossible value stays impossible.
    if high == 0:
        return 0.0
    return nextafter(low * down, 0.0), min(1.0, nextafter(high * up, inf))


Composition: TypeAlias = tuple[tuple[str, int], ...]
"""The members of a household: pairs of a label and how many members have it."""

Given: TypeAlias = Literal["laws", "moments", "answers"]


class Model(Frozen, abc.ABC):
    """The adversary's belief before any release: a spec of one or several joint laws of the records.

    With several laws, every promise is for the worst of them (Pufferfish).

    Args:
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.
    """

    kind: str
    confidence: Level | None = None

    @abc.abstractmethod
    def joints(self) -> tuple[Belief, ...]:
        """Returns the laws, which may be sets of laws; most models have one.

        Raises:
            InputError: If the model has no law of the records.
        """

    @property
    def gives(self) -> Given:
        """The kind of the belief: `laws` of the records, by default; their `moments`, and no law; or the `answers`.

        The answers need no query.
        """
        return "laws"

    @property
    def words(self) -> str:
        """The belief as one plain sentence with its numbers, without a full stop."""
        return said("model_of_kind", kind=Name(self.kind))

    def over_time(self, steps: int | None = None) -> "OverTime | None":
        """Returns the model as one person's values over time, if its records are that.

        Args:
            steps: How many steps, which may be more or fewer than the model's; None for the model's own number.

        Returns:
            The process; None where the records are not one person's.

        Raises:
            InputError: If the model does not say how it goes on.
        """
        return None

    def parts_of(self) -> tuple["Model", ...]:
        """Returns the models that it is made of; none by default."""
        return ()

    def drawn(self) -> "Sample | None":
        """Returns how a sample is drawn, where queries ask a sample; None (the default) where they ask everybody."""
        return None

    @property
    def household_columns(self) -> frozenset[str]:
        """The columns of the user's table that give households; empty where the model gives its groups itself."""
        return frozenset()

    def rests_on(self) -> tuple[str, ...]:
        """Returns the assumptions of a promise under this model, besides the model itself, in words."""
        return ()

    def omitted(self) -> tuple[Omitted, ...]:
        """Returns which rows of its files were left out; by default those of its parts."""
        return tuple(dict.fromkeys(each for part in self.parts_of() for each in part.omitted()))

    def widened(self, log_factor: float) -> "Model":
        """Returns the model of all laws whose probabilities are off by a factor at most; 0 stays 0.

        Args:
            log_factor: The logarithm of the factor, in nats: each probability may be off by e^±log_factor.

        Returns:
            The model with intervals in place of its probabilities.

        Raises:
            InputError: If the model is not given by probabilities.
        """
        raise InputError("model.kind", self.kind, "a model given by probabilities, to be off by a factor")

    def without_largest(self) -> "Smaller | None":
        """Returns the model without the few people in its largest groups; None where it has no such groups."""
        return None

    def bound(self, table: "Readable") -> Self:
        """Returns the model completed from the user's table, if it reads any of it.

        Args:
            table: The table of `[data]`.

        Returns:
            The completed model; the model itself where it reads nothing.

        Raises:
            InputError: If the model gives already what it would read.
        """
        return self

    def in_folder(self, folder: Path) -> Self:
        """Returns the model as in a spec in this folder.

        Args:
            folder: The folder that the paths of the model's files are relative to.

        Returns:
            The model with paths that begin with the folder.
        """
        return self

    def self_contained(self) -> "Model":
        """Returns the model with the contents of its files written out, as in a certificate that outlives them."""
        return self


def finite_joints(model: Model) -> tuple[Joint, ...]:
    """Returns the laws of a `model` whose records have finitely many values; InputError if one of them is another."""
    laws = [finite_law(belief) for belief in model.joints()]
    found = tuple(law for law in laws if law is not None)
    # The case of jointly normal records, an absence, or sets of laws within intervals.
    if len(found) < len(laws):
        raise InputError("model.kind", model.kind, "a model whose records have laws of finitely many values")
    return found


def lawless(model: Model) -> bool:
    """Says whether `model` gives some records by moments only, so that there is no law to compute."""
    return model.gives == "moments" or any(map(lawless, model.parts_of()))


def confidence_of(model: Model) -> float | None:
    """Returns the confidence that the true law is among the model's, and its parts' among theirs (Bonferroni).

    Returns:
        The confidence; None where nothing was fitted. 0 or below means none at all, as too much was fitted.
    """
    # Because two models fitted to 95 % each are both right with 90 % at least, whatever the errors' dependence.
    own = () if model.confidence is None else (model.confidence,)
    found = [*own, *(level for part in model.parts_of() if (level := confidence_of(part)) is not None)]
    return found[0] if len(found) == 1 else 1 - sum(1 - each for each in found) if found else None


def given_intervals(rows: Iterable[Sequence[Chance]]) -> tuple[str, ...]:
    """Returns what a promise rests on under a model with these rows: nothing but the model where all are numbers."""
    return (said("every_law"),) if any(map(is_credal, rows)) else ()


class Readable(Protocol):
    """The part of the user's table that a model may read."""

    def compositions(self) -> Mapping[Composition, int]:
        """Returns how many households there are of each composition."""

    def left_out(self, one_by_one: bool) -> LeftOut:
        """Returns the query's answers without each person.

        one_by_one: whether they are in the table's order, one for each person, or by distinct answer.
        """

    def households_left_out(self, whole: float) -> HouseholdsLeftOut:
        """Returns the query's answers without each household, or without each member, of a table in its order.

        whole: the probability that a whole household is absent, if somebody of it is.
        """


MODELS: Final = Kinds("model", "dalenius.models.model:Model", "dalenius.models")

AnyModel: TypeAlias = Annotated[Model, MODELS]
"""A model of any kind, as a section of a spec."""


class CompositeModel(Model, abc.ABC):
    """A model made of others: a change of it, such as widening, changes each of them."""

    of: ClassVar[str]
    """The field that has the parts."""

    def parts_of(self) -> tuple[Model, ...]:
        found: tuple[Model, ...] = getattr(self, self.of)
        return found

    def _each(self, change: Callable[[Model], Model]) -> Self:
        """Returns a copy with every part changed."""
        return self.altered({self.of: tuple(map(change, self.parts_of()))})

    def in_folder(self, folder: Path) -> Self:
        return self._each(lambda part: part.in_folder(folder))

    def self_contained(self) -> Self:
        return self._each(lambda part: part.self_contained())

    def widened(self, log_factor: float) -> Self:
        return self._each(lambda part: part.widened(log_factor))

    def _numbered(self) -> Phrase:
        """Returns the words of the parts, numbered."""
        numbered = enumerate(self.parts_of(), 1)
        each = (said("numbered", number=number, words=phrase(part.words)) for number, part in numbered)
        return few_listed(each, "between_clauses")


@final
class AnyOf(CompositeModel):
    """Several models of the same people; the worst of them counts (a Pufferfish class).

    The leakage is the largest over the models. A noise must keep the promise under each of them.

    Args:
        models: What the adversary may believe; at least one model.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        >>> import dalenius as dl
        >>> coins = [dl.Independent(n=3, probabilities=[p]) for p in (0.2, 0.5)]
        >>> found = dl.InformationPrivacy().leakage(dl.Release(dl.AnyOf(models=coins), dl.Count(), dl.Laplace(1.0)))
        >>> f"{found.upper:.4f}"
        '0.7046'

    Notes:
        Kifer and Machanavajjhala's Pufferfish with a list of models; Theory §1.
    """

    of: ClassVar[str] = "models"
    kind: Literal["any"] = "any"
    models: tuple[AnyModel, ...] = Field(min_length=1)

    @property
    def words(self) -> str:
        return said("any_of", models=self._numbered())

    def rests_on(self) -> tuple[str, ...]:
        return (said("each_listed_model"),)

    @property
    def household_columns(self) -> frozenset[str]:
        return frozenset().union(*(each.household_columns for each in self.models))

    @property
    def gives(self) -> Given:
        return "laws" if any(each.gives == "laws" for each in self.models) else "answers"

    def bound(self, table: Readable) -> Self:
        return self._each(lambda part: part.bound(table))

    def joints(self) -> tuple[Belief, ...]:
        return tuple(joint for model in self.models for joint in model.joints())


@final
class Product(CompositeModel):
    """Several models of disjoint people who do not depend on each other.

    People are numbered on from part to part. Parts with several laws give all combinations.

    Args:
        parts: The models; at least one. Normal records do not go beside others, and `Absent` is no part.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        >>> import dalenius as dl
        >>> couples = dl.Households(count=2, infected=[0.5, 0.2, 0.3])
        >>> town = dl.Product(parts=[couples, dl.Independent(n=3, probabilities=[0.1])])
        >>> sum(person.people for person in town.joints()[0].subjects())
        7
    """

    of: ClassVar[str] = "parts"
    kind: Literal["product"] = "product"
    parts: tuple[AnyModel, ...] = Field(min_length=1)

    @property
    def words(self) -> str:
        return said("several_parts", parts=self._numbered())

    def joints(self) -> tuple[Belief, ...]:
        return tuple(_together(choice) for choice in pairings(*(part.joints() for part in self.parts)))


def _together(parts: Sequence[Belief]) -> Belief:
    """Returns the joint law of independent parts, whose people are numbered on.

    Parts have finitely many values, are jointly normal, or are sets of laws within intervals.

    Raises:
        InputError: If the parts have no law together.
    """
    # The case of households with intervals beside a survey's people without any.
    if any(part.nature.over == WITHIN for part in parts):
        return _PRODUCT_WITH_INTERVALS.function(parts)
    joints = [part for part in parts if isinstance(part, Joint)]
    normal = [part for part in parts if part.nature.secret == "number"]
    # Because an absence is a question about the full table, it is no part beside others.
    if len(joints) + len(normal) < len(parts):
        raise InputError("model.parts", "absent", "parts that are models of records: one person is absent in all")
    # The case of records of listed values beside real numbers: no law of both together is computed.
    if joints and normal:
        raise InputError("model.parts", "gaussian beside others", "parts that are all gaussian, or none of them")
    return product_of(joints) if joints else _PRODUCT_OF_NORMAL_LAWS.function(normal)
