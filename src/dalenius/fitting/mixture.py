"""Fits a mixture of joint normal laws to data, by expectation and maximisation (scikit-learn, an extra).

Dempster, Laird and Rubin 1977. Every run starts from the same seed, ten times, and the likeliest fit is taken.
"""

import warnings
from dataclasses import dataclass, field
from math import log
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.fitting.fit import Columns, Fit
from dalenius.fitting.normal import fit_gaussian, numbers_of

_STARTS: Final = 10
_SEED: Final = 0


@final
@dataclass(frozen=True)
class MixtureFit(Fit):
    """A fitted mixture of normal laws.

    Attributes:
        columns: The columns, in the order of the section's records.
        components: How many there are.
        log_likelihood: That of the rows under the model, in nats.
        of_one: That of the rows under one normal law, in nats.
        gain: By how much the Bayesian information criterion falls from one law to the mixture, in nats of
            log-likelihood; below 0 one law fits better.
    """

    columns: tuple[str, ...]
    components: int
    log_likelihood: float
    of_one: float = field(metadata={"key": "log_likelihood_of_one_law"})
    gain: float = field(metadata={"key": "gain_over_one_law"})

    @property
    def in_words(self) -> str:
        better = "better" if self.gain > 0 else "no better"
        return f"{self.components} normal laws fit {better} than one (by {self.gain:.4g} nats, the numbers counted)"


def fit_mixture(columns: Columns, components: int) -> MixtureFit:
    """Fits a mixture of normal laws to the rows of a table.

    Args:
        columns: The cells by column: one record each.
        components: How many normal laws, at least 2.

    Raises:
        InputError: scikit-learn is missing, a column holds texts or one value, rows are too few, a component has
            shrunk to too few rows, or no run has settled.
    """
    if components < 2:
        raise InputError("components", components, "at least 2 (model gaussian has one)")
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture as Estimator
    except ModuleNotFoundError:
        raise InputError("scikit-learn", "not installed", 'the extra learn: pip install "dalenius[learn]"') from None
    data = numbers_of(columns)
    rows, width = data.shape
    if rows < (wanted := components * (width + 2)):
        raise InputError("rows", rows, f"at least {wanted}, {width + 2} for each of {components} components")
    one = fit_gaussian(columns)
    # Because the search stops by absolute changes, columns are put on one scale.
    centre, scale = data.mean(axis=0), data.std(axis=0)
    model = Estimator(components, n_init=_STARTS, random_state=_SEED, max_iter=1000, reg_covar=1e-9, tol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            model.fit((data - centre) / scale)
        except ConvergenceWarning:
            raise InputError("components", components, "fewer: the fit to these rows does not settle") from None
    order = np.lexsort((*model.means_.T[::-1],))
    sections = []
    for place in order:
        covariance = np.asarray(model.covariances_[place])
        # Because a component of a few equal rows has no density: its likelihood has no bound.
        if np.linalg.eigvalsh(covariance)[0] < 1e-6 or model.weights_[place] * rows < width + 1:
            raise InputError("components", components, "fewer: one of them has shrunk to too few rows to fit it")
        sections.append(
            {
                "weight": float(model.weights_[place]),
                "mean": (model.means_[place] * scale + centre).tolist(),
                "covariance": (_symmetric(covariance) * np.outer(scale, scale)).tolist(),
            }
        )
    score = float(model.score((data - centre) / scale) * rows - rows * np.log(scale).sum())
    numbers = width + width * (width + 1) // 2
    gain = score - one.log_likelihood - (components - 1) * (numbers + 1) * log(rows) / 2
    section = {"kind": "gaussian_mixture", "components": sections}
    return MixtureFit(section, rows, None, tuple(columns), components, score, one.log_likelihood, gain)


def _symmetric(covariance: Array) -> Array:
    return np.asarray((covariance + covariance.T) / 2)
