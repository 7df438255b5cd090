"""Mutants of the models and of the fit."""

from tests.mutants.mutant import Mutant

_MODELS = ("tests/models",)
_FIT = ("tests/inference",)
_PUBLIC = ("tests/study", "tests/inference/test_weighted.py")

FITTING: tuple[Mutant, ...] = (
    Mutant("models/choice.py", "own = isinstance(family, Family)", "own = False", _MODELS),
    Mutant("models/choice.py", "default or own", "default", _MODELS),
    Mutant("models/choice.py", "< (high - low) / 2:", "< (high - low) / 200:", _MODELS),
    Mutant("models/linear.py", "unit=(high - low) / 2", "unit=1.0", _MODELS),
    Mutant("models/linear.py", "origin=(high + low) / 2", "origin=0.0", _MODELS),
    Mutant("models/softmax.py", "self.scores[1:] - self.scores[0]", "self.scores[1:]", _MODELS),
    Mutant("models/scalar.py", "return self.family.origin", "return 0.0", _FIT),
    Mutant("inference/file.py", "rtol=1e-9", "rtol=1e9", _FIT),
    Mutant("inference/file.py", "(*model.mean(around)[:, 0], *shown)", "shown", _FIT),
    Mutant("inference/file.py", "[:, 0], *shown)", "[:, 0],)", _FIT),
    Mutant("inference/file.py", "len(found) == len(stated) and", "", _FIT),
    Mutant("inference/file.py", "family.name != content.family or", "", _FIT),
    Mutant("inference/file.py", "if fit.model.own else []", "if False else []", _FIT),
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
    Mutant("inference/design.py", "share / share.sum()", "share", _PUBLIC),
    Mutant(
        "inference/design.py", "np.ones(len(self.z)), self.gaps]", "np.ones(len(self.z))]", _PUBLIC
    ),
    Mutant(
        "inference/design.py",
        "square = self.share**2",
        "square = self.share / len(self.z)",
        _PUBLIC,
    ),
    Mutant("inference/design.py", "self.share @ squares", "squares.mean()", _PUBLIC),
    Mutant("study/build.py", "(-shared[level], level)", "(-counts[level], level)", _PUBLIC),
    Mutant(
        "study/build.py",
        "if counts[level] >= MINIMUM",
        "if 100 * shared[level] >= MINIMUM",
        _PUBLIC,
    ),
    Mutant("study/study.py", "seen.update(as_bytes(public.basis))", "pass", _PUBLIC),
    Mutant("study/study.py", "choose, public.shares)", "choose)", _PUBLIC),
    Mutant(
        "study/geometry.py",
        "squares, row_shares, MOST",
        "squares, 0 * row_shares + 1 / len(design), MOST",
        _PUBLIC,
    ),
    Mutant("study/public.py", "        _refuse_extreme(shares", "        str(shares", _PUBLIC),
    Mutant("study/public.py", "(number >= 0.0)", "(number >= -9.0)", _PUBLIC),
    Mutant("study/margins.py", "places.get(OTHER, -1.0)", "-1.0", _PUBLIC),
    Mutant("study/margins.py", "here - np.array", "here + 0 * np.array", _PUBLIC),
    Mutant("study/calibration.py", "tilted = given * np", "tilted = np", _PUBLIC),
    Mutant("labels/binary.py", "len(present) == 0 or ", "", ("tests/labels",)),
    Mutant(
        "cli/collect.py",
        "    _refuse_never(study, kept, people)\n",
        "",
        ("tests/cli/test_errors.py",),
    ),
    Mutant("study/transform.py", "seen.update(as_bytes(kept))", "pass", _FIT),
)
