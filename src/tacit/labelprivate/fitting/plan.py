"""What a label study will be able to tell: standard errors under truths drawn from a prior."""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from scipy import optimize

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.labelprivate.fitting.design import LabelDesign
from tacit.labelprivate.fitting.solve import coefficients_of, covariance, label_problem
from tacit.labelprivate.known import read_known
from tacit.labels import Count
from tacit.models import LabelModel, ScalarModel
from tacit.privacy.entropy import SeededEntropy
from tacit.privacy.words import number_up
from tacit.study.transform import INTERCEPT

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy

DRAWS = 40
SPREAD = 2.0  # variance of the predictor that the features explain, in squared units of the family
_ROWS = 20_000  # that a plan looks at
_LOW, _HIGH = 10, 90  # percent of the draws


@dataclass(frozen=True)
class LabelPlan:
    """Standard errors of one person (draws, coefficients), for coefficients drawn from a prior.

    `people` is the number planned, or the number that reaches `target_se` in the median.
    """

    names: tuple[str, ...]
    one: Floats
    people: int
    epsilon: float
    assumed: str
    target_se: float | None = None

    def standard_errors(self, people: float | None = None) -> Floats:
        """Medians over the draws."""
        return np.asarray(np.median(self.one, axis=0) / math.sqrt(people or self.people))

    def range(self, people: float | None = None) -> Floats:
        """From 10% to 90% of the draws, one row per coefficient."""
        return np.percentile(self.one, [_LOW, _HIGH], axis=0).T / math.sqrt(people or self.people)

    def __str__(self) -> str:
        wide = max(len("coefficient"), *(len(name) for name in self.names))
        lines = [
            f"{self.people:,} people, label private at epsilon={number_up(self.epsilon)}",
            f"{'coefficient':<{wide}}  {'std. error':>10}  {'10% to 90%':>19}",
        ]
        for name, error, (low, high) in zip(
            self.names, self.standard_errors(), self.range(), strict=True
        ):
            lines.append(f"{name:<{wide}}  {error:>10.4g}  {f'{low:.4g} to {high:.4g}':>19}")
        return "\n".join([*lines, self.assumed])

    __repr__ = __str__


