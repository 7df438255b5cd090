"""Results as sections of a Markdown page; a section that is run again replaces the old one."""

from collections.abc import Iterable, Sequence
from pathlib import Path

_TITLE = "# Evidence"
_PREFACE = (
    "Every number here was measured by `make figures` (`python -m evidence`), with fixed "
    "seeds. The same experiments are asserted by `make assure`."
)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write_sections(path: Path, sections: dict[str, str]) -> None:
    """Write the page with these sections, in place of those of the same heading."""
    known = _read_sections(path) | sections
    body = [f"## {heading}\n\n{known[heading].strip()}" for heading in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join([_TITLE, _PREFACE, *body]) + "\n", encoding="utf-8")


def _read_sections(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    _, *parts = path.read_text(encoding="utf-8").split("\n## ")
    return {heading: body for heading, _, body in (part.partition("\n") for part in parts)}
