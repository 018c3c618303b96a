"""Where the secret is the value that a person's record has at one stage, the rest of their process being nuisance."""

from dataclasses import replace

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints import Subject
from dalenius.laws.law import Law, log_mix, log_sum
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
