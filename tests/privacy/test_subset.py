"""Sets of classes, counted out by their own code: every word, every report, every pair."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import ConfigurationError
from tacit.privacy import SeededEntropy
from tacit.privacy.draws import WORD, ratio_below
from tacit.privacy.label import best_for_label, check_for_label, stated
from tacit.privacy.staircase import Staircase
from tacit.privacy.subset import MOST_SETS, Subset
from tacit.privacy.window import Window, piecewise
from tests.privacy.exact import law_of, law_of_coins, moments, reports, worst_ratio
from tests.privacy.test_exact import NEAR, SURE, e_to_the

SIZES = [(2, 1), (3, 1), (4, 1), (4, 2), (5, 2)]
over_sizes = pytest.mark.parametrize(("classes", "size"), SIZES)


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 30.0])
@over_sizes
def test_subsets_are_pure(epsilon: float, classes: int, size: int) -> None:
    """Over all classes, and weights between them, the worst ratio is at most e^eps, and near it."""
    subset = Subset.of(epsilon, classes, size)
    laws = [law_of(subset, row) for row in np.eye(classes)[: 3 if classes == 5 else classes]]
    assert set(laws[0]) == set(subset.reports)
    assert e_to_the(epsilon) * NEAR <= worst_ratio(laws) <= e_to_the(epsilon)
    if classes <= 4:
        mixed = law_of(subset, np.arange(1.0, classes + 1))
        assert worst_ratio([*laws, mixed]) == worst_ratio(laws)


@over_sizes
def test_subsets_are_unbiased(classes: int, size: int) -> None:
    """The mean value is the class, and no coordinate has more variance than `noise`."""
    subset = Subset.of(1.5, classes, size)
    for row in np.eye(classes)[:2]:
        mean, variance = moments(subset, law_of(subset, row))
        np.testing.assert_allclose(mean, row, atol=SURE)
        assert variance.max() <= subset.noise * (1 + SURE)


@pytest.mark.parametrize(
    ("mechanism", "inputs"),
    [
        (Subset.of(1.0, 4, 1), np.vstack([np.eye(4), [0.1, 0.2, 0.3, 0.4]])),
        (Subset.of(3.0, 4, 2), np.eye(4)),
        (Window.of(1.0, 2, 1), np.array([-1.0, 0.2, 1.0])),
        (Window.of(2.0, 16, 5), np.array([-1.0, -0.93, 0.2, 1.0])),
        (Staircase.of(5.0, 2, 6), np.array([-1.0, -0.4, 0.2, 1.0])),
    ],
    ids=["response", "subset", "two points", "window", "staircase"],
)
def test_chances_are_those_of_the_code(
    mechanism: Subset | Window | Staircase,
    inputs: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> None:
    """What a fit takes for the law of a report is its exact law, but for a factor of the report."""
    is_staircase = isinstance(mechanism, Staircase)
    laws = [(law_of_coins if is_staircase else law_of)(mechanism, value) for value in inputs]
    ends = {mechanism.reports[0], mechanism.reports[-1]} if is_staircase else set()
    sent = np.array(sorted(set(laws[0]) - ends))  # what lies beyond the ends is below 1e-17
    exact = np.array([[float(law[report]) for law in laws] for report in sent.tolist()])
    found = mechanism.chances(sent, inputs)
    np.testing.assert_allclose(found / found[:, :1], exact / exact[:, :1], rtol=1e-8)


@pytest.mark.parametrize(("classes", "size"), [(2, 1), (6, 1), (6, 3), (9, 4)])
def test_a_report_is_the_place_of_its_set(classes: int, size: int) -> None:
    """Every report is one set, every set one report; of single classes the class itself."""
    subset = Subset.of(1.0, classes, size)
    held = subset.members(np.arange(len(subset.reports)))
    sets = [tuple(np.flatnonzero(row)) for row in held]
    expected = sorted(itertools.combinations(range(classes), size), key=lambda s: s[::-1])
    assert sets == expected
    if size == 1:
        assert subset.randomize(np.eye(classes), _Likely()).tolist() == list(range(classes))


class _Likely:
    """Entropy of zeros: below every threshold."""

    def draw(self, count: int) -> bytes:
        """So many."""
        return bytes(count)


def test_the_largest_subsets_that_can_be_counted_are_ranked() -> None:
    """Near 2^53 sets a report is still an exact integer, and leads back to its set."""
    subset = Subset.best(1.0, 60)
    assert 2**47 < len(subset.reports) <= MOST_SETS
    weights = np.eye(60)[np.arange(600) % 60]
    sent = subset.randomize(weights, SeededEntropy(1))
    held = subset.members(sent)
    assert (held.sum(axis=1) == subset.size).all()
    exact = [sum(math.comb(j, c + 1) for c, j in enumerate(np.flatnonzero(h))) for h in held]
    assert sent.tolist() == exact


def test_every_set_of_a_side_is_alike() -> None:
    """Given that the true class is in (or out), no other class is likelier than another."""
    law = law_of(Subset.of(1.0, 5, 2), np.eye(5)[1])
    held = Subset.of(1.0, 5, 2).members(np.array(list(law)))
    chances = np.array([float(chance) for chance in law.values()])
    for side in (held[:, 1], ~held[:, 1]):
        assert np.ptp(chances[side]) <= 1e-12 * chances[side].max()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("classes", [2, 3, 5, 10, 20])
def test_the_best_size_has_the_least_error(epsilon: float, classes: int) -> None:
    """Total variance at even weights, from the values of all sets, is least at the size chosen."""

    def error(size: int) -> float:
        subset = Subset.of(epsilon, classes, size)
        length = size - size**2 / classes  # squared, of a centred set
        return length / (subset.kept - subset.changed) ** 2

    sizes = range(1, classes // 2 + 1)
    best = min(map(error, sizes))
    assert error(Subset.best(epsilon, classes).size) == pytest.approx(best, rel=1e-9)
    spread = Subset.of(epsilon, classes, 1)
    seen = spread.value(spread.randomize(np.eye(classes)[np.zeros(9, int)], SeededEntropy(1)))
    np.testing.assert_allclose(seen.sum(axis=1), 1.0)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 8.0, 30.0])
@pytest.mark.parametrize(("classes", "size"), [(2, 1), (10, 3), (4096, 4)])
def test_thresholds_leave_room_at_full_size(epsilon: float, classes: int, size: int) -> None:
    """The ratio of the two chances stays below e^eps, uneven words included."""
    subset = Subset.of(epsilon, classes, size)
    uneven = 1 + Fraction(classes**2, WORD // 4)
    kept = Fraction(subset.threshold, WORD)
    odds = kept / size / ((1 - kept) / (classes - size))
    assert odds * uneven <= e_to_the(epsilon)
    assert odds >= ratio_below(epsilon) * NEAR


def test_wild_weights_draw_the_words_that_others_draw() -> None:
    """A report is made of K + 1 words, whatever the class."""
    rows = np.full((3, 4), [[math.nan], [math.inf], [-1.0]])
    words = np.zeros((3, 5), dtype=np.uint64)
    for row in (*rows, *np.eye(4)):
        assert len(reports(Subset.of(1.0, 4, 1), row, words)) == 3


@pytest.mark.parametrize(
    ("classes", "size", "named"),
    [(1, 1, "classes=1"), (4097, 1, "classes=4097"), (4, 3, "size=3"), (4, 0, "size=0"),
     (200, 90, "size=90")],
)  # fmt: skip
def test_impossible_subsets_are_refused(classes: int, size: int, named: str) -> None:
    """More than half of the classes, or more sets than integers are exact for."""
    with pytest.raises(ConfigurationError, match=named):
        Subset.of(1.0, classes, size)


@pytest.mark.parametrize(
    ("classes", "epsilon", "kind"),
    [(2, 1.0, "randomised response"), (5, 3.0, "K-ary"), (10, 1.0, "subset selection"),
     (0, 1.0, "two points"), (0, 3.0, "piecewise"), (0, 6.0, "staircase")],
)  # fmt: skip
def test_a_label_gets_the_best_of_its_kinds(classes: int, epsilon: float, kind: str) -> None:
    """What is stated leads back to the mechanism; another epsilon or label is refused."""
    parameters = best_for_label(classes, epsilon)
    assert kind in parameters.in_words()
    assert stated(parameters.mechanism(epsilon)) == parameters
    check_for_label(parameters, classes, epsilon)
    for others in (
        (classes, epsilon * (1 + 1e-9)),
        (classes + 2, epsilon),
        (0 if classes else 2, 1),
    ):
        with pytest.raises(ConfigurationError, match="the mechanism is not one for"):
            check_for_label(parameters, *others)


def test_a_window_of_many_cells_is_stated_exactly() -> None:
    """Its threshold is a whole 64-bit integer in hexadecimal."""
    window = piecewise(2.0)
    assert int(best_for_label(0, 2.0).threshold, 16) == window.threshold
