"""One A4 page for the person who signs: what went out, what it promises, what that rests on, and what else went out.

The words are those of a `Language`; the facts those of an entry of a ledger, or of a release that is not out yet. The
hash of the entry stands there as a QR code too, so that a telephone can compare it with the ledger.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Final, final

from markupsafe import Markup, escape

from dalenius.curator import notion_of
from dalenius.notions import Notion, in_words
from dalenius.notions.promise_as_phrase import is_of_odds
from dalenius.notions.promises_in_words import becomes, folds
from dalenius.reports.language import Language
from dalenius.reports.page_building_blocks import as_sentence, near
from dalenius.reports.sheet_facts import FactRow, SheetFacts
from dalenius.reports.templates import rendered
from dalenius.sentences.recorded import KEY, phrase_of, phrases_of
from dalenius.sentences.sentence import kind_name, phrase
from dalenius.spec.precision_shown import share_in_percent

LISTED: Final = 24
"""Answers on a sheet; the rest is counted, so that it stays one page."""
SIZES: Final = (9.2, 8.4, 7.6, 6.8)
"""Sizes of letters, in points: the first with which a sheet is one page is printed."""
EARLIER: Final = 4
"""Earlier releases on a sheet; the rest is counted."""
_NOTHING: Final = Markup("")
_ONE_COLUMN: Final = 6
"""Answers that stand in one column; more stand in two."""


@final
@dataclass(frozen=True)
class Part:
    """A part of a sheet: its title and sentences.

    Attributes:
        title: The title.
        plain: Sentences.
        points: A list of sentences below them.
        blank: The word before a line to write on; empty for no such line.
        short: Whether each point has one line only, whose end is cut off.
    """

    title: Markup
    plain: tuple[Markup, ...] = ()
    points: tuple[Markup, ...] = ()
    blank: Markup = _NOTHING
    short: bool = False


@final
@dataclass(frozen=True)
class Sheet:
    """A sheet in words, as its template wants it.

    Attributes:
        code: The code of its language.
        title: Its title.
        practice: The words on top of a sheet about nobody, or nothing.
        facts: Name and words: data set, date, entry, question.
        answers: The title of the answers, and the sentences below them.
        heads: The names of the columns of the answers.
        rows: The answers.
        parts: What follows.
        english_only: What marked words are, in a language that has no words for them.
        digest: The hash, or nothing.
        picture: The hash as a QR code.
        digest_name: The words before the hash.
        lines: What is written on each line at the foot.
    """

    code: str
    title: Markup
    practice: Markup
    facts: tuple[tuple[Markup, Markup], ...]
    answers: Part
    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]
    parts: tuple[Part, ...]
    english_only: Markup
    digest: str
    picture: Markup
    digest_name: Markup
    lines: tuple[Markup, ...]

    @property
    def columns(self) -> int:
        """How many columns the answers stand in."""
        return len(self.halves)

    @property
    def halves(self) -> tuple[tuple[tuple[Markup, ...], ...], ...]:
        """The answers in one column, or in two of about the same length."""
        if len(self.rows) <= _ONE_COLUMN:
            return (self.rows,)
        middle = (len(self.rows) + 1) // 2
        return self.rows[:middle], self.rows[middle:]


def sheet_of(facts: SheetFacts, words: Language, reason: str = "") -> Sheet:
    """Puts the `facts` into `words`.

    Args:
        facts: What the sheet says.
        words: The language.
        reason: Why the assumption may be made, in the signer's words; empty for a line to write on.
    """
    practice = facts.is_practice
    before = facts.entry is None and not practice
    title = "title_practice" if practice else "title_before" if before else "title"
    parts = (_promise(facts, words), _assumption(facts, words, reason), _wrong(facts, words), _before(facts, words))
    shown = _facts(facts, words)
    marked = any(Markup("<i lang") in said for said in _all_words(shown, parts))
    return Sheet(
        words.code,
        words.say(title),
        words.say("practice") if practice else _NOTHING,
        shown,
        Part(words.say("answers"), _below(facts, words)),
        (_NOTHING, words.say("expected" if before else "answer"), _interval_head(facts, words)),
        tuple(_row(row, words) for row in facts.rows[:LISTED]),
        parts,
        words.say("english_only") if marked else _NOTHING,
        facts.digest,
        _qr(facts.digest),
        words.say("hash"),
        # Because nobody signs practice, there are no lines for it.
        () if practice else tuple(words.say(key) for key in ("sign_date", "sign_name", "sign_signature")),
    )


def _all_words(shown: tuple[tuple[Markup, Markup], ...], parts: tuple[Part, ...]) -> list[Markup]:
    return [*(said for _, said in shown), *(said for part in parts for said in (*part.plain, *part.points))]


def _facts(facts: SheetFacts, words: Language) -> tuple[tuple[Markup, Markup], ...]:
    """Writes the head: which data, when, which entry, what was asked."""
    asked = _capital(words.of(phrase_of(facts.certificate, "asked", facts.certificate.get("asked", ""))))
    found = [("dataset", escape(facts.name))] if facts.name else []
    never = words.say("practice_only" if facts.is_practice else "not_released")
    found.append(("released", escape(words.date(facts.released)) if facts.entry else never))
    found += [("entry", escape(facts.entry))] if facts.entry else []
    found += [("asked_by", escape(", ".join(facts.asked_by)))] if facts.asked_by else []
    found.append(("asked", asked))
    # Because a question of a policy is about a measure, its owner's words say what the records are.
    if measured := facts.certificate.get("measure_in_words"):
        found.append(("measured", escape(measured)))
    return tuple((words.say(key), said) for key, said in found)


def _interval_head(facts: SheetFacts, words: Language) -> Markup:
    share = facts.certificate.get("confidence")
    said = words.say("interval")
    return said if share is None else Markup("{} ({})").format(said, words.number(share_in_percent(float(share))))


def _row(row: FactRow, words: Language) -> tuple[Markup, ...]:
    """Writes one answer with its interval."""
    if isinstance(row.shown, tuple):
        shown = words.say("from_to", low=words.number(row.shown[0]), high=words.number(row.shown[1]))
    else:
        shown = escape(words.number(row.shown) if _is_number(row.shown) else row.shown)
    return words.of(row.label), shown, _interval(row, words)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _interval(row: FactRow, words: Language) -> Markup:
    """Writes an interval; one whose end is open as at least or at most."""
    if row.half is not None:
        return words.say("around", half=words.number(row.half))
    if row.ends is None:
        return words.say("no_interval")
    low, high = (words.number(f"{end}") for end in row.ends)
    open_low, open_high = (not isfinite(float(f"{end}")) for end in row.ends)
    if open_low and open_high:
        return words.say("anything")
    if open_low or open_high:
        return words.say("at_most", high=high) if open_low else words.say("at_least", low=low)
    return words.say("from_to", low=low, high=high)


def _below(facts: SheetFacts, words: Language) -> tuple[Markup, ...]:
    """Writes what stands below the answers: how many more there are, what an interval means, warnings."""
    found, more = [], len(facts.rows) - LISTED
    if more > 0:
        found.append(words.say("more_answers" if facts.entry else "more_expected", count=words.number(f"{more:,}")))
    share = facts.certificate.get("confidence")
    if share is not None and any(row.ends is not None or row.half is not None for row in facts.rows):
        percent = share_in_percent(float(share)).removesuffix(" %")
        found.append(words.say("holds", confidence=words.number(percent)))
    for key in ("warning", "advice"):
        if facts.certificate.get(key):
            found.append(words.say(key, words=words.of(phrase_of(facts.certificate, key, facts.certificate[key]))))
    return tuple(found)


def _promise(facts: SheetFacts, words: Language) -> Part:
    """Writes each promise with an example, and the noise."""
    several = facts.certificate.get("promises") or [facts.certificate]
    lines = [line for each in several if _is_promise(each) for line in _one_promise(each, facts, words)]
    noise = words.of(phrase_of(facts.certificate, "noise", _noise_words(facts.certificate)))
    off = facts.certificate.get("expected_error")
    if isinstance(off, int | float) and off > 0:
        lines.append(words.say("noise_error", noise=noise, error=words.number(near(float(off), 3))))
    else:
        lines.append(words.say("noise", noise=noise))
    return Part(words.say("promise"), tuple(lines if len(lines) > 1 else [words.say("nothing_promised"), *lines]))


def _is_promise(part: Mapping[str, Any]) -> bool:
    """Says whether a part of a certificate promises something: a notion without an epsilon is only measured."""
    notion = part.get("notion")
    return isinstance(notion, Mapping) and notion.get("epsilon") is not None


def _one_promise(promised: Mapping[str, Any], facts: SheetFacts, words: Language) -> list[Markup]:
    """Writes one promise in sentences; one that is of no chances in its own words, or in nats."""
    notion = notion_of(promised["notion"])
    epsilon = None if notion is None else notion.epsilon
    if notion is None or epsilon is None or is_of_odds(notion) is None:
        return [_in_nats(promised, notion, facts, words)]
    if epsilon == inf:
        return [words.say("unbounded")]
    return [Markup(" ").join(_sentences(notion, epsilon, words))]


def _sentences(notion: Notion, epsilon: float, words: Language) -> list[Markup]:
    of_odds = bool(is_of_odds(notion))
    before, after = becomes(of_odds, epsilon)
    found = [words.say("odds" if of_odds else "chances", times=words.number(folds(epsilon)))]
    found.append(words.say("example", before=words.number(before), after=words.number(after)))
    if notion.properties.to_whom:
        found.append(words.say("others_known"))
    if notion.promised_delta:
        found.append(words.say("excepted", delta=words.number(f"{notion.promised_delta:g}")))
    return found


def _in_nats(promised: Mapping[str, Any], notion: Notion | None, facts: SheetFacts, words: Language) -> Markup:
    """Writes a promise that is of no chances: in its own words, or in nats."""
    if "promise" in facts.certificate.get(KEY, {}):
        return words.say("in_short", words=_capital(words.of(phrase_of(facts.certificate, "promise", ""))))
    if promised.get("in_words"):
        own = None if notion is None else in_words(notion)
        return words.say("in_short", words=_capital(words.of(phrase(own or str(promised["in_words"])))))
    section = promised["notion"]
    kind, epsilon = str(section.get("kind", "")), section.get("epsilon")
    called = words.of(kind_name("notion", kind))
    return words.say("nats", notion=called, epsilon=words.number(f"{epsilon}"))


def _noise_words(certificate: Mapping[str, Any]) -> str:
    """Writes the noise of a certificate without sentences, from its section: kind and scale, or kind alone."""
    section = certificate.get("noise")
    if not isinstance(section, Mapping):
        return f"{section}"
    kind, scale = str(section.get("kind", "")), section.get("scale")
    if kind == "none":
        return "no noise"
    return f"{kind}, scale {scale:.6g}" if isinstance(scale, int | float) else kind


def _model_words(certificate: Mapping[str, Any]) -> str:
    """Writes the model; of what is learned, to whom the promise is made."""
    if "guarantee" in certificate and "model_in_words" not in certificate:
        return f"the promise is to {certificate['guarantee']['whom']}"
    return str(certificate.get("model_in_words", ""))


def _assumption(facts: SheetFacts, words: Language, reason: str) -> Part:
    """Writes the model with its numbers, what else is supposed, and the reason or a line for it."""
    model = _capital(words.of(phrase_of(facts.certificate, "model", _model_words(facts.certificate))))
    rests = phrases_of(facts.certificate, "hypotheses", facts.certificate.get("hypotheses", ()))
    supposed = [words.say("supposed", words=_capital(words.of(each))) for each in rests]
    told = (words.say("reason", reason=as_sentence(reason)),) if reason else ()
    return Part(
        words.say("assumption"),
        (words.say("model", words=model), *told),
        tuple(supposed),
        _NOTHING if reason else words.say("reason_open"),
    )


def _wrong(facts: SheetFacts, words: Language) -> Part:
    """Writes the second promise: what holds without the model, and with its groups but other probabilities.

    It counts all releases of the data so far; where what they say together is not known, it is of one answer alone.
    """
    noise, known = facts.certificate.get("noise"), facts.certificate.get("differential")
    all_of_them = facts.together
    found = []
    if isinstance(known, int | float) and isfinite(known):
        together = None if all_of_them is None else all_of_them.differential
        found.append(_second("second_known", float(known), together, facts, words))
    if facts.records is not None and facts.records > 1 and isfinite(facts.group_loss):
        together = None if all_of_them is None else all_of_them.group_loss
        found.append(_second("second_group", facts.group_loss, together, facts, words))
    if not found:
        none = isinstance(noise, Mapping) and noise.get("kind") == "none"
        found.append(words.say("second_exact" if none else "second_none"))
    return Part(words.say("wrong"), tuple(found))


def _second(key: str, alone: float, together: float | None, facts: SheetFacts, words: Language) -> Markup:
    """Writes the sentence under `key`: of the only release, of all together, or of this one among several."""
    records, count = facts.records or 1, 1 + len(facts.earlier) + facts.others
    if facts.together is not None:
        count = facts.together.count
    if count == 1:
        nats, kind = alone, ""
    elif together is not None and facts.together is not None and isfinite(together):
        nats, kind, records = together, "_all", facts.together.records
    else:
        nats, kind = alone, "_alone"
    holes = {**_changed(nats, words), "count": words.number(f"{count:,}"), "records": words.number(f"{records:,}")}
    return words.say(f"{key}{kind}", **holes)


def _changed(nats: float, words: Language) -> dict[str, str]:
    """Returns what so many nats of odds mean: the factor, and an example before and after."""
    before, after = becomes(True, nats)
    return {"times": words.number(folds(nats)), "before": words.number(before), "after": words.number(after)}


def _before(facts: SheetFacts, words: Language) -> Part:
    """Writes what has gone out before, the newest first, what all of it spends, and how much followed."""
    count = len(facts.earlier) + facts.others
    number = words.number(f"{count:,}")
    first = (
        words.say("none_before")
        if not count
        else words.say("one_before" if count == 1 else "some_before", **({} if count == 1 else {"count": number}))
    )
    newest = facts.earlier[::-1][:EARLIER]
    points = [
        words.say("earlier", entry=each.entry, date=words.date(each.time), asked=words.of(each.asked))
        for each in newest
    ]
    if count > len(newest):
        points.append(words.say("more_before", count=words.number(f"{count - len(newest):,}")))
    plain = [first]
    if facts.spent is not None:
        # Because certificates and the ledger print a budget so.
        spent, budget = (words.number(f"{each:.6g}") for each in facts.spent)
        plain.append(words.say("all_spent" if facts.entry else "spent_before", spent=spent, budget=budget))
    if facts.elsewhere:
        one = facts.elsewhere == 1
        count_there = words.number(f"{facts.elsewhere:,}")
        plain.append(words.say("one_elsewhere") if one else words.say("elsewhere", count=count_there))
    if facts.since:
        one = facts.since == 1
        plain.append(words.say("one_since") if one else words.say("since", count=words.number(f"{facts.since:,}")))
    return Part(words.say("before"), (Markup(" ").join(plain),), tuple(points), short=True)


def _capital(words: Markup) -> Markup:
    """Writes words with a capital first, unless they begin with a mark."""
    return Markup(words[:1].upper() + words[1:])


def _qr(digest: str) -> Markup:
    """Draws the hash as a QR code; nothing where there is no hash."""
    if not digest:
        return _NOTHING
    import segno

    return Markup(
        segno.make(digest, error="m", micro=False).svg_inline(border=2, omitsize=True, svgclass=None, lineclass=None)
    )


def html(sheet: Sheet, points: float = SIZES[0]) -> str:
    """Writes the `sheet` as one file of HTML, without scripts and with nothing from elsewhere.

    points: The size of its letters.
    """
    return rendered("sheet.html.j2", sheet=sheet, points=points)


def fragment(sheet: Sheet) -> Markup:
    """Writes the `sheet` as a part of another page, with its style."""
    style, body = (
        Markup(rendered(name, sheet=sheet, points=SIZES[0])) for name in ("sheet.css.j2", "sheet_body.html.j2")
    )
    return Markup("<style>\n{}</style>\n{}").format(style, body)
