"""An inquiry: a question of an analyst, with the public facts of the table that decide its noise and its price.

Ana asks how many of 200 people in 70 households are ill. The 200, the sizes of the households and the policy decide the
noise, so any process may find it, and the same question gets the same noise.
"""

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TypeAlias, final

from dalenius.curator.data_set_policy import Analyst, DataSet, Measure
from dalenius.curator.prepared_release import Ready
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen
from dalenius.models import Model
from dalenius.models.model import Composition


class PolicyAsk(Frozen, abc.ABC):
    """A question of an analyst under a policy, of either sort: a query of a measure, or what is learned."""

    @property
    @abc.abstractmethod
    def certainty(self) -> float:
        """The confidence that intervals of the answer must have."""

    @property
    @abc.abstractmethod
    def share(self) -> float | None:
        """The most that the answer alone may leak, in nats; None where the question says otherwise what it costs."""

    @property
    @abc.abstractmethod
    def words(self) -> str:
        """The question in words."""

    @property
    @abc.abstractmethod
    def asked(self) -> tuple[str, str]:
        """The key that says what is asked, and its value: a refusal names both."""

    @abc.abstractmethod
    def measure_in(self, data: DataSet, analyst: Analyst) -> Measure:
        """Returns the measure whose table is read.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Raises:
            NotAllowed: For what this analyst may not ask.
            InputError: For a measure that is not among those this analyst may ask about.
        """

    @abc.abstractmethod
    def check_practised(self, data: DataSet, analyst: Analyst) -> None:
        """Refuses an ask for which there is no table to practise on.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Raises:
            NotAllowed: For an ask without such a table, or that this analyst may not ask.
            InputError: For the reasons of `measure_in`.
        """

    @abc.abstractmethod
    def ledger_text(self, data: DataSet, analyst: Analyst) -> str | None:
        """Returns the text by which the ledger knows the ask; None where that depends on the people.

        Args:
            data: The data set.
            analyst: The analyst who asks.

        Raises:
            NotAllowed: For what this analyst may not ask.
        """

    @abc.abstractmethod
    def ready(self, inquiry: "Inquiry") -> Ready:
        """Finds the noise and the price of an `inquiry` that asks this (`ready_of`)."""


@final
@dataclass(frozen=True)
class Public:
    """The public facts of a table, by the policy: everything that prices may depend on.

    Attributes:
        size: How many people there are.
        labels: How many people have each label.
        homes: How many households have each composition, for models that read who lives with whom.
        model: The model of these people, which follows from the rest and from the policy.
    """

    size: int
    labels: Mapping[str, int]
    homes: Mapping[Composition, int]
    model: Model = field(compare=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all but the model, under which noises are remembered."""
        found = self.size, sorted(self.labels.items()), sorted(self.homes.items())
        return sha256(repr(found).encode()).hexdigest()


@final
@dataclass(frozen=True)
class Inquiry:
    """An ask with everything that decides its noise and its price.

    Attributes:
        data: The data set of the policy.
        measure: The measure that is asked about.
        public: The public facts of the table.
        ask: The ask.
        analyst: Who has it computed; the noise and the price do not depend on it.
    """

    data: DataSet
    measure: Measure
    public: Public
    ask: PolicyAsk
    analyst: str

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The key of everything that decides the noise and the price; who asks is not in it."""
        return self.data.name, self.measure.name, self.public.digest, self.ask.model_dump_json()


Compute: TypeAlias = Callable[[Inquiry], Ready]


def ready_of(inquiry: Inquiry) -> Ready:
    """Find the noise of an inquiry and its price.

    InputError and Refused where it cannot be asked; OverflowError or ZeroDivisionError where its numbers are too large
    or too small to compute with.
    """
    return inquiry.ask.ready(inquiry)


def not_computable(ask: PolicyAsk) -> InputError:
    """Make the refusal of an ask whose numbers are beyond doubles."""
    wanted = "numbers that are neither too large nor too small to compute with"
    return InputError("ask", ask.model_dump_json(exclude_none=True), wanted)
