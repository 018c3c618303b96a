"""Where the secret is the value that a person's record has at one stage, the rest of their process being nuisance.

Answers about independent stages: their channels multiply, and what they leak adds up (IP Prop 8).

Two stages that leak 0.5 nats each leak 1 of a process of which at most 2 was known:

>>> stage = Enclosure(0.5, 0.5)
>>> round(added(Found(Enclosure(0.0, 2.0)), [stage, stage]).value.lower, 6)
1.0
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel.leakage import Found
from dalenius.joints import Joint, Stratum, Subject
from dalenius.laws.law import Law, log_mix, log_sum
from dalenius.queries import Scores
from dalenius.schema import Process, RecordValue


def at_stage(subject: Subject, law: Law, stage: str) -> tuple[Subject, Law]:
    """The subject whose secrets are the values there, and the law of the answer given each: the mixture of those given
    the processes that have it. law: of the exact answer."""
    values = [_at(secret, stage) for secret in subject.secrets]
    secrets = tuple(dict.fromkeys(values))
    # Well then ill, and ill then ill, are one secret of the second stage.
    rows = [np.array([value == secret for value in values]) for secret in secrets]
    found = subject_at(subject, stage)
    log_prior = [log_sum(subject.log_prior[own]) for own in rows]
    relative = np.stack(
        [
            log_mix(subject.log_prior[own] - chance, law.relative[own])
            for own, chance in zip(rows, log_prior, strict=True)
        ]
    )
    deepest = float(np.max(np.abs(law.relative), where=np.isfinite(law.relative), initial=0.0))
    rarest = float(np.max(np.abs(subject.log_prior)))
    rounding = (2 * law.secrets + 4 * deepest + 8 * rarest + 8) * UNIT
    return found, replace(law, relative=relative, error=law.error + rounding)


def subject_at(subject: Subject, stage: str) -> Subject:
    """The same people, whose secrets are the values there."""
    values = [_at(secret, stage) for secret in subject.secrets]
    secrets = tuple(dict.fromkeys(values))
    chances = [log_sum(subject.log_prior[np.array([value == secret for value in values])]) for secret in secrets]
    log_prior, what = np.minimum(np.array(chances), 0.0), f"record at stage {stage}"
    return replace(subject, secrets=secrets, log_prior=log_prior, what=what, guesses=None, others=None)


def _at(process: RecordValue, stage: str) -> RecordValue:
    assert isinstance(process, Process)
    return process.values[process.stages.index(stage)]


_Key: TypeAlias = tuple[str, tuple[RecordValue, ...], RecordValue]
"""A label, a stage's universe, and a value of it."""


@final
@dataclass(frozen=True)
class AtStage:
    """name: the stage's; joint: the law of its records; scores: what is asked of them; axes: which coordinates
    of the whole answer."""

    name: str
    joint: Joint
    scores: Scores
    axes: tuple[int, ...]


def by_stage(joint: Joint, scores: Scores) -> tuple[AtStage, ...]:
    """What is asked of each independent stage; none where the law is not given by stages, or some coordinate is not of
    the values of exactly one."""
    found = []
    for place, law in enumerate(joint.stages):
        keys = _keys(joint.strata(), place)
        first = {key: slot for slot, key in reversed(list(enumerate(keys)))}
        column = [first[key] for key in keys]
        # Answers that depend on this stage alone: whatever the other values, the score is the same.
        axes = [axis for axis, own in enumerate(scores.indices.T) if (own == own[column]).all()]
        wanted = [(kind.label, kind.values, value) for kind in law.strata() for value in kind.values]
        # A value of the stage that no process of the whole has: the stage's own law says more than the records.
        if not set(wanted) <= set(first):
            return ()
        rows = [first[key] for key in wanted]
        names, combine = tuple(scores.names[axis] for axis in axes), tuple(scores.combine[axis] for axis in axes)
        exact = tuple(tuple(scores.exact[row][axis] for axis in axes) for row in rows)
        own = Scores(names, exact, scores.lattice.restricted(axes), scores.indices[rows][:, axes], combine)
        found.append(AtStage(_name(law), law, own, tuple(axes)))
    # Each answer about one stage, and every answer about some: one about both would tie them together.
    asked = sorted(axis for each in found for axis in each.axes)
    return tuple(each for each in found if each.axes) if asked == list(range(scores.lattice.axes)) else ()


def _keys(strata: Sequence[Stratum], place: int) -> list[_Key]:
    """Of every slot, at that stage."""
    found: list[_Key] = []
    for stratum in strata:
        values = [_process_at(value, place) for value in stratum.values]
        universe = tuple(dict.fromkeys(values))
        found += [(stratum.label, universe, value) for value in values]
    return found


def _process_at(value: RecordValue, place: int) -> Process:
    """The process with one stage only, as that stage's law has it."""
    assert isinstance(value, Process)
    return Process((value.stages[place],), (value.values[place],))


def _name(law: Joint) -> str:
    """The only stage of that law."""
    process = law.strata()[0].values[0]
    assert isinstance(process, Process)
    return process.stages[0]


def is_close(value: Enclosure) -> bool:
    """Whether it is known well enough."""
    # Nats between the ends of what is known well enough without the stages.
    return value.upper < inf and value.upper - value.lower <= 1e-9 * max(value.upper, 1.0)


def added(found: Found, stages: Sequence[Enclosure]) -> Found:
    """Both enclose the truth, the sum of the stages' too."""
    low, high = sum(each.lower for each in stages), sum(each.upper for each in stages)
    lower, upper = around(low, len(stages) * UNIT * low).lower, around(high, len(stages) * UNIT * high).upper
    value = Enclosure(max(found.value.lower, lower), min(found.value.upper, upper))
    return Found(value, found.witness)
