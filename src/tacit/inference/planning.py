"""Standard errors before anything is collected, averaged over possible truths."""

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from tacit.errors import ConfigurationError
from tacit.inference import rare, truths
from tacit.inference.coefficients import coefficient_names, to_coefficients
from tacit.inference.design import Design
from tacit.inference.expected import Expected, Rows
from tacit.inference.likelihood import noise_per_person
from tacit.inference.plan import Plan
from tacit.inference.prior import SAFETY, weak_precision
from tacit.inference.rate import Rate, Stated, mean_label
from tacit.inference.truths import Truth
from tacit.models import Family, LabelModel
from tacit.study import Study, purpose
from tacit.study.public import rows_in_words, worth

_FLAT = 1e-12  # smallest over largest eigenvalue of J below which nothing can be learned


def plan(
    study: Study,
    *,
    public: Any,
    people: int | None = None,
    target_se: float | None = None,
    coefficient: str | None = None,
    rate: Stated | None = None,
    guess: Mapping[str, float] | None = None,
    width: float | None = None,
    family: str | Family | None = None,
    progress: Callable[[int], object] | None = None,
) -> Plan:
    """Standard errors for `people` (the study's, if none is given), or the people for `target_se`.

    The target holds for every coefficient but the intercept, or for the one named
    `coefficient`. `rate` is the mean label you expect, of several classes the share of each. The
    plan averages over possible truths with that mean, or stands at a `guess` of coefficients by
    name (others 0). Levels with intervals wider than `width` are told. `progress` hears of each
    truth.
    """
    people = _people_asked(study, people, target_se)
    _check_width(target_se, width)
    model = study.label.model(family)
    design, _ = Design.of_public(study, public, model)
    rows = Rows.few(design, study.transform.mixing)
    mean = _checked_rate(study, model, rate, guess or {})
    made = Plan(
        names=coefficient_names(study),
        expected=_expected(study, rows, _supposed(study, rows, mean, guess), progress),
        levels=rare.levels(study, design),
        mechanism=study.mechanism,
        public_rows=len(design.z),
        effective_rows=worth(design.share),
        people=people or 1,
        purpose=(purpose.in_words(study), *study.notes),
        supposed=_in_words(study, model, mean, guess),
        width=truths.usual_width(model) if width is None else width,
        target_se=target_se,
    )
    if target_se is None:
        return made
    return dataclasses.replace(made, people=_people_needed(made, target_se, coefficient))


def _people_asked(study: Study, people: int | None, target_se: float | None) -> int | None:
    if target_se is None and people is None:
        people = study.people
    if (people is None) == (target_se is None):
        raise ConfigurationError(
            f"give either people or target_se, got people={people}, target_se={target_se}"
        )
    if people is not None and people < 1:
        raise ConfigurationError(f"people must be at least 1, got people={people}")
    return people


def _check_width(target_se: float | None, width: float | None) -> None:
    for name, value in (("target_se", target_se), ("width", width)):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise ConfigurationError(f"{name} must be positive, got {name}={value}")


def _checked_rate(
    study: Study, model: LabelModel, rate: Stated | None, guess: Mapping[str, float]
) -> Rate:
    """The mean label, where there is an intercept that can follow it."""
    if rate is not None and not study.transform.intercept:
        raise ConfigurationError(
            f"a model without intercept has the rate that its coefficients give, got rate={rate!r}"
        )
    if rate is not None and truths.guesses_intercept(guess):
        raise ConfigurationError(
            f"give either rate or a guess of the intercept, got rate={rate!r} and guess={guess}"
        )
    return mean_label(study.label, model, rate)


def _supposed(
    study: Study, rows: Rows, mean: Rate, guess: Mapping[str, float] | None
) -> Iterable[Truth]:
    if not guess:
        return truths.drawn_truths(study, rows.design, mean.corner)
    truth = truths.guessed_truth(study, rows.design, guess, mean.corner)
    eigenvalues = np.linalg.eigvalsh(rows.design.jacobian(truth.weights))
    if not eigenvalues[0] > _FLAT * eigenvalues[-1]:
        raise ConfigurationError(
            f"the {rows.design.model.name} model does not react to its coefficients at the guess, "
            "so nothing can be planned there; give a guess nearer to what you expect"
        )
    return [truth]


def _expected(
    study: Study,
    rows: Rows,
    supposed: Iterable[Truth],
    progress: Callable[[int], object] | None,
) -> tuple[Expected, ...]:
    model, noise = rows.design.model, noise_per_person(study)
    to_coef = to_coefficients(study, model)
    found = []
    for truth in supposed:
        prior = weak_precision(study, model, SAFETY * truth.signal)
        found.append(Expected.at(rows, truth.weights, noise=noise, prior=prior, to_coef=to_coef))
        if progress is not None:
            progress(1)
    return tuple(found)


def _in_words(
    study: Study, model: LabelModel, mean: Rate, guess: Mapping[str, float] | None
) -> str:
    """What the plan supposes, in one sentence."""
    rate = f"{mean.words}, and " if study.transform.intercept else ""
    if guess:
        rate = "" if truths.guesses_intercept(guess) else rate
        guessed = ", ".join(f"{name} = {value:g}" for name, value in guess.items())
        return f"Supposed: {rate}{guessed}, all other coefficients 0."
    widest = math.sqrt(truths.widest_signal(model)) * model.unit
    return (
        f"Supposed: {rate}what the features tell of {study.label.axis} varies between people with "
        f"a standard deviation of {widest / math.sqrt(truths.RATIO):.3g} to {widest:.3g}. Standard "
        f"errors are medians over {truths.DRAWS} such truths, with their 10% to 90% range."
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
        worst = float(made.standard_errors(math.inf)[chosen].max())
        rows = math.ceil(made.public_rows * (worst / target_se) ** 2) + 1
        raise ConfigurationError(
            f"target_se={target_se:g} cannot be reached with "
            f"{rows_in_words(made.public_rows, made.effective_rows)}, however many people report; "
            f"it takes more than {rows:,} public rows"
        )
    return int(needed)
