"""The query's true answer from a table, and the check that its people are the model's.

The answer is combined from counts, by the number of records at each score. Three records that score 1 and one that
scores 4 have the sum 7 and the maximum 4:

>>> _combined("sum", [(3, 1), (1, 4)]), _combined("max", [(3, 1), (1, 4)])
(7, 4)
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from dalenius.channel import Release, counted_sets
from dalenius.errors import InputError, listed, written
from dalenius.fields import RecordValue
from dalenius.joints import Stratum
from dalenius.laws.sums import Combine
from dalenius.models import Model
from dalenius.process import Process
from dalenius.queries import Scores
from dalenius.spec.condition import MISSING_VALUE
from dalenius.tables import DECIMAL_COMMA, People
from dalenius.tables.drawn_sample import check_sample, drawn_tally
from dalenius.tables.people_by_stage import process_text
from dalenius.tables.row_places import rows_where
from dalenius.tables.truth_words import truth_of


def true_answer(
    release: Release, people: People, tally: Mapping[tuple[str, Fraction | str], int] | None = None
) -> tuple[int, ...]:
    """Returns the exact answer from the table, in lattice steps: one number for each coordinate of the query.

    It is what noise is added to, and goes nowhere without noise. Where a sample is asked, it is that of the sample: of
    a table of everybody a new one is drawn. Where each record is noised before the query is asked, it is how many
    records there are of each label and value instead, in the strata's order. Where noise belongs to sets of people,
    it is the count of each cell of people who are in the same sets.

    Args:
        release: The model, the query and the noise.
        people: The table.
        tally: The people as they were counted (`People.tally`); None to count them now.

    Raises:
        InputError: If the table is not what the model describes, or answers otherwise than what is known of it.
    """
    strata = release.worlds[0].record_strata
    slots = slots_of(strata)
    tally = in_slots(people.tally() if tally is None else tally, slots)
    sample = release.model.drawn()
    if sample is None:
        _check_everybody(release)
    if sample is not None and sample.drawn == "already":
        check_sample(sample, strata, tally)
    else:
        check_people(strata, tally)
    check_table_values(people, tally, slots)
    if sample is not None and sample.drawn == "here":
        tally = in_slots(drawn_tally(sample, people, tally), slots)
    found = [(count, slots[kind]) for kind, count in tally.items() if count > 0]
    if not release.noise.shape.on_records:
        _check_known(release, found)
    counts = {slot: count for count, slot in found}
    return answer_in_slots(release, [counts.get(slot, 0) for slot in range(len(slots))])


def answer_in_slots(release: Release, counts: Sequence[int]) -> tuple[int, ...]:
    """Returns the numbers that noise is added to, as `true_answer` does.

    Args:
        release: The model, the query and the noise.
        counts: How many people are in each slot of the model's strata.
    """
    if release.noise.shape.on_records:
        return tuple(counts)
    sets = counted_sets(release.noise, release.scores)
    return plain_answer(release.scores if sets is None else sets.cells, counts)


def plain_answer(scores: Scores, counts: Sequence[int]) -> tuple[int, ...]:
    """Returns the query's answer in lattice steps, whatever the noise.

    Args:
        scores: The query, on the strata of the model.
        counts: How many people are in each slot of the strata.
    """
    return _of(scores, [(count, slot) for slot, count in enumerate(counts) if count > 0])


def _check_everybody(release: Release) -> None:
    """Raises InputError where a part of the model is a sample: the table does not say who belongs to that part."""
    if release.worlds.sampled:
        wanted = "a sample of all people of the model (a section [sample]) where a table is read"
        raise InputError("model.kind", release.model.kind, wanted)


def slots_of(strata: Sequence[Stratum]) -> dict[tuple[str, Fraction | str], int]:
    """Returns the place of each label and value among all of the strata's."""
    kinds = [(stratum.label, value) for stratum in strata for value in stratum.values]
    return {(label, _key(value)): place for place, (label, value) in enumerate(kinds)}


