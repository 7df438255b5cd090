"""The scikit-learn faces of Algorithms 1 to 5: every row of X plays one device."""

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.models import Family
from tacit.papers.common import (
    Allowance,
    Calibration,
    check_budget,
    check_choice,
    check_labels,
    check_positive,
    check_range,
)
from tacit.papers.faces import NoisyRegressor, further_rows, generator_of, rows_and_labels
from tacit.papers.stein.device import Design
from tacit.papers.stein.links import LINKS, LOSSES, named
from tacit.papers.stein.round import MomentsRound, Rounds, SphereRound, first_round
from tacit.papers.stein.server import Collected, Pooling, lemma_radius, printed_radius
from tacit.privacy import Guarantee
from tacit.protocol import simulate

_SHORTENED = 1e-3  # share of people whose features are clipped, at most, without public rows
_NEEDS_PUBLIC = (
    "public=None: Algorithms 1 to 4 need public rows. Pass rows with the columns of X, without "
    "labels: .fit(X, y, public=X_public); rounds=2 is the variant without them"
)
_NO_PUBLIC = (
    "rounds=2 is the variant without public rows, got public rows; leave them out or use rounds=1"
)
_NEEDS_RADIUS = (
    "radius=None: with design='bounded' state radius, the largest sum of absolute feature values "
    "of a person, from what is known about the features"
)
_NEEDS_NORM = (
    "rounds=2 has no public rows to set the clipping radius by: state radius, or spectral_norm, "
    "the largest eigenvalue of the features' covariance; got radius=None and spectral_norm=None"
)
_NEEDS_REACH = (
    "state radius, the length beyond which features are shortened, or spectral_norm, the largest "
    "eigenvalue of their covariance; got radius=None and spectral_norm=None"
)
_BIASED = (
    "with rounds=2 the scale comes from noisy, clipped predictions: it is biased however many "
    "people report (erratum 5)"
)


class _Stein(NoisyRegressor):
    """Collects once, then answers any number of losses with `solve`."""

    _parameter: ClassVar[str] = "family"
    _families: ClassVar[dict[str, Family]] = LOSSES
    random_state: Any
    collected_: Collected

    def solve(self, family: str | Family | None = None) -> Floats:
        """Coefficients for another loss or link from the same reports; costs no privacy."""
        check_is_fitted(self, "collected_")
        return self.collected_.solve(self._family(family))[1]

    def predict(self, X: ArrayLike) -> Floats:
        """The mean label of each row."""
        rows = further_rows(self, X)
        return self._family(None).predicted(rows @ self.coef_)

    def _play(self, first: MomentsRound | SphereRound, X: Floats, y: Floats) -> None:
        """Every row sends its report(s) once."""
        self.protocol_ = first
        self.collected_ = simulate(first, (X, y), generator_of(self.random_state))
        self.ols_ = self.collected_.ols

    def _family(self, family: str | Family | None) -> Family:
        """The family named, or the estimator's own."""
        wanted = getattr(self, self._parameter) if family is None else family
        return (
            wanted if isinstance(wanted, Family) else named(wanted, self._parameter, self._families)
        )


@dataclass(eq=False, repr=False)
class _Gaussian(_Stein, ABC):
    """Algorithms 1 to 5: Gaussian noise on the moments."""

    epsilon: float = 1.0
    delta: float = 1e-6
    _: KW_ONLY
    design: Design = "gaussian"
    rounds: Rounds = 1
    pooling: Pooling = "inverse-variance"
    radius: float | Literal["lemma"] | None = None
    spectral_norm: float | None = None
    label_bound: float | None = None
    calibration: Calibration = "exact"
    random_state: Any = None

    @property
    def _allowance(self) -> Allowance:
        return Allowance(self.epsilon, self.delta, self.calibration)

    def protocol(self, people: int, features: int, public: Floats | None = None) -> MomentsRound:
        """The first round, before anything is collected."""
        self._check_options()
        radius = self._radius(people, features, public)
        bound, printed_bound = self._bounds(radius)
        return first_round(
            self._allowance,
            design=self.design,
            rounds=self.rounds,
            features=features,
            radius=radius,
            label_bound=bound,
            printed_bound=printed_bound,
            prediction_range=self._prediction_range(printed_bound),
            public=public,
            pooling=self.pooling,
        )

    def collect(self, X: ArrayLike, y: ArrayLike, public: ArrayLike | None = None) -> Any:
        """Every row of X sends its report(s) once; what they leave serves every `solve`."""
        X, y = rows_and_labels(self, X, y)
        self._check_options()
        first = self.protocol(len(X), X.shape[1], self._public(public))
        bound = first.moments.label_bound
        check_labels(y, -bound, bound, "correct the rows or state label_bound")
        self._play(first, X, y)
        self.guarantee_ = self._allowance.achieved(
            first.noise.curve, simulated=True, notes=(_BIASED,) if self.rounds == 2 else ()
        )
        return self

    def fit(self, X: ArrayLike, y: ArrayLike, public: ArrayLike | None = None) -> Any:
        """Collect, and solve for the family the estimator was made with."""
        family = self._family(None)
        self.collect(X, y, public)
        self.scale_, self.coef_ = self.collected_.solve(family)
        return self

    @abstractmethod
    def _bounds(self, radius: float) -> tuple[float, float]:
        """The bound on |y| in force, and the one that the printed noise relies on."""

    @abstractmethod
    def _prediction_range(self, bound: float) -> tuple[float, float]:
        """Where the second round's predictions are projected to."""

    def _check_options(self) -> None:
        check_choice("design", self.design, get_args(Design))
        check_choice("rounds", self.rounds, get_args(Rounds))
        check_choice("pooling", self.pooling, ("printed", "inverse-variance", None))

    def _public(self, public: ArrayLike | None) -> Floats | None:
        if self.rounds == 2:
            if public is not None:
                raise ConfigurationError(_NO_PUBLIC)
            return None
        if public is None:
            raise ConfigurationError(_NEEDS_PUBLIC)
        rows = validate_data(self, public, reset=False, dtype=np.float64, ensure_min_samples=2)
        return np.asarray(rows)

    def _radius(self, people: int, features: int, public: Floats | None) -> float:
        if self.radius is not None and self.radius != "lemma":
            return check_positive("radius", self.radius)
        if self.design == "bounded":
            raise ConfigurationError(_NEEDS_RADIUS)
        if public is None:
            if self.spectral_norm is None:
                raise ConfigurationError(_NEEDS_NORM)
            largest = check_positive("spectral_norm", self.spectral_norm)
            spectrum, factor = np.full(features, largest), 10.0
        else:
            spectrum, factor = np.linalg.eigvalsh(public.T @ public / len(public)), 20.0
        if self.radius == "lemma":
            return lemma_radius(spectrum, people)
        return printed_radius(float(spectrum.max()), features, people, factor)


