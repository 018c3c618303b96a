"""Which promise implies which, and by how much here: the hierarchy of IP Prop 1 and its neighbours, with numbers.

A promise of one quantity at ε implies that of another at ε where the other's number never exceeds the first's. The
arrows that hold for every release are theorems; the others are listed with the numbers that show them here. Three bits
are counted through Laplace(1). An even number of them is 1. Their 1.434 nats of inferential privacy do not imply
Bayesian privacy, which is 2: the arrow back holds always.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Release, checked
from dalenius.errors import DaleniusError, InputError, Meaningless, TooLarge
from dalenius.knowledge.bayesian import bayesian_loss
from dalenius.knowledge.conditional_information import information_given_others
from dalenius.notions.notion import Notion
from dalenius.notions.release_audit import ALL_NOTIONS
from dalenius.notions.several_leakages import audited
from dalenius.tabular import Cell, Tabular, between, cell, ends

# Quantities that are about those pairs of values only that secrets.pairs names.
_OF_PAIRS: Final = ("inferential", "bayesian")
_OF_RANGE: Final = ("inferential", "information", "two_sided")
"""The quantities that bounds on real numbers are about."""
# Why such a quantity has no number here beside secrets.pairs.
_SOME_VALUES: Final = "about some values only, while other quantities are about all"


class Measured(NamedTuple):
    """A quantity by its name, and its number, in nats."""

    name: str
    value: Enclosure


@final
@dataclass(frozen=True)
class Relation:
    """An arrow: a promise of `start` at ε implies one of `end` at ε.

    Attributes:
        start: The quantity where the arrow starts, by name, and its number here, in nats.
        end: The quantity where the arrow ends, by name, and its number here, in nats.
        always: Whether the arrow is a theorem for every release of this kind.
        source: The theorem; else where the arrow is denied, or where the paper has it under more hypotheses.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> arrow = dl.relations(release).rows[0]
        >>> arrow.start.name, arrow.end.name, arrow.always, arrow.holds, arrow.source
        ('identity', 'inferential', True, True, 'IDP Thm 1')
    """

    start: Measured
    end: Measured
    always: bool
    source: str

    @property
    def holds(self) -> bool:
        """Whether the number of `end` is at most that of `start`, as far as the enclosures say; False is certain."""
        return self.end.value.lower <= self.start.value.upper


@final
@dataclass(frozen=True, repr=False)
class Relations(Tabular):
    """The arrows between notions for one release.

    Attributes:
        rows: The arrows; those that hold always come first.
        left_out: Why a quantity has no number here, by its name.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> found = dl.relations(release)
        >>> all(row.holds for row in found.rows if row.always), dict(found.left_out)
        (True, {})
    """

    rows: tuple[Relation, ...]
    left_out: Mapping[str, str]

    @property
    def caption(self) -> str:
        """The title of the table."""
        return "Which promise implies which here, in nats"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each arrow, the numbers of both quantities in nats."""
        return [
            {
                "start": each.start.name,
                **ends("start", each.start.value),
                "end": each.end.name,
                **ends("end", each.end.value),
                "always": each.always,
                "holds": each.holds,
                "source": each.source,
            }
            for each in self.rows
        ]

    def shown(self) -> list[dict[str, str]]:
        """Return the rows as people read them: ends that agree as one number."""
        return [
            {
                "from": f"{row['start']} {between(row, 'start')}",
                "to": f"{row['end']} {between(row, 'end')}",
                "always": cell(row["always"]),
                "holds": cell(row["holds"]),
                "source": str(row["source"]),
            }
            for row in self.records()
        ]

    def notes(self) -> list[str]:
        """Return why quantities have no number here."""
        return [f"{name}: {why}" for name, why in self.left_out.items()]


_Arrow: TypeAlias = tuple[str, str, str]
"""An arrow's start, its end, and the source."""

_ALWAYS: Final[tuple[_Arrow, ...]] = (
    ("identity", "inferential", "IDP Thm 1"),
    ("inferential", "identity", "IDP Thm 1"),
    ("inferential", "information", "IP Prop 1 a"),
    ("inferential", "two_sided", "IDP Lemma 4"),
    ("information", "relative_entropy", "IP Thm 1, Prop 1 b"),
    ("two_sided", "reverse", "IDP Thm 2"),
    ("information", "mutual_information", "IP Thm 1"),
    ("relative_entropy", "mutual_information", "IP Prop 1 c"),
    ("information", "min_entropy", "Result 2.1"),
    ("differential", "given_others", "IP Prop 2"),
    ("bayesian", "inferential", "IP §VII: given nothing"),
    ("bayesian", "given_others", "IP §VII: given all others"),
)
_INDEPENDENT: Final[tuple[_Arrow, ...]] = (
    ("differential", "inferential", "IDP Prop 2, IP Prop 4: of independent records"),
    ("given_others", "mutual_information", "the chain rule: of independent records"),
)
_CONVERSE: Final[tuple[_Arrow, ...]] = (
    ("inferential", "differential", "IDP §4: not reversible"),
    ("inferential", "given_others", "IDP Prop 4, which is false (E15)"),
    ("inferential", "bayesian", "IP §VII reversed"),
    ("information", "inferential", "IP Prop 1 a reversed"),
    ("relative_entropy", "information", "IP Prop 1 b reversed"),
    ("mutual_information", "relative_entropy", "IP Prop 1 c reversed"),
)