def _key(value: RecordValue) -> Fraction | str:
    """Returns a value as tables have it: numbers exactly, and a process by its stages."""
    if isinstance(value, Process):
        own = dict(zip(value.stages, value.values, strict=True))
        return process_text(
            {stage: each if isinstance(each, str) else Fraction(str(each)) for stage, each in own.items()}
        )
    return value if isinstance(value, str) else Fraction(str(value))


def in_slots(
    tally: Mapping[tuple[str, Fraction | str], int], slots: Mapping[tuple[str, Fraction | str], int]
) -> dict[tuple[str, Fraction | str], int]:
    """Returns the tally with words for yes and no as 1 and 0, where the model's records have these values.

    Args:
        tally: The number of people of each label and value.
        slots: The place of each label and value that the model's records have.
    """
    found: dict[tuple[str, Fraction | str], int] = {}
    for (label, value), count in tally.items():
        truth = truth_of(value) if isinstance(value, str) and (label, value) not in slots else None
        known = truth is not None and (label, Fraction(truth)) in slots
        key = (label, Fraction(truth or 0)) if known else (label, value)
        found[key] = found.get(key, 0) + count
    return found


def check_table_values(
    people: People, tally: Mapping[tuple[str, Fraction | str], int], slots: Mapping[tuple[str, Fraction | str], int]
) -> None:
    """Raises InputError where rows have a value that the model's records cannot have; it counts them and shows none.

    Args:
        people: The table.
        tally: The number of people of each label and value.
        slots: The place of each label and value that the model's records have.
    """
    # Because the message is shown to somebody who may not be the curator, it has no value of the table.
    tally = in_slots(tally, slots)
    if all(kind in slots for kind in tally):
        return
    # So that the usual mistakes have words of their own: a decimal comma, and numbers that were read as texts.
    others = {value: count for (label, value), count in tally.items() if (label, value) not in slots}
    there = sorted({str(value) for _, value in slots})
    rows = sum(tally[key] for key in tally if key not in slots)
    if others.keys() == {MISSING_VALUE} and people.source.missing == "value":
        raise InputError("data.missing", "value", f"{WITHOUT_VALUE} ({rows:,} of {people.size:,} rows have no answer)")
    said = f"{rows:,} of {people.size:,} rows have another{_places(people, list(others), rows)}"
    texts = [value for value in others if isinstance(value, str)]
    if any(re.match(DECIMAL_COMMA, text) for text in texts):
        said += ', numbers with a decimal comma among them, which decimal = "," in [data] reads'
    elif texts and not any(isinstance(value, str) for _, value in slots):
        said += ": the column holds texts"
    wanted = f"a value the model's records can have in every row: {', '.join(there[:20])} ({said})"
    raise InputError("data.value", people.source.value_column, wanted)


def check_no_texts(people: People, beliefs: Iterable[Sequence[Stratum]]) -> None:
    """Raises InputError where the values are words, other than for yes and no, and the model's records are numbers.

    An answer would be refused later, after a page was written and signed. A column of numbers is not counted here.

    Args:
        people: The table.
        beliefs: The people of each law of the model.
    """
    if people.numbers or people.stages:
        return
    known = {value for strata in beliefs for stratum in strata for value in stratum.values}
    if not known or any(isinstance(value, str) for value in known):
        return
    if all(truth_of(value) is not None for _, value in people.tally() if isinstance(value, str)):
        return
    column = people.source.value_column
    instead = f'value = {{ column = {written(column)}, equals = "…" }} asks who has one of them'
    raise InputError("data.value", column, f"numbers, as the model's records are: the column holds texts; {instead}")


WITHOUT_VALUE: Final = f'a model whose records can be "{MISSING_VALUE}", beside their other values'
"""Words for the error where the model does not say how likely a missing answer is."""


def check_missing_value(missing: object, strata: Sequence[Stratum]) -> None:
    """Raises InputError where a missing answer is a value of its own, and the model's records never have it.

    Args:
        missing: The rule for missing answers.
        strata: The model's people.
    """
    if missing == "value" and not all(MISSING_VALUE in stratum.values for stratum in strata):
        raise InputError("data.missing", "value", f'{WITHOUT_VALUE}: values = [0, 1, "{MISSING_VALUE}"]')


