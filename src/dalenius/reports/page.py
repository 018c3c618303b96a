"""The HTML page of `dalenius explain`, for the signer of a release: one file, no scripts, nothing from elsewhere.

It has six sections, in the order in which an officer asks: what is published, what is assumed, what is promised and
leaks, what an output may say about the most exposed person, who that person is, and what the page rests on. Numbers of
what leaks are rounded up: of 0.123412 nats the page says 0.1235.
"""

from hashlib import sha256
from importlib.metadata import version
from math import inf, isnan
from pathlib import Path
from typing import Final

from dalenius.bounds import Enclosure, from_below
from dalenius.calibration import Calibration, Expected, Kept, advice, expected
from dalenius.errors import InputError
from dalenius.notions import in_words, leakage_in_words
from dalenius.notions.promise_as_phrase import is_of_odds, phrase_of
from dalenius.notions.promises_in_words import example_words, folds as folds_of, shown_chance
from dalenius.plotting import check_place
from dalenius.reports.judged_spec import Judged
from dalenius.reports.most_exposed import exposed, exposed_section, revealed_section
from dalenius.reports.page_building_blocks import LISTED, PageTable, Section, as_sentence, down, near, up, upper_nats
from dalenius.reports.templates import rendered
from dalenius.sentences.sentence import said
from dalenius.spec import canonical, hypotheses
from dalenius.spec.precision_shown import share_in_percent
from dalenius.spec.results_in_words import ALL_OTHERS, UNBOUNDED, is_bound, where, whose
from dalenius.spec.spec import question_words

_CONFIDENTIAL: Final = (
    "This page is for the signer, and not for publication. It was computed from the table itself, because the model is "
    "the table with one person absent."
)


def _published(judged: Judged) -> Section:
    """Writes the section of what goes out and how precise it is: query, noise, people, the average error and intervals.

    Where the model is the table itself, as in a register of who is absent, it says that the page is confidential.
    """
    release, noise = judged.release, judged.release.noise
    count = len(release.names)
    numbers = "One number is published" if count == 1 else f"{count:,} numbers are published, each"
    plain = [as_sentence(f"what is asked: {question_words(judged.spec)}")]
    plain.append(as_sentence(f"{numbers}{',' * (count == 1)} {_with_article(noise.shape.outcome)}"))
    # So that an officer who signs for a release without noise reads that in a sentence of its own.
    if noise.shape.adds_nothing:
        plain.append("No noise is added: the answers are exact, and have no error.")
    else:
        source = "as the spec gives it" if judged.given else "the least that keeps what is promised below"
        plain.append(f"The noise is {noise.words}, {source}.")
    plain.append(_people(judged))
    off = judged.calibration.expected_error
    if isnan(off) and noise.shape.on_records:
        plain.append("The answer is made of noised reports: the exact one is estimated from it.")
    elif isnan(off):  # randomised response, or noise whose error is another for each true answer
        plain.append("No average error is defined: outputs are words, or err by the answer.")
    elif not noise.shape.adds_nothing:
        plain.append(f"A number is off by {near(off, 4)} on average.")
    if judged.calibration.exact and not noise.shape.adds_nothing:
        plain.append("Some possible answers are published exactly: their readers know them.")
    table, advised = _intervals(judged), advice(release, judged.confidence)
    plain += [] if advised is None else [as_sentence(f"Poor precision: {advised}")]
    plain += [] if judged.few is None else [as_sentence(f"Who sets the noise: {judged.few}")]
    plain += [_CONFIDENTIAL] if judged.spec.model.gives != "laws" else []
    return Section("published", "What is published", tuple(plain), tables=() if table is None else (table,))


def _with_article(outcome: str) -> str:
    """Writes an outcome with its article, such as "an exact answer"; several, as ranks, have none."""
    article = "" if outcome.startswith("ranks") else "an " if outcome[0] in "aeiou" else "a "
    return f"{article}{outcome}"


