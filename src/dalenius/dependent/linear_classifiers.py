"""Linear classifiers whose weights may be published: objective perturbation, exactly as it is drawn (Result 17.3)."""

import abc
from math import sqrt
from typing import Any, ClassVar, Final, Self, final

import numpy as np

from dalenius.arrays import Array
from dalenius.dependent.arguments import BadArgument, Box, positive
from dalenius.dependent.estimator import (
    ClassifierMixin,
    PrivateEstimator,
    check_classification_targets,
    column_or_1d,
    noised,
)
from dalenius.dependent.objective_perturbation import least_weight, perturbed
from dalenius.dependent.regularised_minimiser import Loss, hinge, logistic
from dalenius.models import Model
from dalenius.sentences.sentence import said

_ROOM: Final = 2.0**-30
"""By this share rows are shortened more than asked: far above what a length is rounded by."""


class LinearClassifier(ClassifierMixin, PrivateEstimator, abc.ABC):  # type: ignore[misc]
    """One against the rest, where there are more than two classes: as many minimisers share the promise."""

    _loss: ClassVar[Any]
    coef_: Array
    intercept_: Array

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        regularization: float = 0.01,
        bounds: Any = None,
        norm: float | None = None,
        classes: Any = None,
        method: str = "independent",
        dependence: int | Model | None = None,
        accept_unsound: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.regularization = regularization
        self.bounds = bounds
        self.norm = norm
        self.classes = classes
        self.method = method
        self.dependence = dependence
        self.accept_unsound = accept_unsound

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Draw the release of weights for these rows and labels.

        Args:
            X: The rows, one a person: an array or a frame of numbers (n, d).
            y: A label for each row (n,).

        Returns:
            The estimator, with weights.
        """
        weight = positive("regularization", self.regularization)
        if y is None:
            raise BadArgument("y", "requires y to be passed, but the target y is None", "a label for each row")
        rows = self._rows(X, fitting=True)
        people, axes = rows.shape
        labels = _labels(y, people)
        self.classes_ = _classes(labels, self.classes)
        signs = [np.where(labels == each, 1.0, -1.0) for each in self.classes_]
        units = _with_constant(self._units(rows))
        loss: Loss = type(self)._loss
        signed = [units * each[:, None] for each in (signs if len(signs) > 2 else signs[1:])]
        epsilon = self._promised(people)
        # A row and the constant have length √2 before they are scaled: so Λ is of weights of rows of length 1.
        scaled = max(weight / 2, least_weight(loss, people, epsilon, len(signed)))
        found = perturbed(signed, loss, scaled, epsilon)
        released = noised(found.places, found.drawn.scale) * float(found.drawn.step)
        self._weights: Array = released.astype(np.float64)
        # Back in the data's own units: half-widths of the bounds from their middle, or as they are.
        box = Box(-np.ones(axes), np.ones(axes)) if self.bounds is None else Box.of(self.bounds, axes)
        shares = self._weights / sqrt(2)
        self.coef_ = np.asarray(shares[:, :axes] / self._longest(axes) * 2 / (box.upper - box.lower))
        self.intercept_ = np.asarray(shares[:, axes] - self.coef_ @ ((box.lower + box.upper) / 2))
        self.drawn_, self.n_people_ = (found.tilt, found.drawn), people
        return self

    def _longest(self, axes: int) -> float:
        """How long rows may be: as said, or a corner of the bounds."""
        if self.norm is None and self.bounds is None:
            raise BadArgument("bounds", None, "public bounds of the columns, or norm, the length of the longest row")
        return sqrt(axes) if self.norm is None else positive("norm", self.norm)

    def _units(self, rows: Array) -> Array:
        """Rows in half-widths of the bounds, shortened where they are long, as shares of the longest."""
        longest = self._longest(rows.shape[1])
        scaled = rows if self.bounds is None else Box.of(self.bounds, rows.shape[1]).scaled(rows)
        largest = np.maximum(np.abs(scaled).max(axis=1), 1e-150)  # squares of 1e200 are no doubles
        lengths = largest * np.sqrt(((scaled / largest[:, None]) ** 2).sum(axis=1))
        return np.asarray(scaled / np.maximum(lengths, longest)[:, None] * (1 - _ROOM))

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """Compute how far each row is on the side of a class; rows are clipped as in fitting.

        Args:
            X: The rows (n, d).

        Returns:
            The margins, of the second class (n,) where there are two, else of each class (n, k).
        """
        rows = self._rows(X, fitting=False)
        found = _with_constant(self._units(rows)) @ self._weights.T
        return np.asarray(found[:, 0] if len(self.classes_) == 2 else found)

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Find the likeliest class of each row.

        Args:
            X: The rows (n, d).

        Returns:
            The classes (n,). Of private rows they are private, and no part of the release.
        """
        found = self.decision_function(X)
        return self.classes_[(found > 0).astype(np.int64) if found.ndim == 1 else found.argmax(axis=1)]

    def _public(self) -> tuple[str, ...]:
        return (said("labels_public"),) if self.classes is None else ()

    def _kind(self) -> str:
        return "classifier"


