"""What every spec object is made of: a frozen pydantic base and the checked field types."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Signature, isabstract
from numbers import Integral, Real
from reprlib import Repr
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, TypeAlias, final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from dalenius.describing import described, signature_of
from dalenius.errors import InputError, meant

Value = bool | int | float | str
"""A value a record can take. True and False are 1 and 0."""

Chance: TypeAlias = float | tuple[float, float]
"""A probability: a number, or an interval [lo, hi] that it lies in."""


if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass as _Meta
else:
    _Meta = type(BaseModel)


class _OneLine(_Meta):
    """Built by hand in Python, a wrong field is refused in the same one line as in a spec file. Fields that the class
    calls `leading` may be given without their names. What pydantic adds to every class is not shown."""

    def __call__(cls, *values: Any, **fields: Any) -> Any:  # noqa: N805
        given = {name: plain(value) for name, value in {**_led(cls, values, fields), **fields}.items()}
        try:
            return _Meta.__call__(cls, **given)
        except ValidationError as error:
            raise first_problem(error, cls.__name__, given) from None

    def __dir__(cls) -> list[str]:  # noqa: N805
        return _own(super().__dir__(), cls)

    @property
    def __doc__(cls) -> str:  # type: ignore[override]  # noqa: N805
        return described(cls, cls.__dict__.get("__doc__") or "")

    @property
    def __signature__(cls) -> Signature:  # noqa: N805
        return signature_of(cls)

    @__signature__.setter
    def __signature__(cls, given: object) -> None:  # noqa: N805
        """pydantic's, which knows of no leading fields."""


def _led(cls: Any, values: tuple[Any, ...], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The values given without names, by the fields that lead."""
    if len(values) > len(cls.leading):
        known = ", ".join(name for name in cls.model_fields if name != "kind")
        last = values[len(cls.leading)]
        raise InputError(cls.__name__, shown(last), f"fields by their names: {known}")
    named = dict(zip(cls.leading, values, strict=False))
    for name in named.keys() & fields.keys():
        raise InputError(f"{cls.__name__}.{name}", shown(fields[name]), "it once")
    return named


@dataclass(frozen=True)
class _Brief:
    value: Any

    def __repr__(self) -> str:
        return _BRIEF.repr(self.value)


def plain(value: Any) -> Any:
    """Arrays and series as lists, also as the rows of one; numbers of other libraries as Python's."""
    if isinstance(value, list | tuple):
        return type(value)(map(_listed, value)) if type(value) in (list, tuple) else value
    return _listed(value)


def _listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def shown(value: object) -> str:
    """A number or a text as it is written, anything else by its type: it may be long, and hold data."""
    return repr(value) if isinstance(value, bool | int | float | str) else type(value).__name__


def _own(names: Iterable[str], section: Any) -> list[str]:
    """Without what is pydantic's, and of a class that says what it offers nothing else."""
    everything = section.offers is None or isabstract(section)
    shown = None if everything else {*section.model_fields, *section.offers, "model_copy"}
    return sorted(
        name
        for name in names
        if not (name in _PYDANTIC or name.startswith("__pydantic"))
        and (shown is None or name in shown or name[:2] == "__")
    )


_BRIEF: Final = Repr()
_BRIEF.maxtuple = _BRIEF.maxlist = _BRIEF.maxdict = 12
_BRIEF.maxlevel, _BRIEF.maxother, _BRIEF.maxstring = 4, 400, 80

_PYDANTIC: Final = frozenset(
    set(dir(BaseModel)).difference(dir(object)).union(vars(BaseModel))
    | {"__abstractmethods__", "__annotations__", "__class_vars__", "__final__", "__private_attributes__"}
    | {"__dir__", "__hash__", "__weakref__"}
) - {"model_copy"}
"""What every pydantic class has: no part of a section."""


class Frozen(BaseModel, metaclass=_OneLine):
    """Immutable, closed to unknown keys. The same class is the Python object, the spec section and the JSON schema."""

    # Built when first used: most of them are not, between an import and the end of a command.
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, defer_build=True)

    leading: ClassVar[tuple[str, ...]] = ()
    """Fields that may be given without their names, in this order."""

    offers: ClassVar[tuple[str, ...] | None] = None
    """What a class has to offer besides its fields, to whoever uses it; all it has where None. What its authors write
    is in the base class's help."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same but for these fields. InputError where they make no such section."""
        if not update:
            return super().model_copy(deep=deep)
        same = {name: value for name, value in self.as_given().items() if name not in update}
        checked = type(self)(**same, **update)
        return self.altered({name: getattr(checked, name) for name in update}, deep)

    def as_given(self) -> dict[str, Any]:
        """The fields that were given, and make the same section again."""
        return {name: getattr(self, name) for name in self.model_fields_set}

    def altered(self, fields: Mapping[str, Any], deep: bool = False) -> Self:
        """The same but for these, which are known to make such a section: unchecked."""
        return super().model_copy(update=fields, deep=deep)

    def __dir__(self) -> list[str]:
        return _own(super().__dir__(), type(self))

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """What differs from the defaults; of long lists the beginning."""
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            usual = not field.is_required() and value == field.get_default(call_default_factory=True)
            if field.repr and name != "kind" and not usual:
                yield name, _Brief(value)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        # Before pydantic looks, whose complaint does not say which keys there are.
        if isinstance(given, dict):
            fields = cls.model_fields
            shown = [field.alias or name for name, field in fields.items()]
            for key, value in given.items():
                if key not in fields and key not in shown:
                    raise PydanticCustomError("unknown_key", "unknown", {"key": key, "value": value, "keys": shown})
        return given


