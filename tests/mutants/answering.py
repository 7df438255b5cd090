"""Mutants of how an answer is read, what it becomes, and what a device refuses to compute with."""

from tests.mutants.mutant import Mutant

_RANDOMIZE = ("tests/device/test_randomize.py",)
_ANY_VALUE = ("tests/device/test_any_value.py",)
_ANSWERS = ("tests/test_answers.py",)
_LABELS = ("tests/labels",)
_STUDY = ("tests/study",)

_LABEL_DEVICE = ("tests/labelprivate/test_device.py",)

ANSWERING = (
    # labels of label studies
    Mutant(
        "labelprivate/device.py",
        "@_shielded\ndef draw_reports(",
        "def draw_reports(",
        _LABEL_DEVICE,
        vital=True,
    ),
    Mutant(
        "labelprivate/device.py",
        ".hexdigest() != study.id:",
        ".hexdigest() == '':",
        _LABEL_DEVICE,
        vital=True,
    ),
    Mutant(
        "labelprivate/device.py",
        "mechanism = unaltered_mechanism(study)",
        "mechanism = (unaltered_mechanism(study), study.mechanism)[1]",
        _LABEL_DEVICE,
        vital=True,
    ),
    Mutant(
        "labelprivate/device.py",
        "    check_for_label(parameters, classes, epsilon)\n",
        "",
        _LABEL_DEVICE,
        harmless="a study checks its own parameters, and one that was altered since is refused",
    ),
    Mutant(
        "labelprivate/study.py",
        "        check_for_label(self.parameters, classes, self.epsilon)\n",
        "",
        ("tests/labelprivate/test_study.py",),
        vital=True,
    ),
    Mutant(
        "labelprivate/study.py",
        "2.0 * weights[:, 1] - 1.0",
        "weights[:, 1]",
        ("tests/labelprivate/test_vectors.py",),
    ),
    Mutant(
        "labelprivate/report.py",
        "(numbers >= legal.stop)",
        "(numbers > legal.stop)",
        _LABEL_DEVICE,
    ),
    Mutant(
        "device/randomize.py",
        "return study.mechanism.randomize(vectors, entropy)",
        "return type(study.mechanism).best(study.dimension, study.epsilon, bytes(16)).randomize("
        "vectors, entropy)",
        _RANDOMIZE,
        vital=True,
    ),
    Mutant(
        "device/randomize.py", "@shielded\ndef reading(", "def reading(", _ANY_VALUE, vital=True
    ),
    Mutant("device/randomize.py", "@shielded\ndef reading_rows(", "def reading_rows(", _ANY_VALUE),
    Mutant("device/randomize.py", "@shielded\ndef draw_seeds(", "def draw_seeds(", _ANY_VALUE),
    Mutant("device/preview.py", "@shielded\ndef preview(", "def preview(", _ANY_VALUE),
    Mutant(
        "device/randomize.py", "    check_stated(study", "    str(study", _RANDOMIZE, vital=True
    ),
    Mutant(
        "device/randomize.py",
        "    refuse_unfit(study)\n    vectors =",
        "    vectors =",
        _RANDOMIZE,
        vital=True,
    ),
    Mutant(
        "device/randomize.py",
        "    refuse_unfit(study)\n    if {",
        "    if {",
        _RANDOMIZE,
        vital=True,
    ),
    Mutant("device/randomize.py", "or not study.epsilon <= LARGEST_EPSILON", "", _RANDOMIZE),
    Mutant("device/randomize.py", "if study.mechanism !=", "if None is", _RANDOMIZE),
    Mutant(
        "device/randomize.py",
        "uniform(len(z), entropy))",
        "uniform(len(z), entropy) if weights.max() < 1 else np.zeros(len(z)))",
        _RANDOMIZE,
        vital=True,
    ),
    Mutant("device/randomize.py", "(luck[:, None] >= np", "(luck[:, None] > np", _RANDOMIZE),
    Mutant(
        "device/randomize.py",
        "simplex(weights.shape[1])[drawn]",
        "simplex(weights.shape[1])[-1 - drawn]",
        _RANDOMIZE,
    ),
    Mutant(
        "device/randomize.py",
        "np.where(empty[:, None], 1.0 / weights.shape[1], weights)",
        "np.where(empty[:, None], weights, weights)",
        _RANDOMIZE,
    ),
    Mutant("device/randomize.py", "+= empty[:, None] * corner", "+= 0.0 * corner", _RANDOMIZE),
    Mutant("labels/base.py", "if missing.any():", "if missing.all() and False:", _LABELS),
    Mutant("labels/base.py", "np.isnan(share), 0.5, share", "np.isnan(share), 0.0, share", _LABELS),
    Mutant("labels/base.py", "[1.0 - share, share]", "np.round([1.0 - share, share], 3)", _LABELS),
    Mutant("labels/base.py", "(found < 0, 1.0 /", "(found < -1, 1.0 /", _LABELS),
    Mutant("labels/base.py", "vectors[k, k] = -own", "vectors[k, k] = own", _LABELS),
    Mutant("labels/binary.py", "self._yes(), 0.0)", "self._yes(), -1.0)", _LABELS),
    Mutant(
        "answers.py",
        "return math.copysign(math.inf, number > 0 or -1)",
        "return math.nan",
        _ANSWERS,
    ),
    Mutant(
        "answers.py",
        "return math.copysign(math.inf, above > 0 or -1)",
        "return math.inf",
        _ANSWERS,
    ),
    Mutant("answers.py", "int.__int__(value.numerator)", "value.numerator", _ANSWERS),
    Mutant("answers.py", "int.__int__(value.denominator)", "value.denominator", _ANSWERS),
    Mutant("answers.py", "str.__str__(value)", "str(value)", _ANSWERS),
    Mutant("answers.py", "return float.__float__(value)", "return float(value)", _ANSWERS),
    Mutant("answers.py", "if kind is Fraction or", "if issubclass(kind, Fraction) or", _ANSWERS),
    Mutant("answers.py", "_name_of(kind) in", "kind.__name__ in", _ANSWERS),
    Mutant("limits.py", "(sizes >= SMALLEST)", "(sizes >= 0.0)", _STUDY),
    Mutant("limits.py", "(sizes <= LARGEST)", "(sizes <= 1e300)", _STUDY),
    Mutant("study/checks.py", "    _check_reach(study)\n", "", _STUDY),
    Mutant("study/checks.py", "< _LARGEST_LENGTH", "< math.inf", _STUDY),
    Mutant("device/preview.py", '"unreadable" if value == UNREADABLE else', "", _RANDOMIZE),
    Mutant("study/geometry.py", "abs(x) >= SMALLEST", "abs(x) >= 0.0", _STUDY),
    Mutant(
        "study/transform.py",
        "array.flags.writeable = False",
        "array.flags.writeable = True",
        _RANDOMIZE,
    ),
)
