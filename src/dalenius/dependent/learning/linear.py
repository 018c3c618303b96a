"""Linear classifiers that are differentially private per record (Chaudhuri, Monteleoni and Sarwate 2011)."""

import abc
from typing import Any, Final, Literal, Self, final

import numpy as np

from dalenius.dependent.learning.arguments import BadArgument, moderate, nats, one_of, positive
from dalenius.dependent.learning.estimator import ClassifierMixin, PrivateEstimator, seed_of
from dalenius.dependent.learning.guarantee import Guarantee
from dalenius.dependent.learning.labels import signs_of
from dalenius.dependent.learning.losses import Logistic, Loss, SmoothHinge, one_over
from dalenius.dependent.learning.perturbed import Learned, Task, objective_perturbed, output_perturbed, output_simulated
from dalenius.dependent.learning.rows import clipped, unit_rows
from dalenius.laws.law import Array

Perturbation = Literal["output", "objective"]
Noise = Literal["l1", "l2"]

HYPOTHESES: Final = (
    "a person's record is one row with its label",
    "norm, regularization and all other parameters are chosen without looking at the data",
    "how many rows there are is public",
)
LABELS: Final = "which two labels there are is public: give `classes` where it is not"
REFUSALS: Final = "that a fit is refused is not counted"
SOUND: Final = "Result 17.2: certified minimisers of neighbours are near, and have exact discrete Laplace noise"
FLOATING: Final = "the noise is drawn in floating point, and what it adds up to leaks more than real numbers would"
INEXACT: Final = "the theorem is about the exact minimiser in real numbers, and a computer's is neither"


class PrivateLinear(ClassifierMixin, PrivateEstimator, abc.ABC):  # type: ignore[misc]
    """epsilon: nats per record; regularization: Λ of (1/n) Σ loss + (Λ/2)‖w‖²; norm: rows longer are shortened to it,
    when fitted and when asked; perturbation: `output`, noise on the minimiser, or `objective`, in what is minimised;
    noise: of output perturbation, `l1`, exact discrete Laplace noise, or `l2`, the paper's, for simulations.
    fit_intercept: by a column of the constant intercept_scaling, regularised as all others. classes: both labels,
    where these are not public. random_state: of what is not exact; that has no guarantee, and wants
    `accept_unsound=True`.

    Neighbours have another record of one person (`replace`). After fit: coef_ (1, d) and intercept_ (1,), of rows no
    longer than norm; classes_; guarantee_.
    """

    def __init__(
        self,
        *,
        epsilon: float,
        regularization: float,
        norm: float,
        perturbation: Perturbation = "output",
        noise: Noise = "l1",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        classes: Any = None,
        random_state: int | None = None,
        accept_unsound: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.regularization = regularization
        self.norm = norm
        self.perturbation = perturbation
        self.noise = noise
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.classes = classes
        self.random_state = random_state
        self.accept_unsound = accept_unsound

    @abc.abstractmethod
    def _loss(self) -> Loss:
        """Of a margin."""

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Release weights learned of these rows and labels."""
        epsilon, norm = nats("epsilon", self.epsilon), moderate("norm", self.norm)
        constant = moderate("intercept_scaling", self.intercept_scaling) if self.fit_intercept else 0.0
        regularization, loss, why = moderate("regularization", self.regularization), self._loss(), self._why()
        rows, labels = self._labelled(X, y)
        self.classes_, signs = signs_of(labels, self.classes)
        units, longest = unit_rows(rows, norm, constant)
        weight = regularization / longest**2
        learned = self._learned(Task(units * signs[:, None], loss, weight), epsilon)
        weights = learned.weights / longest
        self.coef_: Array = weights[None, : rows.shape[1]]
        self.intercept_: Array = weights[rows.shape[1] :] * constant if constant else np.zeros(1)
        said = (*HYPOTHESES, *((LABELS,) if self.classes is None else ()), REFUSALS)
        self.guarantee_ = Guarantee(epsilon, "replace", why == SOUND, why, said, (learned.noise,))
        return self

    def _why(self) -> str:
        """What the guarantee rests on, or what fails and has been accepted."""
        objective = one_of("perturbation", self.perturbation, ("output", "objective")) == "objective"
        if one_of("noise", self.noise, ("l1", "l2")) == "l1" and not objective:
            return SOUND
        why = INEXACT if objective else FLOATING
        if self.accept_unsound is not True:
            raise BadArgument("accept_unsound", self.accept_unsound, f"true, for {why}")
        return why

    def _learned(self, task: Task, epsilon: float) -> Learned:
        if self.perturbation == "objective":
            return objective_perturbed(task, epsilon, seed_of(self.random_state))
        if self.noise == "l2":
            return output_simulated(task, epsilon, seed_of(self.random_state))
        return output_perturbed(task, epsilon)

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """By row how far it is on the side of the second class."""
        rows = clipped(self._rows(X, fitting=False), float(self.norm))
        return np.asarray(rows @ self.coef_[0] + self.intercept_[0])

    def predict(self, X: Any) -> Any:  # noqa: N803
        """By row its class."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.int64)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


@final
class LogisticRegression(PrivateLinear):
    __doc__ = "Logistic regression.\n\n    " + str(PrivateLinear.__doc__)

    def _loss(self) -> Loss:
        return Logistic()

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """By row the chances of both classes, as the model has them."""
        found = one_over(self.decision_function(X))
        return np.stack([found, 1 - found], axis=1)


@final
class LinearSVC(PrivateLinear):
    __doc__ = "A linear support vector machine, its hinge a parabola within `huber` of 1.\n\n    " + str(
        PrivateLinear.__doc__
    )

    def __init__(
        self,
        *,
        epsilon: float,
        regularization: float,
        norm: float,
        huber: float = 0.5,
        perturbation: Perturbation = "output",
        noise: Noise = "l1",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        classes: Any = None,
        random_state: int | None = None,
        accept_unsound: bool = False,
    ) -> None:
        super().__init__(
            epsilon=epsilon,
            regularization=regularization,
            norm=norm,
            perturbation=perturbation,
            noise=noise,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            classes=classes,
            random_state=random_state,
            accept_unsound=accept_unsound,
        )
        self.huber = huber

    def _loss(self) -> Loss:
        huber = positive("huber", self.huber)
        if huber > 1:
            raise BadArgument("huber", self.huber, "a number above 0, at most 1")
        return SmoothHinge(huber)