SECTIONS: Final = ("model", "query")
"""What every spec has."""
_WANTED: Final = {
    "bool_type": "true or false",
    "dict_type": "a section of keys",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le:,}",
    "literal_error": "{expected}",
    "model_attributes_type": "a section of keys",
    "model_type": "a section of keys",
    "path_type": "a path",
    "string_type": "a text",
    "too_long": "{max_length} or fewer entries",
    "too_short": "{min_length} or more entries",
    "tuple_type": "a list",
}
"""What pydantic's complaints mean to somebody who writes a spec."""


def first_problem(error: ValidationError, root: str, data: object) -> InputError:
    """The first problem of a pydantic error, as one line with its key path, the value and what was wanted.

    data: what was validated; separates keys from the names of union members, which pydantic puts in the path too.
    """
    problem = error.errors(include_url=False)[0]
    key = _path(root, problem["loc"], data) or "spec"
    kind, message, value, details = problem["type"], problem["msg"], problem["input"], problem.get("ctx", {})
    if kind == "missing" and isinstance(problem["loc"][-1], int):
        return InputError(_path(root, problem["loc"][:-1], data), value, f"{problem['loc'][-1] + 1} or more entries")
    if kind == "missing":
        section = not root and key in SECTIONS
        return InputError(key, "missing", f"a section [{key}]" if section else "a value")
    if kind == "unknown_key":
        return _unknown_key(_path(root, (*problem["loc"], details["key"]), data), details)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        known = f"one of {details['expected_tags']}" if "expected_tags" in details else "the name of a kind"
        near = "" if "tag" not in details else meant(details["tag"], re.findall(r"'([^']*)'", known))
        return InputError(_path(root, (*problem["loc"], "kind"), data), details.get("tag", "missing"), known + near)
    wanted = _WANTED[kind].format(**details) if kind in _WANTED else message.removeprefix("Value error, ")
    return InputError(key, value, wanted.removeprefix("Input should be "))


def _unknown_key(path: str, details: dict[str, Any]) -> InputError:
    section = path.rpartition(".")[0]
    keys = f"one of the keys of {section}" if section else "one of the sections"
    wanted = f"{keys}: {', '.join(details['keys'])}{meant(details['key'], details['keys'])}"
    return InputError(path, details["value"], wanted)


def _path(root: str, location: tuple[int | str, ...], data: object) -> str:
    """model.transition row 2, model.types 1.count: rows are counted from 1, as people do."""
    path, here, last = root, data, len(location) - 1
    for place, part in enumerate(location):
        if isinstance(part, int):
            path += f" row {part + 1}" if place == last else f" {part + 1}"
            here = here[part] if isinstance(here, list | tuple) and part < len(here) else None
        elif isinstance(here, list | tuple | str):
            continue  # the name of the shape it was taken for
        elif not (isinstance(here, dict) and here.get("kind") == part and (part not in here or place < last)):
            path = f"{path}.{part}" if path else part
            here = here.get(part) if isinstance(here, dict) else None
    return path


def distribution(values: tuple[float, ...]) -> tuple[float, ...]:
    """Probabilities as given, checked: none negative or NaN, sum 1 to 1e-9; scaled to sum 1 to the last digit.

    What was scaled stays as it is when it is read again.
    """
    for place, value in enumerate(values, 1):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"probabilities of at least 0 (number {place} is {value})")
    total = math.fsum(values)
    if not values or abs(total - 1) > 1e-9:
        raise ValueError(f"probabilities that sum to 1 (these sum to {total:.12g})")
    return values if abs(total - 1) <= 2**-52 else tuple(value / total for value in values)


