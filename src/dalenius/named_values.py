"""Values by name, whose misspelt names are answered with the names that there are."""

from collections.abc import Iterable
from typing import TypeVar, final

from dalenius.errors import InputError, listed, meant

_Value = TypeVar("_Value")


@final
class NoSuchName(InputError, KeyError):
    """The error of a name that is not there. It is a KeyError too, as mappings have it.

    >>> print(no_such_name("notion", "inferrential", ["inferential", "information"]))
    notion: inferrential, wanted one of inferential, information (did you mean inferential?)
    """

    def __str__(self) -> str:
        """Returns the message. A KeyError would show its quoted form."""
        return Exception.__str__(self)


def no_such_name(what: str, name: object, known: Iterable[str]) -> NoSuchName:
    """Make the error of a name that is not there.

    Args:
        what: What is named, such as `notion`.
        name: The name that was asked for.
        known: The names that there are.
    """
    there = list(known)
    return NoSuchName(what, name, f"one of {listed(there)}{meant(name, there)}" if there else "nothing: there is none")


@final
class NamedValues(dict[str, _Value]):
    """A dictionary of results, in which a misspelt name says which names there are.

    >>> routes = NamedValues("route", {"joint": 0.9, "group": 1.0})
    >>> routes["join"]
    Traceback (most recent call last):
    dalenius.named_values.NoSuchName: route: join, wanted one of joint, group (did you mean joint?)
    >>> routes.get("join"), routes == {"joint": 0.9, "group": 1.0}
    (None, True)
    """

    def __init__(self, what: str, values: dict[str, _Value]) -> None:
        """Takes the values by name; what: what is named, such as `route`."""
        super().__init__(values)
        self.what = what

    def __missing__(self, name: str) -> _Value:
        raise no_such_name(self.what, name, self)

    def __reduce__(self) -> tuple[object, ...]:
        return NamedValues, (self.what, dict(self))
