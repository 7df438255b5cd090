"""Each experiment at its full size, told as a section of the page of evidence."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from evidence import (
    accuracy,
    coverage,
    geometries,
    hostile,
    label_private,
    planned,
    populations,
    prediction,
    promised,
    repeated,
    shift,
    weighted,
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
        "Every run draws new public rows, a new study, new people and new reports. Width is the "
        "median; intervals without an end count as endlessly wide. The last two columns are "
        "intervals by maximum likelihood and its standard errors, of the runs that have them."
    )
    return "Intervals", f"{text}\n\n{_coverage_table(found)}"


def tell_few_people(_: Path) -> tuple[str, str]:
    """What happens with too few people."""
    found = [coverage.coverage(one, coverage.PAIRS, SEED) for one in coverage.FEW_PEOPLE]
    text = (
        "Two of the designs with fewer people than one would want. Every run has a table, and its "
        "intervals cover; some have no end on one side. Where noise exceeds the signal the "
        "likelihood has no finite maximum, and intervals by maximum likelihood do not exist; those "
        "that exist are too wide, since the runs without are those with the largest errors."
    )
    return "Too few people", f"{text}\n\n{_coverage_table(found)}"


def _coverage_table(found: list[coverage.Coverage]) -> str:
    head = [
        "population",
        "epsilon",
        "people",
        "pairs",
        "coverage",
        "width",
        "without an end",
        "by maximum likelihood",
        "runs with a maximum",
    ]
    rows = [
        [
            one.population,
            f"{one.epsilon:g}",
            f"{one.people:,}",
            f"{one.pairs:,}",
            f"{one.rate:.1%}",
            f"{one.width:.3g}",
            f"{one.endless:.1%}",
            f"{one.wald:.1%}",
            f"{one.wald_tables / one.runs:.0%} of {one.runs}",
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


def tell_weighted(_: Path) -> tuple[str, str]:
    """Public rows of a lopsided survey, put right by weights or by margins."""
    size = weighted.FULL
    found = [weighted.scores(how, size, SEED) for how in weighted.HOW]
    rows = [
        [
            one.how,
            f"{one.coverage:.1%}",
            f"{one.bias:.2f}",
            f"{one.spread:.2f}",
            f"{one.public_share:.0%}",
        ]
        for one in found
    ]
    head = ["public rows", "coverage", "bias", "spread", "variance due to public rows"]
    text = (
        "A survey that reached people of some regions, and with a large x0, more than others (the "
        "mean of x0 is half a standard deviation too high). Its rows as they are, with weights "
        "that say how many people each stands for, and calibrated to the known shares of the "
        f"regions and the known mean of x0. Epsilon {size.epsilon:g}, {size.people:,} people, "
        f"{size.public_rows:,} public rows, {size.runs} studies, {found[0].errors.size:,} pairs of "
        "coefficient and study. Bias is the largest mean error of a coefficient, spread the root "
        "of the mean squared error, both in stated standard errors."
    )
    return "Public rows with weights or margins", f"{text}\n\n{table(head, rows)}"


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


def tell_promised(_: Path) -> tuple[str, str]:
    """The plan that does not know the coefficients against what a table finds."""
    found = list(promised.promises(SEED))
    rows = [
        [
            one.name,
            f"{one.epsilon:g}",
            f"{one.people:,}",
            len(one.found),
            f"{one.ratio:.2f}",
            f"{one.near:.0%}",
            f"{one.inside:.0%}",
            f"{one.ratio_at_zero:.2f}",
        ]
        for one in found
    ]
    head = ["rows of", "epsilon", "people", "coefficients", "planned / found", "within twice",
            "within the range", "at zero / found"]  # fmt: skip
    ratios = [one.ratio for one in found]
    inside = np.mean(np.concatenate([[one.inside] * len(one.found) for one in found]))
    text = (
        "Standard errors that `tacit.plan` states when it is told the rate of the label and "
        "nothing else, over those of the table at the true coefficients: of real data those of a "
        f"fit on every raw row, 10,000 public rows (ACS 5,000); of made-up populations their own, "
        f"{promised.PUBLIC_ROWS:,} public rows. Geometric means over the coefficients but "
        f"intercepts: from {min(ratios):.2f} to {max(ratios):.2f}, where a plan at coefficients "
        f"of zero has {min(one.ratio_at_zero for one in found):.2f} to "
        f"{max(one.ratio_at_zero for one in found):.2f}. Single coefficients differ more: within "
        "twice is the share planned within a factor of two, within the range the share found "
        f"between the 10% and the 90% stated, {inside:.0%} of all."
    )
    return "Plans that do not know the coefficients", f"{text}\n\n{table(head, rows)}"


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


def tell_repeated(_: Path) -> tuple[str, str]:
    """What a geometry saves in whole studies, and whether its intervals cover."""
    rows = []
    for make, runs in repeated.WORLDS:
        world = make()
        found = {
            geometry: repeated.repeated(world, geometry, repeated.EPSILON, runs, SEED)
            for geometry in repeated.GEOMETRIES
        }
        rows.append(
            [
                world.name,
                f"{found['coefficients'].people:,}",
                len(world.truth),
                runs,
                f"{repeated.fewer_people(found['root'], found['coefficients']):.1f} times",
                world.focus,
                f"{repeated.fewer_people(found['root'], found['focus'], world.focus):.1f} times",
                *(f"{found[geometry].covered:.1%}" for geometry in repeated.GEOMETRIES),
            ]
        )
    head = ["rows of", "people", "coefficients", "studies", "fewer people, table", "focus on",
            "fewer people for it", "covered: by root", "table", "focus"]  # fmt: skip
    text = (
        f"Whole studies at epsilon {repeated.EPSILON:g}, 10,000 public rows, labels drawn with the "
        "coefficients of a fit to every raw row (answers rarer than one in two hundred left out). "
        "Every study draws its own public rows, labels and reports. Fewer people: variance of the "
        "estimates over the studies against shares that follow the root of the variance; for the "
        "table the geometric mean over coefficients but the intercept, of standard deviations by "
        "quartiles. Covered: share of 95% intervals that hold the truth."
    )
    return "Geometries in whole studies", f"{text}\n\n{table(head, rows)}"


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


def tell_label_coverage(_: Path) -> tuple[str, str]:
    """Coverage where the label alone is private."""
    found = [
        label_private.label_coverage(one, coverage.PAIRS, SEED) for one in label_private.SETTINGS
    ]
    text = (
        f"Share of true coefficients inside their {coverage.LEVEL:.0%} profile interval (of means "
        "of numbers: estimate and robust standard error), over all runs, at least "
        f"{coverage.PAIRS:,} pairs of coefficient and run. Every run draws new people and new "
        "reports. Features are known; there are no public rows. The last column counts runs in "
        "which a coefficient has no finite maximum; its interval counts all the same."
    )
    return "Intervals of label-private studies", f"{text}\n\n{_coverage_table(found)}"


def tell_fewer_people(_: Path) -> tuple[str, str]:
    """People needed when the label alone is private."""
    rows = [
        [
            f"{epsilon:g}",
            *(
                f"{label_private.fewer_people(columns, epsilon, SEED).times:.1f}x"
                for columns in label_private.COLUMNS
            ),
        ]
        for epsilon in label_private.EPSILONS
    ]
    head = ["epsilon", *(f"{columns} columns" for columns in label_private.COLUMNS)]
    text = (
        "How many times fewer people give the same standard errors when the label alone is "
        "private, against a study of whole records with public rows enough. Yes-or-no label, "
        "independent Gaussian columns, coefficients zero, geometric mean over the columns."
    )
    return "Label alone against the whole record", f"{text}\n\n{table(head, rows)}"


SECTIONS: dict[str, Section] = {
    "accuracy": tell_accuracy,
    "coverage": tell_coverage,
    "few_people": tell_few_people,
    "covertype": tell_covertype,
    "covertype_classes": tell_covertype_classes,
    "census": tell_census,
    "shift": tell_shift,
    "weighted": tell_weighted,
    "planned": tell_planned,
    "promised": tell_promised,
    "geometries": tell_geometries,
    "repeated": tell_repeated,
    "hostile": tell_hostile,
    "label_coverage": tell_label_coverage,
    "fewer_people": tell_fewer_people,
}
