"""The certificate of an answer under a policy."""

from dataclasses import dataclass, replace
from typing import Any, Final, final

from dalenius.calibration import Calibration, Kept
from dalenius.curator.certificate import NoiseCertificate, ReleaseCertificate
from dalenius.curator.policy import DataSet, Measure
from dalenius.curator.risk import risk_words
from dalenius.notions import Leakage
from dalenius.queries import Query

ALL: Final = "nothing else is released of these people outside this ledger"
TOGETHER: Final = (
    "who is in one group by one measure's model is in one group, or alone, by each other's; groups are independent of "
    "each other in all measures together"
)
OF_EACH: Final = (
    "the promise is about the value that was asked about, of each person; not of what nobody has asked about"
)
PUBLIC: Final = "how many people there are is public"
FROZEN: Final = "the table never changes, as its owner says"
MOVING: Final = (
    "where the table changes between answers, the people whom groups of one of its states or another connect are no "
    "more than the largest group of one state has"
)


@final
@dataclass(frozen=True)
class PolicyCertificate(ReleaseCertificate):
    """Of several measures it supposes what Theory, Result 9.12 does. It names its data set."""

    of: NoiseCertificate
    data: DataSet
    measure: Measure
    query: Query

    def hypotheses(self) -> list[str]:
        *found, _ = self.of.hypotheses()
        several = [TOGETHER, OF_EACH] if len(self.data.measures) > 1 else []
        return [*found, PUBLIC, FROZEN if self.data.frozen else MOVING, *several, ALL]

    def kept(self) -> dict[str, Any]:
        model = self.measure.belief.self_contained().model_dump(mode="json", exclude_none=True)
        asked = {
            "asked": self._question,
            "measure": self.measure.name,
            "query": self.query.model_dump(mode="json", exclude_none=True),
        }
        return {**self.of.kept(), "model": model, **asked}

    def shown(self) -> list[list[str]]:
        risk = risk_words(self.promises[0], self.of.calibration.leakage.upper)
        return [*self.of.shown(), *([] if risk is None else [["risk", risk]])]

    def asked(self) -> list[list[str]]:
        return [["asked", self._question], ["model", self.measure.belief.words]]

    @property
    def _question(self) -> str:
        """Of a measure: its columns are the owner's."""
        return f"{self.measure.name}: {self.query.words}"

    def about(self) -> dict[str, Any]:
        return {"people": self.people if "people" in self.data.public else None, "data": self.data.name}


def without_witness(calibration: Calibration) -> Calibration:
    """What leaks most is bounded, and about whom is not said: that is somebody in a household of some size."""
    bounds = [Leakage(0.0, each.leakage.upper, None) for each in calibration.promises]
    kept = tuple(Kept(each.notion, bound) for each, bound in zip(calibration.promises, bounds, strict=True))
    return replace(calibration, leakage=bounds[0], promises=kept)
