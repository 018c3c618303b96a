"""What every spec object is made of: a frozen pydantic base and the checked field types."""

import math
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from dalenius.errors import InputError

Value = bool | int | float | str
"""A value a record can take. True and False are 1 and 0."""


if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass as _Meta
else:
    _Meta = type(BaseModel)


class _OneLine(_Meta):
    """Built by hand in Python, a wrong field is refused in the same one line as in a spec file."""

    def __call__(cls, **fields: Any) -> Any:  # noqa: N805
        try:
            return _Meta.__call__(cls, **fields)
        except ValidationError as error:
            raise first_problem(error, cls.__name__, fields) from None


class Frozen(BaseModel, metaclass=_OneLine):
    """Immutable, closed to unknown keys. The same class is the Python object, the spec section and the JSON schema."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


def first_problem(error: ValidationError, root: str, data: object) -> InputError:
    """The first problem of a pydantic error, as one line with its key path, the value and what was wanted.

    data: what was validated; it tells keys from the names of union members, which pydantic puts in the path too.
    """
    problem = error.errors(include_url=False)[0]
    key = _path(root, problem["loc"], data)
    kind, message, value = problem["type"], problem["msg"], problem["input"]
    if kind == "missing":
        return InputError(key, "missing", "a value")
    if kind == "extra_forbidden":
        return InputError(key, value, "no such key")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        found = problem["ctx"].get("tag", "missing")
        known = problem["ctx"].get("expected_tags", "the name of a kind")
        return InputError(f"{key}.kind", found, f"one of {known}")
    wanted = message.removeprefix("Value error, ").removeprefix("Input should be ")
    return InputError(key, value, wanted)


def _path(root: str, location: tuple[int | str, ...], data: object) -> str:
    """model.transition row 2, model.types 1.count: rows are counted from 1, as people do."""
    path, here, last = root, data, len(location) - 1
    for place, part in enumerate(location):
        if isinstance(part, int):
            path += f" row {part + 1}" if place == last else f" {part + 1}"
            here = here[part] if isinstance(here, list | tuple) and part < len(here) else None
        elif not (isinstance(here, dict) and part not in here and here.get("kind") == part):
            path += f".{part}"
            here = here.get(part) if isinstance(here, dict) else None
    return path


def distribution(values: tuple[float, ...]) -> tuple[float, ...]:
    """Probabilities as given, checked: none negative or NaN, sum 1 to 1e-9; scaled to sum 1 to the last digit."""
    for place, value in enumerate(values, 1):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"probabilities of at least 0 (number {place} is {value})")
    total = math.fsum(values)
    if not values or abs(total - 1) > 1e-9:
        raise ValueError(f"probabilities that sum to 1 (these sum to {total:.12g})")
    return tuple(value / total for value in values)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("a finite number")
    return value


def _positive(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError("a finite number above 0")
    return value


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number, not true or false")
    return value


def _as_number(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


Finite = Annotated[float, BeforeValidator(_no_truth), AfterValidator(_finite)]
Positive = Annotated[float, BeforeValidator(_no_truth), AfterValidator(_positive)]
RecordValue = Annotated[int | float | str, BeforeValidator(_as_number)]
Probability = Annotated[float, BeforeValidator(_no_truth)]
Probabilities = Annotated[tuple[Probability, ...], AfterValidator(distribution)]
Count = Annotated[int, Field(gt=0, strict=True)]