def _assumed(judged: Judged) -> Section:
    """Writes the section of what has to be so for the rest to hold: a signature is for these sentences too.

    They are the model in words, what the promises rest on, and that nothing else is released.
    """
    found = [
        f"the records are taken for this: {judged.spec.model.words}",
        *hypotheses(judged.spec, judged.promises),
        *judged.of_table,
        _nothing_else(judged),
        said("other_data_sets"),
    ]
    plain = (
        "Every reader of the answers is taken for an adversary: somebody who knows this page, the model and the noise, "
        "and reasons without error. This page holds as long as all of the following holds.",
    )
    return Section("assumed", "What is assumed", plain, points=tuple(as_sentence(each) for each in found))


def _nothing_else(judged: Judged) -> str:
    """Says what the page supposes of other releases: those in the ledger are told, and none is supposed away."""
    if judged.before is None:
        return "nothing else is released from the same data"
    outside = f"nothing else is released from the same data outside the ledger {judged.before.shown}"
    return f"{outside}, which section “{_BEFORE}” is about" if judged.before.rows else outside


_BEFORE: Final = "What was released before"


def _before(judged: Judged) -> tuple[Section, ...]:
    """Writes the section of what the ledger holds of the table and does with this release; none without a ledger."""
    before = judged.before
    if before is None or not (before.rows or before.refused):
        return ()
    count = len(before.rows)
    there = "no release" if not count else "one release" if count == 1 else f"{count:,} releases"
    said = f"The ledger {before.shown} has {there} of data set {before.name}; {before.spent} are spent."
    shown = before.rows[-LISTED:]
    left = f" ({count - LISTED:,} earlier ones are not shown)" if count > LISTED else ""
    tables = (PageTable(f"What was released before{left}", before.columns, shown),) if shown else ()
    return (Section("before", _BEFORE, (said, *before.sentences), tables=tables),)


def _people(judged: Judged) -> str:
    """Says how many people the model has, and in which table and columns they are."""
    worlds = judged.release.worlds.finite
    labelled = (worlds[0].joint if worlds else judged.release.model.joints()[0]).labelled()
    total = sum(labelled.values())
    named = [label for label in labelled if label]
    among = f", in {len(named):,} groups by label" if len(named) > 1 else ""
    model = f"The model ({judged.spec.model.kind}) is of {total:,} {'person' if total == 1 else 'people'}{among}."
    if judged.people is None:
        return f"{model} The spec names no table of their data."
    columns = ", ".join(f"{key} from column {column}" for key, column in judged.people.source.columns.items())
    return f"{model} Their data are the {judged.people.size:,} rows of {judged.people.shown}: {columns}."


def _intervals(judged: Judged) -> PageTable | None:
    """Returns how precise the first twenty answers are; None where that is unknown, as of words."""
    # Because words, as of randomised response, are not off by any distance, there is no table of them.
    share = share_in_percent(judged.confidence)
    found = expected(judged.release, judged.confidence)
    if not found:
        return None
    rows = []
    for each in found[:LISTED]:
        range_ = f"{near(float(each.low))} to {near(float(each.high))}"
        rows.append((each.name or "the answer", range_, _interval(judged, each)))
    more = f" ({len(found) - LISTED:,} more answers are not shown)" if len(found) > LISTED else ""
    said = f"the exact answer is within the interval in {share} of releases at least"
    caption = f"How precise each answer is: {said}{more}"
    return PageTable(caption, ("answer", f"expected by the model ({share})", f"{share} interval"), tuple(rows))


def _interval(judged: Judged, found: Expected) -> str:
    """Says how far an answer may be off: around the middle of what is expected, where noise depends on the answer."""
    interval = found.interval
    if interval is None:
        return "none: this noise gives no interval"
    if judged.release.noise.shape.additive:
        return f"± {up((interval.upper - interval.lower) / 2)}"
    return f"{down(interval.lower, 6)} to {up(interval.upper, 6)} around the middle"


# So that no promise counts as broken by roundings alone.
_ROUNDED: Final = 1 + 1e-9


