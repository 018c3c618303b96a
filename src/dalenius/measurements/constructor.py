"""A constructor of OpenDP with its arguments, as OpenDP itself keeps them beside each object that it makes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from dalenius.errors import InputError

RESTATED: Final = (
    "make_approximate",
    "make_fix_delta",
    "make_fixed_approxDP_to_approxDP",
    "make_pureDP_to_zCDP",
    "make_zCDP_to_approxDP",
)
"""Constructors that state the loss of a measurement in other terms, and change nothing that goes out."""


@final
@dataclass(frozen=True, eq=False)
class Constructor:
    """A constructor and its arguments.

    Attributes:
        made: The object that it made, such as a measurement.
        name: Its name in OpenDP, such as `make_laplace`.
        arguments: Its arguments by name; objects of OpenDP among them.
    """

    made: Any
    name: str
    arguments: Mapping[str, Any]

    def argument(self, name: str) -> "Constructor":
        """Returns the constructor of the argument called `name`, which is itself an object of OpenDP."""
        return constructor_of(self.arguments[name])

    @property
    def last_word(self) -> "Constructor":
        """The constructor of what goes out: this one, without others around it that state its loss in other terms."""
        return self.argument("measurement").last_word if self.name in RESTATED else self

    @property
    def atom(self) -> str:
        """The type of a single value of the input domain, such as `i32`; empty for other domains."""
        found = re.search(r"AtomDomain\((?:.*\b)?T=(\w+)\)", str(self.made.input_domain))
        return found[1] if found else ""

    @property
    def size(self) -> int | None:
        """The number of records of the input domain; None where it is not known."""
        found = re.search(r"\bsize=(\d+)\)$", str(self.made.input_domain))
        return int(found[1]) if found else None

    def in_turn(self) -> Iterator["Constructor"]:
        """Yields the transformations of a chain, the first one first."""
        if self.name == "make_chain_tt":
            yield from self.argument("transformation0").in_turn()
            yield from self.argument("transformation1").in_turn()
        else:
            yield self


def constructor_of(made: Any) -> Constructor:
    """Returns the constructor of `made`, an object of OpenDP; InputError for anything else."""
    known = getattr(made, "__opendp_dict__", None)
    # Because a file's name or its text may be given instead of the measurement that `read_measurement` reads from it.
    if not isinstance(known, dict) or "__function__" not in known:
        shown = type(made).__name__
        raise InputError("measurement", shown, "a measurement of OpenDP, or read_measurement of its file")
    return Constructor(made, str(known["__function__"]), known.get("__kwargs__", {}))


def check_measurement(made: Any) -> Constructor:
    """Returns the constructor of `made`, a measurement of OpenDP; InputError for anything else."""
    if type(made).__name__ != "Measurement":
        raise InputError("measurement", type(made).__name__, "a Measurement of OpenDP")
    return constructor_of(made)
