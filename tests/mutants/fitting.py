"""Mutants of the models and of the fit."""

from tests.mutants.mutant import Mutant

_MODELS = ("tests/models",)
_FIT = ("tests/inference",)
_QUESTIONS = (
    "tests/inference/test_submodel.py",
    "tests/inference/test_questions.py",
    "tests/inference/test_effects.py",
    "tests/inference/test_compare.py",
)

_LABEL_FIT = ("tests/labelprivate/test_fit.py",)
_PUBLIC = ("tests/study", "tests/inference/test_weighted.py")

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
    Mutant("inference/likelihood.py", "model.origin / study.transform.mixing[0, 0]", "0.0", _FIT),
    Mutant("inference/maximise.py", "if _is_flat(jacobian, floor)", "if False", _FIT),
    Mutant("inference/maximise.py", "ray / (np.linalg.norm(ray) or 1.0)", "ray", _FIT),
    Mutant("inference/shrinkage.py", "variances * unit**2", "variances", _FIT),
    Mutant("inference/result.py", " @ self.model.scores.T", "", _FIT),
    Mutant("inference/shrinkage.py", "if len(self.mixing) > len(variances):", "if False:", _FIT),
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
    Mutant(
        "inference/chi_square.py",
        "prior=flat_in(surface.prior, rows)",
        "prior=surface.prior",
        _QUESTIONS,
    ),
    Mutant(
        "inference/chi_square.py",
        "max(restricted - free, 0.0), len(rows)",
        "max(restricted - free, 0.0), 1",
        _QUESTIONS,
    ),
    Mutant(
        "inference/chi_square.py",
        "restricted - free, 0.0",
        "0.5 * (restricted - free), 0.0",
        _QUESTIONS,
    ),
    Mutant(
        "inference/chi_square.py", 'trans="T")\n    nearest', 'trans="N")\n    nearest', _QUESTIONS
    ),
    Mutant(
        "inference/submodel.py",
        "row[kept[first]] = -1.0",
        "pass",
        _QUESTIONS,
    ),
    Mutant("inference/submodel.py", "if len(kept) < len(together):", "if False:", _QUESTIONS),
    Mutant("inference/submodel.py", "gone |= met  #", "gone |= set()  #", _QUESTIONS),
    Mutant("inference/submodel.py", "        self._claim(kept, ", "        (kept, ", _QUESTIONS),
    Mutant(
        "inference/questions.py", "joint_test(whole.surface", "joint_test(fit.surface", _QUESTIONS
    ),
    Mutant(
        "inference/influence.py",
        "        return -contributions(design, values)",
        "        return contributions(design, values)",
        _QUESTIONS,
    ),
    Mutant("inference/influence.py", " - pushed.T @ pushed)", ")", _QUESTIONS),
    Mutant(
        "inference/influence.py",
        "contributions(self.surface.problem.design, own) + self.pushed(rows)",
        "self.pushed(rows)",
        _QUESTIONS,
    ),
    Mutant(
        "inference/influence.py",
        "(surface.prior - self.prior) @",
        "(self.prior - surface.prior) @",
        _QUESTIONS,
    ),
    Mutant("inference/public_means.py", "(values - known @ slopes)", "values", _QUESTIONS),
    Mutant(
        "inference/effects.py",
        "cleared = z - columns[:, siblings] @ back[siblings]",
        "cleared = z",
        _QUESTIONS,
    ),
    Mutant(
        "inference/effects.py", "per = 2.0 * move.step or 1.0", "per = move.step or 1.0", _QUESTIONS
    ),
    Mutant(
        "inference/effects.py",
        "if given is None:\n        covariance = influence.of_means",
        "if True:\n        covariance = influence.of_means",
        _QUESTIONS,
    ),
    Mutant(
        "inference/predicted.py", "parts.transpose(1, 0, 2)", "parts.transpose(1, 2, 0)", _QUESTIONS
    ),
    Mutant("inference/compare.py", "pushed[0] - pushed[1]", "pushed[0] + pushed[1]", _QUESTIONS),
    Mutant("inference/compare.py", "if same else pushed", "if True else pushed", _QUESTIONS),
    Mutant("inference/compare.py", "left - right, np", "left + right, np", _QUESTIONS),
    Mutant(
        "inference/contrast.py",
        "        if place is not None:\n",
        "        if place:\n",
        _QUESTIONS,
    ),
    Mutant("inference/ratios.py", "model.own or ", "", _QUESTIONS),
    Mutant("inference/ratios.py", "not is_intercept(study, first)", "True", _QUESTIONS),
)
