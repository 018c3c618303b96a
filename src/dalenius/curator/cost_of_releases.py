"""The cost of a release, and what releases of one data set spend together: the least of the sound routes (Theory §9).

Curators are asked one thing after another, and what is asked, with what noise, may depend on the answers: only rules
count that hold for such sequences. *alone*: a single release spends its own leakage. *group*: group losses add (Result
9.1), whatever is known of others. *conversion*: losses between data sets that differ in one record add, and their sum
is converted once (Result 13.2). All debits must be of the same records, columns and model, and promise what inferential
or differential privacy implies. For several measures groups count (Result 9.15). *record*: the sum of losses itself,
where all promise what differential privacy implies (Result 9.14). *periods*: where the policy says how values go on
from one version of the table to the next, what all say of the worst version (Result 9.16). *absence*: where all promise
(α, β) about who is absent, each debit is what it allows for beyond those before (Result 6.3). Without a delta losses
are pure; at that of the budget every loss is taken as Gaussian noise, and the squares of their μ add (Result 9.7).

Take two households of four. In each, 0, 1 or all are infected with probabilities 0.9, 0.04 and 0.06. A count with
geometric noise of scale 8 leaks 0.411 nats alone, loses 0.125 between neighbours and 0.5 between households. One such
count spends 0.411; two 0.9125 and three 1.3840, by conversion. That is more than as many times 0.411, as leakages of
single releases do not add up, and less than 1.5, as groups would have it.

Losses are whole nano-nats, rounded up, and sums of them exact (`amounts`); what a sum is converted to is rounded up.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from math import fsum, inf
from typing import Any, Final, Literal, TypeAlias, final

from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.channel.adversary import Adversary
from dalenius.composition import Releases, group_loss, least_epsilon, record_losses
from dalenius.conversion import Conversion, GaussianProfile, PrivacyProfile, PureProfile
from dalenius.curator.amounts import (
    NO_GROUPS,
    Amount,
    DebitSums,
    amount_json,
    amount_of,
    as_nats,
    budget,
    nats_above,
    spending,
)
from dalenius.curator.schedule import loss_of_periods
from dalenius.errors import InputError, TooLarge
from dalenius.models import Model
from dalenius.notions import Notion

SpentBy: TypeAlias = Literal["alone", "group", "conversion", "record", "absence", "periods"]
Convert: TypeAlias = Callable[[PrivacyProfile, float], float]

_WORDS: Final[Mapping[str, str]] = {
    "alone": "its own leakage: it was the only release of these data at that time",
    "group": "the sum of what each release says about a whole group, such as a household",
    "conversion": "the sum of what each release says about one record to an adversary who knows all others, converted "
    "once to what it says under the model",
    "record": "the sum of what each release says about one record to an adversary who knows all others",
    "absence": "the most that the answers so far may have moved anybody's probability of being the absent one, by the "
    "belief after each of them",
    "periods": "what the releases of all periods say about a whole group, such as a household, in the worst period: a "
    "chain over the periods fades what the others say",
}


def route_in_words(route: SpentBy, delta: float) -> str:
    """Writes the rule by which spending is counted, the `route`, for a certificate; delta: 0 for pure losses."""
    if not delta:
        return _WORDS[route]
    taken = "" if route == "alone" else ", each taken as Gaussian noise"
    return f"{_WORDS[route]}{taken}, at delta {delta:g}"


_LOSSES: Final = ("leakage", "group_loss", "differential", "pure", "gaussian")
_WHERE_KNOWN: Final = ("records", "identity", "together", "implied_by", "delta", "keeps_delta")


@final
@dataclass(frozen=True)
class Entry:
    """The cost of a release. What is not known makes it cost more than any budget beside others.

    Attributes:
        spec: The question, in one canonical text.
        notion: The kinds of its promises.
        leakage: Its own exact leakage, at its promises' delta, in nats.
        group_loss: What it adds when others join it, in nats.
        differential: The largest log-ratio between data sets that differ in another value of one record, in nats;
            infinite where it is not known, and under Gaussian noise.
        pure: The log-ratio of the noise that is not Gaussian, in nats.
        gaussian: The μ of the noise that is, 0 for any other.
        records: How many records the largest independent group has; None where that is not known.
        together: The fingerprint of who is in a group with whom; None where it is not known.
        identity: That of model and columns; None where nothing is to be converted.
        implied_by: What implies the promises.
        delta: The promises' delta.
        keeps_delta: Whether all promises hold at any delta that what implies them has.
        convert: A function from a privacy profile and a delta to what it can leak under the model; it is not written
            down.
    """

    spec: str
    notion: str
    leakage: float
    group_loss: float
    differential: float = inf
    pure: float = inf
    gaussian: float = 0.0
    records: int | None = None
    together: str | None = None
    identity: str | None = None
    implied_by: tuple[str, ...] | None = None
    delta: float = 0.0
    keeps_delta: bool = False
    convert: Convert | None = field(default=None, compare=False, repr=False)

    def as_body(self) -> dict[str, Any]:
        """Returns the cost as the ledger holds it, losses and μ as whole numbers of 1e-9, from above.

        What is not known is left out, and so is a delta of 0: a reader takes what is missing for the worst
        (`DebitSums.with_debit`).
        """
        paid = {key: amount_json(spending(getattr(self, key))) for key in _LOSSES}
        known = {key: value for key in _WHERE_KNOWN if (value := getattr(self, key))}
        return {"spec": self.spec, "notion": self.notion} | paid | known


@final
@dataclass(frozen=True)
class Spent:
    """The spending of a sequence of debits: in nano-nats, at that delta, and by which route.

    It is infinite where no route says anything, so that no budget allows it.
    """

    amount: Amount
    route: SpentBy
    delta: float = 0.0

    @property
    def nats(self) -> float:
        return as_nats(self.amount)


@final
@dataclass(frozen=True)
class Budget:
    """A budget, in nats.

    Attributes:
        initial: What the data set had at first.
        spent: What all releases together may have leaked.
        route: The rule by which that is known (`spending`).
        delta: The δ of the budget.
        spent_delta: The δ at which spent is counted, at most that.
    """

    initial: float
    spent: float
    route: SpentBy = field(default="alone", compare=False)
    delta: float = 0.0
    spent_delta: float = 0.0

    @property
    def remaining(self) -> float:
        """The rest in nats, rounded down; 0 where more was spent than there is, as after a cap was lowered."""
        return max(0.0, as_nats(budget(self.initial) - budget(self.spent)))

    def as_json(self) -> dict[str, Any]:
        """Returns the budget in nats, and by which rule it is counted."""
        return {**asdict(self), "remaining": self.remaining}


def spent_after(after: DebitSums, last: Mapping[str, Any], delta: float = 0.0, convert: Convert | None = None) -> Spent:
    """Returns what these debits spend: the least that any route says, the first of equal ones, pure losses first.

    Each route bounds the whole course, whatever was asked after which answer, so the least may be taken.

    Args:
        after: The sums of the debits.
        last: The body of the last of them.
        delta: The δ of the budget.
        convert: That of the last one's entry.
    """
    own = float(last.get("delta", 0.0))
    # Most data sets of a single table's owner stay with an only release.
    if after.count == 1 and own <= delta:
        return Spent(amount_of(last["leakage"]), "alone", own)
    convert = convert if after.converts else None
    # Because each answer about who is absent had noise for the belief after those before it (E5), shares add up.
    if after.absence is not None:
        return Spent(after.absence, "absence")
    found = [Spent(after.group, "group")]
    if after.goes_on is not None and len(after.periods) > 1:
        found += _of_periods(after, after.goes_on)
    if after.of_records:  # nothing but losses between neighbours is promised, and pure ones add
        found.append(Spent(after.differential, "record"))
    if convert is not None and isinstance(after.differential, int):
        # So that roundings of the conversion do not take it below the losses themselves.
        leaks = spending(convert(PureProfile(nats_above(after.differential)), 0.0))
        found.append(Spent(max(leaks, after.differential), "conversion"))
    found += _at(after, convert, delta if after.keep_delta else 0.0, min(spent.amount for spent in found))
    return min(found, key=lambda spent: spent.amount)


def _of_periods(after: DebitSums, goes_on: str) -> list[Spent]:
    """Returns the spending by what a policy supposes of how values go on; none where that is of single people only."""
    losses = after.by_period
    if inf in losses.values() or (after.largest > 1 and "transition" in goes_on):
        return []
    leaks = loss_of_periods({version: nats_above(loss) for version, loss in losses.items()}, goes_on)
    return [Spent(min(spending(leaks), after.group), "periods")]


def _at(after: DebitSums, convert: Convert | None, delta: float, best: Amount) -> list[Spent]:
    """Returns the spending at that delta, where it may be less than the best so far: every loss as Gaussian noise.

    A group counts as so many records, so that its route allows nothing that a conversion would not: nobody can choose
    among both.
    """
    mu = after.mu if delta else inf
    if mu == inf:
        return []
    found = []
    try:
        # Because no pure losses of answers with Gaussian noise add up; for very many small pure ones this is less than
        # their sum.
        own = GaussianProfile(mu)
        least = spending(least_epsilon(own, delta))
        if after.of_records:
            found.append(Spent(least, "record", delta))
        if convert is not None and least < best:
            found.append(Spent(max(spending(convert(own, delta)), least), "conversion", delta))
        if None not in after.groups:
            group = GaussianProfile(mu * after.largest * (1 + 2 * UNIT))
            found.append(Spent(spending(least_epsilon(group, delta)), "group", delta))
    except InputError:  # a μ that is next to nothing, which pure losses serve, or beyond all bounds
        pass
    return found


def cost_of(release: Release, promises: Sequence[Notion], spec: str, leakage: float) -> Entry:
    """Returns the cost of a release, alone and beside others.

    Beside others it is counted as one that no records are known of: others of these data are for adversaries who know
    none, or other ones. Nothing is converted then, as that supposes that none are known. Where answers are known no
    group is independent of others, and beside others it costs more than any budget.

    Args:
        release: The release, with its noise.
        promises: All promises that are kept.
        spec: What is asked, in one canonical text.
        leakage: Its own leakage under the first promise, in nats, rounded up.
    """
    kinds = " and ".join(notion.kind for notion in promises)
    delta = max(promise.promised_delta or 0.0 for promise in promises)
    single = Entry(
        spec,
        kinds,
        leakage,
        inf,
        implied_by=tuple(dict.fromkeys(promise.properties.implied_by for promise in promises)),
        keeps_delta=all(promise.properties.keeps_delta for promise in promises),
        delta=delta,
    )
    # A spec with a section [adversary] says that somebody's record, or earlier answers, are known.
    knows = bool(release.adversary.known or release.adversary.answers)
    plain = release.altered(adversary=Adversary()) if knows else release
    # Because known records move the answers' lattice too, and noise of one lattice says nothing about another's.
    if release.adversary.answers or plain.lattice != release.lattice:
        return single
    found = _of_one(plain, replace(single, group_loss=group_loss(plain), records=plain.worlds.group_size))
    found = replace(found, together=_together(plain))
    if knows or not plain.worlds.is_finite:
        return found
    return replace(found, identity=_identity(plain, spec), convert=Converting(plain.model))


def _of_one(release: Release, entry: Entry) -> Entry:
    """Returns the entry with what it loses between data sets that differ in one record.

    It is all of it, that of noise which is not Gaussian, and the μ of that which is. Of the answers of several noises
    the losses of the worst record count.
    """
    # If records are real numbers, or too many to go through, how far one may move the answers bounds its loss.
    if not release.worlds.is_finite:
        farthest = release.noise.loss_of_group((release.sensitivity, 1), release.lattice.axes)
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
    """A function from a profile of losses to what it comes to under a model, rounded up; infinite where not known.

    What it found is not pickled: it is found again.
    """

    def __init__(self, model: Model) -> None:
        self._model, self._found = model, lru_cache(self._of)

    def __call__(self, profile: PrivacyProfile, delta: float) -> float:
        return self._found(profile, delta)

    def __reduce__(self) -> tuple[type["Converting"], tuple[Model]]:
        return Converting, (self._model,)

    def _of(self, profile: PrivacyProfile, delta: float) -> float:
        """Returns what any pipeline of that profile between neighbours can leak inferentially at that delta."""
        try:
            return Conversion(self._model, profile, "replace").most(delta)
        # Because no conversion serves some models' groups, such as one given by pairs: then groups count.
        except (InputError, TooLarge):
            return inf


def _identity(release: Release, spec: str) -> str:
    """Returns SHA-256 of the model and of the columns that are read: the law of the records in the same bytes."""
    read = json.loads(spec)
    columns = read.get("data") if isinstance(read, dict) else None
    model = release.model.self_contained().model_dump(mode="json", exclude_none=True)
    return sha256(json.dumps([model, columns], sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _together(release: Release) -> str:
    """Returns SHA-256 of what says who is in a group with whom: the columns of a table, or else the model."""
    if release.worlds.group_size == 1:
        return NO_GROUPS
    columns = sorted(release.model.household_columns)
    said = columns or release.model.self_contained().model_dump(mode="json", exclude_none=True)
    return sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
