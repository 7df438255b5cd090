"""What a study will be able to tell, before anything is collected: J^-1 V J^-T in closed form."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference.coefficients import coefficient_names, covariance_by_cause, to_coefficients
from tacit.inference.design import Design
from tacit.inference.likelihood import noise_per_person, start_weights
from tacit.inference.solution import CAUSES
from tacit.models import Family
from tacit.privacy.mechanism import StudyMechanism
from tacit.privacy.words import number_up
from tacit.study import Study
from tacit.study.public import rows_in_words, worth

_FLAT = 1e-12  # smallest over largest eigenvalue of J below which nothing can be learned


@dataclass(frozen=True)
class Plan:
    """Standard errors to expect for any number of people.

    `variance` (3, coefficients): by cause, privacy and people for one person, public rows as
    they are. `people` is the number planned, or the number that reaches `target_se`.
    """

    names: tuple[str, ...]
    variance: Floats
    mechanism: StudyMechanism
    public_rows: int
    effective_rows: int
    people: int
    target_se: float | None = None

    def standard_errors(self, people: float | None = None, epsilon: float | None = None) -> Floats:
        """Expected standard errors, for other people or another epsilon if given."""
        return np.asarray(np.sqrt(self.variance_by_cause(people, epsilon).sum(axis=0)))

    def variance_by_cause(
        self, people: float | None = None, epsilon: float | None = None
    ) -> Floats:
        """Expected variances (3, coefficients): privacy, people, public rows."""
        count = self.people if people is None else people
        privacy, sampled, public = self.variance
        if epsilon is not None:
            privacy = privacy * (self.mechanism.at(epsilon).noise / self.mechanism.noise)
        return np.array([privacy / count, sampled / count, public])

    @property
    def shares(self) -> Floats:
        """Share of each variance by cause."""
        variance = self.variance_by_cause()
        return np.asarray(variance / variance.sum(axis=0))

    def people_for(self, target_se: float) -> Floats:
        """People needed for each coefficient; infinite where the public rows are too few."""
        room = target_se**2 - self.variance[2]
        needed = np.full(len(self.names), math.inf)
        np.divide(self.variance[:2].sum(axis=0), room, out=needed, where=room > 0)
        return np.asarray(np.ceil(needed))

    def __str__(self) -> str:
        wide = max(len("coefficient"), *(len(name) for name in self.names))
        causes = "".join(f"  {cause:>11}" for cause in CAUSES)
        lines = [
            f"{self.people:,} people at epsilon={number_up(self.mechanism.epsilon)}, "
            f"{rows_in_words(self.public_rows, self.effective_rows)}",
            f"{'coefficient':<{wide}}  {'std. error':>10}{causes}   (shares of the variance)",
        ]
        for name, error, shares in zip(
            self.names, self.standard_errors(), self.shares.T, strict=True
        ):
            split = "".join(f"  {share:>11.0%}" for share in shares)
            lines.append(f"{name:<{wide}}  {error:>10.4g}{split}")
        return "\n".join(lines)

    __repr__ = __str__


def plan(
    study: Study,
    *,
    public: Any,
    people: int | None = None,
    target_se: float | None = None,
    coefficient: str | None = None,
    guess: Mapping[str, float] | None = None,
    family: str | Family | None = None,
) -> Plan:
    """Standard errors for `people` reports, or the people needed for `target_se`.

    The target holds for every coefficient but the intercept, or for the one named
    `coefficient`. `guess` gives coefficients by name at which the model is linearised
    (others 0).
    """
    _check_question(people, target_se)
    design, _ = Design.of_public(study, public, study.label.model(family))
    weights = _guessed_weights(study, design, guess or {})
    _refuse_flat(design, weights)
    one = design.variance(weights, people=1, noise=noise_per_person(study))
    to_coef = to_coefficients(study, design.model)
    by_cause = covariance_by_cause(design, weights, one, to_coef)
    variance = np.array([np.diag(part) for part in by_cause])
    names = coefficient_names(study)
    rows = len(design.z), worth(design.share)
    made = Plan(names, variance, study.mechanism, *rows, people or 1, target_se)
    if target_se is None:
        return made
    needed = _people_needed(made, target_se, coefficient)
    return Plan(names, variance, study.mechanism, *rows, needed, target_se)


def _check_question(people: int | None, target_se: float | None) -> None:
    if (people is None) == (target_se is None):
        raise ConfigurationError(
            f"give either people or target_se, got people={people}, target_se={target_se}"
        )
    if people is not None and people < 1:
        raise ConfigurationError(f"people must be at least 1, got people={people}")
    if target_se is not None and not (math.isfinite(target_se) and target_se > 0):
        raise ConfigurationError(f"target_se must be positive, got target_se={target_se}")


def _guessed_weights(study: Study, design: Design, guess: Mapping[str, float]) -> Floats:
    start = start_weights(study, design.model)
    if not guess:
        return start
    names = coefficient_names(study)
    unknown = [name for name in guess if name not in names]
    if unknown:
        raise ConfigurationError(
            f"guess names unknown coefficients {unknown}; the study has {list(names)}"
        )
    to_coef = to_coefficients(study, design.model)
    coefficients = to_coef @ start
    for name, value in guess.items():
        coefficients[names.index(name)] = value
    return np.asarray(np.linalg.solve(to_coef, coefficients), dtype=np.float64)


def _refuse_flat(design: Design, weights: Floats) -> None:
    eigenvalues = np.linalg.eigvalsh(design.jacobian(weights))
    if not eigenvalues[0] > _FLAT * eigenvalues[-1]:
        raise ConfigurationError(
            f"the {design.model.name} model does not react to its coefficients at the guess, so "
            "nothing can be planned there; give a guess nearer to what you expect"
        )


def _people_needed(made: Plan, target_se: float, coefficient: str | None) -> int:
    """The people for the hardest coefficient in question."""
    if coefficient is not None and coefficient not in made.names:
        raise ConfigurationError(
            f"coefficient={coefficient!r} is not in the study; it has {list(made.names)}"
        )
    asked = [
        name == coefficient if coefficient else not name.endswith("intercept")
        for name in made.names
    ]
    chosen = np.array(asked) if any(asked) else np.ones(len(asked), dtype=bool)
    needed = float(made.people_for(target_se)[chosen].max())
    if math.isinf(needed):
        worst = float(made.variance[2][chosen].max())
        rows = math.ceil(made.public_rows * worst / target_se**2) + 1
        raise ConfigurationError(
            f"target_se={target_se:g} cannot be reached with "
            f"{rows_in_words(made.public_rows, made.effective_rows)}, "
            f"however many people report; it takes more than {rows:,} public rows"
        )
    return int(needed)