def _promised(judged: Judged) -> Section:
    """Writes the section of what is promised and what leaks, also to an adversary who knows other records.

    Sentences first, then a table in nats; a promise is kept where the upper end of the leakage is within it.
    """
    found, promises = judged.calibration, judged.calibration.promises
    if judged.promises:
        plain = ["One promise is made." if len(promises) == 1 else f"{len(promises)} promises are made."]
    else:
        plain = ["Nothing is promised: the spec gives a noise, and what follows is what this noise leaks."]
    # So that each promise can be judged: what was said, what is so, and whether that keeps it.
    for kept in promises:
        notion, kind = kept.notion, kept.notion.called.replace("_", " ")
        if judged.promises:
            what = in_words(notion) or f"at most {near(notion.epsilon or 0.0)} nats"
            plain.append(as_sentence(f"promised ({kind} privacy): {what}{_also(kept, of_promise=True)}"))
        leaks = leakage_in_words(notion, kept.leakage) or _leaks_in_nats(kept)
        also = _also(kept, of_promise=False) if judged.promises else ""
        plain.append(as_sentence(f"the real leakage ({kind}): {leaks}{also}"))
        only = " by this release alone" if judged.before is not None and judged.before.rows else ""
        plain += [f"This promise is {_verdict(kept)}{only}."] if judged.promises else []
    if judged.before is not None and (judged.before.rows or judged.before.refused):
        plain += judged.before.sentences
    others = _known_others(found)
    plain += [as_sentence(f"Against somebody who knows {known}: {said}") for _, _, known, said in others]
    rows = [_kept_row(judged, kept) for kept in promises]
    rows += [
        (kind, "", upper_nats(loss), "beside it", f"an adversary who knows {known}", "")
        for kind, loss, known, _ in others
    ]
    columns = ("notion", "promised (nats)", "leaks at most (nats)", "promise", "about whom", "where")
    table = PageTable("Promises and leakages in numbers; e to the nats is the factor", columns, tuple(rows))
    return Section("promises", "What is promised, and what leaks", tuple(plain), tables=(table,))


def _also(kept: Kept, of_promise: bool) -> str:
    """Says what the promise, or the leakage, makes of the other chance that the page shows.

    Both are said of both chances, so that the two can be compared. Nothing where there is one chance, or none.
    """
    notion, leakage, witness = kept.notion, kept.leakage, kept.leakage.witness
    of_odds = is_of_odds(notion)
    bounds = (notion.epsilon or 0.0, leakage.upper)
    if of_odds is None or leakage.nothing or not all(0 < each < inf for each in bounds):
        return ""
    known = witness.chance if witness is not None and notion.properties.of_the_model else None
    given = (phrase_of(notion).get("from"), known)
    starts = [shown_chance(of_odds, bound, chance) for bound, chance in zip(bounds, given, strict=True)]
    if starts[0] == starts[1]:
        return ""
    own, other = (0, 1) if of_promise else (1, 0)
    return f", and one {example_words(of_odds, bounds[own], starts[other])}"


def _verdict(kept: Kept) -> str:
    """Says whether the promise is kept; nothing where there is none."""
    epsilon = kept.notion.epsilon
    if epsilon is None:
        return "not promised"
    if kept.leakage.upper <= epsilon * _ROUNDED:
        return "kept"
    # Because a bound that is not tight, or an enclosure that holds the promise within it, proves nothing either way.
    return "NOT KEPT" if kept.leakage.lower > epsilon * _ROUNDED else "not shown to be kept"


def _leaks(kept: Kept) -> str:
    """Writes the leakage in nats, at most."""
    return upper_nats(Enclosure(kept.leakage.lower, kept.leakage.upper))


def _leaks_in_nats(kept: Kept) -> str:
    """Writes the leakage in words, for a notion that says nothing of chances or odds."""
    leaks = Enclosure(kept.leakage.lower, kept.leakage.upper)
    return from_below(leaks, lambda end: f"{down(end)} nats") if leaks.half_open else f"at most {_leaks(kept)} nats"


