"""What every spec object is made of: a frozen pydantic base and the checked field types."""

import math
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

from dalenius.errors import InputError

Value = bool | int | float | str
"""A value a record can take. True and False are 1 and 0."""


class _OneLine(type(BaseModel)):  # type: ignore[misc]
    """Built by hand in Python, a wrong field is refused in the same one line as in a spec file."""

    def __call__(cls, **fields: Any) -> Any:
        try:
            return type(BaseModel).__call__(cls, **fields)
        except ValidationError as error:
            raise first_problem(error, cls.__name__) from None


class Frozen(BaseModel, metaclass=_OneLine):
    """Immutable, closed to unknown keys. The same class is the Python object, the spec section and the JSON schema."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


def first_problem(error: ValidationError, root: str) -> InputError:
    """The first problem of a pydantic error, as one line with its key path, the value and what was wanted."""
    problem = error.errors(include_url=False)[0]
    location = list(problem["loc"])
    key = ".".join([root, *(str(part) for part in location)])
    kind, message, value = problem["type"], problem["msg"], problem["input"]
    if kind == "missing":
        return InputError(key, "missing", "a value")
    if kind == "extra_forbidden":
        return InputError(key, value, "no such key")
    wanted = message.removeprefix("Value error, ").removeprefix("Input should be ")
    return InputError(key, value, wanted)


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
