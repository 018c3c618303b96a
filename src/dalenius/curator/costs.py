"""What a release costs by every route, so that later ones can be added to it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from math import fsum, inf

from dalenius.channel import Release
from dalenius.composition import Releases, converted, record_losses
from dalenius.conversion import PrivacyProfile
from dalenius.curator.spending import Entry
from dalenius.curator.sums import ALONE
from dalenius.errors import InputError, TooLarge
from dalenius.notions import Notion


def cost_of(release: Release, promises: Sequence[Notion], entry: Entry) -> Entry:
    """The entry with what the routes need. Where the model has no law of records of finitely many values, or the
    adversary knows some or answers about them, there is nothing to convert, and it is left as it is."""
    if not release.is_finite or release.adversary.known or not release.of_plain_records:
        return entry
    losses = record_losses(Releases((release,)))

    @lru_cache
    def convert(profile: PrivacyProfile, delta: float) -> float:
        try:
            return converted(release, profile, delta)
        except (InputError, TooLarge):
            return inf

    return replace(
        entry,
        differential=max((loss.total for loss in losses), default=0.0),
        gaussian=max((loss.mu for loss in losses), default=0.0),
        pure=max((fsum(loss.pure) for loss in losses), default=0.0),
        records=release.group_size,
        identity=_identity(release, entry.spec),
        together=_together(release),
        implied_by=tuple(dict.fromkeys(promise.implied_by for promise in promises)),
        keeps_delta=all(promise.keeps_delta for promise in promises),
        convert=convert,
    )


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
