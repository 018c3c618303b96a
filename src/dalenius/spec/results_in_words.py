"""Results in words, for people: noises, people, and the witness of a leakage."""

from collections.abc import Sequence
from math import exp, inf, isinf, isnan, log
from typing import TYPE_CHECKING, Any, Final

from dalenius.bounds import Enclosure, either, from_below
from dalenius.notions import Leakage, Notion, Witness, in_words, leakage_in_words

if TYPE_CHECKING:
    from dalenius.calibration import Accuracy, Calibration
    from dalenius.spec.data_section import Source

ALL_OTHERS: Final = "An adversary who knows all other records learns this one"
UNBOUNDED: Final = "Some outputs leak without bound to an adversary who knows other records"
_MANY_ANSWERS: Final = 8
"""Most answers of a witness's output that are shown; JSON has all."""


def nats(value: float) -> str:
    """Writes `value` nats with six decimals from 0.001 on, else with six significant digits.

    >>> nats(1.5), nats(1e-5), nats(inf)
    ('1.500000', '1e-05', '∞')
    """
    if isinf(value):
        return "∞"
    return f"{value:.6f}" if value >= 1e-3 or value == 0 else f"{value:.6g}"


def enclosed(leakage: Leakage) -> str:
    """Writes a `leakage` in nats, or both its ends where they differ; 0 where it is indistinguishable from 0.

    Differences below a millionth, or a billionth of a nat, are roundings to a reader.
    """
    return nats(0.0) if leakage.nothing else either(Enclosure(leakage.lower, leakage.upper), nats, least=1e-9)


def nearly(value: Enclosure) -> str:
    """Writes the leakage `value` in nats to a thousandth; both its ends where they are further apart."""
    return either(value, nats, tight=1e-3, least=1e-9)


def companion_words(value: Enclosure) -> str:
    """Writes the companion `value` of a leakage; 0 where it is indistinguishable from 0."""
    return nats(0.0) if value.lower == 0 and value.upper < 1e-9 else nearly(value)


def spoken(notion: Notion, leakage: Leakage) -> list[list[str]]:
    """Returns rows that say in words the promise of `notion` and the `leakage`."""
    promised, leaks = in_words(notion), leakage_in_words(notion, leakage)
    return [[name, said] for name, said in (("  promised", promised), ("  leaks", leaks)) if said is not None]


def companion_rows(calibration: "Calibration") -> list[list[str]]:
    """Returns rows of the loss of a `calibration` to adversaries who know all other records, or any of them."""
    return [*_differential_row(calibration), *_bayesian_row(calibration)]


def _differential_row(calibration: "Calibration") -> list[list[str]]:
    """Returns the loss to an adversary who knows all other records; in words where that is unbounded, or not known."""
    found = calibration.differential_ends
    if found is None:
        return []
    if found.half_open:
        shown = f"{from_below(found, nats)}, to an adversary who knows all other records"
    elif isinf(found.upper):
        shown = (
            f"∞: {ALL_OTHERS}"
            if calibration.exact
            else "∞: some outputs have no bound, to an adversary who knows all others"
        )
    else:
        shown = f"{nats(found.upper)} nats at most to an adversary who knows all other records"
    return [["differential", shown]]


def _bayesian_row(calibration: "Calibration") -> list[list[str]]:
    """Returns the loss to an adversary who knows some of the others, the worst of them; a bound is called one."""
    found = calibration.bayesian
    if found is None:
        return []
    if found.half_open:
        shown = f"{from_below(found, nats)}, to an adversary who knows any of the other records"
    elif isinf(found.upper):
        shown = (
            f"∞: {ALL_OTHERS}"
            if calibration.exact
            else "∞: some outputs have no bound, to an adversary who knows some others"
        )
    else:
        shown = f"{nats(found.upper)} nats at most to an adversary who knows any of the other records"
        shown += "; a bound, it may be less" if is_bound(found) else ""
    return [["bayesian", shown]]


def loss(found: Enclosure) -> str:
    """Writes the upper end of the loss `found`, in nats, marked where it is a bound only.

    Where no upper end is known it writes the lower one.

    >>> loss(Enclosure(1.0, 2.0)), loss(Enclosure(1.0, inf)), loss(Enclosure(inf, inf))
    ('≤ 2.000000', 'at least 1.000000; no upper end is known', '∞')
    """
    if found.half_open:
        return from_below(found, nats)
    return f"≤ {nats(found.upper)}" if is_bound(found) else nats(found.upper)


def is_bound(found: Enclosure) -> bool:
    """Says whether only bounds of the loss `found` are known, rather than all its digits but the last.

    >>> is_bound(Enclosure(0.5, inf)), is_bound(Enclosure(inf, inf)), is_bound(Enclosure(1.0, 1.0))
    (True, False, False)
    """
    if isinf(found.upper):
        return found.half_open
    return found.upper - found.lower > max(1e-6 * found.upper, 1e-9)


def error(calibration: "Calibration", digits: int = 6) -> str:
    """Writes the expected error of an answer of `calibration` with `digits` digits; in words for words."""
    found = calibration.expected_error
    if isnan(found) and calibration.noise.shape.on_records:
        return "none: the answer is of noised reports"
    return "none: outputs are words" if isnan(found) else f"{found:.{digits}g}"


