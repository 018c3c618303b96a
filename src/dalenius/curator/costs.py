"""What a release costs by every route, so that later ones can be added to it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from math import fsum, inf
from typing import final

from dalenius.channel import Release
from dalenius.composition import Releases, converted, group_loss, record_losses
from dalenius.conversion import PrivacyProfile
from dalenius.curator.spending import Entry
from dalenius.curator.sums import ALONE
from dalenius.errors import InputError, TooLarge
from dalenius.notions import Notion


def cost_of(release: Release, promises: Sequence[Notion], spec: str, leakage: float) -> Entry:
    """What it costs alone and beside others; leakage: its own, in nats, rounded up.

    Beside others it is counted as one that no records are known of: others of these data are for adversaries who know
    none, or other ones. Nothing is converted then, as that supposes that none are known. Where answers are known no
    group is independent of others, and beside others it costs more than any budget.
    """
    kinds = " and ".join(notion.kind for notion in promises)
    delta = max(promise.promised_delta or 0.0 for promise in promises)
    alone = Entry(
        spec,
        kinds,
        leakage,
        inf,
        differential=inf,
        pure=inf,
        gaussian=0.0,
        records=None,
        together=None,
        implied_by=tuple(dict.fromkeys(promise.implied_by for promise in promises)),
        keeps_delta=all(promise.keeps_delta for promise in promises),
        delta=delta,
    )
    knows = bool(release.adversary.known or release.adversary.answers)
    plain = release.without_knowledge if knows else release
    if release.adversary.answers or plain.lattice != release.lattice:
        return alone
    found = _of_one(plain, replace(alone, group_loss=group_loss(plain), records=plain.group_size))
    found = replace(found, together=_together(plain))
    if knows or not plain.is_finite:
        return found
    return replace(found, identity=_identity(plain, spec), convert=Converting(plain))


def _of_one(release: Release, entry: Entry) -> Entry:
    """With what it loses between data sets that differ in one record."""
    if not release.is_finite:
        farthest = release.noise.group_loss(release.sensitivity, release.lattice.axes)
        return replace(entry, differential=farthest, pure=farthest)
    losses = record_losses(Releases((release,)))
    return replace(
        entry,
        differential=max((loss.total for loss in losses), default=0.0),
        gaussian=max((loss.mu for loss in losses), default=0.0),
        pure=max((fsum(loss.pure) for loss in losses), default=0.0),
    )


@final
class Converting:
    """What a profile of losses comes to under the model of a release, rounded up; infinite where it is not known. What
    it found is not pickled: it is found again."""

    def __init__(self, release: Release) -> None:
        self._release, self._found = release, lru_cache(self._of)

    def __call__(self, profile: PrivacyProfile, delta: float) -> float:
        return self._found(profile, delta)

    def __reduce__(self) -> tuple[type["Converting"], tuple[Release]]:
        return Converting, (self._release,)

    def _of(self, profile: PrivacyProfile, delta: float) -> float:
        try:
            return converted(self._release, profile, delta)
        except (InputError, TooLarge):
            return inf


def _identity(release: Release, spec: str) -> str:
    """SHA-256 of the model and of the columns that are read, in one canonical text: of the same bytes, the same law of
    the same records."""
    try:
        read = json.loads(spec)
    except json.JSONDecodeError:
        read = None
    columns = read.get("data") if isinstance(read, dict) else None
    model = release.model.self_contained().model_dump(mode="json", exclude_none=True)
    return sha256(json.dumps([model, columns], sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _together(release: Release) -> str:
    """SHA-256 of what says who is in a group with whom: the columns of a table, or else the model."""
    if release.group_size == 1:
        return ALONE
    columns = sorted(release.model.household_columns)
    said = columns or release.model.self_contained().model_dump(mode="json", exclude_none=True)
    return sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
