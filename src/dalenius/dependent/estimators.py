"""Estimators with scikit-learn's interface: k-means by noisy Lloyd's steps (Result 17.1), and linear classifiers, all
differentially private per record (Chaudhuri, Monteleoni and Sarwate 2011).

A thousand rows of two columns in a box from 0 to 10, two clusters and one nat for five steps: each count has noise of
scale 37.0 people, each sum 897,799 lattice steps, 137 units of the data. Of the same rows a logistic regression with
regularization .1 and norm 15 at one nat has noise of scale 7.84 on each weight, of rows of length 1.
"""

import abc
from typing import Any, Final, Self, final

import numpy as np
from scipy.spatial.distance import cdist

from dalenius.dependent.arguments import (
    HALF,
    Added,
    BadArgument,
    BadType,
    ClippingBox,
    Guarantee,
    RecordNeighbours,
    checked_nats,
    checked_rows,
    clipped,
    drawable,
    enough,
    moderate,
    one_of,
    positive,
    signs_of,
    unit_rows,
    whole_number,
)
from dalenius.dependent.solvers import (
    Loss,
    NoisySteps,
    RegularisedLoss,
    Split,
    centres_of,
    logistic,
    nearest_centre,
    noisy_lloyd,
    one_over,
    output_perturbed,
    smooth_hinge,
    spread_start,
    squares,
)
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray

_EXTRA: Final = 'the extra learn: pip install "dalenius[learn]"'
_ROWS: Final = "rows of finite numbers, one a person"

try:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin as ClassifierMixin,
        ClusterMixin as ClusterMixin,
        TransformerMixin as TransformerMixin,
    )
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import validate_data
except ImportError:
    raise InputError("dalenius.learning", "no scikit-learn", _EXTRA) from None


class Unfitted(InputError, NotFittedError):  # type: ignore[misc]
    """An estimator was asked before it was fitted: scikit-learn's error, in one line of ours."""


class PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """What is fitted is what is released; nothing else of the data is kept.

    guarantee_: what the release promises and what that rests on.
    """

    guarantee_: Guarantee

    def _rows(self, given: Any, fitting: bool) -> Array:
        """Rows of finite numbers, as many columns as were fitted; their names are scikit-learn's matter."""
        if not fitting and not hasattr(self, "guarantee_"):
            raise Unfitted(type(self).__name__, "not fitted", "fit before anything is asked of it")
        try:
            found = validate_data(self, given, reset=fitting, dtype=np.float64, order="C", ensure_all_finite=False)
        # scikit-learn says what is wrong in many lines; ours is one, with the argument's name.
        except TypeError as error:
            raise BadType("X", _first_line(error), _ROWS) from None
        except ValueError as error:
            flat = "Expected 2D array" in str(error)
            raise BadArgument("X", _first_line(error), f"{_ROWS}{'. Reshape your data' if flat else ''}") from None
        return checked_rows(found)

    def _labelled(self, rows: Any, labels: Any) -> tuple[Array, Any]:
        """Rows, and a label for each."""
        if labels is None:  # as scikit-learn's own checks and pipelines may call it
            raise BadArgument("y", "requires y to be passed, but the target y is None", "a label a row")
        found = self._rows(rows, fitting=True)
        try:
            one_each = column_or_1d(labels, warn=True)
            check_consistent_length(found, one_each)
            assert_all_finite(one_each, input_name="y")
            check_classification_targets(one_each)
        except ValueError as error:
            raise BadArgument("y", _first_line(error), "a label a row") from None
        return found, one_each

    def __sklearn_tags__(self) -> Any:
        """The noise is never the same twice, and on few rows it is all there is."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


def _seed_of(random_state: Any) -> Any:
    """What numpy makes a generator of: a whole number, None for a fresh one, or scikit-learn's own generator."""
    # The generator that scikit-learn's tools pass on; it places first centres, and no noise.
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if random_state is None or (isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)):
        return random_state
    raise BadArgument("random_state", random_state, "a whole number, or None")


def _first_line(error: Exception) -> str:
    """What an error says, without what it adds below."""
    return str(error).split("\n", 1)[0]


_HYPOTHESES: Final = (
    "a person's record is one row",
    "lower, upper, n_clusters, steps and init are chosen without looking at the data",
)
_PEOPLE: Final = "how many rows there are is public"
_REFUSALS: Final = "that rows are refused, as too few or not finite, is not counted"


