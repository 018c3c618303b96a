"""An audit: every notion's leakage of one release, by name, as a table and a picture.

The file also compares several questions, alone and together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, final

from dalenius import wings
from dalenius.bounds import UNIT, Enclosure, either
from dalenius.channel import Release, checked
from dalenius.channel.leakage import Leakage
from dalenius.errors import Meaningless, TooLarge, meant
from dalenius.named_values import no_such_name
from dalenius.notions.entropies import MutualInformationPrivacy, RelativeEntropyPrivacy
from dalenius.notions.guesses import MinEntropyPrivacy
from dalenius.notions.log_ratios import DifferentialPrivacy, InferentialPrivacy, InformationPrivacy
from dalenius.notions.notion import Notion, notions_of
from dalenius.notions.several_leakages import audited, leakages
from dalenius.omitted import Omitted
from dalenius.plotting import given_axes, notion_looks_of
from dalenius.tabular import Cell, Tabular

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
@dataclass(frozen=True, repr=False, eq=False)
class Audit(Tabular, Mapping[str, Leakage]):
    """The leakage of a release by every notion: a mapping from the notion's kind to its leakage, in nats.

    The leakages are attributes too: `audit.information.epsilon`. In a terminal or notebook it shows as a table;
    `frame` makes a data frame, `plot` a picture.

    Attributes:
        leakages: The leakages by the notion's kind, in nats.
        omitted: The rows of the user's files that were left out, by file.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> found = dl.audit(release, ["inferential", "min_entropy"])
        >>> list(found), round(found.inferential.epsilon, 6)
        (['inferential', 'min_entropy'], 0.897003)
    """

    leakages: Mapping[str, Leakage]
    omitted: tuple[Omitted, ...] = ()

    def __getitem__(self, kind: str) -> Leakage:
        if kind not in self.leakages:
            raise no_such_name("notion", kind, self.leakages)
        return self.leakages[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self.leakages)

    def __len__(self) -> int:
        return len(self.leakages)

    def __getattr__(self, kind: str) -> Leakage:
        """Returns a leakage by its notion's kind. AttributeError, with the kinds that there are, for another name."""
        # Because Python asks for names of its own when it copies or pickles, and a half-made object has none.
        if kind.startswith("__") or kind not in self.leakages:
            near = meant(kind, self.leakages)
            raise AttributeError(f"an audit has no {kind!r}; of this release it has {', '.join(self.leakages)}{near}")
        return self.leakages[kind]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.leakages})

    @property
    def caption(self) -> str:
        """The title of the table, with the unit."""
        return "What the release leaks, in nats"

    def records(self) -> list[dict[str, Cell]]:
        """Returns the rows of the data frame, one for each notion.

        The columns are notion, epsilon (a point of the enclosure), lower and upper, in nats; who, secret and against
        are the witness's.
        """
        return [_record(kind, leakage) for kind, leakage in self.leakages.items()]

    def shown(self) -> list[dict[str, str]]:
        """Returns the rows as people read them, one for each notion."""
        return [_shown(kind, leakage) for kind, leakage in self.leakages.items()]

    def notes(self) -> list[str]:
        """Returns the rows of the user's files that were left out, a line for each file."""
        return [each.words for each in self.omitted]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draws a mark for each notion at its leakage, in nats, and a line where only ends are known.

        ∞ is written out. If no upper end is known, a mark at the lower end points right.

        Args:
            ax: The matplotlib axes to draw on; None (the default) for new ones.

        Returns:
            The axes.
        """
        ax, looks = given_axes(ax), notion_looks_of(self.leakages)
        for place, (kind, leakage) in enumerate(self.leakages.items()):
            if isfinite(leakage.upper):
                look = looks[kind]
                ax.plot([leakage.lower, leakage.upper], [place, place], color=look.colour, linewidth=1.5)
                ax.plot([leakage.epsilon], [place], **look.line() | {"linestyle": "none"})
            elif isfinite(leakage.lower):
                look = looks[kind]
                ax.plot([leakage.lower], [place], **look.line() | {"linestyle": "none", "marker": ">"})
            ends = [end for end in (leakage.upper, leakage.lower) if isfinite(end)]
            ax.annotate(
                f" {either(Enclosure(leakage.lower, leakage.upper))}",
                (ends[0] if ends else 0.0, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        ax.set_yticks(range(len(self)), [kind.replace("_", " ") for kind in self])
        ax.invert_yaxis()
        ends = [end for each in self.leakages.values() for end in (each.lower, each.upper) if isfinite(end)]
        ax.set_xlim(0, 1.3 * max(ends, default=0.0) or 1.0)
        ax.set_xlabel("leakage (nats)")
        return ax


def _record(kind: str, leakage: Leakage) -> dict[str, Cell]:
    """Returns one row of the data frame: all numbers in nats."""
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
    """Returns one row as people read it: where the ends differ, both."""
    witness, value = leakage.witness, Enclosure(leakage.lower, leakage.upper)
    who = "nobody" if witness is None else witness.who
    if witness is not None and witness.person:
        who = f"person {witness.person}, {who}"
    secret = "" if witness is None or witness.secret is None else str(witness.secret)
    against = "" if witness is None or witness.against is None else f" against {witness.against}"
    leaks = "0" if leakage.nothing else either(value)
    return {"notion": kind, "leakage": leaks, "about whom": who, "secret": f"{secret}{against}"}


ALL_NOTIONS: Final[tuple[Notion, ...]] = (
    DifferentialPrivacy(),
    InferentialPrivacy(),
    InformationPrivacy(),
    RelativeEntropyPrivacy(),
    MutualInformationPrivacy(),
    MinEntropyPrivacy(),
)
"""The notions of an audit, by default."""


def audit(
    release: Release, notions: Notion | str | Sequence[Notion | str] = ALL_NOTIONS, how_likely: bool = False
) -> Audit:
    """Computes the leakage of a release by every notion; each channel is made once.

    Args:
        release: The model, the query and the noise.
        notions: A notion or several, each an object or the name of its kind. By default differential, inferential,
            information, relative entropy, mutual information and min-entropy. Notions not defined for the release
            are left out. Where the secret is who is absent, those too large to compute are left out by default, and
            `rho` is added always.
        how_likely: Whether witnesses also say how likely they are; False by default, as it takes longer.

    Returns:
        The leakages by the notion's kind, in nats.

    Raises:
        InputError: The first argument is no release, or there is no notion of that name.
        TooLarge: A law of the answer does not fit time or memory.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> found = dl.audit(release, ["differential", "inferential", "min_entropy"])
        >>> {kind: round(leakage.epsilon, 6) for kind, leakage in found.items()}
        {'differential': 0.5, 'inferential': 0.897003, 'min_entropy': 0.303154}
    """
    release = checked(release)
    chosen = {notion.kind: notion for notion in notions_of(notions)}
    # Because most notions of a register's membership are defined and some not computed; one person's suspicion always
    # is.
    if release.secret == "absence":
        suspicion: Notion = wings.found(wings.NOTIONS["rho"])()
        chosen.setdefault(suspicion.kind, suspicion)
    # Because a user who names a notion must hear that it is too large.
    omitted = (Meaningless, TooLarge) if release.secret == "absence" and notions is ALL_NOTIONS else (Meaningless,)
    found = audited(release, list(chosen.values()), omitted, how_likely)
    leaks = {kind: leakage for kind, leakage in zip(chosen, found, strict=True) if leakage is not None}
    return Audit(leaks, release.omitted)


@final
@dataclass(frozen=True)
class Difference:
    """One notion's leakage of several questions together, and of each alone; all in nats.

    Attributes:
        together: The leakage of all questions together.
        largest_single: The largest leakage of a question alone.
        sum_of_singles: The sum of the leakages of the questions alone.
        above_most: The excess of the leakage of all together over the largest.
        above_sum: Its excess over the sum, negative where it is less.
    """

    together: Enclosure
    largest_single: Enclosure
    sum_of_singles: Enclosure
    above_most: Enclosure
    above_sum: Enclosure


def difference(together: Leakage, singles: Sequence[Leakage]) -> Difference:
    """Compares the leakage of questions together with that of each alone, by one notion.

    Args:
        together: The leakage of all.
        singles: Those of the same notion, question by question. The mechanism that forgets all answers but one leaks
            no more, so that together is at least the largest, for every notion of the channel.
    """
    most = Enclosure(max(each.lower for each in singles), max(each.upper for each in singles))
    # Because forgetting all answers but one leaks no more: a lower end of the largest is one of all together.
    found = Enclosure(min(max(together.lower, most.lower), together.upper), together.upper)
    off = 2 * len(singles) * UNIT
    total = Enclosure(sum(each.lower for each in singles) * (1 - off), sum(each.upper for each in singles) * (1 + off))
    return Difference(found, most, total, _less(found, most).clipped(0.0), _less(found, total))


def _less(one: Enclosure, other: Enclosure) -> Enclosure:
    """Encloses one - other. For two infinities nothing is known, except that neither is more."""
    if one.upper == other.upper == float("inf"):
        low = one.lower - other.upper if one.lower < one.upper else 0.0
        return Enclosure(low, float("inf") if other.lower < other.upper else 0.0)
    off = 4 * UNIT * (1 if one.upper == float("inf") else one.upper)
    return Enclosure(one.lower - other.upper - off, one.upper - other.lower + off)


def by_question(questions: Sequence[tuple[str, Release]], notions: Sequence[Notion]) -> Mapping[str, list[Leakage]]:
    """Returns the leakage of each question alone, in order, by each of `notions`, in nats.

    `questions` are pairs of a name and a release with the question's own noise.
    """
    return {name: leakages(release, notions) for name, release in questions}
