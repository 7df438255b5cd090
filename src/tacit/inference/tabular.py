"""A table that prints itself, and becomes a data frame, CSV, LaTeX or HTML."""

import csv
import html
import io
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tacit.errors import ConfigurationError

_WIDTH = 96
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "&%$#_{}"
}


@dataclass(frozen=True)
class Column:
    """A key of the rows, the words above it, and how its numbers are written.

    With a key `until` the cell is an interval from the one to the other.
    """

    key: str
    head: str
    form: str = ".4g"
    until: str = ""

    def cell(self, entry: dict[str, Any]) -> str:
        """As shown; nothing for a number that is not known."""
        if self.until:
            return f"[{self._written(entry[self.key])}, {self._written(entry[self.until])}]"
        return self._written(entry[self.key])

    def _written(self, value: Any) -> str:
        if isinstance(value, float):
            return "" if math.isnan(value) else f"{value:{self.form}}"
        return f"{value}"


@dataclass(frozen=True)
class Tabular:
    """Rows of plain values by key, under a title and above notes that belong to them."""

    title: str
    columns: tuple[Column, ...]
    entries: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per row, for programs."""
        return [dict(entry) for entry in self.entries]

    def to_frame(self) -> Any:
        """A pandas data frame, named rows first."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ConfigurationError(
                "a data frame takes pandas, which is not installed: pip install pandas, or use "
                ".rows()"
            ) from error
        return pd.DataFrame(self.rows()).set_index(self.columns[0].key)

    def to_csv(self) -> str:
        """Every value with all its digits."""
        file = io.StringIO()
        keys = list(self.entries[0]) if self.entries else []
        writer = csv.DictWriter(file, keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        return file.getvalue()

    def to_latex(self) -> str:
        """A tabular with the rules of the package booktabs, and the notes below."""
        lines = [
            r"\begin{tabular}{l" + "r" * (len(self.columns) - 1) + "}",
            r"\toprule",
            " & ".join(map(_latex, self._heads())) + r" \\",
            r"\midrule",
            *(" & ".join(map(_latex, cells)) + r" \\" for cells in self._cells()),
            r"\bottomrule",
            r"\end{tabular}",
            "",
            *(_latex(note) + r"\par" for note in self.notes),
        ]
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """A table with its title and notes."""
        head, body = self._heads(), self._cells()
        return "".join(
            [
                f"<table><caption>{html.escape(self.title)}</caption><thead><tr>",
                *(f'<th scope="col">{html.escape(word)}</th>' for word in head),
                "</tr></thead><tbody>",
                *(_html_row(cells) for cells in body),
                "</tbody></table>",
                *(f"<p>{html.escape(note)}</p>" for note in self.notes),
                "\n",
            ]
        )

    def to_text(self) -> str:
        """As printed."""
        grid = [self._heads(), *self._cells()]
        wide = [max(map(len, column)) for column in zip(*grid, strict=True)]
        head, *body = ["  ".join(_aligned(cells, wide)) for cells in grid]
        rule = "-" * len(head)
        notes = [textwrap.fill(note, _WIDTH) for note in self.notes]
        return "\n".join([self.title, rule, head, rule, *body, rule, *notes])

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()

    def _heads(self) -> list[str]:
        return [column.head for column in self.columns]

    def _cells(self) -> list[list[str]]:
        return [[column.cell(entry) for column in self.columns] for entry in self.entries]


def _aligned(cells: Sequence[str], wide: Sequence[int]) -> list[str]:
    first, *rest = zip(cells, wide, strict=True)
    return [f"{first[0]:<{first[1]}}", *(f"{cell:>{width}}" for cell, width in rest)]


def _html_row(cells: Sequence[str]) -> str:
    name, *rest = map(html.escape, cells)
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