@final
class KMeans(ClusterMixin, TransformerMixin, PrivateEstimator):  # type: ignore[misc]
    """Noisy Lloyd's steps. epsilon: nats per record, for all steps together; lower, upper: the box that records are
    clipped to, a number or one a column; steps: how many; neighbours: `replace` (one person has another record) or
    `add_remove`; init: (k, d) centres to begin with, chosen without the data, or None for some drawn by random_state,
    which has no part in the noise: that is opendp's discrete Laplace and never the same twice.

    After fit: cluster_centers_ (k, d), in the data's units; counts_ (k,), the noisy sizes of the last step;
    released_, all that went out; guarantee_. Which rows the centres came of is not kept: there are no `labels_`.
    InputError, which is also a ValueError, for arguments and rows that are not what was wanted.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: float,
        lower: Any,
        upper: Any,
        steps: int = 5,
        neighbours: RecordNeighbours = "replace",
        init: Any = None,
        random_state: int | None = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.lower = lower
        self.upper = upper
        self.steps = steps
        self.neighbours = neighbours
        self.init = init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Release centres of these rows."""
        k, steps = whole_number("n_clusters", self.n_clusters), whole_number("steps", self.steps)
        epsilon = checked_nats("epsilon", self.epsilon)
        neighbours = one_of("neighbours", self.neighbours, ("replace", "add_remove"))
        rows = self._rows(X, fitting=True)
        enough(k, len(rows))
        box = ClippingBox.of(self.lower, self.upper, rows.shape[1])
        split = Split.of(epsilon, steps, rows.shape[1], 2 if neighbours == "replace" else 1)
        drawable(epsilon, split.value_scale)
        self.released_: NoisySteps = noisy_lloyd(box.places(rows), self._start(box, k, rows.shape[1]), split)
        self.cluster_centers_ = box.points(self.released_.last)
        self.counts_: IntArray = self.released_.counts[-1]
        self.guarantee_ = _guarantee(epsilon, "replace" if neighbours == "replace" else "add_remove", split)
        return self

    def _start(self, box: ClippingBox, k: int, axes: int) -> Array:
        """First centres (k, axes) in lattice steps: those given, or some by the seed. BadArgument for another shape."""
        if self.init is None:
            return spread_start(k, axes, _seed_of(self.random_state))
        return box.places(centres_of(self.init, k, axes, "init"))

    def predict(self, X: Any) -> IntArray:  # noqa: N803
        """By row the place of the nearest centre."""
        return nearest_centre(self._rows(X, fitting=False), self.cluster_centers_)

    def fit_predict(self, X: Any, y: Any = None) -> IntArray:  # noqa: N803
        """Fit, and the nearest released centre of each of the same rows: these labels are the data's owner's, and no
        part of the release."""
        return self.fit(X, y).predict(X)

    def transform(self, X: Any) -> Array:  # noqa: N803
        """By row its distance to every centre."""
        return np.asarray(cdist(self._rows(X, fitting=False), self.cluster_centers_))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Minus the sum of squared distances of these rows to their nearest centres."""
        rows = self._rows(X, fitting=False)
        return -squares(rows, self.cluster_centers_, nearest_centre(rows, self.cluster_centers_))

    @property
    def _n_features_out(self) -> int:
        # What scikit-learn's `set_output` names the columns of `transform` by: distances, one a centre.
        return len(self.cluster_centers_)


def _guarantee(epsilon: float, neighbours: RecordNeighbours, split: Split) -> Guarantee:
    """What noisy steps promise: ε nats per record, and the noise on counts and sums."""
    counts = Added("counts of clusters", "discrete laplace", float(split.count_scale), "people", split.steps, True)
    unit = f"1/{HALF} of the box's half-width"
    sums = Added("sums of clusters, by column", "discrete laplace", float(split.value_scale), unit, split.steps, True)
    public = (_PEOPLE,) if neighbours == "replace" else ()
    why = "Result 17.1: each step's counts and sums have discrete Laplace noise, and the steps' ε add up"
    return Guarantee(epsilon, neighbours, True, why, (*_HYPOTHESES, *public, _REFUSALS), (counts, sums))


_OF_CLASSIFIERS: Final = (
    "a person's record is one row with its label",
    "norm, regularization and all other parameters are chosen without looking at the data",
    "how many rows there are is public",
)
_LABELS: Final = "which two labels there are is public: give `classes` where it is not"
_REFUSED_FITS: Final = "that a fit is refused is not counted"
_SOUND: Final = "Result 17.2: certified minimisers of neighbours are near, and have exact discrete Laplace noise"


class PrivateLinear(ClassifierMixin, PrivateEstimator, abc.ABC):  # type: ignore[misc]
    """epsilon: nats per record; regularization: Λ of (1/n) Σ loss + (Λ/2)‖w‖²; norm: rows longer are shortened to it,
    when fitted and when asked. fit_intercept: by a column of the constant intercept_scaling, regularised as all others.
    classes: both labels, where these are not public.

    What goes out is the minimiser, its gradient certified, with exact discrete Laplace noise. Neighbours have another
    record of one person (`replace`). After fit: coef_ (1, d) and intercept_ (1,), of rows no longer than norm;
    classes_; guarantee_.
    """

    def __init__(
        self,
        *,
        epsilon: float,
        regularization: float,
        norm: float,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        classes: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.regularization = regularization
        self.norm = norm
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.classes = classes

    @abc.abstractmethod
    def _loss(self) -> Loss:
        """Of a margin."""

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Release weights learned of these rows and labels."""
        epsilon, norm = checked_nats("epsilon", self.epsilon), moderate("norm", self.norm)
        constant = moderate("intercept_scaling", self.intercept_scaling) if self.fit_intercept else 0.0
        regularization, loss = moderate("regularization", self.regularization), self._loss()
        rows, labels = self._labelled(X, y)
        self.classes_, signs = signs_of(labels, self.classes)
        units, longest = unit_rows(rows, norm, constant)
        objective = RegularisedLoss(units * signs[:, None], loss, regularization / longest**2)
        found, noise = output_perturbed(objective, epsilon)
        weights = found / longest
        self.coef_: Array = weights[None, : rows.shape[1]]
        self.intercept_: Array = weights[rows.shape[1] :] * constant if constant else np.zeros(1)
        said = (*_OF_CLASSIFIERS, *((_LABELS,) if self.classes is None else ()), _REFUSED_FITS)
        self.guarantee_ = Guarantee(epsilon, "replace", True, _SOUND, said, (noise,))
        return self

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
        return logistic()

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
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        classes: Any = None,
    ) -> None:
        super().__init__(
            epsilon=epsilon,
            regularization=regularization,
            norm=norm,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            classes=classes,
        )
        self.huber = huber

    def _loss(self) -> Loss:
        huber = positive("huber", self.huber)
        # Wider than 1 the parabola would reach rows on the wrong side, whose margins are below 0.
        if huber > 1:
            raise BadArgument("huber", self.huber, "a number above 0, at most 1")
        return smooth_hinge(huber)