def credal(row: tuple[Chance, ...]) -> tuple[Chance, ...]:
    """A row of probabilities, each a number or an interval [lo, hi]: as `distribution` where all are numbers, else as
    given, checked: ends in order and within [0, 1], and some law inside, to 1e-9 (`laws.credal.box`)."""
    points = tuple(each for each in row if not isinstance(each, tuple))
    if len(points) == len(row):
        return distribution(points)
    for place, (low, high) in enumerate(map(ends_of, row), 1):
        if low > high:
            raise ValueError(f"intervals [lo, hi] with lo at most hi (number {place} is [{low:.12g}, {high:.12g}])")
        if not (low >= 0 and high <= 1):
            shown = f"{low:.12g}" if low == high else f"[{low:.12g}, {high:.12g}]"
            raise ValueError(f"probabilities from 0 to 1 (number {place} is {shown})")
    least, most = (math.fsum(column) for column in zip(*map(ends_of, row), strict=True))
    if not least <= 1 + 1e-9 or not most >= 1 - 1e-9:
        shown = ", ".join(f"[{low:.6g}, {high:.6g}]" for low, high in map(ends_of, row))
        sums = f"lower ends sum to {least:.12g}, upper ends to {most:.12g}"
        raise ValueError(f"intervals with a law inside, of sum 1 ({sums}: {shown})")
    return row


def ends_of(chance: Chance) -> tuple[float, float]:
    """The interval's ends; a number is both."""
    return chance if isinstance(chance, tuple) else (chance, chance)


def is_credal(row: Sequence[Chance]) -> bool:
    """Whether some entry is written as an interval."""
    return any(isinstance(each, tuple) for each in row)


def _chance(value: Any) -> Any:
    # Read here, not left to the union: pydantic would name its members in the path.
    if isinstance(value, list | tuple):
        if len(value) != 2 or any(isinstance(end, bool) or not isinstance(end, Real) for end in value):
            raise ValueError("a number, or an interval [lo, hi] of two numbers")
        return float(value[0]), float(value[1])
    if not hasattr(_number(value), "__float__"):
        raise ValueError("a number")
    return float(value)


def _inside(chance: Chance) -> Chance:
    low, high = ends_of(chance)
    if low > high:
        raise ValueError("an interval [lo, hi] with lo at most hi")
    if not (low >= 0 and high <= 1):
        raise ValueError("a probability from 0 to 1")
    return chance


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("a finite number")
    return value


def _positive(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError("a finite number above 0")
    return value


def _level(value: float) -> float:
    if not 0 < value < 1:
        raise ValueError("a number above 0 and below 1")
    return value


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number, not true or false")
    if isinstance(value, str):  # pydantic would read "1" as 1
        raise ValueError(f"a number, not a text{_logarithm(value)}")
    return value


def _logarithm(text: str) -> str:
    """What a logarithm is, so that it can be written."""
    found = re.fullmatch(r"\s*(?:ln|log)\s*\(?\s*(\d{1,9}(?:\.\d{1,9})?)\s*\)?\s*", text)
    return f" ({text.strip()} is {math.log(float(found[1])):.10g})" if found and float(found[1]) > 0 else ""


def _integer(value: Any) -> Any:
    """Whole numbers of other libraries, such as numpy's, are whole numbers."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


def _record_value(value: Any) -> Any:
    # Read here, not left to the union: pydantic would name its members in the path.
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a finite number or a text")
    if not isinstance(value, Real | str):
        raise ValueError("a number or a text")
    return int(value) if isinstance(value, Integral) else value


def _stage(given: Any) -> Any:
    """Stages without names are numbered from 1."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


Finite = Annotated[float, BeforeValidator(_number), AfterValidator(_finite)]
Positive = Annotated[float, BeforeValidator(_number), AfterValidator(_positive)]
Level = Annotated[float, BeforeValidator(_number), AfterValidator(_level)]
RecordValue = Annotated[int | float | str, BeforeValidator(_record_value)]
Probability = Annotated[float, BeforeValidator(_number)]
Interval = Annotated[Chance, BeforeValidator(_chance), AfterValidator(_inside)]
"""One probability that may be an interval of them."""
Probabilities = Annotated[tuple[Probability, ...], AfterValidator(distribution)]
Chances = Annotated[tuple[Annotated[Chance, BeforeValidator(_chance)], ...], AfterValidator(credal)]
"""A row of probabilities of which each may be an interval: a set of laws (Theory §21)."""
MOST: Final = 10**12
"""People, groups or steps: beyond it sums of records are no longer whole numbers of 64 bits or doubles."""
AnyCount = Annotated[int, BeforeValidator(_integer), Field(gt=0, strict=True)]
"""However many: of what is bounded by moments, no law is computed."""
Count = Annotated[AnyCount, Field(le=MOST)]
StageName = Annotated[str, BeforeValidator(_stage)]


@final
class Process(str):
    """One person's values in several data sets as one value of their record: a text that lists them.

    stages: the data sets' names; values: one for each.
    """

    stages: tuple[str, ...]
    values: tuple[int | float | str, ...]

    def __new__(cls, stages: tuple[str, ...], values: tuple[int | float | str, ...]) -> Self:
        found = str.__new__(cls, ", ".join(map(str, values)))
        found.stages, found.values = stages, values
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.stages, self.values

    def joined(self, other: "Process") -> "Process":
        """The process that goes on with the other's stages."""
        return Process((*self.stages, *other.stages), (*self.values, *other.values))
