"""One person's values at several times or in several data sets, as one value of a record."""

from typing import Any, Self, final


@final
class Process(str):
    """One person's values in several data sets as one value of their record: a text that lists them.

    It is a text, so that everything that shows a record's value shows it.

    Args:
        stages: The data sets' names.
        values: One value for each data set.

    >>> Process(("now", "then"), (0, 1))
    '0, 1'
    """

    stages: tuple[str, ...]
    values: tuple[int | float | str, ...]

    def __new__(cls, stages: tuple[str, ...], values: tuple[int | float | str, ...]) -> Self:
        found = str.__new__(cls, ", ".join(map(str, values)))
        found.stages, found.values = stages, values
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.stages, self.values
