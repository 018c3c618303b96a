"""Noise for a whole group at once: scale kΔ/ε (IDP Prop 3, IP Prop 5, DDP Thm 7, with the hypothesis of E1)."""

from typing import ClassVar, final

from dalenius.calibration.method import Calibration, Method, check_records_notion, scaled
from dalenius.channel import Release
from dalenius.notions import Notion


@final
class GroupMethod(Method):
    """Sound where each record is independent of *the vector* of all records outside its group (pairwise is not enough:
    Theory §11, E1), which the model's groups are by construction. kΔ is the most a whole group can move the answer."""

    name: ClassVar[str] = "group"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        check_records_notion(notion)
        distance, size = release.group_sensitivity
        why = f"each record is independent of the vector of all outside its group of at most {size}"
        return scaled(self.name, True, why, release, notion, distance)
