"""What is promised, what really leaks, and what stands beside every promise."""

from dalenius.bounds import Enclosure
from dalenius.calibration import Calibration, Kept
from dalenius.notions import in_words, leakage_in_words
from dalenius.notions.phrases.wording import folds as folds_of
from dalenius.pages.judged import Judged
from dalenius.pages.numbers import capital, nats, near, sentence, up
from dalenius.pages.section import Section, Table
from dalenius.spec.words import ALL_OTHERS, UNBOUNDED, is_bound, where, whose

APART = 1e-9
"""Relative: what roundings may exceed a promise by."""


def promised(judged: Judged) -> Section:
    found = judged.calibration
    if judged.promises:
        many = "One promise is" if len(found.promises) == 1 else f"{len(found.promises)} promises are"
        plain = [f"{many} made.", *(each for kept in found.promises for each in _told(kept))]
    else:
        plain = ["Nothing is promised: the spec gives a noise, and what follows is what this noise leaks."]
        plain += [said for kept in found.promises for said in [_leaks(kept)] if said]
    plain += _beside(found)
    rows = [*(_row(judged, kept) for kept in found.promises), *_beside_rows(found)]
    columns = ("notion", "promised (nats)", "leaks at most (nats)", "promise", "about whom", "where")
    table = Table("Promises and leakages in numbers; e to the nats is the factor", columns, tuple(rows))
    notes = [f"{capital(kept.notion.kind.replace('_', ' '))}: {_ends(kept)}" for kept in found.promises]
    return Section("promises", "What is promised, and what leaks", tuple(plain), tables=(table,), notes=tuple(notes))


def verdict(kept: Kept) -> str:
    """Whether the promise is kept; nothing where there is none."""
    epsilon = kept.notion.epsilon
    if epsilon is None:
        return "not promised"
    if kept.leakage.upper <= epsilon * (1 + APART):
        return "kept"
    return "NOT KEPT" if kept.leakage.lower > epsilon * (1 + APART) else "not shown to be kept"


def _told(kept: Kept) -> list[str]:
    notion = kept.notion
    kind = notion.kind.replace("_", " ")
    words = in_words(notion)
    what = words if words is not None else f"at most {near(notion.epsilon or 0.0)} nats"
    leaks = _leaks(kept)
    return [
        sentence(f"promised ({kind} privacy): {what}"),
        *([leaks] if leaks else []),
        f"This promise is {verdict(kept)}.",
    ]


def _leaks(kept: Kept) -> str:
    said = leakage_in_words(kept.notion, kept.leakage)
    shown = said if said is not None else f"at most {_upper(kept)} nats"
    return sentence(f"what really leaks ({kept.notion.kind.replace('_', ' ')}): {shown}")


def _upper(kept: Kept) -> str:
    return nats(Enclosure(kept.leakage.lower, kept.leakage.upper))


def _row(judged: Judged, kept: Kept) -> tuple[str, ...]:
    notion, leakage = kept.notion, kept.leakage
    promised = "" if notion.epsilon is None else near(notion.epsilon)
    if notion.epsilon is not None and notion.promised_delta:
        promised += f", delta {notion.promised_delta:g}"
    return (
        notion.kind,
        promised,
        _upper(kept),
        verdict(kept),
        whose(leakage.witness),
        where(leakage, judged.spec.data),
    )


def _ends(kept: Kept) -> str:
    """The companions."""
    found = [f"{name.replace('_', ' ')} {nats(value)} nats at most" for name, value in kept.leakage.companions.items()]
    return sentence("; ".join([f"{_upper(kept)} nats at most", *found]))


def _beside(found: Calibration) -> list[str]:
    """What the noise means to whoever knows other records, whatever is promised."""
    said = []
    if found.differential is not None:
        said.append(f"Against somebody who knows the records of all others: {_loss(found.differential, found.exact)}")
    if (known := found.bayesian) is not None:
        bound = " (a bound; it may be less)" if is_bound(known) and known.upper < float("inf") else ""
        said.append(f"Against somebody who knows any of the other records: {_loss(known.upper, found.exact)}{bound}")
    return [sentence(each) for each in said]


def _loss(loss: float, exact: bool) -> str:
    if loss == float("inf"):
        return f"∞. {ALL_OTHERS if exact else UNBOUNDED}"
    return f"no output changes the odds between two values more than {folds_of(loss)}-fold ({up(loss)} nats)"


def _beside_rows(found: Calibration) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    if found.differential is not None:
        rows.append(("differential", "", up(found.differential), "beside it", "whoever knows all others", ""))
    if found.bayesian is not None:
        rows.append(("bayesian", "", up(found.bayesian.upper), "beside it", "whoever knows any others", ""))
    return rows
