"""What an audit finds, by notion: numbers by name, a table, a data frame, a picture."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, final

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import Leakage
from dalenius.drawing import given_axes, notion_looks_of
from dalenius.tabular import Cell, Tabular, either

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
@dataclass(frozen=True, repr=False, eq=False)
class Audit(Tabular, Mapping[str, Leakage]):
    """Leakages in nats by the notion's kind, as a mapping and as attributes: `audit.information.epsilon`."""

    leakages: Mapping[str, Leakage]

    def __getitem__(self, kind: str) -> Leakage:
        return self.leakages[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self.leakages)

    def __len__(self) -> int:
        return len(self.leakages)

    def __getattr__(self, kind: str) -> Leakage:
        if kind.startswith("__") or kind not in self.leakages:
            raise AttributeError(f"an audit has no {kind!r}; of this release it has {', '.join(self.leakages)}")
        return self.leakages[kind]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.leakages})

    @property
    def caption(self) -> str:
        return "What the release leaks, in nats"

    def records(self) -> list[dict[str, Cell]]:
        """notion, epsilon (a point of the enclosure), lower, upper; who, secret and against: of the witness."""
        return [_record(kind, leakage) for kind, leakage in self.leakages.items()]

    def shown(self) -> list[dict[str, str]]:
        return [_shown(kind, leakage) for kind, leakage in self.leakages.items()]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """A mark for each notion at its leakage, and a line where only ends are known; ∞ is said."""
        ax, looks = given_axes(ax), notion_looks_of(self.leakages)
        for place, (kind, leakage) in enumerate(self.leakages.items()):
            if isfinite(leakage.upper):
                look = looks[kind]
                ax.plot([leakage.lower, leakage.upper], [place, place], color=look.colour, linewidth=1.5)
                ax.plot([leakage.epsilon], [place], **look.line() | {"linestyle": "none"})
            ax.annotate(
                f" {either(Enclosure(leakage.lower, leakage.upper))}",
                (leakage.upper if isfinite(leakage.upper) else 0.0, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        ax.set_yticks(range(len(self)), [kind.replace("_", " ") for kind in self])
        ax.invert_yaxis()
        ax.set_xlim(0, 1.3 * max((each.upper for each in self.leakages.values() if isfinite(each.upper)), default=1.0))
        ax.set_xlabel("leakage (nats)")
        return ax


def _record(kind: str, leakage: Leakage) -> dict[str, Cell]:
    witness = leakage.witness
    found: dict[str, Any] = {
        "notion": kind,
        "epsilon": leakage.epsilon,
        "lower": leakage.lower,
        "upper": leakage.upper,
        "who": None if witness is None else witness.who,
        "secret": None if witness is None else witness.secret,
        "against": None if witness is None else witness.against,
    }
    return found


def _shown(kind: str, leakage: Leakage) -> dict[str, str]:
    witness, value = leakage.witness, Enclosure(leakage.lower, leakage.upper)
    who = "nobody" if witness is None else witness.who
    if witness is not None and witness.person:
        who = f"person {witness.person}, {who}"
    secret = "" if witness is None or witness.secret is None else str(witness.secret)
    against = "" if witness is None or witness.against is None else f" against {witness.against}"
    leaks = "0" if leakage.nothing else either(value)
    return {"notion": kind, "leakage": leaks, "about whom": who, "secret": f"{secret}{against}"}