def plan_labels(
    study: "LabelStudy", rows: Any, people: int | None, target_se: float | None, rate: float | None
) -> LabelPlan:
    """Information of people like those of the rows, under truths drawn with fixed seeds."""
    if people is not None and target_se is not None:
        raise ConfigurationError("give either people or target_se, not both")
    check_positive(people=people, target_se=target_se)
    known = read_known(study, rows)
    whole = LabelDesign.of(known, study.intercept)
    design = replace(whole, z=whole.z[:: -(-len(whole.z) // _ROWS)])
    model = study.label.model()
    centre = _centre(study, model, rate)
    one = np.array([_one_person(study, model, design, centre, seed) for seed in range(DRAWS)])
    groups = [f"{group}: " if group else "" for group in study.label.groups]
    names = tuple(group + name for group in groups for name in design.names)
    assumed = _assumed(study, model, rate)
    made = LabelPlan(names, one, people or len(known.values), study.epsilon, assumed, target_se)
    if target_se is None:
        return made
    slopes = [not name.endswith(INTERCEPT) for name in names]
    chosen = np.array(slopes if any(slopes) else [True] * len(names))
    needed = math.ceil((made.standard_errors(1)[chosen].max() / target_se) ** 2)
    return replace(made, people=needed)


def check_positive(**given: float | None) -> None:
    """Refuse what is asked for but is not a positive number."""
    for name, value in given.items():
        if value is not None and not (math.isfinite(value) and value > 0):
            raise ConfigurationError(f"{name} must be positive, got {name}={value}")


def _one_person(
    study: "LabelStudy", model: LabelModel, design: LabelDesign, centre: float | None, seed: int
) -> Floats:
    """Standard errors of one person's report under one truth: those of all rows, times the root."""
    generator = np.random.default_rng(seed)
    weights = _drawn_weights(study, model, design.z, generator)
    predictor = design.z @ weights
    if study.intercept and centre is not None:
        weights[0] += _shift(model, predictor, centre)
        predictor = design.z @ weights
    inputs = _drawn_inputs(study, model, predictor, generator)
    numbers = study.mechanism.randomize(inputs, SeededEntropy(generator))
    problem = label_problem(study, model, design, numbers)
    to_coef = coefficients_of(model, design)
    spread = covariance(problem, weights.ravel())
    return np.asarray(np.sqrt(np.diag(to_coef @ spread @ to_coef.T) * len(design.z)))


def _drawn_weights(
    study: "LabelStudy", model: LabelModel, z: Floats, generator: np.random.Generator
) -> Floats:
    """Components of the features in proportion to their variance, `SPREAD` in all."""
    first = int(study.intercept)
    weights = np.zeros((z.shape[1], model.width))
    variances, components = np.linalg.eigh(z[:, first:].T @ z[:, first:] / len(z))
    drawn = generator.standard_normal((len(variances), model.width))
    size = model.unit * math.sqrt(SPREAD / max(variances.sum(), 1e-300))
    weights[first:] = size * components @ drawn
    return weights


def _shift(model: LabelModel, predictor: Floats, centre: float) -> float:
    """What to add to every predictor for this mean label."""
    if not isinstance(model, ScalarModel):
        return 0.0
    family, far = model.family, 60.0 * model.unit

    def excess(added: float) -> float:
        return float(family.mean(predictor[:, 0] + added).mean()) - centre

    if excess(-far) > 0 or excess(far) < 0:
        raise ConfigurationError(f"no intercept gives the mean {centre:g}; state another rate")
    return float(optimize.brentq(excess, -far, far, xtol=1e-9))


def _drawn_inputs(
    study: "LabelStudy", model: LabelModel, predictor: Floats, generator: np.random.Generator
) -> Floats:
    """What devices would randomize: classes and counts by their model, numbers at either end."""
    label = study.label
    if isinstance(label, Count) and model.name == "poisson":
        rate = np.exp(np.minimum(predictor[:, 0], 40.0))
        return study.inputs(
            label.weights(np.asarray(np.minimum(generator.poisson(rate), label.cap)))
        )
    if isinstance(model, ScalarModel):
        mean = (model.family.mean(predictor[:, 0]) - model.low) / (model.high - model.low)
        shares = np.column_stack([1.0 - mean, mean]).clip(0.0, 1.0)
    else:
        shares = model.predicted(predictor)
    drawn = (generator.random((len(shares), 1)) > np.cumsum(shares, axis=1)[:, :-1]).sum(axis=1)
    return study.inputs(np.eye(shares.shape[1])[drawn])


def _centre(study: "LabelStudy", model: LabelModel, rate: float | None) -> float | None:
    """The mean label that is planned for."""
    if rate is None:
        return float(model.family.mean(np.array([model.origin]))[0]) if _has_mean(model) else None
    if not isinstance(model, ScalarModel) or not study.intercept:
        raise ConfigurationError(
            f"rate={rate:g} is the mean of a label that has one, in a study with an intercept"
        )
    if not model.low < rate < model.high:
        raise ConfigurationError(
            f"rate must lie between {model.low:g} and {model.high:g}, got rate={rate}"
        )
    return rate


def _has_mean(model: LabelModel) -> TypeGuard[ScalarModel]:
    return isinstance(model, ScalarModel)


def _assumed(study: "LabelStudy", model: LabelModel, rate: float | None) -> str:
    mean = (
        ""
        if _centre(study, model, rate) is None
        else (
            f"the mean of {study.label.column} is {_centre(study, model, rate):g}"
            + (" (nothing was said)" if rate is None else "")
            + "; "
        )
    )
    return (
        f"Assumed: {mean}the features together move the predictor with a variance of {SPREAD:g} "
        f"squared units ({model.unit:g} each); medians of {DRAWS} draws."
    )
