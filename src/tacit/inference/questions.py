"""Questions to a fit, afterwards and all from its one tally: each is a line or a table."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tacit.errors import ConfigurationError
from tacit.inference.chi_square import Test, joint_test
from tacit.inference.contrast import Contrast, contrast_of
from tacit.inference.effects import average_effects, hardly_told, mean_predictions
from tacit.inference.intervals import checked
from tacit.inference.names import places
from tacit.inference.predicted import predicted_names
from tacit.inference.ratios import ratios
from tacit.inference.submodel import Groups, fewer_terms, restrictions
from tacit.inference.summary import listed, many
from tacit.inference.tabular import Tabular
from tacit.inference.terms import Terms

if TYPE_CHECKING:
    from tacit.inference.result import Fit

EFFECTS = (
    "Averages over the public rows: for a number the derivative, per unit; for a yes-or-no column "
    "from no to yes; for a level from the baseline; all else as it is in each row."
)
ERRORS = (
    "Intervals are normal ones. Their standard errors hold privacy noise, the people and the "
    "public rows, under a weak prior on all coefficients whose strength the reports choose."
)
ROUGH = (
    "The reports say little of {names}. Standard errors of effects may then be far too small; "
    "trust the intervals of the table."
)
GIVEN = "The {count:,} rows given are taken as they are, without an error of their own."


def submodel(fit: "Fit", drop: Iterable[str], merge: Mapping[str, Groups], tie: Groups) -> "Fit":
    """The fit with fewer terms, and the test of all that went since the whole."""
    whole, likelihood = fit.whole or fit, fit.asking("a submodel")
    terms, words = fewer_terms(fit.study, fit.terms, drop, merge, tie)
    everything = Terms.of(fit.study)
    gone = restrictions(terms, everything, len(everything.names))
    before = [] if fit.left_out is None else [fit.left_out.about]
    about = "; ".join([*before, words])
    return replace(
        fit,
        terms=terms,
        likelihood=likelihood.of_terms(terms),
        left_out=joint_test(whole.surface, gone @ whole.asking("a submodel").rows, about),
        whole=whole,
        solutions={},
        tables={},
    )


def test(fit: "Fit", names: tuple[str, ...]) -> Test:
    """That all coefficients of these names are zero."""
    likelihood = fit.asking("a test")
    term = fit.terms.of_place
    found = [{term[at] for at in places(fit.study, one, "test") if at in term} for one in names]
    if not found or not all(found):
        raise ConfigurationError(
            f"a test needs names of features or coefficients that the fit has, got {names!r}; it "
            f"has {', '.join(fit.names)}"
        )
    rows = likelihood.term_rows[sorted(set().union(*found))]
    return joint_test(fit.surface, rows, f"{', '.join(names)} = 0")


def contrast(fit: "Fit", weights: Mapping[str, float], level: float) -> Contrast:
    """A sum of coefficients, each times its weight."""
    likelihood = fit.asking("a contrast")
    checked("profile", level)
    return contrast_of(fit.surface, likelihood, weights, level)


def odds_ratios(fit: "Fit", level: float, intervals: str) -> Tabular:
    """Exponentials of the table."""
    table = fit.table(level, intervals=intervals)
    return ratios(fit.study, fit.model, fit.terms, table, fit.title())


def effects(fit: "Fit", level: float) -> Tabular:
    """Average marginal effects."""
    likelihood = fit.asking("effects")
    checked("profile", level)
    found = average_effects(fit.surface, likelihood)
    shown = predicted_names(fit.study)
    head = f"effect on {shown[0]}" if len(shown) == 1 else "effect"
    rough = hardly_told(fit.surface, likelihood)
    warned = (ROUGH.format(names=listed(rough)),) if rough else ()
    notes = (EFFECTS, *warned, ERRORS, many("effects", len(found.names), level), *fit.assumptions)
    return found.tested(fit.title(), head, level, notes)


def mean_prediction(fit: "Fit", rows: Any, level: float) -> Tabular:
    """Mean predictions over the public rows, or over rows given."""
    likelihood = fit.asking("a mean prediction")
    checked("profile", level)
    z = None if rows is None else fit.study.encode(rows)
    if z is not None and not len(z):
        raise ConfigurationError("a mean prediction needs at least one row, got none")
    found = mean_predictions(fit.surface, likelihood, z)
    given = () if z is None else (GIVEN.format(count=len(z)),)
    return found.tabular(fit.title(), "mean over rows", level, (*given, ERRORS, *fit.assumptions))
