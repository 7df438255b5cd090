"""Mutants of the models and of the fit."""

from tests.mutants.mutant import Mutant

_MODELS = ("tests/models",)
_FIT = ("tests/inference",)

_LABEL_FIT = ("tests/labelprivate/test_fit.py",)

FITTING: tuple[Mutant, ...] = (
    Mutant(
        "labelprivate/fitting/likelihoods.py",
        "found[0, rows] = sent[:, -1] + mass",
        "found[0, rows] = mass",
        _LABEL_FIT,
    ),
    Mutant(
        "labelprivate/fitting/likelihoods.py",
        "(after - before) @ self.model.scores",
        "(before - after) @ self.model.scores",
        _LABEL_FIT,
    ),
    Mutant(
        "labelprivate/fitting/solve.py",
        "return np.asarray(inverse @ squares @ inverse)",
        "return inverse",
        _LABEL_FIT,
    ),
    Mutant(
        "labelprivate/fitting/climb.py",
        "return inverse - np.outer(toward, toward) / (fixed @ toward)",
        "return inverse",
        (_LABEL_FIT[0] + "::test_the_maximum_and_its_profile_are_those_of_a_slow_search",),
    ),
    Mutant(
        "labelprivate/fitting/profile.py",
        "return side * math.inf, max(root, inside[1])",
        "return estimate + unit * at, max(root, inside[1])",
        (_LABEL_FIT[0] + "::test_a_table_comes_without_a_maximum",),
    ),
    Mutant("models/choice.py", "own = isinstance(family, Family)", "own = False", _MODELS),
    Mutant("models/choice.py", "default or own", "default", _MODELS),
    Mutant("models/choice.py", "< (high - low) / 2:", "< (high - low) / 200:", _MODELS),
    Mutant("models/linear.py", "unit=(high - low) / 2", "unit=1.0", _MODELS),
    Mutant("models/linear.py", "origin=(high + low) / 2", "origin=0.0", _MODELS),
    Mutant("models/softmax.py", "self.scores[1:] - self.scores[0]", "self.scores[1:]", _MODELS),
    Mutant("models/scalar.py", "return self.family.origin", "return 0.0", _FIT),
    Mutant("models/saved.py", "rtol=1e-9", "rtol=1e9", _FIT),
    Mutant("models/saved.py", "(*model.mean(around)[:, 0], *shown)", "shown", _FIT),
    Mutant("models/saved.py", "[:, 0], *shown)", "[:, 0],)", _FIT),
    Mutant("models/saved.py", "len(found) == len(stated) and", "", _FIT),
    Mutant("models/saved.py", "family.name != name or", "", _FIT),
    Mutant("models/saved.py", "if model.own else []", "if False else []", _FIT),
    Mutant("inference/file.py", "    _check_solutions(content)\n", "", _FIT),
    Mutant("inference/file.py", "and issubclass(named, TacitError)", "", _FIT),
    Mutant("inference/solve.py", "fingerprint == study.fingerprint", "True", _FIT),
    Mutant("inference/solve.py", "    check_tally(study, tally)\n", "", _FIT),
    Mutant("inference/solutions.py", "except (NoFiniteMaximumError, ", "except (", _FIT),
    Mutant("inference/solutions.py", "Error, ConvergenceError) as", "Error,) as", _FIT),
    Mutant("inference/solutions.py", "type(error)", "NoFiniteMaximumError", _FIT),
    Mutant(
        "inference/likelihood.py", "tally.count / study.reports_per_person", "tally.count", _FIT
    ),
    Mutant("inference/likelihood.py", "noise / study.reports_per_person", "noise", _FIT),
    Mutant("inference/likelihood.py", "model.origin / math.sqrt(INTERCEPT_SHARE)", "0.0", _FIT),
    Mutant("inference/maximise.py", "if _is_flat(jacobian, floor)", "if False", _FIT),
    Mutant("inference/maximise.py", "ray / (np.linalg.norm(ray) or 1.0)", "ray", _FIT),
    Mutant("inference/shrinkage.py", "powered.sum() * unit**2", "powered.sum()", _FIT),
    Mutant("inference/result.py", " @ self.model.scores.T", "", _FIT),
    Mutant("inference/posterior.py", "if transform.intercept else 0.0", "", _FIT),
    Mutant("study/transform.py", "seen.update(as_bytes(kept))", "pass", _FIT),
)
