"""Mutants of what keeps each report once, and of what an answer tells."""

from tests.mutants.mutant import Mutant

_STORE = ("tests/collector/test_store_contract.py", "tests/collector/test_sqlite.py")
_LIMITS = ("tests/collector/test_limits.py",)
_SQLITE = "collector/storage/sqlite/"

COLLECTING = (
    Mutant(
        _SQLITE + "admission.py",
        "    if not state.stored.open:\n"
        "        return [Outcome.CLOSED] * len(posts), seeds[:0]\n"
        "    new = ~state.known.contains(seeds)\n",
        "    new = ~state.known.contains(seeds)\n"
        "    if not state.stored.open and new.any():\n"
        "        return [Outcome.CLOSED] * len(posts), seeds[:0]\n",
        _STORE,
    ),
    Mutant(_SQLITE + "admission.py", "seeds[new]", "seeds", _STORE),
    Mutant(
        _SQLITE + "admission.py",
        "if not again and content not in admitted:",
        "if not again:",
        _STORE,
    ),
    Mutant(_SQLITE + "admission.py", "len(post.seeds) == 1 and db.execute", "db.execute", _STORE),
    Mutant(
        _SQLITE + "store.py",
        "                    rehearse(db, state, [posts[place].seeds for place in places])",
        "                    pass",
        _STORE,
    ),
    Mutant(_SQLITE + "state.py", 'db.execute("ROLLBACK TO rehearsal")', "pass", _STORE),
    Mutant(_SQLITE + "state.py", "state.days = self.days", "pass", _STORE),
    Mutant(_SQLITE + "state.py", "state.known.note(self.prepared)", "pass", _STORE),
    Mutant(
        "collector/web/reports.py",
        "return MOST_REPORTS if rate is None else min(MOST_REPORTS, rate.most_at_once)",
        "return MOST_REPORTS",
        _LIMITS,
    ),
    Mutant(
        "collector/web/asked.py",
        'int(length.lstrip("0") or "0")',
        "int(length)",
        ("tests/collector/test_fuzz.py",),
    ),
    Mutant(
        "collector/web/asked.py",
        "len(given) <= _MOST_DIGITS and ",
        "",
        ("tests/collector/test_openapi.py",),
    ),
    Mutant(
        "collector/web/internals.py",
        "{*vars(part), *set_by_code}",
        "{*dir(part), *set_by_code}",
        ("tests/collector/test_internals.py",),
    ),
)
