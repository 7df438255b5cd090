"""Model files: every solution by name, and families that no file can hold."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats

from tacit import Family, Fit, fit, simulate
from tacit.errors import ConfigurationError, NoFiniteMaximumError, StudyFileError
from tacit.models import logistic
from tacit.study import document
from tests.inference.helpers import LABELS, make_rows, make_study, make_world

PUBLIC = make_rows(2000, 0)
PROBIT = Family("probit", mean=stats.norm.cdf, slope=stats.norm.pdf)


@pytest.mark.parametrize("name", tuple(LABELS))
def test_a_saved_model_is_the_same_model(name: str, tmp_path: Path) -> None:
    """Coefficients, intervals and predictions survive the file to the last bit."""
    world = make_world(name, people=20_000, epsilon=8.0, seed=4)
    found = fit(world.study, world.tally, public=PUBLIC)
    found.save(tmp_path / "model.json")
    again = Fit.load(tmp_path / "model.json")
    rows = make_rows(20, 9)
    assert np.array_equal(again.coef, found.coef)
    assert np.array_equal(again.conf_int(), found.conf_int())
    assert np.array_equal(again.predict(rows), found.predict(rows))
    assert str(again.summary()) == str(found.summary())
    assert again.to_bytes() == found.to_bytes()


def test_an_altered_model_file_is_refused() -> None:
    """No byte of a model file can change unnoticed."""
    world = make_world("logistic", people=2000, epsilon=8.0, seed=4)
    data = fit(world.study, world.tally, public=PUBLIC).to_bytes()
    for place in np.random.default_rng(0).integers(0, len(data), 200):
        altered = bytearray(data)
        altered[place] ^= 1
        with pytest.raises(StudyFileError):
            Fit.from_bytes(bytes(altered))
    with pytest.raises(StudyFileError):
        Fit.from_bytes(data[: len(data) // 2])


def test_a_fit_without_a_maximum_is_saved_with_its_reason() -> None:
    """Asking the model that was read raises the same exception; its table has endless ends."""
    study = make_study(LABELS["logistic"], epsilon=0.5, minimum_batch=1)
    tally = simulate(study, make_rows(150, 1), np.arange(150) % 2, random_state=3)
    found = fit(study, tally, public=PUBLIC)
    again = Fit.from_bytes(found.to_bytes())
    with pytest.raises(NoFiniteMaximumError, match="more people"):
        again.solution("maximum")
    assert np.isinf(again.conf_int()).any()
    assert np.array_equal(again.conf_int(), found.conf_int())
    with pytest.raises(ConfigurationError, match=r"read from a file.*profile at 0.95.*tacit.fit"):
        again.conf_int(0.9)


@pytest.mark.parametrize("name", ["probit", "logistic"])
def test_a_family_of_ones_own_is_asked_for_again(name: str) -> None:
    """Whatever it is called: no name stands for functions, and others are told apart."""
    world = make_world("logistic", people=20_000, epsilon=8.0, seed=4)
    own = Family(name, PROBIT.mean, PROBIT.slope)
    found = fit(world.study, world.tally, public=PUBLIC, family=own)
    data = found.to_bytes()
    again, rows = Fit.from_bytes(data, family=own), make_rows(20, 9)
    assert np.array_equal(again.predict_proba(rows), found.predict_proba(rows))
    assert np.array_equal(again.coef, found.coef)
    with pytest.raises(ConfigurationError, match=rf"{name}.*Fit.load\(path, family=...\)"):
        Fit.from_bytes(data)
    others = (
        Family("logistic", logistic().mean, logistic().slope),
        Family("cloglog", PROBIT.mean, PROBIT.slope),
        Family(name, PROBIT.mean, PROBIT.slope, predict=logistic().mean),
        Family(name, logistic().mean, logistic().slope, predict=PROBIT.mean),
        Family(name, PROBIT.mean, PROBIT.slope, unit=2.0),
        Family(name, PROBIT.mean, PROBIT.slope, origin=0.5),
    )
    for other in others:
        with pytest.raises(ConfigurationError, match="pass the same functions"):
            Fit.from_bytes(data, family=other)


def test_a_sealed_file_with_fewer_values_of_a_family_is_refused() -> None:
    """One value would quietly be compared with all of them."""
    world = make_world("logistic", people=2000, epsilon=8.0, seed=4)
    found = fit(world.study, world.tally, public=PUBLIC, family=PROBIT)
    model = msgspec.json.decode(document.unwrap("model", found.to_bytes()))
    for count in (3, 1):
        model["own_values"] = model["own_values"][:count]
        with pytest.raises(ConfigurationError, match="pass the same functions"):
            Fit.from_bytes(document.wrap("model", msgspec.json.encode(model)), family=PROBIT)


def test_a_known_family_is_read_by_its_name() -> None:
    """One that is not the label's default as well; passing another object is refused."""
    world = make_world("logistic", people=20_000, epsilon=8.0, seed=4)
    found = fit(world.study, world.tally, public=PUBLIC, family="poisson")
    again, rows = Fit.from_bytes(found.to_bytes()), make_rows(20, 9)
    assert again.model.name == "poisson"
    assert np.array_equal(again.predict_proba(rows), found.predict_proba(rows))
    with pytest.raises(ConfigurationError, match="known family 'poisson'"):
        Fit.from_bytes(found.to_bytes(), family=PROBIT)


def _fewer_weights(model: dict[str, Any]) -> None:
    model["solutions"]["maximum"]["weights"].pop()


def _jagged(model: dict[str, Any]) -> None:
    model["solutions"]["maximum"]["uncertainty"]["covariance"][0].pop()


def _no_posterior(model: dict[str, Any]) -> None:
    del model["solutions"]["posterior"]


def _unknown_failure(model: dict[str, Any]) -> None:
    model["solutions"]["posterior"]["uncertainty"]["kind"] = "TacitWarning"


def _unheard_of_family(model: dict[str, Any]) -> None:
    model["family"] = "probit"


def _other_study(model: dict[str, Any]) -> None:
    model["study"]["epsilon"] = 9.0


@pytest.mark.parametrize(
    "spoil",
    [_fewer_weights, _jagged, _no_posterior, _unknown_failure, _unheard_of_family, _other_study],
)
def test_a_sealed_file_that_contradicts_itself_is_refused(
    spoil: Callable[[dict[str, Any]], None],
) -> None:
    """A right hash does not make a model right."""
    world = make_world("logistic", people=2000, epsilon=8.0, seed=4)
    body = document.unwrap("model", fit(world.study, world.tally, public=PUBLIC).to_bytes())
    model = msgspec.json.decode(body)
    spoil(model)
    with pytest.raises(StudyFileError, match=r"the (study in the )?model file"):
        Fit.from_bytes(document.wrap("model", msgspec.json.encode(model)))
