"""Mutants of the mechanisms: less noise, other odds, or steps that depend on the input."""

from tests.mutants.mutant import Mutant

_EXACT = ("tests/privacy/test_exact.py",)
_PURE = ("tests/privacy/test_exact.py", "tests/privacy/test_scalar.py")
_MECHANISMS = ("tests/privacy/test_mechanisms.py",)
_SUBSET = ("tests/privacy/test_subset.py",)
_SPHERE = (
    "tests/privacy/test_reports.py",
    "tests/privacy/test_proof.py",
    "tests/privacy/test_vectors.py",
)
_LAW = ("tests/privacy/test_law.py", "tests/privacy/test_mechanisms.py")
_GRID = ("tests/privacy/test_grid.py", "tests/privacy/test_gaussian.py")
_GAUSSIAN = ("tests/privacy/test_gaussian.py", "tests/privacy/test_grid.py")
_EXPAND = ("tests/privacy/test_expand.py", "tests/privacy/test_vectors.py")
_WORDS = ("tests/privacy/test_words.py", "tests/privacy/test_guarantee.py")
_CURVE = ("tests/privacy/test_curve.py",)
_AUDIT = ("tests/privacy/test_audit.py", "tests/privacy/test_audit_gaussian.py")
_ENTROPY = ("tests/privacy/test_entropy.py",)

