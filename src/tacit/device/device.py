"""A device that keeps a ledger: debit, randomize, keep the bytes, send them."""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from tacit.device.address import checked_collector
from tacit.device.ledger import Ledger
from tacit.device.randomize import draw_seeds, reading, refuse_unfit
from tacit.device.upload import Delivery, checked_code, send_waiting
from tacit.privacy.entropy import SystemEntropy
from tacit.study import Report, Study


class Device:
    """One person's part in a study, under the budget of the ledger they keep for all studies.

    `lifetime` is needed to make a ledger; one that exists keeps its own. `collector` is an address
    such as https://collector.example; `code` is the participation code where the study needs one,
    and serves one report.
    """

    def __init__(
        self,
        study: Study,
        *,
        ledger: str | os.PathLike[str],
        lifetime: float | None = None,
        collector: str = "",
        code: str = "",
    ) -> None:
        refuse_unfit(study)
        self.study = study
        self._collector = checked_collector(collector) if collector else ""
        self._code = checked_code(code) if code else ""
        self.ledger = Ledger(ledger, lifetime=lifetime)

    def __repr__(self) -> str:
        return f"Device({self.study}, {self.ledger})"

    @property
    def reports(self) -> tuple[Report, ...]:
        """The study's reports that this device has made, sent or not."""
        own = self.ledger.read().of(self.study.id)
        return tuple(Report(debit.study_id, debit.seed) for debit in own if debit.seed)

    def report(self, record: Mapping[str, Any], *, label: Any) -> Report:
        """Make one report and keep it; `send` sends it.

        Wrong names or a missing label raise before anything is debited; `BudgetError` says that
        the owner's budget or the study's reports per person are used up. The debit is on disk
        before the record is randomized, the bytes before they are returned.
        """
        z, weights = reading(self.study, record, label)
        while True:
            number = self.ledger.debit(self.study)
            seed = draw_seeds(self.study, z, weights, SystemEntropy())[0].tobytes()
            if self.ledger.fill(number, seed, collector=self._collector, code=self._code):
                return Report(self.study.id, seed)
            # Another thread or program used the debit first: these bytes are forgotten.

    def send(self, *, attempts: int = 1, sleep: Callable[[float], None] = time.sleep) -> Delivery:
        """Try to send every report that waits in the ledger, whatever its study.

        What cannot be sent now waits there for the next call. With several attempts, `sleep` is
        called between them for as long as the collector asks, or ever longer.
        """
        self.ledger.address(self.study.id, collector=self._collector, code=self._code)
        return send_waiting(self.ledger, attempts=attempts, sleep=sleep)
