"""What the estimators have in common: scikit-learn's interface, and errors of one line."""

from typing import Any, Final

import numpy as np

from dalenius.dependent.learning.arguments import BadArgument, BadType, rows_of
from dalenius.dependent.learning.guarantee import Guarantee
from dalenius.errors import InputError
from dalenius.laws.law import Array

EXTRA: Final = 'the extra learn: pip install "dalenius[learn]"'
ROWS: Final = "rows of finite numbers, one a person"

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
    raise InputError("dalenius.dependent.learning", "no scikit-learn", EXTRA) from None


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
        except TypeError as error:
            raise BadType("X", _first_line(error), ROWS) from None
        except ValueError as error:
            flat = "Expected 2D array" in str(error)
            raise BadArgument("X", _first_line(error), f"{ROWS}{'. Reshape your data' if flat else ''}") from None
        return rows_of(found)

    def _labelled(self, rows: Any, labels: Any) -> tuple[Array, Any]:
        """Rows, and a label for each."""
        if labels is None:
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


def seed_of(random_state: Any) -> Any:
    """What numpy makes a generator of: a whole number, None for a fresh one, or scikit-learn's own generator."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if random_state is None or (isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)):
        return random_state
    raise BadArgument("random_state", random_state, "a whole number, or None")


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
