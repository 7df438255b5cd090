"""Run the experiments and write docs/evidence.md: `python -m evidence [name ...]`."""

import argparse
from pathlib import Path

from evidence.report import write_sections
from evidence.sections import SECTIONS


def main() -> None:
    """Run the named experiments, or all; each section is written as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m evidence", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(SECTIONS))
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="where to write")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(SECTIONS))
    if unknown:
        parser.error(f"no experiment {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    for name in options.names or SECTIONS:
        heading, body = SECTIONS[name](options.docs)
        write_sections(options.docs / "evidence.md", {heading: body})


if __name__ == "__main__":
    main()
