"""Answers for labels that the owner of a table lists, though nobody may have them.

Which labels there are, and how many people have each, is public. So an answer about nobody is 0, and everybody knows
it; it goes out with noise like the others, and a table of answers has no gaps.
"""

from dalenius.spec.spec import Spec


def with_listed_labels(spec: Spec) -> Spec:
    """Returns the spec, whose queries have an answer for each label of `[data]`, where they have one for each label.

    Args:
        spec: The spec.
    """
    labels = () if spec.data is None else spec.data.declared_labels
    if not labels:
        return spec
    query = None if spec.query is None else spec.query.listing(labels)
    several = spec.questions
    asked = None if several is None else tuple(each.altered({"query": each.query.listing(labels)}) for each in several)
    return spec.altered({"query": query, "questions": asked})