def _with_constant(units: Array) -> Array:
    """Rows of length at most 1 with a further column as long, scaled back to length 1: the intercept's."""
    return np.column_stack([units, np.full(len(units), 1 - _ROOM)]) / sqrt(2)


def _labels(given: Any, people: int) -> Any:
    try:
        found = column_or_1d(given, warn=True)
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            raise ValueError("NaN or infinity (inf)")
        check_classification_targets(found)
    except (TypeError, ValueError) as error:
        raise BadArgument("y", str(error).split("\n", 1)[0], "a label for each row") from None
    if len(found) != people:
        raise BadArgument("y", f"{len(found)} labels", f"one for each of the {people} rows: inconsistent numbers")
    return found


def _classes(labels: Any, declared: Any) -> Any:
    """The classes in order: as declared, or those that there are, which are then public."""
    there = np.unique(labels)
    found = there if declared is None else np.unique(np.asarray(declared))
    if len(found) < 2:
        raise BadArgument("y", f"one class {found.tolist()}", "labels of two classes or more")
    strangers = there[~np.isin(there, found)]
    if len(strangers):
        raise BadArgument("y", str(strangers[0]), f"one of the classes {', '.join(map(str, found))}")
    return found


@final
class LogisticRegression(LinearClassifier):
    """Logistic regression with a promise: the minimiser of (1/n) Σ loss + (Λ/2)‖w‖² with a random tilt.

    After `fit` it has `coef_` and `intercept_` for rows within the bounds, `classes_`, and `drawn_`, the noise. More
    people, or more regularisation, need less noise.

    Args:
        epsilon: The promise in nats.
        regularization: Λ, for rows scaled to length 1; the intercept is regularised too. Where n and epsilon are so
            small that it says too little, more is taken.
        bounds: (lower, upper), each one number or one for each column: rows are clipped to them and scaled to [-1, 1].
            None for rows as they are, beside `norm`.
        norm: How long a row may be, after scaling: longer ones are shortened. None for any within the bounds.
        classes: The labels that there may be; None where those that there are may be public.
        method: What multiplies the noise under dependence: "independent" (once, the default), "group", "comonotone",
            "exact", "dependence_coefficient" or "dependence_coefficient_closed".
        dependence: How people's records depend on each other: the largest group's size, or a model whose records are
            the people's; None beside "independent".
        accept_unsound: Whether to release by a method that promises nothing.

    Raises:
        InputError: For arguments and rows that are not what was wanted, by `fit`; a ValueError too.

    Example:
        >>> import dalenius as dl
        >>> import numpy as np
        >>> ages = np.arange(20.0, 80.0, 0.01)[:, None]
        >>> found = dl.LogisticRegression(epsilon=20.0, bounds=(20, 80)).fit(ages, ages[:, 0] > 50)
        >>> found.score(ages, ages[:, 0] > 50) > 0.9
        True

    Notes:
        Result 17.3, after Chaudhuri, Monteleoni and Sarwate 2011.
    """

    _loss = staticmethod(logistic)

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Compute the chances of each class, as the fitted model has them.

        Args:
            X: The rows (n, d).

        Returns:
            The chances (n, k); each row sums to 1.
        """
        found = self.decision_function(X)
        margins = np.column_stack([-found, found]) if found.ndim == 1 else found
        chances = np.exp(-np.logaddexp(0.0, -margins))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


@final
class LinearSVC(LinearClassifier):
    """A linear support vector machine with a promise, as `LogisticRegression`, with another loss.

    The loss is the hinge, made a parabola within 0.5 of 1. After `fit` it has `coef_`, `intercept_`, `classes_` and
    `drawn_`.

    Args:
        epsilon: The promise in nats.
        regularization: Λ, for rows scaled to length 1; the intercept is regularised too. Where n and epsilon are so
            small that it says too little, more is taken.
        bounds: (lower, upper), each one number or one for each column: rows are clipped to them and scaled to [-1, 1].
            None for rows as they are, beside `norm`.
        norm: How long a row may be, after scaling: longer ones are shortened. None for any within the bounds.
        classes: The labels that there may be; None where those that there are may be public.
        method: What multiplies the noise under dependence: "independent" (once, the default), "group", "comonotone",
            "exact", "dependence_coefficient" or "dependence_coefficient_closed".
        dependence: How people's records depend on each other: the largest group's size, or a model whose records are
            the people's; None beside "independent".
        accept_unsound: Whether to release by a method that promises nothing.

    Raises:
        InputError: For arguments and rows that are not what was wanted, by `fit`; a ValueError too.

    Example:
        >>> import dalenius as dl
        >>> import numpy as np
        >>> ages = np.arange(20.0, 80.0, 0.01)[:, None]
        >>> found = dl.LinearSVC(epsilon=20.0, bounds=(20, 80)).fit(ages, ages[:, 0] > 50)
        >>> found.score(ages, ages[:, 0] > 50) > 0.9
        True

    Notes:
        Result 17.3, after Chaudhuri, Monteleoni and Sarwate 2011.
    """

    _loss = staticmethod(hinge)
