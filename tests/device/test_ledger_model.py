"""The ledger against a plain account of what happened to it."""

import itertools
import warnings
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tacit import Study
from tacit.device import Ledger
from tacit.device.book import exact
from tacit.errors import BudgetError, TacitWarning
from tests.device.helpers import study_of

STUDIES = [study_of("small", 0.1, 3), study_of("middle", 0.5, 2), study_of("large", 2.0)]


class Owner(RuleBasedStateMachine):
    """Reports, crashes, changed budgets, restored copies, deletions."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name, "ledger")
        self.lifetime = 2.0
        Ledger(self.path, lifetime=self.lifetime)
        self.accounts = {study.id: SimpleNamespace(begun=0, made=0) for study in STUDIES}
        self.copy: tuple[bytes, float] | None = None
        self.stale = False
        self.seeds = itertools.count()

    def teardown(self) -> None:
        """Leave no file behind."""
        self.folder.cleanup()

    @property
    def spent(self) -> Fraction:
        """Every debit, made into a report or not."""
        accounts = [(self.accounts[study.id], exact(study.epsilon)) for study in STUDIES]
        return sum(((a.begun + a.made) * epsilon for a, epsilon in accounts), Fraction(0))

    def open(self) -> Ledger:
        """As an app does at every start."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TacitWarning)
            return Ledger(self.path)

    def allowed(self, study: Study) -> bool:
        """Whether the account has room for one more report."""
        account = self.accounts[study.id]
        if account.begun:
            return self.spent <= exact(self.lifetime)
        fits = self.spent + exact(study.epsilon) <= exact(self.lifetime)
        return fits and account.made < study.reports_per_person

    @rule(study=st.sampled_from(STUDIES), crash=st.booleans())
    def report(self, study: Study, crash: bool) -> None:
        """Debit, and unless the device crashes, make the report."""
        account, allowed = self.accounts[study.id], self.allowed(study)
        ledger = self.open()
        try:
            number = ledger.debit(study)
        except BudgetError:
            assert not allowed
            return
        assert allowed
        self.stale = True
        account.begun = 1
        if not crash:
            assert ledger.fill(number, next(self.seeds).to_bytes(16, "big"))
            account.begun, account.made = 0, account.made + 1

    @rule(lifetime=st.sampled_from([0.0, 0.3, 1.0, 2.0, 4.5]))
    def change_lifetime(self, lifetime: float) -> None:
        """The owner allows more or less."""
        self.open().lifetime = self.lifetime = lifetime
        self.stale = True

    @rule()
    def keep_a_copy(self) -> None:
        """As a backup would: of the ledger, not of its witness."""
        self.copy, self.stale = (self.path.read_bytes(), self.lifetime), False

    @precondition(lambda self: self.copy is not None)
    @rule()
    def restore_the_copy(self) -> None:
        """Debits without bytes might have been used since, so they are gone."""
        assert self.copy is not None
        content, lifetime = self.copy
        self.path.write_bytes(content)
        if self.stale and self.open().read():
            self.lose(min(lifetime, self.lifetime))

    @rule()
    def delete(self) -> None:
        """The witness stays."""
        self.path.unlink()
        self.open()
        self.lose(self.lifetime)

    def lose(self, lifetime: float) -> None:
        """What was begun counts as made from now on."""
        self.lifetime, self.stale = lifetime, True
        for account in self.accounts.values():
            account.begun, account.made = 0, account.made + account.begun

    @invariant()
    def the_account_agrees(self) -> None:
        """What was spent is known exactly, whatever happened."""
        book = self.open().read()
        assert (book.spent, book.lifetime) == (self.spent, self.lifetime)
        for study in STUDIES:
            assert len(book.of(study.id)) <= study.reports_per_person


Owner.TestCase.settings = settings(max_examples=12, stateful_step_count=20)
TestOwner = Owner.TestCase