@dataclass(eq=False, repr=False, kw_only=True)
class SteinGLM(_Gaussian):
    """Algorithms 1 (`design="gaussian"`) and 2 ("bounded"); `rounds=2` is Algorithm 5.

    Labels lie in [-label_bound, label_bound]; the texts have 1. `family` is one of `LOSSES` or a
    `Family`. `pooling` mixes the public covariance into the reported one: "printed" by row
    count, "inverse-variance", or None as in the algorithms' boxes. `radius` None is the printed
    formula, "lemma" the far smaller radius of the lemma behind it.
    """

    family: str | Family = "logistic"
    label_bound: float | None = 1.0

    def _bounds(self, radius: float) -> tuple[float, float]:
        # erratum 4: in the exponential experiments labels reach e, and the printed noise is for 1
        return check_positive("label_bound", self.label_bound or 0.0), 1.0

    def _prediction_range(self, bound: float) -> tuple[float, float]:
        return 0.0, bound


@dataclass(eq=False, repr=False, kw_only=True)
class SteinRegression(_Gaussian):
    """Algorithms 3 (`design="gaussian"`) and 4 ("bounded") for y = f(<x, w>) + noise.

    `link` is one of `LINKS` or a `Family`. |noise| <= `noise_bound` and ||w|| <= 1 bound the
    labels by max |f| + noise_bound on [-r, r], printed as L r + |f(0)| + noise_bound; a
    `label_bound` of your own replaces it.
    """

    link: str | Family = "sigmoid"
    noise_bound: float = 0.05

    _parameter = "link"
    _families = LINKS

    def _bounds(self, radius: float) -> tuple[float, float]:
        if self.label_bound is not None:
            bound = check_positive("label_bound", self.label_bound)
            return bound, bound
        noise = self.noise_bound
        if not (math.isfinite(noise) and noise >= 0):
            raise ConfigurationError(f"noise_bound must not be negative, got noise_bound={noise!r}")
        link, grid = self._family(None), np.linspace(-radius, radius, 4001)
        at_zero = abs(float(link.mean(np.zeros(1))[0]))
        printed = float(np.abs(link.slope(grid)).max()) * radius + at_zero + noise
        tight = float(np.abs(link.mean(grid)).max()) + noise
        return (printed if self.calibration == "paper" else tight), printed

    def _prediction_range(self, bound: float) -> tuple[float, float]:
        return -bound, bound


@dataclass(eq=False, repr=False)
class GaussianDesignGLM(_Stein):
    """A GLM for Gaussian features without public rows, pure eps, one 16-byte report.

    Same identity as Algorithm 1, w = c w_ols, with c from a one-dimensional integral. Assumed:
    mean-zero Gaussian features (a different law gives a wrong scale, and nothing collected can
    tell). `radius` or `spectral_norm` must be stated; labels lie in `label_range`.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    family: str | Family = "logistic"
    radius: float | None = None
    spectral_norm: float | None = None
    label_range: tuple[float, float] = (0.0, 1.0)
    random_state: Any = None

    def protocol(self, features: int) -> SphereRound:
        """The only round, before anything is collected."""
        check_budget(self.epsilon)
        low, high = check_range("label_range", self.label_range)
        return SphereRound(features, self._checked_radius(features), low, high, self.epsilon)

    def collect(self, X: ArrayLike, y: ArrayLike) -> "GaussianDesignGLM":
        """Every row of X sends its report once; what they leave serves every `solve`."""
        X, y = rows_and_labels(self, X, y)
        first = self.protocol(X.shape[1])
        check_labels(y, first.low, first.high, "correct the rows or label_range")
        self._play(first, X, y)
        self.guarantee_ = Guarantee(self.epsilon, simulated=True)
        return self

    def fit(self, X: ArrayLike, y: ArrayLike) -> "GaussianDesignGLM":
        """Collect, and solve for the family the estimator was made with."""
        family = self._family(None)
        self.collect(X, y)
        self.scale_, self.coef_ = self.collected_.solve(family)
        return self

    def _checked_radius(self, features: int) -> float:
        """Stated, or so that ||x||^2 <= ||Sigma|| chi^2_p lies inside for all but a few."""
        if self.radius is not None:
            return check_positive("radius", self.radius)
        if self.spectral_norm is None:
            raise ConfigurationError(_NEEDS_REACH)
        largest = check_positive("spectral_norm", self.spectral_norm)
        return math.sqrt(largest * float(special.chdtri(features, _SHORTENED)))
