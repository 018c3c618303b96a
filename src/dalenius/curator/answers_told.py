"""Answers that an analyst was told: a sequence in their order, which is also one table."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, final, overload

from dalenius.curator.recorded_answers import Recorded
from dalenius.tabular import Cell, Tabular


class AnswerTold(Protocol):
    """One release that an analyst was told: the number of its debit, and the answer where there is one."""

    @property
    def number(self) -> int: ...
    @property
    def failed(self) -> bool: ...
    @property
    def recorded(self) -> Recorded | None: ...


_Told = TypeVar("_Told", bound=AnswerTold)


@final
@dataclass(frozen=True, repr=False, init=False)
class AnswersTold(Tabular, Sequence[_Told], Generic[_Told]):
    """The releases that an analyst was told, in their order.

    Attributes:
        paid: The releases.
    """

    paid: tuple[_Told, ...]

    def __init__(self, paid: Iterable[_Told]) -> None:
        object.__setattr__(self, "paid", tuple(paid))

    @overload
    def __getitem__(self, place: int) -> _Told: ...
    @overload
    def __getitem__(self, place: slice) -> "AnswersTold[_Told]": ...
    def __getitem__(self, place: int | slice) -> "_Told | AnswersTold[_Told]":
        return AnswersTold(self.paid[place]) if isinstance(place, slice) else self.paid[place]

    def __iter__(self) -> Iterator[_Told]:
        return iter(self.paid)

    def __len__(self) -> int:
        return len(self.paid)

    @property
    def caption(self) -> str:
        """The title of the table."""
        failed = sum(each.recorded is None for each in self.paid)
        return f"Answers told: {len(self.paid) - failed} releases{f', and {failed} without an answer' * bool(failed)}"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each answer, in the order in which the releases were paid for.

        `entry` is the number of the answer's entry in the ledger, `released` its time in UTC, `asked` the question in
        words; `label`, `answer`, `lower` and `upper` are those of `Recorded.records`.
        """
        return [
            {
                "entry": done.entry,
                "released": str(done.published.certificate.get("released", "")),
                "asked": str(done.published.certificate.get("asked", "")),
                **row,
            }
            for each in self.paid
            if (done := each.recorded) is not None
            for row in done.records()
        ]