def check_no_gap(missing: object, model: Model) -> None:
    """Raises InputError where rows are left out, and the model's records are one person's values over time.

    Args:
        missing: The rule for missing answers.
        model: The model.
    """
    # Because a day before a gap and the day after it would count as neighbours.
    if missing == "leave_out" and any(each.over_time() is not None for each in (model, *model.parts_of())):
        wanted = 'refuse, "value" or { as = … } with model chain: without a row, records are neighbours that are not'
        raise InputError("data.missing", "leave_out", wanted)


def _places(people: People, values: Sequence[Fraction | str], count: int) -> str:
    """Returns which rows have one of these values, as far as the number of a row says which it is."""
    # If most rows are wrong, as in a table of ages without a model of them, it is not the rows that matter.
    if not people.ordered or 2 * count > people.size:
        return ""
    there = [value for value in values if value != MISSING_VALUE]
    cells = [value if isinstance(value, str) else float(value / people.source.unit) for value in there]
    return rows_where(people.rows, people.rows.value.isin(cells), count)


def _check_known(release: Release, found: Sequence[tuple[int, int]]) -> None:
    """Raises InputError, for the curator alone, where the table answers otherwise than what is known of it."""
    # Most adversaries know no totals.
    if not release.adversary.answers:
        return
    known = release.adversary.answers_of(release.worlds.finite[0].joint)
    if known is None:
        return
    for row, value, own in zip(known.rows, known.values, _of(known.scores, found), strict=True):
        if value != own:
            wanted = "what the table answers: totals that are known must be so"
            raise InputError(f"adversary.answers row {row}", release.adversary.answers[row - 1].value, wanted)


def _of(scores: Scores, found: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Returns the answer of so many records in each slot, in lattice steps; found: (count, slot) that occur."""
    return tuple(
        _combined(how, [(count, int(scores.indices[slot][axis])) for count, slot in found])
        for axis, how in enumerate(scores.combine)
    )


def _combined(how: Combine, scores: Sequence[tuple[int, int]]) -> int:
    """Returns the coordinate's value from the number of records at each score."""
    # Because a maximum asks who is there, not how many, counts matter for sums only.
    if how == "sum":
        return sum(count * score for count, score in scores)
    return (max if how == "max" else min)(score for _, score in scores)


def check_people(strata: Sequence[Stratum], tally: Mapping[tuple[str, Fraction | str], int]) -> None:
    """Raises InputError where the table has not as many people of each label as the model.

    Args:
        strata: The model's people.
        tally: The number of people of each label and value (`People.tally`).
    """
    found: dict[str, int] = {}
    for (label, _), count in tally.items():
        found[label] = found.get(label, 0) + count
    check_labels(strata, found)


def check_labels(strata: Sequence[Stratum], found: Mapping[str, int]) -> None:
    """Raises InputError where the number of people of some label is not the model's.

    The error names the model's first such label in alphabetical order, with both numbers. It names no label that only
    the table has.

    Args:
        strata: The model's people.
        found: The number of people of each label in the table.
    """
    modelled: dict[str, int] = {}
    for stratum in strata:
        modelled[stratum.label] = modelled.get(stratum.label, 0) + stratum.people
    for label in sorted(modelled):
        # The model may be of last year's people, beside this year's table.
        if modelled[label] != found.get(label, 0):
            nameless = "people without a label" if any((*modelled, *found)) else "people"
            who = f"people labelled {label!r}" if label else nameless
            raise InputError("data", f"{found.get(label, 0)} {who}", f"{modelled[label]}, as many as the model has")
    # Because a column that was mistaken for the labels may hold names or diagnoses.
    if others := sum(count for label, count in found.items() if label not in modelled):
        known = listed(sorted(filter(None, modelled))) or "none"
        raise InputError("data.label", f"{others} people of other labels", f"the labels that the model has: {known}")
