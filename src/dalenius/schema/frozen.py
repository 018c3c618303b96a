"""The frozen pydantic base of every spec object."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import Signature, isabstract
from reprlib import Repr
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from dalenius.describing import described, signature_of
from dalenius.errors import InputError
from dalenius.schema.given import plain, shown
from dalenius.schema.problems import first_problem

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

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).model_fields or (name not in dir(type(self)) and not name.startswith("_")):
            raise InputError(name, shown(value), "no change: model_copy(update={...}) makes another")
        super().__setattr__(name, value)

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
