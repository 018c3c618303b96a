"""The interface that the estimators share: scikit-learn's methods, the guarantee, and errors of one line."""

import abc
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.dependent.arguments import BadArgument, BadType
from dalenius.dependent.guarantee import Drawn, Guarantee
from dalenius.dependent.noise_multiplier import check_people, guarantee_of
from dalenius.errors import InputError, Refused
from dalenius.models import Model
from dalenius.noise.sampling import with_discrete_laplace

try:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin as ClassifierMixin,
        ClusterMixin as ClusterMixin,
        TransformerMixin as TransformerMixin,
    )
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import column_or_1d as column_or_1d
    from sklearn.utils.multiclass import check_classification_targets as check_classification_targets
    from sklearn.utils.validation import validate_data
except ImportError:
    raise InputError("scikit-learn", "not installed", 'the extra learn: pip install "dalenius[learn]"') from None

_ROWS: Final = "rows of finite numbers, one a person"
_LARGEST_SCALE: Final = Fraction(2**48)
"""Steps of the lattice: a thousand of its scales, and sums over 2^30 people, stay below the samplers' 2^62."""


class Unfitted(InputError, NotFittedError):  # type: ignore[misc]
    """An estimator was asked before it was fitted: scikit-learn's error, in one line of ours."""


class PrivateEstimator(BaseEstimator, abc.ABC):  # type: ignore[misc]
    """An estimator whose fitted state is a release: nothing else of the rows is kept.

    epsilon, method, dependence and accept_unsound are parameters of each; `drawn_` is the noise of the release.
    """

    epsilon: float
    method: str
    dependence: int | Model | None
    accept_unsound: bool
    drawn_: tuple[Drawn, ...]

    @property
    def guarantee(self) -> Guarantee:
        """The promise of a release with these parameters: to whom, and whether it is sound. It asks for no data."""
        found = guarantee_of(self.method, self.epsilon, self.dependence)
        return replace(found, rests_on=(*found.rests_on, *self._public()))

    def _public(self) -> tuple[str, ...]:
        """Returns what else is taken to be public; nothing by default."""
        return ()

    def spec(self) -> dict[str, Any]:
        """Returns the release as sections of a spec, for a ledger: the query, the noise, the promise, and the model.

        Raises:
            InputError: If nothing has been fitted.
        """
        self._check_fitted()
        public = {name: _plain(value) for name, value in self.get_params(deep=False).items()}
        dependence = public.pop("dependence")
        query = {"kind": self._kind(), "n": self.n_people_}
        query |= {name: value for name, value in public.items() if name not in ("epsilon", "method", "accept_unsound")}
        said = self.guarantee.shown()
        kind = "differential" if self.method == "independent" else "inferential"
        found: dict[str, Any] = {
            "query": {name: value for name, value in query.items() if value is not None},
            "noise": [each.shown() for each in self.drawn_],
            "notion": {"kind": kind, "epsilon": said["epsilon"]},
            "guarantee": said,
        }
        # How many depend on each other stands in the guarantee; a model is a section of its own.
        return found | {"model": dependence} if isinstance(self.dependence, Model) else found

    @abc.abstractmethod
    def _kind(self) -> str:
        """Returns the name of the query in a spec."""

    n_people_: int

    def _promised(self, people: int) -> Fraction:
        """Returns ε₀, for which the noise of one record is. Refused for a promise that no theorem proves."""
        found = self.guarantee
        check_people(self.dependence, people)
        if not found.sound and not self.accept_unsound:
            raise Refused(f"method {found.method} promises nothing: {found.why}; accept_unsound=True releases anyway")
        return Fraction(found.record_epsilon)

    def _check_fitted(self) -> None:
        if not hasattr(self, "drawn_"):
            raise Unfitted(type(self).__name__, "not fitted", "fit before anything is asked of it")

    def _rows(self, given: Any, fitting: bool) -> Array:
        """Returns rows of finite numbers, as many columns as were fitted; their names are scikit-learn's matter."""
        if not fitting:
            self._check_fitted()
        try:
            found = validate_data(self, given, reset=fitting, dtype=np.float64, order="C", ensure_all_finite=False)
        except TypeError as error:
            raise BadType("X", _first_line(error), _ROWS) from None
        except ValueError as error:
            flat = "Expected 2D array" in str(error)
            raise BadArgument("X", _first_line(error), f"{_ROWS}{'. Reshape your data' if flat else ''}") from None
        good = np.isfinite(found).all(axis=1)
        if not good.all():
            row = int(np.argmin(good)) + 1
            raise BadArgument(f"X row {row}", "NaN or infinity (inf)", "finite numbers")
        return np.ascontiguousarray(found)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn's tools that the noise is never the same twice."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


def noised(exact: Array | IntArray, scale: Fraction) -> IntArray:
    """Adds opendp's discrete Laplace noise to whole numbers.

    Args:
        exact: The numbers, an array of any shape.
        scale: The noise's scale, in steps of 1.

    Returns:
        The noisy numbers, in the same shape.

    Raises:
        BadArgument: The scale is so large that integers have no room.
    """
    if scale >= _LARGEST_SCALE:
        raise BadArgument("epsilon", "so small", f"one with noise below {float(_LARGEST_SCALE):.3g} lattice steps")
    values = [int(value) for value in exact.ravel()]
    return np.array(with_discrete_laplace(values, scale), dtype=np.int64).reshape(exact.shape)


def _plain(value: Any) -> Any:
    """Numbers, texts and lists of a parameter, as TOML and JSON have them."""
    if isinstance(value, Model):
        return value.self_contained().model_dump(mode="json", exclude_none=True)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
