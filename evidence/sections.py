"""Each experiment at its full size, told as a section of the page of evidence."""

from collections.abc import Callable
from pathlib import Path

from evidence import (
    accuracy,
    coverage,
    geometries,
    hostile,
    planned,
    populations,
    prediction,
    shift,
)
from evidence.report import table

SEED = 1
PREDICTION_EPSILONS = (1.0, 4.0)
PREDICTION_SEEDS = (0, 1, 2, 3, 4, 5)

Section = Callable[[Path], tuple[str, str]]


def tell_accuracy(_: Path) -> tuple[str, str]:
    """Squared error of the coefficients."""
    rows = []
    for size in accuracy.SIZES:
        found = accuracy.accuracy(size, accuracy.EPSILONS, accuracy.RUNS, SEED)
        sizes = [f"{number:,}" for number in size]
        rows.append([*sizes, *(f"{entry.median:.4f}" for entry in found)])
    epsilons = [f"epsilon {epsilon:g}" for epsilon in accuracy.EPSILONS]
    head = ["features", "people", "public rows", *epsilons, "not private"]
    text = (
        "Squared distance of the maximum-likelihood coefficients from the truth, median of "
        f"{accuracy.RUNS} runs. Gaussian features of variance 1/2, true coefficients of length 1 "
        "(so answering zero scores 1), yes-or-no labels. The last column is logistic regression "
        "on the people's rows themselves."
    )
    return "Coefficients", f"{text}\n\n{table(head, rows)}"


def tell_coverage(_: Path) -> tuple[str, str]:
    """Coverage of 95% intervals."""
    found = [coverage.coverage(one, coverage.PAIRS, SEED) for one in coverage.ENOUGH_PEOPLE]
    text = (
        f"Share of true coefficients inside their {coverage.LEVEL:.0%} interval, over at least "
        f"{coverage.PAIRS:,} pairs of coefficient and run; {coverage.PUBLIC_ROWS:,} public rows. "
        "Every run draws new public rows, a new study, new people and new reports. Bias and "
        "spread are the mean and the standard deviation of the errors in units of their stated "
        "standard errors; right intervals have 0 and 1."
    )
    return "Intervals", f"{text}\n\n{_coverage_table(found)}"


def tell_few_people(_: Path) -> tuple[str, str]:
    """What happens with too few people."""
    found = [coverage.coverage(one, coverage.PAIRS, SEED) for one in coverage.FEW_PEOPLE]
    text = (
        "Two of the designs with fewer people than a table needs. Where the noise exceeds the "
        "signal the likelihood may have no finite maximum, and the table is refused; coverage "
        "counts the other runs only. Intervals then err on the wide side, since the refused runs "
        "are those with the largest errors. Plan first."
    )
    return "Too few people", f"{text}\n\n{_coverage_table(found)}"


def _coverage_table(found: list[coverage.Coverage]) -> str:
    head = ["population", "epsilon", "people", "pairs", "coverage", "bias", "spread", "no table"]
    rows = [
        [
            one.population,
            f"{one.epsilon:g}",
            f"{one.people:,}",
            f"{one.pairs:,}",
            f"{one.rate:.1%}",
            f"{one.bias:+.2f}",
            f"{one.spread:.2f}",
            f"{one.without_maximum / one.runs:.0%} of {one.runs} runs",
        ]
        for one in found
    ]
    return table(head, rows)


def tell_prediction(make: Callable[[], prediction.Task]) -> tuple[str, str]:
    """Predictions on real data."""
    task = make()
    found = prediction.predict(task, PREDICTION_EPSILONS, PREDICTION_SEEDS)
    rows = [
        [
            f"{one.epsilon:g}",
            f"{one.private.mean():.3f} ({one.private.min():.3f} to {one.private.max():.3f})",
            f"{one.not_private.mean():.3f}",
            f"{one.baseline:.3f}",
        ]
        for one in found
    ]
    head = ["epsilon", f"{task.measure}, tacit", "not private", "no features"]
    text = (
        f"Mean (and range) over {len(PREDICTION_SEEDS)} random splits; {task.people:,} people, "
        f"{prediction.PUBLIC_ROWS:,} public rows drawn from the data and removed from people and "
        f"test rows; a report stands for a vector of {found[0].dimension} numbers. Not private: "
        "scikit-learn's logistic regression on the people's rows, same features. No features: "
        "the commonest class, or chance."
    )
    return f"Predictions: {task.name}", f"{text}\n\n{table(head, rows)}"


def tell_covertype(_: Path) -> tuple[str, str]:
    """Covertype, type 2 or not."""
    return tell_prediction(prediction.covertype_type_2)


def tell_covertype_classes(_: Path) -> tuple[str, str]:
    """Covertype, all seven types."""
    return tell_prediction(prediction.covertype_classes)


def tell_census(_: Path) -> tuple[str, str]:
    """Census income, all questions."""
    return tell_prediction(prediction.census_income)


