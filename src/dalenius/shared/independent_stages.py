"""Independent stages: laws of the same people in several data sets, as one law of their processes (IP Prop 8)."""

from collections.abc import Mapping, Sequence
from functools import reduce

from dalenius.errors import InputError
from dalenius.joints.groups.written_out import written_out
from dalenius.joints.joint import Joint
from dalenius.shared.independent import IndependentStages
from dalenius.shared.processes import extended_joint, processes_of_both
from dalenius.shared.steps import Steps


def independent_stages(laws: Sequence[Joint], names: Sequence[str]) -> Joint:
    """The law of the processes; laws: of each stage, of the same people by number. InputError where the people differ;
    TooLarge where laws of different kinds would have to be written out."""
    _check_same_people([law.labelled() for law in laws], names)
    staged = tuple(extended_joint(law, Steps((name,))) for law, name in zip(laws, names, strict=True))
    return IndependentStages(reduce(_beside, staged), staged)


def _beside(one: Joint, other: Joint) -> Joint:
    found = processes_of_both(one, other)
    if found is not None:
        return found
    what, instead = "independent stages", "give the stages models of one kind"
    both = processes_of_both(written_out(one, what, instead), written_out(other, what, instead))
    assert both is not None
    return both


def _check_same_people(people: Sequence[Mapping[str, int]], names: Sequence[str]) -> None:
    """InputError where somebody is at one stage and not at another; people: by stage, how many there are of each label.
    A stage whose people have no labels is of anybody."""
    everybody = [sum(stage.values()) for stage in people]
    labelled = [stage for stage in people if set(stage) != {""}]
    for name, stage, own in zip(names, people, everybody, strict=True):
        missing = [f"{max(everybody) - own} of {max(everybody)} people"] if own < max(everybody) else []
        if set(stage) != {""}:
            most = {label: max(each.get(label, 0) for each in labelled) for each in labelled for label in each}
            lacking = {label: most[label] - stage.get(label, 0) for label in sorted(most)}
            missing = [_said(label, number) for label, number in lacking.items() if number] or missing
        if missing:
            shown = f"stage {name} without {' and '.join(missing)}"
            raise InputError("model.within", shown, "the same people at all stages")


def _said(label: str, number: int) -> str:
    people = "person" if number == 1 else "people"
    return f"{number} {people} labelled {label!r}" if label else f"{number} {people} without a label"
