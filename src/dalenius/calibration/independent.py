"""Noise as if every record were independent: scale Δ/ε (IDP Prop 2, IP Prop 4)."""

from typing import ClassVar, final

from dalenius.calibration.method import Calibration, Method, check_records_notion, scaled
from dalenius.channel import Release
from dalenius.notions import Notion


@final
class IndependentMethod(Method):
    """What today's libraries do. Sound where records are independent, or where the promise is differential privacy."""

    name: ClassVar[str] = "independent"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        check_records_notion(notion)
        size = release.group_size
        sound = size == 1 or not notion.of_the_model
        if not notion.of_the_model:
            why = "differential privacy speaks of neighbouring data sets, not of what records reveal about each other"
        elif sound:
            why = "every record is independent of all others (IDP Prop 2, IP Prop 4)"
        else:
            why = f"records depend on each other in groups of up to {size}"
        return scaled(self.name, sound, why, release, notion, release.sensitivity)