def tell_shift(docs: Path) -> tuple[str, str]:
    """Bias from public rows that differ from the people."""
    series = [shift.shifted(c, shift.SHIFTS, SEED) for c in shift.CONDITIONS]
    shift.plot(series, docs / "images" / "shift.png")
    names = series[0][0].names
    head = ["condition number", "shift", *(f"{n} ({t:g})" for n, t in _truth(series[0][0]))]
    rows = [
        [
            f"{one.condition:g}",
            f"{one.shift:g}",
            *(f"{round(one.bias[name], 3) + 0.0:+.3f}" for name in names),
        ]
        for results in series
        for one in results
    ]
    text = (
        f"Bias of each coefficient (true value in brackets) when {shift.SHIFTED} lies higher in "
        "the public rows than among the people, by a part of its standard deviation. Five "
        "correlated Gaussian features of variance 1. This is the limit of endlessly many people: "
        "neither people nor epsilon remove it, no interval shows it, and nothing collected can "
        "reveal it. The stronger the correlation, the more a true zero suffers."
    )
    picture = "![Bias against the shift of the public rows](images/shift.png)"
    return "Public rows that differ", f"{text}\n\n{table(head, rows)}\n\n{picture}"


def _truth(one: shift.Shift) -> list[tuple[str, float]]:
    return list(zip(one.names, one.truth.tolist(), strict=True))


def tell_planned(_: Path) -> tuple[str, str]:
    """The plan against repeated studies."""
    size = planned.FULL
    one = planned.compare(populations.gaussian(), size, SEED)
    rows = [
        [name, f"{plan:.4f}", f"{seen:.4f}", f"{off:+.1f}"]
        for name, plan, seen, off in zip(
            one.names, one.planned, one.observed, one.standard_errors_off, strict=True
        )
    ]
    head = ["coefficient", "planned", "observed", "difference in standard errors"]
    text = (
        "Standard errors that `tacit.plan` states beforehand, and the standard deviation of the "
        f"estimates over {size.runs} studies: {one.population} features, {size.people:,} people, "
        f"epsilon {size.epsilon:g}, {size.public_rows:,} public rows, true coefficients as guess."
    )
    return "Plans", f"{text}\n\n{table(head, rows)}"


def tell_geometries(_: Path) -> tuple[str, str]:
    """What a geometry for coefficients saves."""
    rows = []
    for setting in (*geometries.MADE_UP, *geometries.REAL):
        one = geometries.gain(setting)
        rows.append(
            [
                setting.name,
                f"{setting.people:,}",
                f"{setting.intercept_share:g}",
                f"{one.fewer_people:.1f} times",
                setting.focus,
                f"{one.fewer_people_in_focus:.1f} times",
                f"{one.others:.2f}",
                f"{one.worst_other:.2f}",
            ]
        )
    head = ["public rows of", "people", "intercept's share", "fewer people, all alike", "focus on",
            "fewer people for it", "others", "worst other"]  # fmt: skip
    text = (
        "Planned at coefficients of zero, yes-or-no labels, epsilon "
        f"{geometries.EPSILON:g}, {geometries.PUBLIC_ROWS:,} public rows, against shares that "
        "follow the root of the variance (with a share of 0.1 for the intercept). All alike: at "
        "one geometric mean of the standard errors of all coefficients. Others: geometric mean of "
        "their standard errors under the focus, as multiples of those by the root; worst other: as "
        "a multiple of that without a focus. A study's intercept has a share of 0.1; where 0.005 "
        "stands it is nearly the best one for the table."
    )
    return "Geometries", f"{text}\n\n{table(head, rows)}"


def tell_hostile(_: Path) -> tuple[str, str]:
    """One percent of dishonest people."""
    rows, gaussian = [], populations.gaussian()
    for epsilon in (1.0, 4.0):
        one = hostile.attack(gaussian, "x3", epsilon, SEED)
        rows.append(
            [
                f"{epsilon:g}",
                f"{one.mean_shift:.4f}",
                f"{one.expected_bound:.4f}",
                f"{one.coefficient_shift:.3f}",
                f"{one.coefficient_bound:.3f}",
                f"{one.standard_error:.3f}",
            ]
        )
    head = ["epsilon", "shift of the mean", "bound", "shift of x3", "bound", "standard error of x3"]
    text = (
        f"{hostile.SHARE:.0%} of {hostile.PEOPLE:,} reports replaced by the one "
        "that pushes the coefficient of x3 (truly 0) hardest. A share beta of dishonest people "
        "moves the expected mean report by at most beta (1/mu + 1), mu the mean length of a "
        "report, and a coefficient by that times the length of its row of the inverse Jacobian. "
        "This is a bound, not immunity: the shift can be many standard errors."
    )
    return "Dishonest people", f"{text}\n\n{table(head, rows)}"


SECTIONS: dict[str, Section] = {
    "accuracy": tell_accuracy,
    "coverage": tell_coverage,
    "few_people": tell_few_people,
    "covertype": tell_covertype,
    "covertype_classes": tell_covertype_classes,
    "census": tell_census,
    "shift": tell_shift,
    "planned": tell_planned,
    "geometries": tell_geometries,
    "hostile": tell_hostile,
}
