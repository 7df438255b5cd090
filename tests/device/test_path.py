"""How far a reader has to go to follow one report through the package."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import tacit
from tacit.device import Device
from tacit.study import Study
from tests.device.helpers import RECORD, study_of

PACKAGE = str(Path(tacit.__file__).parent)


def path_of(work: Callable[[], object]) -> tuple[int, int]:
    """How many files are entered, and how often a frame is entered that is in another file."""
    entered: list[str] = []
    switches = 0
    last = ""

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal last, switches
        file = frame.f_code.co_filename
        if event in ("call", "return") and file.startswith(PACKAGE):
            if event == "call":
                entered.append(file)
                switches += file != last != ""
            last = file

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(set(entered)), switches


def test_a_report_goes_through_few_files(tmp_path: Path) -> None:
    """Of two features, and as of a study just read; the first report derives one number more."""
    study = Study.from_bytes(study_of("two", 1.0, 2).to_bytes())
    device = Device(study, ledger=tmp_path / "ledger", lifetime=2.0)
    first = path_of(lambda: device.report(RECORD, label="yes"))
    later = path_of(lambda: device.report(RECORD, label="no"))
    for (files, switches), most_files, most_switches in ((first, 13, 34), (later, 12, 30)):
        assert files <= most_files
        assert switches <= most_switches