def _kept_row(judged: Judged, kept: Kept) -> tuple[str, ...]:
    """Returns a row of the table: the notion, the promise, what leaks, whether it is kept, about whom and where."""
    notion, leakage = kept.notion, kept.leakage
    promised = "" if notion.epsilon is None else near(notion.epsilon)
    if notion.epsilon is not None and notion.promised_delta:
        promised += f", delta {notion.promised_delta:g}"
    about = whose(leakage.witness, judged.spec.data is not None), where(leakage, judged.spec.data)
    return (notion.kind, promised, _leaks(kept), _verdict(kept), *about)


def _known_others(found: Calibration) -> list[tuple[str, Enclosure, str, str]]:
    """Returns what the noise means to an adversary who knows other records, whatever is promised.

    Each row has the kind of loss, the loss in nats, what they know, and the same in words.
    """
    rows = []
    if (loss := found.differential_ends) is not None:
        rows.append(("differential", loss, "the records of all others", _loss(loss, found.exact)))
    if (known := found.bayesian) is not None:
        bound = " (a bound; it may be less)" if is_bound(known) and not known.half_open else ""
        rows.append(("bayesian", known, "any of the other records", f"{_loss(known, found.exact)}{bound}"))
    return rows


def _loss(loss: Enclosure, exact: bool) -> str:
    """Says what so many nats mean to somebody who knows other records; exact: whether answers go out as they are."""
    if loss.half_open:
        return from_below(loss, lambda end: f"{down(end)} nats")
    if loss.upper == inf:
        return f"∞. {ALL_OTHERS if exact else UNBOUNDED}"
    said = f"{folds_of(loss.upper)}-fold ({up(loss.upper)} nats)"
    return f"no output changes the odds between two values more than {said}"


_PACKAGES: Final = ("dalenius", "numpy", "scipy")


def _rests(judged: Judged) -> Section:
    """Writes the section of how the noise was found, with the engines, versions and the spec.

    The fingerprint of the data is not in it: a reader who knows all of them but one value would find that value by it.
    """
    found = judged.calibration
    sound = "sound" if found.sound else "NOT SOUND"
    chosen = f"the noise was chosen by method {found.method}; {sound}: {found.why}"
    plain = [
        as_sentence(found.why if judged.given else chosen),
        "Every number is computed from the law of the records and the noise, not sampled, and rounded to the side that "
        "says more leaks.",
    ]
    # So that somebody else gets the same page.
    rows = [("version of " + name, version(name)) for name in _PACKAGES]
    rows.append(("engine", ", ".join(dict.fromkeys(engine for engine, _ in judged.release.worlds.engines())) or "none"))
    rows.append(("SHA-256 of the question", sha256(canonical(judged.spec).encode()).hexdigest()))
    if judged.people is not None:
        rows.append(("data set", judged.people.name))
    table = PageTable("Versions and fingerprints", ("what", "which"), tuple(rows))
    return Section("rests", "What this page rests on", tuple(plain), tables=(table,), text=judged.text)


def sections(judged: Judged) -> tuple[Section, ...]:
    """Writes the page's sections in the order in which they are read.

    So that classes of people are found once, two of the sections share them.

    Args:
        judged: The subject of the page.
    """
    classes = exposed(judged)
    return (
        _published(judged),
        _assumed(judged),
        _promised(judged),
        *_before(judged),
        revealed_section(judged, classes),
        exposed_section(judged, classes),
        _rests(judged),
    )


def page(judged: Judged, front: str = "") -> str:
    """Writes the HTML; nothing in it is loaded from elsewhere.

    Args:
        judged: The subject of the page.
        front: The sheet that stands before the sections, as HTML (`reports.sheet`); empty for none.
    """
    return rendered("page.html.j2", sections=sections(judged), front=front)


def check_page(path: Path) -> None:
    """Raises InputError for a `path` that is no page's, or that could not be written."""
    if path.suffix != ".html":
        raise InputError("--out", str(path), "a file ending in .html")
    check_place(path)