def whose(witness: Witness | None, beside_table: bool = False) -> str:
    """Names the people of a `witness`: a person's number and class, or a class alone; nobody where nothing leaks.

    beside_table: whether there is a table too, whose rows the model's numbers are not.
    """
    if witness is None:
        return "nobody"
    numbered = " of the model (no row of the table)" if beside_table else ""
    return f"person {witness.person}{numbered}, {witness.who}" if witness.person else witness.who


def where(leakage: Leakage, source: "Source | None" = None) -> str:
    """Writes the secret, output and background knowledge of the witness of `leakage`, in words.

    source: the data section, whose condition is named instead of a 1 or a 0.
    """
    witness = leakage.witness
    if witness is None:
        return ""
    parts = []
    if witness.secret is not None:
        against = "" if witness.against is None else f" against {witness.against}"
        # Because "age at least 65" says more than "record = 1".
        if source is not None and witness.what == "record" and source.has_condition:
            against = "" if witness.against is None else f", against {source.clause(witness.against, witness.what)}"
            parts.append(f"{source.clause(witness.secret, witness.what)}{against}")
        else:
            parts.append(f"{witness.what} = {witness.secret}{against}")
    if witness.output is not None:
        named = [
            f"{_shown(value)} {name}".rstrip() for value, name in zip(witness.output, witness.answers, strict=True)
        ]
        more = [f"and {len(named) - _MANY_ANSWERS + 1} more"] if len(named) > _MANY_ANSWERS else []
        parts.append("output " + ", ".join([*named[: _MANY_ANSWERS - len(more)], *more]))
    if witness.outputs is not None:
        parts.append(_stretches(witness.outputs))
    if witness.known:
        parts.append("knowing " + ", ".join(f"record {person} = {value}" for person, value in witness.known.items()))
    return "; ".join(parts)


def how_likely(leakage: Leakage) -> str:
    """Writes the probability of the output of the witness of `leakage`, and of outputs that leak nearly as much."""
    witness = leakage.witness
    if witness is None:
        return ""
    parts = [] if witness.log_probability is None else [_chance(witness.log_probability)]
    parts += [] if witness.log_near is None else [_chance(witness.log_near)]
    return ", ".join(parts)


def _chance(logs: Enclosure) -> str:
    """Writes a probability given as a log, or both its ends where they differ; far below 1e-300 as a power of ten."""
    return either(logs, _power, tight=0.0, least=1e-3)


def accuracy_words(found: "Accuracy", several: bool) -> str:
    """Says how likely the release is off by the distance of `found`; `several`: whether it has several answers."""
    which = "an answer" if several else "the answer"
    said = f"{which} is off by {found.within:g} or more with probability {_chance(found.log_largest)}"
    if not several or found.log_total is None:
        return said
    return f"{said}, and all of them together with {_chance(found.log_total)}"


def _power(value: float) -> str:
    """Writes e^value to three digits, as a power of ten where no double holds it.

    >>> _power(log(1e-5)), _power(-2000.0)
    ('1e-05', '10^-869')
    """
    return f"{exp(value):.3g}" if value > -690 else "0" if value == -inf else f"10^{value / log(10):.0f}"


def tail_words(shown: dict[str, Any]) -> list[str]:
    """Writes the JSON of a tail, `shown`, in words."""
    values = {name: _ends(each) for name, each in shown.items() if isinstance(each, dict)}
    who = f"person {shown['person']}, {shown['who']}" if shown["person"] else shown["who"]
    return [
        f"How likely, about {who}: half of the outputs leak at most {values['median']} nats, 99 % at most "
        f"{values['q99']}, all but one in a million at most {values['q999999']}.",
        f"On average an output leaks {values['mean']} nats; maximal leakage {values['maximal_leakage']}.",
    ]


def _ends(shown: dict[str, Any]) -> str:
    low, middle, high = (float(shown[name]) for name in ("lower", "epsilon", "upper"))
    if (ends := Enclosure(low, high)).half_open:
        return from_below(ends, nats)
    return nats(middle) if isinf(high) or high - low <= 1e-6 * (1 + high) else f"{nats(low)} to {nats(high)}"


def _stretches(outputs: Sequence[tuple[float, float]]) -> str:
    """Writes a set of outputs in words; if it has many intervals, their number and range."""
    if not outputs:
        return "no outputs"
    if len(outputs) > 3:
        return f"outputs in {len(outputs):,} pieces from {_shown(outputs[0][0])} to {_shown(outputs[-1][1])}"
    shown = (_shown(low) if low == high else f"{_shown(low)} to {_shown(high)}" for low, high in outputs)
    return "outputs " + ", ".join(shown)


_LONG: Final = 1e6
"""The number from which six digits are not all of a whole number's."""
_WHOLE: Final = 1e15
"""The number up to which a whole number is written with all of its digits; beyond, it may be off by one."""


def _shown(value: int | float | str) -> str:
    """Writes one output; a large count with all of its digits.

    >>> _shown(930), _shown(300_000_000.0), _shown(0.1234567), _shown(1e20)
    ('930', '300,000,000', '0.123457', '1e+20')
    """
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if _LONG <= abs(value) < _WHOLE and value == round(value) else f"{value:g}"
