"""Losses of a margin (Chaudhuri, Monteleoni and Sarwate 2011): convex, 1-Lipschitz, of bounded second derivative."""

import abc
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.laws.law import Array


class Loss(abc.ABC):
    """bend: the most its second derivative can be, c."""

    @property
    @abc.abstractmethod
    def bend(self) -> float: ...

    @abc.abstractmethod
    def value(self, margins: Array) -> Array:
        """By margin its loss."""

    @abc.abstractmethod
    def slope(self, margins: Array) -> Array:
        """Its derivative, from -1 to 0."""

    @abc.abstractmethod
    def curvature(self, margins: Array) -> Array:
        """Its second derivative, of one side where the two differ."""


@final
@dataclass(frozen=True)
class Logistic(Loss):
    """log(1 + e^{-m})."""

    @property
    def bend(self) -> float:
        return 0.25

    def value(self, margins: Array) -> Array:
        return np.logaddexp(0.0, -margins)

    def slope(self, margins: Array) -> Array:
        return -one_over(margins)

    def curvature(self, margins: Array) -> Array:
        return one_over(margins) * one_over(-margins)


@final
@dataclass(frozen=True)
class SmoothHinge(Loss):
    """0 above 1 + h, 1 - m below 1 - h, the parabola (1 + h - m)²/4h between them."""

    h: float

    @property
    def bend(self) -> float:
        return 1 / (2 * self.h)

    def value(self, margins: Array) -> Array:
        below = np.clip(1 + self.h - margins, 0.0, 2 * self.h)
        return below**2 / (4 * self.h) + np.maximum(1 - self.h - margins, 0.0)

    def slope(self, margins: Array) -> Array:
        return -np.clip((1 + self.h - margins) / (2 * self.h), 0.0, 1.0)

    def curvature(self, margins: Array) -> Array:
        return np.where(np.abs(1 - margins) <= self.h, self.bend, 0.0)


def one_over(margins: Array) -> Array:
    """1/(1 + e^m), without overflow."""
    return np.asarray(0.5 * (1 - np.tanh(margins / 2)))
