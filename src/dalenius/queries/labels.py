"""Queries by label: one answer for all people of some labels, or one for each label.

>>> answers_by_label({"south", "north"}, None, True), answers_by_label({"south", "north"}, ("south",), False)
([('north', ('north',)), ('south', ('south',))], [('', ('south',))])
"""

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction

from dalenius.errors import InputError, listed, meant
from dalenius.fields import RecordValue
from dalenius.laws.sums import Combine
from dalenius.queries.query import Column, Kind


def by_label(
    strata: Sequence[Kind],
    labels: tuple[str, ...] | None,
    per_label: bool,
    score: Callable[[RecordValue, int], Fraction],
    combine: Combine = "sum",
    listed: Collection[str] = (),
) -> tuple[Column, ...]:
    """Returns the columns of a score: one answer, or one for each label.

    Args:
        strata: The people by public label and universe.
        labels: The labels of the people who are asked; None for everybody.
        per_label: Whether each label has its own answer.
        score: The score of a record's value in an answer over so many people.
        combine: How the scores are combined.
        listed: Labels that have an answer though nobody may have them.

    Raises:
        InputError: If nobody has one of the labels, and it is not listed.
    """
    found = []
    present = {stratum.label for stratum in strata}
    for name, among in answers_by_label(present | set(listed), labels, per_label):
        # Because nobody has the label, and everybody knows that, the answer is 0 whatever the records are.
        if not present & set(among):
            found.append(Column(name, tuple(Fraction(0) for stratum in strata for _ in stratum.values), combine))
            continue
        people = sum(stratum.people for stratum in strata if stratum.label in among)
        slots = [(value, stratum.label in among) for stratum in strata for value in stratum.values]
        scores = tuple(score(value, people) if own else None for value, own in slots)
        found.append(Column(name, scores, combine))
    return tuple(found)


def answers_by_label(
    present: Collection[str], labels: tuple[str, ...] | None, per_label: bool
) -> list[tuple[str, tuple[str, ...]]]:
    """Returns each answer's name and the labels that it asks, out of those `present`. InputError for a label nobody
    has. labels: those asked, None for all; per_label: whether each label has its own answer."""
    everybody = tuple(sorted(present))
    # The case of a typing error in a label, or of labels where people have none.
    for label in labels or ():
        if label not in everybody:
            known = [name for name in everybody if name]
            wanted = f"one of the people's labels: {listed(known)}{meant(label, known)}"
            wanted = wanted if known else "no labels, since the people have none"
            raise InputError("query.labels", label, wanted)
    counted = everybody if labels is None else tuple(dict.fromkeys(labels))
    return [(label, (label,)) for label in counted] if per_label else [("", counted)]


def only_answer(present: Collection[str], labels: tuple[str, ...] | None, per_label: bool) -> tuple[str, ...]:
    """Returns the labels of the only answer, as `answers_by_label` does from `present`, `labels` and `per_label`.
    InputError where there are several answers."""
    answers = answers_by_label(present, labels, per_label)
    # Because an absence is judged by one number: an answer for each label would be several.
    if len(answers) > 1:
        raise InputError("query.per_label", f"{len(answers)} answers", "one answer where the secret is who is absent")
    return answers[0][1]


def check_unlabelled(labels: tuple[str, ...] | None) -> None:
    """Raises InputError if there are labels: a universe does not say who has which."""
    if labels is not None:
        raise InputError("query.labels", ", ".join(labels), "no labels, since a universe does not tell who has which")