def relations(release: Release) -> Relations:
    """Returns which promise implies which, for the quantities whose numbers are known here.

    Args:
        release: The model, the query and the noise.

    Returns:
        The arrows, with the numbers of both ends. Notions that are not defined, or too large, are left out.

    Raises:
        InputError: The argument is no release.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> row = next(row for row in dl.relations(release).rows if not row.holds)
        >>> f"{row.start.name} does not imply {row.end.name}"
        'differential does not imply inferential'

    Notes:
        IP Prop 1, IDP Thm 1, 2 and Prop 2 to 4; each arrow names its source.
    """
    numbers, left_out = _numbers(checked(release))
    # Because differential privacy implies inferential for independent records, and not for a household's.
    single = release.worlds.is_finite and release.worlds.group_size == 1
    rows = [*_rows(numbers, _ALWAYS, True), *_by_group(release, numbers)]
    rows += [*_rows(numbers, _INDEPENDENT, single), *_rows(numbers, _CONVERSE, False)]
    return Relations(tuple(sorted(rows, key=lambda row: not row.always)), left_out)


def _rows(numbers: Mapping[str, Enclosure], arrows: Iterable[_Arrow], always: bool) -> Iterator[Relation]:
    """Returns the arrows whose two ends have a number here."""
    for start, end, source in arrows:
        if start in numbers and end in numbers:
            yield Relation(Measured(start, numbers[start]), Measured(end, numbers[end]), always, source)


def _by_group(release: Release, numbers: Mapping[str, Enclosure]) -> Iterator[Relation]:
    """Returns the arrow of records of a group changed one after the other.

    It is for everybody's records, and noise that any data set can have.
    """
    if not release.worlds.is_finite or release.secrets.people is not None or not release.noise.shape.additive:
        return
    # Because noise that depends on the answer may make a data set with two changed records impossible.
    size, single = release.worlds.group_size, numbers.get("differential")
    if size > 1 and single is not None and "inferential" in numbers:
        most = Enclosure(size * single.lower * (1 - 2 * UNIT), size * single.upper * (1 + 2 * UNIT))
        start = Measured(f"differential, {size} times", most)
        yield Relation(
            start, Measured("inferential", numbers["inferential"]), True, "IDP Prop 3, of independent groups (E1)"
        )


def _numbers(release: Release) -> tuple[dict[str, Enclosure], dict[str, str]]:
    """Returns the quantities' numbers in nats, and why each that is missing has none."""
    numbers, left_out = dict[str, Enclosure](), dict[str, str]()
    for notion, found in zip(ALL_NOTIONS, audited(release, ALL_NOTIONS, (Meaningless, TooLarge)), strict=True):
        # If a quantity means nothing for such records, or does not fit memory, the table says why it is not there.
        if found is None:
            left_out[notion.kind] = _why(release, notion)
            continue
        numbers[notion.kind] = Enclosure(found.lower, found.upper)
        numbers |= found.companions
    known = bayesian_loss(release)
    numbers |= {} if known is None else {"bayesian": known}
    # Because a promise about some pairs of values only says nothing about quantities that are about all.
    for name in _OF_RANGE if release.secret == "number" else _OF_PAIRS if release.secrets.pairs is not None else ():
        if numbers.pop(name, None) is not None:
            left_out[name] = _SOME_VALUES
    # Because identity DP at ε is inferential privacy at ε, one number serves both.
    if "inferential" in numbers:
        numbers["identity"] = numbers["inferential"]
    # The quantity has no notion of its own: it is here to show what it does not imply, and may be too large to list.
    try:
        numbers["given_others"] = _given_others(release)
    except (InputError, TooLarge) as error:  # also of noise that has no law for answers that the audit has folded
        left_out["given_others"] = str(error)
    return numbers, left_out


def _given_others(release: Release) -> Enclosure:
    """Returns the largest I(X_i; Y | X_(i)) in nats.

    Meaningless for records that have no list of values; TooLarge for too many.
    """
    release.worlds.check_joint()
    if release.secret != "record":
        kind = "gaussian" if release.secret == "number" else "absent"
        raise Meaningless("model.kind", kind, "records with finitely many values")
    found = information_given_others(release)
    return Enclosure(found.lower, found.upper)


def _why(release: Release, notion: Notion) -> str:
    """Returns the error that left it out. The audit of all notions dropped it: this one is computed again, alone."""
    try:
        notion.leakage(release)
    except DaleniusError as error:
        return str(error)
    raise AssertionError(notion.kind)
