"""The people that a geometry made for its purpose saves: what was stated, and nine tenths of it.

Stated: people saved for the table and for the focus; then, under the focus, the others against
shares by root, and the worst of them against a study without focus, of which a tenth more is
borne. The made-up designs have the intercept's share that is best for them, as was stated;
the real ones that of a study, a tenth, which costs both sides alike.
"""

import pytest

from evidence import datasets
from evidence.geometries import MADE_UP, REAL, Setting, gain

STATED = {
    "10 Gaussian columns, condition number 1": (1.1, 3.9, 1.09, 1.26),
    "same, condition number 100": (3.8, 9.2, 0.58, 1.25),
    "Covertype": (2.6, 21.0, 0.67, 1.47),
    "census income": (3.1, 47.0, 0.62, 1.40),
}
FILES = {"Covertype": "covertype", "census income": "census_income_kdd"}


def reaches(setting: Setting) -> None:
    """All four numbers."""
    found, stated = gain(setting), STATED[setting.name]
    assert found.fewer_people >= 0.9 * stated[0]
    assert found.fewer_people_in_focus >= 0.9 * stated[1]
    assert found.others <= 1.1 * stated[2]
    assert found.worst_other <= 1.1 * stated[3]


@pytest.mark.parametrize("setting", MADE_UP, ids=lambda setting: setting.name)
def test_made_up_designs_take_fewer_people(setting: Setting) -> None:
    """As stated, for the table and for a focus."""
    reaches(setting)


@pytest.mark.assure
@pytest.mark.parametrize("setting", REAL, ids=lambda setting: setting.name)
def test_real_data_take_fewer_people(setting: Setting) -> None:
    """As stated, for the table and for a focus."""
    if datasets.find(FILES[setting.name]) is None:
        pytest.skip(f"no {FILES[setting.name]}.parquet: set {datasets.VARIABLE}")
    reaches(setting)
