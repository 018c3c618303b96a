"""The report of `dalenius audit`, as a table with sentences for people, and as JSON for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from dalenius.bounds import Enclosure, either
from dalenius.channel.leakage import NEAR
from dalenius.cli.output import Further, advise, print_json, print_table, say
from dalenius.notions import Leakage, Notion, leakage_in_words
from dalenius.spec.results_as_json import delta_json, leakage_json
from dalenius.spec.results_in_words import companion_words, enclosed, how_likely, where, whose

_NATS: Final = "nats: natural logarithms of factors; 0.6931 (ln 2) is a factor of 2, 0 is nothing"
_NUMBERED: Final = "person: the model numbers people itself"


@final
@dataclass(frozen=True)
class AuditReport:
    """The leakage of a release by notion, and what else was asked of it.

    Attributes:
        leakages: The leakage by the kind of the notion, in nats.
        notions: The notions by their kinds.
        epsilon: The epsilon in nats at which deltas are reported; None where none is.
        deltas: The least delta by the kind of the notion.
        questions: The leakage of each question of the spec alone; empty where the spec has one question.
        further: The answers to the other options, in the order in which they are shown.
        engine: The engine by its public name.
        why: Why that engine was chosen.
        seconds: The seconds that the audit took.
        numbered: Whether there is a table whose rows a reader may look people up in.
        limited: Why only bounds are known; None where the laws are.
    """

    leakages: Mapping[str, Leakage]
    notions: Mapping[str, Notion]
    epsilon: float | None
    deltas: Mapping[str, Enclosure]
    questions: Sequence[Further]
    further: Sequence[Further]
    engine: str
    why: str
    seconds: float
    numbered: bool
    limited: str | None

    def as_json(self) -> dict[str, Any]:
        """The report as JSON has it; numbers are rounded as everywhere."""
        shown = {kind: leakage_json(leakage, self.notions.get(kind)) for kind, leakage in self.leakages.items()}
        shown |= {kind: shown[kind] | delta_json(delta) for kind, delta in self.deltas.items()}
        extra = {key: value for part in (*self.questions, *self.further) for key, value in part.as_json.items()}
        return {"engine": self.engine, "why": self.why, "seconds": self.seconds, "leakage": shown, **extra}

    def show(self, json: bool, verbose: bool) -> None:
        """Prints the report as `json`, or as a table and sentences; `verbose` adds the engine and the time."""
        if self.limited is not None:
            advise(f"bounds only: {self.limited}")
        if json:
            print_json(self.as_json())
        else:
            self._show_in_words(verbose)

    def _show_in_words(self, verbose: bool) -> None:
        self._show_table()
        for part in self.questions:
            part.show()
        # Because the worst output may be rare, and those like it not, the column of probabilities has two numbers.
        if any(each.witness is not None and each.witness.log_near is not None for each in self.leakages.values()):
            say(f"near: the probability that an output leaks at least {NEAR:.0%} of the leakage")
        for kind, leakage in self.leakages.items():
            if kind in self.notions and (said := leakage_in_words(self.notions[kind], leakage)):
                say(f"{kind}: {said}")
        for kind, delta in self.deltas.items():
            say(f"{kind} delta at epsilon {self.epsilon:g}: {either(delta)}")
        for part in self.further:
            part.show()
        if verbose:
            say(f"{self.engine} engine ({self.why}), {self.seconds:.2f} s")

    def _show_table(self) -> None:
        """Prints a row for each notion, and below it those of its companions, such as its other direction."""
        rows = []
        for kind, leakage in self.leakages.items():
            rows.append([kind, enclosed(leakage), whose(leakage.witness), where(leakage), how_likely(leakage)])
            rows += [[f"  {other}", companion_words(value), "", "", ""] for other, value in leakage.companions.items()]
        columns = ["notion", "leakage", "about whom", "where", "probability, near"]
        print_table("What the release leaks (nats)", columns, rows)
        say(_NATS)
        if self.numbered:
            say(_NUMBERED)
