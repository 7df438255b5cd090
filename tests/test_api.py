"""What users may rely on: names, signatures, and an import that loads nothing heavy."""

import inspect
import subprocess
import sys

import tacit
from tacit import errors, papers

SIGNATURES = {
    "fit": "(study, tally, *, public, family=None)",
    "compare": "(first, second, *, level=0.95)",
    "plan": "(study, *, public, people=None, target_se=None, coefficient=None, "
    "rate=None, guess=None, width=None, family=None, progress=None)",
    "preview": "(study, record, *, label)",
    "Device": "(study, *, ledger, lifetime=None, collector='', code='')",
    "randomize": "(study, record, *, label)",
    "read_reports": "(path, study)",
    "simulate": "(study, rows, labels, *, random_state=None)",
    "write_reports": "(path, study, reports)",
    "LogisticRegression": "(epsilon=1.0, *, classes=None, fit_intercept=True, "
    "purpose='predictions', focus=(), private='record', random_state=None)",
    "LinearRegression": "(epsilon=1.0, *, label_range=None, fit_intercept=True, "
    "purpose='predictions', focus=(), private='record', random_state=None)",
    "PoissonRegressor": "(epsilon=1.0, *, cap=None, fit_intercept=True, "
    "purpose='predictions', focus=(), private='record', random_state=None)",
    "LabelStudy": "(features, *, label, epsilon, title='', intercept=True, stated=None, "
    "dropped=<factory>, notes=(), version=1)",
}
VALUES = {
    *(
        "Binary",
        "Bounded",
        "Categorical",
        "Comparison",
        "Contrast",
        "Count",
        "Delivery",
        "Device",
        "Family",
        "Feature",
        "Fit",
        "Guarantee",
        "LabelReport",
    ),
    *("Plan", "Preview", "Report", "Study", "Summary", "TacitError", "TacitWarning", "Tally"),
    *("Tabular", "Test"),
}
PAPERS = {
    *("AbsoluteRegression", "ConvexClassifier", "EuclideanMedian", "HingeClassifier"),
    *("DPIHT", "LDPIHT", "LabelLDPIHT", "LabelLasso", "OneShotSparse"),
    *("BGM", "DGM", "OLS", "RMGM", "GaussianDesignGLM", "SteinGLM", "SteinRegression"),
}
HEAVY = {"matplotlib", "typer", "rich", "sklearn", "pyarrow", "pandas", "starlette", "uvicorn"}


def test_public_names_are_these() -> None:
    """Adding or removing a public name is a decision, made here."""
    assert set(tacit.__all__) == VALUES | set(SIGNATURES)
    assert all(hasattr(tacit, name) for name in tacit.__all__)
    assert dir(tacit) == sorted(tacit.__all__)


def test_signatures_are_these() -> None:
    """Names, order and defaults of parameters are part of the promise."""
    for name, expected in SIGNATURES.items():
        signature = inspect.signature(getattr(tacit, name))
        bare = signature.replace(
            parameters=[
                p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()
            ],
            return_annotation=inspect.Signature.empty,
        )
        assert str(bare) == expected, name


def test_names_of_the_papers_are_these() -> None:
    """Every algorithm of the papers is importable from `tacit.papers`."""
    assert set(papers.__all__) == PAPERS
    assert all(getattr(papers, name).__module__.startswith("tacit.papers.") for name in PAPERS)
    assert not hasattr(papers, "SteinGlm")


def test_every_error_descends_from_one() -> None:
    """`except TacitError` catches everything that is raised on purpose."""
    raised = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)]
    for error in raised:
        assert issubclass(error, errors.TacitError | errors.TacitWarning)
        assert error.__doc__
        assert error.__name__ in (errors.__doc__ or "")


def test_import_loads_nothing_heavy() -> None:
    """`import tacit` leaves plotting, server, table and estimator libraries alone."""
    code = "import sys, tacit; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())


def test_unknown_names_are_refused() -> None:
    """A misspelt name is an AttributeError, as everywhere."""
    assert not hasattr(tacit, "LogisticRegresion")
