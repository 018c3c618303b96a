"""The form of a query: what was written in it, what of it is wrong and where, and the ask that it says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from dalenius.curator import Ask, read_ask
from dalenius.errors import InputError
from dalenius.server.web.fields import ENTRIES, Misread, entries, number

NAMES: Final = {
    "measure": "Measure",
    "kind": "Kind of query",
    "by": "How precise?",
    "epsilon": "Privacy",
    "within": "Wanted precision",
    "confidence": "Confidence",
}
"""Of the fields that every form has."""
PER_CENT: Final = "a number of per cent above 0 and below 100, such as 95"
LONGEST: Final = 4000
SHOWN: Final = 60


@final
@dataclass(frozen=True)
class Fault:
    """field: its id, or "" where it is of the whole."""

    field: str
    said: str


@final
class Faulty(Exception):
    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(fault.said for fault in faults))
        self.faults = faults


@final
@dataclass(frozen=True)
class Form:
    """What was written, by the fields' names."""

    given: Mapping[str, str]

    def __getattr__(self, name: str) -> str:
        return self.given.get(name, DEFAULTS.get(name, ""))

    def ask(self, labelled: bool) -> Ask:
        """Faulty where it does not say one: every fault that can be seen at once."""
        fields = entries(self.kind, labelled)
        if fields is None:
            raise Faulty(Fault("kind", f"{_quoted(self.kind)} is none of the kinds that this form can ask"))
        faults: list[Fault] = []
        query: dict[str, Any] = {"kind": self.kind}
        for name, entry in fields.items():
            text = self.given.get(name, "")
            if text.strip():
                self._read(name, entry.read, query, faults)
        asked: dict[str, Any] = {"measure": self.measure, "query": query}
        self._read("confidence", _share, asked, faults)
        if self.by not in ("epsilon", "within"):
            faults.append(Fault("by", "choose one of both"))
        elif not getattr(self, self.by).strip():
            wanted = "how much privacy to spend" if self.by == "epsilon" else "how precise the answer is to be"
            faults.append(Fault(self.by, f"say {wanted}: a number above 0, such as 0.25"))
        else:
            self._read(self.by, number, asked, faults)
        if faults:
            raise Faulty(*faults)
        try:
            return read_ask(asked)
        except InputError as error:
            raise Faulty(fault_of(error, self.given)) from None

    def _read(self, name: str, read: Any, into: dict[str, Any], faults: list[Fault]) -> None:
        text = getattr(self, name)
        try:
            if len(text) > LONGEST:
                raise Misread(f"at most {LONGEST} characters")
            into[name] = read(text)
        except Misread as error:
            faults.append(Fault(name, f"{_quoted(text)} is not {error}"))


DEFAULTS: Final = {"by": "epsilon", "confidence": "95"}


def _share(text: str) -> float:
    found = number(text.strip().removesuffix("%"))
    if not 0 < found < 100:
        raise Misread(PER_CENT)
    return float(repr(round(found / 100, 12)))


def fault_of(error: InputError, given: Mapping[str, str]) -> Fault:
    """At the field that its key names, or else what was wanted does, with what was written there."""
    parts, wanted = error.key.replace(".", " ").split(), re.findall(r"\w+", error.wanted)
    known = [part for part in parts if part in NAMES or part in ENTRIES]
    known = known or [part for part in wanted if part in ENTRIES and part in given][:1]
    field = known[-1] if known else ""
    shown = error.value if isinstance(error.value, str) else repr(error.value)
    return Fault(field, f"{_quoted(given.get(field) or shown)} was given; wanted: {error.wanted}")


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= SHOWN else flat[:SHOWN] + '…'}”"