PROTECTING = (
    # staircase
    Mutant("privacy/staircase.py", "-size - 1, size", "-size, size", _PURE, vital=True),
    Mutant("privacy/staircase.py", "range(self.steps)", "range(self.steps - 3)", _PURE),
    Mutant(
        "privacy/staircase.py",
        "            step += going\n",
        "            step += going\n            if not going.any():\n                break\n",
        (*_PURE, *_MECHANISMS),
        vital=True,
    ),
    Mutant("privacy/staircase.py", "math.ceil(WORD / ratio)", "math.floor(WORD / ratio)", _PURE),
    Mutant(
        "privacy/staircase.py",
        "np.clip(noisy, -largest - 1, largest)",
        "np.clip(noisy, -largest - self.cells, largest + self.cells)",
        _PURE,
    ),
    Mutant(
        "privacy/staircase.py",
        "words(start.size, entropy) < np.uint64(self.coin)",
        "words(start.size, entropy) <= np.uint64(self.coin)",
        _PURE,
        harmless="one word of 2^64 more goes on: c grows by 2^-64, which strengthens the guarantee",
    ),
    Mutant("privacy/staircase.py", "below(word, self.split), low", "low, low", _PURE),
    Mutant("privacy/staircase.py", "* UNEVEN * WORD / coin", "* WORD / coin / UNEVEN", _PURE),
    # window and response
    Mutant("privacy/window.py", "(outside >= start)", "(outside > start)", _PURE, vital=True),
    Mutant("privacy/window.py", "start + below(word, self.width)", "start", _PURE),
    Mutant("privacy/window.py", "(width, cells - width))", "(width + 1, cells - width))", _PURE),
    Mutant(
        "privacy/window.py",
        "words(start.size, entropy) < np.uint64(self.threshold)",
        "words(start.size, entropy) <= np.uint64(self.threshold)",
        _PURE,
    ),
    Mutant("privacy/window.py", "np.isnan(numbers), 0.0,", "np.isnan(numbers), 2.0,", _PURE),
    Mutant(
        "privacy/response.py",
        "Window.of(self.epsilon, self.classes, 1)",
        "Window.of(self.epsilon * 1.05, self.classes, 1)",
        (*_EXACT, *_MECHANISMS),
    ),
    Mutant("privacy/response.py", "(luck[:, None] >= np", "(luck[:, None] > np", _MECHANISMS),
    # subsets
    Mutant("privacy/subset.py", "(size, classes - size))", "(size + 1, classes - size))", _SUBSET),
    Mutant(
        "privacy/subset.py",
        "words(len(own), entropy) < np.uint64(self.threshold)",
        "words(len(own), entropy) <= np.uint64(self.threshold)",
        _SUBSET,
    ),
    Mutant(
        "privacy/subset.py",
        "self.size - favoured.astype(np.int64)",
        "self.size - favoured.astype(np.int64) * 0",
        _SUBSET,
        vital=True,
    ),
    Mutant("privacy/subset.py", "drawn < needed", "drawn <= needed", _SUBSET),
    Mutant("privacy/subset.py", "self.classes - 1 - place)", "self.classes - place)", _SUBSET),
    Mutant(
        "privacy/subset.py",
        "places < own[:, None]",
        "places <= own[:, None]",
        _SUBSET,
        harmless="the own place is written over in the next line",
    ),
    Mutant(
        "privacy/subset.py",
        "            drawn = below(",
        "            if not needed.any():\n                others[:, place:] = False\n"
        "                break\n            drawn = below(",
        (*_SUBSET, *_MECHANISMS),
        vital=True,
    ),
    Mutant("privacy/subset.py", "(luck[:, None] >= np", "(luck[:, None] > np", _MECHANISMS),
    Mutant("privacy/label.py", "meant != classes or ", "", _SUBSET),
    Mutant("privacy/draws.py", "rounding=ROUND_CEILING", 'rounding="ROUND_FLOOR"', _SPHERE),
    Mutant(
        "privacy/draws.py",
        "math.floor(odds / (1 + odds) * WORD)",
        "math.ceil(odds / (1 + odds) * WORD)",
        _PURE,
    ),
    Mutant("privacy/entropy.py", "2.0**-53", "2.0**-52", (*_MECHANISMS, *_PURE)),
    Mutant(
        "privacy/draws.py",
        "whole.astype(np.int64) + (chance < values - whole)",
        "np.rint(values).astype(np.int64) + 0 * (chance < 0)",
        (*_PURE, *_MECHANISMS),
    ),
    # sphere
    Mutant(
        "privacy/sphere.py",
        "return in_cap | self.by_coin(drawn)",
        "by_coin = in_cap.copy()\n        by_coin[~in_cap] = self.by_coin(drawn[~in_cap])\n"
        "        return by_coin",
        (*_SPHERE, "tests/privacy/test_mechanisms.py"),
        vital=True,
    ),
    Mutant("privacy/sphere.py", "np.uint64(self.coin - 1)", "np.uint64(self.coin)", _SPHERE),
    Mutant("privacy/sphere.py", "np.uint64(self.coin - 1)", "np.uint64(self.coin - 2)", _SPHERE),
    Mutant(
        "privacy/sphere.py",
        "heights >= self.cap",
        "heights >= 0.9 * self.cap",
        (*_SPHERE, *_LAW),
        vital=True,
    ),
    Mutant("privacy/sphere.py", "return normalised(values)", "return values", _MECHANISMS),
    Mutant(
        "privacy/sphere.py",
        "expand(seeds, self.tag, self.dimension), units)",
        "expand(seeds, bytes(16), self.dimension), units)",
        _SPHERE,
        vital=True,
    ),
    Mutant(
        "privacy/sphere.py",
        "room = -(-chunk_size(self.dimension) // pending)",
        "room = 1",
        _SPHERE,
        harmless="one trial at a time is the same mechanism, only slower",
    ),
    Mutant(
        "privacy/sphere.py",
        "first = np.argmax(accepted, axis=1)",
        "first = ahead - 1 - np.argmax(accepted[:, ::-1], axis=1)",
        (*_SPHERE, *_MECHANISMS),
    ),
    Mutant(
        "privacy/sphere.py",
        "np.repeat(units, ahead, axis=0)",
        "np.tile(units, (ahead, 1))",
        _SPHERE,
        vital=True,
    ),
    Mutant(
        "privacy/sphere.py",
        "pending, units = pending[~found], units[~found]",
        "pending, units = pending[~found], units[: (~found).sum()]",
        _SPHERE,
    ),
    Mutant("privacy/sphere.py", "np.isfinite(peak) & (peak > 0.0)", "peak > 0.0", _MECHANISMS),
    Mutant(
        "privacy/geometry.py",
        "(1.0 - cap) * (1.0 + cap))) / 2.0",
        "(1.0 - cap) * (1.0 + cap)))",
        ("tests/privacy/test_geometry.py",),
    ),
    # expansion
    Mutant("privacy/expand.py", "key[4:] = words_of(tag)[:, None]", "key[4:] = 0", _EXPAND),
    Mutant("privacy/expand.py", "np.rint(vectors * SCALE)", "np.floor(vectors * SCALE)", _EXPAND),
    Mutant(
        "privacy/expand.py",
        "_DOUBLE_ROUNDS = 10",
        "_DOUBLE_ROUNDS = 4",
        ("tests/privacy/test_chacha.py",),
    ),
    # Gaussian
    Mutant(
        "privacy/gaussian.py",
        "return inner, dimension * (TABLE_ERROR + math.exp(inner) * BEYOND)",
        "return inner, TABLE_ERROR + math.exp(inner) * BEYOND",
        _GAUSSIAN,
        vital=True,
    ),
    Mutant(
        "privacy/gaussian.py", "epsilon - dimension * THINNEST", "epsilon - THINNEST", _GAUSSIAN
    ),
    Mutant(
        "privacy/gaussian.py",
        "_LARGEST_STEPS = 2.0**44",
        "_LARGEST_STEPS = 2.0**62",
        _GRID,
        vital=True,
    ),
    Mutant("privacy/gaussian.py", "self.sensitivity * (1.0 + _SLACK)", "self.sensitivity", _GRID),
    Mutant("privacy/gaussian.py", "_LARGEST = 1e100", "_LARGEST = 1e307", _GRID),
    Mutant("privacy/gaussian.py", "np.rint(np.asarray(values", "np.floor(np.asarray(values", _GRID),
    Mutant(
        "privacy/gaussian.py",
        "return math.sqrt(dimension) * _ROUNDING",
        "return _ROUNDING",
        _GAUSSIAN,
    ),
    Mutant(
        "privacy/gaussian.py",
        'side="right"',
        'side="left"',
        _GAUSSIAN,
    ),
    Mutant(
        "privacy/gaussian.py",
        "calibrate(inner, delta - charge)",
        "0.95 * calibrate(inner, delta - charge)",
        _GAUSSIAN,
        vital=True,
    ),
    Mutant("privacy/gaussian.py", " + self.dimension * THINNEST", "", _GAUSSIAN),
    Mutant("privacy/gaussian.py", "math.exp(min(rough, 700.0)) * BEYOND", "BEYOND", _GAUSSIAN),
    Mutant("privacy/curve.py", "near + math.log(-math.expm1(ratio))", "near", _CURVE),
    Mutant(
        "privacy/curve.py", "special.log_ndtr(self.mu / 2 -", "special.log_ndtr(self.mu -", _CURVE
    ),
    # words and the audit
    Mutant(
        "privacy/words.py",
        "shown = math.ceil(probability",
        "shown = math.floor(probability",
        _WORDS,
        vital=True,
    ),
    Mutant("privacy/words.py", "math.ceil(factor * size)", "round(factor * size)", _WORDS),
    Mutant("privacy/words.py", "rounding=ROUND_CEILING", 'rounding="ROUND_HALF_EVEN"', _WORDS),
    Mutant(
        "privacy/guarantee.py",
        "beyond = self.total_delta * math.exp(-self.total_epsilon)",
        "beyond = 0.0",
        _WORDS,
        vital=True,
    ),
    Mutant(
        "privacy/guarantee.py",
        "return self.epsilon * self.reports_per_person",
        "return self.epsilon",
        (*_WORDS, "tests/study/test_study.py"),
    ),
    Mutant(
        "privacy/guarantee.py",
        "return self.delta * self.reports_per_person",
        "return self.delta",
        _WORDS,
    ),
    Mutant(
        "privacy/guarantee.py",
        "epsilon, delta = number_up(self.total_epsilon)",
        "epsilon, delta = f'{self.total_epsilon:g}'",
        _WORDS,
    ),
    Mutant(
        "privacy/audit/gaussian.py", "seen.mu <= allowed.mu", "seen.mu <= 1.2 * allowed.mu", _AUDIT
    ),
    Mutant(
        "privacy/entropy.py",
        "secrets.token_bytes(count)",
        "__import__('random').Random(0).randbytes(count)",
        _ENTROPY,
        vital=True,
    ),
)
